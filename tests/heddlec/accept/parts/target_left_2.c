/* SPDX-License-Identifier: MIT */
/* target_left_2.c - the second source of target_left.c: for the C compiler, but for what tasks use of it. */
#include <omp.h>

double factor = 2.5;

double weight(double x) { return x + 1; }

void fill(double *x, int n)
{
#pragma omp target data map(tofrom : x [0:n])
    {
#pragma omp target teams distribute parallel for
        for (int i = 0; i < n; i++)
            x[i] = i;
#pragma omp target
        x[0] += omp_get_num_teams() > 0;
#pragma omp target update from(x [0:n])
    }
}

double total(const double *x, int n)
{
    double sum = 0;
#pragma omp target parallel for map(to : x [0:n]) map(tofrom : sum) reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += x[i];
#pragma omp target teams num_teams(2) map(to : x [0:n]) map(tofrom : sum) reduction(+ : sum)
#pragma omp distribute
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}
