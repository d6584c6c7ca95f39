/* SPDX-License-Identifier: MIT */
/* timed_bodies.h - bodies that do nothing, take a given time, or mix numbers so that a wrong order shows.
 *
 * In a body that takes time one thread polls the clock, while the others wait for it at the end of the body. So it
 * takes no issue slots from its SM's other blocks, and only the hand-over is timed. */
#ifndef TIMED_BODIES_H
#define TIMED_BODIES_H

#include "heddle/task.h"

typedef struct timed_params {
    uint64_t *cells;    /* of timed_mix                                                              */
    float ticks_per_ns; /* of the clock that timed_spin reads: an SM's cycles, or nanoseconds */
    uint32_t each_ns;   /* length of every task, 0 = as in its record */
} timed_params;

typedef struct timed_args {
    uint32_t in[2], inout, n_in; /* cells                                                               */
    uint32_t id, ns;
} timed_args;

#define TIMED_BODIES(X) X(timed_empty, 0) X(timed_spin, 0) X(timed_mix, 0)
HEDDLE_ENUM(timed, TIMED_BODIES)
HEDDLE_DECLARE(timed)

/* The value that timed_mix leaves in its cell; the oracle on the host uses it, too. */
HEDDLE_FN uint64_t timed_mixed(const uint64_t *cells, const timed_args *t)
{
    uint64_t h = cells[t->inout] + t->id + 1u;
    uint32_t i;
    for (i = 0; i < t->n_in; i++)
        h = (h ^ cells[t->in[i]]) * 0x9e3779b97f4a7c15u + (h >> 29);
    return h * 0xd6e8feb86659fd93u + (h >> 32);
}

#endif
