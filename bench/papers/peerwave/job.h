/* SPDX-License-Identifier: MIT */
/* job.h - a run of the thesis' kernels (peers.h), as host and device see it. In the common part of C, C++ and CUDA. */
#ifndef PEERWAVE_JOB_H
#define PEERWAVE_JOB_H

#include "cells.h"
#include "geometry.h"

enum { PEER_SLOT_WORDS = 4 };

/* Where the time of a block went, in ticks of its clock. Corner: fewer tiles may run than there are blocks. */
typedef struct peer_tally {
    uint64_t busy, corner, between, sync, n_tiles;
    uint64_t ticks;            /* all of it                                                              */
    uint64_t begin_ns, end_ns; /* of the clock that all have                                             */
} peer_tally;

/* All of a run. Fields of n_planes lie plane_cells apart. */
typedef struct peer_job {
    peer_params params; /* and the layout, of bands as high as tiles                              */
    peer_tiling tiling;
    void *cells;
    const int32_t *x, *y; /* rows of all planes; columns; NULL: the cell looks at none               */
    uint64_t plane_cells;
    uint32_t n_blocks, is_barrier;
    uint32_t run;                     /* its number, from 1: what a flag says                                  */
    uint32_t *flags, *arrived, *stop; /* of each band its tiles'; 0 at first; 0 at first                       */
    peer_tally *tallies;              /* of blocks                                                             */
    uint64_t limit_ns;
} peer_job;

/* Bytes of block-shared memory. */
HEDDLE_FN uint32_t peer_shared_bytes(const peer_tiling *t)
{
    return 4u * (PEER_SLOT_WORDS + 2u * t->height + t->width);
}

#endif
