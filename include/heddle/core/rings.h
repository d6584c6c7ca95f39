/* SPDX-License-Identifier: MIT */
/* core/rings.h - dispatch distributed: two ready rings for each worker, urgent and normal; the policy chooses the ring for a
 * freed task.
 *
 * A worker that keeps task after task looks at its ring first after hd_run.n_local of them, because no other worker can take
 * from it. A task that finds its ring full goes to the next worker's ring, then to the own list, which is never full. Under
 * policy share a worker that has nothing asks, and a busy one gives it a task that it would run later itself.
 *
 * The end is a count (core/stop.h). A thread that has had nothing for long parks; a push into its ring wakes it.
 *
 * Nothing here waits for another worker except at the head of a ring (a producer between reserving and writing). */
#ifndef HEDDLE_CORE_RINGS_H
#define HEDDLE_CORE_RINGS_H

#include "heddle/core/worker.h"

/* Are the rings never full? See hd_ring_push. */
HD_FN int hd_never_full(const hd_run *r) { return !hd_host_of(r) && !r->n_arena && r->n_slots >= r->n_tasks; }

HD_FN uint32_t *hd_ring_slots(const hd_run *r, uint32_t ring) { return r->slots + (uint64_t)ring * r->n_slots; }

/* ---- taking -------------------------------------------------------------------------------- */

/* Lane 0. */
HD_FN uint32_t hd_take_ring(const hd_run *r, hd_worker *w, uint32_t which)
{
    const uint32_t ring = 2u * w->id + which;
    return hd_ring_pop(&r->cursors[ring], hd_ring_slots(r, ring), r->n_slots, r->late, &w->head[which]);
}

/* One lane: pushes a task into the normal or urgent ring of a worker. */
HD_FN uint32_t hd_hand_over(const hd_run *r, uint32_t t, uint32_t owner, uint32_t which)
{
    uint32_t ring = 2u * owner + which;
    uint32_t said = hd_ring_push(&r->cursors[ring], hd_ring_slots(r, ring), r->n_slots, t, hd_never_full(r));
    if (said == HD_PUSH_WAKE)
        hd_unpark(r, owner);
    return said;
}

/* Lane 0: takes a root for this worker; passes on roots that are bound to others. */
HD_FN uint32_t hd_rings_root(const hd_run *r, hd_worker *w)
{
    uint32_t t;
    do
        t = hd_take_root(r, w);
    while (t != HD_NONE && hd_bound_elsewhere(r, w, t) && hd_hand_over(r, t, hd_bound_to(r, t), 1u) != HD_PUSH_FULL);
    return t;
}

/* ---- sharing --------------------------------------------------------------------------------- */

/* Lane 0 has nothing: asks for a task, unless another worker is asking. */
HD_FN void hd_ask(const hd_run *r, const hd_worker *w)
{
    if (HD_LOAD(&r->control->asking, RELAXED, DEV) == 0u)
        (void)HD_CAS(&r->control->asking, 0u, w->id + 1u, RELAXED, DEV);
}

/* Lane 0: takes a task that this worker would run later, or HD_NONE. */
HD_FN uint32_t hd_take_spare(const hd_run *r, hd_worker *w)
{
    uint32_t t = hd_take_ring(r, w, 1);
    if (t == HD_NONE)
        t = hd_take_oldest(r, w);
    if (t == HD_NONE && w->root_chunk != w->root_end)
        t = hd_rings_root(r, w);
    return t;
}

/* Lane 0: has this worker a task that it would run later? */
HD_FN int hd_has_spare(const hd_run *r, const hd_worker *w)
{
    if (w->list != HD_NONE || w->root_chunk != w->root_end)
        return 1;
    return HD_LOAD(&hd_ring_slots(r, 2u * w->id + 1u)[w->head[1] & (r->n_slots - 1u)], RELAXED, DEV) != 0u;
}

/* Lane 0: gives task t to the asking worker `who` - 1. 0: another worker gave first, or the ring is full, or t is bound. */
HD_FN int hd_give_to(const hd_run *r, hd_worker *w, uint32_t t, uint32_t who)
{
    if (r->n_arena)
        hd_credit_reserve(r, w, 2u);
    if (hd_bound_to(r, t) != HD_NONE || !HD_CAS(&r->control->asking, who, 0u, RELAXED, DEV))
        return 0;
    HD_FENCE_RELEASE();
    if (hd_hand_over(r, t, who - 1u, 1u) == HD_PUSH_FULL)
        return 0;
    w->tally.n_given++;
    return 1;
}

/* Lane 0: gives a task to the asking worker, if this one has more than its next. A deferred task goes first: there may
 * be room for its children there. */
HD_SELDOM_FN void hd_give(const hd_run *r, hd_worker *w, hd_turn *x, uint32_t who)
{
    uint32_t t;
    if (w->deferred != HD_NONE) {
        t = hd_take_for_others(r, w);
        if (!hd_give_to(r, w, t, who))
            hd_defer(r, w, t);
        return;
    }
    t = hd_take_spare(r, w);
    if (t == HD_NONE)
        return;
    if (x->next == HD_NONE && !hd_has_spare(r, w)) /* the last one: giving it away would only move it */
        x->next = t;
    else if (!hd_give_to(r, w, t, who))
        hd_list_put(r, w, t);
}

/* All scheduling lanes, before taking: serves a worker that asks. */
HD_FN void hd_rings_attend(const hd_run *r, hd_worker *w, hd_turn *x)
{
    uint32_t who = 0;
    if (!hd_policy_shares(r->policy) && !hd_ballot(w->deferred != HD_NONE))
        return;
    if (hd_warp_lane() == 0)
        who = HD_LOAD(&r->control->asking, RELAXED, DEV);
    who = hd_shuffle(who, 0);
    if (who == 0u || who == w->id + 1u)
        return;
    if (hd_warp_lane() == 0)
        hd_give(r, w, x, who);
    x->next = hd_shuffle(x->next, 0);
    x->next_at = HD_NONE; /* hd_give may have taken it back */
    hd_warp_sync();
}

/* Lane 0, on a thread: sleeps until a producer or the end of the run unparks it. 0: a producer has reserved a slot and
 * will write it at once, so the worker must not sleep. */
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

/* Lane 0: nothing to do, for the n-th time in a row. */
HD_FN void hd_rings_idle(const hd_run *r, hd_worker *w, uint32_t n)
{
    /* A worker with deferred tasks has too much and does not ask. Any policy asks when others lack room. */
    if (w->deferred == HD_NONE &&
        (hd_policy_shares(r->policy) || (r->n_arena && HD_LOAD(&r->control->n_blocked, RELAXED, DEV))))
        hd_ask(r, w);
    hd_credit_return_own(r, w); /* each time: deferred tasks may have been given away since */
    if (n > r->spin && w->deferred == HD_NONE && hd_host_of(r) && hd_park(r, w))
        return;
    if (n != 0)
        hd_wait(r, n);
}

/* ---- placing --------------------------------------------------------------------------------- */

/* One lane, after HD_FENCE_RELEASE: pushes into the target's ring, or the next worker's, or, if the policy seeks, the
 * first with room; HD_PUSH_FULL when none of these has room. */
HD_FN uint32_t hd_push(const hd_run *r, hd_edge e, uint32_t target, uint32_t *n_full)
{
    uint32_t try_, n = hd_policy_tries(r), said = HD_PUSH_FULL;
    for (try_ = 0; try_ < n && said == HD_PUSH_FULL; try_++) {
        said = hd_hand_over(r, e.task, hd_wrapped(r, target + try_), (e.need & HD_NEED_URGENT) ? 0u : 1u);
        *n_full += said == HD_PUSH_FULL;
    }
    return said;
}

/* All scheduling lanes: lane 0 puts the tasks of the lanes in `mask` on its own list, which is never full. */
HD_SELDOM_FN void hd_own(const hd_run *r, hd_worker *w, uint32_t mask, uint32_t task)
{
    while (mask) {
        uint32_t t = hd_shuffle(task, hd_lowest(mask));
        if (hd_warp_lane() == 0)
            hd_list_put(r, w, t);
        mask &= mask - 1u;
    }
    hd_warp_sync(); /* lane 0 may give such a task away: it needs what the task's lane acquired */
}

/* All scheduling lanes: those in `mask` push their tasks to the worker that the policy chooses or the task is bound to. */
HD_FN void hd_rings_place(const hd_run *r, hd_worker *w, hd_turn *x, hd_edge e, uint32_t mask, uint32_t bound)
{
    const uint32_t n = hd_popcount(mask), rank = hd_popcount(mask & ((1u << hd_warp_lane()) - 1u));
    uint32_t said = HD_PUSH_OK, n_full = 0, target = hd_policy_next(r, w->id, &w->policy_cursor, n) + rank, full;
    if (hd_policy_by_load(r->policy))
        target = hd_policy_pick(r, w->id, x->next != HD_NONE, rank, n);
    HD_FENCE_RELEASE();
    if (mask >> hd_warp_lane() & 1u)
        said = hd_push(r, e, bound != HD_NONE ? bound : hd_wrapped_any(r, target), &n_full);
    full = hd_never_full(r) ? 0u : hd_ballot(said == HD_PUSH_FULL);
    if (full)
        hd_own(r, w, full, e.task);
    if (hd_warp_lane() == 0) {
        w->tally.n_full += n_full; /* lane 0's own count: a hint of pressure, exact on one lane     */
        w->tally.n_spilled += hd_popcount(full);
    }
    hd_warp_sync();
}

/* All scheduling lanes: does the policy keep a task here now? */
HD_FN int hd_rings_keeps(const hd_run *r, const hd_worker *w, const hd_turn *x)
{
    uint32_t load = 0;
    if (!hd_policy_keeps(r->policy) || x->next != HD_NONE)
        return 0;
    if (!hd_policy_has(r->policy, HD_IF_LOW))
        return 1;
    if (hd_warp_lane() == 0)
        load = hd_load_of(r, w->id);
    return hd_shuffle(load, 0) == 0u || hd_policy_pick(r, w->id, 0, 0, 1) == w->id;
}

/* Do spawned tasks stay with their maker until another worker asks? Only under policies that share; under the others
 * the policy chooses a ring for them. */
HD_FN int hd_rings_keep_spawned(const hd_run *r) { return hd_policy_shares(r->policy); }

#endif
