/* SPDX-License-Identifier: MIT */
/* slu_pool.h - for app slu: tasks spawned into a pool one by one, all at once, in one of three orders.
 *
 * ranges    each task names the blocks that it reads and writes, and the pool finds what it comes after
 * handles   each task names the last tasks that changed its blocks. A block that is read is never changed again, so nothing else
 *           is needed, and a task names three handles at most
 * waves     tasks name nothing, and the program waits for all between the parts of a step: the diagonal block, those beside and
 *           below it, and the products. This is how it is done where tasks cannot name others
 *
 * With handles each task keeps its slot until its end has been seen. When none is free, the program sees to the oldest task. */
#ifndef SLU_POOL_H
#define SLU_POOL_H

#include "app.h"

typedef enum slu_order { SLU_RANGES, SLU_HANDLES, SLU_WAVES } slu_order;

typedef struct slu_held {
    heddle_handle handle;
    uint32_t block; /* which its task changes */
} slu_held;

typedef struct slu_pool {
    slu_order order;
    heddle_handle *last; /* of each block: the task that changed it last, or 0 when that has been seen to have ended */
    slu_held *held; /* a ring of tasks that are to be seen ending, the oldest first; it has a place for each slot */
    uint64_t first, n_held, n_slots, n_blocks;
    int part; /* waves: of the step, which the last task belongs to */
} slu_pool;

/* Functions that return int return 0, or -1 with the sentence. slu_pool_clear in any case. */
int slu_pool_choose(slu_pool *s, const char *order, char *error);
/* After c->pool has been opened. */
int slu_pool_new(slu_pool *s, uint64_t n_blocks, app_case *c);
void slu_pool_clear(slu_pool *s);
/* Before the first task of a run. */
void slu_pool_begin(slu_pool *s);
/* The task's record is the list of its `n` blocks, its ranges are those of the blocks. It changes the last one. */
int slu_pool_spawn(slu_pool *s, app_case *c, const heddle_pool_task *task, const uint32_t *blocks, uint32_t n);

#endif
