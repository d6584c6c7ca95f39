/* SPDX-License-Identifier: MIT */
/* shows: omp_lock_t guards a shared stack that tasks push on
 * manner: university course */
#include <omp.h>
#include <stdio.h>

#define N 50

static int stack[N], top;
static omp_lock_t guard;

static void push(int v)
{
    omp_set_lock(&guard);
    stack[top++] = v;
    omp_unset_lock(&guard);
}

int main(void)
{
    omp_init_lock(&guard);
#pragma omp parallel
    {
#pragma omp single nowait
        for (int i = 0; i < N; i++) {
#pragma omp task
            push(i * i);
        }
    }
    omp_destroy_lock(&guard);
    long sum = 0;
    for (int i = 0; i < top; i++)
        sum += stack[i];
    printf("%d pushed, sum %ld\n", top, sum);
    return 0;
}
