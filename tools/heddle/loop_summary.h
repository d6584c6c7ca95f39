/* SPDX-License-Identifier: MIT */
/* loop_summary.h - what a loop says of its last run, for `run --stats`: a row a unit of the fleet; as a report or JSON. */
#ifndef LOOP_SUMMARY_H
#define LOOP_SUMMARY_H

#include "heddle/loop.h"

#include <stdio.h>

typedef struct loop_summary {
    heddle_loop_stats stats;
    heddle_fleet_unit *names;
    heddle_loop_unit *units; /* stats.n_units of both */
} loop_summary;

/* CLI_OK or CLI_BAD with the sentence printed; loop_summary_free in both cases. */
int loop_summary_of(loop_summary *s, const heddle_fleet *fleet, const heddle_loop *loop);
void loop_summary_free(loop_summary *s);

void loop_summary_print(const loop_summary *s, FILE *out);
/* A JSON object. */
void loop_summary_json(const loop_summary *s, FILE *out);

#endif
