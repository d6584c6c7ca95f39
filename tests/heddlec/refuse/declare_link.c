/* SPDX-License-Identifier: MIT */
/* construct: `declare target link` */
int big[100];
#pragma omp declare target link(big) /* expect: HC106 */

void create(int *x)
{
#pragma omp task
    x[0] = 1;
}
