/* SPDX-License-Identifier: MIT */
/* lu_bodies.c - lu0 decomposes a diagonal block; fwd solves L X = A for a block to the right of it, bdiv X U = A for a
 * block below it; bmod subtracts a product. lu0 fails with code k + 1 when pivot k is 0 or not a number.
 *
 * Each number receives its updates one after the other, in ascending order of k, whatever the lanes and the version:
 * results are the same bits, where the compiler does not fuse products with sums (-ffp-contract=off, -fmad=false).
 *
 * Portable version. The work of all but lu0 is one kernel: from a few neighbouring numbers of a row, kept in registers,
 * a row of L times columns of U is taken. Tiles of several rows would read less, but gcc 12 makes vectors down their
 * columns and spends its time on turning them; a row of 16 has enough independent chains to fill the pipeline.
 *
 * Tuned version: lu_tuned.h. */
#include "lu_bodies.h"

#include "lu_tuned.h"

#define PANEL 16
#define NARROW 4

HEDDLE_BODY(lu_lu0, lu_record, app, lu_one, t)
{
    const int b = (int)app->b;
    float *a = app->a + t->diag;
    if (lu_is_tuned(lane, app)) {
        lu_decompose(lane, a, b);
        return;
    }
    for (int k = 0; k < b; k++) {
        const float *up = a + k * b;
        float pivot = up[k];
        if (!(pivot < 0 || pivot > 0)) {
            if (lane->index == 0)
                heddle_fail(lane, (uint32_t)k + 1u);
            return; /* all lanes: they see the same pivot */
        }
        HEDDLE_EACH (i, b - 1 - k) {
            float *row = a + (k + 1 + i) * b;
            float l = row[k] / pivot;
            row[k] = l;
            for (int j = k + 1; j < b; j++)
                row[j] -= l * up[j];
        }
        heddle_barrier(lane); /* the next row of U is complete */
    }
}

/* Of x, `width` numbers (a constant), takes l[0..n) times n rows of u, which are b apart. */
TILE_FN void subtract(const float *l, const float *u, float *x, int b, int n, int width)
{
    float sum[PANEL];
    for (int j = 0; j < width; j++)
        sum[j] = x[j];
    for (int k = 0; k < n; k++)
        for (int j = 0; j < width; j++)
            sum[j] -= l[k] * u[(int64_t)k * b + j];
    for (int j = 0; j < width; j++)
        x[j] = sum[j];
}

/* The same for any number of columns. */
TILE_FN void subtract_row(const float *l, const float *u, float *x, int b, int n, int cols)
{
    int j = 0;
    for (; j + PANEL <= cols; j += PANEL)
        subtract(l, u + j, x + j, b, n, PANEL);
    for (; j + NARROW <= cols; j += NARROW)
        subtract(l, u + j, x + j, b, n, NARROW);
    for (; j < cols; j++)
        subtract(l, u + j, x + j, b, n, 1);
}

/* Columns of X are independent: one lane takes them all, many lanes one each. */
HEDDLE_BODY(lu_fwd, lu_record, app, lu_two, t)
{
    const int b = (int)app->b;
    const float *l = app->a + t->diag;
    float *x = app->a + t->at;
    if (lu_is_tuned(lane, app)) {
        lu_forward(lane, l, x, b, b, b);
        return;
    }
    if (lane->count == 1) {
        for (int i = 1; i < b; i++)
            subtract_row(l + i * b, x, x + i * b, b, i, b);
        return;
    }
    HEDDLE_EACH (j, b)
        for (int i = 1; i < b; i++)
            subtract(l + i * b, x + j, x + i * b + j, b, i, 1);
}

/* Numbers done .. done + width - 1 of a row of X (width a constant), of which earlier panels are subtracted already;
 * the panel began at `panel`. */
TILE_FN void solve(const float *u, float *row, int b, int panel, int done, int width)
{
    subtract(row + panel, u + panel * b + done, row + done, b, done - panel, width);
    for (int k = done; k < done + width; k++) {
        row[k] /= u[k * b + k];
        for (int j = k + 1; j < done + width; j++)
            row[j] -= row[k] * u[k * b + j];
    }
}

/* Rows of X are independent, and a lane keeps to its own. Panel by panel through all of them: within a row each number
 * waits for a division, and the next row's is begun meanwhile. */
HEDDLE_BODY(lu_bdiv, lu_record, app, lu_two, t)
{
    const int b = (int)app->b;
    const float *u = app->a + t->diag;
    float *x = app->a + t->at;
    if (lu_is_tuned(lane, app)) {
        lu_backward(lane, u, x, b, b, b);
        return;
    }
    for (int panel = 0; panel < b; panel += PANEL) {
        int end = b - panel < PANEL ? b : panel + PANEL, done = panel;
        HEDDLE_EACH (i, b)
            subtract_row(x + i * b, u + panel, x + i * b + panel, b, panel, end - panel);
        for (; done + NARROW <= end; done += NARROW)
            HEDDLE_EACH (i, b)
                solve(u, x + i * b, b, panel, done, NARROW);
        for (; done < end; done++)
            HEDDLE_EACH (i, b)
                solve(u, x + i * b, b, panel, done, 1);
    }
}

HEDDLE_BODY(lu_bmod, lu_record, app, lu_three, t)
{
    const int b = (int)app->b;
    const float *left = app->a + t->left, *up = app->a + t->up;
    float *at = app->a + t->at;
    if (lu_is_tuned(lane, app)) {
        lu_product(lane, at, left, up, b, b, b, b);
        return;
    }
    if (lane->count == 1) {
        for (int i = 0; i < b; i++)
            subtract_row(left + i * b, up, at + i * b, b, b, b);
        return;
    }
    HEDDLE_EACH (p, b * b)
        subtract(left + p / b * b, up + p % b, at + p, b, b, 1);
}

HEDDLE_APP(lu, lu_record, LU_BODIES)
