/* SPDX-License-Identifier: MIT */
/* core/policy_al.h - average load with local first (Belviranli's thesis, section 5.3.3): a task goes into the own queue while
 * that is not above the average of all, else into the next one that is below. The average is that of the queues that are
 * looked at. */
#ifndef HEDDLE_CORE_POLICY_AL_H
#define HEDDLE_CORE_POLICY_AL_H

#include "heddle/core/policy_lf.h"

#define HD_POLICY_AL 7u
#define HD_TRAITS_AL (HD_KEEPS | HD_IF_LOW | HD_BY_LOAD)

#define hd_al_first hd_lf_first

HD_FN uint32_t hd_al_pick(const hd_loads *q)
{
    uint32_t sum = hd_loads_sum(q);
    if (hd_shuffle(q->load[0], 0) * q->n <= sum)
        return 0;
    return hd_loads_below(q, sum); /* one is, because the own one is above */
}

#endif
