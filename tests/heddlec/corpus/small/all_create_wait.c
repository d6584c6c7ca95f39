/* SPDX-License-Identifier: MIT */
/* shows: tasks of every thread, a barrier between, results in an array by thread
 * manner: validation suite */
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

#define TASKS 5

int main(void)
{
    int max = omp_get_max_threads(), wrong = 0;
    int(*done)[TASKS] = calloc(max, sizeof *done);
#pragma omp parallel shared(done)
    {
        int me = omp_get_thread_num();
        for (int i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(me, i)
            done[me][i] = me * TASKS + i;
        }
#pragma omp taskwait
        for (int i = 0; i < TASKS; i++)
            if (done[me][i] != me * TASKS + i) {
#pragma omp atomic
                wrong++;
            }
    }
    printf("wrong: %d\n", wrong);
    free(done);
    return wrong;
}
