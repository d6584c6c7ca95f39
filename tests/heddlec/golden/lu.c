/* SPDX-License-Identifier: MIT */
/* Blocked LU decomposition as Juggler's listing 3 has it, completed: blocks of bSize elements, stored one after the other. */

static void lu0(float *diag, int n)
{
    int i, j, k;
    for (k = 0; k < n; k++) {
#pragma omp parallel for private(j)
        for (i = k + 1; i < n; i++) {
            diag[i * n + k] = diag[i * n + k] / diag[k * n + k];
            for (j = k + 1; j < n; j++)
                diag[i * n + j] = diag[i * n + j] - diag[i * n + k] * diag[k * n + j];
        }
    }
}

static void fwd(float *diag, float *col, int n)
{
    int i, j, k;
#pragma omp parallel for private(i, k)
    for (j = 0; j < n; j++)
        for (k = 0; k < n; k++)
            for (i = k + 1; i < n; i++)
                col[i * n + j] -= diag[i * n + k] * col[k * n + j];
}

static void bdiv(float *diag, float *row, int n)
{
    int i, j, k;
#pragma omp parallel for private(j, k)
    for (i = 0; i < n; i++)
        for (k = 0; k < n; k++) {
            row[i * n + k] /= diag[k * n + k];
            for (j = k + 1; j < n; j++)
                row[i * n + j] -= row[i * n + k] * diag[k * n + j];
        }
}

static void bmod(float *row, float *col, float *inner, int n)
{
    int i, j, k;
#pragma omp parallel for collapse(2) private(k) schedule(static, 4)
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
#pragma omp simd
            for (k = 0; k < n; k++)
                inner[i * n + j] -= row[i * n + k] * col[k * n + j];
}

// clang-format off
void lu(float *a, int nBlocks, int bSize, int mSize, int n)
{
    int kk, ii, jj;
#pragma omp target parallel map(a[0:mSize]) private(kk, ii, jj)
    {
#pragma omp single
        for (kk = 0; kk < nBlocks; kk++) {
            int diagBlock = kk * nBlocks * bSize + kk * bSize;
#pragma omp task firstprivate(diagBlock) shared(a) \
            depend(inout: a[diagBlock:bSize])
            lu0(&(a[diagBlock]), n);
            for (jj = kk + 1; jj < nBlocks; jj++) {
                int colBlock = kk * nBlocks * bSize + jj * bSize;
#pragma omp task firstprivate(diagBlock, colBlock) shared(a) \
                depend(in: a[diagBlock:bSize]) \
                depend(inout: a[colBlock:bSize])
                fwd(&(a[diagBlock]), &(a[colBlock]), n);
            }
            for (ii = kk + 1; ii < nBlocks; ii++) {
                int rowBlock = ii * nBlocks * bSize + kk * bSize;
#pragma omp task firstprivate(diagBlock, rowBlock) shared(a) \
                depend(in: a[diagBlock:bSize]) depend(inout: a[rowBlock:bSize])
                bdiv(&(a[diagBlock]), &(a[rowBlock]), n);
                for (jj = kk + 1; jj < nBlocks; jj++) {
                    int colBlock = kk * nBlocks * bSize + jj * bSize, inner = ii * nBlocks * bSize + jj * bSize;
#pragma omp task firstprivate(rowBlock, colBlock, inner) shared(a) \
                    depend(in: a[rowBlock:bSize], a[colBlock:bSize]) depend(inout: a[inner:bSize])
                    bmod(&(a[rowBlock]), &(a[colBlock]), &(a[inner]), n);
                }
            }
        }
#pragma omp taskwait
    }
}
