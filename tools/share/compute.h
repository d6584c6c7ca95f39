/* SPDX-License-Identifier: MIT */
/* compute.h - kernels that wait for the GPU, where the daemon orders them (`heddle share start --kernels ordered`) and other programs use
 * it, too. The first kernel that a task puts into a stream stands behind a gate; those that follow it in this stream come behind the
 * same one, until the next task, or until the daemon has closed it because they had ended and others wait.
 *
 * Launches stay asynchronous. A launch inside a capture, of a graph, or where gates are not to be had passes, and is counted. */
#ifndef SHARE_COMPUTE_H
#define SHARE_COMPUTE_H

#include "gate.h"

/* Called where share_client_kernels_ask() is not 0, before a launch into this stream (never NULL). 1: it has a gate, and
 * share_compute_end follows the launch, whatever became of it. 0: it passes. */
int share_compute_begin(const share_driver *real, CUstream s, share_gate *g);
void share_compute_end(const share_driver *real, CUstream s, const share_gate *g);
/* Before a context ends (NULL: any). */
void share_compute_forget(CUcontext c);
/* A launch that no gate can be had for. */
void share_compute_count(int is_gated);

#endif
