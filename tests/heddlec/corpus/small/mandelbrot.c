/* SPDX-License-Identifier: MIT */
/* shows: a task a row, ASCII output
 * manner: blog post */
#include <complex.h>
#include <stdio.h>

#define ROWS 20
#define COLS 56

static char image[ROWS][COLS + 1];

static void row(int y)
{
    for (int x = 0; x < COLS; x++) {
        double complex c = (x - 40) / 20.0 + (y - ROWS / 2) / 8.0 * I, z = 0;
        int n = 0;
        while (n < 50 && creal(z) * creal(z) + cimag(z) * cimag(z) < 4) {
            z = z * z + c;
            n++;
        }
        image[y][x] = n == 50 ? '*' : n > 6 ? '+' : '.';
    }
    image[y][COLS] = '\0';
}

int main(void)
{
#pragma omp parallel
#pragma omp single
    for (int y = 0; y < ROWS; y++) {
#pragma omp task
        row(y);
    }
    for (int y = 0; y < ROWS; y++)
        puts(image[y]);
    return 0;
}
