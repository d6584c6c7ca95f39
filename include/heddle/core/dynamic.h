/* SPDX-License-Identifier: MIT */
/* core/dynamic.h - the persistent kernel of dispatch distributed, ticket and iqs: one warp of a block takes the next task
 * and counts the successors of the last one. nvcc only. */
#ifndef HEDDLE_CORE_DYNAMIC_H
#define HEDDLE_CORE_DYNAMIC_H

#include "heddle/core/block.h"
#include "heddle/core/iqs.h"
#include "heddle/core/ticket.h"

/* Records on their way from memory to those lanes that will put one into a slot: 16 bytes in each of eight lanes. */
static __device__ __forceinline__ uint4 hd_fetch(const void *record)
{
    return ((const uint4 *)record)[threadIdx.x & 7u];
}
/* Lanes from .. from + 7 have it. */
static __device__ __forceinline__ void hd_keep(void *slot, uint4 part, uint32_t from)
{
    uint32_t lane = (threadIdx.x & 31u) - from;
    if (lane < 8u)
        ((uint4 *)slot)[lane] = part;
    __syncwarp();
}

/* What a worker finds when it looks at all its words at once, one in each of the first lanes: one trip to memory. */
#define HD_SEES_STOP 1u
#define HD_SEES_URGENT 2u
#define HD_SEES_NORMAL 4u
#define HD_SEES_SEED 8u
#define HD_SEES_ASKING 16u

/* Each lane's word; it is on its way until somebody uses it. */
static __device__ __forceinline__ uint32_t hd_look(const hd_run &r, const hd_worker *w)
{
    uint32_t ring = 2u * w->id;
    uint32_t *at = nullptr;
    switch (threadIdx.x & 31u) {
    case 0: at = &r.shared->fail.stop; break;
    case 1: at = r.has_urgent ? &hd_ring_slots(&r, ring)[w->head[0] & (r.n_slots - 1u)] : nullptr; break;
    case 2: at = &hd_ring_slots(&r, ring + 1u)[w->head[1] & (r.n_slots - 1u)]; break;
    case 3: at = &r.shared->seed; break;
    case 4: at = hd_policy_shares(r.policy) ? &r.shared->asking : nullptr; break;
    default: break;
    }
    return at ? HD_LOAD(at, RELAXED, DEV) : 0u;
}

/* HD_SEES_... of the words of all lanes. */
static __device__ __forceinline__ uint32_t hd_sees(const hd_run &r, const hd_worker *w, uint32_t word)
{
    uint32_t lane = threadIdx.x & 31u;
    int yes = lane == 3u ? word < r.n_roots : lane == 4u ? word != 0u && word != w->id + 1u : word != 0u;
    return __ballot_sync(0xffffffffu, yes);
}

/* What is under way while a body runs: the records of its task's first successors, eight lanes each, and a look. */
typedef struct hd_ahead {
    uint4 part;
    uint32_t word, ticket;
} hd_ahead;

/* Begins the body's task: what will probably be wanted next is asked for. */
template <uint32_t DISPATCH>
static __device__ __forceinline__ void hd_ask_ahead(const hd_run &r, hd_dynamic_block *b, const hd_task *task,
                                                    hd_ahead *a)
{
    const uint32_t lane = threadIdx.x & 31u, k = lane / 8u;
    if constexpr (DISPATCH == HD_DISPATCH_DISTRIBUTED) {
        if (k < task->n_succ && hd_policy_keeps(r.policy))
            a->part = hd_fetch(hd_task_at(&r, task->first[k].task));
        a->word = hd_look(r, &b->worker);
    }
}

/* And what nothing is known of. */
template <uint32_t DISPATCH>
static __device__ __forceinline__ void hd_ask_first(const hd_run &r, hd_dynamic_block *b, hd_ahead *a)
{
    if constexpr (DISPATCH == HD_DISPATCH_DISTRIBUTED)
        a->word = hd_look(r, &b->worker);
    if constexpr (DISPATCH == HD_DISPATCH_TICKET) {
        a->ticket = (threadIdx.x & 31u) == 0 ? hd_ticket_draw(&r) : 0u;
        a->word = hd_stopped(&r);
    }
}

/* Puts task t into the slot; when it is one of the first successors of `before`, its record has come already. */
static __device__ __forceinline__ void hd_stage(const hd_run &r, hd_dynamic_block *b, uint32_t i, uint32_t t,
                                                const hd_task *before, uint4 part)
{
    const uint32_t k = (threadIdx.x & 31u) / 8u, slot = hd_slot_of(b, i);
    uint32_t has = 0;
    if (before && hd_policy_keeps(r.policy))
        has = __ballot_sync(0xffffffffu, k < before->n_succ && before->first[k].task == t);
    if (!has)
        part = hd_fetch(hd_task_at(&r, t));
    hd_keep(&b->record[slot], part, has ? hd_lowest(has) : 0u);
}

/* Hands step i over to the lanes; its record is in the slot, unless t is HD_NONE. */
static __device__ __forceinline__ void hd_publish(hd_dynamic_block *b, uint32_t i, uint32_t t, uint32_t n_lanes)
{
    if ((threadIdx.x & 31u) == 0)
        b->number[hd_slot_of(b, i)] = t;
    __syncwarp();
    hd_ready_arrive(i, n_lanes + 32u);
}

/* Takes what stands at the head of one of the rings, which was seen to be `word`, puts its record into the slot, and
 * acquires what its predecessors wrote: three trips to memory at the same time. */
static __device__ __forceinline__ uint32_t hd_take_seen(const hd_run &r, hd_dynamic_block *b, uint32_t i,
                                                        uint32_t which, uint32_t word)
{
    hd_worker *w = &b->worker;
    hd_task *record = &b->record[hd_slot_of(b, i)];
    uint32_t lane = threadIdx.x & 31u, t = (word & ~HD_SLOT_DIRECT) - 1u, ring = 2u * w->id + which;
    uint32_t *slots = hd_ring_slots(&r, ring), seen = 0;
    uint4 part = hd_fetch(hd_task_at(&r, t));
    if (lane == 8u)
        seen = word & HD_SLOT_DIRECT ? HD_LOAD(&slots[w->head[which] & (r.n_slots - 1u)], ACQUIRE, DEV)
                                     : HD_LOAD(&r.count[t], ACQUIRE, DEV);
    hd_keep(record, part, 0);
    seen = __shfl_sync(0xffffffffu, seen, 8);
    if (lane == 0) {
        if (!(word & HD_SLOT_DIRECT) && (int32_t)(seen - w->run * record->n_in) < 0)
            hd_acquire(&r, w->run, t); /* coherence showed an older value                     */
        hd_ring_empty(&r.cursors[ring], slots, r.n_slots, &w->head[which]);
    }
    __syncwarp();
    return t;
}

/* Nothing to do, and some looks later still nothing: asks, gives back what is done, waits a little. */
static __device__ __forceinline__ void hd_block_idle(const hd_run &r, hd_worker *w, uint32_t polls)
{
    if ((threadIdx.x & 31u) == 0) {
        if (polls == 0 && r.events)
            w->idle_since = hd_clock();
        if ((polls & 7u) == 2u)
            hd_ask(&r, w);
        if (polls == 4u) {
            hd_settle(&r, w->n_done);
            w->n_done = 0;
        }
        if (polls > 64u)
            HD_PAUSE(polls >> 7);
    }
    __syncwarp();
}

/* A task that passed through no ring: kept, on the own list, or a root. */
static __device__ __forceinline__ uint32_t hd_take_own(const hd_run &r, hd_worker *w, uint32_t sees)
{
    uint32_t t = HD_NONE;
    if ((threadIdx.x & 31u) == 0) {
        t = hd_take_kept(w);
        if (t == HD_NONE)
            t = hd_take_list(&r, w);
        if (t == HD_NONE && (w->seed != w->seed_end || (sees & HD_SEES_SEED)))
            t = hd_take_seed(&r, w);
    }
    return __shfl_sync(0xffffffffu, t, 0);
}

/* What the look showed and may run at once, into the slot: urgent first; else the kept task and what is in the ring in
 * turns, because nobody else can take either. */
static __device__ __forceinline__ uint32_t hd_take_any(const hd_run &r, hd_dynamic_block *b, uint32_t i,
                                                       const hd_task *before, const hd_ahead *a, uint32_t sees)
{
    hd_worker *w = &b->worker;
    uint32_t t;
    if (sees & HD_SEES_URGENT)
        return hd_take_seen(r, b, i, 0, __shfl_sync(0xffffffffu, a->word, 1));
    if ((sees & HD_SEES_NORMAL) && (w->kept == HD_NONE || w->kept_run)) {
        __syncwarp();
        if ((threadIdx.x & 31u) == 0)
            w->kept_run = 0;
        return hd_take_seen(r, b, i, 1, __shfl_sync(0xffffffffu, a->word, 2));
    }
    __syncwarp();
    t = hd_take_own(r, w, sees);
    if (t != HD_NONE)
        hd_stage(r, b, i, t, before, a->part);
    return t;
}

/* Dispatch distributed: step i, in its slot; HD_NONE: the run is over. `a` may have a look from a while ago. */
static __device__ __forceinline__ uint32_t hd_next_distributed(const hd_run &r, hd_dynamic_block *b, uint32_t i,
                                                               const hd_task *before, hd_ahead *a)
{
    hd_worker *w = &b->worker;
    uint32_t polls;
#pragma unroll 1
    for (polls = 0;; polls++) {
        uint32_t sees = hd_sees(r, w, a->word), t;
        if (sees & HD_SEES_STOP)
            return HD_NONE;
        if (sees & HD_SEES_ASKING) {
            if ((threadIdx.x & 31u) == 0)
                hd_give(&r, w);
            __syncwarp();
            a->word = hd_look(r, w); /* what is given may be what was seen */
            sees = hd_sees(r, w, a->word);
        }
        t = hd_take_any(r, b, i, before, a, sees);
        if (t != HD_NONE)
            return t;
        if (polls) /* the first look may be an old one */
            hd_block_idle(r, w, polls - 1u);
        a->word = hd_look(r, w);
    }
}

/* Dispatch ticket. */
static __device__ __forceinline__ uint32_t hd_next_ticket(const hd_run &r, hd_dynamic_block *b, uint32_t i, hd_ahead *a)
{
    uint32_t ticket = __shfl_sync(0xffffffffu, a->ticket, 0), polls, t;
    if (ticket >= r.n_tasks || __shfl_sync(0xffffffffu, a->word, 0) != HD_STOP_NOT)
        return HD_NONE;
#pragma unroll 1
    for (polls = 0;; polls++) {
        t = (threadIdx.x & 31u) == 0 ? hd_ticket_look(&r, ticket) : HD_NONE;
        t = __shfl_sync(0xffffffffu, t, 0);
        if (t != HD_NONE)
            break;
        if (polls == 0 && r.events && (threadIdx.x & 31u) == 0)
            b->worker.idle_since = hd_clock();
        if ((polls & 15u) == 15u && __shfl_sync(0xffffffffu, hd_stopped(&r), 0) != HD_STOP_NOT)
            return HD_NONE;
        if (polls > 64u)
            HD_PAUSE(polls >> 7);
    }
    hd_stage(r, b, i, t, nullptr, a->part);
    return t;
}

/* Dispatch iqs. */
static __device__ __forceinline__ uint32_t hd_next_iqs(const hd_run &r, hd_dynamic_block *b, uint32_t i, hd_ahead *a)
{
    uint32_t polls, t = HD_NONE;
#pragma unroll 1
    for (polls = 0;; polls++) {
        if (__shfl_sync(0xffffffffu, hd_stopped(&r), 0) != HD_STOP_NOT)
            return HD_NONE;
        if ((threadIdx.x & 31u) == 0)
            t = hd_iqs_take(&r, &b->worker);
        t = __shfl_sync(0xffffffffu, t, 0);
        if (t != HD_NONE)
            break;
        hd_block_idle(r, &b->worker, polls);
    }
    hd_stage(r, b, i, t, nullptr, a->part);
    return t;
}

template <uint32_t DISPATCH>
static __device__ __forceinline__ uint32_t hd_next_of(const hd_run &r, hd_dynamic_block *b, uint32_t i,
                                                      const hd_task *before, hd_ahead *a)
{
    if constexpr (DISPATCH == HD_DISPATCH_DISTRIBUTED)
        return hd_next_distributed(r, b, i, before, a);
    else if constexpr (DISPATCH == HD_DISPATCH_TICKET)
        return hd_next_ticket(r, b, i, a);
    else
        return hd_next_iqs(r, b, i, a);
}

/* While the body of step i runs: step i + 1, in its slot, when it is known already. */
template <uint32_t DISPATCH>
static __device__ __forceinline__ uint32_t hd_next_ahead(const hd_run &r, hd_dynamic_block *b, uint32_t i, hd_ahead *a,
                                                         uint32_t *sure)
{
    const hd_task *task = &b->record[hd_slot_of(b, i)];
    hd_worker *w = &b->worker;
    uint32_t t = HD_NONE, sees;
    if constexpr (DISPATCH != HD_DISPATCH_DISTRIBUTED)
        return HD_NONE;
    *sure = hd_sure(&r, w, task);
    if (*sure == HD_NONE && w->kept == HD_NONE && (w->seed == w->seed_end || r.has_placed || r.has_urgent))
        return HD_NONE;
    sees = hd_sees(r, w, a->word);
    if ((sees & ~HD_SEES_SEED) || (r.has_urgent && w->kept != HD_NONE)) {
        *sure = HD_NONE;
        return HD_NONE;
    }
    if ((threadIdx.x & 31u) == 0) {
        if (*sure != HD_NONE)
            t = hd_take_sure(w, task, *sure);
        else
            t = w->kept != HD_NONE ? hd_take_kept(w) : hd_take_share(&r, w);
    }
    t = __shfl_sync(0xffffffffu, t, 0);
    hd_stage(r, b, i + 1u, t, *sure != HD_NONE ? task : nullptr, a->part);
    return t;
}

template <uint32_t DISPATCH>
static __device__ __forceinline__ void hd_finish_of(const hd_run &r, hd_worker *w, uint32_t t, const hd_task *task,
                                                    uint32_t sure)
{
    if constexpr (DISPATCH == HD_DISPATCH_DISTRIBUTED)
        hd_finish(&r, w, t, task, sure);
    else if constexpr (DISPATCH == HD_DISPATCH_TICKET)
        hd_ticket_finish(&r, w, t, task);
    else
        hd_iqs_finish(&r, w, t, task);
}

#define HD_LONG_POLLS 512u /* some ten microseconds */

/* Waits for the end of the body of step i. A long one is told of, so that the host knows what hangs. */
static __device__ __forceinline__ void hd_await_body(const hd_run &r, hd_dynamic_block *b, uint32_t i, uint32_t n_lanes)
{
    uint32_t polls;
#pragma unroll 1
    for (polls = 0; polls < HD_LONG_POLLS && hd_word(&b->ended) == i; polls++)
        hd_word_pause(polls);
    polls = __shfl_sync(0xffffffffu, polls, 0);
    if (polls == HD_LONG_POLLS && (threadIdx.x & 31u) == 0)
        hd_now_task(r, b->number[hd_slot_of(b, i)]);
    __syncwarp();
    hd_done_sync(i, n_lanes + 32u);
    if (polls == HD_LONG_POLLS && (threadIdx.x & 31u) == 0)
        hd_now_task(r, HD_NONE);
}

/* Step i has run. ahead: the next one runs already, so that nobody waits for this. */
template <uint32_t DISPATCH, int TRACE>
static __device__ __forceinline__ void hd_end_step(const hd_run &r, hd_dynamic_block *b, uint32_t i, uint32_t sure,
                                                   int ahead)
{
    const uint32_t slot = hd_slot_of(b, i), t = b->number[slot];
    const hd_task *task = &b->record[slot];
    hd_event *ev = nullptr;
    if (__any_sync(0xffffffffu, b->failed[0] | b->failed[1])) /* it failed, or did not run */
        return;
    if ((threadIdx.x & 31u) == 0) {
        if (task->flags & HD_TASK_WATCH)
            hd_tell_watcher(r, task->watch, b->worker.run);
        if (TRACE && task->body != HD_BODY_JOIN)
            ev = hd_trace_task(&r, &b->worker, t, b->begin[slot], b->end[slot]);
    }
    hd_finish_of<DISPATCH>(r, &b->worker, t, task, sure);
    if (TRACE && (threadIdx.x & 31u) == 0) {
        hd_trace_turn(&b->worker, ahead ? nullptr : ev, b->end[slot]);
        if (ahead)
            b->worker.left = b->end[slot];
    }
    __syncwarp();
}

template <uint32_t DISPATCH, int TRACE>
static __device__ __forceinline__ void hd_schedule(const hd_run &r, hd_dynamic_block *b, uint32_t n_lanes)
{
    const hd_task *before = nullptr;
    hd_ahead a = {{0, 0, 0, 0}, 0, 0};
    uint32_t i, next = HD_NONE, sure;
    hd_ask_first<DISPATCH>(r, b, &a);
    for (i = 0;; i++) {
        hd_task *task = &b->record[hd_slot_of(b, i)];
        if (next == HD_NONE) {
            next = hd_next_of<DISPATCH>(r, b, i, before, &a);
            hd_publish(b, i, next, n_lanes);
            if (next == HD_NONE)
                break;
            hd_ask_ahead<DISPATCH>(r, b, task, &a);
        }
        sure = HD_NONE;
        next = hd_next_ahead<DISPATCH>(r, b, i, &a, &sure);
        if (next != HD_NONE) {
            hd_publish(b, i + 1u, next, n_lanes);
            hd_ask_ahead<DISPATCH>(r, b, &b->record[hd_slot_of(b, i + 1u)], &a);
        }
        hd_await_body(r, b, i, n_lanes);
        if (DISPATCH == HD_DISPATCH_TICKET)
            hd_ask_first<DISPATCH>(r, b, &a); /* comes while the step is finished */
        hd_end_step<DISPATCH, TRACE>(r, b, i, sure, next != HD_NONE);
        before = task;
    }
    hd_done_sync(i, n_lanes + 32u);
    if ((threadIdx.x & 31u) == 0)
        hd_block_leave(r, b->worker.run, hd_worker_end(&r, &b->worker));
}

template <typename Bodies, uint32_t DISPATCH, int TRACE> __global__ void hd_persistent(const __grid_constant__ hd_run r)
{
    extern __shared__ __align__(128) unsigned char hd_arena[];
    __shared__ hd_dynamic_block b;
    const uint32_t n_lanes = blockDim.x - 32u;
    if (threadIdx.x == 0) {
        b.began = b.ended = b.failed[0] = b.failed[1] = 0;
        hd_worker_begin(&r, &b.worker, blockIdx.x);
        hd_block_came(r, b.worker.run);
    }
    __syncthreads();
    if (threadIdx.x < n_lanes)
        hd_lanes<Bodies, TRACE>(r, &b, hd_arena, n_lanes);
    else
        hd_schedule<DISPATCH, TRACE>(r, &b, n_lanes);
}

#endif
