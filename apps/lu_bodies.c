/* SPDX-License-Identifier: MIT */
/* lu_bodies.c - lu0 decomposes a diagonal block; fwd solves L X = A for a block to the right of it, bdiv X U = A for a
 * block below it; bmod subtracts a product. lu0 fails with code k + 1 when pivot k is 0 or not a number.
 *
 * Each number receives its updates one after the other, in ascending order of k, whatever the lanes and the version:
 * results are the same bits, where the compiler does not fuse products with sums (-ffp-contract=off, -fmad=false).
 *
 * Portable version: lu_plain.h. Tuned version: lu_tuned.h. */
#include "lu_bodies.h"

typedef float lu_number;
#include "lu_plain.h"
#include "lu_tuned.h"

HEDDLE_BODY(lu_lu0, lu_record, app, lu_one, t)
{
    float *a = app->a + t->diag;
    if (lu_is_tuned(lane, app))
        lu_decompose(lane, a, (int)app->b);
    else
        lu_plain_lu0(lane, a, (int)app->b);
}

HEDDLE_BODY(lu_fwd, lu_record, app, lu_two, t)
{
    const int b = (int)app->b;
    const float *l = app->a + t->diag;
    float *x = app->a + t->at;
    if (lu_is_tuned(lane, app))
        lu_forward(lane, l, x, b, b, b);
    else
        lu_plain_fwd(lane, l, x, b);
}

HEDDLE_BODY(lu_bdiv, lu_record, app, lu_two, t)
{
    const int b = (int)app->b;
    const float *u = app->a + t->diag;
    float *x = app->a + t->at;
    if (lu_is_tuned(lane, app))
        lu_backward(lane, u, x, b, b, b);
    else
        lu_plain_bdiv(lane, u, x, b);
}

HEDDLE_BODY(lu_bmod, lu_record, app, lu_three, t)
{
    const int b = (int)app->b;
    const float *left = app->a + t->left, *up = app->a + t->up;
    float *at = app->a + t->at;
    if (lu_is_tuned(lane, app))
        lu_product(lane, at, left, up, b, b, b, b);
    else
        lu_plain_bmod(lane, left, up, at, b);
}

HEDDLE_APP(lu, lu_record, LU_BODIES)
