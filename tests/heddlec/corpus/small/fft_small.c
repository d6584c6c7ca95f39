/* SPDX-License-Identifier: MIT */
/* shows: recursive FFT with complex numbers, halves by tasks
 * manner: numerical analysis course */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef double complex cplx;

static void fft(cplx *buf, cplx *out, int n, int step)
{
    if (step < n) {
#pragma omp task if (n / step > 16)
        fft(out, buf, n, step * 2);
#pragma omp task if (n / step > 16)
        fft(out + step, buf + step, n, step * 2);
#pragma omp taskwait
        for (int i = 0; i < n; i += 2 * step) {
            cplx t = cexp(-I * M_PI * i / n) * out[i + step];
            buf[i / 2] = out[i] + t;
            buf[(i + n) / 2] = out[i] - t;
        }
    }
}

int main(void)
{
    int n = 128;
    cplx *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    for (int i = 0; i < n; i++)
        a[i] = b[i] = cos(2 * M_PI * 5 * i / n) + (i < n / 2 ? 0 : 0.0);
#pragma omp parallel
    {
#pragma omp single
        fft(a, b, n, 1);
    }
    for (int i = 0; i <= n / 2; i++)
        if (cabs(a[i]) > 1e-6)
            printf("frequency %d: %.3f\n", i, cabs(a[i]));
    free(a);
    free(b);
    return 0;
}
