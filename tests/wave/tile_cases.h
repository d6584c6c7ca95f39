/* SPDX-License-Identifier: MIT */
/* tile_cases.h - random waves of tiles, and what plain loops make of them. The program says on which context they lie and how they
 * are run. */
#ifndef WAVE_TILE_CASES_H
#define WAVE_TILE_CASES_H

#include "check.h"
#include "wave/tiles.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tile_case {
    uint64_t seed, row; /* row: of random numbers */
    heddle_ctx *ctx;
    tiles_params params;
    heddle_wave_desc desc;
    heddle_wave_item items[TILES_MOST_ITEMS];
    uint32_t n_items;
    uint64_t n_cells, n_cols; /* of all items together */
    /* Copies on the host; params and the desc have the context's. north: of the first bands, NULL: nothing is above. */
    uint32_t *in, *want, *north;
} tile_case;

/* A wave from a seed: rows and columns up to these. Its memory is on ctx. */
void tile_case_make(tile_case *c, uint64_t seed, heddle_ctx *ctx, uint64_t most_rows, uint64_t most_cols);
/* Forgets what a run has left, and chooses the params of the next. */
void tile_case_reset(tile_case *c);
/* Some tile of the next run fails. */
void tile_case_fail(tile_case *c);
/* What a run has left is what plain loops make; exits when it is not. */
void tile_case_check(tile_case *c, const char *how);
void tile_case_free(tile_case *c);

#ifdef __cplusplus
}
#endif
#endif
