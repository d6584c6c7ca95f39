/* SPDX-License-Identifier: MIT */
/* alone.c - table 3.1 and figure 3.13 of the thesis: an app on each kind of device alone and on everything. The bound is the work over the
 * sum of the speeds alone. Its cores are as many as everything has: each GPU has the time of one. The ideal share of the others is their
 * part of that sum. */
#include "hdss.h"

#include <string.h>

/* SAME: as many cores as everything has. OTHERS: all accelerators, if there are several. */
enum { ONE, ALL, SAME, FIRST_OTHER, OTHERS, EVERYTHING, FLEETS };
enum { BAR_CORES, BAR_OTHERS, BAR_FIRST, BAR_LATER, BAR_BOUND, BARS };
enum { SHARES = 2 };

static const char *const bars[BARS] = {"all cores", "accelerator", "everything, first run", "everything, later runs",
                                       "sum of speeds alone"};

static const char *const shares[SHARES] = {"of the indices, later runs", "of the sum of speeds alone"};

/* What is drawn: a group an app. */
typedef struct drawn {
    const char *groups[HDSS_APPS];
    size_t n_groups;
    double value[HDSS_APPS * BARS], share[HDSS_APPS * SHARES];
} drawn;

/* What one app takes. */
typedef struct app_times {
    const subject *s;
    hdss_timing of[FLEETS];
    const hdss_timing *cores, *others; /* those of everything */
    char same[24];                     /* words of SAME; "": it is not timed */
    double bound_ms, ideal_share;
} app_times;

static double middle_ms(const hdss_timing *t) { return t->n ? hdss_middle(t->later, t->n)->ms : 0; }

/* ---- rows ---- */

static void put_devices(FILE *out, const app_times *a, const char *devices, const char *which, const hdss_run *runs,
                        size_t n)
{
    const double one = middle_ms(&a->of[ONE]);
    const hdss_run *r = hdss_middle(runs, n);
    fprintf(out, "%s\t%llu\t%s\t%s\t%.5g\t%.5g\t%.5g\t%.4g", a->s->of->name, (unsigned long long)a->s->n_indices,
            devices, which, r->ms, runs[0].ms, runs[n - 1].ms, one > 0 ? one / r->ms : 0);
}

/* How it was divided; and beside the bound, if there is one. */
static void put_division(FILE *out, const app_times *a, const hdss_run *r, int has_bound)
{
    if (has_bound)
        fprintf(out, "\t%.5g\t%.3f\t%.4f\t%.4f\t%.4f", a->bound_ms, a->bound_ms / r->ms, r->balance, r->share,
                a->ideal_share);
    else
        fprintf(out, "\t-\t-\t%.4f\t%.4f\t-", r->balance, r->share);
    fprintf(out, "\t%.5g\t%.5g\t%llu\t%.4g\n", r->in_mb, r->out_mb, (unsigned long long)r->n_slices, r->host_us);
}

static void print_row(FILE *out, const app_times *a, int fleet, const char *devices)
{
    const hdss_timing *t = &a->of[fleet];
    const int has_bound = fleet == EVERYTHING && a->bound_ms > 0;
    if (!t->n) {
        hdss_skip(out, a->s->of, a->s->n_indices, devices, t->why);
        return;
    }
    if (fleet == EVERYTHING) {
        put_devices(out, a, devices, "first", t->first, t->n_first);
        put_division(out, a, hdss_middle(t->first, t->n_first), has_bound);
    }
    put_devices(out, a, devices, "later", t->later, t->n);
    put_division(out, a, hdss_middle(t->later, t->n), has_bound);
}

static void print_rows(const figures *f, FILE *out, const app_times *a)
{
    print_row(out, a, ONE, "cpu:1");
    print_row(out, a, ALL, "cpu:*");
    if (a->same[0])
        print_row(out, a, SAME, a->same);
    if (f->first)
        print_row(out, a, FIRST_OTHER, f->first);
    else
        hdss_skip(out, a->s->of, a->s->n_indices, "cuda:0", hdss_no_gpu);
    if (a->others == &a->of[OTHERS])
        print_row(out, a, OTHERS, f->others);
    print_row(out, a, EVERYTHING, f->everything);
}

/* ---- times ---- */

/* The cores of everything: timed apart, unless they are one or all. */
static void time_same(figures *f, subject *s, app_times *a)
{
    const uint32_t n = a->of[EVERYTHING].n_cores;
    a->same[0] = 0;
    a->cores = n == 1 ? &a->of[ONE] : n == a->of[ALL].n_cores ? &a->of[ALL] : &a->of[SAME];
    if (!n || a->cores != &a->of[SAME])
        return;
    snprintf(a->same, sizeof a->same, "cpu:%u", n);
    hdss_time(f, s, a->same, HEDDLE_SPLIT_CUT, 1, &a->of[SAME]);
}

static void bound(app_times *a)
{
    const uint32_t n_cores = a->of[EVERYTHING].n_cores, n_others = a->of[EVERYTHING].n_others;
    const double of_cores = n_cores && a->cores->n ? 1 / middle_ms(a->cores) : 0;
    const double of_others = n_others && a->others->n ? 1 / middle_ms(a->others) : 0;
    a->bound_ms = a->ideal_share = 0;
    if ((n_cores && !(of_cores > 0)) || (n_others && !(of_others > 0)) || !(n_cores + n_others))
        return; /* one of them is not known */
    a->bound_ms = 1 / (of_cores + of_others);
    a->ideal_share = of_others * a->bound_ms;
}

static void time_app(figures *f, subject *s, app_times *a)
{
    memset(a->of, 0, sizeof a->of);
    hdss_time(f, s, f->everything, HEDDLE_SPLIT_CUT, figure_runs(f->o), &a->of[EVERYTHING]);
    hdss_time(f, s, "cpu:1", HEDDLE_SPLIT_CUT, 1, &a->of[ONE]);
    hdss_time(f, s, "cpu:*", HEDDLE_SPLIT_CUT, 1, &a->of[ALL]);
    time_same(f, s, a);
    if (f->first)
        hdss_time(f, s, f->first, HEDDLE_SPLIT_CUT, 1, &a->of[FIRST_OTHER]);
    a->others = &a->of[FIRST_OTHER];
    if (a->of[EVERYTHING].n_others > 1 && f->first && strcmp(f->first, f->others) != 0) {
        a->others = &a->of[OTHERS];
        hdss_time(f, s, f->others, HEDDLE_SPLIT_CUT, 1, &a->of[OTHERS]);
    }
    bound(a);
}

/* ---- the figure ---- */

static double times_as_quick(double one, double ms) { return one > 0 && ms > 0 ? one / ms : 0; }

static void draw(const app_times *a, double *value, double *share)
{
    const double one = middle_ms(&a->of[ONE]);
    const hdss_timing *all = &a->of[EVERYTHING];
    share[0] = all->n ? 100 * hdss_middle(all->later, all->n)->share : 0;
    share[1] = 100 * a->ideal_share;
    value[BAR_CORES] = times_as_quick(one, middle_ms(&a->of[ALL]));
    value[BAR_OTHERS] = times_as_quick(one, middle_ms(&a->of[FIRST_OTHER]));
    value[BAR_FIRST] = times_as_quick(one, all->n_first ? hdss_middle(all->first, all->n_first)->ms : 0);
    value[BAR_LATER] = times_as_quick(one, middle_ms(all));
    value[BAR_BOUND] = times_as_quick(one, a->bound_ms);
}

static void make_app(figures *f, size_t i, FILE *out, drawn *d)
{
    const size_t group = d->n_groups++;
    app_times a;
    const uint64_t n = hdss_indices(f, &hdss_apps[i]);
    char why[HDSS_WHY];
    subject s;
    d->groups[group] = hdss_apps[i].name;
    if (hdss_open(&s, &hdss_apps[i], n, why)) {
        hdss_skip(out, &hdss_apps[i], n, f->everything, why);
    } else {
        a.s = &s;
        time_app(f, &s, &a);
        print_rows(f, out, &a);
        draw(&a, &d->value[group * BARS], &d->share[group * SHARES]);
    }
    hdss_close(&s);
}

static int end_shares(const drawn *d, const char *dir, const char *note)
{
    chart c = {.title = "What accelerators have of a loop on everything", .note = note, .unit = "per cent"};
    figure_files files = {.dir = dir};
    if (figure_begin(&files))
        return CLI_BAD;
    chart_fill(&c, d->n_groups, d->groups, SHARES, shares, d->share);
    chart_print(&c, files.svg.out);
    return figure_end_drawing(&files, "hdss-shares");
}

int hdss_alone(figures *f)
{
    drawn d = {{NULL}, 0, {0}, {0}};
    char note[160];
    chart c = {.title = "A loop on cores, an accelerator and both", .note = note, .unit = "times as quick as one core"};
    figure_files files = {.dir = f->o->out ? f->o->out : "."};
    if (figure_begin(&files))
        return CLI_BAD;
    snprintf(note, sizeof note, "%.4g MB of input; medians of %zu runs", 1e-6 * f->n_bytes, figure_runs(f->o));
    hdss_head(f, files.tsv.out, note,
              "app\tindices\tdevices\trun\tmedian_ms\tleast_ms\tmost_ms\tover\tbound_ms\tefficiency\tbalance\tshare\t"
              "ideal_share\tin_MB\tout_MB\tslices\thost_us_a_slice");
    for (size_t i = 0; i < HDSS_APPS; i++)
        if (hdss_has_app(f, i))
            make_app(f, i, files.tsv.out, &d);
    chart_fill(&c, d.n_groups, d.groups, BARS, bars, d.value);
    chart_print(&c, files.svg.out);
    return figure_end(&files, "hdss-alone", 1) || end_shares(&d, files.dir, note) ? CLI_BAD : CLI_OK;
}
