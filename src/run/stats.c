/* SPDX-License-Identifier: MIT */
/* stats.c - the numbers of an ended run: counts from the workers' tallies, times from the trace. */
#include "run/report.h"

#include <stdlib.h>
#include <string.h>

/* ---- workers ------------------------------------------------------------------------------------------------------ */

static uint64_t gap(uint64_t from, uint64_t to) { return to > from ? to - from : 0; }

/* Adds an event to the times of its worker; *last: when the lane did something last. A stretch that waits is not busy, and what
 * lies between stretches is idle. */
static void add_event(const hd_event *ev, uint64_t *last, heddle_worker_stats *out)
{
    out->body_ns += hd_event_busy(ev);
    out->idle_ns += ev->idle;
    if (hd_event_is_stretch(ev)) {
        out->idle_ns += gap(*last, ev->begin);
        *last = ev->end;
        return;
    }
    out->queue_ns += ev->queue;
    out->dep_ns += ev->dep;
    *last = ev->end + ev->dep;
}

/* Lanes that run at a time share their worker's times: these are means over them. If events were dropped, it is unknown what was
 * done from the last kept one to the end. */
static void add_worker(const hd_outcome *o, uint32_t worker, heddle_worker_stats *out)
{
    const uint32_t n = hd_n_lanes(o);
    heddle_worker_stats sum = {0, 0, 0, 0, 0};
    uint64_t last[HD_MOST_LANES];
    uint32_t i;
    for (i = 0; i < n; i++)
        last[i] = o->begin_ns;
    for (i = 0; i < hd_n_events(o, worker); i++) {
        const hd_event *ev = &hd_events_of(o, worker)[i];
        add_event(ev, &last[hd_lane_of(o, ev)], &sum);
    }
    for (i = 0; o->events && !o->tallies[worker].n_dropped && i < n; i++)
        sum.idle_ns += gap(last[i], o->end_ns);
    out->n_tasks += o->tallies[worker].n_tasks;
    out->body_ns += sum.body_ns / n;
    out->idle_ns += sum.idle_ns / n;
    out->queue_ns += sum.queue_ns / n;
    out->dep_ns += sum.dep_ns / n;
}

static uint64_t waited(const hd_outcome *o, uint32_t worker)
{
    uint64_t ns = 0;
    uint32_t i;
    for (i = 0; i < hd_n_events(o, worker); i++)
        ns += hd_event_waited(&hd_events_of(o, worker)[i]);
    return ns / hd_n_lanes(o);
}

heddle_status hd_report_worker(const hd_outcome *o, uint32_t worker, heddle_worker_stats *out, hd_error *e)
{
    if (!out || worker >= o->n_workers)
        return hd_say(e, HEDDLE_EINVAL, "statistics of worker %u, into %p: the run had %u workers", worker, (void *)out,
                      o->n_workers);
    memset(out, 0, sizeof *out);
    add_worker(o, worker, out);
    return HEDDLE_OK;
}

/* ---- the longest path --------------------------------------------------------------------------------------------- */

/* Computes path[t], the longest path that ends before item t. Returns the longest of all. */
static uint64_t longest(const hd_legend *l, const uint32_t *order, const uint64_t *body_ns, uint64_t *path)
{
    uint64_t i, most = 0;
    uint32_t k;
    for (i = 0; i < l->n_items; i++) {
        const uint32_t t = order[i], n = l->n_after(l->self, t);
        uint64_t end = path[t] + body_ns[t];
        most = end > most ? end : most;
        for (k = 0; k < n; k++) {
            uint32_t next = l->after(l->self, t, k);
            path[next] = end > path[next] ? end : path[next];
        }
    }
    return most;
}

static heddle_status find_path(const hd_outcome *o, uint64_t *path_ns, hd_error *e)
{
    const hd_legend *l = &o->legend;
    uint64_t n_bytes = l->n_items * sizeof(uint64_t);
    uint64_t *body_ns = hd_new(n_bytes), *path = hd_new(n_bytes);
    uint32_t *order = l->sorted(l->self), w, i;
    heddle_status s = HEDDLE_OK;
    if (body_ns && path && order) {
        for (w = 0; w < o->n_workers; w++)
            for (i = 0; i < hd_n_events(o, w); i++)
                if (!hd_event_is_spawned(&hd_events_of(o, w)[i]))
                    body_ns[hd_events_of(o, w)[i].task] = hd_event_ns(&hd_events_of(o, w)[i]);
        *path_ns = longest(l, order, body_ns, path);
    } else {
        s = hd_say(e, HEDDLE_ENOMEM, "statistics of a run: out of memory");
    }
    hd_delete(order, l->n_items * sizeof *order);
    hd_delete(path, n_bytes);
    hd_delete(body_ns, n_bytes);
    return s;
}

/* ---- the run ------------------------------------------------------------------------------------------------------ */

static void add_tally(const hd_tally *t, heddle_stats *out)
{
    out->n_tasks += t->n_tasks;
    out->n_tasks_min = t->n_tasks < out->n_tasks_min ? t->n_tasks : out->n_tasks_min;
    out->n_tasks_max = t->n_tasks > out->n_tasks_max ? t->n_tasks : out->n_tasks_max;
    out->n_kept += t->n_kept;
    out->n_pushed += t->n_pushed;
    out->n_full += t->n_full;
    out->n_spilled += t->n_spilled;
    out->n_parks += t->n_parks;
    out->n_given += t->n_given;
    out->n_dropped += t->n_dropped;
}

heddle_status hd_report_stats(const hd_outcome *o, heddle_stats *out, hd_error *e)
{
    heddle_stats s = HEDDLE_STATS_INIT;
    heddle_worker_stats sum = {0, 0, 0, 0, 0};
    uint32_t w;
    s.load_ns = o->cost.load_ns;
    s.plan_ns = o->cost.plan_ns;
    s.kernel_ns = o->cost.kernel_ns;
    s.is_trying = o->is_trying;
    s.schedule = o->schedule;
    s.policy = o->policy;
    s.team_size = o->team_size;
    s.run_ns = hd_since(o, o->end_ns);
    s.n_workers = o->n_workers;
    s.n_tasks_min = o->n_workers ? UINT32_MAX : 0;
    for (w = 0; w < o->n_workers; w++) {
        add_tally(&o->tallies[w], &s);
        add_worker(o, w, &sum);
        s.n_events += hd_n_events(o, w);
        s.wait_ns += waited(o, w);
    }
    s.n_tasks += o->n_lost;
    s.n_dropped += o->n_lost;
    s.body_ns = sum.body_ns;
    s.idle_ns = sum.idle_ns;
    s.queue_ns = sum.queue_ns;
    s.dep_ns = sum.dep_ns;
    if (s.run_ns && o->n_workers)
        s.utilisation = (double)s.body_ns / ((double)s.run_ns * o->n_workers);
    if (s.n_events && o->legend.n_items)
        HD_TRY(find_path(o, &s.path_ns, e));
    *out = s;
    return HEDDLE_OK;
}

/* ---- bodies ------------------------------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Writes the times of one body's tasks to ns (or NULL). Returns their number. */
static uint64_t times_of(const hd_outcome *o, uint32_t body, uint64_t *ns)
{
    uint64_t n = 0;
    uint32_t w, i;
    for (w = 0; w < o->n_workers; w++)
        for (i = 0; i < hd_n_events(o, w); i++) {
            const hd_event *ev = &hd_events_of(o, w)[i];
            if (hd_kind_of(o, ev) != body)
                continue;
            if (ns)
                ns[n] = hd_event_busy(ev);
            n++;
        }
    return n;
}

heddle_status hd_report_body(const hd_outcome *o, uint32_t body, heddle_body_stats *out, hd_error *e)
{
    uint64_t n, i, *ns;
    if (!out || body >= o->legend.n_kinds)
        return hd_say(e, HEDDLE_EINVAL, "statistics of body %u, into %p: %s has %u bodies", body, (void *)out,
                      o->legend.title, o->legend.n_kinds);
    n = times_of(o, body, NULL);
    ns = hd_new(n * sizeof *ns);
    if (!ns)
        return hd_say(e, HEDDLE_ENOMEM, "statistics of body %s: out of memory", hd_kind_name(o, body));
    memset(out, 0, sizeof *out);
    out->name = hd_kind_name(o, body);
    out->n_tasks = times_of(o, body, ns);
    qsort(ns, n, sizeof *ns, by_size);
    for (i = 0; i < n; i++)
        out->total_ns += ns[i];
    if (n) {
        out->min_ns = ns[0];
        out->median_ns = ns[(n - 1) / 2]; /* a measured value, also for an even number */
        out->max_ns = ns[n - 1];
    }
    hd_delete(ns, n * sizeof *ns);
    return HEDDLE_OK;
}

/* ---- events ------------------------------------------------------------------------------------------------------- */

static heddle_event event_of(const hd_outcome *o, uint32_t worker, const hd_event *ev)
{
    heddle_event out;
    out.task = hd_event_is_spawned(ev) ? HEDDLE_TASK_SPAWNED : hd_event_task(ev);
    out.body = hd_kind_of(o, ev);
    out.worker = worker;
    out.begin_ns = hd_since(o, ev->begin);
    out.end_ns = hd_since(o, ev->end);
    out.idle_ns = ev->idle;
    out.queue_ns = hd_event_is_stretch(ev) ? 0 : ev->queue;
    out.dep_ns = hd_event_is_stretch(ev) ? 0 : ev->dep;
    return out;
}

heddle_status hd_report_events(const hd_outcome *o, heddle_event *ev, size_t n_max, size_t *n_out, hd_error *e)
{
    size_t n = 0;
    uint32_t w, i;
    if (!n_out || (n_max && !ev))
        return hd_say(e, HEDDLE_EINVAL, "events of a run: n_out, or ev with n_max > 0, is NULL");
    for (w = 0; w < o->n_workers; w++)
        for (i = 0; i < hd_n_events(o, w); i++, n++)
            if (n < n_max)
                ev[n] = event_of(o, w, &hd_events_of(o, w)[i]);
    *n_out = n;
    return HEDDLE_OK;
}
