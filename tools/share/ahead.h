/* SPDX-License-Identifier: MIT */
/* ahead.h - copies in of pageable memory that return before they are made (HEDDLE_SHARE_AHEAD). Their bytes go into an arena, pinned
 * memory of ours of that size, and on from there as an asynchronous copy of pinned memory: in the program's stream, behind a gate where
 * others use the GPU. CUDA documents that such a copy may return once its bytes are staged.
 *
 * So streams, events, synchronising and errors know of it what CUDA has them know of any copy. Refused, and made the usual way: a copy
 * for which the arena has no room, or a gate is not to be had. Space is used again when an event behind the copy has come. */
#ifndef SHARE_AHEAD_H
#define SHARE_AHEAD_H

#include "client.h"
#include "copy.h"

/* Whether copies may return before they are made. To be asked once the client has tried to connect: the daemon may have a say. */
int share_ahead_is_on(void);

/* The bytes of *c, from its begin on, that are on their way; *r: the first failure of the driver. 0: nothing was done. */
size_t share_ahead_copy(const share_driver *real, const share_copy *c, int gpu, CUresult *r);

/* 1: since the last call of the same stream nothing else was put into any stream that the program could learn of by the end of this copy.
 * A blocking copy then need not wait for its stream. From now on the stream counts as one with copies of this kind alone. */
int share_ahead_follows(const share_driver *real, CUstream s);
/* The stream that share_ahead_follows keeps; 0: none. */
extern uintptr_t share_ahead_last;
/* Called behind whatever else goes into a stream. */
static inline void share_ahead_others(void)
{
    if (__builtin_expect(__atomic_load_n(&share_ahead_last, __ATOMIC_SEQ_CST) != 0, 0))
        __atomic_store_n(&share_ahead_last, 0, __ATOMIC_SEQ_CST);
}

/* The program is about to wait for this stream of the current context (NULL: for all). Waits for its last copy of this kind, and returns
 * when it was last seen not to have ended; 0: it had ended already, or there is none. */
uint64_t share_ahead_land(const share_driver *real, CUstream s);

/* Before a context ends (NULL: any): its copies are made first. */
void share_ahead_forget(const share_driver *real, CUcontext c);

#endif
