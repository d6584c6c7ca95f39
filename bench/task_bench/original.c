/* SPDX-License-Identifier: MIT */
/* original.c - heddle behind the original Task Bench: a driver for its C interface (core/core_c.h of
 * StanfordLegion/task-bench), which provides the patterns, the kernels, the checks and the command line. See README.md.
 *
 * All graphs of the command line become one graph of heddle, so that they run together; the ranges are the tasks'
 * outputs. The reported time runs from the first added task to the last one done; with -again, it is that of a rerun of
 * the frozen graph. HEDDLE_WORKERS etc. configure threads. Runs on threads only: the original's kernels are host code. */
#include "heddle.h"
#include "heddle/task.h"

#include <core_c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One graph of the command line; outputs: nb_fields rows of max_width; scratch: per column, since its tasks are in
 * order. */
typedef struct bench_graph {
    task_graph_t graph;
    char *outputs, *scratch;
} bench_graph;

typedef struct original_params {
    const bench_graph *graphs;
    const char **inputs; /* of all tasks, in sequence */
    size_t *sizes;
} original_params;

typedef struct original_args {
    uint64_t first_input;
    uint32_t graph, n_inputs;
    int64_t step, point;
} original_args;

#define ORIGINAL_BODIES(X) X(original_task, 0)
HEDDLE_ENUM(original, ORIGINAL_BODIES)

static char *output_of(const bench_graph *b, long step, long point)
{
    return b->outputs +
           (size_t)(step % b->graph.nb_fields * b->graph.max_width + point) * b->graph.output_bytes_per_task;
}

HEDDLE_BODY(original_task, original_params, params, original_args, t)
{
    const bench_graph *b = &params->graphs[t->graph];
    const size_t scratch_bytes = b->graph.scratch_bytes_per_task;
    task_graph_execute_point_scratch(b->graph, t->step, t->point, output_of(b, t->step, t->point),
                                     b->graph.output_bytes_per_task, params->inputs + t->first_input,
                                     params->sizes + t->first_input, t->n_inputs,
                                     b->scratch + (size_t)t->point * scratch_bytes, scratch_bytes);
}
HEDDLE_TABLE(original, original_params, ORIGINAL_BODIES)

static void check(const heddle_ctx *ctx, heddle_status s)
{
    if (s == HEDDLE_OK)
        return;
    fprintf(stderr, "task_bench: %s\n", heddle_error_text(ctx));
    exit(1);
}

static void *zeros(size_t n, size_t n_bytes)
{
    void *p = calloc(n + 1, n_bytes + 1);
    if (!p)
        abort(); /* as the original does */
    return p;
}

/* Returns an upper bound for the inputs of its tasks. */
static size_t open_graph(bench_graph *b, task_graph_t graph)
{
    const size_t width = (size_t)graph.max_width, n_bytes = graph.scratch_bytes_per_task;
    b->graph = graph;
    b->outputs = zeros((size_t)graph.nb_fields * width, graph.output_bytes_per_task);
    b->scratch = zeros(width, n_bytes);
    for (size_t i = 0; n_bytes && i < width; i++)
        task_graph_prepare_scratch(b->scratch + i * n_bytes, n_bytes);
    return (size_t)graph.timesteps * width * width;
}

/* Lists a task's inputs, as far as the step before has them; returns how many. */
static uint32_t list_inputs(const bench_graph *b, long step, long point, const char **inputs, size_t *sizes)
{
    const long first = task_graph_offset_at_timestep(b->graph, step - 1);
    const long end = first + task_graph_width_at_timestep(b->graph, step - 1);
    const long set = task_graph_dependence_set_at_timestep(b->graph, step);
    interval_list_t list = task_graph_dependencies(b->graph, set, point);
    uint32_t n = 0;
    for (long i = 0; i < interval_list_num_intervals(list); i++) {
        const interval_t of = interval_list_interval(list, i);
        for (long k = of.start < first ? first : of.start; step > 0 && k <= of.end && k < end; k++) {
            inputs[n] = output_of(b, step - 1, k);
            sizes[n++] = b->graph.output_bytes_per_task;
        }
    }
    interval_list_destroy(list);
    return n;
}

/* Adds a graph's tasks; returns the index at which the next graph's inputs begin. */
static uint64_t add_graph(heddle_ctx *ctx, heddle_graph *g, const original_params *p, uint32_t index, uint64_t at)
{
    const bench_graph *b = &p->graphs[index];
    heddle_range ranges[b->graph.max_width + 1];
    for (long step = 0; step < b->graph.timesteps; step++) {
        const long first = task_graph_offset_at_timestep(b->graph, step);
        for (long i = first; i < first + task_graph_width_at_timestep(b->graph, step); i++) {
            const uint32_t n = list_inputs(b, step, i, p->inputs + at, p->sizes + at);
            const original_args args = {at, index, n, step, i};
            for (uint32_t k = 0; k < n; k++)
                ranges[k] = HEDDLE_IN(p->inputs[at + k], p->sizes[at + k]);
            ranges[n] = HEDDLE_OUT(output_of(b, step, i), b->graph.output_bytes_per_task);
            check(ctx, heddle_graph_add(g, original_task, &args, sizeof args, ranges, n + 1u, NULL));
            at += n;
        }
    }
    return at;
}

int main(int argc, char **argv)
{
    const int again = argc > 1 && !strcmp(argv[argc - 1], "-again");
    app_t app = app_create(argc - again, argv);
    const uint32_t n = (uint32_t)task_graph_list_num_task_graphs(app_task_graphs(app));
    bench_graph *graphs = zeros(n, sizeof *graphs);
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx = NULL;
    heddle_graph *g = NULL;
    size_t n_inputs = 0;
    uint64_t at = 0, begin;
    for (uint32_t i = 0; i < n; i++)
        n_inputs += open_graph(&graphs[i], task_graph_list_task_graph(app_task_graphs(app), i));
    const original_params params = {graphs, zeros(n_inputs, sizeof(char *)), zeros(n_inputs, sizeof(size_t))};
    config.backend = HEDDLE_CPU;
    check(NULL, heddle_ctx_open(&ctx, &config));
    app_display(app);
    begin = heddle_clock_ns();
    check(ctx, heddle_graph_new(ctx, &original, &g));
    for (uint32_t i = 0; i < n; i++)
        at = add_graph(ctx, g, &params, i, at);
    for (int k = 0; k <= again; k++) {
        begin = k ? heddle_clock_ns() : begin;
        check(ctx, heddle_graph_run(ctx, g, &params, sizeof params));
    }
    app_report_timing(app, 1e-9 * (double)(heddle_clock_ns() - begin));
    return 0;
}
