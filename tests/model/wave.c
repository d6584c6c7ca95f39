/* SPDX-License-Identifier: MIT */
/* wave.c - waves, under every interleaving up to a bound: the third suite of the model test.
 *
 * A case is a field of a few rows, each of which is a band, and of a few columns, four of which are a granule; heddle_wave_new
 * lays it out (src/engine/wave.c, tile.c) and threads go over it as they do (core/lone.h, tile.h, under the cpu backend's own
 * loop), with smaller sizes. What a wave has of its context is made up here. Runs follow one another, to their ends or stopped; in each the
 * cells are others, so that a word of another run, or of another band, shows. Every schedule is checked: all workers leave;
 * the lowest row and what was found of a run that went to its end are what a plain loop makes.
 *
 * The wave's memory is watched (-fsanitize=thread): two accesses that the count of ended parts, or the end of a run, should
 * have ordered are an error even if the values are right. Border words order nothing, and are not watched. Rows that tiles hand
 * on are: the flags order them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "watch.h"
#define __builtin_memcpy watch_copy /* of core, too */

#include "backend/cpu/work.h"
#include "engine/wave.h"
#include "heddle/core/turn.h"
#include "heddle/tile.h"
#include "run/run.h"
#include "suite.h"

#define MAX_PARTS 24u
#define MAX_COLS 8u
#define MAX_CELLS 32u /* that sweeps go over */
#define MAX_ITEMS 2u
#define MAX_RUNS 5u
#define MAX_WORKERS 3u
#define BLOCK_BYTES 4096u
#define FOLLOWED MODEL_GATE(5u) /* who reads the last column has read all of it */
#define CAME MODEL_GATE(6u)     /* the first worker has left: others may come */
#define CANCELED MODEL_GATE(7u) /* the run has been cancelled                 */
#define HALF 0xffffu            /* values of words have so many bits          */

/* ---- cells ------------------------------------------------------------------------------------------------------------ */

typedef struct hop_params {
    uint32_t by;
} hop_params;
typedef struct hop_found {
    uint32_t n, sum;
} hop_found;

#define HOP_WAVES(X) X(hop, 0) X(hop_east, 0) X(hop_sweep, 0) X(hop_sweeps, 0)
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

HEDDLE_WAVES(hops, hop_params, HOP_WAVES)

#define HEAP_TILES(X) X(heap, 0) X(heap_early, 0) X(heap_own, 0)
HEDDLE_ENUM(heaps, HEAP_TILES)
HEDDLE_DECLARE(heaps)

/* ---- cases ------------------------------------------------------------------------------------------------------------ */

/* A border or last column that is counted while the wave runs, and who is at its other end: a fiber that writes it, one that reads
 * it; or nobody, and it is there only in runs that go to their ends. */
enum { FED_WEST = 1, FED_NORTH, FOLLOWED_EAST, ALONE_WEST };

typedef struct wave_case {
    const char *name;
    uint32_t n_bands, n_cols;
    const char *runs; /* each: '.' goes to its end, 'c' is cancelled by somebody, 'x' is before anybody comes */
    uint32_t n_preempt, n_weak, n_stale; /* as in graphs.h                                                          */
    /* What follows is 0 unless said. */
    uint32_t n_workers; /* 0 = 2                                                                                    */
    uint32_t n_items;   /* fields, 0 = 1                                                                            */
    uint32_t body;
    uint32_t is_late;  /* other workers come when the first has left                                               */
    uint32_t base;     /* tags of the first run begin behind it                                                    */
    uint32_t n_tags;   /* so many are counted for a run, as if there were other fields, too; 0: as many as there are */
    uint32_t left;     /* the tag that words have at first, which earlier runs have left                           */
    uint32_t counted;  /* as above                                                                                 */
    uint32_t is_tile;  /* bodies of tiles, four columns each; base: earlier runs                                   */
    uint32_t n_sweeps; /* over a field of so many rows as it says bands, which are more                           */
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
    /* Not all workers need be there. */
    {"wave.late",     5, 3, "..",    3, 2, 1, .is_late = 1},
    /* Runs that do not end well. */
    {"wave.stop",     3, 3, "c.",    2, 1, 1, .n_items = 1},
    {"wave.stops",    2, 3, "c.c.",  1, 1, 1, .n_items = 1},
    {"wave.ended",    2, 3, "c.",    2, 1, 1, .n_items = 2},
    {"wave.idle",     2, 3, "xx.",   2, 1, 1, .n_items = 1},
    /* Tags run out: behind a run that went to its end, and behind one that did not. */
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
    /* Tiles. */
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

/* What is watched. */
static struct {
    uint8_t block[BLOCK_BYTES]; /* the context's memory that the wave has */
    uint32_t last_row[MAX_ITEMS * MAX_COLS];
    uint32_t border[MAX_COLS], last_col[MAX_COLS];
    uint32_t field[MAX_CELLS]; /* of sweeps: words, and what is known of them by words */
    hop_found found, found_each[MAX_ITEMS];
    hop_params params;
} m __attribute__((aligned(128)));

/* Words, and what is only read. */
static hd_control control;
static hd_cursor cursors[2u * MAX_WORKERS];
static hd_task tasks[MAX_PARTS];
static uint32_t roots[MAX_PARTS], slots[2u * MAX_WORKERS], count[MAX_PARTS], link_[MAX_PARTS];
static hd_tally tallies[MAX_WORKERS];
static hd_cpu_now nows[MAX_WORKERS];
static hd_run run;

static uint32_t border_count, last_col_count;
static uint8_t image[BLOCK_BYTES]; /* the block as it is when the wave has been made */
static uint8_t near[MAX_WORKERS][HEDDLE_REDUCE_BYTES + sizeof(hd_lone)] __attribute__((aligned(64)));
static heddle_ctx ctx;
static heddle_graph graph;

/* What is right, of each run. */
static uint32_t want[MAX_RUNS][MAX_ITEMS * MAX_COLS], want_col[MAX_RUNS][MAX_COLS];
static hop_found want_found[MAX_RUNS], want_each[MAX_RUNS][MAX_ITEMS];
static uint32_t want_field[MAX_RUNS][MAX_CELLS];

/* ---- tiles, which make the same of neighbours above and to the left --------------------------------------------------- */

/* A row is a band. What goes south is written twice, the first time before north is read. */
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

/* Odd rows look at nothing, and come to nothing. */
HEDDLE_TILE(heap_own, hop_params, params, tile, 4, 4)
{
    uint32_t row[HD_WAVE_GRANULE] = {0};
    if (tile->row % 2u == 0)
        heap_of(thread, params->by, tile, row);
    heap_keep(tile, row);
}

HEDDLE_TILES(heaps, hop_params, HEAP_TILES)

static uint32_t given(uint32_t value, uint32_t otherwise) { return value ? value : otherwise; }
static uint32_t n_workers(void) { return given(c->n_workers, 2u); }
static uint32_t n_items(void) { return given(c->n_items, 1u); }
static int is_west(void) { return c->counted == FED_WEST || c->counted == ALONE_WEST; }
static int has_peer(void) { return c->counted && c->counted != ALONE_WEST; }
static uint32_t n_border(void) { return is_west() ? c->n_bands : c->n_cols; }
static uint32_t border_of(uint32_t k, uint32_t n) { return 100u * k + n + 1u; }
static uint32_t n_runs(void) { return (uint32_t)strlen(c->runs); }
static hd_wave *wave(void) { return (hd_wave *)(void *)m.block; }
static hd_tile_wave *tile_wave(void) { return (hd_tile_wave *)(void *)m.block; }
static const heddle_table *table(void) { return c->is_tile ? &heaps : &hops; }

/* ---- what engine/wave.c wants of a context ------------------------------------------------------------------------------ */

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

/* Waves here keep no cells but those of sweeps, which stand by rows. */
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

/* Blocks alone ask for it. */
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

/* Tiles alone have edges; they wait for nothing inside, so there is nothing to explore. */
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

/* ---- what is right ------------------------------------------------------------------------------------------------------ */

/* Row i becomes row i + 1; w: what is to its west, outside of the field. Its last cell. */
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

/* One sweep after the other. */
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
    for (i = 0; i < c->n_cols && c->counted == FED_NORTH; i++)
        want[k][i] = border_of(k, i);
    for (item = 0; item < n_items(); item++) {
        hop_found found = {0};
        for (i = 0; i < c->n_bands; i++)
            want_col[k][i] = next_row(&want[k][item * c->n_cols], k + 1u, is_west() ? border_of(k, i) : 0u, &found);
        if (c->is_tile) /* which find nothing */
            continue;
        want_each[k][item] = found;
        hop_merge(&want_found[k], &found);
    }
    if (c->is_tile && c->body == heap_own && c->n_bands % 2u == 0)
        memset(want[k], 0, sizeof want[k]);
}

/* ---- the run ------------------------------------------------------------------------------------------------------------ */

static void count_borders(heddle_wave_desc *d)
{
    heddle_wave_border *border = is_west() ? &d->west : &d->north;
    if (c->counted == FOLLOWED_EAST) {
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

/* Before run k. */
static void start(uint32_t k)
{
    uint32_t n;
    for (n = 0; k && n < MAX_CELLS && c->n_sweeps; n++)
        HD_STORE(&m.field[n], field_of(k, n), RELAXED, DEV);
    m.params.by = k + 1u;
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

/* As earlier runs may have left it. */
static void begin(void)
{
    uint32_t at;
    memset(&control, 0, sizeof control);
    memset(cursors, 0, sizeof cursors);
    memset(&m, 0, sizeof m);
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

/* ---- the end of a run ---------------------------------------------------------------------------------------------------- */

static void check_result(uint32_t k)
{
    uint32_t j;
    if (control.fail.stop != HD_STOP_NOT || control.outstanding != 0u)
        model_fail("run %u ended with %u, %u parts are left", k, control.fail.stop, control.outstanding);
    for (j = 0; j < c->n_bands * c->n_cols && c->n_sweeps; j++)
        if (HD_LOAD(&m.field[j], RELAXED, DEV) != want_field[k][j])
            model_fail("run %u: cell %u of the field is 0x%x, not 0x%x", k, j, m.field[j], want_field[k][j]);
    for (j = 0; j < n_items() * c->n_cols && !c->n_sweeps; j++)
        if (m.last_row[j] != want[k][j])
            model_fail("run %u: column %u of the lowest row is 0x%x, not 0x%x", k, j, m.last_row[j], want[k][j]);
    if (!c->n_sweeps && memcmp(&m.found, &want_found[k], sizeof m.found) != 0)
        model_fail("run %u: %u cells were found, sum 0x%x", k, m.found.n, m.found.sum);
    if (memcmp(m.found_each, want_each[k], sizeof m.found_each) != 0)
        model_fail("run %u: %u cells of the first field were found, sum 0x%x", k, m.found_each[0].n,
                   m.found_each[0].sum);
}

/* The last one out is the host, too. */
static void last_out(uint32_t k)
{
    uint32_t w;
    model_note("is the last out, of run", k);
    if (c->runs[k] == 'c')
        model_wait(CANCELED);
    if (c->counted == FOLLOWED_EAST)
        model_wait(FOLLOWED);
    if (c->runs[k] == '.')
        check_result(k);
    else if (control.fail.stop == HD_STOP_CANCELED)
        (void)graph.start_anew(&graph);
    if (k + 1u == n_runs())
        return;
    start(k + 1u);
    for (w = 0; w < n_workers() + (c->runs[k + 1u] == 'c' || has_peer()); w++)
        model_give(MODEL_GATE(w));
}

/* ---- fibers ---------------------------------------------------------------------------------------------------------------- */

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

/* Reads the last column of run k, as it comes. */
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

static void be_peer(void)
{
    uint32_t k;
    for (k = 0; k < n_runs(); k++) {
        if (k)
            model_wait(MODEL_GATE(n_workers()));
        if (c->counted == FOLLOWED_EAST)
            follow(k);
        else
            feed(k);
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

/* ---- the suite -------------------------------------------------------------------------------------------------------------- */

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
