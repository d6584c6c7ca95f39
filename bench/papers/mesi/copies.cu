/* SPDX-License-Identifier: MIT */
/* copies.cu - how many bytes a nanosecond plain copies bring and take (by_hand.h). Each GPU has a stream for either way, with memory of its own
 * at both ends: so much that caches of the host hold little of it. The best of a few rounds counts. */
#include "by_hand.h"

#include "cuda_try.h"

#include <chrono>
#include <cuda_runtime.h>

#define TRY(call) CUDA_TRY(call, "copies by hand", error, BY_HAND_ERROR)

enum { IN, OUT, WAYS, ROUNDS = 3, REPEATS = 4 };
static constexpr size_t BUFFER = size_t(256) << 20;

struct path {
    char *host, *device;
    cudaStream_t stream;
};

struct paths {
    uint32_t n_gpus;
    path of[BY_HAND_MOST_GPUS][WAYS];
};

static int open_path(path *p, char *error)
{
    TRY(cudaHostAlloc(&p->host, BUFFER, cudaHostAllocPortable));
    TRY(cudaMalloc(&p->device, BUFFER));
    TRY(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking));
    return 0;
}

static void close_path(const path *p)
{
    if (p->stream)
        (void)cudaStreamDestroy(p->stream);
    (void)cudaFree(p->device);
    (void)cudaFreeHost(p->host);
}

static int open_all(paths *h, char *error)
{
    for (uint32_t g = 0; g < h->n_gpus; g++) {
        TRY(cudaSetDevice(static_cast<int>(g)));
        for (path &p : h->of[g])
            if (open_path(&p, error))
                return -1;
    }
    return 0;
}

static void close_all(const paths *h)
{
    for (uint32_t g = 0; g < h->n_gpus; g++)
        if (cudaSetDevice(static_cast<int>(g)) == cudaSuccess)
            for (const path &p : h->of[g])
                close_path(&p);
    (void)cudaSetDevice(0);
    (void)cudaGetLastError(); /* of what was not made */
}

static int put_one(const path *p, int way, char *error)
{
    if (way == IN)
        TRY(cudaMemcpyAsync(p->device, p->host, BUFFER, cudaMemcpyHostToDevice, p->stream));
    else
        TRY(cudaMemcpyAsync(p->host, p->device, BUFFER, cudaMemcpyDeviceToHost, p->stream));
    return 0;
}

static int put_round(const paths *h, int first, int end, char *error)
{
    for (int r = 0; r < REPEATS; r++)
        for (uint32_t g = 0; g < h->n_gpus; g++)
            for (int way = first; way < end; way++)
                if (put_one(&h->of[g][way], way, error))
                    return -1;
    for (uint32_t g = 0; g < h->n_gpus; g++)
        for (int way = first; way < end; way++)
            TRY(cudaStreamSynchronize(h->of[g][way].stream));
    return 0;
}

/* The ways from first to before end, at once. */
static int time_ways(const paths *h, int first, int end, double *bytes_ns, char *error)
{
    const double bytes = static_cast<double>(BUFFER) * REPEATS * h->n_gpus * (end - first);
    *bytes_ns = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const auto begin = std::chrono::steady_clock::now();
        if (put_round(h, first, end, error))
            return -1;
        const double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
        *bytes_ns = bytes / ns > *bytes_ns ? bytes / ns : *bytes_ns;
    }
    return 0;
}

int by_hand_copies(uint32_t n_gpus, by_hand_rates *out, char error[BY_HAND_ERROR])
{
    paths h = {};
    h.n_gpus = n_gpus;
    const int status = open_all(&h, error) || time_ways(&h, IN, OUT, &out->in, error) ||
                               time_ways(&h, OUT, WAYS, &out->out, error) || time_ways(&h, IN, WAYS, &out->both, error)
                           ? -1
                           : 0;
    close_all(&h);
    return status;
}
