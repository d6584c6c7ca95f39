/* SPDX-License-Identifier: MIT */
/* own.c - a table of streams by context and direction (own.h). */
#include "own.h"

#include <pthread.h>

enum { MOST_STREAMS = 32 };

static struct {
    CUcontext context; /* NULL: free */
    int direction;
    CUstream stream;
} known[MOST_STREAMS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static CUstream find_or_add(const share_driver *real, CUcontext c, int direction)
{
    CUstream s = NULL;
    int empty = -1;
    for (int i = MOST_STREAMS - 1; i >= 0; i--) {
        if (known[i].context == c && known[i].direction == direction)
            return known[i].stream;
        if (!known[i].context)
            empty = i;
    }
    if (empty < 0 || real->cuStreamCreate(&s, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
        return NULL;
    known[empty].context = c, known[empty].direction = direction, known[empty].stream = s;
    return s;
}

CUstream share_own_stream(const share_driver *real, int direction)
{
    CUcontext c = NULL;
    CUstream s;
    if (real->cuCtxGetCurrent(&c) != CUDA_SUCCESS || !c)
        return NULL;
    pthread_mutex_lock(&lock);
    s = find_or_add(real, c, direction);
    pthread_mutex_unlock(&lock);
    return s;
}

void share_own_forget(CUcontext c)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_STREAMS; i++)
        if (!c || known[i].context == c)
            known[i].context = NULL;
    pthread_mutex_unlock(&lock);
}
