/* SPDX-License-Identifier: MIT */
/* several_files_2.c - the second source of several_files.c: kernels, and a function that creates tasks. */
#include "several_files.h"

int shared_table[4] = {10, 20, 30, 40};

/* Another helper than that of the first file. */
static int helper(int x) { return 2 * x; }

int kernel(int x, int y) { return helper(x) * 3 + y; }

void create(struct work *w, int step)
{
    for (int i = 0; i < w->n; i += step) {
#pragma omp task depend(inout : w->v[i])
        for (int k = i; k < i + step; k++)
            w->v[k] = kernel(w->v[k], shared_table[k % 4]);
    }
}
