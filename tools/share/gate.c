/* SPDX-License-Identifier: MIT */
/* gate.c - gates in streams (gate.h): write "arrived", wait for "open", then what is behind it, write "done". The words stand on the client's
 * page, which the context has to know. */
#include "gate.h"

#include <pthread.h>

enum { MOST_CONTEXTS = 16 };

static struct {
    CUcontext context;
    CUdeviceptr page; /* 0: it cannot be had here */
} known[MOST_CONTEXTS];
static int is_registered;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static CUdeviceptr show_page(const share_driver *real)
{
    CUdeviceptr p = 0;
    void *page = share_client_page();
    unsigned flags = CU_MEMHOST_PORTABLE | CU_MEMHOST_DEVICEMAP;
    if (!real->cuStreamWaitValue32_v2 || !real->cuStreamWriteValue32_v2 || !real->cuMemHostRegister_v2 ||
        !real->cuMemHostGetDevicePointer_v2)
        return 0;
    if (is_registered && real->cuMemHostGetDevicePointer_v2(&p, page, 0) == CUDA_SUCCESS)
        return p;
    is_registered = real->cuMemHostRegister_v2(page, SHARE_PAGE_BYTES, flags) == CUDA_SUCCESS;
    return is_registered && real->cuMemHostGetDevicePointer_v2(&p, page, 0) == CUDA_SUCCESS ? p : 0;
}

/* The page as this context sees it. */
static CUdeviceptr page_of(const share_driver *real, CUcontext c)
{
    CUdeviceptr p = 0;
    int at = 0;
    pthread_mutex_lock(&lock);
    while (at < MOST_CONTEXTS && known[at].context && known[at].context != c)
        at++;
    if (at < MOST_CONTEXTS && !known[at].context) {
        known[at].context = c;
        known[at].page = show_page(real);
    }
    if (at < MOST_CONTEXTS)
        p = known[at].page;
    pthread_mutex_unlock(&lock);
    return p;
}

/* A GPU without stream memory operations: the daemon need not hear of each gate. */
static void give_up(CUcontext c)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_CONTEXTS; i++)
        if (known[i].context == c)
            known[i].page = 0;
    pthread_mutex_unlock(&lock);
}

/* While a stream of any context stands at a gate, its GPU reads the page: then the page stays registered. */
void share_gate_forget(const share_driver *real, CUcontext c)
{
    int is_known = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_CONTEXTS; i++)
        is_known |= known[i].context && (!c || known[i].context == c);
    for (int i = 0; is_known && i < MOST_CONTEXTS; i++)
        known[i].context = NULL;
    if (is_known && is_registered && !share_gate_is_any()) {
        real->cuMemHostUnregister(share_client_page());
        is_registered = 0;
    }
    pthread_mutex_unlock(&lock);
}

static CUresult plain(const share_driver *real, const share_copy *c)
{
    return c->direction == SHARE_IN ? real->cuMemcpyHtoDAsync_v2(c->device, c->host, c->n_bytes, c->stream)
                                    : real->cuMemcpyDtoHAsync_v2(c->host, c->device, c->n_bytes, c->stream);
}

int share_gate_put(const share_driver *real, CUstream s, int gpu, int way, uint64_t n_bytes, share_gate *g)
{
    CUcontext context = NULL;
    CUresult r;
    if (real->cuCtxGetCurrent(&context) != CUDA_SUCCESS || !context || !(g->page = page_of(real, context)))
        return 0;
    g->slot = share_gate_new(gpu, way, n_bytes, &g->first);
    if (g->slot < 0)
        return 0;
    g->seq = g->first;
    g->page += sizeof(uint32_t) * (CUdeviceptr)g->slot;
    r = real->cuStreamWriteValue32_v2(s, g->page + offsetof(share_page, arrived), g->first, 0);
    if (r == CUDA_SUCCESS)
        r = real->cuStreamWaitValue32_v2(s, g->page + offsetof(share_page, open), g->first, CU_STREAM_WAIT_VALUE_GEQ);
    if (r != CUDA_SUCCESS)
        share_gate_drop(g->slot, g->first);
    if (r == CUDA_ERROR_NOT_SUPPORTED)
        give_up(context);
    return r == CUDA_SUCCESS;
}

void share_gate_mark(const share_driver *real, CUstream s, const share_gate *g)
{
    if (real->cuStreamWriteValue32_v2(s, g->page + offsetof(share_page, done), g->seq, 0) != CUDA_SUCCESS)
        share_gate_drop(g->slot, g->seq);
}

static int copy_part(const share_driver *real, const share_copy *c, int gpu, CUresult *r)
{
    share_gate g;
    if (!share_gate_put(real, c->stream, gpu, c->direction, c->n_bytes, &g))
        return 0;
    *r = plain(real, c);
    if (*r == CUDA_SUCCESS)
        share_gate_mark(real, c->stream, &g);
    else
        share_gate_drop(g.slot, g.seq);
    return 1;
}

/* A copy takes no more than half of the gates that are left: others come behind it. */
static size_t bytes_of_part(size_t n_bytes, size_t part_bytes)
{
    const size_t room = (size_t)share_gate_room() / 2, wanted = n_bytes / part_bytes, n = wanted < room ? wanted : room;
    return n > 1 ? (n_bytes + n - 1) / n : n_bytes;
}

int share_gate_copy(const share_driver *real, const share_copy *c, int gpu, size_t part_bytes, CUresult *r)
{
    const size_t step = bytes_of_part(c->n_bytes, part_bytes);
    share_copy part = *c;
    *r = CUDA_SUCCESS;
    for (size_t at = 0; at < c->n_bytes && *r == CUDA_SUCCESS; at += step) {
        part.host = (char *)c->host + at, part.device = c->device + at;
        part.n_bytes = c->n_bytes - at < step ? c->n_bytes - at : step;
        if (copy_part(real, &part, gpu, r))
            continue;
        if (!at)
            return 0;
        *r = plain(real, &part);
    }
    return 1;
}
