/* SPDX-License-Identifier: MIT */
/* model.c - see model.h. */
#include "model.h"

#include <math.h>

uint64_t model_idle_slots(const peer_tiling *t, uint32_t n_workers, uint64_t *n_tiles)
{
    uint64_t n_idle = 0;
    *n_tiles = 0;
    for (uint32_t k = 0; k < peer_diagonals(t); k++) {
        uint32_t n;
        (void)peer_on_diagonal(t, k, &n);
        n *= t->n_planes;
        *n_tiles += n;
        n_idle += (n_workers - n % n_workers) % n_workers;
    }
    return n_idle;
}

/* Blocks in a row for one plane: bands of planes that lie over one another run together. */
static double blocks(const peer_tiling *t, const model_costs *c) { return (double)c->n_blocks / t->n_planes; }

double model_time(const peer_tiling *t, const model_costs *c, double width)
{
    const double tile = width * c->diagonal + c->hand_over, h = t->height, P = blocks(t, c);
    const double rounds = t->rows / h / P, blocked = ((t->cols + h) / width - P) * tile;
    const double turns = rounds > 1 && blocked > 0 ? blocked * (rounds - 1) : 0;
    return t->rows / h * (h / width + 1) * tile + turns + (t->cols / width - 1) * tile;
}

double model_width(const peer_tiling *t, const model_costs *c)
{
    const double H = t->rows, W = t->cols, h = t->height, P = blocks(t, c);
    const double above = c->hand_over * (H * W + H * h + H * h * P - h * h * P);
    return P > 1 && above > 0 ? sqrt(above / (c->diagonal * h * P * (P - 1))) : 0;
}
