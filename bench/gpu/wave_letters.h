/* SPDX-License-Identifier: MIT */
/* wave_letters.h - the expected results of the cells of wave_letter_cells.h, by plain loops. */
#ifndef BENCH_WAVE_LETTERS_H
#define BENCH_WAVE_LETTERS_H

#include "wave_letter_cells.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The best score of n letters with m; none is LETTER_NONE. -1: out of memory. */
int32_t letters_best(letter_worth worth, int32_t gap, const uint8_t *x, uint32_t n, const uint8_t *y, uint32_t m);

#ifdef __cplusplus
}
#endif
#endif
