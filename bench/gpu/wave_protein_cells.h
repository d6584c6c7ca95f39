/* SPDX-License-Identifier: MIT */
/* wave_protein_cells.h - the cell that wave.c measures on proteins: Smith-Waterman with affine gaps and a matrix of scores, as
 * apps/sw_wave_bodies.c has it. A table of its own, because a kernel has the registers of its greediest cell. */
#ifndef BENCH_WAVE_PROTEIN_CELLS_H
#define BENCH_WAVE_PROTEIN_CELLS_H

#ifndef HEDDLE_WAVE_SHAPES
#define HEDDLE_WAVE_SHAPES(X, name) X(name, 0, 4, 2) X(name, 1, 8, 2) X(name, 2, 4, 4) X(name, 3, 2, 4)
#endif
#include "heddle/wave.h"

#define PROTEIN_LETTERS 32u /* columns of a table of scores, whose rows begin at a multiple of it */

typedef struct protein_gaps {
    int32_t first, further;
} protein_gaps;

/* The gaps are those of the cells below and to the right. */
typedef struct protein_cell {
    int32_t score, below, right;
} protein_cell;

typedef struct protein_found {
    int32_t best;
} protein_found;

#define PROTEIN_WAVES(X) X(protein_sw, 0)
HEDDLE_ENUM(protein, PROTEIN_WAVES)
HEDDLE_DECLARE(protein)

#endif
