/* SPDX-License-Identifier: MIT */
/* memory.c - memory of a GPU, and memory of the host that is pinned for all GPUs.
 *
 * Freeing either waits for all kernels, so resident kernels of pools are asked to end first. Host memory is pinned in pieces. The
 * pieces of a range are kept in a list of the process, because a range is pinned through one device and may be unpinned through
 * another. */
#include "backend/cuda/pool.h"

#define PIECE_BYTES (16ull << 30) /* that CUDA is asked to pin at once */

/* ---- of a GPU ----------------------------------------------------------------------------------------------------------- */

void *hd_cuda_mem_new(hd_device *d, size_t n_bytes)
{
    void *p = NULL;
    if (cudaSetDevice(d->index) != cudaSuccess || cudaMalloc(&p, n_bytes) != cudaSuccess) {
        (void)cudaGetLastError();
        return NULL;
    }
    return p;
}

void hd_cuda_mem_free(hd_device *d, void *p)
{
    (void)cudaSetDevice(d->index);
    hd_cuda_pools_hold(d, 1);
    (void)cudaFree(p);
    hd_cuda_pools_hold(d, 0);
}

/* ---- of the host -------------------------------------------------------------------------------------------------------- */

void hd_cuda_words_free(hd_device *d, void *p)
{
    (void)cudaSetDevice(d->index);
    hd_cuda_pools_hold(d, 1);
    (void)cudaFreeHost(p);
    hd_cuda_pools_hold(d, 0);
}

typedef struct range {
    uint8_t *at;
    uint64_t n_bytes;
    struct range *next;
} range;
static pthread_mutex_t ranges_mutex = PTHREAD_MUTEX_INITIALIZER;
static range *ranges; /* pinned ones */

static uint64_t piece_bytes(uint64_t n_left) { return n_left < PIECE_BYTES ? n_left : PIECE_BYTES; }

static void unregister(uint8_t *at, uint64_t n_bytes)
{
    uint64_t k;
    for (k = 0; k < n_bytes; k += PIECE_BYTES)
        (void)cudaHostUnregister(at + k);
}

static cudaError_t register_pieces(uint8_t *at, uint64_t n_bytes)
{
    uint64_t k;
    for (k = 0; k < n_bytes; k += PIECE_BYTES) {
        const cudaError_t r =
            cudaHostRegister(at + k, piece_bytes(n_bytes - k), cudaHostRegisterPortable | cudaHostRegisterMapped);
        if (r != cudaSuccess) {
            (void)cudaGetLastError();
            unregister(at, k);
            return r;
        }
    }
    return cudaSuccess;
}

heddle_status hd_cuda_host_pin(hd_device *d, void *p, uint64_t n_bytes, hd_error *e)
{
    range *x = hd_new(sizeof *x);
    cudaError_t r;
    if (!x)
        return hd_say(e, HEDDLE_ENOMEM, "pinning host memory: out of memory");
    r = cudaSetDevice(d->index);
    if (r == cudaSuccess)
        r = register_pieces(p, n_bytes);
    if (r != cudaSuccess) {
        hd_delete(x, sizeof *x);
        if (r == cudaErrorHostMemoryAlreadyRegistered)
            return hd_say(e, HEDDLE_EINVAL, "the memory is pinned already, or a part of it");
        return hd_cuda_say(e, r, "pinning host memory");
    }
    x->at = p;
    x->n_bytes = n_bytes;
    pthread_mutex_lock(&ranges_mutex);
    x->next = ranges;
    ranges = x;
    pthread_mutex_unlock(&ranges_mutex);
    return HEDDLE_OK;
}

void hd_cuda_host_unpin(hd_device *d, void *p)
{
    range **at, *x;
    pthread_mutex_lock(&ranges_mutex);
    for (at = &ranges; *at && (*at)->at != p; at = &(*at)->next)
        ;
    x = *at;
    if (x)
        *at = x->next;
    pthread_mutex_unlock(&ranges_mutex);
    if (!x)
        return;
    (void)cudaSetDevice(d->index);
    hd_cuda_pools_hold(d, 1);
    unregister(x->at, x->n_bytes);
    hd_cuda_pools_hold(d, 0);
    hd_delete(x, sizeof *x);
}
