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
 * first after hd_run.n_local of them, because nobody else can take what is in it. One that has nothing takes a task out of
 * another's normal ring, where the config says so.
 *
 * Nothing here waits for another worker except at the head of a ring (a producer between reserving and
 * writing) and for a counter that is known to reach its target. */
#ifndef HEDDLE_CORE_WORKER_H
#define HEDDLE_CORE_WORKER_H

#include "heddle/core/own.h"
#include "heddle/core/stop.h"

#define HD_SEED_MAX 64u /* roots taken at once, at most                                            */
#define HD_VICTIMS 3u   /* workers that a thief looks at, at most                                  */
#define HD_PEEKS 4u     /* slots of each, at most                                                  */
#define HD_OFFER 32u    /* own tasks that a worker has on offer for thieves, at most               */

/* Prepares w for one run. The ring heads go on from where the last run left them; others may be pushing
 * already. */
HD_FN void hd_worker_begin(const hd_run *r, hd_worker *w, uint32_t id)
{
    hd_tally none = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    uint32_t *store = r->n_arena ? r->store + (uint64_t)id * r->n_store : 0;
    w->id = id;
    w->run = HD_LOAD(&r->shared->run, RELAXED, DEV);
    w->head[0] = HD_LOAD(&r->cursors[2 * id].head, RELAXED, DEV);
    w->head[1] = HD_LOAD(&r->cursors[2 * id + 1].head, RELAXED, DEV);
    w->turn = w->random = id;
    w->kept = HD_NONE;
    w->kept_run = 0;
    w->list = HD_NONE;
    w->seed = w->seed_end = 0;
    w->n_done = w->open = 0;
    w->list_end = w->aside = HD_NONE;
    w->n_list = w->scarce = w->rests = w->starves = 0;
    w->free = store ? store + 1 : 0;
    w->n_free = store ? store[0] : 0u;
    w->since = 0;
    w->tally = none;
    w->left = r->events ? hd_clock() : 0;
    w->idle_since = w->queued = 0;
}

/* Leaves the run: writes down where the rings stand and what was done. 1 to the last one out, which then
 * sees everything all workers wrote and calls hd_rearm. */
HD_FN int hd_worker_end(const hd_run *r, hd_worker *w)
{
    HD_STORE(&r->cursors[2 * w->id].head, w->head[0], RELAXED, DEV);
    HD_STORE(&r->cursors[2 * w->id + 1].head, w->head[1], RELAXED, DEV);
    if (w->open)
        HD_STORE(&r->boxes[w->id], 0u, RELAXED, DEV);
    if (r->n_arena) {
        w->free[-1] = w->n_free;
        hd_rest_end(r, w);
    }
    r->tallies[w->id] = w->tally;
    return hd_leave(r);
}

/* The worker a task is bound to, or HD_NONE. Bound tasks go into that worker's ring and are never given away; whoever
 * loads a graph with such tasks makes the rings as long as the graph, so that they are never full. */
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

/* Rings that are never full: see hd_ring_push. */
HD_FN int hd_never_full(const hd_run *r)
{
    return !hd_host_of(r) && !r->n_arena && !r->steals && r->n_slots >= r->n_tasks;
}

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

/* What word of a slot or box names, acquired. */
HD_FN uint32_t hd_task_of(const hd_run *r, const hd_worker *w, uint32_t word)
{
    uint32_t t = (word & ~HD_SLOT_DIRECT) - 1u;
    if (!(word & HD_SLOT_DIRECT))
        hd_acquire(r, w->run, t);
    return t;
}

HD_FN uint32_t hd_take_ring(const hd_run *r, hd_worker *w, uint32_t which)
{
    uint32_t ring = 2u * w->id + which, *slots = hd_ring_slots(r, ring), word;
    if (which == 1u && r->steals)
        word = hd_ring_pop_first(&r->cursors[ring], slots, r->n_slots, &w->head[which]);
    else
        word = hd_ring_pop(&r->cursors[ring], slots, r->n_slots, r->late, &w->head[which]);
    return word ? hd_task_of(r, w, word) : HD_NONE;
}

/* Lane 0 has nothing: whoever frees a task may hand it over. */
HD_FN void hd_open_box(const hd_run *r, hd_worker *w)
{
    if (!r->boxes || w->open)
        return;
    HD_STORE(&r->boxes[w->id], HD_BOX_OPEN, RELAXED, DEV);
    w->open = 1;
}

HD_FN uint32_t hd_take_box(const hd_run *r, hd_worker *w)
{
    uint32_t word = w->open ? hd_box_take(&r->boxes[w->id]) : 0u;
    if (!word)
        return HD_NONE;
    w->open = 0;
    return hd_task_of(r, w, word);
}

/* Lane 0 has found something elsewhere: a task that was put into its box since runs later. */
HD_SELDOM_FN void hd_close_box(const hd_run *r, hd_worker *w)
{
    uint32_t word = hd_box_close(&r->boxes[w->id]), t;
    w->open = 0;
    if (!word)
        return;
    t = hd_task_of(r, w, word);
    hd_list_put(r, w, t);
}

HD_FN uint32_t hd_take_kept(hd_worker *w)
{
    uint32_t t = w->kept;
    w->kept = HD_NONE;
    w->kept_run = t == HD_NONE ? 0u : w->kept_run + 1u;
    return t;
}

/* One lane puts a task into the normal or urgent ring of a worker, direct: what this lane has acquired passes on. */
HD_FN uint32_t hd_hand_over(const hd_run *r, uint32_t t, uint32_t owner, uint32_t which)
{
    uint32_t ring = 2u * owner + which;
    uint32_t said = hd_ring_push(&r->cursors[ring], hd_ring_slots(r, ring), r->n_slots, t, 1, hd_never_full(r));
    if (said == HD_PUSH_WAKE)
        hd_unpark(r, owner);
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
    if (HD_LOAD(&r->shared->asking, RELAXED, DEV) == 0u)
        (void)HD_CAS(&r->shared->asking, 0u, w->id + 1u, RELAXED, DEV);
}

/* One lane: a worker at random, but not this one, unless it is alone. */
HD_FN uint32_t hd_some_other(const hd_run *r, hd_worker *w)
{
    uint32_t others = r->n_workers - 1u;
    w->random = w->random * 1664525u + 1013904223u;
    return others ? hd_wrapped(r, w->id + 1u + (w->random >> 8) % others) : w->id;
}

/* One lane: a task out of the victim's normal ring, as a slot has it; 0: none is seen. Bound tasks stay. */
HD_FN uint32_t hd_steal_from(const hd_run *r, uint32_t victim)
{
    uint32_t ring = 2u * victim + 1u, *slots = hd_ring_slots(r, ring), i;
    uint32_t at = hd_ring_next(&r->cursors[ring], r->n_slots);
    for (i = 0; i < HD_PEEKS; i++, at++) {
        uint32_t *slot = &slots[at & (r->n_slots - 1u)], word = HD_LOAD(slot, RELAXED, DEV);
        uint32_t t = (word & ~HD_SLOT_DIRECT) - 1u;
        if (!word)
            return 0;
        if (word == HD_SLOT_STOLEN || (t < r->n_tasks && hd_bound_to(r, t) != HD_NONE))
            continue;
        if (hd_ring_steal(&r->cursors[ring], slot, at, word))
            return word;
    }
    return 0;
}

/* Lane 0 has nothing: a task of one of a few others, or HD_NONE. */
HD_SELDOM_FN uint32_t hd_take_stolen(const hd_run *r, hd_worker *w)
{
    uint32_t victim = hd_some_other(r, w), n = r->n_workers - 1u, i, word = 0;
    n = n < HD_VICTIMS ? n : HD_VICTIMS;
    for (i = 0; i < n && !word; i++) {
        word = hd_steal_from(r, victim);
        victim = hd_wrapped(r, victim + 1u);
        if (victim == w->id)
            victim = hd_wrapped(r, victim + 1u);
    }
    if (!word)
        return HD_NONE;
    w->tally.n_stolen++;
    return hd_task_of(r, w, word);
}

/* Something that this worker would run later, or HD_NONE. */
HD_FN uint32_t hd_take_spare(const hd_run *r, hd_worker *w)
{
    uint32_t t = hd_take_ring(r, w, 1);
    if (t == HD_NONE)
        t = hd_take_oldest(r, w);
    if (t == HD_NONE && w->seed != w->seed_end)
        t = hd_take_seed(r, w);
    return t;
}

/* Is there something that this worker would run later? */
HD_FN int hd_has_spare(const hd_run *r, const hd_worker *w)
{
    uint32_t *slots = hd_ring_slots(r, 2u * w->id + 1u), word;
    if (w->list != HD_NONE || w->seed != w->seed_end)
        return 1;
    word = HD_LOAD(&slots[w->head[1] & (r->n_slots - 1u)], RELAXED, DEV);
    return word != 0u && word != HD_SLOT_STOLEN;
}

/* Lane 0: worker `who` - 1 asks, and here is a task that has no room. */
HD_SELDOM_FN void hd_give_aside(const hd_run *r, hd_worker *w, uint32_t who)
{
    uint32_t t;
    if (!HD_CAS(&r->shared->asking, who, 0u, RELAXED, DEV))
        return;
    t = hd_take_for_others(r, w);
    hd_lend(r, w, 2u);
    if (hd_hand_over(r, t, who - 1u, 1u) == HD_PUSH_FULL)
        hd_set_aside(r, w, t);
    else
        w->tally.n_given++;
}

/* Lane 0: gives a task to the worker that asks, if there is one and this one has more than its next. The slot is
 * released as for a task with one predecessor: what this worker acquired passes on with it. */
HD_SELDOM_FN void hd_give(const hd_run *r, hd_worker *w)
{
    uint32_t who = HD_LOAD(&r->shared->asking, RELAXED, DEV), t, said;
    if (who == 0u || who == w->id + 1u)
        return;
    if (w->aside != HD_NONE) {
        hd_give_aside(r, w, who);
        return;
    }
    t = hd_take_spare(r, w);
    if (t == HD_NONE)
        return;
    if (w->kept == HD_NONE && !hd_has_spare(r, w)) { /* the last one: given away, it would only change places */
        w->kept = t;
        return;
    }
    said = HD_PUSH_FULL;
    if (r->n_arena)
        hd_lend(r, w, 2u);
    if (hd_bound_to(r, t) == HD_NONE && HD_CAS(&r->shared->asking, who, 0u, RELAXED, DEV))
        said = hd_hand_over(r, t, who - 1u, 1u);
    if (said == HD_PUSH_FULL) { /* somebody else gave, or pushed: back to the own list */
        hd_list_put(r, w, t);
        return;
    }
    w->tally.n_given++;
}

/* Lane 0: something to run, or HD_NONE for now. */
HD_FN uint32_t hd_take(const hd_run *r, hd_worker *w)
{
    uint32_t t = hd_take_ring(r, w, 0);
    if (t == HD_NONE)
        t = hd_take_box(r, w);
    if (t == HD_NONE && w->kept_run < r->n_local)
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
    if (t == HD_NONE && r->steals && w->aside == HD_NONE)
        t = hd_take_stolen(r, w);
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
        hd_host_of(r)->park(hd_host_of(r)->self, w->id);
        hd_ring_rouse(normal, w->head[1]);
        parked = 1;
    }
    hd_ring_rouse(urgent, w->head[0]);
    return parked;
}

/* Lane 0: gives back what is done, before waiting, or nobody would see the end. Not while it has tasks that wait for room. */
HD_FN void hd_settle_own(const hd_run *r, hd_worker *w)
{
    if (w->aside != HD_NONE)
        return;
    hd_settle(r, w->n_done);
    w->n_done = 0;
}

/* Lane 0, on a thread: nothing to do, for the polls-th time. */
HD_FN void hd_idle(const hd_run *r, hd_worker *w, uint32_t polls)
{
    hd_settle_own(r, w); /* each time: what was set aside may have been given away since */
    if (polls != 0 && w->aside != HD_NONE)
        hd_starve(r, w);
    if (polls != 0 && polls > r->spin && w->aside == HD_NONE && hd_host_of(r)) {
        if (r->n_arena)
            hd_rest(r, w);
        if (hd_park(r, w))
            return;
    }
    if (polls != 0)
        HD_PAUSE(polls);
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
        if (t != HD_NONE) {
            if (w->open)
                hd_close_box(r, w);
            return t;
        }
        hd_open_box(r, w);
        if (hd_policy_shares(r->policy))
            hd_ask(r, w);
        if (polls == 0 && r->events)
            w->idle_since = hd_clock();
        hd_idle(r, w, polls++);
    }
}

/* ---- finishing ------------------------------------------------------------------------------ */

/* Is the edge counted? It is not where nobody else can arrive. */
HD_FN int hd_is_counted(hd_edge e) { return (e.need & HD_NEED_MASK) > 1u; }

/* Counts one arrival. Returns 1 when e.task became ready by it. Release: hands on this task's outputs;
 * acquire: if it was the last, and the task stays here, the other predecessors' outputs are needed. */
HD_FN int hd_arrive(const hd_run *r, uint32_t run, hd_edge e)
{
    return !hd_is_counted(e) || HD_ADD(&r->count[e.task], 1u, ACQ_REL, DEV) + 1u == run * (e.need & HD_NEED_MASK);
}

/* One lane: into the target's ring, or the next worker's, or, if the policy seeks, the first that has room; HD_PUSH_FULL when
 * none of these has. */
HD_FN uint32_t hd_push(const hd_run *r, hd_edge e, uint32_t target, uint32_t *n_full)
{
    uint32_t try_, n = hd_policy_tries(r), said = HD_PUSH_FULL;
    for (try_ = 0; try_ < n && said == HD_PUSH_FULL; try_++) {
        uint32_t owner = hd_wrapped(r, target + try_);
        uint32_t ring = 2u * owner + ((e.need & HD_NEED_URGENT) ? 0u : 1u);
        said = hd_ring_push(&r->cursors[ring], hd_ring_slots(r, ring), r->n_slots, e.task, !hd_is_counted(e),
                            hd_never_full(r));
        if (said == HD_PUSH_WAKE)
            hd_unpark(r, owner);
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
            hd_list_put(r, w, t);
            w->tally.n_spilled++;
        }
        mask &= mask - 1u;
    }
    hd_warp_sync(); /* lane 0 may give such a task away: what its own lane acquired comes before */
}

/* Where freed tasks shall go: the policy's first target, and whether the k-th worker from there has nothing to do, which
 * lane k has looked at. */
typedef struct hd_aim {
    uint32_t first, box;
} hd_aim;

HD_FN hd_aim hd_aim_none(void)
{
    hd_aim none = {HD_NONE, 0};
    return none;
}

/* All scheduling lanes; what they look at is on its way until it is used. */
HD_FN hd_aim hd_aim_at(const hd_run *r, uint32_t first)
{
    uint32_t k = hd_warp_lane();
    hd_aim aim = {first, 0};
    if (r->boxes && k < r->n_workers)
        aim.box = HD_LOAD(&r->boxes[hd_near(r, aim.first, k)], RELAXED, DEV);
    return aim;
}

/* The same when n tasks are ready. */
HD_FN hd_aim hd_aim_now(const hd_run *r, const hd_worker *w, uint32_t n)
{
    uint32_t drawn = 0;
    if (hd_policy_has(r->policy, HD_DRAWS) && hd_warp_lane() == 0)
        drawn = hd_policy_draw(r, n);
    return hd_aim_at(r, hd_policy_first(r, w->id, w->turn, hd_shuffle(drawn, 0)));
}

/* One lane: hands its task to a worker that has nothing to do, of those in `open`. It is the rank-th of n lanes, who try
 * different ones. 0: none of them had nothing. */
HD_FN int hd_send_one(const hd_run *r, hd_edge e, uint32_t first, uint32_t open, uint32_t rank, uint32_t n)
{
    uint32_t skip = rank;
    for (; open; open &= open - 1u) {
        if (skip == 0 && hd_box_put(&r->boxes[hd_near(r, first, hd_lowest(open))], e.task, !hd_is_counted(e)))
            return 1;
        skip = skip ? skip - 1u : n - 1u;
    }
    return 0;
}

/* All scheduling lanes: those in `mask` hand their tasks to workers that have nothing to do, or to the one that the task is
 * bound to, if that has nothing to do. Bits of those who could not. */
HD_FN uint32_t hd_send(const hd_run *r, hd_edge e, uint32_t bound, uint32_t mask, uint32_t rank, uint32_t n,
                       const hd_aim *aim)
{
    uint32_t open = hd_ballot(aim->box == HD_BOX_OPEN);
    int left = mask >> hd_warp_lane() & 1u;
    if (left && bound != HD_NONE)
        left = !r->boxes || !hd_box_put(&r->boxes[bound], e.task, !hd_is_counted(e));
    else if (left)
        left = !hd_send_one(r, e, aim->first, open, rank, n);
    return hd_ballot(left);
}

/* Lane 0 keeps the task of one of the lanes in `mine`, unless it has one: a bit of that lane, or 0. */
HD_FN uint32_t hd_keep_one(const hd_run *r, hd_worker *w, hd_edge e, uint32_t mine)
{
    uint32_t urgent = r->has_urgent ? mine & hd_ballot((e.need & HD_NEED_URGENT) != 0u) : 0u, who, t;
    if (!mine || w->kept != HD_NONE)
        return 0;
    who = hd_lowest(urgent ? urgent : mine);
    t = hd_shuffle(e.task, who);
    hd_warp_sync(); /* all lanes have read w->kept before lane 0 writes it */
    if (hd_warp_lane() == 0) {
        w->kept = t;
        w->tally.n_kept++;
    }
    hd_warp_sync();
    return 1u << who;
}

/* All scheduling lanes: tasks that nobody took who has nothing to do. One of them can stay here, if this worker has nothing
 * either. Its predecessors' outputs are acquired anew: the count may have been one that nobody waited for. A bit of the lane
 * whose task stays, or 0. */
HD_FN uint32_t hd_keep_left(const hd_run *r, hd_worker *w, hd_edge e, uint32_t left, uint32_t bound)
{
    uint32_t here = hd_keep_one(r, w, e, left & hd_ballot(bound == HD_NONE || bound == w->id));
    if (here >> hd_warp_lane() & 1u && hd_is_counted(e))
        hd_acquire(r, w->run, e.task);
    return here;
}

/* All scheduling lanes: those in `mask` push their tasks into rings: the rank-th of n that of the rank-th worker from
 * `first`, or of the one that the task is bound to. What finds no room goes onto the own list. */
HD_FN uint32_t hd_push_left(const hd_run *r, hd_worker *w, hd_edge e, uint32_t left, uint32_t bound, uint32_t target)
{
    uint32_t said = HD_PUSH_OK, n_full = 0;
    if (left >> hd_warp_lane() & 1u)
        said = hd_push(r, e, bound != HD_NONE ? bound : hd_wrapped_any(r, target), &n_full);
    if (!hd_never_full(r) && hd_ballot(said == HD_PUSH_FULL))
        hd_spill(r, w, hd_ballot(said == HD_PUSH_FULL), e.task);
    return n_full;
}

/* All scheduling lanes, on a thread: the task of one lane in `mask` goes to another worker that sleeps, if the first look meets
 * one: it would not see what it could steal. A bit of that lane, or 0. */
HD_FN uint32_t hd_wake_one(const hd_run *r, hd_worker *w, hd_edge e, uint32_t mask)
{
    uint32_t who = hd_lowest(mask), said = HD_PUSH_FULL, other = 0, dozes = 0, n_full = 0;
    if (hd_warp_lane() == 0) {
        other = hd_some_other(r, w);
        dozes = HD_LOAD(&r->cursors[2u * other + 1u].tail, RELAXED, DEV) & HD_RING_DOZE;
    }
    other = hd_shuffle(other, 0);
    if (hd_shuffle(dozes, 0) && hd_warp_lane() == who)
        said = hd_push(r, e, other, &n_full);
    return hd_ballot(said != HD_PUSH_FULL);
}

/* All scheduling lanes: those in `mask` push their tasks into this worker's own ring, from which others steal. Bits of those
 * that found no room, or enough on offer. Lane 0 emptied the slots before a barrier that all lanes have passed since: it took a task then. */
HD_FN uint32_t hd_push_own(const hd_run *r, hd_worker *w, hd_edge e, uint32_t mask)
{
    const uint32_t ring = 2u * w->id + 1u, lane = hd_warp_lane(), n_all = hd_popcount(mask);
    const uint32_t most = r->n_slots < HD_OFFER ? r->n_slots : HD_OFFER;
    uint32_t at = 0, n = 0, rank, left;
    if (hd_host_of(r))
        mask &= ~hd_wake_one(r, w, e, mask);
    if (lane == 0)
        at = hd_ring_reserve_some(&r->cursors[ring], most, hd_popcount(mask), &n);
    at = hd_shuffle(at, 0);
    n = hd_shuffle(n, 0);
    rank = hd_popcount(mask & ((1u << lane) - 1u));
    if ((mask >> lane & 1u) && rank < n)
        hd_slot_fill(&hd_ring_slots(r, ring)[(at + rank) & (r->n_slots - 1u)], e.task, !hd_is_counted(e));
    left = hd_ballot((mask >> lane & 1u) && rank >= n);
    if (lane == 0)
        w->tally.n_pushed += n_all - hd_popcount(left);
    return left;
}

/* All scheduling lanes: those in `mask` place their tasks elsewhere. aim: hd_aim_none, or from before. */
HD_FN void hd_place_away(const hd_run *r, hd_worker *w, hd_edge e, uint32_t mask, uint32_t bound, int may_keep,
                         hd_aim aim)
{
    const uint32_t n = hd_popcount(mask), rank = hd_popcount(mask & ((1u << hd_warp_lane()) - 1u));
    const int ahead = aim.first != HD_NONE;
    uint32_t left, here = 0, n_full, target;
    if (!ahead)
        aim = hd_aim_now(r, w, n);
    left = hd_send(r, e, bound, mask, rank, n, &aim);
    if (left && r->boxes && may_keep && !hd_policy_keeps(r->policy))
        here = hd_keep_left(r, w, e, left, bound);
    left &= ~here;
    if (left && ahead) { /* what was seen is a while ago */
        aim = hd_aim_at(r, aim.first);
        left = hd_send(r, e, bound, left, rank, n, &aim);
    }
    target = aim.first + rank;
    if (left && hd_policy_by_load(r->policy))
        target = hd_policy_pick(r, w->id, !may_keep || w->kept != HD_NONE,
                                hd_popcount(left & ((1u << hd_warp_lane()) - 1u)), hd_popcount(left));
    n_full = hd_push_left(r, w, e, left, bound, target);
    if (hd_warp_lane() == 0) {
        if (hd_policy_has(r->policy, HD_TURNS))
            w->turn = hd_wrapped_any(r, aim.first + n);
        w->tally.n_pushed += n - (here != 0);
        w->tally.n_full += n_full; /* lane 0's own: a hint of pressure, exact on one lane           */
    }
    hd_warp_sync();
}

/* All scheduling lanes: does the policy keep a task here, now? */
HD_FN int hd_keeps_now(const hd_run *r, const hd_worker *w)
{
    uint32_t load = 0;
    if (!hd_policy_keeps(r->policy))
        return 0;
    if (!hd_policy_has(r->policy, HD_IF_LOW))
        return 1;
    if (w->kept != HD_NONE)
        return 0;
    if (hd_warp_lane() == 0)
        load = hd_load_of(r, w->id);
    return hd_shuffle(load, 0) == 0u || hd_policy_pick(r, w->id, 0, 0, 1) == w->id;
}

/* All scheduling lanes: each places its task if it is `ready`. may_keep 0: this worker has its next task already; aim:
 * hd_aim_none, or from before the tasks were counted. */
HD_FN void hd_place(const hd_run *r, hd_worker *w, hd_edge e, int ready, int may_keep, hd_aim aim)
{
    uint32_t mask = hd_ballot(ready), bound = HD_NONE;
    if (!mask)
        return;
    if (r->has_placed && ready && (e.need & HD_NEED_PLACED))
        bound = hd_bound_to(r, e.task);
    if (may_keep && hd_keeps_now(r, w))
        mask &= ~hd_keep_one(r, w, e, hd_ballot(ready && (bound == HD_NONE || bound == w->id)));
    if (mask)
        hd_place_away(r, w, e, mask, bound, may_keep, aim);
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

/* All scheduling lanes: the task's successors have been counted and placed. */
HD_FN void hd_finished(const hd_run *r, hd_worker *w, uint32_t t, const hd_task *task)
{
    if (hd_warp_lane() != 0)
        return;
    w->n_done++;
    w->tally.n_tasks += task->body != HD_BODY_JOIN;
    if ((task->flags & HD_TASK_WATCH) && hd_host_of(r))
        hd_host_of(r)->done(hd_host_of(r)->self, t);
}

/* All scheduling lanes, after the barrier that ends the body of t; task: its record, or a copy of it. */
HD_FN void hd_finish(const hd_run *r, hd_worker *w, uint32_t t, const hd_task *task)
{
    uint32_t n = task->n_succ, at;
    for (at = 0; at < n; at += hd_warp_width()) {
        hd_edge e = {0, 0};
        int ready = hd_arrive_at(r, w->run, task, at, &e);
        hd_place(r, w, e, ready, 1, hd_aim_none());
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

/* A queue has been worked on since `begin`. */
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
