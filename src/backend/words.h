/* SPDX-License-Identifier: MIT */
/* words.h - the words of a run in memory: their sizes, and which are cleared before a run that follows a bad one. One table
 * (words.c) serves every backend: a new word of hd_run is one row there.
 *
 * All words are parts of one block, each on its own cache lines; those to be cleared come first. A word that a run does not
 * need has no bytes, and its pointer is left unchanged: NULL, or set before (the graph's own records and arguments if no body
 * spawns; steps in host memory). */
#ifndef HD_WORDS_H
#define HD_WORDS_H

#include "backend/backend.h"
#include "graph/plan.h"

/* The size of r's block, and how much of it is cleared. r has its sizes, dispatch and (on a GPU) `end`. steps: to be copied
 * into the block, or NULL. */
uint64_t hd_words_bytes(const hd_run *r, const hd_steps *steps, uint64_t *cleared_bytes);
/* Sets r's pointers into a block of that size. */
void hd_words_cut(hd_run *r, const hd_steps *steps, uint8_t *block);
/* Of that block, about what a slot of the arena takes. */
uint32_t hd_words_slot_bytes(const hd_run *r);

#endif
