/* SPDX-License-Identifier: MIT */
/* loop_summary.h - what a loop or a wavefront says of its last run, for `run --stats`: a row a unit; as a report or JSON. */
#ifndef LOOP_SUMMARY_H
#define LOOP_SUMMARY_H

#include "loop.h"

#include <stdio.h>

typedef struct loop_summary {
    heddle_loop_stats stats;
    char (*names)[64];
    heddle_loop_unit *units; /* stats.n_units of both */
    int is_front;            /* a wavefront: indices are rows, slices are strides */
} loop_summary;

/* CLI_OK or CLI_BAD with the sentence printed; loop_summary_free in both cases. */
int loop_summary_of(loop_summary *s, const app_looping *l);
void loop_summary_free(loop_summary *s);

void loop_summary_print(const loop_summary *s, FILE *out);
/* A JSON object. */
void loop_summary_json(const loop_summary *s, FILE *out);

#endif
