/* SPDX-License-Identifier: MIT */
/* hotspot_bodies.h - record and list of the body of hotspot: temperatures of a chip's cells after a step, from those before it and the power
 * of each. Indices are rows, second indices columns. */
#ifndef HOTSPOT_BODIES_H
#define HOTSPOT_BODIES_H

#include "heddle/loop.h"

typedef struct hotspot_record {
    const float *from, *power;
    float *to;
    uint64_t from_stride, power_stride, to_stride; /* bytes from row to row */
    uint64_t rows, cols;                           /* of the chip */
    float warms;                                   /* what a watt adds in a step */
    float flow_x, flow_y, flow_z,
        ambient;    /* watts for a difference of one degree, to a neighbour in the row, in the column; */
    uint32_t tuned; /* and to the surroundings, which have that temperature */
} hotspot_record;

#define HOTSPOT_BODIES(X) X(hotspot_step, 0)
HEDDLE_ENUM(hotspot, HOTSPOT_BODIES)
HEDDLE_DECLARE(hotspot)

#endif
