/* SPDX-License-Identifier: MIT */
/* core/policy.h - which worker gets a task that became ready (Juggler, PPoPP'18, section 5.6).
 *
 *   lrr  local round robin: each worker counts the tasks it freed; the count names the target
 *   grr  global round robin: one counter for all, taken by read-modify-write: the most even
 *   lf   local first: the first task freed stays with the worker that freed it (it runs next, without
 *        passing a ring), the others go to the neighbours in increasing order
 *   share as lf, and a worker that has nothing asks; a busy one gives it a task out of its own ring. Local as lf,
 *        without its imbalance (with lf alone one of two workers can end up with nearly all of an LU). Not of
 *        the paper
 *
 * Where there are boxes (core/ring.h: on a GPU), the policy's target comes first among the workers that are looked at, and
 * the first of these that has nothing to do gets the task; when none has, it goes into the target's ring, as in the paper.
 *
 * A policy is these functions: does the first task stay, are tasks given to those who ask, and where do n tasks start. */
#ifndef HEDDLE_CORE_POLICY_H
#define HEDDLE_CORE_POLICY_H

#include "heddle/core/atom.h"
#include "heddle/core/task.h"

#define HD_POLICY_LRR 1u
#define HD_POLICY_GRR 2u
#define HD_POLICY_LF 3u
#define HD_POLICY_SHARE 4u

HD_FN int hd_policy_keeps(uint32_t policy) { return policy == HD_POLICY_LF || policy == HD_POLICY_SHARE; }
HD_FN int hd_policy_shares(uint32_t policy) { return policy == HD_POLICY_SHARE; }

/* x modulo the number of workers, for an x below twice that: a division is dear. */
HD_FN uint32_t hd_wrapped(const hd_run *r, uint32_t x) { return x < r->n_workers ? x : x - r->n_workers; }
/* For any x. */
HD_SELDOM_FN uint32_t hd_modulo(const hd_run *r, uint32_t x) { return x % r->n_workers; }
HD_FN uint32_t hd_wrapped_any(const hd_run *r, uint32_t x)
{
    return x < 2u * r->n_workers ? hd_wrapped(r, x) : hd_modulo(r, x);
}

/* One lane: moves the counter of grr on by n; the worker that it named. */
HD_FN uint32_t hd_policy_draw(const hd_run *r, uint32_t n)
{
    return HD_ADD(&r->shared->turn, n, RELAXED, DEV) % r->n_workers;
}

/* The k-th freed task goes to worker (result + k) mod n_workers. turn: the worker's own counter; drawn: hd_policy_draw. */
HD_FN uint32_t hd_policy_first(const hd_run *r, uint32_t worker, uint32_t turn, uint32_t drawn)
{
    switch (r->policy) {
    case HD_POLICY_LRR: return turn;
    case HD_POLICY_GRR: return drawn;
    default: return hd_wrapped(r, worker + 1u);
    }
}

#endif
