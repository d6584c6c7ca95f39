/* SPDX-License-Identifier: MIT */
/* shows: solutions of n queens, boards on the stack, final and mergeable beyond a depth
 * manner: BOTS, nqueens with final
 * args: 8 3
 * timed: 13 4 */
#include <alloca.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int cutoff;
static const int known[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596};

static int ok(int n, const char *a)
{
    for (int i = 0; i < n - 1; i++) {
        int p = a[i], q = a[n - 1], d = n - 1 - i;
        if (q == p || q == p - d || q == p + d)
            return 0;
    }
    return 1;
}

static void nqueens_serial(int n, int j, char *a, int *solutions)
{
    if (n == j) {
        *solutions += 1;
        return;
    }
    for (int i = 0; i < n; i++) {
        a[j] = (char)i;
        if (ok(j + 1, a))
            nqueens_serial(n, j + 1, a, solutions);
    }
}

static void nqueens(int n, int j, char *a, int *solutions, int depth)
{
    int *csols;
    *solutions = 0;
    if (omp_in_final() || n == j) {
        nqueens_serial(n, j, a, solutions);
        return;
    }
    csols = alloca(n * sizeof(int));
    memset(csols, 0, n * sizeof(int));
    for (int i = 0; i < n; i++) {
#pragma omp task untied final(depth + 1 >= cutoff) mergeable
        {
            char *b = alloca(n * sizeof(char));
            memcpy(b, a, j * sizeof(char));
            b[j] = (char)i;
            if (ok(j + 1, b))
                nqueens(n, j + 1, b, &csols[i], depth + 1);
        }
    }
#pragma omp taskwait
    for (int i = 0; i < n; i++)
        *solutions += csols[i];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8, total = 0;
    char *a;
    cutoff = argc > 2 ? atoi(argv[2]) : 3;
    a = alloca(n * sizeof(char));
    double begin = omp_get_wtime();
#pragma omp parallel
    {
#pragma omp single
        {
#pragma omp task untied
            nqueens(n, 0, a, &total, 0);
        }
    }
    fprintf(stderr, "region %.3f ms\n", 1e3 * (omp_get_wtime() - begin));
    printf("%d queens: %d, %s\n", n, total, total == known[n] ? "successful" : "UNSUCCESSFUL");
    return 0;
}
