/* SPDX-License-Identifier: MIT */
/* construct: tasks in tasks: recursion with `taskwait`, `taskgroup` and `taskloop` inside of tasks, `final`, `if`, `depend` among siblings
 * generated: an inner task is a part of the task around it and runs where it is created, with copies of what it gets by value; a warning
 * warns: HC140
 * flags: --region=parallel */
#include <stdio.h>
#include <string.h>

static int fib(int n)
{
    int x, y;
    if (n < 2)
        return n;
#pragma omp task shared(x) firstprivate(n) if (n > 4)
    x = fib(n - 1);
#pragma omp task shared(y) firstprivate(n) final(n < 4)
    y = fib(n - 2);
#pragma omp taskwait
    return x + y;
}

static void quicksort(int *a, int lo, int hi)
{
    if (lo >= hi)
        return;
    int pivot = a[(lo + hi) / 2], i = lo, j = hi;
    while (i <= j) {
        while (a[i] < pivot)
            i++;
        while (a[j] > pivot)
            j--;
        if (i <= j) {
            int t = a[i];
            a[i++] = a[j];
            a[j--] = t;
        }
    }
#pragma omp task
    quicksort(a, lo, j);
#pragma omp task
    quicksort(a, i, hi);
}

static void merge_sort(double *a, double *t, int n)
{
    if (n < 2)
        return;
    int m = n / 2;
#pragma omp taskgroup
    {
#pragma omp task
        merge_sort(a, t, m);
#pragma omp task
        merge_sort(a + m, t + m, n - m);
    }
    for (int i = 0, l = 0, r = m; i < n; i++)
        t[i] = l < m && (r >= n || a[l] <= a[r]) ? a[l++] : a[r++];
    memcpy(a, t, (size_t)n * sizeof *a);
}

struct pair {
    int a, b;
};

/* Every inner task has its own copy of what it gets by value. */
static int copies(int n)
{
    int sum = 0, k = n, row[3] = {n, n, n};
    struct pair p = {n, 2 * n};
#pragma omp task shared(sum) firstprivate(k, row, p)
    {
        for (int i = 0; i < 3; i++) {
#pragma omp task shared(sum) firstprivate(k, row, p, i)
            {
                k += i;
                row[i] = -1;
                p.b = 0;
                sum += k + row[0] + row[1] + row[2] + p.a + p.b;
            }
#pragma omp taskwait
        }
        int own = 5;
#pragma omp task shared(sum)
        {
            own++; /* of this task */
            sum += own;
        }
#pragma omp taskwait
        sum += 100 * own + k + row[2] + p.b;
#pragma omp taskloop private(k) shared(sum)
        for (int i = 0; i < 4; i++) {
            k = i;
#pragma omp atomic
            sum += k;
        }
        sum += k;
    }
#pragma omp taskwait
    return sum;
}

static int chain(int n)
{
    int x = n, y = 0, z = 0;
#pragma omp task shared(x, y, z)
    {
#pragma omp task depend(out : x) shared(x)
        x += 3;
#pragma omp task depend(in : x) depend(out : y) shared(x, y)
        y = 2 * x;
#pragma omp task depend(in : y) shared(y, z) mergeable untied priority(2)
        z = y + 1;
#pragma omp taskwait
    }
#pragma omp taskwait
    return x + y + z;
}

int main(void)
{
    enum { N = 300 };
    static int a[N];
    static double b[N], t[N];
    int f = 0, c = 0, d = 0;
    unsigned long sum = 0;
    for (int i = 0; i < N; i++)
        a[i] = (i * 7919) % 1009, b[i] = a[i] / 3.0;
#pragma omp parallel
#pragma omp single
    {
        f = fib(15);
        c = copies(4);
        d = chain(5);
#pragma omp taskgroup
        quicksort(a, 0, N - 1);
        merge_sort(b, t, N);
    }
    for (int i = 0; i < N; i++)
        sum = sum * 31 + (unsigned long)a[i] + (unsigned long)(3 * b[i]);
    printf("%d %d %d %lu\n", f, c, d, sum);
    printf("%d %d %d\n", fib(7), copies(2), chain(1));
    return 0;
}
