/* SPDX-License-Identifier: MIT */
/* explore.h - runs a handful of fibers under all interleavings up to a bound, over a model of memory.
 *
 * A fiber is a lane of a worker. Only one runs at a time; each access to a shared word is a point where another may
 * go on instead. The explorer reruns the test along a stack of choices (depth first) until every schedule with at most
 * `n_preempt` preemptions has been seen. A fiber that polls is blocked until a word it has read changes; when all
 * remaining fibers are blocked, that is a deadlock.
 *
 * The memory model is views over modification orders, as in the release-acquire fragment of C11 and PTX. Each word
 * keeps its stores in modification order; each fiber's view holds, for each word, the oldest store it may still read.
 * A releasing store carries its writer's view, and an acquiring load that reads it merges that view. A
 * read-modify-write reads the newest store and passes on what that store carried. In the strict mode (n_stale = 0) a
 * load reads the newest store, and a store becomes the newest. Otherwise, up to n_stale times in a schedule, a load
 * reads an older store, or a store takes an earlier place in the modification order, as far as coherence allows.
 *
 * Data that is not atomic goes through cells. They check by vector clocks that every two accesses, one a write, are
 * ordered. That check is the same in both modes: a missing release or acquire shows as a race on a cell even if the
 * interleaving gave the right value.
 *
 * A fiber that owns a word may also write it plainly; later readers find that value and none before it.
 *
 * Fences are those of C11. A release fence marks what the fiber knows, and its later stores carry that; an acquire fence
 * merges what the stores carried that were read before it. They cost time, so a test asks for them (`fences`). A
 * sequentially consistent store, or read-modify-write, is followed by a fence of which all share one view, as on x86.
 *
 * Not modelled: reads of stores that come later in program order (load buffering), scopes, mixed sizes. Core uses none of
 * the last. */
#ifndef MODEL_EXPLORE_H
#define MODEL_EXPLORE_H

#include <stdint.h>

#define MODEL_MAX_FIBERS 8u
#define MODEL_MAX_PERMITS 16u
#define MODEL_MAX_CELLS 4096u
#define MODEL_QUIET_CELLS 64u /* accesses to cells from here up are not printed */
#define MODEL_MAX_BARRIERS 8u

/* MODEL_MARK: a store that publishes what the fiber knew when it last left a barrier, and nothing that it did since. */
enum {
    MODEL_RELAXED = 0,
    MODEL_ACQUIRE = 1,
    MODEL_RELEASE = 2,
    MODEL_ACQ_REL = 3,
    MODEL_MARK = 4,
    MODEL_SEQ_CST = 8 | 3
};

typedef struct model_test {
    const char *name;
    uint32_t n_fibers;
    uint32_t n_preempt, n_stale; /* the bounds                                                       */
    uint32_t in_order;           /* without a preemption, the first fiber that can go on does */
    void (*begin)(void);         /* resets plain memory before every schedule */
    void (*fiber)(uint32_t id);
    void (*end)(void); /* checks, after all fibers have ended                               */
    uint32_t fences;   /* fences stand alone; else each is part of the accesses beside it */
} model_test;

/* Returns 0 if every schedule within the bounds passed, 1 if one failed and was printed. *n_schedules counts them. */
int model_explore(const model_test *t, uint64_t *n_schedules);

/* ---- called by the fibers, through shim.h and by the test ---- */

uint32_t model_load(uint32_t *p, int order, const char *site);
void model_store(uint32_t *p, uint32_t v, int order, const char *site);
uint32_t model_add(uint32_t *p, uint32_t v, int order, const char *site);
uint32_t model_exchange(uint32_t *p, uint32_t v, int order, const char *site);
int model_cas(uint32_t *p, uint32_t expected, uint32_t v, int order, const char *site);
/* Fences: order is MODEL_ACQUIRE or MODEL_RELEASE. */
void model_fence(int order);
void model_pause(const char *site);
/* As model_pause, but ends after some time in any case: here, when no other fiber can go on. */
void model_nap(const char *site);

/* Permits to park on. model_wait takes the permit, or sleeps until there is one; model_give leaves it. The waiter learns
 * what every giver since the last wait knew. */
void model_wait(uint32_t permit);
void model_give(uint32_t permit);

/* The running fiber becomes lane `lane` of `n_lanes`, which meet at collective steps. */
void model_join(uint32_t group, uint32_t lane, uint32_t n_lanes);
uint32_t model_lane(void);
uint32_t model_n_lanes(void);
/* All lanes of the group meet. Each gets the values of all lanes, valid until the next meeting but one. With `orders`
 * each also learns what all know: a barrier orders, a ballot or a shuffle of CUDA does not. */
const uint32_t *model_meet(uint32_t value, int orders, const char *what);

/* A barrier of a thread block; each fiber is a warp. A round is over when `expected` threads have come to it. With
 * `syncs` the fiber waits for that and learns what all arrivals knew; else it goes on at once and learns nothing.
 * Errors: to come twice to one round, more threads than expected, two different values of `expected`. */
void model_barrier(uint32_t which, uint32_t n_threads, uint32_t expected, int syncs);
/* Threads that have come to the unfinished round. */
uint32_t model_barrier_left(uint32_t which);

/* Data that is not atomic. `what` names the cell in a counterexample. */
void model_read_cell(uint32_t cell, const char *what);
void model_write_cell(uint32_t cell, const char *what);

/* Reports that the schedule is wrong, prints it, and ends the exploration. */
void model_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* Adds a line to the counterexample. */
void model_note(const char *what, uint32_t value);

#endif
