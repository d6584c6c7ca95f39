/* SPDX-License-Identifier: MIT */
/* construct: a shared scalar that a task writes, read by the host with no wait between */
void g(int *x, int n)
{
    int flag = 0;
#pragma omp target parallel map(tofrom : x [0:n], flag)
#pragma omp single
    {
#pragma omp task shared(flag)
        flag = x[0];
        if (flag) { /* expect: HC210 */
#pragma omp task
            x[1] = 2;
        }
    }
}
