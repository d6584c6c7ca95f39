/* SPDX-License-Identifier: MIT */
/* construct: variables with static storage in bodies: arrays, scalars, static ones, `declare target`
 * generated: their addresses in the record that all tasks share; mapped tofrom around the region */
#include <stdio.h>

#pragma omp declare target
int scale_by = 3;
double field[32];
static double twice(double x) { return 2 * x; }
#pragma omp end declare target
static int counter[4];
long total;

static void work(int i)
{
    field[i] = twice(i) * scale_by + field[i];
    counter[i % 4]++;
}

int main(void)
{
    double sum = 0;
    field[3] = 100;
#pragma omp target parallel map(tofrom : field, counter, total)
#pragma omp single
    {
        for (int i = 0; i < 32; i++) {
#pragma omp task depend(inout : counter[i % 4])
            work(i);
        }
#pragma omp taskwait
#pragma omp task
        for (int i = 0; i < 4; i++)
            total += counter[i];
    }
    for (int i = 0; i < 32; i++)
        sum += field[i];
    printf("%g %ld\n", sum, total);
    return 0;
}
