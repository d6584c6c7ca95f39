/* SPDX-License-Identifier: MIT */
/* cases.h - programs of jobs over some matrices, run by the library and by plain loops. */
#ifndef MULTI_CASES_H
#define MULTI_CASES_H

#include "multi/bodies.h"

#include "check.h"

#include <string.h>

#define JOBBED_MATRICES 4u

/* Matrices of n x n numbers, on a fleet and in plain memory. */
typedef struct jobbed_rig {
    heddle_fleet *fleet;
    uint64_t n;
    heddle_array *arrays[JOBBED_MATRICES];
    uint32_t *plain[JOBBED_MATRICES];
    heddle_multi_desc desc; /* of all jobs */
    uint32_t time_limit_ms, n_trace;
    int64_t sum, plain_sum;
} jobbed_rig;

/* One job: what it reads and writes, by number. */
typedef struct jobbed_job {
    uint32_t body, in, in_2, out;
    uint32_t seed, adds;
    uint64_t k_begin, k_end, tile, fail_at;
    uint32_t n_tasks, n_tasks_2;
    uint64_t tile_2; /* 0: 5 */
} jobbed_job;

/* Fleets that programs of jobs are run on. */
typedef struct jobbed_fleet {
    const char *devices;
    uint64_t pool_bytes; /* 0: as much as there is */
} jobbed_fleet;
const jobbed_fleet *jobbed_fleets(int is_gpu, size_t *n);

void jobbed_open(jobbed_rig *r, const char *devices, uint64_t pool_bytes, uint64_t n, uint64_t *seed);
void jobbed_close(jobbed_rig *r);
heddle_status jobbed_make(jobbed_rig *r, const jobbed_job *j, heddle_multi **out);
jobbed_params jobbed_params_of(const jobbed_rig *r, const jobbed_job *j);
void jobbed_plain(jobbed_rig *r, const jobbed_job *j);
/* A job that differs in everything; of a body that does not fail. */
jobbed_job jobbed_random(const jobbed_rig *r, uint64_t *seed);
/* The host writes some rows, when nothing uses them; or fetches some, and compares. */
void jobbed_write_some(jobbed_rig *r, uint64_t *seed);
void jobbed_read_some(jobbed_rig *r, uint64_t *seed, const char *what);
/* Fetches some rows of a matrix, and compares. */
void jobbed_compare(jobbed_rig *r, uint32_t matrix, uint64_t row, uint64_t n_rows, const char *what);

/* --cuda: fleets with GPUs; without a GPU the test is skipped. */
int jobbed_is_gpu(int argc, char **argv);
/* HEDDLE_ROUNDS (or n_rounds) random programs on each fleet. For main to return. */
int jobbed_programs(const jobbed_fleet *list, size_t n, int n_rounds, uint64_t seed,
                    void (*check)(const jobbed_fleet *f, uint64_t *seed));
/* The end of a program: all matrices are right, and its kinds of jobs are freed. */
void jobbed_finish(jobbed_rig *r, heddle_multi **kinds, uint32_t n_kinds, const char *what);

#endif
