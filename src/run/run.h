/* SPDX-License-Identifier: MIT */
/* run.h - the structs behind the public handles, shared by the files of src/run only. */
#ifndef HD_RUN_H
#define HD_RUN_H

#include "run/job.h"
#include "run/report.h"
#include "run/variants.h"

struct heddle_ctx {
    hd_error error;
    heddle_config config;
    heddle_config asked; /* as given to heddle_ctx_open, completed from the environment only */
    int may_move;        /* backend auto, and the device holds nothing of the context yet */
    const hd_backend *backend;
    hd_device *device;
    hd_alarms *alarms;    /* time limits; created by the first run with one */
    heddle_graph *graphs; /* all graphs of the context */
    uint32_t n_pools;     /* open ones (heddle/pool.h) */
    hd_list pool_trials;  /* of modes of pools, by table (engine/pool/auto.c) */
    int lost;             /* atomic: workers do not return; calls give EDEVICE, close leaks the device */
    uint32_t n_forks;     /* hd_process_forks at opening */
};

/* A callback of heddle_graph_on_done. */
typedef struct hd_callback {
    heddle_done_fn fn;
    void *arg;
} hd_callback;

struct heddle_graph {
    heddle_ctx *ctx;
    heddle_graph *next, **at; /* in the context's list: the next graph; the pointer to this one */
    hd_graph g;
    hd_loaded *loaded; /* by the first run */
    void *params;      /* copy of the record of params, params_bytes of the table */
    uint64_t load_ns;
    int stale; /* loaded with an old plan: the next run loads again */
    hd_job job;
    hd_list callbacks;       /* hd_callback, by index among the watched tasks */
    heddle_table *own_table; /* of a graph read from a file */
    /* Set by the engine that made the graph, or 0: its memory, how to free that, a reset before the run after a bad one, and
     * a sentence for a failure with `code` that says more than which task failed. */
    void *own;
    void (*free_own)(heddle_graph *g);
    heddle_status (*start_anew)(heddle_graph *g);
    int (*say_failure)(heddle_graph *g, uint32_t code, char *to, size_t n);
    void (*say_halt)(heddle_graph *g, char *to, size_t n); /* hd_job_kind.say_halt */
    hd_variants *variants; /* alternative layouts to try if the schedule is open; NULL: none */
};

/* The variant that runs, or ran last. */
static inline heddle_graph *hd_graph_now(const heddle_graph *g)
{
    return g->variants ? g->variants->at[g->variants->now].graph : (heddle_graph *)(uintptr_t)g;
}
/* May the library choose the schedule of a wave? On threads, auto has become dynamic by now. */
static inline int hd_ctx_is_open(const heddle_ctx *ctx)
{
    const heddle_config *c = &ctx->config;
    return c->schedule == HEDDLE_SCHEDULE_AUTO || (c->schedule == HEDDLE_SCHEDULE_DYNAMIC && c->backend == HEDDLE_CPU);
}

/* In a forked child the context's threads do not exist, and its locks may be held for ever. */
static inline int hd_ctx_forked(const heddle_ctx *ctx) { return ctx->n_forks != hd_process_forks; }
static inline int hd_ctx_lost(const heddle_ctx *ctx)
{
    return __atomic_load_n(&ctx->lost, __ATOMIC_RELAXED) || hd_ctx_forked(ctx);
}

/* context.c: makes the context able to run bodies of this table, if need be on another backend (heddle_graph_new). */
heddle_status hd_ctx_suit(heddle_ctx *ctx, const heddle_table *table);
/* handle.c: EDEVICE with its sentence if the context is lost. */
heddle_status hd_ctx_check(heddle_ctx *ctx);
/* May this thread give the context work, or wait for it? EINVAL inside one of its bodies, EDEVICE in a forked child. */
heddle_status hd_ctx_may_wait(heddle_ctx *ctx, const char *call);
/* Checks a graph for a call: the context is usable, and no run is in flight. */
heddle_status hd_graph_usable(heddle_graph *g, const char *call);

/* run.c: a graph as a job. */
extern const hd_job_kind hd_graph_job;
/* Waits for a run in flight, then unloads the graph: the next run loads it again. */
void hd_graph_unload(heddle_graph *g);
/* The outcome of the last ended run; EBUSY, or EINVAL before the first. */
heddle_status hd_graph_outcome(heddle_graph *g, hd_outcome *out, const char *call);

/* spin.c: a table of bodies with these names; each spins for the nanoseconds in its record. */
typedef struct hd_spin_args {
    uint64_t ns;
} hd_spin_args;
heddle_table *hd_spin_table_new(char *const *names, uint32_t n_names);
void hd_spin_table_free(heddle_table *t);

#endif
