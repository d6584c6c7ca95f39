/* SPDX-License-Identifier: MIT */
/* workers.c - schedules of resident workers: one cooperative launch of blocks that run the graph to its end.
 *
 * The words of a run (counters, rings, lists, tallies, events) are one block of device memory. They are cleared before the
 * first run and after one that ended badly; after a good run the last worker out leaves them ready. */
#include "backend/arena.h"
#include "backend/cuda/cuda.h"
#include "backend/schedule.h"
#include "backend/words.h"
#include "heddle/core/baselines/scheduler.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define ARENA_DEFAULT 1024u /* per worker */
#define RING_MIN 1024u
#define SCHED_RING_MIN 64u            /* must hold what a warp reports at once */
#define LOCAL_DEFAULT 1u              /* alternates kept and pushed tasks */
#define RING_BYTES_MAX (512ull << 20) /* all rings together: below this a ring is as long as the graph and never full */

typedef struct workers {
    hd_form form;
    hd_loaded *loaded;
    hd_run run; /* the kernel's parameter */
    CUfunction kernel;
    uint32_t n_threads;
    uint8_t *block; /* device */
    uint64_t clear_bytes, block_bytes;
    hd_steps steps; /* schedule static */
    hd_tally *tallies;
    hd_event *events;
} workers;

/* Tests set a large number to make run numbers wrap. */
uint32_t hd_cuda_first_run = 1;

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* As many slots as tasks, unless that takes too much memory; but bound tasks must always fit. */
static uint32_t ring_slots(const workers *p)
{
    const hd_run *r = &p->run;
    uint32_t asked = p->loaded->device->config.expert.n_ring, all = hd_power_of_two(r->n_tasks > 2 ? r->n_tasks : 2);
    if (r->n_arena)
        all = hd_arena_ring(r);
    else if (r->dispatch == HD_DISPATCH_TICKET)
        all = hd_power_of_two(r->n_tasks + r->n_workers); /* one end mark per worker */
    if (r->dispatch == HD_DISPATCH_SCHEDULER)
        return hd_power_of_two(!asked ? RING_MIN : asked > SCHED_RING_MIN ? asked : SCHED_RING_MIN);
    if (r->dispatch == HD_DISPATCH_IQS || r->dispatch == HD_DISPATCH_CENTRAL || r->has_placed ||
        r->dispatch == HD_DISPATCH_TICKET)
        return all;
    if (asked)
        return hd_power_of_two(asked > 2 ? asked : 2);
    return 8ull * r->n_workers * all <= RING_BYTES_MAX ? all : RING_MIN;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* Sets counters to their state before run hd_cuda_first_run. */
static heddle_status wind_counters(workers *p, hd_error *e)
{
    const hd_graph *g = p->loaded->graph;
    uint64_t n_bytes = g->n_tasks * 4, t;
    uint32_t *count = hd_new(n_bytes);
    cudaError_t r;
    if (!count)
        return hd_say(e, HEDDLE_ENOMEM, "clearing counters: out of memory");
    for (t = 0; t < g->n_tasks; t++)
        count[t] = (hd_cuda_first_run - 1u) *
                   (p->steps.steps ? p->steps.steps[p->steps.step_of[t]].need : hd_graph_task(g, (uint32_t)t)->n_in);
    r = cudaMemcpy(p->run.count, count, n_bytes, cudaMemcpyHostToDevice);
    hd_delete(count, n_bytes);
    HD_CUDA_TRY(r, e, "clearing counters");
    return HEDDLE_OK;
}

/* Copies the graph's tasks and large arguments before the spawned ones. */
static heddle_status copy_graph(workers *p, cudaStream_t stream, hd_error *e)
{
    const hd_graph *g = p->loaded->graph;
    const char *doing = "copying a graph to its arena";
    if (!p->run.n_arena)
        return HEDDLE_OK;
    HD_CUDA_TRY(cudaMemcpyAsync((void *)(uintptr_t)p->run.tasks, p->loaded->tasks, g->n_tasks * sizeof(hd_task),
                                cudaMemcpyDeviceToDevice, stream),
                e, doing);
    if (!p->run.child_args)
        return HEDDLE_OK;
    HD_CUDA_TRY(cudaMemcpyAsync((void *)(uintptr_t)p->run.args, p->loaded->args, hd_graph_blob(g)->args_bytes,
                                cudaMemcpyDeviceToDevice, stream),
                e, doing);
    return HEDDLE_OK;
}

static heddle_status clear(hd_form *f, cudaStream_t stream, hd_error *e)
{
    workers *p = (workers *)f;
    hd_control *first = p->loaded->first;
    HD_CUDA_TRY(cudaMemsetAsync(p->block, 0, p->clear_bytes, stream), e, "clearing the words of a run");
    HD_TRY(copy_graph(p, stream, e));
    memset(first, 0, sizeof *first);
    first->outstanding = p->run.n_tasks;
    first->run = hd_cuda_first_run;
    first->fail.stop = p->run.n_tasks ? HD_STOP_NOT : HD_STOP_DONE;
    HD_CUDA_TRY(cudaMemcpyAsync(p->run.control, first, sizeof *first, cudaMemcpyHostToDevice, stream), e,
                "clearing the words of a run");
    HD_CUDA_TRY(cudaStreamSynchronize(stream), e, "clearing the words of a run");
    return hd_cuda_first_run == 1 ? HEDDLE_OK : wind_counters(p, e);
}

static heddle_status start(hd_form *f, cudaStream_t stream, hd_error *e)
{
    workers *p = (workers *)f;
    void *params[1] = {&p->run};
    CUlaunchAttribute cooperative = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    CUlaunchConfig c = {.gridDimX = p->run.n_workers + p->run.n_schedulers,
                        .gridDimY = 1,
                        .gridDimZ = 1,
                        .blockDimX = p->n_threads,
                        .blockDimY = 1,
                        .blockDimZ = 1,
                        .sharedMemBytes = p->loaded->shared_bytes,
                        .hStream = stream,
                        .attrs = &cooperative,
                        .numAttrs = p->run.dispatch != HD_DISPATCH_ORDER};
    CUresult r;
    p->run.now = p->loaded->now;
    r = p->loaded->device->driver.cuLaunchKernelEx(&c, p->kernel, params, NULL);
    if (r == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
        return hd_say(e, HEDDLE_EDEVICE,
                      "the driver refused %u resident blocks of %u threads: part of the GPU is not ours", c.gridDimX,
                      p->n_threads);
    return r == CUDA_SUCCESS ? HEDDLE_OK : hd_driver_say(&p->loaded->device->driver, e, r, "launching the workers");
}

static heddle_status changed(hd_form *f, uint32_t task, hd_error *e)
{
    workers *p = (workers *)f;
    const hd_graph *g = p->loaded->graph;
    const hd_task *t = hd_graph_task(g, task);
    uint32_t at;
    if (p->run.n_arena && t->arg_bytes)
        HD_CUDA_TRY(
            cudaMemcpy(hd_arena_args(&p->run, g, task), hd_graph_args(g, t), t->arg_bytes, cudaMemcpyHostToDevice), e,
            "changing the arguments of a task");
    if (!p->steps.steps)
        return HEDDLE_OK; /* workers read the blob's record */
    at = p->steps.step_of[task];
    memcpy(p->steps.steps[at].args, t->args, sizeof t->args);
    HD_CUDA_TRY(cudaMemcpy((void *)(uintptr_t)(p->run.steps + at), &p->steps.steps[at], sizeof(hd_step),
                           cudaMemcpyHostToDevice),
                e, "changing the arguments of a task");
    return HEDDLE_OK;
}

static heddle_status result(hd_form *f, hd_outcome *out, hd_error *e)
{
    workers *p = (workers *)f;
    const hd_end *end = p->loaded->end;
    uint64_t n = p->run.n_workers, n_trace = p->run.n_trace;
    HD_CUDA_TRY(cudaMemcpy(p->tallies, p->run.tallies, n * sizeof(hd_tally), cudaMemcpyDeviceToHost), e,
                "reading what the workers did");
    if (n_trace)
        HD_CUDA_TRY(cudaMemcpy(p->events, p->run.events, n * n_trace * sizeof(hd_event), cudaMemcpyDeviceToHost), e,
                    "reading the trace");
    out->n_workers = p->run.n_workers;
    out->n_trace = p->run.n_trace;
    out->tallies = p->tallies;
    out->events = p->events;
    out->begin_ns = end->begin_ns;
    out->end_ns = end->end_ns;
    out->stop = end->stop;
    out->code = end->code;
    out->task = end->task;
    return HEDDLE_OK;
}

static void free_form(hd_form *f)
{
    workers *p = (workers *)f;
    (void)cudaFree(p->block);
    hd_steps_clear(&p->steps);
    hd_delete(p->tallies, p->run.n_workers * sizeof(hd_tally));
    hd_delete(p->events, (uint64_t)p->run.n_workers * p->run.n_trace * sizeof(hd_event));
    hd_delete(p, sizeof *p);
}

/* ---- making it ---------------------------------------------------------------------------------------------------- */

static heddle_status refuse(const workers *p, hd_error *e)
{
    const hd_loaded *l = p->loaded;
    const char *name = heddle_schedule_name(p->form.schedule);
    const uint32_t n_placed = hd_graph_blob(l->graph)->n_placed, dispatch = p->run.dispatch;
    if (!l->graph->table->has_baselines && dispatch != HD_DISPATCH_PLAN && dispatch != HD_DISPATCH_TICKET &&
        dispatch != HD_DISPATCH_ORDER)
        return hd_say(e, HEDDLE_ENODEV,
                      "table %s was compiled without HEDDLE_BASELINES: it has no kernel for schedule %s",
                      l->graph->table->name, name);
    if (dispatch == HD_DISPATCH_PLAN && hd_arena_is_needed(l->graph))
        return hd_say(
            e, HEDDLE_EINVAL,
            "a body of this graph spawns tasks: no plan can be made for them, so schedule static cannot run it");
    if ((dispatch == HD_DISPATCH_ORDER) != l->graph->in_order)
        return hd_say(e, HEDDLE_EINVAL, "schedule %s: %s", name,
                      l->graph->in_order ? "a wave is run by schedule wave"
                                         : "it runs waves, and this is a graph of tasks");
    if (n_placed && !hd_dispatch_binds(dispatch))
        return hd_say(e, HEDDLE_EINVAL, "%u tasks are bound to workers: schedule %s cannot keep to that", n_placed,
                      name);
    return HEDDLE_OK;
}

/* Sets the number of workers: the config's, or the plan's, or as many as are resident at once. */
static heddle_status size_grid(workers *p, hd_error *e)
{
    const hd_loaded *l = p->loaded;
    const hd_plan *plan = p->run.dispatch == HD_DISPATCH_PLAN ? l->graph->plan : NULL;
    uint32_t asked = l->device->config.n_workers, most;
    int per_sm = 0;
    uint64_t begin = heddle_host_clock_ns();
    HD_TRY(
        hd_kernel_find(&p->kernel, &per_sm, l, HD_FAMILY_WORKERS, p->run.dispatch, p->n_threads, l->shared_bytes, e));
    p->loaded->cost.kernel_ns += heddle_host_clock_ns() - begin;
    most = (uint32_t)(per_sm * l->device->n_sms) - p->run.n_schedulers;
    if (p->run.n_schedulers && most > HD_SCHED_WORKERS)
        most = HD_SCHED_WORKERS;
    if (plan && !asked)
        asked = plan->n_workers;
    if (asked > most)
        return hd_say(
            e, HEDDLE_ERANGE,
            "%u workers of %u threads and %u bytes of shared memory were asked for; at most %u are resident at "
            "once on this GPU",
            asked, p->n_threads, l->shared_bytes, most);
    if (p->form.one && most > (uint32_t)l->device->n_sms)
        most = (uint32_t)l->device->n_sms;
    if (most > p->run.n_tasks && !hd_arena_is_needed(l->graph))
        most = p->run.n_tasks;
    p->run.n_workers = asked ? asked : most;
    if (!p->run.n_workers)
        p->run.n_workers = 1;
    p->run.crowded = p->run.n_workers > (uint32_t)l->device->n_sms;
    return HEDDLE_OK;
}

static heddle_status make_steps(workers *p, hd_error *e)
{
    uint64_t begin = heddle_host_clock_ns();
    heddle_status s = hd_graph_steps(&p->steps, p->loaded->graph, p->run.n_workers, p->form.style, e);
    p->loaded->cost.plan_ns += heddle_host_clock_ns() - begin;
    return s;
}

static heddle_status make_block(workers *p, hd_error *e)
{
    size_t free_bytes = 0, total_bytes = 0;
    cudaError_t r;
    p->block_bytes = hd_words_bytes(&p->run, &p->steps, &p->clear_bytes);
    r = cudaMalloc((void **)&p->block, p->block_bytes);
    if (r != cudaSuccess) {
        (void)cudaGetLastError();
        (void)cudaMemGetInfo(&free_bytes, &total_bytes);
        return hd_say(e, HEDDLE_ENOMEM, "loading a graph: its run needs %llu bytes on the GPU, %llu are free",
                      (unsigned long long)p->block_bytes, (unsigned long long)free_bytes);
    }
    hd_words_cut(&p->run, &p->steps, p->block);
    p->tallies = hd_new(p->run.n_workers * sizeof(hd_tally));
    p->events = p->run.n_trace ? hd_new((uint64_t)p->run.n_workers * p->run.n_trace * sizeof(hd_event)) : NULL;
    if (!p->tallies || (p->run.n_trace && !p->events))
        return hd_say(e, HEDDLE_ENOMEM, "loading a graph: out of memory");
    return HEDDLE_OK;
}

static heddle_status upload(const workers *p, const void *to, const void *from, uint64_t n_bytes, hd_error *e)
{
    if (!n_bytes)
        return HEDDLE_OK;
    return hd_cuda_copy(p->loaded->device, (void *)(uintptr_t)to, from, n_bytes, cudaMemcpyHostToDevice, e);
}

static heddle_status upload_bodies(const workers *p, hd_error *e)
{
    uint64_t n_bytes = p->run.n_bodies * 8ull;
    heddle_status s;
    uint32_t *bodies;
    if (!p->run.n_arena)
        return HEDDLE_OK;
    bodies = hd_new(n_bytes);
    if (!bodies)
        return hd_say(e, HEDDLE_ENOMEM, "loading a graph: out of memory");
    hd_arena_fill_bodies(bodies, p->loaded->graph);
    s = upload(p, p->run.bodies, bodies, n_bytes, e);
    hd_delete(bodies, n_bytes);
    return s;
}

static heddle_status upload_steps(const workers *p, hd_error *e)
{
    const hd_steps *s = &p->steps;
    if (!s->steps)
        return HEDDLE_OK;
    HD_TRY(upload(p, p->run.steps, s->steps, s->n_steps * sizeof(hd_step), e));
    HD_TRY(upload(p, p->run.lists, s->lists, s->n_workers * 4, e));
    return upload(p, p->run.step_edges, s->edges, s->n_edges * 4, e);
}

static void fill_run(workers *p)
{
    const hd_loaded *l = p->loaded;
    const hd_way *way = hd_way_of(p->form.schedule, HEDDLE_CUDA);
    const heddle_expert *x = &l->device->config.expert;
    const hd_blob *b = hd_graph_blob(l->graph);
    hd_run *r = &p->run;
    r->tasks = l->tasks;
    r->edges = l->edges;
    r->args = l->args;
    r->roots = l->roots;
    r->params = l->params;
    r->end = l->end;
    r->watched = l->watched;
    r->n_tasks = b->n_tasks;
    r->n_roots = b->n_roots;
    r->has_urgent = b->n_urgent != 0;
    r->has_placed = b->n_placed != 0;
    r->n_trace = l->device->config.n_trace;
    r->dispatch = way->dispatch;
    r->n_schedulers = way->dispatch == HD_DISPATCH_SCHEDULER;
    r->n_local = x->n_local ? x->n_local : LOCAL_DEFAULT;
    r->polite = l->device->config.idle == HEDDLE_IDLE_POLITE;
    r->policy = (uint32_t)(x->policy && way->takes & HD_TAKES_POLICY ? x->policy : way->policy);
}

static void describe(workers *p)
{
    const hd_run *r = &p->run;
    const char *more = !hd_dispatch_chooses(r->dispatch) ? NULL : heddle_policy_name((heddle_policy)r->policy);
    if (r->dispatch == HD_DISPATCH_PLAN)
        more = p->loaded->graph->plan ? "given" : hd_plan_style_name(p->form.style);
    snprintf(p->form.how, sizeof p->form.how, "%s%s%s%s, %u workers of %u threads",
             heddle_schedule_name(p->form.schedule), more ? " " : "", more ? more : "", p->form.one ? " one an SM" : "",
             r->n_workers, p->loaded->team_size);
}

static heddle_status make(workers *p, hd_error *e)
{
    const uint32_t n_arena = p->loaded->device->config.n_arena;
    HD_TRY(refuse(p, e));
    HD_TRY(size_grid(p, e));
    if (hd_arena_is_needed(p->loaded->graph))
        hd_arena_size(&p->run, p->loaded->graph, 0, n_arena ? n_arena : ARENA_DEFAULT * p->run.n_workers);
    p->run.n_slots = ring_slots(p);
    p->run.late = hd_policy_late(&p->run);
    if (p->run.dispatch == HD_DISPATCH_PLAN)
        HD_TRY(make_steps(p, e));
    HD_TRY(make_block(p, e));
    HD_TRY(upload_steps(p, e));
    HD_TRY(upload_bodies(p, e));
    describe(p);
    return clear(&p->form, p->loaded->device->side, e); /* not behind a run */
}

heddle_status hd_form_workers(hd_form **out, hd_loaded *l, heddle_schedule schedule, hd_plan_style style, uint32_t one,
                              hd_error *e)
{
    static const hd_form functions = {
        .start = start, .clear = clear, .changed = changed, .result = result, .free = free_form};
    workers *p = hd_new(sizeof *p);
    heddle_status s;
    *out = NULL;
    if (!p)
        return hd_say(e, HEDDLE_ENOMEM, "loading a graph: out of memory");
    p->form = functions;
    p->form.schedule = schedule;
    p->form.style = style;
    p->form.one = one;
    p->loaded = l;
    fill_run(p);
    /* The team, and the scheduling warps (core/block.h). */
    p->n_threads = l->team_size + (p->run.dispatch == HD_DISPATCH_PLAN ? 64u : 32u);
    s = make(p, e);
    if (s != HEDDLE_OK) {
        free_form(&p->form);
        return s;
    }
    p->form.n_workers = p->run.n_workers;
    p->form.team_size = l->team_size;
    p->form.stop_word = &p->run.control->fail.stop;
    p->form.run = &p->run.control->run;
    p->form.count = p->run.dispatch == HD_DISPATCH_PLAN ? NULL : p->run.count;
    *out = &p->form;
    return HEDDLE_OK;
}
