/* SPDX-License-Identifier: MIT */
/* construct: a creator that uses elements which its tasks write: recursion that goes on itself where it creates no task
 * generated: the statement of `single` runs as a task, and its tasks are tasks in a task, with a warning
 * warns: HC213
 * flags: --region=parallel */
#include <stdio.h>

static void quicksort(double *v, int left, int right, int cutoff)
{
    int i = left, j = right;
    double pivot = v[left + (right - left) / 2];
    while (i <= j) {
        while (v[i] < pivot)
            i++;
        while (v[j] > pivot)
            j--;
        if (i <= j) {
            double t = v[i];
            v[i++] = v[j];
            v[j--] = t;
        }
    }
    if (right - left < cutoff) {
        if (left < j)
            quicksort(v, left, j, cutoff);
        if (i < right)
            quicksort(v, i, right, cutoff);
        return;
    }
#pragma omp task
    quicksort(v, left, j, cutoff);
    if (i < right)
        quicksort(v, i, right, cutoff);
}

/* Private variables of the region, and a value that is read behind it. */
static int rounds(double *v, int n)
{
    int count = 0, k = 3, seen = -1;
#pragma omp parallel firstprivate(k) shared(seen)
    {
        int inside = 5;
#pragma omp single
        {
            for (k = 0; k < 4; k++) {
#pragma omp task shared(count) firstprivate(k)
                {
#pragma omp atomic
                    count += k + inside;
                    v[k] = -k;
                }
                if (v[n - 1] > 0 && k == 2)
                    inside++;
            }
#pragma omp taskwait
            seen = count + inside + (int)v[3];
        }
    }
    return 1000 * seen + 10 * count + k;
}

int main(void)
{
    enum { N = 700 };
    static double v[N];
    unsigned long sum = 0;
    for (int i = 0; i < N; i++)
        v[i] = (i * 7919) % 1009 / 7.0;
#pragma omp parallel
    {
#pragma omp master
        quicksort(v, 0, N - 1, 20);
    }
    for (int i = 0; i < N; i++)
        sum = sum * 31 + (unsigned long)(v[i] * 7 + 0.5);
    printf("%lu\n", sum);
    printf("%d\n", rounds(v, N));
    return 0;
}
