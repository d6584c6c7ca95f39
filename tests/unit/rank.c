/* SPDX-License-Identifier: MIT */
/* rank.c - cycles are found, and the error names a task on one. Exactly the tasks of critical paths are marked, unless
 * they are too many. (same/oracle.h compares levels, widths and paths with their definitions.) */
#include "graph/graph.h"
#include "same/oracle.h"

static heddle_body_info bodies[SPEC_BODIES];
static const heddle_table table = {
    sizeof table, HEDDLE_CORE_VERSION, "rank", 0, SPEC_BODIES, bodies, NULL, 1, NULL, 0, 0, 0};

/* ---- cycles ----------------------------------------------------------------------------------------------------- */

#define N_MAX 24u

/* reach[i] has j when there is a path from i to j of at least one edge. */
static void close_paths(uint32_t *reach, uint32_t n)
{
    uint32_t k, i;
    for (k = 0; k < n; k++)
        for (i = 0; i < n; i++)
            if (reach[i] >> k & 1)
                reach[i] |= reach[k];
}

static void add_plain(hd_graph *g, uint32_t n)
{
    heddle_task_desc d = HEDDLE_TASK_INIT;
    uint32_t i, t;
    for (i = 0; i < n; i++)
        CHECK(hd_graph_add(g, &d, &t, NULL) == HEDDLE_OK && t == i);
}

static void check_named(const char *text, const uint32_t *reach, uint32_t n)
{
    const char *at = strstr(text, "task ");
    uint32_t t = at ? (uint32_t)strtoul(at + 5, NULL, 10) : n;
    CHECK_MSG(t < n, "%s", text);
    CHECK_MSG(reach[t] >> t & 1, "task %u is on no cycle: %s", t, text);
}

/* Random edges both ways: few may make a cycle, many surely do. Returns whether there was one. */
static int random_cycle(uint64_t *seed)
{
    uint32_t n = 2 + (uint32_t)check_below(seed, N_MAX - 1), reach[N_MAX + 1] = {0}, i, cyclic = 0;
    uint32_t n_edges = 1 + (uint32_t)check_below(seed, 2 * n);
    heddle_status s;
    hd_error e = {{0}};
    hd_graph g;
    CHECK(hd_graph_init(&g, &table, NULL) == HEDDLE_OK);
    add_plain(&g, n);
    for (i = 0; i < n_edges; i++) {
        uint32_t from = (uint32_t)check_below(seed, n), to = (uint32_t)check_below(seed, n);
        if (from == to)
            continue;
        CHECK(hd_graph_after(&g, to, from, NULL) == HEDDLE_OK);
        reach[from] |= 1u << to;
    }
    close_paths(reach, n);
    for (i = 0; i < n; i++)
        cyclic |= reach[i] >> i & 1;
    g.want_rank = (int)check_below(seed, 2);
    s = hd_graph_freeze(&g, &e);
    CHECK_MSG(s == (cyclic ? HEDDLE_ECYCLE : HEDDLE_OK), "%s: %s", heddle_status_text(s), e.text);
    if (cyclic)
        check_named(e.text, reach, n);
    hd_graph_clear(&g);
    return (int)cyclic;
}

/* Through the public calls: a broken graph reports the reason at every call, and can be freed. */
static void test_broken(void)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_range r = HEDDLE_INOUT(&c, 8);
    uint8_t args[300] = {0};
    heddle_ctx *ctx;
    heddle_graph *g;
    uint32_t i;
    c.backend = HEDDLE_SERIAL;
    for (i = 0; i < SPEC_BODIES; i++)
        bodies[i].run = (void (*)(const heddle_thread *, const void *, const void *))(uintptr_t)1; /* never called */
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    CHECK_OK(ctx, heddle_graph_new(ctx, &table, &g));
    for (i = 0; i < 3; i++)
        CHECK_OK(ctx, heddle_graph_add(g, SPEC_BODIES - 1, args, 300, &r, 1, NULL));
    CHECK_OK(ctx, heddle_graph_add_edge(g, 0, 2)); /* against the ranges' order */
    CHECK(heddle_graph_freeze(g) == HEDDLE_ECYCLE && strstr(heddle_error_text(ctx), "cycle"));
    CHECK(heddle_graph_freeze(g) != HEDDLE_OK && !strstr(heddle_error_text(ctx), "memory"));
    CHECK(heddle_graph_run(ctx, g, NULL, 0) != HEDDLE_OK && !strstr(heddle_error_text(ctx), "memory"));
    CHECK(heddle_graph_add(g, 0, NULL, 0, NULL, 0, NULL) != HEDDLE_OK);
    (void)heddle_graph_set_args(g, 1, args, 300); /* may be refused, must not crash */
    (void)heddle_graph_add_edge(g, 1, 0);
    heddle_graph_free(g);
    heddle_ctx_close(ctx);
}

/* ---- the critical path ------------------------------------------------------------------------------------------ */

static uint64_t cost_of(const hd_graph *g, uint32_t t)
{
    const hd_task *task = hd_graph_task(g, t);
    return task->body == HD_BODY_JOIN ? 0 : task->cost_ns ? task->cost_ns : 1;
}

/* The longest path from t, including t, found by repetition until nothing changes. */
static void longest_after(const hd_graph *g, uint64_t *after)
{
    uint32_t t, i, changed = 1;
    for (t = 0; t < g->n_tasks; t++)
        after[t] = cost_of(g, t);
    while (changed)
        for (t = changed = 0; t < g->n_tasks; t++)
            for (i = 0; i < hd_graph_task(g, t)->n_succ; i++) {
                uint64_t x = cost_of(g, t) + after[hd_graph_edge(g, hd_graph_task(g, t), i).task];
                if (x > after[t]) {
                    after[t] = x;
                    changed = 1;
                }
            }
}

static void longest_before(const hd_graph *g, uint64_t *before)
{
    uint32_t t, i, changed = 1;
    memset(before, 0, g->n_tasks * sizeof *before);
    while (changed)
        for (t = changed = 0; t < g->n_tasks; t++)
            for (i = 0; i < hd_graph_task(g, t)->n_succ; i++) {
                uint32_t to = hd_graph_edge(g, hd_graph_task(g, t), i).task;
                if (before[t] + cost_of(g, t) > before[to]) {
                    before[to] = before[t] + cost_of(g, t);
                    changed = 1;
                }
            }
}

/* Checks the marks of a graph with normal priorities only. Returns 1 if some were set. */
static int check_marks(const hd_graph *g)
{
    static uint64_t before[ORACLE_NODES], after[ORACLE_NODES];
    uint64_t path = 0, n = 0, n_marked = 0;
    uint32_t t;
    longest_before(g, before);
    longest_after(g, after);
    for (t = 0; t < g->n_tasks; t++)
        path = before[t] + after[t] > path ? before[t] + after[t] : path;
    CHECK(path == g->path_cost_ns);
    for (t = 0; t < g->n_tasks; t++) {
        n += before[t] + after[t] == path;
        n_marked += (hd_graph_task(g, t)->flags & HD_TASK_URGENT) != 0;
    }
    CHECK_MSG(n_marked == (n <= g->n_tasks / 4 ? n : 0), "%llu marked, %llu of %llu without slack",
              (unsigned long long)n_marked, (unsigned long long)n, (unsigned long long)g->n_tasks);
    for (t = 0; n_marked && t < g->n_tasks; t++)
        CHECK(!(hd_graph_task(g, t)->flags & HD_TASK_URGENT) == (before[t] + after[t] < path));
    return n_marked > 0;
}

static int random_marks(uint64_t *seed)
{
    static spec s;
    static uint32_t number[SPEC_TASKS];
    hd_graph g;
    uint32_t i;
    int marked;
    spec_make(&s, seed);
    CHECK(hd_graph_init(&g, &table, NULL) == HEDDLE_OK);
    for (i = 0; i < s.n_tasks; i++) {
        const spec_task *t = &s.task[i];
        heddle_task_desc d = {sizeof d, t->body,    t->args, spec_arg_bytes[t->body], t->range, t->n_ranges, 0,
                              0,        t->cost_ns, 0};
        CHECK(hd_graph_add(&g, &d, &number[i], NULL) == HEDDLE_OK);
    }
    for (i = 0; i < s.n_edges; i++)
        CHECK(hd_graph_after(&g, number[s.edge[i].later], number[s.edge[i].earlier], NULL) == HEDDLE_OK);
    g.want_rank = 1;
    CHECK(hd_graph_freeze(&g, NULL) == HEDDLE_OK);
    marked = check_marks(&g);
    hd_graph_clear(&g);
    return marked;
}

int main(void)
{
    uint64_t seed = check_seed(20260107), held = hd_held_bytes();
    uint32_t i, n_cyclic = 0, n_marked = 0;
    for (i = 0; i < SPEC_BODIES; i++)
        bodies[i] = (heddle_body_info){"body", NULL, spec_arg_bytes[i], 0, 0};
    for (i = 0; i < 3000; i++)
        n_cyclic += (uint32_t)random_cycle(&seed);
    for (i = 0; i < 2000; i++)
        n_marked += (uint32_t)random_marks(&seed);
    printf("%u of 3000 have a cycle; of 2000, %u have marks\n", n_cyclic, n_marked);
    CHECK(n_cyclic > 500 && n_cyclic < 2700 && n_marked > 100);
    test_broken();
    CHECK(hd_held_bytes() == held);
    return 0;
}
