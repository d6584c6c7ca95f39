/* SPDX-License-Identifier: MIT */
/* core/serve.h - the persistent kernel of a pool: each block is a worker; the last ones begin as couriers (core/courier.h). nvcc only.
 *
 * A worker has several teams (core/crew.h), or one. Of one, the blocks are those of core/resident.h: a team that runs bodies, and one more warp that schedules. What a pool adds is per task:
 * a team of its own size, its own fate in place of the run's stop word, and blocks. A task that has gone wrong before it began is
 * not run. A task of several blocks is run by several workers: each takes blocks until none is left, and hands the task on when
 * others wait. */
#ifndef HEDDLE_CORE_SERVE_H
#define HEDDLE_CORE_SERVE_H

#include "heddle/core/crew.h"
#include "heddle/core/resident.h"

/* ---- the team --------------------------------------------------------------------------------- */

template <typename Bodies>
static __device__ __forceinline__ void hd_serve_team(const hd_run &r, hd_block *b, hd_serving *v, void *arena,
                                                     hd_spawn_buffer *spawn_buffer)
{
    heddle_thread thread = hd_block_thread(nullptr, arena, 0, blockIdx.x);
    uint32_t i;
    thread.spawn_buffer = spawn_buffer;
#pragma unroll 1
    for (i = 1;; i++) {
        hd_bar_block();
        const uint32_t at = b->at;
        if (at == HD_NONE)
            break;
        const hd_task *record = &b->record[0][at];
        hd_serving_thread(v, &thread);
        if (threadIdx.x < v->team && !v->skip)
            hd_serving_run<Bodies>(r, v, record, &thread);
        if (threadIdx.x == 0)
            hd_mark(&b->ended, i);
        hd_bar_block();
    }
}

/* ---- the scheduling warp ------------------------------------------------------------------------- */

/* Another worker shall help with the blocks of this task, if one waits for work. */
static __device__ __forceinline__ void hd_serve_share(const hd_run *r, hd_worker *w, hd_task *task, uint32_t t)
{
    hd_ticket_see(r, w);
    if ((int32_t)hd_shuffle((uint32_t)w->by.ticket.waiting, 0) <= 0)
        return;
    if ((threadIdx.x & 31u) == 0)
        hd_blocks_share(task);
    hd_ticket_place(r, 1u, t);
}

/* All scheduling lanes: lets the team run one body, the i-th of this block. */
static __device__ __forceinline__ void hd_serve_body(const hd_run *r, hd_block *b, hd_spawn_buffer *d, hd_turn *x,
                                                     uint32_t i)
{
    hd_bar_block();
    hd_block_attend<1>(r, b, d, x, i, HD_DISPATCH_TICKET);
    hd_bar_block();
}

/* All scheduling lanes: runs blocks of x's task until none is left. *i: bodies so far. 1: the task has ended. */
static __device__ __forceinline__ int hd_serve_blocks(const hd_run *r, hd_block *b, hd_serving *v, hd_spawn_buffer *d,
                                                      hd_turn *x, uint32_t *i)
{
    hd_task *task = hd_child_at(r, x->task);
    const uint32_t lane = threadIdx.x & 31u, n = v->n_blocks;
    uint32_t k, ended = 0;
    for (;;) {
        k = hd_shuffle(lane == 0 ? hd_blocks_take(task) : 0u, 0);
        if (k == HD_NONE)
            break;
        if (k + 1u < n)
            hd_serve_share(r, &b->worker, task, x->task);
        if (lane == 0) {
            v->block = k;
            v->skip = hd_went_wrong(r, x->task) != 0u;
        }
        hd_serve_body(r, b, d, x, ++*i);
        if (lane == 0)
            (void)hd_blocks_close(task);
    }
    if (lane == 0)
        ended = (uint32_t)hd_blocks_close(task);
    return (int)hd_shuffle(ended, 0);
}

/* Lane 0: what the team must know of x's task. */
static __device__ __forceinline__ void hd_serve_tell(const hd_run *r, hd_block *b, hd_serving *v, const hd_turn *x,
                                                     uint32_t team_size)
{
    const uint32_t ends_for = x->record->links.ends_for, owner = ends_for != HD_NONE ? ends_for : x->task;
    hd_serving_fill(r, v, x->record, x->task, owner, team_size);
    v->skip = x->wrong || x->record->body == HD_BODY_JOIN || (owner != x->task && hd_went_wrong(r, owner));
    b->at = x->at;
    b->name = v->name;
}

static __device__ __forceinline__ void hd_serve_schedule(const hd_run &params, hd_block *b, hd_serving *v,
                                                         hd_spawn_buffer_if<1> *own, uint32_t team_size)
{
    const hd_run *r = own->run_of(own, params);
    hd_spawn_buffer *d = own->of(own);
    hd_worker *w = &b->worker;
    hd_turn x = hd_turn_begin();
    uint32_t i = 0;
    int ended;
    x.record = b->record[0];
    hd_store_move(r, w, own, 0);
    (void)hd_room(r, w, 0); /* the reserve */
#pragma unroll 1
    while (hd_next(r, w, &x, HD_DISPATCH_TICKET, 1)) {
        if ((threadIdx.x & 31u) == 0) {
            hd_spawn_buffer_open(r, w, d, hd_children_of(r, x.record->body), x.record->flags);
            hd_serve_tell(r, b, v, &x, team_size);
        }
        __syncwarp();
        hd_ahead(r, w, &x, 1);
        ended = 1;
        if (v->n_blocks > 1u)
            ended = hd_serve_blocks(r, b, v, d, &x, &i);
        else
            hd_serve_body(r, b, d, &x, ++i);
        if (ended)
            hd_end_turn(r, w, &x, d, HD_DISPATCH_TICKET, 1);
    }
    if ((threadIdx.x & 31u) == 0)
        b->at = HD_NONE;
    hd_bar_block();
    hd_store_move(r, w, own, 1);
    if ((threadIdx.x & 31u) == 0)
        hd_block_leave(*r, w->run, hd_worker_end(r, w, &x));
}

/* All threads. */
template <typename Bodies>
static __device__ __forceinline__ void hd_serve(const hd_run &r, const hd_wire &wire, uint8_t *arena)
{
    HD_BLOCK_SHARED(hd_block, b);
    HD_BLOCK_SHARED(hd_spawn_buffer_if<1>, own);
    HD_BLOCK_SHARED(hd_serving, serving);
    HD_BLOCK_SHARED(hd_pool, pool);
    const uint32_t team_size = blockDim.x - 32u;
    hd_spawn_buffer_begin_all(r, &own);
    if (threadIdx.x == 0) {
        b.ended = b.failed = 0;
        hd_worker_begin(&r, &b.worker, blockIdx.x);
        hd_block_came(r, b.worker.run);
        pool = *r.pool;
        serving.stage = pool.stage + (uint64_t)blockIdx.x * pool.stage_bytes;
        serving.barrier = 1;
        own.run.pool = &pool; /* the scheduling warp's copy of the run names a copy of the pool's words */
    }
    __syncthreads();
    hd_couriers_serve(r, wire);
    if (threadIdx.x < team_size)
        hd_serve_team<Bodies>(r, hd_where(&b), hd_where(&serving), arena, own.of(hd_where(&own)));
    else
        hd_serve_schedule(r, hd_where(&b), hd_where(&serving), hd_where(&own), team_size);
}

template <typename Bodies>
__global__ void __launch_bounds__(Bodies::pool_threads, Bodies::pool_blocks)
    hd_pool_workers(const __grid_constant__ hd_run r, const __grid_constant__ hd_wire wire)
{
    HD_BLOCK_ARENA(hd_arena);
    if constexpr (Bodies::pool_warps != 0) {
        HD_BLOCK_SHARED(hd_crew, crew);
        hd_crew_serve<Bodies>(r, wire, hd_where(&crew), hd_arena);
    } else {
        hd_serve<Bodies>(r, wire, hd_arena);
    }
}

#endif
