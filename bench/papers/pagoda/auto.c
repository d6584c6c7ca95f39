/* SPDX-License-Identifier: MIT */
/* auto.c - what mode auto of a pool chooses, beside the modes that it chooses from; data on the device. A context compares modes by the
 * pools that it opens: so a case's pool is opened three times in one context, and the third one is timed. */
#include "pagoda.h"

#include "tasks.h"

#define JUDGED_TASKS 1024u /* after a pool's first run; with fewer a context decides nothing (heddle/pool.h) */
#define JUDGED_NS 20000000u

enum { TRIED = 2, AUTO = TRIED }; /* the first ways are tried */

/* Opens another pool in the same context. */
static int reopen(work *w)
{
    heddle_pool_free(w->c->pool);
    w->c->pool = NULL;
    return app_tasks_pool(w->c) ? cli_bad("%s", w->c->error) : CLI_OK;
}

/* Runs until the context knows what this pool takes for a task. The first run does not count there. */
static int show(work *w)
{
    uint64_t ns, sum_ns = 0, n = 0;
    int status = work_run(w, &ns) || work_reset(w);
    while (!status && (n < JUDGED_TASKS || sum_ns < JUDGED_NS)) {
        status = work_run(w, &ns) || work_reset(w);
        n += w->c->tasks.n;
        sum_ns += ns;
    }
    return status;
}

static int learn(work *w)
{
    for (int k = 0; k < TRIED; k++)
        if (show(w) || reopen(w))
            return CLI_BAD;
    return CLI_OK;
}

static int learn_and_run(void *arg, work *w)
{
    uint64_t ns;
    (void)arg;
    return learn(w) || work_run(w, &ns) ? CLI_BAD : CLI_OK;
}

/* `how`: what it has chosen. */
static void time_auto(figures *f, const subject *s, timing *t, char *how, size_t n_how)
{
    const pooled_way *way = &f->ways[AUTO];
    heddle_pool_info info = HEDDLE_POOL_INFO_INIT;
    work w;
    if (pagoda_check(f, s, way, t, learn_and_run, NULL))
        return;
    if (!pagoda_open(f, s, way, f->n_tasks, &w, t) && !learn(&w))
        pagoda_time_opened(f, &w, t);
    if (w.c && w.c->pool && heddle_pool_get_info(w.c->pool, &info) == HEDDLE_OK)
        snprintf(how, n_how, "%s", info.how);
    work_close(&w);
}

/* ---- the figure ---- */

static void print_row(figures *f, const subject *s, const char *way, const timing *t, double over, const char *how)
{
    FILE *out = f->files.tsv.out;
    fprintf(out, "%s\t%s\t%llu\t", s->app, way, (unsigned long long)t->n_tasks);
    if (t->n)
        fprintf(out, "%.5g\t%.5g\t%.5g\t%.4g\t%s\n", figure_middle(t->ms, t->n), t->ms[0], t->ms[t->n - 1], over, how);
    else
        fprintf(out, "skipped\t%s\n", t->why);
}

/* value: of all ways, the quicker of those that are tried over them. */
static void time_subject(figures *f, const subject *s, double *value)
{
    char how[512] = "";
    timing t[TRIED + 1];
    double best = 0;
    for (int k = 0; k < TRIED; k++) {
        pagoda_time(f, s, &f->ways[k], &t[k]);
        if (t[k].n && (best <= 0 || figure_middle(t[k].ms, t[k].n) < best))
            best = figure_middle(t[k].ms, t[k].n);
    }
    time_auto(f, s, &t[AUTO], how, sizeof how);
    for (int k = 0; k <= AUTO; k++) {
        value[k] = t[k].n ? best / figure_middle(t[k].ms, t[k].n) : 0;
        print_row(f, s, f->ways[k].name, &t[k], value[k], k == AUTO ? how : "");
    }
}

int pagoda_auto(figures *f)
{
    const size_t n = f->now->n_subjects;
    const char *groups[MOST_SUBJECTS], *series[TRIED + 1];
    double value[MOST_SUBJECTS * (TRIED + 1)] = {0};
    char note[160];
    chart c = {.title = f->now->title, .note = note, .unit = "times as quick as the quicker mode"};
    if (figure_begin(&f->files))
        return CLI_BAD;
    snprintf(note, sizeof note, "%llu tasks, over the quicker of %s and %s; medians of %zu runs",
             (unsigned long long)f->n_tasks, f->ways[0].name, f->ways[1].name, figure_runs(f->o));
    pagoda_head(f, note, "app\tway\ttasks\tmedian_ms\tleast_ms\tmost_ms\tover\thow");
    for (size_t i = 0; i < n; i++) {
        groups[i] = f->now->subjects[i].name;
        time_subject(f, &f->now->subjects[i], &value[i * (TRIED + 1)]);
    }
    for (size_t k = 0; k <= TRIED; k++)
        series[k] = f->ways[k].name;
    chart_fill(&c, n, groups, TRIED + 1, series, value);
    chart_print(&c, f->files.svg.out);
    return figure_end(&f->files, "pagoda-auto", 1);
}
