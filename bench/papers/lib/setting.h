/* SPDX-License-Identifier: MIT */
/* setting.h - a way to run that figures compare: its name, and its part of a config. */
#ifndef SETTING_H
#define SETTING_H

#include "heddle.h"

typedef struct way {
    const char *name;
    heddle_schedule schedule;
    heddle_policy policy;
    uint32_t by_body;
    uint32_t n_workers; /* 0: as requested */
} way;

/* Schedules with resident workers. */
#define WAY(name, schedule, policy)                                    \
    {                                                                  \
        name, HEDDLE_SCHEDULE_##schedule, HEDDLE_POLICY_##policy, 0, 0 \
    }

/* The requested config changed to run this way. Backends without launches use auto in place of launches. */
heddle_config way_config(const way *w, heddle_backend backend, const heddle_config *asked);

#endif
