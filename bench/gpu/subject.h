/* SPDX-License-Identifier: MIT */
/* subject.h - subjects of comparisons, by name. A subject is a runner, functions that open a problem, run it and close
 * it: heddle in one of its modes, an engine, or another system. The table of subjects is subjects.c. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include "bench.h"
#include "shapes.h"
#include "sizes.h"

/* The group in which a subject is compared. */
typedef enum rank {
    RANK_PLAN,     /* schedule static                              */
    RANK_DYNAMIC,  /* workers get tasks as they become ready */
    RANK_BASELINE, /* counts for "best baseline"                   */
    RANK_AUTO,     /* the library's choice */
    RANK_WAVE,     /* a wave: no tasks */
    RANK_SYNC,     /* the papers' barrier: a bar of its own        */
    RANK_CENTRAL,  /* the papers' one queue, likewise              */
    RANK_RAW       /* without heddle: not scored */
} rank;

/* What to run: a made-up graph, or an app at a size; the other is NULL. */
typedef struct problem {
    const shape *shape;
    const app_size *size;
} problem;

/* Times in us. */
typedef struct times {
    sample run;    /* heddle_stats.run_ns: on the device, one run                   */
    sample queued; /* runs back to back in one stream, each                         */
    sample wall;   /* heddle_graph_run on the host's clock                                */
    double first;  /* wall clock of the first run, and its time on the device       */
    double first_run;
    double load, plan, kernels; /* parts of first: loading; in that, planning, and finding kernels */
} times;

struct setting;

/* Functions that return int give 0, or -1 with a sentence (bench_say, bench_refuse). */
typedef struct runner {
    /* Prepares a problem, which must outlive it, under a setting; refuses what it cannot run. The caller calls close in
     * any case, after a failure with *self as set by then. */
    int (*open)(bench *b, const struct setting *at, const problem *p, void **self);
    /* Runs once, warms up, then takes up to n samples with tasks of each_ns (0: their own length). May be called again. */
    int (*run)(bench *b, void *self, uint32_t each_ns, uint32_t n, times *out);
    void (*close)(void *self);
    /* Runs the shape with mixing bodies and compares all cells with the oracle. NULL: there is no result to compare. */
    int (*verify)(bench *b, const struct setting *at, const shape *s);
} runner;

/* heddle's mode. */
typedef struct mode {
    heddle_schedule schedule;
    heddle_policy policy;
    uint32_t by_body;
} mode;

typedef struct subject {
    const char *name;
    rank rank;
    const runner *runner;
    mode mode; /* for heddle_runner only */
} subject;

/* Ends with name NULL. */
extern const subject subject_table[];
#define SUBJECT_BLOCKS "hardware blocks"
#define SUBJECT_GETRF "cuSOLVER getrf, no pivots"
#define SUBJECT_COPY "device copy"
#define SUBJECT_WAVE "as a wave"

/* A subject under one setting; 0 = the library's choice. */
typedef struct setting {
    const subject *subject;
    uint32_t per_sm, threads; /* workers per SM (persistent only); threads per worker */
    int extra;                /* not needed for a goal */
    uint32_t n_workers;       /* total number of workers, replaces per_sm */
} setting;

/* By name, from the whole table; it must exist. */
const subject *subject_named(const char *name);
/* By name ("static", "lf", "graph+pdl"); NULL if it does not exist or does not apply to this backend. */
const subject *subject_find(const bench *b, const char *name);
/* Reads a list of words "name[:per_sm[:threads]]", separated by blanks; those after a word "|" are extra. Returns how
 * many, at most n_max. */
size_t settings_read(const bench *b, const char *list, setting *out, size_t n_max);
/* Writes "w1 l128" or "17 workers l128"; returns buf's text. */
typedef struct setting_text {
    char text[64];
} setting_text;
const char *setting_name(setting_text *buf, const setting *s);
static inline int is_persistent(const setting *s) { return heddle_schedule_has_workers(s->subject->mode.schedule); }

/* The compared times: queued if there are any, else run. */
const sample *times_best(const times *t);

/* Opens, times and closes a problem, or a shape, under a setting; writes no row. */
int time_problem(bench *b, const problem *p, const setting *at, uint32_t each_ns, uint32_t n, times *out);
int time_shape(bench *b, const shape *s, const setting *at, uint32_t each_ns, uint32_t n, times *out);
/* Runs the runner's verification, if it has one. */
int verify_shape(bench *b, const shape *s, const setting *at);

/* The best measured times. */
typedef struct score {
    setting at;
    double us;
} score;
typedef struct scores {
    score list[256];
    size_t n;
} scores;
void scores_add(scores *s, const setting *at, double us);
/* The least time of a rank, or of one subject (name not NULL); 0 if there is none. */
double scores_best(const scores *s, rank r, const char *name);
/* The least time of both kinds of persistent. */
double scores_best_persistent(const scores *s);

#endif
