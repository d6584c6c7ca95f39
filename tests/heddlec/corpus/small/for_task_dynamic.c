/* SPDX-License-Identifier: MIT */
/* shows: schedule(dynamic) creators of untied tasks on rows of a triangle
 * manner: BOTS, its alignment */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 9

static const char *words[WORDS] = {"kitten",        "sitting", "saturday", "sunday", "rosettacode",
                                   "raisethysword", "flaw",    "lawn",     "gumbo"};
static int score[WORDS][WORDS];

static int min3(int a, int b, int c)
{
    int m = a < b ? a : b;
    return m < c ? m : c;
}

static int distance(const char *a, const char *b)
{
    int n = strlen(a), m = strlen(b), row[32];
    for (int j = 0; j <= m; j++)
        row[j] = j;
    for (int i = 1; i <= n; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int up = row[j];
            row[j] = min3(up + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = up;
        }
    }
    return row[m];
}

int main(void)
{
    int i, j;
#pragma omp parallel
    {
#pragma omp for private(i, j) schedule(dynamic)
        for (i = 0; i < WORDS; i++) {
            for (j = i + 1; j < WORDS; j++) {
#pragma omp task untied firstprivate(i, j) shared(words)
                score[i][j] = distance(words[i], words[j]);
            }
        }
    }
    for (i = 0; i < WORDS; i++, printf("\n"))
        for (j = 0; j < WORDS; j++)
            printf("%3d", score[i][j]);
    return 0;
}
