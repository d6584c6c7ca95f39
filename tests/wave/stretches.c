/* SPDX-License-Identifier: MIT */
/* stretches.c - what traced waves note of their bands: cells, sweeps and tiles of known sizes have an event for each 1/64 of
 * each band, in order and without gaps, on the serial backend and on threads. A band that is made to wait shows it, and waiting
 * is not busy time. Too small a trace loses events and says how many; the trace and the timeline are written. Tiles as tasks
 * have none. */
#include "check.h"
#include "wave/halves.h"
#include "wave/sweeps.h"
#include "wave/tiles.h"

#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 8192u /* stretches of a run here */
#define LATE_US 40000u

static heddle_ctx *ctx;
static const mix_params params = {7};
static heddle_wave_stretch stretches[MOST];
static size_t n_stretches;

static void open_with(heddle_backend backend, uint32_t n_workers, uint32_t n_trace, heddle_schedule schedule)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    config.backend = backend;
    config.n_workers = n_workers;
    config.n_trace = n_trace;
    config.schedule = backend == HEDDLE_SERIAL ? HEDDLE_SCHEDULE_AUTO : schedule;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
}

static void *zeros(uint64_t n_bytes)
{
    void *p, *copy = calloc(1, n_bytes);
    CHECK(copy);
    CHECK_OK(ctx, heddle_mem_new(ctx, n_bytes, &p));
    CHECK_OK(ctx, heddle_mem_write(ctx, p, copy, n_bytes));
    free(copy);
    return p;
}

/* An item as it is to be: bands of rows, and units of columns, a hand-over or a tile. */
typedef struct expected {
    uint32_t item, pass, rows, cols, band_rows, unit;
} expected;

/* The stretches of one band: they follow one another, and have the columns of 1/64 in whole units. Returns how many. */
static uint32_t check_band(const expected *x, uint32_t band)
{
    const uint32_t n_units = (x->cols + x->unit - 1u) / x->unit, width = (n_units + 63u) / 64u * x->unit;
    uint64_t column = 0, at = 0;
    uint32_t n = 0;
    for (size_t i = 0; i < n_stretches; i++) {
        const heddle_wave_stretch *s = &stretches[i];
        if (s->item != x->item || s->pass != x->pass || s->band != band)
            continue;
        CHECK(s->first_column == column && (n == 0 || s->begin_ns == at));
        CHECK_MSG(s->last_column == (column + width < x->cols ? column + width : x->cols) - 1u,
                  "%llu to %llu, units of %u", (unsigned long long)s->first_column, (unsigned long long)s->last_column,
                  x->unit);
        CHECK(s->begin_ns <= s->end_ns && s->waited_ns <= s->end_ns - s->begin_ns);
        column = s->last_column + 1u;
        at = s->end_ns;
        n++;
    }
    CHECK_MSG(column == x->cols && n == (n_units + width / x->unit - 1u) / (width / x->unit) && n <= 64u,
              "item %u, band %u: %u stretches", x->item, band, n);
    return n;
}

static void check_items(heddle_graph *g, const expected *x, uint32_t n_items)
{
    heddle_stats stats = HEDDLE_STATS_INIT;
    size_t n = 0, n_events;
    CHECK_OK(ctx, heddle_wave_get_stretches(g, NULL, 0, &n_stretches));
    CHECK(n_stretches && n_stretches <= MOST);
    CHECK_OK(ctx, heddle_wave_get_stretches(g, stretches, MOST, &n_stretches));
    for (uint32_t i = 0; i < n_items; i++)
        for (uint32_t band = 0; band < (x[i].rows + x[i].band_rows - 1u) / x[i].band_rows; band++)
            n += check_band(&x[i], band);
    CHECK_OK(ctx, heddle_graph_get_events(g, NULL, 0, &n_events));
    CHECK_OK(ctx, heddle_graph_get_stats(g, &stats));
    CHECK_MSG(n == n_stretches && n == n_events && n == stats.n_events && !stats.n_dropped,
              "%zu stretches, %zu of these", n_stretches, n);
    CHECK(stats.wait_ns <= stats.idle_ns && stats.body_ns + stats.idle_ns <= stats.run_ns * stats.n_workers);
}

/* Two fields of cells, one with fewer columns than 64 hand-overs have. */
static void test_cells(heddle_backend backend, uint32_t n_workers)
{
    const heddle_wave_item items[2] = {{.rows = 197, .cols = 5001}, {.rows = 64, .cols = 33}};
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    expected x[2] = {{0, 0, 197, 5001, 0, 0}, {1, 0, 64, 33, 0, 0}};
    heddle_wave_geometry is;
    heddle_graph *g;
    open_with(backend, n_workers, MOST, HEDDLE_SCHEDULE_WAVE);
    d.body = half_cell;
    d.items = items;
    d.n_items = 2;
    d.x = zeros(4 * 197);
    d.y = zeros(4 * 5001);
    CHECK_OK(ctx, heddle_wave_new(ctx, &halves, &d, &g));
    CHECK(heddle_wave_get_stretches(g, NULL, 0, &n_stretches) == HEDDLE_EINVAL);
    CHECK_OK(ctx, heddle_wave_get_geometry(g, &is));
    x[0].band_rows = x[1].band_rows = is.band_rows;
    x[0].unit = x[1].unit = is.hand_cols;
    for (int run = 0; run < 2; run++) {
        CHECK_OK(ctx, heddle_graph_run(ctx, g, &params, sizeof params));
        check_items(g, x, 2);
    }
    CHECK(heddle_wave_get_stretches(g, NULL, 1, &n_stretches) == HEDDLE_EINVAL);
    CHECK(heddle_wave_get_stretches(g, stretches, 1, NULL) == HEDDLE_EINVAL);
    heddle_graph_free(g);
    heddle_mem_free(ctx, (void *)(uintptr_t)d.x);
    heddle_mem_free(ctx, (void *)(uintptr_t)d.y);
    heddle_ctx_close(ctx);
}

/* Six sweeps, four of which go together: two passes, and each has as many rows and columns more as it has sweeps. */
static void test_sweeps(uint32_t n_workers)
{
    expected x[2] = {{0, 0, 204, 1004, 0, 0}, {0, 1, 202, 1002, 0, 0}};
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    heddle_wave_geometry is;
    heddle_graph *g;
    open_with(HEDDLE_CPU, n_workers, MOST, HEDDLE_SCHEDULE_WAVE);
    d.body = sweep_4;
    d.rows = 200;
    d.cols = 1000;
    d.sweeps = 6;
    d.cells = zeros(4 * 200 * 1000);
    CHECK_OK(ctx, heddle_wave_new(ctx, &sweeps, &d, &g));
    CHECK_OK(ctx, heddle_wave_get_geometry(g, &is));
    x[0].band_rows = x[1].band_rows = is.band_rows;
    x[0].unit = x[1].unit = is.hand_cols;
    CHECK_OK(ctx, heddle_graph_run(ctx, g, &params, sizeof params));
    check_items(g, x, 2);
    heddle_graph_free(g);
    heddle_mem_free(ctx, d.cells);
    heddle_ctx_close(ctx);
}

/* 150 tiles a band, so a stretch is three of them. */
static void test_tiles(heddle_backend backend, uint32_t n_workers)
{
    const expected x = {0, 0, 150, 4794, 40, 32};
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    tiles_params p;
    heddle_graph *g;
    open_with(backend, n_workers, MOST, HEDDLE_SCHEDULE_WAVE);
    memset(&p, 0, sizeof p);
    p.in = zeros(4 * 150 * 4794);
    p.out = zeros(4 * 150 * 4794);
    p.fail_item = UINT32_MAX;
    d.body = tiles_down;
    d.rows = x.rows;
    d.cols = x.cols;
    d.band_rows = x.band_rows;
    d.tile_cols = x.unit;
    CHECK_OK(ctx, heddle_wave_new(ctx, &tiles, &d, &g));
    CHECK_OK(ctx, heddle_graph_run(ctx, g, &p, sizeof p));
    check_items(g, &x, 1);
    heddle_graph_free(g);
    heddle_mem_free(ctx, (void *)(uintptr_t)p.in);
    heddle_mem_free(ctx, p.out);
    heddle_ctx_close(ctx);
}

/* ---- one that waits ------------------------------------------------------------------------------------------------ */

static void *raise_late(void *count)
{
    usleep(LATE_US);
    __atomic_store_n((uint32_t *)count, 4096u, __ATOMIC_RELEASE);
    return NULL;
}

/* Runs, while the border of the first band lacks its second half for long. */
static void run_late(heddle_graph *g, uint32_t *count)
{
    pthread_t thread;
    *count = 2048;
    CHECK(pthread_create(&thread, NULL, raise_late, count) == 0);
    CHECK_OK(ctx, heddle_graph_run(ctx, g, &params, sizeof params));
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_OK(ctx, heddle_wave_get_stretches(g, stretches, MOST, &n_stretches));
}

static uint64_t waited_by(uint32_t band)
{
    uint64_t ns = 0;
    for (size_t i = 0; i < n_stretches; i++)
        ns += stretches[i].band == band ? stretches[i].waited_ns : 0;
    return ns;
}

static void check_files(heddle_graph *g)
{
    static const char path[] = "wave_stretches.out";
    json_error_t why;
    json_t *root, *event;
    size_t i, n = 0;
    CHECK_OK(ctx, heddle_graph_write_trace(g, path));
    root = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
    CHECK_MSG(root, "line %d: %s", why.line, why.text);
    json_array_foreach(json_object_get(root, "traceEvents"), i, event)
    {
        json_t *args = json_object_get(event, "args");
        const json_t *waited = json_object_get(args, "waited_us");
        if (!waited)
            continue;
        CHECK(!strncmp(json_string_value(json_object_get(event, "name")), "band ", 5));
        CHECK(!strcmp(json_string_value(json_object_get(args, "body")), "half_cell"));
        CHECK(json_integer_value(json_object_get(args, "first_column")) == (json_int_t)stretches[n].first_column);
        CHECK(json_number_value(waited) <= json_number_value(json_object_get(event, "dur")));
        n++;
    }
    CHECK(n == n_stretches);
    json_decref(root);
    CHECK_OK(ctx, heddle_graph_write_timeline(g, path, NULL));
    CHECK(remove(path) == 0);
}

static size_t longest_of(uint32_t band)
{
    size_t most = 0;
    for (size_t i = 0; i < n_stretches; i++)
        if (stretches[i].band == band && stretches[i].waited_ns > stretches[most].waited_ns)
            most = i;
    return most;
}

/* The first band waits for its border, and the one below for words of the first, unless their threads are late themselves. */
static void test_waiting(uint32_t n_workers)
{
    const uint64_t late_ns = LATE_US * 1000ull / 2u;
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    heddle_stats stats = HEDDLE_STATS_INIT;
    heddle_worker_stats worker;
    heddle_body_stats body;
    heddle_event event;
    heddle_graph *g;
    uint32_t *count;
    size_t n_events, most = 0;
    open_with(HEDDLE_CPU, n_workers, MOST, HEDDLE_SCHEDULE_WAVE);
    d.body = half_cell;
    d.rows = 128;
    d.cols = 4096;
    d.x = zeros(4 * 128);
    d.y = zeros(4 * 4096);
    d.north.array = zeros(4 * 4096);
    d.north.count = count = zeros(4);
    CHECK_OK(ctx, heddle_wave_new(ctx, &halves, &d, &g));
    for (int i = 0; !i || stretches[most].waited_ns < late_ns; i++) {
        CHECK(i < 50);
        run_late(g, count);
        most = longest_of(0);
    }
    CHECK(stretches[most].first_column == 2048);
    CHECK_OK(ctx, heddle_graph_get_events(g, &event, 1, &n_events));
    CHECK_OK(ctx, heddle_graph_get_stats(g, &stats));
    CHECK(stats.wait_ns >= late_ns && stats.idle_ns >= stats.wait_ns);
    CHECK(stats.body_ns + stats.wait_ns <= stats.run_ns * stats.n_workers);
    CHECK_OK(ctx, heddle_graph_get_worker_stats(g, 0, &worker));
    CHECK(worker.body_ns + worker.idle_ns <= stats.run_ns && worker.queue_ns == 0 && worker.dep_ns == 0);
    CHECK_OK(ctx, heddle_graph_get_body_stats(g, half_cell, &body));
    CHECK(body.n_tasks == n_stretches && body.total_ns == stats.body_ns);
    check_files(g);
    for (int i = 0; n_workers > 1 && !waited_by(1); i++) {
        CHECK(i < 50);
        run_late(g, count);
    }
    heddle_graph_free(g);
    heddle_mem_free(ctx, (void *)(uintptr_t)d.x);
    heddle_mem_free(ctx, (void *)(uintptr_t)d.y);
    heddle_mem_free(ctx, (void *)(uintptr_t)d.north.array);
    heddle_mem_free(ctx, count);
    heddle_ctx_close(ctx);
}

/* ---- those that are not there -------------------------------------------------------------------------------------- */

/* n_trace too small, or tiles that are tasks, which have events of their own. */
static void test_others(uint32_t n_trace, heddle_schedule schedule)
{
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    heddle_stats stats = HEDDLE_STATS_INIT;
    heddle_graph *g;
    open_with(HEDDLE_CPU, 2, n_trace, schedule);
    d.body = half_cell;
    d.rows = 256;
    d.cols = 2048;
    d.x = zeros(4 * 256);
    d.y = zeros(4 * 2048);
    CHECK_OK(ctx, heddle_wave_new(ctx, &halves, &d, &g));
    CHECK_OK(ctx, heddle_graph_run(ctx, g, &params, sizeof params));
    CHECK_OK(ctx, heddle_wave_get_stretches(g, stretches, MOST, &n_stretches));
    CHECK_OK(ctx, heddle_graph_get_stats(g, &stats));
    if (schedule == HEDDLE_SCHEDULE_WAVE)
        CHECK(n_stretches == stats.n_events && stats.n_events + stats.n_dropped == (n_trace ? 4u * 64u : 0u));
    else
        CHECK(n_stretches == 0 && stats.n_events == stats.n_tasks && stats.path_ns > 0 && stats.wait_ns == 0);
    CHECK(!n_trace || schedule != HEDDLE_SCHEDULE_WAVE || stats.n_events <= 2u * n_trace);
    heddle_graph_free(g);
    heddle_mem_free(ctx, (void *)(uintptr_t)d.x);
    heddle_mem_free(ctx, (void *)(uintptr_t)d.y);
    heddle_ctx_close(ctx);
}

int main(void)
{
    test_cells(HEDDLE_SERIAL, 1);
    test_tiles(HEDDLE_SERIAL, 1);
    for (uint32_t n = 1; n <= 3; n++) {
        test_cells(HEDDLE_CPU, n);
        test_sweeps(n);
        test_tiles(HEDDLE_CPU, n);
        test_waiting(n);
    }
    test_others(10, HEDDLE_SCHEDULE_WAVE);
    test_others(0, HEDDLE_SCHEDULE_WAVE);
    test_others(MOST, HEDDLE_SCHEDULE_RINGS);
    printf("stretches of bands  ok\n");
    return 0;
}
