/* SPDX-License-Identifier: MIT */
/* simulated.h - what the files of simulated jobs share: an app as arrays, kinds of jobs and their sequence (simulate_apps.c), which is driven
 * in virtual time (simulate.c). */
#ifndef HD_MULTI_SIMULATED_H
#define HD_MULTI_SIMULATED_H

#include "engine/multi/line.h"
#include "heddle/simulate.h"

#define HD_SIM_MOST_ARRAYS 3u

/* Of a kind: what all its grains touch of an array, and how a block's part follows the block. */
typedef struct hd_sim_use {
    uint32_t array;
    heddle_mode mode;
    hd_seg_rect rect;
    uint32_t by_rows, by_bytes; /* rows follow the first index; bytes the second */
    uint64_t halo;              /* rows, within rect */
    uint8_t comes_home;
} hd_sim_use;

typedef struct hd_sim_kind {
    hd_sim_use uses[HD_SIM_MOST_ARRAYS];
    uint32_t n_uses;
    uint64_t n_rows, grain;    /* rows of all, and of a grain */
    uint64_t n_bytes, grain_2; /* the same of bytes of a row */
    double work;               /* operations of a row */
    hd_line_kind *kind;
} hd_sim_kind;

typedef struct hd_sim_app {
    uint32_t n_arrays, result; /* result: the array that goes home at the end */
    uint64_t n_rows[HD_SIM_MOST_ARRAYS], row_bytes[HD_SIM_MOST_ARRAYS];
    hd_sim_kind *kinds;
    uint64_t n_kinds, n_jobs; /* job i is of kind i % n_kinds */
    heddle_simulated_jobs bound;
} hd_sim_app;

/* EINVAL, ENOMEM; *d has been checked but for what only the app knows. */
heddle_status hd_sim_app_open(hd_sim_app *a, const heddle_jobs_simulation *d);
void hd_sim_app_close(hd_sim_app *a);
double hd_sim_work(const hd_sim_kind *k, const hd_grains *b);

#endif
