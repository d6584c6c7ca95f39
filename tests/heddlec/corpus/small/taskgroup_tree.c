/* SPDX-License-Identifier: MIT */
/* shows: taskgroup waits for grandchildren, taskwait would not
 * manner: OpenMP's examples */
#include <stdio.h>

static int visited[31];

static void start_background(int *log)
{
#pragma omp atomic
    *log += 1;
}

static void compute_tree(int node)
{
    if (2 * node + 2 < 31) {
#pragma omp task
        compute_tree(2 * node + 1);
#pragma omp task
        compute_tree(2 * node + 2);
    }
    visited[node]++;
}

static int check_step(void)
{
    int n = 0;
    for (int i = 0; i < 31; i++)
        n += visited[i];
    return n;
}

int main(void)
{
    int background = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(background)
        start_background(&background);
        for (int i = 0; i < 3; i++) {
#pragma omp taskgroup
            {
#pragma omp task
                compute_tree(0);
            }
            printf("step %d: %d\n", i, check_step());
        }
    }
    printf("background: %d\n", background);
    return 0;
}
