/* SPDX-License-Identifier: MIT */
/* rank.c - a topological order, and its results: levels, widths, the critical path by cost. */
#include "graph/graph.h"

#include <string.h>

typedef struct ranks {
    uint64_t n;
    uint32_t *order; /* topological order */
    uint32_t *left;  /* scratch: predecessors not yet visited; then the level */
    uint64_t *path;  /* cost of the longest path that ends with the task, including it */
} ranks;

static void ranks_clear(ranks *k)
{
    hd_delete(k->order, k->n * sizeof *k->order);
    hd_delete(k->left, k->n * sizeof *k->left);
    hd_delete(k->path, k->n * sizeof *k->path);
    k->order = k->left = NULL;
    k->path = NULL;
}

static int ranks_new(ranks *k, uint64_t n)
{
    k->n = n;
    k->order = hd_new(n * sizeof *k->order);
    k->left = hd_new(n * sizeof *k->left);
    k->path = hd_new(n * sizeof *k->path);
    if (k->order && k->left && k->path)
        return 0;
    ranks_clear(k);
    return -1;
}

uint64_t hd_graph_order(const hd_graph *g, uint32_t *order, uint32_t *left)
{
    uint64_t head, tail = 0;
    uint32_t t, i;
    for (t = 0; t < g->n_tasks; t++) {
        left[t] = hd_graph_task(g, t)->n_in;
        if (!left[t])
            order[tail++] = t;
    }
    for (head = 0; head < tail; head++) {
        const hd_task *task = hd_graph_task(g, order[head]);
        for (i = 0; i < task->n_succ; i++) {
            uint32_t s = hd_graph_edge(g, task, i).task;
            if (--left[s] == 0)
                order[tail++] = s;
        }
    }
    return tail;
}

/* A task on a cycle. Every task that could not be ordered has such a predecessor: n steps backwards end on a cycle. */
static uint32_t on_cycle(const hd_graph *g, ranks *k)
{
    uint32_t *back = k->order, t, i, start = 0;
    uint64_t steps;
    for (t = 0; t < k->n; t++) {
        const hd_task *task = hd_graph_task(g, t);
        if (!k->left[t])
            continue;
        start = t;
        for (i = 0; i < task->n_succ; i++)
            back[hd_graph_edge(g, task, i).task] = t;
    }
    for (steps = 0; steps < k->n; steps++)
        start = back[start];
    return start;
}

/* Sets levels along the order; a join takes none of its own. Returns the number of levels. */
static uint32_t level_all(const hd_graph *g, const uint32_t *order, uint32_t *level)
{
    uint32_t n_levels = 0, s;
    uint64_t i;
    memset(level, 0, g->n_tasks * sizeof *level);
    for (i = 0; i < g->n_tasks; i++) {
        const hd_task *task = hd_graph_task(g, order[i]);
        uint32_t next = level[order[i]] + (task->body != HD_BODY_JOIN);
        n_levels = next > n_levels ? next : n_levels;
        for (s = 0; s < task->n_succ; s++) {
            uint32_t to = hd_graph_edge(g, task, s).task;
            level[to] = next > level[to] ? next : level[to];
        }
    }
    return n_levels;
}

/* Levels (into k->left) and path costs, along the order. */
static void walk(hd_graph *g, ranks *k)
{
    uint64_t i;
    uint32_t s;
    g->n_levels = level_all(g, k->order, k->left);
    g->path_cost_ns = 0;
    for (i = 0; i < k->n; i++) {
        uint32_t t = k->order[i];
        const hd_task *task = hd_graph_task(g, t);
        k->path[t] += hd_task_cost(task);
        g->path_cost_ns = k->path[t] > g->path_cost_ns ? k->path[t] : g->path_cost_ns;
        for (s = 0; s < task->n_succ; s++) {
            uint32_t to = hd_graph_edge(g, task, s).task;
            k->path[to] = k->path[t] > k->path[to] ? k->path[t] : k->path[to];
        }
    }
}

heddle_status hd_graph_levels(const hd_graph *g, uint32_t *level, uint32_t *n_levels, hd_error *e)
{
    uint32_t *order = hd_new(g->n_tasks * sizeof *order);
    if (!order)
        return hd_say(e, HEDDLE_ENOMEM, "levels of a graph: out of memory");
    (void)hd_graph_order(g, order, level); /* all of them: a frozen graph has no cycle */
    *n_levels = level_all(g, order, level);
    hd_delete(order, g->n_tasks * sizeof *order);
    return HEDDLE_OK;
}

static heddle_status width(hd_graph *g, const ranks *k, hd_error *e)
{
    uint64_t n = g->n_levels + 1, *at = hd_new(n * sizeof *at), i;
    if (!at)
        return hd_say(e, HEDDLE_ENOMEM, "levels of a graph: out of memory");
    g->max_width = 0;
    for (i = 0; i < k->n; i++)
        if (hd_graph_task(g, (uint32_t)i)->body != HD_BODY_JOIN && ++at[k->left[i]] > g->max_width)
            g->max_width = at[k->left[i]];
    hd_delete(at, n * sizeof *at);
    return HEDDLE_OK;
}

static heddle_status rank(hd_graph *g, ranks *k, hd_error *e)
{
    if (ranks_new(k, g->n_tasks))
        return hd_say(e, HEDDLE_ENOMEM, "levels of a graph: out of memory");
    if (hd_graph_order(g, k->order, k->left) < k->n) {
        uint32_t t = on_cycle(g, k);
        return hd_say(e, HEDDLE_ECYCLE, "the dependences form a cycle through task %u (%s)", t,
                      hd_graph_task(g, t)->body == HD_BODY_JOIN ? "join"
                                                                : g->table->bodies[hd_graph_task(g, t)->body].name);
    }
    walk(g, k);
    return width(g, k, e);
}

heddle_status hd_graph_rank(hd_graph *g, hd_error *e)
{
    ranks k = {0, NULL, NULL, NULL};
    heddle_status s = rank(g, &k, e);
    ranks_clear(&k);
    return s;
}

/* Sets left[t] = 1 for tasks without slack, on some longest path. Returns their number. */
static uint64_t find_path(const hd_graph *g, ranks *k)
{
    uint64_t i, n = 0;
    uint32_t s;
    memset(k->left, 0, k->n * sizeof *k->left);
    for (i = k->n; i-- > 0;) {
        uint32_t t = k->order[i];
        const hd_task *task = hd_graph_task(g, t);
        int on = k->path[t] == g->path_cost_ns;
        for (s = 0; !on && s < task->n_succ; s++) {
            uint32_t to = hd_graph_edge(g, task, s).task;
            on = k->left[to] && k->path[to] == k->path[t] + hd_task_cost(hd_graph_task(g, to));
        }
        k->left[t] = (uint32_t)on;
        n += (uint64_t)on;
    }
    return n;
}

/* Copies each target's urgency into its edges. */
static void spread(hd_graph *g)
{
    hd_edge *edges = (hd_edge *)(void *)(g->blob + hd_graph_blob(g)->edges_at);
    uint32_t t, i;
    for (t = 0; t < g->n_tasks; t++) {
        hd_task *task = hd_graph_task(g, t);
        for (i = 0; i < task->n_succ; i++) {
            hd_edge *e = i < HD_INLINE_SUCC ? &task->first[i] : &edges[task->succ + (i - HD_INLINE_SUCC)];
            uint32_t urgent = hd_graph_task(g, e->task)->flags & HD_TASK_URGENT;
            e->need = (e->need & ~HD_NEED_URGENT) | (urgent ? HD_NEED_URGENT : 0);
        }
    }
}

heddle_status hd_graph_mark_path(hd_graph *g, hd_error *e)
{
    ranks k = {0, NULL, NULL, NULL};
    heddle_status s = rank(g, &k, e);
    uint32_t t;
    if (s == HEDDLE_OK && find_path(g, &k) <= g->n_tasks / 4) {
        for (t = 0; t < g->n_tasks; t++)
            if (k.left[t])
                hd_graph_task(g, t)->flags |= HD_TASK_URGENT;
        spread(g);
    }
    ranks_clear(&k);
    return s;
}
