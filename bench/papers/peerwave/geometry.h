/* SPDX-License-Identifier: MIT */
/* geometry.h - tiles of the thesis: which exist, which wait for which, and how many may run at once. Square tiles are
 * plain. Hyper-tiles are skewed, so that each of their diagonals has as many cells as the tile is high (thesis,
 * sections 6.2.4 and 6.3.3). A band is a row of tiles. Common C, C++ and CUDA. */
#ifndef PEERWAVE_GEOMETRY_H
#define PEERWAVE_GEOMETRY_H

#include "heddle/task.h"

typedef struct peer_tiling {
    uint32_t rows, cols, n_planes; /* of a field; number of fields */
    uint32_t height, width;        /* of a tile                                                        */
    uint32_t is_square;
} peer_tiling;

HEDDLE_FN uint32_t peer_bands(const peer_tiling *t) { return (t->rows - 1u) / t->height + 1u; }

/* Tiles of a band. Hyper-tiles consist of the band's diagonals: height - 1 more than there are columns. */
HEDDLE_FN uint32_t peer_tiles(const peer_tiling *t)
{
    return (t->cols - 1u + (t->is_square ? 0u : t->height - 1u)) / t->width + 1u;
}

/* Tiles of a band that wait for the band above: their first row lies in the field. */
HEDDLE_FN uint32_t peer_waiting(const peer_tiling *t) { return (t->cols - 1u) / t->width + 1u; }

/* The tile of the band above that tile j waits for: it contains the lowest cell above j's last column. */
HEDDLE_FN uint32_t peer_need(const peer_tiling *t, uint32_t j)
{
    const uint64_t end = ((uint64_t)j + 1u) * t->width;
    const uint32_t last = (uint32_t)(end < t->cols ? end : t->cols) - 1u;
    return (last + (t->is_square ? 0u : t->height - 1u)) / t->width;
}

/* The least distance in tiles between a band and the one above. */
HEDDLE_FN uint32_t peer_behind(const peer_tiling *t)
{
    return 1u + (t->is_square ? 0u : (t->width + t->height - 2u) / t->width);
}

/* Diagonals of tiles: tile j of band b is on diagonal j + b * peer_behind. */
HEDDLE_FN uint32_t peer_diagonals(const peer_tiling *t)
{
    return peer_tiles(t) + (peer_bands(t) - 1u) * peer_behind(t);
}

/* The first band with a tile on diagonal k; *n: the number of bands with one. */
HEDDLE_FN uint32_t peer_on_diagonal(const peer_tiling *t, uint32_t k, uint32_t *n)
{
    const uint32_t behind = peer_behind(t), n_tiles = peer_tiles(t), last = k / behind;
    const uint32_t first = k < n_tiles ? 0u : (k - n_tiles) / behind + 1u;
    const uint32_t end = last < peer_bands(t) ? last + 1u : peer_bands(t);
    *n = end > first ? end - first : 0u;
    return first;
}

#endif
