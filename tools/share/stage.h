/* SPDX-License-Identifier: MIT */
/* stage.h - blocking copies of pageable memory: several threads carry pieces through small pinned rings.
 *
 * The copy comes after all that its stream holds, and has ended when the call returns. Memory of the program is read and
 * written only by these threads during the call; it is neither pinned nor kept. While a turn on the link is awaited, rings of
 * a copy in are filled already; when it is taken back, the threads stop between pieces. */
#ifndef SHARE_STAGE_H
#define SHARE_STAGE_H

#include "client.h"
#include "copy.h"

/* Waits for all that the next operation of the stream would wait for. */
CUresult share_stage_finish(const share_driver *real, CUstream s);
/* 1: made, *r is its code. 0: there are no rings to be had; nothing was done. */
int share_stage_copy(const share_driver *real, const share_copy *c, share_turn *turn, CUresult *r);
/* The threads carry bytes from here to there, and the driver hears nothing of it. 1: done. 0: there are no threads to be had. */
int share_stage_fill(const share_driver *real, const void *from, void *to, size_t n_bytes);
/* Before a context ends (NULL: any): its rings are given back. */
void share_stage_forget(CUcontext c);

#endif
