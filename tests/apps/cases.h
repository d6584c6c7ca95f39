/* SPDX-License-Identifier: MIT */
/* cases.h - all cases of a data folder: each expected.json that one of the apps can answer. They run on the serial
 * backend and on the cpu backend with every policy, waves on one to four threads, loops and wavefronts also on fleets of
 * several devices; cases above a tenth of a second run once, on the cpu backend or such a fleet. With --cuda the waves and loops alone run, on a GPU. The largest cases of sw are in large.c. */
#ifndef CASES_H
#define CASES_H

#include "apps/known.h"
#include "apps/pairs.h"

#include <time.h>
#include <unistd.h>

#if defined(HEDDLE_TSAN)
#define SLOWER 250.0
#elif defined(HEDDLE_ASAN)
#define SLOWER 20.0
#else
#define SLOWER 1.0
#endif

static uint32_t n_cases, n_runs;
static int on_gpu;

typedef struct folder {
    char path[400]; /* root/name */
    json_t *expected;
} folder;

static void folder_open(folder *f, const char *root, const char *name)
{
    snprintf(f->path, sizeof f->path, "%s/%s", root, name);
    f->expected = known_load(root, name);
}

/* Turn 0 is the serial backend; then graphs take every policy, waves one to four threads, and fleets two cores, then several
 * devices. On a GPU a wave runs under its own schedule, then under auto, and a fleet is where the context is. */
static uint32_t n_turns(const app_scenario *s)
{
    if (on_gpu)
        return s->engine == &app_wave ? 2 : (uint32_t)app_engine_has_fleet(s->engine);
    if (app_engine_has_fleet(s->engine))
        return 3;
    return s->engine->schedule ? 5 : HEDDLE_N_POLICIES;
}

/* NULL: the fleet is where the context is. */
static const char *devices_of(const app_scenario *s, uint32_t turn)
{
    return app_engine_has_fleet(s->engine) && turn + 1 == n_turns(s) && !on_gpu ? "2*virtual: cpu:1" : NULL;
}

/* A long case runs in the last turn alone. */
static uint32_t first_turn(const app_scenario *s, double steps)
{
    return steps > 1e8 / SLOWER && !on_gpu ? n_turns(s) - 1 : 0;
}

static heddle_ctx *open_turn(const app_scenario *s, uint32_t turn)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    c.backend = on_gpu ? HEDDLE_CUDA : turn ? HEDDLE_CPU : HEDDLE_SERIAL;
    if (on_gpu) {
        c.schedule = turn ? HEDDLE_SCHEDULE_AUTO : s->engine->schedule;
    } else if (s->engine->schedule) {
        c.n_workers = turn;
    } else {
        c.expert.policy = (heddle_policy)turn;
        c.n_workers = turn ? 1 + turn % 3 : 0;
    }
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    return ctx;
}

/* Once more with copies, spawned by two threads. */
static void run_copied(const app *a, const app_scenario *s, const app_request *q, heddle_ctx *ctx, known_sink *k,
                       uint32_t n_keys)
{
    app_request r = *q;
    r.b[0] = r.b[1] = 0;
    r.spawning.copies = 1;
    r.spawning.n_threads = 2;
    known_run(a, s, &r, ctx, NULL, k, n_keys);
    n_runs++;
}

/* engine: only of that one; NULL: of all. steps: inner-loop steps of the case, about a nanosecond each. */
static void run_case_by(const char *name, const app_engine *engine, const app_request *q, known_sink *k,
                        uint32_t n_keys, double steps)
{
    const app *a = app_find(name);
    const app_scenario *s;
    uint32_t turn;
    CHECK(a);
    if (on_gpu && !app_scenario_of(a, app_wave.name) && !app_scenario_of(a, app_loop.name))
        return;
    if (steps > 2.5e10 / SLOWER) {
        printf("left out here, too long: %s\n", k->what);
        return;
    }
    n_cases++;
    for (s = a->scenarios; s->engine; s++)
        for (turn = first_turn(s, steps); turn < n_turns(s) && (!engine || s->engine == engine); turn++) {
            heddle_ctx *ctx = open_turn(s, turn);
            known_run(a, s, q, ctx, devices_of(s, turn), k, n_keys);
            n_runs++;
            if (a->apart && s->engine == &app_pool && turn + 1 == n_turns(s))
                run_copied(a, s, q, ctx, k, n_keys);
            heddle_ctx_close(ctx);
        }
}

static void run_case(const char *name, const app_request *q, known_sink *k, uint32_t n_keys, double steps)
{
    run_case_by(name, NULL, q, k, n_keys, steps);
}

/* The options of a case are the numbers in its object. */
static size_t options_of(const json_t *c, const char *const *keys, app_pair *out, char (*values)[32])
{
    size_t n;
    for (n = 0; keys[n]; n++) {
        snprintf(values[n], sizeof values[n], "%lld", (long long)json_integer_value(json_object_get(c, keys[n])));
        out[n].key = keys[n];
        out[n].value = values[n];
    }
    return n;
}

static void sw_cases(const char *root)
{
    static const char *const keys[] = {"na", "nb", "match", "mismatch", "gap", NULL};
    char a[512], b[512], values[8][32], what[128];
    app_pair opts[8];
    folder f;
    const json_t *group, *c;
    size_t i;
    folder_open(&f, root, "smith-waterman");
    group = json_object_get(f.expected, "dna_linear_gap");
    snprintf(a, sizeof a, "%s/%s", f.path, json_string_value(json_object_get(group, "a")));
    snprintf(b, sizeof b, "%s/%s", f.path, json_string_value(json_object_get(group, "b")));
    json_array_foreach(json_object_get(group, "cases"), i, c)
    {
        const char *inputs[] = {a, b};
        app_request q = {
            {0, 0}, {i % 2 ? 64 : 200, i % 2 ? 64 : 333}, opts, options_of(c, keys, opts, values), inputs, 2, {0}};
        known_sink k = {what, c, {0, 0}, 0};
        double cells = json_number_value(json_object_get(c, "na")) * json_number_value(json_object_get(c, "nb"));
        snprintf(what, sizeof what, "sw, case %zu of %s", i, root);
        if (cells < 4294967296.0)
            run_case("sw", &q, &k, 11, cells);
    }
    json_decref(f.expected);
}

static void dtw_cases(const char *root)
{
    static const char *const keys[] = {"x_off", "y_off", "n", "m", NULL};
    char input[512], values[8][32], what[128];
    app_pair opts[8];
    folder f;
    const json_t *c;
    size_t i;
    folder_open(&f, root, "dtw");
    snprintf(input, sizeof input, "%s/mitdb_100_mlii.i16le", f.path);
    json_array_foreach(json_object_get(json_object_get(f.expected, "pairs"), "cases"), i, c)
    {
        const char *inputs[] = {input};
        app_request q = {
            {0, 0}, {i % 2 ? 64 : 150, i % 2 ? 64 : 77}, opts, options_of(c, keys, opts, values), inputs, 1, {0}};
        known_sink k = {what, c, {0, 0}, 0};
        double cells = json_number_value(json_object_get(c, "n")) * json_number_value(json_object_get(c, "m"));
        snprintf(what, sizeof what, "dtw, case %zu of %s", i, root);
        run_case("dtw", &q, &k, 7, cells);
    }
    json_decref(f.expected);
}

/* Key "hotspot_steps_60" of "64x64". */
static void hotspot_case(const folder *f, int n, const char *key, const json_t *c)
{
    const app_pair opt = {"steps", strrchr(key, '_') + 1};
    char temperatures[512], power[512], what[512];
    const char *inputs[] = {temperatures, power};
    app_request q = {{0, 0}, {13, 30}, &opt, 1, inputs, 2, {0}};
    known_sink k = {what, c, {1e-5, 1e-4}, 0};
    snprintf(temperatures, sizeof temperatures, "%s/temp_%d", f->path, n);
    snprintf(power, sizeof power, "%s/power_%d", f->path, n);
    snprintf(what, sizeof what, "%d %s of %s", n, key, f->path);
    run_case("hotspot", &q, &k, 8, (double)n * n * strtod(opt.value, NULL) * 3);
}

/* Keys "jacobi5_sweeps_10", "heat2d_gauss_seidel_sweeps_10", "sor1.5_sweeps_10" of "64x64"; skips others. */
static void field_case(const folder *f, const char *size, const char *key, const json_t *c)
{
    const char *name = !strncmp(key, "jacobi5_sweeps_", 15)  ? "jacobi"
                       : !strncmp(key, "heat2d_gauss", 12)   ? "heat"
                       : !strncmp(key, "sor1.5_sweeps_", 14) ? "sor"
                                                             : NULL;
    const char *sweeps = strrchr(key, '_') + 1, *inputs[1];
    app_pair opt = {"sweeps", sweeps};
    double n = strtod(size, NULL);
    char input[512], what[512];
    app_request q = {{0, 0}, {13, 64}, &opt, 1, inputs, 1, {0}};
    known_sink k = {what, c, {1e-5, 1e-4}, 0};
    if (!strncmp(key, "hotspot_steps_", 14))
        hotspot_case(f, (int)n, key, c);
    if (!name)
        return;
    snprintf(input, sizeof input, "%s/temp_%d", f->path, (int)n);
    snprintf(what, sizeof what, "%s %s of %s", size, key, f->path);
    inputs[0] = input;
    run_case(name, &q, &k, 8, n * n * strtod(sweeps, NULL) * 3);
    if (!strcmp(name, "heat") && n <= 64)
        run_case("heat2d", &q, &k, 8, n * n * strtod(sweeps, NULL) * 3);
}

static void field_cases(const char *root)
{
    folder f;
    const char *size, *key;
    json_t *group, *c;
    folder_open(&f, root, "hotspot");
    json_object_foreach(f.expected, size, group) if (strchr("0123456789", size[0])) json_object_foreach(group, key, c)
        field_case(&f, size, key, c);
    json_decref(f.expected);
}

static void box_case(const app_request *q, const json_t *sums, const char *key, const char *reach, const char *what)
{
    const app_pair opt = {"reach", reach};
    app_request r = *q;
    known_sink means = {what, json_object_get(sums, key), {0, 0}, 0};
    r.opts = &opt;
    r.n_opts = 1;
    if (means.expected)
        run_case("boxfilter", &r, &means, 1, 2e6);
}

static void picture_cases(const char *root)
{
    folder f;
    const char *name, *inputs[1];
    json_t *c;
    char input[512], what[512];
    folder_open(&f, root, "images");
    json_object_foreach(f.expected, name, c)
    {
        app_request q = {{0, 0}, {50, 41}, NULL, 0, inputs, 1, {0}};
        known_sink sat = {what, json_object_get(c, "sat"), {0, 0}, 0};
        known_sink bins = {what, json_object_get(c, "integral_histogram_32bins"), {0, 0}, 0};
        known_sink cosines = {what, json_object_get(c, "dct8x8_orthonormal_minus_128_edges_repeated"), {1e-6, 1e-3}, 0};
        known_sink counts = {what, c, {0, 0}, 0};
        known_sink smooth = {what, json_object_get(c, "conv_binomial5x5_clamp"), {0, 0}, 0};
        snprintf(input, sizeof input, "%s/%s", f.path, name);
        snprintf(what, sizeof what, "%s of %s", name, f.path);
        inputs[0] = input;
        run_case("conv", &q, &smooth, 2, 2e6);
        if (cosines.expected)
            run_case("dct", &q, &cosines, 3, 2e6);
        run_case("sat", &q, &sat, 3, 2e6);
        run_case("inthist", &q, &bins, 4, 6e7);
        box_case(&q, json_object_get(c, "box_sum_clamp"), "r1", "1", what);
        box_case(&q, json_object_get(c, "box_sum_clamp"), "r5", "5", what);
        box_case(&q, json_object_get(c, "box_sum_clamp"), "r15", "15", what);
        q.b[0] = q.b[1] = 0;
        run_case("histogram", &q, &counts, 1, 2e6);
    }
    json_decref(f.expected);
}

/* Compares slu's answers on the file, its tasks and M, merged into one object. Eight multiplications count as one step. */
static void run_slu(const json_t *c, const app_request *q, const char *what)
{
    const app_pair opts[] = {{"how", "spawn"}, {"order", "handles"}, {"order", "waves"}};
    app_request other = *q;
    double steps;
    json_t *tasks = json_object_get(c, "block_tasks_no_pivot"), *all = json_copy((json_t *)(uintptr_t)c);
    known_sink k = {what, all, {1e-11, 1e-11}, 0}; /* all values but the error, which is 0, exceed 1 */
    const char *rhs = json_string_value(json_object_get(json_object_get(c, "dominant_matrix_M"), "rhs"));
    CHECK(rhs && !strcmp(rhs, "b=M*ones -> solution all ones"));
    json_object_set_new(all, "solution_error", json_real(0));
    json_object_update(all, tasks);
    json_object_update(all, json_object_get(c, "dominant_matrix_M"));
    steps = json_number_value(json_object_get(tasks, "bmod")) * 32 * 32 * 32 / 8;
    run_case("slu", q, &k, 20, steps);
    other.n_opts = 1;
    for (other.opts = opts; other.opts < opts + 3; other.opts++)
        run_case_by("slu", other.opts == opts ? &app_graph : &app_pool, &other, &k, 20, steps);
    json_decref(all);
}

static void lu_cases(const char *root)
{
    folder f;
    const char *name, *inputs[1];
    json_t *c;
    char input[512], what[512];
    folder_open(&f, root, "sparse-lu");
    json_object_foreach(f.expected, name, c)
    {
        app_request q = {{0, 0}, {32, 32}, NULL, 0, inputs, 1, {0}};
        known_sink k = {what, json_object_get(c, "dominant_matrix_M"), {1e-5, 0}, 0};
        double n = json_number_value(json_object_get(c, "n"));
        snprintf(input, sizeof input, "%s/%s", f.path, name);
        snprintf(what, sizeof what, "%s of %s", name, f.path);
        inputs[0] = input;
        run_case("lu", &q, &k, 6, n * n * n / 3);
        run_slu(c, &q, what);
    }
    json_decref(f.expected);
}

/* A search from one vertex; compares answers on the graph and on the search, merged into one object. */
static void bfs_case(const char *path, const json_t *graph, const char *source, const json_t *found, size_t turn)
{
    static const char *const chunks[] = {"32", "1", "7"}, *const hops[] = {"-1", "-1", "0"};
    const app_pair opts[] = {{"source", source}, {"chunk", chunks[turn % 3]}, {"hops", hops[turn % 3]}};
    const char *inputs[] = {path};
    app_request q = {{0, 0}, {0, 0}, opts, 3, inputs, 1, {0}};
    json_t *all = json_copy((json_t *)(uintptr_t)graph);
    known_sink k = {path, all, {0, 0}, 0};
    json_object_update(all, (json_t *)(uintptr_t)found);
    json_object_set_new(all, "source", json_integer(strtoll(source, NULL, 10)));
    run_case("bfs", &q, &k, 12, 100 * json_number_value(json_object_get(graph, "arcs_stored")));
    json_decref(all);
}

/* These graphs are not part of the project. */
static void bfs_cases(const char *root)
{
    folder f;
    const char *name, *source;
    json_t *graph, *found;
    char path[512];
    size_t turn = 0;
    snprintf(path, sizeof path, "%s/bfs/expected.json", root);
    if (access(path, R_OK))
        return;
    folder_open(&f, root, "bfs");
    json_object_foreach(f.expected, name, graph)
    {
        snprintf(path, sizeof path, "%s/%s", f.path, name);
        json_object_foreach(json_object_get(graph, "bfs"), source, found) bfs_case(path, graph, source, found, turn++);
    }
    json_decref(f.expected);
}

/* The Mandelbrot set, of which data/generated has the sums. */
static void mandel_cases(const char *root)
{
    folder f;
    char what[512];
    folder_open(&f, root, "generated");
    const json_t *c = json_object_get(f.expected, "mandelbrot");
    app_request q = {
        {(uint64_t)json_integer_value(json_object_get(c, "h")), (uint64_t)json_integer_value(json_object_get(c, "w"))},
        {64, 64},
        NULL,
        0,
        NULL,
        0,
        {0}};
    known_sink k = {what, c, {0, 0}, 0};
    snprintf(what, sizeof what, "mandelbrot of %s", f.path);
    run_case("mandel", &q, &k, 2, json_number_value(json_object_get(c, "sum_iter_fp64_no_fma")) * 3);
    json_decref(f.expected);
}

/* Encrypted in both modes; no wider than the packets, so that a chain is in one task. */
static void run_des3(const char *path, const json_t *c, const char *cut)
{
    static const char *const modes[] = {"ecb", "cbc"};
    for (size_t i = 0; i < 2; i++) {
        const app_pair opts[] = {{"mode", modes[i]}, {"cut", cut}};
        app_request q = {{0, 0}, {3, 0}, opts, 2, &path, 1, {0}};
        known_sink k = {path, c, {0, 0}, 0};
        run_case("des3", &q, &k, 3, 25 * json_number_value(json_object_get(c, "padded_bytes")));
    }
}

/* The standard's example; and a capture, which is not part of the project. */
static void des3_cases(const char *root)
{
    folder f;
    char path[512];
    const json_t *c;
    folder_open(&f, root, "generated");
    c = json_object_get(f.expected, "des3");
    if (c) {
        pairs_file plain;
        pairs_text(&plain, json_string_value(json_object_get(c, "plaintext_ascii")));
        run_des3(plain.path, c, "0");
        close(plain.fd);
    }
    json_decref(f.expected);
    snprintf(path, sizeof path, "%s/packets-3des/expected.json", root);
    if (access(path, R_OK))
        return;
    folder_open(&f, root, "packets-3des");
    snprintf(path, sizeof path, "%s/example.pcap", f.path);
    c = json_object_get(f.expected, "example.pcap");
    run_des3(path, json_object_get(c, "per_packet"), "0");
    run_des3(path, json_object_get(c, "cut_2k_64k"), "1");
    json_decref(f.expected);
}

/* An app of made-up numbers: generated/expected.json has its rows and columns under these keys. */
static void made_up_case(const char *root, const char *name, const char *rows, const char *cols, uint64_t block)
{
    folder f;
    const json_t *c;
    folder_open(&f, root, "generated");
    c = json_object_get(f.expected, name);
    if (c) {
        app_request q = {{(uint64_t)json_integer_value(json_object_get(c, rows)),
                          (uint64_t)json_integer_value(json_object_get(c, cols))},
                         {2, block},
                         NULL,
                         0,
                         NULL,
                         0,
                         {0}};
        known_sink k = {name, c, {1e-6, 1e-4}, 0};
        run_case(name, &q, &k, 3, 1e6);
    }
    json_decref(f.expected);
}

/* Signals of the folder's ECG. The project has a part of it, with other answers. */
static void fbank_cases(const char *root)
{
    folder f;
    char path[512];
    const char *const inputs[] = {path};
    const json_t *c;
    app_request q = {{0, 0}, {2, 999}, NULL, 0, inputs, 1, {0}};
    folder_open(&f, root, "generated");
    c = json_object_get(f.expected, "filterbank");
    snprintf(path, sizeof path, "%s/%s", root, json_string_value(json_object_get(c, "input")));
    known_sink k = {path, c, {0, 0}, 0};
    run_case("fbank", &q, &k, 6, json_number_value(json_object_get(c, "signals")) * 2048 * 64);
    json_decref(f.expected);
}

static void price_cases(const char *root)
{
    folder f;
    const json_t *c;
    folder_open(&f, root, "generated");
    c = json_object_get(f.expected, "blackscholes");
    app_request q = {{(uint64_t)json_integer_value(json_object_get(c, "n")), 0}, {0, 0}, NULL, 0, NULL, 0, {0}};
    known_sink k = {"blackscholes", c, {1e-6, 0}, 0};
    run_case("blackscholes", &q, &k, 2, 5e7);
    json_decref(f.expected);
}

/* The classes of NPB. */
static void ep_cases(const char *root)
{
    folder f;
    const char *name;
    json_t *group, *c;
    folder_open(&f, root, "generated");
    group = json_object_get(f.expected, "npb_ep");
    json_object_foreach(group, name, c) if (json_is_object(c))
    {
        const app_pair opt = {"class", name};
        app_request q = {{0, 0}, {0, 0}, &opt, 1, NULL, 0, {0}};
        known_sink k = {name, c, {1e-8, 0}, 0};
        run_case("ep", &q, &k, 4, 40 * pow(2, json_number_value(json_object_get(c, "m"))));
    }
    json_decref(f.expected);
}

static void matmul_cases(const char *root)
{
    static const char *const types[] = {"fp32", "int32"};
    folder f;
    char depth[32];
    const json_t *c;
    folder_open(&f, root, "generated");
    c = json_object_get(f.expected, "matmul");
    for (size_t i = 0; c && i < 2; i++) {
        const app_pair opts[] = {{"type", types[i]}, {"k", depth}, {"parts", i ? "5" : "1"}};
        app_request q = {{(uint64_t)json_integer_value(json_object_get(c, "m")),
                          (uint64_t)json_integer_value(json_object_get(c, "n"))},
                         {11, 30},
                         opts,
                         3,
                         NULL,
                         0,
                         {0}};
        known_sink k = {types[i], json_object_get(c, types[i]), {i ? 0 : 1e-6, i ? 0 : 1e-4}, 0};
        snprintf(depth, sizeof depth, "%lld", (long long)json_integer_value(json_object_get(c, "k")));
        run_case("matmul", &q, &k, 3, 1e6);
    }
    json_decref(f.expected);
}

static void made_up_cases(const char *root)
{
    made_up_case(root, "beam", "beams", "samples", 70);
    made_up_case(root, "mm", "n", "order", 11);
}

static void all_cases(const char *root)
{
    static void (*const groups[])(const char *) = {sw_cases,    dtw_cases,    field_cases, picture_cases, lu_cases,
                                                   bfs_cases,   mandel_cases, des3_cases,  fbank_cases,   made_up_cases,
                                                   price_cases, ep_cases,     matmul_cases};
    struct timespec a, b;
    size_t i;
    for (i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        uint32_t cases = n_cases, runs = n_runs;
        clock_gettime(CLOCK_MONOTONIC, &a);
        groups[i](root);
        clock_gettime(CLOCK_MONOTONIC, &b);
        printf("%s: group %zu: %u cases, %u runs, %.1f s\n", root, i, n_cases - cases, n_runs - runs,
               (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9);
    }
}

#endif
