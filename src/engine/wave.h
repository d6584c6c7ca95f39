/* SPDX-License-Identifier: MIT */
/* engine/wave.h - shared by waves of cells, waves of tiles and their tests. */
#ifndef HD_ENGINE_WAVE_H
#define HD_ENGINE_WAVE_H

#include "heddle/wave.h"
#include "run/run.h"

/* Not 0: lays waves out for blocks of warps on every backend, for the emulator of blocks. */
extern int hd_wave_blocks;

#define HD_WAVE_MOST ((uint64_t)1 << 31) /* rows, columns */

/* wave.c: the fields of a desc, and one of them. */
uint32_t hd_wave_fields(const heddle_wave_desc *d);
heddle_wave_item hd_wave_item_of(const heddle_wave_desc *d, uint32_t i);
/* wave_checks.c: checks that the table has this body and it is a wave's. EINVAL, naming `call`. */
heddle_status hd_wave_check_body(hd_error *e, const char *call, const heddle_table *table, uint32_t body);
/* Checks the sizes of the fields. */
heddle_status hd_wave_check_fields(hd_error *e, const heddle_wave_desc *d);
/* wave.c: allocates memory of the context. ENOMEM says how much is needed and how much is free. */
heddle_status hd_wave_mem_new(heddle_ctx *ctx, uint64_t n_bytes, void **out);
/* wave_shape.c: checks that a block of the GPU has room for n_warps bands and shared_bytes. */
heddle_status hd_wave_check_block(heddle_ctx *ctx, uint32_t n_warps, uint64_t shared_bytes);
/* wave_said.c: heddle_graph.say_failure for a `kind` (cell or tile), if such a one failed in the last run. */
int hd_wave_say_failure(heddle_graph *g, const hd_wave_words *words, const char *kind, uint32_t code, char *to,
                        size_t n);
/* An item of a wave, as heddle_graph.say_halt names it: which field, from 1 on in which pass over it (0: there are no passes), and
 * its first band among those of all items. */
typedef struct hd_item_at {
    uint32_t field, pass;
    uint64_t first_band;
} hd_item_at;
/* Reads item i. 0: the context's memory cannot be read. */
typedef int hd_item_reader(heddle_graph *g, uint32_t i, hd_item_at *out);
/* heddle_graph.say_halt: what bands of n_items items were at. */
void hd_wave_say_halt(heddle_graph *g, const hd_wave_words *words, uint32_t n_items, hd_item_reader *read, char *to,
                      size_t n);
/* Do workers take parts in order, or is the wave a graph of tiles? ENODEV: the table has no kernel for tiles. */
heddle_status hd_wave_check_schedule(heddle_ctx *ctx, const heddle_table *table, const heddle_wave_info *info,
                                     int *is_in_order);
static inline uint64_t hd_wave_lines(uint64_t n_bytes) { return (n_bytes + HD_LINE - 1u) / HD_LINE * HD_LINE; }

/* layout.c: what determines where a wave keeps its cells. shape: NULL on threads. */
typedef struct hd_kept {
    hd_error *e;
    const heddle_table *table;
    const heddle_wave_desc *desc;
    const heddle_wave_info *info;
    const heddle_wave_shape *shape;
} hd_kept;
/* Checks the requested layout. The shape may still be unknown. */
heddle_status hd_layout_check(const hd_kept *m);
heddle_wave_layout hd_layout_of(const hd_kept *m, const heddle_wave_item *x);
/* Checks the place of kept cells: alignment, size, and no overlap between items. */
heddle_status hd_layout_check_cells(const hd_kept *m);

/* again.c: a wave with several possible ways, which `auto` tries in turn (run/variants.h).
 *
 * A way: values that replace those of the desc; 0 keeps the desc's. */
typedef struct hd_way_over {
    uint32_t lane_rows, step_columns, n_warps;
    uint32_t is_tasks, tile_cols; /* is_tasks: tiles, under a schedule for tasks */
} hd_way_over;
typedef struct hd_ways_over {
    uint32_t n;
    hd_way_over at[HD_MOST_VARIANTS];
} hd_ways_over;
typedef struct hd_wave_of {
    heddle_ctx *ctx;
    const heddle_table *table;
    const heddle_wave_desc *desc; /* checked by heddle_wave_new */
} hd_wave_of;
/* Makes the graph of a desc, with tiles as tasks if is_tasks. */
typedef heddle_status hd_wave_maker(const hd_wave_of *w, int is_tasks, heddle_graph **out);
/* Appends a way; ignores it beyond HD_MOST_VARIANTS. */
void hd_way_add(hd_ways_over *ways, const hd_way_over *way);
/* May tiles be tried, too? Only if the backend is cpu or the table has kernels for them, and no border is counted or another wave's:
 * waiting tiles could hold what the producer needs. */
int hd_wave_may_be_tasks(const hd_wave_of *w);
/* Lets g, made in the first of these ways, become each of the others. Keeps a copy of the desc and of its host data. */
heddle_status hd_wave_offer(heddle_graph *g, const hd_wave_of *w, const hd_ways_over *ways, hd_wave_maker *make);

/* wave.c: copies a graph's wave of cells; its pointers are into the context's memory. EINVAL, naming `call`: it is none, or its runs
 * are not measured. */
heddle_status hd_wave_read(heddle_graph *g, const char *call, hd_wave *wave);
/* wave_shape.c: about as many rows as the context's device goes over at once, in bands of such a cell. */
uint64_t hd_wave_rows_at_once(heddle_ctx *ctx, const heddle_wave_info *info);
/* tile.c: is the graph a wave of tiles? And how it is laid out. */
int hd_tile_is_wave(const heddle_graph *g);
heddle_status hd_tile_get_geometry(heddle_graph *g, heddle_wave_geometry *out);

/* predict.c: the model of a run, from items and stamps; scratch: two words per band. */
heddle_wave_model hd_wave_model_of(const hd_wave *wave, const hd_wave_item *items, const uint64_t *stamps,
                                   uint64_t *scratch);

/* tile.c: heddle_wave_new for a body of a tile. */
heddle_status hd_tile_new(heddle_ctx *ctx, const heddle_table *table, const heddle_wave_desc *desc, heddle_graph **out);

#endif
