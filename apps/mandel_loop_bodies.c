/* SPDX-License-Identifier: MIT */
/* mandel_loop_bodies.c - the body of mandel/loop: cells of some rows and columns, each by itself. A lone thread repeats a group of neighbours
 * together, until the last of them is done: vector units take them side by side, and one cell's steps need not wait for each other. */
#include "mandel_loop_bodies.h"
#include "mandel_tile.h"
#include "vectors.h"

#define GROUP 16u

typedef struct group {
    double x[GROUP], re[GROUP], im[GROUP];
    uint64_t n[GROUP], is_in[GROUP]; /* repetitions; all bits or none: |z| was never above 2 */
} group;

/* One repetition of each; 0: none is in any more. What is no longer in is computed on, and not counted. */
HEDDLE_FN uint64_t group_step(group *g, double y)
{
    uint64_t any = 0;
    for (uint32_t v = 0; v < GROUP; v++) {
        const double re2 = MANDEL_ROUNDED(g->re[v], g->re[v]), im2 = MANDEL_ROUNDED(g->im[v], g->im[v]);
        g->is_in[v] &= re2 + im2 > 4.0 ? 0 : ~UINT64_C(0);
        g->n[v] -= g->is_in[v];
        any |= g->is_in[v];
        g->im[v] = MANDEL_ROUNDED(2.0 * g->re[v], g->im[v]) + y;
        g->re[v] = re2 - im2 + g->x[v];
    }
    return any;
}

HEDDLE_FN void count_group(const mandel_record *p, uint64_t row, uint64_t col, uint32_t *counts)
{
    const double y = mandel_y(p, row);
    group g;
    for (uint32_t v = 0; v < GROUP; v++) {
        g.x[v] = mandel_x(p, col + v);
        g.re[v] = g.im[v] = 0;
        g.n[v] = 0;
        g.is_in[v] = ~UINT64_C(0);
    }
    for (uint32_t k = 0; k < p->most; k++)
        if (!group_step(&g, y))
            break;
    for (uint32_t v = 0; v < GROUP; v++)
        counts[v] = (uint32_t)g.n[v];
}

HEDDLE_FN void count_row(const mandel_record *params, uint64_t row, uint64_t begin, uint64_t end)
{
    const mandel_record p = *params;
    uint32_t *counts = p.counts + row * p.cols;
    uint64_t j = begin;
    for (; j + GROUP <= end; j += GROUP)
        count_group(&p, row, j, counts + j);
    for (; j < end; j++)
        counts[j] = mandel_cell(&p, row, j);
}
VECTORS_QUICK(count_row, (const mandel_record *p, uint64_t row, uint64_t begin, uint64_t end), (p, row, begin, end))

HEDDLE_LOOP(mandel_rows, mandel_record, params, s)
{
#if HEDDLE_ON_HOST
    if (thread->team_size == 1u) {
        for (uint64_t i = s->begin; i < s->end; i++)
            count_row_quick(params, i, s->begin_2, s->end_2);
        return;
    }
#endif
    HEDDLE_SPAN_2D (i, j, s)
        params->counts[i * params->cols + j] = mandel_cell(params, i, j);
}

HEDDLE_LOOP_TABLE(mandel_loop, mandel_record, MANDEL_LOOP_BODIES)
