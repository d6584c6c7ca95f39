/* SPDX-License-Identifier: MIT */
/* link.cu - implements link.h. Each direction has a stream, and goes round in a buffer of its own. */
#include "link.h"

#include "cuda_try.h"

#include <cstdio>
#include <cuda_runtime.h>

#define TRY(call) CUDA_TRY(call, "copies of pinned memory", error, LINK_ERROR)
#define CHUNK (4ull << 20)
#define BUFFER (16 * CHUNK)
#define RUNS 7

enum { IN, OUT, WAYS };

struct direction {
    cudaStream_t stream;
    char *host, *device;
    uint64_t n_bytes;
};

static int open_way(direction *d, char *error)
{
    TRY(cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking));
    TRY(cudaHostAlloc(reinterpret_cast<void **>(&d->host), BUFFER, cudaHostAllocDefault));
    TRY(cudaMalloc(reinterpret_cast<void **>(&d->device), BUFFER));
    return 0;
}

static void close_way(const direction *d)
{
    (void)cudaFree(d->device);
    (void)cudaFreeHost(d->host);
    if (d->stream)
        (void)cudaStreamDestroy(d->stream);
}

/* The copy at that place, if there is one. */
static int copy(const direction *d, int way, uint64_t at, char *error)
{
    const uint64_t n = at < d->n_bytes ? (d->n_bytes - at < CHUNK ? d->n_bytes - at : CHUNK) : 0, place = at % BUFFER;
    if (n && way == IN)
        TRY(cudaMemcpyAsync(d->device + place, d->host + place, n, cudaMemcpyHostToDevice, d->stream));
    if (n && way == OUT)
        TRY(cudaMemcpyAsync(d->host + place, d->device + place, n, cudaMemcpyDeviceToHost, d->stream));
    return 0;
}

/* The second stream waits for the first one's event, which stands before the copies; the first ends behind the second. */
static int run(direction *d, cudaEvent_t begin, cudaEvent_t both, cudaEvent_t end, double *ms, char *error)
{
    const uint64_t most = d[IN].n_bytes > d[OUT].n_bytes ? d[IN].n_bytes : d[OUT].n_bytes;
    float took;
    TRY(cudaEventRecord(begin, d[IN].stream));
    TRY(cudaStreamWaitEvent(d[OUT].stream, begin, 0));
    for (uint64_t at = 0; at < most; at += CHUNK)
        if (copy(&d[IN], IN, at, error) || copy(&d[OUT], OUT, at, error))
            return -1;
    TRY(cudaEventRecord(both, d[OUT].stream));
    TRY(cudaStreamWaitEvent(d[IN].stream, both, 0));
    TRY(cudaEventRecord(end, d[IN].stream));
    TRY(cudaEventSynchronize(end));
    TRY(cudaEventElapsedTime(&took, begin, end));
    *ms = took;
    return 0;
}

static int time_runs(direction *d, double *ms, char *error)
{
    cudaEvent_t e[3] = {};
    double now = 0;
    int status = 0;
    for (cudaEvent_t &at : e)
        TRY(cudaEventCreate(&at));
    for (int i = 0; i < RUNS && !status; i++) {
        status = run(d, e[0], e[1], e[2], &now, error);
        *ms = i == 0 || now < *ms ? now : *ms;
    }
    for (const cudaEvent_t at : e)
        (void)cudaEventDestroy(at);
    return status;
}

extern "C" int link_time(uint64_t in_bytes, uint64_t out_bytes, double *ms, char error[LINK_ERROR])
{
    direction d[WAYS] = {};
    int status;
    d[IN].n_bytes = in_bytes;
    d[OUT].n_bytes = out_bytes;
    status = open_way(&d[IN], error) || open_way(&d[OUT], error) || time_runs(d, ms, error) ? -1 : 0;
    close_way(&d[IN]);
    close_way(&d[OUT]);
    return status;
}
