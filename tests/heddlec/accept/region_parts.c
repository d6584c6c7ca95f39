/* SPDX-License-Identifier: MIT */
/* construct: a region of several `single`, `master`, `for`, `sections` and `barrier`, also with tasks in a `for`
 * generated: one thread does them in their order; where all threads would meet it waits for the tasks
 * flags: --region=parallel */
#include <stdio.h>

#define N 40

int main(void)
{
    double a[N], b[N], sum = 0;
    int i = 77, n_big = 0;
#pragma omp parallel shared(a, b) private(i)
    {
#pragma omp for
        for (i = 0; i < N; i++)
            a[i] = i;
#pragma omp for
        for (i = 0; i < N; i += 10) {
#pragma omp task depend(inout : a[i])
            a[i] += 3;
        }
#pragma omp single
        for (int k = 0; k < N; k += 10) {
#pragma omp task depend(inout : a [k:10])
            for (int j = k; j < k + 10; j++)
                a[j] *= 2;
        }
#pragma omp for reduction(+ : sum)
        for (i = 0; i < N; i++) {
            b[i] = a[i] + 1;
            sum += b[i];
        }
#pragma omp master
        for (int k = 0; k < N; k += 10) {
#pragma omp task shared(n_big)
            for (int j = k; j < k + 10; j++)
                if (b[j] > 30) {
#pragma omp atomic
                    n_big++;
                }
        }
#pragma omp barrier
#pragma omp single nowait
        printf("%d\n", n_big);
    }
    printf("%d %g %g\n", i, b[N - 1], sum);
    return 0;
}
