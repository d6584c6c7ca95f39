/* SPDX-License-Identifier: MIT */
/* graph_api.c - the public calls on graphs: they check arguments, refuse changes during a run, and call src/graph. */
#include "base/file.h"
#include "graph/plan.h"
#include "run/run.h"

#include <string.h>

static heddle_status check_table(heddle_ctx *ctx, const heddle_table *t)
{
    uint32_t i;
    if (!t)
        return hd_say(&ctx->error, HEDDLE_EINVAL, "heddle_graph_new: the table is NULL");
    if (t->size != sizeof *t || t->core_version != HEDDLE_CORE_VERSION)
        return hd_say(&ctx->error, HEDDLE_EVERSION,
                      "a table was compiled against core version %u (struct of %u bytes); this library has %u (%u)",
                      t->core_version, t->size, HEDDLE_CORE_VERSION, (unsigned)sizeof *t);
    if (t->n_bodies == 0 || t->n_bodies >= HD_BODY_JOIN || !t->bodies)
        return hd_say(&ctx->error, HEDDLE_EINVAL, "table %s has %u bodies; 1 to %u are allowed", t->name, t->n_bodies,
                      HD_BODY_JOIN - 1);
    for (i = 0; i < t->n_bodies; i++)
        if (t->bodies[i].arg_bytes > HEDDLE_MAX_ARG_BYTES || !t->bodies[i].run)
            return hd_say(&ctx->error, HEDDLE_ERANGE, "body %s takes %u argument bytes; the limit is %u",
                          t->bodies[i].name, t->bodies[i].arg_bytes, HEDDLE_MAX_ARG_BYTES);
    return HEDDLE_OK;
}

static void join_context(heddle_graph *g, heddle_ctx *ctx)
{
    g->ctx = ctx;
    g->next = ctx->graphs;
    g->at = &ctx->graphs;
    if (g->next)
        g->next->at = &g->next;
    ctx->graphs = g;
}

static void leave_context(heddle_graph *g)
{
    *g->at = g->next;
    if (g->next)
        g->next->at = g->at;
}

HEDDLE_API heddle_status heddle_graph_new(heddle_ctx *ctx, const heddle_table *table, heddle_graph **out)
{
    heddle_graph *g;
    heddle_status s;
    if (out)
        *out = NULL;
    HD_TRY(hd_ctx_check(ctx));
    if (!out)
        return hd_say(&ctx->error, HEDDLE_EINVAL, "heddle_graph_new: out is NULL");
    HD_TRY(check_table(ctx, table));
    HD_TRY(hd_ctx_suit(ctx, table));
    g = hd_new(sizeof *g);
    if (!g)
        return hd_say(&ctx->error, HEDDLE_ENOMEM, "a new graph: out of memory");
    s = hd_graph_init(&g->g, table, &ctx->error);
    if (s != HEDDLE_OK) {
        hd_delete(g, sizeof *g);
        return s;
    }
    hd_job_init(&g->job, &hd_graph_job, g, ctx);
    join_context(g, ctx);
    *out = g;
    return HEDDLE_OK;
}

HEDDLE_API void heddle_graph_free(heddle_graph *g)
{
    if (!g || hd_ctx_forked(g->ctx))
        return;
    if (hd_job_is_running(&g->job) && hd_ctx_may_wait(g->ctx, "heddle_graph_free") != HEDDLE_OK)
        return;
    hd_job_settle(&g->job);
    if (hd_ctx_lost(g->ctx) && hd_job_is_running(&g->job))
        return; /* a worker is still inside a body and may use all of it */
    leave_context(g);
    hd_variants_free(g->variants);
    if (g->loaded && !hd_ctx_lost(g->ctx)) /* else freeing could wait for a body that does not return */
        g->ctx->backend->unload(g->loaded);
    if (g->params)
        hd_delete(g->params, g->g.table->params_bytes);
    hd_list_clear(&g->callbacks);
    hd_graph_drop_plan(&g->g);
    hd_graph_clear(&g->g);
    hd_spin_table_free(g->own_table);
    if (g->free_own)
        g->free_own(g);
    hd_job_clear(&g->job);
    hd_delete(g, sizeof *g);
}

/* A graph with a run in flight is frozen, so adding to it is refused. */
static inline heddle_status add(heddle_graph *g, const heddle_task_desc *d, heddle_task *out)
{
    if (!g)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_graph_add: the graph is NULL");
    if (hd_ctx_lost(g->ctx))
        return hd_ctx_check(g->ctx);
    return hd_graph_add(&g->g, d, out, &g->ctx->error);
}

HEDDLE_API heddle_status heddle_graph_add(heddle_graph *g, uint32_t body, const void *args, size_t arg_bytes,
                                          const heddle_range *ranges, size_t n_ranges, heddle_task *out)
{
    heddle_task_desc d = HEDDLE_TASK_INIT;
    d.body = body;
    d.args = args;
    d.arg_bytes = arg_bytes;
    d.ranges = ranges;
    d.n_ranges = n_ranges;
    return add(g, &d, out);
}

HEDDLE_API heddle_status heddle_graph_add_task(heddle_graph *g, const heddle_task_desc *d, heddle_task *out)
{
    heddle_task_desc all = HEDDLE_TASK_INIT;
    if (!d || d->size < sizeof d->size)
        return hd_say(g ? &g->ctx->error : NULL, HEDDLE_EINVAL,
                      "heddle_graph_add_task: set the struct up with HEDDLE_TASK_INIT");
    if (d->size == sizeof *d)
        return add(g, d, out);
    hd_copy_known(&all, d, d->size); /* from another header: missing fields keep their initial values */
    return add(g, &all, out);
}

HEDDLE_API heddle_status heddle_graph_add_edge(heddle_graph *g, heddle_task later, heddle_task earlier)
{
    if (!g)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_graph_add_edge: the graph is NULL");
    HD_TRY(hd_ctx_check(g->ctx));
    return hd_graph_after(&g->g, later, earlier, &g->ctx->error);
}

HEDDLE_API heddle_status heddle_graph_set_shared_bytes(heddle_graph *g, uint32_t body, uint32_t n_bytes)
{
    if (!g)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_graph_set_shared_bytes: the graph is NULL");
    HD_TRY(hd_ctx_check(g->ctx));
    if (body >= g->g.table->n_bodies)
        return hd_say(&g->ctx->error, HEDDLE_EINVAL, "body %u is not in table %s", body, g->g.table->name);
    if (g->g.frozen)
        return hd_say(&g->ctx->error, HEDDLE_EINVAL, "the graph is frozen: shared memory is settled");
    if (n_bytes > 1u << 30)
        return hd_say(&g->ctx->error, HEDDLE_ERANGE, "%u bytes of block-shared memory; the limit is 2^30", n_bytes);
    g->g.uses[body].shared_bytes = n_bytes;
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_graph_set_team_size(heddle_graph *g, uint32_t team_size)
{
    if (!g)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_graph_set_team_size: the graph is NULL");
    HD_TRY(hd_ctx_check(g->ctx));
    if (g->loaded)
        return hd_say(&g->ctx->error, HEDDLE_EINVAL, "the graph has run: its number of threads is settled");
    if (g->own)
        return hd_say(&g->ctx->error, HEDDLE_EINVAL,
                      "heddle_graph_set_team_size: a wave has the threads that heddle_wave_new has given it");
    if (team_size == 0 || team_size > 1024 || team_size % 32)
        return hd_say(&g->ctx->error, HEDDLE_EINVAL, "%u threads: a multiple of 32, at most 1024, is allowed",
                      team_size);
    g->g.team_size = team_size;
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_graph_mark_urgent(heddle_graph *g)
{
    if (!g)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_graph_mark_urgent: the graph is NULL");
    HD_TRY(hd_ctx_check(g->ctx));
    if (g->g.frozen)
        return hd_say(&g->ctx->error, HEDDLE_EINVAL, "the graph is frozen: priorities are settled");
    g->g.want_rank = 1;
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_graph_freeze(heddle_graph *g)
{
    if (!g)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_graph_freeze: the graph is NULL");
    HD_TRY(hd_ctx_check(g->ctx));
    return hd_graph_freeze(&g->g, &g->ctx->error);
}

HEDDLE_API heddle_status heddle_graph_set_args(heddle_graph *g, heddle_task t, const void *args, size_t arg_bytes)
{
    HD_TRY(hd_graph_usable(g, "heddle_graph_set_args"));
    if (g->own)
        return hd_say(&g->ctx->error, HEDDLE_EINVAL,
                      "heddle_graph_set_args: the tasks of a wave, and what they are given, are the library's");
    HD_TRY(hd_graph_set_args(&g->g, t, args, arg_bytes, &g->ctx->error));
    if (g->loaded && g->ctx->backend->changed)
        g->ctx->backend->changed(g->loaded, t);
    return HEDDLE_OK;
}

static heddle_status watched(heddle_graph *g, heddle_task t)
{
    if (t >= g->g.n_tasks || !(hd_graph_task(&g->g, t)->flags & HD_TASK_WATCH))
        return hd_say(&g->ctx->error, HEDDLE_EINVAL, "task %u was not added with HEDDLE_TASK_WATCH", t);
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_graph_on_done(heddle_graph *g, heddle_task t, heddle_done_fn fn, void *arg)
{
    uint64_t at;
    HD_TRY(hd_graph_usable(g, "heddle_graph_on_done"));
    HD_TRY(watched(g, t));
    at = hd_graph_task(&g->g, t)->watch;
    if (at >= g->callbacks.n) {
        uint64_t more = at + 1 - g->callbacks.n;
        if (hd_list_room(&g->callbacks, more, sizeof(hd_callback)))
            return hd_say(&g->ctx->error, HEDDLE_ENOMEM, "heddle_graph_on_done: out of memory");
        memset((hd_callback *)g->callbacks.at + g->callbacks.n, 0, more * sizeof(hd_callback));
        g->callbacks.n = at + 1;
    }
    ((hd_callback *)g->callbacks.at)[at] = (hd_callback){fn, arg};
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_graph_get_info(heddle_graph *g, heddle_graph_info *out)
{
    heddle_graph_info all = HEDDLE_GRAPH_INFO_INIT;
    const hd_graph *x;
    if (!g || !out || out->size < sizeof out->size)
        return hd_say(g ? &g->ctx->error : NULL, HEDDLE_EINVAL,
                      "heddle_graph_get_info: set the struct up with HEDDLE_GRAPH_INFO_INIT");
    HD_TRY(hd_ctx_check(g->ctx));
    x = &g->g;
    if (x->frozen && x->n_tasks && !x->n_levels)
        HD_TRY(hd_graph_rank(&g->g, &g->ctx->error));
    all.n_tasks = x->n_tasks - x->n_joins;
    all.n_joins = x->n_joins;
    all.n_edges = x->n_edges;
    all.n_roots = x->frozen ? hd_graph_blob(x)->n_roots : x->roots.n;
    all.n_levels = x->n_levels;
    all.max_width = x->max_width;
    all.path_cost_ns = x->path_cost_ns;
    all.blob_bytes = x->frozen ? hd_graph_blob(x)->n_bytes : 0;
    all.peak_bytes = x->peak_bytes;
    all.add_ns = x->add_ns;
    all.freeze_ns = x->freeze_ns;
    hd_copy_known(out, &all, sizeof all);
    return HEDDLE_OK;
}

static heddle_status frozen(const heddle_graph *g, const char *call)
{
    if (!g)
        return hd_say(NULL, HEDDLE_EINVAL, "%s: the graph is NULL", call);
    HD_TRY(hd_ctx_check(g->ctx));
    if (!g->g.frozen)
        return hd_say(&g->ctx->error, HEDDLE_EINVAL, "%s: freeze the graph first", call);
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_graph_get_successors(const heddle_graph *g, heddle_task t, heddle_task *succ,
                                                     size_t n_max, size_t *n_out)
{
    const hd_task *task;
    uint32_t i;
    HD_TRY(frozen(g, "heddle_graph_get_successors"));
    if (t >= g->g.n_tasks || !n_out || (n_max && !succ))
        return hd_say(&g->ctx->error, HEDDLE_EINVAL, "heddle_graph_get_successors: task %u of %llu, or a NULL", t,
                      (unsigned long long)g->g.n_tasks);
    task = hd_graph_task(&g->g, t);
    for (i = 0; i < task->n_succ && i < n_max; i++)
        succ[i] = hd_graph_edge(&g->g, task, i).task;
    *n_out = task->n_succ;
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_graph_get_body(const heddle_graph *g, heddle_task t, uint32_t *body)
{
    if (!g || !body)
        return hd_say(g ? &g->ctx->error : NULL, HEDDLE_EINVAL, "heddle_graph_get_body: an argument is NULL");
    HD_TRY(hd_ctx_check(g->ctx));
    if (t >= g->g.n_tasks)
        return hd_say(&g->ctx->error, HEDDLE_EINVAL, "task %u: the graph has %llu", t,
                      (unsigned long long)g->g.n_tasks);
    *body = hd_graph_task(&g->g, t)->body;
    return HEDDLE_OK;
}

HEDDLE_API const heddle_table *heddle_graph_get_table(const heddle_graph *g) { return g ? g->g.table : NULL; }

HEDDLE_API heddle_status heddle_graph_write_dot(heddle_graph *g, const char *path)
{
    HD_TRY(heddle_graph_freeze(g));
    return path ? hd_graph_write_dot(&g->g, path, &g->ctx->error)
                : hd_say(&g->ctx->error, HEDDLE_EINVAL, "heddle_graph_write_dot: the path is NULL");
}

HEDDLE_API heddle_status heddle_graph_write_json(heddle_graph *g, const char *path)
{
    HD_TRY(heddle_graph_freeze(g));
    return path ? hd_graph_write_json(&g->g, path, &g->ctx->error)
                : hd_say(&g->ctx->error, HEDDLE_EINVAL, "heddle_graph_write_json: the path is NULL");
}

HEDDLE_API void heddle_files_discard(void) { hd_files_discard(); }

/* ---- graphs from files ------------------------------------------------------------------------------------------- */

static heddle_status body_named(const heddle_table *t, const char *name, uint32_t *out, const char *path, hd_error *e)
{
    for (*out = 0; *out < t->n_bodies; ++*out)
        if (!strcmp(t->bodies[*out].name, name))
            return HEDDLE_OK;
    return hd_say(e, HEDDLE_EPARSE, "%s: body %s is not in table %s", path, name, t->name);
}

/* Files have joins with the body "join" and nothing else; but a table may have a body of that name. */
static int is_join(const heddle_table *table, const hd_file_graph *f, const hd_file_task *t)
{
    uint32_t i;
    if (t->spin_ns || t->arg_bytes || strcmp(f->names[t->body], "join"))
        return 0;
    for (i = 0; i < table->n_bodies; i++)
        if (!strcmp(table->bodies[i].name, "join") && table->bodies[i].arg_bytes == 0)
            return 0;
    return 1;
}

static heddle_status add_from_file(heddle_graph *g, const hd_file_graph *f, uint64_t i, const char *path)
{
    const hd_file_task *t = &f->tasks[i];
    hd_spin_args spin = {t->spin_ns};
    heddle_task_desc d = HEDDLE_TASK_INIT;
    if (is_join(g->g.table, f, t))
        return hd_graph_add_join(&g->g, &g->ctx->error);
    d.args = g->own_table ? (const void *)&spin : (const void *)(f->args + t->args_at);
    d.arg_bytes = g->own_table ? sizeof spin : t->arg_bytes;
    d.urgent = t->urgent;
    d.cost_ns = t->cost_ns;
    d.body = t->body; /* names are in the order of own_table */
    if (!g->own_table)
        HD_TRY(body_named(g->g.table, f->names[t->body], &d.body, path, &g->ctx->error));
    return heddle_graph_add_task(g, &d, NULL);
}

static heddle_status fill_from_file(heddle_graph *g, const hd_file_graph *f, const char *path)
{
    uint64_t i, k;
    for (i = 0; i < f->n_tasks; i++)
        HD_TRY(add_from_file(g, f, i, path));
    for (i = 0; i < f->n_tasks; i++)
        for (k = 0; k < f->tasks[i].n_after; k++)
            HD_TRY(heddle_graph_add_edge(g, (uint32_t)i, f->after[f->tasks[i].after_at + k]));
    return heddle_graph_freeze(g);
}

static heddle_status graph_of_file(heddle_ctx *ctx, const heddle_table *table, const hd_file_graph *f, const char *path,
                                   heddle_graph **out)
{
    heddle_table *own = table ? NULL : hd_spin_table_new(f->names, f->n_names);
    heddle_status s;
    if (!table && !own)
        return hd_say(&ctx->error, HEDDLE_ENOMEM, "%s: out of memory", path);
    s = heddle_graph_new(ctx, table ? table : own, out);
    if (s != HEDDLE_OK) {
        hd_spin_table_free(own);
        return s;
    }
    (*out)->own_table = own;
    s = fill_from_file(*out, f, path);
    if (s != HEDDLE_OK) {
        heddle_graph_free(*out);
        *out = NULL;
    }
    return s;
}

HEDDLE_API heddle_status heddle_graph_read_json(heddle_ctx *ctx, const heddle_table *table, const char *path,
                                                heddle_graph **out)
{
    hd_file_graph f;
    heddle_status s;
    if (out)
        *out = NULL;
    HD_TRY(hd_ctx_check(ctx));
    if (!path || !out)
        return hd_say(&ctx->error, HEDDLE_EINVAL, "heddle_graph_read_json: an argument is NULL");
    memset(&f, 0, sizeof f);
    HD_TRY(hd_file_graph_read(&f, path, &ctx->error));
    s = graph_of_file(ctx, table, &f, path, out);
    hd_file_graph_clear(&f);
    return s;
}
