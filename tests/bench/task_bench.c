/* SPDX-License-Identifier: MIT */
/* task_bench.c - Task Bench's patterns against its paper's rules; the tasks' checks find errors; patterns run on threads
 * and in emulated teams; bad words are refused. */
#include "check.h"
#include "graph.h"
#include "task_bench/bodies.h"

#include <string.h>

static tb_problem problem(const char *words)
{
    tb_problem p = tb_default();
    const char *bad = tb_read(&p, words);
    CHECK_MSG(!bad, "%s: %s", words, bad);
    return p;
}

/* ---- patterns, one predicate each, written differently from pattern.h -------------------------------------------- */

static long distance(long a, long b) { return a > b ? a - b : b - a; }

/* Does point i of a step read point j of the step before, by the rule alone? For random_nearest: may it? */
static int reads(const tb_graph *g, long step, long i, long j)
{
    const long width = g->width, radix = g->radix;
    long n_bits = 1;
    switch (g->pattern) {
    case TB_TRIVIAL: return 0;
    case TB_NO_COMM: return i == j;
    case TB_STENCIL_1D: return distance(i, j) <= 1;
    case TB_STENCIL_1D_PERIODIC: return distance(i, j) <= 1 || distance(i, j) == width - 1;
    case TB_DOM: return j == i || j == i - 1;
    case TB_TREE: return 2 * j == i || 2 * j + 1 == i;
    case TB_FFT:
        while (1l << n_bits < width)
            n_bits++;
        return i == j || distance(i, j) == 1l << ((step - 1) % n_bits);
    case TB_ALL_TO_ALL: return 1;
    case TB_NEAREST:
    case TB_RANDOM_NEAREST: return j >= i - radix / 2 && j < i - radix / 2 + radix;
    default:
        for (long k = 0; k < radix; k++)
            if ((i + k * width / radix + (k > 0) * (step % (long)g->period)) % width == j)
                return 1;
        return 0;
    }
}

static int is_task(const tb_graph *g, long step, long point)
{
    if (g->pattern == TB_DOM) /* the square's tasks by anti-diagonals: row + column = step, within a band of `width` */
        return point >= 0 && point <= step && step - point < (long)(g->steps - g->width) + 1;
    if (g->pattern == TB_TREE)
        return point < (long)g->width && (step > 30 || point < 1l << step);
    return point < (long)g->width;
}

static void check_pattern(const char *words)
{
    const tb_problem p = problem(words);
    const tb_graph *g = &p.graph;
    uint32_t inputs[64], n_tasks = 0, n_random = 0, n_possible = 0;
    for (uint32_t step = 0; step < g->steps; step++) {
        for (uint32_t i = 0; i < g->width; i++) {
            const int is = i >= tb_first(g, step) && i < tb_first(g, step) + tb_width(g, step);
            uint32_t n = is ? tb_inputs(g, step, i, inputs) : 0u, at = 0;
            CHECK_MSG(is == is_task(g, step, i), "%s: step %u, point %u", words, step, i);
            n_tasks += (uint32_t)is;
            for (uint32_t j = 0; is && j < g->width; j++) {
                const int wanted = step > 0 && is_task(g, step - 1l, j) && reads(g, step, i, j);
                uint32_t n_times = 0;
                for (uint32_t k = 0; k < n; k++)
                    n_times += inputs[k] == j;
                at += n_times;
                n_possible += (uint32_t)wanted;
                n_random += n_times;
                if (g->pattern != TB_RANDOM_NEAREST || i == j || !wanted)
                    CHECK_MSG(n_times == (uint32_t)wanted, "%s: step %u: %u reads %u %u times", words, step, i, j,
                              n_times);
            }
            CHECK(at == n);
        }
    }
    CHECK(n_tasks == tb_n_tasks(g));
    if (g->pattern == TB_RANDOM_NEAREST && g->fraction < 65536 && g->width > 8)
        CHECK_MSG(n_random > n_possible / 4 && n_random < n_possible, "%u of %u edges", n_random, n_possible);
}

static void test_patterns(void)
{
    for (uint32_t pattern = 0; pattern < TB_N_PATTERNS; pattern++) {
        for (uint32_t width = 1; width <= 17; width++) {
            char words[128];
            const uint32_t radix = width < 5 ? 1 : 5;
            snprintf(words, sizeof words, "pattern=%s width=%u steps=40 radix=%u period=%u fraction=0.5",
                     tb_pattern_name(pattern), width, radix, radix > 1 ? (width - 1) / radix + 1 : 1u);
            check_pattern(words);
        }
    }
    check_pattern("pattern=nearest radix=4 width=9 steps=7");
    check_pattern("pattern=random_nearest radix=7 fraction=1 width=9 steps=7");
}

/* ---- checks ---- */

static tb_params params_of(const tb_problem *p, tb_pair *outputs, double *sink)
{
    return (tb_params){.graph = p->graph,
                       .kernel = p->kernel,
                       .n_pairs = p->output_bytes / sizeof(tb_pair),
                       .outputs = outputs,
                       .sink = sink};
}

/* Program order is right; readers must find a missing, torn, late or early output. */
static void test_checks(void)
{
    const tb_problem p = problem("width=5 steps=6 output=64 fields=3");
    static tb_pair outputs[3 * 5 * 4];
    double sink[5];
    const tb_params params = params_of(&p, outputs, sink);
    for (uint32_t step = 0; step < 6; step++)
        for (uint32_t i = 0; i < 5; i++)
            CHECK(tb_execute(&params, step, i, 0, 1) == 0);
    CHECK(tb_check(&params, 5, 2, 0, 1) == 0);
    outputs[(4 % 3 * 5 + 3) * 4 + 2].point = 0; /* one pair of the output of (4, 3) */
    CHECK(tb_check(&params, 5, 2, 0, 1) == 1 && tb_check(&params, 5, 4, 0, 1) == 1 &&
          tb_check(&params, 5, 1, 0, 1) == 0);
    tb_write(&params, 1, 3, 0, 1); /* the output of an older step in the same cell */
    CHECK(tb_check(&params, 5, 2, 0, 1) == 4);
    CHECK(tb_check(&params, 5, 2, 1, 3) == 0 && tb_check(&params, 5, 2, 2, 3) == 4); /* the third input is thread 2's */
    CHECK(tb_check(&params, 0, 2, 0, 1) == 0);
}

static void test_kernels(void)
{
    const tb_problem even = problem("iterations=1000"),
                     uneven = problem("kernel=load_imbalance iterations=1000 imbalance=2");
    uint32_t least = 4000, most = 0;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 4000; i++) {
        const uint32_t n = tb_iterations(&uneven.kernel, i / 50, i % 50);
        least = n < least ? n : least;
        most = n > most ? n : most;
        sum += n;
        CHECK(tb_iterations(&even.kernel, i / 50, i % 50) == 1000);
    }
    CHECK_MSG(least < 20 && most > 1980 && most <= 2000 && sum > 3900000 && sum < 4100000, "%u to %u, sum %llu", least,
              most, (unsigned long long)sum);
    uint64_t scratch[128] = {1, 2, 3, 4}; /* 1 KB: sixteen samples of four words per half */
    tb_copy(scratch, sizeof scratch, 1, 0, 0, 1);
    CHECK(scratch[64] == 1 && scratch[67] == 4 && scratch[68] == 0);
    CHECK(tb_compute(5) > 0);
}

/* ---- runs ---- */

static heddle_status run_pattern(heddle_ctx *ctx, const tb_problem *p, uint32_t first_step)
{
    const tb_graph *g = &p->graph;
    const size_t n_bytes = p->output_bytes;
    void *outputs, *sink, *none = malloc((size_t)g->width * g->fields * n_bytes);
    heddle_graph *graph;
    tb_params params;
    heddle_status s;
    CHECK(none);
    memset(none, 0xff, (size_t)g->width * g->fields * n_bytes);
    CHECK_OK(ctx, heddle_mem_new(ctx, (size_t)g->width * g->fields * n_bytes, &outputs));
    CHECK_OK(ctx, heddle_mem_write(ctx, outputs, none, (size_t)g->width * g->fields * n_bytes));
    CHECK_OK(ctx, heddle_mem_new(ctx, g->width * sizeof(double), &sink));
    CHECK_OK(ctx, heddle_graph_new(ctx, &task_bench, &graph));
    for (uint32_t step = first_step; step < g->steps; step++) {
        for (uint32_t k = 0; k < tb_width(g, step); k++) {
            uint32_t inputs[64];
            heddle_range ranges[65];
            const tb_args args = {step, tb_first(g, step) + k};
            const uint32_t n = tb_inputs(g, step, args.point, inputs);
            for (uint32_t i = 0; i < n; i++)
                ranges[i] = HEDDLE_IN((char *)outputs + tb_cell(g, step - 1, inputs[i]) * n_bytes, n_bytes);
            ranges[n] = HEDDLE_OUT((char *)outputs + tb_cell(g, step, args.point) * n_bytes, n_bytes);
            CHECK_OK(ctx, heddle_graph_add(graph, tb_task, &args, sizeof args, ranges, n + 1, NULL));
        }
    }
    params = params_of(p, outputs, sink);
    s = heddle_graph_run(ctx, graph, &params, sizeof params);
    heddle_graph_free(graph);
    heddle_mem_free(ctx, outputs);
    heddle_mem_free(ctx, sink);
    free(none);
    return s;
}

static void test_runs(heddle_config config)
{
    heddle_ctx *ctx;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    for (uint32_t pattern = 0; pattern < TB_N_PATTERNS; pattern++) {
        char words[128];
        tb_problem p;
        snprintf(words, sizeof words, "pattern=%s width=13 steps=30 output=48 iterations=20", tb_pattern_name(pattern));
        p = problem(words);
        CHECK_OK(ctx, run_pattern(ctx, &p, 0));
        if (pattern != TB_TRIVIAL && pattern != TB_TREE) { /* the first tasks' inputs were never written */
            CHECK(run_pattern(ctx, &p, 1) == HEDDLE_EBODY);
        }
    }
    heddle_ctx_close(ctx);
}

/* ---- words ---- */

static void test_words(void)
{
    static const char *const bad[][2] = {{"pattern=star", "no such pattern"},
                                         {"kernel=sleep", "no such pattern or kernel"},
                                         {"steps=0", "steps"},
                                         {"width=x", "width"},
                                         {"colour=red", "no such key"},
                                         {"steps=1000000 width=1000000", "2^30"},
                                         {"fields=1", "at least two"},
                                         {"output=20", "no multiple"},
                                         {"pattern=dom steps=3 width=4", "dom"},
                                         {"pattern=spread width=4 radix=5", "spread"},
                                         {"pattern=spread width=9 radix=3 period=4", "spread"},
                                         {"steps", "key=value"},
                                         {"imbalance=3", "imbalance"},
                                         {"fraction=-1", "fraction"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tb_problem p = tb_default();
        const char *said = tb_read(&p, bad[i][0]);
        CHECK_MSG(said && strstr(said, bad[i][1]), "%s: %s", bad[i][0], said ? said : "taken");
    }
    CHECK(problem("fields=0 steps=7").graph.fields == 7 && problem("").graph.width == 4);
}

int main(void)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    test_patterns();
    test_checks();
    test_kernels();
    test_words();
    config.backend = HEDDLE_CPU;
    config.n_workers = 3;
    test_runs(config);
    config.backend = HEDDLE_SERIAL;
    config.n_workers = 0;
    config.team_size = 5;
    test_runs(config);
    return 0;
}
