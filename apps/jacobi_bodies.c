/* SPDX-License-Identifier: MIT */
/* jacobi_bodies.c - compute: next becomes the mean of the four neighbours in old; copy: old becomes next. Cells are
 * independent of one another. Every way computes a cell by the same expression.
 *
 * Tuned versions keep many bytes under way, which is all that counts here: a tile's rows go through a ring in shared
 * memory, three batches ahead of the one that is worked on, so that none of them needs registers; each cell comes once.
 * They work on quads that are aligned where rows are a multiple of four cells apart; elsewhere the portable versions are
 * what runs. */
#include "jacobi_bodies.h"
#include "quad.h"

TILE_FN float mean(float above, float below, float right, float left) { return 0.25f * (above + below + right + left); }

TILE_FN void compute(const jacobi_record *app, const tile_rect *t, tile_share s)
{
    int64_t stride = app->stride;
    for (int r = s.row; r < (int)t->rows; r += s.row_step) {
        uint64_t at = tile_row(t, (uint64_t)stride, r);
        const float *x = app->old + at;
        float *y = app->next + at;
        for (int c = s.col; c < (int)t->cols; c += s.col_step)
            y[c] = mean(x[c - stride], x[c + stride], x[c + 1], x[c - 1]);
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

/* ---- tuned ---- */

/* A step is a batch of a panel's rows; compute needs one more above the tile and one below it, so it has `beside` = 1, and
 * copy 0. A step's place in the ring follows from its number. */
typedef struct ring {
    const float *x; /* the tile's first cell, less what lies before it in its quad */
    float *y, *at;  /* where it goes; the ring, in shared memory */
    int64_t stride;
    quad_span span;
    int rows, n_batches; /* of the tile; of a panel */
    int row, row_step, quad, quad_step;
} ring;

/* Lanes that take neighbouring quads, no more of them than a panel has, and rows in turn. */
TILE_FN void ring_share(ring *g, const heddle_lane *lane)
{
    int width = JACOBI_PANEL;
    while (width / 2 >= g->span.n)
        width /= 2;
    g->quad_step = (int)lane->count < width ? (int)lane->count : width;
    g->row_step = (int)lane->count / g->quad_step;
    g->quad = (int)lane->index % g->quad_step;
    g->row = (int)lane->index / g->quad_step;
    if (g->row >= g->row_step)
        g->row = JACOBI_BATCH;
}

TILE_FN float *ring_row(const ring *g, int step, int r)
{
    return g->at + (step * JACOBI_BATCH + r) % (JACOBI_RING * JACOBI_BATCH) * JACOBI_LD + 4;
}

/* Quad q of the tile, to its place in the ring; in a row of the tile also the cells beside its panel. */
TILE_FN void send_quad(const ring *g, float *to, const float *from, int q, int beside)
{
    const int lo = quad_lo(&g->span, q), hi = quad_hi(&g->span, q);
    if (hi - lo == 4)
        quad_send(to, from);
    else
        for (int c = lo; c < hi; c++)
            quad_send_1(to + c, from + c);
    if (beside && q % JACOBI_PANEL == 0)
        quad_send_1(to + lo - 1, from + lo - 1);
    if (beside && (q % JACOBI_PANEL == JACOBI_PANEL - 1 || q == g->span.n - 1))
        quad_send_1(to + hi, from + hi);
}

/* May be beyond the last step: then it sends nothing. */
TILE_FN void send_step(const ring *g, int step, int n_steps, int beside)
{
    const int panel = step / g->n_batches, first = step % g->n_batches * JACOBI_BATCH - beside;
    for (int r = g->row; step < n_steps && r < JACOBI_BATCH && first + r < g->rows + beside; r += g->row_step)
        for (int i = g->quad; i < JACOBI_PANEL && panel * JACOBI_PANEL + i < g->span.n; i += g->quad_step) {
            const int q = panel * JACOBI_PANEL + i, in_tile = first + r >= 0 && first + r < g->rows;
            send_quad(g, ring_row(g, step, r) + 4 * i, g->x + (first + r) * g->stride + 4 * q, q, beside && in_tile);
        }
    quad_sent();
}

/* The mean of its neighbours; where there are none to be looked at, itself. */
TILE_FN quad next_quad(const float *above, const float *x, const float *below, int beside)
{
    const quad here = quad_load(x);
    quad up, down, out;
    float left, right;
    if (!beside)
        return here;
    up = quad_load(above);
    down = quad_load(below);
    left = x[-1];
    right = x[4];
    QUAD_UNROLL
    for (int c = 0; c < 4; c++)
        out.v[c] = mean(up.v[c], down.v[c], c < 3 ? here.v[c + (c < 3)] : right, c > 0 ? here.v[c - (c > 0)] : left);
    return out;
}

/* The rows whose last neighbour has come with this step. */
TILE_FN void run_step(const ring *g, int step, int beside)
{
    const int panel = step / g->n_batches, first = step % g->n_batches * JACOBI_BATCH - 2 * beside;
    for (int r = g->row; r < JACOBI_BATCH && first + r < g->rows; r += g->row_step)
        for (int i = g->quad; first + r >= 0 && i < JACOBI_PANEL && panel * JACOBI_PANEL + i < g->span.n;
             i += g->quad_step) {
            const int q = panel * JACOBI_PANEL + i;
            const quad out = next_quad(ring_row(g, step, r - 2 * beside) + 4 * i, ring_row(g, step, r - beside) + 4 * i,
                                       ring_row(g, step, r) + 4 * i, beside);
            quad_store_part(g->y + (first + r) * g->stride + 4 * q, out, quad_lo(&g->span, q), quad_hi(&g->span, q));
        }
}

/* beside: a constant. */
TILE_FN void sweep_tuned(const heddle_lane *lane, const float *from, float *to, int64_t stride, const tile_rect *t,
                         int beside)
{
    const uint64_t at = tile_row(t, (uint64_t)stride, 0) - (t->col & 3u);
    ring g = {from + at, to + at, quad_shared(lane), stride, quads_of(t), (int)t->rows, 0, 0, 0, 0, 0};
    int n_steps;
    g.n_batches = (g.rows + 2 * beside + JACOBI_BATCH - 1) / JACOBI_BATCH;
    n_steps = g.n_batches * ((g.span.n + JACOBI_PANEL - 1) / JACOBI_PANEL);
    ring_share(&g, lane);
    for (int step = 0; step < 3; step++)
        send_step(&g, step, n_steps, beside);
    for (int step = 0; step < n_steps; step++) {
        quad_arrived_but_2();
        heddle_barrier(lane); /* the step before is done, too, and so the batch before that is free */
        send_step(&g, step + 3, n_steps, beside);
        run_step(&g, step, beside);
    }
}

TILE_FN int is_tuned(const heddle_lane *lane, const jacobi_record *app)
{
    return app->tuned && lane->count > 1 && app->stride % 4 == 0;
}

HEDDLE_BODY(jacobi_compute, jacobi_record, app, tile_rect, t)
{
    if (lane->count == 1)
        compute(app, t, tile_alone());
    else if (is_tuned(lane, app))
        sweep_tuned(lane, app->old, app->next, app->stride, t, 1);
    else
        compute(app, t, tile_share_of(lane));
}

HEDDLE_BODY(jacobi_copy, jacobi_record, app, tile_rect, t)
{
    if (lane->count == 1)
        copy(app, t, tile_alone());
    else if (is_tuned(lane, app))
        sweep_tuned(lane, app->next, app->old, app->stride, t, 0);
    else
        copy(app, t, tile_share_of(lane));
}

HEDDLE_APP(jacobi, jacobi_record, JACOBI_BODIES)
