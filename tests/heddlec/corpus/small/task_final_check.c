/* SPDX-License-Identifier: MIT */
/* shows: tests of final: children run at once and omp_in_final is true in them
 * manner: validation suite */
#include <stdio.h>
#include <omp.h>

#define LOOPS 20

static int test_task_final(void)
{
    int wrong = 0, ran = 0;
#pragma omp parallel shared(wrong, ran)
#pragma omp single
    for (int i = 0; i < LOOPS; i++) {
#pragma omp task final(i >= LOOPS / 2) firstprivate(i) shared(wrong, ran)
        {
            int child = 0;
            if (omp_in_final() != (i >= LOOPS / 2)) {
#pragma omp atomic
                wrong++;
            }
#pragma omp task shared(child)
            child = 1;
#pragma omp taskwait
#pragma omp atomic
            ran += child;
        }
    }
    return wrong == 0 && ran == LOOPS;
}

int main(void)
{
    int failed = 0;
    for (int i = 0; i < 5; i++)
        failed += !test_task_final();
    printf("task final: %s\n", failed ? "FAILED" : "PASSED");
    return failed;
}
