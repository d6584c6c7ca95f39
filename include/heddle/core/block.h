/* SPDX-License-Identifier: MIT */
/* core/block.h - what a worker on a GPU is made of, whatever the dispatch. nvcc only.
 *
 * A block has more warps than its lanes need. Lanes run bodies and nothing else; the other warps schedule, so that much
 * of what passes between two bodies happens while a body runs:
 *
 *     scheduling warps                     lanes
 *     record into a slot
 *     arrive READY(i)     ------------>    sync READY(i); the body
 *     sync DONE(k)        <------------    arrive DONE(k), where successors are to be counted
 *
 * READY(i) also ends the body before: all lanes meet there. Barriers come in pairs, for even and odd numbers; who arrives
 * makes sure that the barrier's last round is over. The lanes are here; core/dynamic.h and core/planned.h have the warps
 * that schedule. */
#ifndef HEDDLE_CORE_BLOCK_H
#define HEDDLE_CORE_BLOCK_H

#include "heddle/core/plan.h"
#include "heddle/core/worker.h"

/* Barriers of a block: 0 is __syncthreads, 1 the lanes' own (heddle_barrier). Of the others two each. */
#define HD_BAR_READY 2u
#define HD_BAR_DONE 4u
#define HD_BAR_FREE 6u /* from here on they are free for bodies with barriers of their own */

/* Memory of the block. The emulator of blocks has its own (tests/emulate_gpu/cuda.h). */
#if !defined(HD_BLOCK_SHARED)
#define HD_BLOCK_SHARED(type, name) __shared__ type name
#define HD_BLOCK_ARENA(name) extern __shared__ __align__(128) unsigned char name[]
#endif

/* The model test of what the warps of a block say to one another has its own (tests/model/cuda.h). */
#if !defined(HEDDLE_MODEL)

#define HD_FEW_POLLS 32u

/* With the numbers written out: one that comes out of a register costs the hardware more. */
static __device__ __forceinline__ void hd_bar_lanes(uint32_t n) { asm volatile("bar.sync 1, %0;" ::"r"(n) : "memory"); }
#define HD_BAR_PAIR_(name, op, first, second)                               \
    static __device__ __forceinline__ void name(uint32_t i, uint32_t n)     \
    {                                                                       \
        if (i & 1u)                                                         \
            asm volatile("bar." op " " second ", %0;" ::"r"(n) : "memory"); \
        else                                                                \
            asm volatile("bar." op " " first ", %0;" ::"r"(n) : "memory");  \
    }
HD_BAR_PAIR_(hd_ready_sync, "sync", "2", "3")
HD_BAR_PAIR_(hd_ready_arrive, "arrive", "2", "3")
HD_BAR_PAIR_(hd_done_sync, "sync", "4", "5")
HD_BAR_PAIR_(hd_done_arrive, "arrive", "4", "5")
#undef HD_BAR_PAIR_

/* Words between the warps of a block, in shared memory. hd_set_word releases what the warp wrote before; hd_mark is for
 * words that say no more than that a barrier is past, which has ordered everything already. */
static __device__ __forceinline__ uint32_t hd_word(const uint32_t *p)
{
    uint32_t v;
    asm volatile("ld.acquire.cta.shared.u32 %0, [%1];"
                 : "=r"(v)
                 : "r"((uint32_t)__cvta_generic_to_shared(p))
                 : "memory");
    return v;
}
static __device__ __forceinline__ void hd_set_word(uint32_t *p, uint32_t v)
{
    asm volatile("st.release.cta.shared.u32 [%0], %1;" ::"r"((uint32_t)__cvta_generic_to_shared(p)), "r"(v) : "memory");
}
static __device__ __forceinline__ void hd_mark(uint32_t *p, uint32_t v)
{
    asm volatile("st.relaxed.cta.shared.u32 [%0], %1;" ::"r"((uint32_t)__cvta_generic_to_shared(p)), "r"(v) : "memory");
}
/* The n-th fruitless look at such a word: a warp that goes on looking takes turns from those that compute. */
static __device__ __forceinline__ void hd_word_pause(uint32_t n)
{
    if (n > HD_FEW_POLLS)
        __nanosleep(32);
}

#endif

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
    lane.failed = nullptr;
    lane.desk = nullptr;
    return lane;
}

/* ---- what the host sees of a worker, and how a run ends ---- */

/* Host memory is written only by who has waited long: a release that follows waits for such a store. So the host learns
 * of tasks that have run for some time, not of each. */
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

/* ---- a block, whatever the dispatch ---- */

#define HD_DYNAMIC_SLOTS 4u /* of two steps that are handed over, one that comes, and a power of two */
#define HD_PLAN_BATCH 4u    /* steps that one load of a warp brings */
#define HD_PLAN_SLOTS (2u * HD_PLAN_BATCH)

typedef struct __align__(128) hd_dynamic_block
{
    hd_task record[HD_DYNAMIC_SLOTS];
    uint32_t number[HD_DYNAMIC_SLOTS];
    uint32_t began;     /* by lane 0: bodies that have begun; all before the last of them have ended         */
    uint32_t ended;     /* by lane 0: bodies that it has ended; the other lanes are about to                  */
    uint32_t failed[2]; /* a body of an even or odd step has failed: none after it runs                       */
    uint64_t begin[HD_DYNAMIC_SLOTS], end[HD_DYNAMIC_SLOTS]; /* tracing                                  */
    hd_worker worker;
}
hd_dynamic_block;

typedef struct __align__(128) hd_plan_block
{
    hd_step record[HD_PLAN_SLOTS];
    uint32_t failed[2];      /* as above; it, `over` and `began` are read by one load                  */
    uint32_t over;           /* the step that does not run: the list ends there, or the run was stopped */
    uint32_t began, ended;   /* as above                                                               */
    uint32_t filled, walked; /* steps that are in their slots; steps that the counting warp has read    */
    uint32_t n_counted;      /* steps whose successors have been counted, of those that have any        */
    uint32_t run, n_tasks, n_events, n_dropped;
    uint64_t left, begin[HD_PLAN_SLOTS], end[HD_PLAN_SLOTS], ready[HD_PLAN_SLOTS]; /* tracing              */
}
hd_plan_block;

static __device__ __forceinline__ uint32_t hd_slot_of(const hd_dynamic_block *, uint32_t i)
{
    return i % HD_DYNAMIC_SLOTS;
}
static __device__ __forceinline__ uint32_t hd_slot_of(const hd_plan_block *, uint32_t i) { return i % HD_PLAN_SLOTS; }
/* What the lanes must know of a step: its task, its body, whether anything is to be done when it has ended, and whether
 * it is plain: it waits for nobody and nobody waits for it, so that the lanes go on to it by themselves. Only within a
 * batch, of which the first step was handed over when all were in their slots. */
typedef struct hd_head {
    uint32_t task, body, has_end, plain;
} hd_head;
static __device__ __forceinline__ hd_head hd_head_of(const hd_dynamic_block *b, uint32_t i)
{
    hd_head h = {b->number[hd_slot_of(b, i)], b->record[hd_slot_of(b, i)].body, 1u, 0u};
    return h;
}
/* A step's first 16 bytes, however they came. */
static __device__ __forceinline__ hd_head hd_head_in(uint4 first)
{
    hd_head h = {first.y, first.x & 0xffffu, first.w | (first.x >> 16 & HD_TASK_WATCH), 0u};
    h.plain = !(h.has_end | first.z) && h.task != HD_NONE;
    return h;
}
static __device__ __forceinline__ hd_head hd_head_of(const hd_plan_block *b, uint32_t i)
{
    return hd_head_in(*(const uint4 *)&b->record[hd_slot_of(b, i)]);
}
static __device__ __forceinline__ hd_head hd_head_after(const hd_dynamic_block *, uint32_t)
{
    hd_head none = {0, 0, 0, 0};
    return none;
}
static __device__ __forceinline__ hd_head hd_head_after(const hd_plan_block *b, uint32_t i)
{
    hd_head none = {0, 0, 0, 0};
    return (i + 1u) % HD_PLAN_BATCH ? hd_head_of(b, i + 1u) : none;
}
static __device__ __forceinline__ const void *hd_args_of(const hd_run &r, const hd_task *t)
{
    return hd_args_at(&r, t);
}
static __device__ __forceinline__ const void *hd_args_of(const hd_run &r, const hd_step *s)
{
    return hd_step_args(&r, s);
}
/* Lane 0, tracing: dynamic workers note a task when they finish it, as threads do (core/worker.h). */
static __device__ __forceinline__ void hd_note_task(const hd_run &, hd_dynamic_block *, uint32_t) {}
static __device__ __forceinline__ void hd_note_task(const hd_run &r, hd_plan_block *b, uint32_t slot)
{
    uint64_t ready = b->ready[slot];
    hd_event *e;
    if (b->record[slot].body == HD_BODY_JOIN)
        return;
    if (b->n_events == r.n_trace) {
        b->n_dropped++;
        return;
    }
    e = r.events + (uint64_t)blockIdx.x * r.n_trace + b->n_events++;
    e->begin = b->begin[slot];
    e->end = b->end[slot];
    e->task = b->record[slot].task;
    e->idle = hd_gap(b->left, ready);
    e->queue = hd_gap(ready < b->left ? b->left : ready, e->begin);
    e->dep = 0;
    b->left = e->end;
}

/* The lanes. What a body has failed for is read by all lanes between two barriers that nobody writes it between. */
template <typename Bodies, int TRACE, typename Block>
static __device__ __forceinline__ void hd_lanes(const hd_run &r, Block *b, void *arena, uint32_t n_lanes,
                                                hd_desk *desk = nullptr)
{
    heddle_lane lane = hd_block_lane(&r.shared->fail, arena, n_lanes, blockIdx.x);
    hd_head head, next = {0, 0, 0, 0};
    uint32_t i, n_ready = 0, n_ends = 0, dead = 0;
    lane.desk = desk;
    for (i = 0;; i++) {
        const uint32_t slot = hd_slot_of(b, i);
        if (next.plain) {
            hd_bar_lanes(n_lanes);
            head = next;
        } else {
            hd_ready_sync(n_ready++, n_lanes + 32u);
            head = hd_head_of(b, i);
        }
        next = hd_head_after(b, i);
        dead |= b->failed[(i + 1u) & 1u];
        if (threadIdx.x == 0) {
            hd_mark(&b->began, i + 1u);
            if (TRACE)
                b->begin[slot] = hd_clock();
        }
        if (head.task == HD_NONE)
            break;
        lane.task = head.task;
        lane.failed = &b->failed[i & 1u];
        if (head.body != HD_BODY_JOIN && !dead)
            Bodies()(&lane, head.body, r.app, hd_args_of(r, &b->record[slot]));
        if (TRACE)
            hd_bar_lanes(n_lanes);
        if (threadIdx.x == 0) {
            if (TRACE) {
                b->end[slot] = hd_clock();
                hd_note_task(r, b, slot);
            }
            hd_mark(&b->ended, i + 1u);
        }
        if (head.has_end)
            hd_done_arrive(n_ends++, n_lanes + 32u);
    }
    hd_done_arrive(n_ends, n_lanes + 32u);
}

#endif
