/* SPDX-License-Identifier: MIT */
/* launches.h - what launches.c and cudagraph.c share: a form that runs a graph as ordinary launches. */
#ifndef HD_CUDA_LAUNCHES_H
#define HD_CUDA_LAUNCHES_H

#include "backend/cuda/cuda.h"
#include "backend/levels.h"

#include <string.h>

typedef struct hd_launch_form {
    hd_form form;
    hd_loaded *loaded;
    hd_launches todo;
    CUfunction *functions; /* one a body, alone; then the one for all. NULL where no launch needs it */
    uint32_t *list;        /* device: that of todo */
    hd_fail *fail;         /* device; clean before each run */
    hd_fail *said;         /* pinned host: a copy of it after the last run */
    hd_event *events;      /* device, one a task; NULL without a trace */
    hd_event *fetched;     /* host, as many */
    hd_rows rows;          /* of the last traced run */
    hd_tally total;        /* of one that was not */
    cudaGraphExec_t exec;  /* NULL: the launches go into the stream one after another, or there are none */
} hd_launch_form;

static inline CUfunction hd_function_of(const hd_launch_form *f, uint32_t body)
{
    return f->functions[body == HD_NONE ? f->loaded->graph->table->n_bodies : body];
}
/* What the kernel of a launch gets. */
static inline hd_level hd_level_of(const hd_launch_form *f, uint32_t first)
{
    hd_level level;
    memset(&level, 0, sizeof level);
    level.tasks = f->loaded->tasks;
    level.args = f->loaded->args;
    level.params = f->loaded->params;
    level.list = f->list + first;
    level.fail = f->fail;
    level.events = f->events;
    level.pdl = f->form.schedule == HEDDLE_SCHEDULE_GRAPH_PDL;
    return level;
}

/* cudagraph.c: the launches as a CUDA graph, one for each of a level side by side; with programmatic edges a chain; for
 * schedule taskgraph a node a task. ERANGE beyond HD_MAX_NODES. */
#define HD_MAX_NODES 200000u /* 2 to 4 us each to make, and some KB of memory */
heddle_status hd_cudagraph_make(hd_launch_form *f, hd_error *e);

#endif
