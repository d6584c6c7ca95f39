/* SPDX-License-Identifier: MIT */
/* wave_protein_cells.c - implements wave_protein_cells.h. Only scores are needed: with schedule wave alone, and without
 * code that keeps cells, the kernel has 142 registers instead of 202 (sm_90). */
#undef HEDDLE_WAVE_TILES
#undef HEDDLE_WAVE_TRACE
#define HEDDLE_WAVE_FOUND_ONLY
#include "wave_protein_cells.h"

HEDDLE_CELL(protein_sw, protein_gaps, gaps, const int8_t *, uint32_t, sw_affine, SW_AFFINE_BYTES,
            HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    return sw_affine_of(in->nw.h, in->n.f, in->w.e, sw_score_of(in->x, in->y), gaps->first, gaps->further);
}
HEDDLE_FINDS(protein_sw, sw_found_score)
HEDDLE_FIND(protein_sw, cell, i, j, found) { found->best = cell_max(found->best, cell->h); }
HEDDLE_MERGE(protein_sw, a, b) { a->best = cell_max(a->best, b->best); }

HEDDLE_WAVES(protein, protein_gaps, PROTEIN_WAVES)
