/* SPDX-License-Identifier: MIT */
/* shows: branch and bound with a shared best value under critical
 * manner: BOTS */
#include <stdio.h>

#define N 16

static const int value[N] = {60, 100, 120, 30, 45, 80, 22, 75, 12, 40, 91, 63, 18, 55, 37, 70};
static const int weight[N] = {10, 20, 30, 5, 9, 16, 4, 15, 3, 9, 21, 14, 4, 13, 8, 17};
static int best;

static void update(int v)
{
#pragma omp critical
    if (v > best) {
#pragma omp atomic write
        best = v;
    }
}

static void knapsack(int i, int room, int v, int rest)
{
    int known;
#pragma omp atomic read
    known = best;
    if (room < 0 || v + rest <= known)
        return;
    if (i == N) {
        update(v);
        return;
    }
#pragma omp task untied if (i < 4)
    knapsack(i + 1, room - weight[i], v + value[i], rest - value[i]);
#pragma omp task untied if (i < 4)
    knapsack(i + 1, room, v, rest - value[i]);
#pragma omp taskwait
}

int main(void)
{
    int all = 0;
    for (int i = 0; i < N; i++)
        all += value[i];
#pragma omp parallel
#pragma omp single
    knapsack(0, 80, 0, all);
    int table[81] = {0};
    for (int i = 0; i < N; i++)
        for (int w = 80; w >= weight[i]; w--)
            if (table[w - weight[i]] + value[i] > table[w])
                table[w] = table[w - weight[i]] + value[i];
    printf("best %d, by dynamic programming %d\n", best, table[80]);
    return best != table[80];
}
