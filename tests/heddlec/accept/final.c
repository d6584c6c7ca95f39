/* SPDX-License-Identifier: MIT */
/* construct: `final`, `omp_in_final`
 * generated: the clause's value in the record, for the body and the functions it calls; at once: around the statement
 * flags: --region=parallel */
#include <omp.h>
#include <stdio.h>

static int depth(int n)
{
    if (n == 0)
        return omp_in_final() ? 100 : 0;
    return depth(n - 1) + omp_in_final();
}

static void make(int n, int *x)
{
    for (int i = 0; i < n; i++) {
#pragma omp task final(i > 3) firstprivate(i)
        x[i] = depth(i) + 1000 * omp_in_final();
    }
#pragma omp taskloop final(n & 1) num_tasks(2)
    for (int i = n; i < 2 * n; i++)
        x[i] = omp_in_final();
#pragma omp task shared(n)
    x[2 * n] = omp_in_final() + 5;
#pragma omp taskwait
}

int main(void)
{
    int x[32] = {0};
    make(7, x);
#pragma omp parallel
#pragma omp single
    make(7, x + 16);
    for (int i = 0; i < 32; i++)
        printf("%d%c", x[i], i % 16 == 15 ? '\n' : ' ');
    printf("%d\n", omp_in_final());
    return 0;
}
