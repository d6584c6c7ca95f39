/* SPDX-License-Identifier: MIT */
/* lock.c - the mutex of the region, and the holding thread's region. The lowest layer of this library. */
#include "openmp/inside.h"

#include <pthread.h>

_Thread_local hd_omp_region *hd_omp_here HD_OMP_OWN;

static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;

void hd_omp_enter_alone(void)
{
    if (!hd_omp_here)
        pthread_mutex_lock(&alone);
}

void hd_omp_leave_alone(void)
{
    if (!hd_omp_here)
        pthread_mutex_unlock(&alone);
}
