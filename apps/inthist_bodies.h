/* SPDX-License-Identifier: MIT */
/* inthist_bodies.h - list of the bodies of inthist: the integral histogram of a picture. Record: prefix_record, one
 * plane per bin. */
#ifndef INTHIST_BODIES_H
#define INTHIST_BODIES_H

#include "prefix.h"

#define INTHIST_BODIES(X) X(inthist_tile, PREFIX_SHARED_BYTES) /* argument: tile_rect */
HEDDLE_ENUM(inthist, INTHIST_BODIES)
HEDDLE_DECLARE(inthist)

#endif
