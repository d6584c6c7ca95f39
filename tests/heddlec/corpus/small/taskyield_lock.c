/* SPDX-License-Identifier: MIT */
/* shows: taskyield while a lock is taken by another task
 * manner: OpenMP's examples */
#include <stdio.h>
#include <omp.h>

static void something_useful(int *sum, int i) { *sum += i; }

int main(void)
{
    omp_lock_t lock;
    int sum = 0, n = 30;
    omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < n; i++) {
#pragma omp task firstprivate(i) shared(lock, sum)
        {
            while (!omp_test_lock(&lock)) {
#pragma omp taskyield
            }
            something_useful(&sum, i);
            omp_unset_lock(&lock);
        }
    }
    omp_destroy_lock(&lock);
    printf("%d\n", sum);
    return 0;
}
