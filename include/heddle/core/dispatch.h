/* SPDX-License-Identifier: MIT */
/* core/dispatch.h - the table of dispatches: how tasks get from worker to worker, and the only switches on the dispatch.
 *
 * A dispatch is the order of places where its workers look for a task, and up to five functions:
 *
 *      take      returns a task from the dispatch's queue, or HD_NONE for now
 *      place     hands on tasks that became ready and are not kept, to where other workers find them
 *      finish    counts and places an ended task's successors, if doing so one by one is not enough
 *      attend    serves other workers, between two tasks
 *      idle      nothing to do
 *
 * `dispatch` is hd_run.dispatch, `spawns` is 1 if there is an arena. In a kernel both are constants, so it has no code for
 * others; a thread tests them. Under `order` all tasks are roots. Workers take one at a time in the order of adding, and a
 * worker that finds none leaves. So a body may wait for tasks added before its own, and workers may come late. The papers'
 * dispatches, for comparison, are in core/baselines, compiled only with HEDDLE_BASELINES (heddle/baselines.h). */
#ifndef HEDDLE_CORE_DISPATCH_H
#define HEDDLE_CORE_DISPATCH_H

#include "heddle/core/rings.h"
#include "heddle/core/ticket.h"
#if defined(HEDDLE_BASELINES)
#include "heddle/core/baselines/central.h"
#include "heddle/core/baselines/iqs.h"
#include "heddle/core/baselines/scheduler.h"
#endif

/* ---- where a worker looks for a task, and in which order ------------------------------------------ */

#define HD_FROM_URGENT 1u   /* its urgent ring                                                      */
#define HD_FROM_NEXT_FEW 2u /* the task that it kept, unless it has kept too many in a row          */
#define HD_FROM_NEXT 3u     /* the task that it kept                                                */
#define HD_FROM_OWN 4u      /* its own list or deque, the youngest                                  */
#define HD_FROM_QUEUE 5u    /* the dispatch's take                                                  */
#define HD_FROM_ROOTS 6u    /* the roots that no worker has taken                                   */

#define HD_ORDER(a, b, c, d, e, f) \
    (HD_FROM_##a | HD_FROM_##b << 4 | HD_FROM_##c << 8 | HD_FROM_##d << 12 | HD_FROM_##e << 16 | HD_FROM_##f << 20)
#define HD_FROM_ 0u

/* With spawning, children come first; where free slots are scarce, depth first, even before urgent tasks. A worker
 * draws a ticket only if it has nothing else. The scheduler hands out roots itself; central takes them first. */
HD_FN uint32_t hd_order_of(uint32_t dispatch, int spawns, int low_water)
{
    switch (dispatch) {
    case HD_DISPATCH_TICKET: return HD_ORDER(NEXT, OWN, ROOTS, QUEUE, , );
    case HD_DISPATCH_RINGS:
        if (low_water)
            return HD_ORDER(NEXT, OWN, URGENT, QUEUE, ROOTS, );
        return spawns ? HD_ORDER(URGENT, NEXT, OWN, QUEUE, ROOTS, )
                      : HD_ORDER(URGENT, NEXT_FEW, QUEUE, NEXT, OWN, ROOTS);
    case HD_DISPATCH_IQS: return HD_ORDER(OWN, QUEUE, ROOTS, , , );
    case HD_DISPATCH_ORDER: return HD_ORDER(ROOTS, QUEUE, , , , );
    default: return HD_ORDER(OWN, QUEUE, , , , );
    }
}

/* Lane 0: takes a task from the dispatch's queue, or HD_NONE for now. */
HD_FN uint32_t hd_take_queue(const hd_run *r, hd_worker *w, uint32_t dispatch)
{
    switch (dispatch) {
    case HD_DISPATCH_ORDER: return HD_OVER; /* all tasks are roots */
#if defined(HEDDLE_BASELINES)
    case HD_DISPATCH_IQS: return hd_iqs_take(r, w);
    case HD_DISPATCH_SCHEDULER: return hd_sched_take(r, w);
    case HD_DISPATCH_CENTRAL: return hd_central_take(r, w);
#endif
    default: return hd_take_ring(r, w, 1);
    }
}

/* Lane 0. */
HD_FN uint32_t hd_take_alone(const hd_run *r, hd_worker *w, uint32_t from, uint32_t dispatch)
{
    switch (from) {
    case HD_FROM_URGENT: return r->has_urgent ? hd_take_ring(r, w, 0) : HD_NONE;
    case HD_FROM_OWN: return dispatch == HD_DISPATCH_TICKET ? hd_deque_take(w) : hd_take_list(r, w);
    case HD_FROM_QUEUE: return hd_take_queue(r, w, dispatch);
    default: return dispatch == HD_DISPATCH_RINGS ? hd_rings_root(r, w) : hd_take_root(r, w);
    }
}

/* All scheduling lanes: is this place known to be empty? The same answer in all lanes. */
HD_FN int hd_is_empty(const hd_run *r, const hd_worker *w, const hd_turn *x, uint32_t from, uint32_t dispatch,
                      int spawns)
{
    switch (from) {
    case 0: return 1;
    case HD_FROM_NEXT_FEW: return x->next_run >= r->n_local;
    case HD_FROM_OWN:
        if (dispatch == HD_DISPATCH_TICKET)
            return !spawns || !hd_ballot(w->by.ticket.n_deque != 0u);
        return !hd_ballot(w->list != HD_NONE);
    case HD_FROM_ROOTS: return x->no_roots;
    default: return 0;
    }
}

/* All scheduling lanes: takes a task from place `from`, or HD_NONE for now; HD_OVER: the run is over. */
HD_FN uint32_t hd_take_from(const hd_run *r, hd_worker *w, hd_turn *x, uint32_t from, uint32_t dispatch, int spawns)
{
    uint32_t t = HD_NONE;
    if (hd_is_empty(r, w, x, from, dispatch, spawns))
        return HD_NONE;
    x->hit = HD_NONE;
    if (from == HD_FROM_NEXT || from == HD_FROM_NEXT_FEW) {
        t = x->next;
        x->hit = x->next_at;
        x->next = HD_NONE;
        x->next_run = t == HD_NONE ? 0u : x->next_run + 1u;
        return t;
    }
    if (from == HD_FROM_QUEUE)
        x->next_run = 0;
    if (from == HD_FROM_QUEUE && dispatch == HD_DISPATCH_TICKET)
        return hd_ticket_take(r, w);
    if (hd_warp_lane() == 0)
        t = hd_take_alone(r, w, from, dispatch);
    t = hd_shuffle(t, 0);
    hd_warp_sync(); /* all lanes see what lane 0 took out, and have what it acquired */
    if (from == HD_FROM_ROOTS)
        x->no_roots = t == HD_NONE;
    if (from == HD_FROM_OWN && t == x->guess)
        x->hit = 0;
    return t;
}

/* All scheduling lanes: takes a task from the first place that has one; HD_NONE for now, or HD_OVER. */
HD_FN uint32_t hd_take(const hd_run *r, hd_worker *w, hd_turn *x, uint32_t dispatch, int spawns)
{
    const uint32_t order = hd_order_of(dispatch, spawns, spawns && w->low_water != 0u);
    uint32_t t = hd_take_from(r, w, x, order & 15u, dispatch, spawns);
    /* Unrolled: with a constant dispatch each step compiles to its one place. */
    if (t == HD_NONE)
        t = hd_take_from(r, w, x, order >> 4 & 15u, dispatch, spawns);
    if (t == HD_NONE)
        t = hd_take_from(r, w, x, order >> 8 & 15u, dispatch, spawns);
    if (t == HD_NONE)
        t = hd_take_from(r, w, x, order >> 12 & 15u, dispatch, spawns);
    if (t == HD_NONE)
        t = hd_take_from(r, w, x, order >> 16 & 15u, dispatch, spawns);
    if (t == HD_NONE)
        t = hd_take_from(r, w, x, order >> 20 & 15u, dispatch, spawns);
    return t;
}

/* ---- handing on ------------------------------------------------------------------------------------- */

/* All scheduling lanes: keeps one task of the lanes in `mine` as the next one here, if there is none yet; an urgent one
 * if possible. Returns the bit of its lane, or 0. */
HD_FN uint32_t hd_keep_one(hd_turn *x, hd_edge e, uint32_t mine, uint32_t urgent)
{
    uint32_t who;
    if (!mine || x->next != HD_NONE)
        return 0;
    who = hd_lowest(urgent ? urgent : mine);
    x->next = hd_shuffle(e.task, who);
    x->next_at = who;
    x->n_kept++;
    hd_warp_sync(); /* all lanes have what that lane acquired */
    return 1u << who;
}

/* All scheduling lanes: those in `mask` place their tasks where others find them. bound: each task's worker, or HD_NONE. */
HD_FN void hd_place_by(const hd_run *r, hd_worker *w, hd_turn *x, hd_edge e, uint32_t mask, uint32_t bound,
                       uint32_t dispatch)
{
    x->n_pushed += hd_popcount(mask);
    switch (dispatch) {
    case HD_DISPATCH_TICKET: hd_ticket_place(r, mask, e.task); break;
    case HD_DISPATCH_ORDER: break; /* no task has successors */
#if defined(HEDDLE_BASELINES)
    case HD_DISPATCH_IQS: hd_iqs_place(r, w, mask, e.task); break;
    case HD_DISPATCH_SCHEDULER: hd_sched_place(r, w, mask, e.task); break;
    case HD_DISPATCH_CENTRAL: hd_central_place(r, mask, e.task); break;
#endif
    default: hd_rings_place(r, w, x, e, mask, bound); break;
    }
}

/* All scheduling lanes: does a task that became ready stay here? */
HD_FN int hd_keeps_now(const hd_run *r, const hd_worker *w, const hd_turn *x, uint32_t dispatch)
{
    if (dispatch == HD_DISPATCH_TICKET)
        return 1;
    return dispatch == HD_DISPATCH_RINGS && hd_rings_keeps(r, w, x);
}

/* All scheduling lanes: each hands on its task if it is `ready`. */
HD_FN void hd_place(const hd_run *r, hd_worker *w, hd_turn *x, hd_edge e, int ready, uint32_t dispatch)
{
    const int rings = dispatch == HD_DISPATCH_RINGS;
    uint32_t mask = hd_ballot(ready), mine = mask, urgent = 0, bound = HD_NONE;
    if (!mask)
        return;
    if (rings && r->has_placed) {
        if (ready && (e.need & HD_NEED_PLACED))
            bound = hd_bound_to(r, e.task);
        mine &= hd_ballot(bound == HD_NONE || bound == w->id);
    }
    if (rings && r->has_urgent)
        urgent = mine & hd_ballot((e.need & HD_NEED_URGENT) != 0u);
    if (hd_keeps_now(r, w, x, dispatch))
        mask &= ~hd_keep_one(x, e, mine, urgent);
    if (mask)
        hd_place_by(r, w, x, e, mask, bound, dispatch);
}

/* All scheduling lanes: those in `mask` hand on spawned tasks, which have been counted. */
HD_FN void hd_place_spawned(const hd_run *r, hd_worker *w, hd_turn *x, hd_edge e, uint32_t mask, uint32_t dispatch)
{
    const int mine = mask >> hd_warp_lane() & 1u;
    if (dispatch == HD_DISPATCH_TICKET) {
        if (w->low_water)
            hd_deque_put(r, w, mask, e.task);
        else
            hd_ticket_offer(r, w, mask, e.task);
        return;
    }
    if (w->low_water || r->n_slots == 0u) /* the serial backend has no rings */
        hd_own(r, w, mask, e.task);
    else if (dispatch != HD_DISPATCH_RINGS)
        hd_place_by(r, w, x, e, mask, HD_NONE, dispatch);
    else if (hd_rings_keep_spawned(r) && !hd_ballot(mine && (e.need & HD_NEED_URGENT)))
        hd_own(r, w, mask, e.task);
    else
        hd_place(r, w, x, e, mine, dispatch);
    x->next_at = HD_NONE;
}

/* All scheduling lanes, after the barrier that ends the body of x->task, a task of the graph: counts its successors and
 * hands on those that became ready. */
HD_FN void hd_finish(const hd_run *r, hd_worker *w, hd_turn *x, uint32_t dispatch)
{
    uint32_t at;
    hd_edge e;
#if defined(HEDDLE_BASELINES)
    if (dispatch == HD_DISPATCH_SCHEDULER) {
        hd_sched_finish(r, w, x);
        return;
    }
    if (dispatch == HD_DISPATCH_CENTRAL) {
        hd_central_finish(r, w, x);
        return;
    }
#endif
    hd_release_outputs(x);
    if (x->n_succ)
        hd_place(r, w, x, x->edge, hd_arrive_mine(r, w->run, x->edge, x->counted != 0u), dispatch);
    for (at = hd_warp_width(); at < x->n_succ; at += hd_warp_width()) {
        e = hd_edge_mine(r, x->record, at);
        hd_place(r, w, x, e, hd_arrive_mine(r, w->run, e, 1), dispatch);
        x->next_at = HD_NONE; /* the records of these were not fetched ahead */
    }
    hd_finished(r, w, x, dispatch);
}

/* ---- between tasks ----------------------------------------------------------------------------------- */

/* All scheduling lanes. */
HD_FN void hd_attend(const hd_run *r, hd_worker *w, hd_turn *x, uint32_t dispatch, int spawns)
{
    if (dispatch == HD_DISPATCH_TICKET && spawns)
        hd_ticket_attend(r, w, x);
    else if (dispatch == HD_DISPATCH_RINGS)
        hd_rings_attend(r, w, x);
}

/* Lane 0: found nothing, for the n-th time in a row. */
HD_FN void hd_idle_by(const hd_run *r, hd_worker *w, uint32_t n, uint32_t dispatch)
{
    if (dispatch == HD_DISPATCH_RINGS) {
        hd_rings_idle(r, w, n);
        return;
    }
    if (dispatch != HD_DISPATCH_TICKET)
        hd_credit_return_own(r, w);
    if (HD_HOSTED || r->polite || n > HD_EAGER_POLLS)
        hd_wait(r, n);
}

#endif
