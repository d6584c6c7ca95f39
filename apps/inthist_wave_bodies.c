/* SPDX-License-Identifier: MIT */
/* inthist_wave_bodies.c - a tile of one bin's plane of an integral histogram, in a band: a pixel counts 1 in its bin.
 * Compiled as C or as CUDA.
 *
 * A plane is a field. The bands of all planes at the same rows run together: the picture, a byte per pixel, is read
 * from memory once and from the L2 cache for the other planes, and waits are short. */
#include "inthist_wave_bodies.h"

TILE_FN uint32_t is_in_plane(uint8_t pixel, uint32_t low, uint32_t width) { return pixel - low < width; }

HEDDLE_TILE(inthist_band, prefix_record, params, tile, 4, sizeof(prefix_carry))
{
    prefix_wave(thread, params, tile, is_in_plane, prefix_hits);
}

HEDDLE_TILES(inthist_wave, prefix_record, INTHIST_WAVES)
