/* SPDX-License-Identifier: MIT */
/* sat_wave_bodies.c - a tile of a summed area table, in a band: a pixel counts its value. Compiled as C or as CUDA. */
#include "sat_wave_bodies.h"

TILE_FN uint32_t brightness(uint8_t pixel, uint32_t low, uint32_t width)
{
    (void)low;
    (void)width;
    return pixel;
}

TILE_FN uint32_t four_brightnesses(uint32_t pixels, const prefix_bin *bin)
{
    (void)bin;
    return pixels;
}

HEDDLE_TILE(sat_band, prefix_record, params, tile, 4, sizeof(prefix_carry))
{
    prefix_wave(thread, params, tile, brightness, four_brightnesses);
}

HEDDLE_TILES(sat_wave, prefix_record, SAT_WAVES)
