/* SPDX-License-Identifier: MIT */
/* core/spawning.h - the scheduling warp of a persistent kernel whose bodies spawn. nvcc only.
 *
 * One task after the other: take it, make sure of slots, hand it to the lanes; while they run it, hand on what they lay onto
 * the desk, and let workers that have nothing have the oldest of the own list; then end it. There is no look ahead as
 * in core/dynamic.h: several workers an SM hide one another's trips to memory. Tables without spawners have none of this. */
#ifndef HEDDLE_CORE_SPAWNING_H
#define HEDDLE_CORE_SPAWNING_H

#include "heddle/core/dynamic.h"
#include "heddle/core/spawn.h"

/* What is only there when bodies spawn. */
template <int SPAWNS> struct hd_desk_if {
    hd_desk desk;
    static __device__ __forceinline__ hd_desk *of(hd_desk_if *d) { return &d->desk; }
};
template <> struct hd_desk_if<0> {
    static __device__ __forceinline__ hd_desk *of(hd_desk_if *) { return nullptr; }
};

/* Lane 0: what the look showed, dispatch distributed. Depth first: the normal ring can wait, and
 * where slots are scarce also the urgent one. */
static __device__ __forceinline__ uint32_t hd_take_shown(const hd_run &r, hd_worker *w, uint32_t sees)
{
    uint32_t t = HD_NONE;
    if ((sees & HD_SEES_URGENT) && !w->scarce)
        t = hd_take_ring(&r, w, 0);
    if (t == HD_NONE && (sees & HD_SEES_BOX))
        t = hd_take_box(&r, w);
    if (t == HD_NONE)
        t = hd_take_kept(w);
    if (t == HD_NONE)
        t = hd_take_list(&r, w);
    if (t == HD_NONE && (sees & HD_SEES_URGENT))
        t = hd_take_ring(&r, w, 0);
    if (t == HD_NONE && (sees & HD_SEES_NORMAL))
        t = hd_take_ring(&r, w, 1);
    if (t == HD_NONE && (w->seed != w->seed_end || (sees & HD_SEES_SEED)))
        t = hd_take_seed(&r, w);
    return t;
}

/* All lanes: something to run, or HD_NONE for now; *over: the run is. */
template <uint32_t DISPATCH>
static __device__ __forceinline__ uint32_t hd_take_now(const hd_run &r, hd_worker *w, hd_turn *a, int *over)
{
    uint32_t t = HD_NONE, sees = 0;
    if constexpr (DISPATCH == HD_DISPATCH_DISTRIBUTED) {
        hd_look_where(r, w, a);
        hd_look(a);
        sees = hd_sees_all(r, a) & a->looks;
        *over = (sees & HD_SEES_STOP) != 0u;
    } else {
        *over = __shfl_sync(0xffffffffu, hd_stopped(&r), 0) != HD_STOP_NOT;
    }
    if (*over)
        return HD_NONE;
    if (a->lane == 0) {
        if constexpr (DISPATCH == HD_DISPATCH_DISTRIBUTED)
            t = hd_take_shown(r, w, sees);
        else
            t = hd_take_once(&r, w);
        if (t == HD_NONE && r.steals && w->aside == HD_NONE)
            t = hd_take_stolen(&r, w);
        if (t != HD_NONE && w->open)
            hd_close_box(&r, w);
    }
    return __shfl_sync(0xffffffffu, t, 0);
}

/* All lanes: workers that have nothing, of those looked at this time, get the oldest of the own list, or what has no room
 * here. */
static __device__ __forceinline__ void hd_share_out(const hd_run &r, hd_worker *w, uint32_t nth)
{
    hd_aim aim;
    uint32_t open;
    if (!r.boxes || (w->n_list == 0u && w->aside == HD_NONE))
        return;
    aim = hd_aim_at(&r, hd_modulo(&r, w->id + 1u + 13u * nth));
    open = hd_ballot(aim.box == HD_BOX_OPEN);
    if (hd_warp_lane() == 0) {
        for (; open && (w->n_list || w->aside != HD_NONE); open &= open - 1u) {
            const uint32_t t = hd_take_for_others(&r, w);
            hd_lend(&r, w, 2u);
            if (hd_box_put(&r.boxes[hd_near(&r, aim.first, hd_lowest(open))], t, 1))
                w->tally.n_given++;
            else
                hd_list_put(&r, w, t);
        }
    }
    __syncwarp();
}

#define HD_REST_POLLS 4096u /* so often it has found nothing: some milliseconds */

/* All lanes: nothing to do, for the polls-th time. */
static __device__ __forceinline__ void hd_spawning_idle(const hd_run &r, hd_worker *w, uint32_t polls, hd_turn *a)
{
    if (a->lane == 0) {
        if (w->aside == HD_NONE) /* else it has more than it can run */
            hd_open_box(&r, w);
        else if (w->open)
            hd_close_box(&r, w);
        if (polls == 0 && r.events)
            w->idle_since = hd_clock();
        if (polls >= 2u) /* each time: what was set aside may have been given away since */
            hd_settle_own(&r, w);
        if (w->aside != HD_NONE)
            hd_starve(&r, w);
    }
    __syncwarp();
    if (w->aside != HD_NONE)
        hd_share_out(r, w, polls);
    if (polls >= HD_REST_POLLS && (polls & 255u) == 0 && w->aside == HD_NONE)
        hd_rest(&r, w);
    if (polls > 64u)
        hd_idle_pause(r, polls);
    __syncwarp();
}

/* All lanes: the next task, whose children have room; HD_NONE: the run is over. */
template <uint32_t DISPATCH>
static __device__ __forceinline__ uint32_t hd_next_spawning(const hd_run &r, hd_worker *w, hd_turn *a)
{
    uint32_t polls, t;
    int over = 0;
#pragma unroll 1
    for (polls = 0;; polls++) {
        t = hd_take_aside(&r, w);
        if (t != HD_NONE)
            break;
        t = hd_take_now<DISPATCH>(r, w, a, &over);
        if (over)
            return HD_NONE;
        if (t != HD_NONE && hd_admit(&r, w, t))
            break;
        if (t == HD_NONE)
            hd_spawning_idle(r, w, polls, a);
        else
            polls = 2;
    }
    if (a->lane == 0)
        hd_rest_end(&r, w);
    return t;
}

/* All lanes: what the body of step i makes is handed on until it has ended. */
static __device__ __forceinline__ void hd_attend(const hd_run &r, hd_dynamic_block *b, hd_desk *d, uint32_t i,
                                                 uint32_t n_lanes)
{
    uint32_t polls;
#pragma unroll 1
    for (polls = 0; __any_sync(0xffffffffu, hd_word(&b->ended) == i); polls++) {
        hd_desk_drain(&r, &b->worker, d);
        if ((polls & 7u) == 0u)
            hd_share_out(r, &b->worker, i + (polls >> 3));
        hd_word_pause(polls);
        if (polls == HD_LONG_POLLS && (threadIdx.x & 31u) == 0)
            hd_now_task(r, b->number[hd_slot_of(b, i)]);
    }
    hd_done_sync(i, n_lanes + 32u);
    if (polls > HD_LONG_POLLS && (threadIdx.x & 31u) == 0)
        hd_now_task(r, HD_NONE);
}

/* All lanes: task t of the graph has ended. */
static __device__ __forceinline__ void hd_end_graph_task(const hd_run &r, hd_worker *w, uint32_t t)
{
    const hd_task *task = hd_task_at(&r, t);
    if (task->flags & HD_TASK_WATCH && (threadIdx.x & 31u) == 0)
        hd_tell_watcher(r, task->watch, w->run);
    hd_finish_any(&r, w, t);
}

/* All lanes: step i, task t, has run. */
template <int TRACE>
static __device__ __forceinline__ void hd_end_spawner(const hd_run &r, hd_dynamic_block *b, hd_desk *d, uint32_t i,
                                                      uint32_t t)
{
    const uint32_t slot = hd_slot_of(b, i);
    hd_worker *w = &b->worker;
    hd_event *ev = nullptr;
    if (__any_sync(0xffffffffu, b->failed[0] | b->failed[1]))
        return;
    if (TRACE && b->record[slot].body != HD_BODY_JOIN && (threadIdx.x & 31u) == 0)
        ev = hd_trace_task(&r, w, b->number[slot], b->begin[slot], b->end[slot]);
    t = hd_end_body(&r, w, d, t);
    if (t != HD_NONE)
        hd_end_graph_task(r, w, t);
    if (TRACE && (threadIdx.x & 31u) == 0)
        hd_trace_turn(w, ev, b->end[slot]);
    __syncwarp();
}

template <uint32_t DISPATCH, int TRACE>
static __device__ __forceinline__ void hd_schedule_spawning(const hd_run &r, hd_dynamic_block *b, hd_desk *d,
                                                            uint32_t n_lanes)
{
    hd_turn a = hd_turn_of<DISPATCH>(r, &b->worker);
    uint32_t i, t;
    (void)hd_room(&r, &b->worker, 0); /* the reserve */
#pragma unroll 1
    for (i = 0;; i++) {
        hd_task *record = &b->record[hd_slot_of(b, i)];
        t = hd_next_spawning<DISPATCH>(r, &b->worker, &a);
        if (t == HD_NONE)
            break;
        hd_keep(record, hd_fetch(hd_task_at(&r, t)), 0);
        if (a.lane == 0)
            hd_desk_open(&r, &b->worker, d, t);
        hd_publish(b, i, hd_is_spawned(&r, t) ? HD_SPAWNED | record->body : t, n_lanes);
        hd_attend(r, b, d, i, n_lanes);
        hd_end_spawner<TRACE>(r, b, d, i, t);
    }
    hd_publish(b, i, HD_NONE, n_lanes);
    hd_done_sync(i, n_lanes + 32u);
    if (a.lane == 0)
        hd_block_leave(r, b->worker.run, hd_worker_end(&r, &b->worker));
}

template <typename Bodies, uint32_t DISPATCH, int TRACE> __global__ void hd_persistent(const __grid_constant__ hd_run r)
{
    extern __shared__ __align__(128) unsigned char hd_arena[];
    __shared__ hd_dynamic_block b;
    __shared__ hd_desk_if<Bodies::spawns> desk;
    const uint32_t n_lanes = blockDim.x - 32u;
    if constexpr (DISPATCH == HD_DISPATCH_SCHEDULER) {
        __shared__ hd_scheduler scheduler;
        if (blockIdx.x == r.n_workers) {
            hd_schedule_for_all(r, &scheduler);
            return;
        }
    }
    if constexpr (Bodies::spawns != 0)
        for (uint32_t i = threadIdx.x; i < HD_MAX_CHILDREN + HD_EXTRA; i += blockDim.x)
            desk.of(&desk)->out[i] = 0;
    if (threadIdx.x == 0) {
        b.began = b.ended = b.failed[0] = b.failed[1] = 0;
        hd_worker_begin(&r, &b.worker, blockIdx.x);
        hd_block_came(r, b.worker.run);
    }
    __syncthreads();
    if (threadIdx.x < n_lanes)
        hd_lanes<Bodies, TRACE>(r, &b, hd_arena, n_lanes, desk.of(&desk));
    else if constexpr (Bodies::spawns != 0)
        hd_schedule_spawning<DISPATCH, TRACE>(r, hd_where(&b), desk.of(&desk), n_lanes);
    else
        hd_schedule<DISPATCH, TRACE>(r, hd_where(&b), n_lanes);
}

#endif
