/* SPDX-License-Identifier: MIT */
/* juggler.c - `heddle bench --figures juggler [--out DIR]`: the figures of Juggler (PPoPP'18), each as DIR/figureN.tsv
 * and DIR/figureN.svg:
 *
 *      1  a run with barriers and a run with tasks, as timelines on one axis of time
 *      4  speed-up by app and policy over one launch per body and level
 *      5  most less least tasks per worker, over five runs: high, low, average
 *      6  L2 misses, reads and writes, by ncu
 *      7  Jacobi from 3,600 to 32,400 tasks
 *
 * Each way to run is compared with the serial reference before it is timed. What is not possible here is a row
 * `skipped` with the reason. Without a GPU the cpu backend does what makes sense: its ways are its policies, compared
 * with one worker. */
#include "chart.h"
#include "ncu_csv.h"
#include "papers.h"
#include "rows.h"
#include "setting.h"
#include "work.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WAYS = 10 };

#define THREADS(name, policy, n)                                  \
    {                                                             \
        name, HEDDLE_SCHEDULE_RINGS, HEDDLE_POLICY_##policy, 0, n \
    }

/* The first of each list is the one that others are compared with. */
static const way gpu_ways[] = {
    {"levels/by-body", HEDDLE_SCHEDULE_LEVELS, HEDDLE_POLICY_DEFAULT, 1, 0},
    WAY("iqs/lrr", IQS, LRR),
    WAY("iqs/grr", IQS, GRR),
    WAY("iqs/lf", IQS, LF),
    WAY("lrr", RINGS, LRR),
    WAY("grr", RINGS, GRR),
    WAY("lf", RINGS, LF),
    WAY("static", STATIC, DEFAULT),
};
static const way cpu_ways[] = {
    THREADS("one worker", LF, 1), THREADS("lrr", LRR, 0),     THREADS("grr", GRR, 0),
    THREADS("lf", LF, 0),         THREADS("share", SHARE, 0),
};

/* The paper's apps. */
static const char *const apps[] = {"dtw", "heat", "inthist", "jacobi", "lu", "sat", "sw"};
enum { N_APPS = sizeof apps / sizeof *apps };

typedef struct figures {
    const options *o;
    const char *where; /* for titles */
    heddle_backend backend;
    const way *ways;
    size_t n_ways;
    const char *way_names[MOST_WAYS];
    figure_files files;
    int wrong;
} figures;

/* Measurements of some runs of one way. */
typedef struct timing {
    double ms[FIGURE_RUNS], loads[FIGURE_RUNS]; /* device times; most less least tasks per worker; sorted */
    size_t n;
    uint64_t n_tasks;
    char why[160]; /* the reason if n is 0 */
} timing;

/* ---- running a way ---- */

static int time_once(work *w, timing *t)
{
    heddle_stats stats = HEDDLE_STATS_INIT;
    uint64_t ns;
    if (work_reset(w) || work_run(w, &ns))
        return CLI_BAD;
    if (heddle_graph_get_stats(w->graph, &stats))
        return cli_heddle_bad(w->ctx, HEDDLE_EINVAL);
    figure_put(t->ms, t->n, 1e-6 * (double)stats.run_ns);
    figure_put(t->loads, t->n, (double)stats.n_tasks_max - stats.n_tasks_min);
    t->n++;
    return CLI_OK;
}

/* Checks, then times a way. n is 0 and `why` the reason if it is refused. */
static void time_way(figures *f, const app *a, const app_request *q, const way *way, size_t n_runs, timing *t)
{
    heddle_config c = way_config(way, f->backend, &f->o->config);
    const char *sentence = NULL;
    uint64_t ns;
    work w;
    int status = work_open(&w, a, NULL, q, &c) || work_run(&w, &ns);
    memset(t, 0, sizeof *t);
    t->n_tasks = w.info.n_tasks;
    if (!status && work_check(&w, &sentence) != CLI_OK) {
        f->wrong = status = 1;
        cli_bad("%s on %s: the check failed: %s", a->name, way->name, sentence ? sentence : "no reference");
    }
    if (!status)
        status = work_settle(&w);
    for (size_t i = 0; !status && i < n_runs; i++)
        status = time_once(&w, t);
    if (status) {
        t->n = 0;
        snprintf(t->why, sizeof t->why, "%.159s",
                 sentence ? sentence
                 : w.c    ? heddle_error_text(w.ctx)
                          : "no such case");
    }
    work_close(&w);
}

/* ---- figure 1 ---- */

static int read_events(work *w, panel *p)
{
    heddle_event *events;
    size_t n = 0;
    if (heddle_graph_get_events(w->graph, NULL, 0, &n) || n == 0)
        return cli_bad("the run left no trace");
    events = malloc(n * sizeof *events);
    if (!events)
        return cli_bad("out of memory");
    heddle_graph_get_events(w->graph, events, n, &n);
    for (size_t i = 0; i < n; i++)
        p->n_rows = events[i].worker >= p->n_rows ? events[i].worker + 1 : p->n_rows;
    p->events = events;
    p->n_events = n;
    return CLI_OK;
}

/* Traces the second run of a way. */
static int trace_way(figures *f, const app *a, const way *way, panel *p)
{
    heddle_config c = way_config(way, f->backend, &f->o->config);
    heddle_stats stats = HEDDLE_STATS_INIT;
    uint64_t ns;
    work w;
    int status;
    c.n_trace = trace_room(&c);
    status = work_open(&w, a, NULL, &f->o->request, &c) || work_run(&w, &ns) || work_settle(&w) || work_reset(&w) ||
             work_run(&w, &ns);
    if (!status)
        status = read_events(&w, p);
    if (!status && !heddle_graph_get_stats(w.graph, &stats))
        p->run_ns = stats.run_ns;
    p->title = way->name;
    work_close(&w);
    return status;
}

static void print_events(const panel *p, const app *a, FILE *out)
{
    for (size_t i = 0; i < p->n_events; i++) {
        const heddle_event *e = &p->events[i];
        fprintf(out, "%s\t%u\t%u\t%s\t%llu\t%llu\n", p->title, e->task, e->worker, a->table->bodies[e->body].name,
                (unsigned long long)e->begin_ns, (unsigned long long)e->end_ns);
    }
}

static int figure_timelines(figures *f)
{
    const app *a = app_find("lu");
    const char *bodies[16];
    panel panels[2];
    size_t n = 0, n_bodies = a->table->n_bodies < 16 ? a->table->n_bodies : 16;
    memset(panels, 0, sizeof panels);
    if (figure_begin(&f->files))
        return CLI_BAD;
    fprintf(f->files.tsv.out, "# %s: lu, %s\nway\ttask\trow\tbody\tbegin_ns\tend_ns\n", f->where,
            "a row is an SM or a worker");
    for (size_t i = 0; i < n_bodies; i++)
        bodies[i] = a->table->bodies[i].name;
    for (size_t i = 0; i < 2; i++) {
        const way *way = i ? &f->ways[f->n_ways - 1] : &f->ways[0];
        if (trace_way(f, a, way, &panels[n]))
            fprintf(f->files.tsv.out, "%s\tskipped\n", way->name);
        else
            print_events(&panels[n++], a, f->files.tsv.out);
    }
    chart_print_panels(f->backend == HEDDLE_CUDA ? "Figure 1: barriers and tasks (lu)" : "Figure 1: lu without a GPU",
                       "rows", bodies, n_bodies, panels, n, f->files.svg.out);
    for (size_t i = 0; i < 2; i++)
        free((void *)(uintptr_t)panels[i].events);
    return figure_end(&f->files, "figure1", n > 0);
}

/* ---- figures 4 and 5 ---- */

typedef struct table {
    double speed[N_APPS * MOST_WAYS];
    double low[N_APPS * MOST_WAYS], high[N_APPS * MOST_WAYS], mean[N_APPS * MOST_WAYS];
    timing t[N_APPS * MOST_WAYS];
} table;

static void time_apps(figures *f, table *out)
{
    for (size_t a = 0; a < N_APPS; a++)
        for (size_t w = 0; w < f->n_ways; w++) {
            size_t at = a * f->n_ways + w;
            timing *t = &out->t[at];
            double base;
            time_way(f, app_find(apps[a]), &f->o->request, &f->ways[w], figure_runs(f->o), t);
            base = figure_middle(out->t[a * f->n_ways].ms, out->t[a * f->n_ways].n);
            out->speed[at] = t->n && base > 0 ? base / figure_middle(t->ms, t->n) : 0;
            out->low[at] = t->n ? t->loads[0] : 0;
            out->high[at] = t->n ? t->loads[t->n - 1] : 0;
            for (size_t i = 0; i < t->n; i++)
                out->mean[at] += t->loads[i] / (double)t->n;
        }
}

static int figure_speedup(figures *f, const table *all)
{
    char note[160];
    chart c = {.title = "Figure 4: speed-up by application and policy", .note = note, .unit = "times as quick"};
    chart_fill(&c, N_APPS, apps, f->n_ways, f->way_names, all->speed);
    snprintf(note, sizeof note, "%s; over %s; medians of %zu runs", f->where, f->ways[0].name, figure_runs(f->o));
    if (figure_begin(&f->files))
        return CLI_BAD;
    fprintf(f->files.tsv.out, "# %s\napp\tway\ttasks\tmedian_ms\tleast_ms\tmost_ms\tspeed_up\n", note);
    for (size_t i = 0; i < N_APPS * f->n_ways; i++) {
        const timing *t = &all->t[i];
        const char *app = apps[i / f->n_ways], *name = f->way_names[i % f->n_ways];
        if (t->n)
            fprintf(f->files.tsv.out, "%s\t%s\t%llu\t%.6g\t%.6g\t%.6g\t%.4g\n", app, name,
                    (unsigned long long)t->n_tasks, figure_middle(t->ms, t->n), t->ms[0], t->ms[t->n - 1],
                    all->speed[i]);
        else
            fprintf(f->files.tsv.out, "%s\t%s\t%llu\tskipped\t%s\n", app, name, (unsigned long long)t->n_tasks, t->why);
    }
    chart_print(&c, f->files.svg.out);
    return figure_end(&f->files, "figure4", 1);
}

/* Executors without workers have no loads: their numbers are 0, and no stick is drawn. */
static int figure_loads(figures *f, const table *all)
{
    char note[160];
    chart c = {.title = "Figure 5: most less least tasks of a worker", .note = note, .unit = "tasks"};
    chart_fill(&c, N_APPS, apps, f->n_ways, f->way_names, all->mean);
    c.low = all->low;
    c.high = all->high;
    snprintf(note, sizeof note, "%s; high, low and average of %zu runs", f->where, figure_runs(f->o));
    if (figure_begin(&f->files))
        return CLI_BAD;
    fprintf(f->files.tsv.out, "# %s\napp\tway\thigh\tlow\taverage\n", note);
    for (size_t i = 0; i < N_APPS * f->n_ways; i++) {
        const char *app = apps[i / f->n_ways], *name = f->way_names[i % f->n_ways];
        if (all->t[i].n)
            fprintf(f->files.tsv.out, "%s\t%s\t%.0f\t%.0f\t%.1f\n", app, name, all->high[i], all->low[i], all->mean[i]);
        else
            fprintf(f->files.tsv.out, "%s\t%s\tskipped\t%s\n", app, name, all->t[i].why);
    }
    chart_print(&c, f->files.svg.out);
    return figure_end(&f->files, "figure5", 1);
}

static int figures_of_apps(figures *f)
{
    table *all = calloc(1, sizeof *all);
    int status;
    if (!all)
        return cli_bad("out of memory");
    time_apps(f, all);
    status = figure_speedup(f, all) || figure_loads(f, all) ? CLI_BAD : CLI_OK;
    free(all);
    return status;
}

/* ---- figure 6 ---- */

/* Counting takes some seconds per run: limits in all, and per run. */
enum { NCU_SECONDS = 40, NCU_RUN_SECONDS = 15 };

typedef struct misses {
    double sectors[2]; /* read, written */
    const char *why;   /* the reason if they are unknown */
    int never;         /* and cannot be known here */
} misses;

/* Starts `heddle` under ncu for a run of an app. NULL: it cannot be started, or is not beside this program. */
static FILE *start_ncu(const figures *f, const char *app, const way *way, unsigned seconds)
{
    const app_request *q = &f->o->request;
    char heddle[512], command[1600], size[64] = "", block[64] = "";
    if (cli_beside("heddle", heddle, sizeof heddle))
        return NULL;
    if (q->n[0])
        snprintf(size, sizeof size, "-n %llux%llu", (unsigned long long)q->n[0], (unsigned long long)q->n[1]);
    if (q->b[0])
        snprintf(block, sizeof block, "-b %llux%llu", (unsigned long long)q->b[0], (unsigned long long)q->b[1]);
    snprintf(command, sizeof command,
             "timeout %u ncu --csv --metrics " NCU_READ_MISSES "," NCU_WRITE_MISSES
             " '%s' run %s %s %s --backend cuda --schedule %s --policy %s%s --no-check 2>&1",
             seconds, heddle, app, size, block, heddle_schedule_name(way->schedule), heddle_policy_name(way->policy),
             way->by_body ? " --by-body" : "");
    return popen(command, "r");
}

/* Sectors missed, summed over all kernels of a run. *why is set if they are unknown; *never: if later ones are, too. */
static int count_misses(const figures *f, const char *app, const way *way, unsigned seconds, misses *m)
{
    char line[4096];
    const char *reason;
    int found = 0;
    FILE *in = start_ncu(f, app, way, seconds);
    m->why = NCU_SAID_NOTHING;
    m->sectors[0] = m->sectors[1] = 0;
    while (in && fgets(line, sizeof line, in)) {
        int which = strstr(line, NCU_READ_MISSES) ? 0 : strstr(line, NCU_WRITE_MISSES) ? 1 : -1;
        reason = ncu_csv_reason(line);
        if (reason) {
            m->why = reason;
            m->never = 1;
        }
        if (which >= 0 && ncu_csv_has_fields(line)) {
            m->sectors[which] += ncu_csv_last(line);
            found |= 1 << which;
        }
    }
    if (in)
        pclose(in);
    return found == 3;
}

static const way *way_named(const figures *f, const char *name)
{
    for (size_t i = 0; i < f->n_ways; i++)
        if (!strcmp(f->ways[i].name, name))
            return &f->ways[i];
    return &f->ways[0];
}

static int figure_misses(figures *f)
{
    static const char *const series[] = {"barriers, read", "barriers, write", "lf, read", "lf, write"};
    static const char *const names[] = {"levels/by-body", "lf"};
    double value[N_APPS * 4];
    misses m = {.why = "there is no GPU", .never = f->backend != HEDDLE_CUDA};
    uint64_t begin_ns = cli_now_ns();
    chart c = {.title = "Figure 6: L2 misses", .note = "sectors of 32 bytes, by ncu", .unit = "million sectors"};
    int any = 0;
    chart_fill(&c, N_APPS, apps, 4, series, value);
    if (figure_begin(&f->files))
        return CLI_BAD;
    fprintf(f->files.tsv.out, "# %s; by ncu\napp\tway\tread_sectors\twrite_sectors\n", f->where);
    for (size_t i = 0; i < N_APPS * 2; i++) {
        const char *app = apps[i / 2];
        double *at = &value[i * 2], seconds = 1e-9 * (double)(cli_now_ns() - begin_ns);
        if (!m.never && seconds > NCU_SECONDS) {
            m.why = "no time left";
            m.never = 1;
        }
        if (!m.never && count_misses(f, app, way_named(f, names[i % 2]), NCU_RUN_SECONDS, &m)) {
            any = 1;
            fprintf(f->files.tsv.out, "%s\t%s\t%.0f\t%.0f\n", app, names[i % 2], m.sectors[0], m.sectors[1]);
        } else {
            m.sectors[0] = m.sectors[1] = 0;
            fprintf(f->files.tsv.out, "%s\t%s\tskipped\t%s\n", app, names[i % 2], m.why);
        }
        at[0] = 1e-6 * m.sectors[0];
        at[1] = 1e-6 * m.sectors[1];
    }
    chart_print(&c, f->files.svg.out);
    return figure_end(&f->files, "figure6", any);
}

/* ---- figure 7 ---- */

static int figure_jacobi(figures *f)
{
    enum { N_SIZES = 5 };
    static const uint64_t tiles[N_SIZES] = {30, 45, 60, 75, 90}; /* per side; two sweeps */
    const uint64_t b = f->o->request.b[0] ? f->o->request.b[0] : 64;
    double value[N_SIZES * MOST_WAYS], at[N_SIZES];
    char labels[N_SIZES][24], note[160];
    const char *groups[N_SIZES];
    chart c = {.title = "Figure 7: Jacobi", .note = note, .unit = "ms a run", .at = at, .at_unit = "tasks"};
    timing *t = malloc(sizeof *t);
    if (!t || figure_begin(&f->files)) {
        free(t);
        return CLI_BAD;
    }
    snprintf(note, sizeof note, "%s; two sweeps, tiles of %llu x %llu; medians of %zu runs", f->where,
             (unsigned long long)b, (unsigned long long)b, figure_runs(f->o));
    fprintf(f->files.tsv.out, "# %s\ntasks\tway\tmedian_ms\tleast_ms\tmost_ms\n", note);
    for (size_t i = 0; i < N_SIZES * f->n_ways; i++) {
        size_t s = i / f->n_ways;
        const way *way = &f->ways[i % f->n_ways];
        app_request q = {.n = {b * tiles[s], b * tiles[s]}, .b = {b, b}};
        time_way(f, app_find("jacobi"), &q, way, figure_runs(f->o), t);
        value[i] = figure_middle(t->ms, t->n);
        at[s] = (double)t->n_tasks;
        snprintf(labels[s], sizeof labels[s], "%llu", (unsigned long long)t->n_tasks);
        groups[s] = labels[s];
        if (t->n)
            fprintf(f->files.tsv.out, "%s\t%s\t%.6g\t%.6g\t%.6g\n", labels[s], way->name, value[i], t->ms[0],
                    t->ms[t->n - 1]);
        else
            fprintf(f->files.tsv.out, "%s\t%s\tskipped\t%s\n", labels[s], way->name, t->why);
    }
    chart_fill(&c, N_SIZES, groups, f->n_ways, f->way_names, value);
    chart_print(&c, f->files.svg.out);
    free(t);
    return figure_end(&f->files, "figure7", 1);
}

/* ---- the command ---- */

static void describe(figures *f)
{
    int gpu = heddle_backend_is_present(HEDDLE_CUDA);
    f->backend = gpu ? HEDDLE_CUDA : HEDDLE_CPU;
    f->ways = gpu ? gpu_ways : cpu_ways;
    f->n_ways = gpu ? sizeof gpu_ways / sizeof *gpu_ways : sizeof cpu_ways / sizeof *cpu_ways;
    f->where = gpu ? "backend cuda" : "no GPU here: backend cpu, whose policies are compared";
    f->files.dir = f->o->out ? f->o->out : ".";
    for (size_t i = 0; i < f->n_ways; i++)
        f->way_names[i] = f->ways[i].name;
}

int figures_juggler(const options *o)
{
    figures f = {.o = o};
    describe(&f);
    if (figure_timelines(&f) || figures_of_apps(&f) || figure_misses(&f) || figure_jacobi(&f))
        return CLI_BAD;
    return f.wrong ? CLI_WRONG : CLI_OK;
}
