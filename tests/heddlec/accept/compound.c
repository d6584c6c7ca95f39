/* SPDX-License-Identifier: MIT */
/* construct: task with a compound statement
 * generated: a body of its own, named after the function and line */
#include <stdio.h>

int main(void)
{
    int n = 20;
    double x[20], y[20];
#pragma omp target parallel map(from : x, y)
#pragma omp single
    for (int i = 0; i < n; i++) {
#pragma omp task depend(out : x[i])
        {
            double t = i;
            for (int k = 0; k < 3; k++)
                t = t * 0.5 + k;
            x[i] = t;
        }
#pragma omp task depend(in : x[i]) depend(out : y[i])
        {
            if (x[i] > 4)
                y[i] = -x[i];
            else
                y[i] = x[i] + n;
        }
    }
    for (int i = 0; i < n; i++)
        printf("%.6f %.6f\n", x[i], y[i]);
    return 0;
}
