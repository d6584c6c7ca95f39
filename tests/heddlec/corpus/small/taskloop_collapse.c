/* SPDX-License-Identifier: MIT */
/* shows: a table of products by collapse(2), combined with parallel master
 * manner: OpenMP 5.0's examples */
#include <stdio.h>

int main(void)
{
    int table[12][9], lines = 0;
#pragma omp parallel master taskloop collapse(2)
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 9; j++)
            table[i][j] = (i + 1) * (j + 1);
    for (int i = 0; i < 12; i++, lines++) {
        for (int j = 0; j < 9; j++)
            printf("%4d", table[i][j]);
        printf("\n");
    }
    return lines != 12;
}
