/* SPDX-License-Identifier: MIT */
/* tasks.h - handwritten tables and kinds like those that heddlec generates, and a program that each test may change.
 * Only one file of a test program includes it. */
#ifndef OPENMP_TASKS_H
#define OPENMP_TASKS_H

#include "check.h"
#include "heddle/openmp.h"
#include "heddle/task.h"

#include <string.h>
#include <time.h>

#define N_TABLE 16

/* The application's record: globals after the common part. */
typedef struct tasks_params {
    heddle_omp_params omp;
    uint64_t *total; /* tasks_total */
    uint64_t *table; /* tasks_table */
} tasks_params;

static uint64_t tasks_total, tasks_table[N_TABLE];
static void *const tasks_total_at = &tasks_total, *const tasks_table_at = tasks_table;

typedef struct step_args {
    uint64_t *cell;
    uint64_t by;
} step_args;
typedef struct add_args {
    uint64_t *to;
    const uint64_t *from;
    uint64_t n;
} add_args;
typedef struct stamp_args { /* when the task began and ended, by one clock of all tasks */
    uint64_t *clock, *begin, *end;
} stamp_args;
#define FAIL_LEAVES 1000u /* as a code, it makes the body end the program */
typedef struct fail_args {
    uint32_t code;
} fail_args;
typedef struct block_args {
    double *row, *col, *inner;
    uint32_t n;
} block_args;

#define TASKS_BODIES(X) \
    X(task_step, 0)     \
    X(task_add, 0)      \
    X(task_stamp, 0)    \
    X(task_fail, 0)     \
    X(task_total, 0)    \
    X(task_own, 0)      \
    X(task_lu0, 0) X(task_fwd, 0) X(task_bdiv, 0) X(task_bmod, 0) X(task_sleep, 0) X(task_nothing, 0)
HEDDLE_ENUM(tasks, TASKS_BODIES)

/* cell = cell * 3 + by: the result shows the order of any two. */
HEDDLE_BODY(task_step, tasks_params, params, step_args, t) { *t->cell = *t->cell * 3 + t->by; }

HEDDLE_BODY(task_add, tasks_params, params, add_args, t)
{
    for (uint64_t i = 0; i < t->n; i++)
        *t->to += t->from[i];
}

HEDDLE_BODY(task_stamp, tasks_params, params, stamp_args, t)
{
    *t->begin = __atomic_add_fetch(t->clock, 1, __ATOMIC_SEQ_CST);
    *t->end = __atomic_add_fetch(t->clock, 1, __ATOMIC_SEQ_CST);
}

HEDDLE_BODY(task_fail, tasks_params, params, fail_args, t)
{
    if (t->code == FAIL_LEAVES)
        exit(9);
    if (t->code)
        heddle_task_fail(thread, t->code);
}

/* A critical section, with the first lock word for all; then a global that dependences order. */
HEDDLE_BODY(task_total, tasks_params, params, step_args, t)
{
    while (__atomic_exchange_n(&params->omp.locks[0], 1u, __ATOMIC_ACQUIRE))
        continue;
    *params->total += t->by;
    __atomic_store_n(&params->omp.locks[0], 0u, __ATOMIC_RELEASE);
    __atomic_add_fetch(&params->table[t->by % N_TABLE], t->by, __ATOMIC_RELAXED);
}

/* Fills the worker's own memory and checks that no other thread writes there. */
HEDDLE_BODY(task_own, tasks_params, params, step_args, t)
{
    char *own = params->omp.stack + thread->worker * params->omp.stack_bytes;
    uint64_t i, good = thread->worker < params->omp.n_workers;
    memset(own, (int)(t->by & 0x7f), params->omp.stack_bytes);
    for (i = 0; i < params->omp.stack_bytes; i++)
        good &= own[i] == (char)(t->by & 0x7f);
    *t->cell = good;
}

HEDDLE_BODY(task_lu0, tasks_params, params, block_args, t)
{
    double *a = t->inner;
    uint32_t n = t->n, i, j, k;
    for (k = 0; k < n; k++)
        for (i = k + 1; i < n; i++) {
            a[i * n + k] /= a[k * n + k];
            for (j = k + 1; j < n; j++)
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
}

HEDDLE_BODY(task_fwd, tasks_params, params, block_args, t)
{
    uint32_t n = t->n, i, j, k;
    for (j = 0; j < n; j++)
        for (k = 0; k < n; k++)
            for (i = k + 1; i < n; i++)
                t->inner[i * n + j] -= t->row[i * n + k] * t->inner[k * n + j];
}

HEDDLE_BODY(task_bdiv, tasks_params, params, block_args, t)
{
    uint32_t n = t->n, i, j, k;
    for (i = 0; i < n; i++)
        for (k = 0; k < n; k++) {
            t->inner[i * n + k] /= t->row[k * n + k];
            for (j = k + 1; j < n; j++)
                t->inner[i * n + j] -= t->inner[i * n + k] * t->row[k * n + j];
        }
}

HEDDLE_BODY(task_bmod, tasks_params, params, block_args, t)
{
    uint32_t n = t->n, i, j, k;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            for (k = 0; k < n; k++)
                t->inner[i * n + j] -= t->row[i * n + k] * t->col[k * n + j];
}

/* Sleeps `by` ms: its time does not depend on the machine. */
HEDDLE_BODY(task_sleep, tasks_params, params, step_args, t)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)(t->by * 1000000)}, NULL);
    *t->cell += t->by;
}

HEDDLE_BODY(task_nothing, tasks_params, params, char, t) {}

HEDDLE_TABLE(tasks, tasks_params, TASKS_BODIES)

#define POINTER(type, field)                     \
    {                                            \
        (uint32_t) offsetof(type, field), #field \
    }
static const heddle_omp_pointer step_pointers[] = {POINTER(step_args, cell)};
static const heddle_omp_pointer add_pointers[] = {POINTER(add_args, to), POINTER(add_args, from)};
static const heddle_omp_pointer stamp_pointers[] = {POINTER(stamp_args, clock), POINTER(stamp_args, begin),
                                                    POINTER(stamp_args, end)};
static const heddle_omp_pointer block_pointers[] = {POINTER(block_args, row), POINTER(block_args, col),
                                                    POINTER(block_args, inner)};

#define KIND(name, type, n, pointers)                                       \
    {                                                                       \
        name, {"tasks.c", __LINE__}, (uint32_t)sizeof(type), n, pointers, 0 \
    }
static const heddle_omp_kind tasks_kinds[] = {
    KIND("step:1", step_args, 1, step_pointers),    KIND("add:2", add_args, 2, add_pointers),
    KIND("stamp:3", stamp_args, 3, stamp_pointers), KIND("fail:4", fail_args, 0, NULL),
    KIND("total:5", step_args, 1, step_pointers),   KIND("own:6", step_args, 1, step_pointers),
    KIND("lu0:7", block_args, 3, block_pointers),   KIND("fwd:8", block_args, 3, block_pointers),
    KIND("bdiv:9", block_args, 3, block_pointers),  KIND("bmod:10", block_args, 3, block_pointers),
    KIND("sleep:11", step_args, 1, step_pointers)};

static const heddle_omp_global tasks_globals[] = {{"total", &tasks_total_at, sizeof tasks_total, 0, NULL, 0},
                                                  {"table", &tasks_table_at, sizeof tasks_table, 0, NULL, 0}};

#define TASKS_PROGRAM                                                                                             \
    {                                                                                                             \
        .size = sizeof(heddle_omp_program), .version = HEDDLE_OMP_VERSION, .table = &tasks, .kinds = tasks_kinds, \
        .n_kinds = task_nothing, .globals = tasks_globals, .n_globals = 2, .stack_bytes = 4096, .n_locks = 4      \
    }

static const heddle_omp_place tasks_place = {"program.c", 41};

static inline void make_step(uint64_t *cell, uint64_t by, int priority)
{
    step_args *t = (step_args *)heddle_omp_task(task_step, priority);
    *t = (step_args){cell, by};
    heddle_omp_depend(HEDDLE_MODE_INOUT, cell, sizeof *cell);
}

#endif
