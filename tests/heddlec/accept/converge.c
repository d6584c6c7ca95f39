/* SPDX-License-Identifier: MIT */
/* construct: `taskwait` after which the host reads what tasks wrote (a loop until convergence)
 * generated: the region is split: run, wait, copy back, go on */
#include <math.h>
#include <stdio.h>

#define N 64

static void relax(const double *x, double *y, double *change, int begin, int end)
{
    double most = 0;
#pragma omp parallel for reduction(max : most)
    for (int i = begin; i < end; i++) {
        y[i] = i == 0 || i == N - 1 ? x[i] : 0.5 * (x[i - 1] + x[i + 1]);
        double d = fabs(y[i] - x[i]);
        if (d > most)
            most = d;
    }
    *change = most;
}

int main(void)
{
    double x[N], y[N], change[4], worst = 1;
    int rounds = 0;
    for (int i = 0; i < N; i++)
        x[i] = i % 5;
#pragma omp target parallel map(tofrom : x, y, change, rounds)
#pragma omp single
    while (worst > 1e-3 && rounds < 500) {
        for (int b = 0; b < 4; b++) {
#pragma omp task
            relax(x, y, &change[b], b * 16, b * 16 + 16);
        }
#pragma omp taskwait
        for (int b = 0; b < 4; b++) {
#pragma omp task
            for (int i = b * 16; i < b * 16 + 16; i++)
                x[i] = y[i];
        }
#pragma omp taskwait
        worst = 0;
        for (int b = 0; b < 4; b++)
            if (change[b] > worst)
                worst = change[b];
        rounds++;
    }
    printf("%d %.9f %.9f\n", rounds, x[1], x[N / 2]);
    return 0;
}
