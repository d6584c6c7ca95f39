/* SPDX-License-Identifier: MIT */
/* mesi.h - shared by the figures of jobs: what is run, on which machine, in which way, and where the result is from. */
#ifndef MESI_H
#define MESI_H

#include "rows.h"

#include "heddle/simulate.h"

enum { MESI_MOST_GPUS = 4 };

/* GPUs of one host. */
typedef struct mesi_machine {
    const char *name;
    uint32_t n_gpus;
    double rate[HEDDLE_N_SIMULATED_JOBS][MESI_MOST_GPUS]; /* of each app: operations a nanosecond */
    int is_paper, has_peers;                              /* the paper's links and host; GPUs that reach one another */
    double weight[MESI_MOST_GPUS];                        /* by data sheet; 0: as the rates are */
} mesi_machine;

/* A way to spread jobs. */
typedef struct mesi_way {
    const char *name;
    heddle_map map;
    uint32_t n_tasks; /* of a job; 0: as many as are good; UINT32_MAX: one a GPU */
    uint32_t keeps;   /* 0: data go home after each job */
} mesi_way;

typedef struct mesi_case {
    heddle_simulated_job app;
    uint64_t n;
    uint32_t n_steps;
    const mesi_machine *machine;
    mesi_way way;
} mesi_case;

typedef struct mesi_result {
    double ms, bound_ms; /* bound: the least that is possible; 0: not known */
    double in_mb, out_mb, peers_mb;
    const char *source; /* "simulated", "measured" */
} mesi_result;

/* Nonzero, and a sentence on stderr: it cannot be. */
int mesi_simulate(const mesi_case *c, mesi_result *out);

/* scheduling.c: makes its figures that the list has; NULL: all. Hotspot has n_steps; 0: as many as are usual. *n_made counts figures. */
int mesi_make_scheduling(const char *list, const char *dir, uint32_t n_steps, size_t *n_made);

#endif
