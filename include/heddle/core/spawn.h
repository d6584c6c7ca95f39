/* SPDX-License-Identifier: MIT */
/* core/spawn.h - tasks that make tasks: what a worker does. The team's part is core/spawn_buffer.h.
 *
 *      hd_admit(r, w, x)              acquires room for a task's children before the task runs (core/own.h)
 *      hd_spawn_buffer_open / hd_spawn_buffer_drain   hands on what the body has spawned, while it runs and after
 *      hd_end_body(r, w, x, d)        ends the task: its waiters, a parent's continuation, its slot */
#ifndef HEDDLE_CORE_SPAWN_H
#define HEDDLE_CORE_SPAWN_H

#include "heddle/core/dispatch.h"
#include "heddle/core/stamp.h"

/* ---- handing on ------------------------------------------------------------------------------- */

/* All scheduling lanes: hands on task t of lane 0, unless it is HD_NONE. */
HD_FN void hd_hand_on_one(const hd_run *r, hd_worker *w, hd_turn *x, uint32_t t, uint32_t dispatch)
{
    hd_edge e = {0, 0};
    t = hd_shuffle(t, 0);
    if (t == HD_NONE)
        return;
    hd_warp_sync(); /* its record may be another worker's: all lanes need what lane 0 acquired */
    e.task = t;
    e.need = 1u | (hd_is_spawned(r, t) && hd_child_at(r, t)->flags & HD_TASK_URGENT ? HD_NEED_URGENT : 0u);
    hd_place_spawned(r, w, x, e, 1u, dispatch);
}

/* ---- the spawn buffer --------------------------------------------------------------------------------- */

/* Lane 0, before the body of an admitted task with such flags, that may have so many children. The spawn buffer's marks are all 0, as at
 * the worker's begin: handing on clears them. d->run is for functions that get only the spawn buffer. On a GPU it is
 * the copy in shared memory (core/resident.h), which functions that stay calls read cheaply. */
HD_FN void hd_spawn_buffer_open(const hd_run *r, const hd_worker *w, hd_spawn_buffer *d, uint32_t n_room,
                                uint32_t flags)
{
    d->run = r;
    d->worker = w->id;
    d->free = w->free + w->n_free;
    d->n_room = n_room;
    d->n_spawned = d->n_extra = d->n_out = d->n_out_extra = 0;
    d->fork = d->pinned = HD_NONE;
    d->n_siblings = d->serial = 0;
    d->flags = hd_pool_of(r) ? flags & (HD_TASK_ODD | HD_TASK_TEAM_MASK) : 0u;
}

/* All scheduling lanes: hands on entries from .. end - 1 of the spawn buffer, up to the first that is not marked.
 * Returns the index where it stopped. */
HD_FN uint32_t hd_spawn_buffer_drain_part(const hd_run *r, hd_worker *w, hd_turn *x, hd_spawn_buffer *d, uint32_t from,
                                          uint32_t end, uint32_t dispatch)
{
    while (from < end) {
        uint32_t at = from + hd_warp_lane(), out = 0, there, n, mask;
        int ready;
        hd_edge e = {0, 1};
        if (at < end)
            out = HD_LOAD(&d->out[at], ACQUIRE, BLOCK);
        there = hd_ballot(out == 0u);
        n = there ? hd_lowest(there) : hd_warp_width(); /* entries there, from the first on */
        if (n == 0u)
            return from;
        if (hd_warp_lane() >= n)
            out = 0;
        if (out)
            HD_STORE(&d->out[at], 0u, RELAXED, BLOCK);
        if (hd_warp_lane() == 0) {
            if (dispatch != HD_DISPATCH_TICKET) { /* ticket does not count tasks */
                hd_credit_reserve(r, w, n);
                w->n_done -= n;
            }
            w->tally.n_spawned += n;
            hd_pool_created(r, w->id, &w->live, d->flags, n);
        }
        hd_warp_sync();
        e.task = at < end ? hd_spawn_buffer_task(d, at) : 0u;
        e.need |= out & HD_OUT_URGENT;
        ready = (out & ~HD_OUT_URGENT) == HD_OUT_READY;
        if ((out & ~HD_OUT_URGENT) == HD_OUT_WAITS) /* from here on another worker may run it and reuse its slot */
            ready = !hd_wait_on(r, e.task);
        mask = hd_ballot(ready);
        if (mask)
            hd_place_spawned(r, w, x, e, mask, dispatch);
        from += n;
    }
    return from;
}

HD_FN uint32_t hd_least_of(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* All scheduling lanes: hands on what the body has spawned so far. */
HD_FN void hd_spawn_buffer_drain(const hd_run *r, hd_worker *w, hd_turn *x, hd_spawn_buffer *d, uint32_t dispatch)
{
    const uint32_t n = hd_shuffle(HD_LOAD(&d->n_spawned, RELAXED, BLOCK), 0);
    const uint32_t n_extra = hd_shuffle(HD_LOAD(&d->n_extra, RELAXED, BLOCK), 0);
    uint32_t i;
    if (n == d->n_out && n_extra == d->n_out_extra)
        return;
    for (i = 0; i < 2u; i++) { /* children; extra slots */
        const uint32_t base = i ? d->n_room : 0u;
        const uint32_t end = i ? hd_least_of(n_extra, hd_extra_of(d->n_room)) : hd_least_of(n, d->n_room);
        const uint32_t at =
            hd_spawn_buffer_drain_part(r, w, x, d, base + (i ? d->n_out_extra : d->n_out), base + end, dispatch);
        hd_warp_sync();
        if (hd_warp_lane() == 0)
            *(i ? &d->n_out_extra : &d->n_out) = at - base;
        hd_warp_sync();
    }
}

/* For a worker of one lane: do its spawned tasks go onto its own list, if they are not urgent? */
HD_FN int hd_lists_spawned(const hd_run *r, const hd_worker *w)
{
    if (!HD_HOSTED || hd_warp_width() != 1u)
        return 0;
    return r->n_slots == 0u || (r->dispatch == HD_DISPATCH_RINGS && (w->low_water || hd_rings_keep_spawned(r)));
}

/* The same worker, when the body has ended: puts children that were not handed on, up to the first that is not simply
 * ready, onto the own list in one piece. It reserves no credits, because nothing leaves. */
HD_FN void hd_spawn_buffer_list(const hd_run *r, hd_worker *w, hd_spawn_buffer *d)
{
    const uint32_t from = d->n_out, end = hd_least_of(d->n_spawned, d->n_room);
    uint32_t at, t, first = w->list;
    for (at = from; at < end && HD_LOAD(&d->out[at], RELAXED, BLOCK) == HD_OUT_READY; at++) {
        HD_STORE(&d->out[at], 0u, RELAXED, BLOCK);
        t = hd_spawn_buffer_task(d, at);
        hd_child_at(r, t)->link = first;
        *(first == HD_NONE ? &w->list_end : hd_back_of(r, first)) = t;
        first = t;
    }
    if (at == from)
        return;
    hd_child_at(r, first)->back = HD_NONE;
    w->list = first;
    w->n_list += at - from;
    w->n_done -= at - from;
    w->tally.n_spawned += at - from;
    hd_pool_created(r, w->id, &w->live, d->flags, at - from);
    w->tally.most_own = w->n_list > w->tally.most_own ? w->n_list : w->tally.most_own;
    d->n_out = at;
}

/* Lane 0: removes the slots that the body used from the store. Extra slots leave holes, which the slots of children
 * that were not made fill. */
HD_FN void hd_spawn_buffer_pay(hd_worker *w, const hd_spawn_buffer *d)
{
    uint32_t n = hd_least_of(d->n_spawned, d->n_room), n_extra = d->n_extra, i, top = w->n_free;
    uint32_t unused = d->n_room - n;
    if (n_extra)
        n_extra = hd_least_of(n_extra, hd_extra_of(d->n_room));
    for (i = 0; i < n_extra && i < unused; i++)
        w->free[top - d->n_room - n_extra + i] = w->free[top - 1u - n - i];
    w->n_free = top - n - n_extra;
}

/* ---- the end of a task -------------------------------------------------------------------------- */

/* Lane 0: the spawner of task t has ended, so t's handle need no longer be valid. */
HD_FN void hd_unpin(const hd_run *r, hd_worker *w, uint32_t t)
{
    hd_spawn_links *k = hd_spawn_links_at(r, t);
    uint32_t n = 0;
    for (;;) {
        uint32_t v = HD_LOAD(&k->done_word, ACQUIRE, DEV);
        if (v & HD_DONE_WORD_ENDED) { /* no other worker changes it; the store hands on the end */
            HD_STORE(&k->done_word, ((v >> HD_DONE_WORD_BITS) + 1u) << HD_DONE_WORD_BITS, RELEASE, DEV);
            hd_slot_free(r, w, t);
            return;
        }
        if (!(v & HD_DONE_WORD_LOCK) && HD_CAS(&k->done_word, v, v | HD_DONE_WORD_RELEASED, RELEASE, DEV))
            return;
        HD_PAUSE(n++);
    }
}

/* All scheduling lanes: unpins all tasks in a list of pinned children. */
HD_SELDOM_FN void hd_unpin_all(const hd_run *r, hd_worker *w, uint32_t pinned)
{
    while (pinned != HD_NONE) {
        const uint32_t next = hd_spawn_links_at(r, pinned)->pinned_next;
        hd_warp_sync(); /* all have read it before its slot is free */
        if (hd_warp_lane() == 0)
            hd_unpin(r, w, pinned);
        hd_store_trim(r, w);
        pinned = next;
    }
}

/* What the done word v becomes when its task ends: of the next generation if its spawner has ended, too. */
HD_FN uint32_t hd_done_word_ended(uint32_t v, uint32_t wrong)
{
    if (v & HD_DONE_WORD_RELEASED)
        return ((v >> HD_DONE_WORD_BITS) + 1u) << HD_DONE_WORD_BITS;
    return v | HD_DONE_WORD_ENDED | (wrong ? HD_DONE_WORD_WRONG : 0u);
}

/* Lane 0, after HD_FENCE_RELEASE: pinned task t has ended, well or `wrong`; v: its done word, as it was once. Returns the list of its waiters. Frees its
 * slot if its spawner has ended, too. */
HD_SELDOM_FN uint32_t hd_done_word_end(const hd_run *r, hd_worker *w, uint32_t t, uint32_t v, uint32_t wrong)
{
    hd_spawn_links *k = hd_spawn_links_at(r, t);
    uint32_t state, waiters = HD_NONE, n = 0;
    while (v & (HD_DONE_WORD_LOCK | HD_DONE_WORD_AWAITED) ||
           !HD_CAS(&k->done_word, v, hd_done_word_ended(v, wrong), FENCED_ACQ_REL, DEV)) {
        v = HD_LOAD(&k->done_word, RELAXED, DEV);
        if (!(v & HD_DONE_WORD_AWAITED)) {
            HD_PAUSE(n++);
            continue;
        }
        v = hd_done_word_lock(k, v >> HD_DONE_WORD_BITS, &state);
        waiters = k->waiters;
        HD_STORE(&k->done_word, hd_done_word_ended(v, wrong), RELEASE, DEV);
        break;
    }
    if (v & HD_DONE_WORD_RELEASED) {
        HD_FENCE_ACQUIRE();
        hd_slot_free(r, w, t);
    }
    return waiters;
}

/* Lane 0: moves the tasks of *waiters on, up to one that is ready: returns that, or HD_NONE. wrong: the one that they
 * waited for has gone wrong. */
HD_SELDOM_FN uint32_t hd_next_waiter(const hd_run *r, uint32_t *waiters, uint32_t wrong)
{
    while (*waiters != HD_NONE) {
        uint32_t t = *waiters;
        *waiters = hd_spawn_links_at(r, t)->next; /* before it stands in another list */
        if (wrong)
            hd_fate_cancel(r, t);
        if (!hd_wait_on(r, t))
            return t;
    }
    return HD_NONE;
}

/* All scheduling lanes: moves on the tasks that wait for task t, which has ended. v: its done word, as it was once. */
HD_FN void hd_wake(const hd_run *r, hd_worker *w, hd_turn *x, uint32_t t, uint32_t v, uint32_t wrong, uint32_t dispatch)
{
    uint32_t waiters = HD_NONE, ready = HD_NONE;
    if (hd_warp_lane() == 0)
        waiters = hd_done_word_end(r, w, t, v, wrong);
    do {
        if (hd_warp_lane() == 0)
            ready = hd_next_waiter(r, &waiters, wrong);
        ready = hd_shuffle(ready, 0);
        hd_hand_on_one(r, w, x, ready, dispatch);
    } while (ready != HD_NONE);
}

/* All scheduling lanes: n of those that continuation t (if any) waits for have ended, or were not made. */
HD_FN void hd_close_open(const hd_run *r, hd_worker *w, hd_turn *x, uint32_t t, uint32_t n, uint32_t dispatch)
{
    uint32_t ready = HD_NONE;
    if (t == HD_NONE)
        return;
    if (hd_warp_lane() == 0 && HD_SUB(&hd_spawn_links_at(r, t)->open, n, ACQ_REL, DEV) == n)
        ready = t;
    hd_hand_on_one(r, w, x, ready, dispatch);
}

/* Lane 0: task t, of that generation, has ended and its waiters have moved on. A pinned slot is its spawner's, too; a slot of the
 * host is freed by the host. */
HD_FN void hd_slot_left(const hd_run *r, hd_worker *w, uint32_t t, uint32_t generation, uint32_t flags, uint32_t wrong)
{
    const int is_hosts = hd_is_hosts(r, t);
    if (is_hosts)
        hd_pool_tell(r, t, generation, flags, wrong);
    else if (!(flags & HD_TASK_PINNED))
        hd_slot_free(r, w, t);
    hd_pool_ended(r, w->id, &w->live, flags, is_hosts);
}

/* The done word of a task that runs, as it was once: on a GPU, in the copy of its record. */
HD_FN uint32_t hd_done_word_once(const hd_run *r, const hd_turn *x, uint32_t t)
{
    return !HD_HOSTED && t == x->task ? x->record->links.done_word
                                      : HD_LOAD(&hd_spawn_links_at(r, t)->done_word, RELAXED, DEV);
}

/* All scheduling lanes: spawned task t has ended, and with it the task that it continues. Returns the task of the graph
 * that has ended so, or HD_NONE. */
HD_FN uint32_t hd_end_spawned(const hd_run *r, hd_worker *w, hd_turn *x, uint32_t t, uint32_t dispatch)
{
    while (t != HD_NONE && hd_is_spawned(r, t)) {
        const hd_task *task = t == x->task ? x->record : hd_child_at(r, t);
        const uint32_t parent = task->links.parent, ends_for = task->links.ends_for, flags = task->flags,
                       went = hd_went_wrong(r, t),
                       v = flags & HD_TASK_PINNED || hd_is_hosts(r, t) ? hd_done_word_once(r, x, t) : 0u;
        uint32_t wrong;
        if (hd_is_hosts(r, t)) { /* the load of `went` is under way meanwhile */
            hd_stamp_tell(r, t, w->id);
            HD_FENCE_FOR_HOST();
        } else if (flags & HD_TASK_PINNED) {
            HD_FENCE_RELEASE();
        }
        wrong = hd_shuffle(went, 0);
        hd_warp_sync(); /* all have read it before its slot is free */
        if (wrong && hd_warp_lane() == 0) {
            if (ends_for != HD_NONE)
                hd_fate_pass(r, t, ends_for);
            if (parent != HD_NONE)
                hd_fate_cancel(r, parent);
        }
        if (flags & HD_TASK_PINNED)
            hd_wake(r, w, x, t, v, wrong, dispatch);
        if (hd_warp_lane() == 0)
            hd_slot_left(r, w, t, v >> HD_DONE_WORD_BITS, flags, wrong);
        hd_store_trim(r, w);
        hd_close_open(r, w, x, parent, 1u, dispatch);
        t = ends_for;
    }
    return t;
}

/* Lane 0: task t goes on as its continuation. */
HD_FN void hd_leave_to_continuation(const hd_run *r, hd_worker *w, const hd_turn *x, const hd_spawn_buffer *d)
{
    hd_spawn_links *continuation = hd_spawn_links_at(r, d->fork);
    uint32_t t = x->task, before, at;
    continuation->ends_for = t;
    continuation->pinned = d->pinned;
    if (hd_went_wrong(r, t))
        hd_fate_pass(r, t, d->fork);
    if (!hd_is_spawned(r, t) || x->record->links.ends_for == HD_NONE)
        return;
    continuation->ends_for = x->record->links.ends_for; /* t was a continuation itself */
    before = x->record->links.pinned;
    hd_slot_left(r, w, t, 0u, x->record->flags, 0u); /* no slot of the host */
    if (continuation->pinned == HD_NONE) {
        continuation->pinned = before;
        return;
    }
    for (at = continuation->pinned; hd_spawn_links_at(r, at)->pinned_next != HD_NONE;
         at = hd_spawn_links_at(r, at)->pinned_next)
        ;
    hd_spawn_links_at(r, at)->pinned_next = before;
}

/* All scheduling lanes: unpins what the bodies of x->task, which has ended, pinned. */
HD_FN void hd_unpin_of(const hd_run *r, hd_worker *w, const hd_turn *x, const hd_spawn_buffer *d)
{
    const uint32_t before = hd_is_spawned(r, x->task) ? x->record->links.pinned : HD_NONE;
    if (d->pinned != HD_NONE)
        hd_unpin_all(r, w, d->pinned);
    if (before != HD_NONE)
        hd_unpin_all(r, w, before);
    hd_warp_sync();
}

/* All scheduling lanes, after the barrier that ends the body of x->task: hands on what it spawned. Returns the task of
 * the graph that has ended by it, or HD_NONE; the caller counts that task's successors. */
HD_FN uint32_t hd_end_body(const hd_run *r, hd_worker *w, hd_turn *x, hd_spawn_buffer *d, uint32_t dispatch)
{
    const uint32_t t = x->task, fork = d->fork;
    const int spawned = hd_is_spawned(r, t);
    uint32_t ended = t;
    if (hd_lists_spawned(r, w))
        hd_spawn_buffer_list(r, w, d);
    if (d->n_out != d->n_spawned || d->n_out_extra != d->n_extra)
        hd_spawn_buffer_drain(r, w, x, d, dispatch);
    if (hd_warp_lane() == 0)
        hd_spawn_buffer_pay(w, d);
    hd_warp_sync();
    if (fork != HD_NONE) {
        if (hd_warp_lane() == 0)
            hd_leave_to_continuation(r, w, x, d);
        hd_warp_sync();
        hd_close_open(r, w, x, fork, HD_OPEN_BODY - hd_least_of(d->n_spawned, d->n_room), dispatch);
        ended = HD_NONE;
    } else {
        hd_unpin_of(r, w, x, d);
        ended = hd_end_spawned(r, w, x, t, dispatch);
    }
    if (spawned && dispatch != HD_DISPATCH_TICKET && hd_warp_lane() == 0)
        w->n_done++;
    hd_warp_sync();
    return ended;
}

#endif
