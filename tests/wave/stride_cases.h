/* SPDX-License-Identifier: MIT */
/* stride_cases.h - sweeps over one field, cut into strides of columns. */
#ifndef WAVE_STRIDE_CASES_H
#define WAVE_STRIDE_CASES_H

#include "wave/sweep_cases.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MOST_STRIDES 4u

/* The strides of a field, all in the memory of the case's context. */
typedef struct stride_case {
    sweep_case field;
    uint32_t n;
    heddle_wave_desc strides[MOST_STRIDES];
    void *columns[MOST_STRIDES]; /* the last column of each */
    uint32_t *counts[MOST_STRIDES];
    uint32_t n_passes;
} stride_case;

/* 0: the seed's fields are several, or too narrow for two strides. is_counted: borders are counted. */
int stride_case_make(stride_case *c, uint64_t seed, heddle_ctx *ctx, uint64_t most, int is_counted);
/* Before each run. */
void stride_case_reset(stride_case *c);
void stride_case_free(stride_case *c);

#ifdef __cplusplus
}
#endif
#endif
