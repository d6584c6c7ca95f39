/* SPDX-License-Identifier: MIT */
/* dtw_bodies.c - one tile of dynamic time warping. Compiled as C or as CUDA. */
#define BORDER_CELL int32_t
#include "dtw_bodies.h"

TILE_FN int32_t dtw_min(int32_t a, int32_t b) { return a < b ? a : b; }

/* The lane's share of the cells of a diagonal. The loop in which the app spends its time: without a branch, so that a
 * lone lane's becomes vectors. */
TILE_FN void dtw_cells(const border_block *b, const border_span *s, border_share share, dtw_sums *f)
{
    const int32_t *x = b->x + s->first, *y = b->y + s->column, *up = s->up, *left = s->left, *both = s->both;
    int32_t *out = s->out, max = f->max, l;
    uint64_t sum = 0;
    for (l = share.lane; l < s->n; l += share.n_lanes) {
        int32_t difference = x[l] - y[l];
        int32_t cell = dtw_min(dtw_min(up[l], left[l]), both[l]) + (difference < 0 ? -difference : difference);
        out[l] = cell;
        sum += (uint32_t)cell;
        max = cell > max ? cell : max;
    }
    f->sum += sum;
    f->max = max;
}

TILE_FN dtw_sums dtw_diagonals(const heddle_lane *lane, const dtw_app *app, const border_tile *t, const border_block *b,
                               border_share share)
{
    dtw_sums f = {0, 0};
    int32_t k, n = b->h + b->w - 1;
    for (k = 0; k < n; k++) {
        border_span s = border_span_of(b, k);
        dtw_cells(b, &s, share, &f);
        if (app->grid.matrix)
            border_keep(&app->grid, t, b, &s, share);
        if (lane->index == 0)
            border_turn(b, k);
        heddle_barrier(lane);
    }
    if (lane->index == 0)
        border_turn(b, n);
    heddle_barrier(lane);
    return f;
}

HEDDLE_BODY(dtw_tile, dtw_app, app, border_tile, t)
{
    border_block b = border_block_of(lane, t, 0);
    dtw_sums *sums = (dtw_sums *)(void *)(app->grid.records + t->record);
    dtw_sums f;
    border_enter(lane, &app->grid, t, &b);
    heddle_barrier(lane);
    if (lane->count == 1)
        f = dtw_diagonals(lane, app, t, &b, border_share_alone());
    else
        f = dtw_diagonals(lane, app, t, &b, border_share_of(lane));
    border_leave(lane, &app->grid, t, &b);
    f.sum = (uint64_t)border_reduce(lane, (int64_t)f.sum, 0, HEDDLE_SUM);
    f.max = (int32_t)border_reduce(lane, f.max, 0, HEDDLE_MAX);
    if (lane->index == 0) {
        sums->sum += f.sum;
        sums->max = f.max > sums->max ? f.max : sums->max;
    }
}

HEDDLE_APP(dtw, dtw_app, DTW_BODIES)
