/* SPDX-License-Identifier: MIT */
/* setting.h - a way to run that a figure compares: its name, and what it sets in a config. */
#ifndef SETTING_H
#define SETTING_H

#include "heddle.h"

typedef struct way {
    const char *name;
    heddle_schedule schedule;
    heddle_policy policy;
    uint32_t by_body;
    uint32_t n_workers; /* 0: as asked for */
} way;

/* Resident workers. */
#define WAY(name, schedule, policy)                                    \
    {                                                                  \
        name, HEDDLE_SCHEDULE_##schedule, HEDDLE_POLICY_##policy, 0, 0 \
    }

/* What was asked for on the command line, changed to run so. Backends without launches run auto in place of those. */
heddle_config way_config(const way *w, heddle_backend backend, const heddle_config *asked);

#endif
