/* SPDX-License-Identifier: MIT */
/* block.h - what the two halves of the block's test share: its lanes, its end, and how a test is run. */
#ifndef MODEL_BLOCK_H
#define MODEL_BLOCK_H

#include "cuda.h"

#define N_LANES WARP_LANES /* threads that run bodies: one may be slow; each stands for a warp of them */
#define RUN 3u             /* the run's number: counters begin where two runs have left them           */
#define MAX_STEPS 12u

/* Cells: data that bodies read and write. */
#define IN(i) (i)
#define OUT(i, lane) (MAX_STEPS + N_LANES * (i) + (lane))
#define MET(i) (3u * MAX_STEPS + (i))

/* A way to explore: fibers in the order of `roles`; who is first goes on first. */
typedef struct block_order {
    uint32_t n_preempt, n_stale;
    uint8_t roles[MODEL_MAX_FIBERS];
} block_order;

/* The next number of a row that is the same in every run of the test. */
uint32_t block_random(uint32_t below);
/* How many schedules of all tests so far. */
extern uint64_t block_n_schedules;
/* Runs test t, whose fibers are roles, in this order. 1: it failed, and was printed. */
int block_explore(model_test t, const block_order *o);
/* Barriers after a schedule: nobody is left at one. */
void block_check_barriers(void);

/* The tests, with `most` preemptions at most; deeper: for those who have minutes. 1: one failed. */
int block_test_plan(uint32_t most, uint32_t deeper);
int block_test_dynamic(uint32_t most, uint32_t deeper);

#endif
