/* SPDX-License-Identifier: MIT */
/* launches.h - shared by launches.c and cudagraph.c: a form that runs a graph as ordinary launches. */
#ifndef HD_CUDA_LAUNCHES_H
#define HD_CUDA_LAUNCHES_H

#include "backend/cuda/cuda.h"
#include "backend/levels.h"

#include <string.h>

typedef struct hd_launch_form {
    hd_form form;
    hd_loaded *loaded;
    hd_launches todo;
    CUfunction *functions; /* one per body; then the one for all bodies. NULL: not needed */
    uint32_t *list;        /* device: copy of todo.list */
    hd_fail *fail;         /* device; clean before each run */
    hd_fail *said;         /* pinned host: its copy after the last run */
    hd_event *events;      /* device, one per task; NULL without a trace */
    hd_event *fetched;     /* host copy of events */
    hd_rows rows;          /* of the last traced run */
    hd_tally total;        /* of the last untraced run */
    cudaGraphExec_t exec;  /* NULL: launches are enqueued one by one, or there are none */
} hd_launch_form;

static inline CUfunction hd_function_of(const hd_launch_form *f, uint32_t body)
{
    return f->functions[body == HD_NONE ? f->loaded->graph->table->n_bodies : body];
}
/* The argument of a launch's kernel. */
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

/* cudagraph.c: the launches as a CUDA graph: those of one level side by side; a chain under graph+pdl; a node per task under
 * taskgraph. ERANGE beyond HD_MAX_NODES. */
#define HD_MAX_NODES 200000u /* a node takes 2 to 4 us to make, and some KB */
heddle_status hd_cudagraph_make(hd_launch_form *f, hd_error *e);

#endif
