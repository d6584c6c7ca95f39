/* SPDX-License-Identifier: MIT */
/* own.h - streams of ours for blocking copies of pinned memory, one for each context and direction.
 *
 * In the program's stream such a copy could come to stand behind a gate that another thread has put there: whoever has the turn would
 * wait for the one who wants it. */
#ifndef SHARE_OWN_H
#define SHARE_OWN_H

#include "driver.h"

/* The stream of the current context, or NULL: there is none to be had. To be used by one thread at a time. */
CUstream share_own_stream(const share_driver *real, int direction);
/* Before a context ends (NULL: any). The streams end with their context. */
void share_own_forget(CUcontext c);

#endif
