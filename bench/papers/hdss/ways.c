/* SPDX-License-Identifier: MIT */
/* ways.c - figures 3.9 and 3.12 of the thesis: ways to divide, on everything, by how many times as quick as one core they are, and by how
 * evenly units end. */
#include "hdss.h"

typedef struct gathered {
    figures *f;
    FILE *ways;
    const char *groups[HDSS_APPS];
    size_t n_groups;
    double over[HDSS_APPS * HEDDLE_N_SPLITS], ends_ms[HDSS_APPS * HEDDLE_N_SPLITS];
} gathered;

/* Of the last end less the first. */
static double middle_ends(const hdss_timing *t)
{
    double ms[FIGURE_RUNS];
    for (size_t i = 0; i < t->n; i++)
        figure_put(ms, i, t->later[i].ends_ms);
    return figure_middle(ms, t->n);
}

const char hdss_way_columns[] =
    "app\tindices\tdevices\tway\tmedian_ms\tleast_ms\tmost_ms\tover\tends_ms\tshare\tslices";

void hdss_put_way(FILE *out, const subject *s, const char *devices, heddle_split way, const hdss_timing *t, double over)
{
    if (t->n)
        fprintf(out, "%s\t%llu\t%s\t%s\t%.5g\t%.5g\t%.5g\t%.4g\t%.4g\t%.4f\t%llu\n", s->of->name,
                (unsigned long long)s->n_indices, devices, heddle_split_name(way), hdss_middle(t->later, t->n)->ms,
                t->later[0].ms, t->later[t->n - 1].ms, over, middle_ends(t), hdss_middle(t->later, t->n)->share,
                (unsigned long long)hdss_middle(t->later, t->n)->n_slices);
    else
        fprintf(out, "%s\t%llu\t%s\t%s\tskipped\t%s\n", s->of->name, (unsigned long long)s->n_indices, devices,
                heddle_split_name(way), t->why);
}

double hdss_time_way(figures *f, FILE *out, subject *s, const char *devices, heddle_split way, double one_ms,
                     double *ends_ms)
{
    hdss_timing t;
    double over;
    hdss_time(f, s, devices, way, 1, &t);
    over = t.n && one_ms > 0 ? one_ms / hdss_middle(t.later, t.n)->ms : 0;
    *ends_ms = middle_ends(&t);
    hdss_put_way(out, s, devices, way, &t, over);
    return over;
}

double hdss_time_one_core(figures *f, FILE *out, subject *s)
{
    hdss_timing t;
    hdss_time(f, s, "cpu:1", HEDDLE_SPLIT_CUT, 1, &t);
    hdss_put_way(out, s, "cpu:1", HEDDLE_SPLIT_CUT, &t, t.n ? 1 : 0);
    return t.n ? hdss_middle(t.later, t.n)->ms : 0;
}

static void make_app(gathered *g, const loop_app *a)
{
    const uint64_t n = hdss_indices(g->f, a);
    const size_t row = g->n_groups * HEDDLE_N_SPLITS;
    double one_ms;
    char why[HDSS_WHY];
    subject s;
    g->groups[g->n_groups++] = a->name;
    if (hdss_open(&s, a, n, why)) {
        hdss_skip(g->ways, a, n, g->f->everything, why);
    } else {
        one_ms = hdss_time_one_core(g->f, g->ways, &s);
        for (int way = 0; way < HEDDLE_N_SPLITS; way++)
            g->over[row + (size_t)way] = hdss_time_way(g->f, g->ways, &s, g->f->everything, (heddle_split)way, one_ms,
                                                       &g->ends_ms[row + (size_t)way]);
    }
    hdss_close(&s);
}

/* ---- files ---- */

static int end_ways(gathered *g, figure_files *files, const char *note)
{
    const char *series[HEDDLE_N_SPLITS];
    chart c = {.title = "Ways to divide a loop over everything", .note = note, .unit = "times as quick as one core"};
    figure_files ends = {.dir = files->dir};
    for (int i = 0; i < HEDDLE_N_SPLITS; i++)
        series[i] = heddle_split_name((heddle_split)i);
    chart_fill(&c, g->n_groups, g->groups, HEDDLE_N_SPLITS, series, g->over);
    chart_print(&c, files->svg.out);
    if (figure_end(files, "hdss-ways", 1) || figure_begin(&ends))
        return CLI_BAD;
    c.title = "How long after the first unit the last one ends";
    c.unit = "ms";
    c.value = g->ends_ms;
    chart_print(&c, ends.svg.out);
    return figure_end_drawing(&ends, "hdss-ends");
}

int hdss_ways(figures *f)
{
    figure_files ways = {.dir = f->o->out ? f->o->out : "."};
    gathered g = {.f = f};
    char note[160];
    if (figure_begin(&ways))
        return CLI_BAD;
    snprintf(note, sizeof note, "%.4g MB of input, over one core; medians of %zu later runs of a loop",
             1e-6 * f->n_bytes, figure_runs(f->o));
    hdss_head(f, ways.tsv.out, note, hdss_way_columns);
    g.ways = ways.tsv.out;
    for (size_t i = 0; i < HDSS_APPS; i++)
        if (hdss_has_app(f, i))
            make_app(&g, &hdss_apps[i]);
    return end_ways(&g, &ways, note);
}
