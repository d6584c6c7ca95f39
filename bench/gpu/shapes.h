/* SPDX-License-Identifier: MIT */
/* shapes.h - made-up graphs: chains, independent tasks, wavefronts, blocked LU. Keys of ranges are numbers of cells, so
 * the same steps build a graph and drive the oracle in program order. */
#ifndef SHAPES_H
#define SHAPES_H

#include "timed_bodies.h"

typedef enum shape_kind { SHAPE_CHAIN, SHAPE_FREE, SHAPE_WAVE, SHAPE_LU } shape_kind;

typedef struct shape {
    const char *name;
    shape_kind kind;
    uint32_t n; /* tasks of a chain, or independent tasks; side of the others */
    uint32_t body;
    const uint32_t *task_ns; /* each task's length, NULL: timed_params.each_ns */
    const uint32_t *cost_ns; /* costs given to the graph, NULL: none */
    uint32_t place[2];       /* worker + 1 of even and odd tasks, 0 = any                                        */
    uint32_t shared_bytes;   /* extra, per block: keeps other blocks off its SM; 0 = none */
} shape;

uint64_t shape_tasks(const shape *s);
uint64_t shape_cells(const shape *s);
/* Tasks on its longest path. */
uint64_t shape_path(const shape *s);
/* The longest path by task_ns, which must be set; 0 if out of memory. */
uint64_t shape_path_ns(const shape *s);
heddle_status shape_add(const shape *s, heddle_graph *g);
/* Applies timed_mix for all tasks, in program order. */
void shape_mix(const shape *s, uint64_t *cells);
/* Fills task_ns with log-normal times: sigma 0.7, mean mean_ns. */
void shape_uneven(uint32_t *task_ns, uint64_t n, double mean_ns, uint64_t seed);

#endif
