/* SPDX-License-Identifier: MIT */
/* core/planned.h - the persistent kernel of dispatch plan. One warp of a block fetches steps, four at a time, and waits
 * until they are ready; another counts the successors of steps that have ended. nvcc only.
 *
 * What passes between two bodies happens while a body runs:
 *
 *     scheduling warps                     team
 *     record into a slot
 *     arrive READY(i)     ------------>    sync READY(i); the body
 *     sync DONE(k)        <------------    arrive DONE(k), where successors are to be counted
 *
 * READY(i) also ends the body before: all threads meet there. Barriers come in pairs, for even and odd numbers; a warp
 * makes sure that a barrier's last round is over before it arrives. */
#ifndef HEDDLE_CORE_PLANNED_H
#define HEDDLE_CORE_PLANNED_H

#include "heddle/core/block.h"
#include "heddle/core/plan.h"

/* ---- the block ---- */

#define HD_PLAN_BATCH 4u /* steps that a warp fetches with one load */
#define HD_PLAN_SLOTS (2u * HD_PLAN_BATCH)

typedef struct __align__(128) hd_plan_block
{
    hd_step record[HD_PLAN_SLOTS];
    uint32_t failed[2];      /* body i sets failed[i & 1]; one load reads it, `over` and `began`       */
    uint32_t over;           /* the step that does not run: the list ends there, or the run was stopped */
    uint32_t began, ended;   /* by thread 0: steps that it has begun, ended                            */
    uint32_t filled, walked; /* steps that are in their slots; steps that the counting warp has read    */
    uint32_t n_counted;      /* steps counted so far, of those with an end                              */
    uint32_t run, n_tasks, n_events, n_dropped;
    uint64_t left, begin[HD_PLAN_SLOTS], end[HD_PLAN_SLOTS], ready[HD_PLAN_SLOTS]; /* tracing              */
}
hd_plan_block;

static __device__ __forceinline__ uint32_t hd_slot_of(const hd_plan_block *, uint32_t i) { return i % HD_PLAN_SLOTS; }
/* What the team must know of a step: its task, its body, whether its end is to be counted or reported, and whether it
 * is plain. A plain step waits for no other worker and none waits for it, so the team goes on to it by itself. Only
 * within a batch: its first step is handed over when all are in their slots. */
typedef struct hd_head {
    uint32_t task, body, has_end, plain;
} hd_head;
/* From a step's first 16 bytes. */
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
static __device__ __forceinline__ hd_head hd_head_after(const hd_plan_block *b, uint32_t i)
{
    hd_head none = {0, 0, 0, 0};
    return (i + 1u) % HD_PLAN_BATCH ? hd_head_of(b, i + 1u) : none;
}
/* Lane 0, tracing. */
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

/* The team. All threads read a word of `failed` between two barriers, where no body writes it. */
template <typename Bodies, int TRACE>
static __device__ __forceinline__ void hd_plan_team(const hd_run &r, hd_plan_block *b, void *arena, uint32_t team_size)
{
    heddle_thread thread = hd_block_thread(&r.control->fail, arena, team_size, blockIdx.x);
    hd_head head, next = {0, 0, 0, 0};
    uint32_t i, n_ready = 0, n_ends = 0, dead = 0;
    for (i = 0;; i++) {
        const uint32_t slot = hd_slot_of(b, i);
        if (next.plain) {
            hd_bar_team(team_size);
            head = next;
        } else {
            hd_ready_sync(n_ready++, team_size + 32u);
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
        thread.task = head.task;
        thread.failed = &b->failed[i & 1u];
        if (head.body != HD_BODY_JOIN && !dead)
            Bodies()(&thread, head.body, r.params, hd_step_args(&r, &b->record[slot]));
        if (TRACE)
            hd_bar_team(team_size);
        if (threadIdx.x == 0) {
            if (TRACE) {
                b->end[slot] = hd_clock();
                hd_note_task(r, b, slot);
            }
            hd_mark(&b->ended, i + 1u);
        }
        if (head.has_end)
            hd_done_arrive(n_ends++, team_size + 32u);
    }
    hd_done_arrive(n_ends, team_size + 32u);
}

/* ---- the fetching warp ---- */

/* One lane, after the barrier that ends the body of a watched task: makes its outputs visible to the host. */
static __device__ __forceinline__ void hd_tell_watcher(const hd_run &r, uint32_t watch, uint32_t run)
{
    HD_STORE(&r.watched[watch], run, RELEASE, SYS);
}

/* Tells the host which task the team runs, and which one is waited for, HD_NONE: none. */
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

/* The fetching warp waits until a word of the block has reached `least`. 0: the run stops. It loads the stop word only
 * after a while, and does not wait less for it. */
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

#define HD_LOOKS 64u /* looks at a counter between two looks at the stop word */

/* While the team is in a body, or others share the SM. Few loads, because loads under way hold up the fence of a
 * release. No acquire before the counter seems to be reached, because it empties the cache that the body uses. 1:
 * ready; 0: not yet, or the body has ended. */
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

/* While the team has nothing to do: as many looks as possible. */
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

/* Steps of a batch, as bits 0, 8, 16, 24, by the first 16 bytes of each. */
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

/* What the fetching warp has handed over: the number of steps, the last and the last but one, and how many have an end. */
typedef struct hd_handed {
    uint32_t n, last, last_but_one, n_ends;
} hd_handed;

/* Waits for step i, which is at `bit` of its batch, and for barriers to be free. 0: the step does not run. */
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
                                                    const hd_handed *h, uint32_t team_size)
{
    if ((threadIdx.x & 31u) == 0) {
        b->record[hd_slot_of(b, i)].task = HD_NONE;
        b->n_tasks = n_tasks;
        hd_set_word(&b->over, i);
    }
    __syncwarp();
    hd_ready_arrive(h->n - 1u, team_size + 32u);
    (void)hd_plan_await(r, b, &b->began, i + 1u); /* while waiting it reports a long last body to the host */
}

/* The fetching warp. */
template <int TRACE>
static __device__ __forceinline__ void hd_plan_fetch(const hd_run &r, hd_plan_block *b, uint32_t team_size)
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
            b->ready[hd_slot_of(b, base + lane)] = 0; /* stays 0 for plain steps, which no warp waits for */
        __syncwarp();
        if (lane == 0)
            hd_set_word(&b->filled, base + HD_PLAN_BATCH);
        if (__shfl_sync(0xffffffffu, stop, 0))
            s.last |= 1u;
        if (!s.last) {
            at += 32;
            part = *at; /* arrives while this batch is handed over */
            stop = hd_stopped(&r);
        }
        for (i = base; i < base + HD_PLAN_BATCH; i++) {
            const uint32_t bit = 8u * (i - base), plain = s.plain >> bit & 1u;
            if (!plain && !hd_plan_hand_over(r, b, &s, bit, i, &h)) {
                hd_plan_over(r, b, i, n_tasks, &h, team_size);
                return;
            }
            n_tasks += !(s.joins >> bit & 1u);
            if (plain)
                continue;
            if (TRACE && lane == 0)
                b->ready[hd_slot_of(b, i)] = hd_clock();
            __syncwarp();
            hd_ready_arrive(h.n - 1u, team_size + 32u);
        }
    }
}

/* The counting warp, for a batch that is in its slots. 0: the steps are over; -1: they were stopped here. */
static __device__ __forceinline__ int hd_plan_count(const hd_run &r, hd_plan_block *b, uint32_t base, uint32_t *n_ends,
                                                    uint32_t team_size)
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
        hd_done_sync(*n_ends, team_size + 32u);
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
static __device__ __forceinline__ void hd_plan_finish(const hd_run &r, hd_plan_block *b, uint32_t team_size)
{
    const uint32_t lane = threadIdx.x & 31u;
    uint32_t base, polls, n_ends = 0;
    int on = 1;
    for (base = 0; on > 0; base += HD_PLAN_BATCH) {
#pragma unroll 1
        for (polls = 0; hd_word(&b->filled) <= base && hd_word(&b->over) == HD_NONE; polls++)
            hd_word_pause(polls);
        on =
            __shfl_sync(0xffffffffu, hd_word(&b->filled), 0) > base ? hd_plan_count(r, b, base, &n_ends, team_size) : 0;
        if (on > 0 && lane == 0)
            hd_set_word(&b->walked, base + HD_PLAN_BATCH);
    }
    if (on == 0) /* else it has met there */
        hd_done_sync(n_ends, team_size + 32u);
    if (lane == 0) {
        hd_tally tally = {b->n_tasks, 0, 0, 0, 0, 0, b->n_events, b->n_dropped, 0, 0, 0, 0};
        r.tallies[blockIdx.x] = tally;
        hd_block_leave(r, b->run, hd_leave(&r));
    }
}

template <typename Bodies, int TRACE> __global__ void hd_planned(const __grid_constant__ hd_run r)
{
    HD_BLOCK_ARENA(hd_arena);
    HD_BLOCK_SHARED(hd_plan_block, b);
    const uint32_t team_size = blockDim.x - 64u;
    if (threadIdx.x == 0) {
        b.failed[0] = b.failed[1] = b.began = b.ended = b.filled = b.walked = b.n_counted = 0;
        b.n_tasks = b.n_events = b.n_dropped = 0;
        b.over = HD_NONE;
        b.left = TRACE ? hd_clock() : 0;
        b.run = HD_LOAD(&r.control->run, RELAXED, DEV);
        hd_block_came(r, b.run);
    }
    __syncthreads();
    if (threadIdx.x < team_size)
        hd_plan_team<Bodies, TRACE>(r, &b, hd_arena, team_size);
    else if (threadIdx.x < team_size + 32u)
        hd_plan_fetch<TRACE>(r, &b, team_size);
    else
        hd_plan_finish(r, &b, team_size);
}

#endif
