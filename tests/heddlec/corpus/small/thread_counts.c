/* SPDX-License-Identifier: MIT */
/* shows: an array by omp_get_thread_num inside tasks, omp_set_num_threads first
 * manner: blog post */
#include <omp.h>
#include <stdio.h>

#define THREADS 4
#define TASKS 100

int main(void)
{
    int per_thread[THREADS] = {0};
    omp_set_num_threads(THREADS);
#pragma omp parallel
    {
#pragma omp single
        for (int i = 0; i < TASKS; i++) {
#pragma omp task
            {
                int t = omp_get_thread_num();
#pragma omp atomic
                per_thread[t]++;
            }
        }
    }
    int sum = 0;
    for (int t = 0; t < THREADS; t++) {
        fprintf(stderr, "thread %d: %d tasks\n", t, per_thread[t]);
        sum += per_thread[t];
    }
    printf("%d tasks in all\n", sum);
    return 0;
}
