/* SPDX-License-Identifier: MIT */
/* shows: adaptive quadrature: tasks that split where the error is large
 * manner: numerical analysis course */
#include <math.h>
#include <stdio.h>

static double f(double x) { return sqrt(x) * exp(-x); }

static double simpson(double a, double b) { return (b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b)); }

static double integrate(double a, double b, double eps, int depth)
{
    double m = (a + b) / 2, left = simpson(a, m), right = simpson(m, b), whole = simpson(a, b);
    if (depth > 20 || fabs(left + right - whole) < 15 * eps)
        return left + right;
    double l, r;
#pragma omp task shared(l) final(depth > 6)
    l = integrate(a, m, eps / 2, depth + 1);
#pragma omp task shared(r) final(depth > 6)
    r = integrate(m, b, eps / 2, depth + 1);
#pragma omp taskwait
    return l + r;
}

int main(void)
{
    double result;
#pragma omp parallel
#pragma omp single
    result = integrate(0, 10, 1e-9, 0);
    printf("%.6f\n", result);
    return 0;
}
