/* SPDX-License-Identifier: MIT */
/* construct: a computed goto in a body */
static void jump(int *x)
{
    void *where = x[0] ? &&one : &&two;
    goto *where; /* expect: HC173 */
one:
    x[0] = 1;
two:
    x[1] = 2;
}
void g(int *x, int n)
{
#pragma omp target parallel map(tofrom : x [0:n])
#pragma omp single
    {
#pragma omp task
        jump(x);
    }
}
