/* SPDX-License-Identifier: MIT */
/* hand.c - the figures openmp and pipeline: an app's loop by the library beside loops written by hand (hand.h), on the same memory in the same
 * run. Each of these is run at several settings, checked, and timed at the best one; its last answer is checked, too. A row is one way
 * with its best setting; `over` is its time over the library's. */
#include "hand.h"
#include "hdss.h"

#include <string.h>

enum { SWEEP_RUNS = 2, MOST_SETTINGS = 64, MOST_CHUNKS = 512, LEAST_STREAMS = 2, MOST_STREAMS = 4 };

typedef struct setting {
    uint64_t piece; /* indices of a piece or chunk */
    uint32_t n_streams;
} setting;

/* What is timed. run: once. Nonzero: `why` not. */
typedef struct way {
    const char *name, *devices;
    int (*run)(struct way *w);
    /* Before and after the runs at a setting; may be NULL. */
    int (*open)(struct way *w);
    void (*close)(struct way *w);
    const hand *h;
    hand_schedule schedule;
    uint32_t n_threads;
    pipeline *pipe;
    setting settings[MOST_SETTINGS], now;
    size_t n_settings;
    char why[HDSS_WHY];
} way;

typedef struct times {
    double ms[FIGURE_RUNS];
    size_t n;
} times;

/* ---- the loop ---- */

/* As the app describes it for any fleet. */
static int take_loop(hand *h, subject *s, char why[HDSS_WHY])
{
    const app_case *c = s->c;
    int status = hdss_open_loop(s, "serial", HEDDLE_SPLIT_CUT);
    if (!status) {
        *h = (hand){.app = s->of->name, .form = c->looping->form, .record_bytes = c->record_bytes};
        h->body = &c->app->loops->bodies[h->form.desc.body];
        status = h->record_bytes > sizeof h->record || h->body->shared_bytes + HEDDLE_REDUCE_BYTES > HAND_ROOM;
        for (uint32_t i = 0; i < h->form.n_found; i++)
            status |= h->form.found[i].n > HAND_FOUND;
        if (!status)
            memcpy(h->record, c->record, h->record_bytes);
    }
    snprintf(why, HDSS_WHY, "%.*s", HDSS_WHY - 1, c->error[0] ? c->error : "the app's loop is too large");
    hdss_close_loop(s);
    return status;
}

/* So that no old result can pass. */
static void clear_rows(const hand *h)
{
    for (uint32_t i = 0; i < h->form.n_rows; i++)
        if (h->form.rows[i].mode == HEDDLE_MODE_OUT)
            memset(h->form.rows[i].host, 0, h->form.rows[i].n_rows * h->form.rows[i].row_bytes);
}

/* ---- ways on cores ---- */

static int run_loop(way *w)
{
    hand_loop(w->h, w->now.piece);
    return 0;
}

static int run_openmp(way *w)
{
    snprintf(w->why, sizeof w->why, "built without OpenMP");
    return hand_openmp(w->h, w->schedule, w->now.piece, w->n_threads);
}

static void add_setting(way *w, uint64_t piece, uint32_t n_streams)
{
    if (w->n_settings < MOST_SETTINGS)
        w->settings[w->n_settings++] = (setting){piece, n_streams};
}

/* From the tile of the app's loop on, by that factor, to a thread's even share. */
static void add_pieces(way *w, uint64_t factor)
{
    const uint64_t most = hand_pieces(w->h, w->n_threads);
    for (uint64_t piece = w->h->form.desc.tile; piece < most; piece *= factor)
        add_setting(w, piece, 0);
    add_setting(w, most, 0);
}

/* ---- the way on a GPU ---- */

static int open_pipeline(way *w) { return pipeline_open(&w->pipe, w->h, w->now.piece, w->now.n_streams, w->why); }

static void close_pipeline(way *w)
{
    pipeline_close(w->pipe);
    w->pipe = NULL;
}

static int run_pipeline(way *w) { return pipeline_run(w->pipe, w->why); }

/* From an eighth of the loop down, by halves, on two to four streams. */
static void add_chunks(way *w)
{
    const uint64_t tile = w->h->form.desc.tile, n = hand_pieces(w->h, tile);
    for (uint64_t parts = 8; parts <= MOST_CHUNKS && (parts == 8 || parts <= n); parts *= 2)
        for (uint32_t streams = LEAST_STREAMS; streams <= MOST_STREAMS; streams++)
            add_setting(w, (n + parts - 1) / parts * tile, streams);
}

/* ---- timing ---- */

static int run_once(way *w, double *ms)
{
    const uint64_t begin_ns = cli_now_ns();
    cli_progress("%s: %s on %s", w->h->app, w->name, w->devices);
    if (w->run(w))
        return -1;
    *ms = 1e-6 * (double)(cli_now_ns() - begin_ns);
    return 0;
}

/* is_clean: before each run what the loop writes is cleared, as the library's runs have it. */
static int run_at(way *w, const setting *at, size_t n_runs, int is_clean, times *t)
{
    double ms = 0;
    int status;
    w->now = *at;
    status = w->open ? w->open(w) : 0;
    for (size_t i = 0; i < n_runs && !status; i++) {
        if (is_clean)
            clear_rows(w->h);
        status = run_once(w, &ms);
        if (!status)
            figure_put(t->ms, t->n++, ms);
    }
    if (w->close)
        w->close(w);
    return status;
}

/* The quickest setting. A setting that is not possible, for want of memory, is passed over. */
static int choose(figures *f, way *w, setting *best)
{
    double least = 0;
    for (size_t i = 0; i < w->n_settings && !hdss_is_late(f, w->why); i++) {
        times t = {.n = 0};
        if (!run_at(w, &w->settings[i], SWEEP_RUNS, 0, &t) && !(least > 0 && t.ms[0] >= least)) {
            least = t.ms[0];
            *best = w->settings[i];
        }
    }
    return least > 0 ? 0 : -1;
}

static int check(figures *f, subject *s, way *w)
{
    if (!hdss_check(f, s))
        return 0;
    snprintf(w->why, sizeof w->why, "%.*s", HDSS_WHY - 1, s->c->error);
    return -1;
}

/* Checked at the first setting, before any time counts, and at the best. */
static int time_opened(figures *f, subject *s, way *w, setting *best, times *t)
{
    times first = {.n = 0};
    if (run_at(w, &w->settings[0], 1, 1, &first) || check(f, s, w) || choose(f, w, best))
        return -1;
    return run_at(w, best, figure_runs(f->o), 1, t) || check(f, s, w) ? -1 : 0;
}

/* Apps read and check through a loop: that of a fleet without threads. */
static int time_way(figures *f, subject *s, way *w, setting *best, times *t)
{
    int status = hdss_is_late(f, w->why);
    t->n = 0;
    if (status)
        return -1;
    s->c->error[0] = 0;
    if (hdss_open_loop(s, "serial", HEDDLE_SPLIT_CUT)) {
        snprintf(w->why, sizeof w->why, "%.*s", HDSS_WHY - 1, s->c->error);
        status = -1;
    } else {
        status = time_opened(f, s, w, best, t);
    }
    hdss_close_loop(s);
    return status;
}

/* ---- rows ---- */

static const char columns[] = "app\tindices\tdevices\tby\tpiece\tstreams\tmedian_ms\tleast_ms\tmost_ms\tover";

/* The library's time; 0: it could not run. */
static double put_library(figures *f, FILE *out, subject *s, const char *devices)
{
    hdss_timing t;
    hdss_time(f, s, devices, HEDDLE_SPLIT_CUT, 1, &t);
    if (!t.n) {
        hdss_skip(out, s->of, s->n_indices, devices, t.why);
        return 0;
    }
    fprintf(out, "%s\t%llu\t%s\theddle\t-\t-\t%.5g\t%.5g\t%.5g\t1\n", s->of->name, (unsigned long long)s->n_indices,
            devices, hdss_middle(t.later, t.n)->ms, t.later[0].ms, t.later[t.n - 1].ms);
    return hdss_middle(t.later, t.n)->ms;
}

static void put_way(figures *f, FILE *out, subject *s, way *w, double library_ms)
{
    setting best;
    times t;
    double ms;
    if (time_way(f, s, w, &best, &t)) {
        hdss_skip(out, s->of, s->n_indices, w->devices, w->why);
        return;
    }
    ms = figure_middle(t.ms, t.n);
    fprintf(out, "%s\t%llu\t%s\t%s\t%llu\t%u\t%.5g\t%.5g\t%.5g\t", s->of->name, (unsigned long long)s->n_indices,
            w->devices, w->name, (unsigned long long)best.piece, best.n_streams, ms, t.ms[0], t.ms[t.n - 1]);
    if (library_ms > 0)
        fprintf(out, "%.4g\n", ms / library_ms);
    else
        fputs("-\n", out);
}

static void put_loop(figures *f, FILE *out, subject *s, const hand *h)
{
    way w = {.name = "loop", .devices = "cpu:1", .run = run_loop, .h = h, .n_threads = 1};
    add_pieces(&w, 16);
    put_way(f, out, s, &w, put_library(f, out, s, w.devices));
}

static void put_openmp(figures *f, FILE *out, subject *s, const hand *h)
{
    static const char *const names[HAND_SCHEDULES] = {"loop", "static", "dynamic", "guided"};
    const double library_ms = put_library(f, out, s, "cpu:*");
    for (hand_schedule k = HAND_STATIC; k < HAND_SCHEDULES; k++) {
        way w = {
            .name = names[k], .devices = "cpu:*", .run = run_openmp, .h = h, .schedule = k, .n_threads = hdss_cores()};
        add_pieces(&w, 4);
        put_way(f, out, s, &w, library_ms);
    }
}

static void put_cores(figures *f, FILE *out, subject *s, const hand *h)
{
    put_loop(f, out, s, h);
    put_openmp(f, out, s, h);
}

static void put_pipeline(figures *f, FILE *out, subject *s, const hand *h)
{
    way w = {.name = "pipeline",
             .devices = "cuda:0",
             .run = run_pipeline,
             .open = open_pipeline,
             .close = close_pipeline,
             .h = h};
    const double library_ms = put_library(f, out, s, w.devices);
    add_chunks(&w);
    if (pipeline_pin(h, w.why))
        hdss_skip(out, s->of, s->n_indices, w.devices, w.why);
    else
        put_way(f, out, s, &w, library_ms);
    pipeline_unpin(h);
}

/* ---- figures ---- */

typedef void put_fn(figures *f, FILE *out, subject *s, const hand *h);

static void make_app(figures *f, FILE *out, const loop_app *a, put_fn *put)
{
    const uint64_t n = hdss_indices(f, a);
    char why[HDSS_WHY];
    subject s;
    hand h;
    if (hdss_open(&s, a, n, why) || take_loop(&h, &s, why))
        hdss_skip(out, a, n, "any", why);
    else
        put(f, out, &s, &h);
    hdss_close(&s);
}

static int make_figure(figures *f, const char *name, put_fn *put)
{
    figure_files files = {.dir = f->o->out ? f->o->out : "."};
    char note[160];
    if (figure_begin(&files))
        return CLI_BAD;
    snprintf(note, sizeof note, "%.4g MB of input, by the library and by hand; medians of %zu runs", 1e-6 * f->n_bytes,
             figure_runs(f->o));
    hdss_head(f, files.tsv.out, note, columns);
    for (size_t i = 0; i < HDSS_APPS; i++)
        if (hdss_has_app(f, i))
            make_app(f, files.tsv.out, &hdss_apps[i], put);
    return figure_end(&files, name, 0);
}

int hdss_openmp(figures *f) { return make_figure(f, "hdss-openmp", put_cores); }
int hdss_pipeline(figures *f) { return make_figure(f, "hdss-pipeline", put_pipeline); }
