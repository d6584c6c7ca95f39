/* SPDX-License-Identifier: MIT */
/* shows: all permutations: arrays in a struct by value into nested tasks
 * manner: programming contest's notes */
#include <stdio.h>

#define N 6

typedef struct {
    int v[N];
    int used;
    int len;
} perm;

static int total, fixed_points;

static void extend(perm p)
{
    if (p.len == N) {
        int f = 0;
        for (int i = 0; i < N; i++)
            f += p.v[i] == i;
#pragma omp atomic
        total++;
#pragma omp atomic
        fixed_points += f;
        return;
    }
    for (int i = 0; i < N; i++) {
        if (p.used & (1 << i))
            continue;
        perm q = p;
        q.v[q.len++] = i;
        q.used |= 1 << i;
#pragma omp task firstprivate(q) if (q.len < 4)
        extend(q);
    }
}

int main(void)
{
    perm start = {{0}, 0, 0};
#pragma omp parallel
#pragma omp single
    extend(start);
    printf("%d permutations, %d fixed points\n", total, fixed_points);
    return 0;
}
