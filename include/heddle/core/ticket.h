/* SPDX-License-Identifier: MIT */
/* core/ticket.h - dispatch ticket: one ring for all workers, a slot for each taker.
 *
 * A worker takes a ticket and waits at the slot of that number; the k-th task that becomes ready goes into slot k. So no
 * two takers want one slot, nothing is retried, and a graph of n tasks is over when n tickets have been served: who
 * draws a later one leaves. Tickets below n_roots are the roots. There are as many slots as tasks, so the ring is never
 * full. A slot is emptied by its taker and thereby ready for the next run. */
#ifndef HEDDLE_CORE_TICKET_H
#define HEDDLE_CORE_TICKET_H

#include "heddle/core/worker.h"

/* One lane. */
HD_FN uint32_t hd_ticket_draw(const hd_run *r) { return HD_ADD(&r->shared->ticket, 1u, RELAXED, DEV); }

/* One lane: the task of a ticket, or HD_NONE when it is not there yet. Acquire: pairs with the store of hd_ticket_put.
 * The predecessors that the placer had not counted itself are behind its acquiring read-modify-write. */
HD_FN uint32_t hd_ticket_look(const hd_run *r, uint32_t ticket)
{
    uint32_t *slot, word;
    if (ticket < r->n_roots)
        return r->roots[ticket];
    slot = &r->slots[ticket - r->n_roots];
    word = HD_LOAD(slot, ACQUIRE, DEV);
    if (!word)
        return HD_NONE;
    HD_STORE(slot, 0u, RELAXED, DEV);
    return word - 1u;
}

/* One lane: `slot` is its own since the tail was moved past it. */
HD_FN void hd_ticket_put(const hd_run *r, uint32_t slot, uint32_t task)
{
    HD_STORE(&r->slots[slot], task + 1u, RELEASE, DEV);
}

/* All scheduling lanes: each hands its task on if it is `ready`. One reservation for all. */
HD_FN void hd_ticket_place(const hd_run *r, uint32_t task, int ready)
{
    uint32_t mask = hd_ballot(ready), lane = hd_warp_lane(), first = 0;
    if (!mask)
        return;
    if (lane == 0)
        first = HD_ADD(&r->shared->tail, hd_popcount(mask), RELAXED, DEV);
    first = hd_shuffle(first, 0);
    if (ready)
        hd_ticket_put(r, first + hd_popcount(mask & ((1u << lane) - 1u)), task);
}

/* All scheduling lanes, after the barrier that ends the body of t; task: its record, or a copy of it. */
HD_FN void hd_ticket_finish(const hd_run *r, hd_worker *w, uint32_t t, const hd_task *task)
{
    uint32_t n = task->n_succ, at;
    for (at = 0; at < n; at += hd_warp_width()) {
        hd_edge e = {0, 0};
        int ready = hd_arrive_at(r, w->run, task, at, &e);
        hd_ticket_place(r, e.task, ready);
    }
    hd_finished(r, w, t, task);
}

#endif
