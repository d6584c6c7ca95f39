/* SPDX-License-Identifier: MIT */
/* shows: minimax on a 3 by 3 board, a task a move in the first two plies
 * manner: artificial intelligence course */
#include <stdio.h>

static const int lines[8] = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};

static int won(int mask)
{
    for (int i = 0; i < 8; i++)
        if ((mask & lines[i]) == lines[i])
            return 1;
    return 0;
}

/* what the player to move reaches: 1, 0 or -1; the games seen are counted */
static int minimax(int mine, int other, int depth, long *games)
{
    int value[9];
    long seen[9], best = -2;
    if (won(other) || (mine | other) == 0777) {
        *games = 1;
        return won(other) ? -1 : 0;
    }
    for (int i = 0; i < 9; i++) {
        value[i] = -2;
        seen[i] = 0;
        if ((mine | other) & (1 << i))
            continue;
#pragma omp task shared(value, seen) if (depth < 2)
        value[i] = -minimax(other, mine | (1 << i), depth + 1, &seen[i]);
    }
#pragma omp taskwait
    *games = 0;
    for (int i = 0; i < 9; i++) {
        *games += seen[i];
        if (value[i] > best)
            best = value[i];
    }
    return best;
}

int main(void)
{
    long games = 0;
    int value = 0;
#pragma omp parallel
#pragma omp single
    value = minimax(0, 0, 0, &games);
    printf("value %d after %ld games\n", value, games);
    return 0;
}
