/* SPDX-License-Identifier: MIT */
/* shows: blocked product with depend on blocks of pointers
 * manner: KASTORS */
#include <stdio.h>
#include <stdlib.h>

#define NB 4
#define BS 8

static double *A[NB][NB], *B[NB][NB], *C[NB][NB];

static void gemm(double *a, double *b, double *c)
{
    for (int i = 0; i < BS; i++)
        for (int k = 0; k < BS; k++)
            for (int j = 0; j < BS; j++)
                c[i * BS + j] += a[i * BS + k] * b[k * BS + j];
}

static double *block(int i, int j, int f)
{
    double *p = calloc(BS * BS, sizeof(double));
    for (int k = 0; f && k < BS * BS; k++)
        p[k] = (i + f * j + k) % 5;
    return p;
}

int main(void)
{
    for (int i = 0; i < NB; i++)
        for (int j = 0; j < NB; j++) {
            A[i][j] = block(i, j, 1);
            B[i][j] = block(i, j, 2);
            C[i][j] = block(i, j, 0);
        }
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < NB; i++)
        for (int j = 0; j < NB; j++)
            for (int k = 0; k < NB; k++) {
                double *a = A[i][k], *b = B[k][j], *c = C[i][j];
#pragma omp task depend(in : a [0:BS * BS], b [0:BS * BS]) depend(inout : c [0:BS * BS])
                gemm(a, b, c);
            }
    double sum = 0, trace = 0;
    for (int i = 0; i < NB; i++)
        for (int j = 0; j < NB; j++)
            for (int k = 0; k < BS * BS; k++) {
                sum += C[i][j][k];
                trace += i == j && k % (BS + 1) == 0 ? C[i][j][k] : 0;
            }
    printf("sum %.0f trace %.0f\n", sum, trace);
    return 0;
}
