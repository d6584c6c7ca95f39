/* SPDX-License-Identifier: MIT */
/* run.c - a graph as a job: loading, starting, waiting, naming, and the results of its last run. */
#include "run/run.h"
#include "run/report.h"

#include <stdio.h>
#include <string.h>

/* ---- the job ------------------------------------------------------------------------------------------------------ */

static heddle_status job_start(void *self, int help, uint64_t limit_ns, hd_error *e)
{
    heddle_graph *g = self;
    return g->ctx->backend->start(hd_graph_now(g)->loaded, g->params, help, limit_ns, e);
}

static heddle_status job_wait(void *self, uint64_t deadline_ns)
{
    heddle_graph *g = self;
    return g->ctx->backend->wait(hd_graph_now(g)->loaded, deadline_ns);
}

static void job_stop(void *self, uint32_t why)
{
    heddle_graph *g = self;
    g->ctx->backend->stop(hd_graph_now(g)->loaded, why);
}

static int job_doing(void *self, uint32_t worker, hd_doing *out)
{
    heddle_graph *g = self;
    return g->ctx->backend->doing(hd_graph_now(g)->loaded, worker, out);
}

static uint32_t job_waiting(void *self, hd_doing *out, uint32_t n_max)
{
    heddle_graph *g = self;
    return g->ctx->backend->waiting ? g->ctx->backend->waiting(hd_graph_now(g)->loaded, out, n_max) : 0;
}

static void job_result(void *self, hd_outcome *out)
{
    heddle_graph *g = self;
    g->ctx->backend->result(hd_graph_now(g)->loaded, out);
}

static const char *job_complaint(void *self)
{
    heddle_graph *g = self;
    return g->ctx->backend->complaint ? g->ctx->backend->complaint(hd_graph_now(g)->loaded) : "";
}

/* The body of a task or a spawned task; NULL: a join. */
static const heddle_body_info *body_of(void *self, uint32_t task)
{
    const hd_graph *g = &hd_graph_now(self)->g;
    uint32_t body = task & HD_SPAWNED ? task & ~HD_SPAWNED : hd_graph_task(g, task)->body;
    return body < g->table->n_bodies ? &g->table->bodies[body] : NULL;
}

static const char *job_name(void *self, uint32_t task)
{
    const heddle_body_info *body = body_of(self, task);
    return body ? body->name : "join";
}

static uint32_t job_most_children(void *self, uint32_t task)
{
    const heddle_body_info *body = body_of(self, task);
    return body ? body->n_children : 0;
}

/* "task 7 (lu_diag)"; "a spawned task (uts_node)". */
static void job_say(void *self, uint32_t task, char *to, size_t n)
{
    if (task & HD_SPAWNED)
        snprintf(to, n, "a spawned task (%.24s)", job_name(self, task));
    else
        snprintf(to, n, "task %u (%.24s)", task, job_name(self, task));
}

static int job_say_failure(void *self, uint32_t code, char *to, size_t n)
{
    heddle_graph *now = hd_graph_now(self);
    return now->say_failure && now->say_failure(now, code, to, n);
}

static void job_say_halt(void *self, char *to, size_t n)
{
    heddle_graph *now = hd_graph_now(self);
    if (now->say_halt)
        now->say_halt(now, to, n);
}

static void job_came(void *self, uint64_t i, uint32_t task)
{
    heddle_graph *g = self;
    hd_callback *c = i < g->callbacks.n ? (hd_callback *)g->callbacks.at + i : NULL;
    if (c && c->fn)
        c->fn(c->arg, task);
}

const hd_job_kind hd_graph_job = {.start = job_start,
                                  .wait = job_wait,
                                  .stop = job_stop,
                                  .doing = job_doing,
                                  .waiting = job_waiting,
                                  .result = job_result,
                                  .complaint = job_complaint,
                                  .name = job_name,
                                  .say = job_say,
                                  .say_failure = job_say_failure,
                                  .say_halt = job_say_halt,
                                  .most_children = job_most_children,
                                  .came = job_came};

/* ---- the start ---------------------------------------------------------------------------------------------------- */

/* hd_watcher: on a worker's thread. */
static void task_done(void *self, uint32_t task)
{
    heddle_graph *g = self;
    hd_job_came(&g->job, hd_graph_task(&g->g, task)->watch, task);
}

void hd_graph_unload(heddle_graph *g)
{
    hd_job_settle(&g->job);
    if (g->loaded)
        g->ctx->backend->unload(g->loaded);
    g->loaded = NULL;
    g->job.has_result = g->stale = 0;
}

static heddle_status load(heddle_graph *g)
{
    heddle_graph *now = hd_graph_now(g);
    hd_watcher watcher = {g, task_done};
    const hd_work work = {HD_WORK_GRAPH, &now->g};
    uint64_t begin = heddle_host_clock_ns(), params_bytes = g->g.table->params_bytes;
    heddle_status s;
    if (now->stale) /* it was loaded with another plan */
        hd_graph_unload(now);
    if (now->loaded)
        return HEDDLE_OK;
    if (!g->params && params_bytes && !(g->params = hd_new(params_bytes)))
        return hd_say(&g->ctx->error, HEDDLE_ENOMEM, "loading a graph: out of memory");
    if (hd_job_watch(&g->job, g->g.watched.n))
        return hd_say(&g->ctx->error, HEDDLE_ENOMEM, "loading a graph: out of memory");
    s = hd_backend_load(g->ctx->backend, &now->loaded, g->ctx->device, &work, watcher, &g->ctx->error);
    now->load_ns = heddle_host_clock_ns() - begin;
    return s;
}

/* After a run that ended badly: resets the variant that ran. */
static heddle_status start_anew(heddle_graph *g)
{
    heddle_graph *now = hd_graph_now(g);
    return now->start_anew && g->job.has_result && g->job.end != HEDDLE_OK ? now->start_anew(now) : HEDDLE_OK;
}

/* Records the time of the last run, if it ended well. */
static void note_run(heddle_graph *g)
{
    hd_outcome o;
    if (!g->job.has_result || g->job.end != HEDDLE_OK || !hd_ctx_is_open(g->ctx))
        return;
    g->ctx->backend->result(hd_graph_now(g)->loaded, &o);
    hd_variants_note(g->variants, o.end_ns - o.begin_ns, (int)o.is_trying);
}

/* Chooses the next variant. Settles the last run first, since its alarm may query a variant that is dropped here. A run in a
 * stream may be captured and replayed for ever, so trials end then. */
static heddle_status choose_variant(heddle_graph *g, int to_stream)
{
    hd_variants *v = g->variants;
    const uint32_t before = v ? v->now : 0;
    heddle_status s = HEDDLE_OK;
    if (!v)
        return HEDDLE_OK;
    if (!v->is_settled)
        HD_TRY(start_anew(g));
    hd_job_settle(&g->job);
    note_run(g);
    if (!hd_ctx_is_open(g->ctx))
        hd_variants_use_own(v);
    else if (to_stream)
        hd_variants_hold(v, "kept because a run of it was put into a stream");
    else
        s = hd_variants_next(v);
    if (v->now != before)
        g->job.has_result = 0; /* the result was another variant's */
    return s;
}

static heddle_status start_variant(heddle_graph *g, const void *params, heddle_job *handle, int help)
{
    HD_TRY(choose_variant(g, 0));
    HD_TRY(load(g));
    if (g->g.table->params_bytes)
        memcpy(g->params, params, g->g.table->params_bytes);
    HD_TRY(hd_job_start(&g->job, handle, help));
    if (g->variants)
        hd_variants_began(g->variants);
    return HEDDLE_OK;
}

static heddle_status check_start(heddle_ctx *ctx, heddle_graph *g, const void *params, size_t params_bytes,
                                 const char *call)
{
    HD_TRY(hd_ctx_check(ctx));
    HD_TRY(hd_ctx_may_wait(ctx, call));
    if (!g || g->ctx != ctx)
        return hd_say(&ctx->error, HEDDLE_EINVAL, "the graph is %s", g ? "of another context" : "NULL");
    if (params_bytes != g->g.table->params_bytes || (params_bytes && !params))
        return hd_say(&ctx->error, HEDDLE_EINVAL, "table %s has a record of params of %u bytes, given were %llu",
                      g->g.table->name, g->g.table->params_bytes, params ? (unsigned long long)params_bytes : 0ull);
    if (!hd_job_is_over(&g->job))
        return hd_say(&ctx->error, HEDDLE_EBUSY, "a run of this graph is in flight");
    return HEDDLE_OK;
}

static heddle_status begin(heddle_ctx *ctx, heddle_graph *g, const void *params, size_t params_bytes,
                           heddle_job *handle, int help)
{
    heddle_status s;
    HD_TRY(check_start(ctx, g, params, params_bytes, handle ? "heddle_graph_submit" : "heddle_graph_run"));
    HD_TRY(hd_graph_freeze(&g->g, &ctx->error));
    HD_TRY(start_anew(g));
    do
        s = start_variant(g, params, handle, help);
    while (s != HEDDLE_OK && g->variants && hd_variants_refuse(g->variants, s));
    return s;
}

HEDDLE_API heddle_status heddle_graph_run(heddle_ctx *ctx, heddle_graph *g, const void *params, size_t params_bytes)
{
    /* With a time limit this thread must return even if a body does not, so it is not lent. */
    HD_TRY(begin(ctx, g, params, params_bytes, NULL, ctx && !ctx->config.time_limit_ms));
    return hd_job_wait(&g->job, UINT64_MAX);
}

HEDDLE_API heddle_status heddle_graph_submit(heddle_ctx *ctx, heddle_graph *g, const void *params, size_t params_bytes,
                                             heddle_job **out)
{
    heddle_job *h;
    heddle_status s;
    if (out)
        *out = NULL;
    HD_TRY(hd_ctx_check(ctx));
    if (!out)
        return hd_say(&ctx->error, HEDDLE_EINVAL, "heddle_graph_submit: out is NULL");
    h = hd_new(sizeof *h);
    if (!h)
        return hd_say(&ctx->error, HEDDLE_ENOMEM, "heddle_graph_submit: out of memory");
    h->of = g ? &g->job : NULL;
    s = begin(ctx, g, params, params_bytes, h, 0);
    if (s != HEDDLE_OK)
        hd_delete(h, sizeof *h);
    else
        *out = h;
    return s;
}

HEDDLE_API heddle_status heddle_job_wait_task(heddle_job *h, heddle_task t, uint32_t timeout_ms)
{
    heddle_graph *g;
    heddle_status s;
    if (!h)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_job_wait_task: the job is NULL");
    HD_TRY(hd_ctx_may_wait(h->of->ctx, "heddle_job_wait_task"));
    if (h->of->kind != &hd_graph_job)
        return hd_say(&h->of->ctx->error, HEDDLE_EINVAL, "heddle_job_wait_task: the job is none of a graph's");
    g = h->of->self;
    if (t >= g->g.n_tasks || !(hd_graph_task(&g->g, t)->flags & HD_TASK_WATCH))
        return hd_say(&g->ctx->error, HEDDLE_EINVAL, "task %u was not added with HEDDLE_TASK_WATCH", t);
    s = hd_job_wait_item(h, hd_graph_task(&g->g, t)->watch, hd_job_deadline(timeout_ms));
    if (s == HEDDLE_EBUSY)
        return hd_say(&g->ctx->error, HEDDLE_EBUSY, "task %u is not done after %u ms", t, timeout_ms);
    return s;
}

/* ---- what happened ------------------------------------------------------------------------------------------------ */

heddle_status hd_graph_outcome(heddle_graph *g, hd_outcome *out, const char *call)
{
    const heddle_graph *now;
    if (!g)
        return hd_say(NULL, HEDDLE_EINVAL, "%s: the graph is NULL", call);
    HD_TRY(hd_ctx_check(g->ctx));
    if (!hd_job_is_over(&g->job))
        return hd_say(&g->ctx->error, HEDDLE_EBUSY, "%s: a run of this graph is in flight", call);
    if (!g->job.has_result)
        return hd_say(&g->ctx->error, HEDDLE_EINVAL, "%s: the graph has not run", call);
    now = hd_graph_now(g);
    memset(out, 0, sizeof *out);
    g->ctx->backend->result(now->loaded, out);
    out->cost.load_ns += now->load_ns;
    out->backend = heddle_backend_name(g->ctx->config.backend);
    hd_graph_legend(&out->legend, &now->g);
    if (g->variants && hd_ctx_is_open(g->ctx)) {
        out->how = hd_variants_say(g->variants, out->how);
        out->is_trying |= !g->variants->is_settled;
    }
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_graph_get_stats(heddle_graph *g, heddle_stats *out)
{
    hd_outcome o;
    heddle_stats s;
    HD_TRY(hd_graph_outcome(g, &o, "heddle_graph_get_stats"));
    if (!out || out->size < sizeof out->size)
        return hd_say(&g->ctx->error, HEDDLE_EINVAL,
                      "heddle_graph_get_stats: set the struct up with HEDDLE_STATS_INIT");
    HD_TRY(hd_report_stats(&o, &s, &g->ctx->error));
    hd_copy_known(out, &s, sizeof s);
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_graph_get_worker_stats(heddle_graph *g, uint32_t worker, heddle_worker_stats *out)
{
    hd_outcome o;
    HD_TRY(hd_graph_outcome(g, &o, "heddle_graph_get_worker_stats"));
    return hd_report_worker(&o, worker, out, &g->ctx->error);
}

HEDDLE_API heddle_status heddle_graph_get_body_stats(heddle_graph *g, uint32_t body, heddle_body_stats *out)
{
    hd_outcome o;
    HD_TRY(hd_graph_outcome(g, &o, "heddle_graph_get_body_stats"));
    return hd_report_body(&o, body, out, &g->ctx->error);
}

HEDDLE_API heddle_status heddle_graph_get_events(heddle_graph *g, heddle_event *ev, size_t n_max, size_t *n_out)
{
    hd_outcome o;
    HD_TRY(hd_graph_outcome(g, &o, "heddle_graph_get_events"));
    return hd_report_events(&o, ev, n_max, n_out, &g->ctx->error);
}

HEDDLE_API heddle_status heddle_graph_write_trace(heddle_graph *g, const char *path)
{
    hd_outcome o;
    HD_TRY(hd_graph_outcome(g, &o, "heddle_graph_write_trace"));
    return hd_write_trace(&o, path, &g->ctx->error);
}

HEDDLE_API heddle_status heddle_graph_write_timeline(heddle_graph *g, const char *path, const char *title)
{
    hd_outcome o;
    HD_TRY(hd_graph_outcome(g, &o, "heddle_graph_write_timeline"));
    return hd_write_timeline(&o, path, title, &g->ctx->error);
}

/* ---- into the user's stream ---------------------------------------------------------------------------------------- */

HEDDLE_API heddle_status heddle_graph_enqueue(heddle_ctx *ctx, heddle_graph *g, const void *params, size_t params_bytes,
                                              void *stream)
{
    HD_TRY(check_start(ctx, g, params, params_bytes, "heddle_graph_enqueue"));
    if (!ctx->backend->enqueue)
        return hd_say(&ctx->error, HEDDLE_EINVAL, "heddle_graph_enqueue: backend %s has no streams",
                      heddle_backend_name(ctx->config.backend));
    HD_TRY(hd_graph_freeze(&g->g, &ctx->error));
    HD_TRY(choose_variant(g, 1));
    HD_TRY(load(g));
    return ctx->backend->enqueue(hd_graph_now(g)->loaded, params, stream, &ctx->error);
}

HEDDLE_API heddle_status heddle_graph_stream_status(heddle_graph *g)
{
    hd_outcome r;
    if (!g)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_graph_stream_status: the graph is NULL");
    HD_TRY(hd_ctx_check(g->ctx));
    if (!hd_graph_now(g)->loaded || !g->ctx->backend->synced)
        return hd_say(&g->ctx->error, HEDDLE_EINVAL,
                      "heddle_graph_stream_status: no run of this graph was put into a stream");
    g->ctx->backend->synced(hd_graph_now(g)->loaded, &r);
    return hd_job_conclude(&g->job, &r);
}
