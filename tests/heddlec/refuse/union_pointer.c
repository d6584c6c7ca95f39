/* SPDX-License-Identifier: MIT */
/* construct: a union with a pointer, captured by value: nobody knows whether it is one */
union both {
    double *p;
    long n;
};
void g(double *x, int n)
{
    union both u;
    u.p = x;
#pragma omp target parallel map(tofrom : x [0:n])
#pragma omp single
    {
#pragma omp task firstprivate(u) /* expect: HC170 */
        x[0] = (double)u.n;
    }
}
