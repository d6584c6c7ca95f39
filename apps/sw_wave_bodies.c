/* SPDX-License-Identifier: MIT */
/* sw_wave_bodies.c - cells of Smith-Waterman. Compiled as C or as CUDA. */
#include "sw_wave_bodies.h"

TILE_FN int32_t sw_score(const sw_scores *s, int32_t up, int32_t left, int32_t both, int32_t x, int32_t y)
{
    return sw_cell_of(up, left, cell_add(both, heddle_if_equal((uint32_t)x, (uint32_t)y, s->match, s->mismatch)),
                      s->gap);
}

/* The next cell of a row. Scores are never below 0, so that in a row's first column nothing found is the same as 0. */
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

/* What two letters score, from a table of bytes. A row has the address of its letter's scores, a column its letter. Rows of the
 * table begin at multiples of 32 bytes, so the address of a score takes one operation. The table is a few lines of the L1
 * cache. The load waits for letters only, so it goes on while cells wait for one another.
 *
 * The other way is to pack the scores of a letter into the 16 bytes that a row may have, and to load nothing. That gives 24
 * letters five bits each, too few for some matrices, and takes some six operations more for each cell.
 *
 * Columns outside of the field have any letter: the mask keeps the address in the table. */
TILE_FN int32_t sw_score_of(const int8_t *row, uint32_t letter)
{
    const int8_t *at = (const int8_t *)((uintptr_t)row | (letter & (SW_LETTERS - 1u)));
#if defined(__CUDA_ARCH__)
    return __ldg((const signed char *)at);
#else
    return *at;
#endif
}

/* Zeros beside the field are right for E and F, too: with gaps that score 0 or less they stay so, and H is not below 0. */
HEDDLE_CELL(sw_cell_affine, sw_scores, scores, const int8_t *, uint32_t, sw_affine, 8, HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    const int32_t both = cell_add_max_0(in->nw.h, sw_score_of(in->x, in->y), in->n.f);
    sw_affine cell;
    int32_t opens;
    cell.h = cell_max(both, in->w.e);
    opens = cell_add(cell.h, scores->gap);
    cell.f = heddle_add_max(in->n.f, scores->extend, opens);
    cell.e = heddle_add_max(in->w.e, scores->extend, opens);
    return cell;
}
HEDDLE_FINDS(sw_cell_affine, sw_found_score)
HEDDLE_FIND(sw_cell_affine, cell, i, j, found) { found->best = cell_max(found->best, cell->h); }
HEDDLE_MERGE(sw_cell_affine, a, b) { a->best = cell_max(a->best, b->best); }

HEDDLE_WAVES(sw_wave, sw_scores, SW_WAVES)
