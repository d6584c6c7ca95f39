/* SPDX-License-Identifier: MIT */
/* site.h - an app's case, built once on an open context, which is then set to one subject after another. Each subject's
 * first run begins with the inputs, and the app checks the result. The app computes its reference before the first
 * check, outside of all timing. */
#ifndef SITE_H
#define SITE_H

#include "live.h"

/* What later runs begin with. */
typedef enum site_again {
    SITE_GOES_ON, /* the result of the run before: takes the same time */
    SITE_RESETS,  /* each sample, of some runs, begins with the inputs */
    SITE_ALONE    /* each run begins with the inputs: a result leaves nothing to do */
} site_again;

typedef struct site {
    app_case *c;
    live l;
    heddle_graph_info info;
    int is_fresh; /* the inputs are as built */
} site;

/* Prepares, opens and builds; the caller closes it in any case. engine: that of the app's scenario, NULL = the first.
 * n_trace: events per worker, until the next setting. */
int site_open(bench *b, site *x, const char *app, const char *engine, const app_request *q, const setting *first,
              uint32_t n_trace);
/* Runs from the inputs and compares with the reference. */
int site_check(bench *b, site *x, times *out);
/* Under another setting: a checked run, then samples. */
int site_time(bench *b, site *x, const setting *at, site_again again, times *out);
void site_close(site *x);

#endif
