/* SPDX-License-Identifier: MIT */
/* construct: functions of math.h, of float and double; abs of integers; macros as NAN and isnan
 * generated: the device's functions, with C's types for arguments and results */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void all(double *out, double x, float f, int i)
{
    int e;
    double part, s = 0;
    s += sqrt(x) + fabs(-x) + pow(x, 2) + exp(x / 10) + log(x) + log2(x) + log10(x) + sin(x) + cos(x) + tan(x / 4);
    s += asin(x / 10) + acos(x / 10) + atan(x) + atan2(x, 2) + sinh(x / 5) + cosh(x / 5) + tanh(x) + cbrt(x) +
         hypot(x, 3);
    s += floor(x) + ceil(x) + round(x) + trunc(x) + fmod(x, 0.7) + fmin(x, 1) + fmax(x, 1) + ldexp(x, 2) + frexp(x, &e);
    s += modf(x, &part) + part + e + fma(x, x, 1) + copysign(x, -1.0) + erf(x) + tgamma(x) + lgamma(x) + expm1(x) +
         log1p(x);
    out[0] = s;
    out[1] =
        sqrtf(f) + fabsf(-f) + powf(f, 2) + expf(f / 10) + sinf(f) + floorf(f) + fminf(f, 1) + fmaxf(f, 2) + logf(f);
    out[2] = abs(-i) + labs(-3L * i) + sqrt(i) + fabs(i) + llabs(-5ll) + abs((int)-2.5);
    out[3] = isnan(x) + isinf(x) + isfinite(x) + signbit(-x) / (signbit(-x) ? signbit(-x) : 1) + (isnan(NAN) != 0);
    out[4] = fabs((float)x) + (i / 2) + pow(2, 3);
}

int main(void)
{
    double out[3][5];
#pragma omp target parallel map(from : out)
#pragma omp single
    for (int k = 0; k < 3; k++) {
#pragma omp task
        all(out[k], 1.25 + k, 0.5f + k, 7 + k);
    }
    for (int k = 0; k < 3; k++)
        printf("%.9g %.5g %.9g %g %.6g\n", out[k][0], out[k][1], out[k][2], out[k][3], out[k][4]);
    return 0;
}
