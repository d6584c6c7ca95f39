/* SPDX-License-Identifier: MIT */
/* core/policy_ts.h - tail-submit (DIDC'14, section 3.2 (e)): the first freed task stays with the worker that freed it, each of
 * the rest goes to the worker with the shortest queue, of those that are looked at. */
#ifndef HEDDLE_CORE_POLICY_TS_H
#define HEDDLE_CORE_POLICY_TS_H

#include "heddle/core/policy_lf.h"

#define HD_POLICY_TS 6u
#define HD_TRAITS_TS (HD_KEEPS | HD_BY_LOAD)

#define hd_ts_first hd_lf_first

HD_FN uint32_t hd_ts_pick(const hd_loads *q) { return hd_loads_shortest(q); }

#endif
