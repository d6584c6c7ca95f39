/* SPDX-License-Identifier: MIT */
/* core/kernel.h - the kernels of a table of bodies. nvcc only.
 *
 * Persistent kernels: each thread block is a worker until no task is left. One a dispatch, so that each holds only its
 * own protocol, and each with and without tracing. The switch over bodies is inlined, so any build system will do (no
 * relocatable device code); its price is that every body gets the registers of the hungriest.
 *
 * A block has more warps than its lanes need. Lanes run bodies and nothing else; the other warps schedule, so that much
 * of what passes between two bodies happens while a body runs:
 *
 *     dynamic (distributed, ticket, iqs)   one warp: takes the next task, counts the successors of the last one
 *     plan                                 two warps: one fetches steps and waits until they are ready, the other counts
 *                                          the successors of those that are done
 *
 *     scheduling warps                     lanes
 *     record into a slot
 *     arrive READY(i)     ------------>    sync READY(i); the body
 *     sync DONE(k)        <------------    arrive DONE(k), where successors are to be counted
 *
 * READY(i) also ends the body before: all lanes meet there. Barriers come in pairs, for even and odd numbers; who arrives
 * makes sure that the barrier's last round is over.
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

/* Barriers of a block: 0 is __syncthreads, 1 the lanes' own (heddle_barrier). Of the others two each. */
#define HD_BAR_READY 2u
#define HD_BAR_DONE 4u

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

#define HD_DYNAMIC_SLOTS 2u
#define HD_PLAN_BATCH 4u /* steps that one load of a warp brings */
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
static __device__ __forceinline__ void hd_lanes(const hd_run &r, Block *b, void *arena, uint32_t n_lanes)
{
    heddle_lane lane = hd_block_lane(&r.shared->fail, arena, n_lanes, blockIdx.x);
    hd_head head, next = {0, 0, 0, 0};
    uint32_t i, n_ready = 0, n_ends = 0, dead = 0;
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

/* ---- dynamic dispatch: the scheduling warp ---- */

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

/* ---- dispatch plan ---- */

/* The host is told what the lanes are at, and what is waited for, HD_NONE: for no task. */
static __device__ __forceinline__ void hd_plan_tell(const hd_run &r, hd_plan_block *b, uint32_t waits, uint32_t need)
{
    uint32_t began = hd_word(&b->began);
    if ((threadIdx.x & 31u) != 0 || !r.now)
        return;
    if (began && hd_word(&b->ended) < began)
        hd_now_task(r, b->record[hd_slot_of(b, began - 1u)].task);
    if (waits != HD_NONE)
        hd_now_waits(r, waits, HD_LOAD(&r.count[waits], RELAXED, DEV) - (b->run - 1u) * need, need);
}
static __device__ __forceinline__ void hd_plan_told(const hd_run &r)
{
    if ((threadIdx.x & 31u) != 0)
        return;
    hd_now_task(r, HD_NONE);
    hd_now_waits(r, HD_NONE, 0, 0);
}

#define HD_TELL_POLLS 8192u

/* The fetching warp waits until a word of the block has reached `least`. 0: the run stops; asked only after a while, and
 * waited for all the same. */
static __device__ __forceinline__ int hd_plan_await(const hd_run &r, hd_plan_block *b, const uint32_t *word,
                                                    uint32_t least)
{
    uint32_t polls;
#pragma unroll 1
    for (polls = 0; (int32_t)(hd_word(word) - least) < 0; polls++) {
        if (polls == HD_TELL_POLLS)
            hd_plan_tell(r, b, HD_NONE, 0);
        hd_word_pause(polls);
    }
    if (polls > HD_TELL_POLLS)
        hd_plan_told(r);
    return polls <= HD_FEW_POLLS || hd_stopped(&r) == HD_STOP_NOT;
}

#define HD_LOOKS 64u /* between two looks at the stop word */

/* While the lanes are in a body, or others share the SM: few looks, because loads that are under way hold up the fence of a
 * release, and none that acquires before it must, because that empties the cache which the body uses. 1: ready; 0: not
 * yet, or the body has ended. */
static __device__ __forceinline__ int hd_plan_look_busy(const hd_run &r, hd_plan_block *b, hd_goal g, uint32_t i)
{
    uint32_t k;
#pragma unroll 1
    for (k = 0; k < HD_LOOKS; k++) {
        if (hd_goal_seems_reached(g) && hd_goal_reached(g))
            return 1;
        if (hd_word(&b->ended) < i)
            __nanosleep(64);
        else if (!r.crowded)
            return 0;
    }
    return 0;
}

/* While they have nothing to do: as many as can be. */
static __device__ __forceinline__ int hd_plan_look_idle(hd_goal g)
{
    uint32_t k;
#pragma unroll 1
    for (k = 0; k < HD_LOOKS; k++)
        if (hd_goal_reached(g))
            return 1;
    return 0;
}

/* The fetching warp waits until step i is ready. 0: the run stops. */
static __device__ __forceinline__ int hd_plan_wait(const hd_run &r, hd_plan_block *b, uint32_t task, uint32_t need,
                                                   uint32_t i)
{
    const hd_goal g = hd_goal_of(&r, b->run, task, need);
    uint32_t polls;
    int go;
#pragma unroll 1
    for (polls = 0;; polls += HD_LOOKS) {
        go = r.crowded || hd_word(&b->ended) < i ? hd_plan_look_busy(r, b, g, i) : hd_plan_look_idle(g);
        if (go || (polls && hd_stopped(&r) != HD_STOP_NOT)) /* the first time may have been short */
            break;
        if (polls == HD_TELL_POLLS)
            hd_plan_tell(r, b, task, need);
        if (polls > 1024u)
            HD_PAUSE(0);
    }
    if (polls > HD_TELL_POLLS)
        hd_plan_told(r);
    return __all_sync(0xffffffffu, go);
}

/* Steps of a batch, as bits 0, 8, 16, 24: what the first 16 bytes of each say. */
typedef struct hd_batch {
    uint32_t waits, ends, last, joins, plain;
    uint4 first;
} hd_batch;

static __device__ __forceinline__ hd_batch hd_batch_of(uint4 part)
{
    const int first = (threadIdx.x & 7u) == 0;
    const hd_head head = hd_head_in(part);
    hd_batch s;
    s.first = part;
    s.waits = __ballot_sync(0xffffffffu, first && part.z != 0u);
    s.ends = __ballot_sync(0xffffffffu, first && head.has_end);
    s.last = __ballot_sync(0xffffffffu, first && head.task == HD_NONE);
    s.joins = __ballot_sync(0xffffffffu, first && head.body == HD_BODY_JOIN);
    s.plain = __ballot_sync(0xffffffffu, first && head.plain) & ~1u;
    return s;
}

/* What the fetching warp has handed over: how many steps, the last of these but one, and how many of them have an end. */
typedef struct hd_handed {
    uint32_t n, last, last_but_one, n_ends;
} hd_handed;

/* Waits for step i, which is at `bit` of its batch, and for barriers to be free. 0: it does not run. */
static __device__ __forceinline__ int hd_plan_hand_over(const hd_run &r, hd_plan_block *b, const hd_batch *s,
                                                        uint32_t bit, uint32_t i, hd_handed *h)
{
    int go = !(s->last >> bit & 1u);
    if (h->n > 1u)
        go &= hd_plan_await(r, b, &b->began, h->last_but_one + 1u); /* READY of the last but one is over */
    if (h->n_ends > 1u)
        go &= hd_plan_await(r, b, &b->n_counted, h->n_ends - 1u); /* and so is DONE of the last but one */
    go = __all_sync(0xffffffffu, go);
    h->n++;
    h->last_but_one = h->last;
    h->last = i;
    h->n_ends += s->ends >> bit & 1u;
    if (go && (s->waits >> bit & 1u))
        go = hd_plan_wait(r, b, __shfl_sync(0xffffffffu, s->first.y, (int)bit),
                          __shfl_sync(0xffffffffu, s->first.z, (int)bit), i);
    return go;
}

/* Step i does not run, and none after it. */
static __device__ __forceinline__ void hd_plan_over(const hd_run &r, hd_plan_block *b, uint32_t i, uint32_t n_tasks,
                                                    const hd_handed *h, uint32_t n_lanes)
{
    if ((threadIdx.x & 31u) == 0) {
        b->record[hd_slot_of(b, i)].task = HD_NONE;
        b->n_tasks = n_tasks;
        hd_set_word(&b->over, i);
    }
    __syncwarp();
    hd_ready_arrive(h->n - 1u, n_lanes + 32u);
    (void)hd_plan_await(r, b, &b->began, i + 1u); /* who else would tell the host of a long last body? */
}

/* The fetching warp. */
template <int TRACE>
static __device__ __forceinline__ void hd_plan_fetch(const hd_run &r, hd_plan_block *b, uint32_t n_lanes)
{
    const uint32_t lane = threadIdx.x & 31u;
    const uint4 *at = (const uint4 *)(r.steps + r.lists[blockIdx.x]) + lane;
    hd_handed h = {0, 0, 0, 0};
    uint32_t base, i, n_tasks = 0, stop = 0;
    uint4 part = *at;
    for (base = 0;; base += HD_PLAN_BATCH) {
        hd_batch s = hd_batch_of(part);
        if (base >= HD_PLAN_SLOTS) { /* the batch before the last has been run and read */
            stop |= !hd_plan_await(r, b, &b->began, base - HD_PLAN_BATCH + 1u);
            stop |= !hd_plan_await(r, b, &b->walked, base - HD_PLAN_BATCH);
        }
        ((uint4 *)&b->record[hd_slot_of(b, base)])[lane] = part;
        if (TRACE && lane < HD_PLAN_BATCH)
            b->ready[hd_slot_of(b, base + lane)] = 0; /* so it stays for plain steps, which nobody waits with */
        __syncwarp();
        if (lane == 0)
            hd_set_word(&b->filled, base + HD_PLAN_BATCH);
        if (__shfl_sync(0xffffffffu, stop, 0))
            s.last |= 1u;
        if (!s.last) {
            at += 32;
            part = *at; /* comes while this batch is handed over */
            stop = hd_stopped(&r);
        }
        for (i = base; i < base + HD_PLAN_BATCH; i++) {
            const uint32_t bit = 8u * (i - base), plain = s.plain >> bit & 1u;
            if (!plain && !hd_plan_hand_over(r, b, &s, bit, i, &h)) {
                hd_plan_over(r, b, i, n_tasks, &h, n_lanes);
                return;
            }
            n_tasks += !(s.joins >> bit & 1u);
            if (plain)
                continue;
            if (TRACE && lane == 0)
                b->ready[hd_slot_of(b, i)] = hd_clock();
            __syncwarp();
            hd_ready_arrive(h.n - 1u, n_lanes + 32u);
        }
    }
}

/* The counting warp, in a batch that is in its slots: 0 when the steps are over. */
static __device__ __forceinline__ int hd_plan_count(const hd_run &r, hd_plan_block *b, uint32_t base, uint32_t *n_ends,
                                                    uint32_t n_lanes)
{
    const uint32_t lane = threadIdx.x & 31u;
    const hd_batch s = hd_batch_of(((const uint4 *)&b->record[hd_slot_of(b, base)])[lane]);
    uint32_t left;
    uint4 said; /* failed[2], over */
    for (left = s.ends | s.last; left; left &= left - 1u) {
        const uint32_t i = base + hd_lowest(left) / 8u;
        const hd_step *step = &b->record[hd_slot_of(b, i)];
        const uint32_t mine = hd_step_mine(&r, step);
        if (s.last >> hd_lowest(left) & 1u)
            return 0;
        hd_done_sync(*n_ends, n_lanes + 32u);
        said = *(const uint4 *)b->failed;
        if (said.z <= i)
            return -1;
        if (!(said.x | said.y)) { /* else it failed, or did not run */
            hd_plan_release(&r, step, mine);
            if (lane == 0 && (step->flags & HD_TASK_WATCH))
                hd_tell_watcher(r, step->watch, b->run);
        }
        ++*n_ends;
        __syncwarp();
        if (lane == 0)
            hd_mark(&b->n_counted, *n_ends);
    }
    return 1;
}

/* The counting warp. */
static __device__ __forceinline__ void hd_plan_finish(const hd_run &r, hd_plan_block *b, uint32_t n_lanes)
{
    const uint32_t lane = threadIdx.x & 31u;
    uint32_t base, polls, n_ends = 0;
    int on = 1;
    for (base = 0; on > 0; base += HD_PLAN_BATCH) {
#pragma unroll 1
        for (polls = 0; hd_word(&b->filled) <= base && hd_word(&b->over) == HD_NONE; polls++)
            hd_word_pause(polls);
        on = __shfl_sync(0xffffffffu, hd_word(&b->filled), 0) > base ? hd_plan_count(r, b, base, &n_ends, n_lanes) : 0;
        if (on > 0 && lane == 0)
            hd_set_word(&b->walked, base + HD_PLAN_BATCH);
    }
    if (on == 0) /* else it has met there */
        hd_done_sync(n_ends, n_lanes + 32u);
    if (lane == 0) {
        hd_tally tally = {b->n_tasks, 0, 0, 0, 0, 0, b->n_events, b->n_dropped, 0};
        r.tallies[blockIdx.x] = tally;
        hd_block_leave(r, b->run, hd_leave(&r));
    }
}

template <typename Bodies, int TRACE> __global__ void hd_planned(const __grid_constant__ hd_run r)
{
    extern __shared__ __align__(128) unsigned char hd_arena[];
    __shared__ hd_plan_block b;
    const uint32_t n_lanes = blockDim.x - 64u;
    if (threadIdx.x == 0) {
        b.failed[0] = b.failed[1] = b.began = b.ended = b.filled = b.walked = b.n_counted = 0;
        b.n_tasks = b.n_events = b.n_dropped = 0;
        b.over = HD_NONE;
        b.left = TRACE ? hd_clock() : 0;
        b.run = HD_LOAD(&r.shared->run, RELAXED, DEV);
        hd_block_came(r, b.run);
    }
    __syncthreads();
    if (threadIdx.x < n_lanes)
        hd_lanes<Bodies, TRACE>(r, &b, hd_arena, n_lanes);
    else if (threadIdx.x < n_lanes + 32u)
        hd_plan_fetch<TRACE>(r, &b, n_lanes);
    else
        hd_plan_finish(r, &b, n_lanes);
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
