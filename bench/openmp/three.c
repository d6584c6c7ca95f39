/* SPDX-License-Identifier: MIT */
/* three.c - a program for heddlec. Its tasks have three dependences each and almost no work: a blocked LU decomposition
 * without its sparse parts. Each region is one block per side larger than the last, so that none is known.
 *
 *     three [BLOCKS [REGIONS]]
 *
 * Prints the number of tasks run. HEDDLE_OMP_VERBOSE=1 prints the time of creating them; see translated.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS 16 /* per block */

static void add(const unsigned *row, const unsigned *column, unsigned *inner) { inner[0] += row[0] * column[0]; }

static void region(unsigned *a, size_t n)
{
    size_t cells = n * n * CELLS;
#pragma omp target parallel map(tofrom : a [0:cells])
#pragma omp single
    for (size_t k = 0; k < n; k++)
        for (size_t i = k + 1; i < n; i++)
            for (size_t j = k + 1; j < n; j++) {
                unsigned *row = a + (i * n + k) * CELLS, *column = a + (k * n + j) * CELLS;
                unsigned *inner = a + (i * n + j) * CELLS;
#pragma omp task depend(in : row [0:CELLS], column [0:CELLS]) depend(inout : inner [0:CELLS])
                add(row, column, inner);
            }
}

static void set(unsigned *a, size_t n)
{
    for (size_t i = 0; i < n * n * CELLS; i++)
        a[i] = 1;
}

static void in_order(unsigned *a, size_t n)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = k + 1; i < n; i++)
            for (size_t j = k + 1; j < n; j++)
                add(a + (i * n + k) * CELLS, a + (k * n + j) * CELLS, a + (i * n + j) * CELLS);
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 72, rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 9,
           tasks = 0;
    for (size_t last = n + rounds; n < last; n++) {
        size_t bytes = n * n * CELLS * sizeof(unsigned);
        unsigned *a = malloc(bytes), *want = malloc(bytes);
        if (!a || !want)
            return 1;
        set(a, n);
        set(want, n);
        region(a, n);
        in_order(want, n);
        if (memcmp(a, want, bytes) != 0) {
            fprintf(stderr, "three: tasks ran in a wrong order\n");
            return 1;
        }
        free(a);
        free(want);
        tasks += n * (n - 1) * (2 * n - 1) / 6;
    }
    printf("%zu\n", tasks);
    return 0;
}
