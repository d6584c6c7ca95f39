/* SPDX-License-Identifier: MIT */
/* slu_blocks.h - what both tables of bodies of slu do with blocks, tuned or plain. Each number receives its updates in
 * ascending order, so all ways give the same bits (lu_plain.h). The plain loops are called, not inlined: there are many
 * kernels, and they run on a GPU only where blocks have an unusual size, or numbers do. */
#ifndef SLU_BLOCKS_H
#define SLU_BLOCKS_H

typedef double lu_number;
#include "lu_plain.h"
#include "slu_tuned.h"

TILE_FN double *slu_block(const slu_record *app, uint32_t number)
{
    return app->a + (uint64_t)number * app->b * app->b;
}

QUAD_APART void slu_plain_lu0(const heddle_lane *lane, double *a, int b) { lu_plain_lu0(lane, a, b); }

QUAD_APART void slu_plain_fwd(const heddle_lane *lane, const double *l, double *x, int b)
{
    lu_plain_fwd(lane, l, x, b);
}

QUAD_APART void slu_plain_bdiv(const heddle_lane *lane, const double *u, double *x, int b)
{
    lu_plain_bdiv(lane, u, x, b);
}

QUAD_APART void slu_plain_bmod(const heddle_lane *lane, const double *left, const double *up, double *at, int b)
{
    lu_plain_bmod(lane, left, up, at, b);
}

TILE_FN void slu_do_lu0(const heddle_lane *lane, const slu_record *app, const slu_one *t)
{
    double *a = slu_block(app, t->diag);
    if (!slu_is_tuned(lane, app) || !slu_decompose(lane, a))
        slu_plain_lu0(lane, a, (int)app->b);
}

TILE_FN void slu_do_fwd(const heddle_lane *lane, const slu_record *app, const slu_two *t)
{
    if (slu_is_tuned(lane, app))
        slu_forward(lane, slu_block(app, t->diag), slu_block(app, t->at));
    else
        slu_plain_fwd(lane, slu_block(app, t->diag), slu_block(app, t->at), (int)app->b);
}

TILE_FN void slu_do_bdiv(const heddle_lane *lane, const slu_record *app, const slu_two *t)
{
    const double *u = slu_block(app, t->diag);
    double *x = slu_block(app, t->at);
    if (!slu_is_tuned(lane, app) || !slu_backward(lane, u, x))
        slu_plain_bdiv(lane, u, x, (int)app->b);
}

TILE_FN void slu_do_bmod(const heddle_lane *lane, const slu_record *app, const slu_three *t)
{
    const double *left = slu_block(app, t->left), *up = slu_block(app, t->up);
    double *at = slu_block(app, t->at);
    if (slu_is_tuned(lane, app))
        slu_product(lane, left, up, at);
    else
        slu_plain_bmod(lane, left, up, at, (int)app->b);
}

#endif
