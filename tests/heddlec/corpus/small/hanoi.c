/* SPDX-License-Identifier: MIT */
/* shows: towers of Hanoi counted by tasks down to a depth
 * manner: university course */
#include <stdio.h>

long hanoi(int n, int depth)
{
    long a = 0, b = 0;
    if (n == 0)
        return 0;
    if (depth == 0)
        return hanoi(n - 1, 0) + 1 + hanoi(n - 1, 0);
#pragma omp task shared(a)
    a = hanoi(n - 1, depth - 1);
#pragma omp task shared(b)
    b = hanoi(n - 1, depth - 1);
#pragma omp taskwait
    return a + 1 + b;
}

int main(void)
{
    long moves = 0;
#pragma omp parallel
#pragma omp single
    moves = hanoi(14, 4);
    printf("%ld moves, %s\n", moves, moves == (1L << 14) - 1 ? "as expected" : "WRONG");
    return 0;
}
