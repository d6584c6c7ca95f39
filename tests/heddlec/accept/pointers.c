/* SPDX-License-Identifier: MIT */
/* construct: pointers computed where tasks are created, `firstprivate` by rule
 * generated: the record keeps the host's address; it is translated when the graph is made */
#include <stdio.h>

#define N 4
#define B 16

static double store[N * N][B];

static double *block(int i, int j) { return store[i * N + j]; }

static void axpy(double *y, const double *x, int n)
{
#pragma omp parallel for
    for (int k = 0; k < n; k++)
        y[k] += 2 * x[k];
}

int main(void)
{
    double sum = 0;
    for (int i = 0; i < N * N; i++)
        for (int k = 0; k < B; k++)
            store[i][k] = i + 0.1 * k;
#pragma omp target parallel map(tofrom : store)
#pragma omp single
    for (int k = 0; k < N; k++) {
        double *diag = block(k, k);
        for (int i = 0; i < N; i++) {
            if (i == k)
                continue;
            double *at = block(i, k), *end = at + B - 2, *none = NULL;
#pragma omp task depend(in : diag [0:B]) depend(inout : at [0:B])
            {
                axpy(at, diag, B);
                if (!none)
                    end[1] = 7;
            }
        }
    }
    for (int i = 0; i < N * N; i++)
        for (int k = 0; k < B; k++)
            sum += store[i][k] * (k + i);
    printf("%.9g\n", sum);
    return 0;
}
