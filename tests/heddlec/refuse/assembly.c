/* SPDX-License-Identifier: MIT */
/* construct: inline assembly in a body */
void g(int *x, int n)
{
#pragma omp target parallel map(tofrom : x [0:n])
#pragma omp single
    {
#pragma omp task
        {
            __asm__ volatile("nop"); /* expect: HC181 */
            x[0] = 1;
        }
    }
}
