/* SPDX-License-Identifier: MIT */
/* shows: matrix product by seven recursive products, `if` as cut-off by depth
 * manner: BOTS, strassen with if
 * args: 64 16 2
 * timed: 1024 64 3 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int base, cutoff;

/* matrices of n by n in rows of `s`: where a quarter begins */
#define QUARTER(m, s, i, j) ((m) + (size_t)(i)*h * (s) + (j)*h)

static void multiply_base(double *c, const double *a, const double *b, int n, int sc, int sa, int sb)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            c[(size_t)i * sc + j] = 0;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                c[(size_t)i * sc + j] += a[(size_t)i * sa + k] * b[(size_t)k * sb + j];
    }
}

static void combine(double *c, const double *a, const double *b, int n, int s, double sign)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            c[i * n + j] = a[(size_t)i * s + j] + sign * b[(size_t)i * s + j];
}

static void gather(double *c, int sc, double *const p[7], int h)
{
    for (int i = 0; i < h; i++)
        for (int j = 0; j < h; j++) {
            int k = i * h + j;
            double *at = c + (size_t)i * sc + j;
            at[0] = p[0][k] + p[3][k] - p[4][k] + p[6][k];
            at[h] = p[2][k] + p[4][k];
            at[(size_t)h * sc] = p[1][k] + p[3][k];
            at[(size_t)h * sc + h] = p[0][k] - p[1][k] + p[2][k] + p[5][k];
        }
}

static void strassen(double *c, double *a, double *b, int n, int sc, int sa, int sb, int depth)
{
    if (n <= base) {
        multiply_base(c, a, b, n, sc, sa, sb);
        return;
    }
    int h = n / 2;
    size_t s = (size_t)h * h;
    double *space = malloc(17 * s * sizeof(double)), *sum[10], *p[7];
    for (int i = 0; i < 10; i++)
        sum[i] = space + i * s;
    for (int i = 0; i < 7; i++)
        p[i] = space + (10 + i) * s;
    double *a11 = a, *a12 = QUARTER(a, sa, 0, 1), *a21 = QUARTER(a, sa, 1, 0), *a22 = QUARTER(a, sa, 1, 1);
    double *b11 = b, *b12 = QUARTER(b, sb, 0, 1), *b21 = QUARTER(b, sb, 1, 0), *b22 = QUARTER(b, sb, 1, 1);
    combine(sum[0], a11, a22, h, sa, 1);
    combine(sum[1], b11, b22, h, sb, 1);
    combine(sum[2], a21, a22, h, sa, 1);
    combine(sum[3], b12, b22, h, sb, -1);
    combine(sum[4], b21, b11, h, sb, -1);
    combine(sum[5], a11, a12, h, sa, 1);
    combine(sum[6], a21, a11, h, sa, -1);
    combine(sum[7], b11, b12, h, sb, 1);
    combine(sum[8], a12, a22, h, sa, -1);
    combine(sum[9], b21, b22, h, sb, 1);
#pragma omp task untied if (depth < cutoff)
    strassen(p[0], sum[0], sum[1], h, h, h, h, depth + 1);
#pragma omp task untied if (depth < cutoff)
    strassen(p[1], sum[2], b11, h, h, h, sb, depth + 1);
#pragma omp task untied if (depth < cutoff)
    strassen(p[2], a11, sum[3], h, h, sa, h, depth + 1);
#pragma omp task untied if (depth < cutoff)
    strassen(p[3], a22, sum[4], h, h, sa, h, depth + 1);
#pragma omp task untied if (depth < cutoff)
    strassen(p[4], sum[5], b22, h, h, h, sb, depth + 1);
#pragma omp task untied if (depth < cutoff)
    strassen(p[5], sum[6], sum[7], h, h, h, h, depth + 1);
#pragma omp task untied if (depth < cutoff)
    strassen(p[6], sum[8], sum[9], h, h, h, h, depth + 1);
#pragma omp taskwait
    gather(c, sc, p, h);
    free(space);
}

/* C x = A (B x) for a vector of small whole numbers: exact */
static int check(const double *c, const double *a, const double *b, int n)
{
    double *bx = malloc(n * sizeof(double)), bad = 0;
    for (int i = 0; i < n; i++) {
        bx[i] = 0;
        for (int j = 0; j < n; j++)
            bx[i] += b[(size_t)i * n + j] * (j % 3 - 1);
    }
    for (int i = 0; i < n; i++) {
        double left = 0, right = 0;
        for (int j = 0; j < n; j++) {
            left += c[(size_t)i * n + j] * (j % 3 - 1);
            right += a[(size_t)i * n + j] * bx[j];
        }
        bad += fabs(left - right) > 1e-9;
    }
    free(bx);
    return bad == 0;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 64;
    base = argc > 2 ? atoi(argv[2]) : 16;
    cutoff = argc > 3 ? atoi(argv[3]) : 2;
    size_t bytes = (size_t)n * n * sizeof(double);
    double *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
    for (int i = 0; i < n * n; i++) {
        a[i] = (i * 7) % 19 - 9;
        b[i] = (i * 5) % 23 - 11;
    }
    double begin = omp_get_wtime();
#pragma omp parallel
#pragma omp single
#pragma omp task untied
    strassen(c, a, b, n, n, n, n, 0);
    fprintf(stderr, "region %.3f ms\n", 1e3 * (omp_get_wtime() - begin));
    printf("product of %d by %d, %s\n", n, n, check(c, a, b, n) ? "successful" : "UNSUCCESSFUL");
    free(a);
    free(b);
    free(c);
    return 0;
}
