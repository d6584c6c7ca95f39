/* SPDX-License-Identifier: MIT */
/* slu_blocks.h - operations on blocks, tuned or plain, for both tables of bodies of slu. Each number receives its
 * updates in ascending order, so all versions give the same bits (lu_plain.h). The plain loops are not inlined: there
 * are many kernels, and a GPU runs these loops only for blocks of unusual size, or for unusual numbers. */
#ifndef SLU_BLOCKS_H
#define SLU_BLOCKS_H

typedef double lu_number;
#include "lu_plain.h"
#include "slu_tuned.h"

TILE_FN double *slu_block(const slu_record *params, uint32_t number)
{
    return params->a + (uint64_t)number * params->b * params->b;
}

QUAD_APART void slu_plain_lu0(const heddle_thread *thread, double *a, int b) { lu_plain_lu0(thread, a, b); }

QUAD_APART void slu_plain_fwd(const heddle_thread *thread, const double *l, double *x, int b)
{
    lu_plain_fwd(thread, l, x, b);
}

QUAD_APART void slu_plain_bdiv(const heddle_thread *thread, const double *u, double *x, int b)
{
    lu_plain_bdiv(thread, u, x, b);
}

QUAD_APART void slu_plain_bmod(const heddle_thread *thread, const double *left, const double *up, double *at, int b)
{
    lu_plain_bmod(thread, left, up, at, b);
}

TILE_FN void slu_do_lu0(const heddle_thread *thread, const slu_record *params, const slu_one *t)
{
    double *a = slu_block(params, t->diag);
    if (!slu_is_tuned(thread, params) || !slu_decompose(thread, a))
        slu_plain_lu0(thread, a, (int)params->b);
}

TILE_FN void slu_do_fwd(const heddle_thread *thread, const slu_record *params, const slu_two *t)
{
    if (slu_is_tuned(thread, params))
        slu_forward(thread, slu_block(params, t->diag), slu_block(params, t->at));
    else
        slu_plain_fwd(thread, slu_block(params, t->diag), slu_block(params, t->at), (int)params->b);
}

TILE_FN void slu_do_bdiv(const heddle_thread *thread, const slu_record *params, const slu_two *t)
{
    const double *u = slu_block(params, t->diag);
    double *x = slu_block(params, t->at);
    if (!slu_is_tuned(thread, params) || !slu_backward(thread, u, x))
        slu_plain_bdiv(thread, u, x, (int)params->b);
}

TILE_FN void slu_do_bmod(const heddle_thread *thread, const slu_record *params, const slu_three *t)
{
    const double *left = slu_block(params, t->left), *up = slu_block(params, t->up);
    double *at = slu_block(params, t->at);
    if (slu_is_tuned(thread, params))
        slu_product(thread, left, up, at);
    else
        slu_plain_bmod(thread, left, up, at, (int)params->b);
}

#endif
