/* SPDX-License-Identifier: MIT */
/* sat_wave_bodies.h - the summed area table as a wave of tiles. See sat_bodies.h and prefix_wave.h. */
#ifndef SAT_WAVE_BODIES_H
#define SAT_WAVE_BODIES_H

#include "prefix_wave.h"

#define SAT_WAVES(X) X(sat_band, 0)
HEDDLE_ENUM(sat_wave, SAT_WAVES)
HEDDLE_DECLARE(sat_wave)

#endif
