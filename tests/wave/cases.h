/* SPDX-License-Identifier: MIT */
/* cases.h - random waves, and what plain loops make of them. The program says on which context they lie and how they are run. */
#ifndef WAVE_CASES_H
#define WAVE_CASES_H

#include "check.h"
#include "wave/cells.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wave_case {
    uint64_t seed, row; /* row: of random numbers */
    heddle_ctx *ctx;
    mix_params params;
    heddle_wave_desc desc;
    heddle_wave_item items[8];
    uint32_t n_items, cell_words, south_words;
    int keeps;   /* cells */
    int is_slow; /* borders with a count come while a wave runs: the program raises what wave_case_raise tells it to */
    uint32_t *counts;                 /* of the context: of each item's border north, then west, then of last columns */
    uint64_t n_rows, n_cols, n_cells; /* of all items together */
    uint64_t want_at[8];              /* an item's first cell of want_cells */
    heddle_wave_layout layouts[8];    /* of kept cells */
    uint64_t n_kept;                  /* cells of the array that has them */
    /* Copies on the host; the desc has the context's. */
    uint8_t *x, *y;
    uint32_t *north, *west, constant[2][4], corner[4], east[4];
    uint32_t *want_cells, *want_last_row, *want_last_col;
    mix_found want_found, want_each[8];
} wave_case;

/* A wave from a seed: rows and columns up to `most`. Its memory is on ctx. Then the program may choose a shape. */
void wave_case_make(wave_case *c, uint64_t seed, heddle_ctx *ctx, uint64_t most);
/* Before heddle_wave_new: memory for kept cells, in the layout that they get. */
void wave_case_lay_out(wave_case *c);
/* Borders have no counts. */
void wave_case_uncount(wave_case *c);
/* Word n of the counts, of which there are two an item, and what it is at the end. */
uint32_t wave_case_count(const wave_case *c, uint32_t n);
/* Before it is raised to `end`: writes these cells of that border. */
void wave_case_bring(const wave_case *c, uint32_t n, uint32_t first, uint32_t end);
/* Forgets what a run has left, and chooses the params of the next. */
void wave_case_reset(wave_case *c);
/* Kept cells go to rows and back, on the context; exits when they are not what plain loops make. */
void wave_case_convert(wave_case *c, const char *how);
/* What a run has left is what plain loops make; exits when it is not. */
void wave_case_check(wave_case *c, const char *how);
void wave_case_free(wave_case *c);

#ifdef __cplusplus
}
#endif
#endif
