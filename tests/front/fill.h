/* SPDX-License-Identifier: MIT */
/* fill.h - a loop beside wavefronts: it writes the elements x of their fields, and takes its time. */
#ifndef FRONT_FILL_H
#define FRONT_FILL_H

#include "heddle/loop.h"

typedef struct fill_params {
    uint32_t *x;
    uint64_t seed;
    uint32_t n_rounds; /* of work for an element */
} fill_params;

#define FILL_LOOPS(X) X(fill_x, 0)
HEDDLE_ENUM(fill, FILL_LOOPS)
HEDDLE_DECLARE(fill)

/* Element i of a case's x (cases.c), by splitmix64 as check.h has it. */
HEDDLE_FN uint32_t fill_of(uint64_t seed, uint64_t i)
{
    uint64_t z = seed * 1000003u + i * 2654435761u + 1u + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)(z ^ (z >> 31));
}

#endif
