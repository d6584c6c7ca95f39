/* SPDX-License-Identifier: MIT */
/* noise.h - made-up input: number i of stream `seed`, a function of both alone (Steele, Lea and Flood's SplitMix64).
 * Every machine makes the same input, and any part of it can be made by itself. */
#ifndef NOISE_H
#define NOISE_H

#include <stdint.h>

static inline uint64_t noise_u64(uint64_t seed, uint64_t i)
{
    uint64_t z = (seed << 32) + (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Uniform over 0 <= x < 1, in steps of 2^-24: exact as float and as double. */
static inline double noise_unit(uint64_t seed, uint64_t i) { return (double)(noise_u64(seed, i) >> 40) * 0x1p-24; }

#endif
