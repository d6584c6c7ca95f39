/* SPDX-License-Identifier: MIT */
/* construct: a value that a task writes steers the host, with no wait between (Juggler, section 4.1) */
void g(int *x, int n)
{
#pragma omp target parallel map(tofrom : x [0:n])
#pragma omp single
    {
#pragma omp task depend(out : x[0])
        x[0] = n / 2;
        for (int i = 1; i < x[0]; i++) { /* expect: HC210 */
#pragma omp task depend(inout : x[i])
            x[i] = i;
        }
    }
}
