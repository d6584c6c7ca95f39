/* SPDX-License-Identifier: MIT */
/* run.c - makes a graph of the list and runs it.
 *
 * Batches. If tasks run on CPU threads on host memory, a region that has created many submits them as a job and continues to
 * create. The next batch starts when the previous one has ended; this keeps all dependences between the two, because each
 * list is matched by itself. The next graph is built meanwhile, so at most two graphs and one list are in memory. Tasks that
 * use copies are not submitted early, since the host may still write an object that earlier tasks have a copy of.
 *
 * Barriers. In a list with a barrier, each task reads a reserved byte, the epoch, and a barrier writes it. A barrier thus
 * waits for all earlier tasks, and all later ones wait for it. The byte lies far from all real addresses, but on the grid of
 * the program's ranges, because heddle looks up tiles of one grid without comparing them. */
#include "openmp/inside.h"
#include "heddle/task.h"

#include <stdlib.h>

#define FAR_AWAY (1ull << 62)

#define LATER(n) (((n) + 1) / 2) /* a region's later batches: larger ones are no faster, and two take some 25 MB */

uint64_t hd_omp_batch_tasks = HD_OMP_CACHED_TASKS; /* the graph of fewer may be cached */

static heddle_omp_times last_run;

int heddle_omp_last_run(heddle_omp_times *out)
{
    *out = last_run;
    return last_run.n_tasks != 0;
}

/* ---- the graph ------------------------------------------------------------------------------------------------------ */

/* A tile on the grid of the first range with one row. */
static hd_omp_dep epoch_of(const hd_omp_list *l, heddle_mode mode)
{
    uint64_t i, at, end;
    for (i = 0; i < l->tasks.n; i++) {
        end = hd_omp_list_end(l, i);
        for (at = HD_OMP_TASK(l, i)->first + 1ull; at < end;) {
            heddle_range r = hd_omp_list_read(l, &at);
            if (r.n_rows <= 1)
                return hd_omp_line(mode,
                                   FAR_AWAY / r.row_bytes * r.row_bytes + (uint64_t)(uintptr_t)r.base % r.row_bytes,
                                   r.row_bytes);
        }
    }
    return hd_omp_line(mode, FAR_AWAY, 1);
}

static void put_epochs(hd_omp_list *l, uint32_t barrier)
{
    const hd_omp_dep read = epoch_of(l, HEDDLE_MODE_IN), write = epoch_of(l, HEDDLE_MODE_INOUT);
    uint64_t i;
    for (i = 0; i < l->tasks.n; i++) {
        const hd_omp_task *t = HD_OMP_TASK(l, i);
        *HD_OMP_DEP(l, t->first) = t->kind == barrier ? write : read;
    }
}

/* ---- the run -------------------------------------------------------------------------------------------------------- */

static const void *address_on(const hd_omp_region *r, const hd_omp_device *d, uint32_t i)
{
    const heddle_omp_global *g = &r->frame.program->globals[i];
    uint64_t p = (uint64_t)(uintptr_t)*g->address;
    const void *view = hd_omp_view(r, d, i);
    const hd_omp_object *o = NULL;
    if (view)
        return view;
    if (hd_omp_region_maps(r) && p)
        o = hd_omp_map_meets(&hd_omp_mapped, p, p + g->n_bytes);
    return o ? hd_omp_map_copy(o, p) : *g->address;
}

/* The record of params for heddle_graph_run. */
static void *make_app(const hd_omp_region *r, hd_omp_device *d)
{
    const heddle_omp_program *p = r->frame.program;
    uint32_t i, n_workers = d->n_workers ? d->n_workers : hd_omp_device_workers(d, r->frame.team_size);
    heddle_omp_params *params = hd_omp_new(p->table->params_bytes);
    const void **globals = (const void **)(params + 1);
    hd_omp_device_room(d, p, n_workers);
    *params = (heddle_omp_params){d->stack, p->stack_bytes, d->locks, n_workers};
    hd_omp_views_show(r, d);
    for (i = 0; i < p->n_globals; i++)
        globals[i] = address_on(r, d, i);
    return params;
}

static heddle_status run_once(hd_omp_region *r, hd_omp_device *d, heddle_graph **g, heddle_omp_times *t)
{
    heddle_status s = hd_omp_graph_take(g, r, d, t);
    uint64_t begin;
    void *params;
    if (s != HEDDLE_OK)
        return s;
    hd_omp_land(r);
    params = make_app(r, d);
    begin = hd_omp_clock();
    hd_omp_device_busy(1);
    s = heddle_graph_run(d->ctx, *g, params, r->frame.program->table->params_bytes);
    hd_omp_device_busy(0);
    t->run_ns = hd_omp_clock() - begin;
    free(params);
    return s;
}

/* May a retry succeed? Blocks may have more threads than the bodies' registers allow, which shows when kernels are looked up.
 * And spare copies may hold memory that the run needs. */
static int may_help(hd_omp_region *r, hd_omp_device *d, heddle_status s)
{
    if (d->config.backend != HEDDLE_CUDA)
        return 0;
    if (s == HEDDLE_ENOMEM)
        return hd_omp_map_drop_spares(&hd_omp_mapped);
    if (s != HEDDLE_ERANGE || d->config.team_size || r->frame.team_size <= 32u)
        return 0;
    d->most_threads = r->frame.team_size = r->frame.team_size / 2 / 32 * 32;
    return 1;
}

static void run_on(hd_omp_region *r, hd_omp_device *d, heddle_omp_times *t)
{
    heddle_graph *g = NULL;
    heddle_status s;
    if (d->most_threads && d->most_threads < r->frame.team_size)
        r->frame.team_size = d->most_threads;
    while ((s = run_once(r, d, &g, t)) != HEDDLE_OK && may_help(r, d, s))
        hd_omp_graph_drop();
    if (s != HEDDLE_OK)
        hd_omp_die(NULL, "%s", heddle_error_text(d->ctx));
    last_run = *t;
    hd_omp_note(r, d, g, t);
    hd_omp_note_list(r, !t->reused);
    hd_omp_graph_cache(r);
}

/* Drops a barrier that no task follows. */
static void drop_last_barrier(hd_omp_list *l, uint32_t barrier)
{
    const hd_omp_task *t = HD_OMP_TASK(l, l->tasks.n - 1);
    if (t->kind != barrier)
        return;
    l->deps.n = t->first;
    l->tasks.n--;
    l->n_barriers--;
}

/* Puts addresses of copies into the records; if some are unknown, the region falls back to host memory. */
static void translate(hd_omp_region *r)
{
    if (!hd_omp_region_maps(r))
        return;
    hd_omp_data_globals(r);
    if (hd_omp_pointers(r))
        return;
    hd_omp_data_back(r, 1);
    r->on_host = 1;
}

/* Completes the list. */
static heddle_omp_times close_list(hd_omp_region *r, uint64_t now)
{
    heddle_omp_times t = {.n_tasks = r->list.tasks.n - r->list.n_barriers, .create_ns = now - r->since_ns};
    drop_last_barrier(&r->list, r->n_kinds);
    if (r->list.n_barriers)
        put_epochs(&r->list, r->n_kinds);
    return t;
}

void hd_omp_run(hd_omp_region *r)
{
    uint64_t begin = hd_omp_clock();
    hd_omp_device *d;
    heddle_omp_times t;
    if (!r->list.tasks.n)
        return; /* nor is there a batch, which is always followed by a task */
    t = close_list(r, begin);
    translate(r);
    t.add_ns = hd_omp_clock() - begin;
    if (hd_omp_region_maps(r))
        hd_omp_data_to(r);
    d = r->on_host ? hd_omp_device_cpu(r->frame.place) : r->frame.device;
    if (r->on_host)
        hd_omp_device_limit(d, r->most);
    run_on(r, d, &t);
    hd_omp_list_clear(&r->list);
    r->most_held = hd_omp_most_held(r);
    r->since_ns = hd_omp_clock();
}

/* ---- batches -------------------------------------------------------------------------------------------------------- */

uint64_t hd_omp_most_held(const hd_omp_region *r)
{
    int stays = r->on_host || hd_omp_region_maps(r) || r->frame.device->config.backend == HEDDLE_CUDA;
    return stays ? UINT64_MAX : hd_omp_batch_tasks;
}

void hd_omp_land(hd_omp_region *r)
{
    hd_omp_batch *b = &r->batch;
    heddle_stats s = HEDDLE_STATS_INIT;
    heddle_status end;
    if (!b->job)
        return;
    end = heddle_job_wait(b->job, HEDDLE_FOREVER);
    hd_omp_device_busy(0);
    if (end != HEDDLE_OK)
        hd_omp_die(NULL, "%s", heddle_error_text(b->device->ctx));
    heddle_job_free(b->job);
    b->job = NULL;
    (void)heddle_graph_get_stats(b->graph, &s);
    b->times.run_ns = s.load_ns + s.run_ns; /* the batch may have ended long ago */
    last_run = b->times;
    hd_omp_note(r, b->device, b->graph, &b->times);
    heddle_graph_free(b->graph);
}

/* The job copies its params. */
static heddle_status launch(const hd_omp_region *r, hd_omp_batch *b)
{
    void *params = make_app(r, b->device);
    heddle_status s;
    hd_omp_device_busy(1);
    s = heddle_graph_submit(b->device->ctx, b->graph, params, r->frame.program->table->params_bytes, &b->job);
    free(params);
    return s;
}

void hd_omp_hand_over(hd_omp_region *r)
{
    hd_omp_batch b = {.device = r->frame.device};
    heddle_status s;
    b.times = close_list(r, hd_omp_clock());
    s = hd_omp_graph_make(&b.graph, r, b.device, &b.times);
    hd_omp_land(r);
    if (s == HEDDLE_OK)
        s = launch(r, &b);
    if (s != HEDDLE_OK)
        hd_omp_die(NULL, "%s", heddle_error_text(b.device->ctx));
    hd_omp_note_list(r, 1);
    hd_omp_list_clear(&r->list);
    r->batch = b;
    r->most_held = LATER(hd_omp_batch_tasks);
    r->since_ns = hd_omp_clock();
    if (r->takes_turns)
        hd_omp_land(r);
}
