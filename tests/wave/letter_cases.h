/* SPDX-License-Identifier: MIT */
/* letter_cases.h - pairs of sequences of four letters and their best scores, for the cells of
 * bench/gpu/wave_letter_cells.h. The program chooses the context and how they run. */
#ifndef LETTER_CASES_H
#define LETTER_CASES_H

#include "check.h"
#include "gpu/wave_letters.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LETTER_PAIRS 9u /* at most; an odd number leaves half a word without a pair */

typedef struct letter_case {
    heddle_ctx *ctx;
    letter_worth worth;
    letter_params params;
    uint32_t n; /* pairs */
    uint32_t rows[LETTER_PAIRS], cols[LETTER_PAIRS];
    uint8_t *x[LETTER_PAIRS], *y[LETTER_PAIRS];
    int32_t want[LETTER_PAIRS];
    uint32_t together; /* pairs per item: 1 or 2 */
    int is_sparse;     /* for sparse_R_C, of two */
    heddle_wave_item items[LETTER_PAIRS];
    heddle_wave_desc desc;
} letter_case;

/* Makes random pairs, partly alike, of 1 to `most` letters, with random scores. */
void letter_case_make(letter_case *c, uint64_t seed, uint32_t most);
/* Adds a pair; copies it. */
void letter_case_add(letter_case *c, const uint8_t *x, uint32_t rows, const uint8_t *y, uint32_t cols);
/* Puts the pairs on ctx for the cells of a table, and makes the desc. */
void letter_case_lay_out(letter_case *c, heddle_ctx *ctx, const heddle_table *table);
/* Erases what a run has found. */
void letter_case_reset(letter_case *c);
/* Exits if what was found is wrong. */
void letter_case_check(const letter_case *c, const char *how);
/* Undoes letter_case_lay_out. */
void letter_case_lift(letter_case *c);
void letter_case_free(letter_case *c);

#ifdef __cplusplus
}
#endif
#endif
