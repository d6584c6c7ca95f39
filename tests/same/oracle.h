/* SPDX-License-Identifier: MIT */
/* oracle.h - checks a frozen graph against its spec:
 *
 * - every pair of tasks that must be ordered is ordered by a path, joins included
 * - every edge, and every path through joins only, runs between tasks that have a reason to be ordered
 * - no edge stands twice; counts, levels, widths and the critical path fit their definitions
 *
 * Reads the graph through public calls only. */
#ifndef ORACLE_H
#define ORACLE_H

#include "same/spec.h"

#define ORACLE_NODES (SPEC_TASKS * 4u)

typedef struct oracle_node {
    heddle_task *succ;
    size_t n_succ;
    uint32_t user; /* index in the spec, UINT32_MAX for a join */
    uint32_t n_in, level;
    uint64_t path;   /* cost of the longest path that ends here */
    spec_set before; /* user tasks on any path to it */
    spec_set direct; /* user tasks with an edge to it, or a path through joins only */
} oracle_node;

typedef struct oracle {
    const spec *s;
    uint32_t n_nodes, n_joins;
    uint64_t n_edges, n_roots;
    oracle_node node[ORACLE_NODES];
} oracle;

static inline void oracle_read_node(oracle *o, const heddle_graph *g, uint32_t i)
{
    oracle_node *n = &o->node[i];
    size_t again, k;
    memset(n, 0, sizeof *n);
    n->user = UINT32_MAX;
    CHECK_OK(NULL, heddle_graph_get_successors(g, i, NULL, 0, &n->n_succ));
    n->succ = malloc((n->n_succ + 1) * sizeof *n->succ);
    CHECK(n->succ);
    n->succ[n->n_succ] = 12345;
    CHECK_OK(NULL, heddle_graph_get_successors(g, i, n->succ, n->n_succ, &again));
    CHECK(again == n->n_succ && n->succ[again] == 12345);
    o->n_edges += n->n_succ;
    for (k = 0; k < n->n_succ; k++)
        CHECK_MSG(n->succ[k] < o->n_nodes && n->succ[k] != i, "task %u has successor %u", i, n->succ[k]);
}

static inline void oracle_read(oracle *o, const spec *s, const heddle_graph *g, const heddle_task *number)
{
    uint32_t body, i;
    size_t k;
    o->s = s;
    o->n_edges = o->n_joins = o->n_roots = o->n_nodes = 0;
    while (heddle_graph_get_body(g, o->n_nodes, &body) == HEDDLE_OK) {
        o->n_nodes++;
        o->n_joins += body == HEDDLE_BODY_JOIN;
        CHECK(o->n_nodes <= ORACLE_NODES);
    }
    CHECK_MSG(o->n_nodes == s->n_tasks + o->n_joins, "%u records, %u joins, %u tasks", o->n_nodes, o->n_joins,
              s->n_tasks);
    for (i = 0; i < o->n_nodes; i++)
        oracle_read_node(o, g, i);
    for (i = 0; i < s->n_tasks; i++) {
        CHECK(i == 0 || number[i] > number[i - 1]);
        CHECK_OK(NULL, heddle_graph_get_body(g, number[i], &body));
        CHECK(body == s->task[i].body);
        o->node[number[i]].user = i;
    }
    for (i = 0; i < o->n_nodes; i++)
        for (k = 0; k < o->node[i].n_succ; k++)
            o->node[o->node[i].succ[k]].n_in++;
    for (i = 0; i < o->n_nodes; i++)
        o->n_roots += o->node[i].n_in == 0;
}

/* Node n passes on what it knows along one edge. */
static inline void oracle_hand_on(oracle *o, const oracle_node *n, oracle_node *to)
{
    int join = n->user == UINT32_MAX;
    uint64_t cost = to->user == UINT32_MAX ? 0 : o->s->task[to->user].cost_ns ? o->s->task[to->user].cost_ns : 1;
    spec_join(&to->before, &n->before);
    if (join)
        spec_join(&to->direct, &n->direct);
    else {
        spec_put(&to->before, n->user);
        spec_put(&to->direct, n->user);
    }
    to->level = n->level + !join > to->level ? n->level + !join : to->level;
    to->path = n->path + cost > to->path ? n->path + cost : to->path;
}

/* Kahn's order: each node passes on its knowledge after all nodes before it. */
static inline void oracle_walk(oracle *o)
{
    static _Thread_local uint32_t left[ORACLE_NODES], ready[ORACLE_NODES];
    uint32_t head, tail = 0, i;
    size_t k;
    for (i = 0; i < o->n_nodes; i++) {
        oracle_node *n = &o->node[i];
        n->path = n->user == UINT32_MAX ? 0 : o->s->task[n->user].cost_ns ? o->s->task[n->user].cost_ns : 1;
        left[i] = n->n_in;
        if (!left[i])
            ready[tail++] = i;
    }
    for (head = 0; head < tail; head++) {
        oracle_node *n = &o->node[ready[head]];
        for (k = 0; k < n->n_succ; k++) {
            oracle_hand_on(o, n, &o->node[n->succ[k]]);
            if (--left[n->succ[k]] == 0)
                ready[tail++] = n->succ[k];
        }
    }
    CHECK_MSG(tail == o->n_nodes, "a cycle: %u of %u tasks have an order", tail, o->n_nodes);
}

static inline void oracle_check_node(const oracle *o, const oracle_node *n)
{
    const spec_task *t = &o->s->task[n->user];
    uint32_t i;
    for (i = 0; i < SPEC_WORDS; i++) {
        uint64_t missing = t->must.word[i] & ~n->before.word[i];
        uint64_t idle = n->direct.word[i] & ~t->must.word[i] & ~t->may.word[i];
        CHECK_MSG(!missing, "task %u may start before task %u ended", n->user,
                  i * 64 + (uint32_t)__builtin_ctzll(missing));
        CHECK_MSG(!idle, "task %u waits for task %u for no reason", n->user, i * 64 + (uint32_t)__builtin_ctzll(idle));
    }
}

static inline void oracle_check_twice(const oracle *o)
{
    static _Thread_local uint32_t seen[ORACLE_NODES];
    uint32_t i;
    size_t k;
    memset(seen, 0xff, sizeof seen);
    for (i = 0; i < o->n_nodes; i++)
        for (k = 0; k < o->node[i].n_succ; k++) {
            CHECK_MSG(seen[o->node[i].succ[k]] != i, "edge %u -> %u stands twice", i, o->node[i].succ[k]);
            seen[o->node[i].succ[k]] = i;
        }
}

static inline void oracle_check_info(const oracle *o, heddle_graph *g)
{
    static _Thread_local uint64_t wide[SPEC_TASKS + 1];
    heddle_graph_info info = HEDDLE_GRAPH_INFO_INIT;
    uint64_t levels = 0, width = 0, path = 0;
    uint32_t i;
    memset(wide, 0, sizeof wide);
    for (i = 0; i < o->n_nodes; i++) {
        const oracle_node *n = &o->node[i];
        path = n->path > path ? n->path : path;
        if (n->user == UINT32_MAX)
            continue;
        levels = n->level + 1 > levels ? n->level + 1 : levels;
        width = ++wide[n->level] > width ? wide[n->level] : width;
    }
    CHECK_OK(NULL, heddle_graph_get_info(g, &info));
    CHECK(info.n_tasks == o->s->n_tasks && info.n_joins == o->n_joins);
    CHECK_MSG(info.n_edges == o->n_edges, "%llu edges, not %llu", (unsigned long long)info.n_edges,
              (unsigned long long)o->n_edges);
    CHECK(info.n_roots == o->n_roots);
    CHECK_MSG(info.n_levels == levels && info.max_width == width && info.path_cost_ns == path,
              "levels %llu, not %llu; width %llu, not %llu; path %llu, not %llu", (unsigned long long)info.n_levels,
              (unsigned long long)levels, (unsigned long long)info.max_width, (unsigned long long)width,
              (unsigned long long)info.path_cost_ns, (unsigned long long)path);
}

/* Checks everything. The graph must be frozen. Returns the number of joins. */
static inline uint32_t oracle_check(const spec *s, heddle_graph *g, const heddle_task *number)
{
    static _Thread_local oracle o;
    uint32_t i;
    oracle_read(&o, s, g, number);
    oracle_walk(&o);
    for (i = 0; i < o.n_nodes; i++)
        if (o.node[i].user != UINT32_MAX)
            oracle_check_node(&o, &o.node[i]);
    oracle_check_twice(&o);
    oracle_check_info(&o, g);
    for (i = 0; i < o.n_nodes; i++)
        free(o.node[i].succ);
    return o.n_joins;
}

#endif
