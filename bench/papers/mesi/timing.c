/* SPDX-License-Identifier: MIT */
/* timing.c - a case of an app on devices, opened, repeated, checked and timed (mesi.h). */
#include "mesi.h"

#include "jobs_summary.h"

#include <string.h>

/* Jobs are given their shares by the speeds of runs before. */
enum { WARM = 1, WARM_JOBS = 3, TIME_LIMIT_MS = 120000 };

static int is_late(const mesi_ask *a) { return cli_now_ns() >= a->end_ns; }

static int late(app_case *c)
{
    snprintf(c->error, APP_ERROR, "%s", figure_late);
    return -1;
}

int mesi_open(const mesi_ask *a, app_case *c, const char *engine, const char *devices)
{
    const uint32_t limit = a->o->config.time_limit_ms;
    if (is_late(a))
        return late(c);
    c->scenario = app_scenario_of(c->app, engine);
    c->devices = devices;
    c->time_limit_ms = limit ? limit : TIME_LIMIT_MS;
    return c->scenario->build(c, NULL);
}

void mesi_close(app_case *c)
{
    app_loop_close(c);
    c->looping = NULL;
    c->spawning = (app_spawning){.n_tasks = 0};
}

static int check(mesi_ask *a, app_case *c)
{
    if (c->app->read(c) || c->app->reference(c))
        return -1;
    if (!c->app->check(c))
        return 0;
    a->wrong = 1;
    return -1;
}

/* ---- runs ---- */

static int run_once(app_case *c, const mesi_runner *r, double *compute_ms, double *total_ms)
{
    uint64_t begin_ns;
    if (c->scenario->reset(c))
        return -1;
    begin_ns = cli_now_ns();
    if (r->run(r->self, c, compute_ms))
        return -1;
    *total_ms = 1e-6 * (double)(cli_now_ns() - begin_ns);
    return 0;
}

int mesi_repeat(mesi_ask *a, app_case *c, const mesi_runner *r, mesi_times *t)
{
    const size_t n = r->n_warm + figure_runs(a->o);
    int is_last = 0;
    for (size_t i = 0; !is_last; i++) {
        double compute_ms = 0, total_ms;
        if (run_once(c, r, &compute_ms, &total_ms))
            return -1;
        if (is_late(a) && i < r->n_warm)
            return late(c);
        is_last = i + 1 >= n || is_late(a);
        if ((!i || is_last) && check(a, c))
            return -1;
        if (r->after && r->after(r->self, c, &compute_ms))
            return -1;
        if (i < r->n_warm)
            continue;
        figure_put(t->compute_ms, t->n, compute_ms);
        figure_put(t->total_ms, t->n++, total_ms);
    }
    return 0;
}

static int run_case(void *self, app_case *c, double *compute_ms)
{
    (void)self, (void)compute_ms;
    return c->scenario->engine->run(c) || c->app->read(c) ? -1 : 0;
}

int mesi_time_loop(mesi_ask *a, app_case *c, mesi_times *t)
{
    const mesi_runner r = {run_case, NULL, NULL, WARM};
    return mesi_repeat(a, c, &r, t);
}

/* ---- jobs ---- */

/* What a fleet's jobs have done since it was opened. */
typedef struct sums {
    mesi_links links;
    uint64_t driver_ns, n_slices;
} sums;

typedef struct jobs_run {
    mesi_times *t;
    int stays;
    sums before; /* the run */
} jobs_run;

static int read_sums(app_case *c, sums *out)
{
    jobs_summary s;
    const int failed = jobs_summary_of(&s, c->looping);
    *out = (sums){.driver_ns = s.stats.host_ns, .n_slices = s.stats.n_slices};
    for (uint32_t i = 0; !failed && i < s.stats.n_devices && i < MESI_MOST_LINKS; i++) {
        const heddle_multi_device *d = &s.devices[i];
        const uint64_t bytes[] = {d->bytes_in, d->bytes_out, d->bytes_peers, d->bytes_sent};
        memcpy(out->links.bytes[out->links.n++], bytes, sizeof bytes);
    }
    jobs_summary_free(&s);
    return failed ? app_failed(c) : 0;
}

static void note(mesi_times *t, const sums *now, const sums *before)
{
    t->has_jobs = 1;
    t->links = now->links;
    for (uint32_t i = 0; i < before->links.n; i++)
        for (int d = 0; d < MESI_N_DIRECTIONS; d++)
            t->links.bytes[i][d] -= before->links.bytes[i][d];
    t->driver_ms = 1e-6 * (double)(now->driver_ns - before->driver_ns);
    t->n_slices = now->n_slices - before->n_slices;
}

/* The data is on the devices, as it was not written since. Of hotspot it is what the steps left. */
static int after_jobs(void *self, app_case *c, double *compute_ms)
{
    jobs_run *r = self;
    sums now;
    if (read_sums(c, &now))
        return -1;
    note(r->t, &now, &r->before);
    if (r->stays && (c->scenario->engine->run(c) || read_sums(c, &now)))
        return -1;
    *compute_ms = 1e-6 * (double)c->looping->jobs_ns;
    r->before = now;
    return 0;
}

int mesi_time_jobs(mesi_ask *a, app_case *c, int stays, mesi_times *t)
{
    jobs_run j = {.t = t, .stays = stays};
    const mesi_runner r = {run_case, after_jobs, &j, WARM_JOBS};
    t->has_compute = stays;
    return mesi_repeat(a, c, &r, t);
}

uint32_t mesi_n_devices(const char *words)
{
    heddle_fleet_unit u = HEDDLE_UNIT_INIT;
    heddle_fleet *f = NULL;
    uint32_t n = 0;
    if (heddle_fleet_open(&f, words, NULL) != HEDDLE_OK)
        return 0;
    for (uint32_t i = 0; heddle_fleet_get_unit(f, i, &u) == HEDDLE_OK; i++)
        n += u.memory_bytes > 0;
    heddle_fleet_close(f);
    return n;
}
