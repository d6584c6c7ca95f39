/* SPDX-License-Identifier: MIT */
/* emulated.c - figure 3.10 of the thesis: an accelerator that is no GPU, alone and beside 1, 3, 7, ... cores, by ways to divide. There it was
 * an FPGA. Here a process plays it (examples/11_foreign/device.c): "emulated". It has as many times the speed of a core as the FPGA had
 * (table 3.1), the FPGA's link, and takes as large a part of the input at once. A slice takes it a time of its own besides, so that short
 * ones are slow.
 *
 * A core has as much work for a byte of input as there: it calls the body as often as that takes. The process calls it once and then waits
 * until the device would have ended. So it needs little of the core that it runs on, and what it leaves is computed and checked. The input
 * is as long as one core takes two seconds for. A core is left to the process, and one to the device's manager. */
#include "hdss.h"

#include "11_foreign/device.h"

#include <math.h>

#define THESIS_BYTES 750e6 /* of input */
#define CORE_SECONDS 2.0
#define MEMORY (UINT64_C(1) << 30)
#define COPIES 3.0 /* of the whole input: 250 MB each, there */
#define LINK 3.2e9 /* bytes a second, in each direction */
#define STARTS \
    1e-3 /* of the device's time for the loop: what a slice takes besides. One of so many indices has half the rate */

enum { EMULATED_APPS = 2, MOST_COUNTS = 9, WAYS = 6 };

typedef struct emulated_app {
    loop_app of;
    double core_s, device_s; /* table 3.1 */
} emulated_app;

static const emulated_app emulated_apps[EMULATED_APPS] = {{{"blackscholes", 1, 0, 12, "1024"}, 246.8, 15.0},
                                                          {{"histogram", 4096, 0, 4096, "16"}, 155.2, 25.1}};

static const heddle_split ways[WAYS] = {HEDDLE_SPLIT_CUT,   HEDDLE_SPLIT_HDSS,   HEDDLE_SPLIT_AXEL,
                                        HEDDLE_SPLIT_QILIN, HEDDLE_SPLIT_LINEAR, HEDDLE_SPLIT_EXPONENTIAL};

/* ---- the body, often -------------------------------------------------------------------------------------------------- */

/* Bodies know of nothing but their record: this is for the one loop that is open. */
static struct {
    heddle_body_info body;
    uint32_t n_times;
} often;

static void run_often(const heddle_thread *thread, const void *params, const void *args)
{
    for (uint32_t k = 0; k < often.n_times; k++)
        often.body.run(thread, params, args);
}

/* An app with that body in its loop. */
typedef struct heavy {
    app app;
    heddle_table table;
    heddle_body_info body;
} heavy;

static void make_heavy(heavy *h, subject *s)
{
    const heddle_table *once = s->c->app->loops; /* has one body */
    h->app = *s->c->app;
    h->table = *once;
    h->body = often.body = once->bodies[0];
    h->body.run = run_often;
    h->table.bodies = &h->body;
    h->app.loops = &h->table;
    s->c->app = &h->app;
}

/* ---- one app ----------------------------------------------------------------------------------------------------------- */

typedef struct emulation {
    figures *f;
    FILE *out;
    const emulated_app *of;
    subject s;
    const uint32_t *counts; /* of cores */
    size_t n_counts;
    heavy heavy; /* the subject's app, as long as that is open */
    device_config device;
    double core_ms;
    double *over; /* [alone and each count][alone and each way] */
} emulation;

static double ratio_of(const emulated_app *a) { return a->core_s / a->device_s; }

static uint64_t indices_of(const figures *f, const emulated_app *a)
{
    const double n = fmin(f->n_bytes, THESIS_BYTES * CORE_SECONDS / a->core_s) / (double)a->of.bytes;
    return n > 1 ? (uint64_t)n : 1;
}

static double time_row(emulation *e, const char *devices, const char *shown, heddle_split way)
{
    hdss_timing t;
    double ms, over;
    hdss_time(e->f, &e->s, devices, way, 1, &t);
    ms = t.n ? hdss_middle(t.later, t.n)->ms : 0;
    e->core_ms = e->s.device ? e->core_ms : ms;
    over = ms > 0 ? e->core_ms / ms : 0;
    hdss_put_way(e->out, &e->s, shown, way, &t, over);
    return over;
}

/* From a run with the fewest calls with which the process can keep up with the device. 0: it is not known. */
static uint32_t choose_times(emulation *e)
{
    const double want_ms = 1e3 * e->of->core_s / THESIS_BYTES * (double)(e->s.n_indices * e->of->of.bytes);
    const double least = ceil(2 * ratio_of(e->of));
    hdss_timing t;
    often.n_times = (uint32_t)least;
    hdss_time(e->f, &e->s, "cpu:1", HEDDLE_SPLIT_CUT, 1, &t);
    if (!t.n)
        hdss_skip(e->out, &e->of->of, e->s.n_indices, "cpu:1", t.why);
    return t.n ? (uint32_t)fmax(want_ms / hdss_middle(t.later, t.n)->ms * least, least) : 0;
}

static device_config device_of(const emulation *e, const heddle_table *bodies)
{
    const double device_ns = 1e6 * e->core_ms / ratio_of(e->of);
    const uint64_t n_bytes = e->s.n_indices * e->of->of.bytes;
    return (device_config){.memory_bytes = MEMORY,
                           .most_copy_bytes = (uint64_t)((double)n_bytes / COPIES) + 1,
                           .link = LINK,
                           .start_ns = STARTS * device_ns,
                           .each_ns = device_ns / (double)e->s.n_indices,
                           .weight = ratio_of(e->of),
                           .table = bodies};
}

/* A fleet needs a device in words. That of the device alone is lost in the first run, which does not count. */
static void time_device(emulation *e)
{
    char devices[24], shown[40];
    e->over[0] = time_row(e, "virtual:fail=1", "emulated", HEDDLE_SPLIT_CUT);
    for (size_t k = 0; k < e->n_counts; k++)
        for (size_t i = 0; i < WAYS; i++) {
            snprintf(devices, sizeof devices, "cpu:%u", e->counts[k]);
            snprintf(shown, sizeof shown, "emulated %s", devices);
            e->over[(k + 1) * (WAYS + 1) + i + 1] = time_row(e, devices, shown, ways[i]);
        }
}

static void time_app(emulation *e)
{
    const heddle_table *once = e->s.c->app->loops;
    make_heavy(&e->heavy, &e->s);
    often.n_times = choose_times(e);
    if (!often.n_times || !(time_row(e, "cpu:1", "cpu:1", HEDDLE_SPLIT_CUT) > 0))
        return;
    e->device = device_of(e, once);
    e->s.device = &e->device;
    time_device(e);
}

/* ---- the figure -------------------------------------------------------------------------------------------------------- */

/* 1, 3, 7, ..., and as many as there are beside the device's two. */
static size_t count_cores(uint32_t counts[MOST_COUNTS])
{
    const uint32_t cores = hdss_cores(), most = cores > 3 ? cores - 2 : 1;
    size_t n = 0;
    for (uint32_t k = 1; k < most && n + 1 < MOST_COUNTS; k = 2 * k + 1)
        counts[n++] = k;
    counts[n++] = most;
    return n;
}

static int draw(const emulation *e, const char *note)
{
    const char *groups[MOST_COUNTS + 1] = {"alone"}, *series[WAYS + 1] = {"the device alone"};
    char names[MOST_COUNTS][24], title[80], file[64];
    figure_files files = {.dir = e->f->o->out ? e->f->o->out : "."};
    chart c = {.title = title, .note = note, .unit = "times as quick as one core"};
    snprintf(title, sizeof title, "An emulated device of %.1f cores: %s", ratio_of(e->of), e->of->of.name);
    snprintf(file, sizeof file, "hdss-emulated-%s", e->of->of.name);
    for (size_t k = 0; k < e->n_counts; k++) {
        snprintf(names[k], sizeof names[k], "%u core%s", e->counts[k], e->counts[k] > 1 ? "s" : "");
        groups[k + 1] = names[k];
    }
    for (size_t i = 0; i < WAYS; i++)
        series[i + 1] = heddle_split_name(ways[i]);
    if (figure_begin(&files))
        return CLI_BAD;
    chart_fill(&c, e->n_counts + 1, groups, WAYS + 1, series, e->over);
    chart_print(&c, files.svg.out);
    return figure_end_drawing(&files, file);
}

static int make_app(emulation *e, const char *note)
{
    double over[(MOST_COUNTS + 1) * (WAYS + 1)] = {0};
    const uint64_t n = indices_of(e->f, e->of);
    char why[HDSS_WHY];
    e->over = over;
    if (hdss_open(&e->s, &e->of->of, n, why))
        hdss_skip(e->out, &e->of->of, n, "emulated", why);
    else
        time_app(e);
    hdss_close(&e->s);
    return draw(e, note);
}

int hdss_emulated(figures *f)
{
    figure_files files = {.dir = f->o->out ? f->o->out : "."};
    uint32_t counts[MOST_COUNTS];
    const size_t n_counts = count_cores(counts);
    char note[160];
    size_t at;
    if (figure_begin(&files))
        return CLI_BAD;
    snprintf(note, sizeof note,
             "emulated: a process plays a device of %.1f (%s) and %.1f (%s) cores; medians of %zu later runs",
             ratio_of(&emulated_apps[0]), emulated_apps[0].of.name, ratio_of(&emulated_apps[1]),
             emulated_apps[1].of.name, figure_runs(f->o));
    hdss_head(f, files.tsv.out, note, hdss_way_columns);
    for (size_t i = 0; i < EMULATED_APPS; i++) {
        emulation e = {.f = f, .out = files.tsv.out, .of = &emulated_apps[i], .counts = counts, .n_counts = n_counts};
        if (f->apps && !figure_listed(f->apps, e.of->of.name, &at))
            hdss_skip(files.tsv.out, &e.of->of, indices_of(f, e.of), "emulated", "--opt apps leaves it out");
        else if (make_app(&e, note))
            return CLI_BAD;
    }
    return figure_end(&files, "hdss-emulated", 0);
}
