/* SPDX-License-Identifier: MIT */
/* scheduling.c - jobs over several GPUs, as in the paper on MESI-CUDA's dynamic scheduling (Ohno et al. 2016), as DIR/mesi-NAME.tsv and .svg:
 *
 *     14a, 14b, 14c, 14d   figure 14: matmul; ep; hotspot without and with the two optimisations. Equal parts as one task a GPU (static),
 *                          the paper's free and fixed tasks, and shares that settle: over the time of static on the same machine
 *     15a, 15b, 15c        figure 15: 2 to 128 tasks a job
 *
 * On the machines of the paper, 1, 2 and 4 GPUs that are alike, and unequal pairs, which are parts of GPUs. All rows have the bytes that
 * cross each kind of links, and say in the column `source` whether they are simulated or measured. Hotspot has 200 steps, or N: later
 * ones are like those. Of the paper's machines only how TITAN and 680 differ is from its times; other rates are guesses by data sheets. */
#include "chart.h"
#include "mesi.h"

#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
enum { MOST_WAYS = 8, STEPS = 200, TASKS = 7 }; /* TASKS: 2 to 128, each twice the one before */

/* Rates of matmul, hotspot, ep. */
#define ALIKE(r)   \
    {              \
        r, r, r, r \
    }
static const mesi_machine machines[] = {
    {"K80(1)", 1, {ALIKE(375), ALIKE(12), ALIKE(1.6e-6)}, 1, 0, {0}},
    {"K80(2)", 2, {ALIKE(375), ALIKE(12), ALIKE(1.6e-6)}, 1, 1, {0}},
    {"TITAN", 1, {{500}, {16}, {2.2e-6}}, 1, 0, {0}},
    {"680", 1, {{306}, {12.8}, {0.55e-6}}, 1, 0, {0}},
    {"TITAN+680", 2, {{500, 306}, {16, 12.8}, {2.2e-6, 0.55e-6}}, 1, 0, {4.5, 3.09}},
    {"1 GPU", 1, {ALIKE(51e3), ALIKE(1428), ALIKE(3e-4)}, 0, 1, {0}},
    {"2 GPUs", 2, {ALIKE(51e3), ALIKE(1428), ALIKE(3e-4)}, 0, 1, {0}},
    {"4 GPUs", 4, {ALIKE(51e3), ALIKE(1428), ALIKE(3e-4)}, 0, 1, {0}},
    {"1 + 1/2", 2, {{51e3, 25.5e3}, {1428, 714}, {3e-4, 1.5e-4}}, 0, 1, {0}},
    {"1 + 1/4", 2, {{51e3, 12.75e3}, {1428, 357}, {3e-4, 0.75e-4}}, 0, 1, {0}},
};
static const mesi_way ways[] = {{"static", HEDDLE_MAP_STATIC, UINT32_MAX, 1},
                                {"free", HEDDLE_MAP_FREE, 16, 1},
                                {"fixed", HEDDLE_MAP_FIXED, 16, 1},
                                {"settle", HEDDLE_MAP_SETTLE, 0, 1}};
/* Figure 14 c: tasks bring their data, and send them back. */
static const mesi_way plain_ways[] = {{"static", HEDDLE_MAP_STATIC, UINT32_MAX, 1},
                                      {"free, nothing kept", HEDDLE_MAP_FREE, 16, 0}};

typedef struct figure {
    const char *name, *title;
    heddle_simulated_job app;
    uint64_t n;
    const mesi_way *ways; /* NULL: by tasks */
    size_t n_ways;
} figure;

static const figure figures[] = {
    {"mesi-14a", "matmul, 8192: time over equal parts", HEDDLE_SIMULATED_JOB_MATMUL, 8192, ways, COUNT(ways)},
    {"mesi-14b", "ep, class D: time over equal parts", HEDDLE_SIMULATED_JOB_EP, 65536, ways, COUNT(ways)},
    {"mesi-14c", "hotspot, 8192, nothing kept: time over equal parts", HEDDLE_SIMULATED_JOB_HOTSPOT, 8192, plain_ways,
     COUNT(plain_ways)},
    {"mesi-14d", "hotspot, 8192: time over equal parts", HEDDLE_SIMULATED_JOB_HOTSPOT, 8192, ways, COUNT(ways)},
    {"mesi-15a", "matmul, 8192: tasks a job", HEDDLE_SIMULATED_JOB_MATMUL, 8192, NULL, TASKS},
    {"mesi-15b", "ep, class D: tasks a job", HEDDLE_SIMULATED_JOB_EP, 65536, NULL, TASKS},
    {"mesi-15c", "hotspot, 8192: tasks a job", HEDDLE_SIMULATED_JOB_HOTSPOT, 8192, NULL, TASKS}};

static const char head[] =
    "# simulated: in virtual time, by the code that spreads real jobs; 1 + 1/2 is a GPU and half of one\n"
    "app\tn\tsteps\tmachine\tway\ttasks\tms\tover\tof_bound\tin_mb\tout_mb\tpeers_mb\tsource\n";

/* over: the time that the row's is divided by. */
static void put_row(FILE *out, const mesi_case *c, const mesi_result *r, double over)
{
    const uint32_t tasks = c->way.n_tasks == UINT32_MAX ? c->machine->n_gpus : c->way.n_tasks;
    char number[16] = "-";
    if (tasks)
        (void)snprintf(number, sizeof number, "%u", tasks);
    fprintf(out, "%s\t%llu\t%u\t%s\t%s\t%s\t%.5g\t%.4f\t%.4f\t%.6g\t%.6g\t%.6g\t%s\n",
            heddle_simulated_job_name(c->app), (unsigned long long)c->n, c->n_steps, c->machine->name, c->way.name,
            number, r->ms, r->ms / over, r->bound_ms / r->ms, r->in_mb, r->out_mb, r->peers_mb, r->source);
}

static uint32_t steps_of(heddle_simulated_job app, uint32_t n_steps)
{
    return app == HEDDLE_SIMULATED_JOB_HOTSPOT ? n_steps : 1;
}

/* The paper's tasks: a free GPU takes one; of hotspot each stays where it was. */
static mesi_way tasks_of(const figure *f, uint32_t n_tasks)
{
    const int is_hotspot = f->app == HEDDLE_SIMULATED_JOB_HOTSPOT;
    return (mesi_way){is_hotspot ? "fixed" : "free", is_hotspot ? HEDDLE_MAP_FIXED : HEDDLE_MAP_FREE, n_tasks, 1};
}

static mesi_way way_of(const figure *f, size_t i) { return f->ways ? f->ways[i] : tasks_of(f, 2u << i); }

/* Of each machine: over its time in the first way, or with the fewest tasks. value: machine by machine. */
static int fill(const figure *f, uint32_t n_steps, FILE *out, double *value)
{
    for (size_t m = 0; m < COUNT(machines); m++) {
        double first = 0;
        for (size_t i = 0; i < f->n_ways; i++) {
            const mesi_case c = {f->app, f->n, steps_of(f->app, n_steps), &machines[m], way_of(f, i)};
            mesi_result r;
            cli_progress("%s, %s, %s %zu of %zu", f->name, machines[m].name, c.way.name, i + 1, f->n_ways);
            if (mesi_simulate(&c, &r))
                return CLI_BAD;
            first = i ? first : r.ms;
            put_row(out, &c, &r, first);
            value[m * f->n_ways + i] = r.ms / first;
        }
    }
    return CLI_OK;
}

/* A group of bars a machine, in it a bar a way. */
static void draw_ways(const figure *f, const double *value, FILE *out)
{
    const char *groups[COUNT(machines)], *series[MOST_WAYS];
    chart c = {.title = f->title, .note = "simulated; one bar a way", .unit = "time over static"};
    for (size_t m = 0; m < COUNT(machines); m++)
        groups[m] = machines[m].name;
    for (size_t i = 0; i < f->n_ways; i++)
        series[i] = f->ways[i].name;
    chart_fill(&c, COUNT(machines), groups, f->n_ways, series, value);
    chart_print(&c, out);
}

/* A group of bars a number of tasks, in it a bar a machine. */
static void draw_tasks(const figure *f, const double *value, FILE *out)
{
    static const char *const groups[TASKS] = {"2", "4", "8", "16", "32", "64", "128"};
    const char *series[COUNT(machines)];
    double turned[COUNT(machines) * TASKS];
    chart c = {.title = f->title, .note = "simulated; one bar a machine, by tasks a job", .unit = "time over 2 tasks"};
    for (size_t m = 0; m < COUNT(machines); m++) {
        series[m] = machines[m].name;
        for (size_t i = 0; i < TASKS; i++)
            turned[i * COUNT(machines) + m] = value[m * TASKS + i];
    }
    chart_fill(&c, TASKS, groups, COUNT(machines), series, turned);
    chart_print(&c, out);
}

static int make(const figure *f, const char *dir, uint32_t n_steps)
{
    double value[COUNT(machines) * MOST_WAYS];
    figure_files files = {.dir = dir};
    int status;
    if (figure_begin(&files))
        return CLI_BAD;
    fputs(head, files.tsv.out);
    status = fill(f, n_steps, files.tsv.out, value);
    if (!status)
        (f->ways ? draw_ways : draw_tasks)(f, value, files.svg.out);
    return figure_end_or_drop(&files, f->name, 1, status);
}

/* Is it to be made? Lists have its name without the paper's. */
static int is_listed(const figure *f, const char *list)
{
    size_t at;
    return !list || figure_listed(list, strchr(f->name, '-') + 1, &at);
}

int mesi_make_scheduling(const char *list, const char *dir, uint32_t n_steps, size_t *n_made)
{
    n_steps = n_steps ? n_steps : STEPS;
    for (size_t i = 0; i < COUNT(figures); i++)
        if (is_listed(&figures[i], list)) {
            if (make(&figures[i], dir, n_steps))
                return CLI_BAD;
            ++*n_made;
        }
    return CLI_OK;
}
