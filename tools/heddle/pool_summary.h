/* SPDX-License-Identifier: MIT */
/* pool_summary.h - what a traced pool says of its tasks, for `run --stats`: a report or JSON. */
#ifndef POOL_SUMMARY_H
#define POOL_SUMMARY_H

#include "heddle/pool.h"

#include <stdio.h>

typedef struct pool_summary {
    heddle_pool_stats stats;
    heddle_pool_body_stats *bodies; /* of which tasks have ended */
    uint32_t n_bodies;
} pool_summary;

/* Of the pool's n_bodies bodies. CLI_OK or CLI_BAD with the sentence printed; pool_summary_free in both cases. */
int pool_summary_of(pool_summary *s, heddle_pool *pool, uint32_t n_bodies);
void pool_summary_free(pool_summary *s);

void pool_summary_print(const pool_summary *s, FILE *out);
/* A JSON object. */
void pool_summary_json(const pool_summary *s, FILE *out);

#endif
