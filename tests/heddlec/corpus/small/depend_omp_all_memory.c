/* SPDX-License-Identifier: MIT */
/* shows: a task on omp_all_memory between writers and readers
 * manner: OpenMP 5.1's examples
 * gcc: no
 * flags: -DDEPS=4 */
#include <stdio.h>

int main(void)
{
    int v[DEPS] = {0}, snapshot = -1;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < DEPS; i++) {
#pragma omp task shared(v) depend(inout : v[i])
            v[i] = i + 1;
        }
#pragma omp task shared(v, snapshot) depend(inout : omp_all_memory)
        {
            snapshot = 0;
            for (int i = 0; i < DEPS; i++)
                snapshot += v[i];
        }
        for (int i = 0; i < DEPS; i++) {
#pragma omp task shared(v) depend(inout : v[i])
            v[i] *= 10;
        }
    }
    printf("%d then %d %d\n", snapshot, v[0], v[DEPS - 1]);
    return 0;
}
