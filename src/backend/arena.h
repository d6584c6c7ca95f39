/* SPDX-License-Identifier: MIT */
/* arena.h - the room for tasks that bodies make, the same for every backend: what its sizes are and what
 * it begins with.
 *
 * A graph has one when a body of its table declares children. All sizes are in hd_run; words.h lays
 * the parts down, and tasks and large arguments of the graph are copied to their beginning (core/task.h). */
#ifndef HD_ARENA_H
#define HD_ARENA_H

#include "backend/backend.h"

/* Does any body of the graph's table spawn? */
int hd_arena_is_needed(const hd_graph *g);
/* Fills in the sizes of r, whose n_workers, n_tasks and dispatch are known. n_slots: how many are wished for; at least what
 * the workers need to begin is given. */
void hd_arena_size(hd_run *r, const hd_graph *g, uint32_t n_slots);

/* Slots of a ring that has room for every task there can be. */
uint32_t hd_arena_ring(const hd_run *r);

/* The block of r's words in host memory, of n_bytes: sparse when it is mostly arena, of which most runs touch little. */
void *hd_arena_new_words(const hd_run *r, uint64_t n_bytes);
void hd_arena_clear_words(const hd_run *r, void *block, uint64_t n_bytes);
void hd_arena_delete_words(const hd_run *r, void *block, uint64_t n_bytes);

/* hd_run.bodies, in host memory. */
void hd_arena_fill_bodies(uint32_t *to, const hd_graph *g);
/* r's words are in host memory: the graph's tasks and large arguments, before those that bodies make, and the bodies. */
void hd_arena_fill(const hd_run *r, const hd_graph *g);
/* Where the arguments of a task of the graph are, in the words of r: its own copy. */
void *hd_arena_args(const hd_run *r, const hd_graph *g, uint32_t task);

#endif
