/* SPDX-License-Identifier: MIT */
/* slu_solve.c - see slu_solve.h: forward substitution with L (unit diagonal), back substitution with U, and the residual. */
#include "slu_solve.h"
#include "app.h"

#include <math.h>
#include <stdlib.h>

/* Maps a factor of a sum's terms: to itself, or to its magnitude. */
typedef double (*factor_fn)(double v);
static double plain(double v) { return v; }

/* Row r of an array of blocks, from column begin to before end, times x. */
static double row_times(const slu_matrix *m, const double *a, uint64_t r, uint64_t begin, uint64_t end, const double *x,
                        factor_fn of)
{
    double sum = 0;
    for (uint64_t j = begin / m->b; j * m->b < end; j++) {
        const uint64_t at = j * m->b, first = at < begin ? begin : at, last = at + m->b < end ? at + m->b : end;
        if (slu_slot(m, r / m->b, j) == SLU_NONE)
            continue;
        const double *row = a + slu_place(m, r, at);
        for (uint64_t c = first; c < last; c++)
            sum += of(row[c - at]) * of(x[c]);
    }
    return sum;
}

static void substitute(const slu_matrix *m, const double *lu, const double *right, double *x)
{
    const uint64_t n = m->n_dim * m->b;
    for (uint64_t r = 0; r < n; r++)
        x[r] = right[r] - row_times(m, lu, r, 0, r, x, plain);
    for (uint64_t r = n; r-- > 0;)
        x[r] = (x[r] - row_times(m, lu, r, r + 1, n, x, plain)) / lu[slu_place(m, r, r)];
}

/* The larger; NaN if either is. */
static double more(double a, double b) { return a > b ? a : a <= b ? b : NAN; }

static slu_solution judge(const slu_matrix *m, const double *right, const double *x)
{
    const uint64_t n = m->n_dim * m->b;
    double largest = 0;
    slu_solution s = {0, 0};
    for (uint64_t r = 0; r < n; r++) {
        s.error = more(s.error, fabs(x[r] - 1));
        s.residual = more(s.residual, fabs(right[r] - row_times(m, m->start, r, 0, n, x, plain)));
        largest = more(largest, row_times(m, m->start, r, 0, n, x, fabs));
    }
    s.residual /= largest;
    return s;
}

int slu_solve(const slu_matrix *m, const double *lu, slu_solution *out, char *error)
{
    const uint64_t n = m->n_dim * m->b;
    double *right = app_alloc(2 * n, sizeof *right, "the solution", error), *x = right + n;
    if (!right)
        return -1;
    for (uint64_t r = 0; r < n; r++)
        x[r] = 1;
    for (uint64_t r = 0; r < n; r++)
        right[r] = row_times(m, m->start, r, 0, n, x, plain);
    substitute(m, lu, right, x);
    *out = judge(m, right, x);
    free(right);
    return 0;
}
