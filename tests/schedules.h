/* SPDX-License-Identifier: MIT */
/* schedules.h - the schedules with workers, on threads and on a GPU, and what tests need to know of them. Schedule
 * dynamic is one of these. Also the schedules of a GPU that use launches. */
#ifndef SCHEDULES_H
#define SCHEDULES_H

#include "heddle.h"

static const heddle_schedule worker_schedules[] = {HEDDLE_SCHEDULE_RINGS,     HEDDLE_SCHEDULE_TICKET,
                                                   HEDDLE_SCHEDULE_STATIC,    HEDDLE_SCHEDULE_IQS,
                                                   HEDDLE_SCHEDULE_SCHEDULER, HEDDLE_SCHEDULE_CENTRAL};
#define N_WORKER_SCHEDULES (sizeof worker_schedules / sizeof worker_schedules[0])

/* Schedules of a GPU without workers. */
static const heddle_schedule launch_schedules[] = {HEDDLE_SCHEDULE_LEVELS, HEDDLE_SCHEDULE_GRAPH,
                                                   HEDDLE_SCHEDULE_GRAPH_PDL, HEDDLE_SCHEDULE_TASKGRAPH,
                                                   HEDDLE_SCHEDULE_LEVELS_SYNC};
#define N_LAUNCH_SCHEDULES (sizeof launch_schedules / sizeof launch_schedules[0])

/* Both lists, one after the other. */
#define N_GPU_SCHEDULES (N_WORKER_SCHEDULES + N_LAUNCH_SCHEDULES)
static inline heddle_schedule gpu_schedule(size_t i)
{
    return i < N_WORKER_SCHEDULES ? worker_schedules[i] : launch_schedules[i - N_WORKER_SCHEDULES];
}

/* Does the schedule choose a worker for a freed task? */
static inline int has_policies(heddle_schedule s)
{
    return s == HEDDLE_SCHEDULE_RINGS || s == HEDDLE_SCHEDULE_IQS || s == HEDDLE_SCHEDULE_SCHEDULER;
}

/* Policy share works with rings only. */
static inline int takes_policy(heddle_schedule s, heddle_policy p)
{
    return has_policies(s) && (p != HEDDLE_POLICY_SHARE || s == HEDDLE_SCHEDULE_RINGS);
}

#endif
