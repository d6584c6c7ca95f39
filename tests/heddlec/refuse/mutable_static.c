/* SPDX-License-Identifier: MIT */
/* construct: a variable with static storage in a function that a body changes */
static int count(void)
{
    static int calls;
    return ++calls; /* expect: HC171 */
}
void g(int *x, int n)
{
#pragma omp target parallel map(tofrom : x [0:n])
#pragma omp single
    {
#pragma omp task
        x[0] = count();
    }
}
