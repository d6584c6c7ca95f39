/* SPDX-License-Identifier: MIT */
/* construct: a region whose team is of one thread, and tasks that tell themselves apart by thread numbers
 * generated: its tasks run as they are met, by that thread
 * flags: --region=parallel
 * warns: HC142 */
#include <stdio.h>
#include <stdlib.h>

#include <omp.h>

#define N 64

int main(void)
{
    int *counts = NULL, total = 0, n = 0;
#pragma omp parallel
    {
#pragma omp master
        {
            n = omp_get_num_threads();
            counts = calloc((size_t)n, sizeof *counts);
        }
#pragma omp barrier
        for (int i = omp_get_thread_num(); i < N; i += omp_get_num_threads()) {
#pragma omp task
            counts[omp_get_thread_num()]++;
        }
    }
    for (int i = 0; i < n; i++)
        total += counts[i];
    printf("%d\n", total);
    free(counts);
    return 0;
}
