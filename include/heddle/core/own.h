/* SPDX-License-Identifier: MIT */
/* core/own.h - what a worker has for itself: its state, its own list, its free slots of the arena.
 *
 * The own list takes tasks that found every ring full, and spawned ones. It is never full. Its owner takes the
 * youngest. With spawning, the owner gives away the oldest, which have the most work below them.
 *
 * Slots. Each worker has a store of free slots. Slots pass between the stores and the depot, a ring of batches, HD_BATCH
 * at a time. New slots come from a counter. The store is a stack: the slots freed last are in the caches. Before its
 * first task each worker acquires a reserve. A worker that has only the reserve left, and finds no slots elsewhere,
 * goes depth first (`low_water`: its bodies' children go onto its own list). A worker without room for the children of
 * a task defers the task and runs tasks that need no room. */
#ifndef HEDDLE_CORE_OWN_H
#define HEDDLE_CORE_OWN_H

#include "heddle/core/spawn_buffer.h"
#include "heddle/core/policy.h"
#include "heddle/core/ring.h"
#include "heddle/core/stop.h"

#define HD_BLOCKED_NS 2000000000ull /* a run is given up when no worker could go on for so long         */
#define HD_STORE_MAX 512u           /* free slots that a block's worker has in shared memory, at most          */
#define HD_GATHER_NS 200000ull      /* length of one worker's turn to gather slots                         */
#ifndef HD_DEQUE                    /* the model test has a smaller one */
#define HD_DEQUE 512u               /* tasks of a deque, a power of two */
#endif

/* A dispatch's part of a worker, apart from the two heads in `head`. */
typedef struct hd_ticket_own { /* core/ticket.h */
    uint32_t ticket;           /* drawn and not yet served, or HD_NONE                              */
    int32_t waiting;           /* workers without a task at the last look, less those given one since */
    uint32_t oldest, n_deque;  /* of the deque: index of the oldest, and length                     */
    uint32_t deque[HD_DEQUE];  /* spawned tasks                                                     */
} hd_ticket_own;
typedef struct hd_iqs_own { /* core/baselines/iqs.h */
    uint32_t task;          /* retrieved and not yet finished, or HD_NONE                         */
} hd_iqs_own;
typedef struct hd_sched_own { /* core/baselines/scheduler.h */
    uint32_t known;           /* tasks known to be in the input queue                               */
    uint32_t seen;            /* reports known to have been seen by the scheduler                   */
    uint32_t told;            /* the number of taken tasks that was reported last                   */
} hd_sched_own;

/* A worker's private state: a thread's stack, a block's shared memory. Lane 0 writes it. */
typedef struct hd_worker {
    uint32_t id;
    uint32_t run;                  /* number of this run                                                  */
    uint32_t head[2];              /* heads of its two queues: rings, urgent and normal; the baselines' queues */
    uint32_t policy_cursor;        /* policies lrr and rr: the next target                                */
    uint32_t list;                 /* the youngest of the own list, or HD_NONE                            */
    uint32_t root_chunk, root_end; /* roots taken and not yet run                                       */
    uint32_t n_done;               /* finished and not yet given back; where bodies spawn: see "tasks not done" below */
    /* Where bodies spawn: */
    uint32_t list_end, n_list;    /* the oldest of the own list, and the list's length                   */
    uint32_t deferred;            /* tasks without room for their children, linked                       */
    uint32_t n_free;              /* free slots in `free`                                                */
    uint32_t low_water;           /* only the reserve is left                                            */
    uint32_t is_idle, is_blocked; /* this worker is counted in n_idle, n_blocked                         */
    uint32_t *free;               /* its free slots                                                      */
    uint64_t since;               /* when all workers came to be idle or blocked, 0 = they are not       */
    hd_live live;                 /* of a pool: its words' values                                        */
    hd_tally tally;
    uint64_t left;       /* trace: when the last turn ended                                     */
    uint64_t idle_since; /* trace: when taking first found nothing, 0 = it found a task at once */
    uint64_t queued;     /* trace: part of this turn's end spent on a queue, not on counting */
    union {
        hd_ticket_own ticket;
        hd_iqs_own iqs;
        hd_sched_own sched;
    } by; /* by the run's dispatch */
} hd_worker;

/* What all scheduling lanes know of their worker, the same in each but for `edge`: on a GPU it is in registers. */
typedef struct hd_turn {
    uint32_t task;                /* runs now, or ran last                                               */
    uint32_t next;                /* runs next: freed by the last one and kept, or HD_NONE               */
    uint32_t next_run;            /* kept tasks in a row                                                 */
    uint32_t next_at, hit;        /* a block's: index of the prefetched record of `next`, of the task just taken */
    uint32_t no_roots;            /* all roots have been taken                                           */
    const hd_task *record;        /* of `task`; on a GPU a copy in block-shared memory                   */
    uint32_t body, flags, n_succ; /* of `task`                                                    */
    hd_edge edge;                 /* lane k's: the k-th successor of `task`                              */
    uint32_t counted;             /* some of these have other predecessors                               */
    uint32_t stop;                /* the stop word when it was last looked at                            */
    uint32_t at, half, ahead;     /* a block's: core/block.h                                          */
    uint32_t guess;               /* a block's: the deque's youngest, prefetched when `task` frees none */
    uint32_t asked;               /* a block's: the stop word, its load under way                     */
    uint32_t n_ended;             /* tasks of the graph, joins included                               */
    uint32_t n_tasks, n_kept, n_pushed; /* so far; added to the tally at the end                  */
    uint32_t wrong; /* a block's, of a pool: how `task` had gone wrong when its record was fetched       */
} hd_turn;

/* ---- the own list ------------------------------------------------------------------------------
 *
 * A spawned task's two links are in its record, which belongs to one worker at a time. In packed arrays, links of
 * several workers' tasks would share a line, and on threads that line would bounce between cores. */

HD_FN uint32_t *hd_link_of(const hd_run *r, uint32_t t)
{
    return hd_is_spawned(r, t) ? &hd_child_at(r, t)->link : &r->link[t];
}
HD_FN uint32_t *hd_back_of(const hd_run *r, uint32_t t)
{
    return hd_is_spawned(r, t) ? &hd_child_at(r, t)->back : &r->back[t];
}

/* Lane 0. */
HD_FN void hd_list_put(const hd_run *r, hd_worker *w, uint32_t t)
{
    *hd_link_of(r, t) = w->list;
    if (r->n_arena) {
        *hd_back_of(r, t) = HD_NONE;
        if (w->list == HD_NONE)
            w->list_end = t;
        else
            *hd_back_of(r, w->list) = t;
        if (++w->n_list > w->tally.most_own)
            w->tally.most_own = w->n_list;
    }
    w->list = t;
}

/* Lane 0: removes the youngest; `next` is its link. */
HD_FN void hd_list_pop(const hd_run *r, hd_worker *w, uint32_t next)
{
    w->list = next;
    if (!r->n_arena)
        return;
    w->n_list--;
    if (next == HD_NONE)
        w->list_end = HD_NONE;
    else
        *hd_back_of(r, next) = HD_NONE;
}

/* Lane 0: takes the youngest, or HD_NONE. */
HD_FN uint32_t hd_take_list(const hd_run *r, hd_worker *w)
{
    uint32_t t = w->list;
    if (t != HD_NONE)
        hd_list_pop(r, w, *hd_link_of(r, t));
    return t;
}

/* Lane 0: takes the oldest, where bodies spawn. */
HD_FN uint32_t hd_take_oldest(const hd_run *r, hd_worker *w)
{
    uint32_t t = w->list_end;
    if (!r->n_arena || t == HD_NONE || t == w->list)
        return hd_take_list(r, w);
    w->n_list--;
    w->list_end = *hd_back_of(r, t);
    *hd_link_of(r, w->list_end) = HD_NONE;
    return t;
}

/* ---- tasks not done ------------------------------------------------------------------------------
 *
 * `outstanding` counts the tasks that are not done. But a spawned task that stays with its maker is not added: it is
 * balanced against tasks that the maker has finished and not given back. Invariant of each worker that has a task:
 *
 *     finished and not given back - spawned + on its own list  >=  0
 *
 * hd_credit_reserve keeps it by adding credits to `outstanding` before a task becomes visible to other workers. So the
 * word cannot reach zero early. A task that waits for others counts as visible, because any worker may end the last of
 * them. */

#define HD_CREDIT_EXTRA 64u /* credits added beyond those needed                                            */

/* Lane 0, while it runs a task: n tasks, spawned or on the own list, are about to leave. Between tasks: n + 1. */
HD_FN void hd_credit_reserve(const hd_run *r, hd_worker *w, uint32_t n)
{
    if ((int32_t)(w->n_done + w->n_list) >= (int32_t)n)
        return;
    (void)HD_ADD(&r->control->outstanding, n + HD_CREDIT_EXTRA, RELAXED, DEV);
    w->n_done += n + HD_CREDIT_EXTRA;
}

/* ---- the depot ---------------------------------------------------------------------------------- */

HD_FN uint32_t *hd_depot_at(const hd_run *r, uint32_t place)
{
    return r->depot + (place & (r->n_depot - 1u)) * HD_BATCH;
}
/* The turn word of a place keeps a slow worker from being overtaken by a whole round: at `turn` the place may be
 * filled, at turn + 1 it may be emptied, turn + n_depot is the next round. */
HD_FN uint32_t *hd_depot_word(const hd_run *r, uint32_t place)
{
    return r->depot + (uint64_t)r->n_depot * HD_BATCH + (place & (r->n_depot - 1u));
}
HD_FN uint32_t hd_lap_at(uint32_t place, uint32_t n_places) { return place & ~(n_places - 1u); }

/* One lane. */
HD_FN void hd_await_word(uint32_t *word, uint32_t value)
{
    uint32_t n = 0;
    while (HD_LOAD(word, ACQUIRE, DEV) != value)
        HD_PAUSE(n++);
}

/* All scheduling lanes: moves the last HD_BATCH slots of the store into the depot. There are more places than batches. */
HD_SELDOM_FN void hd_depot_put(const hd_run *r, hd_worker *w)
{
    uint32_t lane = hd_warp_lane(), place = 0, i;
    if (lane == 0) {
        place = HD_ADD(&r->control->depot_tail, 1u, RELAXED, DEV);
        hd_await_word(hd_depot_word(r, place), hd_lap_at(place, r->n_depot));
    }
    place = hd_shuffle(place, 0);
    for (i = lane; i < HD_BATCH; i += hd_warp_width())
        hd_depot_at(r, place)[i] = w->free[w->n_free - 1u - i];
    hd_warp_sync();
    if (lane == 0) {
        w->n_free -= HD_BATCH;
        HD_STORE(hd_depot_word(r, place), hd_lap_at(place, r->n_depot) + 1u, RELEASE, DEV);
        (void)HD_ADD(&r->control->avail, 1u, RELAXED, DEV);
    }
    hd_warp_sync();
}

/* One lane: claims a full place. Returns it, or HD_NONE. */
HD_FN uint32_t hd_depot_claim(const hd_run *r)
{
    uint32_t place;
    if ((int32_t)HD_LOAD(&r->control->avail, RELAXED, DEV) <= 0)
        return HD_NONE;
    if ((int32_t)HD_SUB(&r->control->avail, 1u, RELAXED, DEV) <= 0) {
        (void)HD_ADD(&r->control->avail, 1u, RELAXED, DEV);
        return HD_NONE;
    }
    place = HD_ADD(&r->control->depot_head, 1u, RELAXED, DEV);
    hd_await_word(hd_depot_word(r, place), hd_lap_at(place, r->n_depot) + 1u);
    return place;
}

/* All scheduling lanes: moves a batch from the depot into the store. 0: there is none. */
HD_FN int hd_depot_take(const hd_run *r, hd_worker *w)
{
    uint32_t lane = hd_warp_lane(), place = HD_NONE, i;
    if (lane == 0)
        place = hd_depot_claim(r);
    place = hd_shuffle(place, 0);
    if (place == HD_NONE)
        return 0;
    for (i = lane; i < HD_BATCH; i += hd_warp_width())
        w->free[w->n_free + i] = hd_depot_at(r, place)[i];
    hd_warp_sync();
    if (lane == 0) {
        w->n_free += HD_BATCH;
        HD_STORE(hd_depot_word(r, place), hd_lap_at(place, r->n_depot) + r->n_depot, RELEASE, DEV);
    }
    hd_warp_sync();
    return 1;
}

/* All scheduling lanes: takes slots that no worker has had yet. 0: there are none. */
HD_FN int hd_depot_fresh(const hd_run *r, hd_worker *w)
{
    uint32_t lane = hd_warp_lane(), at = r->n_arena, i;
    if (lane == 0 && HD_LOAD(&r->control->fresh, RELAXED, DEV) < r->n_arena)
        at = HD_ADD(&r->control->fresh, HD_BATCH, RELAXED, DEV);
    at = hd_shuffle(at, 0);
    if (at >= r->n_arena)
        return 0;
    for (i = lane; i < HD_BATCH; i += hd_warp_width())
        w->free[w->n_free + i] = r->n_tasks + at + i;
    hd_warp_sync();
    if (lane == 0)
        w->n_free += HD_BATCH;
    hd_warp_sync();
    return 1;
}

/* ---- slots of a worker -------------------------------------------------------------------------- */

/* Lane 0: slot t has no task any more. */
HD_FN void hd_slot_free(const hd_run *r, hd_worker *w, uint32_t t)
{
    hd_fate_clear(r, t);
    w->free[w->n_free++] = t;
}

/* All scheduling lanes: gets slots until the store has `need` and the reserve, or no more are available. */
HD_SELDOM_FN void hd_room_get(const hd_run *r, hd_worker *w, uint32_t need)
{
    int more = 1, low_water;
    while (more && w->n_free < need + r->n_reserve)
        more = hd_depot_take(r, w) || hd_depot_fresh(r, w);
    low_water = w->n_free < need + r->n_reserve;
    hd_warp_sync();
    if (hd_warp_lane() == 0)
        w->low_water = (uint32_t)low_water;
    hd_warp_sync();
}

/* All scheduling lanes: makes sure of `need` slots. 0: not available now. */
HD_FN int hd_room(const hd_run *r, hd_worker *w, uint32_t need)
{
    if (hd_ballot(w->low_water || w->n_free < need + r->n_reserve))
        hd_room_get(r, w, need);
    return w->n_free >= need;
}

/* All scheduling lanes: a store that is nearly full gives some back. */
HD_FN void hd_store_trim(const hd_run *r, hd_worker *w)
{
    hd_warp_sync();
    while (w->n_free + 2u * HD_BATCH > r->n_store)
        hd_depot_put(r, w);
}

/* All scheduling lanes: a worker that has had nothing for long gives its slots back. */
HD_FN void hd_store_flush(const hd_run *r, hd_worker *w)
{
    hd_warp_sync();
    while (w->n_free >= HD_BATCH)
        hd_depot_put(r, w);
}

/* Children that a body may have, and the slots that it needs for them. */
HD_FN uint32_t hd_children_of(const hd_run *r, uint32_t body)
{
    return body == HD_BODY_JOIN ? 0u : r->bodies[2u * body + 1u];
}
HD_FN uint32_t hd_slots_of(const hd_run *r, uint32_t body)
{
    uint32_t n = hd_children_of(r, body);
    return n + hd_extra_of(n);
}
HD_FN uint32_t hd_slots_for(const hd_run *r, uint32_t t) { return hd_slots_of(r, r->tasks[t].body); }

/* Lane 0: counts this worker in `word`, or out of it. */
HD_FN void hd_count_in(uint32_t *word, uint32_t *is, uint32_t shall)
{
    if (*is == shall)
        return;
    *is = shall;
    (void)HD_ADD(word, shall ? 1u : 0xffffffffu, RELAXED, DEV);
}

/* Lane 0: defers task t, which has no room for its children. */
HD_FN void hd_defer(const hd_run *r, hd_worker *w, uint32_t t)
{
    *hd_link_of(r, t) = w->deferred;
    w->deferred = t;
}

/* Lane 0: takes a task for a worker that has nothing, and may have room: a deferred one, or else the oldest. */
HD_FN uint32_t hd_take_for_others(const hd_run *r, hd_worker *w)
{
    uint32_t t = w->deferred;
    if (t == HD_NONE)
        return hd_take_oldest(r, w);
    w->deferred = *hd_link_of(r, t);
    return t;
}

/* Is there room for the children of any task? n_store is the reserve, the most that a task needs, and three batches. */
HD_FN int hd_has_room(const hd_run *r, const hd_worker *w)
{
    return w->deferred == HD_NONE && w->n_free + 3u * HD_BATCH + 1u >= r->n_store;
}

/* All scheduling lanes: may x->task, which was not deferred before, run now? 0: it was deferred, because its children
 * have no room. The task deferred last is tried first. */
HD_FN int hd_admit(const hd_run *r, hd_worker *w, const hd_turn *x)
{
    uint32_t need;
    if (HD_HOSTED && hd_warp_width() == 1u && hd_has_room(r, w)) { /* without a look at its record */
        w->low_water = 0;
        return 1;
    }
    need = hd_slots_of(r, x->record->body);
    if (need == 0u || (w->deferred == HD_NONE && hd_room(r, w, need)))
        return 1;
    if (hd_warp_lane() == 0) {
        hd_defer(r, w, x->task);
        w->tally.n_blocked++;
        hd_count_in(&r->control->n_idle, &w->is_idle, 0u);
    }
    hd_warp_sync();
    return 0;
}

/* Lane 0: may this worker gather slots now? When no worker can go on, those that wait for room take turns: else each
 * would keep what it found, and none would have enough. */
HD_FN int hd_gathers(const hd_run *r, const hd_worker *w)
{
    return w->since == 0 || hd_clock() / HD_GATHER_NS % r->n_workers == w->id;
}

/* All scheduling lanes: takes the first deferred task, if there is room now, or HD_NONE. */
HD_SELDOM_FN uint32_t hd_take_deferred(const hd_run *r, hd_worker *w)
{
    const uint32_t t = hd_shuffle(w->deferred, 0);
    if (!hd_shuffle((uint32_t)hd_gathers(r, w), 0)) {
        hd_store_flush(r, w);
        return HD_NONE;
    }
    if (!hd_room(r, w, hd_slots_for(r, t)))
        return HD_NONE;
    if (hd_warp_lane() == 0)
        w->deferred = *hd_link_of(r, t);
    hd_warp_sync();
    return t;
}

/* ---- no worker can go on --------------------------------------------------------------------------- */

/* Lane 0: the worker has a task again. */
HD_FN void hd_idle_end(const hd_run *r, hd_worker *w)
{
    if (!(w->is_idle | w->is_blocked))
        return;
    hd_count_in(&r->control->n_idle, &w->is_idle, 0u);
    hd_count_in(&r->control->n_blocked, &w->is_blocked, 0u);
    w->since = 0;
}

/* All scheduling lanes: the worker has had nothing for long. It gives its slots back if other workers lack some. */
HD_SELDOM_FN void hd_idle_long(const hd_run *r, hd_worker *w)
{
    if (hd_shuffle(HD_LOAD(&r->control->n_blocked, RELAXED, DEV), 0))
        hd_store_flush(r, w);
    if (hd_warp_lane() == 0)
        hd_count_in(&r->control->n_idle, &w->is_idle, 1u);
    hd_warp_sync();
}

/* Lane 0: the worker has a task without room. When all others are idle or blocked, too, for seconds, the run cannot go on.
 * That is no proof, because a worker may be about to take a task that was handed to it; but it has had seconds to do so. */
HD_SELDOM_FN void hd_alloc_wait(const hd_run *r, hd_worker *w)
{
    uint32_t n;
    if (!w->is_blocked) {
        hd_count_in(&r->control->n_blocked, &w->is_blocked, 1u);
        hd_wake_all(r); /* for their slots */
    }
    n = HD_LOAD(&r->control->n_blocked, RELAXED, DEV) + HD_LOAD(&r->control->n_idle, RELAXED, DEV);
    if (n < r->n_workers)
        w->since = 0;
    else if (!w->since)
        w->since = hd_clock();
    else if (hd_clock() - w->since > HD_BLOCKED_NS)
        (void)hd_stop(&r->control->fail, HD_STOP_FULL);
}

#endif
