/* SPDX-License-Identifier: MIT */
/* shows: seven products by tasks, scratch on the heap
 * manner: BOTS */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(const int *a, const int *b, int *c, int n, int sa, int sign)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            c[i * n + j] = a[i * sa + j] + sign * b[i * sa + j];
}

static void copy(const int *a, int *c, int n, int sa)
{
    for (int i = 0; i < n; i++)
        memcpy(c + i * n, a + i * sa, n * sizeof(int));
}

static void strassen(const int *A, const int *B, int *C, int n)
{
    if (n <= 4) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                C[i * n + j] = 0;
                for (int k = 0; k < n; k++)
                    C[i * n + j] += A[i * n + k] * B[k * n + j];
            }
        return;
    }
    int h = n / 2, s = h * h;
    const int *a = A, *b = A + h, *c = A + h * n, *d = c + h, *e = B, *f = B + h, *g = B + h * n, *x = g + h;
    int *L = malloc(7 * s * sizeof(int)), *R = malloc(7 * s * sizeof(int)), *P = malloc(7 * s * sizeof(int));
    copy(a, L, h, n), add(f, x, R, h, n, -1);
    add(a, b, L + s, h, n, 1), copy(x, R + s, h, n);
    add(c, d, L + 2 * s, h, n, 1), copy(e, R + 2 * s, h, n);
    copy(d, L + 3 * s, h, n), add(g, e, R + 3 * s, h, n, -1);
    add(a, d, L + 4 * s, h, n, 1), add(e, x, R + 4 * s, h, n, 1);
    add(b, d, L + 5 * s, h, n, -1), add(g, x, R + 5 * s, h, n, 1);
    add(a, c, L + 6 * s, h, n, -1), add(e, f, R + 6 * s, h, n, 1);
    for (int p = 0; p < 7; p++) {
#pragma omp task
        strassen(L + p * s, R + p * s, P + p * s, h);
    }
#pragma omp taskwait
    for (int i = 0; i < h; i++)
        for (int j = 0; j < h; j++) {
            int *q = P + i * h + j;
            C[i * n + j] = q[4 * s] + q[3 * s] - q[s] + q[5 * s];
            C[i * n + j + h] = q[0] + q[s];
            C[(i + h) * n + j] = q[2 * s] + q[3 * s];
            C[(i + h) * n + j + h] = q[0] + q[4 * s] - q[2 * s] - q[6 * s];
        }
    free(L);
    free(R);
    free(P);
}

int main(void)
{
    enum { N = 32 };
    static int a[N * N], b[N * N], c[N * N];
    int bad = 0;
    for (int i = 0; i < N * N; i++) {
        a[i] = i % 11 - 5;
        b[i] = i % 13 - 6;
    }
#pragma omp parallel
#pragma omp single
    strassen(a, b, c, N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int s = 0;
            for (int k = 0; k < N; k++)
                s += a[i * N + k] * b[k * N + j];
            bad += s != c[i * N + j];
        }
    printf("strassen: %d wrong elements\n", bad);
    return 0;
}
