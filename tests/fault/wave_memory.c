/* SPDX-License-Identifier: MIT */
/* wave_memory.c - every allocation of heddle_wave_new and of a wave's first runs is made to fail, one a time: of cells with
 * borders, items and all outputs, of sweeps in several passes, of tiles; in order, as tasks, and where auto may choose. The call says
 * ENOMEM with a sentence, makes nothing, leaks nothing, and the next wave on the context leaves what it should. */
#include "base/base.h"
#include "check.h"
#include "heddle/tile.h"
#include "heddle/wave.h"

#include <string.h>

#define COLS 300u
#define ROWS 200u /* of both items together */

HEDDLE_CELL(cells_one, uint32_t, params, heddle_nothing, heddle_nothing, int32_t, 4, HEDDLE_N | HEDDLE_W | HEDDLE_NE)
{
    return (int32_t)(((uint32_t)in->n * 5u ^ (uint32_t)in->w * 3u ^ (uint32_t)in->ne) + *params) >> 12;
}
HEDDLE_FINDS_BEST(cells_one, cell) { return *cell; }
HEDDLE_SWEEP(cells_sweep, uint32_t, params, uint32_t, 2, HEDDLE_W | HEDDLE_OLD_C | HEDDLE_OLD_S | HEDDLE_FAILS)
{
    return (in->w * 5u ^ in->old_s) + (in->old_c >> 7) + *params;
}
#define CELLS_WAVES(X) X(cells_one, 0) X(cells_sweep, 0)
HEDDLE_ENUM(cells, CELLS_WAVES)
HEDDLE_WAVES(cells, uint32_t, CELLS_WAVES)

typedef struct tiles_params {
    uint32_t by, *last; /* of each item: its last row */
} tiles_params;
HEDDLE_TILE_FAILS(tiles_one, tiles_params, params, tile, 4, 8)
{
    const uint32_t *north = (const uint32_t *)heddle_wave_north(thread, tile);
    uint32_t *south = (uint32_t *)heddle_wave_south(thread, tile), *carry = (uint32_t *)tile->carry, c;
    for (c = 0; c < tile->cols; c++) {
        carry[1] = south[c] = (north ? north[c] : c) * 5u + carry[1] + tile->rows + params->by;
        if (tile->row + tile->rows == tile->field_rows)
            params->last[tile->item * COLS + tile->col + c] = south[c];
    }
}
#define TILES_BODIES(X) X(tiles_one, 0)
HEDDLE_ENUM(tiles, TILES_BODIES)
HEDDLE_TILES(tiles, tiles_params, TILES_BODIES)

/* All memory that a wave reads or writes. */
typedef struct memory {
    uint32_t north[2 * COLS], west[ROWS];
    uint32_t kept[ROWS * COLS], last_row[2 * COLS], last_col[ROWS], counts[2];
    heddle_best found, each[2];
} memory;

typedef struct kind {
    const char *name;
    const heddle_table *table;
    uint32_t body, sweeps;
} kind;

static const heddle_wave_item items[] = {{.rows = 80, .cols = COLS},
                                         {.rows = 120,
                                          .cols = COLS,
                                          .cells_at = 80 * COLS,
                                          .north_at = COLS,
                                          .west_at = 80,
                                          .last_row_at = COLS,
                                          .last_col_at = 80}};
static memory now, want;

/* How the wave is asked for, and the call in hand. */
typedef struct walk {
    const kind *kind;
    heddle_config config;
    heddle_ctx *ctx;
    const char *call;
} walk;

static void begin(memory *m)
{
    memset(m, 0, sizeof *m);
    for (uint32_t i = 0; i < 2 * COLS; i++)
        m->north[i] = i * 7919u;
    for (uint32_t i = 0; i < ROWS; i++)
        m->west[i] = i * 65599u;
    for (uint32_t i = 0; i < ROWS * COLS; i++)
        m->kept[i] = i * 2654435761u;
}

static heddle_wave_desc desc_of(const kind *k)
{
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    d.body = k->body;
    d.items = items;
    d.n_items = 2;
    d.sweeps = k->sweeps;
    d.tile_cols = 64;
    if (k->table == &tiles)
        d.north.array = now.north;
    else
        d.cells = now.kept;
    if (k->table == &tiles || k->sweeps)
        return d;
    d.north.array = now.north;
    d.west.array = now.west;
    d.corner = &now.north[3];
    d.east = &now.north[4];
    d.last_row = now.last_row;
    d.last_col = now.last_col;
    d.last_col_count = now.counts;
    d.found = &now.found;
    d.found_each = now.each;
    return d;
}

static heddle_status run(const walk *w, heddle_graph *g)
{
    const tiles_params of_tiles = {77, now.last_row};
    const uint32_t of_cells = 77;
    begin(&now);
    return w->kind->table == &tiles ? heddle_graph_run(w->ctx, g, &of_tiles, sizeof of_tiles)
                                    : heddle_graph_run(w->ctx, g, &of_cells, sizeof of_cells);
}

/* heddle_wave_new and two runs, or what comes before the first call that fails. */
static heddle_status go(walk *w)
{
    const heddle_wave_desc d = desc_of(w->kind);
    heddle_graph *g;
    heddle_status s;
    w->call = "heddle_wave_new";
    s = heddle_wave_new(w->ctx, w->kind->table, &d, &g);
    CHECK_MSG(!g == (s != HEDDLE_OK), "%s", w->kind->name);
    for (int i = 0; s == HEDDLE_OK && i < 2; i++) {
        w->call = "heddle_graph_run";
        s = run(w, g);
        CHECK_MSG(s != HEDDLE_OK || !memcmp(&now, &want, sizeof now), "%s: wrong", w->kind->name);
    }
    heddle_graph_free(g);
    return s;
}

static int is_said(const char *text) { return strstr(text, "memory") || strstr(text, " are free"); }

/* Failure n. 0: nothing failed, because fewer allocations are needed. auto leaves out what it has no memory for. */
static int try_one(walk *w, uint64_t n)
{
    const uint64_t held = (hd_alloc_trim(), hd_held_bytes());
    heddle_status s;
    int has_failed; /* or the probe, behind all others, would have */
    void *probe;
    hd_fail_alloc_at(n);
    s = go(w);
    probe = hd_new(1);
    has_failed = probe != NULL;
    hd_fail_alloc_at(0);
    hd_delete(probe, 1);
    CHECK_MSG(s || !has_failed || !w->config.schedule, "%s: failure %llu was swallowed", w->kind->name,
              (unsigned long long)n);
    CHECK_MSG(!s || (s == HEDDLE_ENOMEM && is_said(heddle_error_text(w->ctx))), "%s, %s: %s (%s)", w->kind->name,
              w->call, heddle_status_text(s), heddle_error_text(w->ctx));
    hd_alloc_trim();
    CHECK_MSG(hd_held_bytes() == held, "%s, failure %llu: %s leaks %lld bytes", w->kind->name, (unsigned long long)n,
              w->call, (long long)(hd_held_bytes() - held));
    if (s)
        CHECK_OK(w->ctx, go(w));
    return has_failed;
}

static void test_kind(const kind *k, heddle_backend backend, heddle_schedule schedule)
{
    walk w = {.kind = k, .config = HEDDLE_CONFIG_INIT};
    uint64_t n = 1;
    w.config.backend = backend;
    w.config.schedule = schedule;
    w.config.n_workers = backend == HEDDLE_CPU ? 2 : 0;
    CHECK_OK(NULL, heddle_ctx_open(&w.ctx, &w.config));
    CHECK_OK(w.ctx, go(&w)); /* what a context allocates once */
    while (try_one(&w, n))
        n++;
    printf("%s, %s %s: %llu allocations failed in turn\n", k->name, heddle_backend_name(backend),
           heddle_schedule_name(schedule), (unsigned long long)n - 1);
    CHECK(n > 10);
    heddle_ctx_close(w.ctx);
}

/* What a wave leaves when nothing fails, on the serial backend; and that is something. */
static void solve(const kind *k)
{
    walk w = {.kind = k, .config = HEDDLE_CONFIG_INIT};
    const heddle_wave_desc d = desc_of(k);
    heddle_graph *g;
    w.config.backend = HEDDLE_SERIAL;
    CHECK_OK(NULL, heddle_ctx_open(&w.ctx, &w.config));
    CHECK_OK(w.ctx, heddle_wave_new(w.ctx, k->table, &d, &g));
    begin(&want);
    CHECK_OK(w.ctx, run(&w, g));
    CHECK(memcmp(&now, &want, sizeof now) != 0);
    want = now;
    heddle_graph_free(g);
    heddle_ctx_close(w.ctx);
}

int main(void)
{
    const kind kinds[] = {{"cells", &cells, cells_one, 0}, {"sweeps", &cells, cells_sweep, 5}, {"tiles", &tiles, 0, 0}};
    begin(&now); /* single cells are read when a wave is made */
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        solve(&kinds[i]);
        test_kind(&kinds[i], HEDDLE_SERIAL, HEDDLE_SCHEDULE_AUTO);
        test_kind(&kinds[i], HEDDLE_CPU, HEDDLE_SCHEDULE_WAVE);
        test_kind(&kinds[i], HEDDLE_CPU, HEDDLE_SCHEDULE_STATIC);
        test_kind(&kinds[i], HEDDLE_CPU, HEDDLE_SCHEDULE_AUTO);
    }
    return 0;
}
