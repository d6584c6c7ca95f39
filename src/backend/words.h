/* SPDX-License-Identifier: MIT */
/* words.h - the words of a run in memory: which there are, how many bytes each has, which are cleared before a run that
 * follows a bad one. One table (words.c) for every backend: another word of hd_run is one row of it.
 *
 * All words are parts of one block, each on lines of its own; those to be cleared come first. A word that a run does not
 * need has no bytes, and its pointer stays as it is: NULL, or what it was set to before (the graph's own records and
 * arguments, where no body spawns; steps that stay in the host's memory). */
#ifndef HD_WORDS_H
#define HD_WORDS_H

#include "backend/backend.h"
#include "graph/plan.h"

/* How large the block of r is, whose sizes, dispatch and `end` (on a GPU) are known, and how much of it is to be cleared.
 * steps: those that shall be copied into it; NULL: none. */
uint64_t hd_words_bytes(const hd_run *r, const hd_steps *steps, uint64_t *cleared_bytes);
/* Points the words of r into a block of that size. */
void hd_words_cut(hd_run *r, const hd_steps *steps, uint8_t *block);

#endif
