/* SPDX-License-Identifier: MIT */
/* suite.h - what the suites of the model test share. model.c runs the cases of each and provides the host under core. */
#ifndef MODEL_SUITE_H
#define MODEL_SUITE_H

#include "explore.h"
#include "heddle/core/task.h"

#define MODEL_GATE(worker) (8u + (worker)) /* permits 0-7 park workers, 8.. open the next run */

typedef struct model_suite {
    const char *(*name)(uint32_t i); /* NULL: there are no more */
    /* Makes case i the current one. *t gets its bounds for the weak mode or the strict one (no stale reads). */
    void (*choose)(uint32_t i, int weak, model_test *t);
} model_suite;

extern const model_suite model_graphs, model_spawning, model_waves, model_pools; /* model.c, spawn.c, wave.c, pool.c */

/* Workers that park (model.c). */
extern const hd_host model_host;

#endif
