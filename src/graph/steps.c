/* SPDX-License-Identifier: MIT */
/* steps.c - a plan's lists as the records that dispatch plan executes (core/plan.h), with as few edges as will do.
 *
 * What a worker waits for is gone through in the order of its list, and for each other worker the latest step waited for
 * is kept: that step comes after all earlier ones of its list, so an edge from one of those says nothing new. One word
 * a worker is enough for that. */
#include "graph/plan.h"

#include <string.h>

typedef struct builder {
    const hd_plan *p;
    const hd_graph *g;
    hd_steps *out;
    hd_preds preds;   /* HD_NONE in place of one whose edge was dropped */
    uint32_t *owner;  /* the worker of each task */
    uint32_t *waited; /* by this list for each worker: its step + 1, 0 = none */
    uint32_t *raised; /* and for which task that was, + 1 */
} builder;

static void write_step(hd_step *s, const hd_graph *g, uint32_t t)
{
    const hd_task *task = hd_graph_task(g, t);
    s->body = task->body;
    s->flags = task->flags;
    s->task = t;
    s->watch = task->watch;
    s->arg_bytes = task->arg_bytes;
    s->args_at = task->args_at;
    if (task->arg_bytes && task->arg_bytes <= HD_INLINE_ARGS)
        memcpy(s->args, task->args, task->arg_bytes);
}

/* Everything but edges. */
static void write_steps(builder *b)
{
    const hd_plan *p = b->p;
    uint32_t w, i, at = 0;
    for (w = 0; w < p->n_workers; w++) {
        b->out->lists[w] = at;
        for (i = p->lists[w]; i < p->lists[w + 1]; i++, at++) {
            write_step(&b->out->steps[at], b->g, p->order[i]);
            b->out->step_of[p->order[i]] = at;
            b->owner[p->order[i]] = w;
        }
        b->out->steps[at++].task = HD_NONE;
    }
}

/* Drops the edges to task t, on worker w, that say nothing new; counts the others at both ends. */
static void reduce_task(builder *b, uint32_t w, uint32_t t)
{
    hd_step *steps = b->out->steps;
    const uint32_t *step_of = b->out->step_of;
    uint64_t i;
    for (i = b->preds.at[t]; i < b->preds.at[t + 1]; i++) {
        uint32_t from = b->preds.from[i], v = b->owner[from];
        if (v == w || step_of[from] + 1 <= b->waited[v])
            continue;
        b->waited[v] = step_of[from] + 1;
        b->raised[v] = t + 1;
    }
    for (i = b->preds.at[t]; i < b->preds.at[t + 1]; i++) {
        uint32_t from = b->preds.from[i], v = b->owner[from];
        if (v == w || b->raised[v] != t + 1 || b->waited[v] != step_of[from] + 1) {
            b->preds.from[i] = HD_NONE;
            continue;
        }
        steps[step_of[t]].need++;
        steps[step_of[from]].n_succ++;
    }
}

static void reduce(builder *b)
{
    uint32_t w, i;
    for (w = 0; w < b->p->n_workers; w++) {
        memset(b->waited, 0, b->p->n_workers * sizeof *b->waited);
        for (i = b->p->lists[w]; i < b->p->lists[w + 1]; i++)
            reduce_task(b, w, b->p->order[i]);
    }
}

static heddle_status room_for_edges(builder *b, hd_error *e)
{
    uint64_t i, n = 0;
    for (i = 0; i < b->out->n_steps; i++) {
        hd_step *s = &b->out->steps[i];
        s->succ = (uint32_t)n;
        n += s->n_succ > HD_STEP_SUCC ? s->n_succ - HD_STEP_SUCC : 0;
    }
    b->out->n_edges = n;
    b->out->edges = hd_new((n + 1) * sizeof *b->out->edges);
    return b->out->edges ? HEDDLE_OK : hd_say(e, HEDDLE_ENOMEM, "the steps of a plan: out of memory");
}

/* Successors in the order of their numbers; n_succ counts up once more. */
static void write_edges(builder *b)
{
    uint64_t i;
    uint32_t t;
    for (i = 0; i < b->out->n_steps; i++)
        b->out->steps[i].n_succ = 0;
    for (t = 0; t < b->g->n_tasks; t++)
        for (i = b->preds.at[t]; i < b->preds.at[t + 1]; i++) {
            hd_step *s;
            uint32_t k;
            if (b->preds.from[i] == HD_NONE)
                continue;
            s = &b->out->steps[b->out->step_of[b->preds.from[i]]];
            k = s->n_succ++;
            if (k < HD_STEP_SUCC)
                s->first[k] = t;
            else
                b->out->edges[s->succ + (k - HD_STEP_SUCC)] = t;
        }
}

static void builder_clear(builder *b)
{
    hd_preds_clear(&b->preds);
    hd_delete(b->owner, b->g->n_tasks * sizeof *b->owner);
    hd_delete(b->waited, b->p->n_workers * sizeof *b->waited);
    hd_delete(b->raised, b->p->n_workers * sizeof *b->raised);
}

static heddle_status builder_room(builder *b, hd_error *e)
{
    hd_steps *out = b->out;
    b->owner = hd_new(b->g->n_tasks * sizeof *b->owner);
    b->waited = hd_new(b->p->n_workers * sizeof *b->waited);
    b->raised = hd_new(b->p->n_workers * sizeof *b->raised);
    out->n_tasks = b->g->n_tasks;
    out->n_workers = b->p->n_workers;
    out->n_steps = out->n_tasks + out->n_workers;
    out->steps = hd_new(out->n_steps * sizeof *out->steps);
    out->lists = hd_new(out->n_workers * sizeof *out->lists);
    out->step_of = hd_new(out->n_tasks * sizeof *out->step_of);
    if (!hd_preds_of(&b->preds, b->g) && b->owner && b->waited && b->raised && out->steps && out->lists && out->step_of)
        return HEDDLE_OK;
    return hd_say(e, HEDDLE_ENOMEM, "the steps of a plan: out of memory");
}

static heddle_status build(builder *b, hd_error *e)
{
    HD_TRY(builder_room(b, e));
    write_steps(b);
    reduce(b);
    HD_TRY(room_for_edges(b, e));
    write_edges(b);
    return HEDDLE_OK;
}

heddle_status hd_steps_make(hd_steps *out, const hd_plan *p, const hd_graph *g, hd_error *e)
{
    builder b;
    heddle_status s;
    memset(&b, 0, sizeof b);
    memset(out, 0, sizeof *out);
    b.p = p;
    b.g = g;
    b.out = out;
    s = build(&b, e);
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
