/* SPDX-License-Identifier: MIT */
/* construct: statements of all threads beside `single`, tasks that several threads create, work told apart by thread numbers,
 * regions inside of a region, `parallel for` and `parallel sections` with tasks, constructs of a team in functions
 * generated: the region's statement is run once, by a team of one thread; where a team would meet it waits for the tasks
 * flags: --region=parallel
 * warns: HC1[14][012] */
#include <stdio.h>

#include <omp.h>

#define N 48

static double a[N];

/* Each thread creates the tasks of its share. */
static void create_share(int number, int count)
{
    for (int i = number; i < N; i += count) {
#pragma omp task firstprivate(i)
        a[i] += 100 * i;
    }
}

static void in_function(int *seen)
{
#pragma omp for
    for (int i = 0; i < N; i++) {
#pragma omp task
        a[i] += 1;
    }
#pragma omp single
    {
        *seen = 0;
        for (int i = 0; i < N; i++)
            *seen += a[i] == 100 * i + 1;
    }
}

static double inner_regions(double *b, int *rounds)
{
    double sum = 0;
    int i;
#pragma omp parallel
#pragma omp single
    {
        for (int k = 0; k < N; k++) {
#pragma omp task
            b[k] = k;
        }
#pragma omp taskwait
#pragma omp parallel for private(i)
        for (i = 0; i < N; i++)
            a[i] = b[i] * omp_get_num_threads() / omp_get_num_threads();
#pragma omp parallel
        {
#pragma omp critical
            if (omp_get_thread_num() == 0)
                ++*rounds;
#pragma omp for
            for (int k = 0; k < N; k++) {
#pragma omp task
                a[k] += 1;
            }
        }
        for (int k = 0; k < N; k++)
            sum += a[k];
    }
    return sum;
}

int main(void)
{
    double b[N], sum = 0;
    int seen = -1, rounds = 0, in_all = 0, threads = 0, i = 5, last = -1;
#pragma omp parallel reduction(+ : in_all)
    {
        int number = omp_get_thread_num(), count = omp_get_num_threads();
        create_share(number, count);
#pragma omp barrier
        in_function(&seen);
        for (int k = number; k < N; k += count)
            in_all += k;
#pragma omp single
        threads += count > 0;
    }
    printf("%d %d %d\n", seen, in_all, threads);
#pragma omp parallel
    {
        for (int round = 0; round < 3; round++) {
#pragma omp single
            for (int k = 0; k < N; k++) {
#pragma omp task
                b[k] = (round ? b[k] : 0) + a[k];
            }
#pragma omp for reduction(+ : sum)
            for (int k = 0; k < N; k++)
                sum += b[k];
#pragma omp master
            rounds++;
#pragma omp barrier
        }
    }
    printf("%g %d\n", sum, rounds);
#pragma omp parallel for private(i) lastprivate(last)
    for (i = 0; i < N; i++) {
        last = i;
#pragma omp task
        b[i] = a[i] - 1;
    }
#pragma omp parallel sections
    {
#pragma omp section
        {
#pragma omp task
            b[0] = 7;
        }
#pragma omp section
        {
#pragma omp task
            b[1] = 8;
        }
    }
    printf("%g %g %g %d %d\n", b[0], b[1], b[N - 1], i, last);
    sum += inner_regions(b, &rounds);
    printf("%g %d %d\n", sum, rounds, i);
    return 0;
}
