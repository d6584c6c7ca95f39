/* SPDX-License-Identifier: MIT */
/* own.c - a table of streams by context and direction (own.h). */
#include "own.h"

#include <pthread.h>

enum { MOST_STREAMS = 32 };

static share_own known[MOST_STREAMS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* What has been made when another cannot be ends with the context. */
static int make(const share_driver *real, share_own *own)
{
    return real->cuStreamCreate(&own->stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS &&
                   real->cuEventCreate(&own->events[0], CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS &&
                   real->cuEventCreate(&own->events[1], CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS
               ? 0
               : -1;
}

static share_own *find_or_make(const share_driver *real, CUcontext c, int direction)
{
    share_own *empty = NULL, made = {.context = c, .direction = direction};
    for (share_own *o = known; o < known + MOST_STREAMS; o++) {
        if (o->context == c && o->direction == direction)
            return o;
        if (!o->context && !empty)
            empty = o;
    }
    if (!empty || make(real, &made))
        return NULL;
    *empty = made;
    return empty;
}

int share_own_find(const share_driver *real, int direction, share_own *own)
{
    CUcontext c = NULL;
    const share_own *found;
    if (real->cuCtxGetCurrent(&c) != CUDA_SUCCESS || !c)
        return -1;
    pthread_mutex_lock(&lock);
    found = find_or_make(real, c, direction);
    if (found)
        *own = *found;
    pthread_mutex_unlock(&lock);
    return found ? 0 : -1;
}

void share_own_forget(CUcontext c)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_STREAMS; i++)
        if (!c || known[i].context == c)
            known[i].context = NULL;
    pthread_mutex_unlock(&lock);
}
