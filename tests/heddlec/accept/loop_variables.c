/* SPDX-License-Identifier: MIT */
/* construct: what loop variables are behind `taskloop lastprivate` and `simd`; `grainsize(strict: ...)`
 * generated: the last chunk writes the value the whole loop ends with; strict chunks have just so many iterations
 * flags: --region=parallel */
#include <stdio.h>

int q, sizes[16], n_chunks;

static int twice(int n)
{
    int i, *p = &i;
#pragma omp taskloop lastprivate(i)
    for (i = 0; i < n; i += 2)
        ;
    return *p;
}

static int after_simd(int n)
{
    int i = 0, sum = 0;
#pragma omp task shared(i, sum) if (0)
    {
#pragma omp simd
        for (i = 0; i < n; i++)
            ;
        sum = i;
    }
    return i + sum;
}

static void chunks(int n)
{
    int mine = -1;
#pragma omp taskloop firstprivate(mine) grainsize(strict : 7) lastprivate(q)
    for (int i = 0; i < n; i++) {
        if (mine < 0) {
#pragma omp atomic capture
            mine = n_chunks++;
        }
        sizes[mine]++;
        q = i * 3;
    }
}

int main(void)
{
    int i, j, m = 0, seven = 0;
    double c[50] = {0};
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop shared(c) lastprivate(i, j) collapse(2)
        for (i = 0; i < 5; i++)
            for (j = 9; j >= 0; j--)
                c[i * 10 + j] += i - j;
        m = i * 100 + j;
        printf("%d %d\n", twice(9), after_simd(12));
        chunks(24);
    }
    for (i = 0; i < n_chunks; i++)
        seven += sizes[i] == 7;
    printf("%d %g %d %d %d\n", m, c[43], n_chunks, seven, q);
    return 0;
}
