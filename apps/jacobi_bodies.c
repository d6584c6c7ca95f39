/* SPDX-License-Identifier: MIT */
/* jacobi_bodies.c - compute: next becomes the mean of the four neighbours in old; copy: old becomes next. Cells are
 * independent of one another, so there is no barrier. */
#include "jacobi_bodies.h"

TILE_FN void compute(const jacobi_record *app, const tile_rect *t, tile_share s)
{
    int64_t stride = app->stride;
    for (int r = s.row; r < (int)t->rows; r += s.row_step) {
        uint64_t at = tile_row(t, (uint64_t)stride, r);
        const float *x = app->old + at;
        float *y = app->next + at;
        for (int c = s.col; c < (int)t->cols; c += s.col_step)
            y[c] = 0.25f * (x[c - stride] + x[c + stride] + x[c + 1] + x[c - 1]);
    }
}

TILE_FN void copy(const jacobi_record *app, const tile_rect *t, tile_share s)
{
    for (int r = s.row; r < (int)t->rows; r += s.row_step) {
        uint64_t at = tile_row(t, (uint64_t)app->stride, r);
        const float *from = app->next + at;
        float *to = app->old + at;
        for (int c = s.col; c < (int)t->cols; c += s.col_step)
            to[c] = from[c];
    }
}

HEDDLE_BODY(jacobi_compute, jacobi_record, app, tile_rect, t)
{
    if (lane->count == 1)
        compute(app, t, tile_alone());
    else
        compute(app, t, tile_share_of(lane));
}

HEDDLE_BODY(jacobi_copy, jacobi_record, app, tile_rect, t)
{
    if (lane->count == 1)
        copy(app, t, tile_alone());
    else
        copy(app, t, tile_share_of(lane));
}

HEDDLE_APP(jacobi, jacobi_record, JACOBI_BODIES)
