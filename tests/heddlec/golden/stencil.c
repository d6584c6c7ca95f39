/* SPDX-License-Identifier: MIT */
/* Arrays of variable length: as parameters, as pointers to rows, as locals, in casts and sizeof, as types with names. */
// clang-format off
typedef unsigned long size;
void *allocate(size n_bytes);
void release(void *p);

static void sweep(int n, int m, double a[n][m], double (*restrict b)[m], const double weights[const restrict static 3])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j + 1 < m; ++j)
            b[i][j] = weights[0] * a[i][j] + weights[1] * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + (*(a + i))[j + 1]);
}

double stencil(int n, int m, int steps)
{
    double (*grid)[n][m] = allocate(2 * sizeof(double[n][m])), sum = 0, *flat = (double *)grid;
    double (*rows)[m] = (double (*)[m])flat, weights[] = {0.5, 0.125, 0};
    typedef int line[m];
    line marks, *pm = &marks;
    double halo[n + 2][m + 2], (*inside)[m + 2] = halo + 1;
    size bytes = sizeof halo + sizeof(*grid) + sizeof(line) + sizeof(double (*)[m]) + sizeof *pm;

    for (int s = 0; s < steps; s++) {
        double (*from)[m] = grid[s % 2], (*to)[m] = s % 2 ? *grid : grid[1];
#pragma omp task depend(in : from[0 : n][0 : m]) depend(out : to[1 : n - 2][1 : m - 2]) firstprivate(from, to)
        sweep(n, m, from, to, weights);
    }
#pragma omp taskwait
    for (double (*row)[m] = rows; row < rows + n; row++)
        sum += (*row)[0] + row[0][1], marks[0]++, inside[0][0] = (*pm)[0];
    release(grid);
    return sum + bytes;
}
