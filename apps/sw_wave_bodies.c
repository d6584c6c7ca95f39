/* SPDX-License-Identifier: MIT */
/* sw_wave_bodies.c - cells of Smith-Waterman. Compiled as C or as CUDA. */
#include "sw_wave_bodies.h"

/* Joins the cell above last, as if it were the left one: cells pass from row to row more often than from column to column. */
TILE_FN int32_t sw_score(const sw_scores *s, int32_t up, int32_t left, int32_t both, int32_t x, int32_t y)
{
    return sw_cell_of(left, up, cell_add(both, heddle_if_equal((uint32_t)x, (uint32_t)y, s->match, s->mismatch)),
                      s->gap);
}

/* The next cell of a row. Scores are never below 0, so in a row's first column "nothing found" equals 0. */
TILE_FN void sw_find(sw_found_best *f, int32_t cell, uint32_t i, uint32_t j)
{
    const int is_better = cell > f->best;
    f->n[0] = is_better ? 1u : f->n[0] + (cell == f->best); /* a row has less than 2^32 */
    f->best = is_better ? cell : f->best;
    f->j = is_better ? j : f->j;
    f->i = i;
}

TILE_FN void sw_merge(sw_found_best *a, const sw_found_best *b)
{
    const int has_a = cell_sum_of(a->n) != 0, has_b = cell_sum_of(b->n) != 0;
    if (!has_b || (has_a && a->best > b->best))
        return;
    if (!has_a || b->best > a->best) {
        *a = *b;
        return;
    }
    cell_sum(a->n, cell_sum_of(b->n));
    if (b->i < a->i || (b->i == a->i && b->j < a->j)) {
        a->i = b->i;
        a->j = b->j;
    }
}

HEDDLE_CELL(sw_cell, sw_scores, scores, int32_t, int32_t, int32_t, 4, HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    return sw_score(scores, in->n, in->w, in->nw, in->x, in->y);
}
HEDDLE_FINDS(sw_cell, sw_found_best)
HEDDLE_FIND(sw_cell, cell, i, j, found) { sw_find(found, *cell, i, j); }
HEDDLE_MERGE(sw_cell, a, b) { sw_merge(a, b); }

HEDDLE_CELL(sw_cell_sums, sw_scores, scores, int32_t, int32_t, int32_t, 4, HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    return sw_score(scores, in->n, in->w, in->nw, in->x, in->y);
}
HEDDLE_FINDS(sw_cell_sums, sw_found_sums)
HEDDLE_FIND(sw_cell_sums, cell, i, j, found)
{
    const uint32_t weight = (sw_row_weight(i) + sw_column_weight(j)) % SW_WEIGHTS + 1u;
    sw_find(&found->best, *cell, i, j);
    cell_sum(found->sum, (uint32_t)*cell);
    cell_sum(found->weighted, (uint64_t)(uint32_t)*cell * weight);
}
HEDDLE_MERGE(sw_cell_sums, a, b)
{
    sw_merge(&a->best, &b->best);
    cell_sum(a->sum, cell_sum_of(b->sum));
    cell_sum(a->weighted, cell_sum_of(b->weighted));
}

HEDDLE_CELL(sw_cell_affine, sw_scores, scores, const int8_t *, uint32_t, sw_affine, SW_AFFINE_BYTES,
            HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    return sw_affine_of(in->nw.h, in->n.f, in->w.e, sw_score_of(in->x, in->y), scores->gap, scores->extend);
}
HEDDLE_FINDS(sw_cell_affine, sw_found_score)
HEDDLE_FIND(sw_cell_affine, cell, i, j, found) { found->best = cell_max(found->best, cell->h); }
HEDDLE_MERGE(sw_cell_affine, a, b) { a->best = cell_max(a->best, b->best); }

HEDDLE_WAVES(sw_wave, sw_scores, SW_WAVES)
