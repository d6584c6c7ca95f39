/* SPDX-License-Identifier: MIT */
/* steps.c - a plan's lists as the records that dispatch plan executes (core/plan.h), with a minimum of edges.
 *
 * Each list is processed from its end. For each other list, `first` keeps the earliest step there that waits for a later step
 * of this list. An edge to a step behind that one is redundant: it has already waited. This takes one word per list, and each
 * step is written at once with its edges. */
#include "graph/plan.h"

#include <string.h>

typedef struct place {
    uint32_t step, worker;
} place;

typedef struct builder {
    const hd_plan *p;
    const hd_graph *g;
    hd_steps *out;
    place *places;    /* of each task */
    uint32_t *need;   /* of each step */
    uint32_t *first;  /* per list: its earliest step that waits for the current list, or HD_NONE */
    uint32_t *raised; /* the step that set `first`, + 1 */
    hd_list edges;    /* uint32_t: successors beyond a step's inline ones */
} builder;

static void find_places(builder *b)
{
    const hd_plan *p = b->p;
    uint32_t w, i, at = 0;
    for (w = 0; w < p->n_workers; w++, at++) {
        b->out->lists[w] = at;
        for (i = p->lists[w]; i < p->lists[w + 1]; i++, at++) {
            b->places[p->order[i]] = (place){at, w};
            b->out->step_of[p->order[i]] = at;
        }
    }
}

static void write_step(hd_step *s, const hd_task *task, uint32_t t)
{
    s->body = task->body;
    s->flags = task->flags;
    s->task = t;
    s->watch = task->watch;
    s->arg_bytes = task->arg_bytes;
    s->args_at = task->args_at;
    if (task->arg_bytes && task->arg_bytes <= HD_INLINE_ARGS)
        memcpy(s->args, task->args, task->arg_bytes);
}

/* Appends a successor to the step written last. */
static int put_edge(builder *b, hd_step *s, uint32_t to)
{
    uint32_t k = s->n_succ++;
    if (k < HD_STEP_SUCC) {
        s->first[k] = to;
        return 0;
    }
    if (hd_list_room(&b->edges, 1, 4))
        return -1;
    ((uint32_t *)b->edges.at)[b->edges.n++] = to;
    return 0;
}

/* Writes the edges of step `at`, on worker w, that are not redundant. */
static int write_edges(builder *b, uint32_t w, uint32_t at, const hd_task *task)
{
    hd_step *s = &b->out->steps[at];
    uint32_t i, to;
    place x;
    s->succ = (uint32_t)b->edges.n;
    for (i = 0; i < task->n_succ; i++) {
        x = b->places[hd_graph_edge(b->g, task, i).task];
        if (x.worker == w || x.step >= b->first[x.worker])
            continue;
        b->first[x.worker] = x.step;
        b->raised[x.worker] = at + 1;
    }
    for (i = 0; i < task->n_succ; i++) {
        to = hd_graph_edge(b->g, task, i).task;
        x = b->places[to];
        if (x.worker == w || b->first[x.worker] != x.step || b->raised[x.worker] != at + 1)
            continue;
        b->need[x.step]++;
        if (put_edge(b, s, to))
            return -1;
    }
    return 0;
}

#define AHEAD 8u /* distance of prefetching, in records */

static int write_list(builder *b, uint32_t w)
{
    const uint32_t *order = b->p->order, begin = b->p->lists[w];
    uint32_t i = b->p->lists[w + 1], at = b->out->lists[w] + (i - begin);
    memset(b->first, 0xff, b->p->n_workers * sizeof *b->first);
    b->out->steps[at].task = HD_NONE;
    while (i-- > begin) {
        const hd_task *task = hd_graph_task(b->g, order[i]);
        if (i >= begin + AHEAD) {
            const hd_task *later = hd_graph_task(b->g, order[i - AHEAD]);
            __builtin_prefetch(later);
            __builtin_prefetch(later->args);
        }
        write_step(&b->out->steps[--at], task, order[i]);
        if (write_edges(b, w, at, task))
            return -1;
    }
    return 0;
}

static void write_needs(builder *b)
{
    uint64_t i;
    for (i = 0; i < b->out->n_steps; i++)
        b->out->steps[i].need = b->need[i];
}

static void builder_clear(builder *b)
{
    hd_delete(b->places, b->g->n_tasks * sizeof *b->places);
    hd_delete(b->need, b->out->n_steps * sizeof *b->need);
    hd_delete(b->first, b->p->n_workers * sizeof *b->first);
    hd_delete(b->raised, b->p->n_workers * sizeof *b->raised);
    hd_list_clear(&b->edges);
}

static int builder_room(builder *b)
{
    hd_steps *out = b->out;
    out->n_tasks = b->g->n_tasks;
    out->n_workers = b->p->n_workers;
    out->n_steps = out->n_tasks + out->n_workers;
    b->places = hd_new(out->n_tasks * sizeof *b->places);
    b->need = hd_new(out->n_steps * sizeof *b->need);
    b->first = hd_new(out->n_workers * sizeof *b->first);
    b->raised = hd_new(out->n_workers * sizeof *b->raised);
    out->steps = hd_new(out->n_steps * sizeof *out->steps);
    out->lists = hd_new(out->n_workers * sizeof *out->lists);
    out->step_of = hd_new(out->n_tasks * sizeof *out->step_of);
    return b->places && b->need && b->first && b->raised && out->steps && out->lists && out->step_of ? 0 : -1;
}

/* Moves the edges into a block of exact size. */
static int keep_edges(builder *b)
{
    hd_steps *out = b->out;
    out->edges = hd_new((b->edges.n + 1) * sizeof *out->edges);
    if (!out->edges)
        return -1;
    out->n_edges = b->edges.n;
    if (b->edges.n)
        memcpy(out->edges, b->edges.at, b->edges.n * sizeof *out->edges);
    return 0;
}

static int build(builder *b)
{
    uint32_t w;
    if (builder_room(b))
        return -1;
    find_places(b);
    for (w = 0; w < b->p->n_workers; w++)
        if (write_list(b, w))
            return -1;
    write_needs(b);
    return keep_edges(b);
}

heddle_status hd_steps_make(hd_steps *out, const hd_plan *p, const hd_graph *g, hd_error *e)
{
    builder b;
    heddle_status s = HEDDLE_OK;
    memset(&b, 0, sizeof b);
    memset(out, 0, sizeof *out);
    b.p = p;
    b.g = g;
    b.out = out;
    if (build(&b))
        s = hd_say(e, HEDDLE_ENOMEM, "the steps of a plan: out of memory");
    builder_clear(&b);
    if (s != HEDDLE_OK)
        hd_steps_clear(out);
    return s;
}

void hd_steps_clear(hd_steps *s)
{
    hd_delete(s->steps, s->n_steps * sizeof *s->steps);
    hd_delete(s->lists, s->n_workers * sizeof *s->lists);
    hd_delete(s->edges, (s->n_edges + 1) * sizeof *s->edges);
    hd_delete(s->step_of, s->n_tasks * sizeof *s->step_of);
    memset(s, 0, sizeof *s);
}
