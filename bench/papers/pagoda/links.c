/* SPDX-License-Identifier: MIT */
/* links.c - how near the resident pool is to what its tasks' copies, bodies and number allow. The bound is the largest of three times:
 * that of the link, for the bytes of all tasks with both directions at work; that of the bodies, which is the least of two modes with
 * data on the device, in the same run; and SPAWN_NS for each task, which one thread may take to spawn it. */
#include "link.h"
#include "pagoda.h"

#include <math.h>

#define SPAWN_NS 15.0
#define CHUNK_BYTES (4u << 20)

enum { RESIDENT, LAUNCHES, COPIED, WAYS };

typedef struct amounts {
    uint64_t in_bytes, out_bytes;
} amounts;

/* What the tasks copy. */
static int add_up(figures *f, const subject *s, amounts *a)
{
    timing t;
    work w;
    const int status = pagoda_open(f, s, &f->ways[COPIED], f->n_tasks, &w, &t);
    *a = (amounts){0, 0};
    for (uint64_t i = 0; !status && i < w.c->tasks.n; i++) {
        const heddle_pool_task *task = &w.c->tasks.each[i];
        for (size_t k = 0; k < task->n_copies; k++) {
            a->in_bytes += task->copies[k].mode == HEDDLE_MODE_OUT ? 0 : task->copies[k].n_bytes;
            a->out_bytes += task->copies[k].mode == HEDDLE_MODE_IN ? 0 : task->copies[k].n_bytes;
        }
    }
    work_close(&w);
    return status;
}

/* Times all ways. Nonzero: `why` not. */
static int time_ways(figures *f, const subject *s, double *ms, char *why, size_t n)
{
    for (int k = 0; k < WAYS; k++) {
        timing t;
        pagoda_time(f, s, &f->ways[k], &t);
        if (!t.n) {
            snprintf(why, n, "%s", t.why);
            return -1;
        }
        ms[k] = figure_middle(t.ms, t.n);
    }
    return 0;
}

/* Milliseconds for the copies of all tasks, both ways at once. */
static int time_link(const amounts *a, double *ms, char *why)
{
    link_flow f[] = {{LINK_HOST, 0, a->in_bytes, 0, 0}, {0, LINK_HOST, a->out_bytes, 0, 0}};
    const int status = link_time(f, 2, CHUNK_BYTES, why);
    *ms = fmax(f[0].ms, f[1].ms);
    return status;
}

/* share: of the bound in the resident pool's time. */
static void time_subject(figures *f, const subject *s, double *share)
{
    FILE *out = f->files.tsv.out;
    const double spawn_ms = 1e-6 * SPAWN_NS * (double)f->n_tasks;
    char why[LINK_ERROR] = "it cannot run here";
    double ms[WAYS], link_ms, bodies_ms;
    amounts a;
    fprintf(out, "%s\t%llu\t", s->app, (unsigned long long)f->n_tasks);
    if (add_up(f, s, &a) || time_link(&a, &link_ms, why) || time_ways(f, s, ms, why, sizeof why)) {
        fprintf(out, "skipped\t%s\n", why);
        return;
    }
    bodies_ms = fmin(ms[RESIDENT], ms[LAUNCHES]);
    *share = fmax(link_ms, fmax(bodies_ms, spawn_ms)) / ms[COPIED];
    fprintf(out, "%.5g\t%.5g\t%.5g\t%.5g\t%.5g\t%.5g\t%.3f\n", 1e-6 * (double)a.in_bytes, 1e-6 * (double)a.out_bytes,
            link_ms, bodies_ms, spawn_ms, ms[COPIED], *share);
}

int pagoda_links(figures *f)
{
    static const char *const series[] = {"bound over time"};
    const size_t n = f->now->n_subjects;
    const char *groups[MOST_SUBJECTS];
    double share[MOST_SUBJECTS] = {0};
    char note[200];
    chart c = {.title = f->now->title, .note = note, .unit = "of the time that the resident pool takes"};
    if (figure_begin(&f->files))
        return CLI_BAD;
    snprintf(note, sizeof note, "%llu tasks with copies: the largest of link, bodies and spawning; medians of %zu runs",
             (unsigned long long)f->n_tasks, figure_runs(f->o));
    pagoda_head(f, note, "app\ttasks\tin_MB\tout_MB\tlink_ms\tbodies_ms\tspawn_ms\ttime_ms\tshare");
    for (size_t i = 0; i < n; i++) {
        groups[i] = f->now->subjects[i].name;
        time_subject(f, &f->now->subjects[i], &share[i]);
    }
    chart_fill(&c, n, groups, 1, series, share);
    chart_print(&c, f->files.svg.out);
    return figure_end(&f->files, "pagoda-links", 1);
}
