/* SPDX-License-Identifier: MIT */
/* shows: game of life, row strips, two boards by pointer swap, taskwait a generation
 * manner: student's project */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 24

typedef unsigned char board[N][N];

static void step_rows(board *from, board *to, int r0, int r1)
{
    for (int r = r0; r < r1; r++)
        for (int c = 0; c < N; c++) {
            int n = 0;
            for (int dr = -1; dr <= 1; dr++)
                for (int dc = -1; dc <= 1; dc++)
                    if (dr || dc)
                        n += (*from)[(r + dr + N) % N][(c + dc + N) % N];
            (*to)[r][c] = n == 3 || (n == 2 && (*from)[r][c]);
        }
}

int main(void)
{
    board *cur = calloc(1, sizeof(board)), *next = calloc(1, sizeof(board));
    static const int glider[5][2] = {{0, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}};
    for (int i = 0; i < 5; i++)
        (*cur)[glider[i][0]][glider[i][1]] = 1;
#pragma omp parallel
    {
#pragma omp single
        for (int g = 0; g < 4 * 5; g++) {
            for (int r = 0; r < N; r += 6) {
#pragma omp task firstprivate(r, cur, next)
                step_rows(cur, next, r, r + 6);
            }
#pragma omp taskwait
            board *t = cur;
            cur = next;
            next = t;
        }
    }
    for (int r = 0; r < N; r++)
        for (int c = 0; c < N; c++)
            if ((*cur)[r][c])
                printf("(%d,%d) ", r, c);
    printf("\n");
    free(cur);
    free(next);
    return 0;
}
