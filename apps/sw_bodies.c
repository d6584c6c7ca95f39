/* SPDX-License-Identifier: MIT */
/* sw_bodies.c - one tile of Smith-Waterman. Compiled as C or as CUDA. */
#define BORDER_CELL int16_t
#include "sw_bodies.h"
#include "border_strip.h"

/* A lane's results in the tile so far. */
typedef struct sw_found {
    uint64_t sum, weighted;
    int64_t n_best, first; /* first: row * w + column within the tile                                      */
    int32_t best;
} sw_found;

/* A cell's weight is the row's part plus the column's, less SW_WEIGHTS if the sum exceeds SW_WEIGHTS. Padding has parts
 * so far below 0 that no sum with them is above 0. */
HEDDLE_FN void sw_weights(const heddle_thread *thread, const border_tile *t, const border_block *b)
{
    HEDDLE_EACH (i, b->h)
        b->row_more[i] = (int16_t)(sw_row_weight(t->i + (uint64_t)i) % SW_WEIGHTS + 1u);
    HEDDLE_EACH (j, b->w)
        b->col_more[b->w - 1 - j] = (int16_t)(sw_column_weight(t->j + (uint64_t)j) % SW_WEIGHTS);
    HEDDLE_EACH (p, BORDER_PAD)
        b->row_more[b->h + p] = b->col_more[b->w + p] = INT16_MIN / 2;
}

TILE_FN int16_t sw_max(int16_t a, int16_t b) { return a > b ? a : b; }

/* The lane's share of a diagonal; returns the largest cell, less the base. The app spends its time in this loop:
 * branch-free and in 16 bits, so a lone lane's is vectorized. `counts` is 1, in padding 0, and multiplies: compilers
 * have one instruction for the sum of products of 16-bit numbers. */
TILE_FN int32_t sw_cells(const sw_params *params, const border_block *b, const border_span *s, border_share share,
                         sw_found *f)
{
    const int16_t *x = b->x + s->first, *y = b->y + s->column, *up = s->up, *left = s->left, *both = s->both;
    const int16_t *row_weight = b->row_more + s->first, *col_weight = b->col_more + s->column;
    const int16_t match = (int16_t)params->scores.match, mismatch = (int16_t)params->scores.mismatch,
                  gap = (int16_t)params->scores.gap;
    const int16_t zero = (int16_t)(b->base < INT16_MAX ? -b->base : -INT16_MAX);
    const int32_t n = border_end(share, s->n);
    int16_t *out = s->out;
    int16_t best = -INT16_MAX;
    int32_t l, sum = 0, weighted = 0, weights = 0;
    for (l = share.thread; l < n; l += share.team_size) {
        int16_t from_both = (int16_t)(both[l] + (x[l] == y[l] ? match : mismatch));
        int16_t from_one = (int16_t)(sw_max(up[l], left[l]) + gap);
        int16_t cell = sw_max(sw_max(from_both, from_one), zero);
        int16_t weight = sw_max((int16_t)(row_weight[l] + col_weight[l]), 0);
        int16_t counts = weight < 1 ? weight : 1;
        weight = (int16_t)(weight - (weight > (int16_t)SW_WEIGHTS ? (int16_t)SW_WEIGHTS : 0));
        out[l] = cell;
        cell = (int16_t)(cell * counts);
        sum += cell * counts;
        weighted += cell * weight;
        weights += weight * counts;
        best = sw_max(best, cell);
    }
    f->sum += (uint64_t)(int64_t)sum;
    f->weighted += (uint64_t)((int64_t)weighted + (int64_t)b->base * weights);
    return best;
}

/* Finds the best cells of a diagonal, if it has one as good as the best so far, which is rare. */
HEDDLE_FN void sw_look(const border_block *b, const border_span *s, border_share share, sw_found *f)
{
    int32_t l;
    for (l = share.thread; l < s->n; l += share.team_size) {
        int32_t cell = b->base + s->out[l];
        int64_t i = s->first + l, at = i * b->w + (s->k - i);
        if (cell < f->best)
            continue;
        if (cell > f->best)
            f->n_best = 0;
        f->best = cell;
        f->first = f->n_best == 0 || at < f->first ? at : f->first;
        f->n_best++;
    }
}

TILE_FN void sw_diagonals(const heddle_thread *thread, const sw_params *params, const border_tile *t,
                          const border_block *b, border_share share, sw_found *f)
{
    int32_t k, n = b->h + b->w - 1;
    for (k = 0; k < n; k++) {
        border_span s = border_span_of(b, k);
        if (sw_cells(params, b, &s, share, f) + b->base >= f->best)
            sw_look(b, &s, share, f);
        if (params->grid.matrix)
            border_keep(&params->grid, t, b, &s, share);
        if (thread->index == 0)
            border_turn(b, k);
        heddle_team_barrier(thread);
    }
    if (thread->index == 0)
        border_turn(b, n);
    heddle_team_barrier(thread);
}

/* One lane: adds the tile's results to the record of its row of tiles. */
HEDDLE_FN void sw_add(sw_sums *sums, const border_tile *t, const sw_found *f)
{
    uint64_t i = t->i + (uint64_t)f->first / t->w, j = t->j + (uint64_t)f->first % t->w;
    sums->sum += f->sum;
    sums->weighted += f->weighted;
    if (f->n_best == 0)
        return;
    if (f->best > sums->best)
        sums->n_best = 0;
    if (sums->n_best == 0 || i < sums->end_i || (i == sums->end_i && j < sums->end_j)) {
        sums->end_i = i;
        sums->end_j = j;
    }
    sums->best = f->best;
    sums->n_best += (uint64_t)f->n_best;
}

HEDDLE_FN void sw_portable(const heddle_thread *thread, const sw_params *params, const border_tile *t)
{
    border_block b = border_block_of(thread, t, border_cells(&params->grid, t)[0]);
    sw_sums *sums = (sw_sums *)(void *)(params->grid.records + t->record);
    sw_found f = {0, 0, 0, 0, 0}, all;
    f.best = sums->best; /* lesser cells do not matter */
    border_enter(thread, &params->grid, t, &b);
    sw_weights(thread, t, &b);
    heddle_team_barrier(thread);
    if (thread->team_size == 1)
        sw_diagonals(thread, params, t, &b, border_share_alone(), &f);
    else
        sw_diagonals(thread, params, t, &b, border_share_of(thread), &f);
    border_leave(thread, &params->grid, t, &b);
    all.best = (int32_t)border_reduce(thread, f.best, 0, HEDDLE_MAX);
    if (f.best < all.best)
        f.n_best = 0;
    all.n_best = border_reduce(thread, f.n_best, 0, HEDDLE_SUM);
    all.first = border_reduce(thread, f.n_best ? f.first : INT64_MAX, INT64_MAX, HEDDLE_MIN);
    all.sum = (uint64_t)border_reduce(thread, (int64_t)f.sum, 0, HEDDLE_SUM);
    all.sum += (uint64_t)b.base * t->h * t->w;
    all.weighted = (uint64_t)border_reduce(thread, (int64_t)f.weighted, 0, HEDDLE_SUM);
    if (thread->index == 0)
        sw_add(sums, t, &all);
}

/* ---- tuned ---- */

/* A lane's results (first: INT64_MAX when n_best is 0), and the weights of its columns, less 1. */
typedef struct sw_strip {
    int32_t match, mismatch, gap;
    sw_found f;
    uint32_t weight[STRIP_MAX];
} sw_strip;

TILE_FN uint32_t sw_row(void *self, const strip *s, uint32_t r)
{
    (void)self;
    return sw_row_weight(s->t->i + r) % SW_WEIGHTS;
}

TILE_FN void sw_columns(void *self, const strip *s, int k)
{
    sw_strip *l = (sw_strip *)self;
    WARP_UNROLL
    for (int c = 0; c < k; c++)
        l->weight[c] = sw_column_weight(s->t->j + (uint64_t)(s->first + c)) % SW_WEIGHTS;
}

/* Finds the best cells of row r. */
TILE_FN void sw_look_strip(sw_found *f, const strip *s, int k, int32_t r)
{
    WARP_UNROLL
    for (int c = 0; c < k; c++) {
        int64_t at = (int64_t)r * s->w + s->first + c;
        if (c >= s->n || s->cell[c] < f->best)
            continue;
        if (s->cell[c] > f->best) {
            f->n_best = 0;
            f->first = INT64_MAX;
        }
        f->best = s->cell[c];
        f->first = at < f->first ? at : f->first;
        f->n_best++;
    }
}

/* Row r of a strip: the loop where the app spends its time on a GPU. The chain from cell to cell is one instruction.
 * SW_MAX_STRIP keeps the sum of a row within 32 bits. */
TILE_FN void sw_row_of_strip(sw_strip *l, strip *s, int k, int ragged, int sums, uint32_t word, int32_t left)
{
    const int32_t x = (int16_t)(word & 0xffffu), gap = l->gap, match = l->match, other = l->mismatch;
    const uint32_t row_weight = word >> 16;
    int32_t both = s->both;
    uint32_t sum = 0;
    WARP_UNROLL
    for (int c = 0; c < k; c++) {
        int32_t from_both = both + (x == s->y[c] ? match : other);
        int32_t cell = sw_cell_of(s->cell[c], left, from_both, gap);
        cell = ragged && c >= s->n ? left : cell;
        both = s->cell[c];
        s->cell[c] = left = cell;
        if (sums) {
            uint32_t weight = row_weight + l->weight[c], less = weight - SW_WEIGHTS;
            uint32_t counts = ragged && c >= s->n ? 0u : (uint32_t)cell;
            l->f.weighted += (uint64_t)counts * (less < weight ? less : weight);
            sum += counts;
        }
    }
    l->f.sum += sum;
    s->right = left;
}

TILE_FN void sw_cells_of_strip(void *self, strip *s, int k, int ragged, int sums, uint32_t word, int32_t left,
                               int32_t r)
{
    sw_strip *l = (sw_strip *)self;
    int32_t best = 0;
    sw_row_of_strip(l, s, k, ragged, sums, word, left);
    WARP_UNROLL
    for (int c = 0; c < k; c++)
        best = cell_max(best, s->cell[c]);
    if (best >= l->f.best)
        sw_look_strip(&l->f, s, k, r);
}

TILE_FN void sw_cells_and_sums(void *self, strip *s, int k, int ragged, uint32_t word, int32_t left, int32_t r)
{
    sw_cells_of_strip(self, s, k, ragged, 1, word, left, r);
}
TILE_FN void sw_cells_only(void *self, strip *s, int k, int ragged, uint32_t word, int32_t left, int32_t r)
{
    sw_cells_of_strip(self, s, k, ragged, 0, word, left, r);
}

TILE_FN sw_found sw_both(const sw_found *a, const sw_found *b)
{
    sw_found all = a->best < b->best ? *b : *a;
    if (a->best == b->best) {
        all.n_best += b->n_best;
        all.first = b->first < all.first ? b->first : all.first;
    }
    all.sum = a->sum + b->sum;
    all.weighted = a->weighted + b->weighted;
    return all;
}

/* Combines the results of all lanes on lane 0. */
TILE_FN sw_found sw_all_found(const heddle_thread *thread, warp *w, sw_found f)
{
    for (uint32_t by = TILE_WARP / 2; by; by /= 2) {
        sw_found other;
        other.sum = warp_behind_u64(w, f.sum, by);
        other.weighted = warp_behind_u64(w, f.weighted, by);
        other.n_best = (int64_t)warp_behind_u64(w, (uint64_t)f.n_best, by);
        other.first = (int64_t)warp_behind_u64(w, (uint64_t)f.first, by);
        other.best = (int32_t)warp_behind(w, (uint32_t)f.best, by);
        f = sw_both(&f, &other);
    }
    if (w->at == 0)
        *(sw_found *)strip_found(thread, w->id) = f;
    heddle_team_barrier(thread);
    for (uint32_t v = 1; thread->index == 0 && v < w->n; v++)
        f = sw_both(&f, (const sw_found *)strip_found(thread, v));
    return f;
}
HEDDLE_STATIC_ASSERT(sizeof(sw_found) <= STRIP_FOUND_BYTES, "what a warp has found fits its place");

TILE_FN void sw_tuned(const heddle_thread *thread, const sw_params *params, const border_tile *t)
{
    sw_sums *sums = (sw_sums *)(void *)(params->grid.records + t->record);
    strip s = strip_of(thread, &params->grid, t);
    sw_strip l = {params->scores.match, params->scores.mismatch, params->scores.gap, {0, 0, 0, INT64_MAX, 0}, {0}};
    l.f.best = sums->best;
    if (params->grid.sums)
        strip_tile(thread, &s, sw_row, sw_columns, sw_cells_and_sums, &l);
    else
        strip_tile(thread, &s, sw_row, sw_columns, sw_cells_only, &l);
    l.f.weighted += l.f.sum;
    l.f = sw_all_found(thread, &s.warp, l.f);
    if (thread->index == 0)
        sw_add(sums, t, &l.f);
}

HEDDLE_BODY(sw_tile, sw_params, params, border_tile, t)
{
    if (params->grid.tuned && warp_fits(thread, STRIP_MAX_WARPS))
        sw_tuned(thread, params, t);
    else
        sw_portable(thread, params, t);
}

HEDDLE_TABLE(sw, sw_params, SW_BODIES)
