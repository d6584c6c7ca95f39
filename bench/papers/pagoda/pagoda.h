/* SPDX-License-Identifier: MIT */
/* pagoda.h - shared by the figures of Pagoda: what is compared, the ways to run it, and how a way is opened, checked and timed. */
#ifndef PAGODA_H
#define PAGODA_H

#include "chart.h"
#include "rows.h"
#include "work.h"

#define PAGODA_LEAST_TASKS 32u

/* An application, or a variant of it, is a group of bars. */
typedef struct subject {
    const char *name, *app;
    uint64_t b[2];      /* 0: the app's own */
    uint32_t team_size; /* 0: the pool's; or of the widest team that the way has, if that is narrower */
    /* NULL, or: tasks that come after others; how many rows a matrix has that takes about so many of them. */
    uint64_t (*rows)(uint64_t n_tasks);
    app_pair opt;      /* of the app; or no key */
    const char *input; /* NULL, or a file of the folder HEDDLE_DATA, which says how many tasks there are */
} subject;

typedef struct pooled_way {
    char name[40];
    const char *mode;
    heddle_backend backend;
    uint64_t at_once;   /* app_spawning's */
    uint32_t n_workers; /* of the context; 0: all */
    app_pair opt;       /* of the app; or no key */
    int copies;         /* inputs and results go with tasks */
} pooled_way;

enum { MOST_WAYS = HEDDLE_N_POOL_MODES + 1, MOST_SUBJECTS = 24 };

typedef struct figures figures;
typedef struct figure {
    const char *name, *title;
    const subject *subjects;
    size_t n_subjects;
    void (*choose)(figures *f); /* sets the ways */
    int (*make)(figures *f);    /* writes the files; returns an exit status */
    const char *modes;          /* for pagoda_listed */
    app_spawning spawning;
    uint32_t part; /* of the number of tasks */
    int has_warps; /* rows tell of warps in use */
} figure;

struct figures {
    const options *o;
    const figure *now;
    pooled_way ways[MOST_WAYS]; /* the first is the one that others are compared with */
    size_t n_ways;
    uint64_t n_tasks;
    figure_files files;
    int wrong;
};

typedef struct timing {
    double ms[FIGURE_RUNS]; /* sorted */
    size_t n;               /* 0: `why` not */
    uint32_t team_size;
    uint64_t n_tasks;
    char why[160];
} timing;

/* ---- ways.c ---- */

/* Without a GPU: a pool of threads over one thread. With one: all modes over CPU threads, or those of figure.modes. */
void pagoda_all(figures *f);
void pagoda_listed(figures *f);
void pagoda_one_by_one(figures *f); /* fused and resident; without a GPU the pool of threads, for both */
void pagoda_lockstep(figures *f);   /* batches, and the resident pool in lock step and not */
void pagoda_copied(figures *f);     /* kernels without copies, and with them */
void pagoda_linked(figures *f);     /* the resident pool and launches without copies, and the resident pool with them */
void pagoda_shared(figures *f);     /* kernels and the resident pool, without block-shared memory, too */
void pagoda_fourths(figures *f);    /* kernels, and the resident pool on one to four fourths of the GPU */
void pagoda_chunked(figures *f);    /* the resident pool with copies, and what opens the same for chunks */
void pagoda_modes(figures *f);  /* resident, launches, auto; without a GPU one thread and the pool of threads, twice */
void pagoda_orders(figures *f); /* slu in waves and by handles; on a GPU by launches, too */
pooled_way *pagoda_add(figures *f, const char *name, const char *mode, heddle_backend backend);

/* Opens the subject with so many tasks; work_close must follow in any case. Sets t->team_size and n_tasks. */
int pagoda_open(const figures *f, const subject *s, const pooled_way *way, uint64_t n_tasks, work *w, timing *t);
/* Runs a 64th of the tasks by run(arg, w), NULL: work_run, and compares with the serial reference. Nonzero: t->why, if that said no. */
typedef int (*pagoda_run)(void *arg, work *w);
int pagoda_check(figures *f, const subject *s, const pooled_way *way, timing *t, pagoda_run run, void *arg);
/* Checks, and times t->n runs; 0: t->why. */
void pagoda_time(figures *f, const subject *s, const pooled_way *way, timing *t);

/* The same for one that is open and was checked. */
void pagoda_time_opened(const figures *f, work *w, timing *t);

/* Warps of teams in bodies, the mean over a run that is traced; 0: that cannot be. */
double pagoda_warps(const figures *f, const subject *s, const pooled_way *way);

/* The first lines of a figure's rows: the GPU, the note, the names of columns. */
void pagoda_head(figures *f, const char *note, const char *columns);

/* ---- figures ---- */

int pagoda_bars(figures *f);     /* bars.c: how many times as quick as the first way */
int pagoda_shares(figures *f);   /* shares.c: of pagoda_copied */
int pagoda_links(figures *f);    /* links.c: of pagoda_linked */
int pagoda_chunks(figures *f);   /* chunks.c: of pagoda_chunked */
int pagoda_auto(figures *f);     /* auto.c: of pagoda_modes */
int pagoda_response(figures *f); /* response.c: of pagoda_one_by_one */

#endif
