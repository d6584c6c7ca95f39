/* SPDX-License-Identifier: MIT */
/* timing.c - how an app's loop is opened on a fleet, checked and timed. */
#include "hdss.h"

#include "11_foreign/device.h"

#include <stdlib.h>
#include <string.h>

uint64_t hdss_indices(const figures *f, const loop_app *a)
{
    const uint64_t n = (uint64_t)(f->n_bytes / (double)a->bytes);
    return n ? n : 1;
}

int hdss_open(subject *s, const loop_app *a, uint64_t n_indices, char why[HDSS_WHY])
{
    const app *of = app_find(a->name);
    const app_pair tile = {"tile", a->tile};
    const app_request q = {.n = {n_indices * a->items, a->columns}, .opts = &tile, .n_opts = a->tile != NULL};
    char error[APP_ERROR] = "";
    *s = (subject){.of = a, .n_indices = n_indices};
    s->c = app_new(of, app_scenario_of(of, app_loop.name), &q, error);
    if (!s->c)
        snprintf(why, HDSS_WHY, "%.*s", HDSS_WHY - 1, error);
    return s->c ? 0 : -1;
}

void hdss_close(subject *s)
{
    if (s->c)
        s->c->app->free(s->c);
}

/* ---- one run ---- */

int hdss_is_core(const heddle_fleet *f, uint32_t unit)
{
    heddle_fleet_unit u = HEDDLE_UNIT_INIT;
    return heddle_fleet_get_unit(f, unit, &u) == HEDDLE_OK && !strncmp(u.name, "cpu:", 4);
}

enum { CORES, OTHERS, KINDS };

/* Adds up what units of each kind did, and counts them. */
static void add_up(const app_looping *l, uint32_t n_units, heddle_loop_unit sum[KINDS], hdss_timing *t)
{
    t->n_cores = t->n_others = 0;
    for (uint32_t i = 0; i < n_units; i++) {
        heddle_loop_unit u = HEDDLE_LOOP_UNIT_INIT;
        const int kind = hdss_is_core(l->fleet, i) ? CORES : OTHERS;
        if (heddle_loop_get_unit(l->loop, i, &u) != HEDDLE_OK)
            continue;
        *(kind == CORES ? &t->n_cores : &t->n_others) += 1;
        sum[kind].n_indices += u.n_indices;
        sum[kind].n_slices += u.n_slices;
        sum[kind].host_ns += u.host_ns;
    }
}

static void look(const app_looping *l, hdss_run *run, hdss_timing *t)
{
    heddle_loop_stats s = HEDDLE_LOOP_STATS_INIT;
    heddle_loop_unit sum[KINDS] = {HEDDLE_LOOP_UNIT_INIT, HEDDLE_LOOP_UNIT_INIT};
    uint64_t n_indices;
    if (heddle_loop_get_stats(l->loop, &s) != HEDDLE_OK)
        return;
    add_up(l, s.n_units, sum, t);
    n_indices = sum[CORES].n_indices + sum[OTHERS].n_indices; /* of whole tiles */
    run->ends_ms = 1e-6 * (double)(s.time_ns - s.first_ns);
    run->balance = s.time_ns ? (double)s.first_ns / (double)s.time_ns : 1;
    run->share = n_indices ? (double)sum[OTHERS].n_indices / (double)n_indices : 0;
    run->in_mb = 1e-6 * (double)s.bytes_in;
    run->out_mb = 1e-6 * (double)s.bytes_out;
    run->n_slices = sum[OTHERS].n_slices;
    run->host_us = run->n_slices ? 1e-3 * (double)sum[OTHERS].host_ns / (double)run->n_slices : 0;
}

/* Runs, and inserts into *n runs, which are by time. */
static int run_once(subject *s, hdss_run *runs, size_t *n, hdss_timing *t)
{
    hdss_run run = {0};
    size_t at = (*n)++;
    const uint64_t begin_ns = cli_now_ns();
    cli_progress("%s: running on %s", s->of->name, s->c->devices);
    if (s->c->scenario->engine->run(s->c))
        return -1;
    run.ms = 1e-6 * (double)(cli_now_ns() - begin_ns);
    look(s->c->looping, &run, t);
    for (; at > 0 && runs[at - 1].ms > run.ms; at--)
        runs[at] = runs[at - 1];
    runs[at] = run;
    return 0;
}

/* ---- one fleet ---- */

static int fail(subject *s, const char *why)
{
    snprintf(s->c->error, APP_ERROR, "%s", why);
    return -1;
}

int hdss_open_loop(subject *s, const char *devices, heddle_split way)
{
    heddle_accelerator device;
    int status;
    s->c->devices = devices;
    if (setenv("HEDDLE_SPLIT", heddle_split_name(way), 1))
        return fail(s, "out of memory");
    if (s->device && !device_open(s->device, &device))
        return fail(s, "no process can be had that plays a device");
    s->c->joins = s->device ? &device : NULL;
    status = s->c->scenario->build(s->c, NULL);
    if (s->c->joins) /* there is no fleet */
        device.close(device.self, 0);
    s->c->joins = NULL;
    return status;
}

void hdss_close_loop(subject *s)
{
    app_loop_close(s->c);
    s->c->looping = NULL;
}

int hdss_check(figures *f, subject *s)
{
    const app *a = s->c->app;
    cli_progress("%s: comparing with the reference", a->name);
    if (a->read(s->c) || a->reference(s->c))
        return -1;
    if (!a->check(s->c))
        return 0;
    f->wrong = 1;
    return -1;
}

static int time_later(figures *f, subject *s, hdss_timing *t)
{
    while (t->n < figure_runs(f->o))
        if (s->c->scenario->reset(s->c) || run_once(s, t->later, &t->n, t))
            return -1;
    return hdss_check(f, s);
}

/* The first run; if is_last, the later ones, too. */
static int time_fleet(figures *f, subject *s, const char *devices, heddle_split way, int is_last, hdss_timing *t)
{
    const int status = hdss_open_loop(s, devices, way) || run_once(s, t->first, &t->n_first, t) || hdss_check(f, s) ||
                       (is_last && time_later(f, s, t));
    hdss_close_loop(s);
    return status;
}

int hdss_is_late(const figures *f, char why[HDSS_WHY])
{
    const int is_late = cli_now_ns() > f->end_ns;
    if (is_late)
        snprintf(why, HDSS_WHY, "%s", figure_late);
    return is_late;
}

uint32_t hdss_cores(void)
{
    heddle_fleet *f;
    heddle_fleet_unit u = HEDDLE_UNIT_INIT;
    uint32_t n = 0;
    if (heddle_fleet_open(&f, "cpu:*", NULL) != HEDDLE_OK)
        return 0;
    while (heddle_fleet_get_unit(f, n, &u) == HEDDLE_OK)
        n++;
    heddle_fleet_close(f);
    return n;
}

void hdss_time(figures *f, subject *s, const char *devices, heddle_split way, size_t n_first, hdss_timing *t)
{
    int status = 0;
    memset(t, 0, sizeof *t);
    if (hdss_is_late(f, t->why))
        return;
    s->c->error[0] = 0;
    s->c->time_limit_ms = f->o->config.time_limit_ms;
    for (size_t i = 0; !status && i < n_first; i++)
        status = time_fleet(f, s, devices, way, i + 1 == n_first, t);
    if (!status)
        return;
    t->n = t->n_first = 0;
    snprintf(t->why, sizeof t->why, "%.*s", HDSS_WHY - 1, s->c->error[0] ? s->c->error : "it cannot run here");
}
