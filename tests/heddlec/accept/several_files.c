/* SPDX-License-Identifier: MIT */
/* construct: several source files: kernels, and functions that create tasks, elsewhere
 * generated: one file of bodies for all sources
 * also: parts/several_files_2.c */
#include <stdio.h>

#include "parts/several_files.h"

static int helper(int x) { return x + 1; }

int main(void)
{
    unsigned long sum = 0;
    struct work w = {20, {0}};
    for (int i = 0; i < 20; i++)
        w.v[i] = i;
#pragma omp target parallel map(tofrom : w, shared_table)
#pragma omp single
    {
        create(&w, 4);
#pragma omp task depend(inout : w.v[0])
        w.v[0] = kernel(w.v[0], helper(2)) + shared_table[1];
    }
    for (int i = 0; i < 20; i++)
        sum = sum * 3 + (unsigned long)w.v[i];
    printf("%lu %d\n", sum, shared_table[0]);
    return 0;
}
