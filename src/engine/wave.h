/* SPDX-License-Identifier: MIT */
/* engine/wave.h - waves of cells and waves of tiles, to one another; and what tests want of them beside the public call. */
#ifndef HD_ENGINE_WAVE_H
#define HD_ENGINE_WAVE_H

#include "heddle/wave.h"
#include "run/run.h"

/* Not 0: waves are laid out for blocks of warps whatever the backend: the emulator of blocks runs them. */
extern int hd_wave_blocks;

/* wave.c: are the fields such that there can be a wave? */
heddle_status hd_wave_check_fields(hd_error *e, const heddle_wave_desc *d);
/* Do workers take parts in order, or is it a graph of tiles? ENODEV: of those the table has no kernel. */
heddle_status hd_wave_check_schedule(heddle_ctx *ctx, const heddle_table *table, const heddle_wave_info *info,
                                     int *is_in_order);
static inline uint64_t hd_wave_lines(uint64_t n_bytes) { return (n_bytes + HD_LINE - 1u) / HD_LINE * HD_LINE; }

/* tile.c: the same as heddle_wave_new, of a body of a tile. */
heddle_status hd_tile_new(heddle_ctx *ctx, const heddle_table *table, const heddle_wave_desc *desc, heddle_graph **out);

#endif
