/* SPDX-License-Identifier: MIT */
/* graph.h - a graph while it is built and when it is frozen. Knows ranges and the blob's format, nothing of
 * backends, runs or contexts. */
#ifndef HD_GRAPH_H
#define HD_GRAPH_H

#include "base/base.h"
#include "heddle/task.h" /* the table, and core/task.h: the blob's format */
#include "graph/range.h"

typedef struct hd_pair {
    uint32_t from, to;
} hd_pair;

/* An edge that found no place in its task's record. */
typedef struct hd_spilled_edge {
    uint32_t from;
    hd_edge edge;
} hd_spilled_edge;

/* What adding reads of a predecessor. Apart from the records, because eight bytes stay in the nearest cache where 128
 * do not: records are only written, and nobody waits for that. */
typedef struct hd_mark {
    uint32_t stamp; /* of the last add that came after the task: a second edge between two tasks shows at once */
    uint32_t n_succ;
} hd_mark;

typedef struct hd_body_use {
    uint32_t shared_bytes; /* of the table, or of heddle_graph_set_shared_bytes */
    uint32_t used;         /* a task has this body */
} hd_body_use;

typedef struct hd_graph {
    const heddle_table *table;
    hd_body_use *uses; /* one a body of the table */
    int frozen;
    heddle_status broken; /* out of memory or a cycle on the way: the graph can only be freed */
    int want_rank;        /* heddle_graph_mark_urgent was called */
    int in_order;         /* its tasks are roots, each of which may wait inside for those before it */
    /* The blob, built in place: header, records; freeze appends the rest. blob_bytes is what is allocated. */
    uint8_t *blob;
    uint64_t blob_bytes, n_tasks;
    hd_list spilled;             /* hd_spilled_edge: edges beyond a task's inline ones, in order of adding */
    hd_list spillers;            /* uint32_t: the tasks that have such */
    hd_list asked;               /* hd_pair: edges of heddle_graph_add_edge */
    hd_list big_args;            /* bytes: argument records beyond 64 bytes, 16-byte aligned */
    hd_list roots;               /* uint32_t: tasks without predecessors (while building) */
    hd_list before;              /* uint32_t: scratch of one add, predecessors */
    hd_list areas;               /* uint32_t: scratch of one add, areas of its ranges */
    hd_ranges *ranges;           /* who last wrote, who read since; dropped by freeze */
    hd_list marks;               /* hd_mark, one a task */
    hd_list watched;             /* uint32_t: the task of each watch; hd_task.watch is its place here */
    uint32_t stamp;              /* number of this add, for finding duplicate edges */
    uint64_t n_urgent, n_placed; /* tasks so marked */
    uint64_t n_joins, n_edges, peak_bytes, first_add_ns, add_ns, freeze_ns;
    uint64_t n_levels, max_width, path_cost_ns; /* rank.c, when asked */
    uint32_t team_size;                         /* of heddle_graph_set_team_size, 0: not said */
    struct hd_plan *plan; /* its own: of heddle_graph_replan, record or read_plan; NULL: none (planning.c) */
    uint32_t *cost_ns;    /* measured costs, one a task, or NULL */
} hd_graph;

static inline hd_task *hd_graph_task(const hd_graph *g, uint32_t t)
{
    return (hd_task *)(void *)(g->blob + sizeof(hd_blob)) + t;
}
static inline hd_blob *hd_graph_blob(const hd_graph *g) { return (hd_blob *)(void *)g->blob; }
/* The i-th successor of t; the graph is frozen. */
static inline hd_edge hd_graph_edge(const hd_graph *g, const hd_task *t, uint32_t i)
{
    const hd_edge *edges = (const hd_edge *)(const void *)(g->blob + hd_graph_blob(g)->edges_at);
    return i < HD_INLINE_SUCC ? t->first[i] : edges[t->succ + (i - HD_INLINE_SUCC)];
}
/* The task whose watch this is. */
static inline uint32_t hd_task_of_watch(const hd_graph *g, uint64_t watch)
{
    return ((const uint32_t *)g->watched.at)[watch];
}
const void *hd_graph_args(const hd_graph *g, const hd_task *t);

/* The cost of a task for paths: what it was given, else 1; a join costs nothing. */
uint64_t hd_task_cost(const hd_task *t);

/* hd_edge.need of an edge to this task, whose in-degree is known. */
uint32_t hd_task_need(const hd_task *t);

heddle_status hd_graph_init(hd_graph *g, const heddle_table *table, hd_error *e);
void hd_graph_clear(hd_graph *g);
/* OK, or the status of the failure that broke it. */
heddle_status hd_graph_whole(const hd_graph *g, hd_error *e);
/* Writes the edge from -> to, with `need` (hd_edge); -1 without memory. */
int hd_graph_put_edge(hd_graph *g, uint32_t from, uint32_t to, uint32_t need);
heddle_status hd_graph_add(hd_graph *g, const heddle_task_desc *d, uint32_t *out, hd_error *e);
/* An empty task, as range.c makes them; edges come by hd_graph_after. */
heddle_status hd_graph_add_join(hd_graph *g, hd_error *e);
heddle_status hd_graph_after(hd_graph *g, uint32_t later, uint32_t earlier, hd_error *e);
heddle_status hd_graph_set_args(hd_graph *g, uint32_t t, const void *args, size_t n_bytes, hd_error *e);

/* freeze.c */
heddle_status hd_graph_freeze(hd_graph *g, hd_error *e);

/* rank.c. Kahn's order of a frozen graph (explicit edges may run from a later task to an earlier one). order and left have room
 * for all tasks; returns how many could be placed: all, unless there is a cycle, and then left[] of the others is not 0. */
uint64_t hd_graph_order(const hd_graph *g, uint32_t *order, uint32_t *left);
/* On a frozen graph: levels, widths, critical path by cost. ECYCLE when there is no order. */
heddle_status hd_graph_rank(hd_graph *g, hd_error *e);
/* level[task], for all tasks of a frozen graph: edges on the longest path from a root. A join takes no level of its own:
 * its number is that of the level where its successors may run. */
heddle_status hd_graph_levels(const hd_graph *g, uint32_t *level, uint32_t *n_levels, hd_error *e);
/* The tasks of a critical path become urgent, unless they are too many to say anything. ECYCLE as above. */
heddle_status hd_graph_mark_path(hd_graph *g, hd_error *e);

/* preds.c. Predecessors of t, ascending: from[at[t]] .. from[at[t + 1]]. -1 without memory. The graph is frozen. */
typedef struct hd_preds {
    uint64_t *at;
    uint32_t *from;
    uint64_t n_at, n_from;
} hd_preds;
int hd_preds_of(hd_preds *p, const hd_graph *g);
void hd_preds_clear(hd_preds *p);

/* dump.c: the graph is frozen. */
heddle_status hd_graph_write_dot(const hd_graph *g, const char *path, hd_error *e);
heddle_status hd_graph_write_json(const hd_graph *g, const char *path, hd_error *e);

/* A graph file, read into plain arrays (dump.c); the floors above make a graph of it. */
typedef struct hd_file_task {
    uint32_t body; /* index in names                                                      */
    uint32_t urgent;
    uint32_t cost_ns;
    uint64_t spin_ns;
    uint64_t args_at, arg_bytes; /* in args; 0 bytes when the file gives none                     */
    uint64_t after_at, n_after;  /* in after: indices of tasks in this file                       */
} hd_file_task;
typedef struct hd_file_graph {
    hd_file_task *tasks;
    uint64_t n_tasks;
    uint32_t *after;
    uint8_t *args;
    char **names; /* distinct body names in order of first appearance                    */
    uint32_t n_names;
} hd_file_graph;
heddle_status hd_file_graph_read(hd_file_graph *out, const char *path, hd_error *e);
void hd_file_graph_clear(hd_file_graph *f);

#endif
