/* SPDX-License-Identifier: MIT */
/* lu_bodies.c - lu0 decomposes a diagonal block; fwd solves L X = A for a block to the right of it, bdiv X U = A for a
 * block below it; bmod subtracts a product. lu0 fails with code k + 1 when pivot k is 0 or not a number.
 *
 * Each number receives its updates one by one, in ascending order of k, for any number of threads and in each version.
 * Results are bitwise equal if the compiler does not fuse products with sums (-ffp-contract=off, -fmad=false).
 *
 * Portable version: lu_plain.h. Tuned version: lu_tuned.h. */
#include "lu_bodies.h"

typedef float lu_number;
#include "lu_plain.h"
#include "lu_tuned.h"

HEDDLE_BODY(lu_lu0, lu_record, params, lu_one, t)
{
    float *a = params->a + t->diag;
    if (lu_is_tuned(thread, params))
        lu_decompose(thread, a, (int)params->b);
    else
        lu_plain_lu0(thread, a, (int)params->b);
}

HEDDLE_BODY(lu_fwd, lu_record, params, lu_two, t)
{
    const int b = (int)params->b;
    const float *l = params->a + t->diag;
    float *x = params->a + t->at;
    if (lu_is_tuned(thread, params))
        lu_forward(thread, l, x, b, b, b);
    else
        lu_plain_fwd(thread, l, x, b);
}

HEDDLE_BODY(lu_bdiv, lu_record, params, lu_two, t)
{
    const int b = (int)params->b;
    const float *u = params->a + t->diag;
    float *x = params->a + t->at;
    if (lu_is_tuned(thread, params))
        lu_backward(thread, u, x, b, b, b);
    else
        lu_plain_bdiv(thread, u, x, b);
}

HEDDLE_BODY(lu_bmod, lu_record, params, lu_three, t)
{
    const int b = (int)params->b;
    const float *left = params->a + t->left, *up = params->a + t->up;
    float *at = params->a + t->at;
    if (lu_is_tuned(thread, params))
        lu_product(thread, at, left, up, b, b, b, b);
    else
        lu_plain_bmod(thread, left, up, at, b);
}

HEDDLE_TABLE(lu, lu_record, LU_BODIES)
