/* SPDX-License-Identifier: MIT */
/* pagoda.c - `heddle bench --figures pagoda [-n TASKS] [--opt figures=LIST] [--out DIR]`: narrow tasks spawned from the CPU, as in figures
 * of Pagoda (TOPC 6(4), 2019), as DIR/pagoda-NAME.tsv and .svg:
 *
 *     apps       figures 6 and 10: its applications, each in every mode of a pool, over a pool of CPU threads; data on the device
 *     copies     figure 6 with copies: inputs and results in host memory, which go with tasks
 *     irregular  figure 8: teams of 32, 64, 128 and 256 threads, and sides to match
 *     mm, conv   figure 11: products of matrices, and a convolution, by threads of a team and by the side of a task
 *
 * Without a GPU: a pool of threads over one thread. Figures have 32,768 tasks of 128 threads, or TASKS, a multiple of 32; mm and conv an
 * eighth of it, since their largest tasks are large. Each way is compared with the serial reference, with a 64th of the tasks, before
 * it is timed. What is not possible is a row `skipped` with the reason, and means leave it out. The widest teams are those that the pool
 * allows, whatever its registers. */
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
#define SIZED_PART 8u /* of the tasks of figure 11 */

/* An application, or a variant of it, is a group of bars. */
typedef struct subject {
    const char *name, *app;
    uint64_t b[2];      /* 0: the app's own */
    uint32_t team_size; /* 0: the pool's; or of the widest team that the way has, if that is narrower */
} subject;

static const subject apps[] = {{"beam", "beam", {0, 0}, 0},   {"conv", "conv", {0, 0}, 0},
                               {"dct", "dct", {0, 0}, 0},     {"des3", "des3", {0, 4096}, 0},
                               {"fbank", "fbank", {0, 0}, 0}, {"mandel", "mandel", {0, 0}, 0},
                               {"mm", "mm", {0, 0}, 0},       {"mix", "mix", {0, 0}, 0}};

/* Teams of 32 threads to the most that there can be, on tasks of several sides. */
#define SIZES(app, rows, side)                                                                                     \
    {"side " #side ", 32", app, {rows, side}, 32}, {"64", app, {rows, side}, 64}, {"128", app, {rows, side}, 128}, \
        {"256", app, {rows, side}, 256}, {"512", app, {rows, side}, 512},                                          \
    {                                                                                                              \
        "widest", app, {rows, side}, HEDDLE_POOL_MOST_THREADS                                                      \
    }
static const subject products[] = {SIZES("mm", 1, 32), SIZES("mm", 1, 64), SIZES("mm", 1, 128)};
static const subject pictures[] = {SIZES("conv", 32, 32), SIZES("conv", 64, 64), SIZES("conv", 128, 128),
                                   SIZES("conv", 256, 256)};
enum { MOST_SUBJECTS = sizeof pictures / sizeof *pictures };

typedef struct pooled_way {
    const char *name, *mode;
    heddle_backend backend;
} pooled_way;

#define COUNT(a) (sizeof(a) / sizeof *(a))

typedef struct figure {
    const char *name, *title;
    const subject *subjects;
    size_t n_subjects;
    const char *
        modes; /* of a pool on a GPU, those that there are, the first of which others are compared with; NULL: all, over CPU threads */
    app_spawning spawning;
    uint32_t part; /* of the number of tasks */
} figure;

static const figure all_figures[] = {
    {"apps", "Narrow tasks from the CPU", apps, COUNT(apps), NULL, {0}, 1},
    {"copies", "Narrow tasks that bring their data", apps, COUNT(apps), NULL, {.copies = 1}, 1},
    {"irregular", "Irregular narrow tasks", apps, COUNT(apps), "kernels fused launches resident", {.irregular = 1}, 1},
    {"mm", "Products of matrices, by side and threads", products, COUNT(products), "kernels resident", {0}, SIZED_PART},
    {"conv", "A convolution, by side and threads", pictures, COUNT(pictures), "kernels resident", {0}, SIZED_PART}};

enum { MOST_WAYS = HEDDLE_N_POOL_MODES + 1 };

typedef struct figures {
    const options *o;
    const figure *now;
    pooled_way ways[MOST_WAYS]; /* the first is the one that others are compared with */
    size_t n_ways;
    uint64_t n_tasks;
    figure_files files;
    int wrong;
} figures;

typedef struct timing {
    double ms[FIGURE_RUNS]; /* sorted */
    size_t n;               /* 0: `why` not */
    uint32_t team_size;
    char why[160];
} timing;

/* ---- one way on an application ---- */

static int open_teams(const figures *f, const subject *s, const pooled_way *way, uint64_t n_tasks, uint32_t team_size,
                      work *w)
{
    const app *a = app_find(s->app);
    app_request q = {.b = {s->b[0], s->b[1]}, .spawning = f->now->spawning};
    heddle_config c = f->o->config;
    q.spawning.n_tasks = n_tasks;
    q.spawning.team_size = team_size;
    c.backend = way->backend;
    if (setenv("HEDDLE_POOL_MODE", way->mode, 1))
        return cli_bad("out of memory");
    return work_open_scenario(w, a, app_scenario_of(a, app_pool.name), &q, &c);
}

/* Teams are as wide as the subject's, or as the pool allows. */
static int open_way(const figures *f, const subject *s, const pooled_way *way, uint64_t n_tasks, work *w, timing *t)
{
    heddle_pool_info info = HEDDLE_POOL_INFO_INIT;
    int status = open_teams(f, s, way, n_tasks, s->team_size, w);
    t->team_size = s->team_size;
    if (status || heddle_pool_get_info(w->c->pool, &info) != HEDDLE_OK || info.most_threads >= s->team_size)
        return status;
    work_close(w);
    t->team_size = info.most_threads;
    return open_teams(f, s, way, n_tasks, t->team_size, w);
}

static int check_way(figures *f, const subject *s, const pooled_way *way, timing *t)
{
    const uint64_t part = f->n_tasks / CHECKED_PART;
    const char *sentence = NULL;
    uint64_t ns;
    work w;
    int status = open_way(f, s, way, part < LEAST_TASKS ? LEAST_TASKS : part, &w, t);
    if (!status)
        status = work_run(&w, &ns);
    if (!status && work_check(&w, &sentence)) {
        f->wrong = status = 1;
        snprintf(t->why, sizeof t->why, "the check failed: %s", sentence ? sentence : "no reference");
    }
    work_close(&w);
    return status;
}

static void time_way(figures *f, const subject *s, const pooled_way *way, timing *t)
{
    const size_t n = figure_runs(f->o);
    uint64_t ns;
    work w;
    t->n = 0;
    snprintf(t->why, sizeof t->why, "it cannot run here");
    if (check_way(f, s, way, t))
        return;
    if (!open_way(f, s, way, f->n_tasks, &w, t) && !work_run(&w, &ns))
        while (t->n < n && !work_reset(&w) && !work_run(&w, &ns)) {
            figure_put(t->ms, t->n, 1e-6 * (double)ns);
            t->n++;
        }
    work_close(&w);
}

/* ---- the figure ---- */

static void print_row(figures *f, const subject *s, const char *way, const timing *t, double over)
{
    FILE *out = f->files.tsv.out;
    fprintf(out, "%s\t%llu\t%u\t%s\t%llu\t", s->app, (unsigned long long)s->b[1], t->team_size, way,
            (unsigned long long)f->n_tasks);
    if (t->n)
        fprintf(out, "%.5g\t%.5g\t%.5g\t%.4g\n", figure_middle(t->ms, t->n), t->ms[0], t->ms[t->n - 1], over);
    else
        fprintf(out, "skipped\t%s\n", t->why);
}

/* Times all ways on subject i; value: how many times as quick as the first. */
static void time_subject(figures *f, size_t i, timing *t, double *value)
{
    const subject *s = &f->now->subjects[i];
    double first = 0;
    for (size_t k = 0; k < f->n_ways; k++) {
        time_way(f, s, &f->ways[k], t);
        if (k == 0)
            first = figure_middle(t->ms, t->n);
        value[k] = t->n && first > 0 ? first / figure_middle(t->ms, t->n) : 0;
        print_row(f, s, f->ways[k].name, t, value[k]);
    }
}

/* The last group: geometric means of the bars that there are. */
static void put_means(figures *f, double *value)
{
    const size_t n = f->now->n_subjects;
    for (size_t k = 0; k < f->n_ways; k++) {
        double sum = 0;
        size_t n_bars = 0;
        for (size_t i = 0; i < n; i++) {
            const double v = value[i * f->n_ways + k];
            n_bars += v > 0;
            sum += v > 0 ? log(v) : 0;
        }
        value[n * f->n_ways + k] = n_bars ? exp(sum / (double)n_bars) : 0;
        fprintf(f->files.tsv.out, "mean\t0\t0\t%s\t%llu\t\t\t\t%.4g\n", f->ways[k].name, (unsigned long long)f->n_tasks,
                value[n * f->n_ways + k]);
    }
}

static void print_gpu(figures *f)
{
    heddle_device device = HEDDLE_DEVICE_INIT;
    if (heddle_device_get(HEDDLE_CUDA, 0, &device) == HEDDLE_OK)
        fprintf(f->files.tsv.out, "# gpu: %s\n", device.name);
}

static int make_figure(figures *f, timing *t)
{
    const figure *now = f->now;
    const char *groups[MOST_SUBJECTS + 1], *series[MOST_WAYS];
    double value[(MOST_SUBJECTS + 1) * MOST_WAYS];
    char note[160], name[64];
    chart c = {.title = now->title, .note = note, .unit = "times as quick"};
    if (figure_begin(&f->files))
        return CLI_BAD;
    snprintf(note, sizeof note, "%llu tasks, over %s; medians of %zu runs, and their geometric mean",
             (unsigned long long)f->n_tasks, f->ways[0].name, figure_runs(f->o));
    print_gpu(f);
    fprintf(f->files.tsv.out, "# %s\napp\tside\tthreads\tway\ttasks\tmedian_ms\tleast_ms\tmost_ms\tover\n", note);
    for (size_t i = 0; i < now->n_subjects; i++) {
        groups[i] = now->subjects[i].name;
        time_subject(f, i, t, &value[i * f->n_ways]);
    }
    groups[now->n_subjects] = "mean";
    put_means(f, value);
    for (size_t k = 0; k < f->n_ways; k++)
        series[k] = f->ways[k].name;
    chart_fill(&c, now->n_subjects + 1, groups, f->n_ways, series, value);
    chart_print(&c, f->files.svg.out);
    snprintf(name, sizeof name, "pagoda-%s", now->name);
    return figure_end(&f->files, name, 1);
}

/* ---- what there is ---- */

static void add_way(figures *f, const char *name, const char *mode, heddle_backend backend)
{
    f->ways[f->n_ways++] = (pooled_way){name, mode, backend};
}

/* Whether a word is in a list; blanks or commas are between the words. *at: where. */
static int has_word(const char *list, const char *word, size_t *at)
{
    const size_t n = strlen(word);
    for (*at = 0; list[*at]; *at += strcspn(list + *at, " ,"), *at += strspn(list + *at, " ,"))
        if (strcspn(list + *at, " ,") == n && !memcmp(list + *at, word, n))
            return 1;
    return 0;
}

/* Adds the mode at place `at` of the list, if this library has it. */
static void add_listed(figures *f, const char *list, size_t place)
{
    for (int m = HEDDLE_POOL_AUTO + 1; m < HEDDLE_N_POOL_MODES; m++) {
        const char *mode = heddle_pool_mode_name((heddle_pool_mode)m);
        size_t at;
        if (has_word(list, mode, &at) && at == place)
            add_way(f, mode, mode, HEDDLE_CUDA);
    }
}

static void choose_ways(figures *f)
{
    const char *list = f->now->modes;
    f->n_ways = 0;
    if (!heddle_backend_is_present(HEDDLE_CUDA)) {
        add_way(f, "one thread", "auto", HEDDLE_SERIAL);
        add_way(f, "cpu pool", "auto", HEDDLE_CPU);
        return;
    }
    if (!list)
        add_way(f, "cpu pool", "auto", HEDDLE_CPU);
    for (int m = HEDDLE_POOL_AUTO + 1; !list && m < HEDDLE_N_POOL_MODES; m++)
        add_way(f, heddle_pool_mode_name((heddle_pool_mode)m), heddle_pool_mode_name((heddle_pool_mode)m), HEDDLE_CUDA);
    for (size_t at = 0; list && list[at]; at += strcspn(list + at, " "), at += strspn(list + at, " "))
        add_listed(f, list, at);
}

/* ---- options ---- */

/* *list: which figures, NULL: all. */
static int find_list(const options *o, const char **list)
{
    *list = NULL;
    for (size_t i = 0; i < o->request.n_opts; i++) {
        if (strcmp(o->request.opts[i].key, "figures") != 0)
            return cli_bad("--opt %s: of --figures pagoda there is figures", o->request.opts[i].key);
        *list = o->request.opts[i].value;
    }
    return CLI_OK;
}

static int make_figures(figures *f, const char *list, timing *t)
{
    const uint64_t n = f->n_tasks;
    size_t n_made = 0, at;
    for (size_t i = 0; i < COUNT(all_figures); i++) {
        f->now = &all_figures[i];
        if (list && !has_word(list, f->now->name, &at))
            continue;
        f->n_tasks = n / f->now->part < LEAST_TASKS ? LEAST_TASKS : n / f->now->part;
        choose_ways(f);
        if (make_figure(f, t))
            return CLI_BAD;
        n_made++;
    }
    return n_made ? CLI_OK : cli_bad("--opt figures=%s: of apps, copies, irregular, mm and conv", list);
}

int figures_pagoda(const options *o)
{
    figures f = {.o = o, .n_tasks = o->request.n[0] ? o->request.n[0] : TASKS, .files.dir = o->out ? o->out : "."};
    const char *list;
    timing *t;
    int status;
    if (find_list(o, &list))
        return CLI_BAD;
    if (f.n_tasks % LEAST_TASKS)
        return cli_bad("--figures pagoda: %llu tasks; a multiple of %u is expected", (unsigned long long)f.n_tasks,
                       LEAST_TASKS);
    t = malloc(sizeof *t);
    if (!t)
        return cli_bad("out of memory");
    status = make_figures(&f, list, t);
    free(t);
    return status ? status : f.wrong ? CLI_WRONG : CLI_OK;
}
