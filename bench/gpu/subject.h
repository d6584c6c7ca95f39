/* SPDX-License-Identifier: MIT */
/* subject.h - what is compared: ways to run a frozen graph, by name; a graph opened under one of them; its times. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include "app.h"
#include "bench.h"
#include "shapes.h"

/* What a subject counts as. */
typedef enum rank {
    RANK_PLAN,     /* the executor persistent, dispatch plan       */
    RANK_DYNAMIC,  /* the same, tasks handed out as they get ready */
    RANK_BASELINE, /* counts for "best baseline"                   */
    RANK_AUTO,     /* what the library chooses                     */
    RANK_SYNC,     /* the papers' barrier: a bar of its own        */
    RANK_CENTRAL   /* the papers' one queue, likewise              */
} rank;

typedef struct subject {
    const char *name;
    rank rank;
    heddle_executor executor;
    heddle_dispatch dispatch;
    heddle_policy policy;
    uint32_t by_body, sync, steal;
} subject;

/* A subject under one setting; 0 = the library's choice. */
typedef struct setting {
    const subject *subject;
    uint32_t per_sm, lanes; /* workers an SM (persistent only); lanes of a worker */
    int extra;              /* no goal needs it */
    uint32_t n_workers;     /* in place of per_sm: workers in all */
} setting;

/* By name ("plan", "lf", "cudagraph+pdl"); NULL when there is none, or it means nothing on this backend. */
const subject *subject_find(const bench *b, const char *name);
/* All settings of a list of words "name[:per_sm[:lanes]]", blanks between; what stands behind a word "|" is extra. Returns
 * how many; at most n_max. */
size_t settings_read(const bench *b, const char *list, setting *out, size_t n_max);
/* "w1 l128", "17 workers l128"; buf is returned. */
typedef struct setting_text {
    char text[64];
} setting_text;
const char *setting_name(setting_text *buf, const setting *s);
int is_persistent(const setting *s);

/* A graph that can run. */
typedef struct live {
    heddle_ctx *ctx;
    heddle_graph *graph;
    const void *record;
    size_t record_bytes;
    timed_app timed;          /* of shapes */
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

/* In us. */
typedef struct times {
    sample run;    /* heddle_stats.run_ns: on the device, one run                   */
    sample queued; /* runs back to back in one stream, each                         */
    sample wall;   /* heddle_run on the host's clock                                */
    double first;  /* wall clock of the first run, and its time on the device       */
    double first_run;
    double load, plan, kernels; /* of it, making the graph runnable; of that, planning, and finding kernels */
} times;

/* The first run, which loads the graph. */
int live_first(bench *b, live *l, times *out);
/* After it: warms up, then takes n samples of each kind, fewer when a run takes long; one of seconds is a sample itself. */
int live_sample(bench *b, live *l, uint32_t n, times *out);
/* Did the last run only try a way, with others to come? */
int live_is_trying(const live *l);
/* One run; wall and device times in us, either may be NULL. */
int live_run(bench *b, live *l, double *wall, double *run);
/* What is compared: queued, where there is such a thing, else run. */
const sample *times_best(const times *t);

/* Opens, times and closes a shape under a setting; writes no row. */
int time_shape(bench *b, const shape *s, const setting *at, uint32_t each_ns, uint32_t n, times *out);
/* Runs the shape with mixing bodies, twice, and compares all cells with the oracle. */
int verify_shape(bench *b, const shape *s, const setting *at);

/* The best of those that were measured. */
typedef struct score {
    setting at;
    double us;
} score;
typedef struct scores {
    score list[256];
    size_t n;
} scores;
void scores_add(scores *s, const setting *at, double us);
/* The quickest of a rank, or of one subject (name not NULL); 0 when there is none. */
double scores_best(const scores *s, rank r, const char *name);
/* The quickest of both kinds of persistent. */
double scores_best_persistent(const scores *s);

#endif
