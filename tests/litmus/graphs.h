/* SPDX-License-Identifier: MIT */
/* graphs.h - the graphs of the litmus programs, built with the library's own graph layer, and their checks. */
#ifndef LITMUS_GRAPHS_H
#define LITMUS_GRAPHS_H

#include "bodies.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct litmus_graph {
    const void *blob; /* frozen (core/task.h)                                                       */
    uint64_t blob_bytes;
    uint32_t n_tasks, n_cells; /* tasks added, without joins */
    litmus_wide_args *args;    /* what each task does, in program order                             */
    void *owner;
} litmus_graph;

/* NULL, or a hook that completes the description of each task before it is added. */
extern void (*litmus_mark)(heddle_task_desc *d, uint32_t task);

/* All exit with a message when the graph itself is wrong. */
void litmus_wavefront(litmus_graph *g, uint32_t rows, uint32_t cols);
void litmus_lu(litmus_graph *g, uint32_t blocks);
void litmus_random(litmus_graph *g, uint64_t seed);
void litmus_independent(litmus_graph *g, uint32_t n);
void litmus_free(litmus_graph *g);

/* The graph as lists for a number of workers (core/plan.h). */
typedef struct litmus_plan {
    const hd_step *steps;
    const uint32_t *lists, *edges;
    uint64_t n_steps, n_edges;
    void *owner;
} litmus_plan;
void litmus_plan_make(litmus_plan *p, const litmus_graph *g, uint32_t n_workers);
void litmus_plan_free(litmus_plan *p);

/* The cells after a run in program order; initially they hold LITMUS_BLANK. */
#define LITMUS_BLANK 0xa5a5a5a5u
void litmus_oracle(const litmus_graph *g, uint32_t salt, uint32_t *cells);

/* Checks that each task ran once, and that every two tasks that touch a cell, one writing, ran in program order. In a
 * stopped run a task ran at most once, and then what it depends on ran too. NULL, or the message. */
const char *litmus_check(const litmus_graph *g, const uint32_t *ran, const uint32_t *begin, const uint32_t *end,
                         int stopped);

#ifdef __cplusplus
}
#endif
#endif
