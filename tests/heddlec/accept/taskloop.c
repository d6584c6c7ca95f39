/* SPDX-License-Identifier: MIT */
/* construct: `taskloop` with `grainsize`, `num_tasks`, `collapse`, `lastprivate`, `firstprivate`, `private`, `nogroup`
 * generated: a loop on the host that creates a task for each chunk of the iterations; a barrier at the end without nogroup */
#include <stdio.h>

int main(void)
{
    int a[100], b[100], m[10][12], last = -1, base = 3, t;
    unsigned long sum = 0;
#pragma omp target parallel map(from : a, b, m) map(tofrom : last)
#pragma omp single
    {
#pragma omp taskloop grainsize(7)
        for (int i = 0; i < 100; i++)
            a[i] = i * i;
#pragma omp taskloop num_tasks(9) firstprivate(base) private(t)
        for (int i = 99; i >= 0; i--) {
            t = a[i] + base;
            b[i] = t - a[99 - i];
        }
#pragma omp taskloop collapse(2) nogroup
        for (int i = 0; i < 10; i++)
            for (int j = 11; j >= 0; j -= 2) {
                m[i][j] = b[i] + j;
                m[i][j - 1] = -j;
            }
#pragma omp taskloop lastprivate(last) num_tasks(4)
        for (int i = 0; i < 30; i += 4)
            last = a[i] + 1;
    }
    for (int i = 0; i < 100; i++)
        sum = sum * 7 + (unsigned long)a[i] + b[i];
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 12; j++)
            sum = sum * 5 + (unsigned long)m[i][j];
    printf("%lu %d\n", sum, last);
    return 0;
}
