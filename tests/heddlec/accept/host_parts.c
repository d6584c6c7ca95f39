/* SPDX-License-Identifier: MIT */
/* construct: host code of a region: conditions, calls, timing, printf at synchronised points, local declarations, break
 * generated: stays as it is */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int next(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return (int)(*state >> 16) & 0x7fff;
}

int main(void)
{
    unsigned seed = 42;
    int order[30], x[30] = {0}, created = 0;
    double begin = 0, took = 0;
    char label[16];
#pragma omp target parallel map(tofrom : x)
#pragma omp single
    {
        begin = omp_get_wtime();
        for (int i = 0; i < 30; i++)
            order[i] = next(&seed) % 30;
        for (int i = 0; i < 30; i++) {
            int at = order[i];
            if (at == 29 && created > 20)
                break;
            if (at % 7 == 3)
                continue;
            created++;
            switch (at % 3) {
            case 0:
#pragma omp task depend(inout : x[at])
                x[at] = x[at] * 2 + 1;
                break;
            case 1: {
                int by = order[(i + 1) % 30];
#pragma omp task depend(inout : x[at])
                x[at] += by;
                break;
            }
            default:
#pragma omp task depend(in : x[(at + 1) % 30]) depend(inout : x[at])
                x[at] += x[(at + 1) % 30] + 1;
            }
        }
        strcpy(label, "sum");
#pragma omp taskwait
        took = omp_get_wtime() - begin;
        int s = 0;
        for (int i = 0; i < 30; i++)
            s += x[i];
        printf("%s %d %d\n", label, s, created);
    }
    return took < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
