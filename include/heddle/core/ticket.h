/* SPDX-License-Identifier: MIT */
/* core/ticket.h - dispatch ticket: one ring for all workers, and a place in it for each taker.
 *
 * A worker that has nothing draws a ticket and waits at the place of that number; the k-th task handed on goes into place k.
 * So no two takers want the same place, and no take is retried. One word holds the number of places reserved and the number of
 * workers that wait (below zero: tasks that no worker waits for yet); both change in one step. A worker draws only when it has
 * nothing: no kept task, an empty deque, no root left. So when a ticket makes all workers wait, the run is over, and the
 * worker that drew it fills a place with HD_PLACE_END for each. No count of tasks is needed.
 *
 *      word    {places : waiting}     drawing adds 1; reserving n adds n places and subtracts n from waiting
 *      place   {number + 1 : task + 1}, 0 = empty
 *
 * A pool on threads has no end to find. There the two numbers are words of their own (hd_control.tail, ticket), so that those who
 * place tasks and those who take them do not meet.
 *
 * A thread that has waited for long in a pool dozes: it puts its number into its place, and the thread that fills the place
 * unparks it.
 *
 * Without spawning there are more places than tasks and ends together, so each is used once in a run. With spawning places are
 * reused. A place is filled by compare-and-swap from empty, and read only by the ticket of its number. So a worker that is
 * slow between reserving and filling loses nothing, even if others go all the way round. There are at least as many places as
 * there can be tasks and ends at once, or fillers would wait for one another.
 *
 * A place is stored with release and loaded with acquire: the taker of a task acquires what its giver knew.
 *
 * The deque. Spawned tasks stay with their maker until another worker waits: in block-shared memory, or on a thread's stack.
 * The owner takes the youngest; workers that wait get the oldest, which have the most work below them. Tasks that find the
 * deque full go into the ring.
 *
 * Ticket does not run urgent tasks before others, except where a worker keeps one, and cannot bind tasks to workers. */
#ifndef HEDDLE_CORE_TICKET_H
#define HEDDLE_CORE_TICKET_H

#include "heddle/core/worker.h"

#define HD_PLACE_END ((1u << (HD_HALF_BITS - 2)) - 1u)       /* in place of a task + 1 */
#define HD_PLACE_URGENT (HD_PLACE_END - 1u)                  /* in a pool: a task of the urgent queue */
#define HD_PLACE_DOZE(worker) (HD_PLACE_END - 2u - (worker)) /* likewise: the place's taker is parked  */
#define HD_PLACE_LOOKS (HD_HOSTED ? 1u : 32u)                /* at a place, between two looks at the stop word */
#define HD_LOOK_EVERY 8u /* tasks between two loads of `waiting`, a word that all workers use */

/* ---- the word ---- */

#if HD_HALF_BITS == 32
HD_FN int32_t hd_waiting_in(hd_pair_word v) { return (int32_t)(uint32_t)v; }
#else
HD_FN int32_t hd_waiting_in(hd_pair_word v) { return (int16_t)(uint16_t)v; }
#endif
HD_FN uint32_t hd_places_in(hd_pair_word v) { return (uint32_t)((v - (hd_pair_word)hd_waiting_in(v)) >> HD_HALF_BITS); }

/* All scheduling lanes: reserves n places. hd_places_in of lane 0's result, which may be late, is the first one. */
HD_FN hd_pair_word hd_place_reserve(const hd_run *r, uint32_t n)
{
    const hd_pair_word one = ((hd_pair_word)1 << HD_HALF_BITS) - 1u;
    if (hd_is_endless(r))
        return (hd_pair_word)HD_ADD(&r->control->tail, n, RELAXED, DEV) << HD_HALF_BITS;
    return HD_PAIR_ADD_FIRST(&r->control->places, one * n);
}

/* How many workers wait now; below 0: so many tasks do. */
HD_FN int32_t hd_waiting_now(const hd_run *r)
{
    if (hd_is_endless(r))
        return (int32_t)(HD_LOAD(&r->control->ticket, RELAXED, DEV) - HD_LOAD(&r->control->tail, RELAXED, DEV));
    return hd_waiting_in(HD_PAIR_LOAD(&r->control->places, RELAXED));
}

/* ---- places ---- */

HD_FN hd_pair_word *hd_place_at(const hd_run *r, uint32_t k)
{
    return (hd_pair_word *)(void *)r->slots + (k & (r->n_slots - 1u));
}
HD_FN hd_pair_word hd_place_mark(uint32_t k) { return (hd_pair_word)(k + 1u) << HD_HALF_BITS; }

/* On a thread: the worker that has put its number into place k, or HD_NONE. */
HD_FN uint32_t hd_place_dozer(const hd_run *r, hd_pair_word in_place, uint32_t k)
{
    const uint32_t low = (uint32_t)(in_place & (((hd_pair_word)1 << HD_HALF_BITS) - 1u));
    return (in_place ^ hd_place_mark(k)) >> HD_HALF_BITS == 0 && low < HD_PLACE_URGENT &&
                   low >= HD_PLACE_URGENT - r->n_workers
               ? HD_PLACE_URGENT - 1u - low
               : HD_NONE;
}

/* On a thread: fills a place with v if its taker is parked, and wakes that worker. */
HD_FN int hd_place_wake(const hd_run *r, hd_pair_word *at, hd_pair_word v)
{
    const hd_pair_word now = HD_PAIR_LOAD(at, RELAXED);
    const uint32_t dozer = hd_place_dozer(r, now, (uint32_t)(v >> HD_HALF_BITS) - 1u);
    if (dozer == HD_NONE || !HD_PAIR_CAS(at, now, v, FENCED_RELEASE))
        return 0;
    hd_unpark(r, dozer);
    return 1;
}

/* One lane, after HD_FENCE_RELEASE: stores `what` into place k, which it has reserved. */
HD_FN void hd_place_fill(const hd_run *r, uint32_t k, uint32_t what)
{
    hd_pair_word *at = hd_place_at(r, k), v = hd_place_mark(k) | what;
    uint32_t n = 0;
    if (!r->n_arena) {
        HD_PAIR_STORE(at, v, FENCED_RELEASE);
        return;
    }
    while (!HD_PAIR_CAS(at, 0, v, FENCED_RELEASE)) { /* the task of the last round has not been taken */
        if (hd_is_endless(r) && hd_place_wake(r, at, v))
            return;
        HD_PAUSE(n++);
    }
}

/* One lane: takes what is in place k and empties it; 0: nothing yet. */
HD_FN uint32_t hd_place_take(const hd_run *r, uint32_t k)
{
    hd_pair_word *at = hd_place_at(r, k), v = HD_PAIR_LOAD(at, FENCED_ACQUIRE);
    if (v >> HD_HALF_BITS != hd_place_mark(k) >> HD_HALF_BITS || !v)
        return 0; /* a taker that is not parked has not left its number there */
    HD_FENCE_ACQUIRE();
    HD_PAIR_STORE(at, 0, RELAXED); /* no other worker changes a full place */
    return (uint32_t)(v & (((hd_pair_word)1 << HD_HALF_BITS) - 1u));
}

/* All scheduling lanes: those in `mask` hand their tasks on through the ring. */
HD_FN void hd_ticket_place(const hd_run *r, uint32_t mask, uint32_t task)
{
    const uint32_t lane = hd_warp_lane(), n = hd_popcount(mask);
    const hd_pair_word word = hd_place_reserve(r, n);
    uint32_t k;
    HD_FENCE_RELEASE(); /* while the reservation is on its way */
    k = hd_shuffle(hd_places_in(word), 0) + hd_popcount(mask & ((1u << lane) - 1u));
    if (mask >> lane & 1u)
        hd_place_fill(r, k, task + 1u);
}

/* All scheduling lanes: all workers wait, so the run is over. */
HD_SELDOM_FN void hd_ticket_end_all(const hd_run *r)
{
    const uint32_t k = hd_shuffle(hd_places_in(hd_place_reserve(r, r->n_workers)), 0);
    uint32_t i;
    HD_FENCE_RELEASE();
    for (i = hd_warp_lane(); i < r->n_workers; i += hd_warp_width())
        hd_place_fill(r, k + i, HD_PLACE_END);
}

/* ---- taking ---- */

/* The same in a run that has no end. */
HD_FN void hd_ticket_draw_of_pool(const hd_run *r, hd_worker *w)
{
    hd_ticket_own *o = &w->by.ticket;
    uint32_t k = HD_LOAD(&r->control->ticket, RELAXED, DEV);
    if (w->deferred == HD_NONE)
        k = HD_ADD(&r->control->ticket, 1u, RELAXED, DEV);
    else if (hd_waiting_now(r) >= 0 || !HD_CAS(&r->control->ticket, k, k + 1u, RELAXED, DEV))
        return;
    o->ticket = k;
    o->waiting = 0; /* seen anew before it matters */
}

/* Lane 0, without a ticket, draws one. Returns 1 if then all workers wait. A worker with deferred tasks must not wait
 * for good: it draws only when a task is there. */
HD_FN int hd_ticket_draw(const hd_run *r, hd_worker *w)
{
    hd_ticket_own *o = &w->by.ticket;
    hd_pair_word v;
    if (w->deferred != HD_NONE) {
        v = HD_PAIR_LOAD(&r->control->places, RELAXED);
        if (hd_waiting_in(v) >= 0 || !HD_PAIR_CAS(&r->control->places, v, v + 1u, RELAXED))
            return 0;
    } else {
        v = HD_PAIR_ADD(&r->control->places, 1u, RELAXED);
    }
    o->waiting = hd_waiting_in(v);
    o->ticket = hd_places_in(v) + (uint32_t)o->waiting;
    return o->waiting + 1 == (int32_t)r->n_workers;
}

/* Lane 0, in a pool, where an urgent task is: what was in its place. The urgent one goes before it; then it is the next of the own
 * deque. */
HD_SELDOM_FN uint32_t hd_ticket_got(const hd_run *r, hd_worker *w, uint32_t what)
{
    hd_ticket_own *o = &w->by.ticket;
    uint32_t urgent;
    if (what == HD_PLACE_URGENT)
        return hd_urgent_take(r, 1);
    urgent = o->n_deque == HD_DEQUE ? HD_NONE : hd_urgent_take(r, 0);
    if (urgent == HD_NONE)
        return what - 1u;
    o->deque[(o->oldest + o->n_deque++) & (HD_DEQUE - 1u)] = what - 1u;
    return urgent;
}

/* Lane 0: a task, HD_OVER, or HD_NONE for now; *all_wait: all workers must get HD_OVER. */
HD_FN uint32_t hd_ticket_look(const hd_run *r, hd_worker *w, int *all_wait)
{
    hd_ticket_own *o = &w->by.ticket;
    uint32_t what = 0, k, n;
    int urgent = 0;
    if (o->ticket == HD_NONE && hd_is_endless(r))
        hd_ticket_draw_of_pool(r, w);
    else if (o->ticket == HD_NONE)
        *all_wait = hd_ticket_draw(r, w);
    if (o->ticket == HD_NONE || *all_wait)
        return HD_NONE;
    k = o->ticket;
    for (n = 0; n < HD_PLACE_LOOKS && !what; n++) {
        urgent = hd_pool_of(r) && hd_urgent_is_there(r); /* on its way together with the place */
        what = hd_place_take(r, k);
    }
    if (!what)
        return HD_NONE;
    o->ticket = HD_NONE;
    if (what == HD_PLACE_END)
        return HD_OVER;
    return urgent || what == HD_PLACE_URGENT ? hd_ticket_got(r, w, what) : what - 1u;
}

/* All scheduling lanes: as hd_ticket_look. */
HD_FN uint32_t hd_ticket_take(const hd_run *r, hd_worker *w)
{
    uint32_t t = HD_NONE;
    int all_wait = 0;
    if (hd_warp_lane() == 0)
        t = hd_ticket_look(r, w, &all_wait);
    t = hd_shuffle(all_wait ? HD_OVER - 1u : t, 0);
    hd_warp_sync(); /* all lanes read the task's record: they need what lane 0 acquired */
    if (t != HD_OVER - 1u)
        return t;
    hd_ticket_end_all(r);
    return HD_NONE;
}

/* On a thread of a pool, which has found nothing for long: puts its number into its place, so that the thread that fills
 * the place unparks it. 0: it has no place, or the task of the last round is still there. */
HD_FN int hd_ticket_doze(const hd_run *r, hd_worker *w)
{
    const uint32_t k = w->by.ticket.ticket;
    return k != HD_NONE && w->deferred == HD_NONE &&
           HD_PAIR_CAS(hd_place_at(r, k), 0, hd_place_mark(k) | HD_PLACE_DOZE(w->id), RELAXED);
}

/* A thread that is no worker takes a task of a pool that no worker waits for, unless there is an urgent one; or HD_NONE. The place of its
 * ticket is reserved, so that it does not wait for long. */
HD_FN uint32_t hd_ticket_help(const hd_run *r)
{
    const uint32_t k = HD_LOAD(&r->control->ticket, RELAXED, DEV);
    uint32_t what = 0, n = 0;
    if (hd_waiting_now(r) >= 0 || hd_urgent_is_there(r) || !HD_CAS(&r->control->ticket, k, k + 1u, RELAXED, DEV))
        return HD_NONE;
    while (!(what = hd_place_take(r, k)))
        HD_PAUSE(n++);
    return what == HD_PLACE_URGENT ? hd_urgent_take(r, 1) : what - 1u;
}

/* The thread that dozes is back: takes its number out, unless the place was filled. */
HD_FN void hd_ticket_rouse(const hd_run *r, hd_worker *w)
{
    const uint32_t k = w->by.ticket.ticket;
    if (k != HD_NONE)
        (void)HD_PAIR_CAS(hd_place_at(r, k), hd_place_mark(k) | HD_PLACE_DOZE(w->id), 0, RELAXED);
}

/* ---- the deque ---- */

HD_FN uint32_t *hd_deque_at(hd_ticket_own *o, uint32_t i) { return &o->deque[(o->oldest + i) & (HD_DEQUE - 1u)]; }

/* All scheduling lanes: those in `mask` put their tasks into the deque; tasks that find it full go into the ring. */
HD_FN void hd_deque_put(const hd_run *r, hd_worker *w, uint32_t mask, uint32_t task)
{
    hd_ticket_own *o = &w->by.ticket;
    const uint32_t lane = hd_warp_lane(), mine = mask >> lane & 1u, has = hd_shuffle(o->n_deque, 0),
                   n = hd_popcount(mask);
    const uint32_t rank = has + hd_popcount(mask & ((1u << lane) - 1u)), left = hd_ballot(mine && rank >= HD_DEQUE);
    if (mine && rank < HD_DEQUE)
        *hd_deque_at(o, rank) = task;
    hd_warp_sync(); /* all lanes have read its length */
    if (lane == 0) {
        o->n_deque = has + n - hd_popcount(left);
        if (o->n_deque > w->tally.most_own)
            w->tally.most_own = o->n_deque;
    }
    hd_warp_sync();
    if (left)
        hd_ticket_place(r, left, task);
}

/* Lane 0: takes the youngest, or HD_NONE. */
HD_FN uint32_t hd_deque_take(hd_worker *w)
{
    hd_ticket_own *o = &w->by.ticket;
    return o->n_deque ? *hd_deque_at(o, --o->n_deque) : HD_NONE;
}

/* All scheduling lanes: gives the oldest tasks to workers that were waiting at the last look; `keep` tasks stay. */
HD_FN void hd_deque_give(const hd_run *r, hd_worker *w, uint32_t keep)
{
    hd_ticket_own *o = &w->by.ticket;
    const uint32_t lane = hd_warp_lane(), has = hd_shuffle(o->n_deque, 0);
    const int32_t waiting = (int32_t)hd_shuffle((uint32_t)o->waiting, 0);
    uint32_t n = has > keep ? has - keep : 0u, t = 0;
    if (waiting <= 0 || n == 0u)
        return;
    n = n < (uint32_t)waiting ? n : (uint32_t)waiting;
    n = n < hd_warp_width() ? n : hd_warp_width();
    if (lane < n)
        t = *hd_deque_at(o, lane);
    hd_warp_sync();
    if (lane == 0) {
        o->oldest += n;
        o->n_deque = has - n;
        o->waiting = waiting - (int32_t)n;
        w->tally.n_given += n;
    }
    hd_ticket_place(r, n == 32u ? 0xffffffffu : (1u << n) - 1u, t);
    hd_warp_sync();
}

/* All scheduling lanes: loads the number of waiting workers. */
HD_FN void hd_ticket_see(const hd_run *r, hd_worker *w)
{
    hd_warp_sync();
    if (hd_warp_lane() == 0)
        w->by.ticket.waiting = hd_waiting_now(r);
    hd_warp_sync();
}

/* All scheduling lanes, where bodies spawn: gives tasks of this worker to workers that wait. A deferred task may find
 * room there. */
HD_SELDOM_FN void hd_ticket_share(const hd_run *r, hd_worker *w, uint32_t keep)
{
    uint32_t t = HD_NONE;
    if (!hd_ballot(w->by.ticket.n_deque > keep || w->deferred != HD_NONE))
        return;
    hd_ticket_see(r, w);
    if (hd_ballot(w->deferred != HD_NONE && w->by.ticket.waiting > 0)) {
        if (hd_warp_lane() == 0)
            t = hd_take_for_others(r, w);
        hd_warp_sync();
        hd_ticket_place(r, 1u, t);
        hd_warp_sync();
    }
    hd_deque_give(r, w, keep);
}

/* All scheduling lanes: hands ready spawned tasks of `mask` to workers that waited at the last look; the rest stay. */
HD_FN void hd_ticket_offer(const hd_run *r, hd_worker *w, uint32_t mask, uint32_t task)
{
    const int32_t waiting = (int32_t)hd_shuffle((uint32_t)w->by.ticket.waiting, 0);
    const uint32_t rank = hd_popcount(mask & ((1u << hd_warp_lane()) - 1u));
    const uint32_t away = waiting > 0 ? hd_ballot((mask >> hd_warp_lane() & 1u) && (int32_t)rank < waiting) : 0u;
    if (away) {
        if (hd_warp_lane() == 0) {
            w->by.ticket.waiting = waiting - (int32_t)hd_popcount(away);
            w->tally.n_given += hd_popcount(away);
        }
        hd_ticket_place(r, away, task);
    }
    if (mask & ~away)
        hd_deque_put(r, w, mask & ~away, task);
}

/* All scheduling lanes, where bodies spawn, between two tasks: now and then shares with workers that wait. */
HD_FN void hd_ticket_attend(const hd_run *r, hd_worker *w, const hd_turn *x)
{
    if (x->n_tasks % HD_LOOK_EVERY == 0u)
        hd_ticket_share(r, w, 1u);
}

#endif
