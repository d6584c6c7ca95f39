/* SPDX-License-Identifier: MIT */
/* shows: every thread creates one task; thread count asked beforehand
 * manner: validation suite */
#include <stdio.h>
#include <omp.h>

int main(void)
{
    int threads = 0, ran = 0;
#pragma omp parallel
    {
#pragma omp master
        threads = omp_get_num_threads();
#pragma omp task shared(ran)
        {
#pragma omp atomic
            ran++;
        }
    }
    printf("%s\n", ran == threads ? "passed" : "failed");
    return ran != threads;
}
