/* SPDX-License-Identifier: MIT */
/* spawn_base.c - see bench_spawn.h: rows, an open pool, and tasks that several rows have. */
#include "bench_spawn.h"

#include <stdlib.h>
#include <time.h>

int spawning_said(heddle_status s) { return s ? cli_heddle_bad(NULL, s) : CLI_OK; }

double spawning_now_us(void) { return 1e-3 * (double)heddle_host_clock_ns(); }

void spawning_sleep_us(long us) { (void)nanosleep(&(struct timespec){us / 1000000, 1000 * (us % 1000000)}, NULL); }

/* ---- rows ---- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void spawning_row(const spawning *b, const char *what, uint32_t n_tasks, double *v, uint32_t n, const char *unit)
{
    qsort(v, n, sizeof *v, by_size);
    fprintf(b->rows, "%s\t%u\t%.4g\t%.4g\t%.4g\t%u\t%s\t%s\n", what, n_tasks, v[n / 2], v[0], v[n - 1], n, unit,
            b->mode);
    fprintf(b->table, "  %-54s %10.4g %10.4g %10.4g  %s\n", what, v[n / 2], v[0], v[n - 1], unit);
}

void spawning_tails(const spawning *b, const char *what, uint32_t n_tasks, uint32_t n)
{
    double last;
    spawning_row(b, what, n_tasks, b->times, n, "us");
    last = b->times[(uint64_t)n * 99 / 100];
    spawning_row(b, "the same, 99 of 100 within", n_tasks, &last, 1, "us");
}

/* ---- a pool ---- */

int spawning_open(spawning *b, const heddle_table *table, const heddle_pool_config *c)
{
    const spawn_params params = {0};
    return spawning_said(heddle_pool_new(b->ctx, table, &params, sizeof params, c, &b->pool));
}

void spawning_close(spawning *b)
{
    heddle_pool_free(b->pool);
    b->pool = NULL;
}

/* ---- tasks ---- */

int spawning_many(spawning *b, uint32_t body, uint32_t n, uint32_t team_size, heddle_handle *handles)
{
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    t.body = body;
    t.arg_bytes = sizeof *b->args;
    t.team_size = team_size;
    return spawning_said(heddle_pool_spawn_many(b->pool, &t, b->args, sizeof *b->args, n, handles, NULL));
}

int spawning_wait_all(spawning *b) { return spawning_said(heddle_pool_wait_all(b->pool, HEDDLE_FOREVER)); }

int spawning_one(spawning *b)
{
    heddle_handle h;
    heddle_status s = heddle_pool_spawn(b->pool, spawn_empty, b->args, sizeof *b->args, SPAWN_TEAM, &h);
    return spawning_said(s ? s : heddle_pool_wait(b->pool, h, HEDDLE_FOREVER, NULL));
}

void spawning_set_us(spawning *b, uint32_t n, uint32_t us)
{
    for (uint32_t i = 0; i < n; i++)
        b->args[i].us = us;
}
