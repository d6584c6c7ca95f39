/* SPDX-License-Identifier: MIT */
/* The clock of openmp_macro.c. */
#ifdef _OPENMP
#include <omp.h>
#else
#define omp_get_wtime() 0.0
#endif

double now(void);
int threads_wanted(void);

double now(void) { return omp_get_wtime(); }

int threads_wanted(void)
{
#ifdef _OPENMP
    return 3;
#else
    return 1;
#endif
}
