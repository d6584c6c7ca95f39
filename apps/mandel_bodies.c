/* SPDX-License-Identifier: MIT */
/* mandel_bodies.c - the cells of a tile, each by itself, in double precision. A cell's count is from 1 to `most`, so the
 * cells of a tile, and tiles, differ greatly in their time.
 *
 * Products are rounded before they are added to, also in builds that fuse the two: counts are compared exactly. */
#include "mandel_bodies.h"

#if defined(__CUDA_ARCH__)
#define ROUNDED(a, b) __dmul_rn((a), (b))
#else
#define ROUNDED(a, b) ((a) * (b)) /* never fused: apps are compiled with -ffp-contract=off */
#endif

TILE_FN uint32_t count(double x, double y, uint32_t most)
{
    double re = 0.0, im = 0.0;
    uint32_t n;
    for (n = 0; n < most; n++) {
        const double re2 = ROUNDED(re, re), im2 = ROUNDED(im, im);
        if (re2 + im2 > 4.0)
            break;
        im = ROUNDED(2.0 * re, im) + y;
        re = re2 - im2 + x;
    }
    return n;
}

TILE_FN void counts(const mandel_record *params, const tile_rect *t, tile_share s)
{
    for (int r = s.row; r < (int)t->rows; r += s.row_step) {
        const double y = -1.5 + ((double)(t->row + (uint64_t)r) + 0.5) * 3.0 / (double)params->rows;
        uint32_t *row = params->counts + tile_row(t, params->cols, r);
        for (int c = s.col; c < (int)t->cols; c += s.col_step) {
            const double x = -2.0 + ((double)(t->col + (uint64_t)c) + 0.5) * 3.0 / (double)params->cols;
            row[c] = count(x, y, params->most);
        }
    }
}

HEDDLE_BODY(mandel_tile, mandel_record, params, tile_rect, t)
{
    if (thread->team_size == 1)
        counts(params, t, tile_alone());
    else
        counts(params, t, tile_share_of(thread));
}

HEDDLE_POOL_TABLE(mandel, mandel_record, MANDEL_BODIES)
