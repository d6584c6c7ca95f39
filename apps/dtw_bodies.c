/* SPDX-License-Identifier: MIT */
/* dtw_bodies.c - one tile of dynamic time warping. Compiled as C or as CUDA. */
#define BORDER_CELL int32_t
#include "dtw_bodies.h"
#include "border_strip.h"

TILE_FN int32_t dtw_min(int32_t a, int32_t b) { return a < b ? a : b; }

/* The lane's share of a diagonal: the loop where the app spends its time. It has no branch, so a lone lane's loop is
 * vectorized. */
TILE_FN void dtw_cells(const border_block *b, const border_span *s, border_share share, dtw_sums *f)
{
    const int32_t *x = b->x + s->first, *y = b->y + s->column, *up = s->up, *left = s->left, *both = s->both;
    int32_t *out = s->out, max = f->max, l;
    uint64_t sum = 0;
    for (l = share.thread; l < s->n; l += share.team_size) {
        int32_t difference = x[l] - y[l];
        int32_t cell = dtw_min(dtw_min(up[l], left[l]), both[l]) + (difference < 0 ? -difference : difference);
        out[l] = cell;
        sum += (uint32_t)cell;
        max = cell > max ? cell : max;
    }
    f->sum += sum;
    f->max = max;
}

TILE_FN dtw_sums dtw_diagonals(const heddle_thread *thread, const dtw_params *params, const border_tile *t,
                               const border_block *b, border_share share)
{
    dtw_sums f = {0, 0};
    int32_t k, n = b->h + b->w - 1;
    for (k = 0; k < n; k++) {
        border_span s = border_span_of(b, k);
        dtw_cells(b, &s, share, &f);
        if (params->grid.matrix)
            border_keep(&params->grid, t, b, &s, share);
        if (thread->index == 0)
            border_turn(b, k);
        heddle_team_barrier(thread);
    }
    if (thread->index == 0)
        border_turn(b, n);
    heddle_team_barrier(thread);
    return f;
}

HEDDLE_FN void dtw_portable(const heddle_thread *thread, const dtw_params *params, const border_tile *t)
{
    border_block b = border_block_of(thread, t, 0);
    dtw_sums *sums = (dtw_sums *)(void *)(params->grid.records + t->record);
    dtw_sums f;
    border_enter(thread, &params->grid, t, &b);
    heddle_team_barrier(thread);
    if (thread->team_size == 1)
        f = dtw_diagonals(thread, params, t, &b, border_share_alone());
    else
        f = dtw_diagonals(thread, params, t, &b, border_share_of(thread));
    border_leave(thread, &params->grid, t, &b);
    f.sum = (uint64_t)border_reduce(thread, (int64_t)f.sum, 0, HEDDLE_SUM);
    f.max = (int32_t)border_reduce(thread, f.max, 0, HEDDLE_MAX);
    if (thread->index == 0)
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

/* A row of a strip: the loop where the app spends its time on a GPU. The chain from cell to cell is one instruction. */
TILE_FN void dtw_cells_of_strip(dtw_sums *f, strip *s, int k, int ragged, int sums, uint32_t word, int32_t left)
{
    const int32_t x = (int16_t)(word & 0xffffu);
    int32_t both = s->both;
    WARP_UNROLL
    for (int c = 0; c < k; c++) {
        int32_t cell = dtw_cell_of(s->cell[c], left, both, x, s->y[c]);
        cell = ragged && c >= s->n ? left : cell;
        both = s->cell[c];
        s->cell[c] = left = cell;
        if (sums) {
            f->sum += ragged && c >= s->n ? 0u : (uint32_t)cell;
            f->max = cell_max(f->max, cell);
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

/* Combines the results of all lanes on lane 0. */
TILE_FN dtw_sums dtw_all_found(const heddle_thread *thread, warp *w, dtw_sums f)
{
    for (uint32_t by = TILE_WARP / 2; by; by /= 2) {
        dtw_sums other;
        other.sum = warp_behind_u64(w, f.sum, by);
        other.max = (int32_t)warp_behind(w, (uint32_t)f.max, by);
        dtw_add(&f, &other);
    }
    if (w->at == 0)
        *(dtw_sums *)strip_found(thread, w->id) = f;
    heddle_team_barrier(thread);
    for (uint32_t v = 1; thread->index == 0 && v < w->n; v++)
        dtw_add(&f, (const dtw_sums *)strip_found(thread, v));
    return f;
}
HEDDLE_STATIC_ASSERT(sizeof(dtw_sums) <= STRIP_FOUND_BYTES, "what a warp has found fits its place");

TILE_FN void dtw_tuned(const heddle_thread *thread, const dtw_params *params, const border_tile *t)
{
    strip s = strip_of(thread, &params->grid, t);
    dtw_sums f = {0, 0};
    if (!params->grid.sums) {
        strip_tile(thread, &s, dtw_row, dtw_columns, dtw_cells_only, &f);
        return;
    }
    strip_tile(thread, &s, dtw_row, dtw_columns, dtw_cells_and_sums, &f);
    f = dtw_all_found(thread, &s.warp, f);
    if (thread->index == 0)
        dtw_add((dtw_sums *)(void *)(params->grid.records + t->record), &f);
}

HEDDLE_BODY(dtw_tile, dtw_params, params, border_tile, t)
{
    if (params->grid.tuned && warp_fits(thread, STRIP_MAX_WARPS))
        dtw_tuned(thread, params, t);
    else
        dtw_portable(thread, params, t);
}

HEDDLE_TABLE(dtw, dtw_params, DTW_BODIES)
