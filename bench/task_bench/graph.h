/* SPDX-License-Identifier: MIT */
/* graph.h - Task Bench on the host: a problem read from words, its memory, and its tasks in program order. */
#ifndef TASK_BENCH_GRAPH_H
#define TASK_BENCH_GRAPH_H

#include "point.h"

typedef struct tb_problem {
    tb_graph graph;
    tb_kernel kernel;
    uint32_t output_bytes; /* per task; a multiple of 16 */
    uint32_t n_workers;
} tb_problem;

/* 1,000 steps of four columns, 16 bytes of output, two workers; radix 3, period 3, fraction 1/4 and imbalance 1 as in
 * the original. */
tb_problem tb_default(void);

/* Reads words "key=value", separated by blanks: pattern, kernel, steps, width, radix, period, fraction, fields,
 * iterations, imbalance, output, scratch, workers. Returns NULL, or a sentence (valid until the next call) that names
 * the error. fields = 0 means one for each step. */
const char *tb_read(tb_problem *p, const char *words);

/* Tasks of the whole graph; tb_read limits them to 2^30. */
uint32_t tb_n_tasks(const tb_graph *g);
/* Writes a task's inputs in ascending order and returns their number; out has room for tb_n_candidates. */
uint32_t tb_inputs(const tb_graph *g, uint32_t step, uint32_t point, uint32_t *out);

const char *tb_pattern_name(uint32_t pattern);
const char *tb_kernel_name(uint32_t type);

#endif
