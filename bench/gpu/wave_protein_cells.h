/* SPDX-License-Identifier: MIT */
/* wave_protein_cells.h - the cell that wave.c measures on proteins: Smith-Waterman with affine gaps and a score matrix
 * (apps/sw_affine.h). A table of its own, because a kernel gets the registers of its greediest cell. */
#ifndef BENCH_WAVE_PROTEIN_CELLS_H
#define BENCH_WAVE_PROTEIN_CELLS_H

#ifndef HEDDLE_WAVE_SHAPES
#define HEDDLE_WAVE_SHAPES(X, name) X(name, 0, 4, 2) X(name, 1, 8, 2)
#endif
#include "sw_affine.h"

#include "heddle/wave.h"

typedef struct protein_gaps {
    int32_t first, further;
} protein_gaps;

#define PROTEIN_WAVES(X) X(protein_sw, 0)
HEDDLE_ENUM(protein, PROTEIN_WAVES)
HEDDLE_DECLARE(protein)

#endif
