/* SPDX-License-Identifier: MIT */
/* arena.h - the room for tasks that bodies make, the same for every backend: how large its parts are.
 *
 * A graph has one when a body of its table declares children. All sizes are in hd_run; the backend cuts the parts out of its
 * own memory and copies tasks and large arguments of the graph to their beginning (core/task.h). */
#ifndef HD_ARENA_H
#define HD_ARENA_H

#include "backend/backend.h"

/* Does any body of the graph's table spawn? */
int hd_arena_is_needed(const hd_graph *g);
/* Fills in the sizes of r, whose n_workers, n_tasks and dispatch are known. n_slots: how many are wished for; at least what
 * the workers need to begin is given. */
void hd_arena_size(hd_run *r, const hd_graph *g, uint32_t n_slots);

/* Bytes of the parts. */
uint64_t hd_arena_task_bytes(const hd_run *r); /* tasks: the graph's and the slots                          */
uint64_t hd_arena_arg_bytes(const hd_run *r);  /* args: the graph's and the slots', 0: the graph's own will do */
uint64_t hd_arena_link_bytes(const hd_run *r); /* link, and back                                            */
uint64_t hd_arena_pool_bytes(const hd_run *r);
uint64_t hd_arena_store_bytes(const hd_run *r);
uint64_t hd_arena_after_bytes(const hd_run *r);
uint64_t hd_arena_sibling_bytes(const hd_run *r);
uint64_t hd_arena_body_bytes(const hd_run *r);
/* Slots of a ring that has room for every task there can be. */
uint32_t hd_arena_ring(const hd_run *r);

/* hd_run.bodies, in host memory. */
void hd_arena_fill_bodies(uint32_t *to, const hd_graph *g);

#endif
