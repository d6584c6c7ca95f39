/* SPDX-License-Identifier: MIT */
/* engine/wave.h - waves of cells and waves of tiles, to one another; and what tests want of them beside the public call. */
#ifndef HD_ENGINE_WAVE_H
#define HD_ENGINE_WAVE_H

#include "heddle/wave.h"
#include "run/run.h"

/* Not 0: waves are laid out for blocks of warps whatever the backend: the emulator of blocks runs them. */
extern int hd_wave_blocks;

#define HD_WAVE_MOST ((uint64_t)1 << 31) /* rows, columns */

/* wave.c: the fields of a desc, and one of them. */
uint32_t hd_wave_fields(const heddle_wave_desc *d);
heddle_wave_item hd_wave_item_of(const heddle_wave_desc *d, uint32_t i);
/* Is there such a body of a wave? EINVAL: `call` says that there is none. */
heddle_status hd_wave_check_body(hd_error *e, const char *call, const heddle_table *table, uint32_t body);
/* Are the fields such that there can be a wave? */
heddle_status hd_wave_check_fields(hd_error *e, const heddle_wave_desc *d);
/* Do workers take parts in order, or is it a graph of tiles? ENODEV: of those the table has no kernel. */
heddle_status hd_wave_check_schedule(heddle_ctx *ctx, const heddle_table *table, const heddle_wave_info *info,
                                     int *is_in_order);
static inline uint64_t hd_wave_lines(uint64_t n_bytes) { return (n_bytes + HD_LINE - 1u) / HD_LINE * HD_LINE; }

/* layout.c: what of a wave says where it keeps its cells. shape: NULL on threads. */
typedef struct hd_kept {
    hd_error *e;
    const heddle_table *table;
    const heddle_wave_desc *desc;
    const heddle_wave_info *info;
    const heddle_wave_shape *shape;
} hd_kept;
/* Is it such as there can be? The shape need not be known yet. */
heddle_status hd_layout_check(const hd_kept *m);
heddle_wave_layout hd_layout_of(const hd_kept *m, const heddle_wave_item *x);
/* Cells that are wanted have their place: aligned, large enough, each item its own. */
heddle_status hd_layout_check_cells(const hd_kept *m);

/* tile.c: the same as heddle_wave_new, of a body of a tile. */
heddle_status hd_tile_new(heddle_ctx *ctx, const heddle_table *table, const heddle_wave_desc *desc, heddle_graph **out);

#endif
