/* SPDX-License-Identifier: MIT */
/* fronts.c - the figure fronts: wavefronts over one, two and four GPUs, and over a GPU and cores, beside the wave of one GPU (by=wave: its
 * data are on the GPU before the run, so it copies nothing). What the wave leaves is compared with the app's reference where that is soon
 * done; what each fleet leaves is compared with the wave. `over` is the time of the fleet's first accelerator alone over a row's. */
#include "hdss.h"

#include "answer.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TRIES = 24, MOST_PATH = 512, N_INPUTS = 2 };
#define SOON 3e9         /* cells that a reference is computed for */
#define SIDE_CORES 8192u /* most rows and columns where there is no GPU */

typedef struct front_app {
    const char *name;
    uint64_t rows, cols;          /* made-up inputs' */
    const char *inputs[N_INPUTS]; /* files of the folder HEDDLE_DATA; NULL: made up */
} front_app;

static const front_app front_apps[] = {
    {"dtw", 650000, 650000, {"dtw/mitdb_100_mlii.i16le", "dtw/mitdb_100_v5.i16le"}},
    {"sw", 48502, 94481, {"smith-waterman/lambda_virus.fa", "smith-waterman/phage_P1.fasta"}},
    {"heat2d", 32768, 32768, {NULL, NULL}},
};

/* One app: its size, what it leaves, and the time that rows are compared with. */
enum { BAR_WAVE, BAR_ALONE, BAR_TWO, BAR_FOUR, BAR_CORES, BAR_ALL, BARS };
static const char *const bars[BARS] = {"wave of one GPU", "one device",      "two GPUs",
                                       "four GPUs",       "a GPU and cores", "everything"};

typedef struct front {
    figures *f;
    const front_app *of;
    FILE *out;
    uint64_t rows, cols;
    char paths[N_INPUTS][MOST_PATH];
    size_t n_inputs;
    answer answer; /* of the first that ran; n 0: none has */
    double alone_ms;
    double ms[BARS]; /* 0: it did not run */
} front;

/* ---- cases ------------------------------------------------------------------------------------------------------------- */

static void find_inputs(front *t)
{
    const char *data = getenv("HEDDLE_DATA");
    for (size_t i = 0; i < N_INPUTS && data && t->of->inputs[i]; i++) {
        snprintf(t->paths[i], MOST_PATH, "%.400s/%s", data, t->of->inputs[i]);
        t->n_inputs++;
    }
}

static void size_front(front *t)
{
    const uint64_t side = t->f->side || heddle_backend_is_present(HEDDLE_CUDA) ? t->f->side : SIDE_CORES;
    t->rows = side && side < t->of->rows ? side : t->of->rows;
    t->cols = side && side < t->of->cols ? side : t->of->cols;
}

static app_case *new_case(const front *t, const char *engine, char error[APP_ERROR])
{
    char rows[24], cols[24];
    const app *a = app_find(t->of->name);
    const int is_sw = !strcmp(a->name, "sw"), is_dtw = !strcmp(a->name, "dtw");
    const app_pair opts[] = {{is_sw ? "na" : "n", rows}, {is_sw ? "nb" : "m", cols}, {"y_off", "0"}};
    const char *paths[] = {t->paths[0], t->paths[1]};
    app_request q = {.n = {t->rows, t->cols}};
    snprintf(rows, sizeof rows, "%llu", (unsigned long long)t->rows);
    snprintf(cols, sizeof cols, "%llu", (unsigned long long)t->cols);
    if (t->n_inputs) {
        q = (app_request){.opts = opts, .n_opts = is_dtw ? 3 : 2, .inputs = paths, .n_inputs = t->n_inputs};
    }
    return app_new(a, app_scenario_of(a, engine), &q, error);
}

/* ---- what a run leaves ------------------------------------------------------------------------------------------------- */

static int same_answer(const answer *a, const answer *b)
{
    int is_same = a->n == b->n && !a->failed && !b->failed;
    for (size_t i = 0; is_same && i < a->n; i++)
        is_same = !strcmp(a->items[i].key, b->items[i].key) && !strcmp(a->items[i].json, b->items[i].json);
    return is_same;
}

static int check_reference(app_case *c)
{
    if ((double)c->n[0] * (double)c->n[1] > SOON)
        return 0;
    cli_progress("%s: comparing with the reference", c->app->name);
    return c->app->reference(c) || c->app->check(c) ? -1 : 0;
}

/* The first answer is kept; others are compared with it. */
static int check(front *t, app_case *c)
{
    answer mine = {.n = 0};
    const app_sink sink = answer_sink(&mine);
    int status = c->app->read(c);
    if (!status && !t->answer.n)
        status = check_reference(c);
    if (status) {
        t->f->wrong = 1;
        return -1;
    }
    c->app->answer(c, &sink);
    if (!t->answer.n) {
        t->answer = mine;
        return 0;
    }
    status = same_answer(&mine, &t->answer) ? 0 : -1;
    answer_free(&mine);
    if (status) {
        snprintf(c->error, APP_ERROR, "it leaves other results than the first one");
        t->f->wrong = 1;
    }
    return status;
}

/* ---- times ------------------------------------------------------------------------------------------------------------- */

static int run_once(app_case *c, double *ms)
{
    const uint64_t begin_ns = cli_now_ns();
    cli_progress("%s/%s: running", c->app->name, c->scenario->engine->name);
    if (c->scenario->engine->run(c))
        return -1;
    *ms = 1e-6 * (double)(cli_now_ns() - begin_ns);
    return 0;
}

static int time_later(front *t, app_case *c, double *sorted, size_t *n)
{
    for (; *n < figure_runs(t->f->o); ++*n) {
        double ms;
        if (c->scenario->reset(c) || run_once(c, &ms))
            return -1;
        figure_put(sorted, *n, ms);
    }
    return check(t, c);
}

static void print_row(front *t, int bar, const char *devices, const char *by, double first, const double *sorted,
                      size_t n, uint64_t n_strides)
{
    const double ms = figure_middle(sorted, n);
    char over[24] = "-";
    t->ms[bar] = ms;
    if (t->alone_ms > 0)
        snprintf(over, sizeof over, "%.4g", t->alone_ms / ms);
    fprintf(t->out, "%s\t%llu\t%llu\t%s\t%s\t%.5g\t%.5g\t%.5g\t%.5g\t%s\t%llu\n", t->of->name,
            (unsigned long long)t->rows, (unsigned long long)t->cols, devices, by, first, ms, sorted[0], sorted[n - 1],
            over, (unsigned long long)n_strides);
}

static void print_skipped(front *t, const char *devices, const char *by, const char *why)
{
    fprintf(t->out, "%s\t%llu\t%llu\t%s\t%s\tskipped\t%.150s\n", t->of->name, (unsigned long long)t->rows,
            (unsigned long long)t->cols, devices, by, why);
}

/* ---- rows -------------------------------------------------------------------------------------------------------------- */

/* Schedule auto tries before it is timed. */
static int time_wave(front *t, app_case *c, heddle_ctx *ctx)
{
    heddle_stats stats = HEDDLE_STATS_INIT;
    double sorted[FIGURE_RUNS], first = 0, ms;
    size_t n = 0;
    if (c->scenario->build(c, ctx) || run_once(c, &first))
        return -1;
    for (int k = 0; k < MOST_TRIES && heddle_graph_get_stats(c->graph, &stats) == HEDDLE_OK && stats.is_trying; k++)
        if (c->scenario->reset(c) || run_once(c, &ms))
            return -1;
    if (time_later(t, c, sorted, &n))
        return -1;
    print_row(t, BAR_WAVE, "cuda:0", "wave", first, sorted, n, 1);
    return 0;
}

static void make_wave(front *t)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    char error[APP_ERROR] = "", why[HDSS_WHY];
    heddle_ctx *ctx = NULL;
    app_case *c;
    config.backend = HEDDLE_CUDA;
    if (hdss_is_late(t->f, why) || heddle_ctx_open(&ctx, &config) != HEDDLE_OK) {
        print_skipped(t, "cuda:0", "wave", ctx ? why : hdss_no_gpu);
        return;
    }
    c = new_case(t, app_wave.name, error);
    if (!c || time_wave(t, c, ctx))
        print_skipped(t, "cuda:0", "wave", c ? c->error : error);
    if (c)
        c->app->free(c);
    heddle_ctx_close(ctx);
}

static int time_fleet(front *t, app_case *c, const char *devices, int bar)
{
    heddle_wavefront_stats stats = HEDDLE_WAVEFRONT_STATS_INIT;
    double sorted[FIGURE_RUNS], first = 0;
    size_t n = 0;
    c->devices = devices;
    if (c->scenario->build(c, NULL) || run_once(c, &first) || time_later(t, c, sorted, &n))
        return -1;
    if (bar == BAR_ALONE)
        t->alone_ms = figure_middle(sorted, n);
    (void)heddle_wavefront_get_stats(c->looping->front, &stats);
    print_row(t, bar, devices, "wavefront", first, sorted, n, stats.n_strides);
    return 0;
}

static void make_fleet(front *t, const char *devices, int bar)
{
    char error[APP_ERROR] = "", why[HDSS_WHY];
    app_case *c;
    if (hdss_is_late(t->f, why)) {
        print_skipped(t, devices, "wavefront", why);
        return;
    }
    c = new_case(t, app_wavefront.name, error);
    if (!c || time_fleet(t, c, devices, bar))
        print_skipped(t, devices, "wavefront", c ? c->error : error);
    if (c)
        c->app->free(c);
}

/* A fleet with GPUs, of which this machine may have fewer. */
static void make_gpus(front *t, uint32_t n_gpus, uint32_t n_needed, const char *devices, int bar)
{
    char why[64];
    if (n_gpus >= n_needed) {
        make_fleet(t, devices, bar);
        return;
    }
    snprintf(why, sizeof why, "GPUs here: %u", n_gpus);
    print_skipped(t, devices, "wavefront", why);
}

static uint32_t count_gpus(void)
{
    heddle_device d = HEDDLE_DEVICE_INIT;
    uint32_t n = 0;
    while (heddle_device_get(HEDDLE_CUDA, n, &d) == HEDDLE_OK)
        n++;
    return n;
}

static void make_app(figures *f, const front_app *of, FILE *out, double over[BARS])
{
    front t = {.f = f, .of = of, .out = out};
    const uint32_t n_gpus = count_gpus();
    size_front(&t);
    find_inputs(&t);
    make_wave(&t);
    make_fleet(&t, f->first ? f->first : "cpu:*", BAR_ALONE);
    make_gpus(&t, n_gpus, 2, "cuda:0 cuda:1", BAR_TWO);
    make_gpus(&t, n_gpus, 4, "cuda:0 cuda:1 cuda:2 cuda:3", BAR_FOUR);
    make_gpus(&t, n_gpus, 1, "cuda:0 cpu:*", BAR_CORES);
    if (!n_gpus || n_gpus > 4)
        make_fleet(&t, f->everything, BAR_ALL);
    answer_free(&t.answer);
    for (int i = 0; i < BARS; i++)
        over[i] = t.ms[i] > 0 ? t.alone_ms / t.ms[i] : 0;
}

int hdss_fronts(figures *f)
{
    enum { N = sizeof front_apps / sizeof *front_apps };
    const char *groups[N];
    double over[N * BARS];
    figure_files files = {.dir = f->o->out ? f->o->out : "."};
    char note[96];
    chart c = {.title = "Wavefronts over several devices", .note = note, .unit = "times as quick as one device"};
    if (figure_begin(&files))
        return CLI_BAD;
    snprintf(note, sizeof note, "medians of %zu runs, after a first one", figure_runs(f->o));
    hdss_head(f, files.tsv.out, note,
              "app\trows\tcolumns\tdevices\tby\tfirst_ms\tmedian_ms\tleast_ms\tmost_ms\tover\tstrides");
    for (size_t i = 0; i < N; i++) {
        groups[i] = front_apps[i].name;
        make_app(f, &front_apps[i], files.tsv.out, &over[i * BARS]);
    }
    chart_fill(&c, N, groups, BARS, bars, over);
    chart_print(&c, files.svg.out);
    return figure_end(&files, "hdss-fronts", 1);
}
