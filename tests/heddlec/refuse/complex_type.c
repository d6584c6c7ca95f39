/* SPDX-License-Identifier: MIT */
/* construct: types that device code does not have: _Complex, _Atomic, vectors */
void g(double *x, int n)
{
#pragma omp target parallel map(tofrom : x [0:n])
#pragma omp single
    {
#pragma omp task
        {
            double _Complex z = x[0]; /* expect: HC172 */
            x[0] = __real__ z;
        }
    }
}
