/* SPDX-License-Identifier: MIT */
/* shows: a task that waits for all chunks by an iterator
 * manner: OpenMP 5.0's examples */
#include <stdio.h>

#define N 12

int main(void)
{
    int v[N], total = 0;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < N; i++) {
#pragma omp task depend(out : v[i]) shared(v)
            v[i] = i * i;
        }
#pragma omp task depend(iterator(k = 0 : N), in : v[k]) shared(v, total)
        {
            for (int i = 0; i < N; i++)
                total += v[i];
        }
    }
    printf("total = %d\n", total);
    return 0;
}
