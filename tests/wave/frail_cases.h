/* SPDX-License-Identifier: MIT */
/* frail_cases.h - random waves that fail, and the first failure by plain loops. The program chooses the context and how
 * the waves run. */
#ifndef WAVE_FRAIL_CASES_H
#define WAVE_FRAIL_CASES_H

#include "check.h"
#include "wave/frail.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct frail_case {
    uint64_t seed, row; /* row: state of the random numbers */
    heddle_ctx *ctx;
    const heddle_table *table;
    int is_tile;
    frail_params params;
    heddle_wave_desc desc;
    heddle_wave_item items[FRAIL_ITEMS];
    uint64_t n_cells, n_rows;
    uint32_t *west_count;          /* in the context, or NULL */
    uint32_t part_rows;            /* rows of the border that come together */
    uint64_t first_row;            /* row of the first failure */
    uint32_t *want;                /* the result of a run without a failure */
    char first[128], anywhere[64]; /* the first failure's sentence, "" = none; what all failures' sentences share */
} frail_case;

/* Makes a wave from a seed, with up to 2 * `most` rows and half as many columns as `most`, in memory of ctx. */
void frail_case_make(frail_case *c, uint64_t seed, heddle_ctx *ctx, uint64_t most);
/* Call before heddle_wave_new if parts have so many rows and are taken in order: a wave of cells of one field gets a
 * west border that ends with the part of the first failure. Bands of a part wait for one another. */
void frail_case_starve(frail_case *c, uint32_t part_rows);
/* Chooses params for a run, which fails if may_fail and the odds say so. */
void frail_case_reset(frail_case *c, int may_fail);
/* Compares the result of a good run with that of plain loops; exits if it differs. */
void frail_case_check(frail_case *c, const char *how);
void frail_case_free(frail_case *c);

#ifdef __cplusplus
}
#endif
#endif
