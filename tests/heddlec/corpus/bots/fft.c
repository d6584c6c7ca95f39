/* SPDX-License-Identifier: MIT */
/* shows: recursive FFT of complex structs: twiddles, unshuffle and butterflies split by tasks down to a block
 * manner: BOTS, fft
 * args: 10 32
 * timed: 20 4096 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    double re, im;
} COMPLEX;

static int block;

static void compute_w_coefficients(int n, int a, int b, COMPLEX *W)
{
    if (b - a < block) {
        for (int k = a; k <= b; k++) {
            W[k].re = cos(2.0 * 3.14159265358979323846 * k / n);
            W[k].im = -sin(2.0 * 3.14159265358979323846 * k / n);
        }
        return;
    }
    int ab = (a + b) / 2;
#pragma omp task
    compute_w_coefficients(n, a, ab, W);
#pragma omp task
    compute_w_coefficients(n, ab + 1, b, W);
#pragma omp taskwait
}

static void unshuffle(int a, int b, COMPLEX *in, COMPLEX *out, int m)
{
    if (b - a < block) {
        for (int i = a; i < b; i++) {
            out[i] = in[2 * i];
            out[m + i] = in[2 * i + 1];
        }
        return;
    }
    int ab = (a + b) / 2;
#pragma omp task
    unshuffle(a, ab, in, out, m);
#pragma omp task
    unshuffle(ab, b, in, out, m);
#pragma omp taskwait
}

static void twiddle(int a, int b, COMPLEX *in, COMPLEX *out, COMPLEX *W, int stride, int m)
{
    if (b - a < block) {
        for (int i = a; i < b; i++) {
            COMPLEX w = W[i * stride], o = in[m + i], e = in[i];
            COMPLEX t = {w.re * o.re - w.im * o.im, w.re * o.im + w.im * o.re};
            out[i].re = e.re + t.re;
            out[i].im = e.im + t.im;
            out[m + i].re = e.re - t.re;
            out[m + i].im = e.im - t.im;
        }
        return;
    }
    int ab = (a + b) / 2;
#pragma omp task
    twiddle(a, ab, in, out, W, stride, m);
#pragma omp task
    twiddle(ab, b, in, out, W, stride, m);
#pragma omp taskwait
}

/* in becomes its transform; tmp is as long */
static void fft_aux(int n, COMPLEX *in, COMPLEX *tmp, COMPLEX *W, int total)
{
    if (n == 1)
        return;
    int m = n / 2;
    unshuffle(0, m, in, tmp, m);
    if (n > block) {
#pragma omp task
        fft_aux(m, tmp, in, W, total);
#pragma omp task
        fft_aux(m, tmp + m, in + m, W, total);
#pragma omp taskwait
    } else {
        fft_aux(m, tmp, in, W, total);
        fft_aux(m, tmp + m, in + m, W, total);
    }
    twiddle(0, m, tmp, in, W, total / n, m);
}

static double term(int i, int n) { return cos(2.0 * 3.14159265358979323846 * 3 * i / n) + 0.5; }

int main(int argc, char **argv)
{
    int n = 1 << (argc > 1 ? atoi(argv[1]) : 10);
    block = argc > 2 ? atoi(argv[2]) : 32;
    COMPLEX *in = malloc(n * sizeof(COMPLEX)), *tmp = malloc(n * sizeof(COMPLEX));
    COMPLEX *W = malloc((n + 1) * sizeof(COMPLEX));
    for (int i = 0; i < n; i++)
        in[i] = (COMPLEX){term(i, n), 0};
    double begin = omp_get_wtime();
#pragma omp parallel
#pragma omp single
    {
        compute_w_coefficients(n, 0, n / 2, W);
        fft_aux(n, in, tmp, W, n);
    }
    fprintf(stderr, "region %.3f ms\n", 1e3 * (omp_get_wtime() - begin));
    double error = 0;
    for (int i = 0; i < n; i++) {
        double want = i == 0 || i == 3 || i == n - 3 ? n / 2.0 : 0;
        error = fmax(error, fabs(in[i].re - want) + fabs(in[i].im));
    }
    printf("transform of %d, %s\n", n, error < 1e-6 * n ? "successful" : "UNSUCCESSFUL");
    free(in);
    free(tmp);
    free(W);
    return 0;
}
