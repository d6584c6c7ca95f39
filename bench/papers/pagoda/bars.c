/* SPDX-License-Identifier: MIT */
/* bars.c - figures of Pagoda with a group of bars for each application: how many times as quick as the first way the others are. */
#include "pagoda.h"

#include <math.h>

static void print_row(figures *f, const subject *s, const pooled_way *way, const timing *t, double over)
{
    FILE *out = f->files.tsv.out;
    fprintf(out, "%s\t%llu\t%u\t%s\t%llu\t", s->input ? s->name : s->app, (unsigned long long)s->b[1], t->team_size,
            way->name, (unsigned long long)t->n_tasks);
    if (t->n)
        fprintf(out, "%.5g\t%.5g\t%.5g\t%.4g", figure_middle(t->ms, t->n), t->ms[0], t->ms[t->n - 1], over);
    else
        fprintf(out, "skipped\t%s", t->why);
    if (t->n && f->now->has_warps)
        fprintf(out, "\t%.1f", pagoda_warps(f, s, way));
    fputc('\n', out);
}

/* Times all ways on subject i; value: how many times as quick as the first. */
static void time_subject(figures *f, size_t i, double *value)
{
    const subject *s = &f->now->subjects[i];
    double first = 0;
    timing t;
    for (size_t k = 0; k < f->n_ways; k++) {
        pagoda_time(f, s, &f->ways[k], &t);
        if (k == 0)
            first = figure_middle(t.ms, t.n);
        value[k] = t.n && first > 0 ? first / figure_middle(t.ms, t.n) : 0;
        print_row(f, s, &f->ways[k], &t, value[k]);
    }
}

/* Could all ways run it? */
static int is_whole(const figures *f, const double *value)
{
    int whole = 1;
    for (size_t k = 0; k < f->n_ways; k++)
        whole &= value[k] > 0;
    return whole;
}

/* The last group: geometric means over the same subjects for all ways. */
static void put_means(figures *f, double *value)
{
    const size_t n = f->now->n_subjects;
    for (size_t k = 0; k < f->n_ways; k++) {
        double sum = 0;
        size_t n_bars = 0;
        for (size_t i = 0; i < n; i++) {
            const int whole = is_whole(f, &value[i * f->n_ways]);
            n_bars += (size_t)whole;
            sum += whole ? log(value[i * f->n_ways + k]) : 0;
        }
        value[n * f->n_ways + k] = n_bars ? exp(sum / (double)n_bars) : 0;
        fprintf(f->files.tsv.out, "mean\t0\t0\t%s\t%llu\t\t\t\t%.4g\n", f->ways[k].name, (unsigned long long)f->n_tasks,
                value[n * f->n_ways + k]);
    }
}

int pagoda_bars(figures *f)
{
    const figure *now = f->now;
    const char *groups[MOST_SUBJECTS + 1], *series[MOST_WAYS];
    double value[(MOST_SUBJECTS + 1) * MOST_WAYS];
    char note[160], name[64];
    chart c = {.title = now->title, .note = note, .unit = "times as quick"};
    if (figure_begin(&f->files))
        return CLI_BAD;
    snprintf(note, sizeof note, "%llu tasks, over %s; medians of %zu runs, and their geometric mean",
             (unsigned long long)f->n_tasks, f->ways[0].name, figure_runs(f->o));
    pagoda_head(f, note,
                now->has_warps ? "app\tside\tthreads\tway\ttasks\tmedian_ms\tleast_ms\tmost_ms\tover\twarps_in_use"
                               : "app\tside\tthreads\tway\ttasks\tmedian_ms\tleast_ms\tmost_ms\tover");
    for (size_t i = 0; i < now->n_subjects; i++) {
        groups[i] = now->subjects[i].name;
        time_subject(f, i, &value[i * f->n_ways]);
    }
    groups[now->n_subjects] = "mean";
    put_means(f, value);
    for (size_t k = 0; k < f->n_ways; k++)
        series[k] = f->ways[k].name;
    chart_fill(&c, now->n_subjects + 1, groups, f->n_ways, series, value);
    chart_print(&c, f->files.svg.out);
    snprintf(name, sizeof name, "pagoda-%s", now->name);
    return figure_end(&f->files, name, 1);
}
