/* SPDX-License-Identifier: MIT */
/* link.cu - implements link.h. Each flow has a stream and an event of the GPU that all flows have in common, since times between events
 * of two GPUs are not defined. It goes round in a buffer of its own at either end. GPUs reach each other's memory directly where they
 * can; elsewhere CUDA takes the way through the host. */
#include "link.h"

#include "cuda_try.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cuda_runtime.h>

#define TRY(call) CUDA_TRY(call, "copies between memories", error, LINK_ERROR)
#define BUFFER (64ull << 20)
#define RUNS 7
#define SMALL_BYTES 64
#define N_SMALL 201

struct lane {
    link_flow *flow;
    cudaStream_t stream;
    cudaEvent_t end;
    char *from, *to;
};

static int is_gpu(int place) { return place != LINK_HOST; }
static int gpu_of(const link_flow *f) { return is_gpu(f->from) ? f->from : f->to; }

/* ---- buffers and streams ---- */

static int memory_new(char **out, int place, char *error)
{
    if (!is_gpu(place)) {
        TRY(cudaHostAlloc(reinterpret_cast<void **>(out), BUFFER, cudaHostAllocDefault));
        return 0;
    }
    TRY(cudaSetDevice(place));
    TRY(cudaMalloc(reinterpret_cast<void **>(out), BUFFER));
    return 0;
}

static void memory_free(char *p, int place)
{
    if (is_gpu(place))
        (void)cudaFree(p);
    else
        (void)cudaFreeHost(p);
}

/* What is not possible, or was done before, is no error. */
static void open_way(int a, int b)
{
    int can = 0;
    if (cudaDeviceCanAccessPeer(&can, a, b) == cudaSuccess && can && cudaSetDevice(a) == cudaSuccess)
        (void)cudaDeviceEnablePeerAccess(b, 0);
    (void)cudaGetLastError();
}

static int open_lane(lane *l, link_flow *f, int gpu, char *error)
{
    l->flow = f;
    if (is_gpu(f->from) && is_gpu(f->to)) {
        open_way(f->from, f->to);
        open_way(f->to, f->from);
    }
    if (memory_new(&l->from, f->from, error) || memory_new(&l->to, f->to, error))
        return -1;
    TRY(cudaSetDevice(gpu));
    TRY(cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking));
    TRY(cudaEventCreate(&l->end));
    return 0;
}

static void close_lane(const lane *l)
{
    if (!l->flow)
        return;
    memory_free(l->from, l->flow->from);
    memory_free(l->to, l->flow->to);
    if (l->stream)
        (void)cudaStreamDestroy(l->stream);
    if (l->end)
        (void)cudaEventDestroy(l->end);
}

/* ---- one run ---- */

/* The copy at that place, if there is one. Rows of all of them are the first ones of the buffer. */
static int copy(const lane *l, uint64_t at, uint64_t chunk, char *error)
{
    const uint64_t all = l->flow->n_bytes, n = at < all ? std::min(all - at, chunk) : 0,
                   place = at % (BUFFER / chunk * chunk), row = l->flow->row_bytes;
    if (n && row)
        TRY(cudaMemcpy2DAsync(l->to, row, l->from, LINK_PITCH, row, n / row, cudaMemcpyDefault, l->stream));
    else if (n)
        TRY(cudaMemcpyAsync(l->to + place, l->from + place, n, cudaMemcpyDefault, l->stream));
    return 0;
}

static int has_room(const link_flow *f, uint64_t chunk)
{
    return f->row_bytes ? f->row_bytes <= LINK_PITCH && chunk / f->row_bytes * LINK_PITCH <= BUFFER : chunk <= BUFFER;
}

/* All streams wait for the first one's event, which stands before the copies. */
static int put_copies(const lane *l, int n, uint64_t chunk, cudaEvent_t begin, char *error)
{
    uint64_t most = 0;
    TRY(cudaEventRecord(begin, l[0].stream));
    for (int i = 0; i < n; i++) {
        TRY(cudaStreamWaitEvent(l[i].stream, begin, 0));
        most = std::max(most, l[i].flow->n_bytes);
    }
    for (uint64_t at = 0; at < most; at += chunk)
        for (int i = 0; i < n; i++)
            if (copy(&l[i], at, chunk, error))
                return -1;
    for (int i = 0; i < n; i++)
        TRY(cudaEventRecord(l[i].end, l[i].stream));
    return 0;
}

/* Keeps the times if the last one to end did so earlier than in all runs before; *least: that end. */
static int read_times(const lane *l, int n, cudaEvent_t begin, float *least, char *error)
{
    float took[LINK_FLOWS], last = 0;
    for (int i = 0; i < n; i++) {
        TRY(cudaEventSynchronize(l[i].end));
        TRY(cudaEventElapsedTime(&took[i], begin, l[i].end));
        last = std::max(last, took[i]);
    }
    if (*least > 0 && last >= *least)
        return 0;
    *least = last;
    for (int i = 0; i < n; i++)
        l[i].flow->ms = static_cast<double>(took[i]);
    return 0;
}

static int time_runs(const lane *l, int n, uint64_t chunk, char *error)
{
    cudaEvent_t begin = nullptr;
    float least = 0;
    int status = 0;
    TRY(cudaEventCreate(&begin));
    for (int i = 0; i < RUNS && !status; i++)
        status = put_copies(l, n, chunk, begin, error) || read_times(l, n, begin, &least, error) ? -1 : 0;
    (void)cudaEventDestroy(begin);
    return status;
}

extern "C" int link_time(link_flow *f, int n, uint64_t chunk_bytes, char error[LINK_ERROR])
{
    lane lanes[LINK_FLOWS] = {};
    int status = 0;
    bool fits = n >= 1 && n <= LINK_FLOWS && chunk_bytes;
    for (int i = 0; fits && i < n; i++)
        fits = has_room(&f[i], chunk_bytes);
    if (!fits) {
        snprintf(error, LINK_ERROR, "not so many flows, or so large copies");
        return -1;
    }
    for (int i = 0; i < n && !status; i++)
        status = open_lane(&lanes[i], &f[i], gpu_of(&f[0]), error);
    status = status || time_runs(lanes, n, chunk_bytes, error) ? -1 : 0;
    for (const lane &l : lanes)
        close_lane(&l);
    return status;
}

/* ---- small copies ---- */

static int time_small(const lane *l, double *us, char *error)
{
    double took[N_SMALL];
    for (double &t : took) {
        const auto begin = std::chrono::steady_clock::now();
        TRY(cudaMemcpyAsync(l->to, l->from, SMALL_BYTES, cudaMemcpyDefault, l->stream));
        TRY(cudaStreamSynchronize(l->stream));
        t = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
    }
    std::nth_element(took, took + N_SMALL / 2, took + N_SMALL);
    *us = took[N_SMALL / 2];
    return 0;
}

extern "C" int link_latency(const link_flow *f, double *us, char error[LINK_ERROR])
{
    link_flow flow = *f;
    lane l = {};
    const int status = open_lane(&l, &flow, gpu_of(f), error) || time_small(&l, us, error) ? -1 : 0;
    close_lane(&l);
    return status;
}
