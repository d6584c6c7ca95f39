/* SPDX-License-Identifier: MIT */
/* core/spawning.h - the scheduling warp of a persistent kernel whose bodies spawn. nvcc only.
 *
 * One task after the other: take it, make sure of slots, hand it to the lanes; while they run it, hand on what they lay onto
 * the desk, and let workers that have nothing have the oldest of the own list; then end it. The next task is chosen when
 * the last has ended, not ahead as in core/dynamic.h, because its children come first; but the words that a worker looks at
 * are asked for while a body runs, and what is known of a record from its fetch is not read again. Tables without spawners
 * have none of this. */
#ifndef HEDDLE_CORE_SPAWNING_H
#define HEDDLE_CORE_SPAWNING_H

#include "heddle/core/dynamic.h"
#include "heddle/core/spawn.h"

#define HD_NEAR_BODIES 32u /* of a table with more, each look is a trip to memory */

/* What is only there when bodies spawn: the desk, and a copy of what its lanes read of the run at each spawn. A kernel's
 * parameters are near for who names them, and a trip to memory away for who has a pointer to them. */
template <int SPAWNS> struct hd_desk_if {
    hd_desk desk;
    hd_run run;
    uint32_t bodies[2u * HD_NEAR_BODIES];
    static __device__ __forceinline__ hd_desk *of(hd_desk_if *d) { return &d->desk; }
    static __device__ __forceinline__ const hd_run *near(hd_desk_if *d) { return &d->run; }
};
template <> struct hd_desk_if<0> {
    static __device__ __forceinline__ hd_desk *of(hd_desk_if *) { return nullptr; }
};

/* All threads: the desk is ready for the block's first body; they meet before anybody looks at it. */
template <int SPAWNS> static __device__ __forceinline__ void hd_desk_begin_all(const hd_run &r, hd_desk_if<SPAWNS> *d)
{
    const uint32_t *from = (const uint32_t *)&r, n_bodies = r.n_bodies < HD_NEAR_BODIES ? r.n_bodies : HD_NEAR_BODIES;
    uint32_t *to = (uint32_t *)&d->run, i;
    for (i = threadIdx.x; i < HD_MAX_CHILDREN + HD_EXTRA; i += blockDim.x)
        d->desk.out[i] = 0;
    for (i = threadIdx.x; i < sizeof(hd_run) / 4u; i += blockDim.x)
        to[i] = from[i];
    for (i = threadIdx.x; i < 2u * n_bodies; i += blockDim.x)
        d->bodies[i] = r.bodies[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        d->desk.run = &d->run;
        if (r.n_bodies <= HD_NEAR_BODIES)
            d->run.bodies = d->bodies;
    }
}

/* The nth look at all words, dispatch distributed; at words that all workers share only now and then. ahead: while a body
 * runs, for when it has ended. Other looks acquire what they see where the block is alone on its SM: elsewhere that would empty
 * the others' cache. */
static __device__ __forceinline__ void hd_look_spawning(const hd_run &r, hd_turn *a, uint32_t nth, int ahead)
{
    a->blind = nth & 3u ? HD_SEES_STOP | HD_SEES_SEED | HD_SEES_ASKING : 0u;
    a->is_ahead = ahead || r.crowded;
    if ((a->looks & ~a->blind) >> a->lane & 1u)
        a->word = a->is_ahead ? HD_LOAD(a->at, RELAXED, DEV) : HD_LOAD(a->at, ACQUIRE, DEV);
}

/* Lane 0: the task of a word that the look showed, which is then empty. */
static __device__ __forceinline__ uint32_t hd_take_looked(const hd_run &r, const hd_worker *w, uint32_t *at,
                                                          uint32_t word, const hd_turn *a)
{
    if ((word & HD_SLOT_DIRECT) && a->is_ahead)
        word = HD_LOAD(at, ACQUIRE, DEV); /* the same word: nobody else writes a full one */
    HD_STORE(at, 0u, RELAXED, DEV);
    return hd_task_of(&r, w, word);
}

/* Lane 0: the ring's first task, which the look showed; where others steal, there may be none. */
static __device__ __forceinline__ uint32_t hd_take_head(const hd_run &r, hd_worker *w, uint32_t which, uint32_t word,
                                                        const hd_turn *a)
{
    uint32_t t;
    if (which == 1u && r.steals)
        return hd_take_ring(&r, w, 1);
    t = hd_take_looked(r, w, hd_head_slot(r, w, which), word, a);
    hd_ring_moved(&r.cursors[2u * w->id + which], r.late, &w->head[which]);
    return t;
}

/* Lane 0: what the look showed, dispatch distributed; word: of both rings and the box. Depth first: the normal ring can wait, and
 * where slots are scarce also the urgent one. The youngest of the own list is only looked at, while the box is shut: its
 * record is fetched anyway, and has the link (hd_drop_youngest). */
static __device__ __forceinline__ uint32_t hd_take_shown(const hd_run &r, hd_worker *w, uint32_t sees,
                                                         const uint32_t word[3], const hd_turn *a)
{
    uint32_t t = HD_NONE;
    if ((sees & HD_SEES_URGENT) && !w->scarce)
        return hd_take_head(r, w, 0, word[0], a);
    if (sees & HD_SEES_BOX) {
        w->open = 0;
        return hd_take_looked(r, w, &r.boxes[w->id], word[2], a);
    }
    t = hd_take_kept(w);
    if (t == HD_NONE)
        t = w->open ? hd_take_list(&r, w) : w->list;
    if (t == HD_NONE && (sees & HD_SEES_URGENT))
        t = hd_take_head(r, w, 0, word[0], a);
    if (t == HD_NONE && (sees & HD_SEES_NORMAL))
        t = hd_take_head(r, w, 1, word[1], a);
    if (t == HD_NONE && (w->seed != w->seed_end || (sees & HD_SEES_SEED)))
        t = hd_take_seed(&r, w);
    return t;
}

/* All lanes: what hd_take_shown takes. */
static __device__ __forceinline__ uint32_t hd_take_seen_of(const hd_run &r, hd_worker *w, uint32_t sees, hd_turn *a)
{
    const uint32_t word[3] = {__shfl_sync(0xffffffffu, a->word, HD_LANE_RINGS),
                              __shfl_sync(0xffffffffu, a->word, HD_LANE_RINGS + 1),
                              __shfl_sync(0xffffffffu, a->word, HD_LANE_BOX)};
    uint32_t t = HD_NONE;
    if (a->lane == 0)
        t = hd_take_shown(r, w, sees, word, a);
    __syncwarp();
    if (sees & (HD_SEES_URGENT | HD_SEES_NORMAL)) /* a head may have moved */
        hd_look_where(r, w, a);
    return t;
}

/* Lane 0: task t, whose record this is, is run next: it leaves the own list, if it was only looked at. */
static __device__ __forceinline__ void hd_drop_youngest(const hd_run &r, hd_worker *w, uint32_t t,
                                                        const hd_task *record)
{
    if (t == w->list)
        hd_list_pop(&r, w, hd_is_spawned(&r, t) ? record->link : r.link[t]);
}

/* All lanes: something to run, or HD_NONE for now, at the polls-th attempt; *over: the run is. */
template <uint32_t DISPATCH>
static __device__ __forceinline__ uint32_t hd_take_now(const hd_run &r, hd_worker *w, uint32_t polls, hd_turn *a,
                                                       int *over)
{
    uint32_t t = HD_NONE, sees = 0;
    if constexpr (DISPATCH == HD_DISPATCH_DISTRIBUTED) {
        if (polls)
            hd_look_spawning(r, a, polls - 1u, 0);
        __syncwarp();
        sees = hd_sees_all(r, a) & a->looks & ~a->blind;
        *over = (sees & HD_SEES_STOP) != 0u;
    } else {
        *over = __shfl_sync(0xffffffffu, hd_stopped(&r), 0) != HD_STOP_NOT;
    }
    if (*over)
        return HD_NONE;
    if constexpr (DISPATCH == HD_DISPATCH_DISTRIBUTED)
        t = hd_take_seen_of(r, w, sees, a);
    else if (a->lane == 0)
        t = hd_take_once(&r, w, DISPATCH);
    if (a->lane == 0) {
        if (t == HD_NONE && r.steals && polls && w->aside == HD_NONE)
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
    if (polls > 64u && (r.crowded || r.polite)) /* alone on its SM it is in nobody's way */
        hd_idle_pause(r, polls);
    __syncwarp();
}

/* This lane's of the first slots that the next spawner will use. */
static __device__ __forceinline__ uint32_t hd_near_slot(const hd_worker *w)
{
    const uint32_t k = threadIdx.x & 31u;
    return k < w->n_free ? w->free[w->n_free - 1u - k] : 0u;
}

/* All lanes: the next task, whose children have room, how many, its record in the slot, and slots for its children near;
 * HD_NONE: the run is over. near: the run, with a table of bodies that is near. */
template <uint32_t DISPATCH>
static __device__ __forceinline__ uint32_t hd_next_spawning(const hd_run &r, const hd_run *near, hd_worker *w,
                                                            hd_desk *d, hd_task *record, uint32_t *n_room, hd_turn *a)
{
    uint32_t polls, t, n_free, slot;
    int over = 0, has_room;
#pragma unroll 1
    for (polls = 0;; polls++) { /* nothing at the first: that look was a while ago */
        t = hd_take_aside(&r, w);
        has_room = t != HD_NONE;
        if (!has_room)
            t = hd_take_now<DISPATCH>(r, w, polls, a, &over);
        if (over)
            return HD_NONE;
        if (t == HD_NONE && polls)
            hd_spawning_idle(r, w, polls - 1u, a);
        if (t == HD_NONE)
            continue;
        __syncwarp(); /* its record may be another worker's work: all lanes know now what lane 0 has acquired */
        n_free = w->n_free;
        slot = hd_near_slot(w);
        hd_keep(record, hd_fetch(hd_task_at(&r, t)), 0);
        if (DISPATCH == HD_DISPATCH_DISTRIBUTED && !has_room && a->lane == 0)
            hd_drop_youngest(r, w, t, record);
        *n_room = hd_children_of(near, record->body);
        if (has_room || hd_admit_for(&r, w, t, *n_room + hd_extra_of(*n_room)))
            break;
        polls = 0; /* the next look is at all words */
    }
    if (*n_room)
        d->near[a->lane] = w->n_free == n_free ? slot : hd_near_slot(w);
    if (a->lane == 0)
        hd_rest_end(&r, w);
    return t;
}

/* All lanes: what the body of step i, which may have children or not, makes is handed on until it has ended. aim: from before
 * it began. */
static __device__ __forceinline__ void hd_attend(const hd_run &r, hd_dynamic_block *b, hd_desk *d, uint32_t i,
                                                 uint32_t n_lanes, uint32_t n_room, hd_aim aim)
{
    uint32_t polls;
#pragma unroll 1
    for (polls = 0; __any_sync(0xffffffffu, hd_word(&b->ended) == i); polls++) {
        if (n_room)
            hd_desk_drain(&r, &b->worker, d, &aim);
        if (((polls + i) & 7u) == 0u)
            hd_share_out(r, &b->worker, i + (polls >> 3));
        hd_word_pause(polls);
        if (polls == HD_LONG_POLLS && (threadIdx.x & 31u) == 0)
            hd_now_task(r, b->number[hd_slot_of(b, i)]);
    }
    hd_done_sync(i, n_lanes + 32u);
    if (polls > HD_LONG_POLLS && (threadIdx.x & 31u) == 0)
        hd_now_task(r, HD_NONE);
}

/* A spawned task that has made nothing, for whose end nobody waits by name, and that is nobody's continuation. task: a copy of
 * its record. */
static __device__ __forceinline__ int hd_is_leaf(const hd_run &r, uint32_t t, const hd_task *task, uint32_t n_room)
{
    return n_room == 0u && hd_is_spawned(&r, t) && !(task->flags & HD_TASK_HELD) && task->kin.heir_of == HD_NONE;
}

/* All lanes: what of hd_end_body is to be done for a leaf. */
static __device__ __forceinline__ void hd_end_leaf(const hd_run &r, const hd_run *near, hd_worker *w, uint32_t t,
                                                   const hd_task *task)
{
    if ((threadIdx.x & 31u) == 0) {
        hd_slot_free(w, t);
        w->n_done++;
        w->tally.n_tasks += task->body != HD_BODY_JOIN;
    }
    hd_store_trim(&r, w);
    hd_close_open(near, w, task->kin.parent, 1u);
}

/* All lanes: task t, not a leaf, has ended. */
template <uint32_t DISPATCH>
static __device__ __forceinline__ void hd_end_family(const hd_run &r, hd_worker *w, hd_desk *d, uint32_t t)
{
    t = hd_end_body(&r, w, d, t);
    if (t == HD_NONE)
        return;
    const hd_task *task = hd_task_at(&r, t);
    if (task->flags & HD_TASK_WATCH && (threadIdx.x & 31u) == 0)
        hd_tell_watcher(r, task->watch, w->run);
    hd_finish_any(&r, w, t, DISPATCH);
}

/* All lanes: step i, task t, has run. */
template <uint32_t DISPATCH, int TRACE>
static __device__ __forceinline__ void hd_end_spawner(const hd_run &r, const hd_run *near, hd_dynamic_block *b,
                                                      hd_desk *d, uint32_t i, uint32_t t, uint32_t n_room)
{
    const uint32_t slot = hd_slot_of(b, i);
    const hd_task *record = &b->record[slot];
    hd_worker *w = &b->worker;
    hd_event *ev = nullptr;
    if (__any_sync(0xffffffffu, b->failed[0] | b->failed[1]))
        return;
    if (TRACE && record->body != HD_BODY_JOIN && (threadIdx.x & 31u) == 0)
        ev = hd_trace_task(&r, w, b->number[slot], b->begin[slot], b->end[slot]);
    if (hd_is_leaf(r, t, record, n_room))
        hd_end_leaf(r, near, w, t, record);
    else
        hd_end_family<DISPATCH>(r, w, d, t);
    if (TRACE && (threadIdx.x & 31u) == 0)
        hd_trace_turn(w, ev, b->end[slot]);
    __syncwarp();
}

/* All lanes: all is ready for the body of a task that may have n_room children. */
template <uint32_t DISPATCH>
static __device__ __forceinline__ hd_aim hd_prepare_body(const hd_run &r, const hd_run *near, hd_worker *w, hd_desk *d,
                                                         uint32_t n_room)
{
    hd_aim aim = hd_aim_none();
    if (DISPATCH == HD_DISPATCH_DISTRIBUTED && n_room && hd_keeps_spawned(&r))
        aim = hd_aim_at(&r, hd_spawned_first(&r, w)); /* comes while the body begins */
    if (hd_warp_lane() == 0) {
        hd_desk_open(near, w, d, n_room);
        if (n_room)
            hd_lend(&r, w, 1u); /* ahead, or the release of its first child would wait for that */
    }
    return aim;
}

template <uint32_t DISPATCH, int TRACE>
static __device__ __forceinline__ void hd_schedule_spawning(const hd_run &r, const hd_run *near, hd_dynamic_block *b,
                                                            hd_desk *d, uint32_t n_lanes)
{
    hd_turn a = hd_turn_of<DISPATCH>(r, &b->worker);
    uint32_t i, t, n_room;
    (void)hd_room(&r, &b->worker, 0); /* the reserve */
    if (DISPATCH == HD_DISPATCH_DISTRIBUTED)
        hd_look_spawning(r, &a, 0, 1);
#pragma unroll 1
    for (i = 0;; i++) {
        hd_task *record = &b->record[hd_slot_of(b, i)];
        t = hd_next_spawning<DISPATCH>(r, near, &b->worker, d, record, &n_room, &a);
        if (t == HD_NONE)
            break;
        const hd_aim aim = hd_prepare_body<DISPATCH>(r, near, &b->worker, d, n_room);
        hd_publish(b, i, hd_is_spawned(&r, t) ? HD_SPAWNED | record->body : t, n_lanes);
        if (DISPATCH == HD_DISPATCH_DISTRIBUTED)
            hd_look_spawning(r, &a, i, 1);
        hd_attend(r, b, d, i, n_lanes, n_room, aim);
        hd_end_spawner<DISPATCH, TRACE>(r, near, b, d, i, t, n_room);
    }
    hd_publish(b, i, HD_NONE, n_lanes);
    hd_done_sync(i, n_lanes + 32u);
    if (a.lane == 0)
        hd_block_leave(r, b->worker.run, hd_worker_end(&r, &b->worker));
}

template <typename Bodies, uint32_t DISPATCH, int TRACE> __global__ void hd_persistent(const __grid_constant__ hd_run r)
{
    HD_BLOCK_ARENA(hd_arena);
    HD_BLOCK_SHARED(hd_dynamic_block, b);
    HD_BLOCK_SHARED(hd_desk_if<Bodies::spawns>, desk);
    const uint32_t n_lanes = blockDim.x - 32u;
    if constexpr (DISPATCH == HD_DISPATCH_SCHEDULER) {
        HD_BLOCK_SHARED(hd_scheduler, scheduler);
        if (blockIdx.x == r.n_workers) {
            hd_schedule_for_all(r, &scheduler);
            return;
        }
    }
    if constexpr (Bodies::spawns != 0)
        hd_desk_begin_all(r, &desk);
    if (threadIdx.x == 0) {
        b.began = b.ended = b.failed[0] = b.failed[1] = 0;
        hd_worker_begin(&r, &b.worker, blockIdx.x);
        hd_block_came(r, b.worker.run);
    }
    __syncthreads();
    if (threadIdx.x < n_lanes)
        hd_lanes<Bodies, TRACE>(r, &b, hd_arena, n_lanes, desk.of(&desk));
    else if constexpr (Bodies::spawns != 0)
        hd_schedule_spawning<DISPATCH, TRACE>(r, desk.near(&desk), hd_where(&b), desk.of(&desk), n_lanes);
    else
        hd_schedule<DISPATCH, TRACE>(r, hd_where(&b), n_lanes);
}

#endif
