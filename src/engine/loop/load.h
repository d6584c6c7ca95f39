/* SPDX-License-Identifier: MIT */
/* load.h - how much work the grains of a simulated loop are, by prefix sums; and random numbers of a seed. */
#ifndef HD_LOOP_LOAD_H
#define HD_LOOP_LOAD_H

#include "heddle/simulate.h"

#define HD_N_CELLS 4096u

typedef struct hd_load {
    double n, upto[HD_N_CELLS + 1], density[HD_N_CELLS + 1];
} hd_load;

void hd_load_make(hd_load *l, uint64_t n, heddle_shape shape, uint64_t seed);
/* Of grains begin .. end - 1; 1 each in the mean. */
double hd_load_work(const hd_load *l, uint64_t begin, uint64_t end);
/* The work of the dearest of these grains. */
double hd_load_dearest(const hd_load *l, uint64_t begin, uint64_t end);

uint64_t hd_random_next(uint64_t *state);
/* Normal, with deviation 1. */
double hd_random_normal(uint64_t *state);

#endif
