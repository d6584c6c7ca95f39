/* SPDX-License-Identifier: MIT */
/* words.h - a frozen graph as a persistent kernel gets it: the words of a run cut out of one block of memory, as the cuda
 * backend does on a device. What is not cleared there is poison here. */
#ifndef EMULATE_WORDS_H
#define EMULATE_WORDS_H

#include "heddle/task.h"

#if defined(__cplusplus)
extern "C" {
#endif
#include "graph/graph.h"
#include "graph/plan.h"

typedef struct words_config {
    uint32_t dispatch, policy, n_workers;
    uint32_t n_ring;  /* slots of a ring, 0 = as many as there can be tasks */
    uint32_t n_arena; /* where bodies spawn                                 */
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
} words;

/* Exits with a sentence when something is wrong with the graph itself. */
void words_make(words *w, const hd_graph *g, const words_config *c, const void *params);
/* As before the first run; after one that did not end well. */
void words_clear(words *w);
void words_free(words *w);
/* Blocks of the grid, and threads that a block has beside its team. */
uint32_t words_blocks(const words *w);
uint32_t words_more_threads(const words *w);

#if defined(__cplusplus)
}
#endif
#endif
