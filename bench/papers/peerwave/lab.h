/* SPDX-License-Identifier: MIT */
/* lab.h - one application of the thesis in memory, and ways to run it, each checked before it is timed. A way is one of the
 * thesis' kernels, or heddle's wave of the same cells: as it is, or as tiles under a schedule.
 *
 * On a GPU each cell is compared with what its neighbours make of it, and small fields with plain loops; elsewhere all cells
 * with plain loops. heat2d, of several sweeps, is compared with the first way that ran: on a small field with plain loops. */
#ifndef PEERWAVE_LAB_H
#define PEERWAVE_LAB_H

#include "launch.h"
#include "options.h"
#include "rows.h"

typedef enum peer_kind {
    PEER_KERNEL,    /* the thesis'                                                                     */
    PEER_WAVE,      /* heddle's                                                                        */
    PEER_ROW_ONLY,  /* the same, of which only the last row is kept: sw and dtw                        */
    PEER_APP_TILES, /* the wave of tiles of the app itself: sat and inthist                            */
    PEER_SCHEDULE   /* tiles of heddle's wave, as tasks                                                */
} peer_kind;

#define ALL_BLOCKS (~0u) /* that are resident */

typedef struct peer_way {
    char name[48];
    peer_kind kind;
    int is_square, is_barrier;
    uint32_t height, width; /* of a tile; of PEER_SCHEDULE only the width                               */
    uint32_t n_blocks;      /* of the thesis' kernels; 0: one a multiprocessor; ALL_BLOCKS              */
    heddle_schedule schedule;
} peer_way;

/* What a way came to. */
typedef struct measured {
    double ms[FIGURE_RUNS]; /* by size                                                                  */
    size_t n;
    launch_result result; /* of the last run of a kernel of the thesis                                  */
    uint32_t n_blocks;
    char why[200]; /* n is 0 */
} measured;

typedef struct lab {
    const options *o;
    heddle_backend backend;
    uint32_t n_units; /* multiprocessors, or threads                                                */
    uint64_t deadline_ns;
    int wrong;
    heddle_ctx *ctx;
    /* Of the application at hand. */
    peer_app app;
    uint32_t rows, cols;
    uint32_t *cells, *last_row;
    uint8_t *pixels;
    int32_t *x, *y;
    uint32_t *want, *want_row; /* of the host; NULL: not known yet                                         */
    int has_sum;
    uint64_t sum; /* of heat2d, as it should be                                                   */
} lab;

/* Opens a context where the figures are made. CLI_OK or CLI_BAD. */
int lab_open(lab *l, const options *o);
void lab_close(lab *l);
/* Memory for an application of this size, with its inputs. CLI_OK, or CLI_BAD with a sentence in why. */
int lab_load(lab *l, peer_app app, uint32_t rows, uint32_t cols, char why[200]);
void lab_unload(lab *l);
/* The thesis' kernels on a small field of the application, against plain loops. CLI_OK, or else with a sentence in why. */
int lab_try(lab *l, peer_app app, char why[200]);
/* A run that is checked, and n_runs that are timed. m->n is 0 where that cannot be, with the reason. */
void lab_measure(lab *l, const peer_way *w, size_t n_runs, measured *m);
/* One run of a kernel, unchecked. 0, or -1 with the reason. */
int lab_run_kernel(lab *l, const peer_way *w, measured *m);
/* The tiles of a way, and cells of the application in all planes and sweeps. */
peer_tiling lab_tiling(const lab *l, const peer_way *w);
double lab_cells(const lab *l);

#endif
