/* SPDX-License-Identifier: MIT */
/* simulate_chart.h - a simulated loop as an SVG picture: a row a unit, its slices over time. */
#ifndef SIMULATE_CHART_H
#define SIMULATE_CHART_H

#include "simulate_spec.h"

#include <stdio.h>

typedef struct simulate_slice {
    uint32_t unit;
    uint64_t began_ns, ended_ns;
} simulate_slice;

/* Each slice and its time; `n` counts on when memory ran out, and `failed` is 1. */
typedef struct simulate_slices {
    simulate_slice *at;
    size_t n, cap;
    int failed;
} simulate_slices;

void simulate_chart(FILE *out, const simulate_spec *s, const heddle_simulated *r, const simulate_slices *slices);

#endif
