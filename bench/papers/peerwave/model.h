/* SPDX-License-Identifier: MIT */
/* model.h - what the thesis says of idle time and of the width of hyper-tiles (figures 6.1 and 6.3, section 6.4). */
#ifndef PEERWAVE_MODEL_H
#define PEERWAVE_MODEL_H

#include "geometry.h"

/* Of a run with barriers by n_workers: slots in which a worker has no tile, because the tiles of a diagonal are no multiple of the
 * workers (figure 6.3); the tiles go to *n_tiles. */
uint64_t model_idle_slots(const peer_tiling *t, uint32_t n_workers, uint64_t *n_tiles);

/* What the model is told: a diagonal of cells, and a hand-over, in any unit of time; blocks that take turns with the bands. */
typedef struct model_costs {
    double diagonal, hand_over;
    uint32_t n_blocks;
} model_costs;

/* Equation 6.3: a run with peers in hyper-tiles of t's height and this width. */
double model_time(const peer_tiling *t, const model_costs *c, double width);
/* Equation 6.4: the width for which that is least. With one block there is none: 0. */
double model_width(const peer_tiling *t, const model_costs *c);

#endif
