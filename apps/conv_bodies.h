/* SPDX-License-Identifier: MIT */
/* conv_bodies.h - list of the bodies of conv: a picture smoothed by binomial weights. Record: prefix_record, one plane. */
#ifndef CONV_BODIES_H
#define CONV_BODIES_H

#include "prefix.h"

#define CONV_BODIES(X) X(conv_tile, 0) /* argument: tile_rect */
HEDDLE_ENUM(conv, CONV_BODIES)
HEDDLE_DECLARE(conv)

#endif
