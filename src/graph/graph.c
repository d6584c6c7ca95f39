/* SPDX-License-Identifier: MIT */
/* graph.c - adding tasks in program order.
 *
 * The blob is built in place. A task's record is written once, into the array that freeze will keep, and its first four
 * successors are stored there as they arrive. Freeze adds the edges beyond these, explicit edges, large argument records and
 * the list of roots. Adding therefore costs what range.c spends on each range, mostly a hash look-up, and one write per edge.
 * Freezing a usual graph costs almost nothing. */
#include "graph/graph.h"

#include <stddef.h>
#include <string.h>

#define RECORDS_MIN 64u
#define N_PLACES 8191u
#define MARK(g, t) ((hd_mark *)(g)->marks.at + (t))

heddle_status hd_graph_init(hd_graph *g, const heddle_table *table, hd_error *e)
{
    uint32_t i;
    memset(g, 0, sizeof *g);
    g->table = table;
    g->blob_bytes = sizeof(hd_blob) + RECORDS_MIN * sizeof(hd_task);
    g->blob = hd_new(g->blob_bytes);
    g->ranges = hd_ranges_new();
    g->uses = hd_new(table->n_bodies * sizeof *g->uses);
    if (!g->blob || !g->ranges || !g->uses) {
        hd_graph_clear(g);
        return hd_say(e, HEDDLE_ENOMEM, "a new graph: out of memory");
    }
    for (i = 0; i < table->n_bodies; i++)
        g->uses[i].shared_bytes = table->bodies[i].shared_bytes;
    return HEDDLE_OK;
}

void hd_graph_clear(hd_graph *g)
{
    hd_delete(g->blob, g->blob_bytes);
    hd_ranges_free(g->ranges);
    hd_delete(g->uses, g->table->n_bodies * sizeof *g->uses);
    hd_list_clear(&g->spilled);
    hd_list_clear(&g->spillers);
    hd_list_clear(&g->marks);
    hd_list_clear(&g->watched);
    hd_list_clear(&g->asked);
    hd_list_clear(&g->big_args);
    hd_list_clear(&g->roots);
    hd_list_clear(&g->before);
    hd_list_clear(&g->areas);
    memset(g, 0, sizeof *g);
}

heddle_status hd_graph_whole(const hd_graph *g, hd_error *e)
{
    if (g->broken == HEDDLE_OK)
        return HEDDLE_OK;
    return hd_say(e, g->broken, "an earlier call on this graph failed (%s): it can only be freed",
                  heddle_status_text(g->broken));
}

static heddle_status no_memory(hd_graph *g, hd_error *e)
{
    g->broken = HEDDLE_ENOMEM;
    return hd_say(e, HEDDLE_ENOMEM, "task %llu: out of memory; the graph can only be freed",
                  (unsigned long long)g->n_tasks);
}

static int more_records(hd_graph *g)
{
    uint64_t grown = g->blob_bytes < (1u << 20) ? g->blob_bytes * 2 : g->blob_bytes + g->blob_bytes / 2;
    void *p = hd_resize(g->blob, g->blob_bytes, &grown);
    if (!p)
        return -1;
    g->blob = p;
    g->blob_bytes = grown;
    return 0;
}

/* Appends an empty record; its number, or HD_NONE. Unset argument bytes stay uninitialised. */
static uint32_t new_record(hd_graph *g)
{
    uint64_t need = sizeof(hd_blob) + (g->n_tasks + 1) * sizeof(hd_task);
    if (g->n_tasks >= HEDDLE_MAX_TASKS || (need > g->blob_bytes && more_records(g)) ||
        hd_list_room(&g->marks, 1, sizeof(hd_mark)))
        return HD_NONE;
    *MARK(g, g->n_tasks) = (hd_mark){0, 0};
    g->marks.n++;
    memset(hd_graph_task(g, (uint32_t)g->n_tasks), 0, offsetof(hd_task, args));
    return (uint32_t)g->n_tasks++;
}

int hd_graph_put_edge(hd_graph *g, uint32_t from, uint32_t to, uint32_t need)
{
    hd_task *t = hd_graph_task(g, from);
    uint32_t k = MARK(g, from)->n_succ++;
    t->n_succ = k + 1;
    g->n_edges++;
    if (k < HD_INLINE_SUCC) {
        t->first[k].task = to;
        t->first[k].need = need;
        return 0;
    }
    if (hd_list_room(&g->spilled, 1, sizeof(hd_spilled_edge)) ||
        (k == HD_INLINE_SUCC && hd_list_room(&g->spillers, 1, 4)))
        return -1;
    if (k == HD_INLINE_SUCC)
        ((uint32_t *)g->spillers.at)[g->spillers.n++] = from;
    ((hd_spilled_edge *)g->spilled.at)[g->spilled.n++] = (hd_spilled_edge){from, {to, need}};
    return 0;
}

/* Drops duplicates from before[0..n): a task that already has this call's stamp. */
static void drop_duplicates(hd_graph *g, uint32_t *before, uint64_t *n)
{
    uint32_t stamp = ++g->stamp;
    uint64_t i, kept = 0;
    for (i = 0; i < *n; i++) {
        uint32_t t = before[i];
        if (MARK(g, t)->stamp == stamp)
            continue;
        MARK(g, t)->stamp = stamp;
        before[kept++] = t;
    }
    *n = kept;
}

static int put_edges(hd_graph *g, uint32_t to, const uint32_t *before, uint64_t n)
{
    hd_task *t = hd_graph_task(g, to);
    uint32_t need;
    uint64_t i;
    t->n_in = (uint32_t)n;
    need = hd_task_need(t);
    for (i = 0; i < n; i++)
        if (hd_graph_put_edge(g, before[i], to, need))
            return -1;
    if (n)
        return 0;
    if (hd_list_room(&g->roots, 1, 4))
        return -1;
    ((uint32_t *)g->roots.at)[g->roots.n++] = to;
    return 0;
}

static uint32_t new_join(hd_graph *g)
{
    uint32_t j = new_record(g);
    if (j == HD_NONE)
        return HD_NONE;
    hd_graph_task(g, j)->body = HD_BODY_JOIN;
    g->n_joins++;
    return j;
}

/* hd_joiner: adds an empty task after the tasks in `before`. */
static uint32_t join(void *self, const uint32_t *before, uint64_t n)
{
    hd_graph *g = self;
    uint32_t *own = (uint32_t *)(uintptr_t)before; /* part of g->before: may be compacted in place */
    uint32_t j = new_join(g);
    if (j == HD_NONE)
        return HD_NONE;
    drop_duplicates(g, own, &n);
    return put_edges(g, j, own, n) ? HD_NONE : j;
}

heddle_status hd_graph_add_join(hd_graph *g, hd_error *e)
{
    uint32_t j;
    HD_TRY(hd_graph_whole(g, e));
    j = new_join(g);
    return j == HD_NONE || put_edges(g, j, NULL, 0) ? no_memory(g, e) : HEDDLE_OK;
}

static heddle_status gather(hd_graph *g, const heddle_task_desc *d, hd_error *e)
{
    const hd_joiner joiner = {g, join};
    g->before.n = 0;
    if (hd_list_room(&g->areas, d->n_ranges, 4) ||
        hd_ranges_gather(g->ranges, d->ranges, d->n_ranges, g->areas.at, &g->before, &joiner))
        return no_memory(g, e);
    drop_duplicates(g, g->before.at, &g->before.n);
    return HEDDLE_OK;
}

static heddle_status check(const hd_graph *g, const heddle_task_desc *d, hd_error *e)
{
    uint64_t i, t = g->n_tasks;
    if (g->frozen)
        return hd_say(e, HEDDLE_EINVAL, "the graph is frozen: no task can be added");
    HD_TRY(hd_graph_whole(g, e));
    if (d->body >= g->table->n_bodies)
        return hd_say(e, HEDDLE_EINVAL, "task %llu: body %u is not in table %s, which has %u", (unsigned long long)t,
                      d->body, g->table->name, g->table->n_bodies);
    if (d->arg_bytes != g->table->bodies[d->body].arg_bytes || (d->arg_bytes && !d->args))
        return hd_say(e, HEDDLE_EINVAL, "task %llu: body %s takes %u argument bytes, given were %llu",
                      (unsigned long long)t, g->table->bodies[d->body].name, g->table->bodies[d->body].arg_bytes,
                      d->args ? (unsigned long long)d->arg_bytes : 0ull);
    if (d->n_ranges && !d->ranges)
        return hd_say(e, HEDDLE_EINVAL, "task %llu: ranges is NULL, n_ranges is not 0", (unsigned long long)t);
    if (d->flags & ~HEDDLE_TASK_WATCH)
        return hd_say(e, HEDDLE_EINVAL, "task %llu: unknown flags %#x", (unsigned long long)t, d->flags);
    if (t >= HEDDLE_MAX_TASKS)
        return hd_say(e, HEDDLE_ERANGE, "more than %u tasks in one graph", HEDDLE_MAX_TASKS);
    for (i = 0; i < d->n_ranges; i++)
        HD_TRY(hd_range_check(&d->ranges[i], e));
    return HEDDLE_OK;
}

static int put_args(hd_graph *g, hd_task *t, const void *args, size_t n_bytes)
{
    uint64_t padded = (n_bytes + 15) / 16 * 16;
    t->arg_bytes = (uint32_t)n_bytes;
    if (n_bytes <= HD_INLINE_ARGS) {
        if (n_bytes)
            memcpy(t->args, args, n_bytes);
        return 0;
    }
    if (hd_list_room(&g->big_args, padded, 1))
        return -1;
    memcpy((uint8_t *)g->big_args.at + g->big_args.n, args, n_bytes);
    t->args_at = (uint32_t)(g->big_args.n / 16);
    g->big_args.n += padded;
    return 0;
}

/* A record has 13 bits for a worker's number + 1: larger numbers wrap modulo 8191. */
static uint16_t flags_of(const heddle_task_desc *d)
{
    uint32_t place = d->place ? (d->place - 1u) % N_PLACES + 1u : 0u;
    return (uint16_t)((d->urgent != 0 ? HD_TASK_URGENT : 0u) | (d->flags & HEDDLE_TASK_WATCH ? HD_TASK_WATCH : 0u) |
                      place << HD_TASK_PLACE);
}

static int watch(hd_graph *g, hd_task *t, uint32_t id)
{
    if (hd_list_room(&g->watched, 1, 4))
        return -1;
    t->watch = (uint32_t)g->watched.n;
    ((uint32_t *)g->watched.at)[g->watched.n++] = id;
    return 0;
}

static heddle_status put_task(hd_graph *g, const heddle_task_desc *d, uint32_t id, hd_error *e)
{
    hd_task *t = hd_graph_task(g, id);
    t->body = (uint16_t)d->body;
    t->cost_ns = d->cost_ns;
    g->uses[d->body].used = 1;
    t->flags = flags_of(d);
    g->n_urgent += d->urgent != 0;
    g->n_placed += d->place != 0;
    if (t->flags & HD_TASK_WATCH && watch(g, t, id))
        return no_memory(g, e);
    if (put_args(g, t, d->args, d->arg_bytes) || put_edges(g, id, g->before.at, g->before.n))
        return no_memory(g, e);
    if (hd_ranges_note(g->ranges, d->ranges, d->n_ranges, g->areas.at, id))
        return no_memory(g, e);
    return HEDDLE_OK;
}

heddle_status hd_graph_add(hd_graph *g, const heddle_task_desc *d, uint32_t *out, hd_error *e)
{
    uint32_t id;
    HD_TRY(check(g, d, e));
    if (!g->first_add_ns)
        g->first_add_ns = heddle_host_clock_ns();
    HD_TRY(gather(g, d, e));
    id = new_record(g);
    if (id == HD_NONE)
        return no_memory(g, e);
    if (out)
        *out = id;
    return put_task(g, d, id, e);
}

heddle_status hd_graph_after(hd_graph *g, uint32_t later, uint32_t earlier, hd_error *e)
{
    HD_TRY(hd_graph_whole(g, e));
    if (g->frozen)
        return hd_say(e, HEDDLE_EINVAL, "the graph is frozen: no edge can be added");
    if (later >= g->n_tasks || earlier >= g->n_tasks)
        return hd_say(e, HEDDLE_EINVAL, "edge %u -> %u: the graph has %llu tasks", earlier, later,
                      (unsigned long long)g->n_tasks);
    if (later == earlier)
        return hd_say(e, HEDDLE_EINVAL, "task %u cannot come after itself", later);
    if (hd_list_room(&g->asked, 1, sizeof(hd_pair)))
        return no_memory(g, e);
    ((hd_pair *)g->asked.at)[g->asked.n++] = (hd_pair){earlier, later};
    return HEDDLE_OK;
}

static void *args_of(const hd_graph *g, const hd_task *t)
{
    uint8_t *arena = g->frozen ? g->blob + hd_graph_blob(g)->args_at : g->big_args.at;
    return t->arg_bytes <= HD_INLINE_ARGS ? (void *)(uintptr_t)t->args : arena + (uint64_t)t->args_at * 16;
}

const void *hd_graph_args(const hd_graph *g, const hd_task *t) { return args_of(g, t); }

heddle_status hd_graph_set_args(hd_graph *g, uint32_t t, const void *args, size_t n_bytes, hd_error *e)
{
    HD_TRY(hd_graph_whole(g, e));
    if (t >= g->n_tasks || hd_graph_task(g, t)->body == HD_BODY_JOIN)
        return hd_say(e, HEDDLE_EINVAL, "%u is not a task of this graph", t);
    if (hd_graph_task(g, t)->arg_bytes != n_bytes || (n_bytes && !args))
        return hd_say(e, HEDDLE_EINVAL, "task %u takes %u argument bytes, given were %llu", t,
                      hd_graph_task(g, t)->arg_bytes, (unsigned long long)n_bytes);
    if (n_bytes)
        memcpy(args_of(g, hd_graph_task(g, t)), args, n_bytes);
    return HEDDLE_OK;
}

uint32_t hd_task_need(const hd_task *t)
{
    return t->n_in | (t->flags & HD_TASK_URGENT ? HD_NEED_URGENT : 0u) |
           (t->flags >> HD_TASK_PLACE ? HD_NEED_PLACED : 0u);
}

uint64_t hd_task_cost(const hd_task *t) { return t->body == HD_BODY_JOIN ? 0 : t->cost_ns ? t->cost_ns : 1; }
