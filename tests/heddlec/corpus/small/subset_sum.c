/* SPDX-License-Identifier: MIT */
/* shows: branch with and without an item; results through pointers to two locals
 * manner: algorithms course */
#include <stdio.h>

static const int items[] = {3, 34, 4, 12, 5, 2, 7, 8, 9, 10, 15, 16, 23, 42};
enum { COUNT = sizeof items / sizeof *items };

static void count(int i, int rest, long *found)
{
    if (rest == 0) {
        *found = 1;
        return;
    }
    if (i == COUNT || rest < 0) {
        *found = 0;
        return;
    }
    long with, without;
#pragma omp task shared(with) if (i < 5)
    count(i + 1, rest - items[i], &with);
#pragma omp task shared(without) if (i < 5)
    count(i + 1, rest, &without);
#pragma omp taskwait
    *found = with + without;
}

int main(void)
{
    long n;
#pragma omp parallel
    {
#pragma omp single nowait
        count(0, 50, &n);
    }
    printf("%ld subsets\n", n);
    return 0;
}
