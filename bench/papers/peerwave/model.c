/* SPDX-License-Identifier: MIT */
/* model.c - implements model.h. */
#include "model.h"

#include "heddle/wave.h"

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

/* The planes' bands at the same place run together, so each plane has its share of the blocks. */
static heddle_wave_model model_of(const peer_tiling *t, const model_costs *c)
{
    const heddle_wave_model m = {peer_bands(t), t->cols,     t->height, (double)c->n_blocks / t->n_planes,
                                 c->diagonal,   c->hand_over};
    return m;
}

double model_time(const peer_tiling *t, const model_costs *c, double width)
{
    const heddle_wave_model m = model_of(t, c);
    return heddle_wave_model_ns(&m, width);
}

double model_width(const peer_tiling *t, const model_costs *c)
{
    const heddle_wave_model m = model_of(t, c);
    return heddle_wave_model_width(&m);
}
