/* SPDX-License-Identifier: MIT */
/* construct: `memcpy`, `memset`, `memmove`, `assert`, `printf` in bodies
 * generated: the device's; a failed assert ends the program with the task's name and line */
#include <assert.h>
#include <stdio.h>
#include <string.h>

struct blob {
    int v[16];
};

static void juggle(struct blob *b, const struct blob *from)
{
    struct blob t;
    memset(&t, 0, sizeof t);
    memcpy(t.v, from->v, 8 * sizeof(int));
    memmove(t.v + 2, t.v, 8 * sizeof(int));
    assert(t.v[2] == from->v[0]);
    *b = t;
    if (b->v[15] != 0)
        printf("never\n");
}

int main(void)
{
    struct blob a[3], from = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};
#pragma omp target parallel map(from : a) map(to : from)
#pragma omp single
    for (int i = 0; i < 3; i++) {
#pragma omp task shared(from)
        juggle(&a[i], &from);
    }
    for (int i = 0; i < 16; i++)
        printf("%d ", a[2].v[i]);
    printf("\n");
    return 0;
}
