/* SPDX-License-Identifier: MIT */
/* engine/wave.h - what tests want of wave.c beside the public call. */
#ifndef HD_ENGINE_WAVE_H
#define HD_ENGINE_WAVE_H

#include <stdint.h>

/* Not 0: waves are laid out for blocks of so many warps, whatever the backend: the emulator of blocks runs them. */
extern uint32_t hd_wave_warps;
/* ... and in this shape (HEDDLE_WAVE_SHAPES). */
extern uint32_t hd_wave_shape;

#endif
