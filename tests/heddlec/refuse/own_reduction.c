/* SPDX-License-Identifier: MIT */
/* construct: a reduction over an array section, or one that the program declares */
void g(int *x, int n)
{
#pragma omp target parallel map(tofrom : x [0:n])
#pragma omp single
    {
#pragma omp task
        {
            int s[4] = {0};
#pragma omp parallel for reduction(+ : s [0:4]) /* expect: HC151 */
            for (int i = 0; i < n; i++)
                s[i % 4] += x[i];
            x[0] = s[0];
        }
    }
}
