/* SPDX-License-Identifier: MIT */
/* shows: bit masks, an atomic sum, tasks in the first two rows only
 * manner: blog post */
#include <stdio.h>

static unsigned long count;
static unsigned all;

static unsigned long place(unsigned cols, unsigned left, unsigned right)
{
    unsigned long n = 0;
    if (cols == all)
        return 1;
    for (unsigned free = all & ~(cols | left | right); free;) {
        unsigned bit = free & -free;
        free ^= bit;
        n += place(cols | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return n;
}

static void row(int depth, unsigned cols, unsigned left, unsigned right)
{
    for (unsigned free = all & ~(cols | left | right); free;) {
        unsigned bit = free & -free;
        free ^= bit;
#pragma omp task
        {
            if (depth == 1) {
                unsigned long n = place(cols | bit, (left | bit) << 1, (right | bit) >> 1);
#pragma omp atomic
                count += n;
            } else {
                row(depth + 1, cols | bit, (left | bit) << 1, (right | bit) >> 1);
            }
        }
    }
}

int main(void)
{
    all = (1u << 9) - 1;
#pragma omp parallel
#pragma omp single
    row(0, 0, 0, 0);
    printf("9 queens: %lu\n", count);
    return 0;
}
