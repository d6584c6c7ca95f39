/* SPDX-License-Identifier: MIT */
/* inthist_wave_bodies.h - the integral histogram as a wave of tiles. See inthist_bodies.h and prefix_wave.h. */
#ifndef INTHIST_WAVE_BODIES_H
#define INTHIST_WAVE_BODIES_H

#include "prefix_wave.h"

#define INTHIST_WAVES(X) X(inthist_band, 0)
HEDDLE_ENUM(inthist_wave, INTHIST_WAVES)
HEDDLE_DECLARE(inthist_wave)

#endif
