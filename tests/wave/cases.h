/* SPDX-License-Identifier: MIT */
/* cases.h - random waves, and their results by plain loops. The program chooses the context and how they run. */
#ifndef WAVE_CASES_H
#define WAVE_CASES_H

#include "check.h"
#include "wave/cells.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wave_case {
    uint64_t seed, row; /* row: state of the random numbers */
    heddle_ctx *ctx;
    mix_params params;
    const heddle_table *table; /* mix, or one that has some of its cells          */
    uint32_t cell;             /* in mix; desc.body is its number in the table */
    heddle_wave_desc desc;
    heddle_wave_item items[8];
    uint32_t n_items, cell_words, south_words;
    int keeps;        /* keeps cells */
    int is_slow;      /* counted borders come while a wave runs: the program writes and counts them (wave_case_bring) */
    uint32_t *counts; /* of the context: the items' counts of north borders, of west borders, of last columns */
    uint64_t n_rows, n_cols, n_cells; /* of all items together */
    uint64_t want_at[8];              /* an item's first cell in want_cells */
    heddle_wave_layout layouts[8];    /* of kept cells */
    uint64_t n_kept;                  /* size of the array of kept cells */
    void *kept;                       /* the memory that holds that array at some offset */
    /* Copies on the host; the desc has those of the context. */
    uint8_t *x, *y;
    uint32_t *north, *west, constant[2][4], corner[4], east[4];
    uint32_t *want_cells, *want_last_row, *want_last_col;
    mix_found want_found, want_each[8];
} wave_case;

/* Makes a wave of a cell of the table from a seed, with rows and columns up to `most`, in memory of ctx. The program may then
 * choose a shape. */
void wave_case_make(wave_case *c, const heddle_table *table, uint64_t seed, heddle_ctx *ctx, uint64_t most);
/* Call before heddle_wave_new: allocates memory for kept cells, in their layout. */
void wave_case_lay_out(wave_case *c);
/* Removes the counts of borders. */
void wave_case_uncount(wave_case *c);
/* Call before wave_case_lay_out: removes all counts and results of items; cells are kept by rows. A single field is no item. */
void wave_case_simplify(wave_case *c);
/* The final value of word n of the counts; borders have two words per item. */
uint32_t wave_case_count(const wave_case *c, uint32_t n);
/* Call before word n is raised to `end`: writes the border's cells first .. end - 1. */
void wave_case_bring(const wave_case *c, uint32_t n, uint32_t first, uint32_t end);
/* Erases the results of a run, and chooses the params of the next. */
void wave_case_reset(wave_case *c);
/* Converts kept cells to rows and back on the context; exits if they differ from those of plain loops. */
void wave_case_convert(wave_case *c, const char *how);
/* Compares a run's results with those of plain loops; exits if they differ. */
void wave_case_check(wave_case *c, const char *how);
void wave_case_free(wave_case *c);

#ifdef __cplusplus
}
#endif
#endif
