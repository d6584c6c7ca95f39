/* SPDX-License-Identifier: MIT */
/* shows: an untied generator task creates very many small ones
 * manner: OpenMP's examples */
#include <stdio.h>
#define LARGE_NUMBER 20000

double item[LARGE_NUMBER];

static void process(double *p) { *p = *p * 2.0 + 1.0; }

int main()
{
    for (int i = 0; i < LARGE_NUMBER; i++)
        item[i] = i;
#pragma omp parallel
    {
#pragma omp single
        {
            int i;
#pragma omp task untied
            {
                for (i = 0; i < LARGE_NUMBER; i++)
#pragma omp task
                    process(&item[i]);
            }
        }
    }
    printf("%.0f %.0f\n", item[0], item[LARGE_NUMBER - 1]);
    return 0;
}
