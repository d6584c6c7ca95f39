/* SPDX-License-Identifier: MIT */
/* shows: sparse LU of blocks of pointers, taskwait between phases, blocks born in tasks
 * manner: BOTS */
#include <stdio.h>
#include <stdlib.h>

#define NB 5
#define BS 6

static float **new_matrix(void)
{
    float **m = calloc(NB * NB, sizeof(float *));
    unsigned s = 1325;
    for (int i = 0; i < NB; i++)
        for (int j = 0; j < NB; j++) {
            if (i != j && (i * 7 + j * 3) % 4 == 0)
                continue;
            float *b = m[i * NB + j] = malloc(BS * BS * sizeof(float));
            for (int k = 0; k < BS * BS; k++) {
                s = (3125 * s) % 65536;
                b[k] = (s - 32768.0f) / 65536.0f + (i == j && k % (BS + 1) == 0 ? 20 : 0);
            }
        }
    return m;
}

static void lu0(float *d)
{
    for (int k = 0; k < BS; k++)
        for (int i = k + 1; i < BS; i++) {
            d[i * BS + k] /= d[k * BS + k];
            for (int j = k + 1; j < BS; j++)
                d[i * BS + j] -= d[i * BS + k] * d[k * BS + j];
        }
}

static void fwd(const float *d, float *c)
{
    for (int j = 0; j < BS; j++)
        for (int k = 0; k < BS; k++)
            for (int i = k + 1; i < BS; i++)
                c[i * BS + j] -= d[i * BS + k] * c[k * BS + j];
}

static void bdiv(const float *d, float *r)
{
    for (int i = 0; i < BS; i++)
        for (int k = 0; k < BS; k++) {
            r[i * BS + k] /= d[k * BS + k];
            for (int j = k + 1; j < BS; j++)
                r[i * BS + j] -= r[i * BS + k] * d[k * BS + j];
        }
}

static void bmod(const float *r, const float *c, float *in)
{
    for (int i = 0; i < BS; i++)
        for (int j = 0; j < BS; j++)
            for (int k = 0; k < BS; k++)
                in[i * BS + j] -= r[i * BS + k] * c[k * BS + j];
}

static void sparselu(float **m)
{
    for (int k = 0; k < NB; k++) {
        lu0(m[k * NB + k]);
        for (int j = k + 1; j < NB; j++)
            if (m[k * NB + j] != NULL)
#pragma omp task untied firstprivate(k, j) shared(m)
                fwd(m[k * NB + k], m[k * NB + j]);
        for (int i = k + 1; i < NB; i++)
            if (m[i * NB + k] != NULL)
#pragma omp task untied firstprivate(k, i) shared(m)
                bdiv(m[k * NB + k], m[i * NB + k]);
#pragma omp taskwait
        for (int i = k + 1; i < NB; i++)
            for (int j = k + 1; m[i * NB + k] && j < NB; j++)
                if (m[k * NB + j] != NULL)
#pragma omp task untied firstprivate(k, j, i) shared(m)
                {
                    if (m[i * NB + j] == NULL)
                        m[i * NB + j] = calloc(BS * BS, sizeof(float));
                    bmod(m[i * NB + k], m[k * NB + j], m[i * NB + j]);
                }
#pragma omp taskwait
    }
}

int main(void)
{
    float **m = new_matrix();
#pragma omp parallel
#pragma omp single nowait
    sparselu(m);
    int blocks = 0;
    double sum = 0;
    for (int b = 0; b < NB * NB; b++)
        for (int k = 0; m[b] && k < BS * BS; k++) {
            blocks += k == 0;
            sum += m[b][k];
        }
    printf("%d blocks, checksum %.2f\n", blocks, sum);
    return 0;
}
