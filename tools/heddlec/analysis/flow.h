/* SPDX-License-Identifier: MIT */
/* flow.h - a region as the host runs it: steps and their possible successors, with calls of functions that create tasks
 * or wait expanded in place. On it the region's eligibility is decided (Juggler, PPoPP'18, 4.1): which tasks'
 * definitions reach which uses of the host. */
#ifndef HEDDLEC_FLOW_H
#define HEDDLEC_FLOW_H

#include "analysis/effect.h"

typedef HC_LIST(hc_access) hc_accesses;

typedef enum hc_step_kind {
    HC_STEP_ACCESS, /* accesses of the host; may be empty */
    HC_STEP_TASK,   /* a task is created                        */
    HC_STEP_WAIT,   /* taskwait and other ends                  */
    HC_STEP_SYNC,   /* an undeferred task */
    HC_STEP_MAYBE   /* a task that may be undeferred: it has run if its `if` was false, as a program knows that uses its
                     * results without a wait */
} hc_step_kind;

typedef struct hc_step {
    hc_step_kind kind;
    hc_node *node;
    hc_accesses accesses;
    hc_node *output, *time;
    uint32_t instance; /* TASK */
    hc_wait *wait;     /* WAIT */
    HC_LIST(uint32_t) next;
    HC_LIST(uint32_t) before;
} hc_step;

/* A task created at one place of the region, with its accesses in terms of the region's function. */
typedef struct hc_instance {
    const hc_task *task;
    hc_accesses accesses;
    hc_accesses copied; /* shared variables that it gets by value */
} hc_instance;

typedef struct hc_flow {
    const hc_program *p;
    hc_region *region;
    HC_LIST(hc_step) steps; /* the first is the region's begin */
    HC_LIST(hc_instance) instances;
    int is_cut; /* too many steps: some calls were left out */
} hc_flow;

/* race.c: both may run at once. */
void hc_check_race(const hc_flow *f, const hc_instance *first, const hc_instance *second);
hc_flow hc_flow_of(const hc_program *p, hc_region *r); /* steps.c */

#endif
