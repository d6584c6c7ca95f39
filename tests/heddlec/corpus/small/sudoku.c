/* SPDX-License-Identifier: MIT */
/* shows: a solver: tasks for candidates of the first empty cells, boards in firstprivate structs
 * manner: student's project */
#include <stdio.h>
#include <string.h>

typedef struct {
    char cell[16];
} grid;

static int solutions;
static grid last;

static int fits(const grid *g, int at, int v)
{
    int r = at / 4, c = at % 4;
    for (int i = 0; i < 4; i++)
        if (g->cell[4 * r + i] == v || g->cell[4 * i + c] == v ||
            g->cell[4 * (r / 2 * 2 + i / 2) + c / 2 * 2 + i % 2] == v)
            return 0;
    return 1;
}

static void solve(grid g, int at, int depth)
{
    while (at < 16 && g.cell[at])
        at++;
    if (at == 16) {
#pragma omp critical
        {
            solutions++;
            if (memcmp(&g, &last, sizeof g) > 0)
                last = g;
        }
        return;
    }
    for (int v = 1; v <= 4; v++)
        if (fits(&g, at, v)) {
            grid next = g;
            next.cell[at] = v;
#pragma omp task firstprivate(next, at) final(depth > 3)
            solve(next, at + 1, depth + 1);
        }
}

int main(void)
{
    grid start;
    memset(&start, 0, sizeof start);
    start.cell[0] = 1;
    start.cell[6] = 3;
#pragma omp parallel
#pragma omp single
    solve(start, 0, 0);
    printf("%d solutions, the last: ", solutions);
    for (int i = 0; i < 16; i++)
        printf("%d", last.cell[i]);
    printf("\n");
    return 0;
}
