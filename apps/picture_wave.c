/* SPDX-License-Identifier: MIT */
/* picture_wave.c - the waves of picture.h: the same tables by a body of a tile, each plane an item. */
#include "picture.h"
#include "prefix_wave.h"
#include "sat_wave_bodies.h"

#include <stdio.h>
#include <stdlib.h>

/* How the context's workers cross bands: rows and columns of a tile, and the warps that compute it in registers. */
static void choose(const picture *p, heddle_wave_desc *d)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    uint32_t n_warps;
    d->band_rows = PREFIX_WAVE_THREAD_ROWS;
    d->tile_cols = PREFIX_WAVE_THREAD_COLS;
    if (!p->record.tuned || heddle_ctx_get_config(p->c.ctx, &config) != HEDDLE_OK)
        return;
    n_warps = config.team_size ? config.team_size / TILE_WARP
                               : prefix_team_warps(p->record.n_planes, p->c.app->cells == &sat_wave && !config.n_trace);
    if (config.team_size % TILE_WARP || n_warps > PREFIX_WAVE_WARPS)
        return;
    d->band_rows = PREFIX_WAVE_ROWS * n_warps;
    d->tile_cols = PREFIX_COLS;
    d->n_warps = n_warps;
}

static int new_wave(picture *p)
{
    const uint32_t n = p->record.n_planes;
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    heddle_wave_item *items = calloc(n, sizeof *items);
    heddle_status s;
    if (!items) {
        snprintf(p->c.error, APP_ERROR, "out of memory for %u planes", n);
        return -1;
    }
    for (uint32_t i = 0; i < n; i++) {
        items[i].rows = p->c.n[0];
        items[i].cols = p->c.n[1];
    }
    choose(p, &d);
    d.items = items;
    d.n_items = n;
    s = heddle_wave_new(p->c.ctx, p->c.app->cells, &d, &p->c.graph);
    free(items);
    return s == HEDDLE_OK ? 0 : app_heddle_error(&p->c, "making the wave");
}

int picture_wave_build(app_case *c, heddle_ctx *ctx)
{
    picture *p = (picture *)c;
    c->b[0] = c->b[1] = 0;
    return picture_begin(p, ctx) || new_wave(p) ? -1 : 0;
}
