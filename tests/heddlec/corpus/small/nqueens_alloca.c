/* SPDX-License-Identifier: MIT */
/* shows: alloca in tasks, counters in an array of results per row
 * manner: BOTS, its second form */
#include <alloca.h>
#include <stdio.h>
#include <string.h>

#define N 7

static int safe(int n, const int *a)
{
    int q = a[n - 1];
    for (int i = 0; i < n - 1; i++) {
        int p = a[i];
        if (p == q || p == q - (n - 1 - i) || p == q + (n - 1 - i))
            return 0;
    }
    return 1;
}

void queens(int j, int *a, int *found)
{
    if (j == N) {
        *found = 1;
        return;
    }
    int *counts = alloca(N * sizeof(int));
    memset(counts, 0, N * sizeof(int));
    *found = 0;
    for (int i = 0; i < N; i++) {
#pragma omp task untied
        {
            int *b = alloca(N * sizeof(int));
            memcpy(b, a, j * sizeof(int));
            b[j] = i;
            if (safe(j + 1, b))
                queens(j + 1, b, &counts[i]);
        }
    }
#pragma omp taskwait
    for (int i = 0; i < N; i++)
        *found += counts[i];
}

int main()
{
    int total = 0, a[N];
#pragma omp parallel
    {
#pragma omp single
        {
#pragma omp task untied shared(total)
            queens(0, a, &total);
        }
    }
    printf("%d\n", total);
    return total == 40 ? 0 : 1;
}
