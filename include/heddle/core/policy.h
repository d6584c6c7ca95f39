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
 * A policy is three functions of this file: does the first task stay, are tasks given to those who ask, and where do
 * n tasks start. */
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

/* All scheduling lanes call it; the k-th of n freed tasks goes to worker (result + k) mod n_workers.
 * *turn is the worker's own counter, moved by lane 0. */
HD_FN uint32_t hd_policy_first(const hd_run *r, uint32_t worker, uint32_t *turn, uint32_t n)
{
    uint32_t first = 0;
    switch (r->policy) {
    case HD_POLICY_LRR:
        first = *turn;
        hd_warp_sync(); /* all lanes have read before lane 0 moves it */
        if (hd_warp_lane() == 0)
            *turn = (first + n) % r->n_workers;
        hd_warp_sync();
        return first;
    case HD_POLICY_GRR:
        if (hd_warp_lane() == 0)
            first = HD_ADD(&r->shared->turn, n, RELAXED, DEV);
        return hd_shuffle(first, 0) % r->n_workers;
    default: return (worker + 1u) % r->n_workers;
    }
}

#endif
