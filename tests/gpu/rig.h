/* SPDX-License-Identifier: MIT */
/* rig.h - chains of faulty_step on a context of the cuda backend, and their known results. Chain i works on cell i:
 * cell = cell * 3 + k for k = 0 .. length - 1. */
#ifndef GPU_RIG_H
#define GPU_RIG_H

#include "check.h"
#include "gpu/fault_bodies.h"
#include "heddle.h"

#include <string.h>
#include <time.h>

typedef struct rig {
    heddle_ctx *ctx;
    heddle_graph *g;
    faulty_params params;
    uint32_t n_chains, n_steps;
    uint64_t want[FAULTY_CELLS];
} rig;

static inline const void *rig_key(uint32_t cell) { return (const void *)(uintptr_t)(4096 + cell * 8); }

static inline double rig_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static inline heddle_ctx *rig_open_ctx(heddle_schedule s, uint32_t n_workers, uint32_t limit_ms)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    c.backend = HEDDLE_CUDA;
    c.schedule = s;
    c.n_workers = n_workers;
    c.time_limit_ms = limit_ms;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    return ctx;
}

static inline heddle_task rig_add(rig *r, uint32_t body, uint32_t cell, uint32_t what)
{
    faulty_args a = {cell, what};
    heddle_task t;
    CHECK_OK(r->ctx, heddle_graph_add(r->g, body, &a, sizeof a, HEDDLE_RANGES(HEDDLE_INOUT(rig_key(cell), 8)), &t));
    return t;
}

static inline void rig_clear(rig *r)
{
    static const uint64_t zeros[FAULTY_CELLS];
    memset(r->want, 0, sizeof r->want);
    CHECK_OK(r->ctx, heddle_mem_write(r->ctx, r->params.cell, zeros, sizeof zeros));
}

/* Begins a graph without tasks. */
static inline void rig_open(rig *r, heddle_ctx *ctx)
{
    void *p;
    memset(r, 0, sizeof *r);
    r->ctx = ctx;
    CHECK_OK(ctx, heddle_mem_new(ctx, FAULTY_CELLS * 8, &p));
    r->params.cell = p;
    CHECK_OK(ctx, heddle_graph_new(ctx, &faulty, &r->g));
    rig_clear(r);
}

static inline void rig_chains(rig *r, uint32_t n_chains, uint32_t n_steps)
{
    uint32_t i, k;
    r->n_chains = n_chains;
    r->n_steps = n_steps;
    for (k = 0; k < n_steps; k++)
        for (i = 0; i < n_chains; i++)
            (void)rig_add(r, faulty_step, i, k);
}

static inline void rig_close(rig *r)
{
    heddle_graph_free(r->g);
    heddle_mem_free(r->ctx, r->params.cell);
}

/* Applies `runs` more runs to the expected cells. */
static inline void rig_expect(rig *r, uint32_t runs)
{
    uint32_t i, k;
    while (runs--)
        for (i = 0; i < r->n_chains; i++)
            for (k = 0; k < r->n_steps; k++)
                r->want[i] = r->want[i] * 3 + k;
}

static inline void rig_check(rig *r, const char *where)
{
    uint64_t got[FAULTY_CELLS];
    uint32_t i;
    CHECK_OK(r->ctx, heddle_mem_read(r->ctx, got, r->params.cell, sizeof got));
    for (i = 0; i < r->n_chains; i++)
        CHECK_MSG(got[i] == r->want[i], "%s: cell %u is %llx, not %llx", where, i, (unsigned long long)got[i],
                  (unsigned long long)r->want[i]);
}

static inline heddle_status rig_run(rig *r) { return heddle_graph_run(r->ctx, r->g, &r->params, sizeof r->params); }

static inline void rig_run_well(rig *r, const char *where)
{
    heddle_status s = rig_run(r);
    CHECK_MSG(s == HEDDLE_OK, "%s: %s: %s", where, heddle_status_text(s), heddle_error_text(r->ctx));
    rig_expect(r, 1);
    rig_check(r, where);
}

/* The context must be usable. */
static inline void rig_usable(heddle_ctx *ctx, const char *where)
{
    rig r;
    rig_open(&r, ctx);
    rig_chains(&r, 16, 20);
    rig_run_well(&r, where);
    rig_run_well(&r, where);
    rig_close(&r);
}

/* The error sentence must contain the word. */
static inline void rig_says(const heddle_ctx *ctx, const char *word)
{
    CHECK_MSG(strstr(heddle_error_text(ctx), word), "no \"%s\" in \"%s\"", word, heddle_error_text(ctx));
}

#endif
