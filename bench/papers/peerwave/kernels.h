/* SPDX-License-Identifier: MIT */
/* kernels.h - the thesis' kernels: peers.h over the cell of each application. It compiles the cells' bodies: only one
 * file of a program may include it, as CUDA or for the emulator of blocks. */
#ifndef PEERWAVE_KERNELS_H
#define PEERWAVE_KERNELS_H

#include "problem.h"

#include "heddle/wave.h"

/* Only the cells' bodies are needed: the tables are defined elsewhere. */
#undef HEDDLE_WAVES
#define HEDDLE_WAVES(table, params_type, list)
#include "cells.c"
#include "sweeps.c"

#include "peers.h"

PEER_OF_CELL(peer_sw, 0)
PEER_OF_CELL(peer_dtw, PEER_DTW_OUTSIDE)
PEER_OF_CELL(peer_sat, 0)
PEER_OF_CELL(peer_inthist, 0)
PEER_OF_SWEEP(peer_heat)
PEER_OF_SWEEP(peer_sor)

/* Returns of(K()) for the kernel of an application; K is the argument of peer_block and peer_distance. */
template <class F> static auto peer_with_kernel(peer_app app, const F &of)
{
    switch (app) {
    case PEER_SW: return of(peer_sw_of_peers());
    case PEER_DTW: return of(peer_dtw_of_peers());
    case PEER_SAT: return of(peer_sat_of_peers());
    case PEER_INTHIST: return of(peer_inthist_of_peers());
    case PEER_SOR: return of(peer_sor_of_peers());
    default: return of(peer_heat_of_peers());
    }
}

#endif
