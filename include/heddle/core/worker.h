/* SPDX-License-Identifier: MIT */
/* core/worker.h - a worker's turn: take, run, finish.
 *
 *     hd_next(r, w)            the next task, or HD_NONE when the run is over   (lane 0)
 *     ... the body, by all lanes, between two barriers ...
 *     hd_finish(r, w, t, ...)  counts the successors, places those that became ready   (one warp)
 *
 * The walk of a task: the worker that counts its last predecessor places it: keeps it, or pushes it into
 * a ring; its taker acquires what the predecessors wrote, runs the body, counts the successors with one
 * releasing read-modify-write each. Nothing else passes between workers.
 *
 * Order of taking: the urgent ring; the kept task; the normal ring; the worker's own list (tasks that
 * found every ring full); a root not yet taken. A worker that keeps task after task looks at its ring
 * first after HD_KEPT_RUN of them, because nobody else can take what is in it.
 *
 * Nothing here waits for another worker except at the head of a ring (a producer between reserving and
 * writing) and for a counter that is known to reach its target. */
#ifndef HEDDLE_CORE_WORKER_H
#define HEDDLE_CORE_WORKER_H

#include "heddle/core/policy.h"
#include "heddle/core/ring.h"
#include "heddle/core/stop.h"

#define HD_KEPT_RUN 1024u
#define HD_SEED_MAX 64u /* roots taken at once, at most                                            */

/* A worker's private state: a thread's stack, a block's shared memory. Lane 0 writes it. */
typedef struct hd_worker {
    uint32_t id;
    uint32_t run;            /* number of this run                                                  */
    uint32_t head[2];        /* ring cursors: urgent, normal                                        */
    uint32_t turn;           /* the counter of policy lrr                                           */
    uint32_t kept;           /* task to run next, or HD_NONE                                        */
    uint32_t kept_run;       /* kept tasks in a row                                                 */
    uint32_t list;           /* own list, or HD_NONE                                                */
    uint32_t seed, seed_end; /* roots taken and not yet run                                       */
    uint32_t n_done;         /* finished and not yet given back                                     */
    hd_tally tally;
    uint64_t left;       /* trace: when the last turn ended                                     */
    uint64_t idle_since; /* trace: when taking first found nothing, 0 = it did not              */
} hd_worker;

/* Prepares w for one run. The ring heads go on from where the last run left them; others may be pushing
 * already. */
HD_FN void hd_worker_begin(const hd_run *r, hd_worker *w, uint32_t id)
{
    hd_tally none = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    w->id = id;
    w->run = HD_LOAD(&r->shared->run, RELAXED, DEV);
    w->head[0] = HD_LOAD(&r->cursors[2 * id].head, RELAXED, DEV);
    w->head[1] = HD_LOAD(&r->cursors[2 * id + 1].head, RELAXED, DEV);
    w->turn = id;
    w->kept = HD_NONE;
    w->kept_run = 0;
    w->list = HD_NONE;
    w->seed = w->seed_end = 0;
    w->n_done = 0;
    w->tally = none;
    w->left = r->events ? hd_clock() : 0;
    w->idle_since = 0;
}

/* Leaves the run: writes down where the rings stand and what was done. 1 to the last one out, which then
 * sees everything all workers wrote and calls hd_rearm. */
HD_FN int hd_worker_end(const hd_run *r, hd_worker *w)
{
    HD_STORE(&r->cursors[2 * w->id].head, w->head[0], RELAXED, DEV);
    HD_STORE(&r->cursors[2 * w->id + 1].head, w->head[1], RELAXED, DEV);
    r->tallies[w->id] = w->tally;
    return hd_leave(r);
}

/* The worker a task is bound to, or HD_NONE. Bound tasks go into that worker's ring and are never given away; whoever
 * loads a graph with such tasks makes the rings as long as the graph, so that they are never full. */
HD_FN uint32_t hd_bound_to(const hd_run *r, uint32_t t)
{
    uint32_t place = r->has_placed ? (uint32_t)hd_task_at(r, t)->flags >> HD_TASK_PLACE : 0u;
    return place ? (place - 1u) % r->n_workers : HD_NONE;
}
HD_FN int hd_bound_elsewhere(const hd_run *r, const hd_worker *w, uint32_t t)
{
    uint32_t at = hd_bound_to(r, t);
    return at != HD_NONE && at != w->id;
}

/* Rings that are never full: see hd_ring_push. */
HD_FN int hd_never_full(const hd_run *r) { return !r->host && r->n_slots >= r->n_tasks; }

HD_FN uint32_t *hd_ring_slots(const hd_run *r, uint32_t ring) { return r->slots + (uint64_t)ring * r->n_slots; }

/* ---- taking -------------------------------------------------------------------------------- */

/* Makes the predecessors' outputs visible for a task from a ring whose slot was written relaxed: its
 * counter is one chain of releasing read-modify-writes. Coherence may show an older value first. */
HD_FN void hd_acquire(const hd_run *r, uint32_t run, uint32_t t)
{
    uint32_t target = run * hd_task_at(r, t)->n_in;
    uint32_t n = 0;
    while ((int32_t)(HD_LOAD(&r->count[t], ACQUIRE, DEV) - target) < 0)
        HD_PAUSE(n++);
}

HD_FN uint32_t hd_take_ring(const hd_run *r, hd_worker *w, uint32_t which)
{
    uint32_t ring = 2u * w->id + which;
    uint32_t word = hd_ring_pop(&r->cursors[ring], hd_ring_slots(r, ring), r->n_slots, &w->head[which]);
    uint32_t t;
    if (!word)
        return HD_NONE;
    t = (word & ~HD_SLOT_DIRECT) - 1u;
    if (!(word & HD_SLOT_DIRECT))
        hd_acquire(r, w->run, t);
    return t;
}

HD_FN uint32_t hd_take_kept(hd_worker *w)
{
    uint32_t t = w->kept;
    w->kept = HD_NONE;
    w->kept_run = t == HD_NONE ? 0u : w->kept_run + 1u;
    return t;
}

HD_FN uint32_t hd_take_list(const hd_run *r, hd_worker *w)
{
    uint32_t t = w->list;
    if (t != HD_NONE)
        w->list = r->link[t];
    return t;
}

/* One lane puts a task into the normal or urgent ring of a worker, direct: what this lane has acquired passes on. */
HD_FN uint32_t hd_hand_over(const hd_run *r, uint32_t t, uint32_t owner, uint32_t which)
{
    uint32_t ring = 2u * owner + which;
    uint32_t said = hd_ring_push(&r->cursors[ring], hd_ring_slots(r, ring), r->n_slots, t, 1, hd_never_full(r));
    if (said == HD_PUSH_WAKE)
        r->host->unpark(r->host->self, owner);
    return said;
}

/* A share of the roots that shrinks as they run out (guided self-scheduling), so that the last ones are
 * spread evenly. */
HD_FN uint32_t hd_take_share(const hd_run *r, hd_worker *w)
{
    uint32_t at, n;
    if (w->seed == w->seed_end) {
        at = HD_LOAD(&r->shared->seed, RELAXED, DEV);
        if (at >= r->n_roots)
            return HD_NONE;
        n = (r->n_roots - at) / (4u * r->n_workers);
        n = n < 1u ? 1u : n > HD_SEED_MAX ? HD_SEED_MAX : n;
        at = HD_ADD(&r->shared->seed, n, RELAXED, DEV);
        if (at >= r->n_roots)
            return HD_NONE;
        w->seed = at;
        w->seed_end = r->n_roots - at < n ? r->n_roots : at + n;
    }
    return r->roots[w->seed++];
}

/* A root for this worker; roots bound to others are passed on to them. */
HD_SELDOM_FN uint32_t hd_take_seed(const hd_run *r, hd_worker *w)
{
    uint32_t t;
    do
        t = hd_take_share(r, w);
    while (t != HD_NONE && hd_bound_elsewhere(r, w, t) && hd_hand_over(r, t, hd_bound_to(r, t), 1u) != HD_PUSH_FULL);
    return t;
}

/* Lane 0 has nothing: asks, unless somebody does already. */
HD_FN void hd_ask(const hd_run *r, const hd_worker *w)
{
    if (hd_policy_shares(r->policy) && HD_LOAD(&r->shared->asking, RELAXED, DEV) == 0u)
        (void)HD_CAS(&r->shared->asking, 0u, w->id + 1u, RELAXED, DEV);
}

/* Something that this worker would run later, or HD_NONE. */
HD_FN uint32_t hd_take_spare(const hd_run *r, hd_worker *w)
{
    uint32_t t = hd_take_ring(r, w, 1);
    if (t == HD_NONE)
        t = hd_take_list(r, w);
    if (t == HD_NONE && w->seed != w->seed_end)
        t = hd_take_seed(r, w);
    return t;
}

/* Is there something that this worker would run later? */
HD_FN int hd_has_spare(const hd_run *r, const hd_worker *w)
{
    uint32_t *slots = hd_ring_slots(r, 2u * w->id + 1u);
    return w->list != HD_NONE || w->seed != w->seed_end ||
           HD_LOAD(&slots[w->head[1] & (r->n_slots - 1u)], RELAXED, DEV) != 0u;
}

/* Lane 0: gives a task to the worker that asks, if there is one and this one has more than its next. The slot is
 * released as for a task with one predecessor: what this worker acquired passes on with it. */
HD_SELDOM_FN void hd_give(const hd_run *r, hd_worker *w)
{
    uint32_t who = HD_LOAD(&r->shared->asking, RELAXED, DEV), t, said;
    if (who == 0u || who == w->id + 1u)
        return;
    t = hd_take_spare(r, w);
    if (t == HD_NONE)
        return;
    if (w->kept == HD_NONE && !hd_has_spare(r, w)) { /* the last one: given away, it would only change places */
        w->kept = t;
        return;
    }
    said = HD_PUSH_FULL;
    if (hd_bound_to(r, t) == HD_NONE && HD_CAS(&r->shared->asking, who, 0u, RELAXED, DEV))
        said = hd_hand_over(r, t, who - 1u, 1u);
    if (said == HD_PUSH_FULL) { /* somebody else gave, or pushed: back to the own list */
        r->link[t] = w->list;
        w->list = t;
        return;
    }
    w->tally.n_given++;
}

/* Lane 0: something to run, or HD_NONE for now. */
HD_FN uint32_t hd_take(const hd_run *r, hd_worker *w)
{
    uint32_t t = hd_take_ring(r, w, 0);
    if (t == HD_NONE && w->kept_run < HD_KEPT_RUN)
        t = hd_take_kept(w);
    if (t == HD_NONE) {
        w->kept_run = 0;
        t = hd_take_ring(r, w, 1);
    }
    if (t == HD_NONE)
        t = hd_take_kept(w);
    if (t == HD_NONE)
        t = hd_take_list(r, w);
    if (t == HD_NONE)
        t = hd_take_seed(r, w);
    return t;
}

/* Lane 0, on a thread: sleeps until a producer or the end of the run unparks it. 0: a producer has reserved a slot and
 * will write it at once, so there is nothing to sleep for. */
HD_FN int hd_park(const hd_run *r, hd_worker *w)
{
    hd_cursor *urgent = &r->cursors[2 * w->id], *normal = urgent + 1;
    int parked = 0;
    if (!hd_ring_doze(urgent, w->head[0]))
        return 0;
    if (hd_ring_doze(normal, w->head[1])) {
        w->tally.n_parks++;
        r->host->park(r->host->self, w->id);
        hd_ring_rouse(normal, w->head[1]);
        parked = 1;
    }
    hd_ring_rouse(urgent, w->head[0]);
    return parked;
}

/* Lane 0: waits for the next task. HD_NONE: the run is over. */
HD_FN uint32_t hd_next(const hd_run *r, hd_worker *w)
{
    uint32_t polls = 0, t, why;
    for (;;) {
        why = hd_stopped(r);
        if (why != HD_STOP_NOT) {
            if (why != HD_STOP_DONE)
                hd_wake_all(r); /* whoever set it may have been a lane that knows no other worker   */
            return HD_NONE;
        }
        if (hd_policy_shares(r->policy))
            hd_give(r, w);
        t = hd_take(r, w);
        if (t != HD_NONE)
            return t;
        hd_ask(r, w);
        if (polls == 0) {
            hd_settle(r, w->n_done); /* before waiting, or nobody would see the end               */
            w->n_done = 0;
            if (r->events)
                w->idle_since = hd_clock();
        } else if (!r->host || polls <= r->spin || !hd_park(r, w)) {
            HD_PAUSE(polls);
        }
        polls++;
    }
}

/* ---- finishing ------------------------------------------------------------------------------ */

/* Counts one arrival. Returns 1 when e.task became ready by it. Release: hands on this task's outputs;
 * acquire: if it was the last, and the task stays here, the other predecessors' outputs are needed. */
HD_FN int hd_arrive(const hd_run *r, uint32_t run, hd_edge e)
{
    uint32_t need = e.need & HD_NEED_MASK;
    return need == 1u || HD_ADD(&r->count[e.task], 1u, ACQ_REL, DEV) + 1u == run * need;
}

/* One lane: into the target's ring, or the next worker's; HD_PUSH_FULL when neither has room. */
HD_FN uint32_t hd_push(const hd_run *r, hd_edge e, uint32_t target, uint32_t *n_full)
{
    uint32_t try_, said = HD_PUSH_FULL;
    for (try_ = 0; try_ < 2u && said == HD_PUSH_FULL; try_++) {
        uint32_t owner = (target + try_) % r->n_workers;
        uint32_t ring = 2u * owner + ((e.need & HD_NEED_URGENT) ? 0u : 1u);
        said = hd_ring_push(&r->cursors[ring], hd_ring_slots(r, ring), r->n_slots, e.task,
                            (e.need & HD_NEED_MASK) == 1u, hd_never_full(r));
        if (said == HD_PUSH_WAKE)
            r->host->unpark(r->host->self, owner);
        *n_full += said == HD_PUSH_FULL;
    }
    return said;
}

/* Lane 0 puts the tasks of the lanes in `mask` on its own list, which is never full. */
HD_SELDOM_FN void hd_spill(const hd_run *r, hd_worker *w, uint32_t mask, uint32_t task)
{
    while (mask) {
        uint32_t t = hd_shuffle(task, hd_lowest(mask));
        if (hd_warp_lane() == 0) {
            r->link[t] = w->list;
            w->list = t;
            w->tally.n_spilled++;
        }
        mask &= mask - 1u;
    }
    hd_warp_sync(); /* lane 0 may give such a task away: what its own lane acquired comes before */
}

/* All scheduling lanes: each places its task if it is `ready`. may_keep 0: this worker has its next task already. */
HD_FN void hd_place(const hd_run *r, hd_worker *w, hd_edge e, int ready, int may_keep)
{
    uint32_t lane = hd_warp_lane();
    uint32_t mask = hd_ballot(ready);
    uint32_t bound = ready && (e.need & HD_NEED_PLACED) ? hd_bound_to(r, e.task) : HD_NONE;
    uint32_t mine = hd_ballot(ready && (bound == HD_NONE || bound == w->id));
    uint32_t keep = 0, first, said = HD_PUSH_OK, n_full = 0;
    if (!mask)
        return;
    if (mine && may_keep && hd_policy_keeps(r->policy) && w->kept == HD_NONE) {
        uint32_t urgent = mine & hd_ballot(ready && (e.need & HD_NEED_URGENT));
        uint32_t who = hd_lowest(urgent ? urgent : mine);
        uint32_t t = hd_shuffle(e.task, who);
        keep = 1u << who;
        hd_warp_sync(); /* all lanes have read w->kept before lane 0 writes it */
        if (lane == 0) {
            w->kept = t;
            w->tally.n_kept++;
        }
        hd_warp_sync();
        mask &= ~keep;
        if (!mask)
            return;
    }
    first = hd_policy_first(r, w->id, &w->turn, hd_popcount(mask));
    if (mask >> lane & 1u)
        said = hd_push(r, e, bound != HD_NONE ? bound : first + hd_popcount(mask & ((1u << lane) - 1u)), &n_full);
    hd_spill(r, w, hd_ballot(said == HD_PUSH_FULL), e.task);
    if (lane == 0) {
        w->tally.n_pushed += hd_popcount(mask);
        w->tally.n_full += n_full; /* lane 0's own: a hint of pressure, exact on one lane           */
    }
}

/* All scheduling lanes: lane i counts the arrival at successor at + i, into *e. 1 to the lane whose task became ready. */
HD_FN int hd_arrive_at(const hd_run *r, uint32_t run, const hd_task *task, uint32_t at, hd_edge *e)
{
    at += hd_warp_lane();
    if (at >= task->n_succ)
        return 0;
    *e = hd_edge_at(r, task, at);
    return hd_arrive(r, run, *e);
}

/* Which successor is sure to be this worker's next task, whatever the others do: the first that has no other predecessor,
 * under a policy that keeps one. Its number among the successors, or HD_NONE. While the task's body runs its record can be
 * fetched, and it can be given to the lanes before the task is finished. */
HD_FN uint32_t hd_sure(const hd_run *r, const hd_worker *w, const hd_task *task)
{
    uint32_t n = task->n_succ < HD_INLINE_SUCC ? task->n_succ : HD_INLINE_SUCC, i;
    if (!hd_policy_keeps(r->policy) || w->kept != HD_NONE || r->has_urgent || r->has_placed)
        return HD_NONE;
    for (i = 0; i < n; i++)
        if ((task->first[i].need & HD_NEED_MASK) == 1u)
            return i;
    return HD_NONE;
}

/* Lane 0: takes the sure one; hd_finish must be told. */
HD_FN uint32_t hd_take_sure(hd_worker *w, const hd_task *task, uint32_t sure)
{
    w->kept_run++;
    w->tally.n_kept++;
    return task->first[sure].task;
}

/* All scheduling lanes: the task's successors have been counted and placed. */
HD_FN void hd_finished(const hd_run *r, hd_worker *w, uint32_t t, const hd_task *task)
{
    if (hd_warp_lane() != 0)
        return;
    w->n_done++;
    w->tally.n_tasks += task->body != HD_BODY_JOIN;
    if ((task->flags & HD_TASK_WATCH) && r->host)
        r->host->done(r->host->self, t);
}

/* All scheduling lanes, after the barrier that ends the body of t; task: its record, or a copy of it; sure: the successor
 * that was taken ahead of this (hd_take_sure), or HD_NONE. */
HD_FN void hd_finish(const hd_run *r, hd_worker *w, uint32_t t, const hd_task *task, uint32_t sure)
{
    uint32_t n = task->n_succ, at;
    for (at = 0; at < n; at += hd_warp_width()) {
        hd_edge e = {0, 0};
        int taken = at + hd_warp_lane() == sure;
        int ready = !taken && hd_arrive_at(r, w->run, task, at, &e);
        hd_place(r, w, e, ready, sure == HD_NONE);
    }
    hd_finished(r, w, t, task);
}

/* ---- tracing: called only when r->events ------------------------------------------------------ */

/* 0 when `to` is not later: a GPU's clocks, and turns that overlap. */
HD_FN uint32_t hd_gap(uint64_t from, uint64_t to)
{
    return to <= from ? 0u : to - from > 0xffffffffu ? 0xffffffffu : (uint32_t)(to - from);
}

/* Lane 0, when the body of t has ended: notes the times of the turn so far. */
HD_FN hd_event *hd_trace_task(const hd_run *r, hd_worker *w, uint32_t t, uint64_t begin, uint64_t end)
{
    hd_event *e;
    if (w->tally.n_events == r->n_trace) {
        w->tally.n_dropped++;
        return 0;
    }
    e = r->events + (uint64_t)w->id * r->n_trace + w->tally.n_events++;
    e->begin = begin;
    e->end = end;
    e->task = t;
    e->idle = w->idle_since ? hd_gap(w->idle_since, begin) : 0u;
    e->queue = hd_gap(w->left, w->idle_since ? w->idle_since : begin);
    e->dep = 0;
    return e;
}

/* Lane 0, when the turn is over. e may be null. */
HD_FN void hd_trace_turn(hd_worker *w, hd_event *e, uint64_t end)
{
    w->left = hd_clock();
    w->idle_since = 0;
    if (e)
        e->dep = hd_gap(end, w->left);
}

#endif
