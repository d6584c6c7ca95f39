/* SPDX-License-Identifier: MIT */
/* shows: pipelined sweep: depend on corner elements of 2-D blocks
 * manner: PRK, Sync_p2p
 * args: 4 90 70 30 35 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static inline void sweep_tile(int startm, int endm, int startn, int endn, int n, double grid[])
{
    for (int i = startm; i < endm; i++)
        for (int j = startn; j < endn; j++)
            grid[i * n + j] = grid[(i - 1) * n + j] + grid[i * n + (j - 1)] - grid[(i - 1) * n + (j - 1)];
}

int main(int argc, char *argv[])
{
    if (argc < 4)
        return 1;
    int iterations = atoi(argv[1]), m = atoi(argv[2]), n = atoi(argv[3]);
    int mc = argc > 4 ? atoi(argv[4]) : m, nc = argc > 5 ? atoi(argv[5]) : n;
    double *grid = calloc((size_t)m * n, sizeof(double));
    for (int j = 0; j < n; j++)
        grid[j] = j;
    for (int i = 0; i < m; i++)
        grid[i * n] = i;
#pragma omp parallel default(none) shared(grid) firstprivate(iterations, m, n, mc, nc)
#pragma omp master
    {
        for (int iter = 0; iter < iterations; iter++) {
            for (int i = 1; i < m; i += mc) {
                for (int j = 1; j < n; j += nc) {
#pragma omp task firstprivate(i, j) shared(grid)                                               \
    depend(in                                                                                  \
           : grid[(i - mc > 0 ? i - mc : 0) * n + j], grid[i * n + (j - nc > 0 ? j - nc : 0)]) \
        depend(out                                                                             \
               : grid[i * n + j])
                    sweep_tile(i, i + mc < m ? i + mc : m, j, j + nc < n ? j + nc : n, n, grid);
                }
            }
#pragma omp taskwait
            grid[0] = -grid[(m - 1) * n + (n - 1)];
        }
    }
    double corner = (double)iterations * (m + n - 2);
    printf("%s: %.0f\n", grid[(m - 1) * n + n - 1] == corner ? "Solution validates" : "ERROR", corner);
    free(grid);
    return 0;
}
