/* SPDX-License-Identifier: MIT */
/* cmd_bench.c - `heddle bench APP...|all` (and spawn: bench_spawn.c): the same case on several subjects, first verified, then timed in turn, so
 * that a machine that slows down slows all of them. Each timed run is a whole life of the case: one-time costs (adding
 * tasks, freezing, loading) are measured as often as the run is. Within a life the first run warms up, the second is
 * timed. A subject that fails its check is not timed.
 *
 * Rows: measure, case, subject, median, min, max, unit, separated by tabs. The measures have the names of Juggler's
 * artifact. */
#include "commands.h"

#include "cli.h"
#include "work.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* name, unit */
#define MEASURES(X)           \
    X(execTime, "ms")         \
    X(minTaskLoad, "tasks")   \
    X(maxTaskLoad, "tasks")   \
    X(inspectionLoop, "ms")   \
    X(buildCSR, "ms")         \
    X(initAppContext_H, "ms") \
    X(initAppContext_D, "ms") \
    X(initRtContext_D, "ms")  \
    X(totalTime, "ms")        \
    X(workers, "workers")     \
    X(tasks, "tasks")         \
    X(edges, "edges")

typedef enum measure {
#define X(name, unit) name,
    MEASURES(X)
#undef X
        N_MEASURES
} measure;

static const char *const names[] = {
#define X(name, unit) #name,
    MEASURES(X)
#undef X
};
static const char *const units[] = {
#define X(name, unit) unit,
    MEASURES(X)
#undef X
};

/* Whether a measure applies to the plain loop, which has no graph, no workers and no setup except the data. */
static int concerns_tiles(measure m) { return m == execTime || m == initAppContext_H || m == totalTime; }

enum { MAX_SUBJECTS = 2 + 2 * (HEDDLE_N_SCHEDULES + 3 * HEDDLE_N_POLICIES) };

typedef struct subject {
    char name[64];
    int is_tiles, failed;
    heddle_config config;
    double *values; /* N_MEASURES per run */
} subject;

typedef struct bench {
    const options *o;
    const app *app;
    const app_scenario *scenario;
    subject subjects[MAX_SUBJECTS];
    size_t n_subjects;
    char label[256];          /* the case */
    uint64_t n_done, n_steps; /* lives of all apps of this call */
} bench;

/* ---- subjects ---- */

static int is_loop(const bench *b) { return app_engine_has_fleet(b->scenario->engine); }

/* What the fleet of a loop is opened with. */
static const char *devices_of(const heddle_config *config)
{
    const char *said = getenv("HEDDLE_DEVICES");
    return config->backend ? heddle_backend_name(config->backend) : said && *said ? said : "cuda:* cpu:*";
}

static void add_subject(bench *b, const heddle_config *config, int is_tiles)
{
    subject *s = &b->subjects[b->n_subjects++];
    s->config = *config;
    s->is_tiles = is_tiles;
    if (is_tiles)
        snprintf(s->name, sizeof s->name, "tiles");
    else if (is_loop(b))
        snprintf(s->name, sizeof s->name, "%.48s/%s/-", devices_of(config), work_split(b->scenario->engine));
    else
        snprintf(s->name, sizeof s->name, "%s/%s/%s", heddle_backend_name(config->backend), work_schedule(config),
                 work_policy(config));
}

/* The plain loop and the serial backend have no workers, GPU threads or dispatch; options on these do not apply to them. */
static void add_plain(bench *b, int is_tiles)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    c.backend = HEDDLE_SERIAL;
    c.time_limit_ms = b->o->config.time_limit_ms;
    add_subject(b, &c, is_tiles);
}

static int has_policies(heddle_schedule s)
{
    return s == HEDDLE_SCHEDULE_RINGS || s == HEDDLE_SCHEDULE_IQS || s == HEDDLE_SCHEDULE_SCHEDULER;
}

/* Adds a schedule with each of its policies. */
static void add_schedule(bench *b, heddle_config c)
{
    unsigned wanted = b->o->policies;
    if (!has_policies(c.schedule)) {
        add_subject(b, &c, 0);
        return;
    }
    for (unsigned p = HEDDLE_POLICY_DEFAULT + 1; p < HEDDLE_N_POLICIES; p++) {
        c.expert.policy = (heddle_policy)p;
        if (p == HEDDLE_POLICY_SHARE && c.schedule != HEDDLE_SCHEDULE_RINGS)
            continue; /* the papers' queues have none */
        if (!wanted || wanted & 1u << p)
            add_subject(b, &c, 0);
    }
}

/* The schedule of the command line, or the one that the engine requires. */
static heddle_schedule wanted_schedule(const bench *b)
{
    return b->o->config.schedule ? b->o->config.schedule : b->scenario->engine->schedule;
}

/* A pool has a schedule of its own. */
static int is_pool(const bench *b) { return b->scenario->engine == &app_pool; }

/* Adds that schedule; by default, on threads, rings with each policy. */
static void add_threads(bench *b)
{
    heddle_config c = b->o->config;
    c.backend = HEDDLE_CPU;
    c.team_size = c.expert.by_body = c.device = 0;
    if (is_pool(b) || is_loop(b)) {
        add_subject(b, &c, 0);
        return;
    }
    c.schedule = wanted_schedule(b);
    c.schedule = c.schedule ? c.schedule : HEDDLE_SCHEDULE_RINGS;
    add_schedule(b, c);
}

/* Adds that schedule; by default, on a GPU, all schedules of a graph except ticket, which is dynamic there. */
static void add_gpu(bench *b)
{
    const heddle_schedule wanted = wanted_schedule(b);
    heddle_config c = b->o->config;
    c.backend = HEDDLE_CUDA;
    if (is_pool(b) || is_loop(b))
        add_subject(b, &c, 0);
    if (is_loop(b)) { /* and with all cores */
        c.backend = HEDDLE_AUTO;
        add_subject(b, &c, 0);
    }
    for (int s = is_pool(b) || is_loop(b) ? HEDDLE_N_SCHEDULES : HEDDLE_SCHEDULE_AUTO + 1; s < HEDDLE_N_SCHEDULES;
         s++) {
        c.schedule = (heddle_schedule)s;
        c.expert.by_body =
            heddle_schedule_has_workers(c.schedule) || s == HEDDLE_SCHEDULE_TASKGRAPH ? 0 : b->o->config.expert.by_body;
        if (wanted ? c.schedule == wanted : s != HEDDLE_SCHEDULE_TICKET && s != HEDDLE_SCHEDULE_WAVE)
            add_schedule(b, c);
    }
}

static void add_backend(bench *b, heddle_backend backend)
{
    switch (backend) {
    case HEDDLE_SERIAL: add_plain(b, 0); break;
    case HEDDLE_CPU: add_threads(b); break;
    default: add_gpu(b);
    }
}

static int add_subjects(bench *b)
{
    unsigned wanted = b->o->backends;
    if (b->o->devices) { /* of loops: on these alone */
        add_subject(b, &b->o->config, 0);
        return CLI_OK;
    }
    if (b->scenario->tiles && (!wanted || wanted & 1u << SUBJECT_TILES))
        add_plain(b, 1);
    for (unsigned i = HEDDLE_SERIAL; i < HEDDLE_N_BACKENDS; i++) {
        int here = heddle_backend_is_present((heddle_backend)i);
        if (!here && wanted & 1u << i)
            return cli_bad("backend %s is not here (heddle info shows what is)",
                           heddle_backend_name((heddle_backend)i));
        if (here && (!wanted || wanted & 1u << i))
            add_backend(b, (heddle_backend)i);
    }
    if (!b->n_subjects)
        return cli_bad("%s/%s has no tiles", b->app->name, b->scenario->engine->name);
    return CLI_OK;
}

/* ---- a life ---- */

static int run_once(const subject *s, work *w, uint64_t *ns)
{
    uint64_t begin_ns;
    if (!s->is_tiles)
        return work_run(w, ns);
    cli_progress("%s: plain loop over the tiles", w->app->name);
    begin_ns = cli_now_ns();
    if (w->c->scenario->tiles(w->c))
        return cli_bad("%s", w->c->error);
    *ns = cli_now_ns() - begin_ns;
    return CLI_OK;
}

static void keep(double *v, const work *w, const heddle_stats *stats, uint64_t run_ns, uint64_t total_ns)
{
    const heddle_graph_info *info = &w->info;
    v[execTime] = (double)run_ns / 1e6;
    v[minTaskLoad] = stats->n_tasks_min;
    v[maxTaskLoad] = stats->n_tasks_max;
    v[inspectionLoop] = (double)info->add_ns / 1e6;
    v[buildCSR] = (double)info->freeze_ns / 1e6;
    v[initAppContext_H] = (double)w->prepare_ns / 1e6;
    v[initAppContext_D] = (double)(w->build_ns > info->add_ns ? w->build_ns - info->add_ns : 0) / 1e6;
    v[initRtContext_D] = (double)(w->open_ns + stats->load_ns) / 1e6;
    v[totalTime] = (double)total_ns / 1e6;
    v[workers] = work_loop(w) ? work_n_units(w) : w->config.n_workers;
    v[tasks] = (double)(w->graph ? info->n_tasks : w->c->tasks.n);
    v[edges] = (double)info->n_edges;
}

/* The loop uses the app's memory but not its graph: subtracts the time of adding and freezing. */
static uint64_t without_graph(const subject *s, const work *w, uint64_t total_ns)
{
    uint64_t graph_ns = w->info.add_ns + w->info.freeze_ns + w->open_ns;
    return !s->is_tiles ? total_ns : total_ns > graph_ns ? total_ns - graph_ns : 0;
}

/* A plain loop, a pool and a loop on a fleet have none. */
static int read_stats(const subject *s, const work *w, heddle_stats *out)
{
    const heddle_status status = s->is_tiles || !w->graph ? HEDDLE_OK : heddle_graph_get_stats(w->graph, out);
    return status ? cli_heddle_bad(w->ctx, status) : CLI_OK;
}

/* A whole life up to the results on the host, then the timed run. */
static int live(bench *b, const subject *s, double *values)
{
    heddle_stats first = HEDDLE_STATS_INIT, stats = HEDDLE_STATS_INIT;
    uint64_t begin_ns = cli_now_ns(), total_ns = 0, ns = 0;
    work w;
    int status;
    cli_progress_steps(b->n_done++, b->n_steps);
    status = work_open_scenario(&w, b->app, b->scenario, &b->o->request, &s->config);
    if (!status)
        status = run_once(s, &w, &ns);
    if (!status)
        status = read_stats(s, &w, &first);
    if (!status && w.c->app->read(w.c))
        status = cli_bad("%s", w.c->error);
    total_ns = cli_now_ns() - begin_ns;
    if (!status && !s->is_tiles)
        status = work_settle(&w);
    if (!status)
        status = work_reset(&w) || run_once(s, &w, &ns) ? CLI_BAD : CLI_OK;
    if (!status)
        status = read_stats(s, &w, &stats);
    stats.load_ns = first.load_ns; /* only the first run loads */
    if (!status)
        keep(values, &w, &stats, ns, without_graph(s, &w, total_ns));
    work_close(&w);
    return status;
}

/* One run compared with the reference; sets the label of the case. */
static int verify(bench *b, subject *s)
{
    const char *sentence = NULL;
    char name[64];
    uint64_t ns;
    work w;
    int status;
    cli_progress_steps(b->n_done++, b->n_steps);
    status = work_open_scenario(&w, b->app, b->scenario, &b->o->request, &s->config);
    if (!status)
        status = run_once(s, &w, &ns);
    if (!status)
        status = work_check(&w, &sentence);
    if (status == CLI_WRONG) {
        s->failed = 1;
        cli_bad("%s on %s: the check failed: %s", b->app->name, s->name, sentence);
    }
    if (status != CLI_BAD)
        snprintf(b->label, sizeof b->label, "%s:%" PRIu64 "x%" PRIu64 ":%" PRIu64 "x%" PRIu64, work_name(&w, name),
                 w.c->n[0], w.c->n[1], w.c->b[0], w.c->b[1]);
    work_close(&w);
    return status;
}

static int verify_all(bench *b)
{
    int worst = CLI_OK;
    for (size_t i = 0; i < b->n_subjects; i++) {
        int status = verify(b, &b->subjects[i]);
        if (status == CLI_BAD)
            return status;
        worst = status > worst ? status : worst;
    }
    return worst;
}

/* Adds what is said of spawning, behind `at` characters of the label; returns how many there are then. */
static size_t label_spawning(bench *b, size_t at)
{
    const app_spawning *s = &b->o->request.spawning;
    const struct {
        const char *name;
        uint64_t value;
    } parts[] = {{"tasks", s->n_tasks},   {"blocks", s->n_blocks},         {"threads", s->n_threads},
                 {"at_once", s->at_once}, {"copies", (uint64_t)s->copies}, {"irregular", (uint64_t)s->irregular}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts && at < sizeof b->label; i++)
        if (parts[i].value)
            at += (size_t)snprintf(b->label + at, sizeof b->label - at, ":%s=%" PRIu64, parts[i].name, parts[i].value);
    return at;
}

/* Options and inputs on the command line are part of the label. */
static void label_options(bench *b)
{
    const app_request *q = &b->o->request;
    size_t at = label_spawning(b, strlen(b->label)), i;
    for (i = 0; i < q->n_opts && at < sizeof b->label; i++)
        at += (size_t)snprintf(b->label + at, sizeof b->label - at, ":%s=%s", q->opts[i].key, q->opts[i].value);
    for (i = 0; i < q->n_inputs && at < sizeof b->label; i++) {
        const char *slash = strrchr(q->inputs[i], '/');
        at += (size_t)snprintf(b->label + at, sizeof b->label - at, ":%s", slash ? slash + 1 : q->inputs[i]);
    }
    for (char *c = b->label; *c; c++)
        if (*c == '\t' || *c == '\n')
            *c = ' ';
}

static int time_all(bench *b)
{
    for (uint64_t r = 0; r < b->o->runs; r++)
        for (size_t i = 0; i < b->n_subjects; i++) {
            subject *s = &b->subjects[i];
            if (!s->failed && live(b, s, s->values + r * N_MEASURES))
                return CLI_BAD;
        }
    return CLI_OK;
}

/* ---- rows ---- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median, least and most of one measure over the runs. */
static void spread(const bench *b, const subject *s, measure m, double out[3])
{
    uint64_t n = b->o->runs, r;
    double sorted[10000]; /* the limit of --runs */
    for (r = 0; r < n; r++)
        sorted[r] = s->values[r * N_MEASURES + m];
    qsort(sorted, n, sizeof *sorted, by_size);
    out[0] = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    out[1] = sorted[0];
    out[2] = sorted[n - 1];
}

static void print_rows(const bench *b, const subject *s, FILE *out)
{
    int passed = !s->failed;
    fprintf(out, "check\t%s\t%s\t%d\t%d\t%d\tpassed\n", b->label, s->name, passed, passed, passed);
    for (unsigned m = 0; m < N_MEASURES && passed; m++) {
        double v[3];
        if (s->is_tiles && !concerns_tiles((measure)m))
            continue;
        spread(b, s, (measure)m, v);
        fprintf(out, "%s\t%s\t%s\t%.9g\t%.9g\t%.9g\t%s\n", names[m], b->label, s->name, v[0], v[1], v[2], units[m]);
    }
}

/* The table to read when the rows go to a file. */
static void print_table(const bench *b, FILE *out)
{
    fprintf(out, "%s\n  %-32s %12s %12s %12s  execTime, ms\n", b->label, "", "median", "min", "max");
    for (size_t i = 0; i < b->n_subjects; i++) {
        double v[3];
        if (b->subjects[i].failed) {
            fprintf(out, "  %-32s the check failed\n", b->subjects[i].name);
            continue;
        }
        spread(b, &b->subjects[i], execTime, v);
        fprintf(out, "  %-32s %12.3f %12.3f %12.3f\n", b->subjects[i].name, v[0], v[1], v[2]);
    }
}

/* An app and scenario to time. */
typedef struct choice {
    const app *app; /* NULL ends a list */
    const app_scenario *scenario;
} choice;

/* App number `at` of n_apps. */
static int bench_app(const options *o, choice c, size_t at, size_t n_apps, FILE *rows, FILE *table)
{
    bench b = {.o = o, .app = c.app, .scenario = c.scenario};
    int status = add_subjects(&b), checked = CLI_OK;
    double *values = calloc(b.n_subjects * o->runs + 1, N_MEASURES * sizeof *values);
    uint64_t n_lives = b.n_subjects * (o->runs + 1); /* one life verifies */
    b.n_done = at * n_lives;
    b.n_steps = n_apps * n_lives;
    if (!status && !values)
        status = cli_bad("out of memory");
    for (size_t i = 0; values && i < b.n_subjects; i++)
        b.subjects[i].values = values + i * o->runs * N_MEASURES;
    if (!status)
        status = checked = verify_all(&b);
    if (status != CLI_BAD) {
        label_options(&b);
        status = time_all(&b);
    }
    for (size_t i = 0; !status && i < b.n_subjects; i++)
        print_rows(&b, &b.subjects[i], rows);
    if (!status)
        print_table(&b, table);
    free(values);
    return status ? status : checked;
}

/* ---- the command ---- */

/* All scenarios; if a size was given, only of apps that have rows and columns. */
static void all_apps(const options *o, choice *out)
{
    const app_request *q = &o->request;
    for (size_t i = 0; app_list[i]; i++)
        for (const app_scenario *s = app_list[i]->scenarios; s->engine; s++)
            if (app_list[i]->n[1] || !(q->n[0] || q->b[0]))
                *out++ = (choice){app_list[i], s};
    out->app = NULL;
}

static size_t count_scenarios(void)
{
    size_t n = 0;
    for (size_t i = 0; app_list[i]; i++)
        for (const app_scenario *s = app_list[i]->scenarios; s->engine; s++)
            n++;
    return n;
}

/* The named ones, or all. */
static int find_apps(const options *o, choice *out)
{
    size_t n = 0;
    if (o->n_words == 1 && !strcmp(o->words[0], "all")) {
        all_apps(o, out);
        return CLI_OK;
    }
    if (o->n_words == 0)
        return cli_bad("bench takes the names of apps, or all");
    for (size_t i = 0; i < o->n_words; i++, n++)
        if (find_scenario(o, o->words[i], &out[n].app, &out[n].scenario))
            return CLI_BAD;
    out[n].app = NULL;
    return CLI_OK;
}

static int bench_apps(const options *o, const choice *apps, cli_buffer *rows, cli_buffer *table)
{
    int worst = CLI_OK;
    size_t n_apps = 0;
    while (apps[n_apps].app)
        n_apps++;
    fputs("measure\tcase\tsubject\tmedian\tmin\tmax\tunit\n", rows->out);
    for (size_t i = 0; i < n_apps; i++) {
        int status = bench_app(o, apps[i], i, n_apps, rows->out, table->out);
        if (status == CLI_BAD)
            return status;
        worst = status > worst ? status : worst;
    }
    return worst;
}

static int bench_and_tell(const options *o, const choice *apps, cli_buffer *rows, cli_buffer *table)
{
    int told, status;
    if (cli_buffer_open(rows) || cli_buffer_open(table))
        return CLI_BAD;
    status = bench_apps(o, apps, rows, table);
    if (status == CLI_BAD)
        return status;
    told = o->tsv ? cli_buffer_write(rows, o->tsv) || cli_buffer_print(table) : cli_buffer_print(rows);
    return told ? CLI_BAD : status;
}

/* The papers' figures are a program of their own with the same options. Returns only if it cannot start. */
static int start_figures(const options *o)
{
    char path[4096];
    if (cli_beside("heddle-figures", path, sizeof path))
        return cli_bad("--figures %s: the program heddle-figures is not beside this command (it is built and installed "
                       "with it)",
                       o->figures);
    cli_progress_stop();
    fflush(stdout);
    execv(path, o->args);
    return cli_bad("%s: cannot be started: %s", path, strerror(errno));
}

int cmd_bench(const options *o)
{
    cli_buffer rows = {.text = NULL}, table = {.text = NULL};
    choice *apps;
    int status;
    if (o->figures)
        return start_figures(o);
    if (o->n_words > 0 && !strcmp(o->words[0], "spawn"))
        return bench_spawn(o);
    if (cli_check_output(o->tsv))
        return CLI_BAD;
    apps = calloc(count_scenarios() + o->n_words + 1, sizeof *apps);
    if (!apps)
        return cli_bad("out of memory");
    status = find_apps(o, apps) ? CLI_BAD : bench_and_tell(o, apps, &rows, &table);
    cli_buffer_free(&rows);
    cli_buffer_free(&table);
    free(apps);
    return status;
}
