/* SPDX-License-Identifier: MIT */
/* core/spawn_buffer.h - tasks that make tasks: what the threads of a body do. The worker's part is core/spawn.h.
 *
 * A worker that runs a body which may spawn has a spawn buffer: free slots of the arena, reserved before the body began, and a
 * mark for each. Any thread may spawn, several at once. Each takes the next slot by one addition, writes the record, and marks
 * it. The worker hands on marked tasks. On a GPU a warp of its own does so while the body still runs (core/resident.h).
 *
 * A task with several predecessors waits for them one after another: it is in the list of one of them at a time. The worker
 * that ends that one moves the task on to the next that has not ended. So a task needs one link, however many it waits for.
 *
 * The done word of a task is one word: the generation of its slot, and five bits. A handle names slot and generation. Lists
 * of waiters are changed under the done word's lock, which is held for two writes. The lock of a generation that is over
 * cannot be taken: the end of a task closes its list in the same store that marks it as ended. A task for which nobody waits ends
 * by one compare-and-swap, without the lock.
 *
 * A slot with a handle stays until the task has ended and its spawner has, too. Other slots are free as soon as their task has
 * ended, and their done words are not used. */
#ifndef HEDDLE_CORE_SPAWN_BUFFER_H
#define HEDDLE_CORE_SPAWN_BUFFER_H

#include "heddle/core/pool.h"
#include "heddle/core/rects.h"

#define HD_MAX_CHILDREN 256u
#define HD_MAX_AFTER 15u
#define HD_SIBLINGS 128u /* ranges of children that a spawn buffer remembers                                */
#define HD_EXTRA 20u     /* extra slots beside those for children, at most (hd_extra_of)              */

#ifndef HD_BATCH     /* the model test has a smaller one */
#define HD_BATCH 32u /* slots that pass between a worker and the depot at once */
#endif

#define HD_DONE_WORD_LOCK 1u
#define HD_DONE_WORD_ENDED 2u
#define HD_DONE_WORD_RELEASED 4u /* its spawner has ended                                                */
#define HD_DONE_WORD_WRONG 8u    /* in a pool: it has ended, but not well                                */
#define HD_DONE_WORD_AWAITED 16u /* its list of waiters is not empty                                     */
#define HD_DONE_WORD_BITS 5u
HD_STATIC_ASSERT(HD_DONE_WORD_BITS == HD_TOLD_BITS, "a slot has one generation");

/* How a body misused spawning: the code of a run that ends with HD_STOP_SPAWN. */
#define HD_SPAWN_NOWHERE 1u  /* the run has no workers                                              */
#define HD_SPAWN_TOO_MANY 2u /* more children than it declares                                      */
#define HD_SPAWN_BODY 3u     /* no such body, or not the size of its record                         */
#define HD_SPAWN_AFTER 4u    /* too many predecessors                                               */
#define HD_SPAWN_STALE 5u    /* a handle of a slot that was given to another task, or no handle      */
#define HD_SPAWN_LATE 6u     /* a continuation after the first child                                */
#define HD_SPAWN_TWICE 7u    /* a second continuation                                               */
#define HD_SPAWN_RANGE 8u    /* not a valid range                                                   */
#define HD_SPAWN_NULL 9u     /* NULL with a count of bytes, handles or ranges above 0               */

/* hd_spawn_buffer.out: 0 = not there yet. */
#define HD_OUT_READY 1u
#define HD_OUT_WAITS 2u /* waits for others: the worker counts it, then puts it into a list of waiters */
#define HD_OUT_FORK 3u  /* a continuation: the end of the last task that it waits for hands it on    */
#define HD_OUT_URGENT 0x80000000u

/* hd_spawn_links.open of a continuation until the body that made it has ended: above the most children. */
#define HD_OPEN_BODY 0x10000u

#define HD_CHILD_HEAD 48u /* bytes of a record, up to links.pinned */
HD_STATIC_ASSERT(__builtin_offsetof(hd_task, links.pinned) == HD_CHILD_HEAD, "what is written at once ends there");

HD_STATIC_ASSERT(2u + (HD_MAX_CHILDREN + 14u) / HD_MAX_AFTER <= HD_EXTRA,
                 "there is room for the extra slots of any body");

typedef struct hd_after {
    uint64_t handle[HD_MAX_AFTER + 1u];
} hd_after;

/* A range of a child, remembered for comparison with those of later children. */
typedef struct hd_sibling {
    hd_span span;
    uint32_t writes, task;
} hd_sibling;

typedef struct hd_spawn_buffer {
    const hd_run *run;
    uint32_t worker;
    const uint32_t *free;        /* end of the worker's free slots: free[-1 - k] is for spawn k                 */
    uint32_t n_room;             /* children that this body may have                                        */
    uint32_t n_spawned, n_extra; /* children and extra slots so far                                      */
    uint32_t n_out, n_out_extra; /* worker: handed on, of these                                          */
    uint32_t fork;               /* its continuation, or HD_NONE                                            */
    uint32_t pinned;             /* its children with handles                                               */
    uint32_t n_siblings, serial; /* ranges remembered; the task that all further children wait for, + 1     */
    uint32_t flags;              /* in a pool: its children's epoch and team (HD_TASK_ODD, HD_TASK_TEAM)    */
    void (*post)(
        struct hd_spawn_buffer *spawn_buffer); /* on a thread: hands on marked tasks; else NULL                    */
    uint32_t out[HD_MAX_CHILDREN + HD_EXTRA];
} hd_spawn_buffer;

/* Extra slots for n children: a continuation, and joins for 15 children each, chained. */
HD_FN uint32_t hd_extra_of(uint32_t n_children) { return n_children ? 2u + (n_children + 14u) / HD_MAX_AFTER : 0u; }

HD_FN hd_task *hd_child_at(const hd_run *r, uint32_t t) { return (hd_task *)(uintptr_t)(r->tasks + t); }
HD_FN hd_spawn_links *hd_spawn_links_at(const hd_run *r, uint32_t t) { return &hd_child_at(r, t)->links; }
HD_FN int hd_is_spawned(const hd_run *r, uint32_t t) { return t >= r->n_tasks; }

/* Ends the run because this body misused spawning. */
HD_FN void hd_misuse(const heddle_thread *thread, uint32_t why)
{
    if (thread->failed)
        *thread->failed = 1u;
    if (!HD_CAS(&thread->fail->code, 0u, why, RELAXED, DEV))
        return;
    HD_STORE(&thread->fail->task, thread->task, RELAXED, DEV);
    (void)hd_stop(thread->fail, HD_STOP_SPAWN);
}

/* ---- done words ---- */

/* Locks a task's done word if it still has that generation and has not ended. Returns the done word as it was,
 * unlocked; *state: 1 locked, 0 ended, HD_NONE another generation. */
HD_FN uint32_t hd_done_word_lock(hd_spawn_links *k, uint32_t generation, uint32_t *state)
{
    uint32_t n = 0;
    for (;;) {
        uint32_t v = HD_LOAD(&k->done_word, ACQUIRE, DEV);
        *state = v >> HD_DONE_WORD_BITS != generation ? HD_NONE : v & HD_DONE_WORD_ENDED ? 0u : 1u;
        if (*state != 1u)
            return v;
        if (!(v & HD_DONE_WORD_LOCK) && HD_CAS(&k->done_word, v, v | HD_DONE_WORD_LOCK, ACQUIRE, DEV))
            return v;
        HD_PAUSE(n++);
    }
}

HD_FN int hd_is_handle(const hd_run *r, uint64_t handle)
{
    return (uint32_t)handle >= r->n_tasks && (uint32_t)handle - r->n_tasks < r->n_arena;
}

/* 1: task t now waits for the one that the handle names. 0: that has ended, and what it wrote is acquired. HD_NONE: its
 * slot has another generation. If that one has gone wrong, so does t. */
HD_FN uint32_t hd_wait_for(const hd_run *r, uint32_t t, uint64_t handle)
{
    hd_spawn_links *k = hd_spawn_links_at(r, (uint32_t)handle);
    uint32_t state, v = hd_done_word_lock(k, (uint32_t)(handle >> 32), &state);
    if (state == 0u && hd_pool_of(r) && v & HD_DONE_WORD_WRONG)
        hd_fate_cancel(r, t);
    if (state != 1u)
        return state;
    hd_spawn_links_at(r, t)->next = k->waiters;
    k->waiters = t;
    HD_STORE(&k->done_word, v | HD_DONE_WORD_AWAITED, RELEASE, DEV);
    return 1;
}

/* 1: task t now waits for its next predecessor that has not ended. 0: there is none, so t is ready. If a slot has
 * another generation by now, its task has ended, too: handles were checked when t was spawned. */
HD_FN int hd_wait_on(const hd_run *r, uint32_t t)
{
    hd_task *task = hd_child_at(r, t);
    while (task->succ < task->n_in) {
        uint32_t at = task->succ++; /* before it stands in a list: from there on others may move it on */
        if (hd_wait_for(r, t, r->after[t - r->n_tasks].handle[at]) == 1u)
            return 1;
    }
    return 0;
}

/* ---- spawning a child ---- */

/* The index of a slot for one more child, or of an extra slot; HD_NONE: the body has used all of its slots. */
HD_FN uint32_t hd_spawn_buffer_slot(const heddle_thread *thread, int extra)
{
    hd_spawn_buffer *d = thread->spawn_buffer;
    uint32_t k, *n = extra ? &d->n_extra : &d->n_spawned;
    if (thread->team_size == 1u)
        k = (*n)++;
    else
        k = HD_ADD(n, 1u, RELAXED, BLOCK);
    if (k < (extra ? hd_extra_of(d->n_room) : d->n_room))
        return extra ? d->n_room + k : k;
    hd_misuse(thread, HD_SPAWN_TOO_MANY);
    return HD_NONE;
}

HD_FN uint32_t hd_spawn_buffer_task(const hd_spawn_buffer *d, uint32_t k) { return d->free[-1 - (int32_t)k]; }

/* Writes the record of task t, complete but for what it waits for. */
HD_FN hd_task *hd_child_write(const hd_spawn_buffer *d, uint32_t t, uint32_t body, const void *args, uint32_t arg_bytes,
                              uint32_t flags)
{
    const hd_run *r = d->run;
    hd_task *c = hd_child_at(r, t), copy, *head = HD_HOSTED ? c : &copy;
    void *to = c->args;
    head->body = (uint16_t)body;
    head->flags = (uint16_t)(flags | d->flags);
    head->n_in = head->n_succ = head->succ = head->args_at = head->watch = head->cost_ns = 0;
    head->arg_bytes = arg_bytes;
    head->links.waiters = head->links.next = head->links.ends_for = HD_NONE;
    head->links.parent = d->fork;
    if (arg_bytes > HD_INLINE_ARGS) {
        head->args_at = r->child_args_at + (t - r->n_tasks) * r->child_args;
        to = (void *)(uintptr_t)(r->args + (uint64_t)head->args_at * 16u);
    }
    if (!HD_HOSTED) /* three stores; race detectors do not see a copy as one */
        __builtin_memcpy(__builtin_assume_aligned((void *)c, 16), &copy, HD_CHILD_HEAD);
    c->links.pinned = HD_NONE;
    if (arg_bytes)
        __builtin_memcpy(__builtin_assume_aligned(to, 16), args, arg_bytes);
    return c;
}

HD_FN void hd_spawn_buffer_mark(const heddle_thread *thread, uint32_t k, uint32_t what)
{
    hd_spawn_buffer *d = thread->spawn_buffer;
    HD_STORE(&d->out[k], what, RELEASE, BLOCK);
    if (HD_HOSTED && d->post)
        d->post(d);
}

/* 0: p is NULL although n bytes, handles or ranges are to be there; ends the run. */
HD_FN int hd_spawn_is_told(const heddle_thread *thread, const void *p, uint32_t n)
{
    if (p || !n)
        return 1;
    hd_misuse(thread, HD_SPAWN_NULL);
    return 0;
}

/* The next spawn's index, after checks of the body and its record's size. */
HD_FN uint32_t hd_spawn_buffer_begin(const heddle_thread *thread, uint32_t body, const void *args, uint32_t arg_bytes,
                                     int extra)
{
    const hd_spawn_buffer *d = thread->spawn_buffer;
    if (!d) {
        hd_misuse(thread, HD_SPAWN_NOWHERE);
        return HD_NONE;
    }
    if (body != HD_BODY_JOIN && (body >= d->run->n_bodies || d->run->bodies[2u * body] != arg_bytes)) {
        hd_misuse(thread, HD_SPAWN_BODY);
        return HD_NONE;
    }
    if (!hd_spawn_is_told(thread, args, arg_bytes))
        return HD_NONE;
    return hd_spawn_buffer_slot(thread, extra);
}

/* The handle of a task with a pinned slot. */
HD_FN uint64_t hd_handle_of(const hd_run *r, uint32_t t)
{
    return (uint64_t)(HD_LOAD(&hd_spawn_links_at(r, t)->done_word, RELAXED, DEV) >> HD_DONE_WORD_BITS) << 32 | t;
}

/* Makes a handle of task t, which has been written and not yet handed on; its spawner unpins it. */
HD_FN uint64_t hd_spawn_buffer_pin(hd_spawn_buffer *d, uint32_t t)
{
    hd_task *c = hd_child_at(d->run, t);
    c->flags = (uint16_t)(c->flags | HD_TASK_PINNED);
    c->links.pinned_next = d->pinned;
    d->pinned = t;
    return hd_handle_of(d->run, t);
}

/* Marks spawn k. It waits for the n checked handles in r->after of its slot. No worker can move it on before its own
 * worker has counted it, or the run could end without it. */
HD_FN void hd_spawn_buffer_end(const heddle_thread *thread, uint32_t k, uint32_t n_after, int urgent)
{
    hd_spawn_buffer *d = thread->spawn_buffer;
    if (n_after)
        hd_child_at(d->run, hd_spawn_buffer_task(d, k))->n_in = n_after;
    hd_spawn_buffer_mark(thread, k, (n_after ? HD_OUT_WAITS : HD_OUT_READY) | (urgent ? HD_OUT_URGENT : 0u));
}

/* Does the handle name a task that is still there? */
HD_FN int hd_is_fresh(const hd_run *r, uint64_t handle)
{
    return hd_is_handle(r, handle) &&
           HD_LOAD(&hd_spawn_links_at(r, (uint32_t)handle)->done_word, RELAXED, DEV) >> HD_DONE_WORD_BITS ==
               handle >> 32;
}

/* Copies the handles into the slot's list. 0, and the run ends: one of them is stale, or they are NULL or too many. */
HD_FN int hd_spawn_buffer_after(const heddle_thread *thread, uint32_t t, const uint64_t *after, uint32_t n)
{
    const hd_run *r = thread->spawn_buffer->run;
    uint32_t i;
    if (!hd_spawn_is_told(thread, after, n))
        return 0;
    if (n > HD_MAX_AFTER) {
        hd_misuse(thread, HD_SPAWN_AFTER);
        return 0;
    }
    for (i = 0; i < n; i++) {
        if (!hd_is_fresh(r, after[i])) {
            hd_misuse(thread, HD_SPAWN_STALE);
            return 0;
        }
        r->after[t - r->n_tasks].handle[i] = after[i];
    }
    hd_child_at(r, t)->n_in = n;
    return 1;
}

/* Makes a continuation: it waits for all that is spawned from now on. */
HD_FN void hd_spawn_buffer_fork(const heddle_thread *thread, uint32_t body, const void *args, uint32_t arg_bytes)
{
    hd_spawn_buffer *d = thread->spawn_buffer;
    uint32_t k = hd_spawn_buffer_begin(thread, body, args, arg_bytes, 1), t;
    if (k == HD_NONE)
        return;
    t = hd_spawn_buffer_task(d, k);
    if (d->fork != HD_NONE || d->n_spawned) {
        hd_misuse(thread, d->fork != HD_NONE ? HD_SPAWN_TWICE : HD_SPAWN_LATE);
        return;
    }
    (void)hd_child_write(d, t, body, args, arg_bytes, 0);
    HD_STORE(&hd_spawn_links_at(d->run, t)->open, HD_OPEN_BODY, RELAXED, DEV);
    HD_STORE(&d->out[k], HD_OUT_FORK, RELAXED, BLOCK);
    d->fork = t;
}

#endif
