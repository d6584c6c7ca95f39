/* SPDX-License-Identifier: MIT */
/* summary.h - the summary of a traced run: times of bodies, load of workers, critical path. Taken from the library
 * after a run or from a trace file; one form for both. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "heddle.h"

#include <stdio.h>

typedef struct summary {
    uint32_t n_workers, n_bodies; /* entries of the two lists                                           */
    heddle_worker_stats *workers;
    heddle_body_stats *bodies;         /* only bodies that ran */
    uint64_t n_tasks, run_ns, path_ns; /* path 0: unknown                                            */
    uint64_t n_events, n_dropped;
    char *names; /* from a trace file: storage of the bodies' names */
} summary;

/* CLI_OK or CLI_BAD with the sentence printed; summary_free in both cases. */
int summary_of_run(summary *s, const heddle_ctx *ctx, heddle_graph *g);
int summary_of_trace(summary *s, const char *path, FILE *head);
void summary_free(summary *s);

void summary_print(const summary *s, FILE *out);
/* A JSON object. */
void summary_json(const summary *s, FILE *out);

#endif
