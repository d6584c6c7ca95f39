/* SPDX-License-Identifier: MIT */
/* openmp_none.c - the loop of hand.h in a build without OpenMP. */
#include "hand.h"

int hand_openmp(const hand *h, hand_schedule schedule, uint64_t piece, uint32_t n_threads)
{
    (void)h, (void)schedule, (void)piece, (void)n_threads;
    return -1;
}
