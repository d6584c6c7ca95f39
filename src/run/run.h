/* SPDX-License-Identifier: MIT */
/* run.h - the structs behind the public handles. Shared by the files of src/run only. */
#ifndef HD_RUN_H
#define HD_RUN_H

#include "run/job.h"
#include "run/report.h"

struct heddle_ctx {
    hd_error error;
    heddle_config config;
    heddle_config asked; /* that of heddle_ctx_open, with the environment's, nothing else filled in */
    int may_move;        /* the backend was left open, and nothing of the context lies on it yet */
    const hd_backend *backend;
    hd_device *device;
    hd_alarms *alarms;    /* time limits; made by the first run that has one */
    heddle_graph *graphs; /* all that live */
    int lost;             /* atomic: workers do not come back; every call says EDEVICE, close leaves them behind */
    uint32_t n_forks;     /* hd_process_forks when it was opened */
};

/* A callback of heddle_graph_on_done. */
typedef struct hd_callback {
    heddle_done_fn fn;
    void *arg;
} hd_callback;

struct heddle_graph {
    heddle_ctx *ctx;
    heddle_graph *next, **at; /* among the context's: the next one; what points here */
    hd_graph g;
    hd_loaded *loaded; /* made by the first run */
    void *params;      /* copy of the record of params, params_bytes of the table */
    uint64_t load_ns;
    int stale;               /* what is loaded was made before the plan: the next run loads anew */
    hd_job job;              /* its run */
    hd_list callbacks;       /* hd_callback, by index among the watched tasks */
    heddle_table *own_table; /* of a graph from a file */
    /* Of an engine that made it: memory, how that is freed, and what is to be done before a run that follows a bad one. */
    void *own;
    void (*free_own)(heddle_graph *g);
    heddle_status (*start_anew)(heddle_graph *g);
};

/* In a forked child: the context's threads are not here, and who held its locks is gone. */
static inline int hd_ctx_forked(const heddle_ctx *ctx) { return ctx->n_forks != hd_process_forks; }
static inline int hd_ctx_lost(const heddle_ctx *ctx)
{
    return __atomic_load_n(&ctx->lost, __ATOMIC_RELAXED) || hd_ctx_forked(ctx);
}

/* context.c: makes sure that the context can run bodies of this table, if need be on another backend (heddle_graph_new). */
heddle_status hd_ctx_suit(heddle_ctx *ctx, const heddle_table *table);
/* handle.c: EDEVICE with its sentence if the context is lost. */
heddle_status hd_ctx_check(heddle_ctx *ctx);
/* May this thread give it work, or wait for it? EINVAL inside one of its bodies, EDEVICE in a forked child. */
heddle_status hd_ctx_may_wait(heddle_ctx *ctx, const char *call);
/* A handle that a call may use: the context lives, no run is in flight. */
heddle_status hd_graph_usable(heddle_graph *g, const char *call);

/* run.c: a graph as a job. */
extern const hd_job_kind hd_graph_job;
/* Waits for a run in flight, then takes the graph off its device: the next run loads it anew. */
void hd_graph_unload(heddle_graph *g);
/* The outcome of the last ended run; EBUSY, or EINVAL before the first. */
heddle_status hd_graph_outcome(heddle_graph *g, hd_outcome *out, const char *call);

/* spin.c: a table whose bodies all spin for the nanoseconds in their record, with these names. */
typedef struct hd_spin_args {
    uint64_t ns;
} hd_spin_args;
heddle_table *hd_spin_table_new(char *const *names, uint32_t n_names);
void hd_spin_table_free(heddle_table *t);

#endif
