/* SPDX-License-Identifier: MIT */
/* block.h - what the parts of the block's test share: cells, random numbers, checks, and how a test is run. */
#ifndef MODEL_BLOCK_H
#define MODEL_BLOCK_H

#include "cuda.h"

#define N_LANES WARP_LANES /* threads that run bodies; each stands for a warp, one may be slow */
#define RUN 3u             /* the run's number: counters begin where two runs have left them           */
#define MAX_STEPS 12u

/* Cells: data that bodies read and write. */
#define IN(i) (i)
#define OUT(i, lane) (MAX_STEPS + N_LANES * (i) + (lane))
#define MET(i) (3u * MAX_STEPS + (i))

/* One exploration: its bounds, and the fibers by `roles`; when several can go on, the first does. */
typedef struct block_order {
    uint32_t n_preempt, n_stale;
    uint8_t roles[MODEL_MAX_FIBERS];
} block_order;

/* A pseudo-random number below `below`; the sequence is the same in every run of the test. */
uint32_t block_random(uint32_t below);
/* Schedules explored by all tests so far. */
extern uint64_t block_n_schedules;
/* What a look at the clock adds to it, for a warp that waits; 0: it adds 1, and the warp does not nap. */
extern uint64_t block_clock_step;
/* Only cases with names that begin so. */
extern const char *block_case;
/* Explores test t; its fibers take the roles of `o`. Returns 1 if a schedule failed and was printed. */
int block_explore(model_test t, const block_order *o);
/* After a schedule: fails if threads are left at a barrier. */
void block_check_barriers(void);

/* The tests, with at most `most` preemptions; `deeper` adds cases that take minutes. Return 1 if one failed. */
int block_test_plan(uint32_t most, uint32_t deeper);
int block_test_dynamic(uint32_t most, uint32_t deeper);
int block_test_pool(uint32_t most, uint32_t deeper);

#endif
