/* SPDX-License-Identifier: MIT */
/* jobs.c - the engine of jobs, for scenarios: the form of a loop (loop.h) as jobs, all of which are started before the first one is waited
 * for. Those that are the same again and again, with the same record, are a sequence. A run ends when what they wrote is at home. */
#include "loop.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t n_runs(const app_loop_form *f) { return f->n_runs ? f->n_runs : 1; }

/* ---- making ---- */

static heddle_multi_desc multi_desc(const app_case *c)
{
    const app_loop_form *f = &c->looping->form;
    heddle_multi_desc m = HEDDLE_MULTI_INIT;
    m.map = c->spawning.map;
    m.n_tasks = c->spawning.n_tasks ? (uint32_t)c->spawning.n_tasks : f->n_tasks;
    m.n_tasks_2 = c->spawning.n_tasks_2 ? c->spawning.n_tasks_2 : f->n_tasks_2;
    m.call = f->call;
    m.call_user = f->call_user;
    return m;
}

static int make_kind(app_case *c, uint64_t kind, int is_swapped)
{
    app_looping *l = c->looping;
    app_rows rows[APP_MOST_ROWS];
    heddle_access accesses[APP_MOST_ROWS];
    heddle_multi_desc m = multi_desc(c);
    heddle_loop_desc d;
    memcpy(rows, l->form.rows, sizeof rows);
    if (l->form.kind)
        l->form.kind(c, kind, rows);
    d = app_loop_desc(c, rows, is_swapped, accesses);
    return heddle_multi_new(l->fleet, c->app->loops, &d, &m, &l->kinds[kind]) == HEDDLE_OK ? 0 : app_failed(c);
}

/* 0: no sequence, as the record changes from run to run, or each job comes once. */
static uint64_t n_repeats(const app_looping *l)
{
    const uint64_t n = n_runs(&l->form) / l->n_kinds;
    return n > 1 && !l->form.turn ? n : 0;
}

static int make_sequence(app_case *c)
{
    app_looping *l = c->looping;
    if (heddle_sequence_new(l->fleet, &l->sequence) != HEDDLE_OK)
        return app_failed(c);
    for (uint64_t i = 0; i < l->n_kinds; i++)
        if (heddle_sequence_add(l->sequence, l->kinds[i], c->record, c->record_bytes) != HEDDLE_OK)
            return app_failed(c);
    return 0;
}

static int make(app_case *c)
{
    app_looping *l = c->looping;
    const int is_swapping = l->form.swaps[0] != l->form.swaps[1];
    l->n_kinds = is_swapping ? 2 : l->form.n_kinds ? l->form.n_kinds : 1;
    l->kinds = app_alloc(l->n_kinds, sizeof(heddle_multi *), "the jobs", c->error);
    if (!l->kinds)
        return -1;
    memset((void *)l->kinds, 0, l->n_kinds * sizeof(heddle_multi *));
    for (uint64_t i = 0; i < l->n_kinds; i++)
        if (make_kind(c, i, is_swapping && i))
            return -1;
    return n_repeats(l) ? make_sequence(c) : 0;
}

/* ---- running ---- */

static int too_long(app_case *c)
{
    snprintf(c->error, APP_ERROR, "the run reached its time limit of %" PRIu32 " ms", c->time_limit_ms);
    return -1;
}

/* There may be more than the library takes at once. */
static int start_all(app_case *c, uint64_t begin_ns)
{
    const app_looping *l = c->looping;
    const uint64_t repeats = n_repeats(l);
    if (repeats && heddle_sequence_start(l->sequence, repeats) != HEDDLE_OK)
        return app_failed(c);
    for (uint64_t i = repeats * l->n_kinds; i < n_runs(&l->form); i++) {
        if (c->time_limit_ms && heddle_host_clock_ns() - begin_ns > c->time_limit_ms * UINT64_C(1000000))
            return too_long(c);
        if (l->form.turn)
            l->form.turn(c, i);
        if (heddle_multi_start(l->kinds[i % l->n_kinds], c->record, c->record_bytes) != HEDDLE_OK)
            return app_failed(c);
    }
    return 0;
}

static void cancel_all(const app_looping *l)
{
    if (l->sequence) {
        heddle_sequence_cancel(l->sequence);
        (void)heddle_sequence_wait(l->sequence, HEDDLE_FOREVER);
    }
    for (uint64_t i = 0; i < l->n_kinds; i++)
        heddle_multi_cancel(l->kinds[i]);
    for (uint64_t i = 0; i < l->n_kinds; i++)
        (void)heddle_multi_wait(l->kinds[i], HEDDLE_FOREVER);
}

/* Of the sequence, which was started first, and of each kind of jobs. */
static heddle_status wait_for(const app_looping *l, uint64_t i, uint32_t limit_ms)
{
    if (i)
        return heddle_multi_wait(l->kinds[i - 1], limit_ms);
    return l->sequence ? heddle_sequence_wait(l->sequence, limit_ms) : HEDDLE_OK;
}

/* The first failure is told; later jobs were not run because of it. */
static int wait_all(app_case *c)
{
    const app_looping *l = c->looping;
    const uint32_t limit = c->time_limit_ms ? c->time_limit_ms : HEDDLE_FOREVER;
    int failed = 0;
    for (uint64_t i = 0; i <= l->n_kinds; i++) {
        const heddle_status s = wait_for(l, i, limit);
        if (s == HEDDLE_EBUSY) {
            cancel_all(l);
            return too_long(c);
        }
        if (s != HEDDLE_OK && !failed)
            failed = app_failed(c);
    }
    return failed;
}

static int run(app_case *c)
{
    app_looping *l = c->looping;
    const uint64_t begin = heddle_host_clock_ns();
    if (start_all(c, begin)) {
        cancel_all(l);
        return -1;
    }
    if (wait_all(c))
        return -1;
    l->jobs_ns = heddle_host_clock_ns() - begin;
    if (app_loop_fetch(c))
        return -1;
    l->home_ns = heddle_host_clock_ns() - begin;
    return 0;
}

static size_t facts(const app_case *c, app_fact out[APP_FACTS])
{
    const app_loop_form *f = &c->looping->form;
    size_t n = 0;
    out[n++] = (app_fact){"jobs", "# jobs", n_runs(f)};
    out[n++] = (app_fact){"indices", "each of # indices", f->desc.n};
    if (f->desc.n_2)
        out[n++] = (app_fact){"indices_2", "each of #", f->desc.n_2};
    if (f->desc.tile)
        out[n++] = (app_fact){"tile", "tiles of #", f->desc.tile};
    return n;
}

const app_engine app_jobs = {
    .name = "jobs",
    .summary = "a loop as jobs over the GPUs of a fleet, whose data stays where it was used",
    .run = run,
    .facts = facts,
    .make = make,
};
