/* SPDX-License-Identifier: MIT */
/* words.h - a frozen graph as a persistent kernel gets it: the words of a run, cut out of one block of memory as the
 * cuda backend cuts them on a device. What the backend does not clear is poisoned here. */
#ifndef EMULATE_WORDS_H
#define EMULATE_WORDS_H

#include "heddle/task.h"

#if defined(__cplusplus)
extern "C" {
#endif
#include "graph/graph.h"
#include "graph/plan.h"
#include "heddle/core/pool.h"

typedef struct words_config {
    uint32_t dispatch, policy, n_workers;
    uint32_t n_ring;  /* slots of a ring, 0 = as many as there can be tasks */
    uint32_t n_arena; /* 0 if no body spawns */
    uint32_t n_host;  /* of a pool: slots of the host, a power of two */
    uint32_t is_stamped;
    uint32_t n_seats; /* likewise: what hd_now.task is there for, of each worker; 0: one */
    uint32_t n_local, polite, crowded, n_trace, has_now;
    uint32_t first_run; /* number of the first run                          */
    hd_plan_style style;
} words_config;

typedef struct words {
    hd_run run;
    words_config config;
    const hd_graph *graph;
    hd_steps steps; /* dispatch plan */
    uint8_t *block;
    uint64_t block_bytes, clear_bytes;
    hd_end end;
    hd_pool pool;
} words;

/* Exits with a message when the graph itself is wrong. */
void words_make(words *w, const hd_graph *g, const words_config *c, const void *params);
/* Resets the words to their state before the first run; needed after a run that did not end well. */
void words_clear(words *w);
void words_free(words *w);
/* What traced bands of a wave have noted: in each lane of a part stretches that follow one another to the last column, in which
 * bands wait no longer than they take. Returns the columns of all; exits with a sentence. A full trace: 0. */
extern uint64_t words_n_waits; /* stretches that waited, of bands below the first */
uint64_t words_stretches(const words *w, const char *what);
/* Blocks of the grid, and threads that a block has beside its team. */
uint32_t words_blocks(const words *w);
uint32_t words_more_threads(const words *w);

#if defined(__cplusplus)
}
#endif
#endif
