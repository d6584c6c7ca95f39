/* SPDX-License-Identifier: MIT */
/* work.c - the life of a case, for `run` and `bench`: prepare -> open -> build -> freeze -> (run -> check -> reset)*.
 * Inputs are read before a context is opened, so that bad input starts no threads. */
#include "work.h"

#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* A run that hangs must not hang the terminal: ten minutes, on a GPU one minute. The environment may override it. */
enum { TIME_LIMIT_MS = 600000, GPU_TIME_LIMIT_MS = 60000 };

static int bad_case(const work *w) { return cli_bad("%s", w->c->error); }

static int prepare(work *w, const app_scenario *s, const app_request *q)
{
    char error[APP_ERROR] = "";
    uint64_t begin_ns = cli_now_ns();
    cli_progress("%s: reading the input", w->app->name);
    w->c = app_new(w->app, s, q, error);
    w->prepare_ns = cli_now_ns() - begin_ns;
    return w->c ? CLI_OK : cli_bad("%s", error);
}

static uint32_t time_limit(const heddle_config *c)
{
    int on_gpu = c->backend == HEDDLE_CUDA || (c->backend == HEDDLE_AUTO && heddle_backend_is_present(HEDDLE_CUDA));
    return on_gpu ? GPU_TIME_LIMIT_MS : TIME_LIMIT_MS;
}

static int is_serial(const heddle_config *c)
{
    const char *said = getenv("HEDDLE_BACKEND");
    return c->backend == HEDDLE_SERIAL || (c->backend == HEDDLE_AUTO && said && !strcmp(said, "serial"));
}

static int is_loop(const work *w) { return w->app && app_engine_has_fleet(w->c->scenario->engine); }

/* The backend asked for, by option or by HEDDLE_BACKEND. */
static int find_backend(const heddle_config *cfg, heddle_backend *out)
{
    const char *said = getenv("HEDDLE_BACKEND");
    *out = cfg->backend;
    if (cfg->backend || !said || !*said)
        return CLI_OK;
    for (unsigned b = 0; b < HEDDLE_N_BACKENDS; b++)
        if (!strcmp(said, heddle_backend_name((heddle_backend)b))) {
            *out = (heddle_backend)b;
            return CLI_OK;
        }
    return cli_bad("HEDDLE_BACKEND=%s: no such backend", said);
}

/* The devices of a backend: the calling thread, cores, a GPU. None: the fleet's own default, with as many cores as are wanted. */
static void name_devices(work *w, heddle_backend b, const heddle_config *cfg)
{
    char cores[16] = "cpu:*";
    if (cfg->n_workers)
        snprintf(cores, sizeof cores, "cpu:%u", cfg->n_workers);
    if (b == HEDDLE_CUDA)
        snprintf(w->devices, sizeof w->devices, "cuda:%u", cfg->device);
    else
        snprintf(w->devices, sizeof w->devices, "%s%s", b == HEDDLE_AUTO ? "cuda:* " : "",
                 b == HEDDLE_SERIAL ? "serial" : cores);
}

/* A loop opens a fleet, and needs no context. HEDDLE_DEVICES is what the fleet reads; options that name a backend come first. */
static int choose_devices(work *w, const heddle_config *cfg)
{
    const char *said = getenv("HEDDLE_DEVICES");
    heddle_backend b;
    if (find_backend(cfg, &b))
        return CLI_BAD;
    w->config = *cfg;
    w->config.backend = b;
    if (said && *said && !cfg->backend && !cfg->n_workers)
        return CLI_OK;
    name_devices(w, b, cfg);
    w->c->devices = w->devices;
    return CLI_OK;
}

static int open_context(work *w, const heddle_config *cfg)
{
    heddle_config config = *cfg;
    uint64_t begin_ns = cli_now_ns();
    heddle_status s;
    if (is_loop(w)) {
        w->c->n_trace = config.n_trace;
        w->c->time_limit_ms = config.time_limit_ms ? config.time_limit_ms : time_limit(&config);
        return choose_devices(w, cfg);
    }
    if (w->app && w->c->scenario->engine == &app_pool && !is_serial(cfg))
        config.team_size = 0; /* the tasks of the pool have it */
    if (!config.time_limit_ms && !getenv("HEDDLE_TIME_LIMIT_MS"))
        config.time_limit_ms = time_limit(&config);
    s = heddle_ctx_open(&w->ctx, &config);
    w->open_ns = cli_now_ns() - begin_ns;
    if (s)
        return cli_heddle_bad(NULL, s);
    w->config.size = sizeof w->config;
    s = heddle_ctx_get_config(w->ctx, &w->config);
    return s ? cli_heddle_bad(w->ctx, s) : CLI_OK;
}

static int build(work *w)
{
    uint64_t begin_ns = cli_now_ns();
    heddle_status s = HEDDLE_OK;
    cli_progress("%s: building", w->app ? w->app->name : w->file);
    if (w->app) {
        if (w->c->scenario->build(w->c, w->ctx))
            return bad_case(w);
        w->graph = w->c->graph;
    } else
        s = heddle_graph_read_json(w->ctx, NULL, w->file, &w->graph);
    w->build_ns = cli_now_ns() - begin_ns;
    return s ? cli_heddle_bad(w->ctx, s) : CLI_OK;
}

static int freeze(work *w)
{
    static const heddle_graph_info empty = HEDDLE_GRAPH_INFO_INIT;
    heddle_status s = w->graph ? heddle_graph_freeze(w->graph) : HEDDLE_OK;
    w->info = empty;
    if (!s && w->graph)
        s = heddle_graph_get_info(w->graph, &w->info);
    if (s)
        return cli_heddle_bad(w->ctx, s);
    w->n_facts = w->app ? w->c->scenario->engine->facts(w->c, w->facts) : app_graph_facts(w->graph, w->facts);
    return CLI_OK;
}

static int open_rest(work *w, const heddle_config *cfg)
{
    return open_context(w, cfg) || build(w) || freeze(w) ? CLI_BAD : CLI_OK;
}

int work_open_scenario(work *w, const app *a, const app_scenario *s, const app_request *q, const heddle_config *cfg)
{
    *w = (work){.app = a};
    return prepare(w, s, q) ? CLI_BAD : open_rest(w, cfg);
}

int work_open(work *w, const app *a, const char *file, const app_request *q, const heddle_config *cfg)
{
    if (a)
        return work_open_scenario(w, a, a->scenarios, q, cfg);
    *w = (work){.file = file};
    return open_rest(w, cfg);
}

int work_run(work *w, uint64_t *ns)
{
    heddle_status s = HEDDLE_OK;
    int failed = 0;
    uint64_t begin_ns;
    cli_progress("%s: running", w->app ? w->app->name : w->file);
    begin_ns = cli_now_ns();
    if (w->app)
        failed = w->c->scenario->engine->run(w->c);
    else
        s = heddle_graph_run(w->ctx, w->graph, NULL, 0);
    *ns = cli_now_ns() - begin_ns;
    return failed ? bad_case(w) : s ? cli_heddle_bad(w->ctx, s) : CLI_OK;
}

/* Whether the library still tries ways to run the graph. */
static int is_trying(const work *w)
{
    heddle_stats stats = HEDDLE_STATS_INIT;
    return w->graph && heddle_graph_get_stats(w->graph, &stats) == HEDDLE_OK && stats.is_trying;
}

int work_settle(work *w)
{
    uint64_t ns;
    while (is_trying(w))
        if (work_reset(w) || work_run(w, &ns))
            return CLI_BAD;
    return CLI_OK;
}

int work_reset(work *w) { return w->app && w->c->scenario->reset(w->c) ? bad_case(w) : CLI_OK; }

void work_close(work *w)
{
    if (w->app && w->c)
        w->c->app->free(w->c);
    else if (w->graph)
        heddle_graph_free(w->graph);
    heddle_ctx_close(w->ctx);
}

const char *work_name(const work *w, char name[64])
{
    if (!w->app)
        return w->file;
    if (w->c->scenario == w->app->scenarios)
        return w->app->name;
    snprintf(name, 64, "%s/%s", w->app->name, w->c->scenario->engine->name);
    return name;
}

/* ---- checks ---- */

static int check_case(work *w, const char **sentence)
{
    cli_progress("%s: serial reference", w->app->name);
    if (w->c->app->read(w->c) || w->c->app->reference(w->c))
        return bad_case(w);
    if (!w->c->app->check(w->c))
        return CLI_OK;
    *sentence = w->c->error;
    return CLI_WRONG;
}

/* Begin and end of each task, by number; from the trace of a graph file. */
typedef struct seen {
    uint64_t begin_ns, end_ns;
    uint32_t n_times;
} seen;

static heddle_status read_events(heddle_graph *g, heddle_event **out, size_t *n)
{
    heddle_status s = heddle_graph_get_events(g, NULL, 0, n);
    *out = NULL;
    if (s || *n == 0)
        return s;
    *out = malloc(*n * sizeof **out);
    return *out ? heddle_graph_get_events(g, *out, *n, n) : HEDDLE_ENOMEM;
}

static heddle_status read_seen(heddle_graph *g, seen *tasks, uint64_t n_tasks)
{
    heddle_event *events;
    size_t n, i;
    heddle_status s = read_events(g, &events, &n);
    for (i = 0; !s && i < n; i++)
        if (events[i].task < n_tasks) {
            seen *t = &tasks[events[i].task];
            t->begin_ns = events[i].begin_ns;
            t->end_ns = events[i].end_ns;
            t->n_times++;
        }
    free(events);
    return s;
}

/* NULL, or what is wrong with task t and its edges. Joins leave no events; edges through them are not checked. */
static const char *check_task(heddle_graph *g, const seen *tasks, heddle_task t, heddle_task *next, size_t n_next_max)
{
    uint32_t body = HEDDLE_BODY_JOIN;
    size_t n_next = 0, i;
    if (heddle_graph_get_body(g, t, &body) || body == HEDDLE_BODY_JOIN)
        return NULL;
    if (tasks[t].n_times != 1)
        return tasks[t].n_times ? "a task ran more than once" : "a task did not run";
    if (heddle_graph_get_successors(g, t, next, n_next_max, &n_next))
        return "the graph's edges cannot be read";
    for (i = 0; i < n_next; i++)
        if (tasks[next[i]].n_times && tasks[next[i]].begin_ns < tasks[t].end_ns)
            return "a task began before one it depends on had ended";
    return NULL;
}

static int check_file(work *w, const char **sentence)
{
    uint64_t n_all = w->info.n_tasks + w->info.n_joins, t;
    heddle_stats stats = HEDDLE_STATS_INIT;
    seen *tasks = calloc(n_all + 1, sizeof *tasks);
    heddle_task *next = calloc(n_all + 1, sizeof *next);
    heddle_status s = tasks && next ? heddle_graph_get_stats(w->graph, &stats) : HEDDLE_ENOMEM;
    if (!s && stats.n_dropped + stats.n_events == 0 && n_all)
        *sentence = "the run was not traced";
    else if (!s && stats.n_dropped)
        *sentence = "the trace lost events; HEDDLE_TRACE makes room for more";
    else if (!s)
        s = read_seen(w->graph, tasks, n_all);
    for (t = 0; !s && !*sentence && t < n_all; t++)
        *sentence = check_task(w->graph, tasks, (heddle_task)t, next, n_all);
    free(tasks);
    free(next);
    if (s)
        return s == HEDDLE_ENOMEM ? cli_bad("%s: out of memory", w->file) : cli_heddle_bad(w->ctx, s);
    return *sentence && !stats.n_dropped && stats.n_events ? CLI_WRONG : CLI_OK;
}

int work_check(work *w, const char **sentence)
{
    *sentence = NULL;
    return w->app ? check_case(w, sentence) : check_file(w, sentence);
}

/* ---- names ---- */

const char *work_how(const work *w)
{
    heddle_pool_info pool = HEDDLE_POOL_INFO_INIT;
    if (w->graph)
        return heddle_graph_describe_run(w->graph);
    if (work_jobs(w))
        return heddle_multi_how(work_jobs(w));
    if (work_loop(w))
        return work_loop(w)->front ? heddle_wavefront_how(work_loop(w)->front) : heddle_loop_how(work_loop(w)->loop);
    return w->c->pool && heddle_pool_get_info(w->c->pool, &pool) == HEDDLE_OK ? pool.how : "";
}

const app_looping *work_loop(const work *w) { return w->app ? w->c->looping : NULL; }

heddle_multi *work_jobs(const work *w) { return work_loop(w) && work_loop(w)->kinds ? work_loop(w)->kinds[0] : NULL; }

const char *work_split(const app_engine *e)
{
    const char *said = getenv(e == &app_jobs ? "HEDDLE_MAP" : "HEDDLE_SPLIT");
    if (said && *said)
        return said;
    return e == &app_jobs ? heddle_map_name(HEDDLE_MAP_SETTLE) : heddle_split_name(HEDDLE_SPLIT_CUT);
}

uint32_t work_n_units(const work *w)
{
    heddle_loop_stats stats = HEDDLE_LOOP_STATS_INIT;
    heddle_wavefront_stats front = HEDDLE_WAVEFRONT_STATS_INIT;
    heddle_fleet_unit unit = HEDDLE_UNIT_INIT;
    uint32_t n = 0;
    while (work_jobs(w) && heddle_fleet_get_unit(work_loop(w)->fleet, n, &unit) == HEDDLE_OK)
        n++;
    if (n)
        return n;
    if (work_loop(w)->front)
        return heddle_wavefront_get_stats(work_loop(w)->front, &front) == HEDDLE_OK ? front.n_units : 0;
    return heddle_loop_get_stats(work_loop(w)->loop, &stats) == HEDDLE_OK ? stats.n_units : 0;
}

const char *work_schedule(const heddle_config *c)
{
    return c->backend == HEDDLE_SERIAL ? "order" : heddle_schedule_name(c->schedule);
}

const char *work_policy(const heddle_config *c)
{
    return c->backend == HEDDLE_SERIAL || !c->expert.policy ? "-" : heddle_policy_name(c->expert.policy);
}
