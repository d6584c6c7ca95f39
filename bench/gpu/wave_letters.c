/* SPDX-License-Identifier: MIT */
/* wave_letters.c - implements wave_letters.h. */
#include "wave_letters.h"

#include <stdlib.h>

static int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }

/* Replaces the row above, in `row`, by the next one; its first cell lies outside the field. */
static int32_t next_row(letter_worth worth, int32_t gap, uint8_t x, const uint8_t *y, uint32_t m, int32_t *row)
{
    int32_t before = 0, best = 0;
    for (uint32_t j = 1; j <= m; j++) {
        const int32_t both = before + (x == y[j - 1u] ? worth.match : worth.mismatch);
        before = row[j];
        row[j] = larger(larger(both, 0), larger(row[j], row[j - 1u]) + gap);
        best = larger(best, row[j]);
    }
    return best;
}

int32_t letters_best(letter_worth worth, int32_t gap, const uint8_t *x, uint32_t n, const uint8_t *y, uint32_t m)
{
    int32_t *row = calloc(m + 1u, sizeof *row), best = 0;
    for (uint32_t i = 0; row && i < n; i++)
        best = larger(best, next_row(worth, gap, x[i], y, m, row));
    best = row ? best : -1;
    free(row);
    return best;
}
