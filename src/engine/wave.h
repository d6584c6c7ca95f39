/* SPDX-License-Identifier: MIT */
/* engine/wave.h - what tests want of wave.c beside the public call. */
#ifndef HD_ENGINE_WAVE_H
#define HD_ENGINE_WAVE_H

/* Not 0: waves are laid out for blocks of warps whatever the backend: the emulator of blocks runs them. */
extern int hd_wave_blocks;

#endif
