/* SPDX-License-Identifier: MIT */
/* freeze.c - the end of adding: explicit edges in, duplicates out, cycles refused, the rest of the blob laid down.
 *
 * Without explicit edges the graph cannot have a cycle (edges run from earlier to later tasks) and every record is
 * already right, so only the edges beyond a task's first four are sorted into rows. With explicit edges all edges are
 * sorted again, and in-degrees, which edges carry, are counted anew. */
#include "graph/graph.h"

#include <string.h>

/* Edges beyond the records, by task: at[from] .. at[from + 1] in to[]. */
typedef struct rows {
    uint64_t *at;
    uint32_t *to;
    uint64_t n_at, n_to;
} rows;

static void rows_clear(rows *r)
{
    hd_delete(r->at, r->n_at * sizeof *r->at);
    hd_delete(r->to, r->n_to * sizeof *r->to);
}

/* Counting sort of two pair lists by their first, in order. */
static int rows_of(rows *r, const hd_list *a, const hd_list *b, uint64_t n_tasks)
{
    const hd_list *lists[2] = {a, b};
    uint64_t i, l, sum = 0;
    r->n_at = n_tasks + 2;
    r->n_to = a->n + b->n;
    r->at = hd_new(r->n_at * sizeof *r->at);
    r->to = hd_new(r->n_to * sizeof *r->to);
    if (!r->at || !r->to) {
        rows_clear(r);
        return -1;
    }
    for (l = 0; l < 2; l++)
        for (i = 0; i < lists[l]->n; i++)
            r->at[((const hd_pair *)lists[l]->at)[i].from + 2]++;
    for (i = 2; i < r->n_at; i++)
        r->at[i] = sum += r->at[i];
    for (l = 0; l < 2; l++)
        for (i = 0; i < lists[l]->n; i++) {
            hd_pair p = ((const hd_pair *)lists[l]->at)[i];
            r->to[r->at[p.from + 1]++] = p.to;
        }
    return 0;
}

/* All successors of task t: the inline ones, then its row. Distinct ones only, if `last` is given. */
static uint32_t take_succ(const hd_graph *g, const rows *r, uint32_t t, uint32_t *last, hd_edge *out)
{
    const hd_task *task = hd_graph_task(g, t);
    uint32_t n_inline = task->n_succ < HD_INLINE_SUCC ? task->n_succ : HD_INLINE_SUCC, n = 0;
    uint64_t i, n_all = n_inline + r->at[t + 1] - r->at[t];
    for (i = 0; i < n_all; i++) {
        uint32_t to = i < n_inline ? task->first[i].task : r->to[r->at[t] + i - n_inline];
        if (last && last[to] == t + 1)
            continue;
        if (last)
            last[to] = t + 1;
        out[n++].task = to;
    }
    return n;
}

static uint32_t need_of(const hd_graph *g, uint32_t t)
{
    const hd_task *task = hd_graph_task(g, t);
    return task->n_in | (task->flags & HD_TASK_URGENT ? HD_NEED_URGENT : 0);
}

/* Writes the rows behind the records: edges[] gets what does not fit inline. Returns the number of those. */
static uint64_t put_rows(hd_graph *g, const rows *r, uint32_t *last, hd_edge *scratch, hd_edge *edges)
{
    uint64_t at = 0;
    uint32_t t, i, n;
    g->n_edges = 0;
    for (t = 0; t < g->n_tasks; t++) {
        hd_task *task = hd_graph_task(g, t);
        if (!last && task->n_succ <= HD_INLINE_SUCC) {
            g->n_edges += task->n_succ;
            continue;
        }
        n = take_succ(g, r, t, last, scratch);
        task->n_succ = n;
        task->succ = (uint32_t)at;
        g->n_edges += n;
        for (i = 0; i < n; i++)
            if (i < HD_INLINE_SUCC)
                task->first[i].task = scratch[i].task;
            else
                edges[at++].task = scratch[i].task;
    }
    return at;
}

/* Explicit edges changed in-degrees: counts them again, and the roots. */
static heddle_status recount(hd_graph *g, const hd_edge *edges, hd_error *e)
{
    uint32_t t, i;
    for (t = 0; t < g->n_tasks; t++)
        hd_graph_task(g, t)->n_in = 0;
    for (t = 0; t < g->n_tasks; t++) {
        const hd_task *task = hd_graph_task(g, t);
        for (i = 0; i < task->n_succ; i++)
            hd_graph_task(g, i < HD_INLINE_SUCC ? task->first[i].task : edges[task->succ + i - HD_INLINE_SUCC].task)->n_in++;
    }
    g->roots.n = 0;
    for (t = 0; t < g->n_tasks; t++) {
        if (hd_graph_task(g, t)->n_in)
            continue;
        if (hd_list_room(&g->roots, 1, 4))
            return hd_say(e, HEDDLE_ENOMEM, "freezing a graph: out of memory");
        ((uint32_t *)g->roots.at)[g->roots.n++] = t;
    }
    return HEDDLE_OK;
}

/* Puts in-degrees and urgency into all edges. */
static void put_needs(hd_graph *g, hd_edge *edges, uint64_t n_spilled, int inline_too)
{
    uint64_t i;
    uint32_t t, k;
    for (i = 0; i < n_spilled; i++)
        edges[i].need = need_of(g, edges[i].task);
    for (t = 0; inline_too && t < g->n_tasks; t++) {
        hd_task *task = hd_graph_task(g, t);
        for (k = 0; k < task->n_succ && k < HD_INLINE_SUCC; k++)
            task->first[k].need = need_of(g, task->first[k].task);
    }
}

/* Urgent roots first, each group in program order; once urgency is settled. */
static heddle_status order_roots(hd_graph *g, hd_error *e)
{
    uint64_t n_roots = hd_graph_blob(g)->n_roots, i, n = 0;
    uint32_t *out = (uint32_t *)(void *)(g->blob + hd_graph_blob(g)->roots_at), *roots = hd_new(n_roots * 4);
    uint32_t urgent;
    if (!roots)
        return hd_say(e, HEDDLE_ENOMEM, "freezing a graph: out of memory");
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
    uint32_t b, most = 0;
    for (b = 0; b < g->table->n_bodies; b++)
        if (g->uses[b].used && g->uses[b].shared_bytes > most)
            most = g->uses[b].shared_bytes;
    return HD_REDUCE_BYTES + most;
}

/* Header and parts behind the records; the block is cut to its exact size first. */
static heddle_status lay_down(hd_graph *g, const hd_edge *edges, uint64_t n_spilled, hd_error *e)
{
    uint64_t edges_at = sizeof(hd_blob) + g->n_tasks * sizeof(hd_task), args_at = edges_at + n_spilled * sizeof(hd_edge);
    uint64_t roots_at, end, n_bytes;
    hd_blob *b;
    void *p;
    args_at = (args_at + 15) / 16 * 16;
    roots_at = args_at + g->big_args.n;
    end = roots_at + g->roots.n * 4;
    n_bytes = end;
    p = hd_resize(g->blob, g->blob_bytes, &n_bytes);
    if (!p)
        return hd_say(e, HEDDLE_ENOMEM, "freezing a graph: out of memory");
    g->blob = p;
    g->blob_bytes = n_bytes;
    if (n_spilled)
        memcpy(g->blob + edges_at, edges, n_spilled * sizeof(hd_edge));
    if (g->big_args.n)
        memcpy(g->blob + args_at, g->big_args.at, g->big_args.n);
    if (g->roots.n)
        memcpy(g->blob + roots_at, g->roots.at, g->roots.n * 4);
    b = hd_graph_blob(g);
    b->magic = HD_BLOB_MAGIC;
    b->version = HEDDLE_CORE_VERSION;
    b->n_bytes = end;
    b->n_tasks = (uint32_t)g->n_tasks;
    b->n_roots = (uint32_t)g->roots.n;
    b->n_watched = (uint32_t)g->n_watched;
    b->shared_bytes = shared_bytes(g);
    b->n_edges = g->n_edges;
    b->edges_at = edges_at;
    b->args_at = args_at;
    b->roots_at = roots_at;
    return HEDDLE_OK;
}

/* Longest row, for scratch. */
static uint64_t longest(const hd_graph *g, const rows *r)
{
    uint64_t t, most = 0;
    for (t = 0; t < g->n_tasks; t++)
        if (r->at[t + 1] - r->at[t] > most)
            most = r->at[t + 1] - r->at[t];
    return most + HD_INLINE_SUCC;
}

/* Memory of a graph that is being built, `more` included. */
static void note_peak(hd_graph *g, uint64_t more)
{
    uint64_t n = more + g->blob_bytes + g->spilled.n_bytes + g->asked.n_bytes + g->big_args.n_bytes + g->roots.n_bytes +
                 g->before.n_bytes + g->areas.n_bytes + (g->ranges ? hd_ranges_bytes(g->ranges) : 0);
    g->peak_bytes = n > g->peak_bytes ? n : g->peak_bytes;
}

/* Spilled and explicit edges into rows behind the records. */
static heddle_status sort_edges(hd_graph *g, hd_edge **edges, uint64_t *n_spilled, hd_error *e)
{
    rows r = {NULL, NULL, 0, 0};
    uint64_t n_scratch;
    uint32_t *last = NULL;
    hd_edge *scratch = NULL;
    heddle_status s = HEDDLE_ENOMEM;
    int asked = g->asked.n > 0;
    if (rows_of(&r, &g->spilled, &g->asked, g->n_tasks))
        return hd_say(e, HEDDLE_ENOMEM, "freezing a graph: out of memory");
    n_scratch = longest(g, &r);
    scratch = hd_new(n_scratch * sizeof *scratch);
    last = asked ? hd_new(g->n_tasks * sizeof *last) : NULL;
    *edges = hd_new(r.n_to * sizeof **edges);
    note_peak(g, (r.n_at + n_scratch) * 8 + r.n_to * 12 + (asked ? g->n_tasks * 4 : 0));
    if (scratch && *edges && (last || !asked)) {
        *n_spilled = put_rows(g, &r, last, scratch, *edges);
        s = asked ? recount(g, *edges, e) : HEDDLE_OK;
        put_needs(g, *edges, *n_spilled, asked);
    }
    hd_delete(scratch, n_scratch * sizeof *scratch);
    hd_delete(last, g->n_tasks * sizeof *last);
    if (s != HEDDLE_OK) {
        hd_delete(*edges, r.n_to * sizeof **edges);
        *edges = NULL;
        hd_say(e, s, "freezing a graph: out of memory");
    }
    rows_clear(&r);
    return s;
}

/* Ranges are only needed while adding; dropped first, so that sorting edges finds room. */
static void drop_ranges(hd_graph *g)
{
    note_peak(g, 0);
    hd_ranges_free(g->ranges);
    g->ranges = NULL;
    hd_list_clear(&g->before);
    hd_list_clear(&g->areas);
}

static void drop_lists(hd_graph *g)
{
    hd_list_clear(&g->spilled);
    hd_list_clear(&g->asked);
    hd_list_clear(&g->big_args);
    hd_list_clear(&g->roots);
}

heddle_status hd_graph_freeze(hd_graph *g, hd_error *e)
{
    uint64_t begin = hd_host_clock(), n_spilled = 0, n_edges_cap = g->spilled.n + g->asked.n;
    hd_edge *edges = NULL;
    heddle_status s = HEDDLE_OK;
    int asked = g->asked.n > 0;
    if (g->frozen)
        return HEDDLE_OK;
    HD_TRY(hd_graph_whole(g, e));
    g->add_ns = g->first_add_ns ? begin - g->first_add_ns : 0;
    g->broken = HEDDLE_ENOMEM; /* until all of it is done */
    drop_ranges(g);
    if (n_edges_cap)
        HD_TRY(sort_edges(g, &edges, &n_spilled, e));
    s = lay_down(g, edges, n_spilled, e);
    hd_delete(edges, n_edges_cap * sizeof *edges);
    if (s != HEDDLE_OK)
        return s;
    drop_lists(g);
    g->frozen = 1;
    if (asked || g->want_rank)
        s = g->want_rank ? hd_graph_mark_path(g, e) : hd_graph_rank(g, e);
    if (s == HEDDLE_OK)
        s = order_roots(g, e);
    g->frozen = s == HEDDLE_OK;
    g->broken = s;
    g->freeze_ns = hd_host_clock() - begin;
    return s;
}
