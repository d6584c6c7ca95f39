/* SPDX-License-Identifier: MIT */
/* core/policy.h - which worker gets a task that became ready: the table of policies.
 *
 *      lrr      local round robin (Juggler, PPoPP'18, section 5.6): each worker counts the tasks it freed; its count chooses
 *               the target.
 *      grr      global round robin (ibid.): one counter for all, advanced by read-modify-write: the most even.
 *      lf       local first (ibid.): the first task freed stays with the worker that freed it (it runs next, without passing
 *               a ring), the others go to the neighbours in increasing order.
 *      share    as lf, and a worker that has nothing asks; a busy one gives it a task from its own ring. Not from a paper:
 *               with lf alone one of two workers can end up with nearly all of an LU.
 *      rr       round robin over bounded queues (DIDC'14, section 3.2 (e)): the next worker whose queue is not full. Where
 *               queues are never full it equals lrr.
 *      ts       tail-submit (ibid.): the first task freed stays, each of the rest goes to the shortest queue in a look
 *               (core/loads.h).
 *      al       average load with local first (Belviranli's thesis, section 5.3.3): a task stays while the own queue is not
 *               above the average of a look, else it goes to the next queue below the average.
 *
 * A policy is its traits, and the first worker for n freed tasks: the k-th of them goes to the k-th worker after it. A
 * policy by the lengths of queues picks from a look instead. doc/policy-howto.md shows how to add one. */
#ifndef HEDDLE_CORE_POLICY_H
#define HEDDLE_CORE_POLICY_H

#include "heddle/core/loads.h"

#define HD_POLICY_LRR 1u
#define HD_POLICY_GRR 2u
#define HD_POLICY_LF 3u
#define HD_POLICY_SHARE 4u
#define HD_POLICY_RR 5u
#define HD_POLICY_TS 6u
#define HD_POLICY_AL 7u

/* Traits. */
#define HD_KEEPS 1u      /* a worker that has no next task keeps the first that it frees                */
#define HD_IF_LOW 2u     /* but only while its queue is not above the average                           */
#define HD_SHARES 4u     /* a worker that has nothing asks, and is given a task                         */
#define HD_HAS_CURSOR 8u /* the first target is the worker's own cursor, which moves on by the tasks it freed */
#define HD_DRAWS 16u     /* likewise, but one cursor for all workers                                    */
#define HD_SEEKS 32u     /* passes over full rings to the next with room                                */
#define HD_BY_LOAD 64u   /* the lengths of queues choose the target                                     */

/* clang-format off */
#define HD_POLICIES(X)                     \
    X(LRR, HD_HAS_CURSOR)                       \
    X(GRR, HD_DRAWS)                       \
    X(LF, HD_KEEPS)                        \
    X(SHARE, HD_KEEPS | HD_SHARES)         \
    X(RR, HD_HAS_CURSOR | HD_SEEKS)             \
    X(TS, HD_KEEPS | HD_BY_LOAD)           \
    X(AL, HD_KEEPS | HD_IF_LOW | HD_BY_LOAD)
/* clang-format on */

/* The trait is a constant at every call, so this compiles to one bit of a constant. */
HD_FN int hd_policy_has(uint32_t policy, uint32_t trait)
{
    uint32_t with = 0;
#define HD_X(NAME, traits) with |= (traits)&trait ? 1u << HD_POLICY_##NAME : 0u;
    HD_POLICIES(HD_X)
#undef HD_X
    return with >> policy & 1u;
}
HD_FN int hd_policy_keeps(uint32_t policy) { return hd_policy_has(policy, HD_KEEPS); }
HD_FN int hd_policy_shares(uint32_t policy) { return hd_policy_has(policy, HD_SHARES); }
HD_FN int hd_policy_by_load(uint32_t policy) { return hd_policy_has(policy, HD_BY_LOAD); }

/* The k-th of n freed tasks goes to worker (result + k) mod n_workers. turn: the worker's own cursor; drawn: the common
 * cursor before n were added, if the policy draws. */
HD_FN uint32_t hd_policy_first(const hd_run *r, uint32_t worker, uint32_t turn, uint32_t drawn)
{
    if (hd_policy_has(r->policy, HD_HAS_CURSOR))
        return turn;
    return hd_policy_has(r->policy, HD_DRAWS) ? drawn % r->n_workers : hd_wrapped(r, worker + 1u);
}

/* All scheduling lanes: the same, and advances the cursors. */
HD_FN uint32_t hd_policy_next(const hd_run *r, uint32_t worker, uint32_t *turn, uint32_t n)
{
    uint32_t drawn = 0, first;
    if (hd_policy_has(r->policy, HD_DRAWS) && hd_warp_lane() == 0)
        drawn = HD_ADD(&r->control->policy_cursor, n, RELAXED, DEV);
    first = hd_policy_first(r, worker, *turn, hd_shuffle(drawn, 0));
    hd_warp_sync(); /* all lanes have read the turn */
    if (hd_policy_has(r->policy, HD_HAS_CURSOR) && hd_warp_lane() == 0)
        *turn = hd_wrapped_any(r, first + n);
    return first;
}

/* Rings to try before a task goes onto its worker's own list. */
HD_FN uint32_t hd_policy_tries(const hd_run *r)
{
    if (!hd_policy_has(r->policy, HD_SEEKS))
        return 2u;
    return r->n_workers < HD_LOADS ? r->n_workers : HD_LOADS;
}

/* All scheduling lanes, policies by load: the queue for one task; 0 is the own one. */
HD_FN uint32_t hd_policy_pick_one(uint32_t policy, const hd_loads *q)
{
    uint32_t sum;
    if (!hd_policy_has(policy, HD_IF_LOW))
        return hd_loads_shortest(q);
    sum = hd_loads_sum(q);
    if (hd_shuffle(q->load[0], 0) * q->n <= sum)
        return 0;
    return hd_loads_below(q, sum); /* one is, because the own one is above */
}

/* All scheduling lanes, policies by load: the worker for the rank-th of n tasks; the rank is each lane's own. Worker
 * `own` has the local queue and `more` tasks outside it. */
HD_SELDOM_FN uint32_t hd_policy_pick(const hd_run *r, uint32_t own, uint32_t more, uint32_t rank, uint32_t n)
{
    hd_loads q = hd_loads_look(r, own, more);
    uint32_t i, k, target = own;
    for (i = 0; i < n; i++) {
        k = hd_policy_pick_one(r->policy, &q);
        hd_loads_add(&q, k);
        if (i == rank)
            target = hd_neighbour(r, own, k);
    }
    return target;
}

/* Value of hd_run.late, when policy and n_slots are known: a ring's head is published when none of these bits is set in
 * it. Producers load that line at every push, so it moves a quarter ring at a time, unless the policy reads lengths. */
HD_FN uint32_t hd_policy_late(const hd_run *r)
{
    return r->n_slots < 8u || hd_policy_by_load(r->policy) ? 0u : r->n_slots / 4u - 1u;
}

#endif
