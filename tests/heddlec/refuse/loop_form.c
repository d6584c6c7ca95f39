/* SPDX-License-Identifier: MIT */
/* construct: a taskloop or inner loop that is not in canonical form */
void g(int *x, int n)
{
#pragma omp target parallel map(tofrom : x [0:n])
#pragma omp single
    {
#pragma omp task
        {
#pragma omp parallel for
            for (int i = 1; x[i]; i++) /* expect: HC130 HC103 */
                x[i] = 1;
        }
    }
}
