/* SPDX-License-Identifier: MIT */
/* core/kernel.h - the kernels of a table of bodies. nvcc only.
 *
 * Persistent kernels: each thread block is a worker until no task is left. One a dispatch, so that each holds only its
 * own protocol, and each with and without tracing. The switch over bodies is inlined, so any build system will do (no
 * relocatable device code); its price is that every body gets the registers of the hungriest.
 *
 *     dynamic (distributed, ticket, iqs)   warp 0 takes and finishes tasks, all threads run bodies
 *     plan                                 the block has two warps more than lanes: one fetches the next step and waits
 *                                          for it while the lanes are still in the body of this one, the other counts
 *                                          the successors of the last one while the lanes are in the next
 *
 * All blocks must be resident: the grid is the number of workers, which the library sizes by the occupancy of the very
 * kernel, and the launch is cooperative, so that the driver refuses a grid that does not fit. The last worker out makes
 * the words ready for the next run, so that a captured launch can be replayed.
 *
 * Level kernels: a block is a task of a list; one for the whole table, one for each body alone.
 *
 * The library launches these kernels by driver handles that the table's stub looks up in the user's object: a kernel is
 * known only to the CUDA runtime it was linked with. */
#ifndef HEDDLE_CORE_KERNEL_H
#define HEDDLE_CORE_KERNEL_H

#include "heddle/core/iqs.h"
#include "heddle/core/plan.h"
#include "heddle/core/ticket.h"
#include "heddle/core/worker.h"

/* Barriers of a block: 0 is __syncthreads, 1 the lanes' own (heddle_barrier); the others pass steps of a plan on, two
 * each, for even and odd steps. */
#define HD_BAR_READY 2u
#define HD_BAR_DONE 4u
#define HD_BAR_FREE 6u

static __device__ __forceinline__ void hd_bar_sync(uint32_t id, uint32_t n)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory");
}
static __device__ __forceinline__ void hd_bar_arrive(uint32_t id, uint32_t n)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory");
}

static __device__ __forceinline__ heddle_lane hd_block_lane(hd_fail *fail, void *arena, uint32_t n_lanes,
                                                            uint32_t worker)
{
    heddle_lane lane;
    lane.index = threadIdx.x;
    lane.count = n_lanes;
    lane.worker = worker;
    lane.task = HD_NONE;
    lane.shared = arena;
    lane.fail = fail;
    lane.team = nullptr;
    return lane;
}

/* ---- what the host sees of a worker, and how a run ends ---- */

static __device__ __forceinline__ void hd_now_task(const hd_run &r, uint32_t task)
{
    if (r.now)
        HD_STORE(&r.now[blockIdx.x].task, task, RELAXED, SYS);
}

static __device__ __forceinline__ void hd_now_waits(const hd_run &r, uint32_t task, uint32_t seen, uint32_t need)
{
    if (!r.now)
        return;
    HD_STORE(&r.now[blockIdx.x].seen, seen, RELAXED, SYS);
    HD_STORE(&r.now[blockIdx.x].need, need, RELAXED, SYS);
    HD_STORE(&r.now[blockIdx.x].waits, task, RELAXED, SYS);
}

/* One lane, after the barrier that ends the body of a watched task: its outputs are visible to the host. */
static __device__ __forceinline__ void hd_tell_watcher(const hd_run &r, uint32_t watch, uint32_t run)
{
    HD_STORE(&r.watched[watch], run, RELEASE, SYS);
}

static __device__ __forceinline__ void hd_block_came(const hd_run &r, uint32_t run)
{
    if (blockIdx.x == 0)
        r.shared->began = hd_clock();
    if (r.now) {
        HD_STORE(&r.now[blockIdx.x].waits, HD_NONE, RELAXED, SYS);
        HD_STORE(&r.now[blockIdx.x].task, HD_NONE, RELAXED, SYS);
        HD_STORE(&r.now[blockIdx.x].came, run, RELAXED, SYS);
    }
}

/* One lane, when the worker has left. Last: all workers are out; says how the run ended and prepares the next. */
static __device__ __forceinline__ void hd_block_leave(const hd_run &r, uint32_t run, int last)
{
    hd_fail *f = &r.shared->fail;
    uint32_t why;
    hd_now_task(r, HD_NONE);
    if (!last)
        return;
    why = HD_LOAD(&f->stop, RELAXED, DEV);
    r.end->stop = why == HD_STOP_NOT ? HD_STOP_DONE : why;
    r.end->code = HD_LOAD(&f->code, RELAXED, DEV);
    r.end->task = HD_LOAD(&f->task, RELAXED, DEV);
    r.end->begin_ns = r.shared->began;
    r.end->end_ns = hd_clock();
    if (why <= HD_STOP_DONE)
        hd_rearm(&r, run + 1u);
    HD_STORE(&r.end->run, run, RELEASE, SYS);
}

/* ---- dynamic dispatch ---- */

/* Shared by the lanes of a block. */
typedef struct __align__(128) hd_block
{
    hd_task record; /* of the task in hand                                                     */
    uint32_t task, n_fruitless;
    uint32_t ticket;
    hd_worker worker;
    uint64_t begin, end;
}
hd_block;

/* A record on its way from memory: 16 bytes in each of eight lanes. */
static __device__ __forceinline__ uint4 hd_fetch(const void *record)
{
    uint32_t lane = threadIdx.x & 31u;
    uint4 none = {0, 0, 0, 0};
    return lane < 8u ? ((const uint4 *)record)[lane] : none;
}
static __device__ __forceinline__ void hd_keep(void *copy, uint4 part)
{
    uint32_t lane = threadIdx.x & 31u;
    if (lane < 8u)
        ((uint4 *)copy)[lane] = part;
    __syncwarp();
}

/* What a worker finds when it looks at all its words at once, one in each of the first lanes: one trip to memory. */
typedef struct hd_sight {
    uint32_t stop, urgent, normal, seed, asking;
} hd_sight;

static __device__ __forceinline__ hd_sight hd_look(const hd_run &r, const hd_worker *w)
{
    uint32_t lane = threadIdx.x & 31u, word = 0;
    uint32_t ring = 2u * w->id;
    uint32_t *at = nullptr;
    hd_sight s;
    switch (lane) {
    case 0: at = &r.shared->fail.stop; break;
    case 1: at = r.has_urgent ? &hd_ring_slots(&r, ring)[w->head[0] & (r.n_slots - 1u)] : nullptr; break;
    case 2: at = &hd_ring_slots(&r, ring + 1u)[w->head[1] & (r.n_slots - 1u)]; break;
    case 3: at = &r.shared->seed; break;
    case 4: at = hd_policy_shares(r.policy) ? &r.shared->asking : nullptr; break;
    default: break;
    }
    if (at)
        word = HD_LOAD(at, RELAXED, DEV);
    s.stop = __shfl_sync(0xffffffffu, word, 0);
    s.urgent = __shfl_sync(0xffffffffu, word, 1);
    s.normal = __shfl_sync(0xffffffffu, word, 2);
    s.seed = __shfl_sync(0xffffffffu, word, 3);
    s.asking = __shfl_sync(0xffffffffu, word, 4);
    return s;
}

/* Takes what stands at the head of one of the rings, which was seen to be `word`, fetches its record, and acquires what
 * its predecessors wrote: three trips to memory at the same time. */
static __device__ __forceinline__ uint32_t hd_take_seen(const hd_run &r, hd_block *b, uint32_t which, uint32_t word)
{
    hd_worker *w = &b->worker;
    uint32_t lane = threadIdx.x & 31u, t = (word & ~HD_SLOT_DIRECT) - 1u, ring = 2u * w->id + which;
    uint32_t *slots = hd_ring_slots(&r, ring), seen = 0;
    uint4 part = hd_fetch(hd_task_at(&r, t));
    if (lane == 8u)
        seen = word & HD_SLOT_DIRECT ? HD_LOAD(&slots[w->head[which] & (r.n_slots - 1u)], ACQUIRE, DEV)
                                     : HD_LOAD(&r.count[t], ACQUIRE, DEV);
    hd_keep(&b->record, part);
    seen = __shfl_sync(0xffffffffu, seen, 8);
    if (lane == 0) {
        if (!(word & HD_SLOT_DIRECT) && (int32_t)(seen - w->run * b->record.n_in) < 0)
            hd_acquire(&r, w->run, t); /* coherence showed an older value                     */
        hd_ring_empty(&r.cursors[ring], slots, r.n_slots, &w->head[which]);
    }
    __syncwarp();
    return t;
}

/* The scheduling warp has nothing to do: gives back what is done, asks, waits a little. */
static __device__ __forceinline__ void hd_block_idle(const hd_run &r, hd_block *b, uint32_t polls)
{
    hd_worker *w = &b->worker;
    if ((threadIdx.x & 31u) != 0)
        return;
    if (polls == 0) {
        hd_settle(&r, w->n_done);
        w->n_done = 0;
        if (r.events)
            w->idle_since = hd_clock();
    } else {
        if (polls == 1)
            hd_ask(&r, w);
        if (polls == 64u)
            hd_now_task(r, HD_NONE);
        HD_PAUSE(polls >> 4);
    }
}

/* Warp 0, dispatch distributed: the next task with its record in the block, or HD_NONE: the run is over. */
static __device__ __forceinline__ uint32_t hd_next_distributed(const hd_run &r, hd_block *b, uint32_t guess, uint4 part)
{
    hd_worker *w = &b->worker;
    uint32_t lane = threadIdx.x & 31u, polls = 0, t;
    for (;; polls++) {
        hd_sight s;
        /* A kept task runs at once; every so often the other words are looked at. */
        int kept = w->kept != HD_NONE && w->kept_run < HD_KEPT_RUN;
        if (kept && !r.has_urgent && !hd_policy_shares(r.policy) && (w->kept_run & 15u) != 15u) {
            s.urgent = 0;
        } else {
            s = hd_look(r, w);
            if (s.stop != HD_STOP_NOT)
                return HD_NONE;
            if (s.asking && s.asking != w->id + 1u) {
                if (lane == 0)
                    hd_give(&r, w);
                __syncwarp();
                s = hd_look(r, w);
            }
        }
        if (s.urgent)
            return hd_take_seen(r, b, 0, s.urgent);
        if (!kept && s.normal) {
            if (lane == 0)
                w->kept_run = 0;
            return hd_take_seen(r, b, 1, s.normal);
        }
        __syncwarp();
        t = HD_NONE;
        if (lane == 0) {
            t = hd_take_kept(w);
            if (t == HD_NONE)
                t = hd_take_list(&r, w);
            if (t == HD_NONE && (w->seed != w->seed_end || s.seed < r.n_roots))
                t = hd_take_seed(&r, w);
        }
        t = __shfl_sync(0xffffffffu, t, 0);
        if (t != HD_NONE) {
            if (t != guess)
                part = hd_fetch(hd_task_at(&r, t));
            hd_keep(&b->record, part);
            return t;
        }
        hd_block_idle(r, b, polls);
        __syncwarp();
    }
}

/* Warp 0, dispatch ticket. */
static __device__ __forceinline__ uint32_t hd_next_ticket(const hd_run &r, hd_block *b)
{
    uint32_t lane = threadIdx.x & 31u, polls, t = HD_NONE, ticket;
    if (lane == 0)
        b->ticket = hd_ticket_draw(&r);
    __syncwarp();
    ticket = b->ticket;
    if (ticket >= r.n_tasks)
        return HD_NONE;
    for (polls = 0;; polls++) {
        if (lane == 0)
            t = hd_ticket_look(&r, ticket);
        t = __shfl_sync(0xffffffffu, t, 0);
        if (t != HD_NONE)
            break;
        if (polls == 0 && r.events && lane == 0)
            b->worker.idle_since = hd_clock();
        if ((polls & 15u) == 15u && hd_stopped(&r) != HD_STOP_NOT)
            return HD_NONE;
        if (polls == 64u && lane == 0)
            hd_now_task(r, HD_NONE);
        if (polls > 16u)
            HD_PAUSE(polls >> 6);
    }
    hd_keep(&b->record, hd_fetch(hd_task_at(&r, t)));
    return t;
}

/* Warp 0, dispatch iqs. */
static __device__ __forceinline__ uint32_t hd_next_iqs(const hd_run &r, hd_block *b)
{
    uint32_t polls, t = HD_NONE;
    for (polls = 0;; polls++) {
        if (hd_stopped(&r) != HD_STOP_NOT)
            return HD_NONE;
        if ((threadIdx.x & 31u) == 0)
            t = hd_iqs_take(&r, &b->worker);
        t = __shfl_sync(0xffffffffu, t, 0);
        if (t != HD_NONE)
            break;
        hd_block_idle(r, b, polls);
        __syncwarp();
    }
    hd_keep(&b->record, hd_fetch(hd_task_at(&r, t)));
    return t;
}

/* Warp 0, dispatch ticket or iqs; the twin of hd_finish. */
template <uint32_t DISPATCH> static __device__ __forceinline__ void hd_finish_shared(const hd_run &r, hd_block *b)
{
    const hd_task *task = &b->record;
    hd_worker *w = &b->worker;
    uint32_t lane = threadIdx.x & 31u, at;
    for (at = 0; at < task->n_succ; at += 32u) {
        hd_edge e = {0, 0};
        int ready = 0;
        if (at + lane < task->n_succ) {
            e = hd_edge_at(&r, task, at + lane);
            ready = hd_arrive(&r, w->run, e);
        }
        if constexpr (DISPATCH == HD_DISPATCH_TICKET)
            hd_ticket_place(&r, e.task, ready);
        else
            hd_iqs_place(&r, w, e, ready);
    }
    if (lane == 0) {
        w->n_done++;
        w->tally.n_tasks += task->body != HD_BODY_JOIN;
    }
}

template <typename Bodies, uint32_t DISPATCH, int TRACE> __global__ void hd_persistent(const __grid_constant__ hd_run r)
{
    extern __shared__ __align__(128) unsigned char hd_arena[];
    __shared__ hd_block b;
    const int scheduler = threadIdx.x < 32u;
    heddle_lane lane = hd_block_lane(&r.shared->fail, hd_arena, blockDim.x, blockIdx.x);
    uint32_t guess = HD_NONE;
    uint4 part = {0, 0, 0, 0};
    if (threadIdx.x == 0) {
        hd_worker_begin(&r, &b.worker, blockIdx.x);
        hd_block_came(r, b.worker.run);
    }
    __syncwarp();
    for (;;) {
        if (scheduler) {
            uint32_t t = DISPATCH == HD_DISPATCH_DISTRIBUTED ? hd_next_distributed(r, &b, guess, part)
                         : DISPATCH == HD_DISPATCH_TICKET    ? hd_next_ticket(r, &b)
                                                             : hd_next_iqs(r, &b);
            if (threadIdx.x == 0) {
                b.task = t;
                hd_now_task(r, t);
                if (TRACE)
                    b.begin = hd_clock();
            }
        }
        __syncthreads(); /* the task is known, and what its taker acquired is visible to all lanes  */
        if (b.task == HD_NONE)
            break;
        if (DISPATCH == HD_DISPATCH_DISTRIBUTED && scheduler && hd_policy_keeps(r.policy) && b.record.n_succ) {
            /* The first successor often stays here: its record comes while the body runs. */
            guess = b.record.first[0].task;
            part = hd_fetch(hd_task_at(&r, guess));
        }
        lane.task = b.task;
        if (b.record.body != HD_BODY_JOIN)
            Bodies()(&lane, b.record.body, r.app, hd_args_at(&r, &b.record));
        __syncthreads(); /* every lane's writes come before the release in finish                   */
        if (scheduler) {
            hd_event *ev = nullptr;
            if (threadIdx.x == 0 && (b.record.flags & HD_TASK_WATCH))
                hd_tell_watcher(r, b.record.watch, b.worker.run);
            if (TRACE && threadIdx.x == 0) {
                b.end = hd_clock();
                if (b.record.body != HD_BODY_JOIN)
                    ev = hd_trace_task(&r, &b.worker, b.task, b.begin, b.end);
            }
            if constexpr (DISPATCH == HD_DISPATCH_DISTRIBUTED)
                hd_finish(&r, &b.worker, b.task, &b.record);
            else
                hd_finish_shared<DISPATCH>(r, &b);
            if (TRACE && threadIdx.x == 0)
                hd_trace_turn(&b.worker, ev, b.end);
            __syncwarp();
        }
    }
    if (threadIdx.x == 0)
        hd_block_leave(r, b.worker.run, hd_worker_end(&r, &b.worker));
}

/* ---- dispatch plan ---- */

typedef struct __align__(128) hd_plan_block
{
    hd_step step[2];           /* even and odd steps                                                      */
    volatile uint32_t n_ended; /* bodies that have ended: the lanes are idle when it is the number of this step */
    uint32_t run;
    uint64_t begin[2], end[2], ready[2];
}
hd_plan_block;

/* The fetching warp, lane 0: waits until the step is ready. 0: the run stops. */
static __device__ __forceinline__ int hd_plan_wait(const hd_run &r, const hd_plan_block *b, const hd_step *s,
                                                   uint32_t i)
{
    uint32_t polls;
    for (polls = 0;; polls++) {
        /* Acquiring loads empty the SM's cache, which the body of the step before may still need. */
        int quiet = !r.crowded && b->n_ended == i;
        if (quiet ? hd_plan_ready(&r, b->run, s) : hd_plan_looks_ready(&r, b->run, s) && hd_plan_ready(&r, b->run, s))
            return 1;
        if ((polls & 63u) == 63u && hd_stopped(&r) != HD_STOP_NOT)
            return 0;
        if (polls == 4096u)
            hd_now_waits(r, s->task, HD_LOAD(&r.count[s->task], RELAXED, DEV) - (b->run - 1u) * s->need, s->need);
        if (polls > 256u)
            HD_PAUSE(0);
    }
}

/* The fetching warp: step i + 1 is on its way while step i is waited for. */
template <int TRACE>
static __device__ __forceinline__ void hd_plan_fetch(const hd_run &r, hd_plan_block *b, uint32_t n_lanes)
{
    const hd_step *at = r.steps + r.lists[blockIdx.x];
    const uint32_t lane = threadIdx.x & 31u;
    uint4 part = hd_fetch(at);
    uint32_t i, stop = 0, task;
    for (i = 0;; i++) {
        hd_step *s = &b->step[i & 1u];
        int go = 1;
        if (i >= 2u)
            hd_bar_sync(HD_BAR_FREE + (i & 1u), 64u);
        hd_keep(s, part);
        task = s->task;
        if (lane == 8u)
            stop = HD_LOAD(&r.shared->fail.stop, RELAXED, DEV); /* comes with the next record */
        if (task != HD_NONE) {
            at++;
            part = hd_fetch(at);
            if (lane == 0)
                go = hd_plan_wait(r, b, s, i);
            go = __shfl_sync(0xffffffffu, go, 0) && __shfl_sync(0xffffffffu, stop, 8) == HD_STOP_NOT;
        }
        if (lane == 0) {
            if (!go)
                s->task = HD_NONE;
            if (TRACE)
                b->ready[i & 1u] = hd_clock();
        }
        __syncwarp();
        hd_bar_arrive(HD_BAR_READY + (i & 1u), n_lanes + 32u);
        if (!go || task == HD_NONE)
            return;
    }
}

/* The releasing warp. */
template <int TRACE>
static __device__ __forceinline__ void hd_plan_finish(const hd_run &r, hd_plan_block *b, uint32_t n_lanes)
{
    const uint32_t lane = threadIdx.x & 31u;
    hd_tally tally = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    uint64_t left = TRACE ? hd_clock() : 0;
    uint32_t i;
    for (i = 0;; i++) {
        hd_step *s = &b->step[i & 1u];
        hd_bar_sync(HD_BAR_DONE + (i & 1u), n_lanes + 32u);
        if (s->task == HD_NONE)
            break;
        if (lane == 0)
            b->n_ended = i + 1u;
        hd_plan_release(&r, s);
        if (lane == 0) {
            if (s->flags & HD_TASK_WATCH)
                hd_tell_watcher(r, s->watch, b->run);
            tally.n_tasks += s->body != HD_BODY_JOIN;
            if (TRACE && s->body != HD_BODY_JOIN) {
                if (tally.n_events == r.n_trace) {
                    tally.n_dropped++;
                } else {
                    hd_event *e = r.events + (uint64_t)blockIdx.x * r.n_trace + tally.n_events++;
                    uint64_t begin = b->begin[i & 1u], ready = b->ready[i & 1u];
                    ready = ready < left ? left : ready > begin ? begin : ready;
                    e->begin = begin;
                    e->task = s->task;
                    e->idle = hd_gap(left, ready);
                    e->queue = hd_gap(ready, begin);
                    e->dep = 0;
                    e->end = left = b->end[i & 1u];
                }
            }
        }
        __syncwarp();
        hd_bar_arrive(HD_BAR_FREE + (i & 1u), 64u);
    }
    if (lane == 0) {
        r.tallies[blockIdx.x] = tally;
        hd_block_leave(r, b->run, hd_leave(&r));
    }
}

/* The lanes. */
template <typename Bodies, int TRACE>
static __device__ __forceinline__ void hd_plan_run(const hd_run &r, hd_plan_block *b, void *arena, uint32_t n_lanes)
{
    heddle_lane lane = hd_block_lane(&r.shared->fail, arena, n_lanes, blockIdx.x);
    uint32_t i;
    for (i = 0;; i++) {
        const hd_step *s = &b->step[i & 1u];
        hd_bar_sync(HD_BAR_READY + (i & 1u), n_lanes + 32u);
        lane.task = s->task;
        if (threadIdx.x == 0) {
            hd_now_task(r, lane.task);
            if (TRACE)
                b->begin[i & 1u] = hd_clock();
        }
        if (lane.task != HD_NONE && s->body != HD_BODY_JOIN)
            Bodies()(&lane, s->body, r.app, hd_step_args(&r, s));
        if (TRACE) {
            hd_bar_sync(1u, n_lanes);
            if (threadIdx.x == 0)
                b->end[i & 1u] = hd_clock();
        }
        hd_bar_arrive(HD_BAR_DONE + (i & 1u), n_lanes + 32u);
        if (lane.task == HD_NONE)
            return;
    }
}

template <typename Bodies, int TRACE> __global__ void hd_planned(const __grid_constant__ hd_run r)
{
    extern __shared__ __align__(128) unsigned char hd_arena[];
    __shared__ hd_plan_block b;
    const uint32_t n_lanes = blockDim.x - 64u;
    if (threadIdx.x == 0) {
        b.n_ended = 0;
        b.run = HD_LOAD(&r.shared->run, RELAXED, DEV);
        hd_block_came(r, b.run);
    }
    __syncthreads();
    if (threadIdx.x < n_lanes)
        hd_plan_run<Bodies, TRACE>(r, &b, hd_arena, n_lanes);
    else if (threadIdx.x < n_lanes + 32u)
        hd_plan_fetch<TRACE>(r, &b, n_lanes);
    else
        hd_plan_finish<TRACE>(r, &b, n_lanes);
}

/* ---- levels ---- */

template <typename Bodies, int TRACE> __global__ void hd_tasks_of_level(const __grid_constant__ hd_level l)
{
    extern __shared__ __align__(128) unsigned char hd_arena[];
    const uint32_t t = l.list[blockIdx.x];
    const hd_task *task = l.tasks + t;
    heddle_lane lane = hd_block_lane(l.fail, hd_arena, blockDim.x, blockIdx.x);
    uint64_t begin = 0;
    lane.task = t;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (l.pdl) {
        cudaTriggerProgrammaticLaunchCompletion();
        cudaGridDependencySynchronize();
    }
#endif
    /* All threads or none: the word may change between their loads, and a body has barriers. */
    if (__syncthreads_or(HD_LOAD(&l.fail->stop, RELAXED, DEV) != HD_STOP_NOT))
        return;
    if (TRACE)
        begin = hd_clock();
    if (task->body != HD_BODY_JOIN)
        Bodies()(&lane, task->body, l.app,
                 task->arg_bytes <= HD_INLINE_ARGS ? (const void *)task->args : l.args + (uint64_t)task->args_at * 16u);
    if (TRACE) {
        __syncthreads();
        if (threadIdx.x == 0) {
            uint32_t sm;
            asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
            l.events[t].begin = begin;
            l.events[t].end = hd_clock();
            l.events[t].task = t;
            l.events[t].queue = sm;
        }
    }
}

#define HD_CASE_PERSISTENT_(app, dispatch)                                                             \
    case HD_KERNEL_PERSISTENT(dispatch, 0):                                                            \
        return (int)cudaGetFuncBySymbol(f, (const void *)hd_persistent<app##_dispatch_, dispatch, 0>); \
    case HD_KERNEL_PERSISTENT(dispatch, 1):                                                            \
        return (int)cudaGetFuncBySymbol(f, (const void *)hd_persistent<app##_dispatch_, dispatch, 1>);

/* A body alone, without the switch. */
#define HEDDLE_ALONE_X_(name, shared)                                                                        \
    struct name##_alone_ {                                                                                   \
        __device__ __forceinline__ void operator()(const heddle_lane *lane, uint32_t body, const void *app_, \
                                                   const void *args_) const                                  \
        {                                                                                                    \
            (void)body;                                                                                      \
            name##_run_(lane, app_, args_);                                                                  \
        }                                                                                                    \
    };
#define HEDDLE_ALONE_CASE_X_(name, shared)                                                     \
    case HD_KERNEL_ALONE(name, 0):                                                             \
        return (int)cudaGetFuncBySymbol(f, (const void *)hd_tasks_of_level<name##_alone_, 0>); \
    case HD_KERNEL_ALONE(name, 1):                                                             \
        return (int)cudaGetFuncBySymbol(f, (const void *)hd_tasks_of_level<name##_alone_, 1>);

#define HEDDLE_KERNEL_(app, LIST)                                                                            \
    struct app##_dispatch_ {                                                                                 \
        __device__ __forceinline__ void operator()(const heddle_lane *lane, uint32_t body, const void *app_, \
                                                   const void *args_) const                                  \
        {                                                                                                    \
            switch (body) {                                                                                  \
                LIST(HEDDLE_CASE_X_)                                                                         \
            default: break;                                                                                  \
            }                                                                                                \
        }                                                                                                    \
    };                                                                                                       \
    LIST(HEDDLE_ALONE_X_)                                                                                    \
    static int app##_function_(uint32_t which, void **out)                                                   \
    {                                                                                                        \
        cudaFunction_t *f = (cudaFunction_t *)out;                                                           \
        switch (which) {                                                                                     \
            HD_CASE_PERSISTENT_(app, HD_DISPATCH_DISTRIBUTED)                                                \
            HD_CASE_PERSISTENT_(app, HD_DISPATCH_TICKET)                                                     \
            HD_CASE_PERSISTENT_(app, HD_DISPATCH_IQS)                                                        \
        case HD_KERNEL_PERSISTENT(HD_DISPATCH_PLAN, 0):                                                      \
            return (int)cudaGetFuncBySymbol(f, (const void *)hd_planned<app##_dispatch_, 0>);                \
        case HD_KERNEL_PERSISTENT(HD_DISPATCH_PLAN, 1):                                                      \
            return (int)cudaGetFuncBySymbol(f, (const void *)hd_planned<app##_dispatch_, 1>);                \
        case HD_KERNEL_LEVEL(0):                                                                             \
            return (int)cudaGetFuncBySymbol(f, (const void *)hd_tasks_of_level<app##_dispatch_, 0>);         \
        case HD_KERNEL_LEVEL(1):                                                                             \
            return (int)cudaGetFuncBySymbol(f, (const void *)hd_tasks_of_level<app##_dispatch_, 1>);         \
            LIST(HEDDLE_ALONE_CASE_X_)                                                                       \
        default: return (int)cudaErrorInvalidValue;                                                          \
        }                                                                                                    \
    }                                                                                                        \
    static const heddle_stubs app##_stubs_ = {app##_function_};

#endif
