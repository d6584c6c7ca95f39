/* SPDX-License-Identifier: MIT */
/* words.c - implements words.h. Cuts the words of a run as the backends do (backend/words.h). */
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/arena.h"
#include "backend/pool_words.h"
#include "backend/words.h"
#include "base/base.h"
#include "emu.h"
#include "run/report.h"

#define POISON 0xcd
#define SCHED_RING_MIN 64u
#define PAD_STEPS 4u /* behind the last list: one load covers several steps (core/planned.h) */

static uint32_t ring_slots(const words *w)
{
    const hd_run *r = &w->run;
    uint32_t asked = w->config.n_ring, all = hd_power_of_two(r->n_tasks > 2 ? r->n_tasks : 2);
    if (r->n_arena)
        all = hd_arena_ring(r);
    else if (r->dispatch == HD_DISPATCH_TICKET)
        all = hd_power_of_two(r->n_tasks + r->n_workers); /* an end for each */
    if (r->dispatch == HD_DISPATCH_SCHEDULER)
        return hd_power_of_two(asked > SCHED_RING_MIN ? asked : SCHED_RING_MIN);
    if (r->dispatch != HD_DISPATCH_RINGS || r->has_placed || !asked)
        return all;
    return hd_power_of_two(asked > 2 ? asked : 2);
}

static uint64_t in_lines(uint64_t n_bytes) { return (n_bytes + HD_LINE - 1) / HD_LINE * HD_LINE; }

static void *get(uint64_t n_bytes)
{
    void *p = aligned_alloc(HD_LINE, in_lines(n_bytes + 1));
    if (!p) {
        printf("out of memory\n");
        exit(1);
    }
    memset(p, POISON, in_lines(n_bytes + 1));
    return p;
}

/* The steps, with unread padding behind them. */
static const hd_step *padded(hd_steps *s)
{
    hd_step *steps = get((s->n_steps + PAD_STEPS) * sizeof *steps);
    memcpy(steps, s->steps, s->n_steps * sizeof *steps);
    return steps;
}

static void make_steps(words *w)
{
    hd_plan plan;
    hd_error e;
    if (hd_plan_make(&plan, w->graph, w->run.n_workers, w->config.style, NULL, HD_PLAN_HOP_NS, &e) != HEDDLE_OK ||
        hd_steps_make(&w->steps, &plan, w->graph, &e) != HEDDLE_OK) {
        printf("no plan: %s\n", e.text);
        exit(1);
    }
    hd_plan_clear(&plan);
    w->run.steps = padded(&w->steps);
    w->run.lists = w->steps.lists;
    w->run.step_edges = w->steps.edges;
}

static void fill_run(words *w, const void *params)
{
    const hd_blob *b = hd_graph_blob(w->graph);
    const words_config *c = &w->config;
    hd_run *r = &w->run;
    r->tasks = hd_graph_task(w->graph, 0);
    r->edges = (const hd_edge *)(const void *)(w->graph->blob + b->edges_at);
    r->args = w->graph->blob + b->args_at;
    r->roots = (const uint32_t *)(const void *)(w->graph->blob + b->roots_at);
    r->params = params;
    r->end = &w->end;
    r->n_tasks = b->n_tasks;
    r->n_roots = b->n_roots;
    r->has_urgent = b->n_urgent != 0;
    r->has_placed = b->n_placed != 0;
    r->n_workers = c->n_workers;
    r->n_trace = c->n_trace;
    r->dispatch = c->dispatch;
    r->n_schedulers = c->dispatch == HD_DISPATCH_SCHEDULER;
    r->n_local = c->n_local;
    r->polite = c->polite;
    r->crowded = c->crowded;
    r->policy = c->policy;
}

static void make_pool(words *w)
{
    if (hd_pool_words_new(&w->pool, w->config.n_host, w->run.n_arena, w->config.n_workers, w->config.is_stamped)) {
        printf("out of memory\n");
        exit(1);
    }
    w->run.pool = &w->pool;
}

void words_make(words *w, const hd_graph *g, const words_config *c, const void *params)
{
    memset(w, 0, sizeof *w);
    w->config = *c;
    w->graph = g;
    fill_run(w, params);
    if (hd_arena_is_needed(g) || c->n_host)
        hd_arena_size(&w->run, g, c->n_host, c->n_arena);
    w->run.n_slots = ring_slots(w);
    w->run.late = hd_policy_late(&w->run);
    if (c->dispatch == HD_DISPATCH_PLAN)
        make_steps(w);
    w->block_bytes = hd_words_bytes(&w->run, NULL, &w->clear_bytes);
    w->block = get(w->block_bytes);
    hd_words_cut(&w->run, NULL, w->block);
    w->run.watched = get(hd_graph_blob(g)->n_watched * 4ull);
    if (c->n_host)
        make_pool(w);
    w->run.now = c->has_now ? get(c->n_workers * (c->n_seats ? c->n_seats : 1u) * sizeof(hd_now)) : NULL;
    words_clear(w);
}

void words_clear(words *w)
{
    hd_run *r = &w->run;
    uint32_t t, need;
    memset(w->block, 0, w->clear_bytes);
    memset(w->block + w->clear_bytes, POISON, w->block_bytes - w->clear_bytes);
    memset(&w->end, 0, sizeof w->end);
    memset(r->watched, 0, hd_graph_blob(w->graph)->n_watched * 4ull);
    hd_arena_fill(r, w->graph);
    r->control->outstanding = r->n_tasks;
    r->control->run = w->config.first_run;
    r->control->fail.stop = r->n_tasks || r->pool ? HD_STOP_NOT : HD_STOP_DONE;
    r->control->fresh = w->config.n_host;
    for (t = 0; t < r->n_tasks; t++) {
        need = w->steps.steps ? w->steps.steps[w->steps.step_of[t]].need : hd_graph_task(w->graph, t)->n_in;
        r->count[t] = (w->config.first_run - 1u) * need;
    }
}

void words_free(words *w)
{
    if (w->run.pool)
        hd_pool_words_delete(&w->pool, w->run.n_arena, w->config.n_workers);
    free(w->block);
    free(w->run.watched);
    free(w->run.now);
    if (w->steps.steps) {
        free((void *)(uintptr_t)w->run.steps);
        hd_steps_clear(&w->steps);
    }
}

uint64_t words_n_waits;

/* One event of a lane that has come to *column of its band. */
static void check_stretch(const words *w, const hd_event *ev, uint64_t *column, const char *what)
{
    hd_legend legend;
    hd_stretch s;
    hd_graph_legend(&legend, w->graph);
    legend.stretch_of(w->graph, ev, &s);
    if (ev->queue >= legend.n_lanes || s.first != *column || s.last < s.first || ev->idle > ev->end - ev->begin)
        emu_fail("%s: band %u notes columns %llu to %llu behind %llu, and %u ns of waiting", what, s.band,
                 (unsigned long long)s.first, (unsigned long long)s.last, (unsigned long long)*column, ev->idle);
    *column = s.last + 1u;
    words_n_waits += s.band && ev->idle;
}

uint64_t words_stretches(const words *w, const char *what)
{
    const hd_run *r = &w->run;
    const hd_bands *bands = &w->graph->bands;
    uint64_t *column = get(r->n_tasks * (uint64_t)bands->n_lanes * sizeof *column), n = 0, i, k;
    uint32_t n_dropped = 0;
    memset(column, 0, r->n_tasks * (uint64_t)bands->n_lanes * sizeof *column);
    for (k = 0; k < r->n_workers; k++) {
        n_dropped += r->tallies[k].n_dropped;
        for (i = 0; !n_dropped && i < r->tallies[k].n_events; i++) {
            const hd_event *ev = &r->events[k * r->n_trace + i];
            if (!hd_event_is_stretch(ev))
                emu_fail("%s: part %u has noted no stretch", what, ev->task);
            check_stretch(w, ev, &column[hd_event_task(ev) * bands->n_lanes + ev->queue], what);
        }
    }
    for (i = 0; !n_dropped && i < r->n_tasks * (uint64_t)bands->n_lanes; i++) {
        const hd_task *t = hd_graph_task(w->graph, (uint32_t)(i / bands->n_lanes));
        if (column[i] && column[i] != bands->span_of(hd_graph_args(w->graph, t)).cols)
            emu_fail("%s: lane %llu notes %llu columns", what, (unsigned long long)i, (unsigned long long)column[i]);
        n += column[i];
    }
    free(column);
    return n;
}

uint32_t words_blocks(const words *w) { return w->run.n_workers + w->run.n_schedulers; }
uint32_t words_more_threads(const words *w) { return w->run.dispatch == HD_DISPATCH_PLAN ? 64u : 32u; }
