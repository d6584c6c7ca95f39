/* SPDX-License-Identifier: MIT */
/* launch.h - the thesis' kernels on a GPU. A C interface, implemented with CUDA (launch.cu), or by refusals without it
 * (launch_none.c). Functions return 0, or -1 with a sentence in error. All wait for the device. Not thread-safe. */
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
    double ns_of_tick;   /* of the tallies' clock */
    peer_tally total;    /* sum over all blocks, in the last sweep */
    uint64_t corner_end; /* ticks from each block's end to the last end; part of corner */
} launch_result;

/* Initializes job's params.pixels and cells. The initial cells of fields without sweeps are arbitrary. */
int launch_fill(peer_app app, uint32_t device, const peer_job *job, char error[LAUNCH_ERROR]);
/* Runs all sweeps. Sets the job's members from run to limit_ns, and n_blocks: 0 becomes one per multiprocessor, and
 * never more than are resident or useful. If the run does not end within its limit, the sentence tells it. */
int launch_run(peer_app app, uint32_t device, peer_job *job, launch_result *out, char error[LAUNCH_ERROR]);
/* Counts cells that differ from the value that their neighbours give (peers.h: peer_distance); 0 if there are several
 * sweeps. */
int launch_check(peer_app app, const peer_job *job, uint64_t *n_wrong, char error[LAUNCH_ERROR]);
/* A sum over all cells and their places in the field; independent of the layout. */
int launch_sum(const peer_job *job, uint64_t *out, char error[LAUNCH_ERROR]);
#ifdef __cplusplus
}
#endif
#endif
