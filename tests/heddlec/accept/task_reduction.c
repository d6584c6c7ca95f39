/* SPDX-License-Identifier: MIT */
/* construct: `reduction` of a taskloop; `task_reduction`, `reduction(task, ...)` and `in_reduction` of numbers
 * generated: each task has a copy, which it adds to the variable at its end, one task at a time
 * flags: --region=parallel */
#include <stdio.h>

#define N 200

static long all = 1;

static void count(const int *a, int n, int *sum, double *largest)
{
    int inside = 0;
    double top = -1e9;
#pragma omp taskgroup task_reduction(+ : inside) task_reduction(max : top)
    {
        for (int k = 0; k < n; k += 50) {
#pragma omp task in_reduction(+ : inside) in_reduction(max : top)
            {
                int own = 0;
#pragma omp parallel for reduction(+ : own)
                for (int i = k; i < k + 50; i++)
                    own += a[i];
                inside += own;
                for (int i = k; i < k + 50; i++)
                    if (a[i] > top)
                        top = a[i];
            }
        }
    }
    *sum = inside;
    *largest = top;
}

int main(void)
{
    int a[N], sum = 5, from_function = 0, least = 1 << 20;
    unsigned bits = 0;
    double product = 1, largest = 0, added = 0.5;
    for (int i = 0; i < N; i++)
        a[i] = (i * 37) % 101 - 20;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop reduction(+ : sum, added) reduction(min : least) num_tasks(7)
        for (int i = 0; i < N; i++) {
            sum += a[i];
            added += a[i] * 0.5;
            if (a[i] < least)
                least = a[i];
        }
        printf("%d %d %g\n", sum, least, added);
#pragma omp taskgroup task_reduction(* : product) task_reduction(| : bits) task_reduction(+ : all)
        {
            for (int i = 0; i < 8; i++) {
#pragma omp task in_reduction(* : product) in_reduction(| : bits) in_reduction(+ : all)
                {
                    product *= i + 1;
                    bits |= 1u << i;
                    all += i;
                }
            }
#pragma omp taskloop in_reduction(+ : all) nogroup grainsize(10)
            for (int i = 0; i < 50; i++) {
#pragma omp parallel for reduction(+ : all)
                for (int k = 0; k < 4; k++)
                    all += k;
            }
        }
        count(a, N, &from_function, &largest);
    }
    printf("%g %x %ld %d %g\n", product, bits, all, from_function, largest);
    sum = 0;
#pragma omp parallel reduction(task, + : sum)
    {
#pragma omp single
        for (int i = 0; i < N; i++) {
#pragma omp task in_reduction(+ : sum)
            sum += a[i];
        }
    }
    printf("%d\n", sum);
    return 0;
}
