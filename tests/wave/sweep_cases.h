/* SPDX-License-Identifier: MIT */
/* sweep_cases.h - random fields, some sweeps over them, and their results by plain loops. */
#ifndef WAVE_SWEEP_CASES_H
#define WAVE_SWEEP_CASES_H

#include "check.h"
#include "wave/sweeps.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sweep_case {
    uint64_t seed, row; /* row: state of the random numbers */
    heddle_ctx *ctx;
    mix_params params;
    heddle_wave_desc desc;
    heddle_wave_item items[3];
    uint32_t n_items, value_words;
    uint64_t n_words;
    uint32_t *want;
} sweep_case;

/* Makes fields from a seed, with rows and columns up to `most`, in memory of ctx. */
void sweep_case_make(sweep_case *c, uint64_t seed, heddle_ctx *ctx, uint64_t most);
/* Makes new fields and params for a run. */
void sweep_case_reset(sweep_case *c);
/* Exits if the fields differ from those of plain loops. */
void sweep_case_check(sweep_case *c, const char *how);
void sweep_case_free(sweep_case *c);

#ifdef __cplusplus
}
#endif
#endif
