/* SPDX-License-Identifier: MIT */
/* construct: functions that tasks call: with empty brackets, and with variables of the file that the task's statement reads, too
 * generated: `f()` has no parameters; a variable that the statement names is copied into the record, functions reach it by
 *            its address
 * gcc: no, it compares first bytes only, and `seen[0:6]` is six of them */
#include <stdio.h>

static int limit, total, seen[12];
static const int *bounds;

static int two() { return 2; }
void add_two() { total += two(); }
static int cut(int v) { return v > limit ? limit : v; }

static void cut_all(int *at, int n)
{
    int i;
#pragma omp parallel for
    for (i = 0; i < n; i++)
        at[i] = at[i] > bounds[1] ? bounds[1] : at[i];
}

static void create(int n)
{
#pragma omp target parallel map(tofrom : seen, total, limit) map(to : bounds [0:2])
#pragma omp single
    {
        for (int i = 0; i < n; i++) {
#pragma omp task depend(out : seen[i])
            if (i < limit + 2)
                seen[i] = cut(i);
        }
        for (int i = 0; i < 3; i++) {
#pragma omp task depend(inout : total)
            add_two();
        }
#pragma omp task depend(inout : seen [0:6])
        if (bounds[0] < bounds[1])
            cut_all(seen, 6);
    }
}

int main(void)
{
    static const int both[2] = {1, 3};
    bounds = both;
    limit = 7;
    create(12);
    for (int i = 0; i < 12; i++)
        printf("%d ", seen[i]);
    printf("%d\n", total);
    return 0;
}
