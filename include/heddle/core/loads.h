/* SPDX-License-Identifier: MIT */
/* core/loads.h - a worker's neighbours and the lengths of their queues: the input of policies by load.
 *
 * No worker reads all queues. A look covers at most HD_LOADS: its own queue, its neighbours', and others spread over
 * all workers. On a GPU that is one trip to memory, a lane for each queue. The lengths may be stale when they are used,
 * and a queue may look shorter or longer than it is; a policy must be right whatever they are. */
#ifndef HEDDLE_CORE_LOADS_H
#define HEDDLE_CORE_LOADS_H

#include "heddle/core/atom.h"
#include "heddle/core/ring.h"
#include "heddle/core/task.h"

#define HD_NEIGHBOURS 4u /* of the queues looked at, so many are of adjacent workers                     */
#define HD_LOADS 32u     /* queues in one look, at most                                                  */
#if defined(__CUDA_ARCH__)
#define HD_LOADS_OF_LANE 1u
#else
#define HD_LOADS_OF_LANE HD_LOADS
#endif

/* ---- workers ---- */

/* x modulo the number of workers, for x below twice that number, without a division. */
HD_FN uint32_t hd_wrapped(const hd_run *r, uint32_t x) { return x < r->n_workers ? x : x - r->n_workers; }
/* For any x. */
HD_SELDOM_FN uint32_t hd_modulo(const hd_run *r, uint32_t x) { return x % r->n_workers; }
HD_FN uint32_t hd_wrapped_any(const hd_run *r, uint32_t x)
{
    return x < 2u * r->n_workers ? hd_wrapped(r, x) : hd_modulo(r, x);
}

/* The k-th worker in a look: the first one, those after it, then others spread over all workers. */
HD_FN uint32_t hd_neighbour(const hd_run *r, uint32_t first, uint32_t k)
{
    uint32_t stride = r->n_workers >= 64u ? r->n_workers / 32u : 1u;
    return hd_wrapped(r, first + (k < HD_NEIGHBOURS ? k : HD_NEIGHBOURS + (k - HD_NEIGHBOURS) * stride));
}

/* ---- lengths ---- */

/* One lane: tasks in a worker's queue. The two cursors are not loaded together: an impossible difference counts as 0. */
HD_FN uint32_t hd_load_of(const hd_run *r, uint32_t worker)
{
    hd_cursor *c = &r->cursors[2u * worker + 1u];
    uint32_t tail = HD_LOAD(&c->tail, RELAXED, DEV), n;
    if (r->dispatch == HD_DISPATCH_IQS)
        return tail; /* its input queue size */
    n = (tail - HD_LOAD(&c->head, RELAXED, DEV)) & HD_RING_COUNT;
    return n <= r->n_slots ? n : 0u;
}

/* What all scheduling lanes have loaded together. The k-th queue is that of hd_neighbour(r, own, k); lane k modulo the
 * number of lanes loaded it. */
typedef struct hd_loads {
    uint32_t own, n;
    uint32_t load[HD_LOADS_OF_LANE]; /* each lane's                                                  */
} hd_loads;

/* more: tasks that worker `own` has outside its queue. */
HD_FN hd_loads hd_loads_look(const hd_run *r, uint32_t own, uint32_t more)
{
    hd_loads q;
    uint32_t k, j;
    q.own = own;
    q.n = r->n_workers < HD_LOADS ? r->n_workers : HD_LOADS;
    q.load[0] = 0; /* for a lane without a queue */
    for (j = 0, k = hd_warp_lane(); j < HD_LOADS_OF_LANE && k < q.n; j++, k += hd_warp_width())
        q.load[j] = hd_load_of(r, hd_neighbour(r, own, k)) + (k ? 0u : more);
    return q;
}

/* Counts one more task in the k-th queue. */
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

/* The k of the shortest queue; the first of several. */
HD_FN uint32_t hd_loads_shortest(const hd_loads *q)
{
    uint32_t k, j, least = HD_NONE;
    for (j = 0, k = hd_warp_lane(); j < HD_LOADS_OF_LANE && k < q->n; j++, k += hd_warp_width()) {
        uint32_t key = q->load[j] * HD_LOADS + k;
        least = key < least ? key : least;
    }
    return hd_lanes_least(least) % HD_LOADS;
}

/* The first k with a queue below the average sum / n; HD_NONE: there is none. */
HD_FN uint32_t hd_loads_below(const hd_loads *q, uint32_t sum)
{
    uint32_t k, j, first = HD_NONE;
    for (j = 0, k = hd_warp_lane(); j < HD_LOADS_OF_LANE && k < q->n; j++, k += hd_warp_width())
        if (q->load[j] * q->n < sum && k < first)
            first = k;
    return hd_lanes_least(first);
}

#endif
