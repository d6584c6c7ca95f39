/* SPDX-License-Identifier: MIT */
/* peer.c - implements peer.h.
 *
 * That a driver grants access does not mean that bytes arrive: where an IOMMU or a bridge translates or redirects what a GPU sends to
 * another one, the target may get other bytes, or none. So before two GPUs copy for a program, rows are sent from one to the other, side by side and
 * with strides, read back and compared. Copies are what is tried, by the same function that later ones use; not loads and stores of kernels. What has not ended in
 * some seconds never will: it counts as wrong, and its memory is left. */
#include "backend/cuda/peer.h"

#include "backend/cuda/pool.h"

#include <string.h>
#include <time.h>

#define MOST_GPUS 64u
#define TRY_BYTES (4ull << 20)
#define TRY_NS 5000000000ull /* a try of TRY_BYTES takes a millisecond over a slow link */
#define TRY_ROWS 1024u

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint8_t known[MOST_GPUS][MOST_GPUS]; /* to, from: a heddle_peer + 1; 0: not tried */

/* ---- a try ------------------------------------------------------------------------------------------------------------ */

typedef struct trial {
    hd_device *to, *from;
    cudaStream_t stream;        /* of `to` */
    uint8_t *at_to, *at_from;   /* TRY_BYTES of each */
    uint8_t *sent, *want, *got; /* the host's */
    int hangs;
} trial;

static int open_trial(trial *t)
{
    t->at_to = hd_cuda_mem_new(t->to, TRY_BYTES);
    t->at_from = hd_cuda_mem_new(t->from, TRY_BYTES);
    t->sent = hd_new(TRY_BYTES);
    t->want = hd_new(TRY_BYTES);
    t->got = hd_new(TRY_BYTES);
    return t->at_to && t->at_from && t->sent && t->want && t->got && cudaSetDevice(t->to->index) == cudaSuccess &&
           cudaStreamCreateWithFlags(&t->stream, cudaStreamNonBlocking) == cudaSuccess;
}

static void close_trial(const trial *t)
{
    hd_delete(t->sent, TRY_BYTES);
    hd_delete(t->want, TRY_BYTES);
    hd_delete(t->got, TRY_BYTES);
    if (t->hangs)
        return;
    if (t->stream)
        (void)cudaStreamDestroy(t->stream);
    if (t->at_to)
        hd_cuda_mem_free(t->to, t->at_to);
    if (t->at_from)
        hd_cuda_mem_free(t->from, t->at_from);
}

/* Other words for each pair and place, none of which are zeros. */
static void fill(const trial *t)
{
    uint32_t word = 0x9e3779b9u * (uint32_t)(t->to->index * (int)MOST_GPUS + t->from->index + 1);
    uint64_t i;
    for (i = 0; i < TRY_BYTES; i += sizeof word) {
        word = word * 1664525u + 1013904223u;
        memcpy(t->sent + i, &word, sizeof word);
    }
}

static int wait(trial *t)
{
    const uint64_t until_ns = heddle_host_clock_ns() + TRY_NS;
    cudaError_t r;
    while ((r = cudaStreamQuery(t->stream)) == cudaErrorNotReady && heddle_host_clock_ns() < until_ns)
        (void)nanosleep(&(struct timespec){0, 20000}, NULL);
    (void)cudaGetLastError();
    t->hangs = r != cudaSuccess;
    return r == cudaSuccess;
}

/* Sends rows into cleared memory. 1: the target has these bytes, and no others. */
static int send_rows(trial *t, uint64_t n_rows, uint64_t row_bytes, uint64_t to_stride, uint64_t from_stride)
{
    const heddle_copy c = {t->at_to, t->at_from, n_rows, row_bytes, to_stride, from_stride, 0};
    uint64_t i;
    memset(t->want, 0, TRY_BYTES);
    if (hd_cuda_copy(t->from, t->at_from, t->sent, TRY_BYTES, cudaMemcpyHostToDevice, NULL) != HEDDLE_OK ||
        hd_cuda_copy(t->to, t->at_to, t->want, TRY_BYTES, cudaMemcpyHostToDevice, NULL) != HEDDLE_OK ||
        cudaSetDevice(t->to->index) != cudaSuccess ||
        hd_cuda_copy_rows(&c, cudaMemcpyDefault, t->stream) != cudaSuccess || !wait(t) ||
        hd_cuda_copy(t->to, t->got, t->at_to, TRY_BYTES, cudaMemcpyDeviceToHost, NULL) != HEDDLE_OK)
        return 0;
    for (i = 0; i < n_rows; i++)
        memcpy(t->want + i * to_stride, t->sent + i * from_stride, row_bytes);
    return !memcmp(t->got, t->want, TRY_BYTES);
}

/* Resident kernels make way: memory is mapped. Both directions of a pair open both ways; that the program did so before is no error. */
static int open_way(hd_device *to, hd_device *from)
{
    static uint8_t is_open[MOST_GPUS][MOST_GPUS]; /* under the mutex */
    int can = 0;
    cudaError_t r;
    if (is_open[to->index][from->index])
        return 1;
    hd_cuda_pools_hold(to, 1);
    hd_cuda_pools_hold(from, 1);
    r = cudaDeviceCanAccessPeer(&can, to->index, from->index);
    if (r == cudaSuccess && can)
        r = cudaSetDevice(to->index);
    if (r == cudaSuccess && can)
        r = cudaDeviceEnablePeerAccess(from->index, 0);
    hd_cuda_pools_hold(from, 0);
    hd_cuda_pools_hold(to, 0);
    (void)cudaGetLastError();
    is_open[to->index][from->index] = can && (r == cudaSuccess || r == cudaErrorPeerAccessAlreadyEnabled);
    return is_open[to->index][from->index];
}

/* HEDDLE_OK: *out is known for good. */
static heddle_status try_peer(hd_device *to, hd_device *from, heddle_peer *out)
{
    trial t;
    heddle_status s = HEDDLE_OK;
    memset(&t, 0, sizeof t);
    t.to = to;
    t.from = from;
    *out = HEDDLE_PEER_NO;
    if (!open_way(to, from) || !open_way(from, to))
        return HEDDLE_OK;
    if (!open_trial(&t)) {
        (void)cudaGetLastError();
        s = HEDDLE_ENOMEM;
    } else {
        fill(&t);
        *out = send_rows(&t, 1, TRY_BYTES, TRY_BYTES, TRY_BYTES) && send_rows(&t, TRY_ROWS, 1000, 1024, 4096)
                   ? HEDDLE_PEER_VERIFIED
                   : HEDDLE_PEER_WRONG;
        (void)cudaGetLastError();
    }
    close_trial(&t);
    return s;
}

heddle_peer hd_cuda_peer(hd_device *to, hd_device *from)
{
    const uint32_t i = (uint32_t)to->index, k = (uint32_t)from->index;
    heddle_peer p = HEDDLE_PEER_NO;
    if (i == k)
        return HEDDLE_PEER_VERIFIED;
    if (i >= MOST_GPUS || k >= MOST_GPUS)
        return HEDDLE_PEER_NO;
    pthread_mutex_lock(&mutex);
    if (known[i][k])
        p = (heddle_peer)(known[i][k] - 1u);
    else if (try_peer(to, from, &p) == HEDDLE_OK)
        known[i][k] = (uint8_t)(p + 1u);
    pthread_mutex_unlock(&mutex);
    return p;
}
