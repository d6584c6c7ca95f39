/* SPDX-License-Identifier: MIT */
/* launch.h - the thesis' kernels on a GPU: in C, implemented with CUDA (launch.cu), or by refusals where there is none
 * (launch_none.c). Functions give 0, or -1 with a sentence in error. All wait for the device. Not for several threads at once. */
#ifndef PEERWAVE_LAUNCH_H
#define PEERWAVE_LAUNCH_H

#include "job.h"
#include "problem.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LAUNCH_ERROR = 256 };

typedef struct launch_result {
    double ms;           /* between the time stamps around all sweeps                              */
    double ns_of_tick;   /* of the clock of tallies                                                  */
    peer_tally total;    /* of all blocks, of the last sweep                                           */
    uint64_t corner_end; /* ticks: of corner, those from a block's end to the end of the last one      */
} launch_result;

/* Of job: params.pixels and cells become what they are at first, which of cells that no sweep goes over is nothing that makes
 * sense. */
int launch_fill(peer_app app, uint32_t device, const peer_job *job, char error[LAUNCH_ERROR]);
/* All sweeps of a run. Of job, flags to limit_ns are chosen here, and blocks: for 0 one a multiprocessor, and never more than are
 * resident or of use. The sentence tells when the run did not end within its limit. */
int launch_run(peer_app app, uint32_t device, peer_job *job, launch_result *out, char error[LAUNCH_ERROR]);
/* How many cells are not what their neighbours make of them (peers.h: peer_distance); of several sweeps: unknown, 0. */
int launch_check(peer_app app, const peer_job *job, uint64_t *n_wrong, char error[LAUNCH_ERROR]);
/* A sum over all cells and where they are in the field, whatever the layout. */
int launch_sum(const peer_job *job, uint64_t *out, char error[LAUNCH_ERROR]);
#ifdef __cplusplus
}
#endif
#endif
