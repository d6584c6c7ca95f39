/* SPDX-License-Identifier: MIT */
/* graphs.h - a case of the model test: a small graph, how it is run, and how far it is explored. */
#ifndef MODEL_GRAPHS_H
#define MODEL_GRAPHS_H

#include <stdint.h>

typedef struct graph_case {
    const char *name;
    const char *edges; /* "0>2 1>2": tasks are numbered from 0, roots have no edge into them          */
    uint32_t n_tasks, n_workers, n_slots, policy; /* a ticket ring ignores n_slots: it gets what it needs */
    uint32_t n_preempt;       /* preemptions in the strict mode                                      */
    uint32_t n_weak, n_stale; /* preemptions, and old reads or early stores, in the weak one          */
    /* The rest is 0 unless given. */
    uint32_t n_lanes;       /* 0 = 1                                                                 */
    uint32_t n_runs;        /* 0 = 1                                                                 */
    uint32_t first_run;     /* number of the first run, 0 = 1                                        */
    uint32_t ring_at;       /* where the rings' cursors begin                                        */
    uint32_t urgent, joins; /* bit masks of tasks                                                    */
    uint32_t failing;       /* a task + 1 that fails, 0 = none */
    uint32_t failing_too;   /* another such task */
    uint32_t parks;         /* 1 = workers park, as threads do; 0 = they poll, as blocks do          */
    uint32_t cancels;       /* 1 = one more fiber cancels the run                                    */
    const char *order;      /* with one worker: the only right order, "0 2 1"                        */
    uint32_t fits;          /* 1 = no ring may be found full                                         */
    uint32_t share;         /* tasks that each normal ring gets, 0 = not checked */
    const char *places;     /* "2:0 3:1": task 2 is bound to worker 0, task 3 to worker 1             */
    uint32_t dispatch;      /* HD_DISPATCH_..., 0 = distributed                                       */
    const char *lists;      /* dispatch plan: "0 2|1 3" are the lists of two workers                  */
    uint32_t n_local;       /* tasks kept in a row, 0 = 1024                                           */
} graph_case;

extern const graph_case graph_cases[];
extern const uint32_t n_graph_cases;

#endif
