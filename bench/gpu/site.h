/* SPDX-License-Identifier: MIT */
/* site.h - an app's case, built once on an open context, which is then set to one subject after another. The first run of
 * each begins with the inputs and is compared by the app; before the first comparison the app works out its reference, when
 * nothing is timed. */
#ifndef SITE_H
#define SITE_H

#include "live.h"

/* What later runs begin with. */
typedef enum site_again {
    SITE_GOES_ON, /* with what the run before left: it takes the same time                    */
    SITE_RESETS,  /* a sample, of some runs, begins with the inputs                           */
    SITE_ALONE    /* each run does: on what a run leaves there is nothing to do               */
} site_again;

typedef struct site {
    app_case *c;
    live l;
    heddle_graph_info info;
    int is_fresh; /* the inputs are as built */
} site;

/* Prepares, opens and builds. Closed by the caller in any case. n_trace: events a worker, until another setting comes. */
int site_open(bench *b, site *x, const char *app, const app_request *q, const setting *first, uint32_t n_trace);
/* From the inputs, to what the reference has. */
int site_check(bench *b, site *x, times *out);
/* Under another setting: a run that is checked, then samples. */
int site_time(bench *b, site *x, const setting *at, site_again again, times *out);
void site_close(site *x);

#endif
