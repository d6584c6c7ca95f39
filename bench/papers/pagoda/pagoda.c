/* SPDX-License-Identifier: MIT */
/* pagoda.c - `heddle bench --figures pagoda [-n TASKS] [--out DIR]`: narrow tasks spawned from the CPU, as in figures 6 and 10 of Pagoda
 * (TOPC 6(4), 2019), as DIR/pagoda-apps.tsv and .svg: its applications, each in every mode of a pool, over a pool of CPU threads.
 * Without a GPU: over one thread.
 *
 * Applications have 32,768 tasks of 128 threads, or TASKS, a multiple of 32. Data are on the device. Each way is compared with the
 * serial reference, with a 64th of the tasks, before it is timed. What is not possible is a row `skipped` with the reason. */
#include "chart.h"
#include "papers.h"
#include "rows.h"
#include "work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TASKS 32768u
#define LEAST_TASKS 32u
#define CHECKED_PART 64u

/* How an application is cut into tasks. */
typedef enum cut { ROWS, TILES, PARTS } cut;

static const struct subject {
    const char *app;
    cut cut;
    uint64_t size; /* of a row, or the side of a tile */
} subjects[] = {{"beam", ROWS, 2048},  {"conv", TILES, 128},  {"dct", TILES, 128}, {"des3", ROWS, 4096},
                {"fbank", ROWS, 2048}, {"mandel", TILES, 64}, {"mm", ROWS, 64},    {"mix", PARTS, 0}};
enum { N_SUBJECTS = sizeof subjects / sizeof *subjects };

typedef struct pooled_way {
    const char *name, *mode;
    heddle_backend backend;
} pooled_way;

/* The first of each list is the one that others are compared with. */
static const pooled_way gpu_ways[] = {{"cpu pool", "auto", HEDDLE_CPU},        {"kernels", "kernels", HEDDLE_CUDA},
                                      {"taskgraph", "taskgraph", HEDDLE_CUDA}, {"fused", "fused", HEDDLE_CUDA},
                                      {"batch", "batch", HEDDLE_CUDA},         {"table", "table", HEDDLE_CUDA},
                                      {"launches", "launches", HEDDLE_CUDA},   {"resident", "resident", HEDDLE_CUDA}};
static const pooled_way cpu_ways[] = {{"one thread", "auto", HEDDLE_SERIAL}, {"cpu pool", "auto", HEDDLE_CPU}};
enum { MOST_WAYS = sizeof gpu_ways / sizeof *gpu_ways };

typedef struct figures {
    const options *o;
    const pooled_way *ways;
    size_t n_ways;
    uint64_t n_tasks;
    figure_files files;
    int wrong;
} figures;

typedef struct timing {
    double ms[FIGURE_RUNS]; /* sorted */
    size_t n;               /* 0: `why` not */
    char why[160];
} timing;

/* ---- one way on an application ---- */

static app_request request(const struct subject *s, uint64_t n_tasks)
{
    app_request q = {.n = {n_tasks, s->size}, .b = {1, s->size}};
    if (s->cut == TILES)
        q = (app_request){.n = {s->size * (n_tasks / LEAST_TASKS), s->size * LEAST_TASKS}, .b = {s->size, s->size}};
    else if (s->cut == PARTS)
        q = (app_request){.n = {n_tasks / 4u, 0}, .b = {0, 0}};
    return q;
}

static int open_way(const figures *f, const struct subject *s, const pooled_way *way, uint64_t n_tasks, work *w)
{
    const app *a = app_find(s->app);
    const app_request q = request(s, n_tasks);
    heddle_config c = f->o->config;
    c.backend = way->backend;
    if (setenv("HEDDLE_POOL_MODE", way->mode, 1))
        return cli_bad("out of memory");
    return work_open_scenario(w, a, app_scenario_of(a, app_pool.name), &q, &c);
}

static int check_way(figures *f, const struct subject *s, const pooled_way *way, timing *t)
{
    const uint64_t part = f->n_tasks / CHECKED_PART;
    const char *sentence = NULL;
    uint64_t ns;
    work w;
    int status = open_way(f, s, way, part < LEAST_TASKS ? LEAST_TASKS : part, &w);
    if (!status)
        status = work_run(&w, &ns);
    if (!status && work_check(&w, &sentence)) {
        f->wrong = status = 1;
        snprintf(t->why, sizeof t->why, "the check failed: %s", sentence ? sentence : "no reference");
    }
    work_close(&w);
    return status;
}

static void time_way(figures *f, const struct subject *s, const pooled_way *way, timing *t)
{
    const size_t n = figure_runs(f->o);
    uint64_t ns;
    work w;
    t->n = 0;
    snprintf(t->why, sizeof t->why, "it cannot run here");
    if (check_way(f, s, way, t))
        return;
    if (!open_way(f, s, way, f->n_tasks, &w) && !work_run(&w, &ns))
        while (t->n < n && !work_reset(&w) && !work_run(&w, &ns)) {
            figure_put(t->ms, t->n, 1e-6 * (double)ns);
            t->n++;
        }
    work_close(&w);
}

/* ---- the figure ---- */

static void print_row(figures *f, const char *app, const char *way, const timing *t, double over)
{
    FILE *out = f->files.tsv.out;
    if (t->n)
        fprintf(out, "%s\t%s\t%llu\t%.5g\t%.5g\t%.5g\t%.4g\n", app, way, (unsigned long long)f->n_tasks,
                figure_middle(t->ms, t->n), t->ms[0], t->ms[t->n - 1], over);
    else
        fprintf(out, "%s\t%s\t%llu\tskipped\t%s\n", app, way, (unsigned long long)f->n_tasks, t->why);
}

/* Times all ways on subject i; value: how many times as quick as the first. */
static void time_subject(figures *f, size_t i, timing *t, double *value)
{
    double first = 0;
    for (size_t k = 0; k < f->n_ways; k++) {
        time_way(f, &subjects[i], &f->ways[k], t);
        if (k == 0)
            first = figure_middle(t->ms, t->n);
        value[k] = t->n && first > 0 ? first / figure_middle(t->ms, t->n) : 0;
        print_row(f, subjects[i].app, f->ways[k].name, t, value[k]);
    }
}

/* The last group: geometric means of the ways that could run all of them. */
static void put_means(figures *f, double *value)
{
    for (size_t k = 0; k < f->n_ways; k++) {
        double sum = 0;
        int all = 1;
        for (size_t i = 0; i < N_SUBJECTS; i++) {
            all &= value[i * f->n_ways + k] > 0;
            sum += all ? log(value[i * f->n_ways + k]) : 0;
        }
        value[N_SUBJECTS * f->n_ways + k] = all ? exp(sum / N_SUBJECTS) : 0;
        fprintf(f->files.tsv.out, "mean\t%s\t%llu\t\t\t\t%.4g\n", f->ways[k].name, (unsigned long long)f->n_tasks,
                value[N_SUBJECTS * f->n_ways + k]);
    }
}

static void print_gpu(figures *f)
{
    heddle_device device = HEDDLE_DEVICE_INIT;
    if (heddle_device_get(HEDDLE_CUDA, 0, &device) == HEDDLE_OK)
        fprintf(f->files.tsv.out, "# gpu: %s\n", device.name);
}

static int figure_apps(figures *f, timing *t)
{
    const char *groups[N_SUBJECTS + 1], *series[MOST_WAYS];
    double value[(N_SUBJECTS + 1) * MOST_WAYS];
    char note[160];
    chart c = {.title = "Narrow tasks from the CPU", .note = note, .unit = "times as quick"};
    if (figure_begin(&f->files))
        return CLI_BAD;
    snprintf(note, sizeof note, "%llu tasks of 128 threads, over %s; medians of %zu runs, and their geometric mean",
             (unsigned long long)f->n_tasks, f->ways[0].name, figure_runs(f->o));
    print_gpu(f);
    fprintf(f->files.tsv.out, "# %s\napp\tway\ttasks\tmedian_ms\tleast_ms\tmost_ms\tover\n", note);
    for (size_t i = 0; i < N_SUBJECTS; i++) {
        groups[i] = subjects[i].app;
        time_subject(f, i, t, &value[i * f->n_ways]);
    }
    groups[N_SUBJECTS] = "mean";
    put_means(f, value);
    for (size_t k = 0; k < f->n_ways; k++)
        series[k] = f->ways[k].name;
    chart_fill(&c, N_SUBJECTS + 1, groups, f->n_ways, series, value);
    chart_print(&c, f->files.svg.out);
    return figure_end(&f->files, "pagoda-apps", 1);
}

int figures_pagoda(const options *o)
{
    const int gpu = heddle_backend_is_present(HEDDLE_CUDA);
    figures f = {.o = o, .n_tasks = o->request.n[0] ? o->request.n[0] : TASKS, .files.dir = o->out ? o->out : "."};
    timing *t;
    int status;
    if (f.n_tasks % LEAST_TASKS)
        return cli_bad("--figures pagoda: %llu tasks; a multiple of %u is expected", (unsigned long long)f.n_tasks,
                       LEAST_TASKS);
    f.ways = gpu ? gpu_ways : cpu_ways;
    f.n_ways = gpu ? sizeof gpu_ways / sizeof *gpu_ways : sizeof cpu_ways / sizeof *cpu_ways;
    t = malloc(sizeof *t);
    if (!t)
        return cli_bad("out of memory");
    status = figure_apps(&f, t);
    free(t);
    return status ? status : f.wrong ? CLI_WRONG : CLI_OK;
}
