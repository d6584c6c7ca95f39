/* SPDX-License-Identifier: MIT */
/* construct: arrays of variable length as firstprivate of a task in a task
 * generated: a copy on the stack of the body
 * warns: HC140
 * flags: --region=parallel */
#include <stdio.h>
int main(void)
{
    int r = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(r)
        {
            int n = 5, v[n], u[n][n], sum = 0;
            for (int i = 0; i < n; i++)
                for (int k = 0; k < n; k++)
                    u[i][k] = i * k;
            for (int i = 0; i < n; i++)
                v[i] = i;
#pragma omp task firstprivate(v, u) shared(sum)
            {
                v[0] = 100;
                u[2][2] = 7;
                sum += v[0] + v[4] + u[2][2] + u[3][4];
            }
#pragma omp taskwait
            r = sum * 1000 + v[0] + u[2][2];
        }
    }
    printf("%d\n", r);
    return 0;
}
