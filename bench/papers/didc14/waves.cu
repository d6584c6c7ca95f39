/* SPDX-License-Identifier: MIT */
/* waves.cu - implements waves.h with the CUDA runtime: a CUDA graph of one kernel runs the tiles of a wave, one block
 * per tile. The block that ends last launches the graph again (tail launch). The host launches it once. A graph has one
 * size, that of the widest wave: superfluous blocks end at once. */
#include "waves.h"

#include "cuda_try.h"

#include <cstdio>
#include <cuda_runtime.h>

/* Only the body of a tile is needed: the application defines the table. */
#undef HEDDLE_TABLE
#define HEDDLE_TABLE(app, params_type, list)
#include "heat_bodies.c"

namespace
{

struct state {
    uint32_t wave, n_ended;
};

/* All that a run has on the device. */
struct parts {
    tile_rect *tiles = nullptr;
    uint32_t *begin = nullptr;
    state *at = nullptr;
    cudaStream_t stream = nullptr;
    cudaEvent_t before = nullptr, after = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    ~parts();
};

} // namespace

parts::~parts()
{
    if (exec)
        cudaGraphExecDestroy(exec);
    if (graph)
        cudaGraphDestroy(graph);
    if (before)
        cudaEventDestroy(before);
    if (after)
        cudaEventDestroy(after);
    if (stream)
        cudaStreamDestroy(stream);
    cudaFree(tiles);
    cudaFree(begin);
    cudaFree(at);
}

#define TRY(call) CUDA_TRY(call, "waves launched by the GPU", error, WAVES_ERROR)

static __global__ void one_wave(heat_record record, const tile_rect *tiles, const uint32_t *begin, uint32_t n_waves,
                                state *at)
{
    extern __shared__ __align__(128) unsigned char room[];
    const uint32_t wave = at->wave, tile = begin[wave] + blockIdx.x;
    if (tile < begin[wave + 1]) {
        const heddle_thread thread = heddle_block_thread(nullptr, room, blockDim.x, blockIdx.x);
        heat_sweep_body_(&thread, &record, &tiles[tile]);
    }
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    __threadfence();
    if (atomicAdd(&at->n_ended, 1u) + 1u < gridDim.x)
        return;
    at->n_ended = 0;
    at->wave = wave + 1u;
    if (wave + 1u < n_waves)
        cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
}

static uint32_t widest(const waves *w)
{
    uint32_t most = 1;
    for (uint32_t k = 0; k < w->n_waves; k++)
        most = w->begin[k + 1] - w->begin[k] > most ? w->begin[k + 1] - w->begin[k] : most;
    return most;
}

static int bring(const waves *w, parts *p, char *error)
{
    const size_t n_tiles = w->begin[w->n_waves] * sizeof *p->tiles, n_begin = (w->n_waves + 1u) * sizeof *p->begin;
    TRY(cudaSetDevice((int)w->device));
    TRY(cudaMalloc((void **)&p->tiles, n_tiles));
    TRY(cudaMalloc((void **)&p->begin, n_begin));
    TRY(cudaMalloc((void **)&p->at, sizeof *p->at));
    TRY(cudaMemcpy(p->tiles, w->tiles, n_tiles, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(p->begin, w->begin, n_begin, cudaMemcpyHostToDevice));
    TRY(cudaMemset(p->at, 0, sizeof *p->at));
    TRY(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking));
    TRY(cudaEventCreate(&p->before));
    TRY(cudaEventCreate(&p->after));
    TRY(cudaFuncSetAttribute(one_wave, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)w->shared_bytes));
    return 0;
}

static int capture(const waves *w, parts *p, char *error)
{
    TRY(cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeThreadLocal));
    one_wave<<<widest(w), w->team_size, w->shared_bytes, p->stream>>>(*w->record, p->tiles, p->begin, w->n_waves,
                                                                      p->at);
    TRY(cudaStreamEndCapture(p->stream, &p->graph));
    TRY(cudaGraphInstantiate(&p->exec, p->graph, cudaGraphInstantiateFlagDeviceLaunch));
    TRY(cudaGraphUpload(p->exec, p->stream));
    TRY(cudaStreamSynchronize(p->stream));
    return 0;
}

int waves_run(const waves *w, double *ms, char error[WAVES_ERROR])
{
    parts p;
    state end = {0, 0};
    float between = 0;
    if (bring(w, &p, error) || capture(w, &p, error))
        return -1;
    TRY(cudaDeviceSynchronize());
    TRY(cudaEventRecord(p.before, p.stream));
    TRY(cudaGraphLaunch(p.exec, p.stream));
    TRY(cudaEventRecord(p.after, p.stream));
    TRY(cudaStreamSynchronize(p.stream));
    TRY(cudaEventElapsedTime(&between, p.before, p.after));
    TRY(cudaMemcpy(&end, p.at, sizeof end, cudaMemcpyDeviceToHost));
    if (end.wave != w->n_waves) {
        snprintf(error, WAVES_ERROR, "waves launched by the GPU: %u of %u have run", end.wave, w->n_waves);
        return -1;
    }
    *ms = (double)between;
    return 0;
}
