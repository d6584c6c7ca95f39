/* SPDX-License-Identifier: MIT */
/* core/policy_rr.h - round robin over bounded queues (DIDC'14, section 3.2 (e)): the next worker whose queue is not full.
 * Each worker has a turn of its own. Where queues are never full (dispatch iqs, and on a GPU unless the config says
 * otherwise) that is lrr. */
#ifndef HEDDLE_CORE_POLICY_RR_H
#define HEDDLE_CORE_POLICY_RR_H

#include "heddle/core/loads.h"

#define HD_POLICY_RR 5u
#define HD_TRAITS_RR (HD_TURNS | HD_SEEKS)

HD_FN uint32_t hd_rr_first(const hd_run *r, uint32_t worker, uint32_t turn, uint32_t drawn)
{
    (void)r, (void)worker, (void)drawn;
    return turn;
}

#endif
