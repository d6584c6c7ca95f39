/* SPDX-License-Identifier: MIT */
/* core/loads.h - which workers are near one, and how long their queues are: what a policy can choose by.
 *
 * Nobody reads all queues: a look is at HD_LOADS at most, the own one, its neighbours, and others from all over. On a GPU
 * that is one trip to memory, a lane a queue. What is seen may be old by the time it is used, and a queue may look
 * shorter or longer than it is; a policy must be right whatever it sees. */
#ifndef HEDDLE_CORE_LOADS_H
#define HEDDLE_CORE_LOADS_H

#include "heddle/core/atom.h"
#include "heddle/core/ring.h"
#include "heddle/core/task.h"

#define HD_NEIGHBOURS 4u /* so many of those that are looked at stand side by side                       */
#define HD_LOADS 32u     /* queues that are looked at, at most                                           */
#if defined(__CUDA_ARCH__)
#define HD_LOADS_OF_LANE 1u
#else
#define HD_LOADS_OF_LANE HD_LOADS
#endif

/* ---- workers ---- */

/* x modulo the number of workers, for an x below twice that: a division is dear. */
HD_FN uint32_t hd_wrapped(const hd_run *r, uint32_t x) { return x < r->n_workers ? x : x - r->n_workers; }
/* For any x. */
HD_SELDOM_FN uint32_t hd_modulo(const hd_run *r, uint32_t x) { return x % r->n_workers; }
HD_FN uint32_t hd_wrapped_any(const hd_run *r, uint32_t x)
{
    return x < 2u * r->n_workers ? hd_wrapped(r, x) : hd_modulo(r, x);
}

/* The k-th worker that is looked at: the target, those after it, and others from all over. */
HD_FN uint32_t hd_neighbour(const hd_run *r, uint32_t first, uint32_t k)
{
    uint32_t stride = r->n_workers >= 64u ? r->n_workers / 32u : 1u;
    return hd_wrapped(r, first + (k < HD_NEIGHBOURS ? k : HD_NEIGHBOURS + (k - HD_NEIGHBOURS) * stride));
}

/* ---- lengths ---- */

/* One lane: tasks in a worker's queue. The two cursors are not read at once: what cannot be counts as nothing. */
HD_FN uint32_t hd_load_of(const hd_run *r, uint32_t worker)
{
    hd_cursor *c = &r->cursors[2u * worker + 1u];
    uint32_t tail = HD_LOAD(&c->tail, RELAXED, DEV), n;
    if (r->dispatch == HD_DISPATCH_IQS)
        return tail; /* its input queue size */
    n = (tail - HD_LOAD(&c->head, RELAXED, DEV)) & HD_RING_COUNT;
    return n <= r->n_slots ? n : 0u;
}

/* What all scheduling lanes have seen together. The k-th queue is that of hd_neighbour(r, own, k); queue k was looked at by lane
 * k modulo the number of lanes. */
typedef struct hd_loads {
    uint32_t own, n;
    uint32_t load[HD_LOADS_OF_LANE]; /* each lane's                                                  */
} hd_loads;

/* more: tasks that worker `own` has beside its queue. */
HD_FN hd_loads hd_loads_look(const hd_run *r, uint32_t own, uint32_t more)
{
    hd_loads q;
    uint32_t k, j;
    q.own = own;
    q.n = r->n_workers < HD_LOADS ? r->n_workers : HD_LOADS;
    q.load[0] = 0; /* of a lane that has none */
    for (j = 0, k = hd_warp_lane(); j < HD_LOADS_OF_LANE && k < q.n; j++, k += hd_warp_width())
        q.load[j] = hd_load_of(r, hd_neighbour(r, own, k)) + (k ? 0u : more);
    return q;
}

/* One more task is in the k-th. */
HD_FN void hd_loads_add(hd_loads *q, uint32_t k)
{
    if (k % hd_warp_width() == hd_warp_lane())
        q->load[k / hd_warp_width()]++;
}

HD_FN uint32_t hd_lanes_least(uint32_t value)
{
    uint32_t d, other;
    for (d = 1; d < hd_warp_width(); d *= 2u) {
        other = hd_shuffle(value, hd_warp_lane() ^ d);
        value = other < value ? other : value;
    }
    return value;
}

HD_FN uint32_t hd_lanes_sum(uint32_t value)
{
    uint32_t d;
    for (d = 1; d < hd_warp_width(); d *= 2u)
        value += hd_shuffle(value, hd_warp_lane() ^ d);
    return value;
}

HD_FN uint32_t hd_loads_sum(const hd_loads *q)
{
    uint32_t k, j, sum = 0;
    for (j = 0, k = hd_warp_lane(); j < HD_LOADS_OF_LANE && k < q->n; j++, k += hd_warp_width())
        sum += q->load[j];
    return hd_lanes_sum(sum);
}

/* The k of the shortest; of several, the first. */
HD_FN uint32_t hd_loads_shortest(const hd_loads *q)
{
    uint32_t k, j, least = HD_NONE;
    for (j = 0, k = hd_warp_lane(); j < HD_LOADS_OF_LANE && k < q->n; j++, k += hd_warp_width()) {
        uint32_t key = q->load[j] * HD_LOADS + k;
        least = key < least ? key : least;
    }
    return hd_lanes_least(least) % HD_LOADS;
}

/* The first k whose queue is below the average sum / n; HD_NONE: none is. */
HD_FN uint32_t hd_loads_below(const hd_loads *q, uint32_t sum)
{
    uint32_t k, j, first = HD_NONE;
    for (j = 0, k = hd_warp_lane(); j < HD_LOADS_OF_LANE && k < q->n; j++, k += hd_warp_width())
        if (q->load[j] * q->n < sum && k < first)
            first = k;
    return hd_lanes_least(first);
}

#endif
