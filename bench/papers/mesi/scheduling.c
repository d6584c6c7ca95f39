/* SPDX-License-Identifier: MIT */
/* scheduling.c - jobs over several GPUs, as in the paper on MESI-CUDA's dynamic scheduling (Ohno et al. 2016), as DIR/mesi-NAME.tsv and .svg:
 *
 *     14a, 14b, 14c, 14d   figure 14: matmul; ep; hotspot without and with the two optimisations. Equal parts as one task a GPU (static),
 *                          the paper's free and fixed tasks, and shares that settle: over the time of static on the same machine
 *     15a, 15b, 15c        figure 15: 2 to 128 tasks a job
 *
 * Simulated: on the machines of the paper, 1, 2 and 4 GPUs that are alike, and unequal pairs, which are parts of GPUs. Of the paper's
 * machines only how TITAN and 680 differ is from its times; other rates are guesses by data sheets.
 * Measured: on the GPUs that are here (measured.c), from host memory to host memory, medians of runs after three that are not counted;
 * drawn in DIR/mesi-NAME-measured.svg. Where a pair is unequal, its slower part alone is measured, too: with s, its speed over the
 * faster one's, equal parts take (1 + s) / (2 s) times as long as the best parts. of_bound is by the program by hand on one GPU and plain
 * copies in the same run, where devices are whole GPUs.
 *
 * All rows have the bytes that cross the links, of all devices together and of each, and over those of the model (links.c). The column `source` says
 * whether they are simulated or measured. What cannot be measured is a row `skipped` with the reason. Hotspot has 200 steps, or N: later ones are like those. */
#include "by_hand.h"
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
    "# simulated: in virtual time, by the code that spreads real jobs; 1 + 1/2 is a GPU and "
    "half of one; in_mb, out_mb, peers_mb: all devices together; _each: device by device; over_model: "
    "the most of what links carry over the least that is possible; ep's n: 2^20 pairs, "
    "measured: pairs\n"
    "app\tn\tsteps\tmachine\tway\ttasks\tms\tover\tof_bound\tin_mb\tout_mb\tpeers_mb\t"
    "in_mb_each\tout_mb_each\tpeers_mb_each\tsent_mb_each\tover_model\tsource\n";

uint32_t mesi_tasks(const mesi_case *c) { return c->way.n_tasks == UINT32_MAX ? c->machine->n_gpus : c->way.n_tasks; }

static void begin_row(FILE *out, const mesi_case *c, const char *way)
{
    const uint32_t tasks = mesi_tasks(c);
    char number[16] = "-";
    if (tasks)
        (void)snprintf(number, sizeof number, "%u", tasks);
    fprintf(out, "%s\t%llu\t%u\t%s\t%s\t%s\t", heddle_simulated_job_name(c->app), (unsigned long long)c->n, c->n_steps,
            c->machine->name, way, number);
}

/* A quotient, if it is known. */
static void put_ratio(FILE *out, double a, double b)
{
    if (a > 0 && b > 0)
        fprintf(out, "%.4f\t", a / b);
    else
        fputs("-\t", out);
}

/* over: the time that the row's is divided by; 0: not known. */
static void put_row(FILE *out, const mesi_case *c, const mesi_result *r, double over)
{
    begin_row(out, c, c->way.name);
    fprintf(out, "%.5g\t", r->ms);
    put_ratio(out, r->ms, over);
    put_ratio(out, r->bound_ms, r->ms);
    mesi_put_sums(&r->links, out);
    fputc('\t', out);
    mesi_put_each(&r->links, out);
    fputc('\t', out);
    put_ratio(out, r->over_model, 1);
    fprintf(out, "%s\n", r->source);
}

static void put_skipped(FILE *out, const mesi_case *c, const char *way, const char *why)
{
    begin_row(out, c, way);
    fprintf(out, "skipped\t%s\n", why);
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

/* ---- measured ---- */

/* One of the devices alone has its time only. */
static size_t ways_on(const figure *f, const mesi_place *p) { return !p->is_alone ? f->n_ways : f->ways ? 1 : 0; }

static int can_be_on(const mesi_place *p, char why[MESI_WORDS])
{
    const uint32_t n = by_hand_gpus();
    snprintf(why, MESI_WORDS, "needs %u GPU%s; here %s %u", p->least_gpus, p->least_gpus == 1 ? "" : "s",
             n == 1 ? "is" : "are", n);
    return n >= p->least_gpus;
}

/* value: of each way, over the first one's time; 0: there is none. */
static void measure_on(const figure *f, mesi_ask *a, mesi_subject *s, const mesi_place *p, mesi_case c, FILE *out,
                       double *value)
{
    double first = 0;
    for (size_t i = 0; i < ways_on(f, p); i++) {
        mesi_result r;
        c.way = way_of(f, i);
        cli_progress("%s, %s, %s %zu of %zu", f->name, p->machine.name, c.way.name, i + 1, f->n_ways);
        if (mesi_measure(a, s, &c, p, &r)) {
            put_skipped(out, &c, c.way.name, s->why);
            continue;
        }
        first = i ? first : r.ms;
        put_row(out, &c, &r, first);
        value[i] = first > 0 ? r.ms / first : 0;
    }
}

/* value: place by place. */
static void measure(const figure *f, mesi_ask *a, uint32_t n_steps, const mesi_place *places, size_t n, FILE *out,
                    double *value)
{
    mesi_subject s = {.c = NULL};
    for (size_t i = 0; i < n; i++) {
        mesi_case c = {f->app, f->n, steps_of(f->app, n_steps), &places[i].machine, {"all", HEDDLE_MAP_STATIC, 0, 1}};
        char why[MESI_WORDS];
        c.n = mesi_measured_n(a, &c);
        if (!i)
            mesi_measure_rate(a, &s, &c);
        if (can_be_on(&places[i], why))
            measure_on(f, a, &s, &places[i], c, out, value + i * f->n_ways);
        else if (ways_on(f, &places[i]))
            put_skipped(out, &c, c.way.name, why);
    }
    mesi_subject_free(&s);
}

/* ---- pictures ---- */

/* Machines by name, and their values. */
typedef struct drawing {
    const char *note, *names[MESI_MOST_PLACES];
    size_t n;
    const double *value;
} drawing;

/* What names as "1 + 1/2" mean. */
static const char *parts_in(const drawing *d)
{
    for (size_t i = 0; i < d->n; i++)
        if (strchr(d->names[i], '/'))
            return "; fractions are parts of GPUs";
    return "";
}

/* A group of bars a machine, in it a bar a way. */
static void draw_ways(const figure *f, const drawing *d, FILE *out)
{
    const char *series[MOST_WAYS];
    char note[MESI_WORDS];
    chart c = {.title = f->title, .note = note, .unit = "time over static"};
    snprintf(note, sizeof note, "%s; one bar a way%s", d->note, parts_in(d));
    for (size_t i = 0; i < f->n_ways; i++)
        series[i] = f->ways[i].name;
    chart_fill(&c, d->n, d->names, f->n_ways, series, d->value);
    chart_print(&c, out);
}

/* A group of bars a number of tasks, in it a bar a machine. */
static void draw_tasks(const figure *f, const drawing *d, FILE *out)
{
    static const char *const groups[TASKS] = {"2", "4", "8", "16", "32", "64", "128"};
    double turned[MESI_MOST_PLACES * TASKS];
    char note[MESI_WORDS];
    chart c = {.title = f->title, .note = note, .unit = "time over 2 tasks"};
    snprintf(note, sizeof note, "%s; one bar a machine, by tasks a job%s", d->note, parts_in(d));
    for (size_t m = 0; m < d->n; m++)
        for (size_t i = 0; i < TASKS; i++)
            turned[i * d->n + m] = d->value[m * TASKS + i];
    chart_fill(&c, TASKS, groups, d->n, d->names, turned);
    chart_print(&c, out);
}

static void draw(const figure *f, const drawing *d, FILE *out) { (f->ways ? draw_ways : draw_tasks)(f, d, out); }

static void draw_simulated(const figure *f, const double *value, FILE *out)
{
    drawing d = {.note = "simulated", .n = COUNT(machines), .value = value};
    for (size_t m = 0; m < d.n; m++)
        d.names[m] = machines[m].name;
    draw(f, &d, out);
}

/* Places where something was measured; devices alone have no ways. */
static void take_measured(const figure *f, const mesi_place *places, size_t n, const double *value, drawing *d,
                          double *kept)
{
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = 0; k < f->n_ways; k++)
            sum += kept[d->n * f->n_ways + k] = value[i * f->n_ways + k];
        if (sum > 0 && !places[i].is_alone)
            d->names[d->n++] = places[i].machine.name;
    }
}

/* Nothing, if nothing was measured. */
static int draw_measured(const figure *f, const mesi_ask *a, const mesi_place *places, size_t n, const double *value,
                         const char *dir)
{
    const mesi_case c = {.app = f->app, .n = f->n};
    double kept[MESI_MOST_PLACES * MOST_WAYS];
    char name[32], note[64];
    drawing d = {.note = note, .value = kept};
    figure_files files = {.dir = dir};
    snprintf(note, sizeof note, "measured, n = %llu", (unsigned long long)mesi_measured_n(a, &c));
    take_measured(f, places, n, value, &d, kept);
    if (!d.n)
        return CLI_OK;
    if (figure_begin(&files))
        return CLI_BAD;
    draw(f, &d, files.svg.out);
    snprintf(name, sizeof name, "%s-measured", f->name);
    return figure_end_drawing(&files, name);
}

/* ---- figures ---- */

static int make(const figure *f, mesi_ask *a, uint32_t n_steps)
{
    double value[COUNT(machines) * MOST_WAYS], measured[MESI_MOST_PLACES * MOST_WAYS] = {0};
    figure_files files = {.dir = a->o->out ? a->o->out : "."};
    mesi_place places[MESI_MOST_PLACES];
    const size_t n = mesi_places(a, places);
    int status;
    if (figure_begin(&files))
        return CLI_BAD;
    mesi_find_copies(a, files.tsv.out);
    fputs(head, files.tsv.out);
    status = fill(f, n_steps, files.tsv.out, value);
    if (!status) {
        draw_simulated(f, value, files.svg.out);
        measure(f, a, n_steps, places, n, files.tsv.out, measured);
    }
    return figure_end_or_drop(&files, f->name, 1, status) || draw_measured(f, a, places, n, measured, files.dir);
}

/* Is it to be made? Lists have its name without the paper's. */
static int is_listed(const figure *f, const char *list)
{
    size_t at;
    return !list || figure_listed(list, strchr(f->name, '-') + 1, &at);
}

int mesi_make_scheduling(mesi_ask *a, uint32_t n_steps, size_t *n_made)
{
    n_steps = n_steps ? n_steps : STEPS;
    for (size_t i = 0; i < COUNT(figures); i++)
        if (is_listed(&figures[i], a->list)) {
            if (make(&figures[i], a, n_steps))
                return CLI_BAD;
            ++*n_made;
        }
    return CLI_OK;
}
