/* SPDX-License-Identifier: MIT */
/* fault_bodies.h - bodies that fail, that take time, that hang for a while, and one that counts. */
#ifndef GPU_FAULT_BODIES_H
#define GPU_FAULT_BODIES_H

#include "heddle/task.h"

#define FAULTY_CELLS 64u

/* One per run, in memory of the context. */
typedef struct faulty_params {
    uint64_t *cell; /* FAULTY_CELLS */
} faulty_params;

typedef struct faulty_args {
    uint32_t at;   /* a cell */
    uint32_t what; /* number to add; code, 0: does not fail; milliseconds */
} faulty_args;

/* faulty_step: cell = cell * 3 + what. faulty_code: fails with code `what`. faulty_nap: takes `what` milliseconds.
 * faulty_crash: writes to an unmapped address (on a GPU only). */
#define FAULTY_BODIES(X) X(faulty_step, 0) X(faulty_code, 0) X(faulty_nap, 0) X(faulty_crash, 0)
HEDDLE_ENUM(faulty, FAULTY_BODIES)
HEDDLE_DECLARE(faulty)

#endif
