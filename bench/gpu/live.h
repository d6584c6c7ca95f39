/* SPDX-License-Identifier: MIT */
/* live.h - heddle as a subject: a graph opened under a setting, its runs and their times. The table of subjects uses
 * heddle_runner; figures with graphs of their own, and apps (site.h), use the steps below it. */
#ifndef LIVE_H
#define LIVE_H

#include "app.h"
#include "subject.h"

extern const runner heddle_runner;

/* A graph that is ready to run. */
typedef struct live {
    heddle_ctx *ctx;
    heddle_graph *graph;
    const void *record;
    size_t record_bytes;
    timed_params timed;       /* of shapes */
    void *stream;             /* of raw.h; NULL: no runs in streams */
    int sync;                 /* this setting cannot run in streams */
    int alone;                /* each run needs a reset: streams get one run at a time */
    int (*reset)(void *self); /* called before each sample, or NULL */
    void *self;
} live;

/* Opens a context for a setting. n_trace: events per worker. */
int live_open(bench *b, live *l, const setting *s, uint32_t n_trace);
/* Switches to another setting; context, memory and graph stay. */
int live_switch(bench *b, live *l, const setting *s);
/* Adds and freezes the graph of a shape. */
int live_shape(bench *b, live *l, const shape *s);
/* Frees graph (unless it is an app's), stream, memory and context. */
void live_close(live *l);

/* The first run, which loads the graph. */
int live_first(bench *b, live *l, times *out);
/* Then: warms up, and takes n samples of each kind, fewer of long runs; a run of seconds is a sample itself. */
int live_sample(bench *b, live *l, uint32_t n, times *out);
/* Did the last run only try a way, with others to come? */
int live_is_trying(const live *l);
/* One run; wall and device times in us, either may be NULL. */
int live_run(bench *b, live *l, double *wall, double *run);
#endif
