/* SPDX-License-Identifier: MIT */
/* openmp.c - the loop of hand.h by the threads of OpenMP. The chunk of a schedule is a piece: static with pieces of all indices over the
 * number of threads gives each thread one block, with shorter ones it deals them out in turn. */
#include "hand.h"

#include <omp.h>

static const omp_sched_t kinds[HAND_SCHEDULES] = {
    [HAND_STATIC] = omp_sched_static, [HAND_DYNAMIC] = omp_sched_dynamic, [HAND_GUIDED] = omp_sched_guided};

int hand_openmp(const hand *h, hand_schedule schedule, uint64_t piece, uint32_t n_threads)
{
    const uint64_t n = hand_pieces(h, piece);
    omp_set_schedule(kinds[schedule], 1);
    hand_begin(h);
#pragma omp parallel num_threads(n_threads)
    {
        hand_thread t;
        hand_thread_begin(h, &t);
#pragma omp for schedule(runtime) nowait
        for (uint64_t k = 0; k < n; k++)
            hand_call(h, &t, piece, k);
#pragma omp critical
        hand_thread_end(h, &t);
    }
    return 0;
}
