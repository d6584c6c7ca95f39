/* SPDX-License-Identifier: MIT */
/* chunks.c - figures 3.1 and 3.7 of the thesis: the rate of an accelerator by the size of a slice. A loop of 2^k indices, of which a fleet of
 * one device makes one interval, is one slice as long as the device has buffers for it. Through the rates go two curves: a slice of n
 * takes t0 + n / r (a straight line of times), and the rate is a ln n + b, as the thesis has it. Loops of several slices are rows, but
 * the curves leave them out. */
#include "hdss.h"

#include <math.h>

enum { LEAST_BYTES = 12 << 10, MOST_POWER = 40, CURVES_FROM = 3, N_CURVES = 3 };

static const char *const series_of_fits[N_CURVES] = {"measured", "n / (t0 + n / r)", "a ln n + b"};

typedef struct sweep {
    figures *f;
    FILE *rows, *fits;
    const char *dir;
    const loop_app *of;
    uint32_t from, to;                    /* powers of 2 */
    double rate[MOST_POWER];              /* indices a ms, by power; 0: skipped */
    double x[MOST_POWER], ms[MOST_POWER]; /* of loops of one slice */
    size_t n;
} sweep;

/* From about as many bytes as 2^10 options of blackscholes have. */
static void choose_powers(sweep *w)
{
    const uint64_t n = hdss_indices(w->f, w->of);
    for (w->to = 0; n >> (w->to + 1) && w->to + 1 < MOST_POWER; w->to++)
        ;
    for (w->from = 0; w->from < w->to && w->of->bytes << w->from < LEAST_BYTES; w->from++)
        ;
}

static void time_power(sweep *w, uint32_t power)
{
    hdss_timing t;
    const uint64_t n = UINT64_C(1) << power;
    const hdss_run *r;
    subject s;
    w->rate[power] = 0;
    if (!hdss_open(&s, w->of, n, t.why))
        hdss_time(w->f, &s, w->f->first, HEDDLE_SPLIT_STATIC, 1, &t);
    else
        t.n = 0;
    hdss_close(&s);
    if (!t.n) {
        hdss_skip(w->rows, w->of, n, w->f->first, t.why);
        return;
    }
    r = hdss_middle(t.later, t.n);
    w->rate[power] = (double)n / r->ms;
    fprintf(w->rows, "%s\t%llu\t%s\t%.5g\t%.5g\t%.5g\t%.5g\t%llu\t%.5g\t%.5g\n", w->of->name, (unsigned long long)n,
            w->f->first, r->ms, t.later[0].ms, t.later[t.n - 1].ms, w->rate[power], (unsigned long long)r->n_slices,
            r->in_mb, r->out_mb);
    if (r->n_slices != 1)
        return;
    w->x[w->n] = (double)n;
    w->ms[w->n++] = r->ms;
}

typedef struct curves {
    double ln_x[MOST_POWER], rate[MOST_POWER];
    fit line, curve;
} curves;

/* The rates and both curves of an app: hdss-fits-APP.svg. */
static int draw_curves(const sweep *w, const curves *c)
{
    const char *groups[MOST_POWER];
    char names[MOST_POWER][8], note[160], name[64];
    double value[MOST_POWER * N_CURVES], at[MOST_POWER];
    chart drawing = {.title = "The rate of an accelerator by the size of a slice, and two curves",
                     .note = note,
                     .unit = "indices a ms",
                     .at = at,
                     .at_unit = "indices, as powers of two"};
    figure_files files = {.dir = w->dir};
    if (figure_begin(&files))
        return CLI_BAD;
    snprintf(note, sizeof note, "%s: the line of times misses by %.3g %%, the logarithm by %.3g %% (root mean square)",
             w->of->name, 100 * c->line.error, 100 * c->curve.error);
    for (size_t i = 0; i < w->n; i++) {
        at[i] = c->ln_x[i] / log(2);
        snprintf(names[i], sizeof names[0], "%.0f", at[i]);
        groups[i] = names[i];
        value[i * N_CURVES] = c->rate[i];
        value[i * N_CURVES + 1] = w->x[i] / (c->line.b + c->line.a * w->x[i]);
        value[i * N_CURVES + 2] = c->curve.a * c->ln_x[i] + c->curve.b;
    }
    chart_fill(&drawing, w->n, groups, N_CURVES, series_of_fits, value);
    chart_print(&drawing, files.svg.out);
    snprintf(name, sizeof name, "hdss-fits-%s", w->of->name);
    return figure_end_drawing(&files, name);
}

static int put_fits(const sweep *w)
{
    curves c;
    for (size_t i = 0; i < w->n; i++) {
        c.ln_x[i] = log(w->x[i]);
        c.rate[i] = w->x[i] / w->ms[i];
    }
    fprintf(w->fits, "%s\t%zu\t", w->of->name, w->n);
    if (w->n < CURVES_FROM || hdss_fit(w->n, w->x, w->ms, &c.line) || hdss_fit(w->n, c.ln_x, c.rate, &c.curve)) {
        fputs("skipped\tfewer than three loops are one slice\n", w->fits);
        return CLI_OK;
    }
    fprintf(w->fits, "%.5g\t%.5g\t%.3g\t%.5g\t%.5g\t%.3g\n", 1e3 * c.line.b, c.line.a > 0 ? 1 / c.line.a : 0,
            100 * c.line.error, c.curve.a, c.curve.b, 100 * c.curve.error);
    return draw_curves(w, &c);
}

/* ---- the figure ---- */

/* A series an app: its rate over its best. */
static int draw(const sweep *all, size_t n, const char *note, figure_files *files)
{
    const char *groups[MOST_POWER], *series[HDSS_APPS];
    char names[MOST_POWER][8];
    double value[MOST_POWER * HDSS_APPS] = {0}, at[MOST_POWER];
    uint32_t from = MOST_POWER, to = 0;
    chart c = {.title = "The rate of an accelerator by the size of a slice",
               .note = note,
               .unit = "of the app's best rate",
               .at = at,
               .at_unit = "indices, as powers of two"};
    for (size_t i = 0; i < n; i++) {
        from = all[i].from < from ? all[i].from : from;
        to = all[i].to > to ? all[i].to : to;
    }
    for (uint32_t k = from; k <= to; k++) {
        snprintf(names[k - from], sizeof names[0], "%u", k);
        groups[k - from] = names[k - from];
        at[k - from] = k - from;
    }
    for (size_t i = 0; i < n; i++) {
        double best = 0;
        for (uint32_t k = all[i].from; k <= all[i].to; k++)
            best = fmax(best, all[i].rate[k]);
        for (uint32_t k = all[i].from; k <= all[i].to; k++)
            value[(k - from) * n + i] = best > 0 ? all[i].rate[k] / best : 0;
        series[i] = all[i].of->name;
    }
    chart_fill(&c, to - from + 1, groups, n, series, value);
    chart_print(&c, files->svg.out);
    return figure_end(files, "hdss-chunks", 1);
}

static int make_app(sweep *w)
{
    choose_powers(w);
    for (uint32_t k = w->from; k <= w->to; k++)
        time_power(w, k);
    return put_fits(w);
}

/* Without an accelerator: why there is nothing. */
static int end_without(figure_files *rows, figure_files *fits)
{
    fprintf(rows->tsv.out, "skipped\t%s\n", hdss_no_gpu);
    fprintf(fits->tsv.out, "skipped\t%s\n", hdss_no_gpu);
    return figure_end(rows, "hdss-chunks", 0) || figure_end(fits, "hdss-fits", 0) ? CLI_BAD : CLI_OK;
}

int hdss_chunks(figures *f)
{
    const char *dir = f->o->out ? f->o->out : ".";
    figure_files rows = {.dir = dir}, fits = {.dir = dir};
    sweep all[HDSS_APPS] = {{0}};
    size_t n = 0;
    char note[160];
    if (figure_begin(&rows) || figure_begin(&fits))
        return CLI_BAD;
    snprintf(note, sizeof note, "%s alone, a loop as one slice; medians of %zu later runs",
             f->first ? f->first : "a GPU", figure_runs(f->o));
    hdss_head(f, rows.tsv.out, note,
              "app\tindices\tdevices\tmedian_ms\tleast_ms\tmost_ms\tindices_a_ms\tslices\tin_MB\tout_MB");
    hdss_head(f, fits.tsv.out, note, "app\tloops\tt0_us\tr_a_ms\terror_percent\ta\tb\tlog_error_percent");
    if (!f->first)
        return end_without(&rows, &fits);
    for (size_t i = 0; i < HDSS_APPS; i++)
        if (hdss_has_app(f, i)) {
            all[n] = (sweep){.f = f, .rows = rows.tsv.out, .fits = fits.tsv.out, .dir = dir, .of = &hdss_apps[i]};
            if (make_app(&all[n++]))
                return CLI_BAD;
        }
    return draw(all, n, note, &rows) || figure_end(&fits, "hdss-fits", 0) ? CLI_BAD : CLI_OK;
}
