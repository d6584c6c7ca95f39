/* SPDX-License-Identifier: MIT */
/* core/policy_lf.h - local first (Juggler, PPoPP'18, section 5.6): the first task freed stays with the worker that freed it
 * (it runs next, without passing a ring), the others go to the neighbours in increasing order. */
#ifndef HEDDLE_CORE_POLICY_LF_H
#define HEDDLE_CORE_POLICY_LF_H

#include "heddle/core/loads.h"

#define HD_POLICY_LF 3u
#define HD_TRAITS_LF HD_KEEPS

HD_FN uint32_t hd_lf_first(const hd_run *r, uint32_t worker, uint32_t turn, uint32_t drawn)
{
    (void)turn, (void)drawn;
    return hd_wrapped(r, worker + 1u);
}

#endif
