/* SPDX-License-Identifier: MIT */
/* blocks.c - figures 3.5 and 3.11 of the thesis: what an accelerator is given beside one core, block after block, in the first run of a loop,
 * where nothing is known; and figure 3.2: how long units have nothing to do under qilin, with a picture of the run. A block is a slice:
 * a claim that is too large for the device's buffers is several. */
#include "hdss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
enum { TRACE = 1 << 14, MOST_SHOWN = 48 };

static const heddle_split ways[] = {HEDDLE_SPLIT_HDSS, HEDDLE_SPLIT_LINEAR, HEDDLE_SPLIT_EXPONENTIAL, HEDDLE_SPLIT_CUT};
enum { WAYS = COUNT(ways) };

typedef struct gathered {
    figures *f;
    FILE *out;
    subject s;
    size_t most;                     /* blocks of a way */
    double log2s[MOST_SHOWN * WAYS]; /* of indices of the accelerator's blocks */
} gathered;

/* ---- a traced run ---- */

/* So many runs, of which the last leaves its trace. The loop stays open. */
static int run_traced(figures *f, subject *s, const char *devices, heddle_split way, int n_runs)
{
    s->c->n_trace = TRACE;
    s->c->time_limit_ms = f->o->config.time_limit_ms;
    if (hdss_open_loop(s, devices, way))
        return -1;
    cli_progress("%s: running on %s", s->of->name, devices);
    for (int i = 0; i < n_runs; i++)
        if ((i && s->c->scenario->reset(s->c)) || s->c->scenario->engine->run(s->c))
            return -1;
    return hdss_check(f, s);
}

static int compare(const void *a, const void *b)
{
    const heddle_loop_slice *x = a, *y = b;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* By their begins; NULL: there are none, or there is no memory. To be freed. */
static heddle_loop_slice *slices_of(const heddle_loop *l, uint64_t *n)
{
    heddle_loop_slice *all;
    if (heddle_loop_get_slices(l, NULL, 0, n) != HEDDLE_OK || !*n || !(all = calloc(*n, sizeof *all)))
        return NULL;
    (void)heddle_loop_get_slices(l, all, *n, n);
    qsort(all, *n, sizeof *all, compare);
    return all;
}

/* A run that failed. */
static void skip(FILE *out, const subject *s, const char *devices)
{
    hdss_skip(out, s->of, s->n_indices, devices, s->c->error[0] ? s->c->error : "it cannot run here");
}

/* ---- blocks ---- */

static void put_blocks(gathered *g, const char *devices, size_t way)
{
    const heddle_fleet *fleet = g->s.c->looping->fleet;
    uint64_t n, n_of[2] = {0, 0};
    heddle_loop_slice *all = slices_of(g->s.c->looping->loop, &n);
    for (uint64_t i = 0; all && i < n; i++) {
        const int is_core = hdss_is_core(fleet, (uint32_t)all[i].unit);
        const uint64_t k = n_of[is_core]++;
        fprintf(g->out, "%s\t%llu\t%s\t%s\t%s\t%llu\t%.5g\t%.5g\t%llu\n", g->s.of->name,
                (unsigned long long)g->s.n_indices, devices, heddle_split_name(ways[way]),
                is_core ? "core" : "accelerator", (unsigned long long)(k + 1), 1e-6 * (double)all[i].begin_ns,
                1e-6 * (double)all[i].end_ns, (unsigned long long)(all[i].end - all[i].begin));
        if (is_core || k >= MOST_SHOWN)
            continue;
        g->log2s[k * WAYS + way] = log2((double)(all[i].end - all[i].begin));
        g->most = k + 1 > g->most ? (size_t)k + 1 : g->most;
    }
    free(all);
}

static void make_way(gathered *g, const char *devices, size_t way)
{
    char why[HDSS_WHY];
    if (hdss_is_late(g->f, why))
        hdss_skip(g->out, g->s.of, g->s.n_indices, devices, why);
    else if (run_traced(g->f, &g->s, devices, ways[way], 1))
        skip(g->out, &g->s, devices);
    else
        put_blocks(g, devices, way);
    hdss_close_loop(&g->s);
}

static void draw_blocks(const gathered *g, const char *note, FILE *out)
{
    const char *groups[MOST_SHOWN], *series[WAYS];
    char names[MOST_SHOWN][8];
    double at[MOST_SHOWN];
    chart c = {.title = "Blocks of an accelerator, one after another",
               .note = note,
               .unit = "indices, as powers of two",
               .at = at,
               .at_unit = "block"};
    for (size_t i = 0; i < WAYS; i++)
        series[i] = heddle_split_name(ways[i]);
    for (size_t k = 0; k < g->most; k++) {
        snprintf(names[k], sizeof names[k], "%zu", k + 1);
        groups[k] = k % 4 ? "" : names[k];
        at[k] = (double)k;
    }
    chart_fill(&c, g->most, groups, WAYS, series, g->log2s);
    chart_print(&c, out);
}

static int make_blocks(figures *f)
{
    const loop_app *a = &hdss_apps[1]; /* histogram, as in the thesis */
    figure_files files = {.dir = f->o->out ? f->o->out : "."};
    gathered g = {.f = f};
    char devices[320], why[HDSS_WHY], note[160];
    const uint64_t n = hdss_indices(f, a);
    if (figure_begin(&files))
        return CLI_BAD;
    g.out = files.tsv.out;
    snprintf(note, sizeof note, "%s, %.4g MB of input, first runs; an accelerator and one core", a->name,
             1e-6 * f->n_bytes);
    hdss_head(f, g.out, note, "app\tindices\tdevices\tway\tunit\tblock\tbegin_ms\tend_ms\tof_indices");
    snprintf(devices, sizeof devices, "%s cpu:1", f->first ? f->first : "cuda:0");
    if (!f->first)
        hdss_skip(g.out, a, n, devices, hdss_no_gpu);
    else if (hdss_open(&g.s, a, n, why))
        hdss_skip(g.out, a, n, devices, why);
    else
        for (size_t way = 0; way < WAYS; way++)
            make_way(&g, devices, way);
    if (f->first)
        hdss_close(&g.s);
    if (g.most)
        draw_blocks(&g, note, files.svg.out);
    return figure_end(&files, "hdss-blocks", g.most > 0);
}

/* ---- idle ---- */

static void put_idle(FILE *out, const subject *s, const char *devices)
{
    const app_looping *l = s->c->looping;
    heddle_loop_stats all = HEDDLE_LOOP_STATS_INIT;
    (void)heddle_loop_get_stats(l->loop, &all);
    for (uint32_t i = 0; i < all.n_units; i++) {
        heddle_loop_unit u = HEDDLE_LOOP_UNIT_INIT;
        heddle_fleet_unit name = HEDDLE_UNIT_INIT;
        if (heddle_loop_get_unit(l->loop, i, &u) || heddle_fleet_get_unit(l->fleet, i, &name))
            continue;
        fprintf(out, "%s\t%llu\t%s\tqilin\t%s\t%llu\t%.5g\t%.5g\t%.5g\t%.4f\n", s->of->name,
                (unsigned long long)s->n_indices, devices, name.name, (unsigned long long)u.n_indices,
                1e-6 * (double)all.time_ns, 1e-6 * (double)u.end_ns, 1e-6 * (double)(all.time_ns - u.end_ns),
                all.time_ns ? 1 - (double)u.end_ns / (double)all.time_ns : 0);
    }
}

/* The picture is the library's own. */
static int draw_idle(const subject *s, const char *dir)
{
    char path[512];
    snprintf(path, sizeof path, "%s/hdss-idle.svg", dir);
    if (heddle_loop_write_timeline(s->c->looping->loop, path, "Units under qilin") != HEDDLE_OK)
        return cli_bad("%s", heddle_error_text(NULL));
    return puts(path) < 0 ? CLI_BAD : CLI_OK;
}

/* The first run trains. */
static int run_idle(figures *f, const loop_app *a, uint64_t n, const char *devices, const figure_files *files)
{
    char why[HDSS_WHY];
    int status = CLI_OK;
    subject s;
    if (hdss_open(&s, a, n, why)) {
        hdss_skip(files->tsv.out, a, n, devices, why);
    } else {
        if (run_traced(f, &s, devices, HEDDLE_SPLIT_QILIN, 2)) {
            skip(files->tsv.out, &s, devices);
        } else {
            put_idle(files->tsv.out, &s, devices);
            status = draw_idle(&s, files->dir);
        }
        hdss_close_loop(&s);
    }
    hdss_close(&s);
    return status;
}

static int make_idle(figures *f)
{
    const loop_app *a = &hdss_apps[0]; /* blackscholes, as in the thesis */
    figure_files files = {.dir = f->o->out ? f->o->out : "."};
    char devices[320], why[HDSS_WHY], note[160];
    const uint64_t n = hdss_indices(f, a);
    int status = CLI_OK;
    if (figure_begin(&files))
        return CLI_BAD;
    snprintf(note, sizeof note, "%s under qilin, %.4g MB of input, a run after the one that trains", a->name,
             1e-6 * f->n_bytes);
    hdss_head(f, files.tsv.out, note, "app\tindices\tdevices\tway\tunit\tof_indices\trun_ms\tend_ms\tidle_ms\tidle");
    snprintf(devices, sizeof devices, "%s cpu:%u", f->first ? f->first : "cuda:0", hdss_cores() > 3 ? 3u : 1u);
    if (!f->first || hdss_is_late(f, why))
        hdss_skip(files.tsv.out, a, n, devices, f->first ? why : hdss_no_gpu);
    else
        status = run_idle(f, a, n, devices, &files);
    return figure_end(&files, "hdss-idle", 0) ? CLI_BAD : status;
}

int hdss_blocks(figures *f) { return make_blocks(f) || make_idle(f) ? CLI_BAD : CLI_OK; }
