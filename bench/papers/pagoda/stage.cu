/* SPDX-License-Identifier: MIT */
/* stage.cu - implements stage.h. A chunk's grid is captured once, and kept without the words that heddle copies before and behind a run:
 * so nothing but copies and grids is in the streams. */
#include "stage.h"

#include "cuda_try.h"

#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

#define TRY(call) CUDA_TRY(call, "chunks of tasks", error, STAGE_ERROR)

enum { MOST_NODES = 16 };

struct stage {
    char *memory = nullptr;
    cudaStream_t streams[STAGE_STREAMS] = {};
    const stage_chunk *chunks = nullptr;
    std::vector<cudaGraphExec_t> grids;
};

/* ---- memory ---- */

static int make(stage *s, uint32_t device, uint64_t n_bytes, char *error)
{
    TRY(cudaSetDevice((int)device));
    TRY(cudaMalloc(reinterpret_cast<void **>(&s->memory), n_bytes));
    TRY(cudaMemset(s->memory, 0, n_bytes));
    for (cudaStream_t &at : s->streams)
        TRY(cudaStreamCreateWithFlags(&at, cudaStreamNonBlocking));
    TRY(cudaDeviceSynchronize());
    return 0;
}

extern "C" stage *stage_open(uint32_t device, uint64_t n_bytes, char error[STAGE_ERROR])
{
    stage *s = new stage;
    if (!make(s, device, n_bytes, error))
        return s;
    stage_close(s);
    return nullptr;
}

extern "C" void *stage_memory(const stage *s) { return s->memory; }

extern "C" void stage_close(stage *s)
{
    for (const cudaGraphExec_t grid : s->grids)
        (void)cudaGraphExecDestroy(grid);
    for (const cudaStream_t at : s->streams)
        if (at)
            (void)cudaStreamDestroy(at);
    (void)cudaFree(s->memory);
    delete s;
}

/* ---- grids ---- */

static int enqueue(const stage *s, const stage_runner *r, heddle_graph *graph, char *error)
{
    if (heddle_graph_enqueue(r->ctx, graph, r->params, r->params_bytes, s->streams[0]) == HEDDLE_OK)
        return 0;
    snprintf(error, STAGE_ERROR, "%s", heddle_error_text(r->ctx));
    return -1;
}

/* Removes from a captured run all but its grid. */
static int keep_grid(cudaGraph_t run, char *error)
{
    cudaGraphNode_t nodes[MOST_NODES];
    size_t n = MOST_NODES, n_grids = 0;
    TRY(cudaGraphGetNodes(run, nodes, &n));
    for (size_t i = 0; i < n; i++) {
        cudaGraphNodeType type;
        TRY(cudaGraphNodeGetType(nodes[i], &type));
        n_grids += type == cudaGraphNodeTypeKernel;
        if (type != cudaGraphNodeTypeKernel)
            TRY(cudaGraphDestroyNode(nodes[i]));
    }
    if (n_grids == 1)
        return 0;
    snprintf(error, STAGE_ERROR, "a chunk is %zu grids, not one", n_grids);
    return -1;
}

/* A run into a stream that is not captured must come first. */
static int load_one(stage *s, const stage_runner *r, heddle_graph *graph, char *error)
{
    cudaGraph_t run = nullptr;
    cudaGraphExec_t grid = nullptr;
    int status;
    if (enqueue(s, r, graph, error))
        return -1;
    TRY(cudaStreamSynchronize(s->streams[0]));
    TRY(cudaStreamBeginCapture(s->streams[0], cudaStreamCaptureModeThreadLocal));
    status = enqueue(s, r, graph, error);
    TRY(cudaStreamEndCapture(s->streams[0], &run));
    status = status || keep_grid(run, error) ? -1 : 0;
    if (!status)
        TRY(cudaGraphInstantiate(&grid, run, 0));
    (void)cudaGraphDestroy(run);
    if (!status)
        s->grids.push_back(grid);
    return status;
}

extern "C" int stage_load(stage *s, const stage_runner *r, const stage_chunk *chunks, uint64_t n,
                          char error[STAGE_ERROR])
{
    s->chunks = chunks;
    for (uint64_t i = 0; i < n; i++)
        if (load_one(s, r, chunks[i].graph, error))
            return -1;
    return 0;
}

/* ---- runs ---- */

/* The chunk's copies of one direction; `not_this`: the mode of spans that only go the other way. */
static int copy(const stage *s, const stage_chunk *c, heddle_mode not_this, cudaStream_t stream, char *error)
{
    for (const stage_span &a : c->span) {
        char *at = s->memory + a.at;
        if (!a.n_bytes || a.mode == not_this)
            continue;
        if (not_this == HEDDLE_MODE_OUT)
            TRY(cudaMemcpyAsync(at, a.host, a.n_bytes, cudaMemcpyHostToDevice, stream));
        else
            TRY(cudaMemcpyAsync(a.host, at, a.n_bytes, cudaMemcpyDeviceToHost, stream));
    }
    return 0;
}

extern "C" int stage_run(stage *s, uint32_t n_streams, char error[STAGE_ERROR])
{
    for (size_t i = 0; i < s->grids.size(); i++) {
        const cudaStream_t stream = s->streams[i % n_streams];
        if (copy(s, &s->chunks[i], HEDDLE_MODE_OUT, stream, error))
            return -1;
        TRY(cudaGraphLaunch(s->grids[i], stream));
        if (copy(s, &s->chunks[i], HEDDLE_MODE_IN, stream, error))
            return -1;
    }
    for (uint32_t k = 0; k < n_streams; k++)
        TRY(cudaStreamSynchronize(s->streams[k]));
    return 0;
}
