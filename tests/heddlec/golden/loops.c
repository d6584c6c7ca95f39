/* SPDX-License-Identifier: MIT */
/* Directives: taskloop, task, the loops inside of bodies, what stands alone, and the order of their clauses' expressions. */
// clang-format off
#pragma omp declare target
static int limit = 3;
static double twice(double x) { return 2 * x + limit; }
#pragma omp end declare target
static double third(double x) { return x / 3; }
#pragma omp declare target(third)
static double total(double *x, int n, int step)
{
    double sum = 0, high = x[0];
    int i, j;
#pragma omp parallel num_threads(n > 4 ? 4 : n) if (parallel : n > 1)
    {
#pragma omp for schedule(dynamic, step + 1) reduction(+ : sum) reduction(max : high) nowait lastprivate(i)
        for (i = 0; i < n; i += step)
            sum += twice(x[i]), high = x[i] > high ? x[i] : high;
#pragma omp barrier
#pragma omp master
        x[0] = high;
#pragma omp critical(name)
        { x[1] += 1; }
#pragma omp atomic capture
        { j = limit; limit += 1; }
    }
#pragma omp parallel for simd collapse(2) private(j) linear(n : 1) safelen(4) aligned(x : 64)
    for (i = 0; i < 2; i++)
        for (j = 0; j < 2; ++j)
            x[2 * i + j] = third(x[i]);
#pragma omp parallel sections
    {
#pragma omp section
        x[0] = 1;
#pragma omp section
        { x[1] = 2; }
    }
    return sum;
}

void region(double *x, double (*y)[4], int n, int m)
{
    int grain = 2;
    double s[3] = {0};
#pragma omp target data map(to : x[0 : n]) map(alloc : y[0 : n][0 : 4]) if (n)
    {
#pragma omp target parallel map(always, tofrom : s) firstprivate(grain) defaultmap(tofrom : scalar)
#pragma omp single nowait
        {
#pragma omp taskgroup
            {
#pragma omp taskloop grainsize(grain * 2) collapse(2) firstprivate(m) shared(x) if (taskloop : n > 3) priority(1) nogroup
                for (int i = 0; i < n; i++)
                    for (int j = m - 1; j >= 0; j -= 2)
                        x[i] += j;
#pragma omp taskloop num_tasks(n / grain) untied
                for (int i = 0; i < n; i++)
                    x[i] = total(y[i], 4, 1);
            }
            for (int i = 0; i < n; i++)
                if (i % 2)
#pragma omp task depend(in : x[i : 2], *s, y[i][:2]) depend(inout : y[i], s[(1)]) priority(n - i) if (i > 1) final(0) mergeable
                    total(y[i], 4, 2);
                else
#pragma omp task default(none) shared(x) firstprivate(i) depend(out : x[i])
                {
                    double t = x[i];
#pragma omp parallel for reduction(* : t)
                    for (int k = 1; k < 3; k++)
                        t *= k;
                    x[i] = t;
                }
#pragma omp taskwait depend(in : x[0])
#pragma omp taskyield
        }
#pragma omp target update from(x[0 : n]) to(grain)
    }
#pragma omp target enter data map(to : x[:n])
#pragma omp target exit data map(from : x[:n])
#pragma heddle region assume(eligible)
#pragma omp target parallel
#pragma omp master
#pragma omp task
    ;
}
