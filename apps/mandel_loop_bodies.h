/* SPDX-License-Identifier: MIT */
/* mandel_loop_bodies.h - list of the bodies of mandel/loop; their record is that of mandel. */
#ifndef MANDEL_LOOP_BODIES_H
#define MANDEL_LOOP_BODIES_H

#include "mandel_bodies.h"

#include "heddle/loop.h"

#define MANDEL_LOOP_BODIES(X) X(mandel_rows, 0)
HEDDLE_ENUM(mandel_loop, MANDEL_LOOP_BODIES)
HEDDLE_DECLARE(mandel_loop)

#endif
