/* SPDX-License-Identifier: MIT */
/* construct: host `parallel` with a block that holds only `master`; `num_threads`, `default(shared)` on the region
 * generated: num_threads becomes the threads of a block
 * flags: --region=parallel */
#include <stdio.h>

static int v[64];

static void fill(int from, int n)
{
    for (int i = from; i < from + n; i++)
        v[i] = i * i;
}

int main(void)
{
    int sum = 0;
#pragma omp parallel num_threads(4) default(shared)
    {
#pragma omp master
        {
            for (int i = 0; i < 64; i += 16) {
#pragma omp task depend(out : v[i])
                fill(i, 16);
            }
        }
    }
    for (int i = 0; i < 64; i++)
        sum += v[i];
    printf("%d\n", sum);
    return 0;
}
