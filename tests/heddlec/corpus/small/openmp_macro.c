/* SPDX-License-Identifier: MIT */
/* shows: a helper file without pragmas asks _OPENMP; stubs in its #else
 * manner: makefile project
 * also: parts/clock.c */
#include <stdio.h>
#ifdef _OPENMP
#include <omp.h>
#endif

double now(void);
int threads_wanted(void);

int main(void)
{
    int squares[5], n = threads_wanted();
    double t = now();
#pragma omp parallel num_threads(n)
#pragma omp single
    for (int i = 0; i < 5; i++) {
#pragma omp task shared(squares)
        squares[i] = i * i;
    }
    t = now() - t;
    printf("%d %d, %s\n", squares[2], squares[4], t >= 0 && n == 3 ? "clock of OpenMP" : "no OpenMP");
    return 0;
}
