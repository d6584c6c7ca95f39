/* SPDX-License-Identifier: MIT */
/* arena.h - the arena of tasks that bodies spawn, the same for every backend: its sizes and its initial contents.
 *
 * A graph has an arena when a body of its table declares children. All sizes are in hd_run; words.h lays out the parts. The
 * graph's own tasks and large arguments are copied to their beginning (core/task.h). */
#ifndef HD_ARENA_H
#define HD_ARENA_H

#include "backend/backend.h"

/* Does any body of the graph's table spawn? */
int hd_arena_is_needed(const hd_graph *g);
/* Sets the sizes of r from its n_workers, n_tasks and dispatch. n_slots is the requested number of slots for what bodies
 * spawn; the workers' minimum is always granted. n_host slots more, in front, are the host's (of a pool, else 0). */
void hd_arena_size(hd_run *r, const hd_graph *g, uint32_t n_host, uint32_t n_slots);

/* Slots of a ring that can hold every task there can be. */
uint32_t hd_arena_ring(const hd_run *r);

/* The block of r's words in host memory, of n_bytes. Sparse when it is mostly arena: most runs touch little of that. */
void *hd_arena_new_words(const hd_run *r, uint64_t n_bytes);
void hd_arena_clear_words(const hd_run *r, void *block, uint64_t n_bytes);
void hd_arena_delete_words(const hd_run *r, void *block, uint64_t n_bytes);

/* Fills hd_run.bodies, in host memory. */
void hd_arena_fill_bodies(uint32_t *to, const hd_graph *g);
/* For words in host memory: copies the graph's tasks and large arguments before the spawned ones, and fills the bodies. */
void hd_arena_fill(const hd_run *r, const hd_graph *g);
/* The arguments of a task of the graph in r's words: the run's own copy. */
void *hd_arena_args(const hd_run *r, const hd_graph *g, uint32_t task);

#endif
