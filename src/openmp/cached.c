/* SPDX-License-Identifier: MIT */
/* cached.c - graphs of recent runs. A program that enters a region repeatedly often creates the same tasks with the same
 * dependences. The graph then exists and is loaded, and only changed argument records are written into it. The new tasks are
 * compared in full with those that the graph was made from.
 *
 * At most N_CACHED graphs are cached, with HD_OMP_CACHED_TASKS tasks together; the least recently used are dropped first. */
#include "openmp/inside.h"
#include "heddle/task.h"

#include <string.h>

#define N_CACHED 4u
#define MAX_WRITTEN 64u /* records on a GPU: writing more takes longer than loading a new graph */

typedef struct cached {
    heddle_graph *graph;
    const hd_omp_device *device;
    const heddle_omp_program *program;
    uint32_t team_size;
    uint64_t used;     /* counter value at its last use */
    hd_omp_list list;  /* what it was made from, with its present arguments */
    hd_omp_buffer ids; /* heddle_task of each task of the list */
} cached;

static cached graphs[N_CACHED], fresh; /* fresh: the graph in hand, if new */
static cached *in_hand;
static uint64_t now;

/* ---- comparing ------------------------------------------------------------------------------------------------------ */

static int same_items(const hd_omp_buffer *a, const hd_omp_buffer *b, uint64_t item_bytes)
{
    return a->n == b->n && (a->n == 0 || !memcmp(a->at, b->at, a->n * item_bytes));
}

static int same_list(const hd_omp_list *a, const hd_omp_list *b)
{
    return a->has_epochs == b->has_epochs && a->args.n == b->args.n &&
           same_items(&a->tasks, &b->tasks, sizeof(hd_omp_task)) && same_items(&a->deps, &b->deps, sizeof(hd_omp_dep));
}

static cached *find(const hd_omp_region *r, const hd_omp_device *d)
{
    cached *k;
    for (k = graphs; k < graphs + N_CACHED; k++)
        if (k->graph && k->device == d && k->program == r->frame.program && k->team_size == r->frame.team_size &&
            same_list(&k->list, &r->list))
            return k;
    return NULL;
}

/* Writes changed records into the graph. EBUSY: too many for that. */
static heddle_status refresh(cached *k, const hd_omp_list *l, const heddle_body_info *bodies)
{
    uint64_t i, n = 0, most = k->device->config.backend == HEDDLE_CUDA ? MAX_WRITTEN : UINT64_MAX;
    heddle_status s = HEDDLE_OK;
    if (same_items(&k->list.args, &l->args, HD_OMP_UNIT))
        return HEDDLE_OK;
    for (i = 0; i < l->tasks.n && s == HEDDLE_OK; i++) {
        const hd_omp_task *t = HD_OMP_TASK(l, i);
        uint32_t n_bytes = bodies[t->kind].arg_bytes;
        if (!memcmp(HD_OMP_ARGS(&k->list, t), HD_OMP_ARGS(l, t), n_bytes))
            continue;
        if (++n > most)
            return HEDDLE_EBUSY;
        memcpy(HD_OMP_ARGS(&k->list, t), HD_OMP_ARGS(l, t), n_bytes);
        s = heddle_graph_set_args(k->graph, ((heddle_task *)k->ids.at)[i], HD_OMP_ARGS(l, t), n_bytes);
    }
    return s;
}

/* ---- a new one ------------------------------------------------------------------------------------------------------- */

/* Reads the ranges of task i into the buffer. */
static void read_ranges(hd_omp_buffer *out, const hd_omp_list *l, uint64_t i)
{
    uint32_t unused = l->has_epochs && !l->n_barriers;
    uint64_t at = HD_OMP_TASK(l, i)->first + unused, end = hd_omp_list_end(l, i);
    out->n = 0;
    hd_omp_room(out, end - at, sizeof(heddle_range));
    while (at < end)
        ((heddle_range *)out->at)[out->n++] = hd_omp_list_read(l, &at);
}

static heddle_status add_all(cached *k, const hd_omp_list *l, const heddle_body_info *bodies)
{
    static hd_omp_buffer ranges; /* scratch, of one task */
    heddle_task_desc d = HEDDLE_TASK_INIT;
    heddle_status s = HEDDLE_OK;
    uint64_t i;
    k->ids.n = 0;
    hd_omp_room(&k->ids, l->tasks.n, sizeof(heddle_task));
    for (i = 0; i < l->tasks.n && s == HEDDLE_OK; i++) {
        const hd_omp_task *t = HD_OMP_TASK(l, i);
        read_ranges(&ranges, l, i);
        d.body = t->kind;
        d.args = HD_OMP_ARGS(l, t);
        d.arg_bytes = bodies[t->kind].arg_bytes;
        d.ranges = ranges.at;
        d.n_ranges = ranges.n;
        d.urgent = t->priority > 0;
        s = heddle_graph_add_task(k->graph, &d, (heddle_task *)k->ids.at + i);
    }
    return s;
}

static heddle_status make(cached *k, const hd_omp_region *r, const hd_omp_device *d, heddle_omp_times *t)
{
    const heddle_table *table = r->frame.program->table;
    uint64_t begin = hd_omp_clock();
    heddle_status s = heddle_graph_new(d->ctx, table, &k->graph);
    k->device = d;
    k->program = r->frame.program;
    k->team_size = r->frame.team_size;
    if (s == HEDDLE_OK)
        s = heddle_graph_set_team_size(k->graph, k->team_size);
    if (s == HEDDLE_OK)
        s = add_all(k, &r->list, table->bodies);
    t->add_ns += hd_omp_clock() - begin;
    begin = hd_omp_clock();
    if (s == HEDDLE_OK)
        s = heddle_graph_freeze(k->graph);
    t->freeze_ns = hd_omp_clock() - begin;
    return s;
}

/* ---- in hand --------------------------------------------------------------------------------------------------------- */

static void drop(cached *k)
{
    heddle_graph_free(k->graph);
    k->graph = NULL;
    hd_omp_list_clear(&k->list);
}

heddle_status hd_omp_graph_take(heddle_graph **out, const hd_omp_region *r, const hd_omp_device *d, heddle_omp_times *t)
{
    uint64_t begin = hd_omp_clock();
    cached *k = find(r, d);
    heddle_status s = k ? refresh(k, &r->list, r->frame.program->table->bodies) : HEDDLE_EBUSY;
    t->add_ns += hd_omp_clock() - begin;
    t->reused = s == HEDDLE_OK;
    if (s != HEDDLE_OK) {
        if (k)
            drop(k);
        k = &fresh;
        s = make(k, r, d, t);
    }
    in_hand = k;
    *out = k->graph;
    return s;
}

void hd_omp_graph_drop(void) { drop(in_hand); }

heddle_status hd_omp_graph_make(heddle_graph **out, const hd_omp_region *r, const hd_omp_device *d, heddle_omp_times *t)
{
    heddle_status s = make(&fresh, r, d, t);
    *out = fresh.graph;
    fresh.graph = NULL;
    return s;
}

/* A free place for a graph of n tasks; drops old graphs to make room. */
static cached *place_for(uint64_t n)
{
    for (;;) {
        cached *k, *oldest = NULL, *empty = NULL;
        uint64_t n_tasks = n;
        for (k = graphs; k < graphs + N_CACHED; k++) {
            n_tasks += k->list.tasks.n;
            if (!k->graph)
                empty = k;
            else if (!oldest || k->used < oldest->used)
                oldest = k;
        }
        if (empty && n_tasks <= HD_OMP_CACHED_TASKS)
            return empty;
        drop(oldest);
    }
}

/* Caches the new graph with the region's buffers; the region gets those of a dropped graph. */
static cached *cache_fresh(hd_omp_region *r)
{
    cached *k = place_for(r->list.tasks.n), old = *k;
    *k = fresh;
    k->list = r->list;
    r->list = old.list;
    r->list.has_epochs = k->list.has_epochs;
    fresh = (cached){.ids = old.ids};
    return k;
}

void hd_omp_graph_cache(hd_omp_region *r)
{
    if (in_hand == &fresh && r->list.tasks.n > HD_OMP_CACHED_TASKS)
        drop(in_hand);
    else if (in_hand == &fresh)
        in_hand = cache_fresh(r);
    in_hand->used = ++now;
}

void hd_omp_graphs_forget(const hd_omp_device *d)
{
    cached *k;
    for (k = graphs; k < graphs + N_CACHED; k++)
        if (k->device == d)
            drop(k);
    if (fresh.device == d)
        drop(&fresh);
}
