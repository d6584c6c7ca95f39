/* SPDX-License-Identifier: MIT */
/* live.h - heddle as a subject: a graph opened under a setting, its runs and their times. heddle_runner is what the table
 * of subjects takes; figures with graphs of their own, and apps (site.h), use the steps below it. */
#ifndef LIVE_H
#define LIVE_H

#include "app.h"
#include "subject.h"

extern const runner heddle_runner;

/* A graph that can run. */
typedef struct live {
    heddle_ctx *ctx;
    heddle_graph *graph;
    const void *record;
    size_t record_bytes;
    timed_params timed;       /* of shapes */
    void *stream;             /* of raw.h; NULL: nothing is put into streams                    */
    int sync;                 /* nothing can be put into streams under this setting             */
    int alone;                /* a run needs the reset before it: runs are put into streams one by one */
    int (*reset)(void *self); /* before each sample; NULL: nothing to do                        */
    void *self;
} live;

/* Opens a context for a setting. n_trace: events a worker. */
int live_open(bench *b, live *l, const setting *s, uint32_t n_trace);
/* The same context, memory and graph under another setting. */
int live_switch(bench *b, live *l, const setting *s);
/* The graph of a shape in it, frozen. */
int live_shape(bench *b, live *l, const shape *s);
/* Frees graph (unless it is an app's), stream, memory and context. */
void live_close(live *l);

/* The first run, which loads the graph. */
int live_first(bench *b, live *l, times *out);
/* After it: warms up, then takes n samples of each kind, fewer when a run takes long; one of seconds is a sample itself. */
int live_sample(bench *b, live *l, uint32_t n, times *out);
/* Did the last run only try a way, with others to come? */
int live_is_trying(const live *l);
/* One run; wall and device times in us, either may be NULL. */
int live_run(bench *b, live *l, double *wall, double *run);
#endif
