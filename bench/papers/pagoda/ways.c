/* SPDX-License-Identifier: MIT */
/* ways.c - the ways to run a figure's applications, and how one is opened, checked and timed. */
#include "pagoda.h"

#include <stdlib.h>
#include <string.h>

#define CHECKED_PART 64u
#define PATH_BYTES 1024
#define UNIT_TASKS 16u /* of 128 threads: that many a multiprocessor has */

/* ---- which there are ---- */

pooled_way *pagoda_add(figures *f, const char *name, const char *mode, heddle_backend backend)
{
    pooled_way *way = &f->ways[f->n_ways++];
    *way = (pooled_way){.mode = mode, .backend = backend};
    snprintf(way->name, sizeof way->name, "%s", name);
    return way;
}

/* Whether there is a GPU; if not, adds what there is. */
static int has_gpu(figures *f)
{
    if (heddle_backend_is_present(HEDDLE_CUDA))
        return 1;
    pagoda_add(f, "one thread", "auto", HEDDLE_SERIAL);
    pagoda_add(f, "cpu pool", "auto", HEDDLE_CPU);
    return 0;
}

void pagoda_all(figures *f)
{
    if (!has_gpu(f))
        return;
    pagoda_add(f, "cpu pool", "auto", HEDDLE_CPU);
    for (int m = HEDDLE_POOL_AUTO + 1; m < HEDDLE_N_POOL_MODES; m++)
        pagoda_add(f, heddle_pool_mode_name((heddle_pool_mode)m), heddle_pool_mode_name((heddle_pool_mode)m),
                   HEDDLE_CUDA);
}

/* Adds the mode at place `at` of the list, if this library has it. */
static void add_listed(figures *f, const char *list, size_t place)
{
    for (int m = HEDDLE_POOL_AUTO + 1; m < HEDDLE_N_POOL_MODES; m++) {
        const char *mode = heddle_pool_mode_name((heddle_pool_mode)m);
        size_t at;
        if (figure_listed(list, mode, &at) && at == place)
            pagoda_add(f, mode, mode, HEDDLE_CUDA);
    }
}

void pagoda_listed(figures *f)
{
    const char *list = f->now->modes;
    if (!has_gpu(f))
        return;
    for (size_t at = 0; list[at]; at += strcspn(list + at, " "), at += strspn(list + at, " "))
        add_listed(f, list, at);
}

void pagoda_one_by_one(figures *f)
{
    const int on_gpu = heddle_backend_is_present(HEDDLE_CUDA);
    pagoda_add(f, on_gpu ? "fused" : "cpu pool, batches", on_gpu ? "fused" : "auto", on_gpu ? HEDDLE_CUDA : HEDDLE_CPU);
    pagoda_add(f, on_gpu ? "resident" : "cpu pool", on_gpu ? "resident" : "auto", on_gpu ? HEDDLE_CUDA : HEDDLE_CPU);
}

/* Workers of the resident pool if each multiprocessor has one; or threads of the machine. */
static uint32_t all_workers(void)
{
    heddle_device device = HEDDLE_DEVICE_INIT;
    return heddle_device_get(HEDDLE_CUDA, 0, &device) == HEDDLE_OK ? device.n_units : (uint32_t)app_threads(UINT64_MAX);
}

void pagoda_shared(figures *f)
{
    static const app_pair no = {"shared", "no"};
    const int on_gpu = heddle_backend_is_present(HEDDLE_CUDA);
    const char *names[] = {on_gpu ? "kernels" : "one thread", on_gpu ? "resident" : "cpu pool"};
    for (int k = 0; k < 4; k++) {
        char name[40];
        snprintf(name, sizeof name, "%s%s", names[k % 2], k < 2 ? "" : ", no shared memory");
        pooled_way *way = pagoda_add(f, name, on_gpu ? names[k % 2] : "auto",
                                     on_gpu  ? HEDDLE_CUDA
                                     : k % 2 ? HEDDLE_CPU
                                             : HEDDLE_SERIAL);
        if (k >= 2)
            way->opt = no;
    }
}

void pagoda_copied(figures *f)
{
    const int on_gpu = heddle_backend_is_present(HEDDLE_CUDA);
    for (int copies = 0; copies < 2; copies++)
        pagoda_add(f, on_gpu ? "kernels" : "cpu pool", on_gpu ? "kernels" : "auto", on_gpu ? HEDDLE_CUDA : HEDDLE_CPU)
            ->copies = copies;
}

void pagoda_linked(figures *f)
{
    const int on_gpu = heddle_backend_is_present(HEDDLE_CUDA);
    const heddle_backend backend = on_gpu ? HEDDLE_CUDA : HEDDLE_CPU;
    pagoda_add(f, "resident", on_gpu ? "resident" : "auto", backend);
    pagoda_add(f, "launches", on_gpu ? "launches" : "auto", backend);
    pagoda_add(f, "resident, copies", on_gpu ? "resident" : "auto", backend)->copies = 1;
}

void pagoda_chunked(figures *f)
{
    const int on_gpu = heddle_backend_is_present(HEDDLE_CUDA);
    const heddle_backend backend = on_gpu ? HEDDLE_CUDA : HEDDLE_CPU;
    pagoda_add(f, on_gpu ? "resident" : "cpu pool", on_gpu ? "resident" : "auto", backend)->copies = 1;
    pagoda_add(f, "chunks", on_gpu ? "launches" : "auto", backend)->copies = 1; /* its pool has nothing to do */
}

void pagoda_modes(figures *f)
{
    if (has_gpu(f)) {
        pagoda_add(f, "resident", "resident", HEDDLE_CUDA);
        pagoda_add(f, "launches", "launches", HEDDLE_CUDA);
        pagoda_add(f, "auto", "auto", HEDDLE_CUDA);
    } else
        pagoda_add(f, "cpu pool, the third", "auto", HEDDLE_CPU);
}

void pagoda_orders(figures *f)
{
    static const char *const orders[] = {"waves", "handles"};
    static const char *const modes[] = {"resident", "launches"};
    const int on_gpu = heddle_backend_is_present(HEDDLE_CUDA);
    for (int k = 0; k < (on_gpu ? 4 : 2); k++) {
        char name[40];
        snprintf(name, sizeof name, "%s%s", orders[k % 2], k < 2 ? "" : ", launches");
        pagoda_add(f, name, on_gpu ? modes[k / 2] : "auto", on_gpu ? HEDDLE_CUDA : HEDDLE_CPU)->opt =
            (app_pair){"order", orders[k % 2]};
    }
}

void pagoda_fourths(figures *f)
{
    const int on_gpu = heddle_backend_is_present(HEDDLE_CUDA);
    const uint32_t all = all_workers();
    pagoda_add(f, on_gpu ? "kernels" : "one thread", on_gpu ? "kernels" : "auto", on_gpu ? HEDDLE_CUDA : HEDDLE_SERIAL);
    for (uint32_t k = 1; k <= 4; k++) {
        char name[40];
        snprintf(name, sizeof name, "%u of %u %s", all * k / 4, all, on_gpu ? "SMs" : "threads");
        if (all * k / 4)
            pagoda_add(f, name, on_gpu ? "resident" : "auto", on_gpu ? HEDDLE_CUDA : HEDDLE_CPU)->n_workers =
                all * k / 4;
    }
}

/* Tasks that the GPU holds, if only threads count, as GeMTC's batches; or threads of the machine. */
static uint64_t held(int on_gpu) { return (uint64_t)all_workers() * (on_gpu ? UNIT_TASKS : 1u); }

void pagoda_lockstep(figures *f)
{
    const int on_gpu = heddle_backend_is_present(HEDDLE_CUDA);
    const heddle_backend backend = on_gpu ? HEDDLE_CUDA : HEDDLE_CPU;
    const char *mode = on_gpu ? "resident" : "auto";
    if (on_gpu)
        pagoda_add(f, "batch", "batch", backend);
    pagoda_add(f, on_gpu ? "resident, in lock step" : "cpu pool, in lock step", mode, backend)->at_once = held(on_gpu);
    pagoda_add(f, on_gpu ? "resident" : "cpu pool", mode, backend);
}

/* ---- one way on an application ---- */

/* The folder of inputs; "": there is none, and subjects that have one are left out. */
static const char *data_folder(void)
{
    const char *named = getenv("HEDDLE_DATA");
    return named ? named : "";
}

static int is_left_out(const subject *s) { return s->input && !*data_folder(); }

static int open_teams(const figures *f, const subject *s, const pooled_way *way, uint64_t n_tasks, uint32_t team_size,
                      work *w)
{
    const app *a = app_find(s->app);
    app_request q = {.b = {s->b[0], s->b[1]}, .spawning = f->now->spawning};
    heddle_config c = f->o->config;
    char path[PATH_BYTES];
    const char *input = path;
    *w = (work){.app = NULL};
    if (is_left_out(s))
        return CLI_BAD;
    if (s->input) {
        snprintf(path, sizeof path, "%s/%s", data_folder(), s->input);
        q.inputs = &input;
        q.n_inputs = 1;
    } else if (s->rows)
        q.n[0] = q.n[1] = s->rows(n_tasks);
    else
        q.spawning.n_tasks = n_tasks;
    q.opts = way->opt.key ? &way->opt : &s->opt;
    q.n_opts = q.opts->key != NULL;
    q.spawning.team_size = team_size;
    q.spawning.at_once = way->at_once;
    q.spawning.copies |= way->copies;
    c.backend = way->backend;
    c.n_workers = way->n_workers ? way->n_workers : c.n_workers;
    if (setenv("HEDDLE_POOL_MODE", way->mode, 1))
        return cli_bad("out of memory");
    return work_open_scenario(w, a, app_scenario_of(a, app_pool.name), &q, &c);
}

int pagoda_open(const figures *f, const subject *s, const pooled_way *way, uint64_t n_tasks, work *w, timing *t)
{
    heddle_pool_info info = HEDDLE_POOL_INFO_INIT;
    int status = open_teams(f, s, way, n_tasks, s->team_size, w);
    t->team_size = s->team_size;
    t->n_tasks = status ? n_tasks : w->c->tasks.n;
    if (status || heddle_pool_get_info(w->c->pool, &info) != HEDDLE_OK || info.most_threads >= s->team_size)
        return status;
    work_close(w);
    t->team_size = info.most_threads;
    return open_teams(f, s, way, n_tasks, t->team_size, w);
}

static int run_plainly(void *arg, work *w)
{
    uint64_t ns;
    (void)arg;
    return work_run(w, &ns);
}

int pagoda_check(figures *f, const subject *s, const pooled_way *way, timing *t, pagoda_run run, void *arg)
{
    const uint64_t part = f->n_tasks / CHECKED_PART;
    const char *sentence = NULL;
    work w;
    int status = pagoda_open(f, s, way, part < PAGODA_LEAST_TASKS ? PAGODA_LEAST_TASKS : part, &w, t);
    t->n = 0;
    snprintf(t->why, sizeof t->why, "%s",
             is_left_out(s) ? "HEDDLE_DATA names no folder of data" : "it cannot run here");
    if (!status)
        status = run ? run(arg, &w) : run_plainly(NULL, &w);
    if (!status && work_check(&w, &sentence)) {
        f->wrong = status = 1;
        snprintf(t->why, sizeof t->why, "the check failed: %s", sentence ? sentence : "no reference");
    }
    work_close(&w);
    return status;
}

void pagoda_time_opened(const figures *f, work *w, timing *t)
{
    const size_t n = figure_runs(f->o);
    uint64_t ns;
    if (work_run(w, &ns))
        return;
    while (t->n < n && !work_reset(w) && !work_run(w, &ns)) {
        figure_put(t->ms, t->n, 1e-6 * (double)ns);
        t->n++;
    }
}

void pagoda_time(figures *f, const subject *s, const pooled_way *way, timing *t)
{
    work w;
    if (pagoda_check(f, s, way, t, NULL, NULL))
        return;
    if (!pagoda_open(f, s, way, f->n_tasks, &w, t))
        pagoda_time_opened(f, &w, t);
    work_close(&w);
}

static double warps_of(work *w)
{
    heddle_pool_stats stats = HEDDLE_POOL_STATS_INIT;
    uint64_t ns;
    if (work_run(w, &ns) || work_reset(w) || heddle_pool_reset_stats(w->c->pool) != HEDDLE_OK || work_run(w, &ns) ||
        heddle_pool_get_stats(w->c->pool, &stats) != HEDDLE_OK)
        return 0;
    return stats.warps_in_use;
}

double pagoda_warps(const figures *f, const subject *s, const pooled_way *way)
{
    const int is_mine = !getenv("HEDDLE_POOL_TRACE");
    double warps = 0;
    timing t;
    work w;
    if (is_mine && setenv("HEDDLE_POOL_TRACE", "1", 1))
        return 0;
    if (!pagoda_open(f, s, way, f->n_tasks, &w, &t))
        warps = warps_of(&w);
    work_close(&w);
    if (is_mine)
        (void)unsetenv("HEDDLE_POOL_TRACE");
    return warps;
}

void pagoda_head(figures *f, const char *note, const char *columns)
{
    heddle_device device = HEDDLE_DEVICE_INIT;
    FILE *out = f->files.tsv.out;
    if (heddle_device_get(HEDDLE_CUDA, 0, &device) == HEDDLE_OK)
        fprintf(out, "# gpu: %s\n", device.name);
    fprintf(out, "# %s\n%s\n", note, columns);
}
