/* SPDX-License-Identifier: MIT */
/* work.h - one piece of work from its preparation to its end: an app's case, or a graph file whose bodies spin. Times
 * of each step are kept. Functions return CLI_OK, CLI_WRONG or CLI_BAD; the sentence has been printed then. */
#ifndef WORK_H
#define WORK_H

#include "app.h"

typedef struct work {
    const app *app;   /* NULL: a graph file */
    const char *file; /* NULL: an app       */
    app_case *c;      /* whose scenario is run */
    heddle_ctx *ctx;
    heddle_graph *graph;
    app_fact facts[APP_FACTS]; /* what the scenario's engine tells of what was built */
    size_t n_facts;
    heddle_config config; /* with every default filled in */
    heddle_graph_info info;
    uint64_t prepare_ns, open_ns, build_ns;
} work;

/* Prepares, opens a context, builds (or reads) and freezes. One of `a`, with its first scenario, and `file` is given. To be
 * closed in any case. */
int work_open(work *w, const app *a, const char *file, const app_request *q, const heddle_config *cfg);
/* The same for any scenario of a. */
int work_open_scenario(work *w, const app *a, const app_scenario *s, const app_request *q, const heddle_config *cfg);
/* One run; *ns is its time. */
int work_run(work *w, uint64_t *ns);
/* Runs until the library no longer tries which way is the best; none when it does not. */
int work_settle(work *w);
/* Reads the results back and compares them with the serial reference; of a graph file, reads off the trace that each
 * task ran once and after those it depends on. *sentence tells why it failed, or (CLI_OK with a sentence) why nothing
 * could be checked; NULL when all is well. Valid until the next call. */
int work_check(work *w, const char **sentence);
/* Puts the inputs back for another run. */
int work_reset(work *w);
void work_close(work *w);
/* "lu", or "sw/wave" of a scenario that is not the app's first; of a file its path. */
const char *work_name(const work *w, char name[64]);

/* trace_room.c: room for the events of one run, shared out over the workers there will be; HEDDLE_TRACE goes before
 * (0). */
uint32_t trace_room(const heddle_config *config);

/* trace_room.c: room for the events of one run, shared out over the workers there will be; HEDDLE_TRACE goes before
 * (0). */
uint32_t trace_room(const heddle_config *config);

/* The names of how a config runs, in one form for all backends: serial/order/-, cpu/rings/lf, cuda/levels/-. "-" where there
 * is nothing to choose. */
const char *work_schedule(const heddle_config *c);
const char *work_policy(const heddle_config *c);

#endif
