/* SPDX-License-Identifier: MIT */
/* lu_plain.h - the four operations of a blocked LU decomposition as plain loops, on square blocks of lu_number, which
 * the including file defines as float or double. In the common part of C, C++ and CUDA.
 *
 * Each number receives its updates one by one, in ascending order of k, for any number of threads. Results are bitwise
 * equal if the compiler does not fuse products with sums (-ffp-contract=off, -fmad=false).
 *
 * All but lu0 spend their time in one kernel: it subtracts a row of L times columns of U from a few neighbouring
 * numbers of a row, kept in registers. Tiles of several rows would read less, but gcc 12 vectorizes them down their
 * columns and spends its time on transposing; a row of 16 has enough independent chains to fill the pipeline. */
#ifndef LU_PLAIN_H
#define LU_PLAIN_H

#include "tile.h"

#define LU_PANEL 16
#define LU_NARROW 4

/* A = L U in place. Fails with code k + 1 when pivot k is 0 or not a number. */
TILE_FN void lu_plain_lu0(const heddle_thread *thread, lu_number *a, int b)
{
    for (int k = 0; k < b; k++) {
        const lu_number *up = a + k * b;
        lu_number pivot = up[k];
        if (!(pivot < 0 || pivot > 0)) {
            if (thread->index == 0)
                heddle_task_fail(thread, (uint32_t)k + 1u);
            return; /* uniform: all threads see the same pivot */
        }
        HEDDLE_EACH (i, b - 1 - k) {
            lu_number *row = a + (k + 1 + i) * b;
            lu_number l = row[k] / pivot;
            row[k] = l;
            for (int j = k + 1; j < b; j++)
                row[j] -= l * up[j];
        }
        heddle_team_barrier(thread); /* the next row of U is complete */
    }
}

/* Subtracts l[0..n) times n rows of u, which are b apart, from `width` numbers of x (a constant). */
TILE_FN void lu_plain_subtract(const lu_number *l, const lu_number *u, lu_number *x, int b, int n, int width)
{
    lu_number sum[LU_PANEL];
    for (int j = 0; j < width; j++)
        sum[j] = x[j];
    for (int k = 0; k < n; k++)
        for (int j = 0; j < width; j++)
            sum[j] -= l[k] * u[(int64_t)k * b + j];
    for (int j = 0; j < width; j++)
        x[j] = sum[j];
}

/* The same for any number of columns. */
TILE_FN void lu_plain_subtract_row(const lu_number *l, const lu_number *u, lu_number *x, int b, int n, int cols)
{
    int j = 0;
    for (; j + LU_PANEL <= cols; j += LU_PANEL)
        lu_plain_subtract(l, u + j, x + j, b, n, LU_PANEL);
    for (; j + LU_NARROW <= cols; j += LU_NARROW)
        lu_plain_subtract(l, u + j, x + j, b, n, LU_NARROW);
    for (; j < cols; j++)
        lu_plain_subtract(l, u + j, x + j, b, n, 1);
}

/* L X = A. Columns of X are independent: one thread takes all, many threads one each. */
TILE_FN void lu_plain_fwd(const heddle_thread *thread, const lu_number *l, lu_number *x, int b)
{
    if (thread->team_size == 1) {
        for (int i = 1; i < b; i++)
            lu_plain_subtract_row(l + i * b, x, x + i * b, b, i, b);
        return;
    }
    HEDDLE_EACH (j, b)
        for (int i = 1; i < b; i++)
            lu_plain_subtract(l + i * b, x + j, x + i * b + j, b, i, 1);
}

/* Numbers done .. done + width - 1 of a row of X (width a constant), with earlier panels already subtracted; the panel
 * begins at `panel`. */
TILE_FN void lu_plain_solve(const lu_number *u, lu_number *row, int b, int panel, int done, int width)
{
    lu_plain_subtract(row + panel, u + panel * b + done, row + done, b, done - panel, width);
    for (int k = done; k < done + width; k++) {
        row[k] /= u[k * b + k];
        for (int j = k + 1; j < done + width; j++)
            row[j] -= row[k] * u[k * b + j];
    }
}

/* X U = A. Rows of X are independent, and a thread keeps its own. Goes through all rows panel by panel: a row's numbers
 * wait for a division each, and the next row's starts meanwhile. */
TILE_FN void lu_plain_bdiv(const heddle_thread *thread, const lu_number *u, lu_number *x, int b)
{
    for (int panel = 0; panel < b; panel += LU_PANEL) {
        int end = b - panel < LU_PANEL ? b : panel + LU_PANEL, done = panel;
        HEDDLE_EACH (i, b)
            lu_plain_subtract_row(x + i * b, u + panel, x + i * b + panel, b, panel, end - panel);
        for (; done + LU_NARROW <= end; done += LU_NARROW)
            HEDDLE_EACH (i, b)
                lu_plain_solve(u, x + i * b, b, panel, done, LU_NARROW);
        for (; done < end; done++)
            HEDDLE_EACH (i, b)
                lu_plain_solve(u, x + i * b, b, panel, done, 1);
    }
}

/* C -= L U. */
TILE_FN void lu_plain_bmod(const heddle_thread *thread, const lu_number *left, const lu_number *up, lu_number *at,
                           int b)
{
    if (thread->team_size == 1) {
        for (int i = 0; i < b; i++)
            lu_plain_subtract_row(left + i * b, up, at + i * b, b, b, b);
        return;
    }
    HEDDLE_EACH (p, b * b)
        lu_plain_subtract(left + p / b * b, up + p % b, at + p, b, b, 1);
}

#endif
