/* SPDX-License-Identifier: MIT */
/* construct: pointers with static storage, alone, in arrays and in structs, that functions called by tasks read
 * generated: on a device tasks see the variable with the device's addresses in it
 * gcc: no */
#include <stdio.h>
#include <stdlib.h>

#define N 4
#define B 8

double *values;
static const double *weights;
double *tile[N][N];
struct field {
    int n;
    double *u;
    struct {
        float *w;
    } inner;
} field;

static void step(int i)
{
    for (int k = 0; k < B; k++)
        values[i * B + k] += weights[k];
}

static void fill(int i, int j)
{
    for (int k = 0; k < field.n; k++)
        tile[i][j][k] = i * 10 + j + field.u[k] + field.inner.w[k];
}

static void init(void)
{
    values = malloc(N * B * sizeof *values);
    field.n = B;
    field.u = malloc(B * sizeof *field.u);
    field.inner.w = malloc(B * sizeof *field.inner.w);
    weights = field.u;
    for (int i = 0; i < N * B; i++)
        values[i] = i;
    for (int k = 0; k < B; k++) {
        field.u[k] = k;
        field.inner.w[k] = 0.5f * (float)k;
    }
    for (int i = 0; i < N; i++)
        tile[i][(i + 1) % N] = malloc(B * sizeof(double));
}

int main(void)
{
    double sum = 0, *u, *first;
    float *w;
    init();
    u = field.u;
    w = field.inner.w;
    for (int i = 0; i < N; i++) {
        first = tile[i][(i + 1) % N];
#pragma omp target enter data map(alloc : first [0:B])
    }
#pragma omp target data map(tofrom : values [0:N * B]) map(to : u [0:B], w [0:B])
    for (int time = 0; time < 3; time++) {
#pragma omp target parallel
#pragma omp single
        for (int i = 0; i < N; i++) {
#pragma omp task depend(inout : values [i * B:B])
            step(i);
#pragma omp task depend(inout : values [i * B:B])
            for (int k = 0; k < B; k++)
                values[i * B + k] *= 2;
#pragma omp task depend(out : tile[i])
            fill(i, (i + 1) % N);
        }
    }
    for (int i = 0; i < N; i++) {
        first = tile[i][(i + 1) % N];
#pragma omp target exit data map(from : first [0:B])
        for (int k = 0; k < B; k++)
            sum += first[k];
    }
    for (int i = 0; i < N * B; i++)
        sum += values[i] * (i % 7);
    printf("%.10g\n", sum);
    return 0;
}
