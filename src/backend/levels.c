/* SPDX-License-Identifier: MIT */
/* levels.c - a graph as launches: tasks sorted by level, then by body, and cut where either changes. Also sorts the events of
 * such a run into rows. Fails only for lack of memory. */
#include "backend/levels.h"

#include "heddle/core/worker.h"

#include <stdlib.h>
#include <string.h>

#define MAX_PLACES 64u /* concurrent blocks of an SM */

static heddle_status no_memory(hd_error *e) { return hd_say(e, HEDDLE_ENOMEM, "levels of a graph: out of memory"); }

/* ---- launches ----------------------------------------------------------------------------------------------------- */

void hd_launches_clear(hd_launches *l)
{
    hd_launches none = {NULL, 0, 0, NULL, 0, 0, 0};
    hd_delete(l->list, l->n_tasks * sizeof *l->list);
    hd_delete(l->at, l->n_room * sizeof *l->at);
    *l = none;
}

/* Stable sort of from[n] into to[n] by key[task], which is below n_keys. at: n_keys + 1 words. */
static void sort_by(const uint32_t *from, uint32_t *to, uint64_t n, const uint32_t *key, uint32_t n_keys, uint32_t *at)
{
    uint64_t i;
    uint32_t k;
    memset(at, 0, (n_keys + 1ull) * sizeof *at);
    for (i = 0; i < n; i++)
        at[key[from[i]] + 1]++;
    for (k = 0; k < n_keys; k++)
        at[k + 1] += at[k];
    for (i = 0; i < n; i++)
        to[at[key[from[i]]]++] = from[i];
}

/* Lists the tasks with a body, with by_body sorted by it. Uses key as scratch. */
static void list_bodies(hd_launches *l, const hd_graph *g, uint32_t *key, uint32_t *list, uint32_t *at, int by_body)
{
    uint32_t t;
    for (t = 0; t < g->n_tasks; t++) {
        key[t] = hd_graph_task(g, t)->body;
        if (key[t] != HD_BODY_JOIN)
            list[l->n_list++] = t;
    }
    if (!by_body)
        return;
    sort_by(list, l->list, l->n_list, key, g->table->n_bodies, at);
    memcpy(list, l->list, l->n_list * sizeof *list);
}

static heddle_status sort_tasks(hd_launches *l, const hd_graph *g, uint32_t *level, uint32_t *n_levels, int by_body,
                                hd_error *e)
{
    uint64_t n = g->n_tasks, most = n > g->table->n_bodies ? n : g->table->n_bodies;
    uint32_t *list = hd_new(n * sizeof *list), *at = hd_new((most + 1) * sizeof *at);
    heddle_status s = list && at ? HEDDLE_OK : no_memory(e);
    if (s == HEDDLE_OK) {
        list_bodies(l, g, level, list, at, by_body);
        s = hd_graph_levels(g, level, n_levels, e);
    }
    if (s == HEDDLE_OK)
        sort_by(list, l->list, l->n_list, level, *n_levels, at);
    hd_delete(list, n * sizeof *list);
    hd_delete(at, (most + 1) * sizeof *at);
    return s;
}

static uint32_t body_at(const hd_launches *l, const hd_graph *g, uint64_t i)
{
    return hd_graph_task(g, l->list[i])->body;
}

/* Does a launch end before list[i]? */
static int cuts(const hd_launches *l, const hd_graph *g, const uint32_t *level, uint64_t i, int by_body)
{
    return i == 0 || level[l->list[i]] != level[l->list[i - 1]] ||
           (by_body && body_at(l, g, i) != body_at(l, g, i - 1));
}

static void cut(hd_launches *l, const hd_graph *g, const uint32_t *level, uint32_t by_body)
{
    uint64_t i;
    for (i = 0; i < l->n_list; i++) {
        uint32_t body = body_at(l, g, i), bytes = HEDDLE_REDUCE_BYTES + g->uses[body].shared_bytes;
        hd_launch *x;
        if (cuts(l, g, level, i, by_body == 1)) {
            x = &l->at[l->n++];
            x->level = level[l->list[i]];
            x->body = by_body == 2 ? HD_NONE : body;
            x->first = (uint32_t)i;
        }
        x = &l->at[l->n - 1];
        x->n++;
        x->body = x->body == body ? body : HD_NONE;
        x->shared_bytes = bytes > x->shared_bytes ? bytes : x->shared_bytes;
        l->widest = x->n > l->widest ? x->n : l->widest;
    }
}

heddle_status hd_launches_make(hd_launches *out, const hd_graph *g, uint32_t by_body, hd_error *e)
{
    hd_launches l = {NULL, 0, g->n_tasks, NULL, 0, 0, 0};
    uint32_t *level = hd_new(g->n_tasks * sizeof *level), n_levels = 0;
    uint64_t i;
    heddle_status s;
    l.list = hd_new(g->n_tasks * sizeof *l.list);
    s = level && l.list ? sort_tasks(&l, g, level, &n_levels, by_body == 1, e) : no_memory(e);
    for (i = 0; s == HEDDLE_OK && i < l.n_list; i++)
        l.n_room += (uint64_t)cuts(&l, g, level, i, by_body == 1);
    if (s == HEDDLE_OK && !(l.at = hd_new(l.n_room * sizeof *l.at)))
        s = no_memory(e);
    if (s == HEDDLE_OK)
        cut(&l, g, level, by_body);
    else
        hd_launches_clear(&l);
    hd_delete(level, g->n_tasks * sizeof *level);
    *out = l;
    return s;
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

void hd_rows_clear(hd_rows *r)
{
    hd_rows none = {0, 0, NULL, NULL, 0, 0};
    hd_delete(r->tallies, r->n_rows * sizeof *r->tallies);
    hd_delete(r->events, (uint64_t)r->n_rows * r->n_trace * sizeof *r->events);
    *r = none;
}

static int by_sm_and_time(const void *a, const void *b)
{
    const hd_event *x = a, *y = b;
    if (x->queue != y->queue)
        return x->queue < y->queue ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->end != y->end ? (x->end < y->end ? -1 : 1) : (x->task > y->task) - (x->task < y->task);
}

/* Moves events that happened to the front and returns their number; sets r's begin and end. */
static uint64_t gather(hd_rows *r, hd_event *events, uint64_t n)
{
    uint64_t i, kept = 0;
    for (i = 0; i < n; i++) {
        if (!events[i].begin)
            continue;
        r->begin_ns = kept && r->begin_ns < events[i].begin ? r->begin_ns : events[i].begin;
        r->end_ns = r->end_ns > events[i].end ? r->end_ns : events[i].end;
        events[kept++] = events[i];
    }
    return kept;
}

/* A place of the SM that is free at `begin`, else a new one, else the first to become free. */
static uint32_t place_at(const uint64_t *free_at, uint32_t n_places, uint64_t begin)
{
    uint32_t p, first = 0;
    for (p = 0; p < n_places; p++) {
        if (free_at[p] <= begin)
            return p;
        first = free_at[p] < free_at[first] ? p : first;
    }
    return n_places < MAX_PLACES ? n_places : first;
}

/* Replaces each event's SM by its row; events are sorted. */
static void find_rows(hd_rows *r, hd_event *events, uint64_t n, uint32_t n_sms)
{
    uint64_t free_at[MAX_PLACES], i;
    uint32_t n_places = 0, n_busy = 0, base = 0, sm = HD_NONE;
    for (i = 0; i < n; i++) {
        uint32_t p;
        if (i == 0 || events[i].queue != sm) {
            sm = events[i].queue;
            base += n_places;
            n_places = 0;
            n_busy++;
        }
        p = place_at(free_at, n_places, events[i].begin);
        n_places += p == n_places;
        free_at[p] = events[i].end;
        events[i].queue = base + p;
    }
    r->n_rows = base + n_places + (n_sms > n_busy ? n_sms - n_busy : 0);
}

static void fill_rows(hd_rows *r, const hd_event *events, uint64_t n)
{
    uint64_t i;
    for (i = 0; i < n; i++) {
        uint32_t row = events[i].queue;
        hd_tally *t = &r->tallies[row];
        hd_event *ev = &r->events[(uint64_t)row * r->n_trace + t->n_events];
        uint64_t since = t->n_events ? ev[-1].end : r->begin_ns;
        *ev = events[i];
        ev->idle = ev->begin > since ? hd_gap(since, ev->begin) : 0;
        ev->queue = ev->dep = 0;
        t->n_events++;
        t->n_tasks++;
    }
}

heddle_status hd_rows_make(hd_rows *out, hd_event *events, uint64_t n, uint32_t n_sms, hd_error *e)
{
    hd_rows r = {0, 1, NULL, NULL, 0, 0};
    uint64_t i;
    n = gather(&r, events, n);
    qsort(events, n, sizeof *events, by_sm_and_time);
    find_rows(&r, events, n, n_sms);
    r.tallies = hd_new(r.n_rows * sizeof *r.tallies);
    for (i = 0; r.tallies && i < n; i++) {
        uint32_t now = ++r.tallies[events[i].queue].n_events;
        r.n_trace = now > r.n_trace ? now : r.n_trace;
    }
    if (r.tallies)
        memset(r.tallies, 0, r.n_rows * sizeof *r.tallies);
    r.events = hd_new((uint64_t)r.n_rows * r.n_trace * sizeof *r.events);
    if (!r.tallies || !r.events) {
        hd_rows_clear(&r);
        *out = r;
        return hd_say(e, HEDDLE_ENOMEM, "the trace of a run: out of memory");
    }
    fill_rows(&r, events, n);
    *out = r;
    return HEDDLE_OK;
}
