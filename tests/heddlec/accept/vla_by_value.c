/* SPDX-License-Identifier: MIT */
/* construct: arrays of variable length as firstprivate and private
 * generated: each task has a copy that lives until the region ends
 * flags: --region=parallel */
#include <stdio.h>

static int total(int n, const int *t)
{
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += t[i];
    return sum;
}

static void run(int n, int *out)
{
    int line[n], table[3][n];
    for (int i = 0; i < n; i++)
        line[i] = i;
#pragma omp parallel private(table)
#pragma omp single
    {
        for (int k = 0; k < 5; k++) {
            for (int i = 0; i < n; i++)
                table[0][i] = table[1][i] = table[2][i] = k * line[i];
#pragma omp task firstprivate(line, table) depend(out : out[k])
            {
                line[0] += 100;
                table[1][n - 1] += line[0];
                out[k] = total(n, line) + total(n, table[1]);
            }
        }
#pragma omp taskloop firstprivate(table) private(line) grainsize(1)
        for (int k = 5; k < 8; k++) {
            for (int i = 0; i < n; i++)
                line[i] = k;
            table[2][0]++;
            out[k] = total(n, line) + table[2][0];
        }
    }
    printf("%d %d\n", line[0], n);
}

int main(void)
{
    int out[8];
    run(11, out);
#pragma omp task firstprivate(out)
    out[0] = 0;
    for (int k = 0; k < 8; k++)
        printf("%d\n", out[k]);
    run(300, out);
    for (int k = 0; k < 8; k++)
        printf("%d\n", out[k]);
    return 0;
}
