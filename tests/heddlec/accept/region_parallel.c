/* SPDX-License-Identifier: MIT */
/* construct: host `parallel` + `single`, opted in by --region=parallel
 * generated: as for `target parallel`; on a GPU only what `target data` has mapped can be reached
 * flags: --region=parallel */
#include <stdio.h>
#include <stdlib.h>

static void scale(double *x, int n, double by)
{
    int i;
#pragma omp parallel for
    for (i = 0; i < n; i++)
        x[i] *= by;
}

int main(void)
{
    int n = 500, i, step;
    double *x = malloc(n * sizeof(double)), sum = 0;
    for (i = 0; i < n; i++)
        x[i] = i;
#pragma omp parallel
#pragma omp single nowait
    for (step = 1; step < 4; step++)
        for (i = 0; i < n; i += 50)
#pragma omp task firstprivate(i, step) depend(inout : x[i])
            scale(x + i, 50, 1.0 / step);
    for (i = 0; i < n; i++)
        sum += x[i];
    printf("%.12g\n", sum);
    free(x);
    return 0;
}
