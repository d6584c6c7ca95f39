/* SPDX-License-Identifier: MIT */
/* launch.cu - implements launch.h. Launches are cooperative, because the thesis' kernels need all blocks resident. */
#include "launch.h"

#include "cuda_try.h"
#include "kernels.h"

#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#define TRY(call) CUDA_TRY(call, "the thesis' kernels", error, LAUNCH_ERROR)

enum { RUN_SECONDS = 5 }; /* a run takes less than two */

/* ---- kernels ---- */

template <class K> static __global__ void __launch_bounds__(1024) peer_kernel(const __grid_constant__ peer_job job)
{
    extern __shared__ __align__(16) unsigned char room[];
    peer_block<K>(&job, room);
}

typedef void (*kernel)(const peer_job job);
static kernel kernel_of(peer_app app)
{
    return peer_with_kernel(app, [](auto k) -> kernel { return peer_kernel<decltype(k)>; });
}

/* A cell in memory order: a thread has a row of each diagonal of a band, or a column of each row. */
struct place {
    uint32_t plane, i, j;
    uint64_t at; /* index in its plane */
};

static __device__ uint64_t n_diagonals(const peer_job &job) /* per plane */
{
    const peer_layout &l = job.params.layout;
    return (uint64_t)(((job.tiling.rows - 1u) >> l.shift) + 1u) * l.stride;
}

/* Finds the cell of a diagonal, counted over all planes, in row `lane` of its band. Returns 0 if there is none. */
static __device__ int find(const peer_job &job, uint64_t diagonal, uint32_t lane, place *p)
{
    const peer_layout &l = job.params.layout;
    const uint64_t d = diagonal % n_diagonals(job);
    p->plane = (uint32_t)(diagonal / n_diagonals(job));
    p->i = (uint32_t)(d / l.stride << l.shift) + lane;
    p->j = (uint32_t)(d % l.stride) - lane;
    p->at = (d << l.shift) + lane;
    return p->i < job.tiling.rows && p->j < job.tiling.cols; /* j wraps */
}

#define EACH_CELL(job, p)                                                                                              \
    for (uint64_t d_ = blockIdx.x * (uint64_t)blockDim.y + threadIdx.y; d_ < (job).tiling.n_planes * n_diagonals(job); \
         d_ += (uint64_t)gridDim.x * blockDim.y)                                                                       \
        for (uint32_t lane_ = threadIdx.x; lane_ < 1u << (job).params.layout.shift; lane_ += blockDim.x)               \
            if (find((job), d_, lane_, &(p)))

static dim3 threads_of(const peer_job *job) { return job->params.layout.shift ? dim3(256) : dim3(1, 256); }

/* Pixels exist for one plane only. */
static __global__ void fill(const __grid_constant__ peer_job job, uint8_t *pixels, float *cells)
{
    place p;
    EACH_CELL(job, p)
    {
        if (pixels && p.plane == 0)
            pixels[p.at] = peer_pixel(p.i, p.j);
        if (cells)
            cells[p.plane * job.plane_cells + p.at] = peer_start(p.i, p.j);
    }
}

template <class K>
static __global__ void check(const __grid_constant__ peer_job job, double apart_most, unsigned long long *n_wrong)
{
    unsigned long long n = 0;
    place p;
    EACH_CELL(job, p)
    {
        n += !(peer_distance<K>(&job, p.plane, p.i, p.j) <= apart_most); /* not a number is wrong, too */
    }
    if (n)
        atomicAdd(n_wrong, n);
}

static __global__ void sum(const __grid_constant__ peer_job job, unsigned long long *out)
{
    unsigned long long n = 0;
    place p;
    EACH_CELL(job, p)
    {
        const uint32_t v = ((const uint32_t *)job.cells)[p.plane * job.plane_cells + p.at];
        n += (unsigned long long)(v ^ peer_noise(p.i + p.plane, p.j)) * (2u * peer_noise(p.j, p.i) + 1u);
    }
    atomicAdd(out, n);
}

/* ---- memory ---- */

namespace
{

/* Device memory, freed at the end of its block. */
struct memory {
    void *at = nullptr;
    ~memory() { cudaFree(at); }
};
struct event {
    cudaEvent_t at = nullptr;
    ~event()
    {
        if (at)
            cudaEventDestroy(at);
    }
};

} // namespace

int launch_fill(peer_app app, uint32_t device, const peer_job *job, char *error)
{
    const peer_problem *of = &peer_problems[app];
    uint8_t *pixels = of->has_pixels ? (uint8_t *)(uintptr_t)job->params.pixels : nullptr;
    TRY(cudaSetDevice((int)device));
    TRY(cudaMemset(job->cells, 0xa5, job->tiling.n_planes * job->plane_cells * 4u));
    fill<<<4096, threads_of(job)>>>(*job, pixels, of->n_sweeps ? (float *)job->cells : nullptr);
    TRY(cudaGetLastError());
    TRY(cudaDeviceSynchronize());
    return 0;
}

/* ---- runs ---- */

/* Sums all blocks' tallies; corner time includes a block's wait for the last block to end. */
static void add_up(const std::vector<peer_tally> &tallies, launch_result *out)
{
    uint64_t end_ns = 0, ns = 0;
    memset(&out->total, 0, sizeof out->total);
    out->corner_end = 0;
    for (const peer_tally &t : tallies) {
        out->total.busy += t.busy;
        out->total.corner += t.corner;
        out->total.between += t.between;
        out->total.sync += t.sync;
        out->total.n_tiles += t.n_tiles;
        out->total.ticks += t.ticks;
        ns += t.end_ns - t.begin_ns;
        end_ns = t.end_ns > end_ns ? t.end_ns : end_ns;
    }
    out->ns_of_tick = out->total.ticks ? (double)ns / (double)out->total.ticks : 1.0;
    for (const peer_tally &t : tallies)
        out->corner_end += (uint64_t)((double)(end_ns - t.end_ns) / out->ns_of_tick);
    out->total.corner += out->corner_end;
}

static int choose_blocks(uint32_t device, peer_job *job, kernel k, char *error)
{
    const uint32_t shared = peer_shared_bytes(&job->tiling);
    const uint64_t n = (uint64_t)peer_bands(&job->tiling) * job->tiling.n_planes;
    int n_sms = 0, n_resident = 0;
    TRY(cudaDeviceGetAttribute(&n_sms, cudaDevAttrMultiProcessorCount, (int)device));
    TRY(cudaFuncSetAttribute((const void *)k, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n_resident, (const void *)k, (int)job->tiling.height, shared));
    if (n_resident < 1) {
        snprintf(error, LAUNCH_ERROR, "the thesis' kernels: no block of %u threads and %u bytes fits",
                 job->tiling.height, shared);
        return -1;
    }
    if (job->n_blocks == 0)
        job->n_blocks = (uint32_t)n_sms;
    if (job->n_blocks > (uint32_t)(n_sms * n_resident))
        job->n_blocks = (uint32_t)(n_sms * n_resident);
    job->n_blocks = job->n_blocks > n ? (uint32_t)n : job->n_blocks;
    return 0;
}

/* Launches one sweep. */
static int launch_sweep(kernel k, peer_job *job, char *error)
{
    void *args[] = {job};
    TRY(cudaMemsetAsync(job->arrived, 0, sizeof *job->arrived));
    TRY(cudaLaunchCooperativeKernel((const void *)k, dim3(job->n_blocks), dim3(job->tiling.height), args,
                                    peer_shared_bytes(&job->tiling), 0));
    job->run++;
    return 0;
}

static int read_result(const peer_job *job, launch_result *out, char *error)
{
    std::vector<peer_tally> tallies(job->n_blocks);
    uint32_t stop = 0;
    TRY(cudaMemcpy(&stop, job->stop, sizeof stop, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(tallies.data(), job->tallies, tallies.size() * sizeof tallies[0], cudaMemcpyDeviceToHost));
    add_up(tallies, out);
    if (!stop)
        return 0;
    snprintf(error, LAUNCH_ERROR, "the thesis' kernels: a block waited longer than %d s", RUN_SECONDS);
    return -1;
}

int launch_run(peer_app app, uint32_t device, peer_job *job, launch_result *out, char *error)
{
    const kernel k = kernel_of(app);
    const uint32_t n_sweeps = peer_problems[app].n_sweeps ? peer_problems[app].n_sweeps : 1u;
    const uint64_t n_flags = (uint64_t)peer_bands(&job->tiling) * job->tiling.n_planes * peer_waiting(&job->tiling);
    float between = 0;
    memory words, tallies;
    event before, after;
    if (choose_blocks(device, job, k, error))
        return -1;
    TRY(cudaMalloc(&words.at, (n_flags + 64u) * 4u));
    TRY(cudaMalloc(&tallies.at, job->n_blocks * sizeof(peer_tally)));
    TRY(cudaMemset(words.at, 0, (n_flags + 64u) * 4u));
    TRY(cudaEventCreate(&before.at));
    TRY(cudaEventCreate(&after.at));
    job->arrived = (uint32_t *)words.at;
    job->stop = job->arrived + 32;
    job->flags = job->arrived + 64;
    job->tallies = (peer_tally *)tallies.at;
    job->limit_ns = RUN_SECONDS * 1000000000ull;
    job->run = 1;
    TRY(cudaDeviceSynchronize());
    TRY(cudaEventRecord(before.at));
    for (uint32_t s = 0; s < n_sweeps; s++)
        if (launch_sweep(k, job, error))
            return -1;
    TRY(cudaEventRecord(after.at));
    TRY(cudaEventSynchronize(after.at));
    TRY(cudaEventElapsedTime(&between, before.at, after.at));
    out->ms = (double)between;
    return read_result(job, out, error);
}

/* ---- checks ---- */

static int count(unsigned long long *out, const memory &m, char *error)
{
    TRY(cudaGetLastError());
    TRY(cudaMemcpy(out, m.at, sizeof *out, cudaMemcpyDeviceToHost));
    return 0;
}

int launch_check(peer_app app, const peer_job *job, uint64_t *n_wrong, char *error)
{
    const double apart_most = app == PEER_SOR ? 1e-2 : 0; /* kernel and check may fuse products and sums differently */
    memory m;
    unsigned long long n = 0;
    *n_wrong = 0;
    if (peer_problems[app].n_sweeps > 1)
        return 0;
    TRY(cudaMalloc(&m.at, sizeof n));
    TRY(cudaMemset(m.at, 0, sizeof n));
    peer_with_kernel(app, [&](auto k) {
        check<decltype(k)><<<4096, threads_of(job)>>>(*job, apart_most, (unsigned long long *)m.at);
    });
    if (count(&n, m, error))
        return -1;
    *n_wrong = n;
    return 0;
}

int launch_sum(const peer_job *job, uint64_t *out, char *error)
{
    memory m;
    unsigned long long n = 0;
    TRY(cudaMalloc(&m.at, sizeof n));
    TRY(cudaMemset(m.at, 0, sizeof n));
    sum<<<4096, threads_of(job)>>>(*job, (unsigned long long *)m.at);
    if (count(&n, m, error))
        return -1;
    *out = n;
    return 0;
}
