/* SPDX-License-Identifier: MIT */
/* lab.c - implements lab.h. */
#include "lab.h"
#include "inthist_wave_bodies.h"
#include "sat_wave_bodies.h"

#include <stdlib.h>
#include <string.h>

enum { TRY_ROWS = 700, TRY_COLS = 900, TRY_HEIGHT = 256, TRY_WIDTH = 200 };

/* ---- places ------------------------------------------------------------------------------------------------------ */

int lab_open(lab *l, const options *o)
{
    heddle_config c = o->config;
    heddle_device gpu = HEDDLE_DEVICE_INIT;
    heddle_machine machine;
    const int is_gpu = heddle_device_get(HEDDLE_CUDA, c.device, &gpu) == HEDDLE_OK;
    memset(l, 0, sizeof *l);
    heddle_machine_get(&machine);
    l->o = o;
    l->backend = c.backend = is_gpu ? HEDDLE_CUDA : HEDDLE_CPU;
    l->n_units = is_gpu ? gpu.n_units : machine.n_threads;
    c.schedule = HEDDLE_SCHEDULE_AUTO;
    return heddle_ctx_open(&l->ctx, &c) ? cli_heddle_bad(NULL, HEDDLE_ENODEV) : CLI_OK;
}

void lab_close(lab *l)
{
    lab_unload(l);
    heddle_ctx_close(l->ctx);
}

static peer_layout layout_of(uint32_t cols, uint32_t height)
{
    peer_layout a = {cols, 0, 0};
    while (height >> a.shift > 1)
        a.shift++;
    a.stride += a.shift ? height : 0;
    return a;
}

/* Distance from plane to plane. */
static uint64_t plane_cells(uint32_t rows, peer_layout a)
{
    return ((uint64_t)((rows - 1u) >> a.shift) + 1u) * a.stride << a.shift;
}

/* Room for one plane in any layout. */
static uint64_t most_cells(uint32_t rows, uint32_t cols)
{
    static const uint32_t heights[] = {1, 128, 256, 512, 1024};
    uint64_t most = 0;
    for (size_t i = 0; i < sizeof heights / sizeof *heights; i++) {
        const uint64_t n = plane_cells(rows, layout_of(cols, heights[i]));
        most = n > most ? n : most;
    }
    return most;
}

static int new_memory(lab *l, uint64_t n_bytes, void *out, char why[200])
{
    void *p;
    if (heddle_mem_new(l->ctx, n_bytes, &p) != HEDDLE_OK) {
        snprintf(why, 200, "%.199s", heddle_error_text(l->ctx));
        return CLI_BAD;
    }
    memcpy(out, &p, sizeof p);
    return CLI_OK;
}

static int put_letters(lab *l, char why[200])
{
    const uint64_t n = (uint64_t)l->rows * peer_problems[l->app].n_planes;
    int32_t *x = malloc(n * sizeof *x), *y = malloc(l->cols * sizeof *y);
    int status = x && y ? CLI_OK : CLI_BAD;
    if (status)
        snprintf(why, 200, "out of memory");
    else {
        problem_x(l->app, l->rows, x);
        problem_y(l->cols, y);
        status =
            heddle_mem_write(l->ctx, l->x, x, n * sizeof *x) || heddle_mem_write(l->ctx, l->y, y, l->cols * sizeof *y)
                ? CLI_BAD
                : CLI_OK;
    }
    free(x);
    free(y);
    return status;
}

int lab_load(lab *l, peer_app app, uint32_t rows, uint32_t cols, char why[200])
{
    const uint64_t n = most_cells(rows, cols), n_planes = peer_problems[app].n_planes;
    lab_unload(l);
    l->app = app;
    l->rows = rows;
    l->cols = cols;
    if (new_memory(l, n * n_planes * 4u, &l->cells, why) || new_memory(l, 4u * cols, &l->last_row, why) ||
        new_memory(l, n, &l->pixels, why) || new_memory(l, 4u * rows * n_planes, &l->x, why) ||
        new_memory(l, 4u * cols, &l->y, why) || put_letters(l, why)) {
        lab_unload(l);
        return CLI_BAD;
    }
    return CLI_OK;
}

void lab_unload(lab *l)
{
    void *const all[] = {l->cells, l->last_row, l->pixels, l->x, l->y};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        heddle_mem_free(l->ctx, all[i]);
    free(l->want);
    free(l->want_row);
    l->cells = l->last_row = l->want = l->want_row = NULL;
    l->pixels = NULL;
    l->x = l->y = NULL;
    l->has_sum = 0;
}

double lab_cells(const lab *l)
{
    const peer_problem *of = &peer_problems[l->app];
    return (double)l->rows * l->cols * of->n_planes * (of->n_sweeps ? of->n_sweeps : 1u);
}

peer_tiling lab_tiling(const lab *l, const peer_way *w)
{
    peer_tiling t = {l->rows, l->cols, peer_problems[l->app].n_planes, w->height, w->width, (uint32_t)w->is_square};
    return t;
}

/* ---- fields before and after a run ---- */

/* height 0: row by row. */
static peer_job job_of(const lab *l, uint32_t height)
{
    const peer_layout a = layout_of(l->cols, height ? height : 1u);
    const peer_problem *of = &peer_problems[l->app];
    peer_job job;
    memset(&job, 0, sizeof job);
    job.params = problem_params(l->app, l->rows, l->cols, a);
    job.params.pixels = l->pixels;
    job.tiling.rows = l->rows;
    job.tiling.cols = l->cols;
    job.tiling.n_planes = of->n_planes;
    job.tiling.height = height ? height : 1u;
    job.cells = l->cells;
    job.plane_cells = plane_cells(l->rows, a);
    job.x = of->has_x ? l->x : NULL;
    job.y = of->has_y ? l->y : NULL;
    return job;
}

static int fill(const lab *l, const peer_job *job, char why[200])
{
    char error[LAUNCH_ERROR] = "";
    if (l->backend == HEDDLE_CUDA) {
        const int status = launch_fill(l->app, l->o->config.device, job, error);
        snprintf(why, 200, "%.199s", error);
        return status;
    }
    memset(l->cells, 0xa5, peer_problems[l->app].n_planes * job->plane_cells * 4u);
    problem_pixels(&job->params, l->pixels);
    if (peer_problems[l->app].n_sweeps)
        problem_start(&job->params, (float *)l->cells);
    return 0;
}

/* Notes a wrong result; `why` is set. */
static int note_wrong(lab *l, const char *name, const char *why)
{
    l->wrong = 1;
    (void)cli_bad("%s, %s: the check failed: %s", peer_problems[l->app].name, name, why);
    return -1;
}

/* Compares cells on the host with plain loops. */
static int check_plain(lab *l, const peer_job *job, const uint32_t *cells, const char *name, char why[200])
{
    const uint64_t n = (uint64_t)l->rows * l->cols * peer_problems[l->app].n_planes;
    uint64_t at;
    if (!l->want) {
        l->want = malloc(n * sizeof *l->want);
        if (!l->want) {
            snprintf(why, 200, "no memory for plain loops");
            return -1;
        }
        problem_want(l->app, l->rows, l->cols, l->want);
    }
    at = problem_differs(l->app, &job->params, cells, job->plane_cells, l->want);
    if (at == n)
        return 0;
    snprintf(why, 200, "cell (%llu, %llu) is wrong", (unsigned long long)(at / l->cols % l->rows),
             (unsigned long long)(at % l->cols));
    return note_wrong(l, name, why);
}

static int check_gpu(lab *l, const peer_job *job, const char *name, char why[200])
{
    char error[LAUNCH_ERROR] = "";
    uint64_t n = 0;
    const int is_unknown = peer_problems[l->app].n_sweeps > 1;
    if (is_unknown ? launch_sum(job, &n, error) : launch_check(l->app, job, &n, error)) {
        snprintf(why, 200, "%.199s", error);
        return -1;
    }
    if (is_unknown && !l->has_sum) {
        l->has_sum = 1;
        l->sum = n;
    }
    if (is_unknown ? n == l->sum : n == 0)
        return 0;
    snprintf(why, 200, "%llu %s", (unsigned long long)n,
             is_unknown ? "is the sum over all cells, and the first way has left another" : "cells are wrong");
    return note_wrong(l, name, why);
}

static int check(lab *l, const peer_job *job, const char *name, char why[200])
{
    return l->backend == HEDDLE_CUDA ? check_gpu(l, job, name, why) : check_plain(l, job, l->cells, name, why);
}

/* ---- the thesis' kernels ---- */

static peer_job kernel_job(const lab *l, const peer_way *w)
{
    peer_job job = job_of(l, w->height);
    job.tiling = lab_tiling(l, w);
    job.is_barrier = (uint32_t)w->is_barrier;
    job.n_blocks = w->n_blocks;
    return job;
}

static int run_kernel(lab *l, peer_job *job, measured *m)
{
    char error[LAUNCH_ERROR] = "";
    const int status = launch_run(l->app, l->o->config.device, job, &m->result, error);
    snprintf(m->why, sizeof m->why, "%.199s", error);
    m->n_blocks = job->n_blocks;
    return status;
}

int lab_run_kernel(lab *l, const peer_way *w, measured *m)
{
    peer_job job = kernel_job(l, w);
    return fill(l, &job, m->why) || run_kernel(l, &job, m) ? -1 : 0;
}

static void measure_kernel(lab *l, const peer_way *w, size_t n_runs, measured *m)
{
    peer_job job = kernel_job(l, w);
    if (fill(l, &job, m->why) || run_kernel(l, &job, m) || check(l, &job, w->name, m->why))
        return;
    for (size_t i = 0; i < n_runs; i++) {
        if ((peer_problems[l->app].n_sweeps && fill(l, &job, m->why)) || run_kernel(l, &job, m)) {
            m->n = 0;
            return;
        }
        figure_put(m->ms, m->n++, m->result.ms);
    }
}

static int try_one(lab *l, const peer_way *w, uint32_t *host, char why[200])
{
    peer_job job = kernel_job(l, w);
    measured m;
    memset(&m, 0, sizeof m);
    if (fill(l, &job, why))
        return CLI_BAD;
    if (run_kernel(l, &job, &m)) {
        snprintf(why, 200, "%s", m.why);
        return CLI_BAD;
    }
    if (heddle_mem_read(l->ctx, host, l->cells, job.plane_cells * job.tiling.n_planes * 4u)) {
        snprintf(why, 200, "%.199s", heddle_error_text(l->ctx));
        return CLI_BAD;
    }
    return check_plain(l, &job, host, w->name, why) ? CLI_WRONG : CLI_OK;
}

int lab_try(lab *l, peer_app app, char why[200])
{
    uint32_t *host = malloc(most_cells(TRY_ROWS, TRY_COLS) * peer_problems[app].n_planes * 4u);
    int status = host ? lab_load(l, app, TRY_ROWS, TRY_COLS, why) : CLI_BAD;
    if (!host)
        snprintf(why, 200, "out of memory");
    for (int k = 0; k < 4 && !status; k++) {
        peer_way w = {"", PEER_KERNEL, k & 1, k >> 1, TRY_HEIGHT, TRY_WIDTH, 0, HEDDLE_SCHEDULE_AUTO};
        snprintf(w.name, sizeof w.name, "a small field, %s, %s", k & 1 ? "square" : "hyper",
                 k >> 1 ? "barriers" : "peers");
        status = try_one(l, &w, host, why);
    }
    free(host);
    lab_unload(l);
    return status;
}

/* ---- heddle ---- */

static heddle_status new_cells(lab *l, const peer_way *w, heddle_graph **g)
{
    static const int32_t far = PEER_DTW_OUTSIDE, corner = 0;
    const peer_problem *of = &peer_problems[l->app];
    heddle_wave_item items[8];
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    d.body = of->cell;
    d.rows = of->n_planes > 1 ? 0 : l->rows;
    d.cols = of->n_planes > 1 ? 0 : l->cols;
    d.x = of->has_x ? l->x : NULL;
    d.y = of->has_y ? l->y : NULL;
    d.cells = w->kind == PEER_ROW_ONLY ? NULL : l->cells;
    d.last_row = w->kind == PEER_ROW_ONLY ? l->last_row : NULL;
    d.sweeps = of->n_sweeps;
    d.tile_cols = w->kind == PEER_SCHEDULE ? w->width : 0;
    if (l->app == PEER_DTW) {
        d.north.constant = d.west.constant = &far;
        d.corner = &corner;
    }
    memset(items, 0, sizeof items);
    for (uint32_t k = 0; k < of->n_planes && of->n_planes > 1; k++) {
        items[k].rows = l->rows;
        items[k].cols = l->cols;
        items[k].x_at = (uint64_t)k * l->rows;
        items[k].cells_at = (uint64_t)k * l->rows * l->cols;
        d.items = items;
        d.n_items = of->n_planes;
    }
    return heddle_wave_new(l->ctx, of->n_sweeps ? &peer_sweeps : &peer_cells, &d, g);
}

/* Makes the same tiles as apps/picture_wave.c. */
static heddle_status new_app_tiles(lab *l, heddle_graph **g)
{
    const uint32_t n = peer_problems[l->app].n_planes, n_warps = prefix_team_warps(n, 0);
    const int is_gpu = l->backend == HEDDLE_CUDA;
    heddle_wave_item items[8];
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    memset(items, 0, sizeof items);
    for (uint32_t k = 0; k < n; k++) {
        items[k].rows = l->rows;
        items[k].cols = l->cols;
    }
    d.items = items;
    d.n_items = n;
    d.band_rows = is_gpu ? PREFIX_WAVE_ROWS * n_warps : PREFIX_WAVE_THREAD_ROWS;
    d.tile_cols = is_gpu ? PREFIX_COLS : PREFIX_WAVE_THREAD_COLS;
    d.n_warps = is_gpu ? n_warps : 0;
    return heddle_wave_new(l->ctx, n > 1 ? &inthist_wave : &sat_wave, &d, g);
}

static heddle_status run_graph(lab *l, const peer_way *w, const peer_job *job, heddle_graph *g)
{
    prefix_record record = {l->pixels, l->cells, l->cols, job->plane_cells, peer_problems[l->app].n_planes, 0};
    record.tuned = l->backend == HEDDLE_CUDA;
    return w->kind == PEER_APP_TILES ? heddle_graph_run(l->ctx, g, &record, sizeof record)
                                     : heddle_graph_run(l->ctx, g, &job->params, sizeof job->params);
}

/* Compares the last row with that of a checked run that kept all cells. */
static int check_row(lab *l, const char *name, char why[200])
{
    const uint64_t n = 4u * (uint64_t)l->cols;
    uint32_t *got = malloc(n);
    int is_good = got && l->want_row && !heddle_mem_read(l->ctx, got, l->last_row, n);
    if (!is_good)
        snprintf(why, 200, "no last row to compare with");
    else if (memcmp(got, l->want_row, n) != 0) {
        snprintf(why, 200, "the last row is wrong");
        is_good = !note_wrong(l, name, why);
    }
    free(got);
    return is_good ? 0 : -1;
}

/* Keeps the last row of a checked field of one plane, stored row by row. */
static void keep_row(lab *l)
{
    const uint64_t n = 4u * (uint64_t)l->cols;
    if (l->want_row || peer_problems[l->app].n_planes > 1)
        return;
    l->want_row = malloc(n);
    if (l->want_row && heddle_mem_read(l->ctx, l->want_row, l->cells + (uint64_t)(l->rows - 1u) * l->cols, n)) {
        free(l->want_row);
        l->want_row = NULL;
    }
}

static int check_graph(lab *l, const peer_way *w, const peer_job *job, char why[200])
{
    if (w->kind == PEER_ROW_ONLY)
        return check_row(l, w->name, why);
    if (check(l, job, w->name, why))
        return -1;
    keep_row(l);
    return 0;
}

static int time_graph(lab *l, const peer_way *w, const peer_job *job, heddle_graph *g, measured *m)
{
    heddle_stats stats = HEDDLE_STATS_INIT;
    if ((peer_problems[l->app].n_sweeps && fill(l, job, m->why)) || run_graph(l, w, job, g) != HEDDLE_OK ||
        heddle_graph_get_stats(g, &stats) != HEDDLE_OK)
        return -1;
    figure_put(m->ms, m->n++, 1e-6 * (double)stats.run_ns);
    return 0;
}

static void measure_graph(lab *l, const peer_way *w, size_t n_runs, measured *m)
{
    heddle_config c = l->o->config;
    const peer_job job = job_of(l, 0);
    heddle_graph *g = NULL;
    int status;
    c.backend = l->backend;
    c.schedule = w->kind == PEER_SCHEDULE ? w->schedule : HEDDLE_SCHEDULE_WAVE;
    status = heddle_ctx_reconfigure(l->ctx, &c) != HEDDLE_OK ||
             (w->kind == PEER_APP_TILES ? new_app_tiles(l, &g) : new_cells(l, w, &g)) != HEDDLE_OK ||
             fill(l, &job, m->why) || run_graph(l, w, &job, g) != HEDDLE_OK || check_graph(l, w, &job, m->why);
    for (size_t i = 0; i < n_runs && !status; i++)
        status = time_graph(l, w, &job, g, m);
    if (status) {
        m->n = 0;
        if (!m->why[0])
            snprintf(m->why, sizeof m->why, "%.199s", heddle_error_text(l->ctx));
    }
    heddle_graph_free(g);
}

/* ---- a way ---- */

static const char *why_not(const lab *l, const peer_way *w)
{
    const int is_pair = l->app == PEER_SW || l->app == PEER_DTW;
    if (cli_now_ns() > l->deadline_ns)
        return "no time left";
    if (w->kind == PEER_KERNEL && l->backend != HEDDLE_CUDA)
        return "there is no GPU";
    if (w->kind == PEER_ROW_ONLY && !is_pair)
        return "its cells are wanted, all of them";
    if (w->kind == PEER_APP_TILES && !peer_problems[l->app].has_pixels)
        return "it is a wave of cells";
    return NULL;
}

void lab_measure(lab *l, const peer_way *w, size_t n_runs, measured *m)
{
    const char *why = why_not(l, w);
    memset(m, 0, sizeof *m);
    cli_progress("%s, %s", peer_problems[l->app].name, w->name);
    if (why)
        snprintf(m->why, sizeof m->why, "%s", why);
    else if (w->kind == PEER_KERNEL)
        measure_kernel(l, w, n_runs, m);
    else
        measure_graph(l, w, n_runs, m);
    if (m->n)
        m->why[0] = '\0';
}
