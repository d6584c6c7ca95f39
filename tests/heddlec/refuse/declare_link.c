/* SPDX-License-Identifier: MIT */
/* construct: `declare target link` */
int big[100];
#pragma omp declare target link(big) /* expect: HC106 */
