/* SPDX-License-Identifier: MIT */
/* job.h - a run of the thesis' kernels (peers.h), for host and device. Common C, C++ and CUDA. */
#ifndef PEERWAVE_JOB_H
#define PEERWAVE_JOB_H

#include "cells.h"
#include "geometry.h"

enum { PEER_SLOT_WORDS = 4 };

/* Times of a block, in ticks of its clock. corner: waits while fewer tiles may run than there are blocks. */
typedef struct peer_tally {
    uint64_t busy, corner, between, sync, n_tiles;
    uint64_t ticks;            /* total */
    uint64_t begin_ns, end_ns; /* on the clock that all blocks share */
} peer_tally;

/* A run. The n_planes fields are plane_cells apart. */
typedef struct peer_job {
    peer_params params; /* its layout has bands as high as tiles */
    peer_tiling tiling;
    void *cells;
    const int32_t *x, *y; /* by row of all planes, by column; NULL: unused by the cell */
    uint64_t plane_cells;
    uint32_t n_blocks, is_barrier;
    uint32_t run;                     /* number of the run, from 1: the value of raised flags */
    uint32_t *flags, *arrived, *stop; /* flags per band and tile; arrived and stop begin as 0 */
    peer_tally *tallies;              /* one per block */
    uint64_t limit_ns;
} peer_job;

/* Bytes of block-shared memory. */
HEDDLE_FN uint32_t peer_shared_bytes(const peer_tiling *t)
{
    return 4u * (PEER_SLOT_WORDS + 2u * t->height + t->width);
}

#endif
