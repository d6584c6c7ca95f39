/* SPDX-License-Identifier: MIT */
/* core/worker.h - what every worker does, whatever the dispatch: it joins a run and leaves it, takes roots, counts the
 * successors of a task that has ended, and notes what it did.
 *
 * The way of a task: the worker that counts its last predecessor keeps it as its own next task, or places it as the dispatch
 * says. The worker that takes the task acquires what the predecessors wrote, runs the body, and counts the successors with one
 * releasing read-modify-write each. Nothing else passes between workers. core/turn.h has the loop. */
#ifndef HEDDLE_CORE_WORKER_H
#define HEDDLE_CORE_WORKER_H

#include "heddle/core/own.h"

#define HD_ROOT_CHUNK_MAX 64u /* roots taken at once, at most                                            */
#define HD_OVER 0xfffffffeu   /* in place of a task: the run is over                                 */
#define HD_EAGER_POLLS 1024u  /* polls of a block before the first pause                             */

/* ---- joining and leaving ---------------------------------------------------------------------- */

/* Prepares the dispatch's part of a worker. */
HD_FN void hd_worker_begin_by(const hd_run *r, hd_worker *w)
{
    switch (r->dispatch) {
    case HD_DISPATCH_TICKET:
        w->by.ticket.ticket = HD_NONE;
        w->by.ticket.waiting = 0;
        w->by.ticket.oldest = w->by.ticket.n_deque = 0;
        break;
    case HD_DISPATCH_IQS: w->by.iqs.task = HD_NONE; break;
    case HD_DISPATCH_SCHEDULER:
        w->by.sched.known = w->by.sched.seen = 0;
        w->by.sched.told = HD_NONE;
        break;
    default: break;
    }
}

/* Prepares w for one run. Its queues' heads go on from where the last run left them; other workers may be pushing
 * already. */
HD_FN void hd_worker_begin(const hd_run *r, hd_worker *w, uint32_t id)
{
    hd_tally none = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    uint32_t *store = r->n_arena ? r->store + (uint64_t)id * r->n_store : 0;
    w->id = id;
    w->run = HD_LOAD(&r->control->run, RELAXED, DEV);
    w->head[0] = HD_LOAD(&r->cursors[2 * id].head, RELAXED, DEV);
    w->head[1] = HD_LOAD(&r->cursors[2 * id + 1].head, RELAXED, DEV);
    w->policy_cursor = id;
    w->list = HD_NONE;
    w->root_chunk = w->root_end = 0;
    w->n_done = 0;
    w->list_end = w->deferred = HD_NONE;
    w->n_list = w->low_water = w->is_idle = w->is_blocked = 0;
    w->free = store ? store + 1 : 0;
    w->n_free = store ? store[0] : 0u;
    w->since = 0;
    if (hd_pool_of(r))
        w->live = *hd_live_at(hd_pool_of(r), id);
    w->tally = none;
    w->left = r->events ? hd_clock() : 0;
    w->idle_since = w->queued = 0;
    hd_worker_begin_by(r, w);
}

HD_FN hd_turn hd_turn_begin(void)
{
    hd_turn x = {HD_NONE,     HD_NONE, 0, HD_NONE, HD_NONE, 0,           0, 0, 0, 0, {0, 0}, 0,
                 HD_STOP_NOT, 0,       0, 0,       HD_OVER, HD_STOP_NOT, 0, 0, 0, 0, 0};
    return x;
}

/* Lane 0. Leaves the run: stores the queues' heads and the tally. Returns 1 to the last one out, which then sees
 * everything that all workers wrote and calls hd_rearm. */
HD_FN int hd_worker_end(const hd_run *r, hd_worker *w, const hd_turn *x)
{
    HD_STORE(&r->cursors[2 * w->id].head, w->head[0], RELAXED, DEV);
    HD_STORE(&r->cursors[2 * w->id + 1].head, w->head[1], RELAXED, DEV);
    if (r->n_arena) {
        w->free[-1] = w->n_free;
        hd_idle_end(r, w);
    }
    w->tally.n_tasks += x->n_tasks;
    w->tally.n_kept += x->n_kept;
    w->tally.n_pushed += x->n_pushed;
    r->tallies[w->id] = w->tally;
    if (hd_dispatch_counts(r->dispatch))
        return hd_leave(r);
    (void)HD_SUB(&r->control->outstanding, x->n_ended, RELAXED, DEV);
    if (!hd_leave(r))
        return 0;
    /* No worker found another task; the count shows whether the run is complete. */
    if (hd_stopped(r) == HD_STOP_NOT && HD_LOAD(&r->control->outstanding, RELAXED, DEV) != 0u)
        (void)hd_stop(&r->control->fail, HD_STOP_STUCK);
    return 1;
}

/* ---- tasks bound to a worker ------------------------------------------------------------------- */

/* The worker a task is bound to, or HD_NONE. Bound tasks go into that worker's ring and are never given away. The
 * backend that loads a graph with such tasks makes the rings as long as the graph, so they are never full. */
HD_FN uint32_t hd_bound_to(const hd_run *r, uint32_t t)
{
    uint32_t place = r->has_placed ? (uint32_t)hd_task_at(r, t)->flags >> HD_TASK_PLACE : 0u;
    return place ? hd_wrapped_any(r, place - 1u) : HD_NONE;
}
HD_FN int hd_bound_elsewhere(const hd_run *r, const hd_worker *w, uint32_t t)
{
    uint32_t at = hd_bound_to(r, t);
    return at != HD_NONE && at != w->id;
}

/* ---- roots -------------------------------------------------------------------------------------- */

/* Lane 0: takes a chunk of the roots. Under order it is one root; else it shrinks as the roots run out (guided
 * self-scheduling), so that the last ones are spread evenly. */
HD_SELDOM_FN void hd_seed_chunk(const hd_run *r, hd_worker *w)
{
    uint32_t at = HD_LOAD(&r->control->next_root, RELAXED, DEV), n;
    if (at >= r->n_roots)
        return;
    n = r->dispatch == HD_DISPATCH_ORDER ? 1u : (r->n_roots - at) / (4u * r->n_workers);
    n = n < 1u ? 1u : n > HD_ROOT_CHUNK_MAX ? HD_ROOT_CHUNK_MAX : n;
    at = HD_ADD(&r->control->next_root, n, RELAXED, DEV);
    if (at >= r->n_roots)
        return;
    w->root_chunk = at;
    w->root_end = r->n_roots - at < n ? r->n_roots : at + n;
}

/* Lane 0: a root, or HD_NONE. */
HD_FN uint32_t hd_take_root(const hd_run *r, hd_worker *w)
{
    if (w->root_chunk == w->root_end)
        hd_seed_chunk(r, w);
    return w->root_chunk == w->root_end ? HD_NONE : r->roots[w->root_chunk++];
}

/* ---- counting ----------------------------------------------------------------------------------- */

/* Is the edge counted? Not if the target has no other predecessor. */
HD_FN int hd_is_counted(hd_edge e) { return (e.need & HD_NEED_MASK) > 1u; }

/* Counts one arrival. Returns 1 when it made e.task ready. Release: hands on this task's outputs. Acquire: the last
 * arrival hands on the other predecessors' outputs with the task, or needs them here. */
HD_FN int hd_arrive(const hd_run *r, uint32_t run, hd_edge e)
{
    return !hd_is_counted(e) ||
           HD_ADD(&r->count[e.task], 1u, FENCED_ACQ_REL, DEV) + 1u == run * (e.need & HD_NEED_MASK);
}

/* This lane's share of the successors from `at` on: one edge; {0, 0}: none. */
HD_FN hd_edge hd_edge_mine(const hd_run *r, const hd_task *task, uint32_t at)
{
    hd_edge none = {0, 0};
    at += hd_warp_lane();
    return at < task->n_succ ? hd_edge_at(r, task, at) : none;
}

/* All scheduling lanes, after hd_release_outputs: each counts the arrival at its e, if it has one. Returns 1 to the
 * lanes with a task that became ready. counted: some lane has an edge to count. */
HD_FN int hd_arrive_mine(const hd_run *r, uint32_t run, hd_edge e, int counted)
{
    const int ready = e.need && hd_arrive(r, run, e);
    if (counted)
        HD_FENCE_ACQUIRE();
    return ready;
}

/* All scheduling lanes: releases what this block or thread wrote, before the arrivals at the ended task's successors.
 * If the only successor has no other predecessor, nothing is counted; then placing the task releases. */
HD_FN void hd_release_outputs(const hd_turn *x)
{
    if (x->counted || x->n_succ > hd_warp_width())
        HD_FENCE_RELEASE();
}

/* All scheduling lanes: the ended task's successors have been counted and handed on. */
HD_FN void hd_finished(const hd_run *r, hd_worker *w, hd_turn *x, uint32_t dispatch)
{
    x->n_ended++;
    if (hd_dispatch_counts(dispatch) && hd_warp_lane() == 0)
        w->n_done++;
    if (!(x->flags & HD_TASK_WATCH) || hd_warp_lane() != 0)
        return;
    if (hd_host_of(r))
        hd_host_of(r)->done(hd_host_of(r)->self, x->task);
    else if (r->watched) /* its outputs are visible to the host */
        HD_STORE(&r->watched[x->record->watch], w->run, RELEASE, SYS);
}

/* ---- waiting ------------------------------------------------------------------------------------ */

/* One lane has found nothing for the n-th time in a row. */
HD_FN void hd_wait(const hd_run *r, uint32_t n)
{
    if (hd_host_of(r))
        hd_host_of(r)->wait(hd_host_of(r)->self, n);
    else if (r->polite)
        HD_YIELD(n);
    else
        HD_PAUSE(n);
}

/* Lane 0: gives back finished tasks before waiting, or no worker would see the end. Not while it has deferred tasks. */
HD_FN void hd_credit_return_own(const hd_run *r, hd_worker *w)
{
    if (w->deferred != HD_NONE)
        return;
    hd_credit_return(r, w->n_done);
    w->n_done = 0;
}

/* ---- tracing: called only when r->events ------------------------------------------------------ */

/* 0 when `to` is not later, which a GPU's clocks and overlapping turns can cause. */
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

/* Adds the time since `begin` to the turn's work on a queue. */
HD_FN void hd_trace_queue(hd_worker *w, uint64_t begin) { w->queued += hd_gap(begin, hd_clock()); }

/* Lane 0, when the turn is over. e may be null. */
HD_FN void hd_trace_turn(hd_worker *w, hd_event *e, uint64_t end)
{
    const uint64_t queued = w->queued;
    w->left = hd_clock();
    w->idle_since = w->queued = 0;
    if (!e)
        return;
    e->dep = hd_gap(end + queued, w->left);
    e->queue = hd_gap(0, e->queue + queued);
}

#endif
