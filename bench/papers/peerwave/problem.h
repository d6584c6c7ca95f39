/* SPDX-License-Identifier: MIT */
/* problem.h - the thesis' applications on the host: descriptions, inputs, and plain loops that solve them. Inputs are
 * made up (cells.h), so that a GPU can make them, too. All cells have 32 bits: int32_t, uint32_t or float. */
#ifndef PEERWAVE_PROBLEM_H
#define PEERWAVE_PROBLEM_H

#include "cells.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum peer_app {
    PEER_SW,
    PEER_DTW,
    PEER_SAT,
    PEER_INTHIST,
    PEER_HEAT,
    PEER_SOR,
    PEER_HEAT2D,
    PEER_APPS
} peer_app;

typedef struct peer_problem {
    const char *name;
    uint32_t cell;               /* in peer_sweeps if there are sweeps, else in peer_cells */
    uint32_t n_planes, n_sweeps; /* 0: no sweeps                                                           */
    int has_pixels, has_x, has_y;
} peer_problem;

extern const peer_problem peer_problems[PEER_APPS];

/* Params of a field in `layout`; the caller sets pixels. */
peer_params problem_params(peer_app app, uint32_t rows, uint32_t cols, peer_layout layout);
/* By row of all planes; by column. */
void problem_x(peer_app app, uint32_t rows, int32_t *x);
void problem_y(uint32_t cols, int32_t *y);
/* Pixels or temperatures, in p->layout. */
void problem_pixels(const peer_params *p, uint8_t *pixels);
void problem_start(const peer_params *p, float *cells);
/* Computes all cells row by row, plane by plane, with plain loops over the inputs above. */
void problem_want(peer_app app, uint32_t rows, uint32_t cols, uint32_t *want);
/* The first cell in p->layout that differs from want, counted over planes, rows and columns; or the number of cells.
 * Floats may differ in their last bits, because compilers may fuse a product and a sum. */
uint64_t problem_differs(peer_app app, const peer_params *p, const uint32_t *cells, uint64_t plane_cells,
                         const uint32_t *want);

#ifdef __cplusplus
}
#endif
#endif
