/* SPDX-License-Identifier: MIT */
/* cores.c - figure 3.9 of the thesis: ways to divide, by how many times as quick as one core they are, with no core beside the first accelerator,
 * and with few to many. */
#include "hdss.h"

#include <math.h>

enum { MOST_COUNTS = 8 };

typedef struct gathered {
    figures *f;
    FILE *out;
    size_t n_apps;
    uint32_t counts[MOST_COUNTS]; /* of cores beside the accelerator; the first is 0 */
    size_t n_counts;
    double logs[MOST_COUNTS * HEDDLE_N_SPLITS], n_logs[MOST_COUNTS * HEDDLE_N_SPLITS]; /* of how many times as quick */
} gathered;

static void time_way(gathered *g, subject *s, size_t count, const char *devices, heddle_split way, double one_ms)
{
    double ends_ms;
    const double over = hdss_time_way(g->f, g->out, s, devices, way, one_ms, &ends_ms);
    const size_t i = count * HEDDLE_N_SPLITS + (size_t)way;
    g->logs[i] += over > 0 ? log(over) : 0;
    g->n_logs[i] += over > 0;
}

/* The accelerator alone has nothing to divide. */
static void time_counts(gathered *g, subject *s, double one_ms)
{
    char devices[320];
    time_way(g, s, 0, g->f->first, HEDDLE_SPLIT_CUT, one_ms);
    for (size_t k = 1; k < g->n_counts; k++) {
        snprintf(devices, sizeof devices, "%s cpu:%u", g->f->first, g->counts[k]);
        for (int way = 0; way < HEDDLE_N_SPLITS; way++)
            time_way(g, s, k, devices, (heddle_split)way, one_ms);
    }
}

static void make_app(gathered *g, const loop_app *a)
{
    const uint64_t n = hdss_indices(g->f, a);
    char why[HDSS_WHY];
    subject s;
    g->n_apps++;
    if (!g->f->first) {
        hdss_skip(g->out, a, n, "cuda:0 cpu:1", hdss_no_gpu);
        return;
    }
    if (hdss_open(&s, a, n, why))
        hdss_skip(g->out, a, n, g->f->first, why);
    else
        time_counts(g, &s, hdss_time_one_core(g->f, g->out, &s));
    hdss_close(&s);
}

/* 1, 3, 7, ...: what this machine has beside one for the accelerator, but at least 1. */
static void count_cores(gathered *g)
{
    const uint32_t n = hdss_cores();
    g->counts[g->n_counts++] = 0;
    for (uint32_t k = 1; (k == 1 || k < n) && g->n_counts < MOST_COUNTS; k = 2 * k + 1)
        g->counts[g->n_counts++] = k;
}

static int end(gathered *g, figure_files *files, const char *note)
{
    const char *series[HEDDLE_N_SPLITS], *groups[MOST_COUNTS];
    char names[MOST_COUNTS][16];
    chart c = {.title = "Cores beside an accelerator: geometric means over apps",
               .note = note,
               .unit = "times as quick as one core"};
    for (int i = 0; i < HEDDLE_N_SPLITS; i++)
        series[i] = heddle_split_name((heddle_split)i);
    for (size_t k = 0; k < g->n_counts; k++) {
        snprintf(names[k], sizeof names[k], "%u", g->counts[k]);
        groups[k] = names[k];
        for (size_t i = k * HEDDLE_N_SPLITS; i < (k + 1) * HEDDLE_N_SPLITS; i++)
            g->logs[i] = g->n_logs[i] == (double)g->n_apps ? exp(g->logs[i] / g->n_logs[i]) : 0;
    }
    chart_fill(&c, g->n_counts, groups, HEDDLE_N_SPLITS, series, g->logs);
    chart_print(&c, files->svg.out);
    return figure_end(files, "hdss-cores", g->f->first != NULL);
}

int hdss_beside_cores(figures *f)
{
    figure_files files = {.dir = f->o->out ? f->o->out : "."};
    gathered g = {.f = f};
    char note[160];
    if (figure_begin(&files))
        return CLI_BAD;
    snprintf(note, sizeof note, "%.4g MB of input, over one core; medians of %zu later runs of a loop",
             1e-6 * f->n_bytes, figure_runs(f->o));
    hdss_head(f, files.tsv.out, note, hdss_way_columns);
    g.out = files.tsv.out;
    count_cores(&g);
    for (size_t i = 0; i < HDSS_APPS; i++)
        if (hdss_has_app(f, i))
            make_app(&g, &hdss_apps[i]);
    return end(&g, &files, note);
}
