/* SPDX-License-Identifier: MIT */
/* gate.h - asynchronous copies of pinned memory stay asynchronous: they stand behind a gate in their stream, which the daemon
 * opens when the stream has come to it and the link is theirs. */
#ifndef SHARE_GATE_H
#define SHARE_GATE_H

#include "client.h"
#include "copy.h"

/* 1: put into the stream, *r is its code. 0: gates are not to be had, nothing was done. */
int share_gate_copy(const share_driver *real, const share_copy *c, int gpu, CUresult *r);
/* Before a context ends (NULL: any). */
void share_gate_forget(const share_driver *real, CUcontext c);

#endif
