/* SPDX-License-Identifier: MIT */
/* 04_openmp - no call of heddle at all: OpenMP says what tasks read and write, and heddlec makes the calls.
 *
 *     heddlec main.c -o smooth                                on a GPU when there is one, else on CPU threads
 *     gcc -fopenmp main.c -o smooth                           the same program under OpenMP alone
 *
 * A row of cells is smoothed in place, block by block, in SWEEPS sweeps. A block waits for its left neighbour of this sweep
 * and for its right neighbour of the sweep before; so sweeps follow one another like waves, with no barrier between them. */
#include <stdio.h>

#define BLOCKS 8
#define CELLS 16
#define SWEEPS 5

static double cell[BLOCKS * CELLS + 2];

/* All threads of a block of threads run a task; `parallel for` shares its loop out over them. */
static void smooth(double *x, int n)
{
    double old[CELLS + 2];
#pragma omp parallel for
    for (int i = 0; i < n + 2; i++)
        old[i] = x[i - 1];
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        x[i] = 0.25 * old[i] + 0.5 * old[i + 1] + 0.25 * old[i + 2];
}

int main(void)
{
    double sum = 0;
    for (int i = 0; i < BLOCKS * CELLS + 2; i++)
        cell[i] = i % 7;
#pragma omp target parallel map(tofrom : cell)
#pragma omp single
    for (int s = 0; s < SWEEPS; s++)
        for (int b = 0; b < BLOCKS; b++) {
            int at = 1 + b * CELLS;
#pragma omp task depend(in : cell[at - 1], cell[at + CELLS]) depend(inout : cell [at:CELLS])
            smooth(&cell[at], CELLS);
        }
    for (int i = 1; i <= BLOCKS * CELLS; i++)
        sum += cell[i];
    printf("%d tasks, sum %.6f\n", SWEEPS * BLOCKS, sum);
    return 0;
}
