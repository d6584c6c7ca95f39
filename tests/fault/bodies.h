/* SPDX-License-Identifier: MIT */
/* bodies.h - the bodies of the fault tests: one computes, one fails, some take their time. */
#ifndef FAULT_BODIES_H
#define FAULT_BODIES_H

#include "check.h"
#include "heddle.h"
#include "heddle/task.h"

#include <sched.h>
#include <string.h>
#include <time.h>

#define N_CELLS 64u

typedef struct fault_params {
    uint64_t *cell; /* N_CELLS */
    uint32_t *gate; /* 0: fault_gate waits */
} fault_params;

typedef struct fault_step_args {
    uint32_t at, by;
} fault_step_args;
typedef struct fault_code_args {
    uint32_t code; /* 0: does not fail */
} fault_code_args;
typedef struct fault_nap_args {
    uint32_t us;
} fault_nap_args;
typedef struct fault_big_args {
    uint32_t at;
    uint8_t more[196];
} fault_big_args;

#define FAULT_BODIES(X) X(fault_step, 0) X(fault_code, 0) X(fault_gate, 0) X(fault_nap, 0) X(fault_big, 64)
HEDDLE_ENUM(fault, FAULT_BODIES)
HEDDLE_DECLARE(fault)

HEDDLE_BODY(fault_step, fault_params, params, fault_step_args, t)
{
    if (thread->index == 0)
        params->cell[t->at] = params->cell[t->at] * 3 + t->by;
}
HEDDLE_BODY(fault_code, fault_params, params, fault_code_args, t)
{
    if (t->code)
        heddle_task_fail(thread, t->code);
}
/* Waits for the test to open the gate. */
HEDDLE_BODY(fault_gate, fault_params, params, fault_nap_args, t)
{
    while (!__atomic_load_n(params->gate, __ATOMIC_ACQUIRE))
        sched_yield();
}
HEDDLE_BODY(fault_nap, fault_params, params, fault_nap_args, t)
{
    struct timespec ts;
    ts.tv_sec = t->us / 1000000;
    ts.tv_nsec = (long)(t->us % 1000000) * 1000;
    nanosleep(&ts, NULL);
}
/* It touches no memory, so such tasks may run side by side. */
HEDDLE_BODY(fault_big, fault_params, params, fault_big_args, t)
{
    if (thread->index == 0 && t->more[195])
        params->cell[t->at] += t->more[195];
}
HEDDLE_TABLE(fault, fault_params, FAULT_BODIES)

/* The keys of ranges: a cell each. */
static inline const void *fault_key(uint32_t cell) { return (const void *)(uintptr_t)(4096 + cell * 8); }

static inline heddle_status fault_add_step(heddle_graph *g, uint32_t at, uint32_t by, heddle_task *out)
{
    fault_step_args a = {at, by};
    return heddle_graph_add(g, fault_step, &a, sizeof a, HEDDLE_RANGES(HEDDLE_INOUT(fault_key(at), 8)), out);
}

/* A chain on cell `at`: cell = cell * 3 + i, i below n. */
static inline heddle_status fault_add_chain(heddle_graph *g, uint32_t at, uint32_t n)
{
    uint32_t i;
    heddle_status s = HEDDLE_OK;
    for (i = 0; i < n && s == HEDDLE_OK; i++)
        s = fault_add_step(g, at, i, NULL);
    return s;
}
static inline uint64_t fault_chain_end(uint64_t from, uint32_t n)
{
    uint32_t i;
    for (i = 0; i < n; i++)
        from = from * 3 + i;
    return from;
}

/* The context must be usable: a small graph gives the right result on it. */
static inline void fault_check_usable(heddle_ctx *ctx)
{
    uint64_t cell[N_CELLS] = {0};
    uint32_t gate = 1, i;
    fault_params params = {cell, &gate};
    heddle_graph *g;
    CHECK_OK(ctx, heddle_graph_new(ctx, &fault, &g));
    for (i = 0; i < 4; i++)
        CHECK_OK(ctx, fault_add_chain(g, i, 10));
    CHECK_OK(ctx, heddle_graph_run(ctx, g, &params, sizeof params));
    for (i = 0; i < 4; i++)
        CHECK(cell[i] == fault_chain_end(0, 10));
    heddle_graph_free(g);
}

static inline heddle_ctx *fault_open(heddle_backend b, uint32_t n_workers)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    c.backend = b;
    c.n_workers = n_workers;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    return ctx;
}

#endif
