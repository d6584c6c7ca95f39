/* SPDX-License-Identifier: MIT */
/* gate.h - asynchronous copies of pinned memory, and kernels, stay asynchronous: they stand behind a gate in their stream, which the
 * daemon opens when the stream has come to it and the link, or the GPU, is theirs. */
#ifndef SHARE_GATE_H
#define SHARE_GATE_H

#include "client.h"
#include "copy.h"

typedef struct share_gate {
    int slot;
    uint32_t first, seq; /* numbers: of the gate, of what was put behind it last */
    CUdeviceptr page;    /* as the GPU sees it */
} share_gate;
/* What is put into the stream from now on waits until it opens. 0: gates are not to be had, nothing was done. */
int share_gate_put(const share_driver *real, CUstream s, int gpu, int way, uint64_t n_bytes, share_gate *g);
/* All up to here is what stands behind it, up to its number. */
void share_gate_mark(const share_driver *real, CUstream s, const share_gate *g);
/* In parts of about so many bytes, each behind a gate of its own: between them the link may pass to another. 1: put into the stream, *r is its
 * code. 0: gates are not to be had, nothing was done. */
int share_gate_copy(const share_driver *real, const share_copy *c, int gpu, size_t part_bytes, CUresult *r);
/* Before a context ends (NULL: any). */
void share_gate_forget(const share_driver *real, CUcontext c);

#endif
