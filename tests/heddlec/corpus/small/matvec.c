/* SPDX-License-Identifier: MIT */
/* shows: a task for a block of rows; pointer to pointer matrix
 * manner: university course */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rows = 60, cols = 40, block = 7;
    double **A = (double **)malloc(rows * sizeof(double *));
    double *x = (double *)malloc(cols * sizeof(double)), *y = (double *)malloc(rows * sizeof(double));
    for (int i = 0; i < rows; i++) {
        A[i] = (double *)malloc(cols * sizeof(double));
        for (int j = 0; j < cols; j++)
            A[i][j] = i + j;
    }
    for (int j = 0; j < cols; j++)
        x[j] = j % 3;

#pragma omp parallel
    {
#pragma omp single
        {
            for (int b = 0; b < rows; b += block) {
                int end = b + block < rows ? b + block : rows;
#pragma omp task firstprivate(b, end)
                for (int i = b; i < end; i++) {
                    y[i] = 0;
                    for (int j = 0; j < cols; j++)
                        y[i] += A[i][j] * x[j];
                }
            }
        }
    }
    double sum = 0;
    for (int i = 0; i < rows; i++) {
        sum += y[i];
        free(A[i]);
    }
    printf("y[0] = %.1f, y[%d] = %.1f, sum = %.1f\n", y[0], rows - 1, y[rows - 1], sum);
    free(A);
    free(x);
    free(y);
    return 0;
}
