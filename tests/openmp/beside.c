/* SPDX-License-Identifier: MIT */
/* beside.c - a program that also uses an OpenMP library: that library answers, except in heddle's regions. */
#include "openmp/tasks.h"

#if defined(_OPENMP)
#include <omp.h>

static heddle_omp_program program = TASKS_PROGRAM;

static void test_parallel(void)
{
    int seen[3] = {0, 0, 0}, n = 0, sum = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(3)
    {
        int i;
        seen[omp_get_thread_num()]++;
#pragma omp single
        n = omp_get_num_threads() * 10 + omp_in_parallel();
        for (i = 0; i < 1000; i++) {
            omp_set_lock(&lock);
            sum++;
            omp_unset_lock(&lock);
        }
    }
    omp_destroy_lock(&lock);
    CHECK(n == 31 && seen[0] == 1 && seen[1] == 1 && seen[2] == 1 && sum == 3000);
    omp_set_num_threads(5);
    CHECK(omp_get_max_threads() == 5 && !omp_in_parallel());
}

int main(void)
{
    uint64_t cell = 2;
    program.backend = HEDDLE_CPU;
    test_parallel();
    heddle_omp_begin(&program, &tasks_place, 0, 0);
    CHECK(omp_in_parallel() && omp_get_thread_num() == 0 && omp_get_num_threads() == heddle_omp_n_workers(&program));
    make_step(&cell, 1, 0);
    heddle_omp_end();
    CHECK(cell == 7);
    test_parallel();
    return 0;
}
#else
int main(void) { SKIP("this compiler has no OpenMP, or it is not asked for under a sanitizer"); }
#endif
