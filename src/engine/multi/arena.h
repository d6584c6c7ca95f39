/* SPDX-License-Identifier: MIT */
/* arena.h - the memory of a device as blocks: best fit, in units of 256 bytes.
 *
 * A block that is given back keeps its marks (points.h): queues may still be at work on it. What takes it next begins with these marks,
 * and its ops wait for them. So nobody waits when memory changes hands. Neighbours that are free stay apart while their marks differ,
 * so that no op waits for work on memory that it does not get; a taken block may lie in several of them. */
#ifndef HD_MULTI_ARENA_H
#define HD_MULTI_ARENA_H

#include "engine/multi/points.h"

#define HD_ARENA_UNIT 256u

typedef struct hd_arena_block {
    struct hd_arena_block *prev, *next;           /* by address */
    struct hd_arena_block *prev_free, *next_free; /* the same, of free ones */
    uint64_t at, n_bytes;
    int is_free;
    uint64_t marks[];
} hd_arena_block;

typedef struct hd_arena {
    hd_arena_block *first, *first_free;
    uint64_t n_bytes, used_bytes, n_blocks;
    uint32_t device, n_marks;
} hd_arena;

/* n_bytes is rounded down to units. -1 without memory. */
int hd_arena_open(hd_arena *a, uint64_t n_bytes, uint32_t device, uint32_t n_marks);
void hd_arena_close(hd_arena *a);
/* n_bytes: more than 0, in units. ERANGE: no free neighbours have so much. ENOMEM. */
heddle_status hd_arena_take(hd_arena *a, const hd_clocks *c, uint64_t n_bytes, hd_arena_block **out);
void hd_arena_give_back(hd_arena *a, hd_arena_block *b);
uint64_t hd_arena_table_bytes(const hd_arena *a);

static inline uint64_t hd_arena_round(uint64_t n_bytes)
{
    return (n_bytes + HD_ARENA_UNIT - 1) / HD_ARENA_UNIT * HD_ARENA_UNIT;
}

#endif
