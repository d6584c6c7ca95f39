/* SPDX-License-Identifier: MIT */
/* launches.c - schedules levels, levels+sync, graph, graph+pdl and taskgraph: a graph as ordinary launches, one block per
 * task, ordered by the device.
 *
 * A run has one hd_fail: a block that finds its stop word set does nothing. fetch copies it to the host and clears it, behind
 * the run. So a run never waits for clearing, a replay finds the word clean, and a stop before the first launch is not lost.
 *
 * Tallies: with a trace, there is a row for each place of an SM (levels.h). Without one there is one worker, the device. It
 * has run all tasks, or 0 after a run that stopped early, because nothing counts them.
 *
 * Refuses placed tasks, as there are no workers, and watched ones, as nothing is reported before the end. Urgent marks are
 * ignored: the device orders a level. Under levels+sync, each launch is a piece of the run. */
#include "backend/arena.h"
#include "backend/cuda/launches.h"

#include <stdio.h>
#include <string.h>

static const char loading[] = "loading a graph as launches";

/* ---- a run -------------------------------------------------------------------------------------------------------- */

static heddle_status launch(const hd_launch_form *f, const hd_launch *x, cudaStream_t stream, hd_error *e)
{
    const hd_driver *d = &f->loaded->device->driver;
    hd_level level = hd_level_of(f, x->first);
    void *params[] = {&level};
    CUlaunchConfig c;
    CUresult r;
    memset(&c, 0, sizeof c);
    c.gridDimX = x->n;
    c.blockDimX = f->form.team_size;
    c.gridDimY = c.gridDimZ = c.blockDimY = c.blockDimZ = 1;
    c.sharedMemBytes = x->shared_bytes;
    c.hStream = stream;
    r = d->cuLaunchKernelEx(&c, hd_function_of(f, x->body), params, NULL);
    return r == CUDA_SUCCESS ? HEDDLE_OK : hd_driver_say(d, e, r, "launching a level");
}

static heddle_status clear_events(const hd_launch_form *f, cudaStream_t stream, hd_error *e)
{
    if (f->events)
        HD_CUDA_TRY(cudaMemsetAsync(f->events, 0, f->loaded->graph->n_tasks * sizeof(hd_event), stream), e,
                    "clearing the trace");
    return HEDDLE_OK;
}

/* levels+sync: the thread that waits for the run enqueues each launch when the previous one is over. */
static heddle_status start_piece(hd_launch_form *f, cudaStream_t stream, hd_error *e)
{
    if (!f->form.n_left) {
        HD_TRY(clear_events(f, stream, e));
        f->form.n_left = (uint32_t)f->todo.n;
    }
    if (f->form.n_left)
        HD_TRY(launch(f, &f->todo.at[f->todo.n - f->form.n_left--], stream, e));
    return HEDDLE_OK;
}

static heddle_status start(hd_form *form, cudaStream_t stream, hd_error *e)
{
    hd_launch_form *f = (hd_launch_form *)form;
    uint64_t i;
    if (f->form.schedule == HEDDLE_SCHEDULE_LEVELS_SYNC)
        return start_piece(f, stream, e);
    HD_TRY(clear_events(f, stream, e));
    if (f->exec && !hd_cuda_capturing(stream)) { /* a capture accepts no graph: it gets the launches, in order */
        HD_CUDA_TRY(cudaGraphLaunch(f->exec, stream), e, "launching a CUDA graph");
        return HEDDLE_OK;
    }
    for (i = 0; i < f->todo.n; i++)
        HD_TRY(launch(f, &f->todo.at[i], stream, e));
    return HEDDLE_OK;
}

static heddle_status clear(hd_form *form, cudaStream_t stream, hd_error *e)
{
    hd_launch_form *f = (hd_launch_form *)form;
    HD_CUDA_TRY(cudaMemsetAsync(f->fail, 0, sizeof *f->fail, stream), e, "clearing the words of a run");
    return HEDDLE_OK;
}

static heddle_status fetch(hd_form *form, cudaStream_t stream, hd_error *e)
{
    hd_launch_form *f = (hd_launch_form *)form;
    HD_CUDA_TRY(cudaMemcpyAsync(f->said, f->fail, sizeof *f->said, cudaMemcpyDeviceToHost, stream), e,
                "asking how a run ended");
    return clear(form, stream, e);
}

/* The form reads the loaded graph's records. */
static heddle_status changed(hd_form *form, uint32_t task, hd_error *e)
{
    (void)form;
    (void)task;
    (void)e;
    return HEDDLE_OK;
}

/* ---- afterwards --------------------------------------------------------------------------------------------------- */

static heddle_status fetch_rows(hd_launch_form *f, hd_error *e)
{
    const hd_device *d = f->loaded->device;
    uint64_t n = f->loaded->graph->n_tasks;
    hd_rows_clear(&f->rows);
    HD_TRY(hd_cuda_use(d, e));
    HD_CUDA_TRY(cudaMemcpyAsync(f->fetched, f->events, n * sizeof(hd_event), cudaMemcpyDeviceToHost, d->side), e,
                "reading the trace");
    HD_CUDA_TRY(cudaStreamSynchronize(d->side), e, "reading the trace");
    return hd_rows_make(&f->rows, f->fetched, n, (uint32_t)d->n_sms, e);
}

static heddle_status result(hd_form *form, hd_outcome *out, hd_error *e)
{
    hd_launch_form *f = (hd_launch_form *)form;
    memset(out, 0, sizeof *out);
    out->stop = f->said->stop == HD_STOP_NOT ? HD_STOP_DONE : f->said->stop;
    out->code = f->said->code;
    out->task = f->said->task;
    if (!f->events) {
        f->total.n_tasks = out->stop == HD_STOP_DONE ? (uint32_t)f->todo.n_list : 0;
        out->n_workers = 1;
        out->tallies = &f->total;
        return HEDDLE_OK;
    }
    HD_TRY(fetch_rows(f, e));
    out->n_workers = f->rows.n_rows;
    out->n_trace = f->rows.n_trace;
    out->begin_ns = f->rows.begin_ns;
    out->end_ns = f->rows.end_ns;
    out->tallies = f->rows.tallies;
    out->events = f->rows.events;
    return HEDDLE_OK;
}

static void free_form(hd_form *form)
{
    hd_launch_form *f = (hd_launch_form *)form;
    const hd_graph *g = f->loaded->graph;
    if (f->exec)
        (void)cudaGraphExecDestroy(f->exec);
    (void)cudaFree(f->list);
    (void)cudaFree(f->fail);
    (void)cudaFree(f->events);
    (void)cudaFreeHost(f->said);
    hd_delete(f->functions, (g->table->n_bodies + 1ull) * sizeof(CUfunction));
    hd_delete(f->fetched, g->n_tasks * sizeof(hd_event));
    hd_rows_clear(&f->rows);
    hd_launches_clear(&f->todo);
    hd_delete(f, sizeof *f);
}

/* ---- making it ---------------------------------------------------------------------------------------------------- */

static heddle_status refuse(const hd_loaded *l, heddle_schedule schedule, hd_error *e)
{
    const hd_blob *b = hd_graph_blob(l->graph);
    const char *name = heddle_schedule_name(schedule);
    if (hd_arena_is_needed(l->graph))
        return hd_say(e, HEDDLE_EINVAL, "a body of this graph spawns tasks: schedule %s has no workers to run them",
                      name);
    if (b->n_placed)
        return hd_say(e, HEDDLE_EINVAL, "%u tasks are bound to workers: schedule %s has none", b->n_placed, name);
    if (b->n_watched)
        return hd_say(e, HEDDLE_EINVAL, "%u tasks are watched: schedule %s says nothing before the end of the run",
                      b->n_watched, name);
    if (schedule == HEDDLE_SCHEDULE_GRAPH_PDL && l->device->major < 9)
        return hd_say(e, HEDDLE_ENODEV, "schedule %s needs a GPU of compute capability 9.0 or later; this one is %d.%d",
                      name, l->device->major, l->device->minor);
    return HEDDLE_OK;
}

/* Finds a body's kernel, with the largest shared memory of its launches. */
static heddle_status find_function(hd_launch_form *f, uint32_t body, hd_error *e)
{
    const hd_loaded *l = f->loaded;
    const uint32_t n_bodies = l->graph->table->n_bodies;
    CUfunction *at = &f->functions[body == HD_NONE ? n_bodies : body];
    if (*at)
        return HEDDLE_OK;
    if (body == HD_NONE)
        return hd_kernel_find(at, NULL, l, HD_FAMILY_LEVEL, HD_NONE, l->team_size, l->shared_bytes, e);
    return hd_kernel_find(at, NULL, l, HD_FAMILY_LEVEL, body, l->team_size,
                          HEDDLE_REDUCE_BYTES + l->graph->uses[body].shared_bytes, e);
}

static heddle_status make_words(hd_launch_form *f, hd_error *e)
{
    const hd_loaded *l = f->loaded;
    uint64_t n = l->graph->n_tasks;
    f->functions = hd_new((l->graph->table->n_bodies + 1ull) * sizeof(CUfunction));
    f->fetched = l->device->config.n_trace ? hd_new(n * sizeof(hd_event)) : NULL;
    if (!f->functions || (l->device->config.n_trace && !f->fetched))
        return hd_say(e, HEDDLE_ENOMEM, "loading a graph as launches: out of memory");
    HD_CUDA_TRY(cudaMalloc((void **)&f->list, (f->todo.n_list + 1) * 4), e, loading);
    HD_CUDA_TRY(cudaMemcpy(f->list, f->todo.list, f->todo.n_list * 4, cudaMemcpyHostToDevice), e, loading);
    HD_CUDA_TRY(cudaMalloc((void **)&f->fail, sizeof *f->fail), e, loading);
    HD_CUDA_TRY(cudaHostAlloc((void **)&f->said, sizeof *f->said, cudaHostAllocDefault), e, loading);
    memset(f->said, 0, sizeof *f->said);
    if (f->fetched)
        HD_CUDA_TRY(cudaMalloc((void **)&f->events, n * sizeof(hd_event)), e, loading);
    f->form.stop_word = &f->fail->stop;
    HD_TRY(clear(&f->form, l->device->side, e)); /* not behind a run */
    HD_CUDA_TRY(cudaStreamSynchronize(l->device->side), e, loading);
    return HEDDLE_OK;
}

static void describe(hd_launch_form *f, uint32_t by_body)
{
    const char *name = heddle_schedule_name(f->form.schedule);
    if (f->form.schedule == HEDDLE_SCHEDULE_TASKGRAPH)
        snprintf(f->form.how, sizeof f->form.how, "%s, %llu nodes, a block of %u threads each", name,
                 (unsigned long long)f->loaded->graph->n_tasks, f->form.team_size);
    else
        snprintf(f->form.how, sizeof f->form.how, "%s, %llu launches of up to %u blocks of %u threads, one a %slevel%s",
                 name, (unsigned long long)f->todo.n, f->todo.widest, f->form.team_size,
                 by_body == 1 ? "body and " : "",
                 f->form.schedule == HEDDLE_SCHEDULE_LEVELS_SYNC ? ", waiting after each" : "");
}

/* Does it enqueue its launches itself, without a CUDA graph? */
static int is_plain(const hd_launch_form *f)
{
    return f->form.schedule == HEDDLE_SCHEDULE_LEVELS || f->form.schedule == HEDDLE_SCHEDULE_LEVELS_SYNC;
}

static heddle_status make(hd_launch_form *f, hd_error *e)
{
    /* taskgraph: each node launches its task's body. */
    const uint32_t by_body =
        f->form.schedule == HEDDLE_SCHEDULE_TASKGRAPH ? 1 : f->loaded->device->config.expert.by_body;
    uint64_t i, begin;
    HD_TRY(refuse(f->loaded, f->form.schedule, e));
    HD_TRY(hd_launches_make(&f->todo, f->loaded->graph, by_body, e));
    HD_TRY(make_words(f, e));
    begin = heddle_host_clock_ns();
    for (i = 0; i < f->todo.n; i++)
        HD_TRY(find_function(f, f->todo.at[i].body, e));
    f->loaded->cost.kernel_ns += heddle_host_clock_ns() - begin;
    describe(f, by_body);
    return is_plain(f) ? HEDDLE_OK : hd_cudagraph_make(f, e);
}

heddle_status hd_form_launches(hd_form **out, hd_loaded *l, heddle_schedule schedule, hd_error *e)
{
    static const hd_form functions = {
        .start = start, .fetch = fetch, .clear = clear, .changed = changed, .result = result, .free = free_form};
    hd_launch_form *f = hd_new(sizeof *f);
    heddle_status s;
    *out = NULL;
    if (!f)
        return hd_say(e, HEDDLE_ENOMEM, "loading a graph as launches: out of memory");
    f->form = functions;
    f->form.schedule = schedule;
    f->form.n_workers = (uint32_t)l->device->n_sms;
    f->form.team_size = l->team_size;
    f->loaded = l;
    s = make(f, e);
    if (s == HEDDLE_OK)
        *out = &f->form;
    else
        free_form(&f->form);
    return s;
}
