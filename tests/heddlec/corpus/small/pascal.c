/* SPDX-License-Identifier: MIT */
/* shows: Pascal's triangle: each number depends on two above it
 * manner: tutorial */
#include <stdio.h>

#define ROWS 10

int main()
{
    unsigned t[ROWS][ROWS] = {{0}};
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j <= i; j++) {
            if (j == 0 || j == i) {
#pragma omp task depend(out : t[i][j]) shared(t)
                t[i][j] = 1;
            } else {
#pragma omp task depend(in : t[i - 1][j - 1], t[i - 1][j]) depend(out : t[i][j]) shared(t)
                t[i][j] = t[i - 1][j - 1] + t[i - 1][j];
            }
        }
    for (int j = 0; j < ROWS; j++)
        printf("%u%c", t[ROWS - 1][j], j == ROWS - 1 ? '\n' : ' ');
    return 0;
}
