/* SPDX-License-Identifier: MIT */
/* run.h - the structs behind the public handles. Shared by the files of src/run only. */
#ifndef HD_RUN_H
#define HD_RUN_H

#include "backend/backend.h"
#include "run/report.h"

#include <pthread.h>

struct heddle_ctx {
    hd_error error;
    heddle_config config;
    const hd_backend *backend;
    hd_device *device;
    heddle_graph *graphs; /* all that live */
    int lost;             /* atomic: workers do not come back; every call says EDEVICE, close leaves them behind */
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
    void *app;         /* copy of the app record, app_bytes of the table */
    uint64_t load_ns;
    int running;             /* started and not concluded */
    int said_who;            /* the sentence of a passed time limit stands in the context */
    int has_result;          /* a run has ended */
    int stale;               /* what is loaded was made before the plan: the next run loads anew */
    uint64_t deadline_ns;    /* of the config's time limit */
    heddle_job *job;         /* of the run, NULL for heddle_run */
    heddle_status end;       /* how the last run ended */
    pthread_mutex_t mutex;   /* guards running, end, job, done; calls on a job come from any thread */
    pthread_cond_t moved;    /* a watched task is done, or the run ended */
    hd_list callbacks;       /* hd_callback, by index among the watched tasks */
    uint8_t *done;           /* one byte a watched task */
    uint64_t n_done;         /* bytes of done */
    heddle_table *own_table; /* of a graph from a file */
};

struct heddle_job {
    heddle_graph *graph;
    int ended;
    heddle_status end;
};

static inline int hd_ctx_lost(const heddle_ctx *ctx) { return __atomic_load_n(&ctx->lost, __ATOMIC_RELAXED); }

/* handle.c: EDEVICE with its sentence if the context is lost. */
heddle_status hd_ctx_check(heddle_ctx *ctx);
/* A handle that a call may use: the context lives, no run is in flight. */
heddle_status hd_graph_usable(heddle_graph *g, const char *call);
/* Started and not concluded. */
int hd_graph_running(heddle_graph *g);

/* run.c: waits for a run in flight and concludes it. */
void hd_graph_settle(heddle_graph *g);
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
