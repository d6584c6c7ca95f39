/* SPDX-License-Identifier: MIT */
/* mesi.c - `heddle bench --figures mesi [-n SIDE] [--opt figures=LIST] [--opt steps=N] [--opt devices=WORDS] [--opt seconds=N]
 * [--opt type=TYPE] [--out DIR]`: matmul, hotspot and ep on GPUs, by the library and by hand (by_hand.h), and jobs as in a paper
 * (scheduling.c), as DIR/mesi-NAME.tsv:
 *
 *     matmul   products of SIDE x SIDE matrices (8192), of int32 and of fp32: the library's loop, its body in one launch, cuBLAS without
 *              TF32, cublasXt in tiles of 2048, 4096 and 8192 on one GPU and on all; jobs on 1, 2, 4 .. GPUs, with a pool of an eighth of
 *              the data on one, and with cuBLAS in them; the pool also with TF32. TYPE: of int32 or fp32 only
 *     hotspot  N steps (100) of SIDE x SIDE cells: the library's loop, launches on one GPU, launches and events or a CUDA graph on two GPUs
 *              and more, with copies of rows or with stores into the neighbours' memory; jobs on 1, 2, 4 .. GPUs, pairs of steps as a
 *              sequence
 *     ep       SIDE pairs (2^36, class D): the library's loop, its body in one launch, and jobs on 1, 2, 4 .. GPUs
 *     14a ..   see scheduling.c
 *
 * Where there is one GPU, jobs run on four quarters of it, too, and a way is named `on` them.
 *
 * total_ms: from host memory to host memory. compute_ms: on data that is where it is needed; of cublasXt copies are in it. Of jobs:
 * until all have ended, when they are run once more after results have gone home, so that nothing comes from the host; with a pool of
 * an eighth there is none. rate: 10^9 multiply-adds, cells or pairs a second of compute_ms, or of total_ms where there is no other. Of
 * jobs there are also in_mb, home_mb, peers_mb: 10^6 bytes from the host, to it, and from device to device; driver_ms: how long the thread
 * that gives work to all devices was busy; and slices. These are of the last run from host to host.
 *
 * bound_ms: the least total_ms. F is the best rate by hand on one GPU with data resident, of the same body or of cuBLAS. L is what plain
 * copies have on one link, H what they have on all links together: see the line `copies`. The longest of operations / (GPUs x F),
 * bytes / links and bytes / H counts, and the first fetch and the last write are added. of_bound: bound_ms / total_ms. of_rate: the rate of
 * compute_ms over GPUs x F. None of these is there for WORDS, or without a row that has F; of TF32 none has.
 *
 * The first and the last answer are compared with the app's reference; what differs, fails or cannot be there is a row `skipped` with the
 * reason, as is what has not begun after N seconds. The library's devices are "cuda:0", or WORDS; with WORDS jobs run on these only. */
#include "mesi.h"
#include "papers.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 8192
#define PAIRS (UINT64_C(1) << 36)
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* F of a row is of the body, of cuBLAS, or not measured. */
enum { BODY, CUBLAS, N_RATES, UNKNOWN = N_RATES };

/* A case, and where its rows go. */
typedef struct subject {
    app_case *c;       /* NULL: it is too late for one */
    const char *label; /* app and type */
    uint64_t n;
    double work; /* multiply-adds, cells or pairs of a run */
    double
        *rate; /* of the best program by hand on one GPU, data resident: N_RATES of them, each 0 until there is a row */
    FILE *out;
} subject;

/* How a case is run. */
typedef struct way {
    const char *name;
    uint32_t n_gpus, tile;
    /* By the library. */
    const char *engine; /* NULL: by hand */
    const char *devices;
    int says_devices; /* they are not whole GPUs, */
    uint32_t n_parts; /* but so many parts, or it is 0 */
    uint64_t pool_bytes;
    mesi_program by_hand; /* its GPUs and tile are those above */
    int rate;             /* BODY .. */
} way;

/* ---- rows ---- */

static const char columns[] = "app\tn\tway\tgpus\ttile\tcompute_ms\tleast_ms\tmost_ms\ttotal_ms\trate\tin_mb\thome_mb\t"
                              "peers_mb\tdriver_ms\tslices\tbound_ms\tof_bound\tof_rate";

static void begin_row(const subject *s, const way *w)
{
    fprintf(s->out, "%s\t%llu\t%s%s%s\t%u\t%u\t", s->label, (unsigned long long)s->n, w->name,
            w->says_devices ? " on " : "", w->says_devices ? w->devices : "", w->n_gpus, w->tile);
}

static void put_jobs_times(FILE *out, const mesi_times *t)
{
    if (!t->has_jobs) {
        fputs("\t-\t-\t-\t-\t-", out);
        return;
    }
    fputc('\t', out);
    mesi_put_sums(&t->links, out);
    fprintf(out, "\t%.4g\t%llu", t->driver_ms, (unsigned long long)t->n_slices);
}

/* What a way's devices are. */
static mesi_gpus gpus_of(const subject *s, const way *w)
{
    return (mesi_gpus){w->n_gpus, w->n_parts ? w->n_parts : w->n_gpus, w->rate == UNKNOWN ? 0 : s->rate[w->rate],
                       w->pool_bytes};
}

static void put_bound(const mesi_ask *a, const subject *s, const way *w, double resident_ms, double total_ms)
{
    const mesi_gpus g = gpus_of(s, w);
    mesi_case c = {.n = s->n, .n_steps = 1, .way = {NULL, HEDDLE_MAP_SETTLE, 0, 1}};
    double bound_ms;
    while (strcmp(heddle_simulated_job_name(c.app), s->c->app->name) != 0)
        c.app++;
    if (c.app == HEDDLE_SIMULATED_JOB_HOTSPOT)
        c.n_steps = (uint32_t)s->c->looping->form.n_runs;
    bound_ms = mesi_bound_ms(a, &c, &g);
    if (bound_ms > 0)
        fprintf(s->out, "\t%.5g\t%.4f", bound_ms, bound_ms / total_ms);
    else
        fputs("\t-\t-", s->out);
    if (resident_ms > 0 && g.rate > 0 && !a->devices)
        fprintf(s->out, "\t%.4f\n", s->work / resident_ms * 1e-6 / (g.rate * g.n_gpus));
    else
        fputs("\t-\n", s->out);
}

/* The best program on one GPU is what rows are compared with. */
static void note_rate(const subject *s, const way *w, double ms)
{
    const double rate = s->work / ms * 1e-6;
    if (!w->engine && w->n_gpus == 1 && w->by_hand.how != PRODUCT_XT && rate > s->rate[w->rate])
        s->rate[w->rate] = rate;
}

static void put_times(const mesi_ask *a, const subject *s, const way *w, const mesi_times *t)
{
    const double total = figure_middle(t->total_ms, t->n),
                 ms = t->has_compute ? figure_middle(t->compute_ms, t->n) : total;
    const double *of = t->has_compute ? t->compute_ms : t->total_ms;
    if (t->has_compute)
        fprintf(s->out, "%.5g", ms);
    else
        fputs("-", s->out);
    fprintf(s->out, "\t%.5g\t%.5g\t%.5g\t%.5g", of[0], of[t->n - 1], total, s->work / ms * 1e-6);
    put_jobs_times(s->out, t);
    if (t->has_compute)
        note_rate(s, w, ms);
    put_bound(a, s, w, t->has_compute ? ms : 0, total);
}

static void skip(const subject *s, const char *why) { fprintf(s->out, "skipped\t%s\n", why); }

/* ---- any way ---- */

static int time_way(mesi_ask *a, app_case *c, way *w, mesi_times *t)
{
    w->by_hand.n_gpus = w->n_gpus;
    w->by_hand.tile = w->tile;
    if (!w->engine)
        return mesi_time_program(a, c, &w->by_hand, t);
    c->spawning.pool_bytes = w->pool_bytes;
    if (mesi_open(a, c, w->engine, w->devices))
        return -1;
    return !strcmp(w->engine, app_jobs.name) ? mesi_time_jobs(a, c, !w->pool_bytes, t) : mesi_time_loop(a, c, t);
}

static void put_way(mesi_ask *a, subject *s, way w)
{
    mesi_times t = {.n = 0};
    begin_row(s, &w);
    if (!s->c) {
        skip(s, figure_late);
        return;
    }
    cli_progress("%s: %s", s->label, w.name);
    if (time_way(a, s->c, &w, &t))
        skip(s, s->c->error);
    else
        put_times(a, s, &w, &t);
    mesi_program_close(&w.by_hand);
    mesi_close(s->c);
}

static void put_loop(mesi_ask *a, subject *s)
{
    put_way(a, s,
            (way){.name = "loop", .n_gpus = 1, .engine = app_loop.name, .devices = a->devices ? a->devices : "cuda:0"});
}

static const char *whole_gpus(uint32_t n, char words[MESI_WORDS])
{
    size_t at = 0;
    for (uint32_t i = 0; i < n; i++)
        at += (size_t)snprintf(words + at, MESI_WORDS - at, "%scuda:%u", i ? " " : "", i);
    return words;
}

/* On the devices that are asked for, or on 1, 2, 4 .. GPUs; of one GPU also on its quarters. */
static void put_jobs(mesi_ask *a, subject *s, const char *name, int rate)
{
    char words[MESI_WORDS];
    const uint32_t n_gpus = by_hand_gpus();
    way w = {.name = name, .engine = app_jobs.name, .devices = a->devices, .says_devices = 1, .rate = rate};
    if (a->devices) {
        w.n_gpus = mesi_n_devices(a->devices);
        put_way(a, s, w);
        return;
    }
    w.says_devices = 0;
    for (w.n_gpus = 1; w.n_gpus == 1 || (w.n_gpus <= n_gpus && w.n_gpus <= BY_HAND_MOST_GPUS); w.n_gpus *= 2) {
        w.devices = whole_gpus(w.n_gpus, words);
        put_way(a, s, w);
    }
    if (n_gpus == 1)
        put_way(a, s,
                (way){.name = name,
                      .n_gpus = 1,
                      .engine = w.engine,
                      .devices = "4*cuda:0/4",
                      .says_devices = 1,
                      .n_parts = 4,
                      .rate = rate});
}

/* An eighth of what three matrices take. */
static void put_small_pool(mesi_ask *a, subject *s, const char *name, int rate)
{
    way w = {.name = name, .n_gpus = 1, .engine = app_jobs.name, .devices = "cuda:0", .rate = rate};
    w.pool_bytes = 3 * 4 * s->n * s->n / 8;
    if (a->devices) {
        w.devices = a->devices;
        w.n_gpus = mesi_n_devices(a->devices);
        w.says_devices = 1;
    }
    put_way(a, s, w);
}

static void put_matmul(mesi_ask *a, subject *s)
{
    put_way(a, s, (way){.name = "launch", .n_gpus = 1, .by_hand = {.how = PRODUCT_PLAIN}});
    put_way(a, s, (way){.name = "cublas", .n_gpus = 1, .by_hand = {.how = PRODUCT_CUBLAS}, .rate = CUBLAS});
    put_jobs(a, s, "jobs", BODY);
    put_small_pool(a, s, "jobs pool 1/8", BODY);
}

/* These come last, as what takes long may find no time. */
static void put_slow(mesi_ask *a, subject *s)
{
    static const uint32_t tiles[] = {8192, 4096, 2048};
    const uint32_t n_gpus = by_hand_gpus();
    for (size_t i = 0; i < COUNT(tiles); i++) {
        way w = {.name = "cublasxt", .n_gpus = 1, .tile = tiles[i], .by_hand = {.how = PRODUCT_XT}, .rate = CUBLAS};
        put_way(a, s, w);
        w.n_gpus = n_gpus;
        if (n_gpus > 1)
            put_way(a, s, w);
    }
    put_loop(a, s);
}

static void put_library(mesi_ask *a, subject *s)
{
    put_jobs(a, s, "jobs library", CUBLAS);
    put_small_pool(a, s, "jobs library pool 1/8", CUBLAS);
}

static void put_tf32(mesi_ask *a, subject *s) { put_small_pool(a, s, "jobs library tf32 pool 1/8", UNKNOWN); }

static void put_hotspot(mesi_ask *a, subject *s)
{
    put_way(a, s, (way){.name = "launches", .n_gpus = 1});
    put_way(a, s, (way){.name = "graph", .n_gpus = 1, .by_hand = {.with_graph = 1}});
    for (uint32_t n = 2; n <= by_hand_gpus(); n *= 2) {
        put_way(a, s, (way){.name = "copies", .n_gpus = n, .by_hand = {.exchange = STEPS_COPIES}});
        put_way(a, s, (way){.name = "stores", .n_gpus = n, .by_hand = {.exchange = STEPS_STORES}});
        put_way(a, s,
                (way){.name = "copies graph", .n_gpus = n, .by_hand = {.exchange = STEPS_COPIES, .with_graph = 1}});
        put_way(a, s,
                (way){.name = "stores graph", .n_gpus = n, .by_hand = {.exchange = STEPS_STORES, .with_graph = 1}});
    }
    put_jobs(a, s, "jobs", BODY);
    put_loop(a, s);
}

static void put_ep(mesi_ask *a, subject *s)
{
    put_way(a, s, (way){.name = "launch", .n_gpus = 1});
    put_jobs(a, s, "jobs", BODY);
    put_loop(a, s);
}

/* ---- figures ---- */

typedef void put_fn(mesi_ask *a, subject *s);

/* Rows of one case: an app with some options, of that size, or of the one that is asked for. */
typedef struct case_rows {
    const char *app, *label;
    uint64_t n, n_2; /* n_2: the same again, or 0 */
    double work;
    app_pair opts[3];
    size_t n_opts;
    put_fn *put;
    double *rate; /* as in subject */
} case_rows;

static int put_case(mesi_ask *a, FILE *out, const case_rows *r)
{
    const app *of = app_find(r->app);
    const app_request q = {.n = {r->n, r->n_2}, .opts = r->opts, .n_opts = r->n_opts};
    char error[APP_ERROR];
    subject s = {.label = r->label, .n = r->n, .work = r->work, .rate = r->rate, .out = out};
    if (cli_now_ns() < a->end_ns) {
        s.c = app_new(of, app_scenario_of(of, app_loop.name), &q, error);
        if (!s.c)
            return cli_bad("%s", error);
    }
    r->put(a, &s);
    if (s.c)
        of->free(s.c);
    return CLI_OK;
}

/* Rows of another type of numbers. */
static int is_left_out(const mesi_ask *a, const case_rows *r)
{
    return a->type && r->n_opts && !strcmp(r->opts[0].key, "type") && strcmp(r->opts[0].value, a->type) != 0;
}

static int make_table(mesi_ask *a, const char *name, const case_rows *rows, size_t n)
{
    figure_files files = {.dir = a->o->out ? a->o->out : "."};
    int status = CLI_OK;
    if (figure_begin(&files))
        return CLI_BAD;
    mesi_find_copies(a, files.tsv.out);
    fprintf(files.tsv.out, "# %u GPUs; medians of %zu runs; the loop on %s\n%s\n", by_hand_gpus(), figure_runs(a->o),
            a->devices ? a->devices : "cuda:0", columns);
    for (size_t i = 0; i < n && !status; i++)
        if (!is_left_out(a, &rows[i]))
            status = put_case(a, files.tsv.out, &rows[i]);
    return figure_end_or_drop(&files, name, 0, status);
}

static uint64_t size_of(const mesi_ask *a, uint64_t usual) { return a->o->request.n[0] ? a->o->request.n[0] : usual; }

static int make_matmul(mesi_ask *a)
{
    const uint64_t n = size_of(a, SIDE);
    const double work = (double)n * (double)n * (double)n;
    double i32[N_RATES] = {0}, f32[N_RATES] = {0};
    const case_rows rows[] = {
        {"matmul", "matmul int32", n, n, work, {{"type", "int32"}}, 1, put_matmul, i32},
        {"matmul", "matmul fp32", n, n, work, {{"type", "fp32"}}, 1, put_matmul, f32},
        {"matmul", "matmul fp32", n, n, work, {{"type", "fp32"}, {"body", "library"}}, 2, put_library, f32},
        {"matmul", "matmul fp32", n, n, work, {{"type", "fp32"}, {"body", "library"}, {"tf32", "1"}}, 3, put_tf32, f32},
        {"matmul", "matmul fp32", n, n, work, {{"type", "fp32"}}, 1, put_slow, f32},
        {"matmul", "matmul int32", n, n, work, {{"type", "int32"}}, 1, put_loop, i32}};
    return make_table(a, "mesi-matmul", rows, COUNT(rows));
}

static int make_hotspot(mesi_ask *a)
{
    const uint64_t n = size_of(a, SIDE);
    const char *steps = a->steps ? a->steps : "100";
    const double work = (double)n * (double)n * strtod(steps, NULL);
    double rate[N_RATES] = {0};
    const case_rows rows = {"hotspot", "hotspot", n, n, work, {{"steps", steps}}, 1, put_hotspot, rate};
    return make_table(a, "mesi-hotspot", &rows, 1);
}

static int make_ep(mesi_ask *a)
{
    const uint64_t n = size_of(a, PAIRS);
    double rate[N_RATES] = {0};
    const case_rows rows = {"ep", "ep", n, 0, (double)n, {{NULL, NULL}}, 0, put_ep, rate};
    return make_table(a, "mesi-ep", &rows, 1);
}

static const struct {
    const char *name;
    int (*make)(mesi_ask *a);
} all_figures[] = {{"matmul", make_matmul}, {"hotspot", make_hotspot}, {"ep", make_ep}};

static int find_options(const options *o, mesi_ask *a)
{
    const char *seconds = NULL;
    const struct {
        const char *key, **value;
    } known[] = {{"figures", &a->list},
                 {"steps", &a->steps},
                 {"devices", &a->devices},
                 {"seconds", &seconds},
                 {"type", &a->type}};
    for (size_t i = 0; i < o->request.n_opts; i++) {
        size_t k = 0;
        while (k < COUNT(known) && strcmp(o->request.opts[i].key, known[k].key) != 0)
            k++;
        if (k == COUNT(known))
            return cli_bad("--opt %s: of --figures mesi there are figures, steps, devices, seconds and type",
                           o->request.opts[i].key);
        *known[k].value = o->request.opts[i].value;
    }
    if (a->devices && strlen(a->devices) >= MESI_WORDS)
        return cli_bad("--opt devices: the words are too long");
    if (a->type && strcmp(a->type, "int32") != 0 && strcmp(a->type, "fp32") != 0)
        return cli_bad("--opt type=%s: int32 or fp32 is expected", a->type);
    return figure_seconds(seconds, &a->end_ns);
}

static int make_scheduling(mesi_ask *a, size_t *n_made)
{
    uint64_t n_steps = 0;
    if (a->steps && cli_parse_u64(a->steps, 1, 100000, &n_steps))
        return cli_bad("--opt steps=%s: a number of steps is expected", a->steps);
    return mesi_make_scheduling(a, (uint32_t)n_steps, n_made);
}

int figures_mesi(const options *o)
{
    mesi_ask a = {.o = o};
    size_t n_made = 0, at;
    /* Rows say how jobs are spread. */
    (void)unsetenv("HEDDLE_MAP");
    (void)unsetenv("HEDDLE_TASKS");
    (void)unsetenv("HEDDLE_SAFE");
    if (find_options(o, &a) || make_scheduling(&a, &n_made))
        return CLI_BAD;
    for (size_t i = 0; i < COUNT(all_figures); i++) {
        if (a.list && !figure_listed(a.list, all_figures[i].name, &at))
            continue;
        if (all_figures[i].make(&a))
            return CLI_BAD;
        n_made++;
    }
    if (!n_made)
        return cli_bad("--opt figures=%s: of matmul, hotspot, ep, 14a to 14d and 15a to 15c", a.list);
    return a.wrong ? CLI_WRONG : CLI_OK;
}
