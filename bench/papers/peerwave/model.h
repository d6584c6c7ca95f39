/* SPDX-License-Identifier: MIT */
/* model.h - the thesis' model of idle time and of the width of hyper-tiles (figures 6.1 and 6.3, section 6.4). */
#ifndef PEERWAVE_MODEL_H
#define PEERWAVE_MODEL_H

#include "geometry.h"

/* Slots without a tile in a run with barriers by n_workers, because the number of tiles on a diagonal is no multiple of
 * the workers (figure 6.3). *n_tiles: the number of tiles. */
uint64_t model_idle_slots(const peer_tiling *t, uint32_t n_workers, uint64_t *n_tiles);

/* Input of the model: times of a diagonal of cells and of a hand-over, in any unit; blocks that share the bands. */
typedef struct model_costs {
    double diagonal, hand_over;
    uint32_t n_blocks;
} model_costs;

/* Equation 6.3, by heddle_wave_model_ns: time of a run with peers in hyper-tiles of t's height and this width. */
double model_time(const peer_tiling *t, const model_costs *c, double width);
/* Equation 6.4: the width with the least time. */
double model_width(const peer_tiling *t, const model_costs *c);

#endif
