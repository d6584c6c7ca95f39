/* SPDX-License-Identifier: MIT */
/* mesi.c - `heddle bench --figures mesi [-n SIDE] [--opt figures=LIST] [--opt steps=N] [--opt devices=WORDS] [--out DIR]`: matmul and hotspot on
 * GPUs, by the library and by hand (by_hand.h), and jobs as in a paper (scheduling.c), as DIR/mesi-NAME.tsv:
 *
 *     matmul   products of SIDE x SIDE matrices (8192), of int32 and of fp32: the library's loop, its body in one launch, cuBLAS without
 *              TF32, cublasXt in tiles of 2048, 4096 and 8192 on one GPU and on all
 *     hotspot  N steps (100) of SIDE x SIDE cells: the library's loop, launches on one GPU, launches and events or a CUDA graph on two GPUs
 *              and more, with copies of rows or with stores into the neighbours' memory
 *     14a ..   see scheduling.c
 *
 * compute_ms: on data that is where it is needed; of cublasXt copies are in it. total_ms: from host memory to host memory. rate: 10^9
 * multiply-adds, or cells, a second of compute_ms, or of total_ms where there is no other. The first and the last answer are compared with
 * the app's reference; what differs, fails or cannot be there is a row `skipped` with the reason. The library's devices are "cuda:0", or WORDS. */
#include "by_hand.h"
#include "loop.h"
#include "mesi.h"
#include "papers.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 8192
#define COUNT(a) (sizeof(a) / sizeof *(a))
enum { WHY = BY_HAND_ERROR };

typedef struct figures {
    const options *o;
    uint64_t side;
    const char *list, *steps, *devices; /* NULL: all figures, as many as each has by itself */
    int wrong;                          /* a check failed */
} figures;

/* A case, and where its rows go. */
typedef struct subject {
    app_case *c;
    const char *label; /* app and type */
    double work;       /* multiply-adds or cells of a run */
    FILE *out;
} subject;

/* A program by hand. */
typedef struct way {
    const char *name;
    uint32_t n_gpus, tile;
    product_way how;
    steps_exchange exchange;
    int with_graph;
    by_hand_product *product; /* one of the two is open */
    by_hand_steps *steps;
    char why[WHY];
} way;

typedef struct times {
    double compute_ms[FIGURE_RUNS], total_ms[FIGURE_RUNS];
    size_t n;
} times;

/* ---- rows ---- */

static const char columns[] = "app\tn\tway\tgpus\ttile\tcompute_ms\tleast_ms\tmost_ms\ttotal_ms\trate";

static void begin_row(const figures *f, const subject *s, const char *name, uint32_t n_gpus, uint32_t tile)
{
    fprintf(s->out, "%s\t%llu\t%s\t%u\t%u\t", s->label, (unsigned long long)f->side, name, n_gpus, tile);
}

static void put_times(const subject *s, const times *t, int has_compute)
{
    const double total = figure_middle(t->total_ms, t->n),
                 ms = has_compute ? figure_middle(t->compute_ms, t->n) : total;
    const double *of = has_compute ? t->compute_ms : t->total_ms;
    if (has_compute)
        fprintf(s->out, "%.5g", ms);
    else
        fputs("-", s->out);
    fprintf(s->out, "\t%.5g\t%.5g\t%.5g\t%.5g\n", of[0], of[t->n - 1], total, s->work / ms * 1e-6);
}

static void skip(const subject *s, const char *why) { fprintf(s->out, "skipped\t%s\n", why); }

/* ---- the case ---- */

static int open_on(app_case *c, const char *devices)
{
    c->devices = devices;
    return c->scenario->build(c, NULL);
}

static void close_loop(app_case *c)
{
    app_loop_close(c);
    c->looping = NULL;
}

static int check(figures *f, app_case *c)
{
    int status = c->app->read(c) || c->app->reference(c);
    if (!status && c->app->check(c)) {
        f->wrong = 1;
        status = -1;
    }
    return status;
}

/* ---- the library ---- */

static int run_library(figures *f, app_case *c, times *t)
{
    const size_t n = figure_runs(f->o);
    for (size_t i = 0; i <= n; i++) { /* the first is not counted */
        uint64_t begin_ns;
        if (c->scenario->reset(c))
            return -1;
        begin_ns = cli_now_ns();
        if (c->scenario->engine->run(c) || c->app->read(c))
            return -1;
        if (i)
            figure_put(t->total_ms, t->n++, 1e-6 * (double)(cli_now_ns() - begin_ns));
        if ((i == 0 || i == n) && check(f, c))
            return -1;
    }
    return 0;
}

static void put_library(figures *f, subject *s)
{
    times t = {.n = 0};
    begin_row(f, s, "loop", 1, 0);
    cli_progress("%s: loop", s->label);
    if (open_on(s->c, f->devices) || run_library(f, s->c, &t))
        skip(s, s->c->error);
    else
        put_times(s, &t, 0);
    close_loop(s->c);
}

/* ---- by hand ---- */

static const app_rows *rows_of(const app_case *c, size_t i) { return &c->looping->form.rows[i]; }

static int open_product(way *w, const app_case *c)
{
    const product p = {rows_of(c, 0)->host,
                       rows_of(c, 1)->host,
                       rows_of(c, 2)->host,
                       c->n[0],
                       c->n[1],
                       rows_of(c, 1)->n_rows,
                       c->looping->form.desc.body == matmul_f32};
    return by_hand_product_open(&w->product, w->how, &p, w->n_gpus, w->tile, w->why);
}

static int open_steps(way *w, const app_case *c)
{
    const uint64_t n = c->looping->form.n_runs;
    steps s = {rows_of(c, 0)->host, rows_of(c, 2)->host, rows_of(c, n % 2)->host, n, {0}};
    memcpy(&s.record, c->record, sizeof s.record);
    return by_hand_steps_open(&w->steps, &s, w->n_gpus, w->exchange, w->with_graph, w->why);
}

static int is_product(const app_case *c) { return !strcmp(c->app->name, "matmul"); }

static int run_once(way *w, double *ms)
{
    if (w->product)
        return by_hand_product_bring(w->product, w->why) || by_hand_product_compute(w->product, ms, w->why) ||
               by_hand_product_take(w->product, w->why);
    return by_hand_steps_bring(w->steps, w->why) || by_hand_steps_compute(w->steps, ms, w->why) ||
           by_hand_steps_take(w->steps, w->why);
}

static int say(way *w, const app_case *c)
{
    snprintf(w->why, sizeof w->why, "%.*s", WHY - 1, c->error);
    return -1;
}

static int run_way(figures *f, app_case *c, way *w, times *t)
{
    const size_t n = figure_runs(f->o);
    for (size_t i = 0; i <= n; i++) {
        uint64_t begin_ns;
        double ms = 0;
        if (c->scenario->reset(c))
            return say(w, c);
        begin_ns = cli_now_ns();
        if (run_once(w, &ms))
            return -1;
        if (i) {
            figure_put(t->total_ms, t->n, 1e-6 * (double)(cli_now_ns() - begin_ns));
            figure_put(t->compute_ms, t->n++, ms);
        }
        if ((i == 0 || i == n) && check(f, c))
            return say(w, c);
    }
    return 0;
}

/* The program takes the arrays of the case, which is open on a fleet without threads. */
static void put_way(figures *f, subject *s, way w)
{
    times t = {.n = 0};
    int status;
    begin_row(f, s, w.name, w.n_gpus, w.tile);
    cli_progress("%s: %s", s->label, w.name);
    status = open_on(s->c, "serial") ? say(&w, s->c) : is_product(s->c) ? open_product(&w, s->c) : open_steps(&w, s->c);
    if (status || run_way(f, s->c, &w, &t))
        skip(s, w.why);
    else
        put_times(s, &t, 1);
    by_hand_product_close(w.product);
    by_hand_steps_close(w.steps);
    close_loop(s->c);
}

static void put_matmul(figures *f, subject *s)
{
    static const uint32_t tiles[] = {2048, 4096, 8192};
    const uint32_t n_gpus = by_hand_gpus();
    put_library(f, s);
    put_way(f, s, (way){.name = "launch", .n_gpus = 1, .how = PRODUCT_PLAIN});
    put_way(f, s, (way){.name = "cublas", .n_gpus = 1, .how = PRODUCT_CUBLAS});
    for (size_t i = 0; i < COUNT(tiles); i++) {
        put_way(f, s, (way){.name = "cublasxt", .n_gpus = 1, .tile = tiles[i], .how = PRODUCT_XT});
        if (n_gpus > 1)
            put_way(f, s, (way){.name = "cublasxt", .n_gpus = n_gpus, .tile = tiles[i], .how = PRODUCT_XT});
    }
}

static void put_hotspot(figures *f, subject *s)
{
    put_library(f, s);
    put_way(f, s, (way){.name = "launches", .n_gpus = 1});
    put_way(f, s, (way){.name = "graph", .n_gpus = 1, .with_graph = 1});
    for (uint32_t n = 2; n <= by_hand_gpus(); n *= 2) {
        put_way(f, s, (way){.name = "copies", .n_gpus = n, .exchange = STEPS_COPIES});
        put_way(f, s, (way){.name = "stores", .n_gpus = n, .exchange = STEPS_STORES});
        put_way(f, s, (way){.name = "copies graph", .n_gpus = n, .exchange = STEPS_COPIES, .with_graph = 1});
        put_way(f, s, (way){.name = "stores graph", .n_gpus = n, .exchange = STEPS_STORES, .with_graph = 1});
    }
}

/* ---- figures ---- */

typedef void put_fn(figures *f, subject *s);

/* The option is the app's only one. */
static int put_app(figures *f, FILE *out, const char *name, const char *label, app_pair opt, double work, put_fn *put)
{
    const app *a = app_find(name);
    const app_request q = {.n = {f->side, f->side}, .opts = &opt, .n_opts = 1};
    char error[APP_ERROR];
    subject s = {
        .c = app_new(a, app_scenario_of(a, app_loop.name), &q, error), .label = label, .work = work, .out = out};
    if (!s.c)
        return cli_bad("%s", error);
    put(f, &s);
    s.c->app->free(s.c);
    return CLI_OK;
}

static int begin(figures *f, figure_files *files)
{
    *files = (figure_files){.dir = f->o->out ? f->o->out : "."};
    if (figure_begin(files))
        return CLI_BAD;
    fprintf(files->tsv.out, "# %u GPUs; medians of %zu runs; the loop on %s\n%s\n", by_hand_gpus(), figure_runs(f->o),
            f->devices, columns);
    return CLI_OK;
}

static int make_matmul(figures *f)
{
    const double work = (double)f->side * (double)f->side * (double)f->side;
    figure_files files;
    return begin(f, &files) ||
           figure_end_or_drop(
               &files, "mesi-matmul", 0,
               put_app(f, files.tsv.out, "matmul", "matmul int32", (app_pair){"type", "int32"}, work, put_matmul) ||
                   put_app(f, files.tsv.out, "matmul", "matmul fp32", (app_pair){"type", "fp32"}, work, put_matmul));
}

static int make_hotspot(figures *f)
{
    const char *steps = f->steps ? f->steps : "100";
    const double work = (double)f->side * (double)f->side * strtod(steps, NULL);
    figure_files files;
    return begin(f, &files) || figure_end_or_drop(&files, "mesi-hotspot", 0,
                                                  put_app(f, files.tsv.out, "hotspot", "hotspot",
                                                          (app_pair){"steps", steps}, work, put_hotspot));
}

static const struct {
    const char *name;
    int (*make)(figures *f);
} all_figures[] = {{"matmul", make_matmul}, {"hotspot", make_hotspot}};

static int find_options(const options *o, figures *f)
{
    const struct {
        const char *key, **value;
    } known[] = {{"figures", &f->list}, {"steps", &f->steps}, {"devices", &f->devices}};
    for (size_t i = 0; i < o->request.n_opts; i++) {
        size_t k = 0;
        while (k < COUNT(known) && strcmp(o->request.opts[i].key, known[k].key) != 0)
            k++;
        if (k == COUNT(known))
            return cli_bad("--opt %s: of --figures mesi there are figures, steps and devices", o->request.opts[i].key);
        *known[k].value = o->request.opts[i].value;
    }
    return CLI_OK;
}

static int make_scheduling(const figures *f, size_t *n_made)
{
    uint64_t n_steps = 0;
    if (f->steps && cli_parse_u64(f->steps, 1, 100000, &n_steps))
        return cli_bad("--opt steps=%s: a number of steps is expected", f->steps);
    return mesi_make_scheduling(f->list, f->o->out ? f->o->out : ".", (uint32_t)n_steps, n_made);
}

int figures_mesi(const options *o)
{
    figures f = {.o = o, .side = o->request.n[0] ? o->request.n[0] : SIDE, .devices = "cuda:0"};
    size_t n_made = 0, at;
    if (find_options(o, &f) || make_scheduling(&f, &n_made))
        return CLI_BAD;
    for (size_t i = 0; i < COUNT(all_figures); i++) {
        if (f.list && !figure_listed(f.list, all_figures[i].name, &at))
            continue;
        if (all_figures[i].make(&f))
            return CLI_BAD;
        n_made++;
    }
    if (!n_made)
        return cli_bad("--opt figures=%s: of matmul, hotspot, 14a to 14d and 15a to 15c", f.list);
    return f.wrong ? CLI_WRONG : CLI_OK;
}
