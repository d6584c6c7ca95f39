/* SPDX-License-Identifier: MIT */
/* construct: tasks in functions called from the region (also recursive ones, and through pointers), and outside of any region
 * generated: one version of the function: inside a region it creates tasks, outside it runs their statements at once */
#include <stdio.h>

static int a[64];

static void leaf(int at, int n, int by)
{
#pragma omp task depend(inout : a[at])
    for (int i = at; i < at + n; i++)
        a[i] += by;
}

static void split(int at, int n, int by)
{
    if (n <= 8) {
        leaf(at, n, by);
        return;
    }
    split(at, n / 2, by);
    split(at + n / 2, n - n / 2, by + 1);
}

static void other(int at, int n, int by)
{
    int twice = 2 * by;
#pragma omp task depend(inout : a[at]) firstprivate(twice)
    a[at] += twice + n;
}

int main(void)
{
    void (*how[2])(int, int, int) = {split, other};
    unsigned long sum = 0;
    split(0, 64, 5);
    printf("%d %d\n", a[0], a[63]);
#pragma omp target parallel map(tofrom : a)
#pragma omp single
    for (int k = 0; k < 4; k++)
        how[k % 2](0, 64, k);
    for (int i = 0; i < 64; i++)
        sum = sum * 3 + (unsigned long)a[i];
    printf("%lu\n", sum);
    return 0;
}
