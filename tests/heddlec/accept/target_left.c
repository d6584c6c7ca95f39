/* SPDX-License-Identifier: MIT */
/* construct: a source without tasks whose `target`, `target teams`, `distribute`, `target data` stand beside sources with tasks
 * generated: nothing: they are the C compiler's, also where tasks use variables of that source
 * tsan: no, its threads are another library's
 * also: parts/target_left_2.c */
#include <stdio.h>

extern double factor;
double weight(double x);
void fill(double *x, int n);
double total(const double *x, int n);

int main(void)
{
    double x[64], y[64];
    fill(x, 64);
#pragma omp target parallel map(to : x) map(from : y)
#pragma omp single
    for (int i = 0; i < 64; i += 8) {
#pragma omp task depend(out : y[i])
        for (int k = i; k < i + 8; k++)
            y[k] = factor * weight(x[k]);
    }
    printf("%g %g\n", total(x, 64), total(y, 64));
    return 0;
}
