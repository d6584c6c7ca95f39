/* SPDX-License-Identifier: MIT */
/* core/dynamic.h - the persistent kernel of all dispatches but plan: one warp of a block takes the next task
 * and counts the successors of the last one. nvcc only. */
#ifndef HEDDLE_CORE_DYNAMIC_H
#define HEDDLE_CORE_DYNAMIC_H

#include "heddle/core/block.h"
#include "heddle/core/central.h"
#include "heddle/core/iqs.h"
#include "heddle/core/scheduler.h"
#include "heddle/core/ticket.h"

/* The same address, of which the compiler does not know where it comes from: else it works it out anew at each use. */
static __device__ __forceinline__ hd_dynamic_block *hd_where(hd_dynamic_block *b)
{
#if defined(HEDDLE_MODEL)
    return b;
#else
    uint32_t at = (uint32_t)__cvta_generic_to_shared(b);
    asm volatile("" : "+r"(at));
    return (hd_dynamic_block *)__cvta_shared_to_generic(at);
#endif
}

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

/* What a worker finds when it looks at all its words at once, one in each of some lanes: one trip to memory. Lanes from
 * HD_LANE_LOOK on look at the counters of the successors of the task that runs. */
#define HD_SEES_STOP 0x10u
#define HD_SEES_URGENT 0x20u
#define HD_SEES_NORMAL 0x40u
#define HD_SEES_SEED 0x80u
#define HD_SEES_ASKING 0x100u
#define HD_SEES_BOX 0x200u
#define HD_LANE_RINGS 5u      /* the lanes of the two rings begin here                       */
#define HD_LANES_NEAR 0xfc0fu /* they look whether neighbours have nothing to do, if the policy keeps a task */
#define HD_LANE_BOX 9u        /* the lane that looks into its box                            */
#define HD_LANE_LOOK 16u

#define HD_AT_ONCE 16u /* successors of a task that are counted at once, lane k the k-th */

#define HD_MODE_KEEPS 1u  /* the policy keeps a task                        */
#define HD_MODE_AHEAD 2u  /* also before the worker is finished with the last */
#define HD_MODE_URGENT 4u /* some tasks are urgent                           */
#define HD_MODE_ROOM 8u   /* rings are never full                            */

/* What the scheduling warp knows of its worker beside what is in shared memory; all lanes have the same, unless said. */
typedef struct hd_turn {
    uint32_t run, id, lane, mode;
    uint32_t *at;   /* each lane's: its word                                                     */
    uint32_t looks; /* bits of those that have one; the others look at the stop word             */
    uint32_t none;  /* each lane's: what the word is when there is nothing, beside 0             */
    uint32_t word;  /* each lane's: what it was; on its way until somebody uses it               */
    /* Of the task that begun last: */
    uint32_t what, n_succ;    /* its body and flags                                              */
    hd_edge edge;             /* lane k's and lane HD_LANE_LOOK + k's: its k-th successor        */
    uint32_t direct, counted; /* bits of these: it is their only predecessor, or one of several  */
    uint32_t unseen;          /* bits of those whose counter has not been looked at              */
    uint4 part;               /* the records of the first four, eight lanes each                 */
    uint32_t is_ahead;        /* these, and the words, were asked for before it began            */
    uint32_t blind;           /* where bodies spawn: bits of the words that were not looked at    */
    /* Of the worker: */
    uint32_t drawn;                   /* lane 0's: the ticket                                    */
    uint32_t open;                    /* its box is                                              */
    uint32_t n_done, n_tasks, n_sure; /* not yet in shared memory                                */
} hd_turn;

/* What was found out about the successors of a task while its body ran: bits of those for whom it is the only task that they
 * wait for, or the last; which one runs already, or HD_NONE. The rest as above. */
typedef struct hd_found {
    uint32_t what, n_succ;
    hd_edge edge;
    uint32_t direct, counted, known, sure;
} hd_found;

static __device__ __forceinline__ uint32_t *hd_head_slot(const hd_run &r, const hd_worker *w, uint32_t which)
{
    return &hd_ring_slots(&r, 2u * w->id + which)[w->head[which] & (r.n_slots - 1u)];
}

/* Where this lane looks. */
static __device__ __forceinline__ uint32_t *hd_word_of(const hd_run &r, const hd_worker *w, uint32_t lane)
{
    switch (lane) {
    case 4: return &r.shared->fail.stop;
    case 5: return r.has_urgent ? hd_head_slot(r, w, 0) : nullptr;
    case 6: return hd_head_slot(r, w, 1);
    case 7: return &r.shared->seed;
    case 8: return hd_policy_shares(r.policy) ? &r.shared->asking : nullptr;
    case HD_LANE_BOX: return r.boxes ? &r.boxes[w->id] : nullptr;
    default: break;
    }
    if (!(HD_LANES_NEAR >> lane & 1u) || !r.boxes || !hd_policy_keeps(r.policy) || lane >= r.n_workers)
        return nullptr;
    return &r.boxes[hd_near(&r, hd_policy_first(&r, w->id, 0, 0), lane)];
}

static __device__ __forceinline__ void hd_look_where(const hd_run &r, const hd_worker *w, hd_turn *a)
{
    uint32_t *at = hd_word_of(r, w, a->lane);
    a->looks = __ballot_sync(0xffffffffu, at != nullptr) & ~HD_LANES_NEAR;
    a->at = at ? at : &r.shared->fail.stop;
}

template <uint32_t DISPATCH> static __device__ __forceinline__ hd_turn hd_turn_of(const hd_run &r, const hd_worker *w)
{
    hd_turn a = {};
    a.run = w->run;
    a.id = w->id;
    a.lane = threadIdx.x & 31u;
    a.mode = hd_policy_keeps(r.policy) ? HD_MODE_KEEPS : 0u;
    if (a.mode == HD_MODE_KEEPS && !r.has_urgent && !r.has_placed)
        a.mode |= HD_MODE_AHEAD;
    a.mode |= (r.has_urgent ? HD_MODE_URGENT : 0u) | (hd_never_full(&r) ? HD_MODE_ROOM : 0u);
    if (DISPATCH == HD_DISPATCH_DISTRIBUTED)
        hd_look_where(r, w, &a);
    a.none = a.lane == 8u ? w->id + 1u : a.lane == HD_LANE_BOX ? HD_BOX_OPEN : 0u;
    return a;
}

/* Always a load and nothing else: who puts a value aside for where there is none waits for it there. */
static __device__ __forceinline__ void hd_look(hd_turn *a) { a->word = HD_LOAD(a->at, RELAXED, DEV); }

/* The same for who looks again and again: at words that all workers share only now and then, or they would all wait there.
 * Returns what it is blind for. */
static __device__ __forceinline__ uint32_t hd_look_again(hd_turn *a, uint32_t polls)
{
    const uint32_t blind = polls & 3u ? HD_SEES_STOP | HD_SEES_SEED | HD_SEES_ASKING : 0u;
    if (!((blind | HD_LANES_NEAR) >> a->lane & 1u))
        a->word = HD_LOAD(a->at, RELAXED, DEV);
    return blind;
}

/* Of the words of all lanes: HD_SEES_..., and, shifted by HD_LANE_LOOK, for whose counters this task is the last. */
static __device__ __forceinline__ uint32_t hd_sees_all(const hd_run &r, const hd_turn *a)
{
    int yes = a->word != 0u && a->word != a->none;
    if (a->lane >= HD_LANE_LOOK)
        yes = hd_is_counted(a->edge) && a->word + 1u == a->run * (a->edge.need & HD_NEED_MASK);
    if (a->lane == 7u)
        yes = a->word < r.n_roots;
    return __ballot_sync(0xffffffffu, yes);
}
/* Without those who ask, where there is nothing to give. */
static __device__ __forceinline__ uint32_t hd_minds(const hd_worker *w, uint32_t sees)
{
    if ((sees & (HD_SEES_ASKING | HD_SEES_NORMAL)) == HD_SEES_ASKING && w->list == HD_NONE && w->seed == w->seed_end)
        sees &= ~HD_SEES_ASKING;
    return sees;
}
static __device__ __forceinline__ uint32_t hd_sees(const hd_run &r, const hd_worker *w, const hd_turn *a)
{
    return hd_minds(w, hd_sees_all(r, a) & a->looks);
}

/* A body begins: what will probably be wanted when it ends is asked for. */
template <uint32_t DISPATCH>
static __device__ __forceinline__ void hd_ask_ahead(const hd_run &r, const hd_task *task, hd_turn *a)
{
    const uint4 head = *(const uint4 *)task;
    const uint32_t k = a->lane & (HD_AT_ONCE - 1u), n = head.z;
    a->what = head.x;
    a->n_succ = n;
    if constexpr (DISPATCH != HD_DISPATCH_DISTRIBUTED)
        return;
    if (!a->is_ahead) {
        hd_look(a);
        if ((a->mode & HD_MODE_KEEPS) && a->lane / 8u < n)
            a->part = hd_fetch(hd_task_at(&r, task->first[a->lane / 8u].task));
    }
    a->edge.task = a->edge.need = 0;
    if (k < n)
        a->edge = k < HD_INLINE_SUCC ? task->first[k] : r.edges[head.w + (k - HD_INLINE_SUCC)];
    a->direct = __ballot_sync(0xffffffffu, (a->edge.need & HD_NEED_MASK) == 1u) >> HD_LANE_LOOK;
    a->counted = a->unseen = __ballot_sync(0xffffffffu, hd_is_counted(a->edge)) >> HD_LANE_LOOK;
    a->is_ahead = 0;
}

/* The same as soon as the record of that task is there, from lane `from` on: it goes into its slot, and gives way to those of
 * its successors. */
static __device__ __forceinline__ void hd_ask_early(const hd_run &r, void *slot, uint32_t from, hd_turn *a)
{
    const uint32_t n = __shfl_sync(0xffffffffu, a->part.z, (int)from), k = a->lane / 8u < n ? a->lane / 8u : 0u;
    const uint32_t even = __shfl_sync(0xffffffffu, a->part.x, (int)(from + 2u + k / 2u));
    const uint32_t odd = __shfl_sync(0xffffffffu, a->part.z, (int)(from + 2u + k / 2u));
    if (a->lane - from < 8u)
        ((uint4 *)slot)[a->lane - from] = a->part;
    a->part = hd_fetch(hd_task_at(&r, n == 0u ? 0u : k & 1u ? odd : even));
    hd_look(a);
    a->is_ahead = 1;
    __syncwarp();
}

/* The counters of its successors are looked at, unless that was done in passing. Acquire: the last predecessor may keep the
 * task. */
static __device__ __forceinline__ void hd_ask_counts(const hd_run &r, hd_turn *a)
{
    if (a->unseen && a->lane >= HD_LANE_LOOK && hd_is_counted(a->edge))
        a->word = a->mode & HD_MODE_KEEPS ? HD_LOAD(&r.count[a->edge.task], ACQUIRE, DEV)
                                          : HD_LOAD(&r.count[a->edge.task], RELAXED, DEV);
    a->unseen = 0;
}

/* And where no body runs. */
template <uint32_t DISPATCH> static __device__ __forceinline__ void hd_ask_first(const hd_run &r, hd_turn *a)
{
    if constexpr (DISPATCH == HD_DISPATCH_DISTRIBUTED)
        hd_look(a);
    if constexpr (DISPATCH == HD_DISPATCH_TICKET) {
        a->drawn = a->lane == 0 ? hd_ticket_draw(&r) : 0u;
        a->word = hd_stopped(&r);
    }
}

/* Puts task t into the slot; when it is the k-th of the successors asked for, k < 4, its record has come already. */
static __device__ __forceinline__ void hd_stage(const hd_run &r, hd_dynamic_block *b, uint32_t i, uint32_t t,
                                                uint32_t k, const hd_turn *a)
{
    if (k < HD_INLINE_SUCC)
        hd_keep(&b->record[hd_slot_of(b, i)], a->part, 8u * k);
    else
        hd_keep(&b->record[hd_slot_of(b, i)], hd_fetch(hd_task_at(&r, t)), 0);
}

/* Hands step i over to the lanes; its record is in the slot, unless t is HD_NONE. */
static __device__ __forceinline__ void hd_publish(hd_dynamic_block *b, uint32_t i, uint32_t t, uint32_t n_lanes)
{
    if ((threadIdx.x & 31u) == 0)
        b->number[hd_slot_of(b, i)] = t;
    __syncwarp();
    hd_ready_arrive(i, n_lanes + 32u);
}

/* The task that was seen to be in slot or box `at` as `word`: its record into the slot of step i, and acquired what its
 * predecessors wrote, in one trip to memory. The word is then empty. */
static __device__ __forceinline__ uint32_t hd_take_word(const hd_run &r, hd_dynamic_block *b, uint32_t i, uint32_t *at,
                                                        uint32_t word, const hd_turn *a)
{
    hd_task *record = &b->record[hd_slot_of(b, i)];
    uint32_t t = (word & ~HD_SLOT_DIRECT) - 1u, seen = 0;
    uint4 part = hd_fetch(hd_task_at(&r, t));
    if (a->lane == 8u)
        seen = HD_LOAD(word & HD_SLOT_DIRECT ? at : &r.count[t], ACQUIRE, DEV);
    hd_keep(record, part, 0);
    if (a->lane == 8u) {
        if (!(word & HD_SLOT_DIRECT) && (int32_t)(seen - a->run * record->n_in) < 0)
            hd_acquire(&r, a->run, t); /* coherence showed an older value                     */
        HD_STORE(at, 0u, RELAXED, DEV);
    }
    __syncwarp();
    return t;
}

/* Takes what the lane of HD_SEES_... saw: a ring's head, or its box, which is closed then. */
static __device__ __forceinline__ uint32_t hd_take_seen(const hd_run &r, hd_dynamic_block *b, uint32_t i, uint32_t sees,
                                                        hd_turn *a)
{
    hd_worker *w = &b->worker;
    const uint32_t from = hd_lowest(sees), which = from - HD_LANE_RINGS;
    const uint32_t word = __shfl_sync(0xffffffffu, a->word, (int)from);
    uint32_t *at = sees == HD_SEES_BOX ? &r.boxes[a->id] : hd_head_slot(r, w, which);
    const uint32_t t = hd_take_word(r, b, i, at, word, a);
    if (sees == HD_SEES_BOX) {
        a->open = 0;
        return t;
    }
    if (a->lane == from) {
        hd_ring_moved(&r.cursors[2u * a->id + which], r.late, &w->head[which]);
        a->at = hd_head_slot(r, w, which);
    }
    __syncwarp();
    return t;
}

/* The same of the normal ring where others steal out of it; HD_NONE: they were quicker. */
static __device__ __forceinline__ uint32_t hd_take_first(const hd_run &r, hd_dynamic_block *b, uint32_t i, hd_turn *a)
{
    hd_worker *w = &b->worker;
    uint32_t t = HD_NONE;
    if (a->lane == 0)
        t = hd_take_ring(&r, w, 1);
    t = __shfl_sync(0xffffffffu, t, 0);
    __syncwarp();
    if (a->lane == HD_LANE_RINGS + 1u)
        a->at = hd_head_slot(r, w, 1);
    if (t != HD_NONE)
        hd_stage(r, b, i, t, HD_NONE, a);
    return t;
}

/* Nothing to do, so it may be given something. */
static __device__ __forceinline__ void hd_block_open(const hd_run &r, hd_turn *a)
{
    if (!r.boxes || a->open)
        return;
    if (a->lane == 0)
        HD_STORE(&r.boxes[a->id], HD_BOX_OPEN, RELAXED, DEV);
    a->open = 1;
}

/* Found something elsewhere. */
static __device__ __forceinline__ void hd_block_close(const hd_run &r, hd_worker *w, hd_turn *a)
{
    if (!a->open)
        return;
    if (a->lane == 0)
        hd_close_box(&r, w);
    a->open = 0;
    __syncwarp();
}

/* What has been counted in registers. */
static __device__ __forceinline__ void hd_note_done(hd_worker *w, hd_turn *a)
{
    if (a->lane == 0) {
        w->n_done += a->n_done;
        w->tally.n_tasks += a->n_tasks;
        w->tally.n_kept += a->n_sure;
    }
    a->n_done = a->n_tasks = a->n_sure = 0;
}

/* Gives back what is done. */
static __device__ __forceinline__ void hd_block_settle(const hd_run &r, hd_worker *w, hd_turn *a)
{
    hd_note_done(w, a);
    if (a->lane == 0) {
        hd_settle(&r, w->n_done);
        w->n_done = 0;
    }
}

#define HD_IDLE_PAUSE_MAX 2u /* as HD_PAUSE counts: 128 ns */

/* The polls-th fruitless look, not one of the first: waits a little, or, where the config is polite, longer and longer. */
static __device__ __forceinline__ void hd_idle_pause(const hd_run &r, uint32_t polls)
{
    if (r.polite)
        HD_REST(polls >> 5);
    else
        HD_PAUSE(polls >> 7 < HD_IDLE_PAUSE_MAX ? polls >> 7 : HD_IDLE_PAUSE_MAX);
}

/* Nothing to do, and some looks later still nothing: asks, gives back what is done, waits a little. */
static __device__ __forceinline__ void hd_block_idle(const hd_run &r, hd_worker *w, uint32_t polls, hd_turn *a)
{
    if (polls <= 64u && (polls & 1u))
        return;
    if (polls == 0 && r.events && a->lane == 0)
        w->idle_since = hd_clock();
    if ((polls & 7u) == 2u && hd_policy_shares(r.policy) && a->lane == 0)
        hd_ask(&r, w);
    if (polls == 4u)
        hd_block_settle(r, w, a);
    if (polls > 64u)
        hd_idle_pause(r, polls);
    __syncwarp();
}

#define HD_STEAL_POLLS 4u /* a power of two: fruitless looks from one attempt to steal to the next */

/* Nothing to do: at times tries to steal. Step i, in its slot, or HD_NONE. */
static __device__ __forceinline__ uint32_t hd_block_steal(const hd_run &r, hd_dynamic_block *b, uint32_t i,
                                                          uint32_t polls, hd_turn *a)
{
    uint32_t t = HD_NONE;
    if (polls & (HD_STEAL_POLLS - 1u))
        return t;
    if (a->lane == 0)
        t = hd_take_stolen(&r, &b->worker);
    t = __shfl_sync(0xffffffffu, t, 0);
    if (t != HD_NONE)
        hd_stage(r, b, i, t, HD_NONE, a);
    return t;
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

/* Which of the successors asked for is t: its number, or HD_NONE. */
static __device__ __forceinline__ uint32_t hd_asked(uint32_t t, const hd_turn *a)
{
    uint32_t has = __ballot_sync(0xffffffffu, a->edge.need != 0u && a->edge.task == t);
    return has && (a->mode & HD_MODE_KEEPS) ? hd_lowest(has) : HD_NONE;
}

/* What the look showed and may run at once, into the slot: urgent first; else the kept task and what is in the ring in
 * turns, because nobody else can take either. */
static __device__ __forceinline__ uint32_t hd_take_any(const hd_run &r, hd_dynamic_block *b, uint32_t i, uint32_t sees,
                                                       hd_turn *a)
{
    hd_worker *w = &b->worker;
    uint32_t t;
    uint32_t from = sees & HD_SEES_URGENT ? HD_SEES_URGENT : sees & HD_SEES_BOX;
    if (!from && (sees & HD_SEES_NORMAL) && (w->kept == HD_NONE || w->kept_run >= r.n_local))
        from = HD_SEES_NORMAL;
    __syncwarp();
    if (from == HD_SEES_NORMAL && a->lane == 0)
        w->kept_run = 0;
    if (from && !(from == HD_SEES_NORMAL && r.steals))
        return hd_take_seen(r, b, i, from, a);
    t = from ? hd_take_first(r, b, i, a) : HD_NONE;
    if (t != HD_NONE)
        return t;
    t = hd_take_own(r, w, sees);
    if (t != HD_NONE)
        hd_stage(r, b, i, t, hd_asked(t, a), a);
    return t;
}

/* Has it tasks that passed through no ring? */
static __device__ __forceinline__ uint32_t hd_has_own(const hd_worker *w)
{
    return w->kept != HD_NONE || w->list != HD_NONE || w->seed != w->seed_end;
}

/* The kept task, when nothing else is there to choose from and its record has come: into the slot of step i. */
static __device__ __forceinline__ uint32_t hd_take_kept_now(const hd_run &r, hd_dynamic_block *b, uint32_t i,
                                                            hd_turn *a)
{
    const uint32_t t = b->worker.kept, k = t == HD_NONE ? t : hd_asked(t, a);
    if (k >= HD_INLINE_SUCC)
        return HD_NONE;
    if (a->lane == 0)
        b->worker.kept = HD_NONE;
    hd_ask_early(r, &b->record[hd_slot_of(b, i)], 8u * k, a);
    return t;
}

/* A worker asks: gives, and looks again, because what is given may be what was seen. */
static __device__ __forceinline__ uint32_t hd_give_and_look(const hd_run &r, hd_worker *w, hd_turn *a)
{
    __syncwarp(); /* all lanes have read what lane 0 may change */
    if (a->lane == 0)
        hd_give(&r, w);
    __syncwarp();
    hd_look_where(r, w, a);
    hd_look(a);
    return hd_sees(r, w, a);
}

/* Dispatch distributed: step i, in its slot; HD_NONE: the run is over. There is a look from a while ago. */
static __device__ __forceinline__ uint32_t hd_next_distributed(const hd_run &r, hd_dynamic_block *b, uint32_t i,
                                                               hd_turn *a)
{
    hd_worker *w = &b->worker;
    uint32_t sees = hd_sees(r, w, a), own = hd_has_own(w), polls, t;
    if (own && !(sees & ~HD_SEES_SEED)) {
        t = hd_take_kept_now(r, b, i, a);
        if (t != HD_NONE)
            return t;
    }
#pragma unroll 1
    for (polls = 0;; polls++) {
        if (sees | own) {
            if (sees & HD_SEES_STOP)
                return HD_NONE;
            if (sees & HD_SEES_ASKING)
                sees = hd_give_and_look(r, w, a);
            t = hd_take_any(r, b, i, sees, a);
            if (t != HD_NONE) {
                hd_block_close(r, w, a);
                return t;
            }
            own = 0; /* nothing comes to it but from elsewhere */
        }
        hd_block_open(r, a);
        if (r.steals) {
            t = hd_block_steal(r, b, i, polls, a);
            if (t != HD_NONE) {
                hd_block_close(r, w, a);
                return t;
            }
        }
        sees = ~hd_look_again(a, polls);
        hd_block_idle(r, w, polls, a); /* while it is on its way */
        sees &= hd_sees(r, w, a);
    }
}

/* Dispatch ticket. */
static __device__ __forceinline__ uint32_t hd_next_ticket(const hd_run &r, hd_dynamic_block *b, uint32_t i, hd_turn *a)
{
    uint32_t ticket = __shfl_sync(0xffffffffu, a->drawn, 0), polls, word, *slot = &r.slots[ticket - r.n_roots];
    if (ticket >= r.n_tasks || __shfl_sync(0xffffffffu, a->word, 0) != HD_STOP_NOT)
        return HD_NONE;
    if (ticket < r.n_roots) {
        hd_stage(r, b, i, r.roots[ticket], HD_NONE, a);
        return r.roots[ticket];
    }
#pragma unroll 1
    for (polls = 0;; polls++) {
        word = a->lane == 0 ? HD_LOAD(slot, RELAXED, DEV) : 0u;
        word = __shfl_sync(0xffffffffu, word, 0);
        if (word)
            break;
        if (polls == 0 && r.events && a->lane == 0)
            b->worker.idle_since = hd_clock();
        if ((polls & 15u) == 15u && __shfl_sync(0xffffffffu, hd_stopped(&r), 0) != HD_STOP_NOT)
            return HD_NONE;
        if (polls > 64u)
            hd_idle_pause(r, polls);
    }
    return hd_take_word(r, b, i, slot, word, a);
}

template <uint32_t DISPATCH> static __device__ __forceinline__ uint32_t hd_take_queue(const hd_run &r, hd_worker *w)
{
    if constexpr (DISPATCH == HD_DISPATCH_SCHEDULER)
        return hd_sched_take(&r, w);
    else if constexpr (DISPATCH == HD_DISPATCH_CENTRAL)
        return hd_central_take(&r, w);
    else
        return hd_iqs_take(&r, w);
}

/* The others: a worker looks into its queue, or the one of all. */
template <uint32_t DISPATCH>
static __device__ __forceinline__ uint32_t hd_next_queue(const hd_run &r, hd_dynamic_block *b, uint32_t i, hd_turn *a)
{
    uint32_t polls, t = HD_NONE;
#pragma unroll 1
    for (polls = 0;; polls++) {
        if (__shfl_sync(0xffffffffu, hd_stopped(&r), 0) != HD_STOP_NOT)
            return HD_NONE;
        if (a->lane == 0)
            t = hd_take_queue<DISPATCH>(r, &b->worker);
        t = __shfl_sync(0xffffffffu, t, 0);
        if (t != HD_NONE)
            break;
        hd_block_idle(r, &b->worker, polls, a);
    }
    hd_stage(r, b, i, t, HD_NONE, a);
    return t;
}

template <uint32_t DISPATCH>
static __device__ __forceinline__ uint32_t hd_next_of(const hd_run &r, hd_dynamic_block *b, uint32_t i, hd_turn *a)
{
    if constexpr (DISPATCH == HD_DISPATCH_DISTRIBUTED)
        return hd_next_distributed(r, b, i, a);
    else if constexpr (DISPATCH == HD_DISPATCH_TICKET)
        return hd_next_ticket(r, b, i, a);
    else
        return hd_next_queue<DISPATCH>(r, b, i, a);
}

/* The compiler would copy all this anew wherever a path ends. */
static __device__ __forceinline__ void hd_pin(hd_found *f)
{
    (void)f;
#if !defined(HEDDLE_MODEL)
    asm volatile(""
                 : "+r"(f->what), "+r"(f->n_succ), "+r"(f->edge.task), "+r"(f->edge.need), "+r"(f->direct),
                   "+r"(f->counted));
#endif
}

/* Which successor is sure to be this worker's next task, and may begin before its predecessor is finished: the first that
 * waits for nobody else, now that its counter has been looked at. Its number, or HD_NONE. */
static __device__ __forceinline__ uint32_t hd_sure_of(uint32_t mode, uint32_t kept, const hd_found *f)
{
    const uint32_t known = f->known & ((1u << HD_INLINE_SUCC) - 1u);
    return known && kept == HD_NONE && (mode & HD_MODE_AHEAD) ? hd_lowest(known) : HD_NONE;
}

/* It: into the slot of step i. */
static __device__ __forceinline__ uint32_t hd_take_sure(const hd_run &r, hd_dynamic_block *b, uint32_t i,
                                                        const hd_found *f, hd_turn *a)
{
    hd_ask_early(r, &b->record[hd_slot_of(b, i)], 8u * f->sure, a);
    a->n_sure++;
    return __shfl_sync(0xffffffffu, f->edge.task, (int)f->sure);
}

/* While the body of step i - 1 runs: step i, in its slot, when it is known already. */
template <uint32_t DISPATCH>
static __device__ __forceinline__ uint32_t hd_next_ahead(const hd_run &r, hd_dynamic_block *b, uint32_t i, hd_turn *a,
                                                         hd_found *f)
{
    hd_worker *w = &b->worker;
    uint32_t t = HD_NONE, kept, all;
    f->what = a->what;
    f->sure = HD_NONE;
    if constexpr (DISPATCH != HD_DISPATCH_DISTRIBUTED)
        return HD_NONE;
    kept = w->kept;
    f->n_succ = a->n_succ;
    f->edge = a->edge;
    f->direct = a->direct;
    f->counted = a->counted;
    hd_pin(f);
    hd_ask_counts(r, a);
    all = hd_sees_all(r, a);
    f->known = all >> HD_LANE_LOOK | f->direct;
    if ((hd_minds(w, all & a->looks) & ~HD_SEES_SEED) || ((a->mode & HD_MODE_URGENT) && kept != HD_NONE))
        return HD_NONE;
    f->sure = hd_sure_of(a->mode, kept, f);
    if (f->sure != HD_NONE)
        return hd_take_sure(r, b, i, f, a);
    if (kept == HD_NONE && (w->seed == w->seed_end || r.has_placed || r.has_urgent))
        return HD_NONE;
    __syncwarp();
    if (a->lane == 0)
        t = kept != HD_NONE ? hd_take_kept(w) : hd_take_share(&r, w);
    t = __shfl_sync(0xffffffffu, t, 0);
    hd_stage(r, b, i, t, HD_NONE, a);
    return t;
}

/* Adds 1 to the counters of the successors, also of the one that runs already. In passing the other lanes look at those of
 * the task that begun since: a release costs as much as two trips to memory, so it is done once. Returns bits of the
 * successors that became ready. */
static __device__ __forceinline__ uint32_t hd_count_both(const hd_run &r, const hd_found *f, hd_turn *a)
{
    const uint32_t counts = a->lane < HD_LANE_LOOK, bits = counts ? f->counted : a->unseen << HD_LANE_LOOK;
    const hd_edge e = counts ? f->edge : a->edge;
    uint32_t was = 0;
    if (bits >> a->lane & 1u) {
        was = HD_ADD(&r.count[e.task], counts, ACQ_REL, DEV);
        if (!counts)
            a->word = was;
    }
    a->unseen = 0;
    return __ballot_sync(0xffffffffu, counts && was + 1u == a->run * (e.need & HD_NEED_MASK)) & f->counted;
}

/* Counts the first successors of a task whose body has ended; bits of those that are ready, and do not run yet. When all are
 * known to be, nobody waits for the counters; but what finds no room in a ring goes onto the own list, acquired. */
static __device__ __forceinline__ uint32_t hd_count_first(const hd_run &r, const hd_found *f, hd_turn *a)
{
    const uint32_t all = (2u << (f->n_succ < HD_AT_ONCE ? f->n_succ : HD_AT_ONCE) >> 1) - 1u;
    const uint32_t todo = f->sure == HD_NONE ? all : all & ~(1u << f->sure);
    if (todo & f->counted & ~(a->mode & HD_MODE_ROOM ? f->known : 0u))
        return todo & (hd_count_both(r, f, a) | f->direct);
    if (f->counted >> a->lane & 1u) {
        if (todo & f->counted)
            HD_COUNT(&r.count[f->edge.task], RELEASE, DEV);
        else
            (void)HD_ADD(&r.count[f->edge.task], 1u, RELAXED, DEV);
    }
    return todo;
}

/* The neighbours, as the last look showed them. */
static __device__ __forceinline__ hd_aim hd_aim_near(const hd_run &r, const hd_turn *a)
{
    hd_aim aim = {hd_policy_first(&r, a->id, 0, 0), 0};
    if (HD_LANES_NEAR >> a->lane & 1u && a->lane < r.n_workers)
        aim.box = a->word;
    return aim;
}

static __device__ __forceinline__ void hd_finish_distributed(const hd_run &r, hd_worker *w, const hd_task *task,
                                                             const hd_found *f, hd_turn *a)
{
    uint32_t at = HD_AT_ONCE, bits = 0;
    hd_edge e = f->edge;
    hd_aim aim = hd_aim_none();
    int ready;
    if (f->n_succ)
        bits = hd_count_first(r, f, a);
    if (!bits && f->n_succ <= HD_AT_ONCE)
        return;
    ready = bits >> a->lane & 1u;
    if (a->mode & HD_MODE_KEEPS)
        aim = hd_aim_near(r, a);
#pragma unroll 1
    for (;; at += 32u) {
        hd_place(&r, w, e, ready, f->sure == HD_NONE, aim);
        if (at >= f->n_succ)
            return;
        aim = hd_aim_none();
        e.task = e.need = 0;
        ready = hd_arrive_at(&r, a->run, task, at, &e);
    }
}

template <uint32_t DISPATCH>
static __device__ __forceinline__ void hd_finish_of(const hd_run &r, hd_worker *w, uint32_t t, const hd_task *task,
                                                    const hd_found *f, hd_turn *a)
{
    if constexpr (DISPATCH == HD_DISPATCH_DISTRIBUTED) {
        hd_finish_distributed(r, w, task, f, a);
        a->n_done++;
        a->n_tasks += (f->what & 0xffffu) != HD_BODY_JOIN;
    } else if constexpr (DISPATCH == HD_DISPATCH_TICKET) {
        hd_ticket_finish(&r, w, t, task);
    } else if constexpr (DISPATCH == HD_DISPATCH_SCHEDULER) {
        hd_sched_finish(&r, w, t, task);
    } else if constexpr (DISPATCH == HD_DISPATCH_CENTRAL) {
        hd_central_finish(&r, w, t, task);
    } else {
        hd_iqs_finish(&r, w, t, task);
    }
}

#define HD_LONG_POLLS 512u /* some ten microseconds */

/* Waits for the end of the body of step i. A long one is told of, so that the host knows what hangs. */
static __device__ __forceinline__ void hd_await_body(const hd_run &r, hd_dynamic_block *b, uint32_t i, uint32_t n_lanes)
{
    uint32_t polls;
    if (!r.now || !__any_sync(0xffffffffu, hd_word(&b->ended) == i)) {
        hd_done_sync(i, n_lanes + 32u);
        return;
    }
#pragma unroll 1
    for (polls = 0; polls < HD_LONG_POLLS && __any_sync(0xffffffffu, hd_word(&b->ended) == i); polls++)
        hd_word_pause(polls);
    if (polls == HD_LONG_POLLS && (threadIdx.x & 31u) == 0)
        hd_now_task(r, b->number[hd_slot_of(b, i)]);
    __syncwarp();
    hd_done_sync(i, n_lanes + 32u);
    if (polls == HD_LONG_POLLS && (threadIdx.x & 31u) == 0)
        hd_now_task(r, HD_NONE);
}

/* Step i has run. ahead: the next one runs already, so that nobody waits for this. */
template <uint32_t DISPATCH, int TRACE>
static __device__ __forceinline__ void hd_end_step(const hd_run &r, hd_dynamic_block *b, uint32_t i, const hd_found *f,
                                                   int ahead, hd_turn *a)
{
    const uint32_t slot = hd_slot_of(b, i), t = b->number[slot];
    const hd_task *task = &b->record[slot];
    hd_event *ev = nullptr;
    if (__any_sync(0xffffffffu, b->failed[0] | b->failed[1])) /* it failed, or did not run */
        return;
    if (f->what >> 16 & HD_TASK_WATCH && a->lane == 0)
        hd_tell_watcher(r, task->watch, a->run);
    if (TRACE && (f->what & 0xffffu) != HD_BODY_JOIN && a->lane == 0)
        ev = hd_trace_task(&r, &b->worker, t, b->begin[slot], b->end[slot]);
    hd_finish_of<DISPATCH>(r, &b->worker, t, task, f, a);
    if (TRACE && a->lane == 0) {
        hd_trace_turn(&b->worker, ahead ? nullptr : ev, b->end[slot]);
        if (ahead)
            b->worker.left = b->end[slot];
    }
    __syncwarp();
}

/* A task with one successor that has one predecessor, and nobody watches it. */
static __device__ __forceinline__ int hd_is_link(uint32_t what, uint32_t n_succ, uint32_t direct)
{
    return n_succ == 1u && direct == 1u && !(what >> 16 & HD_TASK_WATCH);
}

/* Along a chain, where nothing has to be counted and nobody else told: all that is left of a turn, and the record after the
 * next is asked for before anything else. f is of step *ended, a of the one after it. Both are links. Returns where
 * something else is to be done. */
static __device__ __forceinline__ void hd_run_along(const hd_run &r, hd_dynamic_block *b, uint32_t *begun,
                                                    uint32_t *ended, uint32_t n_lanes, hd_found *f, hd_turn *a)
{
    int on = 1;
    uint32_t t = __shfl_sync(0xffffffffu, a->edge.task, 0);
#pragma unroll 1
    while (on && !(r.now && __any_sync(0xffffffffu, hd_word(&b->ended) == *ended))) {
        const uint32_t what = __shfl_sync(0xffffffffu, a->part.x, 0), n = __shfl_sync(0xffffffffu, a->part.z, 0);
        const hd_edge next = {__shfl_sync(0xffffffffu, a->part.x, 2), __shfl_sync(0xffffffffu, a->part.y, 2)};
        hd_task *record = &b->record[hd_slot_of(b, *begun)];
        if (hd_sees(r, &b->worker, a) & ~HD_SEES_SEED)
            return;
        on = hd_is_link(what, n, next.need & HD_NEED_MASK);
        if (a->lane < 8u)
            ((uint4 *)record)[a->lane] = a->part;
        a->part = hd_fetch(hd_task_at(&r, on ? next.task : t));
        hd_look(a);
        hd_done_sync((*ended)++, n_lanes + 32u);
        hd_publish(b, (*begun)++, t, n_lanes);
        if (!__any_sync(0xffffffffu, b->failed[0] | b->failed[1])) {
            a->n_done++;
            a->n_tasks += (f->what & 0xffffu) != HD_BODY_JOIN;
        }
        a->n_sure++;
        f->what = a->what;
        f->edge = a->edge;
        t = next.task;
        a->what = what;
        if ((a->lane & (HD_AT_ONCE - 1u)) == 0)
            a->edge = next;
        if (!on)
            hd_ask_ahead<HD_DISPATCH_DISTRIBUTED>(r, record, a);
    }
}

template <uint32_t DISPATCH, int TRACE>
static __device__ __forceinline__ void hd_schedule(const hd_run &r, hd_dynamic_block *b, uint32_t n_lanes)
{
    hd_turn a = hd_turn_of<DISPATCH>(r, &b->worker);
    hd_found found = {};
    uint32_t n_begun = 0, n_ended = 0, next;
    hd_ask_first<DISPATCH>(r, &a);
#pragma unroll 1
    for (;;) {
        const int runs = n_begun != n_ended;
        next = HD_NONE;
        if (!runs)
            next = hd_next_of<DISPATCH>(r, b, n_begun, &a);
        else if (n_begun - n_ended == 1u)
            next = hd_next_ahead<DISPATCH>(r, b, n_begun, &a, &found);
        if (!runs || next != HD_NONE) {
            hd_publish(b, n_begun, next, n_lanes);
            if (next == HD_NONE)
                break;
            hd_ask_ahead<DISPATCH>(r, &b->record[hd_slot_of(b, n_begun)], &a);
            n_begun++;
            continue;
        }
        if (DISPATCH == HD_DISPATCH_DISTRIBUTED && !TRACE && n_begun - n_ended == 2u &&
            hd_is_link(found.what, found.n_succ, found.direct) && hd_is_link(a.what, a.n_succ, a.direct)) {
            hd_run_along(r, b, &n_begun, &n_ended, n_lanes, &found, &a);
            if (n_begun - n_ended == 1u)
                continue;
        }
        hd_await_body(r, b, n_ended, n_lanes);
        if (DISPATCH == HD_DISPATCH_TICKET && !a.n_succ)
            hd_ask_first<DISPATCH>(r, &a); /* comes while the step is finished, unless others wait for that */
        hd_end_step<DISPATCH, TRACE>(r, b, n_ended, &found, n_begun - n_ended > 1u, &a);
        if (DISPATCH == HD_DISPATCH_TICKET && a.n_succ)
            hd_ask_first<DISPATCH>(r, &a);
        n_ended++;
    }
    hd_done_sync(n_begun, n_lanes + 32u);
    hd_note_done(&b->worker, &a);
    if (a.lane == 0) {
        b->worker.open = a.open;
        hd_block_leave(r, b->worker.run, hd_worker_end(&r, &b->worker));
    }
}

/* The block that is no worker, dispatch scheduler: all its threads, turn after turn. */
static __device__ __forceinline__ void hd_schedule_for_all(const hd_run &r, hd_scheduler *s)
{
    hd_sched_begin(&r, s);
#pragma unroll 1
    while (hd_sched_turn(&r, s) != HD_TURN_OVER)
        ;
    if (hd_all_lane() == 0)
        hd_block_leave(r, s->run, hd_leave(&r));
}

#endif
