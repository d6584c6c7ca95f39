/* SPDX-License-Identifier: MIT */
/* core/serving.h - what a team of a pool on a GPU must know of its task, and how it runs one. nvcc only.
 *
 * The scheduling warp of a block fills it in, in block-shared memory, and then lets the team begin: one at a time (core/serve.h), or
 * one for each of the block's teams (core/crew.h). */
#ifndef HEDDLE_CORE_SERVING_H
#define HEDDLE_CORE_SERVING_H

#include "heddle/core/copy.h"
#include "heddle/core/send.h"
#include "heddle/core/stamp.h"

typedef struct hd_serving {
    hd_fail *fate;
    hd_stamp_words *stamp; /* of the host's task, or NULL: nobody wants to know when it runs */
    const hd_copy *copies;
    uint8_t *stage;      /* memory for them */
    uint64_t begin;      /* of a body with a stamp */
    uint32_t name, skip; /* skip: the body must not run */
    uint32_t team, barrier, block, n_blocks, n_copies;
} hd_serving;

/* One lane: of task t, which ends with `owner`. team_size: if the task does not say. Stage and barrier are left as they are. */
static __device__ __forceinline__ void hd_serving_fill(const hd_run *r, hd_serving *v, const hd_task *record,
                                                       uint32_t t, uint32_t owner, uint32_t team_size)
{
    const uint32_t team = (uint32_t)record->flags >> HD_TASK_TEAM;
    v->name = hd_is_hosts(r, owner) ? owner - r->n_tasks : HD_NONE;
    v->fate = hd_fate_of(r, owner);
    v->stamp = hd_stamp_at(r, v->name);
    v->skip = 0;
    v->team = team ? 32u * team : team_size;
    v->block = 0;
    v->n_blocks = 1;
    v->n_copies = 0;
    if (!hd_is_hosts(r, t))
        return;
    v->n_blocks = record->cost_ns;
    v->n_copies = hd_n_copies(record->flags);
    v->copies = r->pool->copies + (uint64_t)(t - r->n_tasks) * r->pool->most_copies;
}

static __device__ __forceinline__ void hd_serving_thread(const hd_serving *v, heddle_thread *thread)
{
    thread->task = v->name;
    thread->team_size = v->team;
    thread->fail = v->fate;
    thread->block = v->block;
    thread->n_blocks = v->n_blocks;
    thread->barrier = v->barrier;
}

/* All threads of the team. */
template <typename Bodies>
static __device__ __forceinline__ void hd_serving_run(const hd_run &r, hd_serving *v, const hd_task *record,
                                                      const heddle_thread *thread)
{
    const void *args = hd_args_at(&r, record);
    if (v->n_copies)
        hd_copies_in(v->copies, v->n_copies, v->stage, (void *)(uintptr_t)args, thread);
    if (v->stamp && thread->index == 0)
        v->begin = hd_clock();
    Bodies()(thread, record->body, r.params, args);
    if (v->stamp) { /* it has ended on all threads */
        hd_team_meet(thread);
        if (thread->index == 0)
            hd_stamp_add(v->stamp, v->begin);
    }
    if (v->n_copies)
        hd_copies_out(v->copies, v->n_copies, v->stage, thread);
}

#endif
