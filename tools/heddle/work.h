/* SPDX-License-Identifier: MIT */
/* work.h - one piece of work from preparation to end: an app's case, or a graph file with spinning bodies. Keeps the
 * time of each step. Functions return CLI_OK, or CLI_WRONG or CLI_BAD after printing the sentence. */
#ifndef WORK_H
#define WORK_H

#include "app.h"
#include "loop.h"

typedef struct work {
    const app *app;   /* NULL: a graph file */
    const char *file; /* NULL: an app       */
    app_case *c;      /* its scenario is run */
    heddle_ctx *ctx;
    heddle_graph *graph;       /* NULL: the scenario is a pool or a loop */
    app_fact facts[APP_FACTS]; /* facts of the scenario's engine after build */
    size_t n_facts;
    heddle_config config; /* with every default filled in; of a loop as asked for */
    char devices[32];     /* of a loop, if backend and workers say where it runs */
    heddle_graph_info info;
    uint64_t prepare_ns, open_ns, build_ns;
} work;

/* Prepares, opens a context (a loop has none), builds (or reads) and freezes. Exactly one of `a` (its first scenario) and `file` is
 * given. work_close must follow in any case. */
int work_open(work *w, const app *a, const char *file, const app_request *q, const heddle_config *cfg);
/* The same for any scenario of a. */
int work_open_scenario(work *w, const app *a, const app_scenario *s, const app_request *q, const heddle_config *cfg);
/* One run; *ns is its time. */
int work_run(work *w, uint64_t *ns);
/* Runs until the library has chosen the best way; not at all when it does not try any. */
int work_settle(work *w);
/* Reads the results back and compares them with the serial reference. For a graph file, checks in the trace that each
 * task ran once and after those it depends on. *sentence tells why it failed, or (CLI_OK with a sentence) why nothing
 * could be checked; NULL when all is well. Valid until the next call. */
int work_check(work *w, const char **sentence);
/* Restores the inputs for another run. */
int work_reset(work *w);
void work_close(work *w);
/* "lu", or "sw/wave" for a scenario that is not the app's first; for a file its path. */
const char *work_name(const work *w, char name[64]);

/* How the last run went (heddle_graph_describe_run, heddle_loop_how, heddle_multi_how): lines. */
const char *work_how(const work *w);
/* NULL: the work is no loop. */
const app_looping *work_loop(const work *w);
/* Its first kind of jobs; NULL: it has none. */
heddle_multi *work_jobs(const work *w);
/* How loops are divided: --split, HEDDLE_SPLIT, or the default; of jobs the map. */
const char *work_split(const app_engine *e);
/* Units of the loop's fleet. */
uint32_t work_n_units(const work *w);

/* trace_room.c: room for the events of one run, divided among its workers; 0 if HEDDLE_TRACE sets it. */
uint32_t trace_room(const heddle_config *config);
/* The same for records of a pool that is opened later, through HEDDLE_POOL_TRACE. 0, or -1 without memory. */
int pool_trace_room(void);

/* How a config runs, in one form for all backends: serial/order/-, cpu/rings/lf, cuda/levels/-. "-" where there is no
 * choice. */
const char *work_schedule(const heddle_config *c);
const char *work_policy(const heddle_config *c);

#endif
