/* SPDX-License-Identifier: MIT */
/* construct: `num_threads`, `omp_set_num_threads`, OMP_NUM_THREADS
 * generated: at most so many workers run the region's tasks: omp_get_thread_num() is below, and omp_get_num_threads() and
 * omp_get_max_threads() are no larger; on a GPU where tasks ask for numbers
 * flags: --region=parallel */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

enum { N_TASKS = 24 };
static int part[3][64]; /* the third: how many threads there were */

static int me(void) { return omp_get_thread_num(); }

static void count(int row)
{
    part[2][row] = omp_get_num_threads();
#pragma omp taskloop grainsize(1) shared(part)
    for (int i = 0; i < N_TASKS; i++) {
        usleep(500);
#pragma omp atomic
        part[row][me()]++;
    }
}

static void show(int row, int n)
{
    int below = 0, above = 0;
    for (int i = 0; i < 64; i++)
        *(i < n ? &below : &above) += part[row][i];
    printf("%d tasks on threads below %d, %d on others; %d\n", below, n, above, part[2][row] <= n);
}

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    count(0);
    show(0, 2);
    omp_set_num_threads(1);
    printf("%d\n", omp_get_max_threads());
#pragma omp parallel
#pragma omp single
    count(1);
    show(1, 1);
    return 0;
}
