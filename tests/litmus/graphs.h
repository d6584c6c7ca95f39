/* SPDX-License-Identifier: MIT */
/* graphs.h - the graphs that the litmus programs run, made by the library's own graph floor, and their checks. */
#ifndef LITMUS_GRAPHS_H
#define LITMUS_GRAPHS_H

#include "bodies.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct litmus_graph {
    const void *blob; /* frozen (core/task.h)                                                       */
    uint64_t blob_bytes;
    uint32_t n_tasks, n_cells; /* tasks that were added, joins not counted                          */
    litmus_wide_args *args;    /* what each task does, in program order                             */
    void *owner;
} litmus_graph;

/* NULL, or says more of each task that is added. */
extern void (*litmus_mark)(heddle_task_desc *d, uint32_t task);

/* All exit with a sentence when something is wrong with the graph itself. */
void litmus_wavefront(litmus_graph *g, uint32_t rows, uint32_t cols);
void litmus_lu(litmus_graph *g, uint32_t blocks);
void litmus_random(litmus_graph *g, uint64_t seed);
void litmus_independent(litmus_graph *g, uint32_t n);
void litmus_free(litmus_graph *g);

/* The graph as the lists of so many workers (core/plan.h). */
typedef struct litmus_plan {
    const hd_step *steps;
    const uint32_t *lists, *edges;
    uint64_t n_steps, n_edges;
    void *owner;
} litmus_plan;
void litmus_plan_make(litmus_plan *p, const litmus_graph *g, uint32_t n_workers);
void litmus_plan_free(litmus_plan *p);

/* The cells after a run in program order; they begin as LITMUS_BLANK. */
#define LITMUS_BLANK 0xa5a5a5a5u
void litmus_oracle(const litmus_graph *g, uint32_t salt, uint32_t *cells);

/* Each task once (or, if the run was stopped, at most once, and then what it depends on too), and every two that
 * touch a cell, one writing, in program order. NULL, or what is wrong. */
const char *litmus_check(const litmus_graph *g, const uint32_t *ran, const uint32_t *begin, const uint32_t *end,
                         int stopped);

#ifdef __cplusplus
}
#endif
#endif
