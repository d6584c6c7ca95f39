/* SPDX-License-Identifier: MIT */
/* plan_api.c - the public calls on plans, and the description of the last run.
 *
 * A new plan is made, recorded or read separately and checked before it replaces the old one, so a failed call changes
 * nothing. The loaded graph still follows the old plan, and its results stay readable. The next run loads it again. */
#include "graph/plan.h"
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

/* Begins a call on plans: refuses a run in flight, and freezes. */
static heddle_status prepare(heddle_graph *g, const char *call)
{
    HD_TRY(hd_graph_usable(g, call));
    if (g->g.in_order)
        return hd_say(&g->ctx->error, HEDDLE_EINVAL, "%s: a wave is run in order, without a plan", call);
    return hd_graph_freeze(&g->g, &g->ctx->error);
}

/* Makes p the graph's plan; consumes p even on failure. */
static heddle_status replace(heddle_graph *g, hd_plan *p)
{
    HD_TRY(hd_graph_take_plan(&g->g, p, &g->ctx->error));
    g->stale = 1;
    return HEDDLE_OK;
}

/* Needed because some schedules trace joins. */
static int is_join(const hd_graph *g, uint32_t t) { return hd_graph_task(g, t)->body == HD_BODY_JOIN; }

/* ---- costs -------------------------------------------------------------------------------------------------------- */

/* Gets the outcome of the last run; 0: there is none. */
static int last_outcome(heddle_graph *g, hd_outcome *o, const char *call)
{
    return (g->job.has_result || hd_job_is_running(&g->job)) && hd_graph_outcome(g, o, call) == HEDDLE_OK;
}

/* Reads the times of tasks into cost_ns, which is all 0. Returns the number of distinct traced tasks. */
static uint64_t read_costs(const hd_graph *g, const hd_outcome *o, uint32_t *cost_ns)
{
    uint64_t n = 0, ns;
    uint32_t w, i;
    for (w = 0; w < o->n_workers; w++)
        for (i = 0; i < hd_n_events(o, w); i++) {
            const hd_event *ev = &hd_events_of(o, w)[i];
            if (hd_event_is_spawned(ev))
                continue;
            ns = hd_event_ns(ev);
            n += cost_ns[ev->task] == 0 && !is_join(g, ev->task);
            cost_ns[ev->task] = ns == 0 ? 1 : ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
        }
    return n;
}

/* Adopts the times of the last run if every task was traced; else keeps earlier ones. */
static heddle_status measure(heddle_graph *g, const hd_outcome *o)
{
    uint64_t n_bytes = g->g.n_tasks * sizeof *g->g.cost_ns;
    uint32_t *cost_ns;
    if (!o->events)
        return HEDDLE_OK;
    cost_ns = hd_new(n_bytes);
    if (!cost_ns)
        return hd_say(&g->ctx->error, HEDDLE_ENOMEM, "costs of the tasks: out of memory");
    if (read_costs(&g->g, o, cost_ns) == g->g.n_tasks - g->g.n_joins) {
        uint32_t *old = g->g.cost_ns;
        g->g.cost_ns = cost_ns;
        cost_ns = old;
    }
    hd_delete(cost_ns, n_bytes);
    return HEDDLE_OK;
}

/* The number of workers: the context's; if unset, the last run's; else the plan's. 0: unknown. */
static uint32_t find_workers(const heddle_graph *g, const hd_outcome *o)
{
    uint32_t n = g->ctx->config.n_workers;
    return n ? n : o->n_workers ? o->n_workers : g->g.plan ? g->g.plan->n_workers : 0;
}

HEDDLE_API heddle_status heddle_graph_replan(heddle_graph *g, uint32_t n_workers)
{
    hd_plan p;
    hd_outcome o;
    HD_TRY(prepare(g, "heddle_graph_replan"));
    memset(&o, 0, sizeof o);
    if (last_outcome(g, &o, "heddle_graph_replan"))
        HD_TRY(measure(g, &o));
    if (!n_workers)
        n_workers = find_workers(g, &o);
    if (!n_workers)
        return hd_say(&g->ctx->error, HEDDLE_EINVAL,
                      "heddle_graph_replan: how many workers there will be is known after a run; give a number");
    HD_TRY(hd_graph_plan(&p, &g->g, n_workers, HD_PLAN_PATH, &g->ctx->error));
    return replace(g, &p);
}

/* ---- recording ---------------------------------------------------------------------------------------------------- */

/* The trace does not tell where joins belong. Each is placed directly before its first successor to begin. Tasks earlier in
 * that list began before any successor of the join, so none of them can wait for it. Joins without successors come last. */
typedef struct recorder {
    const hd_graph *g;
    const hd_outcome *o;
    uint64_t n_tasks;
    uint64_t *begin_ns;      /* per traced task, else UINT64_MAX */
    uint32_t *before, *next; /* chain of joins directly before a task, in topological order, or HD_NONE */
    uint32_t *order, *left;  /* all tasks in topological order; scratch, then the task after a join */
    const hd_event **events; /* one worker's, sorted by begin */
    uint64_t n_events;       /* capacity of events */
} recorder;

static void recorder_clear(recorder *r)
{
    hd_delete(r->begin_ns, r->n_tasks * sizeof *r->begin_ns);
    hd_delete(r->before, r->n_tasks * sizeof *r->before);
    hd_delete(r->next, r->n_tasks * sizeof *r->next);
    hd_delete(r->order, r->n_tasks * sizeof *r->order);
    hd_delete(r->left, r->n_tasks * sizeof *r->left);
    hd_delete(r->events, r->n_events * sizeof *r->events);
}

static heddle_status recorder_room(recorder *r, hd_error *e)
{
    uint32_t w;
    r->n_tasks = r->g->n_tasks;
    for (w = 0; w < r->o->n_workers; w++)
        r->n_events = hd_n_events(r->o, w) > r->n_events ? hd_n_events(r->o, w) : r->n_events;
    r->begin_ns = hd_new(r->n_tasks * sizeof *r->begin_ns);
    r->before = hd_new(r->n_tasks * sizeof *r->before);
    r->next = hd_new(r->n_tasks * sizeof *r->next);
    r->order = hd_new(r->n_tasks * sizeof *r->order);
    r->left = hd_new(r->n_tasks * sizeof *r->left);
    r->events = hd_new(r->n_events * sizeof *r->events);
    if (r->begin_ns)
        memset(r->begin_ns, 0xff, r->n_tasks * sizeof *r->begin_ns);
    if (r->begin_ns && r->before && r->next && r->order && r->left && r->events)
        return HEDDLE_OK;
    return hd_say(e, HEDDLE_ENOMEM, "recording a plan: out of memory");
}

/* The task that join t precedes, or HD_NONE; its successors are settled. */
static uint32_t first_successor(const recorder *r, uint32_t t)
{
    const hd_task *task = hd_graph_task(r->g, t);
    uint32_t i, first = HD_NONE;
    for (i = 0; i < task->n_succ; i++) {
        uint32_t s = hd_graph_edge(r->g, task, i).task;
        if (is_join(r->g, s))
            s = r->left[s];
        if (s == HD_NONE)
            continue;
        if (first == HD_NONE || r->begin_ns[s] < r->begin_ns[first] ||
            (r->begin_ns[s] == r->begin_ns[first] && s < first))
            first = s;
    }
    return first;
}

/* Goes against topological order, so that chains end up in it. Returns the chain of joins without successors. */
static uint32_t place_joins(recorder *r)
{
    uint64_t i = hd_graph_order(r->g, r->order, r->left);
    uint32_t t, *chain, last = HD_NONE;
    memset(r->before, 0xff, r->n_tasks * sizeof *r->before);
    while (i-- > 0) {
        t = r->order[i];
        if (!is_join(r->g, t))
            continue;
        r->left[t] = first_successor(r, t);
        chain = r->left[t] == HD_NONE ? &last : &r->before[r->left[t]];
        r->next[t] = *chain;
        *chain = t;
    }
    return last;
}

static void write_chain(const recorder *r, hd_plan *p, uint32_t join, uint32_t *at)
{
    for (; join != HD_NONE; join = r->next[join])
        p->order[(*at)++] = join;
}

/* Keeps the order of events with equal begin: a worker's events are in order. */
static int by_begin(const void *a, const void *b)
{
    const hd_event *x = *(const hd_event *const *)a, *y = *(const hd_event *const *)b;
    return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin) : (x > y) - (x < y);
}

/* Writes a worker's tasks into its list, each behind its joins. */
static void write_list(recorder *r, hd_plan *p, uint32_t worker, uint32_t *at)
{
    uint32_t i, n = 0;
    for (i = 0; i < hd_n_events(r->o, worker); i++)
        if (!is_join(r->g, hd_events_of(r->o, worker)[i].task))
            r->events[n++] = &hd_events_of(r->o, worker)[i];
    qsort(r->events, n, sizeof *r->events, by_begin);
    for (i = 0; i < n; i++) {
        write_chain(r, p, r->before[r->events[i]->task], at);
        p->order[(*at)++] = r->events[i]->task;
    }
}

static void write_lists(recorder *r, hd_plan *p)
{
    uint32_t w, at = 0, last = place_joins(r);
    for (w = 0; w < r->o->n_workers; w++) {
        p->lists[w] = at;
        write_list(r, p, w, &at);
    }
    write_chain(r, p, last, &at);
    p->lists[w] = at;
}

/* Checks that the trace has every task exactly once: else the lists would not add up. */
static heddle_status check_trace(recorder *r, hd_error *e)
{
    uint64_t n = 0, n_dropped = 0, n_all = r->g->n_tasks - r->g->n_joins;
    uint32_t w, i, t;
    for (w = 0; w < r->o->n_workers; w++) {
        n_dropped += r->o->tallies[w].n_dropped;
        for (i = 0; i < hd_n_events(r->o, w); i++) {
            t = hd_events_of(r->o, w)[i].task;
            if (hd_event_is_spawned(&hd_events_of(r->o, w)[i]))
                return hd_say(e, HEDDLE_EINVAL,
                              "heddle_graph_record_plan: a body spawned tasks, of which there are no plans");
            if (r->begin_ns[t] != UINT64_MAX)
                return hd_say(e, HEDDLE_EINVAL, "heddle_graph_record_plan: the trace has task %u twice", t);
            r->begin_ns[t] = hd_events_of(r->o, w)[i].begin;
            n += !is_join(r->g, t);
        }
    }
    if (n_dropped)
        return hd_say(e, HEDDLE_EINVAL,
                      "heddle_graph_record_plan: the trace lost %llu events; config n_trace makes room for more",
                      (unsigned long long)n_dropped);
    if (n != n_all)
        return hd_say(e, HEDDLE_EINVAL, "heddle_graph_record_plan: the last run has %llu of %llu tasks",
                      (unsigned long long)n, (unsigned long long)n_all);
    return HEDDLE_OK;
}

static heddle_status make_record(recorder *r, hd_plan *out, hd_error *e)
{
    HD_TRY(recorder_room(r, e));
    HD_TRY(check_trace(r, e));
    write_lists(r, out);
    return hd_plan_check(out, r->g, e);
}

static heddle_status record(hd_plan *out, const hd_graph *g, const hd_outcome *o, hd_error *e)
{
    recorder r;
    heddle_status s;
    memset(&r, 0, sizeof r);
    r.g = g;
    r.o = o;
    if (!o->events)
        return hd_say(e, HEDDLE_EINVAL, "heddle_graph_record_plan: the last run was not traced (config n_trace)");
    HD_TRY(hd_plan_room(out, o->n_workers, g->n_tasks, e));
    s = make_record(&r, out, e);
    recorder_clear(&r);
    if (s != HEDDLE_OK)
        hd_plan_clear(out);
    return s;
}

HEDDLE_API heddle_status heddle_graph_record_plan(heddle_graph *g)
{
    hd_plan p;
    hd_outcome o;
    HD_TRY(prepare(g, "heddle_graph_record_plan"));
    HD_TRY(hd_graph_outcome(g, &o, "heddle_graph_record_plan"));
    HD_TRY(record(&p, &g->g, &o, &g->ctx->error));
    return replace(g, &p);
}

/* ---- files -------------------------------------------------------------------------------------------------------- */

HEDDLE_API heddle_status heddle_graph_write_plan(heddle_graph *g, const char *path)
{
    HD_TRY(hd_graph_usable(g, "heddle_graph_write_plan"));
    if (!path)
        return hd_say(&g->ctx->error, HEDDLE_EINVAL, "heddle_graph_write_plan: the path is NULL");
    if (!g->g.plan)
        return hd_say(&g->ctx->error, HEDDLE_EINVAL,
                      "heddle_graph_write_plan: the graph has no plan; heddle_graph_replan and "
                      "heddle_graph_record_plan make one");
    return hd_plan_write(g->g.plan, path, &g->ctx->error);
}

/* Checks a plan; an error sentence begins with the file. */
static heddle_status check_read(const heddle_graph *g, const hd_plan *p, const char *path)
{
    hd_error why;
    heddle_status s = hd_plan_check(p, &g->g, &why);
    return s == HEDDLE_OK ? s : hd_say(&g->ctx->error, s, "%s: %.400s", path, why.text);
}

HEDDLE_API heddle_status heddle_graph_read_plan(heddle_graph *g, const char *path)
{
    hd_plan p;
    heddle_status s;
    HD_TRY(prepare(g, "heddle_graph_read_plan"));
    if (!path)
        return hd_say(&g->ctx->error, HEDDLE_EINVAL, "heddle_graph_read_plan: the path is NULL");
    HD_TRY(hd_plan_read(&p, path, &g->ctx->error));
    s = check_read(g, &p, path);
    if (s == HEDDLE_OK)
        return replace(g, &p);
    hd_plan_clear(&p);
    return s;
}

/* ---- how ---------------------------------------------------------------------------------------------------------- */

HEDDLE_API const char *heddle_graph_describe_run(heddle_graph *g)
{
    hd_outcome o;
    if (!g || !last_outcome(g, &o, "heddle_graph_describe_run"))
        return "";
    return o.how ? o.how : "";
}
