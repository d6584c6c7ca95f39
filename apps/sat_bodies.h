/* SPDX-License-Identifier: MIT */
/* sat_bodies.h - list of the bodies of sat: the summed area table of a picture. Record: prefix_record, one plane. */
#ifndef SAT_BODIES_H
#define SAT_BODIES_H

#include "prefix.h"

#define SAT_BODIES(X) X(sat_tile, PREFIX_SHARED_BYTES) /* argument: tile_rect */
HEDDLE_ENUM(sat, SAT_BODIES)
HEDDLE_DECLARE(sat)

#endif
