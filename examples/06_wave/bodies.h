/* SPDX-License-Identifier: MIT */
/* bodies.h - a wavefront: how many letters must be added, left out or changed to turn one text into another? */
#ifndef BODIES_H
#define BODIES_H

#include "heddle/wave.h"

typedef struct edit_params {
    uint32_t change; /* cost of changing a letter; adding one or leaving it out costs 1 */
} edit_params;

#define EDIT_WAVES(X) X(edit_cell, 0)
HEDDLE_ENUM(edit, EDIT_WAVES)
HEDDLE_DECLARE(edit)

#endif
