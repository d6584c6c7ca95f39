/* SPDX-License-Identifier: MIT */
/* counted.h - which tasks a run has begun to count arrivals at and not finished: who waits, when a release was lost. */
#ifndef HD_COUNTED_H
#define HD_COUNTED_H

#include "backend/backend.h"

/* count: the counters of a run with number `run`, or a copy of them, one a task, whose targets are the tasks' numbers of
 * predecessors. The first n_max tasks with some of them counted and some not, into out; returns how many. */
uint32_t hd_counted(const hd_graph *g, const uint32_t *count, uint32_t run, hd_doing *out, uint32_t n_max);

#endif
