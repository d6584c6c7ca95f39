/* SPDX-License-Identifier: MIT */
/* construct: task reductions of array sections
 * generated: the tasks take turns at the array, in the order of their creation
 * flags: --region=parallel
 * warns: HC151 */
#include <stdio.h>

#define N 120

int main(void)
{
    int a[N], bins[8] = {0}, *half = bins + 4;
    double sums[3][2] = {{0}};
    for (int i = 0; i < N; i++)
        a[i] = (i * 7) % 13;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop reduction(+ : bins) num_tasks(6)
        for (int i = 0; i < N; i++)
            bins[a[i] % 8]++;
#pragma omp taskgroup task_reduction(+ : half [0:4], sums)
        {
            for (int k = 0; k < 4; k++) {
#pragma omp task in_reduction(+ : half [0:4], sums)
                {
                    half[k]++;
                    for (int i = k; i < N; i += 4)
                        sums[i % 3][i % 2] += a[i];
                }
            }
        }
        printf("%d\n", half[3]);
    }
    for (int i = 0; i < 8; i++)
        printf("%d\n", bins[i]);
    for (int i = 0; i < 6; i++)
        printf("%g\n", sums[i / 2][i % 2]);
    return 0;
}
