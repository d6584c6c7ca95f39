/* SPDX-License-Identifier: MIT */
/* trace_room.c - the default number of trace events per worker, and of records of a pool. */
#include "work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Trace events of a worker, 32 bytes each; only used ones become resident memory. */
enum { MAX_TRACE = 1 << 20, MIN_TRACE = 1 << 16, MIN_GPU_TRACE = 1 << 12, ALL_TRACE = 1 << 23 };

/* The most workers that the config allows. On a GPU sixteen blocks per SM: no more of the default size are resident. */
static uint32_t most_workers(const heddle_config *config, const heddle_device *gpu)
{
    heddle_machine m;
    if (config->n_workers)
        return config->n_workers;
    if (gpu->n_units)
        return 16 * gpu->n_units;
    heddle_machine_get(&m);
    return m.n_threads ? m.n_threads : 1;
}

/* Does the environment ask for a trace itself? */
static int is_set(const char *name)
{
    const char *env = getenv(name);
    return env && *env && strcmp(env, "0") != 0;
}

uint32_t trace_room(const heddle_config *config)
{
    heddle_device gpu = HEDDLE_DEVICE_INIT;
    uint32_t n, least;
    if (is_set("HEDDLE_TRACE"))
        return 0;
    (void)heddle_device_get(config->backend, config->device, &gpu); /* no device: n_units stays 0 */
    n = ALL_TRACE / most_workers(config, &gpu);
    least = gpu.n_units ? MIN_GPU_TRACE : MIN_TRACE;
    return n < least ? least : n > MAX_TRACE ? MAX_TRACE : n;
}

/* As many as a worker has events: 120 bytes each, of which only used ones become resident memory. */
int pool_trace_room(void)
{
    char text[16];
    snprintf(text, sizeof text, "%d", MAX_TRACE);
    return is_set("HEDDLE_POOL_TRACE") ? 0 : setenv("HEDDLE_POOL_TRACE", text, 1);
}
