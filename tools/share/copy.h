/* SPDX-License-Identifier: MIT */
/* copy.h - what becomes of a program's calls: which copies wait, which go through the rings, which only pass.
 *
 * A copy of less than `large` bytes, inside a capture, of managed memory, or of memory that is not known, is the
 * driver's. The rest is as CUDA has it: bytes, order in streams, codes, errno and the current context. */
#ifndef SHARE_COPY_H
#define SHARE_COPY_H

#include "client.h"

/* Directions of the link. */
enum { SHARE_IN, SHARE_OUT };

/* Bytes from which a copy is looked at. */
extern size_t share_large;

typedef struct share_copy {
    int direction;
    int may_return; /* the call may end before the copy does, when the host's memory is pinned */
    CUdeviceptr device;
    void *host;
    size_t n_bytes;
    CUstream stream; /* never NULL: one of the two numbers, or a stream */
} share_copy;

/* 1: it was made, *r is its code. 0: nothing was done, the driver is to be called. */
int share_copy_make(const share_driver *real, const share_copy *c, CUresult *r);
/* The direction of a copy between unified addresses: 1 and *c's direction, device and host; 0 when it does not cross
 * the link between a device and the host. */
int share_copy_find(const share_driver *real, share_copy *c, CUdeviceptr to, CUdeviceptr from);

/* A copy of another form, which the driver makes in one call: it waits here, and has ended there. 0: it takes no turn,
 * and is not recorded. An asynchronous one only waits where it is recorded. */
int share_copy_turn(const share_driver *real, const share_copy *c, share_turn *t);
void share_copy_turned(const share_driver *real, const share_copy *c, share_turn *t);

/* The program is about to wait for this stream, or (NULL) for all of the context. */
void share_copy_waits(const share_driver *real, CUstream s);

/* The stream is in a capture, or any may be. */
int share_copy_captures(const share_driver *real, CUstream s);
/* A context ends, or (NULL) one of unknown name: what we hold in it is given back first. */
void share_copy_forget(const share_driver *real, CUcontext c);

#endif
