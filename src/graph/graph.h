/* SPDX-License-Identifier: MIT */
/* graph.h - a graph under construction and frozen. Knows ranges and the blob's format, nothing of backends, runs or
 * contexts. */
#ifndef HD_GRAPH_H
#define HD_GRAPH_H

#include "base/base.h"
#include "heddle/task.h" /* the table, and core/task.h: the blob's format */
#include "graph/range.h"

typedef struct hd_pair {
    uint32_t from, to;
} hd_pair;

/* An edge beyond those that fit into its task's record. */
typedef struct hd_spilled_edge {
    uint32_t from;
    hd_edge edge;
} hd_spilled_edge;

/* What adding reads of a predecessor. Kept apart from the records: these eight bytes per task stay in the L1 cache, 128-byte
 * records would not. Records are only written, and stores do not stall. */
typedef struct hd_mark {
    uint32_t stamp; /* of the last add that depends on the task: reveals a duplicate edge at once */
    uint32_t n_succ;
} hd_mark;

typedef struct hd_body_use {
    uint32_t shared_bytes; /* the table's, or from heddle_graph_set_shared_bytes */
    uint32_t used;         /* a task has this body */
} hd_body_use;

/* Tasks that are parts of a wave: how many bands a worker runs at a time, and how to read their argument records. Zeros:
 * they are none. */
typedef struct hd_part_span {
    uint32_t item, band; /* the first of its bands */
    uint32_t cols, unit; /* of the item; and of a granule or tile */
} hd_part_span;
typedef struct hd_bands {
    uint32_t n_lanes, n_fields; /* items of one pass */
    hd_part_span (*span_of)(const void *args);
} hd_bands;

typedef struct hd_graph {
    const heddle_table *table;
    hd_body_use *uses; /* one per body of the table */
    int frozen;
    heddle_status broken; /* ENOMEM or ECYCLE happened: the graph can only be freed */
    int want_rank;        /* heddle_graph_mark_urgent was called */
    int in_order;         /* all tasks are roots, and each may wait inside for earlier ones */
    hd_bands bands;       /* ... and go along bands */
    /* The blob, built in place: header and records; freeze appends the rest. blob_bytes is the allocated size. */
    uint8_t *blob;
    uint64_t blob_bytes, n_tasks;
    hd_list spilled;             /* hd_spilled_edge: edges beyond a task's inline ones, in order of adding */
    hd_list spillers;            /* uint32_t: tasks with spilled edges */
    hd_list asked;               /* hd_pair: edges from heddle_graph_add_edge */
    hd_list big_args;            /* bytes: argument records beyond 64 bytes, 16-byte aligned */
    hd_list roots;               /* uint32_t: tasks without predecessors (while building) */
    hd_list before;              /* uint32_t: scratch of one add, predecessors */
    hd_list areas;               /* uint32_t: scratch of one add, areas of its ranges */
    hd_ranges *ranges;           /* last writers and readers since; freed by freeze */
    hd_list marks;               /* hd_mark, one per task */
    hd_list watched;             /* uint32_t: the task of each watch; hd_task.watch indexes it */
    uint32_t stamp;              /* number of this add, to find duplicate edges */
    uint64_t n_urgent, n_placed; /* tasks marked so */
    uint64_t n_joins, n_edges, peak_bytes, first_add_ns, add_ns, freeze_ns;
    uint64_t n_levels, max_width, path_cost_ns; /* from rank.c, on request */
    uint32_t team_size;                         /* from heddle_graph_set_team_size; 0: unset */
    struct hd_plan *plan; /* from heddle_graph_replan, record_plan or read_plan; NULL: none (planning.c) */
    uint32_t *cost_ns;    /* measured costs, one per task, or NULL */
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
/* The task of a watch. */
static inline uint32_t hd_task_of_watch(const hd_graph *g, uint64_t watch)
{
    return ((const uint32_t *)g->watched.at)[watch];
}
const void *hd_graph_args(const hd_graph *g, const hd_task *t);

/* A task's cost for paths: the given cost, else 1; a join costs 0. */
uint64_t hd_task_cost(const hd_task *t);

/* hd_edge.need of an edge to t. t's in-degree must be final. */
uint32_t hd_task_need(const hd_task *t);

heddle_status hd_graph_init(hd_graph *g, const heddle_table *table, hd_error *e);
void hd_graph_clear(hd_graph *g);
/* OK, or the status of the failure that made the graph unusable. */
heddle_status hd_graph_whole(const hd_graph *g, hd_error *e);
/* Writes the edge from -> to, with `need` (hd_edge); -1 without memory. */
int hd_graph_put_edge(hd_graph *g, uint32_t from, uint32_t to, uint32_t need);
heddle_status hd_graph_add(hd_graph *g, const heddle_task_desc *d, uint32_t *out, hd_error *e);
/* Adds an empty task like those range.c makes; its edges come from hd_graph_after. */
heddle_status hd_graph_add_join(hd_graph *g, hd_error *e);
heddle_status hd_graph_after(hd_graph *g, uint32_t later, uint32_t earlier, hd_error *e);
heddle_status hd_graph_set_args(hd_graph *g, uint32_t t, const void *args, size_t n_bytes, hd_error *e);

/* freeze.c */
heddle_status hd_graph_freeze(hd_graph *g, hd_error *e);

/* rank.c. Kahn's order of a frozen graph (explicit edges may run from a later task to an earlier one). order and left hold
 * n_tasks words each. Returns how many tasks were ordered: all, unless there is a cycle; left[] of the others is then not
 * 0. */
uint64_t hd_graph_order(const hd_graph *g, uint32_t *order, uint32_t *left);
/* Computes levels, widths and the critical path by cost of a frozen graph. ECYCLE when there is no order. */
heddle_status hd_graph_rank(hd_graph *g, hd_error *e);
/* Sets level[task] for all tasks of a frozen graph: edges on the longest path from a root. A join takes no level of its own;
 * its number is the level where its successors may run. */
heddle_status hd_graph_levels(const hd_graph *g, uint32_t *level, uint32_t *n_levels, hd_error *e);
/* Marks the tasks of a critical path urgent, unless they are too many for that to help. ECYCLE as above. */
heddle_status hd_graph_mark_path(hd_graph *g, hd_error *e);

/* preds.c. Predecessors of t in a frozen graph, ascending: from[at[t]] .. from[at[t + 1] - 1]. -1 without memory. */
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

/* A graph file as plain arrays (dump.c); higher layers make a graph of it. */
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
