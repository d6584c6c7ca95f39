/* SPDX-License-Identifier: MIT */
/* wave_rig.h - what the programs that time waves have in common: a context on the GPU, and medians. An error that is no finding
 * ends the program. */
#ifndef BENCH_WAVE_RIG_H
#define BENCH_WAVE_RIG_H

#include "heddle/wave.h"

extern heddle_ctx *ctx;
extern heddle_schedule schedule; /* of ctx */

void must(heddle_status s, const char *what);
/* Memory of ctx, never freed; from: NULL, or what is copied there. */
void *to_device(const void *from, size_t n_bytes);
/* The median of some runs after a first one, in ns; 0: the wave cannot be made or run, and *how says why. */
uint64_t measure(const heddle_table *table, const heddle_wave_desc *d, const void *params, size_t n_bytes,
                 const char **how);

#endif
