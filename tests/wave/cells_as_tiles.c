/* SPDX-License-Identifier: MIT */
/* cells_as_tiles.c - some cells of cells.h, in one shape, with the kernels for schedules of tasks. */
#define HEDDLE_WAVE_TILES
#define HEDDLE_WAVE_SHAPES(X, name) X(name, 0, 1, 2)
#define CELLS_AS_TILES
#include "wave/cells.c"
