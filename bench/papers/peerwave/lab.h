/* SPDX-License-Identifier: MIT */
/* lab.h - one application of the thesis in memory, and ways to run it; each way is checked before it is timed. A way is
 * one of the thesis' kernels, or heddle's wave of the same cells: as it is, or as tiles under a schedule.
 *
 * On a GPU each cell is compared with the value that its neighbours give, and small fields with plain loops; elsewhere
 * all cells with plain loops. heat2d, with several sweeps, is compared with the first way that ran. */
#ifndef PEERWAVE_LAB_H
#define PEERWAVE_LAB_H

#include "launch.h"
#include "options.h"
#include "rows.h"

typedef enum peer_kind {
    PEER_KERNEL,    /* one of the thesis' kernels */
    PEER_WAVE,      /* heddle's wave */
    PEER_ROW_ONLY,  /* the same, keeps only the last row: sw and dtw */
    PEER_APP_TILES, /* the wave of tiles of the app itself: sat and inthist                            */
    PEER_SCHEDULE   /* tiles of heddle's wave, as tasks                                                */
} peer_kind;

#define ALL_BLOCKS (~0u) /* as many blocks as are resident */

typedef struct peer_way {
    char name[48];
    peer_kind kind;
    int is_square, is_barrier;
    uint32_t height, width; /* of a tile; PEER_SCHEDULE has only the width */
    uint32_t n_blocks;      /* of the thesis' kernels; 0: one per multiprocessor; or ALL_BLOCKS */
    heddle_schedule schedule;
} peer_way;

/* Measurements of one way. */
typedef struct measured {
    double ms[FIGURE_RUNS]; /* sorted */
    size_t n;
    launch_result result; /* of the last run of a kernel of the thesis                                  */
    uint32_t n_blocks;
    char why[200]; /* the reason if n is 0 */
} measured;

typedef struct lab {
    const options *o;
    heddle_backend backend;
    uint32_t n_units; /* multiprocessors, or threads                                                */
    uint64_t deadline_ns;
    int wrong;
    heddle_ctx *ctx;
    /* The loaded application. */
    peer_app app;
    uint32_t rows, cols;
    uint32_t *cells, *last_row;
    uint8_t *pixels;
    int32_t *x, *y;
    uint32_t *want, *want_row; /* on the host; NULL: not known yet */
    int has_sum;
    uint64_t sum; /* expected sum of heat2d */
} lab;

/* Opens a context for the figures. CLI_OK or CLI_BAD. */
int lab_open(lab *l, const options *o);
void lab_close(lab *l);
/* Allocates and fills an application's memory. CLI_OK, or CLI_BAD with a sentence in why. */
int lab_load(lab *l, peer_app app, uint32_t rows, uint32_t cols, char why[200]);
void lab_unload(lab *l);
/* Compares the thesis' kernels on a small field with plain loops. CLI_OK, or else with a sentence in why. */
int lab_try(lab *l, peer_app app, char why[200]);
/* One checked run, then n_runs timed ones. If that fails, m->n is 0 and m->why the reason. */
void lab_measure(lab *l, const peer_way *w, size_t n_runs, measured *m);
/* One unchecked run of a kernel. 0, or -1 with the reason. */
int lab_run_kernel(lab *l, const peer_way *w, measured *m);
/* The tiles of a way; the application's cells in all planes and sweeps. */
peer_tiling lab_tiling(const lab *l, const peer_way *w);
double lab_cells(const lab *l);

#endif
