/* SPDX-License-Identifier: MIT */
/* core/baselines/central.h - dispatch central: one queue under one lock, for comparison (Tzeng et al., HPG'10; the
 * baseline of DIDC'14 and of Belviranli's thesis, section 5.2.4).
 *
 *     lock        control->lock      taken by compare-and-swap, given back by a store with release
 *     queue       slots              from control->ticket, the next to take, up to control->tail
 *     roots       roots              from control->next_root on: the part of the queue that was there before
 *
 * A worker that has nothing looks whether a task is there, takes the lock, takes one task, gives the lock back. A
 * worker that has finished a task counts all its successors, and inserts those that it freed in one critical section.
 * No task stays with a worker, so policies have no effect. There are as many slots as there can be tasks, so the queue
 * is never full. What is handed on is released and acquired with the lock, all other accesses are relaxed. */
#ifndef HEDDLE_CORE_BASELINES_CENTRAL_H
#define HEDDLE_CORE_BASELINES_CENTRAL_H

#include "heddle/core/worker.h"

#define HD_CENTRAL_ROUNDS 32u /* successors that a lane counts before it inserts                    */

/* ---- the lock ---- */

/* One lane. Pauses are no longer than those of HD_PAUSE; a waiting worker loads the lock before it tries again. */
HD_FN void hd_central_lock(const hd_run *r)
{
    uint32_t n = 0;
    while (!HD_CAS(&r->control->lock, 0u, 1u, ACQUIRE, DEV))
        do
            HD_PAUSE(n++);
        while (HD_LOAD(&r->control->lock, RELAXED, DEV) != 0u);
}

HD_FN void hd_central_unlock(const hd_run *r) { HD_STORE(&r->control->lock, 0u, RELEASE, DEV); }

HD_FN uint32_t *hd_central_slot(const hd_run *r, uint32_t at) { return &r->slots[at & (r->n_slots - 1u)]; }

/* ---- taking ---- */

/* Is there a task, as seen without the lock? A 0 may be stale; the worker looks again. */
HD_FN int hd_central_has(const hd_run *r)
{
    hd_control *s = r->control;
    uint32_t next_root = HD_LOAD(&s->next_root, RELAXED, DEV), head = HD_LOAD(&s->ticket, RELAXED, DEV);
    return HD_LOAD(&s->tail, RELAXED, DEV) != head || next_root < r->n_roots;
}

/* One lane, with the lock: takes the first task, or HD_NONE. */
HD_FN uint32_t hd_central_pop(const hd_run *r)
{
    hd_control *s = r->control;
    uint32_t next_root = HD_LOAD(&s->next_root, RELAXED, DEV), head = HD_LOAD(&s->ticket, RELAXED, DEV);
    uint32_t tail = HD_LOAD(&s->tail, RELAXED, DEV);
    if (next_root < r->n_roots) {
        HD_STORE(&s->next_root, next_root + 1u, RELAXED, DEV);
        return r->roots[next_root];
    }
    if (head == tail)
        return HD_NONE;
    HD_STORE(&s->ticket, head + 1u, RELAXED, DEV);
    return HD_LOAD(hd_central_slot(r, head), RELAXED, DEV);
}

/* Lane 0: a task, or HD_NONE for now. */
HD_FN uint32_t hd_central_take(const hd_run *r, hd_worker *w)
{
    uint32_t t;
    (void)w;
    if (!hd_central_has(r))
        return HD_NONE;
    hd_central_lock(r);
    t = hd_central_pop(r);
    hd_central_unlock(r);
    return t;
}

/* ---- inserting ---- */

/* All scheduling lanes: takes the lock. Returns where the next task goes. */
HD_FN uint32_t hd_central_open(const hd_run *r)
{
    uint32_t tail = 0;
    if (hd_warp_lane() == 0) {
        hd_central_lock(r);
        tail = HD_LOAD(&r->control->tail, RELAXED, DEV);
    }
    hd_warp_sync(); /* all lanes need what lane 0 acquired */
    return hd_shuffle(tail, 0);
}

/* All scheduling lanes: those in `mask` write their tasks from `tail` on. Returns where the next one goes. */
HD_FN uint32_t hd_central_write(const hd_run *r, uint32_t tail, uint32_t mask, uint32_t task)
{
    uint32_t lane = hd_warp_lane();
    if (mask >> lane & 1u)
        HD_STORE(hd_central_slot(r, tail + hd_popcount(mask & ((1u << lane) - 1u))), task, RELAXED, DEV);
    return tail + hd_popcount(mask);
}

/* All scheduling lanes: publishes what was written. */
HD_FN void hd_central_close(const hd_run *r, uint32_t tail)
{
    hd_warp_sync(); /* what the lanes wrote, and what they had acquired, is lane 0's to release */
    if (hd_warp_lane() != 0)
        return;
    HD_STORE(&r->control->tail, tail, RELAXED, DEV);
    hd_central_unlock(r);
}

/* All scheduling lanes: those in `mask` insert their tasks. */
HD_FN void hd_central_place(const hd_run *r, uint32_t mask, uint32_t task)
{
    hd_central_close(r, hd_central_write(r, hd_central_open(r), mask, task));
}

/* ---- finishing ---- */

/* All scheduling lanes: counts successors from .. end - 1, each lane every hd_warp_width()-th. Bit k: this lane's k-th
 * became ready. *n: how many did, of all lanes. */
HD_FN uint32_t hd_central_count(const hd_run *r, uint32_t run, const hd_task *task, uint32_t from, uint32_t end,
                                uint32_t *n)
{
    uint32_t k, bits = 0;
    for (k = 0, *n = 0; from < end; k++, from += hd_warp_width()) {
        const int ready = hd_arrive_mine(r, run, hd_edge_mine(r, task, from), 1);
        bits |= (uint32_t)ready << k;
        *n += hd_popcount(hd_ballot(ready));
    }
    return bits;
}

/* All scheduling lanes: inserts those that became ready. */
HD_FN void hd_central_insert(const hd_run *r, const hd_task *task, uint32_t from, uint32_t end, uint32_t bits)
{
    uint32_t tail = hd_central_open(r);
    for (; from < end; bits >>= 1, from += hd_warp_width())
        tail = hd_central_write(r, tail, hd_ballot(bits & 1u), hd_edge_mine(r, task, from).task);
    hd_central_close(r, tail);
}

/* All scheduling lanes, after the barrier that ends the body of x->task. Only a task with more successors than all
 * rounds takes the lock more than once. */
HD_FN void hd_central_finish(const hd_run *r, hd_worker *w, hd_turn *x)
{
    const hd_task *task = x->record;
    const uint32_t most = HD_CENTRAL_ROUNDS * hd_warp_width();
    uint32_t from, end, n, bits;
    uint64_t begin;
    hd_release_outputs(x);
    for (from = 0; from < task->n_succ; from = end) {
        end = task->n_succ - from < most ? task->n_succ : from + most;
        bits = hd_central_count(r, w->run, task, from, end, &n);
        begin = r->events ? hd_clock() : 0;
        if (n)
            hd_central_insert(r, task, from, end, bits);
        x->n_pushed += n;
        if (r->events)
            hd_trace_queue(w, begin);
    }
    hd_finished(r, w, x, HD_DISPATCH_CENTRAL);
}

#endif
