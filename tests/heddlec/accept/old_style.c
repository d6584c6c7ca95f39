/* SPDX-License-Identifier: MIT */
/* construct: functions of old style, `int f(a) int a; { ... }`, that tasks call, that create tasks, and that wait for them
 * generated: the parameters in brackets */
#include <stdio.h>

typedef double real;
struct shift {
    int x;
};
int limit = 5;

int clipped(v)
int v;
{
    return v > limit ? limit : v;
}

// clang-format off
static real mix(a, b, n, s, f)
    real *a, b[];
    int n;
    struct shift *s;
    float f;
// clang-format on
{
    real sum = 0;
    int i;
    for (i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum + s->x + f;
}

static int fib(n)
int n;
{
    int a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static void spread(out, n) int *out, n;
{
    int i;
    for (i = 0; i < n; i++) {
#pragma omp task firstprivate(n, i) depend(out : out[i])
        out[i] = clipped(n + i);
    }
}

int main()
{
    real a[3] = {1, 2, 3}, r[1] = {0};
    struct shift s = {4};
    int f[1] = {0}, out[4] = {0};
#pragma omp target parallel map(to : a, s) map(tofrom : r, f, out)
#pragma omp single
    {
#pragma omp task
        r[0] = mix(a, a, 3, &s, 0.5);
#pragma omp task
        f[0] = fib(9);
        spread(out, 4);
    }
    printf("%g %d %d %d\n", r[0], f[0], out[1], out[3]);
    return 0;
}
