/* SPDX-License-Identifier: MIT */
/* mesi.h - shared by the figures of jobs: what is asked for, how a case of an app is timed; and of jobs over several GPUs what is run, on
 * which machine, in which way, and where the result is from. */
#ifndef MESI_H
#define MESI_H

#include "by_hand.h"
#include "loop.h"
#include "rows.h"

#include "heddle/simulate.h"

#include "hdss/hand.h"

#include <stdio.h>

enum { MESI_MOST_GPUS = 4, MESI_MOST_LINKS = 64, MESI_MOST_PLACES = 16, MESI_WORDS = 256 };

/* From the host, to it, from other devices, to them. */
typedef enum mesi_direction { MESI_IN, MESI_OUT, MESI_PEERS, MESI_SENT, MESI_N_DIRECTIONS } mesi_direction;
typedef struct mesi_links {
    uint32_t n; /* devices */
    uint64_t bytes[MESI_MOST_LINKS][MESI_N_DIRECTIONS];
} mesi_links;

typedef struct mesi_ask {
    const options *o;
    const char *list, *steps, *devices,
        *type;       /* NULL: all figures; as many steps as each has by itself; GPUs; all types */
    uint64_t end_ns; /* nothing begins later */
    int wrong;       /* a check failed */
    int has_copies;
    by_hand_rates one, all; /* what they are, to one GPU and to all */
} mesi_ask;

/* ---- timing.c. Functions that return int return nonzero with the sentence in c->error ---- */

typedef struct mesi_times {
    double compute_ms[FIGURE_RUNS], total_ms[FIGURE_RUNS]; /* sorted; total: from host memory to host memory */
    size_t n;
    int has_compute;
    /* Of the last run, of jobs: bytes; of the driver's thread; slices. */
    int has_jobs;
    mesi_links links;
    double driver_ms;
    uint64_t n_slices;
} mesi_times;

/* What is repeated. */
typedef struct mesi_runner {
    int (*run)(void *self, app_case *c, double *compute_ms);   /* from host memory to host memory */
    int (*after)(void *self, app_case *c, double *compute_ms); /* NULL, or what is not part of that */
    void *self;
    size_t n_warm; /* the first runs are not counted */
} mesi_runner;

/* Builds the case with that engine ("loop", "jobs"), unless it is late; a run has a time limit. mesi_close must follow in any case; it
 * also forgets what the case's spawning says. */
int mesi_open(const mesi_ask *a, app_case *c, const char *engine, const char *devices);
void mesi_close(app_case *c);
/* Runs as often as is asked for, or as there is time for. The first and the last answer are checked. */
int mesi_repeat(mesi_ask *a, app_case *c, const mesi_runner *r, mesi_times *t);
int mesi_time_loop(mesi_ask *a, app_case *c, mesi_times *t);
/* stays: after each run there is one on data that is where it was used; compute_ms is its time until all jobs have ended. */
int mesi_time_jobs(mesi_ask *a, app_case *c, int stays, mesi_times *t);
/* Devices that jobs are run on; 0: such a fleet cannot be opened, or it has cores only. */
uint32_t mesi_n_devices(const char *words);

/* ---- program.c ---- */

/* A program by hand; begins as zeros. */
typedef struct mesi_program {
    uint32_t n_gpus, tile;
    product_way how;
    steps_exchange exchange;
    int with_graph;
    by_hand_product *product; /* one of the three is open */
    by_hand_steps *steps;
    hand loop;       /* of ep, */
    pipeline *pairs; /* which is one launch of all */
} mesi_program;

/* On the arrays of the case, which is opened on a fleet without threads. mesi_program_close must follow, and then mesi_close. */
int mesi_time_program(mesi_ask *a, app_case *c, mesi_program *p, mesi_times *t);
void mesi_program_close(mesi_program *p);
/* Measures plain copies, once, if there are GPUs and no devices are asked for; `out` gets a line with them. */
void mesi_find_copies(mesi_ask *a, FILE *out);

/* ---- jobs over several GPUs ---- */

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
    mesi_links links;
    double over_model;  /* mesi_over_model's */
    const char *source; /* "simulated", "measured" */
} mesi_result;

/* ---- links.c ---- */

/* Three columns, 10^6 bytes: of all devices together from the host, to it, and from device to device. */
void mesi_put_sums(const mesi_links *l, FILE *out);
/* A column a direction: the same device by device, joined by +. */
void mesi_put_each(const mesi_links *l, FILE *out);
/* The most of what links carry over what the model says. By the model each byte crosses a link of the host once for all devices that reach one
 * another; to a device come the bytes that its part of the result needs, from the host or from others; and the result goes home once. 0: the
 * case has none but results (ep). */
double mesi_over_model(const mesi_case *c, const mesi_links *l, int has_peers);

uint32_t mesi_tasks(const mesi_case *c);

/* Nonzero, and a sentence on stderr: it cannot be. */
int mesi_simulate(const mesi_case *c, mesi_result *out);

/* GPUs that are here. */
typedef struct mesi_gpus {
    uint32_t n_gpus, n_devices; /* whole GPUs, which so many devices are together; 0: they are not whole */
    double rate;                /* of one GPU with data resident: multiply-adds, cells or pairs a nanosecond */
    uint64_t pool_bytes;        /* of a device; 0: as much as is wanted */
} mesi_gpus;

/* The least time of a case from host memory to host memory, by copies and that rate: operations over all GPUs, bytes over links, or bytes
 * over the host's memory, and the first fetch and the last write. The machine of the case is not looked at. 0: not known. */
double mesi_bound_ms(const mesi_ask *a, const mesi_case *c, const mesi_gpus *g);

/* Where jobs are measured. */
typedef struct mesi_place {
    mesi_machine machine; /* its name and number of devices; no rates */
    const char *devices;
    uint32_t least_gpus, most_gpus; /* of a machine where it is looked for */
    uint32_t n_whole;               /* GPUs that its devices are together; 0: parts are missing */
    int is_alone;                   /* one of the devices of another place */
} mesi_place;

/* An app's case, which serves measurement after measurement; begins as zeros. */
typedef struct mesi_subject {
    app_case *c;
    int is_whole;        /* matmul: a job is the whole product */
    char why[APP_ERROR]; /* the last measurement failed */
    double rate;         /* of a GPU (mesi_gpus); 0: not known */
} mesi_subject;

/* What is asked for, or what machines with as many GPUs as this one have. Where least_gpus are not here, nothing can be measured. */
size_t mesi_places(const mesi_ask *a, mesi_place out[MESI_MOST_PLACES]);
/* The size that is asked for, or the usual one: ep counts pairs here. */
uint64_t mesi_measured_n(const mesi_ask *a, const mesi_case *c);
/* Finds s->rate, by the program by hand, if there are GPUs and no devices are asked for. c->n is the size above here and below. */
void mesi_measure_rate(mesi_ask *a, mesi_subject *s, const mesi_case *c);
/* Nonzero, and s->why: it cannot be, or is wrong. */
int mesi_measure(mesi_ask *a, mesi_subject *s, const mesi_case *c, const mesi_place *p, mesi_result *out);
void mesi_subject_free(mesi_subject *s);

/* scheduling.c: makes its figures that the list has. Hotspot has n_steps; 0: as many as are usual. *n_made counts figures. */
int mesi_make_scheduling(mesi_ask *a, uint32_t n_steps, size_t *n_made);

#endif
