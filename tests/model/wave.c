/* SPDX-License-Identifier: MIT */
/* wave.c - waves, under every interleaving up to a bound: the third suite of the model test.
 *
 * A case is a field of a few rows, each of which is a band, and a few columns, four of which are a granule.
 * heddle_wave_new lays it out (src/engine/wave.c, tile.c), and threads cross it with the library's own code
 * (core/lone.h, tile.h, the cpu backend's loop), with smaller sizes. The context of the wave is faked here. Runs follow
 * one another, to their ends or stopped. Each run has other cells, so that a word of another run or band shows. Every
 * schedule is checked: all workers leave, and the lowest row and what a complete run found equal those of a plain loop.
 *
 * The wave's memory is watched (-fsanitize=thread): two accesses that the count of ended parts or the end of a run
 * should order are an error even if the values are right. Border words order nothing and are not watched. Rows that
 * tiles hand on are watched: the flags order them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "watch.h"
#define __builtin_memcpy watch_copy /* in core, too */

#include "backend/cpu/work.h"
#include "engine/wave.h"
#include "heddle/core/turn.h"
#include "heddle/tile.h"
#include "run/run.h"
#include "suite.h"

#define MAX_PARTS 24u
#define MAX_COLS 8u
#define MAX_CELLS 32u /* of a field with sweeps */
#define MAX_ITEMS 2u
#define MAX_RUNS 5u
#define MAX_WORKERS 3u
#define BLOCK_BYTES 4096u
#define FOLLOWED MODEL_GATE(5u) /* the reader of the last column has read all of it */
#define CAME MODEL_GATE(6u)     /* the first worker has left: others may come */
#define CANCELED MODEL_GATE(7u) /* the run has been cancelled                 */
#define HALF 0xffffu            /* mask of a word's value */

/* ---- cells ------------------------------------------------------------------------------------------------------- */

#define FRAIL 2u /* cells or tiles that can fail */
typedef struct hop_params {
    uint32_t by;
    uint32_t fail_row[FRAIL], fail_col[FRAIL];
} hop_params;
typedef struct hop_found {
    uint32_t n, sum;
} hop_found;

#define HOP_WAVES(X) X(hop, 0) X(hop_east, 0) X(hop_sweep, 0) X(hop_sweeps, 0) X(hop_frail, 0) X(hop_frails, 0)
HEDDLE_ENUM(hops, HOP_WAVES)
HEDDLE_DECLARE(hops)

static inline uint32_t hop_of(uint32_t by, uint32_t n, uint32_t w, uint32_t ne, uint32_t j)
{
    return (n * 3u + w * 5u + ne * 7u + by * 11u + j + 1u) & HALF;
}
static inline void hop_merge(hop_found *a, const hop_found *b)
{
    a->n += b->n;
    a->sum += b->sum;
}

HEDDLE_CELL(hop, hop_params, params, heddle_nothing, heddle_nothing, uint32_t, 4, HEDDLE_N | HEDDLE_W)
{
    return hop_of(params->by, in->n, in->w, 0, in->j);
}
HEDDLE_FINDS(hop, hop_found)
HEDDLE_FIND(hop, cell, row, column, found) { hop_merge(found, &(hop_found){1, *cell}); }
HEDDLE_MERGE(hop, a, b) { hop_merge(a, b); }

HEDDLE_CELL(hop_east, hop_params, params, heddle_nothing, heddle_nothing, uint32_t, 4, HEDDLE_N | HEDDLE_W | HEDDLE_NE)
{
    return hop_of(params->by, in->n, in->w, in->ne, in->j);
}
HEDDLE_FINDS(hop_east, hop_found)
HEDDLE_FIND(hop_east, cell, row, column, found) { hop_merge(found, &(hop_found){1, *cell}); }
HEDDLE_MERGE(hop_east, a, b) { hop_merge(a, b); }

static inline uint32_t hop_sweep_of(uint32_t by, uint32_t n, uint32_t w, uint32_t c, uint32_t e, uint32_t s)
{
    return (n * 3u + w * 5u + c * 7u + e * 11u + s * 13u + by * 17u + 1u) & HALF;
}
#define HOP_SWEEP(name, together)                                                       \
    HEDDLE_SWEEP(name, hop_params, params, uint32_t, together,                          \
                 HEDDLE_N | HEDDLE_W | HEDDLE_OLD_C | HEDDLE_OLD_E | HEDDLE_OLD_S)      \
    {                                                                                   \
        return hop_sweep_of(params->by, in->n, in->w, in->old_c, in->old_e, in->old_s); \
    }
HOP_SWEEP(hop_sweep, 1)
HOP_SWEEP(hop_sweeps, 2)

/* The code with which a cell or tile fails; 0: it does not fail. */
static inline uint32_t hop_code(const hop_params *params, uint32_t i, uint32_t j)
{
    uint32_t k, code = 0;
    for (k = 0; k < FRAIL; k++)
        code = params->fail_row[k] == i && params->fail_col[k] == j ? k + 1u : code;
    return code;
}

HEDDLE_CELL(hop_frail, hop_params, params, heddle_nothing, heddle_nothing, uint32_t, 4,
            HEDDLE_N | HEDDLE_W | HEDDLE_FAILS)
{
    if (hop_code(params, in->i, in->j))
        heddle_cell_fail(in, hop_code(params, in->i, in->j));
    return hop_of(params->by, in->n, in->w, 0, in->j);
}
HEDDLE_FINDS(hop_frail, hop_found)
HEDDLE_FIND(hop_frail, cell, row, column, found) { hop_merge(found, &(hop_found){1, *cell}); }
HEDDLE_MERGE(hop_frail, a, b) { hop_merge(a, b); }

HEDDLE_SWEEP(hop_frails, hop_params, params, uint32_t, 2,
             HEDDLE_N | HEDDLE_W | HEDDLE_OLD_C | HEDDLE_OLD_E | HEDDLE_OLD_S | HEDDLE_FAILS)
{
    if (hop_code(params, in->i, in->j))
        heddle_cell_fail(in, hop_code(params, in->i, in->j));
    return hop_sweep_of(params->by, in->n, in->w, in->old_c, in->old_e, in->old_s);
}

HEDDLE_WAVES(hops, hop_params, HOP_WAVES)

#define HEAP_TILES(X) X(heap, 0) X(heap_early, 0) X(heap_own, 0) X(heap_frail, 0)
HEDDLE_ENUM(heaps, HEAP_TILES)
HEDDLE_DECLARE(heaps)

/* ---- cases ------------------------------------------------------------------------------------------------------- */

/* A border or last column that is counted while the wave runs, and its other end: a fiber that writes or reads it. The same of outer
 * rows (ABOVE, BELOW), where the fiber is the wave above or below. Those ALONE have no such fiber: the border is there from the
 * start, and only in runs that complete. */
enum { FED_WEST = 1, FED_NORTH, FOLLOWED_EAST, ALONE_WEST, FED_ABOVE, FOLLOWED_BELOW, ALONE_ABOVE };

typedef struct wave_case {
    const char *name;
    uint32_t n_bands, n_cols;
    /* One letter a run: '.' completes, 'c' is canceled by a fiber, 'x' is canceled before it starts, 'f' fails. */
    const char *runs;
    uint32_t n_preempt, n_weak, n_stale; /* as in graphs.h                                                          */
    /* The rest is 0 unless given. */
    uint32_t n_workers; /* 0 = 2                                                                                    */
    uint32_t n_items;   /* fields, 0 = 1                                                                            */
    uint32_t body;
    uint32_t is_late;  /* other workers come after the first has left */
    uint32_t base;     /* tags of the first run follow this one; tiles: the number of earlier runs */
    uint32_t n_tags;   /* tags that a run takes, as if there were more fields; 0: as many as it needs */
    uint32_t left;     /* first tag left in the words by earlier runs; 0: none */
    uint32_t counted;  /* FED_WEST .. */
    uint32_t is_tile;  /* bodies are of tiles of four columns */
    uint32_t n_sweeps; /* 0: none; else n_bands counts the field's rows, not its bands */
    uint32_t frail;    /* hexadecimal digits: row and column of each failing cell, the first failure first */
} wave_case;

/* clang-format off */
static const wave_case cases[] = {
    /* name, bands, columns, runs, bounds */
    {"wave.two",      2, 7, "..",    3, 2, 1, .n_items = 1},
    {"wave.three",    3, 3, "..",    3, 2, 1, .n_items = 1},
    {"wave.four",     4, 3, ".",     3, 2, 1, .n_items = 1},
    {"wave.rows",     5, 7, ".",     2, 1, 1, .n_workers = 3},
    {"wave.again",    5, 3, "..",    1, 0, 1, .n_workers = 3},
    {"wave.east",     3, 6, "..",    2, 1, 1, .body = hop_east},
    {"wave.items",    2, 3, "..",    2, 1, 1, .n_items = 2},
    /* Not all workers take part from the start. */
    {"wave.late",     5, 3, "..",    3, 2, 1, .is_late = 1},
    /* Runs that do not end well. */
    {"wave.stop",     3, 3, "c.",    2, 1, 1, .n_items = 1},
    {"wave.stops",    2, 3, "c.c.",  1, 1, 1, .n_items = 1},
    {"wave.ended",    2, 3, "c.",    2, 1, 1, .n_items = 2},
    {"wave.idle",     2, 3, "xx.",   2, 1, 1, .n_items = 1},
    /* Tags run out: after a complete run, and after one that was stopped. */
    {"wave.wrap",     3, 3, "...",   2, 1, 1, .base = 0xffffu - 2u * 4u},
    {"wave.wraps",    2, 3, ".xxx.", 1, 1, 1, .base = 3u * 0x3fffu, .n_tags = 0x3fffu},
    {"wave.stopped",  2, 3, "c.",    2, 1, 1, .base = 0xffffu - 3u, .left = 1},
    {"wave.canceled", 2, 3, "xx.",   2, 1, 1, .base = 0xffffu - 2u * 3u, .left = 1},
    /* Sweeps: passes that follow one another, and take turns with far rows. */
    {"wave.pass",       4, 3, ".",   2, 1, 1, .body = hop_sweep, .n_sweeps = 2},
    {"wave.pass.again", 3, 3, "..",  1, 1, 1, .body = hop_sweep, .n_sweeps = 2},
    {"wave.pass.two",   4, 4, ".",   1, 1, 1, .body = hop_sweeps, .n_sweeps = 3},
    {"wave.pass.turns", 3, 3, ".",   1, 1, 1, .body = hop_sweep, .n_sweeps = 4},
    {"wave.pass.stop",  3, 3, "c.",  1, 1, 0, .body = hop_sweep, .n_sweeps = 3},
    {"wave.pass.wrap",  3, 3, "..",  1, 1, 1, .body = hop_sweep, .n_sweeps = 2, .base = 0xffffu - 20u},
    /* Counted borders. */
    {"wave.count.west",  2, 3, "..", 2, 1, 1, .counted = FED_WEST},
    {"wave.count.north", 2, 7, "..", 2, 1, 1, .counted = FED_NORTH},
    {"wave.count.east",  3, 3, "..", 2, 1, 1, .counted = FOLLOWED_EAST},
    {"wave.count.stop",  2, 3, "c.", 2, 1, 1, .counted = ALONE_WEST},
    /* Strides: the words of another wave. */
    {"wave.outer.above", 2, 7, "..", 1, 1, 1, .counted = FED_ABOVE},
    {"wave.outer.east",  2, 6, "..", 2, 1, 1, .counted = FED_ABOVE, .body = hop_east},
    {"wave.outer.below", 2, 7, "..", 2, 1, 1, .counted = FOLLOWED_BELOW},
    {"wave.outer.rows",  3, 6, "..", 1, 1, 1, .counted = FOLLOWED_BELOW, .body = hop_east},
    {"wave.outer.stop",  2, 3, "c.", 2, 1, 1, .counted = ALONE_ABOVE},
    /* Failing cells: a band further south is faster; bands further on would wait for ever; in the same row; in a field
       beside others; outside the field; with sweeps. */
    {"wave.fail.two",    2, 7, "f.",  3, 2, 1, .body = hop_frail, .frail = 0x0610},
    {"wave.fail.rows",   4, 3, "f",   2, 1, 1, .body = hop_frail, .frail = 0x0231, .n_workers = 3},
    {"wave.fail.wait",   4, 6, "f",   3, 1, 1, .body = hop_frail, .frail = 0x0020},
    {"wave.fail.row",    2, 7, "f",   2, 1, 1, .body = hop_frail, .frail = 0x0105},
    {"wave.fail.items",  2, 3, "f.",  2, 1, 1, .body = hop_frail, .frail = 0x0210, .n_items = 2},
    {"wave.fail.none",   2, 4, "..",  1, 1, 1, .body = hop_frail, .frail = 0x0420},
    {"wave.fail.late",   3, 3, "f.",  2, 1, 1, .body = hop_frail, .frail = 0x0010, .is_late = 1},
    {"wave.fail.again",  3, 3, "fff", 1, 1, 1, .body = hop_frail, .frail = 0x1020},
    {"wave.fail.stop",   3, 3, "c.",  1, 1, 1, .body = hop_frail, .frail = 0x0010},
    {"wave.fail.pass",   4, 4, "f",   1, 1, 0, .body = hop_frails, .n_sweeps = 3, .frail = 0x1221},
    /* Tiles. */
    {"wave.fail.tile",   3, 7, "f.",  2, 1, 1, .is_tile = 1, .body = heap_frail, .frail = 0x0410},
    {"wave.fail.tiles",  4, 3, "f.",  2, 1, 1, .is_tile = 1, .body = heap_frail, .frail = 0x1020, .n_workers = 3},
    {"wave.fail.heaps",  2, 3, "f.",  2, 1, 1, .is_tile = 1, .body = heap_frail, .frail = 0x0010, .n_items = 2},
    {"wave.tile.two",   2, 7, "..",  3, 2, 1, .is_tile = 1, .body = heap},
    {"wave.tile.again", 2, 3, "...", 2, 1, 1, .is_tile = 1, .body = heap},
    {"wave.tile.three", 3, 7, ".",   3, 2, 1, .is_tile = 1, .body = heap},
    {"wave.tile.five",  5, 3, "..",  2, 1, 1, .is_tile = 1, .body = heap, .n_workers = 3},
    {"wave.tile.early", 3, 7, ".",   3, 2, 1, .is_tile = 1, .body = heap_early},
    {"wave.tile.rows",  5, 7, ".",   2, 1, 1, .is_tile = 1, .body = heap_early, .n_workers = 3},
    {"wave.tile.own",   4, 7, ".",   2, 1, 1, .is_tile = 1, .body = heap_own, .n_workers = 3},
    {"wave.tile.items", 2, 3, "..",  2, 1, 1, .is_tile = 1, .body = heap_early, .n_items = 2},
    {"wave.tile.late",  4, 3, "..",  2, 1, 1, .is_tile = 1, .body = heap, .is_late = 1},
    {"wave.tile.stop",  3, 7, "c.",  2, 1, 1, .is_tile = 1, .body = heap_early},
    {"wave.tile.stops", 3, 3, "c",   2, 1, 1, .is_tile = 1, .body = heap, .n_workers = 3},
    {"wave.tile.idle",  2, 3, "xx.", 2, 1, 1, .is_tile = 1, .body = heap},
    {"wave.tile.wrap",  2, 7, "..",  2, 1, 1, .is_tile = 1, .body = heap, .base = 0x7fffffffu},
};
/* clang-format on */

static const wave_case *c;

/* Watched memory. */
static struct {
    uint8_t block[BLOCK_BYTES]; /* memory that the wave takes of the context */
    uint32_t last_row[MAX_ITEMS * MAX_COLS];
    uint32_t border[MAX_COLS], last_col[MAX_COLS];
    uint32_t field[MAX_CELLS]; /* of sweeps; accessed as words */
    hop_found found, found_each[MAX_ITEMS];
    hop_params params;
} m __attribute__((aligned(128)));

/* Words, and read-only data. */
static hd_control control;
static hd_cursor cursors[2u * MAX_WORKERS];
static hd_task tasks[MAX_PARTS];
static uint32_t roots[MAX_PARTS], slots[2u * MAX_WORKERS], count[MAX_PARTS], link_[MAX_PARTS];
static hd_tally tallies[MAX_WORKERS];
static hd_cpu_now nows[MAX_WORKERS];
static hd_run run;

static uint32_t border_count, last_col_count;
static struct {
    hd_outer head;
    hd_pair_word words[32];
} outer __attribute__((aligned(128)));
static uint8_t image[BLOCK_BYTES]; /* the block after heddle_wave_new */
static uint8_t near[MAX_WORKERS][HEDDLE_REDUCE_BYTES + sizeof(hd_lone)] __attribute__((aligned(64)));
static heddle_ctx ctx;
static heddle_graph graph;

/* Expected results of each run. */
static uint32_t want[MAX_RUNS][MAX_ITEMS * MAX_COLS], want_col[MAX_RUNS][MAX_COLS];
static hop_found want_found[MAX_RUNS], want_each[MAX_RUNS][MAX_ITEMS];
static uint32_t want_field[MAX_RUNS][MAX_CELLS];

/* ---- tiles, which make the same of neighbours above and to the left ---------------------------------------------- */

/* A row is a band. The row that goes south is written twice, the first time before north is read. */
static void heap_of(const heddle_thread *thread, uint32_t by, heddle_tile *tile, uint32_t row[])
{
    uint32_t *south = (uint32_t *)heddle_wave_south(thread, tile), *w = (uint32_t *)tile->carry, j;
    const uint32_t *north;
    for (j = 0; j < tile->cols; j++)
        south[j] = ~0u;
    north = (const uint32_t *)heddle_wave_north(thread, tile);
    for (j = 0; j < tile->cols; j++)
        *w = row[j] = south[j] = hop_of(by, north ? north[j] : 0u, *w, 0, tile->col + j);
}

/* The lowest row of the field is kept. */
static void heap_keep(const heddle_tile *tile, const uint32_t row[])
{
    uint32_t j;
    for (j = 0; j < tile->cols && tile->row + 1u == tile->field_rows; j++)
        m.last_row[tile->item * tile->field_cols + tile->col + j] = row[j];
}

HEDDLE_TILE(heap, hop_params, params, tile, 4, 4)
{
    uint32_t row[HD_WAVE_GRANULE];
    heap_of(thread, params->by, tile, row);
    heap_keep(tile, row);
}

HEDDLE_TILE(heap_early, hop_params, params, tile, 4, 4)
{
    uint32_t row[HD_WAVE_GRANULE];
    heap_of(thread, params->by, tile, row);
    heddle_wave_hand(thread, tile);
    heap_keep(tile, row);
}

/* Odd rows read no neighbours and yield zeros. */
HEDDLE_TILE(heap_own, hop_params, params, tile, 4, 4)
{
    uint32_t row[HD_WAVE_GRANULE] = {0};
    if (tile->row % 2u == 0)
        heap_of(thread, params->by, tile, row);
    heap_keep(tile, row);
}

HEDDLE_TILE_FAILS(heap_frail, hop_params, params, tile, 4, 4)
{
    uint32_t row[HD_WAVE_GRANULE];
    heap_of(thread, params->by, tile, row);
    if (hop_code(params, tile->row, tile->col))
        heddle_tile_fail(thread, tile, hop_code(params, tile->row, tile->col));
    heap_keep(tile, row);
}

HEDDLE_TILES(heaps, hop_params, HEAP_TILES)

static uint32_t given(uint32_t value, uint32_t otherwise) { return value ? value : otherwise; }
static uint32_t n_workers(void) { return given(c->n_workers, 2u); }
static uint32_t n_items(void) { return given(c->n_items, 1u); }
static int is_west(void) { return c->counted == FED_WEST || c->counted == ALONE_WEST; }
static int is_above(void) { return c->counted == FED_ABOVE || c->counted == ALONE_ABOVE; }
static int is_stride(void) { return is_above() || c->counted == FOLLOWED_BELOW; }
static int has_peer(void) { return c->counted && c->counted != ALONE_WEST && c->counted != ALONE_ABOVE; }
static hd_pair_word *outer_row(void) { return hd_outer_row(&outer.head, 0, c->n_cols, 1); }
static uint32_t n_border(void) { return is_west() ? c->n_bands : c->n_cols; }
static uint32_t border_of(uint32_t k, uint32_t n) { return 100u * k + n + 1u; }
static uint32_t frail_digit(uint32_t n) { return c->frail >> (12u - 4u * n) & 15u; }
static int is_frail_outside(void) { return frail_digit(1) >= c->n_cols && frail_digit(2) >= c->n_bands; }
static uint32_t n_runs(void) { return (uint32_t)strlen(c->runs); }
static hd_wave *wave(void) { return (hd_wave *)(void *)m.block; }
static hd_tile_wave *tile_wave(void) { return (hd_tile_wave *)(void *)m.block; }
static const heddle_table *table(void) { return c->is_tile ? &heaps : &hops; }

/* ---- stand-ins for what engine/wave.c calls in the context ------------------------------------------------------- */

void heddle_host_yield(void) {}

static heddle_status refuse(const char *what)
{
    printf("%s: the wave cannot be made: %s\n", c->name, what);
    exit(1);
}

heddle_status hd_say(hd_error *e, heddle_status s, const char *format, ...)
{
    (void)e, (void)s;
    return refuse(format);
}

void *hd_new(uint64_t n_bytes) { return calloc(1, n_bytes); }
void hd_delete(void *p, uint64_t n_bytes)
{
    (void)n_bytes;
    free(p);
}

heddle_status hd_ctx_check(heddle_ctx *x)
{
    (void)x;
    return HEDDLE_OK;
}

heddle_status hd_ctx_suit(heddle_ctx *x, const heddle_table *table)
{
    (void)x, (void)table;
    return HEDDLE_OK;
}

/* Waves here keep no cells but those of sweeps, which are stored by rows. */
heddle_status hd_layout_check(const hd_kept *kept)
{
    return kept->desc->cells && !kept->info->sweeps ? refuse("cells are kept") : HEDDLE_OK;
}
heddle_status hd_layout_check_cells(const hd_kept *kept) { return hd_layout_check(kept); }
heddle_wave_layout hd_layout_of(const hd_kept *kept, const heddle_wave_item *x)
{
    const heddle_wave_layout none = {0};
    (void)kept, (void)x;
    return none;
}

/* No schedules are tried: the case fixes how it runs. */
int hd_wave_may_be_tasks(const hd_wave_of *w) { return !w; }
void hd_way_add(hd_ways_over *ways, const hd_way_over *way) { (void)ways, (void)way; }
heddle_status hd_wave_offer(heddle_graph *g, const hd_wave_of *w, const hd_ways_over *ways, hd_wave_maker *make)
{
    (void)g, (void)w, (void)ways, (void)make;
    return HEDDLE_OK;
}

/* Only waves on blocks call it. */
heddle_status heddle_device_get(heddle_backend b, uint32_t device, heddle_device *out)
{
    (void)b, (void)device, (void)out;
    return refuse("there is no device");
}

heddle_status heddle_mem_new(heddle_ctx *x, size_t n_bytes, void **out)
{
    (void)x;
    *out = m.block;
    return n_bytes <= BLOCK_BYTES ? HEDDLE_OK : refuse("the block is too small");
}

void heddle_mem_free(heddle_ctx *x, void *p) { (void)x, (void)p; }

heddle_status heddle_mem_write(heddle_ctx *x, void *to, const void *from, size_t n_bytes)
{
    (void)x;
    memcpy(to, from, n_bytes);
    return HEDDLE_OK;
}

heddle_status heddle_mem_read(heddle_ctx *x, void *to, const void *from, size_t n_bytes)
{
    return heddle_mem_write(x, to, from, n_bytes);
}

heddle_status heddle_graph_new(heddle_ctx *x, const heddle_table *table, heddle_graph **out)
{
    memset(&graph, 0, sizeof graph);
    memset(tasks, 0, sizeof tasks);
    graph.ctx = x;
    graph.g.table = table;
    *out = &graph;
    return HEDDLE_OK;
}

void heddle_graph_free(heddle_graph *g) { (void)g; }

heddle_status heddle_graph_add(heddle_graph *g, uint32_t body, const void *args, size_t arg_bytes,
                               const heddle_range ranges[], size_t n_ranges, heddle_task *out)
{
    hd_task *t = &tasks[g->g.n_tasks];
    (void)ranges, (void)n_ranges, (void)out;
    if (g->g.n_tasks == MAX_PARTS || arg_bytes > sizeof t->args)
        return refuse("a part is too much");
    t->body = (uint16_t)body;
    t->arg_bytes = (uint16_t)arg_bytes;
    memcpy(t->args, args, arg_bytes);
    roots[g->g.n_tasks] = (uint32_t)g->g.n_tasks;
    g->g.n_tasks++;
    return HEDDLE_OK;
}

/* Only waves of tiles as tasks have edges; such tasks do not wait inside, so there is nothing to explore. */
heddle_status heddle_graph_add_edge(heddle_graph *g, heddle_task later, heddle_task earlier)
{
    (void)g, (void)later, (void)earlier;
    return refuse("a part has an edge");
}

const char *heddle_schedule_name(heddle_schedule s)
{
    (void)s;
    return "";
}

heddle_status heddle_graph_set_shared_bytes(heddle_graph *g, uint32_t body, uint32_t n_bytes)
{
    (void)g, (void)body;
    return n_bytes <= sizeof(hd_lone) ? HEDDLE_OK : refuse("a worker has not enough memory");
}

heddle_status heddle_graph_set_team_size(heddle_graph *g, uint32_t team_size)
{
    (void)g, (void)team_size;
    return HEDDLE_OK;
}

heddle_status heddle_graph_freeze(heddle_graph *g)
{
    (void)g;
    return HEDDLE_OK;
}

/* ---- expected result --------------------------------------------------------------------------------------------- */

/* Computes row i + 1 from row i; w is the value west of the field. Returns the row's last cell. */
static uint32_t next_row(uint32_t row[], uint32_t by, uint32_t w, hop_found *found)
{
    uint32_t j;
    for (j = 0; j < c->n_cols; j++) {
        const uint32_t ne = !c->is_tile && c->body == hop_east && j + 1u < c->n_cols ? row[j + 1u] : 0u;
        w = row[j] = hop_of(by, row[j], w, ne, j);
        hop_merge(found, &(hop_found){1, w});
    }
    return w;
}

static uint32_t field_of(uint32_t k, uint32_t at) { return (k * 7919u + at * 257u + 1u) & HALF; }

/* Computes one sweep after the other. */
static void compute_sweeps(uint32_t k)
{
    uint32_t *x = want_field[k];
    uint32_t at, i, j, s;
    for (at = 0; at < c->n_bands * c->n_cols; at++)
        x[at] = field_of(k, at);
    for (s = 0; s < c->n_sweeps; s++)
        for (i = 1; i + 1u < c->n_bands; i++)
            for (j = 1; j + 1u < c->n_cols; j++) {
                at = i * c->n_cols + j;
                x[at] = hop_sweep_of(k + 1u, x[at - c->n_cols], x[at - 1u], x[at], x[at + 1u], x[at + c->n_cols]);
            }
}

static void compute(uint32_t k)
{
    uint32_t item, i;
    memset(want[k], 0, sizeof want[k]);
    memset(&want_found[k], 0, sizeof want_found[k]);
    memset(want_each[k], 0, sizeof want_each[k]);
    if (c->n_sweeps) {
        compute_sweeps(k);
        return;
    }
    for (i = 0; i < c->n_cols && (c->counted == FED_NORTH || is_above()); i++)
        want[k][i] = border_of(k, i);
    for (item = 0; item < n_items(); item++) {
        hop_found found = {0};
        for (i = 0; i < c->n_bands; i++)
            want_col[k][i] = next_row(&want[k][item * c->n_cols], k + 1u, is_west() ? border_of(k, i) : 0u, &found);
        if (c->is_tile) /* tiles have no found value */
            continue;
        want_each[k][item] = found;
        hop_merge(&want_found[k], &found);
    }
    if (c->is_tile && c->body == heap_own && c->n_bands % 2u == 0)
        memset(want[k], 0, sizeof want[k]);
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static void count_borders(heddle_wave_desc *d)
{
    heddle_wave_border *border = is_west() ? &d->west : &d->north;
    if (is_stride()) {
        d->items = NULL;
        d->n_items = 0;
        d->rows = c->n_bands;
        d->cols = c->n_cols;
        d->row_at = is_above();
        d->whole_rows = c->n_bands + 1u;
        *(is_above() ? &d->above : &d->below) = &outer;
        if (!is_above())
            d->last_row = NULL;
    } else if (c->counted == FOLLOWED_EAST) {
        d->last_col = m.last_col;
        d->last_col_count = &last_col_count;
    } else if (c->counted) {
        border->array = m.border;
        border->count = &border_count;
    }
}

static void make_wave(void)
{
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    heddle_wave_item items[MAX_ITEMS];
    heddle_graph *g;
    uint32_t i;
    memset(items, 0, sizeof items);
    for (i = 0; i < n_items(); i++) {
        items[i].rows = c->n_bands;
        items[i].cols = c->n_cols;
        items[i].last_row_at = i * c->n_cols;
    }
    memset(&m, 0, sizeof m);
    d.body = c->body;
    d.items = items;
    d.n_items = n_items();
    if (!c->is_tile && !c->n_sweeps) {
        d.last_row = m.last_row;
        d.found = &m.found;
        d.found_each = m.found_each;
    }
    if (c->n_sweeps)
        d.cells = m.field;
    d.sweeps = c->n_sweeps;
    d.band_rows = d.tile_cols = c->is_tile;
    count_borders(&d);
    ctx.config.backend = HEDDLE_CPU;
    (void)heddle_wave_new(&ctx, table(), &d, &g);
    if (c->n_tags)
        wave()->n_tags = c->n_tags;
    memcpy(image, m.block, sizeof image);
}

static void make_run(void)
{
    memset(&run, 0, sizeof run);
    run.tasks = tasks;
    run.roots = roots;
    run.params = &m.params;
    run.control = &control;
    run.count = count;
    run.link = link_;
    run.cursors = cursors;
    run.slots = slots;
    run.tallies = tallies;
    run.n_tasks = run.n_roots = (uint32_t)graph.g.n_tasks;
    run.n_workers = n_workers();
    run.n_slots = 1;
    run.dispatch = HD_DISPATCH_ORDER;
}

/* Does run k have the case's failing cells? A run that completes has them only if they lie outside the field. */
static int frails(uint32_t k) { return c->frail && (c->runs[k] != '.' || is_frail_outside()); }

/* The word of column j above or below a stride, in run k. */
static hd_pair_word outer_word(uint32_t k, uint32_t j)
{
    return hd_wave_word(j < c->n_cols ? border_of(k, j) : 0u, k + 1u);
}

/* Prepares run k. */
static void start(uint32_t k)
{
    uint32_t n;
    if (is_stride())
        HD_STORE(&outer.head.run, k + 1u, RELAXED, SYS);
    for (n = 0; n <= c->n_cols && c->counted == ALONE_ABOVE && c->runs[k] == '.'; n++)
        HD_BORDER_STORE(outer_row() + n, outer_word(k, n));
    for (n = 0; k && n < MAX_CELLS && c->n_sweeps; n++)
        HD_STORE(&m.field[n], field_of(k, n), RELAXED, DEV);
    m.params.by = k + 1u;
    for (n = 0; n < FRAIL; n++) {
        m.params.fail_row[n] = frails(k) ? frail_digit(2u * n) : HD_NONE;
        m.params.fail_col[n] = frails(k) ? frail_digit(2u * n + 1u) : HD_NONE;
    }
    border_count = c->counted == ALONE_WEST && c->runs[k] == '.' ? n_border() : 0u;
    last_col_count = 0;
    for (n = 0; n < border_count; n++)
        m.border[n] = border_of(k, n);
    hd_rearm(&run, k + 1u);
    if (c->runs[k] == 'x')
        (void)hd_stop(&control.fail, HD_STOP_CANCELED);
}

static void begin_cells(void)
{
    uint64_t i;
    wave()->words->base = c->base;
    for (i = 0; i < wave()->n_far && c->left; i++)
        wave()->far[i] = hd_wave_word(HALF, c->left + (uint32_t)(i / HD_WAVE_GRANULE % (wave()->n_tags - 1u)));
}

static void begin_tiles(void)
{
    const hd_tile_wave *w = tile_wave();
    uint32_t item, band;
    w->words->base = c->base;
    for (item = 0; item < n_items(); item++)
        for (band = 0; band < c->n_bands; band++)
            *hd_tile_flag(w, &w->items[item], band) = c->base * w->items[item].n_tiles;
}

/* Resets memory to what earlier runs may leave. */
static void begin(void)
{
    uint32_t at;
    memset(&control, 0, sizeof control);
    memset(cursors, 0, sizeof cursors);
    memset(&m, 0, sizeof m);
    memset(&outer, 0, sizeof outer);
    memcpy(m.block, image, sizeof image);
    for (at = 0; at < MAX_CELLS; at++)
        m.field[at] = field_of(0, at);
    if (c->is_tile)
        begin_tiles();
    else
        begin_cells();
    start(0);
    watch_begin(&m, sizeof m);
}

/* The run must report the first failure, and no other. */
static void check_failure(uint32_t k)
{
    const hd_wave_words *words = c->is_tile ? tile_wave()->words : wave()->words;
    if (control.fail.stop != HD_STOP_FAILED || control.fail.code != 1u)
        model_fail("run %u ended with %u, code %u", k, control.fail.stop, control.fail.code);
    if (words->first.code != 1u || words->first.sweep != (c->n_sweeps ? 1u : 0u) || words->first.item != 0u ||
        words->first.row != frail_digit(0) || words->first.column != frail_digit(1))
        model_fail("run %u failed in sweep %u at row %u, column %u of item %u", k, words->first.sweep, words->first.row,
                   words->first.column, words->first.item);
}

/* ---- the end of a run -------------------------------------------------------------------------------------------- */

static void check_result(uint32_t k)
{
    uint32_t j;
    if (control.fail.stop != HD_STOP_NOT || control.outstanding != 0u)
        model_fail("run %u ended with %u, %u parts are left", k, control.fail.stop, control.outstanding);
    for (j = 0; j < c->n_bands * c->n_cols && c->n_sweeps; j++)
        if (HD_LOAD(&m.field[j], RELAXED, DEV) != want_field[k][j])
            model_fail("run %u: cell %u of the field is 0x%x, not 0x%x", k, j, m.field[j], want_field[k][j]);
    for (j = 0; j < n_items() * c->n_cols && !c->n_sweeps && c->counted != FOLLOWED_BELOW; j++)
        if (m.last_row[j] != want[k][j])
            model_fail("run %u: column %u of the lowest row is 0x%x, not 0x%x", k, j, m.last_row[j], want[k][j]);
    if (!c->n_sweeps && memcmp(&m.found, &want_found[k], sizeof m.found) != 0)
        model_fail("run %u: %u cells were found, sum 0x%x", k, m.found.n, m.found.sum);
    if (memcmp(m.found_each, want_each[k], sizeof m.found_each) != 0)
        model_fail("run %u: %u cells of the first field were found, sum 0x%x", k, m.found_each[0].n,
                   m.found_each[0].sum);
}

/* The last worker out also does the host's part. */
static void last_out(uint32_t k)
{
    uint32_t w;
    model_note("is the last out, of run", k);
    if (c->runs[k] == 'c')
        model_wait(CANCELED);
    if (c->counted == FOLLOWED_EAST || c->counted == FOLLOWED_BELOW)
        model_wait(FOLLOWED);
    if (c->runs[k] == '.')
        check_result(k);
    else if (c->runs[k] == 'f')
        check_failure(k);
    else if (control.fail.stop == HD_STOP_CANCELED)
        (void)graph.start_anew(&graph);
    if (k + 1u == n_runs())
        return;
    start(k + 1u);
    for (w = 0; w < n_workers() + (c->runs[k + 1u] == 'c' || has_peer()); w++)
        model_give(MODEL_GATE(w));
}

/* ---- fibers ------------------------------------------------------------------------------------------------------ */

static void work(uint32_t id)
{
    uint32_t k;
    for (k = 0; k < n_runs(); k++) {
        if (k)
            model_wait(MODEL_GATE(id));
        if (c->is_late && id)
            model_wait(CAME);
        if (hd_cpu_work(&run, table()->bodies, id, near[id], &nows[id], NULL))
            last_out(k);
        else if (c->is_late && id == 0)
            model_give(CAME);
    }
}

static void cancel(void)
{
    uint32_t k;
    for (k = 0; k < n_runs(); k++) {
        if (c->runs[k] != 'c')
            continue;
        if (k)
            model_wait(MODEL_GATE(n_workers()));
        (void)hd_stop(&control.fail, HD_STOP_CANCELED);
        model_give(CANCELED);
    }
}

/* Writes the border of run k. */
static void feed(uint32_t k)
{
    uint32_t n;
    for (n = 0; n < n_border(); n++) {
        m.border[n] = border_of(k, n);
        HD_STORE(&border_count, n + 1u, RELEASE, SYS);
    }
}

/* Reads the last column of run k while it is written. */
static void follow(uint32_t k)
{
    uint32_t i, n;
    for (i = 0; i < c->n_bands; i++) {
        for (n = 0; HD_LOAD(&last_col_count, ACQUIRE, SYS) <= i; n++)
            hd_wave_pause(n);
        if (m.last_col[i] != want_col[k][i])
            model_fail("run %u: row %u of the last column is 0x%x, not 0x%x", k, i, m.last_col[i], want_col[k][i]);
    }
    model_give(FOLLOWED);
}

/* The wave above a stride: hands on its lowest row in run k; with a cell to the north-east one more. */
static void hand(uint32_t k)
{
    uint32_t n;
    for (n = 0; n < c->n_cols + (c->body == hop_east); n++)
        HD_BORDER_STORE(outer_row() + n, outer_word(k, n));
}

/* The wave below a stride. */
static void receive(uint32_t k)
{
    hd_pair_word word;
    uint32_t j, n;
    for (j = 0; j < c->n_cols + (c->body == hop_east); j++) {
        for (n = 0; hd_wave_tag(word = HD_BORDER_LOAD(outer_row() + j)) != k + 1u; n++)
            hd_wave_pause(n);
        if (hd_wave_value(word) != (j < c->n_cols ? want[k][j] : 0u))
            model_fail("run %u: column %u below the stride is 0x%x", k, j, hd_wave_value(word));
    }
    model_give(FOLLOWED);
}

static void be_peer(void)
{
    uint32_t k;
    for (k = 0; k < n_runs(); k++) {
        if (k)
            model_wait(MODEL_GATE(n_workers()));
        switch (c->counted) {
        case FOLLOWED_EAST: follow(k); break;
        case FOLLOWED_BELOW: receive(k); break;
        case FED_ABOVE: hand(k); break;
        default: feed(k); break;
        }
    }
}

static void fiber(uint32_t i)
{
    if (i == n_workers() && has_peer())
        be_peer();
    else if (i == n_workers())
        cancel();
    else
        work(i);
}

static void end(void) { watch_end(); }

/* ---- the suite --------------------------------------------------------------------------------------------------- */

static const char *name_of(uint32_t i) { return i < sizeof cases / sizeof cases[0] ? cases[i].name : NULL; }

static void choose(uint32_t i, int weak, model_test *t)
{
    uint32_t k;
    c = &cases[i];
    make_wave();
    make_run();
    for (k = 0; k < n_runs(); k++)
        compute(k);
    t->name = c->name;
    t->n_fibers = n_workers() + (strchr(c->runs, 'c') != NULL || has_peer());
    t->n_preempt = weak ? c->n_weak : c->n_preempt;
    t->n_stale = weak ? c->n_stale : 0u;
    t->in_order = 0;
    t->begin = begin;
    t->fiber = fiber;
    t->end = end;
}

const model_suite model_waves = {name_of, choose};
