/* SPDX-License-Identifier: MIT */
/* tally.h - results that many small tasks add to. Each worker has its own cell; its bodies, which run one after
 * another, add to it without atomic operations. The host sums the cells after the run.
 *
 * A worker beyond the last cell ends the run: nothing is counted twice or lost. */
#ifndef TALLY_H
#define TALLY_H

#include "heddle/task.h"

#define TALLY_WORDS 8
#define TALLY_CELLS 8192u /* more than the resident blocks of any GPU */
#define TALLY_FAILED 77u  /* the code of a worker beyond the last cell */

typedef struct tally_cell {
    uint64_t v[TALLY_WORDS];
} tally_cell;
HEDDLE_STATIC_ASSERT(sizeof(tally_cell) == 64, "a cell is a CPU's cache line");

/* One thread of a body: the cell of its worker, or NULL. */
HEDDLE_FN tally_cell *tally_of(const heddle_thread *thread, tally_cell *cells)
{
    if (thread->worker < TALLY_CELLS)
        return cells + thread->worker;
    heddle_task_fail(thread, TALLY_FAILED);
    return (tally_cell *)0;
}

/* ---- the host's part (tally.c): 0, or -1 with the sentence in c->error --------------------------- */

struct app_case;
/* Allocates zeroed cells on c->ctx. */
int tally_new(struct app_case *c, tally_cell **out);
int tally_clear(struct app_case *c, tally_cell *cells);
/* Over all cells, per word: the sum and the largest. */
int tally_read(struct app_case *c, const tally_cell *cells, uint64_t sum[TALLY_WORDS], uint64_t most[TALLY_WORDS]);

#endif
