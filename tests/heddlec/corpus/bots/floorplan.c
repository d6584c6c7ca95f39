/* SPDX-License-Identifier: MIT */
/* shows: cells placed in two shapes each, branch and bound on the area; boards copied into tasks, `if` as cut-off
 * manner: BOTS, floorplan with if
 * args: 5 3
 * timed: 12 4 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 24
#define MAX_CELLS 12

struct plan {
    char taken[SIDE][SIDE];
    int rows, cols;
};

static const int shape[MAX_CELLS][2] = {{3, 2}, {4, 1}, {2, 2}, {5, 2}, {3, 3}, {1, 4},
                                        {2, 3}, {4, 2}, {1, 2}, {3, 1}, {2, 5}, {1, 3}};
static int cells, cutoff, best;

static int lay(struct plan *p, int y, int x, int h, int w)
{
    if (y + h > SIDE || x + w > SIDE)
        return 0;
    for (int i = y; i < y + h; i++)
        for (int j = x; j < x + w; j++) {
            if (p->taken[i][j])
                return 0;
            p->taken[i][j] = 1;
        }
    if (y + h > p->rows)
        p->rows = y + h;
    if (x + w > p->cols)
        p->cols = x + w;
    return 1;
}

static int known_best(void)
{
    int b;
#pragma omp atomic read
    b = best;
    return b;
}

static void improve(int area)
{
#pragma omp critical
    if (area < best) {
#pragma omp atomic write
        best = area;
    }
}

static void add_cell(int cell, const struct plan *from, int depth);

/* The cell stands beside or below what is there: on the right edge or on the lower one. */
static void try_place(int cell, const struct plan *from, int turn, int below, int at, int depth)
{
    struct plan p = *from;
    int h = shape[cell][turn], w = shape[cell][!turn];
    if (!lay(&p, below ? at : 0, below ? 0 : at, h, w) || p.rows * p.cols >= known_best())
        return;
    if (cell + 1 == cells)
        improve(p.rows * p.cols);
    else
        add_cell(cell + 1, &p, depth + 1);
}

static void add_cell(int cell, const struct plan *from, int depth)
{
    for (int turn = 0; turn < 2; turn++)
        for (int below = 0; below < 2; below++) {
            int end = below ? from->rows : from->cols;
            for (int at = 0; at <= end; at++) {
#pragma omp task untied firstprivate(cell, turn, below, at, depth) if (depth < cutoff)
                try_place(cell, from, turn, below, at, depth);
            }
        }
#pragma omp taskwait
}

/* The same search without bounds' order or tasks. */
static int search(int cell, const struct plan *from, int bound)
{
    for (int k = 0; k < 4; k++)
        for (int at = 0; at <= (k & 1 ? from->rows : from->cols); at++) {
            struct plan p = *from;
            int h = shape[cell][k >> 1], w = shape[cell][!(k >> 1)];
            if (!lay(&p, k & 1 ? at : 0, k & 1 ? 0 : at, h, w) || p.rows * p.cols >= bound)
                continue;
            bound = cell + 1 == cells ? p.rows * p.cols : search(cell + 1, &p, bound);
        }
    return bound;
}

int main(int argc, char **argv)
{
    struct plan empty;
    cells = argc > 1 ? atoi(argv[1]) : 5;
    cutoff = argc > 2 ? atoi(argv[2]) : 3;
    memset(&empty, 0, sizeof empty);
    best = SIDE * SIDE;
    double begin = omp_get_wtime();
#pragma omp parallel
#pragma omp single
#pragma omp task untied
    add_cell(0, &empty, 0);
    fprintf(stderr, "region %.3f ms\n", 1e3 * (omp_get_wtime() - begin));
    printf("%d cells: area %d, %s\n", cells, best,
           best == search(0, &empty, SIDE * SIDE) ? "successful" : "UNSUCCESSFUL");
    return 0;
}
