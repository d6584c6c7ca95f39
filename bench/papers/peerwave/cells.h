/* SPDX-License-Identifier: MIT */
/* cells.h - the cells of the thesis' applications, one body each, shared by waves (heddle/wave.h), tiles under every
 * schedule and the thesis' own kernels (peers.h). They find nothing and keep the whole field. Common C, C++ and CUDA. */
#ifndef PEERWAVE_CELLS_H
#define PEERWAVE_CELLS_H

#include "heddle/wave.h"

/* Places of a field's cells: bands of 2^shift rows one after the other; within a band diagonals one after the other,
 * with one cell per row (the thesis' hybrid layout, section 6.3.4). stride: diagonals from band to band. shift 0: row
 * by row. */
typedef struct peer_layout {
    uint64_t stride;
    uint32_t shift, pad;
} peer_layout;

HEDDLE_FN uint64_t peer_at(const peer_layout *l, uint32_t i, uint32_t j)
{
    const uint32_t lane = i & ((1u << l->shift) - 1u);
    return (((uint64_t)(i >> l->shift) * l->stride + j + lane) << l->shift) + lane;
}

typedef struct peer_params {
    int32_t match, mismatch, gap;
    float omega;
    const uint8_t *pixels; /* of sat and inthist, in this layout                                       */
    peer_layout layout;
    uint32_t rows, cols, n_bins, pad;
} peer_params;

/* Cells are also called for places outside the field. */
HEDDLE_FN uint32_t peer_pixel_at(const peer_params *p, uint32_t i, uint32_t j)
{
    return i < p->rows && j < p->cols ? p->pixels[peer_at(&p->layout, i, j)] : 0u;
}

/* Reproducible inputs: letters and series, pixels, temperatures. */
HEDDLE_FN uint32_t peer_noise(uint32_t i, uint32_t j)
{
    uint32_t h = i * 2654435761u ^ (j * 2246822519u + 374761393u);
    h = (h ^ (h >> 15)) * 2246822519u;
    return h ^ (h >> 13);
}
HEDDLE_FN uint8_t peer_pixel(uint32_t i, uint32_t j) { return (uint8_t)(peer_noise(i, j) >> 20); }
HEDDLE_FN float peer_start(uint32_t i, uint32_t j) { return (float)(peer_noise(i, j) >> 12) * 0.0009765625f; }

#define PEER_DTW_OUTSIDE (INT32_MAX - UINT16_MAX)

#define PEER_CELLS(X) X(peer_sw, 0) X(peer_dtw, 0) X(peer_sat, 0) X(peer_inthist, 0)
HEDDLE_ENUM(peer_cells, PEER_CELLS)
HEDDLE_DECLARE(peer_cells)

#define PEER_SWEEPS(X) X(peer_heat, 0) X(peer_sor, 0)
HEDDLE_ENUM(peer_sweeps, PEER_SWEEPS)
HEDDLE_DECLARE(peer_sweeps)

#endif
