/* SPDX-License-Identifier: MIT */
/* freeze.c - ends adding: inserts explicit edges, drops duplicates, refuses cycles, lays down the rest of the blob.
 *
 * Without explicit edges there is no cycle, because edges run from earlier to later tasks, and every record is already right.
 * Freezing then only sorts the edges beyond a task's first four into rows. Explicit edges are added first; they change the
 * roots, and the in-degrees that edges carry. */
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

static heddle_status no_memory(hd_error *e) { return hd_say(e, HEDDLE_ENOMEM, "freezing a graph: out of memory"); }

/* Sorts the spilled edges into rows, each in order of adding; task->succ becomes the start of its row. */
static void fill_rows(hd_graph *g, hd_edge *edges)
{
    const uint32_t *spillers = g->spillers.at;
    const hd_spilled_edge *spilled = g->spilled.at;
    uint64_t i;
    uint32_t at = 0;
    for (i = 0; i < g->spillers.n; i++) {
        hd_graph_task(g, spillers[i])->succ = at;
        at += hd_graph_task(g, spillers[i])->n_succ - HD_INLINE_SUCC;
    }
    for (i = 0; i < g->spilled.n; i++)
        edges[hd_graph_task(g, spilled[i].from)->succ++] = spilled[i].edge;
    for (i = 0; i < g->spillers.n; i++)
        hd_graph_task(g, spillers[i])->succ -= hd_graph_task(g, spillers[i])->n_succ - HD_INLINE_SUCC;
}

/* ---- explicit edges ---------------------------------------------------------------------------------------------- */

static int by_from(const void *a, const void *b)
{
    const hd_pair *x = a, *y = b;
    return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

/* Sets last[s] = from + 1 for all successors s of `from`. */
static void mark_succ(const hd_graph *g, uint32_t from, const hd_edge *edges, uint32_t *last)
{
    const hd_task *t = hd_graph_task(g, from);
    uint32_t i;
    for (i = 0; i < t->n_succ; i++)
        last[i < HD_INLINE_SUCC ? t->first[i].task : edges[t->succ + i - HD_INLINE_SUCC].task] = from + 1;
}

/* Adds the pairs that are not edges yet. `edges` holds the rows of the existing ones. */
static int put_asked(hd_graph *g, const hd_edge *edges, uint32_t *last)
{
    const hd_pair *p = g->asked.at;
    uint64_t i;
    qsort(g->asked.at, g->asked.n, sizeof(hd_pair), by_from);
    for (i = 0; i < g->asked.n; i++) {
        if (i == 0 || p[i].from != p[i - 1].from)
            mark_succ(g, p[i].from, edges, last);
        if (last[p[i].to] == p[i].from + 1)
            continue;
        last[p[i].to] = p[i].from + 1;
        if (hd_graph_put_edge(g, p[i].from, p[i].to, 0))
            return -1;
        hd_graph_task(g, p[i].to)->n_in++;
    }
    return 0;
}

/* After in-degrees changed: updates them in all edges, and finds the roots again. */
static int renew(hd_graph *g)
{
    hd_spilled_edge *spilled = g->spilled.at;
    uint64_t i;
    uint32_t t, k;
    for (i = 0; i < g->spilled.n; i++)
        spilled[i].edge.need = hd_task_need(hd_graph_task(g, spilled[i].edge.task));
    g->roots.n = 0;
    for (t = 0; t < g->n_tasks; t++) {
        hd_task *task = hd_graph_task(g, t);
        for (k = 0; k < task->n_succ && k < HD_INLINE_SUCC; k++)
            task->first[k].need = hd_task_need(hd_graph_task(g, task->first[k].task));
        if (task->n_in)
            continue;
        if (hd_list_room(&g->roots, 1, 4))
            return -1;
        ((uint32_t *)g->roots.at)[g->roots.n++] = t;
    }
    return 0;
}

static heddle_status add_asked(hd_graph *g, hd_error *e)
{
    uint64_t n_edges = g->spilled.n;
    hd_edge *edges = hd_new(n_edges * sizeof *edges);
    uint32_t *last = hd_new(g->n_tasks * sizeof *last);
    int bad = !edges || !last;
    if (!bad) {
        fill_rows(g, edges);
        bad = put_asked(g, edges, last) || renew(g);
    }
    hd_delete(edges, n_edges * sizeof *edges);
    hd_delete(last, g->n_tasks * sizeof *last);
    return bad ? no_memory(e) : HEDDLE_OK;
}

/* ---- the blob ---------------------------------------------------------------------------------------------------- */

/* Puts urgent roots first, each group in program order. Runs after urgency is settled. */
static heddle_status order_roots(hd_graph *g, hd_error *e)
{
    uint64_t n_roots = hd_graph_blob(g)->n_roots, i, n = 0;
    uint32_t *out = (uint32_t *)(void *)(g->blob + hd_graph_blob(g)->roots_at), *roots = hd_new(n_roots * 4);
    uint32_t urgent;
    if (!roots)
        return no_memory(e);
    memcpy(roots, out, n_roots * 4);
    for (urgent = HD_TASK_URGENT;; urgent = 0) {
        for (i = 0; i < n_roots; i++)
            if ((hd_graph_task(g, roots[i])->flags & HD_TASK_URGENT) == urgent)
                out[n++] = roots[i];
        if (!urgent)
            break;
    }
    hd_delete(roots, n_roots * 4);
    return HEDDLE_OK;
}

static uint32_t shared_bytes(const hd_graph *g)
{
    uint32_t b, most = 0, spawns = 0;
    for (b = 0; b < g->table->n_bodies; b++)
        spawns |= g->table->bodies[b].n_children; /* then any body may run */
    for (b = 0; b < g->table->n_bodies; b++)
        if ((g->uses[b].used || spawns) && g->uses[b].shared_bytes > most)
            most = g->uses[b].shared_bytes;
    return HEDDLE_REDUCE_BYTES + most;
}

/* Memory of a graph under construction. */
static void note_peak(hd_graph *g)
{
    uint64_t n = g->blob_bytes + g->spilled.n_bytes + g->spillers.n_bytes + g->marks.n_bytes + g->asked.n_bytes +
                 g->big_args.n_bytes + g->roots.n_bytes + g->before.n_bytes + g->areas.n_bytes + g->watched.n_bytes +
                 (g->ranges ? hd_ranges_bytes(g->ranges) : 0);
    g->peak_bytes = n > g->peak_bytes ? n : g->peak_bytes;
}

static void put_header(hd_graph *g, uint64_t edges_at, uint64_t args_at, uint64_t roots_at)
{
    hd_blob *b = hd_graph_blob(g);
    memset(b, 0, sizeof *b);
    b->magic = HD_BLOB_MAGIC;
    b->version = HEDDLE_CORE_VERSION;
    b->n_bytes = roots_at + g->roots.n * 4;
    b->n_tasks = (uint32_t)g->n_tasks;
    b->n_roots = (uint32_t)g->roots.n;
    b->n_watched = (uint32_t)g->watched.n;
    b->shared_bytes = shared_bytes(g);
    b->n_edges = g->n_edges;
    b->edges_at = edges_at;
    b->args_at = args_at;
    b->roots_at = roots_at;
    b->args_bytes = g->big_args.n;
    b->n_urgent = (uint32_t)g->n_urgent;
    b->n_placed = (uint32_t)g->n_placed;
}

/* Resizes the block to its exact size, then writes the header and the parts behind the records. */
static heddle_status lay_down(hd_graph *g, hd_error *e)
{
    uint64_t edges_at = sizeof(hd_blob) + g->n_tasks * sizeof(hd_task);
    uint64_t args_at = (edges_at + g->spilled.n * sizeof(hd_edge) + 15) / 16 * 16, roots_at = args_at + g->big_args.n;
    uint64_t n_bytes = roots_at + g->roots.n * 4;
    void *p = hd_resize(g->blob, g->blob_bytes, &n_bytes);
    if (!p)
        return no_memory(e);
    g->blob = p;
    g->blob_bytes = n_bytes;
    note_peak(g);
    put_header(g, edges_at, args_at, roots_at);
    fill_rows(g, (hd_edge *)(void *)(g->blob + edges_at));
    if (g->big_args.n)
        memcpy(g->blob + args_at, g->big_args.at, g->big_args.n);
    if (g->roots.n)
        memcpy(g->blob + roots_at, g->roots.at, g->roots.n * 4);
    return HEDDLE_OK;
}

/* Ranges are needed only while adding; freed first to make room for sorting edges. */
static void drop_ranges(hd_graph *g)
{
    note_peak(g);
    hd_ranges_free(g->ranges);
    g->ranges = NULL;
    hd_list_clear(&g->before);
    hd_list_clear(&g->areas);
}

static void drop_lists(hd_graph *g)
{
    hd_list_clear(&g->spilled);
    hd_list_clear(&g->spillers);
    hd_list_clear(&g->marks);
    hd_list_clear(&g->asked);
    hd_list_clear(&g->big_args);
    hd_list_clear(&g->roots);
}

/* Recounts after marking the critical path. */
static void count_urgent(hd_graph *g)
{
    uint32_t t, n = 0;
    for (t = 0; t < g->n_tasks; t++)
        n += (hd_graph_task(g, t)->flags & HD_TASK_URGENT) != 0;
    hd_graph_blob(g)->n_urgent = n;
}

heddle_status hd_graph_freeze(hd_graph *g, hd_error *e)
{
    uint64_t begin = heddle_host_clock_ns();
    int asked = g->asked.n > 0;
    if (g->frozen)
        return HEDDLE_OK;
    HD_TRY(hd_graph_whole(g, e));
    g->add_ns = g->first_add_ns ? begin - g->first_add_ns : 0;
    g->broken = HEDDLE_ENOMEM; /* until freezing has succeeded */
    drop_ranges(g);
    if (asked)
        HD_TRY(add_asked(g, e));
    HD_TRY(lay_down(g, e));
    drop_lists(g);
    if (g->want_rank || asked)
        g->broken = g->want_rank ? hd_graph_mark_path(g, e) : hd_graph_rank(g, e);
    else
        g->broken = HEDDLE_OK;
    if (g->want_rank)
        count_urgent(g);
    if (g->broken == HEDDLE_OK)
        g->broken = order_roots(g, e);
    g->frozen = g->broken == HEDDLE_OK;
    g->freeze_ns = heddle_host_clock_ns() - begin;
    return g->broken;
}
