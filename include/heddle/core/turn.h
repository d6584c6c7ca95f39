/* SPDX-License-Identifier: MIT */
/* core/turn.h - a worker's turn, the same for a thread, a block of a GPU and the model, with or without spawning, under
 * any dispatch:
 *
 *     while (hd_next(r, w, x, ...)) {       takes a task, waits for one if need be     (scheduling lanes)
 *         hd_ahead(r, w, x, ...);           prepares what the task's end will need     (scheduling lanes)
 *         ... the body ...                                                             (the team)
 *         hd_end_turn(r, w, x, d, ...);     hands on tasks that it freed and spawned   (scheduling lanes)
 *     }
 *
 * Only what differs between machines is here: how a record is fetched, and how often a waiting worker polls the stop
 * word. A block meets at a barrier before hd_next returns, and between hd_ahead and hd_end_turn. */
#ifndef HEDDLE_CORE_TURN_H
#define HEDDLE_CORE_TURN_H

#include "heddle/core/spawn.h"
#if defined(__CUDACC__) || defined(HEDDLE_EMULATED_BLOCK)
#include "heddle/core/block.h"
#endif

#define HD_YIELD_POLLS 256u /* fruitless polls before a block rests: up to two milliseconds */

/* ---- what differs between machines --------------------------------------------------------------- */

/* All scheduling lanes: fetches the record of task t, which has been acquired. */
HD_FN void hd_fetch(const hd_run *r, hd_worker *w, hd_turn *x, uint32_t t)
{
#if !HD_HOSTED
    x->record = hd_block_fetch(r, w, x, t);
#else
    (void)w;
    x->record = hd_task_at(r, t);
#endif
    x->task = t;
}

/* All scheduling lanes: the stop word, when nothing was found for the n-th time. */
HD_FN uint32_t hd_look_stop(const hd_run *r, const hd_turn *x, uint32_t n)
{
    if (HD_HOSTED)
        return hd_shuffle(hd_stopped(r), 0);
    return n == 0 ? x->stop : hd_shuffle(hd_stopped(r), 0); /* at n == 0: loaded while the last body ran */
}

HD_FN int hd_rests_now(const hd_run *r, uint32_t n)
{
    return HD_HOSTED ? n > r->spin : n >= HD_YIELD_POLLS && n % 64u == 0u;
}

/* ---- taking --------------------------------------------------------------------------------------- */

/* All scheduling lanes: takes and fetches a task with room for its children. HD_NONE: nothing for now. HD_OVER. */
HD_FN uint32_t hd_take_admitted(const hd_run *r, hd_worker *w, hd_turn *x, uint32_t dispatch, int spawns)
{
    const uint32_t deferred = spawns && hd_ballot(w->deferred != HD_NONE) ? hd_take_deferred(r, w) : HD_NONE;
    const uint32_t t = deferred != HD_NONE ? deferred : hd_take(r, w, x, dispatch, spawns);
    if (deferred != HD_NONE)
        x->hit = HD_NONE;
    if (t == HD_NONE || t == HD_OVER)
        return t;
    if (!HD_HOSTED && spawns && hd_pool_of(r))
        x->wrong = hd_went_wrong(r, t); /* under way while the record is fetched */
    hd_fetch(r, w, x, t);
    if (!spawns)
        return t;
    if (hd_warp_lane() == 0)
        hd_idle_end(r, w);
    return deferred != HD_NONE || hd_admit(r, w, x) ? t : HD_NONE;
}

/* All scheduling lanes: found nothing, for the n-th time in a row. */
HD_FN void hd_idle(const hd_run *r, hd_worker *w, uint32_t n, uint32_t dispatch, int spawns)
{
    if (n == 0 && r->events && hd_warp_lane() == 0)
        w->idle_since = hd_clock();
    if (spawns && hd_ballot(w->deferred != HD_NONE)) {
        if (hd_warp_lane() == 0 && n)
            hd_alloc_wait(r, w);
        if (dispatch == HD_DISPATCH_TICKET)
            hd_ticket_share(r, w, 0);
    } else if (spawns && hd_rests_now(r, n)) {
        hd_idle_long(r, w);
    }
    if (hd_warp_lane() == 0)
        hd_idle_by(r, w, n, dispatch);
    hd_warp_sync();
}

/* All scheduling lanes: waits for the next task. 0: the run is over. */
HD_FN int hd_next(const hd_run *r, hd_worker *w, hd_turn *x, uint32_t dispatch, int spawns)
{
    uint32_t n, t, why;
    for (n = 0;; n++) {
        why = hd_look_stop(r, x, n);
        if (why != HD_STOP_NOT) {
            if (why != HD_STOP_DONE && hd_warp_lane() == 0)
                hd_wake_all(r); /* the stop word may have been set by a lane that cannot wake workers */
            return 0;
        }
        hd_attend(r, w, x, dispatch, spawns);
        t = hd_take_admitted(r, w, x, dispatch, spawns);
        if (t == HD_OVER)
            return 0;
        if (t != HD_NONE)
            return 1;
        hd_idle(r, w, n, dispatch, spawns);
    }
}

/* ---- around a body --------------------------------------------------------------------------------- */

/* All scheduling lanes. */
HD_FN void hd_see_successors(const hd_run *r, hd_turn *x)
{
    x->body = x->record->body;
    x->flags = x->record->flags;
    x->n_succ = x->record->n_succ;
    x->edge = hd_edge_mine(r, x->record, 0);
    x->counted = hd_ballot(hd_is_counted(x->edge));
}

/* The name of x->task in messages and events: slots of spawned tasks are reused. */
HD_FN uint32_t hd_name_of(const hd_run *r, const hd_turn *x)
{
    return r->n_arena && hd_is_spawned(r, x->task) ? HD_SPAWNED | x->record->body : x->task;
}

/* All scheduling lanes, when the body of x->task begins: prepares its end. */
HD_FN void hd_ahead(const hd_run *r, hd_worker *w, hd_turn *x, int spawns)
{
    hd_see_successors(r, x);
    x->n_tasks += x->body != HD_BODY_JOIN;
#if !HD_HOSTED
    hd_block_ahead(r, w, x, spawns);
#else
    (void)w, (void)spawns;
#endif
}

/* All scheduling lanes, after the barrier that ends the body of x->task. d: only where bodies spawn. */
HD_FN void hd_end_turn(const hd_run *r, hd_worker *w, hd_turn *x, hd_spawn_buffer *d, uint32_t dispatch, int spawns)
{
    uint32_t t = x->task;
    if (spawns) {
        t = hd_end_body(r, w, x, d, dispatch);
        if (t == HD_NONE)
            return;
    }
    if (t != x->task) { /* a task of the graph ends with its continuation */
        x->task = t;
        x->record = hd_task_at(r, t);
        hd_see_successors(r, x);
        x->ahead = 0;
    }
    hd_finish(r, w, x, dispatch);
}

#endif
