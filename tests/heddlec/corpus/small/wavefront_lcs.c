/* SPDX-License-Identifier: MIT */
/* shows: longest common subsequence in tiles, depend on three neighbours
 * manner: parallel programming course */
#include <stdio.h>
#include <string.h>

#define N 64
#define B 16
#define MAX(a, b) ((a) > (b) ? (a) : (b))

static char s[N + 1], t[N + 1];
static int L[N + 1][N + 1];

static void tile(int bi, int bj)
{
    for (int i = bi; i < bi + B; i++)
        for (int j = bj; j < bj + B; j++)
            L[i][j] = s[i - 1] == t[j - 1] ? L[i - 1][j - 1] + 1 : MAX(L[i - 1][j], L[i][j - 1]);
}

int main(void)
{
    for (int i = 0; i < N; i++) {
        s[i] = "ACGT"[(i * i + 3) % 4];
        t[i] = "ACGT"[(i * 7 + i / 3) % 4];
    }
    memset(L, 0, sizeof(L));
#pragma omp parallel
#pragma omp master
    for (int i = 1; i <= N; i += B)
        for (int j = 1; j <= N; j += B) {
#pragma omp task firstprivate(i, j) depend(in : L[i - 1][j], L[i][j - 1]) depend(out : L[i + B - 1][j], L[i][j + B - 1])
            tile(i, j);
        }
    printf("length %d\n", L[N][N]);
    return 0;
}
