/* SPDX-License-Identifier: MIT */
/* construct: with `--backend cpu`, functions of C's library in tasks: malloc, free, strlen, strcmp, snprintf, puts, rand
 * generated: the call as it stands
 * flags: --region=parallel
 * gpu: no */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 6

static char *name_of(int i)
{
    char *s = malloc(16);
    if (!s)
        exit(101);
    snprintf(s, 16, "tile %d", i * 11);
    return s;
}

static int twice(const char *s, int n)
{
    int *copy = calloc((size_t)n, sizeof *copy), sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++) {
        copy[i] = s[i];
        sum += 2 * copy[i];
    }
    free(copy);
    return sum;
}

int main(void)
{
    char *names[N];
    int sums[N];
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < N; i++) {
#pragma omp task depend(out : names[i])
        names[i] = name_of(i);
#pragma omp task depend(in : names[i]) depend(out : sums[i])
        {
            sums[i] = twice(names[i], (int)strlen(names[i]));
            if (!strcmp(names[i], "tile 33"))
                puts("found");
        }
    }
    for (int i = 0; i < N; i++) {
        printf("%s %d\n", names[i], sums[i]);
        free(names[i]);
    }
    return 0;
}
