/* SPDX-License-Identifier: MIT */
/* figures_task_bench.c - Task Bench (Slaughter et al., SC'20) on the GPU: METG(50 %) of each pattern with one column
 * per SM, and uneven tasks of 5 us, beside CUDA graphs and launches. Tasks check their inputs in each timed run; each
 * subject's outputs are checked, too.
 *
 * As in Task Bench, granularity is wall time x workers / tasks, and efficiency is the kernels' own time over it. A
 * worker is an SM for all subjects. The kernels' own time comes from long kernels that wait for nothing. */
#include "figures.h"
#include "live.h"
#include "task_bench/bodies.h"
#include "task_bench/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a problem under a setting ---- */

typedef struct bed {
    live l;
    tb_problem problem;
    tb_params params;
} bed;

static heddle_status add_task(bed *t, uint32_t step, uint32_t point, uint32_t *inputs, heddle_range *ranges)
{
    const tb_graph *g = &t->problem.graph;
    const tb_args args = {step, point};
    const uint32_t n = tb_inputs(g, step, point, inputs);
    const size_t n_bytes = t->problem.output_bytes;
    char *outputs = (char *)t->params.outputs;
    for (uint32_t i = 0; i < n; i++)
        ranges[i] = HEDDLE_IN(outputs + tb_cell(g, step - 1u, inputs[i]) * n_bytes, n_bytes);
    ranges[n] = HEDDLE_OUT(outputs + tb_cell(g, step, point) * n_bytes, n_bytes);
    return heddle_graph_add(t->l.graph, tb_task, &args, sizeof args, ranges, n + 1u, NULL);
}

static heddle_status add_tasks(bed *t)
{
    const tb_graph *g = &t->problem.graph;
    const size_t n_most = tb_n_candidates(g) + 1u;
    uint32_t *inputs = malloc(n_most * sizeof *inputs);
    heddle_range *ranges = malloc(n_most * sizeof *ranges);
    heddle_status s = inputs && ranges ? HEDDLE_OK : HEDDLE_ENOMEM;
    for (uint32_t step = 0; step < g->steps && s == HEDDLE_OK; step++)
        for (uint32_t k = 0; k < tb_width(g, step) && s == HEDDLE_OK; k++)
            s = add_task(t, step, tb_first(g, step) + k, inputs, ranges);
    free(inputs);
    free(ranges);
    return s;
}

static heddle_status make_graph(bed *t)
{
    const uint64_t n_cells = (uint64_t)t->problem.graph.width * t->problem.graph.fields;
    void *outputs = NULL, *sink = NULL;
    heddle_status s = heddle_mem_new(t->l.ctx, n_cells * t->problem.output_bytes, &outputs);
    if (s == HEDDLE_OK)
        s = heddle_mem_new(t->l.ctx, t->problem.graph.width * sizeof(double), &sink);
    t->params = (tb_params){.graph = t->problem.graph, .kernel = t->problem.kernel, .outputs = outputs, .sink = sink};
    t->params.n_pairs = t->problem.output_bytes / sizeof(tb_pair);
    t->l.record = &t->params;
    t->l.record_bytes = sizeof t->params;
    if (s == HEDDLE_OK)
        s = heddle_graph_new(t->l.ctx, &task_bench, &t->l.graph);
    if (s == HEDDLE_OK)
        s = add_tasks(t);
    return s == HEDDLE_OK ? heddle_graph_freeze(t->l.graph) : s;
}

static int bed_open(bench *b, bed *t, const setting *at, const tb_problem *p)
{
    memset(t, 0, sizeof *t);
    t->problem = *p;
    return live_open(b, &t->l, at, 0) || bench_heddle(b, t->l.ctx, make_graph(t), "making the graph") ? -1 : 0;
}

static void bed_close(bed *t)
{
    heddle_graph_free(t->l.graph);
    if (t->l.ctx) {
        heddle_mem_free(t->l.ctx, t->params.outputs);
        heddle_mem_free(t->l.ctx, t->params.sink);
    }
    live_close(&t->l);
}

/* Reads the last step that wrote a cell of the column; returns 0 if none did. */
static int is_written(const tb_graph *g, const tb_pair *pair, uint32_t step, uint32_t point)
{
    return step < tb_first(g, step) || point < tb_first(g, step) || point >= tb_first(g, step) + tb_width(g, step) ||
           (pair->step == step && pair->point == point);
}

/* Compares, after a run, the outputs that no later step has overwritten. */
static int compare_outputs(bench *b, const bed *t, tb_pair *got)
{
    const tb_graph *g = &t->problem.graph;
    const size_t n_bytes = (size_t)g->width * g->fields * t->problem.output_bytes;
    if (bench_heddle(b, t->l.ctx, heddle_mem_read(t->l.ctx, got, t->params.outputs, n_bytes), "reading outputs"))
        return -1;
    for (uint32_t step = g->steps - g->fields; step < g->steps; step++)
        for (uint32_t point = 0; point < g->width; point++)
            if (!is_written(g, &got[(size_t)tb_cell(g, step, point) * t->params.n_pairs], step, point))
                return bench_say(b, "the output of step %u, point %u is wrong or missing", step, point);
    return 0;
}

static int check_outputs(bench *b, const bed *t)
{
    tb_pair *got = calloc((size_t)t->problem.graph.width * t->problem.graph.fields, t->problem.output_bytes);
    int bad = got ? compare_outputs(b, t, got) : bench_say(b, "out of memory");
    free(got);
    return bad;
}

/* Makes one run from cleared outputs, and checks it. */
static int bed_verify(bench *b, bed *t)
{
    const size_t n_bytes = (size_t)t->problem.graph.width * t->problem.graph.fields * t->problem.output_bytes;
    void *none = malloc(n_bytes);
    int bad = none ? 0 : bench_say(b, "out of memory");
    if (none)
        memset(none, 0xff, n_bytes);
    t->params.kernel.iterations = 0;
    bad = bad || bench_heddle(b, t->l.ctx, heddle_mem_write(t->l.ctx, t->params.outputs, none, n_bytes), "clearing") ||
          live_run(b, &t->l, NULL, NULL) || check_outputs(b, t);
    free(none);
    return bad ? -1 : 0;
}

/* Samples the granularity in us with kernels of `iterations`. */
static int bed_time(bench *b, bed *t, uint32_t iterations, sample *out)
{
    const double scale = (double)b->card.n_sms / tb_n_tasks(&t->problem.graph);
    times taken;
    const sample *best;
    out->n = 0;
    t->params.kernel.iterations = iterations;
    if (bench_late(b))
        return bench_no_time(b);
    if (live_first(b, &t->l, &taken) || live_sample(b, &t->l, N_SAMPLES, &taken))
        return -1;
    best = times_best(&taken);
    for (uint32_t i = 0; i < best->n; i++)
        sample_add(out, best->value[i] * scale);
    return 0;
}

/* ---- a kernel by itself ---------------------------------------------------------------------------------------- */

enum { LONG_ITERATIONS = 100000 };

static tb_problem problem_of(const bench *b, const char *words)
{
    tb_problem p = tb_default();
    char more[160];
    snprintf(more, sizeof more, "width=%d steps=%d %s", b->quick ? 16 : b->card.n_sms, b->quick ? 20 : 200, words);
    if (tb_read(&p, more))
        abort(); /* impossible: the words are in this file */
    return p;
}

/* us per iteration; 0: unknown. */
static double iteration_us(bench *b)
{
    tb_problem p = problem_of(b, "pattern=no_comm steps=4");
    const row r = {"task-bench", "kernel", "an iteration, alone", "us", NULL};
    const setting at = {subject_find(b, b->backend == HEDDLE_CUDA ? "static" : "lf"), 1, 0, 0, 0};
    sample s;
    bed t;
    int bad = bed_open(b, &t, &at, &p) || bed_time(b, &t, LONG_ITERATIONS, &s);
    bed_close(&t);
    if (bad) {
        bench_missing(b, r);
        return 0;
    }
    bench_value(b, r, sample_median(&s) / LONG_ITERATIONS);
    return sample_median(&s) / LONG_ITERATIONS;
}

/* ---- METG ---- */

static const uint32_t lengths[] = {16,  24,  32,   48,   64,   96,   128,  192,  256,   384,
                                   512, 768, 1024, 1536, 2048, 3072, 4096, 8192, 16384, 32768};
enum { N_LENGTHS = sizeof lengths / sizeof *lengths };

/* The granularity with efficiency one half, interpolated on a logarithmic scale. */
static double between(double low_us, double low, double high_us, double high)
{
    return exp(log(low_us) + (0.5 - low) / (high - low) * (log(high_us) - log(low_us)));
}

/* METG in us; 0: not reached, or not measured (with a sentence). */
static double metg_us(bench *b, bed *t, double each_us)
{
    double last_us = 0, last = 0;
    for (size_t i = 0; i < N_LENGTHS; i++) {
        sample s;
        double us, efficiency;
        if (bed_time(b, t, lengths[i], &s))
            return 0;
        us = sample_median(&s);
        efficiency = lengths[i] * each_us / us;
        if (efficiency >= 0.5)
            return i ? between(last_us, last, us, efficiency) : us;
        last_us = us;
        last = efficiency;
    }
    bench_refuse(b, "efficiency never reached one half");
    return 0;
}

static const char *const metg_settings =
    "static:1:32 dynamic:1:32 graph+pdl:0:32 graph:0:32 taskgraph:0:32 | static:1 dynamic:1 lf:1 graph+pdl levels:0:32";

static void metg_of(bench *b, const char *words, double each_us, const char *list, scores *to)
{
    setting at[MOST_SETTINGS];
    const tb_problem p = problem_of(b, words);
    size_t n = settings_read(b, list, at, MOST_SETTINGS);
    for (size_t i = 0; i < n; i++) {
        setting_text text;
        char variant[96];
        row r = {"task-bench", at[i].subject->name, variant, "us", "METG(50 %)"};
        double us = 0;
        bed t;
        snprintf(variant, sizeof variant, "%s %s", tb_pattern_name(p.graph.pattern), setting_name(&text, &at[i]));
        b->extra = at[i].extra;
        if (!(bench_late(b) ? bench_no_time(b) : bed_open(b, &t, &at[i], &p) || bed_verify(b, &t)))
            us = metg_us(b, &t, each_us);
        bed_close(&t);
        if (us > 0)
            bench_value(b, r, us);
        else
            bench_missing(b, r);
        scores_add(to, &at[i], us);
    }
}

static void metg_patterns(bench *b, double each_us)
{
    static const char *const words[] = {"pattern=stencil_1d",
                                        "pattern=trivial",
                                        "pattern=no_comm",
                                        "pattern=stencil_1d_periodic",
                                        "pattern=dom",
                                        "pattern=tree",
                                        "pattern=fft",
                                        "pattern=nearest radix=5",
                                        "pattern=spread radix=5",
                                        "pattern=random_nearest radix=5",
                                        "pattern=all_to_all steps=20"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        scores s = {.n = 0};
        metg_of(b, words[i], each_us, metg_settings, &s);
        if (i == 0) {
            bench_goal(b, "task-bench stencil_1d METG(50 %) static", "us", scores_best(&s, RANK_PLAN, NULL), -1, 1.8);
            bench_goal(b, "task-bench stencil_1d METG(50 %) dynamic", "us", scores_best(&s, RANK_DYNAMIC, "dynamic"),
                       -1, 3.6);
        }
    }
}

/* ---- uneven tasks ---- */

/* One pattern with kernels of 5 us on average: granularity by setting. */
static void uneven_of(bench *b, const char *words, const char *name, double each_us)
{
    setting at[MOST_SETTINGS];
    const tb_problem p = problem_of(b, words);
    size_t n = settings_read(b, metg_settings, at, MOST_SETTINGS);
    scores scores = {.n = 0};
    double mine, theirs;
    char goal[96];
    for (size_t i = 0; i < n; i++) {
        setting_text text;
        char variant[96];
        row r = {"task-bench", at[i].subject->name, variant, "us", "granularity, 5 us in the mean"};
        sample s;
        bed t;
        snprintf(variant, sizeof variant, "%s %s", name, setting_name(&text, &at[i]));
        b->extra = at[i].extra;
        if (bench_late(b) ? bench_no_time(b)
                          : bed_open(b, &t, &at[i], &p) || bed_verify(b, &t) ||
                                bed_time(b, &t, (uint32_t)(5 / each_us), &s) || check_outputs(b, &t)) {
            bench_missing(b, r);
        } else {
            bench_row(b, r, &s, 1);
            scores_add(&scores, &at[i], sample_median(&s));
        }
        bed_close(&t);
    }
    mine = scores_best_persistent(&scores);
    theirs = scores_best(&scores, RANK_BASELINE, NULL);
    snprintf(goal, sizeof goal, "task-bench %s / best graph or launches", name);
    bench_goal(b, goal, "x", mine > 0 && theirs > 0 ? mine / theirs : 0, -1, 0.7);
}

void figure_task_bench(bench *b)
{
    const double each_us = iteration_us(b);
    if (each_us == 0)
        return;
    metg_patterns(b, each_us);
    uneven_of(b, "pattern=stencil_1d kernel=load_imbalance imbalance=2", "stencil_1d uneven 0-2", each_us);
    uneven_of(b, "pattern=stencil_1d kernel=load_imbalance imbalance=1", "stencil_1d uneven 0.5-1.5", each_us);
    uneven_of(b, "pattern=nearest radix=5 kernel=load_imbalance imbalance=2", "nearest uneven 0-2", each_us);
}
