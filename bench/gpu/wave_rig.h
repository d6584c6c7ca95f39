/* SPDX-License-Identifier: MIT */
/* wave_rig.h - shared by the programs that time waves: a context on the GPU, and medians. Errors that are not results
 * end the program. */
#ifndef BENCH_WAVE_RIG_H
#define BENCH_WAVE_RIG_H

#include "heddle/wave.h"

extern heddle_ctx *ctx;
extern heddle_schedule schedule; /* the schedule of ctx */

void must(heddle_status s, const char *what);
/* Allocates memory of ctx, which is never freed, and copies `from` there unless NULL. */
void *to_device(const void *from, size_t n_bytes);
/* The median in ns of some runs, after the first one and after all runs in which heddle still tries. 0: the wave cannot
 * be made or run, and *how gives the reason. Under auto *how names the choice. */
uint64_t measure(const heddle_table *table, const heddle_wave_desc *d, const void *params, size_t n_bytes,
                 const char **how);

/* Of a traced wave that has run: how its bands spend their time between their first and their last stretch. */
typedef struct steady {
    double wait,
        lost; /* parts of it: waiting; and that with what stretches take longer than the quickest tenth of them */
} steady;
steady steady_of(heddle_graph *g, uint64_t cols);

#endif
