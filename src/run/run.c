/* SPDX-License-Identifier: MIT */
/* run.c - starting a run, waiting for it, concluding it.
 *
 *     idle --begin--> running --(the backend says ended) conclude--> idle, with a result
 *
 * A run is concluded by whoever first finds that it ended: heddle_run, a wait, a test, or the next call on the graph.
 * Concluding turns the backend's stop word into a status and a sentence. Calls on a job may come from any thread; the
 * graph's mutex makes one of them conclude. */
#include "run/run.h"
#include "run/report.h"

#include <stdio.h>
#include <string.h>

#define GRACE_NS 5000000000ull /* after the time limit, for bodies to come back */

static uint64_t deadline_in(uint32_t ms)
{
    return ms == HEDDLE_FOREVER ? UINT64_MAX : hd_host_clock() + (uint64_t)ms * 1000000u;
}

/* ---- watched tasks ----------------------------------------------------------------------------------------------- */

/* On a worker's thread. */
static void task_done(void *self, uint32_t task)
{
    heddle_graph *g = self;
    uint32_t at = hd_graph_task(&g->g, task)->watch;
    hd_callback *c = at < g->callbacks.n ? (hd_callback *)g->callbacks.at + at : NULL;
    pthread_mutex_lock(&g->mutex);
    g->done[at] = 1;
    pthread_cond_broadcast(&g->moved);
    pthread_mutex_unlock(&g->mutex);
    if (c && c->fn)
        c->fn(c->arg, task);
}

/* ---- the end of a run --------------------------------------------------------------------------------------------- */

static const char *name_of(const heddle_graph *g, uint32_t task)
{
    uint32_t body = task & HD_SPAWNED ? task & ~HD_SPAWNED : hd_graph_task(&g->g, task)->body;
    return body < g->g.table->n_bodies ? g->g.table->bodies[body].name : "join";
}

/* "task 7 (lu_diag)"; "a spawned task (uts_node)". */
static void say_task(const heddle_graph *g, uint32_t task, char *to, size_t n)
{
    if (task & HD_SPAWNED)
        snprintf(to, n, "a spawned task (%.24s)", name_of(g, task));
    else
        snprintf(to, n, "task %u (%.24s)", task, name_of(g, task));
}

/* What a body did that it must not. */
static const char *misuse(uint32_t code)
{
    switch (code) {
    case HD_SPAWN_NOWHERE: return "spawned a task, and no body of its table is a HEDDLE_SPAWNER";
    case HD_SPAWN_TOO_MANY: return "spawned more tasks than HEDDLE_SPAWNER says of it";
    case HD_SPAWN_BODY: return "spawned a body that its table does not have, or with a record of another size";
    case HD_SPAWN_AFTER: return "spawned a task that waits for more than HEDDLE_MAX_AFTER others";
    case HD_SPAWN_STALE: return "named a task by a handle that is none, or whose slot has another task by now";
    case HD_SPAWN_LATE: return "called heddle_continue after heddle_spawn; it must come first";
    case HD_SPAWN_TWICE: return "called heddle_continue twice";
    default: return "spawned a task with a range of no bytes, of a stride below its row, or past the address space";
    }
}

static heddle_status end_status(heddle_graph *g, const hd_result *r)
{
    const hd_backend *b = g->ctx->backend;
    const char *more = b->complaint ? b->complaint(g->loaded) : "";
    hd_error *e = &g->ctx->error;
    char who[128];
    if (r->stop == HD_STOP_FAILED || r->stop == HD_STOP_SPAWN)
        say_task(g, r->task, who, sizeof who);
    switch (r->stop) {
    case HD_STOP_DONE: return HEDDLE_OK;
    case HD_STOP_CANCELED: return hd_say(e, HEDDLE_ECANCELED, "the run was cancelled before its end");
    case HD_STOP_LOST:
        __atomic_store_n(&g->ctx->lost, 1, __ATOMIC_RELAXED);
        return hd_say(e, HEDDLE_EDEVICE, "%s", more);
    case HD_STOP_FAILED:
        if (*more)
            return hd_say(e, HEDDLE_EBODY, "%s: %s", who, more);
        return hd_say(e, HEDDLE_EBODY, "%s failed with code %u", who, r->code);
    case HD_STOP_SPAWN: return hd_say(e, HEDDLE_EBODY, "%s %s", who, misuse(r->code));
    case HD_STOP_FULL:
        return hd_say(
            e, HEDDLE_ENOMEM,
            "every slot for spawned tasks holds one that waits for room for its children: HEDDLE_ARENA, or the "
            "config's n_arena, gives more");
    case HD_STOP_STUCK:
        return hd_say(e, HEDDLE_ECYCLE, "no worker can go on, and some tasks have not run: their predecessors were not counted");
    default:
        if (g->said_who) /* the sentence was made when the limit passed */
            return HEDDLE_ETIMEDOUT;
        return hd_say(e, HEDDLE_ETIMEDOUT, "the run passed its limit of %u ms", g->ctx->config.time_limit_ms);
    }
}

int hd_graph_running(heddle_graph *g)
{
    int r;
    pthread_mutex_lock(&g->mutex);
    r = g->running;
    pthread_mutex_unlock(&g->mutex);
    return r;
}

/* With the mutex; the backend says that the run ended. */
static void conclude(heddle_graph *g)
{
    hd_result r;
    if (!g->running)
        return;
    g->ctx->backend->result(g->loaded, &r);
    g->end = end_status(g, &r);
    g->running = 0;
    g->has_result = 1;
    if (g->job) {
        g->job->ended = 1;
        g->job->end = g->end;
        g->job = NULL;
    }
    pthread_cond_broadcast(&g->moved);
}

/* Waits until deadline_ns. 1: concluded. */
static int waited(heddle_graph *g, uint64_t deadline_ns)
{
    if (g->ctx->backend->wait(g->loaded, deadline_ns) == HEDDLE_EBUSY)
        return 0;
    pthread_mutex_lock(&g->mutex);
    conclude(g);
    pthread_mutex_unlock(&g->mutex);
    return 1;
}

/* What one worker is about, as a piece of a sentence. Returns its length. */
static int say_doing(const heddle_graph *g, uint32_t worker, const hd_doing *d, const char *before, char *text,
                     size_t n)
{
    char who[128];
    if (d->task != HD_NONE) {
        say_task(g, d->task, who, sizeof who);
        return snprintf(text, n, "%s worker %u in %.60s", before, worker, who);
    }
    return snprintf(text, n, "%s worker %u waits for task %u (%.24s), %u of its %u predecessors done", before, worker,
                    d->waits, name_of(g, d->waits), d->seen, d->need);
}

/* When no worker is in a task or waits for one: which tasks wait, at most 4. Returns how many. */
static uint32_t say_waiting(heddle_graph *g, char *text, size_t n)
{
    const hd_backend *b = g->ctx->backend;
    hd_doing d[4];
    uint32_t i, n_tasks = b->waiting ? b->waiting(g->loaded, d, 4) : 0;
    size_t at = 0;
    for (i = 0; i < n_tasks && at + 1 < n; i++)
        at += (size_t)snprintf(text + at, n - at, "%s task %u (%.24s) waits, %u of its %u predecessors done",
                               i ? "," : "; no worker was in a task:", d[i].waits, name_of(g, d[i].waits), d[i].seen,
                               d[i].need);
    return n_tasks;
}

/* The sentence of a passed time limit: what each worker is in, or whom it waits for; at most 4 of each. */
static void say_who(heddle_graph *g)
{
    char text[448];
    uint32_t w, n[2] = {0, 0}, n_here = 0;
    size_t at = 0;
    hd_doing d;
    text[0] = 0;
    for (w = 0; g->ctx->backend->doing(g->loaded, w, &d); w++) {
        int waits = d.task == HD_NONE;
        n_here += (uint32_t)d.here;
        if (!d.here || (waits && d.waits == HD_NONE) || n[waits]++ >= 4 || at + 1 >= sizeof text)
            continue;
        at += (size_t)say_doing(g, w, &d, at ? "," : ";", text + at, sizeof text - at);
    }
    hd_say(&g->ctx->error, HEDDLE_ETIMEDOUT, "the run passed its limit of %u ms%s", g->ctx->config.time_limit_ms,
           w == 0    ? "" /* there are none that could be asked */
           : !n_here ? "; no worker has started: the device is busy with other work"
           : n[0] + n[1] || say_waiting(g, text, sizeof text) ? text
                                                              : "; no worker was in a task");
    pthread_mutex_lock(&g->mutex);
    g->said_who = 1;
    pthread_mutex_unlock(&g->mutex);
}

/* The config's limit has passed: stops the run and gives bodies a grace period. */
static void enforce_limit(heddle_graph *g)
{
    say_who(g);
    g->ctx->backend->stop(g->loaded, HD_STOP_TIMEOUT);
    if (!waited(g, hd_host_clock() + GRACE_NS))
        __atomic_store_n(&g->ctx->lost, 1, __ATOMIC_RELAXED);
}

static heddle_status end_of(heddle_graph *g)
{
    heddle_status s;
    pthread_mutex_lock(&g->mutex);
    s = g->end;
    pthread_mutex_unlock(&g->mutex);
    return s;
}

/* Waits until the deadline or the config's limit. EBUSY: the run goes on. */
static heddle_status wait_until(heddle_graph *g, uint64_t deadline_ns)
{
    uint64_t first = deadline_ns < g->deadline_ns ? deadline_ns : g->deadline_ns;
    if (waited(g, first))
        return end_of(g);
    if (g->deadline_ns > deadline_ns || hd_host_clock() < g->deadline_ns)
        return HEDDLE_EBUSY;
    enforce_limit(g);
    return hd_ctx_lost(g->ctx) ? hd_ctx_check(g->ctx) : end_of(g);
}

void hd_graph_settle(heddle_graph *g)
{
    while (hd_graph_running(g) && !hd_ctx_lost(g->ctx) && wait_until(g, UINT64_MAX) == HEDDLE_EBUSY)
        continue;
}

/* ---- the start ---------------------------------------------------------------------------------------------------- */

void hd_graph_unload(heddle_graph *g)
{
    hd_graph_settle(g);
    if (g->loaded)
        g->ctx->backend->unload(g->loaded);
    g->loaded = NULL;
    g->has_result = g->stale = 0;
}

static heddle_status load(heddle_graph *g)
{
    hd_watcher watcher = {g, task_done};
    uint64_t begin = hd_host_clock(), app_bytes = g->g.table->app_bytes;
    heddle_status s;
    if (g->stale) /* what is loaded was made for another plan */
        hd_graph_unload(g);
    if (g->loaded)
        return HEDDLE_OK;
    if (!g->app && app_bytes && !(g->app = hd_new(app_bytes)))
        return hd_say(&g->ctx->error, HEDDLE_ENOMEM, "loading a graph: out of memory");
    if (!g->done && g->g.n_watched) {
        g->done = hd_new(g->g.n_watched);
        if (!g->done)
            return hd_say(&g->ctx->error, HEDDLE_ENOMEM, "loading a graph: out of memory");
        g->n_done = g->g.n_watched;
    }
    s = g->ctx->backend->load(&g->loaded, g->ctx->device, &g->g, watcher, &g->ctx->error);
    g->load_ns = hd_host_clock() - begin;
    return s;
}

static heddle_status check_start(heddle_ctx *ctx, heddle_graph *g, const void *app, size_t app_bytes)
{
    HD_TRY(hd_ctx_check(ctx));
    if (!g || g->ctx != ctx)
        return hd_say(&ctx->error, HEDDLE_EINVAL, "the graph is %s", g ? "of another context" : "NULL");
    if (app_bytes != g->g.table->app_bytes || (app_bytes && !app))
        return hd_say(&ctx->error, HEDDLE_EINVAL, "table %s has an app record of %u bytes, given were %llu",
                      g->g.table->name, g->g.table->app_bytes, app ? (unsigned long long)app_bytes : 0ull);
    if (hd_graph_running(g) && !waited(g, 0))
        return hd_say(&ctx->error, HEDDLE_EBUSY, "a run of this graph is in flight");
    return HEDDLE_OK;
}

static void set_running(heddle_graph *g, int running, heddle_job *job)
{
    pthread_mutex_lock(&g->mutex);
    g->running = running;
    g->said_who = 0;
    g->job = job;
    pthread_mutex_unlock(&g->mutex);
}

static heddle_status begin(heddle_ctx *ctx, heddle_graph *g, const void *app, size_t app_bytes, heddle_job *job,
                           int help)
{
    heddle_status s;
    HD_TRY(check_start(ctx, g, app, app_bytes));
    HD_TRY(hd_graph_freeze(&g->g, &ctx->error));
    HD_TRY(load(g));
    if (app_bytes)
        memcpy(g->app, app, app_bytes);
    if (g->n_done)
        memset(g->done, 0, g->n_done);
    g->deadline_ns = ctx->config.time_limit_ms ? deadline_in(ctx->config.time_limit_ms) : UINT64_MAX;
    set_running(g, 1, job);
    s = ctx->backend->start(g->loaded, g->app, help, g->deadline_ns, &ctx->error);
    if (s != HEDDLE_OK)
        set_running(g, 0, NULL);
    else if (ctx->config.time_limit_ms) /* of the run alone: a first start may have had much to prepare */
        g->deadline_ns = deadline_in(ctx->config.time_limit_ms);
    return s;
}

HEDDLE_API heddle_status heddle_run(heddle_ctx *ctx, heddle_graph *g, const void *app, size_t app_bytes)
{
    /* With a time limit this thread must watch the clock, so it cannot lend itself. */
    HD_TRY(begin(ctx, g, app, app_bytes, NULL, ctx && !ctx->config.time_limit_ms));
    return wait_until(g, UINT64_MAX);
}

/* ---- jobs --------------------------------------------------------------------------------------------------------- */

HEDDLE_API heddle_status heddle_submit(heddle_ctx *ctx, heddle_graph *g, const void *app, size_t app_bytes,
                                       heddle_job **out)
{
    heddle_job *j;
    heddle_status s;
    if (out)
        *out = NULL;
    HD_TRY(hd_ctx_check(ctx));
    if (!out)
        return hd_say(&ctx->error, HEDDLE_EINVAL, "heddle_submit: out is NULL");
    j = hd_new(sizeof *j);
    if (!j)
        return hd_say(&ctx->error, HEDDLE_ENOMEM, "heddle_submit: out of memory");
    j->graph = g;
    s = begin(ctx, g, app, app_bytes, j, 0);
    if (s != HEDDLE_OK)
        hd_delete(j, sizeof *j);
    else
        *out = j;
    return s;
}

/* EBUSY, or how the job ended. */
static heddle_status ended(heddle_job *j)
{
    heddle_status s;
    pthread_mutex_lock(&j->graph->mutex);
    s = j->ended ? j->end : HEDDLE_EBUSY;
    pthread_mutex_unlock(&j->graph->mutex);
    return s;
}

static heddle_status wait_job(heddle_job *j, uint64_t deadline_ns)
{
    heddle_status s = ended(j);
    if (s != HEDDLE_EBUSY)
        return s;
    if (hd_ctx_lost(j->graph->ctx))
        return HEDDLE_EDEVICE;
    s = wait_until(j->graph, deadline_ns);
    return s == HEDDLE_EBUSY ? s : ended(j) == HEDDLE_EBUSY ? HEDDLE_EDEVICE : ended(j);
}

HEDDLE_API heddle_status heddle_test(heddle_job *j)
{
    return j ? wait_job(j, 0) : hd_say(NULL, HEDDLE_EINVAL, "heddle_test: the job is NULL");
}

HEDDLE_API heddle_status heddle_wait(heddle_job *j, uint32_t timeout_ms)
{
    heddle_status s;
    if (!j)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_wait: the job is NULL");
    s = wait_job(j, deadline_in(timeout_ms));
    if (s == HEDDLE_EBUSY)
        return hd_say(&j->graph->ctx->error, HEDDLE_ETIMEDOUT, "heddle_wait: the job goes on after %u ms", timeout_ms);
    return s;
}

/* One byte of done, with the mutex. */
static int is_done(heddle_graph *g, uint32_t at)
{
    int d;
    pthread_mutex_lock(&g->mutex);
    d = g->done[at];
    pthread_mutex_unlock(&g->mutex);
    return d;
}

/* Sleeps until some watched task is done, at most 1 ms: the end of the run is found by asking the backend. */
static void nap(heddle_graph *g)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_mutex_lock(&g->mutex);
    if (g->running)
        (void)pthread_cond_timedwait(&g->moved, &g->mutex, &until);
    pthread_mutex_unlock(&g->mutex);
}

HEDDLE_API heddle_status heddle_wait_task(heddle_job *j, heddle_task t, uint32_t timeout_ms)
{
    uint64_t deadline_ns = deadline_in(timeout_ms);
    heddle_graph *g;
    heddle_status s;
    if (!j)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_wait_task: the job is NULL");
    g = j->graph;
    if (t >= g->g.n_tasks || !(hd_graph_task(&g->g, t)->flags & HD_TASK_WATCH))
        return hd_say(&g->ctx->error, HEDDLE_EINVAL, "task %u was not added with HEDDLE_TASK_WATCH", t);
    for (;;) {
        if (ended(j) == HEDDLE_EBUSY && is_done(g, hd_graph_task(&g->g, t)->watch))
            return HEDDLE_OK;
        s = wait_job(j, 0);
        if (s != HEDDLE_EBUSY)
            return s;
        if (hd_host_clock() >= deadline_ns)
            return hd_say(&g->ctx->error, HEDDLE_ETIMEDOUT, "task %u is not done after %u ms", t, timeout_ms);
        nap(g);
    }
}

HEDDLE_API void heddle_cancel(heddle_job *j)
{
    if (!j)
        return;
    pthread_mutex_lock(&j->graph->mutex);
    if (!j->ended)
        j->graph->ctx->backend->stop(j->graph->loaded, HD_STOP_CANCELED);
    pthread_mutex_unlock(&j->graph->mutex);
}

HEDDLE_API void heddle_job_free(heddle_job *j)
{
    if (!j)
        return;
    (void)wait_job(j, UINT64_MAX);
    pthread_mutex_lock(&j->graph->mutex);
    if (j->graph->job == j)
        j->graph->job = NULL;
    pthread_mutex_unlock(&j->graph->mutex);
    hd_delete(j, sizeof *j);
}

/* ---- what happened ------------------------------------------------------------------------------------------------ */

/* As hd_graph_outcome; what the backend said in full. */
static heddle_status last_result(heddle_graph *g, hd_result *r, const char *call)
{
    if (!g)
        return hd_say(NULL, HEDDLE_EINVAL, "%s: the graph is NULL", call);
    HD_TRY(hd_ctx_check(g->ctx));
    if (hd_graph_running(g) && !waited(g, 0))
        return hd_say(&g->ctx->error, HEDDLE_EBUSY, "%s: a run of this graph is in flight", call);
    if (!g->has_result)
        return hd_say(&g->ctx->error, HEDDLE_EINVAL, "%s: the graph has not run", call);
    g->ctx->backend->result(g->loaded, r);
    return HEDDLE_OK;
}

heddle_status hd_graph_outcome(heddle_graph *g, hd_outcome *out, const char *call)
{
    hd_result r;
    HD_TRY(last_result(g, &r, call));
    out->n_workers = r.n_workers;
    out->n_trace = r.n_trace;
    out->begin_ns = r.begin_ns;
    out->end_ns = r.end_ns;
    out->tallies = r.tallies;
    out->events = r.events;
    out->backend = heddle_backend_name(g->ctx->config.backend);
    out->policy = heddle_policy_name(g->ctx->config.policy);
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_get_stats(heddle_graph *g, heddle_stats *out)
{
    hd_outcome o;
    hd_result r;
    HD_TRY(hd_graph_outcome(g, &o, "heddle_get_stats"));
    HD_TRY(last_result(g, &r, "heddle_get_stats"));
    if (!out || out->size != sizeof *out)
        return hd_say(&g->ctx->error, HEDDLE_EINVAL, "heddle_get_stats: set the struct up with HEDDLE_STATS_INIT");
    HD_TRY(hd_report_stats(&g->g, &o, out, &g->ctx->error));
    out->load_ns = g->load_ns + r.cost.more_ns;
    out->plan_ns = r.cost.plan_ns;
    out->kernel_ns = r.cost.kernel_ns;
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_get_worker_stats(heddle_graph *g, uint32_t worker, heddle_worker_stats *out)
{
    hd_outcome o;
    HD_TRY(hd_graph_outcome(g, &o, "heddle_get_worker_stats"));
    return hd_report_worker(&g->g, &o, worker, out, &g->ctx->error);
}

HEDDLE_API heddle_status heddle_get_body_stats(heddle_graph *g, uint32_t body, heddle_body_stats *out)
{
    hd_outcome o;
    HD_TRY(hd_graph_outcome(g, &o, "heddle_get_body_stats"));
    return hd_report_body(&g->g, &o, body, out, &g->ctx->error);
}

HEDDLE_API heddle_status heddle_get_events(heddle_graph *g, heddle_event *ev, size_t n_max, size_t *n_out)
{
    hd_outcome o;
    HD_TRY(hd_graph_outcome(g, &o, "heddle_get_events"));
    return hd_report_events(&g->g, &o, ev, n_max, n_out, &g->ctx->error);
}

HEDDLE_API heddle_status heddle_write_trace(heddle_graph *g, const char *path)
{
    hd_outcome o;
    HD_TRY(hd_graph_outcome(g, &o, "heddle_write_trace"));
    return hd_write_trace(&g->g, &o, path, &g->ctx->error);
}

HEDDLE_API heddle_status heddle_write_timeline(heddle_graph *g, const char *path, const char *title)
{
    hd_outcome o;
    HD_TRY(hd_graph_outcome(g, &o, "heddle_write_timeline"));
    return hd_write_timeline(&g->g, &o, path, title, &g->ctx->error);
}

/* ---- into the user's stream ---------------------------------------------------------------------------------------- */

HEDDLE_API heddle_status heddle_enqueue(heddle_ctx *ctx, heddle_graph *g, const void *app, size_t app_bytes,
                                        void *stream)
{
    HD_TRY(check_start(ctx, g, app, app_bytes));
    if (!ctx->backend->enqueue)
        return hd_say(&ctx->error, HEDDLE_EINVAL, "heddle_enqueue: backend %s has no streams",
                      heddle_backend_name(ctx->config.backend));
    HD_TRY(hd_graph_freeze(&g->g, &ctx->error));
    HD_TRY(load(g));
    return ctx->backend->enqueue(g->loaded, app, stream, &ctx->error);
}

HEDDLE_API heddle_status heddle_synced(heddle_graph *g)
{
    hd_result r;
    if (!g)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_synced: the graph is NULL");
    HD_TRY(hd_ctx_check(g->ctx));
    if (!g->loaded || !g->ctx->backend->synced)
        return hd_say(&g->ctx->error, HEDDLE_EINVAL, "heddle_synced: no run of this graph was put into a stream");
    g->ctx->backend->synced(g->loaded, &r);
    g->has_result = 1;
    g->said_who = 0;
    return g->end = end_status(g, &r);
}
