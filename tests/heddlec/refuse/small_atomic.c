/* SPDX-License-Identifier: MIT */
/* construct: `atomic` on numbers of other sizes than 32 and 64 bits */
void g(char *x, int n)
{
#pragma omp target parallel map(tofrom : x [0:n])
#pragma omp single
    {
#pragma omp task
        {
#pragma omp parallel for
            for (int i = 0; i < n; i++) {
#pragma omp atomic /* expect: HC152 */
                x[0] += 1;
            }
        }
    }
}
