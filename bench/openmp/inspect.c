/* SPDX-License-Identifier: MIT */
/* inspect.c - the host's cost of a task with three dependences, through the calls that heddlec generates.
 *
 *     inspect [BLOCKS [ROUNDS]]
 *
 * Tasks are those of a blocked LU decomposition without its sparse parts, with empty bodies. Prints a line per round,
 * in ns per task: creating it (heddle_omp_task, its record, its dependences); adding it to the graph; freezing;
 * running. The first rounds allocate memory, later ones reuse it. The last round repeats the tasks before. */
#include "heddle/openmp.h"
#include "heddle/task.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct block_args {
    double *row, *col, *inner;
    int n;
} block_args;

#define INSPECT_BODIES(X) X(inspect_block, 0) X(inspect_nothing, 0)
HEDDLE_ENUM(inspect, INSPECT_BODIES)
HEDDLE_BODY(inspect_block, heddle_omp_params, params, block_args, t) {}
HEDDLE_BODY(inspect_nothing, heddle_omp_params, params, char, t) {}
HEDDLE_TABLE(inspect, heddle_omp_params, INSPECT_BODIES)

static const heddle_omp_place place = {__FILE__, __LINE__};
static const heddle_omp_kind kinds[] = {{"block", {__FILE__, __LINE__}, sizeof(block_args), 0, NULL, 0}};
static const heddle_omp_program program = {.size = sizeof program,
                                           .version = HEDDLE_OMP_VERSION,
                                           .table = &inspect,
                                           .kinds = kinds,
                                           .n_kinds = 1,
                                           .backend = HEDDLE_CPU};

#define BLOCK_BYTES 8192u
#define MOST_BLOCKS 73 /* more tasks would be several runs, with times of the last one only */

static void one_task(char *row, char *col, char *inner)
{
    block_args *t = heddle_omp_task(inspect_block, 0);
    *t = (block_args){(double *)(void *)row, (double *)(void *)col, (double *)(void *)inner, 32};
    heddle_omp_depend(HEDDLE_MODE_IN, row, BLOCK_BYTES);
    heddle_omp_depend(HEDDLE_MODE_IN, col, BLOCK_BYTES);
    heddle_omp_depend(HEDDLE_MODE_INOUT, inner, BLOCK_BYTES);
}

/* Addresses are only keys: there is no array. */
static void create(uint64_t n, uint64_t base)
{
    char *a = (char *)(uintptr_t)base;
    uint64_t i, j, k;
    for (k = 0; k < n; k++)
        for (i = k + 1; i < n; i++)
            for (j = k + 1; j < n; j++)
                one_task(a + (i * n + k) * BLOCK_BYTES, a + (k * n + j) * BLOCK_BYTES, a + (i * n + j) * BLOCK_BYTES);
}

static void one_round(uint64_t n, uint64_t base)
{
    heddle_omp_times t;
    double created, tasks;
    heddle_omp_begin(&program, &place, 0, 0);
    created = heddle_omp_wtime();
    create(n, base);
    created = heddle_omp_wtime() - created;
    heddle_omp_end();
    (void)heddle_omp_last_run(&t);
    tasks = (double)t.n_tasks;
    printf("%8.0f tasks, %s: created %6.1f, added %6.1f, both %6.1f, frozen %6.1f, run %6.1f ns a task\n", tasks,
           t.reused ? "the same again" : "a new graph   ", created * 1e9 / tasks, (double)t.add_ns / tasks,
           (created * 1e9 + (double)t.add_ns) / tasks, (double)t.freeze_ns / tasks, (double)t.run_ns / tasks);
}

int main(int argc, char **argv)
{
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 72;
    uint64_t rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : 7, i;
    if (n < 2 || n > MOST_BLOCKS || rounds < 1 || rounds > 1000) {
        fprintf(stderr, "inspect [BLOCKS [ROUNDS]]: 2 to %d blocks a side, 1 to 1000 rounds\n", MOST_BLOCKS);
        return 2;
    }
    for (i = 0; i < rounds; i++)
        one_round(n, (i + 1) << 40);
    one_round(n, rounds << 40);
    return 0;
}
