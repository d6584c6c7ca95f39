/* SPDX-License-Identifier: MIT */
/* construct: `detach` */
#include <omp.h>
void g(int *x)
{
    omp_event_handle_t event;
#pragma omp target parallel map(tofrom : x [0:4])
#pragma omp single
    {
#pragma omp task detach(event) /* expect: HC122 */
        x[0] = 1;
    }
}
