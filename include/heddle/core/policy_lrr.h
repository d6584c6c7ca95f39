/* SPDX-License-Identifier: MIT */
/* core/policy_lrr.h - local round robin (Juggler, PPoPP'18, section 5.6): each worker counts the tasks it freed; the count
 * names the target. */
#ifndef HEDDLE_CORE_POLICY_LRR_H
#define HEDDLE_CORE_POLICY_LRR_H

#include "heddle/core/loads.h"

#define HD_POLICY_LRR 1u
#define HD_TRAITS_LRR HD_TURNS

HD_FN uint32_t hd_lrr_first(const hd_run *r, uint32_t worker, uint32_t turn, uint32_t drawn)
{
    (void)r, (void)worker, (void)drawn;
    return turn;
}

#endif
