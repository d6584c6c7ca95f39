/* SPDX-License-Identifier: MIT */
/* construct: `depend` among tasks of one task: chains, boxes of two dimensions, iterators, sections of length zero, with `if` and `final`, more than a body may spawn
 * generated: ranges of the spawned tasks; a task that cannot be spawned waits for the earlier ones and runs as a part
 * flags: --region=parallel */
#include <stdio.h>

enum { N = 12, B = 4 };
static double a[N][N];
static int order[100], n_order;

static void note(int k)
{
#pragma omp critical
    order[n_order++] = k;
}

static long chain(int n)
{
    long x = 1, y = 0;
#pragma omp task shared(x, y) firstprivate(n)
    {
        for (int i = 0; i < n; i++) {
#pragma omp task depend(inout : x) shared(x) firstprivate(i) if (i % 7 != 3) final(i % 11 == 10)
            x = (x * 31 + i) % 1000003;
        }
#pragma omp task depend(in : x) depend(out : y) shared(x, y)
        y = x + 1;
#pragma omp task depend(inout : y) shared(y)
        y *= 2;
#pragma omp taskwait
    }
#pragma omp taskwait
    return x * 10 + y;
}

static void wave(int rounds)
{
    for (int r = 0; r < rounds; r++) {
        for (int i = B; i < N; i += B)
            for (int k = B; k < N; k += B) {
#pragma omp task depend(inout : a [i:B] [k:B]) depend(in : a [i - B:B] [k:B], a [i:B] [k - B:B])
                for (int y = i; y < i + B; y++)
                    for (int x = k; x < k + B; x++)
                        a[y][x] = a[y][x] * 0.5 + a[y - 1][x] + a[y][x - 1] + r;
            }
    }
#pragma omp taskwait
}

static void sets(int n, int nothing)
{
    int v[8] = {0};
    for (int i = 0; i < 8; i++) {
#pragma omp task depend(out : v[i]) shared(v) firstprivate(i)
        v[i] = i + n;
    }
#pragma omp task depend(iterator(k = 0 : 8), in : v[k]) shared(v)
    {
        int sum = 0;
        for (int i = 0; i < 8; i++)
            sum += v[i];
        note(sum);
    }
#pragma omp task depend(in : v [0:nothing]) depend(inout : v [0:8]) shared(v)
    {
        for (int i = 0; i < 8; i++)
            v[i] = -v[i];
    }
#pragma omp task depend(in : v[0]) shared(v)
    note(v[0] + v[7]);
#pragma omp taskwait
}

int main(void)
{
    long c = 0;
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            a[i][k] = i + 0.5 * k;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(c)
        c = chain(60);
#pragma omp task
        wave(5);
#pragma omp taskwait
#pragma omp task
        sets(3, 0);
    }
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            sum += a[i][k] * (i + 1);
    printf("%ld %.3f %d %d %d\n", c, sum, n_order, order[0], order[1]);
    return 0;
}
