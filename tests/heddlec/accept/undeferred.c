/* SPDX-License-Identifier: MIT */
/* construct: tasks and taskloops that run at once, outside of a region: firstprivate structs, unions, arrays, and variables
 * that other names change; `num_tasks`, `grainsize`
 * generated: variables of the statement's own where it changes them or another name may; a taskloop is run task by task, each
 * with the values from outside */
#include <stdio.h>

struct pair {
    int x, y[2];
    struct {
        int z;
    } in;
};
union word {
    int i;
    unsigned char c[4];
};
static int outside = 3;

static void members(struct pair v, union word u)
{
    int a[2] = {1, 2}, n = 4, *p = &n, seen;
    struct pair *q = &v;
#pragma omp task firstprivate(v)
    {
        v.x = 50;
        v.y[1]++;
        (v.in).z += 7;
        printf("%d %d %d;", v.x, v.y[1], v.in.z);
    }
#pragma omp task firstprivate(u, a)
    {
        u.c[0] = 9;
        a[1] = u.i;
        printf(" %d;", a[1]);
    }
#pragma omp task firstprivate(n, v, outside) shared(seen)
    {
        *p = 40;
        q->x = 41;
        outside++;
        seen = n + v.x + outside;
    }
    printf(" %d %d %d, %d, %d %d, %d %d\n", v.x, v.y[1], v.in.z, u.i, a[1], n, seen, outside);
}

static void loops(int n, int m)
{
    int i, j, last = -1, at[2] = {0, 0};
    struct pair v = {0, {0, 0}, {0}};
#pragma omp taskloop num_tasks(5) firstprivate(v, at)
    for (i = 0; i < n; i++) {
        v.x++;
        at[1] += i;
        printf("%d:%d:%d ", i, v.x, at[1]);
    }
    printf("| %d %d\n", v.x, at[1]);
#pragma omp taskloop grainsize(3) firstprivate(m) lastprivate(last, i)
    for (i = n; i > 1; i -= 2) {
        last = m++ + i;
        printf("%d:%d ", i, m);
    }
    printf("| %d %d %d\n", m, last, i);
#pragma omp taskloop collapse(2) num_tasks(4) firstprivate(m) private(j)
    for (i = 0; i < 3; i++)
        for (j = 1; j <= 5; j += 2) {
            if (j == 3)
                continue;
            m *= 2;
            printf("%d,%d:%d ", i, j, m);
        }
    printf("| %d\n", m);
}

int main(void)
{
    struct pair v = {1, {2, 3}, {4}};
    union word u = {.i = 0x01010101};
    members(v, u);
    loops(12, 2);
    loops(2, 2);
    return 0;
}
