/* SPDX-License-Identifier: MIT */
/* tile_cases.h - random waves of tiles, and their results by plain loops. The program chooses the context and how they
 * run. */
#ifndef WAVE_TILE_CASES_H
#define WAVE_TILE_CASES_H

#include "check.h"
#include "wave/tiles.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tile_case {
    uint64_t seed, row; /* row: state of the random numbers */
    heddle_ctx *ctx;
    tiles_params params;
    heddle_wave_desc desc;
    heddle_wave_item items[TILES_MOST_ITEMS];
    uint32_t n_items;
    uint64_t n_cells, n_cols; /* of all items together */
    /* Copies on the host; params and the desc have those of the context. north: above the first bands, or NULL. */
    uint32_t *in, *want, *north;
} tile_case;

/* Makes a wave from a seed, with rows and columns up to these, in memory of ctx. */
void tile_case_make(tile_case *c, uint64_t seed, heddle_ctx *ctx, uint64_t most_rows, uint64_t most_cols);
/* Erases the results of a run, and chooses the params of the next. */
void tile_case_reset(tile_case *c);
/* Makes some tile of the next run fail. */
void tile_case_fail(tile_case *c);
/* Compares a run's results with those of plain loops; exits if they differ. */
void tile_case_check(tile_case *c, const char *how);
void tile_case_free(tile_case *c);

#ifdef __cplusplus
}
#endif
#endif
