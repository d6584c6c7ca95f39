/* SPDX-License-Identifier: MIT */
/* shows: a board copied by memcpy for each task, a critical counter
 * manner: BOTS, first versions */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int solutions = 0;

static int ok(int n, const char *a)
{
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            int d = a[i] - a[j];
            if (d == 0 || d == j - i || d == i - j)
                return 0;
        }
    return 1;
}

static void nqueens(int n, int j, char *a)
{
    if (n == j) {
#pragma omp critical
        solutions++;
        return;
    }
    for (int i = 0; i < n; i++) {
#pragma omp task firstprivate(i)
        {
            char *b = malloc(n);
            memcpy(b, a, j);
            b[j] = (char)i;
            if (ok(j + 1, b))
                nqueens(n, j + 1, b);
            free(b);
        }
    }
#pragma omp taskwait
}

int main(void)
{
    for (int n = 4; n <= 7; n++) {
        char *board = calloc(n, 1);
        solutions = 0;
#pragma omp parallel
#pragma omp single
        nqueens(n, 0, board);
        printf("%d queens: %d solutions\n", n, solutions);
        free(board);
    }
    return 0;
}
