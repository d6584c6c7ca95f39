/* SPDX-License-Identifier: MIT */
/* construct: `firstprivate`, `private`, `shared`, `default(none)`, `default(shared)` on a task
 * generated: a field of the record; a local of the body; an address */
#include <stdio.h>

struct pair {
    int a, b;
};

int main(void)
{
    int out[10] = {0}, total = 0, k = 7, scratch = 0;
    int table[4] = {1, 2, 3, 4};
    struct pair p = {3, 4};
#pragma omp target parallel map(tofrom : out, total)
#pragma omp single
    {
        for (int i = 0; i < 10; i++) {
            p.a = i;
            table[i % 4] += i;
#pragma omp task default(none) firstprivate(i, k, p, table) private(scratch) shared(out) depend(out : out[i])
            {
                scratch = p.a * k + p.b;
                table[0]++;
                k++;
                out[i] = scratch + table[0] + table[3] + k;
            }
        }
        for (int i = 0; i < 10; i++) {
#pragma omp task default(shared) firstprivate(i) depend(in : out[i]) depend(inout : total)
            total += out[i];
        }
    }
    for (int i = 0; i < 10; i++)
        printf("%d ", out[i]);
    printf("%d %d %d\n", total, k, scratch);
    return 0;
}
