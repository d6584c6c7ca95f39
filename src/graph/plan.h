/* SPDX-License-Identifier: MIT */
/* plan.h - plans: an ordered list of tasks for each worker; and the steps that dispatch plan executes (core/plan.h). */
#ifndef HD_PLAN_H
#define HD_PLAN_H

#include "graph/graph.h"

/* List w is order[lists[w]] .. order[lists[w + 1] - 1]. Every task of the graph, joins included, appears once. */
typedef struct hd_plan {
    uint32_t n_workers; /* 0: there is no plan */
    uint64_t n_tasks;
    uint32_t *lists; /* n_workers + 1 */
    uint32_t *order; /* n_tasks */
} hd_plan;

/* The ready task that is planned next. */
typedef enum hd_plan_style {
    HD_PLAN_PATH, /* the longest path to the end: keeps workers busy (HEFT) */
    HD_PLAN_DEPTH /* the first in depth.c's order: keeps data in caches */
} hd_plan_style;

static inline const char *hd_plan_style_name(hd_plan_style s) { return s == HD_PLAN_PATH ? "path" : "depth"; }

#define HD_PLAN_MAX_WORKERS 65536u
#define HD_PLAN_HOP_NS 700u /* default cost of an edge between two workers */

/* Plans a frozen graph by list scheduling: simulates n_workers, with cost_ns[task] (NULL: costs given when adding; unknown
 * ones count as large) and hop_ns for an edge between two workers. A ready task goes to a predecessor's worker if that can
 * begin it nearly as soon as an idle one, else to an idle one. A task with a place goes to that worker (modulo n_workers).
 * Urgent tasks are planned before others. ENOMEM; ERANGE for 0 or too many workers. */
heddle_status hd_plan_make(hd_plan *out, const hd_graph *g, uint32_t n_workers, hd_plan_style style,
                           const uint32_t *cost_ns, uint32_t hop_ns, hd_error *e);
/* depth.c: ranks tasks in an order where inputs were written shortly before: n_tasks for the first task, 1 for the last. -1
 * without memory. */
int hd_depth_ranks(const hd_graph *g, uint64_t *rank);
/* EINVAL unless every task appears once; ECYCLE when edges and list order form a cycle. */
heddle_status hd_plan_check(const hd_plan *p, const hd_graph *g, hd_error *e);
/* Allocates a plan with empty lists, to be filled. ENOMEM; ERANGE for 0 or too many workers. */
heddle_status hd_plan_room(hd_plan *out, uint32_t n_workers, uint64_t n_tasks, hd_error *e);
heddle_status hd_plan_copy(hd_plan *out, const hd_plan *p, hd_error *e);
void hd_plan_clear(hd_plan *p);

/* plan_file.c: {"workers":n,"tasks":n,"lists":[[task,...],...]}. Reading does not check against a graph. */
heddle_status hd_plan_write(const hd_plan *p, const char *path, hd_error *e);
heddle_status hd_plan_read(hd_plan *out, const char *path, hd_error *e);

/* steps.c: the lists as steps, one list after another, each ended by a step with task HD_NONE. Edges that list order implies
 * are omitted: edges inside a list; of several edges from one list to one task, all but the last; and edges to a list that
 * has already waited for a later step of the source list. */
typedef struct hd_steps {
    hd_step *steps;
    uint64_t n_steps; /* n_tasks + n_workers */
    uint32_t *lists;  /* n_workers: start of each list */
    uint32_t *edges;  /* successors beyond a step's first HD_STEP_SUCC; at least one word is allocated */
    uint64_t n_edges, n_workers;
    uint32_t *step_of; /* of each task */
    uint64_t n_tasks;
} hd_steps;
heddle_status hd_steps_make(hd_steps *out, const hd_plan *p, const hd_graph *g, hd_error *e);
void hd_steps_clear(hd_steps *s);

/* planning.c. Plans a frozen graph by measured costs, else by the given ones. Errors of hd_plan_make. */
heddle_status hd_graph_plan(hd_plan *out, const hd_graph *g, uint32_t n_workers, hd_plan_style style, hd_error *e);
/* The steps of the graph's own plan, which must be for n_workers (else EINVAL), or of a new plan in this style. */
heddle_status hd_graph_steps(hd_steps *out, const hd_graph *g, uint32_t n_workers, hd_plan_style style, hd_error *e);
/* Makes p the graph's own plan; consumes p even on failure. */
heddle_status hd_graph_take_plan(hd_graph *g, hd_plan *p, hd_error *e);
/* Frees the graph's own plan and measured costs; call before hd_graph_clear. */
void hd_graph_drop_plan(hd_graph *g);

#endif
