/* SPDX-License-Identifier: MIT */
/* bodies.h - the tasks of the litmus graphs. Each mixes what it reads into what it writes, so that an old value of any
 * word it read shows in the result. A cell is LITMUS_CELL words, strided over the threads; each word reads words of the
 * inputs that other threads wrote. */
#ifndef LITMUS_BODIES_H
#define LITMUS_BODIES_H

#include "heddle/task.h"

#define LITMUS_CELL 32u
#define LITMUS_IN 12u      /* inputs of a record that fits into the task's                              */
#define LITMUS_WIDE_IN 28u /* inputs of a record that does not fit */

/* One per run, in device memory. Stamps come from one counter: a task began after all tasks with a smaller end stamp. */
typedef struct litmus_params {
    uint32_t *cells, *ran, *begin, *end, *clock;
    uint32_t salt;    /* differs from run to run, so that old values are wrong */
    uint32_t failing; /* task that fails, or HD_NONE                                                */
} litmus_params;

typedef struct litmus_args {
    uint32_t self, out, inout, n_in, in[LITMUS_IN];
} litmus_args;
typedef struct litmus_wide_args {
    uint32_t self, out, inout, n_in, in[LITMUS_WIDE_IN];
} litmus_wide_args;

#define LITMUS_BODIES(X) X(litmus_mix, 0) X(litmus_wide, 256)
HEDDLE_ENUM(litmus, LITMUS_BODIES)
HEDDLE_DECLARE(litmus)

#define LITMUS_FAIL_CODE 7u

HD_FN uint32_t litmus_hash(uint32_t a, uint32_t b)
{
    uint32_t x = (a ^ (b * 0x85ebca6bu)) + 0x9e3779b9u;
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

/* Word i of task `self`'s output. */
HD_FN uint32_t litmus_word(const uint32_t *cells, uint32_t salt, const litmus_args *t, const uint32_t *in, uint32_t i)
{
    uint32_t k, v = litmus_hash(salt ^ t->self, i);
    if (t->inout)
        v = litmus_hash(v, cells[t->out * LITMUS_CELL + i]);
    for (k = 0; k < t->n_in; k++)
        v = litmus_hash(v, cells[in[k] * LITMUS_CELL + (i * 7u + k) % LITMUS_CELL]);
    return v;
}

#endif
