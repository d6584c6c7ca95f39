/* SPDX-License-Identifier: MIT */
/* construct: `target parallel` + `single`, `map(a[l:n])`, `private` on the region (Juggler's listing 3, completed)
 * generated: the creator's loop on the host, a task record a call; copies around the region */
#include <math.h>
#include <stdio.h>

#define NB 6
#define B 8

static void lu0(float *a, int s)
{
    int i, j, k;
    for (k = 0; k < B; k++)
#pragma omp parallel for private(j)
        for (i = k + 1; i < B; i++) {
            a[i * B + k] /= a[k * B + k];
            for (j = k + 1; j < B; j++)
                a[i * B + j] -= a[i * B + k] * a[k * B + j];
        }
    (void)s;
}

static void fwd(float *d, float *x, int s)
{
    int i, j, k;
#pragma omp parallel for private(i, k)
    for (j = 0; j < B; j++)
        for (k = 0; k < B; k++)
            for (i = k + 1; i < B; i++)
                x[i * B + j] -= d[i * B + k] * x[k * B + j];
    (void)s;
}

static void bdiv(float *d, float *x, int s)
{
    int i, j, k;
#pragma omp parallel for private(j, k)
    for (i = 0; i < B; i++)
        for (k = 0; k < B; k++) {
            x[i * B + k] /= d[k * B + k];
            for (j = k + 1; j < B; j++)
                x[i * B + j] -= x[i * B + k] * d[k * B + j];
        }
    (void)s;
}

static void bmod(float *l, float *u, float *x, int s)
{
    int i, j, k;
#pragma omp parallel for collapse(2) private(k)
    for (i = 0; i < B; i++)
        for (j = 0; j < B; j++)
            for (k = 0; k < B; k++)
                x[i * B + j] -= l[i * B + k] * u[k * B + j];
    (void)s;
}

static float a[NB * NB * B * B];

int main(void)
{
    int nBlocks = NB, bSize = B * B, mSize = NB * NB * B * B, kk, ii, jj, i;
    double sum = 0;
    for (i = 0; i < mSize; i++)
        a[i] = (float)(i * 7919 % 1000) / 1000.0f;
    for (i = 0; i < NB; i++)
        for (jj = 0; jj < B; jj++)
            a[(i * NB + i) * bSize + jj * B + jj] += 100.0f;
#pragma omp target parallel map(a [0:mSize]) private(kk, ii, jj)
    {
#pragma omp single
        for (kk = 0; kk < nBlocks; kk++) {
            int diagBlock = kk * nBlocks * bSize + kk * bSize;
#pragma omp task firstprivate(diagBlock) shared(a) depend(inout : a [diagBlock:bSize])
            lu0(&(a[diagBlock]), bSize);
            for (jj = kk + 1; jj < nBlocks; jj++) {
                int colBlock = kk * nBlocks * bSize + jj * bSize;
#pragma omp task firstprivate(diagBlock, colBlock) shared(a) depend(in                     \
                                                                    : a [diagBlock:bSize]) \
    depend(inout                                                                           \
           : a [colBlock:bSize])
                fwd(&(a[diagBlock]), &(a[colBlock]), bSize);
            }
            for (ii = kk + 1; ii < nBlocks; ii++) {
                int rowBlock = ii * nBlocks * bSize + kk * bSize;
#pragma omp task firstprivate(diagBlock, rowBlock) shared(a) depend(in                     \
                                                                    : a [diagBlock:bSize]) \
    depend(inout                                                                           \
           : a [rowBlock:bSize])
                bdiv(&(a[diagBlock]), &(a[rowBlock]), bSize);
            }
            for (ii = kk + 1; ii < nBlocks; ii++)
                for (jj = kk + 1; jj < nBlocks; jj++) {
                    int row = ii * nBlocks * bSize + kk * bSize, col = kk * nBlocks * bSize + jj * bSize;
                    int at = ii * nBlocks * bSize + jj * bSize;
#pragma omp task firstprivate(row, col, at) shared(a) depend(in                                           \
                                                             : a [row:bSize], a [col:bSize]) depend(inout \
                                                                                                    : a [at:bSize])
                    bmod(&(a[row]), &(a[col]), &(a[at]), bSize);
                }
        }
    }
    for (i = 0; i < mSize; i++)
        sum += (double)a[i] * (i % 13 + 1);
    printf("%.6f %.6f %.6f\n", sum, (double)a[0], (double)a[mSize - 1]);
    return 0;
}
