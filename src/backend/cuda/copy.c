/* SPDX-License-Identifier: MIT */
/* copy.c - synchronous copies between host memory and the GPU.
 *
 * The driver copies pageable memory through its own buffers with one thread, which uses only part of the link's bandwidth.
 * Here several threads share a large copy. Each takes every n-th piece through two pinned buffers in its own stream, so that
 * one buffer is filled or emptied while the other is in transit. Pinned buffers are expensive to create: a GPU's first large
 * copy creates them, and they stay until that GPU's last opening is closed. The driver does small copies, and all copies when
 * buffers cannot be had or another thread is copying. */
#include "backend/cuda/cuda.h"

#include <string.h>

#define PIECE (1ull << 20)
#define LARGE (8ull << 20)
#define MOST_CHANNELS 8u
#define MOST_GPUS 64u

static const char doing[] = "copying to or from the GPU";

typedef struct channel {
    cudaStream_t stream;
    cudaEvent_t done[2]; /* the buffer is free (host to device), or filled */
} channel;

typedef struct copier {
    uint8_t *buffers; /* pinned: two per channel; NULL: none */
    uint32_t n_channels, n_users;
    int busy;
    channel channels[MOST_CHANNELS];
} copier;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static copier copiers[MOST_GPUS];

static void drop_channels(copier *c)
{
    uint32_t i, k;
    for (i = 0; i < c->n_channels; i++) {
        for (k = 0; k < 2; k++)
            if (c->channels[i].done[k])
                (void)cudaEventDestroy(c->channels[i].done[k]);
        if (c->channels[i].stream)
            (void)cudaStreamDestroy(c->channels[i].stream);
    }
    (void)cudaFreeHost(c->buffers);
    memset(c->channels, 0, sizeof c->channels);
    c->buffers = NULL;
    c->n_channels = 0;
}

static int channel_room(channel *l)
{
    return cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking) == cudaSuccess &&
           cudaEventCreateWithFlags(&l->done[0], cudaEventDisableTiming) == cudaSuccess &&
           cudaEventCreateWithFlags(&l->done[1], cudaEventDisableTiming) == cudaSuccess;
}

/* One channel per two hardware threads: memory bandwidth limits the copy, not cores. */
static void make_channels(copier *c)
{
    heddle_machine m;
    uint32_t i;
    int ok;
    heddle_machine_get(&m);
    c->n_channels = m.n_threads / 2 < 1 ? 1 : m.n_threads / 2 < MOST_CHANNELS ? m.n_threads / 2 : MOST_CHANNELS;
    ok = cudaHostAlloc((void **)&c->buffers, 2 * PIECE * c->n_channels, cudaHostAllocDefault) == cudaSuccess;
    for (i = 0; ok && i < c->n_channels; i++)
        ok = channel_room(&c->channels[i]);
    if (!ok) {
        (void)cudaGetLastError();
        drop_channels(c);
    }
}

void hd_cuda_copies(const hd_device *d, int open)
{
    copier *c = (uint32_t)d->index < MOST_GPUS ? &copiers[d->index] : NULL;
    if (!c)
        return;
    pthread_mutex_lock(&mutex);
    if (open)
        c->n_users++;
    else if (--c->n_users == 0)
        drop_channels(c);
    pthread_mutex_unlock(&mutex);
}

/* The device's copier, exclusive until given back; NULL: not available now. */
static copier *take_copier(const hd_device *d)
{
    copier *c = (uint32_t)d->index < MOST_GPUS ? &copiers[d->index] : NULL;
    pthread_mutex_lock(&mutex);
    if (c && c->busy)
        c = NULL;
    if (c && !c->buffers)
        make_channels(c);
    if (c && !c->buffers)
        c = NULL;
    if (c)
        c->busy = 1;
    pthread_mutex_unlock(&mutex);
    return c;
}

static void give_copier(copier *c)
{
    pthread_mutex_lock(&mutex);
    c->busy = 0;
    pthread_mutex_unlock(&mutex);
}

/* A thread's part of a copy. */
typedef struct part {
    hd_device *device;
    channel *channel;
    uint8_t *buffers;
    uint8_t *to;
    const uint8_t *from;
    uint64_t n_bytes, first, step; /* pieces first, first + step, ... */
    cudaError_t result;
} part;

static uint64_t piece_bytes(const part *p, uint64_t piece)
{
    uint64_t left = p->n_bytes - piece * PIECE;
    return left < PIECE ? left : PIECE;
}

/* Piece number i of a part uses buffer i % 2. */
static cudaError_t send_piece(const part *p, uint64_t piece, uint64_t i)
{
    uint8_t *buffer = p->buffers + i % 2 * PIECE;
    cudaError_t r =
        cudaEventSynchronize(p->channel->done[i % 2]); /* of piece i - 2; returns at once if there is none */
    if (r != cudaSuccess)
        return r;
    memcpy(buffer, p->from + piece * PIECE, piece_bytes(p, piece));
    r = cudaMemcpyAsync(p->to + piece * PIECE, buffer, piece_bytes(p, piece), cudaMemcpyHostToDevice,
                        p->channel->stream);
    return r == cudaSuccess ? cudaEventRecord(p->channel->done[i % 2], p->channel->stream) : r;
}

static cudaError_t ask_for_piece(const part *p, uint64_t piece, uint64_t i)
{
    cudaError_t r = cudaSuccess;
    if (piece * PIECE >= p->n_bytes)
        return r;
    r = cudaMemcpyAsync(p->buffers + i % 2 * PIECE, p->from + piece * PIECE, piece_bytes(p, piece),
                        cudaMemcpyDeviceToHost, p->channel->stream);
    return r == cudaSuccess ? cudaEventRecord(p->channel->done[i % 2], p->channel->stream) : r;
}

/* Requests the next piece before copying this one out of its buffer. */
static cudaError_t take_piece(const part *p, uint64_t piece, uint64_t i)
{
    cudaError_t r = i ? cudaSuccess : ask_for_piece(p, piece, i);
    if (r == cudaSuccess)
        r = ask_for_piece(p, piece + p->step, i + 1);
    if (r == cudaSuccess)
        r = cudaEventSynchronize(p->channel->done[i % 2]);
    if (r == cudaSuccess)
        memcpy(p->to + piece * PIECE, p->buffers + i % 2 * PIECE, piece_bytes(p, piece));
    return r;
}

static void *send_part(void *self)
{
    part *p = self;
    uint64_t piece, i = 0;
    p->result = cudaSetDevice(p->device->index);
    for (piece = p->first; p->result == cudaSuccess && piece * PIECE < p->n_bytes; piece += p->step)
        p->result = send_piece(p, piece, i++);
    if (p->result == cudaSuccess)
        p->result = cudaStreamSynchronize(p->channel->stream);
    return NULL;
}

static void *take_part(void *self)
{
    part *p = self;
    uint64_t piece, i = 0;
    p->result = cudaSetDevice(p->device->index);
    for (piece = p->first; p->result == cudaSuccess && piece * PIECE < p->n_bytes; piece += p->step)
        p->result = take_piece(p, piece, i++);
    return NULL;
}

static cudaError_t copy_parts(hd_device *d, copier *c, void *to, const void *from, uint64_t n_bytes,
                              enum cudaMemcpyKind kind)
{
    void *(*run)(void *) = kind == cudaMemcpyHostToDevice ? send_part : take_part;
    pthread_t threads[MOST_CHANNELS];
    part parts[MOST_CHANNELS];
    cudaError_t r = cudaSuccess;
    uint32_t i, n_started = 0;
    for (i = 0; i < c->n_channels; i++)
        parts[i] =
            (part){d, &c->channels[i], c->buffers + 2 * PIECE * i, to, from, n_bytes, i, c->n_channels, cudaSuccess};
    while (n_started + 1 < c->n_channels && !pthread_create(&threads[n_started], NULL, run, &parts[n_started]))
        n_started++;
    for (i = n_started; i < c->n_channels; i++) /* the last part, and those without a thread */
        run(&parts[i]);
    for (i = 0; i < n_started; i++)
        pthread_join(threads[i], NULL);
    for (i = 0; i < c->n_channels; i++)
        r = r == cudaSuccess ? parts[i].result : r;
    return r;
}

static int is_pinned(const void *host)
{
    struct cudaPointerAttributes a;
    if (cudaPointerGetAttributes(&a, host) == cudaSuccess)
        return a.type != cudaMemoryTypeUnregistered;
    (void)cudaGetLastError();
    return 0;
}

heddle_status hd_cuda_copy(hd_device *d, void *to, const void *from, uint64_t n_bytes, enum cudaMemcpyKind kind,
                           hd_error *e)
{
    copier *c = NULL;
    cudaError_t r;
    HD_TRY(hd_cuda_use(d, e));
    if (n_bytes >= LARGE && !is_pinned(kind == cudaMemcpyHostToDevice ? from : to))
        c = take_copier(d);
    if (c) {
        r = copy_parts(d, c, to, from, n_bytes, kind);
        give_copier(c);
        HD_CUDA_TRY(r, e, doing);
        return HEDDLE_OK;
    }
    HD_CUDA_TRY(cudaMemcpyAsync(to, from, n_bytes, kind, d->side), e, doing);
    HD_CUDA_TRY(cudaStreamSynchronize(d->side), e, doing);
    return HEDDLE_OK;
}
