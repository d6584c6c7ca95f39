/* SPDX-License-Identifier: MIT */
/* setting.h - a way to run that a figure compares: its name, and what it sets in a config. */
#ifndef SETTING_H
#define SETTING_H

#include "heddle.h"

typedef struct way {
    const char *name;
    heddle_executor executor;
    heddle_dispatch dispatch;
    heddle_policy policy;
    uint32_t by_body, sync;
    uint32_t n_workers; /* 0: as asked for */
} way;

/* Resident workers. */
#define WAY(name, dispatch, policy)                                                                   \
    {                                                                                                 \
        name, HEDDLE_EXECUTOR_PERSISTENT, HEDDLE_DISPATCH_##dispatch, HEDDLE_POLICY_##policy, 0, 0, 0 \
    }

/* What was asked for on the command line, changed to run so. Backends without executors ignore that of the way. */
heddle_config way_config(const way *w, heddle_backend backend, const heddle_config *asked);

#endif
