/* SPDX-License-Identifier: MIT */
/* mandel_tile.h - the cells of a tile, each by itself, in double precision; for the bodies of mandel and of mix. In the common
 * part of C, C++ and CUDA. A cell's count is from 1 to `most`, so the cells of a tile, and tiles, differ greatly in their time.
 *
 * Products are rounded before they are added to, also in builds that fuse the two: counts are compared exactly. */
#ifndef MANDEL_TILE_H
#define MANDEL_TILE_H

#include "mandel_bodies.h"

#if defined(__CUDA_ARCH__)
#define MANDEL_ROUNDED(a, b) __dmul_rn((a), (b))
#else
#define MANDEL_ROUNDED(a, b) ((a) * (b)) /* never fused: apps are compiled with -ffp-contract=off */
#endif

TILE_FN uint32_t mandel_count(double x, double y, uint32_t most)
{
    double re = 0.0, im = 0.0;
    uint32_t n;
    for (n = 0; n < most; n++) {
        const double re2 = MANDEL_ROUNDED(re, re), im2 = MANDEL_ROUNDED(im, im);
        if (re2 + im2 > 4.0)
            break;
        im = MANDEL_ROUNDED(2.0 * re, im) + y;
        re = re2 - im2 + x;
    }
    return n;
}

/* Of rows and columns of the whole picture. */
TILE_FN double mandel_y(const mandel_record *params, uint64_t row)
{
    return -1.5 + ((double)row + 0.5) * 3.0 / (double)params->rows;
}
TILE_FN double mandel_x(const mandel_record *params, uint64_t col)
{
    return -2.0 + ((double)col + 0.5) * 3.0 / (double)params->cols;
}
TILE_FN uint32_t mandel_cell(const mandel_record *params, uint64_t row, uint64_t col)
{
    return mandel_count(mandel_x(params, col), mandel_y(params, row), params->most);
}

TILE_FN void mandel_counts(const mandel_record *params, const tile_rect *t, tile_share s)
{
    for (int r = s.row; r < (int)t->rows; r += s.row_step) {
        uint32_t *row = params->counts + tile_row(t, params->cols, r);
        for (int c = s.col; c < (int)t->cols; c += s.col_step)
            row[c] = mandel_cell(params, params->first + t->row + (uint64_t)r, t->col + (uint64_t)c);
    }
}

TILE_FN void mandel_of(const heddle_thread *thread, const mandel_record *params, const tile_rect *t)
{
    if (thread->team_size == 1)
        mandel_counts(params, t, tile_alone());
    else
        mandel_counts(params, t, tile_share_of(thread));
}

#endif
