/* SPDX-License-Identifier: MIT */
/* shows: a table of function pointers with arguments, a task an entry
 * manner: embedded developer's blog */
#include <stdio.h>
#include <stddef.h>

typedef long (*job_fn)(long);

static long square(long x) { return x * x; }

static long cube(long x) { return x * x * x; }

static long gauss(long x) { return x * (x + 1) / 2; }

static const struct {
    const char *name;
    job_fn fn;
    long argument;
} jobs[] = {{"square", square, 12}, {"cube", cube, 7}, {"gauss", gauss, 100}, {"square", square, -3}};

#define JOBS (sizeof(jobs) / sizeof(jobs[0]))

int main(void)
{
    long results[JOBS];
#pragma omp parallel
#pragma omp single
    for (size_t i = 0; i < JOBS; i++) {
#pragma omp task firstprivate(i) shared(results)
        results[i] = jobs[i].fn(jobs[i].argument);
    }
    for (size_t i = 0; i < JOBS; i++)
        printf("%s(%ld) = %ld\n", jobs[i].name, jobs[i].argument, results[i]);
    return 0;
}
