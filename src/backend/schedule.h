/* SPDX-License-Identifier: MIT */
/* schedule.h - one table: the implementation of each schedule on each backend, and the config fields it takes. */
#ifndef HD_SCHEDULE_H
#define HD_SCHEDULE_H

#include "base/base.h"
#include "heddle/core/task.h"

typedef enum hd_way_kind {
    HD_WAY_NONE,     /* the backend has no such schedule */
    HD_WAY_ORDER,    /* the oracle's single order */
    HD_WAY_WORKERS,  /* resident workers with a dispatch */
    HD_WAY_LAUNCHES, /* ordinary kernels */
    HD_WAY_CHOICE    /* the first runs try several */
} hd_way_kind;

/* The config fields that a schedule takes, as bits. */
#define HD_TAKES_POLICY 1u
#define HD_TAKES_RING 2u
#define HD_TAKES_LOCAL 4u
#define HD_TAKES_BY_BODY 8u
#define HD_TAKES_IDLE 16u

typedef struct hd_way {
    hd_way_kind kind;
    uint32_t dispatch; /* for workers: HD_DISPATCH_... */
    uint32_t takes;
    heddle_policy policy; /* the default of a dispatch that has policies */
} hd_way;

/* s and b are in range. */
const hd_way *hd_way_of(heddle_schedule s, heddle_backend b);

/* Settles the schedule of c, its backend being known. Schedule auto with a policy becomes rings. EINVAL with a sentence for a
 * schedule that the backend lacks, and for fields that the schedule does not take. was_auto: c->backend was AUTO, which the
 * sentence explains. */
heddle_status hd_schedule_settle(heddle_config *c, int was_auto, hd_error *e);

#endif
