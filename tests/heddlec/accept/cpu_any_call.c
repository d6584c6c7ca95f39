/* SPDX-License-Identifier: MIT */
/* construct: with `--backend cpu`, any declared function in tasks: of the system, of files that are only linked, through
 * pointers, with variable arguments, with static variables; files, stdin and stdout, locks of OpenMP
 * generated: a call by the name that a system header declares, or by the address of the host's function
 * flags: --region=parallel
 * gpu: no
 * tsan: no */
#define _GNU_SOURCE
#include <complex.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <omp.h>

#define N 6

int toupper(int c); /* declared here alone */

typedef int (*operation)(int);
typedef struct tool {
    const char *name;
    operation run;
} tool;

static int twice(int x) { return 2 * x; }
static int next(int x) { return x + 1; }
static const operation operations[] = {twice, next, abs};
static tool tools[2] = {{"twice", twice}, {"next", next}};

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static int sum_of(int n, ...)
{
    va_list list;
    int sum = 0;
    va_start(list, n);
    while (n-- > 0)
        sum += va_arg(list, int);
    va_end(list);
    return sum;
}

static int calls(void)
{
    static int n;
    return ++n;
}

static int apply(operation f, int x) { return f(x); }

static void rest(void)
{
    struct timespec t = {0, 1000};
    nanosleep(&t, NULL);
}

int main(void)
{
    int v[N][8], sums[N], counted = 0, failed = 0;
    char *texts[N];
    FILE *file = tmpfile();
    omp_lock_t lock;
    if (!file)
        return 1;
    omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < N; i++) {
#pragma omp task depend(out : v[i])
        {
            unsigned seed = (unsigned)i;
            for (int k = 0; k < 8; k++)
                v[i][k] = (rand_r(&seed) % 100 + k * i) % 50;
            qsort(v[i], 8, sizeof v[i][0], by_value);
        }
#pragma omp task depend(in : v[i]) depend(out : sums[i]) shared(counted, lock)
        {
            sums[i] = sum_of(3, v[i][0], v[i][1], apply(operations[i % 3], v[i][7])) + tools[i % 2].run(i);
            double complex z = sums[i] + 2 * I;
            sums[i] += (int)creal(z * conj(z)) % 7;
            rest();
            omp_set_lock(&lock);
            counted += calls() > 0;
            omp_unset_lock(&lock);
        }
#pragma omp task depend(in : sums[i]) depend(inout : file) depend(out : texts[i])
        {
            fprintf(file, "%d\n", toupper('a' + i));
            texts[i] = NULL;
            if (asprintf(&texts[i], "%s of %d", tools[i % 2].name, sums[i]) < 0)
                failed = errno;
            if (i == N - 1)
                fputs("the last\n", stdout);
        }
    }
    rewind(file);
    for (int i = 0, c = 0; i < N; i++) {
        if (fscanf(file, "%d", &c) != 1)
            return 2;
        printf("%d %s\n", c, texts[i]);
        free(texts[i]);
    }
    omp_destroy_lock(&lock);
    printf("%d %d\n", counted, failed);
    return 0;
}
