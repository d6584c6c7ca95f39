/* SPDX-License-Identifier: MIT */
/* wave_protein_cells.c - see wave_protein_cells.h. */
#include "wave_protein_cells.h"

HEDDLE_FN int32_t protein_score(const int8_t *row, uint32_t letter)
{
    const int8_t *at = (const int8_t *)((uintptr_t)row | (letter & (PROTEIN_LETTERS - 1u)));
#if defined(__CUDA_ARCH__)
    return __ldg((const signed char *)at);
#else
    return *at;
#endif
}

HEDDLE_FN int32_t protein_larger(int32_t a, int32_t b) { return a > b ? a : b; }

HEDDLE_CELL(protein_sw, protein_gaps, gaps, const int8_t *, uint32_t, protein_cell, 8, HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    const int32_t both = protein_larger(heddle_add_max(in->nw.score, protein_score(in->x, in->y), in->n.below), 0);
    protein_cell cell;
    int32_t opens;
    cell.score = protein_larger(both, in->w.right);
    opens = (int32_t)((uint32_t)cell.score + (uint32_t)gaps->first);
    cell.below = heddle_add_max(in->n.below, gaps->further, opens);
    cell.right = heddle_add_max(in->w.right, gaps->further, opens);
    return cell;
}
HEDDLE_FINDS(protein_sw, protein_found)
HEDDLE_FIND(protein_sw, cell, i, j, found) { found->best = protein_larger(found->best, cell->score); }
HEDDLE_MERGE(protein_sw, a, b) { a->best = protein_larger(a->best, b->best); }

HEDDLE_WAVES(protein, protein_gaps, PROTEIN_WAVES)
