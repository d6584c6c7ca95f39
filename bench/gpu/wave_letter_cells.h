/* SPDX-License-Identifier: MIT */
/* wave_letter_cells.h - Smith-Waterman of sequences of four letters with linear gaps, in fewer instructions than
 * comparisons of letters take. It finds the best score of each item, but no place, and keeps nothing else.
 *
 * letters_R_C: one pair per item in 32-bit words. A row's letter scores with a column's by a dot product of four bytes.
 * pairs_R_C: two pairs per item, in the halves of a word: scores end at 32767. Pairs of different sizes may share an
 * item: LETTER_NONE fills up the shorter sequence.
 * sparse_R_C: as pairs, but only every second row looks for the best. A cell needs the larger of its north and west
 * neighbours anyway; in rows 1, 3, ... those are all cells except the last of each such row. So a field has an even
 * number of rows, and no letters in its last column.
 *
 * R rows per lane, C columns per step. A table has one shape, because a kernel gets the registers of its greediest. */
#ifndef BENCH_WAVE_LETTER_CELLS_H
#define BENCH_WAVE_LETTER_CELLS_H

#ifndef HEDDLE_WAVE_SHAPES
#define HEDDLE_WAVE_SHAPES(X, name) X(name, 0, name##_lane_rows, name##_step_columns)
#endif
#include "heddle/wave.h"

#define LETTER_NONE 4u /* letters are 0 to 3. LETTER_NONE scores 0 or less with any */

typedef struct letter_params {
    int32_t gap;   /* below 0 */
    uint32_t gaps; /* gap, in both halves of a word */
} letter_params;

/* Scores of letters: match above 0, mismatch 0 or less, both within -128 .. 127. */
typedef struct letter_worth {
    int32_t match, mismatch;
} letter_worth;

/* A letter's scores with the four letters, one byte each. */
HEDDLE_FN uint32_t letter_scores(letter_worth worth, uint32_t letter)
{
    uint32_t i, scores = 0;
    for (i = 0; i < 4u; i++)
        scores |= ((uint32_t)(i == letter ? worth.match : worth.mismatch) & 255u) << 8u * i;
    return scores;
}

/* letters_R_C: the value of a row; a column's value is letter_scores. */
HEDDLE_FN uint32_t letter_row(uint32_t letter) { return letter == LETTER_NONE ? 0u : 1u << 8u * letter; }

/* pairs_R_C: the value of a row of both pairs, then of a column. */
typedef struct letter_pair_row {
    uint32_t scores[2];
} letter_pair_row;

HEDDLE_FN letter_pair_row letter_row_of_pair(letter_worth worth, uint32_t first, uint32_t second)
{
    letter_pair_row row;
    row.scores[0] = letter_scores(worth, first);
    row.scores[1] = letter_scores(worth, second);
    return row;
}

/* Without a letter the column picks a score's sign, twice: 0, or -1. */
HEDDLE_FN uint32_t letter_column_of_pair(uint32_t first, uint32_t second)
{
    const uint32_t which = heddle_which_2x16(first & 3u, 4u + (second & 3u));
    return which | (first == LETTER_NONE ? 0x0088u : 0u) | (second == LETTER_NONE ? 0x8800u : 0u);
}

/* Only `scores` goes south. */
typedef struct letter_sparse {
    uint32_t scores, larger; /* larger: of the neighbours north and west */
} letter_sparse;

typedef struct letter_found {
    int32_t best;
} letter_found;
typedef struct letter_pair_found {
    uint32_t best; /* of both pairs */
} letter_pair_found;

/* X(rows, columns): the shapes. */
#define LETTER_SHAPES(X) X(4, 4) X(8, 2) X(8, 4) X(16, 2)
#define LETTERS_4_4(X) X(letters_4_4_sw, 0)
#define LETTERS_8_2(X) X(letters_8_2_sw, 0)
#define LETTERS_8_4(X) X(letters_8_4_sw, 0)
#define LETTERS_16_2(X) X(letters_16_2_sw, 0)
#define PAIRS_4_4(X) X(pairs_4_4_sw, 0)
#define PAIRS_8_2(X) X(pairs_8_2_sw, 0)
#define PAIRS_8_4(X) X(pairs_8_4_sw, 0)
#define PAIRS_16_2(X) X(pairs_16_2_sw, 0)
#define SPARSE_4_4(X) X(sparse_4_4_sw, 0)
#define SPARSE_8_2(X) X(sparse_8_2_sw, 0)
#define SPARSE_8_4(X) X(sparse_8_4_sw, 0)
#define SPARSE_16_2(X) X(sparse_16_2_sw, 0)

#define LETTER_DECLARE_(rows, columns)                                  \
    HEDDLE_ENUM(letters_##rows##_##columns, LETTERS_##rows##_##columns) \
    HEDDLE_ENUM(pairs_##rows##_##columns, PAIRS_##rows##_##columns)     \
    HEDDLE_ENUM(sparse_##rows##_##columns, SPARSE_##rows##_##columns)   \
    HEDDLE_DECLARE(letters_##rows##_##columns)                          \
    HEDDLE_DECLARE(pairs_##rows##_##columns)                            \
    HEDDLE_DECLARE(sparse_##rows##_##columns)
LETTER_SHAPES(LETTER_DECLARE_)

#endif
