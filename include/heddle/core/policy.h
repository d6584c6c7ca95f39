/* SPDX-License-Identifier: MIT */
/* core/policy.h - which worker gets a task that became ready: the table of policies. Each is a file, policy_NAME.h, which says
 * what it does and where it is from; doc/policy-howto.md tells how to add one.
 *
 * A policy is: its traits; the first worker that n freed tasks go to, the k-th of them to the k-th after it; and, if it
 * chooses by the lengths of queues, a pick among those that were looked at.
 *
 * Where there are boxes (core/ring.h: on a GPU), the policy's target comes first among the workers that are looked at, and
 * the first of these that has nothing to do gets the task; when none has, it goes where the policy says, as in the
 * papers. */
#ifndef HEDDLE_CORE_POLICY_H
#define HEDDLE_CORE_POLICY_H

/* Traits. */
#define HD_KEEPS 1u    /* a worker that has no next task keeps the first that it frees                */
#define HD_IF_LOW 2u   /* but only while its queue is not above the average                           */
#define HD_SHARES 4u   /* a worker that has nothing asks, and is given a task                         */
#define HD_TURNS 8u    /* each worker's turn moves on by the tasks that it has freed                  */
#define HD_DRAWS 16u   /* the turn of all does                                                        */
#define HD_SEEKS 32u   /* a full ring is passed by, and the next, until one has room                  */
#define HD_BY_LOAD 64u /* the lengths of queues say where a task goes                                 */

#include "heddle/core/policy_al.h"
#include "heddle/core/policy_grr.h"
#include "heddle/core/policy_lf.h"
#include "heddle/core/policy_lrr.h"
#include "heddle/core/policy_rr.h"
#include "heddle/core/policy_share.h"
#include "heddle/core/policy_ts.h"

#define HD_POLICIES(X) X(LRR, lrr) X(GRR, grr) X(LF, lf) X(SHARE, share) X(RR, rr) X(TS, ts) X(AL, al)
#define HD_POLICIES_BY_LOAD(X) X(TS, ts) X(AL, al)

/* The trait is a constant where this is called: what is left is one bit of a constant. */
HD_FN int hd_policy_has(uint32_t policy, uint32_t trait)
{
    uint32_t with = 0;
#define HD_X(NAME, name) with |= HD_TRAITS_##NAME & trait ? 1u << HD_POLICY_##NAME : 0u;
    HD_POLICIES(HD_X)
#undef HD_X
    return with >> policy & 1u;
}
HD_FN int hd_policy_keeps(uint32_t policy) { return hd_policy_has(policy, HD_KEEPS); }
HD_FN int hd_policy_shares(uint32_t policy) { return hd_policy_has(policy, HD_SHARES); }
HD_FN int hd_policy_by_load(uint32_t policy) { return hd_policy_has(policy, HD_BY_LOAD); }

/* One lane: moves the turn of all on by n; the worker that it named. */
HD_FN uint32_t hd_policy_draw(const hd_run *r, uint32_t n)
{
    return HD_ADD(&r->shared->turn, n, RELAXED, DEV) % r->n_workers;
}

/* The k-th freed task goes to worker (result + k) mod n_workers. turn: the worker's own counter; drawn: hd_policy_draw. */
HD_FN uint32_t hd_policy_first(const hd_run *r, uint32_t worker, uint32_t turn, uint32_t drawn)
{
    switch (r->policy) {
#define HD_X(NAME, name) \
    case HD_POLICY_##NAME: return hd_##name##_first(r, worker, turn, drawn);
        HD_POLICIES(HD_X)
#undef HD_X
    default: return hd_lf_first(r, worker, turn, drawn);
    }
}

/* Rings that are tried before a task stays on its worker's own list. */
HD_FN uint32_t hd_policy_tries(const hd_run *r)
{
    if (!hd_policy_has(r->policy, HD_SEEKS))
        return 2u;
    return r->n_workers < HD_LOADS ? r->n_workers : HD_LOADS;
}

HD_FN uint32_t hd_policy_pick_one(uint32_t policy, const hd_loads *q)
{
    switch (policy) {
#define HD_X(NAME, name) \
    case HD_POLICY_##NAME: return hd_##name##_pick(q);
        HD_POLICIES_BY_LOAD(HD_X)
#undef HD_X
    default: return 0;
    }
}

/* All scheduling lanes, policies by load: the worker that the rank-th of n tasks goes to; the rank is each lane's own. `own` is
 * whose queue is the local one, and has `more` tasks beside it. */
HD_SELDOM_FN uint32_t hd_policy_pick(const hd_run *r, uint32_t own, uint32_t more, uint32_t rank, uint32_t n)
{
    hd_loads q = hd_loads_look(r, own, more);
    uint32_t i, k, target = own;
    for (i = 0; i < n; i++) {
        k = hd_policy_pick_one(r->policy, &q);
        hd_loads_add(&q, k);
        if (i == rank)
            target = hd_near(r, own, k);
    }
    return target;
}

/* For hd_run.late, when policy, steals and n_slots are known: a ring's head is published when none of these bits stands in
 * it. Producers read that line at every push, so it is moved a quarter ring at a time, unless somebody wants to know it. */
HD_FN uint32_t hd_policy_late(const hd_run *r)
{
    return r->n_slots < 8u || r->steals || hd_policy_by_load(r->policy) ? 0u : r->n_slots / 4u - 1u;
}

#endif
