/* SPDX-License-Identifier: MIT */
/* counted.h - the tasks of a run with some arrivals counted and others missing: what waits when a release was lost. */
#ifndef HD_COUNTED_H
#define HD_COUNTED_H

#include "backend/backend.h"

/* Finds the first n_max tasks with some predecessors counted and others not; returns their number. `count` holds the counters
 * of run number `run`, or a copy, one per task; each target is the task's number of predecessors. */
uint32_t hd_counted(const hd_graph *g, const uint32_t *count, uint32_t run, hd_doing *out, uint32_t n_max);

#endif
