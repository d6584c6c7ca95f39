/* SPDX-License-Identifier: MIT */
/* core/policy_grr.h - global round robin (Juggler, PPoPP'18, section 5.6): one counter for all, taken by
 * read-modify-write: the most even. */
#ifndef HEDDLE_CORE_POLICY_GRR_H
#define HEDDLE_CORE_POLICY_GRR_H

#include "heddle/core/loads.h"

#define HD_POLICY_GRR 2u
#define HD_TRAITS_GRR HD_DRAWS

HD_FN uint32_t hd_grr_first(const hd_run *r, uint32_t worker, uint32_t turn, uint32_t drawn)
{
    (void)r, (void)worker, (void)turn;
    return drawn;
}

#endif
