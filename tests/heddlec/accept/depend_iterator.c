/* SPDX-License-Identifier: MIT */
/* construct: `depend(iterator(i = b:e:s), in: ...)`, also several and with types; `taskwait depend(...)`
 * generated: loops around the dependence; the taskwait waits for all tasks
 * flags: --region=parallel */
#include <stdio.h>

#define N 6

static double cell[N][4];
static long total;

static void fill(double *row, int i)
{
    for (int k = 0; k < 4; k++)
        row[k] = i * 10 + k;
}

int main(void)
{
    double last = 0;
    int n = N;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < n; i++) {
#pragma omp task depend(out : cell[i] [0:4])
            fill(cell[i], i);
        }
#pragma omp task depend(iterator(long i = 0 : n, k = 3 : -1 : -1), in : cell[i][k]) depend(out : total)
        for (int i = 0; i < N; i++)
            total += (long)(cell[i][0] + cell[i][3]);
#pragma omp task depend(iterator(i = n - 1 : 0 : -2), inout : cell[i] [0:4]) depend(in : total) shared(last)
        for (int i = N - 1; i > 0; i -= 2)
            last += cell[i][1] + (double)total;
#pragma omp taskwait depend(in : total)
        printf("%ld\n", total);
    }
    printf("%g\n", last);
    return 0;
}
