/* SPDX-License-Identifier: MIT */
/* dtw_bodies.c - one tile of dynamic time warping. Compiled as C or as CUDA. */
#define BORDER_CELL int32_t
#include "dtw_bodies.h"
#include "border_strip.h"

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

HEDDLE_FN void dtw_add(dtw_sums *sums, const dtw_sums *more)
{
    sums->sum += more->sum;
    sums->max = more->max > sums->max ? more->max : sums->max;
}

HEDDLE_FN void dtw_portable(const heddle_lane *lane, const dtw_app *app, const border_tile *t)
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
    if (lane->index == 0)
        dtw_add(sums, &f);
}

/* ---- tuned ---- */

TILE_FN uint32_t dtw_row(void *self, const strip *s, uint32_t r)
{
    (void)self;
    (void)s;
    (void)r;
    return 0;
}

TILE_FN void dtw_columns(void *self, const strip *s, int k)
{
    (void)self;
    (void)s;
    (void)k;
}

/* A row of a strip: the loop in which the app spends its time on a GPU. From one cell to the next there is one
 * instruction to wait for. */
TILE_FN void dtw_cells_of_strip(dtw_sums *f, strip *s, int k, int ragged, int sums, uint32_t word, int32_t left)
{
    const int32_t x = (int16_t)(word & 0xffffu);
    int32_t both = s->both;
    WARP_UNROLL
    for (int c = 0; c < k; c++) {
        int32_t difference = x - s->y[c], cost = difference < 0 ? -difference : difference;
        int32_t cell = strip_add_min(left, cost, strip_min(both, s->cell[c]) + cost);
        cell = ragged && c >= s->n ? left : cell;
        both = s->cell[c];
        s->cell[c] = left = cell;
        if (sums) {
            f->sum += ragged && c >= s->n ? 0u : (uint32_t)cell;
            f->max = strip_max(f->max, cell);
        }
    }
    s->right = left;
}

TILE_FN void dtw_cells_and_sums(void *self, strip *s, int k, int ragged, uint32_t word, int32_t left, int32_t r)
{
    (void)r;
    dtw_cells_of_strip((dtw_sums *)self, s, k, ragged, 1, word, left);
}
TILE_FN void dtw_cells_only(void *self, strip *s, int k, int ragged, uint32_t word, int32_t left, int32_t r)
{
    (void)r;
    dtw_cells_of_strip((dtw_sums *)self, s, k, ragged, 0, word, left);
}

/* What all lanes have found, on lane 0. */
TILE_FN dtw_sums dtw_all_found(const heddle_lane *lane, warp *w, dtw_sums f)
{
    for (uint32_t by = TILE_WARP / 2; by; by /= 2) {
        dtw_sums other;
        other.sum = warp_behind_u64(w, f.sum, by);
        other.max = (int32_t)warp_behind(w, (uint32_t)f.max, by);
        dtw_add(&f, &other);
    }
    if (w->at == 0)
        *(dtw_sums *)strip_found(lane, w->id) = f;
    heddle_barrier(lane);
    for (uint32_t v = 1; lane->index == 0 && v < w->n; v++)
        dtw_add(&f, (const dtw_sums *)strip_found(lane, v));
    return f;
}
HEDDLE_STATIC_ASSERT(sizeof(dtw_sums) <= STRIP_FOUND_BYTES, "what a warp has found fits its place");

TILE_FN void dtw_tuned(const heddle_lane *lane, const dtw_app *app, const border_tile *t)
{
    strip s = strip_of(lane, &app->grid, t);
    dtw_sums f = {0, 0};
    if (!app->grid.sums) {
        strip_tile(lane, &s, dtw_row, dtw_columns, dtw_cells_only, &f);
        return;
    }
    strip_tile(lane, &s, dtw_row, dtw_columns, dtw_cells_and_sums, &f);
    f = dtw_all_found(lane, &s.warp, f);
    if (lane->index == 0)
        dtw_add((dtw_sums *)(void *)(app->grid.records + t->record), &f);
}

HEDDLE_BODY(dtw_tile, dtw_app, app, border_tile, t)
{
    if (app->grid.tuned && warp_fits(lane, STRIP_MAX_WARPS))
        dtw_tuned(lane, app, t);
    else
        dtw_portable(lane, app, t);
}

HEDDLE_APP(dtw, dtw_app, DTW_BODIES)
