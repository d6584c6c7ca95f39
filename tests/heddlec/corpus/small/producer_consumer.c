/* SPDX-License-Identifier: MIT */
/* shows: items of a pipeline: a producer task, three stages, depend on a slot each
 * manner: parallel programming course */
#include <stdio.h>
#include <string.h>
#include <ctype.h>

#define ITEMS 6
#define SLOTS 2

int main(void)
{
    static const char *lines[ITEMS] = {"alpha", "beta", "gamma", "delta", "epsilon", "zeta"};
    char slot[SLOTS][16];
    int length[ITEMS];
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < ITEMS; i++) {
        char *s = slot[i % SLOTS];
#pragma omp task firstprivate(i, s) depend(out : s [0:16])
        strcpy(s, lines[i]);
#pragma omp task firstprivate(s) depend(inout : s [0:16])
        for (char *p = s; *p; p++)
            *p = toupper((unsigned char)*p);
#pragma omp task firstprivate(i, s) depend(in : s [0:16]) shared(length)
        length[i] = (int)strlen(s) * 100 + s[0];
    }
    for (int i = 0; i < ITEMS; i++)
        printf("%s: %d\n", lines[i], length[i]);
    return 0;
}
