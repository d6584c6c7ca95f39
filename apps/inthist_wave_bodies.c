/* SPDX-License-Identifier: MIT */
/* inthist_wave_bodies.c - a tile of one bin's plane of an integral histogram, in a band: a pixel counts for one in its bin.
 * Compiled as C or as CUDA.
 *
 * A plane is a field: bands of all planes that lie over one another run together, so that the picture, a byte a pixel, is
 * read from memory once and from the L2 cache for the other planes, and nobody waits for long. */
#include "inthist_wave_bodies.h"

TILE_FN uint32_t is_in_plane(uint8_t pixel, uint32_t low, uint32_t width) { return pixel - low < width; }

HEDDLE_TILE(inthist_band, prefix_record, params, tile, 4, sizeof(prefix_carry))
{
    prefix_wave(thread, params, tile, is_in_plane, prefix_hits);
}

HEDDLE_TILES(inthist_wave, prefix_record, INTHIST_WAVES)
