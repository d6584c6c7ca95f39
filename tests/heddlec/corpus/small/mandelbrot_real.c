/* SPDX-License-Identifier: MIT */
/* shows: escape counts by a task a pixel block, doubles only, checksum
 * manner: tutorial */
#include <stdio.h>

#define SIZE 64
#define BLOCK 16

static int counts[SIZE][SIZE];

int main(void)
{
    int x, y, by, bx;
#pragma omp parallel private(x, y)
#pragma omp single
    for (by = 0; by < SIZE; by += BLOCK)
        for (bx = 0; bx < SIZE; bx += BLOCK) {
#pragma omp task private(x, y) firstprivate(bx, by)
            for (y = by; y < by + BLOCK; y++)
                for (x = bx; x < bx + BLOCK; x++) {
                    double cr = x * 3.0 / SIZE - 2.0, ci = y * 2.5 / SIZE - 1.25, zr = 0, zi = 0;
                    int n;
                    for (n = 0; n < 100 && zr * zr + zi * zi < 4; n++) {
                        double t = zr * zr - zi * zi + cr;
                        zi = 2 * zr * zi + ci;
                        zr = t;
                    }
                    counts[y][x] = n;
                }
        }
    long inside = 0;
    for (y = 0; y < SIZE; y++)
        for (x = 0; x < SIZE; x++)
            inside += counts[y][x] == 100;
    printf("%ld points inside\n", inside);
    return 0;
}
