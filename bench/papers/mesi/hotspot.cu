/* SPDX-License-Identifier: MIT */
/* hotspot.cu - steps of hotspot by hand (by_hand.h), on one GPU or with the rows shared out over several.
 *
 * A GPU has two arrays of temperatures, with a row more on either side, and its rows' power. Step s reads array s % 2 and writes the other
 * one. Events alone order the GPUs, and graphs are made by capturing the same calls.
 *
 * COPIES: a GPU's step waits for its neighbours' rows of the step before. When these have done a step, it copies their outermost rows in a
 * stream of its own. What this overwrites was read a step ago, and the neighbours' step came after that.
 *
 * STORES: the outermost rows of a step are also computed by the edge stream, into the neighbours' memory. It begins when the step before has
 * ended on this GPU and on the neighbours, which still read there, and so runs beside the step; the neighbours' next step waits for it.
 *
 * Refused are fewer rows than GPUs, and for STORES neighbours that do not reach each other's memory. */
#include "by_hand.h"

#include "cuda_try.h"
#include "pin.h"

#undef HEDDLE_LOOP_TABLE
#define HEDDLE_LOOP_TABLE(table, params_type, list)
#include "hotspot_bodies.c"

#include <chrono>
#include <cstdio>
#include <cuda_runtime.h>

#define TRY(call) CUDA_TRY(call, "hotspot by hand", error, BY_HAND_ERROR)

enum { TEAM = 256, LEAST_BLOCKS = 3, TILE_ROWS = 16, TILE_COLS = 1024, GRAPH_STEPS = 50, SIDES = 2 };

/* ---- the kernel ---- */

struct step_work {
    hotspot_record record; /* rows as in all of the chip */
    uint64_t begin, end;
};

static __global__ __launch_bounds__(TEAM, LEAST_BLOCKS) void step_rows(const __grid_constant__ step_work w)
{
    extern __shared__ __align__(128) unsigned char room[];
    const heddle_thread thread = heddle_block_thread(nullptr, room, TEAM, 0);
    const uint64_t i = w.begin + uint64_t(blockIdx.y) * TILE_ROWS, j = uint64_t(blockIdx.x) * TILE_COLS;
    const heddle_span s = {i, i + TILE_ROWS < w.end ? i + TILE_ROWS : w.end, j,
                           j + TILE_COLS < w.record.cols ? j + TILE_COLS : w.record.cols, 0};
    hotspot_step_body_(&thread, &w.record, &s);
}

/* ---- GPUs and their rows ---- */

struct gpu {
    uint64_t begin, end; /* its rows */
    char *cells[2], *power;
    cudaStream_t steps, side; /* side: copies, or edges */
    cudaEvent_t stepped[2];   /* of steps, by parity */
    cudaEvent_t sided[2];     /* of the side stream's work after, or beside, a step */
};

struct by_hand_steps {
    steps s;
    uint32_t n_gpus;
    steps_exchange exchange;
    uint64_t stride; /* bytes of a row */
    gpu gpus[BY_HAND_MOST_GPUS];
    cudaGraphExec_t graph; /* GRAPH_STEPS of them, or NULL */
};

static uint64_t array_bytes(const by_hand_steps *h) { return h->s.record.rows * h->stride; }

static int set(uint32_t g, char *error)
{
    TRY(cudaSetDevice(static_cast<int>(g)));
    return 0;
}

/* Where a row of the chip is, or would be, in that GPU's array. */
static char *cells_at(const by_hand_steps *h, uint32_t g, int parity, uint64_t row)
{
    return h->gpus[g].cells[parity] + (row + 1 - h->gpus[g].begin) * h->stride;
}

static int open_gpu(by_hand_steps *h, uint32_t g, char *error)
{
    gpu *u = &h->gpus[g];
    const uint64_t rows = h->s.record.rows;
    u->begin = rows * g / h->n_gpus;
    u->end = rows * (g + 1) / h->n_gpus;
    if (set(g, error))
        return -1;
    for (int i = 0; i < 2; i++) {
        TRY(cudaMalloc(&u->cells[i], (u->end - u->begin + 2) * h->stride));
        TRY(cudaEventCreateWithFlags(&u->stepped[i], cudaEventDisableTiming));
        TRY(cudaEventCreateWithFlags(&u->sided[i], cudaEventDisableTiming));
    }
    TRY(cudaMalloc(&u->power, (u->end - u->begin) * h->stride));
    TRY(cudaStreamCreateWithFlags(&u->steps, cudaStreamNonBlocking));
    TRY(cudaStreamCreateWithFlags(&u->side, cudaStreamNonBlocking));
    return 0;
}

/* The neighbour before (side 0) or after; 0: there is none. */
static int neighbour(const by_hand_steps *h, uint32_t g, int side, uint32_t *out)
{
    *out = side ? g + 1 : g - 1;
    return side ? g + 1 < h->n_gpus : g > 0;
}

static int reach(const by_hand_steps *h, uint32_t g, uint32_t other, char *error)
{
    int can = 0;
    cudaError_t status;
    TRY(cudaDeviceCanAccessPeer(&can, static_cast<int>(g), static_cast<int>(other)));
    if (!can && h->exchange == STEPS_COPIES)
        return 0; /* CUDA goes by way of the host */
    if (!can) {
        snprintf(error, BY_HAND_ERROR, "GPU %u does not reach the memory of GPU %u", g, other);
        return -1;
    }
    status = cudaDeviceEnablePeerAccess(static_cast<int>(other), 0);
    if (status == cudaErrorPeerAccessAlreadyEnabled)
        (void)cudaGetLastError();
    else
        TRY(status);
    return 0;
}

static int reach_all(const by_hand_steps *h, char *error)
{
    for (uint32_t g = 0; g < h->n_gpus; g++)
        for (int side = 0; side < SIDES; side++) {
            uint32_t other;
            if (set(g, error) || (neighbour(h, g, side, &other) && reach(h, g, other, error)))
                return -1;
        }
    return 0;
}

/* ---- a step ---- */

/* Rows begin ... end - 1 of GPU g, from its array of that parity, into the other one of GPU `to`. */
static int put_rows(const by_hand_steps *h, uint32_t g, uint32_t to, int parity, uint64_t begin, uint64_t end,
                    cudaStream_t stream, char *error)
{
    const dim3 grid(static_cast<uint32_t>((h->s.record.cols + TILE_COLS - 1) / TILE_COLS),
                    static_cast<uint32_t>((end - begin + TILE_ROWS - 1) / TILE_ROWS));
    step_work w = {h->s.record, begin, end};
    /* Where row 0 would be. */
    w.record.from = reinterpret_cast<const float *>(cells_at(h, g, parity, 0));
    w.record.to = reinterpret_cast<float *>(cells_at(h, to, !parity, 0));
    w.record.power = reinterpret_cast<const float *>(h->gpus[g].power - h->gpus[g].begin * h->stride);
    step_rows<<<grid, TEAM, HEDDLE_REDUCE_BYTES, stream>>>(w);
    TRY(cudaGetLastError());
    return 0;
}

/* The stream waits for events of both neighbours: of their steps or side streams, of that parity. */
static int wait_for(const by_hand_steps *h, uint32_t g, cudaStream_t stream, int is_side, int parity, char *error)
{
    for (int side = 0; side < SIDES; side++) {
        uint32_t other;
        if (neighbour(h, g, side, &other))
            TRY(cudaStreamWaitEvent(stream, is_side ? h->gpus[other].sided[parity] : h->gpus[other].stepped[parity]));
    }
    return 0;
}

/* The row of GPU g that lies beside the neighbour on that side. */
static uint64_t edge_of(const gpu *u, int side) { return side ? u->end - 1 : u->begin; }

/* After the step of that parity: the neighbours' rows come here. */
static int put_copies(const by_hand_steps *h, uint32_t g, int parity, char *error)
{
    const gpu *u = &h->gpus[g];
    if (wait_for(h, g, u->side, 0, parity, error))
        return -1;
    for (int side = 0; side < SIDES; side++) {
        uint32_t other;
        if (!neighbour(h, g, side, &other))
            continue;
        const uint64_t row = edge_of(&h->gpus[other], !side);
        TRY(cudaMemcpyPeerAsync(cells_at(h, g, !parity, row), static_cast<int>(g), cells_at(h, other, !parity, row),
                                static_cast<int>(other), h->stride, u->side));
    }
    TRY(cudaEventRecord(u->sided[parity], u->side));
    return 0;
}

/* Beside the step of that parity: this GPU's edges go to the neighbours. */
static int put_edges(const by_hand_steps *h, uint32_t g, int parity, uint64_t since, char *error)
{
    const gpu *u = &h->gpus[g];
    if (since) {
        TRY(cudaStreamWaitEvent(u->side, u->stepped[!parity]));
        if (wait_for(h, g, u->side, 0, !parity, error) || wait_for(h, g, u->side, 1, !parity, error))
            return -1;
    }
    for (int side = 0; side < SIDES; side++) {
        uint32_t other;
        if (neighbour(h, g, side, &other) &&
            put_rows(h, g, other, parity, edge_of(u, side), edge_of(u, side) + 1, u->side, error))
            return -1;
    }
    TRY(cudaEventRecord(u->sided[parity], u->side));
    return 0;
}

/* What this step reads has come from the neighbours, and nobody reads any more what it overwrites: of COPIES, in the neighbours' copies after
 * the step before the last one, of STORES in the own edges of the last one. `since`: how many steps there were before. */
static int put_own(const by_hand_steps *h, uint32_t g, int parity, uint64_t since, char *error)
{
    const gpu *u = &h->gpus[g];
    const int is_copying = h->exchange == STEPS_COPIES;
    if (since)
        TRY(cudaStreamWaitEvent(u->steps, u->sided[!parity]));
    if (since > (is_copying ? 1u : 0u) && wait_for(h, g, u->steps, 1, is_copying ? parity : !parity, error))
        return -1;
    if (put_rows(h, g, g, parity, u->begin, u->end, u->steps, error))
        return -1;
    TRY(cudaEventRecord(u->stepped[parity], u->steps));
    return 0;
}

/* Edges before steps: small kernels find room before a large one takes all. */
static int put_step(const by_hand_steps *h, uint64_t step, uint64_t since, char *error)
{
    const int parity = static_cast<int>(step % 2);
    if (h->n_gpus == 1)
        return put_rows(h, 0, 0, parity, h->gpus[0].begin, h->gpus[0].end, h->gpus[0].steps, error);
    for (uint32_t g = 0; h->exchange == STEPS_STORES && g < h->n_gpus; g++)
        if (set(g, error) || put_edges(h, g, parity, since, error))
            return -1;
    for (uint32_t g = 0; g < h->n_gpus; g++)
        if (set(g, error) || put_own(h, g, parity, since, error))
            return -1;
    for (uint32_t g = 0; h->exchange == STEPS_COPIES && g < h->n_gpus; g++)
        if (set(g, error) || put_copies(h, g, parity, error))
            return -1;
    return 0;
}

/* ---- a graph ---- */

/* Streams of all GPUs join the capture by an event of the first, and it waits for their ends. */
static int fork(const by_hand_steps *h, cudaEvent_t begun, char *error)
{
    TRY(cudaEventRecord(begun, h->gpus[0].steps));
    for (uint32_t g = 0; g < h->n_gpus; g++) {
        if (g)
            TRY(cudaStreamWaitEvent(h->gpus[g].steps, begun));
        TRY(cudaStreamWaitEvent(h->gpus[g].side, begun));
    }
    return 0;
}

static int join(const by_hand_steps *h, int parity, char *error)
{
    for (uint32_t g = 0; h->n_gpus > 1 && g < h->n_gpus; g++) {
        TRY(cudaStreamWaitEvent(h->gpus[0].steps, h->gpus[g].sided[parity]));
        TRY(cudaStreamWaitEvent(h->gpus[0].steps, h->gpus[g].stepped[parity]));
    }
    return 0;
}

static int put_graph_steps(const by_hand_steps *h, cudaEvent_t begun, char *error)
{
    if (h->n_gpus > 1 && fork(h, begun, error))
        return -1;
    for (uint64_t s = 0; s < GRAPH_STEPS; s++)
        if (put_step(h, s, s, error))
            return -1;
    return set(0, error) || join(h, (GRAPH_STEPS - 1) % 2, error) ? -1 : 0;
}

static int capture(by_hand_steps *h, cudaEvent_t begun, cudaGraph_t *graph, char *error)
{
    int status;
    TRY(cudaStreamBeginCapture(h->gpus[0].steps, cudaStreamCaptureModeThreadLocal));
    status = put_graph_steps(h, begun, error);
    const cudaError_t ended = cudaStreamEndCapture(h->gpus[0].steps, graph);
    if (status)
        return -1;
    TRY(ended);
    TRY(cudaGraphInstantiate(&h->graph, *graph, 0));
    return 0;
}

static int open_graph(by_hand_steps *h, char *error)
{
    cudaEvent_t begun;
    cudaGraph_t graph = nullptr;
    int status;
    if (set(0, error))
        return -1;
    TRY(cudaEventCreateWithFlags(&begun, cudaEventDisableTiming));
    status = capture(h, begun, &graph, error);
    if (graph)
        (void)cudaGraphDestroy(graph);
    (void)cudaEventDestroy(begun);
    return status;
}

/* ---- the interface ---- */

int by_hand_steps_open(by_hand_steps **out, const steps *s, uint32_t n_gpus, steps_exchange exchange, int with_graph,
                       char error[BY_HAND_ERROR])
{
    by_hand_steps *h = *out = new by_hand_steps();
    h->s = *s;
    h->exchange = exchange;
    h->stride = s->record.cols * sizeof(float);
    if (n_gpus > by_hand_gpus() || n_gpus > BY_HAND_MOST_GPUS || n_gpus > s->record.rows || !n_gpus) {
        snprintf(error, BY_HAND_ERROR, "%u GPUs are not here, or have no row each", n_gpus);
        return -1;
    }
    h->n_gpus = n_gpus;
    pin(s->start, array_bytes(h));
    pin(s->power, array_bytes(h));
    if (s->result != s->start)
        pin(s->result, array_bytes(h));
    for (uint32_t g = 0; g < n_gpus; g++)
        if (open_gpu(h, g, error))
            return -1;
    return reach_all(h, error) || (with_graph && open_graph(h, error)) ? -1 : 0;
}

static void close_gpu(gpu *u)
{
    for (int i = 0; i < 2; i++) {
        (void)cudaFree(u->cells[i]);
        if (u->stepped[i])
            (void)cudaEventDestroy(u->stepped[i]);
        if (u->sided[i])
            (void)cudaEventDestroy(u->sided[i]);
    }
    (void)cudaFree(u->power);
    if (u->steps)
        (void)cudaStreamDestroy(u->steps);
    if (u->side)
        (void)cudaStreamDestroy(u->side);
}

void by_hand_steps_close(by_hand_steps *h)
{
    if (!h)
        return;
    if (h->graph)
        (void)cudaGraphExecDestroy(h->graph);
    for (uint32_t g = 0; g < h->n_gpus; g++)
        if (cudaSetDevice(static_cast<int>(g)) == cudaSuccess)
            close_gpu(&h->gpus[g]);
    unpin(h->s.start);
    unpin(h->s.power);
    if (h->s.result != h->s.start)
        unpin(h->s.result);
    (void)cudaSetDevice(0);
    (void)cudaGetLastError(); /* of what was not made */
    delete h;
}

/* With the rows beside its own, as far as there are any. */
int by_hand_steps_bring(by_hand_steps *h, char error[BY_HAND_ERROR])
{
    for (uint32_t g = 0; g < h->n_gpus; g++) {
        const gpu *u = &h->gpus[g];
        const uint64_t first = u->begin ? u->begin - 1 : 0, end = u->end < h->s.record.rows ? u->end + 1 : u->end;
        if (set(g, error))
            return -1;
        TRY(cudaMemcpy(cells_at(h, g, 0, first), h->s.start + first * h->s.record.cols, (end - first) * h->stride,
                       cudaMemcpyHostToDevice));
        TRY(cudaMemcpy(u->power, h->s.power + u->begin * h->s.record.cols, (u->end - u->begin) * h->stride,
                       cudaMemcpyHostToDevice));
    }
    return 0;
}

static int wait_all(const by_hand_steps *h, char *error)
{
    for (uint32_t g = 0; g < h->n_gpus; g++) {
        if (set(g, error))
            return -1;
        TRY(cudaStreamSynchronize(h->gpus[g].steps));
        TRY(cudaStreamSynchronize(h->gpus[g].side));
    }
    return 0;
}

/* Graphs first, then what steps remain as launches, when the graphs are through: events within a graph are not those outside. */
static int put_steps(const by_hand_steps *h, char *error)
{
    uint64_t done = 0;
    if (set(0, error))
        return -1;
    for (; h->graph && done + GRAPH_STEPS <= h->s.n; done += GRAPH_STEPS)
        TRY(cudaGraphLaunch(h->graph, h->gpus[0].steps));
    if (done && done < h->s.n && wait_all(h, error))
        return -1;
    for (uint64_t s = done; s < h->s.n; s++)
        if (put_step(h, s, s - done, error))
            return -1;
    return wait_all(h, error);
}

int by_hand_steps_compute(by_hand_steps *h, double *ms, char error[BY_HAND_ERROR])
{
    const auto begin = std::chrono::steady_clock::now();
    const int status = put_steps(h, error);
    *ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    return status;
}

int by_hand_steps_take(by_hand_steps *h, char error[BY_HAND_ERROR])
{
    for (uint32_t g = 0; g < h->n_gpus; g++) {
        const gpu *u = &h->gpus[g];
        if (set(g, error))
            return -1;
        TRY(cudaMemcpy(h->s.result + u->begin * h->s.record.cols,
                       cells_at(h, g, static_cast<int>(h->s.n % 2), u->begin), (u->end - u->begin) * h->stride,
                       cudaMemcpyDeviceToHost));
    }
    return 0;
}

uint32_t by_hand_gpus(void)
{
    int n = 0;
    if (cudaGetDeviceCount(&n) != cudaSuccess)
        (void)cudaGetLastError();
    return n > 0 ? static_cast<uint32_t>(n) : 0;
}
