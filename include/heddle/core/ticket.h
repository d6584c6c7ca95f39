/* SPDX-License-Identifier: MIT */
/* core/ticket.h - dispatch ticket: one ring for all workers, a slot for each taker.
 *
 * A worker takes a ticket and waits at the slot of that number; the k-th task that becomes ready goes into slot k. So no
 * two takers want one slot, nothing is retried, and a graph of n tasks is over when n tickets have been served: who
 * draws a later one leaves. Tickets below n_roots are the roots. There are as many slots as tasks, so the ring is never
 * full. A slot is emptied by its taker and thereby ready for the next run. What is released where is as in core/ring.h.
 *
 * Where bodies spawn, nobody knows how many tasks there will be: slots are used again, roots come from the common cursor, and
 * the end is the count of outstanding tasks. There are more slots than tasks at a time; but whoever fills or empties one may
 * be slow, so each has a word behind the slots that says for which round it is (as a place of the pool in core/own.h). */
#ifndef HEDDLE_CORE_TICKET_H
#define HEDDLE_CORE_TICKET_H

#include "heddle/core/worker.h"

/* One lane. */
HD_FN uint32_t hd_ticket_draw(const hd_run *r) { return HD_ADD(&r->shared->ticket, 1u, RELAXED, DEV); }

HD_FN uint32_t *hd_ticket_slot(const hd_run *r, uint32_t k)
{
    return &r->slots[r->n_arena ? k & (r->n_slots - 1u) : k];
}

HD_FN uint32_t *hd_ticket_round(const hd_run *r, uint32_t k) { return r->slots + r->n_slots + (k & (r->n_slots - 1u)); }

/* One lane: what is in slot k, or HD_NONE when it is not there yet. */
HD_FN uint32_t hd_ticket_look_at(const hd_run *r, const hd_worker *w, uint32_t k)
{
    uint32_t *slot = hd_ticket_slot(r, k), word;
    if (r->n_arena && HD_LOAD(hd_ticket_round(r, k), ACQUIRE, DEV) != hd_turn_at(k, r->n_slots))
        return HD_NONE;
    word = HD_LOAD(slot, RELAXED, DEV);
    if (!word)
        return HD_NONE;
    if (word & HD_SLOT_DIRECT)
        word = HD_LOAD(slot, ACQUIRE, DEV);
    HD_STORE(slot, 0u, RELAXED, DEV);
    if (r->n_arena)
        HD_STORE(hd_ticket_round(r, k), hd_turn_at(k, r->n_slots) + r->n_slots, RELEASE, DEV);
    return hd_task_of(r, w, word);
}

/* One lane: the task of a ticket, or HD_NONE when it is not there yet. */
HD_FN uint32_t hd_ticket_look(const hd_run *r, const hd_worker *w, uint32_t ticket)
{
    return ticket < r->n_roots ? r->roots[ticket] : hd_ticket_look_at(r, w, ticket - r->n_roots);
}

/* One lane, where bodies spawn: a task, or HD_NONE for now. w->kept is its ticket. */
HD_FN uint32_t hd_ticket_poll(const hd_run *r, hd_worker *w)
{
    uint32_t t;
    if (w->kept == HD_NONE)
        w->kept = hd_ticket_draw(r);
    t = hd_ticket_look_at(r, w, w->kept);
    if (t != HD_NONE)
        w->kept = HD_NONE;
    return t;
}

/* One lane: slot k is its own since the tail was moved past it. */
HD_FN void hd_ticket_put(const hd_run *r, uint32_t k, hd_edge e)
{
    uint32_t *slot = hd_ticket_slot(r, k);
    if (r->n_arena)
        hd_await_word(hd_ticket_round(r, k), hd_turn_at(k, r->n_slots));
    hd_slot_fill(slot, e.task, !hd_is_counted(e));
}

/* All scheduling lanes: each hands its task on if it is `ready`. One reservation for all. */
HD_FN void hd_ticket_place(const hd_run *r, hd_edge e, int ready)
{
    uint32_t mask = hd_ballot(ready), lane = hd_warp_lane(), first = 0;
    if (!mask)
        return;
    if (lane == 0)
        first = HD_ADD(&r->shared->tail, hd_popcount(mask), RELAXED, DEV);
    first = hd_shuffle(first, 0);
    if (ready)
        hd_ticket_put(r, first + hd_popcount(mask & ((1u << lane) - 1u)), e);
}

/* All scheduling lanes, after the barrier that ends the body of t; task: its record, or a copy of it. */
HD_FN void hd_ticket_finish(const hd_run *r, hd_worker *w, uint32_t t, const hd_task *task)
{
    uint32_t n = task->n_succ, at;
    for (at = 0; at < n; at += hd_warp_width()) {
        hd_edge e = {0, 0};
        int ready = hd_arrive_at(r, w->run, task, at, &e);
        hd_ticket_place(r, e, ready);
    }
    hd_finished(r, w, t, task);
}

#endif
