/* SPDX-License-Identifier: MIT */
/* bench_spawn.h - what the files of `heddle bench spawn` share. bench_spawn.c has the command, and goes through the modes;
 * spawn_rates.c times many tasks, spawn_trips.c one at a time, spawn_load.c a steady load, and what stands beside it. spawn_base.c is
 * below them. Functions that return int return CLI_OK, or CLI_BAD with a sentence. */
#ifndef BENCH_SPAWN_H
#define BENCH_SPAWN_H

#include "cli.h"
#include "heddle/pool.h"
#include "spawn_bodies.h"

#include <stdio.h>

#define SPAWN_TEAM 128u

typedef struct spawning {
    heddle_ctx *ctx;
    heddle_pool *pool;
    const char *mode;    /* of a GPU; else the backend */
    int is_gpu, is_lazy; /* is_lazy: tasks may start only when the program waits */
    FILE *rows, *table;
    uint32_t n, n_busy, n_runs, n_trips;
    uint32_t n_units; /* multiprocessors, or threads */
    spawn_args *args; /* n */
    heddle_handle *handles;
    double *times; /* room for those of a row, or of some */
} spawning;

/* ---- spawn_base.c ---- */

int spawning_said(heddle_status s);
double spawning_now_us(void);
void spawning_sleep_us(long us);
/* A row of the median of n values, which it sorts; n_tasks: of one run. */
void spawning_row(const spawning *b, const char *what, uint32_t n_tasks, double *v, uint32_t n, const char *unit);
/* Of the first n of b->times, in us: that row, and one of the time that 99 of 100 took at most. */
void spawning_tails(const spawning *b, const char *what, uint32_t n_tasks, uint32_t n);
int spawning_open(spawning *b, const heddle_table *table, const heddle_pool_config *c);
void spawning_close(spawning *b);
/* handles: n of them, or NULL. */
int spawning_many(spawning *b, uint32_t body, uint32_t n, uint32_t team_size, heddle_handle *handles);
int spawning_wait_all(spawning *b);
/* An empty task, waited for. */
int spawning_one(spawning *b);
/* The first n tasks spin for us. */
void spawning_set_us(spawning *b, uint32_t n, uint32_t us);

/* ---- the rows of an open pool ---- */

/* spawn_rates.c: empty tasks; tasks that take us. */
int spawning_rates(spawning *b);
int spawning_busy(spawning *b, uint32_t us);
/* spawn_trips.c: one task, beside the bare ones. */
int spawning_trips(spawning *b);
/* spawn_load.c: half of what the pool can do; memory of a slot; of a resident pool on a GPU, another kernel. */
int spawning_half_load(spawning *b);
int spawning_slot(spawning *b);
int spawning_beside(spawning *b);

/* ---- the rows of pools that they open, spawn_load.c ---- */

/* Warps in use. */
int spawning_warps(spawning *b, heddle_pool_mode mode);
/* Of a GPU: what it costs to give it back. */
int spawning_holds(spawning *b, heddle_pool_mode mode);

#endif
