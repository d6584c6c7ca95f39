/* SPDX-License-Identifier: MIT */
/* shows: partial sums in a heap array of omp_get_max_threads()
 * manner: university course */
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

int main(void)
{
    int n = 1000, p = omp_get_max_threads();
    long *partial = (long *)calloc(p, sizeof(long));
    int *v = malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        v[i] = i;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < n; i += 50) {
#pragma omp task firstprivate(i)
        {
            for (int k = i; k < i + 50; k++)
                partial[omp_get_thread_num()] += v[k];
        }
    }
    long sum = 0;
    for (int t = 0; t < p; t++)
        sum += partial[t];
    printf("%ld\n", sum);
    free(partial);
    free(v);
    return 0;
}
