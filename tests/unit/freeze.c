/* SPDX-License-Identifier: MIT */
/* freeze.c - the blob, byte by byte: header, records, edges behind them, arena, roots. It is read as a device reads it,
 * from offsets alone, and compared with what was added. */
#include "graph/graph.h"
#include "same/spec.h"

static heddle_body_info bodies[SPEC_BODIES];
static const heddle_table table = {
    sizeof table, HEDDLE_CORE_VERSION, "freeze", 0, SPEC_BODIES, bodies, NULL, 1, NULL, 0, 0, 0};

/* The blob through the offsets of its header. */
typedef struct view {
    const hd_graph *g;
    const hd_blob *b;
    const hd_task *tasks;
    const hd_edge *edges;
    const uint8_t *args;
    const uint32_t *roots;
    uint64_t n_behind;       /* edges beyond the records */
    uint8_t in_row[1 << 16]; /* slots behind the records, taken */
} view;

static void view_of(view *v, const hd_graph *g)
{
    const uint8_t *p = g->blob;
    v->g = g;
    v->b = (const hd_blob *)(const void *)p;
    v->tasks = (const hd_task *)(const void *)(p + sizeof(hd_blob));
    v->edges = (const hd_edge *)(const void *)(p + v->b->edges_at);
    v->args = p + v->b->args_at;
    v->roots = (const uint32_t *)(const void *)(p + v->b->roots_at);
    v->n_behind = 0;
    memset(v->in_row, 0, sizeof v->in_row);
}

static void check_header(const view *v, const hd_graph *g)
{
    const hd_blob *b = v->b;
    CHECK(b->magic == HD_BLOB_MAGIC && b->version == HEDDLE_CORE_VERSION);
    CHECK(b->n_tasks == g->n_tasks && b->n_watched == g->watched.n && b->n_edges == g->n_edges);
    CHECK(b->edges_at == sizeof(hd_blob) + b->n_tasks * sizeof(hd_task));
    CHECK(b->args_at % 16 == 0 && b->args_at >= b->edges_at && b->roots_at >= b->args_at && b->roots_at % 4 == 0);
    CHECK(b->n_bytes == b->roots_at + b->n_roots * 4u && g->blob_bytes >= b->n_bytes);
    CHECK((uintptr_t)g->blob % 128 == 0);
}

static void check_record(view *v, uint32_t t, uint32_t *n_in)
{
    const hd_task *task = &v->tasks[t];
    uint32_t i;
    for (i = 0; i < task->n_succ; i++) {
        hd_edge e = i < HD_INLINE_SUCC ? task->first[i] : v->edges[task->succ + i - HD_INLINE_SUCC];
        const hd_task *to = &v->tasks[e.task];
        CHECK(e.task < v->b->n_tasks);
        CHECK_MSG((e.need & HD_NEED_MASK) == to->n_in, "edge %u -> %u needs %u of %u", t, e.task, e.need & HD_NEED_MASK,
                  to->n_in);
        CHECK(!(e.need & HD_NEED_URGENT) == !(to->flags & HD_TASK_URGENT));
        CHECK(!(e.need & HD_NEED_PLACED) == !(to->flags >> HD_TASK_PLACE));
        n_in[e.task]++;
    }
    if (task->n_succ > HD_INLINE_SUCC) {
        v->n_behind += task->n_succ - HD_INLINE_SUCC;
        for (i = 0; i < task->n_succ - HD_INLINE_SUCC; i++)
            CHECK_MSG(task->succ + i < sizeof v->in_row && !v->in_row[task->succ + i]++,
                      "slot %u is in two rows, or outside", task->succ + i);
    }
}

static void check_records(view *v)
{
    static uint32_t n_in[SPEC_TASKS * 4];
    uint64_t n_edges = 0;
    uint32_t t, n_urgent = 0, n_placed = 0;
    memset(n_in, 0, sizeof n_in);
    for (t = 0; t < v->b->n_tasks; t++) {
        check_record(v, t, n_in);
        n_edges += v->tasks[t].n_succ;
        n_urgent += (v->tasks[t].flags & HD_TASK_URGENT) != 0;
        n_placed += v->tasks[t].flags >> HD_TASK_PLACE != 0;
    }
    for (t = 0; t < v->b->n_tasks; t++)
        CHECK_MSG(n_in[t] == v->tasks[t].n_in, "task %u has %u predecessors, says %u", t, n_in[t], v->tasks[t].n_in);
    CHECK(n_edges == v->b->n_edges);
    CHECK(n_urgent == v->b->n_urgent && n_placed == v->b->n_placed);
    CHECK(v->b->args_bytes == v->b->roots_at - v->b->args_at);
    CHECK(v->b->args_at - v->b->edges_at >= v->n_behind * sizeof(hd_edge));
    CHECK(v->b->args_at - v->b->edges_at < v->n_behind * sizeof(hd_edge) + 16);
}

/* Roots are the tasks without predecessors, each once; urgent ones first, each group in program order. */
static void check_roots(const view *v)
{
    uint32_t i, n = 0, t, urgent, before = 2;
    for (t = 0; t < v->b->n_tasks; t++)
        n += v->tasks[t].n_in == 0;
    CHECK_MSG(n == v->b->n_roots, "%u roots, not %u", v->b->n_roots, n);
    for (i = 0; i < v->b->n_roots; i++) {
        CHECK(v->roots[i] < v->b->n_tasks && v->tasks[v->roots[i]].n_in == 0);
        urgent = v->tasks[v->roots[i]].flags & HD_TASK_URGENT;
        CHECK_MSG(urgent <= before, "root %u is urgent and comes late", v->roots[i]);
        CHECK(i == 0 || urgent != before || v->roots[i] > v->roots[i - 1]);
        before = urgent;
    }
}

static void check_task(const view *v, const spec_task *t, uint32_t number, uint32_t *n_watched)
{
    const hd_task *task = &v->tasks[number];
    uint32_t n_bytes = spec_arg_bytes[t->body];
    const uint8_t *args = n_bytes <= HD_INLINE_ARGS ? task->args : v->args + task->args_at * 16ull;
    CHECK(task->body == t->body && task->arg_bytes == n_bytes && task->cost_ns == t->cost_ns);
    CHECK(n_bytes <= HD_INLINE_ARGS || args + n_bytes <= (const uint8_t *)v->roots);
    CHECK_MSG(!memcmp(args, t->args, n_bytes), "arguments of task %u", number);
    CHECK(!(task->flags & HD_TASK_WATCH) == !(t->flags & HEDDLE_TASK_WATCH));
    if (task->flags & HD_TASK_WATCH) {
        CHECK(hd_task_of_watch(v->g, *n_watched) == number);
        CHECK(task->watch == (*n_watched)++);
    }
    CHECK((task->flags & HD_TASK_URGENT) || t->urgent == 0);
    CHECK(t->place ? (task->flags >> HD_TASK_PLACE) - 1u == spec_worker(t->place, 8191)
                   : !(task->flags >> HD_TASK_PLACE));
}

static void add_all(hd_graph *g, const spec *s, uint32_t *number)
{
    uint32_t i;
    for (i = 0; i < s->n_tasks; i++) {
        const spec_task *t = &s->task[i];
        heddle_task_desc d = {sizeof d, t->body,    t->args, spec_arg_bytes[t->body], t->range, t->n_ranges, t->urgent,
                              t->flags, t->cost_ns, t->place};
        CHECK(hd_graph_add(g, &d, &number[i], NULL) == HEDDLE_OK);
    }
    for (i = 0; i < s->n_edges; i++)
        CHECK(hd_graph_after(g, number[s->edge[i].later], number[s->edge[i].earlier], NULL) == HEDDLE_OK);
}

static void check_one(uint64_t *seed)
{
    static spec s;
    static uint32_t number[SPEC_TASKS];
    uint32_t i, n_watched = 0;
    hd_graph g;
    view v;
    spec_make(&s, seed);
    if (check_below(seed, 2))
        spec_place(&s, seed);
    CHECK(hd_graph_init(&g, &table, NULL) == HEDDLE_OK);
    add_all(&g, &s, number);
    g.want_rank = s.mark_urgent;
    CHECK(hd_graph_freeze(&g, NULL) == HEDDLE_OK && g.frozen && !g.ranges);
    view_of(&v, &g);
    check_header(&v, &g);
    check_records(&v);
    check_roots(&v);
    for (i = 0; i < s.n_tasks; i++)
        check_task(&v, &s.task[i], number[i], &n_watched);
    CHECK(hd_graph_freeze(&g, NULL) == HEDDLE_OK);
    hd_graph_clear(&g);
}

/* The block-shared memory of a run: the most that any used body needs, besides the reductions' memory. */
static void test_shared(void)
{
    hd_graph g;
    heddle_task_desc d = HEDDLE_TASK_INIT;
    CHECK(hd_graph_init(&g, &table, NULL) == HEDDLE_OK);
    g.uses[0].shared_bytes = 5000;
    g.uses[1].shared_bytes = 9000; /* not used */
    CHECK(hd_graph_add(&g, &d, NULL, NULL) == HEDDLE_OK);
    CHECK(hd_graph_freeze(&g, NULL) == HEDDLE_OK);
    CHECK(hd_graph_blob(&g)->shared_bytes == HEDDLE_REDUCE_BYTES + 5000);
    hd_graph_clear(&g);
}

int main(void)
{
    uint64_t seed = check_seed(20260106), held = hd_held_bytes();
    uint32_t i;
    for (i = 0; i < SPEC_BODIES; i++)
        bodies[i] = (heddle_body_info){"body", NULL, spec_arg_bytes[i], 0, 0};
    for (i = 0; i < 3000; i++)
        check_one(&seed);
    test_shared();
    CHECK(hd_held_bytes() == held);
    return 0;
}
