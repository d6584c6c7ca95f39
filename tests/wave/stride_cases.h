/* SPDX-License-Identifier: MIT */
/* stride_cases.h - a wave cut into strides of rows, each a wave of its own. */
#ifndef WAVE_STRIDE_CASES_H
#define WAVE_STRIDE_CASES_H

#include "check.h"
#include "heddle/wave.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MOST_STRIDES 4u

typedef struct stride_case {
    heddle_ctx *ctx;
    const heddle_table *table;
    const heddle_wave_desc *whole;
    uint32_t n, run; /* run: its number */
    heddle_wave_desc strides[MOST_STRIDES];
    void *outer[MOST_STRIDES]; /* what each hands on, but the last; memory of ctx, as `found` is */
    void *found[MOST_STRIDES];
    uint32_t corner[MOST_STRIDES][4];
} stride_case;

/* Cuts a wave of one field, with memory of ctx and cells by rows. unit: rows of a band; row: state of random numbers. 0: it has too few
 * rows. */
int stride_case_make(stride_case *c, heddle_ctx *ctx, const heddle_table *table, const heddle_wave_desc *whole,
                     uint64_t unit, uint64_t *row);
/* A random shape of a GPU: bands of it fit the stride. */
const heddle_wave_shape *stride_shape(const heddle_wave_info *info, const heddle_wave_desc *d, uint64_t *row);
/* Before each run. */
void stride_case_reset(stride_case *c);
/* After a run: joins what strides have found. */
void stride_case_join(stride_case *c);
void stride_case_free(stride_case *c);

#ifdef __cplusplus
}
#endif
#endif
