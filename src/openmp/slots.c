/* SPDX-License-Identifier: MIT */
/* slots.c - variables that tasks share and that are declared inside a region: zeroed memory until the region ends. Small ones
 * share blocks, each mapped as one object; blocks are reused by later regions. */
#include "openmp/inside.h"

#include <string.h>

#define BLOCK_BYTES 65536u
#define ALIGN 64u

typedef struct block {
    unsigned char *at;
    uint64_t used, n_bytes;
} block;

static hd_omp_buffer blocks; /* used blocks first, then spare ones */
static uint64_t n_used;
#define BLOCK(i) ((block *)blocks.at + (i))

uint64_t hd_omp_slots_count(void) { return n_used; }

void hd_omp_slots_end(uint64_t n) { n_used = n; }

/* Makes a spare block of at least n_bytes, or a new one, the last used block. */
static block *next_block(uint64_t n_bytes)
{
    uint64_t i = n_used, size = n_bytes > BLOCK_BYTES ? n_bytes : BLOCK_BYTES;
    block found;
    while (i < blocks.n && BLOCK(i)->n_bytes < n_bytes)
        i++;
    if (i == blocks.n) {
        hd_omp_room(&blocks, 1, sizeof(block));
        *BLOCK(blocks.n++) = (block){hd_omp_new(size), 0, size};
    }
    found = *BLOCK(i);
    *BLOCK(i) = *BLOCK(n_used);
    found.used = 0;
    *BLOCK(n_used) = found;
    return BLOCK(n_used++);
}

/* The current block if it has room, else a further one, mapped. */
static block *room(hd_omp_region *r, uint64_t n_bytes)
{
    block *b = n_used > r->frame.n_slots ? BLOCK(n_used - 1) : NULL;
    if (b && b->n_bytes - b->used >= n_bytes)
        return b;
    b = next_block(n_bytes);
    if (hd_omp_region_maps(r))
        hd_omp_data_use(r, b->at, b->n_bytes, HEDDLE_OMP_TOFROM, "a variable of the region", 1);
    return b;
}

void *heddle_omp_slot(uint64_t n_bytes)
{
    hd_omp_region *r = hd_omp_here;
    uint64_t n = (n_bytes + ALIGN - 1) / ALIGN * ALIGN;
    block *b;
    void *p;
    if (!r)
        hd_omp_die(NULL, "a variable of a region was asked for outside of all regions");
    b = room(r, n ? n : ALIGN);
    p = memset(b->at + b->used, 0, n);
    b->used += n ? n : ALIGN;
    hd_omp_data_host_wrote_slot(r, p);
    return p;
}
