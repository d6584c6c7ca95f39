/* SPDX-License-Identifier: MIT */
/* shows: who runs what goes to stderr, the count to stdout; task beside single
 * manner: tutorial */
#include <stdio.h>
#include <omp.h>

int main(void)
{
    int hellos = 0;
#pragma omp parallel
    {
        fprintf(stderr, "thread %d of %d\n", omp_get_thread_num(), omp_get_num_threads());
#pragma omp single
        {
            for (int i = 0; i < 8; i++) {
#pragma omp task firstprivate(i) shared(hellos)
                {
                    fprintf(stderr, "task %d on thread %d\n", i, omp_get_thread_num());
#pragma omp atomic update
                    hellos += i;
                }
            }
        }
    }
    printf("sum of greetings: %d\n", hellos);
    return 0;
}
