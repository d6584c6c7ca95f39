/* SPDX-License-Identifier: MIT */
/* hand.c - the figures openmp and pipeline: an app's loop by the library beside loops written by hand (hand.h), on the same memory in the same
 * run. Each of these is run at several settings, checked, and timed at the best one; its last answer is checked, too. A row is one way
 * with its best setting; `over` is its time over the library's.
 *
 * The figure openmp takes a time that is told beforehand, of which each app has an equal part. A sixteenth of the app's input is made,
 * checked and run once by a plain loop. From what that takes follows how much input there is time for. If an app takes longer than that,
 * as on a machine that others use, the next ones have less input. */
#include "hand.h"
#include "hdss.h"

#include <math.h>
#include <string.h>

enum { SWEEP_RUNS = 2, MOST_SETTINGS = 64, MOST_CHUNKS = 512, LEAST_STREAMS = 2, MOST_STREAMS = 4 };
enum { BY_HAND = 4, MOST_BARS = 6, PROBE_PART = 16, LEAST_PART = 64 };
#define OPENMP_SECONDS 100.0
#define SPARE 0.8      /* of an app's time is planned with, */
#define OF_SECONDS 0.6 /* and of what there is until nothing may begin any more */

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

int hand_of(hand *h, const app_case *c)
{
    int status;
    *h = (hand){.app = c->app->name, .form = c->looping->form, .record_bytes = c->record_bytes};
    h->body = &c->app->loops->bodies[h->form.desc.body];
    status = h->record_bytes > sizeof h->record || h->body->shared_bytes + HEDDLE_REDUCE_BYTES > HAND_ROOM;
    for (uint32_t i = 0; i < h->form.n_found; i++)
        status |= h->form.found[i].n > HAND_FOUND;
    if (!status)
        memcpy(h->record, c->record, h->record_bytes);
    return status;
}

/* As the app describes it for any fleet. */
static int take_loop(hand *h, subject *s, char why[HDSS_WHY])
{
    const app_case *c = s->c;
    const int status = hdss_open_loop(s, "serial", HEDDLE_SPLIT_CUT) || hand_of(h, c);
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

/* Its time; 0: it could not run. */
static double put_way(figures *f, FILE *out, subject *s, way *w, double library_ms)
{
    setting best;
    times t;
    double ms;
    if (time_way(f, s, w, &best, &t)) {
        hdss_skip(out, s->of, s->n_indices, w->devices, w->why);
        return 0;
    }
    ms = figure_middle(t.ms, t.n);
    fprintf(out, "%s\t%llu\t%s\t%s\t%llu\t%u\t%.5g\t%.5g\t%.5g\t", s->of->name, (unsigned long long)s->n_indices,
            w->devices, w->name, (unsigned long long)best.piece, best.n_streams, ms, t.ms[0], t.ms[t.n - 1]);
    if (library_ms > 0)
        fprintf(out, "%.4g\n", ms / library_ms);
    else
        fputs("-\n", out);
    return ms;
}

/* Ways on cores: the plain loop, and OpenMP's. */
static way way_on_cores(const hand *h, hand_schedule k)
{
    static const char *const names[HAND_SCHEDULES] = {"loop", "static", "dynamic", "guided"};
    way w = {.name = names[k], .devices = "cpu:1", .run = run_loop, .h = h, .schedule = k, .n_threads = 1};
    if (k != HAND_LOOP) {
        w.devices = "cpu:*";
        w.run = run_openmp;
        w.n_threads = hdss_cores();
    }
    add_pieces(&w, k == HAND_LOOP ? 16 : 4);
    return w;
}

static void put_cores(figures *f, FILE *out, subject *s, const hand *h, double ms[MOST_BARS])
{
    size_t n = 0;
    for (hand_schedule k = HAND_LOOP; k < HAND_SCHEDULES; k++) {
        way w = way_on_cores(h, k);
        if (k <= HAND_STATIC) /* others follow on the same devices */
            ms[n++] = put_library(f, out, s, w.devices);
        ms[n++] = put_way(f, out, s, &w, ms[k == HAND_LOOP ? 0 : 2]);
    }
}

static void put_pipeline(figures *f, FILE *out, subject *s, const hand *h, double ms[MOST_BARS])
{
    way w = {.name = "pipeline",
             .devices = "cuda:0",
             .run = run_pipeline,
             .open = open_pipeline,
             .close = close_pipeline,
             .h = h};
    ms[0] = put_library(f, out, s, w.devices);
    add_chunks(&w);
    if (pipeline_pin(h, w.why))
        hdss_skip(out, s->of, s->n_indices, w.devices, w.why);
    else
        ms[1] = put_way(f, out, s, &w, ms[0]);
    pipeline_unpin(h);
}

/* ---- a size that there is time for ---- */

/* What the probe took. */
typedef struct probe {
    double made_ms;  /* to make the input and the reference, and to compare with that */
    double check_ms; /* to compare once more */
    double pass_ms;  /* a plain loop */
    double clear_ms;
} probe;

static double since_ms(uint64_t begin_ns) { return 1e-6 * (double)(cli_now_ns() - begin_ns); }

/* Runs of the loop by one core that the figure's runs are worth. */
static double passes(figures *f, const hand *h)
{
    const size_t runs = figure_runs(f->o);
    double n = 0;
    for (hand_schedule k = HAND_LOOP; k < HAND_SCHEDULES; k++) {
        const way w = way_on_cores(h, k);
        const size_t library = k <= HAND_STATIC ? 1 + runs : 0;
        n += (double)(library + 1 + SWEEP_RUNS * w.n_settings + runs) / w.n_threads;
    }
    return n;
}

/* Of the library on each set of devices, and of each way by hand: two checks; results are cleared before all runs but the sweep's. */
static double whole_ms(figures *f, const hand *h, const probe *p)
{
    enum { ROWS = BY_HAND + 2 };
    const double cleared = (double)(ROWS * (1 + figure_runs(f->o)));
    return p->made_ms + 2 * ROWS * p->check_ms + cleared * p->clear_ms + passes(f, h) * p->pass_ms;
}

static int probe_loop(figures *f, subject *s, const hand *h, probe *p)
{
    way w = way_on_cores(h, HAND_LOOP);
    uint64_t begin_ns;
    int status;
    if (hdss_open_loop(s, "serial", HEDDLE_SPLIT_CUT))
        return -1;
    begin_ns = cli_now_ns();
    clear_rows(h);
    p->clear_ms = since_ms(begin_ns);
    w.now = w.settings[0];
    status = run_once(&w, &p->pass_ms);
    begin_ns = cli_now_ns();
    status = status || check(f, s, &w);
    p->made_ms += since_ms(begin_ns);
    begin_ns = cli_now_ns();
    status = status || check(f, s, &w);
    p->check_ms = since_ms(begin_ns);
    return status;
}

/* Milliseconds for an index; 0: it is not known, and why that is comes to light when the app is run. */
static double cost_of(figures *f, const loop_app *a, uint64_t n)
{
    const uint64_t begin_ns = cli_now_ns();
    probe p = {0, 0, 0, 0};
    double ms = 0;
    char why[HDSS_WHY];
    subject s;
    hand h;
    if (!hdss_open(&s, a, n, why) && !take_loop(&h, &s, why)) {
        p.made_ms = since_ms(begin_ns);
        ms = probe_loop(f, &s, &h, &p) ? 0 : whole_ms(f, &h, &p);
        hdss_close_loop(&s);
    }
    hdss_close(&s);
    return ms / (double)n;
}

/* What there is time for. */
typedef struct plan {
    uint64_t end_ns;
    double app_ms; /* that the app should take; 0: it is not known */
    double times;  /* as long as it should have an app taken, 1 at least */
} plan;

/* As many indices as the app's part of the time is enough for, but not more than are wanted. */
static uint64_t fitting(figures *f, const loop_app *a, uint64_t n, size_t n_apps, plan *p)
{
    const uint64_t now_ns = cli_now_ns(), part = n / PROBE_PART ? n / PROBE_PART : n;
    const double each_ms = now_ns < p->end_ns ? cost_of(f, a, part) : 0;
    const double ms = SPARE * 1e-6 * (double)(p->end_ns - now_ns) / (double)n_apps / p->times;
    double fits = (double)n;
    if (each_ms > 0)
        fits = fmin(fits, fmax(ms / each_ms, 1 + (double)(n / LEAST_PART)));
    p->app_ms = fits * each_ms;
    return (uint64_t)fits;
}

static void learn(plan *p, double ms) { p->times = p->app_ms > 0 && ms > p->app_ms ? ms / p->app_ms : 1; }

/* ---- figures ---- */

typedef struct by_hand {
    const char *name, *title;
    void (*put)(figures *f, FILE *out, subject *s, const hand *h, double ms[MOST_BARS]);
    double seconds; /* 0: as long as it takes */
    size_t n_bars;
    const char *bars[MOST_BARS]; /* the first is what others are compared with */
} by_hand;

static void make_app(figures *f, FILE *out, const loop_app *a, uint64_t n, const by_hand *b, double *ms)
{
    char why[HDSS_WHY];
    subject s;
    hand h;
    if (hdss_open(&s, a, n, why) || take_loop(&h, &s, why))
        hdss_skip(out, a, n, "any", why);
    else
        b->put(f, out, &s, &h, ms);
    hdss_close(&s);
}

/* Times become speeds. 0: there is nothing to draw. */
static int draw(const by_hand *b, const char *note, size_t n, const char *const *groups, double *ms, FILE *out)
{
    chart c = {.title = b->title, .note = note, .unit = "times as quick as the first"};
    int any = 0;
    for (size_t g = 0; g < n; g++) {
        double *const of = &ms[g * b->n_bars];
        const double first = of[0];
        for (size_t k = 0; k < b->n_bars; k++) {
            of[k] = first > 0 && of[k] > 0 ? first / of[k] : 0;
            any |= of[k] > 0;
        }
    }
    chart_fill(&c, n, groups, b->n_bars, b->bars, ms);
    chart_print(&c, out);
    return any;
}

static void describe(const figures *f, const by_hand *b, char *note, size_t n)
{
    size_t at = (size_t)snprintf(note, n, "%.4g MB of input%s, by the library and by hand; medians of %zu runs",
                                 1e-6 * f->n_bytes, b->seconds > 0 ? " or less" : "", figure_runs(f->o));
    if (b->seconds > 0)
        snprintf(note + at, n - at, "; as much as fits into about %.3g s", b->seconds);
}

static void make_next(figures *f, const by_hand *b, FILE *out, size_t app, plan *p, double *ms)
{
    const loop_app *a = &hdss_apps[app];
    const uint64_t n = hdss_indices(f, a), n_indices = b->seconds > 0 ? fitting(f, a, n, hdss_n_apps(f, app), p) : n;
    const uint64_t begin_ns = cli_now_ns();
    make_app(f, out, a, n_indices, b, ms);
    learn(p, since_ms(begin_ns));
}

static int make_figure(figures *f, by_hand b)
{
    figure_files files = {.dir = f->o->out ? f->o->out : "."};
    const uint64_t now_ns = cli_now_ns();
    const double left = f->end_ns > now_ns ? 1e-9 * (double)(f->end_ns - now_ns) : 0;
    plan p = {.end_ns = now_ns + (uint64_t)(1e9 * fmin(b.seconds, OF_SECONDS * left)), .times = 1};
    const char *groups[HDSS_APPS];
    double ms[HDSS_APPS * MOST_BARS] = {0};
    size_t n = 0;
    char note[200];
    if (figure_begin(&files))
        return CLI_BAD;
    describe(f, &b, note, sizeof note);
    hdss_head(f, files.tsv.out, note, columns);
    for (size_t i = 0; i < HDSS_APPS; i++)
        if (hdss_has_app(f, i)) {
            groups[n] = hdss_apps[i].name;
            make_next(f, &b, files.tsv.out, i, &p, &ms[n++ * b.n_bars]);
        }
    return figure_end(&files, b.name, draw(&b, note, n, groups, ms, files.svg.out));
}

int hdss_openmp(figures *f)
{
    return make_figure(f, (by_hand){.name = "hdss-openmp",
                                    .title = "A loop on cores, by the library and by hand",
                                    .put = put_cores,
                                    .seconds = OPENMP_SECONDS,
                                    .n_bars = BY_HAND + 2,
                                    .bars = {"heddle, one core", "plain loop, one core", "heddle, all cores",
                                             "OpenMP static", "OpenMP dynamic", "OpenMP guided"}});
}

int hdss_pipeline(figures *f)
{
    return make_figure(f, (by_hand){.name = "hdss-pipeline",
                                    .title = "A loop on a GPU, by the library and by hand",
                                    .put = put_pipeline,
                                    .n_bars = 2,
                                    .bars = {"heddle", "pipeline of streams by hand"}});
}
