/* SPDX-License-Identifier: MIT */
/* core/resident.h - the persistent kernel of the dynamic dispatches: each block is a worker to the end. nvcc only.
 *
 * The team of a block runs bodies; one more warp schedules. All threads meet at a barrier twice for each task:
 *
 *     scheduling warp                             team
 *     hd_next: the next task, its record  ----+
 *     barrier                                 +-- barrier
 *     hd_ahead; what the body spawns      ----+   the body
 *     barrier                                 +-- barrier
 *     hd_end_turn
 *
 * So the loop is that of core/turn.h and nothing else; hd_ahead prepares the task's end while the body runs. */
#ifndef HEDDLE_CORE_RESIDENT_H
#define HEDDLE_CORE_RESIDENT_H

#include "heddle/core/notes.h"
#include "heddle/core/turn.h"

#define HD_COPY_BODIES 32u /* for a larger table, each look costs a memory access */
#define HD_LONG_POLLS 512u /* some ten microseconds */
#define HD_SHARE_POLLS 32u /* polls, while the block runs a body, between two looks at waiting workers */

/* Only where bodies spawn: the spawn buffer, the store of free slots, and a copy of the run. Kernel parameters are
 * cheap by name (constant bank) but cost a memory access through a pointer, the only way for bodies and calls. */
template <int SPAWNS> struct hd_spawn_buffer_if {
    hd_spawn_buffer spawn_buffer;
    hd_run run;
    uint32_t bodies[2u * HD_COPY_BODIES];
    uint32_t store[HD_STORE_MAX];
    static __device__ __forceinline__ hd_spawn_buffer *of(hd_spawn_buffer_if *d) { return &d->spawn_buffer; }
    static __device__ __forceinline__ const hd_run *run_of(hd_spawn_buffer_if *d, const hd_run &) { return &d->run; }
};
template <> struct hd_spawn_buffer_if<0> {
    static __device__ __forceinline__ hd_spawn_buffer *of(hd_spawn_buffer_if *) { return nullptr; }
    static __device__ __forceinline__ const hd_run *run_of(hd_spawn_buffer_if *, const hd_run &r) { return &r; }
};

/* All threads: prepares the spawn buffer for the block's first body; they meet before any of them uses it. */
template <int SPAWNS>
static __device__ __forceinline__ void hd_spawn_buffer_begin_all(const hd_run &r, hd_spawn_buffer_if<SPAWNS> *d)
{
    const uint32_t *from = (const uint32_t *)&r, n_bodies = r.n_bodies < HD_COPY_BODIES ? r.n_bodies : HD_COPY_BODIES;
    uint32_t *to = (uint32_t *)&d->run, i;
    for (i = threadIdx.x; i < HD_MAX_CHILDREN + HD_EXTRA; i += blockDim.x)
        d->spawn_buffer.out[i] = 0;
    for (i = threadIdx.x; i < sizeof(hd_run) / 4u; i += blockDim.x)
        to[i] = from[i];
    for (i = threadIdx.x; i < 2u * n_bodies; i += blockDim.x)
        d->bodies[i] = r.bodies[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        d->spawn_buffer.run = &d->run;
        if (r.n_bodies <= HD_COPY_BODIES)
            d->run.bodies = d->bodies;
    }
}

/* The scheduling warp: a worker's free slots are in device memory between runs, in shared memory during one. */
template <int SPAWNS>
static __device__ __forceinline__ void hd_store_move(const hd_run *r, hd_worker *w, hd_spawn_buffer_if<SPAWNS> *d,
                                                     int end)
{
    uint32_t *far = r->store + (uint64_t)w->id * r->n_store + 1, i;
    for (i = threadIdx.x & 31u; i < w->n_free; i += 32u)
        if (end)
            far[i] = d->store[i];
        else
            d->store[i] = far[i];
    __syncwarp();
    if ((threadIdx.x & 31u) == 0)
        w->free = end ? far : d->store;
    __syncwarp();
}

/* ---- the team --------------------------------------------------------------------------------- */

template <typename Bodies, uint32_t DISPATCH, int TRACE>
static __device__ __forceinline__ void hd_block_team(const hd_run &r, hd_block *b, void *arena, uint32_t team_size,
                                                     hd_spawn_buffer *spawn_buffer)
{
    heddle_thread thread = hd_block_thread(&r.control->fail, arena, team_size, blockIdx.x);
    uint32_t i;
    thread.failed = &b->failed;
    thread.spawn_buffer = spawn_buffer;
    thread.in_order = DISPATCH == HD_DISPATCH_ORDER;
    hd_notes notes = hd_notes_for(r.events + (uint64_t)blockIdx.x * r.n_trace, r.n_trace, &b->worker.tally);
    if (TRACE == HD_TRACE_BANDS && (threadIdx.x & 31u) == 0)
        thread.notes = &notes;
#pragma unroll 1
    for (i = 1;; i++) {
        hd_bar_block();
        const uint32_t at = b->at;
        if (at == HD_NONE)
            break;
        const hd_task *record = &b->record[0][at];
        thread.task = b->name;
        if (TRACE && threadIdx.x == 0)
            b->begin = hd_clock();
        if (record->body != HD_BODY_JOIN)
            Bodies()(&thread, record->body, r.params, hd_args_at(&r, record));
        if (TRACE)
            hd_bar_team(team_size);
        if (threadIdx.x == 0) {
            if (TRACE)
                b->end = hd_clock();
            hd_mark(&b->ended, i);
        }
        hd_bar_block();
    }
}

/* ---- the scheduling warp ------------------------------------------------------------------------- */

/* All scheduling lanes, while the i-th body runs: hands on what it spawns and shares with waiting workers. A body that
 * runs for long is reported to the host. */
template <int SPAWNS>
static __device__ __forceinline__ void hd_block_attend(const hd_run *r, hd_block *b, hd_spawn_buffer *d, hd_turn *x,
                                                       uint32_t i, uint32_t dispatch)
{
    uint32_t polls;
    if (!SPAWNS && !r->now)
        return;
#pragma unroll 1
    for (polls = 0; !__any_sync(0xffffffffu, hd_word(&b->ended) == i); polls++) {
        if (SPAWNS)
            hd_spawn_buffer_drain(r, &b->worker, x, d, dispatch);
        if (SPAWNS && dispatch == HD_DISPATCH_TICKET && polls % HD_SHARE_POLLS == 2u)
            hd_ticket_share(r, &b->worker, 0);
        if (polls == HD_LONG_POLLS && (threadIdx.x & 31u) == 0)
            hd_now_task(*r, b->name);
        if (dispatch == HD_DISPATCH_ORDER && polls > HD_LONG_POLLS)
            HD_PAUSE(polls); /* bands take long, and their warps need the issue slots */
        else
            hd_word_pause(polls);
    }
    if (polls > HD_LONG_POLLS && (threadIdx.x & 31u) == 0)
        hd_now_task(*r, HD_NONE);
}

template <uint32_t DISPATCH, int TRACE, int SPAWNS>
static __device__ __forceinline__ void hd_block_schedule(const hd_run &params, hd_block *b,
                                                         hd_spawn_buffer_if<SPAWNS> *shared_copy)
{
    const hd_run *r = shared_copy->run_of(shared_copy, params);
    hd_spawn_buffer *d = shared_copy->of(shared_copy);
    hd_worker *w = &b->worker;
    hd_turn x = hd_turn_begin();
    hd_event *ev = nullptr;
    uint32_t n_noted = 0;
    x.record = b->record[0];
    uint32_t i;
    if constexpr (SPAWNS != 0) {
        hd_store_move(r, w, shared_copy, 0);
        (void)hd_room(r, w, 0); /* the reserve */
    }
#pragma unroll 1
    for (i = 1; hd_next(r, w, &x, DISPATCH, SPAWNS); i++) {
        if ((threadIdx.x & 31u) == 0) {
            if (SPAWNS)
                hd_spawn_buffer_open(r, w, d, hd_children_of(r, x.record->body), x.record->flags);
            b->at = x.at;
            b->name = SPAWNS ? hd_name_of(r, &x) : x.task;
        }
        hd_bar_block();
        hd_ahead(r, w, &x, SPAWNS);
        hd_block_attend<SPAWNS>(r, b, d, &x, i, DISPATCH);
        hd_bar_block();
        if (b->failed)
            break;
        if (TRACE && x.body != HD_BODY_JOIN && (threadIdx.x & 31u) == 0)
            if (TRACE != HD_TRACE_BANDS || hd_n_noted(&w->tally) == n_noted) /* else its bands have noted themselves */
                ev = hd_trace_task(r, w, b->name, b->begin, b->end);
        hd_end_turn(r, w, &x, d, DISPATCH, SPAWNS);
        if (TRACE && (threadIdx.x & 31u) == 0) {
            hd_trace_turn(w, ev, b->end);
            ev = nullptr;
            n_noted = hd_n_noted(&w->tally);
        }
    }
    if ((threadIdx.x & 31u) == 0)
        b->at = HD_NONE;
    hd_bar_block();
    if constexpr (SPAWNS != 0)
        hd_store_move(r, w, shared_copy, 1);
    if ((threadIdx.x & 31u) == 0)
        hd_block_leave(*r, w->run, hd_worker_end(r, w, &x));
}

#if defined(HEDDLE_BASELINES)
/* Dispatch scheduler: the block that schedules for all others. */
static __device__ __forceinline__ void hd_schedule_for_all(const hd_run &r, hd_scheduler *s)
{
    uint32_t said, n = 0;
    hd_sched_begin(&r, s);
    while ((said = hd_sched_round(&r, s)) != HD_ROUND_OVER) {
        n = said == HD_ROUND_IDLE ? n + 1u : 0u;
        if (n > 64u && r.polite)
            HD_YIELD(n);
    }
    if (threadIdx.x == 0)
        hd_block_leave(r, s->run, hd_leave(&r));
}
#endif

template <typename Bodies, uint32_t DISPATCH, int TRACE> __global__ void hd_persistent(const __grid_constant__ hd_run r)
{
    HD_BLOCK_ARENA(hd_arena);
    HD_BLOCK_SHARED(hd_block, b);
    HD_BLOCK_SHARED(hd_spawn_buffer_if<Bodies::spawns>, spawn_buffer);
    const uint32_t team_size = blockDim.x - 32u;
#if defined(HEDDLE_BASELINES)
    if constexpr (DISPATCH == HD_DISPATCH_SCHEDULER) {
        HD_BLOCK_SHARED(hd_scheduler, scheduler);
        if (blockIdx.x == r.n_workers) {
            hd_schedule_for_all(r, &scheduler);
            return;
        }
    }
#endif
    if constexpr (Bodies::spawns != 0)
        hd_spawn_buffer_begin_all(r, &spawn_buffer);
    if (threadIdx.x == 0) {
        b.ended = b.failed = 0;
        hd_worker_begin(&r, &b.worker, blockIdx.x);
        hd_block_came(r, b.worker.run);
    }
    __syncthreads();
    if (threadIdx.x < team_size)
        hd_block_team<Bodies, DISPATCH, TRACE>(r, hd_where(&b), hd_arena, team_size,
                                               spawn_buffer.of(hd_where(&spawn_buffer)));
    else
        hd_block_schedule<DISPATCH, TRACE, Bodies::spawns>(r, hd_where(&b), hd_where(&spawn_buffer));
}

#endif
