/* SPDX-License-Identifier: MIT */
/* shows: flood fill by tasks; a cell is taken by an atomic capture
 * manner: student's project */
#include <stdio.h>
#include <string.h>

#define W 21
#define H 7

static const char *maze[H] = {"#####################", "#   #     #   #     #", "# # # ### # # # ### #",
                              "# #   # #   #   # # #", "# ##### ######### # #", "#                   #",
                              "#####################"};
static int seen[H][W];
static int reached;

static void visit(int y, int x)
{
    int before;
    if (maze[y][x] == '#')
        return;
#pragma omp atomic capture
    before = seen[y][x]++;
    if (before)
        return;
#pragma omp atomic
    reached++;
#pragma omp task
    visit(y - 1, x);
#pragma omp task
    visit(y + 1, x);
#pragma omp task
    visit(y, x - 1);
#pragma omp task
    visit(y, x + 1);
}

int main(void)
{
    int open = 0;
    for (int y = 0; y < H; y++)
        for (size_t x = 0; x < strlen(maze[y]); x++)
            open += maze[y][x] != '#';
#pragma omp parallel
#pragma omp single
    visit(1, 1);
    printf("%d of %d cells reached\n", reached, open);
    return 0;
}
