/* SPDX-License-Identifier: MIT */
/* core/stamp.h - when the tasks of a traced pool ran. A pool without a trace has no words for that, and asks for no time.
 *
 * A task may have several bodies: blocks, or continuations. Each adds itself to the words of the slot. They are all zero while no
 * task is in the slot, so the first begin is kept as the largest complement. The worker that ends the task moves the sums into
 * the slot's stamp, which the host may read once the task is told. Tasks that bodies spawn have no stamps. */
#ifndef HEDDLE_CORE_STAMP_H
#define HEDDLE_CORE_STAMP_H

#include "heddle/core/pool.h"

/* One lane, before a body: the time, or 0 if nobody wants to know. */
HD_FN uint64_t hd_stamp_now(const hd_run *r) { return hd_pool_of(r) && hd_pool_of(r)->stamp_words ? hd_clock() : 0u; }

/* The words of the task in that slot of the host, or HD_NONE; NULL if nobody wants to know. */
HD_FN hd_stamp_words *hd_stamp_at(const hd_run *r, uint32_t slot)
{
    hd_stamp_words *words = hd_pool_of(r)->stamp_words;
    return words && slot != HD_NONE ? words + slot : 0;
}

HD_FN void hd_stamp_most(hd_pair_word *at, hd_pair_word v)
{
    hd_pair_word most = HD_PAIR_LOAD(at, RELAXED);
    while (most < v && !HD_PAIR_CAS(at, most, v, RELAXED))
        most = HD_PAIR_LOAD(at, RELAXED);
}

/* One thread: a body that began then has ended. What orders the end of blocks, or continuations, orders these words. */
HD_SELDOM_FN void hd_stamp_add(hd_stamp_words *at, uint64_t began)
{
    const uint64_t now = hd_clock();
    hd_stamp_most(&at->not_begin, (hd_pair_word)~began);
    hd_stamp_most(&at->end, (hd_pair_word)now);
    (void)HD_PAIR_ADD(&at->busy, (hd_pair_word)(now - began), RELAXED);
}

/* The same for the task in that slot of the host, or HD_NONE; `began` as hd_stamp_now said it, or 0: no body ran. */
HD_FN void hd_stamp_past(const hd_run *r, uint32_t slot, uint64_t began)
{
    if (began && slot != HD_NONE)
        hd_stamp_add(hd_stamp_at(r, slot), began);
}

/* One thread, before the task in the slot is told: its stamp. */
HD_SELDOM_FN void hd_stamp_move(hd_stamp *to, hd_stamp_words *from, uint32_t worker)
{
    const uint64_t end = HD_PAIR_LOAD(&from->end, RELAXED);
    to->begin = end ? ~(uint64_t)HD_PAIR_LOAD(&from->not_begin, RELAXED) : 0u;
    to->end = end;
    to->busy = HD_PAIR_LOAD(&from->busy, RELAXED);
    to->worker = worker;
    if (!end)
        return;
    HD_PAIR_STORE(&from->not_begin, 0u, RELAXED);
    HD_PAIR_STORE(&from->end, 0u, RELAXED);
    HD_PAIR_STORE(&from->busy, 0u, RELAXED);
}

/* All scheduling lanes, before HD_FENCE_FOR_HOST: the host's task t ends on that worker. */
HD_FN void hd_stamp_tell(const hd_run *r, uint32_t t, uint32_t worker)
{
    const hd_pool *p = hd_pool_of(r);
    if (p->stamps && hd_warp_lane() == 0)
        hd_stamp_move(&p->stamps[t - r->n_tasks], &p->stamp_words[t - r->n_tasks], worker);
}

#endif
