/* SPDX-License-Identifier: MIT */
/* shows: sparse LU of blocks: all threads share the loops out, whose iterations create tasks
 * manner: BOTS, sparselu with for
 * args: 8 8
 * timed: 32 64 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int nb, bs;

static float *allocate_clean_block() { return calloc((size_t)bs * bs, sizeof(float)); }

static float **genmat()
{
    float **m = calloc((size_t)nb * nb, sizeof(float *));
    unsigned s = 1325;
    for (int i = 0; i < nb; i++)
        for (int j = 0; j < nb; j++) {
            if (abs(i - j) > 1 && (i % 3 || j % 3))
                continue;
            float *b = m[i * nb + j] = allocate_clean_block();
            for (int k = 0; k < bs * bs; k++) {
                s = (3125 * s) % 65536;
                b[k] = (s - 32768.0f) / 16384.0f + (i == j && k % (bs + 1) == 0 ? 8.0f * bs * nb : 0);
            }
        }
    return m;
}

static void lu0(float *d)
{
    for (int k = 0; k < bs; k++)
        for (int i = k + 1; i < bs; i++) {
            d[i * bs + k] /= d[k * bs + k];
            for (int j = k + 1; j < bs; j++)
                d[i * bs + j] -= d[i * bs + k] * d[k * bs + j];
        }
}

static void fwd(float *d, float *c)
{
    for (int k = 0; k < bs; k++)
        for (int i = k + 1; i < bs; i++)
            for (int j = 0; j < bs; j++)
                c[i * bs + j] -= d[i * bs + k] * c[k * bs + j];
}

static void bdiv(float *d, float *r)
{
    for (int i = 0; i < bs; i++)
        for (int k = 0; k < bs; k++) {
            r[i * bs + k] /= d[k * bs + k];
            for (int j = k + 1; j < bs; j++)
                r[i * bs + j] -= r[i * bs + k] * d[k * bs + j];
        }
}

static void bmod(float *r, float *c, float *in)
{
    for (int i = 0; i < bs; i++)
        for (int k = 0; k < bs; k++)
            for (int j = 0; j < bs; j++)
                in[i * bs + j] -= r[i * bs + k] * c[k * bs + j];
}

static void sparselu_par_call(float **m)
{
    int ii, jj, kk;
#pragma omp parallel private(kk)
    {
        for (kk = 0; kk < nb; kk++) {
#pragma omp single
            lu0(m[kk * nb + kk]);
#pragma omp for nowait
            for (jj = kk + 1; jj < nb; jj++)
                if (m[kk * nb + jj] != NULL)
#pragma omp task untied firstprivate(kk, jj) shared(m)
                    fwd(m[kk * nb + kk], m[kk * nb + jj]);
#pragma omp for
            for (ii = kk + 1; ii < nb; ii++)
                if (m[ii * nb + kk] != NULL)
#pragma omp task untied firstprivate(kk, ii) shared(m)
                    bdiv(m[kk * nb + kk], m[ii * nb + kk]);
#pragma omp for private(jj)
            for (ii = kk + 1; ii < nb; ii++)
                if (m[ii * nb + kk] != NULL)
                    for (jj = kk + 1; jj < nb; jj++)
                        if (m[kk * nb + jj] != NULL)
#pragma omp task untied firstprivate(kk, jj, ii) shared(m)
                        {
                            if (m[ii * nb + jj] == NULL)
                                m[ii * nb + jj] = allocate_clean_block();
                            bmod(m[ii * nb + kk], m[kk * nb + jj], m[ii * nb + jj]);
                        }
        }
    }
}

static void sparselu_seq_call(float **m)
{
    for (int k = 0; k < nb; k++) {
        lu0(m[k * nb + k]);
        for (int j = k + 1; j < nb; j++) {
            if (m[k * nb + j])
                fwd(m[k * nb + k], m[k * nb + j]);
            if (m[j * nb + k])
                bdiv(m[k * nb + k], m[j * nb + k]);
        }
        for (int i = k + 1; i < nb; i++)
            for (int j = k + 1; j < nb; j++)
                if (m[i * nb + k] && m[k * nb + j]) {
                    if (!m[i * nb + j])
                        m[i * nb + j] = allocate_clean_block();
                    bmod(m[i * nb + k], m[k * nb + j], m[i * nb + j]);
                }
    }
}

static int checkmat(float **m, float **n)
{
    for (int b = 0; b < nb * nb; b++) {
        if (!m[b] != !n[b])
            return 0;
        for (int k = 0; m[b] && k < bs * bs; k++)
            if (fabsf(m[b][k] - n[b][k]) > 1e-4f * fabsf(n[b][k]) + 1e-6f)
                return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    int blocks = 0;
    nb = argc > 1 ? atoi(argv[1]) : 8;
    bs = argc > 2 ? atoi(argv[2]) : 8;
    float **m = genmat(), **n = genmat();
    double begin = omp_get_wtime();
    sparselu_par_call(m);
    fprintf(stderr, "region %.3f ms\n", 1e3 * (omp_get_wtime() - begin));
    sparselu_seq_call(n);
    for (int b = 0; b < nb * nb; b++)
        blocks += m[b] != NULL;
    printf("%d blocks of %d, %s\n", blocks, bs, checkmat(m, n) ? "successful" : "UNSUCCESSFUL");
    return 0;
}
