/* SPDX-License-Identifier: MIT */
/* jobs_summary.h - what jobs say of all that they did, for `run --stats`: a row a device; as a report or JSON. */
#ifndef JOBS_SUMMARY_H
#define JOBS_SUMMARY_H

#include "loop.h"

#include <stdio.h>

typedef struct jobs_summary {
    heddle_multi_stats stats;     /* of all kinds of jobs together */
    heddle_multi_device *devices; /* stats.n_devices */
    uint64_t jobs_ns, home_ns;    /* of the last run */
} jobs_summary;

/* CLI_OK or CLI_BAD with the sentence printed; jobs_summary_free in both cases. */
int jobs_summary_of(jobs_summary *s, const app_looping *l);
void jobs_summary_free(jobs_summary *s);

void jobs_summary_print(const jobs_summary *s, FILE *out);
/* A JSON object. */
void jobs_summary_json(const jobs_summary *s, FILE *out);

#endif
