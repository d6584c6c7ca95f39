/* SPDX-License-Identifier: MIT */
/* bodies.h - the bodies of the tests of pools: one mixes cells in an order that the result shows, others fail, wait, spawn, or
 * count their blocks. */
#ifndef POOL_BODIES_H
#define POOL_BODIES_H

#include "check.h"
#include "heddle/pool.h"
#include "heddle/task.h"

#include <sched.h>
#include <string.h>

typedef struct pooled_params {
    uint32_t *cells;  /* each is written by tasks that come after one another; of pooled_stamp: two for each task */
    uint32_t *ran;    /* for each task, how often it ran */
    uint32_t *blocks; /* for each block of a task, how often it ran */
    uint32_t *gate;   /* pooled_gate waits until it is not 0 */
    uint32_t *began;  /* pooled_gate: it runs; pooled_stamp: the next stamp */
} pooled_params;

typedef struct pooled_mix_args {
    uint32_t task, n_cells, cell[4], code; /* code: not 0, then it fails */
} pooled_mix_args;
typedef struct pooled_gate_args {
    uint32_t until_canceled; /* else until the gate is open */
} pooled_gate_args;
typedef struct pooled_tree_args {
    uint32_t task, depth, width, fail_at, joins; /* fail_at: the task that fails; joins: it has a continuation */
} pooled_tree_args;
typedef struct pooled_block_args {
    uint32_t first, fail_at; /* fail_at: block + 1 */
} pooled_block_args;
typedef struct pooled_large_args {
    uint32_t task, by[47];
} pooled_large_args;
typedef struct pooled_stamp_args {
    uint32_t task, n_pauses, code;
} pooled_stamp_args;
typedef struct pooled_copy_args {
    const uint8_t *in;
    uint8_t *out; /* NULL: `in` */
    uint32_t n, code;
} pooled_copy_args;

#define POOLED_FLAT_BODIES(X) \
    X(pooled_mix, 0)          \
    X(pooled_gate, 0)         \
    X(pooled_joined, 0)       \
    X(pooled_block, 0) X(pooled_large, 0) X(pooled_sum, 256) X(pooled_stamp, 0) X(pooled_copy, 0)
#define POOLED_BODIES(X) POOLED_FLAT_BODIES(X) X(pooled_tree, 0) X(pooled_greedy, 0)
HEDDLE_ENUM(pooled, POOLED_BODIES)
HEDDLE_DECLARE(pooled)
/* The same without those that spawn, so that on a GPU several teams share a block. */
enum { pooled_flat_n_bodies = pooled_tree };
HEDDLE_DECLARE(pooled_flat)

#define POOLED_WIDTH 6

/* A task of pooled_mix; args and after must live until it was spawned. */
HEDDLE_UNUSED static inline heddle_pool_task pooled_mix_task(const pooled_mix_args *args, const heddle_handle *after,
                                                             size_t n_after)
{
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    t.body = pooled_mix;
    t.args = args;
    t.arg_bytes = sizeof *args;
    t.after = after;
    t.n_after = n_after;
    return t;
}

/* Sets the k-th mode of pools on a GPU for those that are opened from now on; in some, bodies do not spawn. 0: there are fewer, or
 * another one is set. */
int pooled_set_mode(uint32_t k);
int pooled_is_flat(void);
/* The table for the present mode. */
HEDDLE_UNUSED static inline const heddle_table *pooled_table(void) { return pooled_is_flat() ? &pooled_flat : &pooled; }
/* Do pools of that backend refuse bodies that spawn? */
int pooled_has_no_spawns(heddle_backend b);
/* And tasks with time limits? */
int pooled_has_no_limits(heddle_backend b);
/* Do they begin tasks when the program waits, and not earlier? */
int pooled_is_lazy(heddle_backend b);

/* Memory for the bodies of a backend, zeroed, that this thread can read, too: on a GPU pinned host memory. */
void *pooled_new(heddle_backend b, size_t n_bytes);
void pooled_free(heddle_backend b, void *p);
/* What the arguments of a test program ask for: the GPU alone (--cuda), or all others. Skips the test without one. */
int pooled_wants_gpu(int argc, char **argv);
/* A context of that backend; n_workers 0: the default. */
heddle_ctx *pooled_context(heddle_backend b, uint32_t n_workers);
/* The main function of a test that does the same everywhere: on the GPU in each mode (--cuda), or else serially, alone and in an emulated
 * block of 4, and on 1 to 4 threads. n: of threads; 0: the default. */
void pooled_everywhere(int argc, char **argv, void (*check)(heddle_backend b, uint32_t n));
/* The main function of a test with random programs: n of them, or HEDDLE_PROGRAMS, on the GPU in each mode (--cuda), or else serially
 * and on 1 to 4 threads. */
typedef void (*pooled_run)(heddle_backend b, uint32_t n_workers, uint32_t n_programs, uint64_t *seed);
int pooled_programs(int argc, char **argv, uint64_t seed, uint32_t n, pooled_run run);

/* The call is refused with that status, and a sentence in which the word is. */
#define POOLED_REFUSED(call, status, word)                                                                 \
    do {                                                                                                   \
        const heddle_status said_ = (call);                                                                \
        CHECK_MSG(said_ == HEDDLE_##status && strstr(heddle_error_text(NULL), word), "%s: %s (%s)", #call, \
                  heddle_status_text(said_), heddle_error_text(NULL));                                     \
    } while (0)

#endif
