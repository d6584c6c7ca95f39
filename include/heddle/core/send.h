/* SPDX-License-Identifier: MIT */
/* core/send.h - the host's part of a pool: writes the record of a task into a slot of the host, and hands the task on. Any number of
 * threads may do so at once, each with slots of its own. */
#ifndef HEDDLE_CORE_SEND_H
#define HEDDLE_CORE_SEND_H

#include "heddle/core/ticket.h"

/* A task for a slot of the host. The slot's last task has been told. The record and the handles are copied. */
typedef struct hd_sent {
    uint32_t slot, generation, body, flags; /* flags: HD_TASK_...                                  */
    uint32_t n_blocks, team_size, arg_bytes, n_after;
    const void *args;
    const uint64_t *after; /* handles; their slots stay as they are until this task has ended       */
    const hd_copy *copies; /* as many as `flags` says                                             */
    uint32_t held;         /* HD_HELD, for a task that waits for nothing else; HD_RELEASED; or 0    */
} hd_sent;

/* A held task has its record, so that others can name it, and runs when it is sent once more as released, of which only slot and
 * flags count. */
#define HD_HELD 1u
#define HD_RELEASED 2u

/* A task like that one, with this handle, and its record so many bytes behind. */
HD_FN hd_sent hd_sent_like(const hd_sent *like, uint64_t handle, uint64_t at)
{
    hd_sent s = *like;
    s.slot = (uint32_t)handle;
    s.generation = (uint32_t)(handle >> 32);
    s.args = (const uint8_t *)like->args + at;
    return s;
}

HD_FN uint32_t hd_n_copies(uint32_t flags) { return (flags & HD_TASK_COPIES_MASK) >> HD_TASK_COPIES; }

/* Writes the record but for its arguments; returns where these go. The task waits for nothing yet. */
HD_FN void *hd_send_record(const hd_run *r, const hd_sent *s)
{
    hd_task *task = hd_child_at(r, r->n_tasks + s->slot);
    task->body = (uint16_t)s->body;
    task->flags = (uint16_t)s->flags;
    task->n_in = s->n_after;
    task->n_succ = task->succ = task->watch = 0;
    task->args_at = s->arg_bytes <= HD_INLINE_ARGS ? 0u : r->child_args_at + s->slot * r->child_args;
    task->arg_bytes = s->arg_bytes;
    task->cost_ns = s->n_blocks;
    task->links.waiters = task->links.next = task->links.parent = task->links.ends_for = HD_NONE;
    task->links.pinned = HD_NONE;
    HD_STORE(hd_blocks_next(task), 0u, RELAXED, DEV);
    HD_STORE(hd_blocks_open(task), s->n_blocks + 1u, RELAXED, DEV);
    HD_STORE(&task->links.done_word, s->generation << HD_DONE_WORD_BITS, RELAXED, DEV);
    return (void *)(uintptr_t)hd_args_at(r, task);
}

/* The same with all that it names. A task may have been cancelled when it had ended, so its slot's fate is cleared once more. */
HD_FN void hd_send_write(const hd_run *r, const hd_sent *s)
{
    void *args = hd_send_record(r, s);
    if (s->arg_bytes)
        __builtin_memcpy(args, s->args, s->arg_bytes);
    if (s->n_after)
        __builtin_memcpy(r->after[s->slot].handle, s->after, s->n_after * sizeof *s->after);
    hd_fate_clear(r, r->n_tasks + s->slot);
}

/* Hands on a task, or leaves it to the tasks that it waits for, or to the thread that releases it. */
HD_FN void hd_send(const hd_run *r, const hd_sent *s)
{
    const uint32_t t = r->n_tasks + s->slot;
    if (s->held != HD_RELEASED)
        hd_send_write(r, s);
    if (s->held == HD_HELD || (s->n_after && hd_wait_on(r, t)))
        return;
    if (s->flags & HD_TASK_URGENT)
        hd_urgent_put(r, t);
    hd_ticket_place(r, 1u, s->flags & HD_TASK_URGENT ? HD_PLACE_URGENT - 1u : t);
}

#endif
