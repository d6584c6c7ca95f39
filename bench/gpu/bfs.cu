/* SPDX-License-Identifier: MIT */
/* bfs.cu - implements bfs.h with the CUDA runtime.
 *
 * A compare-and-swap of its depth claims a vertex. Claimed vertices go into the next level's queue; the lanes of a warp
 * reserve their places together. In small levels eight lanes share a vertex, so that all its neighbours are loaded at
 * once; otherwise each lane has one. Whole warps read rows that do not fit into a record. */
#include "bfs.h"

#include "bfs_bodies.h"
#include "raw.h"

#include <algorithm>
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

#define ALL 0xffffffffu

/* A queue: its first places may be in shared memory. */
struct queue {
    uint32_t *shared, n_shared, *rest, *count;
};
static __device__ uint32_t &at(const queue &q, uint32_t i) { return i < q.n_shared ? q.shared[i] : q.rest[i]; }

/* Device memory that all ways work on. n_level[k]: vertices of level k. */
struct search {
    const bfs_row *rows;
    const uint32_t *columns;
    uint32_t *dist, *even, *odd, *n_level; /* queues of even and of odd levels */
};

/* ---- a level ---- */

static __device__ int claim(const search &s, uint32_t v, uint32_t depth)
{
    return atomicCAS(&s.dist[v], BFS_FAR, depth) == BFS_FAR;
}

/* Reserves n places for this lane; returns the first; n < 8. */
static __device__ uint32_t places(const queue &to, uint32_t n)
{
    const uint32_t lane = threadIdx.x % 32, before = (1u << lane) - 1u;
    const uint32_t one = __ballot_sync(ALL, n & 1), two = __ballot_sync(ALL, n & 2), four = __ballot_sync(ALL, n & 4);
    const uint32_t all = __popc(one) + 2 * __popc(two) + 4 * __popc(four);
    uint32_t first = 0;
    if (all && lane == 0)
        first = atomicAdd(to.count, all);
    return __shfl_sync(ALL, first, 0) + __popc(one & before) + 2 * __popc(two & before) + 4 * __popc(four & before);
}

/* The whole warp expands the rows of lanes with is_long, one after another. */
static __device__ void expand_long(const search &s, const queue &to, int is_long, uint32_t begin, uint32_t degree,
                                   uint32_t depth)
{
    for (uint32_t left = __ballot_sync(ALL, is_long); left; left &= left - 1) {
        const int owner = __ffs((int)left) - 1;
        const uint32_t from = __shfl_sync(ALL, begin, owner), n = __shfl_sync(ALL, degree, owner);
        for (uint32_t k = 0; k < n; k += 32) {
            const uint32_t i = k + threadIdx.x % 32, v = i < n ? s.columns[from + i] : BFS_NONE;
            const int is_new = v != BFS_NONE && claim(s, v, depth);
            const uint32_t place = places(to, (uint32_t)is_new);
            if (is_new)
                at(to, place) = v;
        }
    }
}

/* One vertex per lane. All lanes of a warp call it; BFS_NONE: no vertex. */
static __device__ void expand_vertex(const search &s, const queue &to, uint32_t v, uint32_t depth)
{
    bfs_row r = {0, 0, {0}};
    uint32_t n = 0, is_new = 0;
    if (v != BFS_NONE) {
        const uint4 *p = (const uint4 *)&s.rows[v], low = __ldg(p), high = __ldg(p + 1);
        r = {low.x, low.y, {low.z, low.w, high.x, high.y, high.z, high.w}};
    }
#pragma unroll
    for (uint32_t j = 0; j < BFS_NEAR; j++)
        if (r.degree <= BFS_NEAR && j < r.degree && claim(s, r.near[j], depth))
            is_new |= 1u << j;
    n = places(to, __popc(is_new));
#pragma unroll
    for (uint32_t j = 0; j < BFS_NEAR; j++)
        if (is_new >> j & 1u)
            at(to, n++) = r.near[j];
    expand_long(s, to, r.degree > BFS_NEAR, r.begin, r.degree, depth);
}

/* One vertex per eight lanes. */
static __device__ void expand_together(const search &s, const queue &to, uint32_t v, uint32_t depth)
{
    const uint32_t j = threadIdx.x % 8;
    uint32_t degree = 0, begin = 0, near = BFS_NONE, place;
    if (v != BFS_NONE) {
        const bfs_row *r = &s.rows[v];
        degree = __ldg(&r->degree);
        begin = __ldg(&r->begin);
        if (j < BFS_NEAR)
            near = __ldg(&r->near[j]);
    }
    const int is_new = degree <= BFS_NEAR && j < degree && claim(s, near, depth);
    place = places(to, (uint32_t)is_new);
    if (is_new)
        at(to, place) = near;
    expand_long(s, to, degree > BFS_NEAR && j == 0, begin, degree, depth);
}

/* Expands the n vertices of a level with n_threads; this is thread `me`. */
static __device__ void expand(const search &s, const queue &from, const queue &to, uint32_t n, uint32_t depth,
                              uint32_t me, uint32_t n_threads)
{
    const uint32_t by = 8 * n <= n_threads ? 8 : 1;
    for (uint32_t k = me; k - me % 32 < n * by; k += n_threads) {
        const uint32_t v = k < n * by ? at(from, k / by) : BFS_NONE;
        if (by == 8)
            expand_together(s, to, v, depth);
        else
            expand_vertex(s, to, v, depth);
    }
}

static __device__ uint32_t *rest(const search &s, uint32_t level) { return level % 2 ? s.odd : s.even; }

static __device__ queue level_queue(const search &s, uint32_t level)
{
    return {nullptr, 0, rest(s, level), &s.n_level[level]};
}

/* ---- kernels ---- */

static __global__ void one_level(search s, uint32_t level)
{
    expand(s, level_queue(s, level), level_queue(s, level + 1), s.n_level[level], level + 1,
           blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
}

static __global__ void all_levels(search s)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    uint32_t n;
    for (uint32_t level = 0; (n = s.n_level[level]) != 0; level++) {
        expand(s, level_queue(s, level), level_queue(s, level + 1), n, level + 1, blockIdx.x * blockDim.x + threadIdx.x,
               gridDim.x * blockDim.x);
        grid.sync();
    }
}

/* n_shared: places that each of two queues has in shared memory. */
static __global__ void __launch_bounds__(1024) one_block(search s, uint32_t n_shared)
{
    extern __shared__ uint32_t room[];
    __shared__ uint32_t count[3]; /* of this level, the next, the one before: so one barrier per level is enough */
    uint32_t n;
    if (threadIdx.x == 0) {
        at({room, n_shared, s.even, nullptr}, 0) = *s.even;
        count[0] = 1;
        count[1] = 0;
    }
    __syncthreads();
    for (uint32_t level = 0; (n = count[level % 3]) != 0; level++) {
        const queue from = {room + level % 2 * n_shared, n_shared, rest(s, level), nullptr};
        const queue to = {room + (level + 1) % 2 * n_shared, n_shared, rest(s, level + 1), &count[(level + 1) % 3]};
        if (threadIdx.x == 0)
            count[(level + 2) % 3] = 0;
        expand(s, from, to, n, level + 1, threadIdx.x, blockDim.x);
        __syncthreads();
    }
}

/* ---- the host's side ---- */

namespace
{

struct bench {
    const bfs_graph *g;
    char *error;
    std::vector<uint32_t> depth, n_level; /* results of the serial search */
    search s = {};
    uint32_t *clean = nullptr; /* initial distances, then initial n_level */
    void *stamps = nullptr;
    cudaStream_t stream = nullptr;
    cudaDeviceProp card;

    ~bench();
    int say(const char *doing, cudaError_t e)
    {
        snprintf(error, 256, "bfs, %s: %s", doing, cudaGetErrorString(e));
        return -1;
    }
};

} // namespace

#define TRY(b, doing, call)              \
    do {                                 \
        cudaError_t try_ = (call);       \
        if (try_ != cudaSuccess)         \
            return (b).say(doing, try_); \
    } while (0)

bench::~bench()
{
    cudaFree((void *)s.rows);
    cudaFree((void *)s.columns);
    cudaFree(s.dist);
    cudaFree(s.even);
    cudaFree(s.odd);
    cudaFree(clean);
    raw_stream_free(stamps);
}

/* Depths, and the number of vertices per level; after the last a level with none. */
static void search_serially(bench &b)
{
    std::vector<uint32_t> now(1, b.g->source), next;
    b.depth.assign(b.g->n, BFS_FAR);
    b.depth[b.g->source] = 0;
    for (uint32_t level = 0; !now.empty(); level++, now.swap(next), next.clear()) {
        b.n_level.push_back((uint32_t)now.size());
        for (uint32_t v : now)
            for (uint32_t k = b.g->begin[v]; k < b.g->begin[v + 1]; k++)
                if (b.depth[b.g->column[k]] == BFS_FAR) {
                    b.depth[b.g->column[k]] = level + 1;
                    next.push_back(b.g->column[k]);
                }
    }
    b.n_level.push_back(0);
}

template <typename T> static int put(bench &b, T **to, const T *from, size_t n)
{
    TRY(b, "memory", cudaMalloc((void **)to, (n ? n : 1) * sizeof(T)));
    if (from)
        TRY(b, "memory", cudaMemcpy((void *)*to, from, n * sizeof(T), cudaMemcpyHostToDevice));
    return 0;
}

/* dist and n_level are adjacent, so that one copy resets them. */
static int bring(bench &b)
{
    const bfs_graph &g = *b.g;
    const size_t n_words = g.n + b.n_level.size();
    std::vector<bfs_row> rows(g.n);
    std::vector<uint32_t> clean(n_words, 0);
    for (size_t v = 0; v < g.n; v++)
        rows[v] = bfs_row_of(g.begin[v], g.begin[v + 1], g.column, nullptr);
    std::fill(clean.begin(), clean.begin() + (ptrdiff_t)g.n, BFS_FAR);
    clean[g.source] = 0;
    clean[g.n] = 1;
    if (put(b, (bfs_row **)&b.s.rows, rows.data(), g.n) || put(b, (uint32_t **)&b.s.columns, g.column, g.begin[g.n]) ||
        put(b, &b.clean, clean.data(), n_words) || put<uint32_t>(b, &b.s.dist, nullptr, n_words) ||
        put<uint32_t>(b, &b.s.even, nullptr, g.n) || put<uint32_t>(b, &b.s.odd, nullptr, g.n))
        return -1;
    b.s.n_level = b.s.dist + g.n;
    return 0;
}

static int put_back(bench &b)
{
    TRY(b, "clearing",
        cudaMemcpyAsync(b.s.dist, b.clean, (b.g->n + b.n_level.size()) * sizeof(uint32_t), cudaMemcpyDeviceToDevice,
                        b.stream));
    TRY(b, "clearing", cudaMemcpyAsync(b.s.even, &b.g->source, sizeof b.g->source, cudaMemcpyHostToDevice, b.stream));
    return 0;
}

static int verify(bench &b, const char *what)
{
    std::vector<uint32_t> got(b.g->n);
    TRY(b, what, cudaMemcpy(got.data(), b.s.dist, b.g->n * sizeof(uint32_t), cudaMemcpyDeviceToHost));
    for (size_t v = 0; v < b.g->n; v++)
        if (got[v] != b.depth[v]) {
            snprintf(b.error, 256, "bfs, %s: vertex %zu is at depth %d, not %d", what, v, (int)got[v], (int)b.depth[v]);
            return -1;
        }
    return 0;
}

/* Median of n_runs of work(stream), after a run that is verified. */
template <typename Work> static int median_us(bench &b, const char *what, int n_runs, double *out, Work work)
{
    std::vector<double> us;
    for (int i = 0; i <= n_runs; i++) {
        double t = 0;
        if (put_back(b))
            return -1;
        if (raw_stamp(b.stamps, 0) || work() || raw_stamp(b.stamps, 1) || raw_between_us(b.stamps, &t)) {
            if (!*b.error)
                snprintf(b.error, 256, "bfs, %s: %.200s", what, raw_error());
            return -1;
        }
        if (verify(b, what))
            return -1;
        if (i)
            us.push_back(t);
    }
    std::sort(us.begin(), us.end());
    *out = us[us.size() / 2];
    return 0;
}

/* ---- the ways ---- */

enum { LEVEL_THREADS = 256 };

/* Eight lanes per vertex while these fit the card's SMs, otherwise fewer blocks than vertices need. */
static int launch_level(bench &b, uint32_t level, uint32_t n)
{
    const uint32_t n_most = 4u * (uint32_t)b.card.multiProcessorCount;
    const uint32_t n_blocks = (8u * n + LEVEL_THREADS - 1) / LEVEL_THREADS;
    one_level<<<std::min(n_blocks, n_most), LEVEL_THREADS, 0, b.stream>>>(b.s, level);
    TRY(b, "a level", cudaGetLastError());
    return 0;
}

static int launch_levels(bench &b)
{
    for (uint32_t level = 0; b.n_level[level]; level++)
        if (launch_level(b, level, b.n_level[level]))
            return -1;
    return 0;
}

static int by_asking(bench &b, uint32_t *pinned)
{
    uint32_t level = 0;
    for (*pinned = 1; *pinned; level++) {
        if (launch_level(b, level, *pinned))
            return -1;
        TRY(b, "asking",
            cudaMemcpyAsync(pinned, &b.s.n_level[level + 1], sizeof *pinned, cudaMemcpyDeviceToHost, b.stream));
        TRY(b, "asking", cudaStreamSynchronize(b.stream));
    }
    return 0;
}

static int time_asking(bench &b, int n_runs, double *out)
{
    uint32_t *pinned = nullptr;
    TRY(b, "memory", cudaMallocHost(&pinned, sizeof *pinned));
    int bad = median_us(b, "launches, asking", n_runs, out, [&] { return by_asking(b, pinned); });
    cudaFreeHost(pinned);
    return bad;
}

static int time_graph(bench &b, int n_runs, double *out)
{
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    TRY(b, "capturing", cudaStreamBeginCapture(b.stream, cudaStreamCaptureModeThreadLocal));
    int bad = launch_levels(b);
    TRY(b, "capturing", cudaStreamEndCapture(b.stream, &graph));
    cudaError_t e = cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    TRY(b, "instantiating", e);
    bad = bad || median_us(b, "graph", n_runs, out, [&] {
              TRY(b, "a replay", cudaGraphLaunch(exec, b.stream));
              return 0;
          });
    cudaGraphExecDestroy(exec);
    return bad ? -1 : 0;
}

/* Fewer blocks meet sooner, more have more lanes: takes the best of some numbers. */
static int time_grid(bench &b, int n_runs, double *out)
{
    const int n_sms = b.card.multiProcessorCount;
    for (int n_blocks : {n_sms / 16, n_sms / 4, n_sms}) {
        double us = 0;
        void *args[] = {&b.s};
        n_blocks = std::max(n_blocks, 1);
        if (median_us(b, "grid.sync", n_runs, &us, [&] {
                TRY(b, "a cooperative launch",
                    cudaLaunchCooperativeKernel((void *)all_levels, n_blocks, LEVEL_THREADS, args, 0, b.stream));
                return 0;
            }))
            return -1;
        *out = *out == 0 ? us : std::min(*out, us);
    }
    return 0;
}

static int time_block(bench &b, int n_runs, double *out)
{
    const size_t most = b.card.sharedMemPerBlockOptin - 1024u;
    const uint32_t widest = *std::max_element(b.n_level.begin(), b.n_level.end());
    const uint32_t n_shared = (uint32_t)std::min<size_t>(most / (2 * sizeof(uint32_t)), widest);
    const size_t n_bytes = 2 * n_shared * sizeof(uint32_t);
    TRY(b, "one block", cudaFuncSetAttribute(one_block, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)n_bytes));
    return median_us(b, "one block", n_runs, out, [&] {
        one_block<<<1, 1024, n_bytes, b.stream>>>(b.s, n_shared);
        TRY(b, "one block", cudaGetLastError());
        return 0;
    });
}

static int open_bench(bench &b)
{
    int device;
    TRY(b, "the device", cudaGetDevice(&device));
    TRY(b, "the device", cudaGetDeviceProperties(&b.card, device));
    if (raw_stream_new(&b.stamps)) {
        snprintf(b.error, 256, "bfs: %.200s", raw_error());
        return -1;
    }
    b.stream = (cudaStream_t)raw_stream_handle(b.stamps);
    return bring(b);
}

int bfs_baselines(const bfs_graph *g, int n_runs, double us[BFS_N_WAYS], char *error)
{
    bench b;
    b.g = g;
    b.error = error;
    *error = 0;
    std::fill(us, us + BFS_N_WAYS, 0.0);
    search_serially(b);
    return open_bench(b) || median_us(b, "launches", n_runs, &us[BFS_BY_LAUNCHES], [&] { return launch_levels(b); }) ||
                   time_asking(b, n_runs, &us[BFS_BY_ASKING]) || time_graph(b, n_runs, &us[BFS_BY_GRAPH]) ||
                   time_grid(b, n_runs, &us[BFS_BY_GRID]) || time_block(b, n_runs, &us[BFS_BY_BLOCK])
               ? -1
               : 0;
}
