/* SPDX-License-Identifier: MIT */
/* shows: two readers between two writers
 * manner: OpenMP's examples */
#include <stdio.h>

int main()
{
    int x = 1, seen[2] = {0, 0};
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task shared(x) depend(out : x)
        x = 2;
#pragma omp task shared(x, seen) depend(in : x)
        seen[0] = x + 1;
#pragma omp task shared(x, seen) depend(in : x)
        seen[1] = x + 2;
#pragma omp task shared(x) depend(out : x)
        x = 10;
    }
    printf("%d %d %d\n", seen[0], seen[1], x);
    return 0;
}
