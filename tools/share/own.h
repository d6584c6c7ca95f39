/* SPDX-License-Identifier: MIT */
/* own.h - streams of ours for blocking copies of pinned memory, one for each context and direction.
 *
 * In the program's stream such a copy could come to stand behind a gate that another thread has put there. The copy with the turn would
 * then wait for the gate, and the gate for the turn. */
#ifndef SHARE_OWN_H
#define SHARE_OWN_H

#include "driver.h"

typedef struct share_own {
    CUcontext context; /* NULL: free */
    int direction;
    CUstream stream;
    CUevent events[2]; /* of the pieces on their way */
} share_own;

/* That of the current context, in *own, or -1: there is none to be had. To be used by one thread at a time. */
int share_own_find(const share_driver *real, int direction, share_own *own);
/* Before a context ends (NULL: any). Streams end with their context. */
void share_own_forget(CUcontext c);

#endif
