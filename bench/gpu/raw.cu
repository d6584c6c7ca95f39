/* SPDX-License-Identifier: MIT */
/* raw.cu - implements raw.h with the CUDA runtime; with BENCH_CUSOLVER also with cuSOLVER. */
#include "raw.h"

#include "heddle/body.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#if defined(BENCH_CUSOLVER)
#include <cusolverDn.h>
#endif

static char sentence[256];
static raw_card card;

const char *raw_error(void) { return sentence; }

static int say(const char *doing, cudaError_t e)
{
    snprintf(sentence, sizeof sentence, "%s: %s", doing, cudaGetErrorString(e));
    return -1;
}
#define TRY(doing, call)             \
    do {                             \
        cudaError_t try_ = (call);   \
        if (try_ != cudaSuccess)     \
            return say(doing, try_); \
    } while (0)

namespace
{

/* Device memory, freed at the end of its block. */
struct memory {
    void *at = nullptr;
    ~memory() { cudaFree(at); }
    int get(size_t n_bytes)
    {
        TRY("device memory", cudaMalloc(&at, n_bytes));
        TRY("device memory", cudaMemset(at, 0, n_bytes));
        return 0;
    }
};

struct stamps {
    cudaStream_t stream = nullptr;
    cudaEvent_t at[2] = {nullptr, nullptr};
};

} // namespace

int raw_open(raw_card *out, int device)
{
    cudaDeviceProp p;
    TRY("the device", cudaSetDevice(device));
    TRY("the device", cudaGetDeviceProperties(&p, device));
    snprintf(card.name, sizeof card.name, "%s", p.name);
    card.n_sms = p.multiProcessorCount;
    card.shared_per_sm = p.sharedMemPerMultiprocessor;
    card.shared_per_block = p.sharedMemPerBlockOptin;
    card.shared_reserved = p.reservedSharedMemPerBlock;
    card.memory = p.totalGlobalMem;
    TRY("the driver", cudaDriverGetVersion(&card.driver));
    TRY("the runtime", cudaRuntimeGetVersion(&card.runtime));
    *out = card;
    return 0;
}

/* ---- streams with time stamps ---- */

int raw_stream_new(void **out)
{
    stamps *s = new stamps;
    *out = s;
    TRY("a stream", cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    TRY("an event", cudaEventCreate(&s->at[0]));
    TRY("an event", cudaEventCreate(&s->at[1]));
    return 0;
}

void raw_stream_free(void *stream)
{
    stamps *s = (stamps *)stream;
    if (!s)
        return;
    for (cudaEvent_t e : s->at)
        if (e)
            cudaEventDestroy(e);
    if (s->stream)
        cudaStreamDestroy(s->stream);
    delete s;
}

int raw_stamp(void *stream, int which)
{
    stamps *s = (stamps *)stream;
    TRY("a time stamp", cudaEventRecord(s->at[which], s->stream));
    return 0;
}

int raw_between_us(void *stream, double *out)
{
    stamps *s = (stamps *)stream;
    float ms = 0;
    TRY("waiting for a stream", cudaEventSynchronize(s->at[1]));
    TRY("time between stamps", cudaEventElapsedTime(&ms, s->at[0], s->at[1]));
    *out = 1e3 * (double)ms;
    return 0;
}

void *raw_stream_handle(void *stream) { return ((stamps *)stream)->stream; }

/* Median of `n_runs` of work(stream), after a warm-up run. */
template <typename Work> static int median_us(int n_runs, double *out, Work work)
{
    std::vector<double> us;
    void *stream = nullptr;
    int bad = raw_stream_new(&stream);
    for (int i = 0; !bad && i <= n_runs; i++) {
        double t = 0;
        bad = raw_stamp(stream, 0) || work((cudaStream_t)raw_stream_handle(stream)) || raw_stamp(stream, 1) ||
              raw_between_us(stream, &t);
        if (i)
            us.push_back(t);
    }
    raw_stream_free(stream);
    if (bad)
        return -1;
    std::sort(us.begin(), us.end());
    *out = us[us.size() / 2];
    return 0;
}

static int launched(const char *what)
{
    TRY(what, cudaGetLastError());
    return 0;
}

/* ---- clocks and rates ---- */

/* Busy first, so that the clock has risen; then cycles and nanoseconds of the same stretch. */
static __global__ void measure_ticks(long long *out)
{
    uint64_t from = heddle_clock_ns();
    while (heddle_clock_ns() - from < 20000000u)
        ;
    from = heddle_clock_ns();
    while (heddle_clock_ns() == from)
        ;
    from = heddle_clock_ns();
    long long ticks = clock64();
    while (heddle_clock_ns() - from < 5000000u)
        ;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        out[1] = clock64() - ticks;
        out[0] = (long long)(heddle_clock_ns() - from);
    }
}

int raw_ticks_per_ns(double *out)
{
    memory m;
    long long got[2] = {0, 0};
    if (m.get(sizeof got))
        return -1;
    measure_ticks<<<card.n_sms, 128>>>((long long *)m.at);
    TRY("the clock", cudaMemcpy(got, m.at, sizeof got, cudaMemcpyDeviceToHost));
    *out = (double)got[1] / (double)got[0];
    return 0;
}

int raw_copy_us(size_t n_bytes, double *out)
{
    memory from, to;
    if (from.get(n_bytes) || to.get(n_bytes))
        return -1;
    return median_us(7, out, [&](cudaStream_t s) {
        TRY("a copy", cudaMemcpyAsync(to.at, from.at, n_bytes, cudaMemcpyDeviceToDevice, s));
        return 0;
    });
}

int raw_copy_rate(double *out)
{
    const size_t n_bytes = (size_t)2 << 30;
    double us = 0;
    if (raw_copy_us(n_bytes, &us))
        return -1;
    *out = 2.0 * (double)n_bytes / (us * 1e-6);
    return 0;
}

/* Each thread writes 16 bytes at a time, neighbouring threads side by side. */
static __global__ void write_all(uint4 *to, size_t n, uint32_t v)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        to[i] = make_uint4(v, v, v, v);
}

int raw_write_us(size_t n_bytes, double *out)
{
    memory to;
    if (to.get(n_bytes))
        return -1;
    return median_us(5, out, [&](cudaStream_t s) {
        write_all<<<card.n_sms * 8, 256, 0, s>>>((uint4 *)to.at, n_bytes / 16u, 1u);
        return launched("writing");
    });
}

enum { FMA_ROUNDS = 4096, FMA_CHAINS = 8, FMA_THREADS = 512, FMA_BLOCKS = 4 };

static __global__ void multiply(float *out, float a, float b)
{
    float x[FMA_CHAINS];
    for (int c = 0; c < FMA_CHAINS; c++)
        x[c] = (float)(threadIdx.x + c);
    for (int i = 0; i < FMA_ROUNDS; i++)
#pragma unroll
        for (int c = 0; c < FMA_CHAINS; c++)
            x[c] = fmaf(x[c], a, b);
    float sum = 0;
    for (int c = 0; c < FMA_CHAINS; c++)
        sum += x[c];
    if (sum == 1.25f) /* never true, but nvcc cannot know that */
        *out = sum;
}

int raw_fma_rate(double *out)
{
    memory m;
    double us = 0, n = (double)FMA_ROUNDS * FMA_CHAINS * FMA_THREADS * FMA_BLOCKS * card.n_sms;
    if (m.get(sizeof(float)) || median_us(7, &us, [&](cudaStream_t s) {
            multiply<<<FMA_BLOCKS * card.n_sms, FMA_THREADS, 0, s>>>((float *)m.at, 0.999f, 0.5f);
            return launched("arithmetic");
        }))
        return -1;
    *out = n / (us * 1e-6);
    return 0;
}

static __global__ void nothing(void) {}

int raw_blocks_us(uint32_t n, double *out)
{
    return median_us(9, out, [&](cudaStream_t s) {
        nothing<<<n, 128, 0, s>>>();
        return launched("empty blocks");
    });
}

/* ---- the bare hand-over ---- */

enum { HANDOVERS = 2000, HANDOVER_THREADS = 128 };

typedef struct handover {
    uint32_t flag[2][32]; /* one cache line each */
    uint32_t data[2][HANDOVER_THREADS];
    uint64_t ns;
    uint32_t n_sides, gave_up;
} handover;

/* One block per SM; those on SMs a and b take part. */
static __global__ void hand_over(handover *h, uint32_t a, uint32_t b)
{
    __shared__ uint32_t stop;
    uint32_t sm, side, i;
    uint64_t begin = 0, limit = heddle_clock_ns() + 2000000000u;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (sm != a && sm != b)
        return;
    side = sm == b;
    if (threadIdx.x == 0) {
        stop = 0;
        atomicAdd(&h->n_sides, 1u);
        while (HEDDLE_ATOMIC_LOAD(&h->n_sides, ACQUIRE, DEV) < 2u && heddle_clock_ns() < limit)
            ;
        begin = heddle_clock_ns();
    }
    for (i = 1; i <= HANDOVERS; i++) {
        if (threadIdx.x == 0)
            for (uint32_t polls = 1; HEDDLE_ATOMIC_LOAD(&h->flag[side][0], ACQUIRE, DEV) < i; polls++)
                if (polls % 4096u == 0 && heddle_clock_ns() > limit) {
                    stop = 1;
                    break;
                }
        __syncthreads();
        if (stop)
            break;
        h->data[side][threadIdx.x] = i;
        __syncthreads();
        if (threadIdx.x == 0)
            HEDDLE_ATOMIC_COUNT(&h->flag[side ^ 1u][0], RELEASE, DEV);
    }
    if (threadIdx.x == 0 && stop)
        h->gave_up = 1;
    if (threadIdx.x == 0 && side == 0)
        h->ns = heddle_clock_ns() - begin;
}

int raw_handover_us(int a, int b, double *out)
{
    handover *h;
    static handover got;
    memory m;
    uint32_t flag = 1; /* side 0 begins, as if side 1 had handed over */
    int shared = (int)(card.shared_per_block - 1024u);
    if (m.get(sizeof *h))
        return -1;
    h = (handover *)m.at;
    TRY("a hand-over", cudaMemcpy(&h->flag[0][0], &flag, sizeof flag, cudaMemcpyHostToDevice));
    TRY("a hand-over", cudaFuncSetAttribute(hand_over, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    hand_over<<<card.n_sms, HANDOVER_THREADS, (size_t)shared>>>(h, (uint32_t)a, (uint32_t)b);
    TRY("a hand-over", cudaMemcpy(&got, h, sizeof got, cudaMemcpyDeviceToHost));
    if (got.gave_up || got.n_sides != 2) {
        snprintf(sentence, sizeof sentence, "a hand-over: SMs %d and %d did not meet", a, b);
        return -1;
    }
    *out = (double)got.ns * 1e-3 / (2.0 * HANDOVERS);
    return 0;
}

/* ---- hops round all SMs ---- */

enum { RING_LAPS = 200, RING_LANES = 32, RING_CLUSTER = 8 };

typedef struct ring_words {
    uint64_t ns;
    uint32_t n_bad, gave_up;
    uint32_t flag[1024][32]; /* one cache line per block */
    uint32_t data[1024][RING_LANES];
    uint64_t word[1024][RING_LANES]; /* tag, value */
} ring_words;

/* Words in a block's shared memory, at the same address in all blocks of its cluster. */
#if __CUDA_ARCH__ >= 900
static __device__ __forceinline__ uint64_t load_near(uint32_t at)
{
    uint64_t v;
    asm volatile("ld.relaxed.cluster.shared::cluster.b64 %0,[%1];" : "=l"(v) : "r"(at) : "memory");
    return v;
}
static __device__ __forceinline__ void store_near(uint32_t at, uint32_t block, uint64_t v)
{
    uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0,%1,%2;" : "=r"(there) : "r"(at), "r"(block));
    asm volatile("st.relaxed.cluster.shared::cluster.b64 [%0],%1;" ::"r"(there), "l"(v) : "memory");
}
static __device__ __forceinline__ void meet_cluster(void)
{
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
#else
static __device__ uint64_t load_near(uint32_t) { return 0; }
static __device__ void store_near(uint32_t, uint32_t, uint64_t) {}
static __device__ void meet_cluster(void) {}
#endif

/* Whether the words for lap `tag` have come; *value: this lane's. */
template <int HOW> static __device__ int ring_look(ring_words *w, uint32_t near, uint32_t tag, uint32_t *value)
{
    const uint32_t lane = threadIdx.x, block = blockIdx.x;
    uint64_t word;
    if (HOW == RAW_RING_FLAG) {
        if (!__all_sync(~0u, HEDDLE_ATOMIC_LOAD(&w->flag[block][0], ACQUIRE, DEV) == tag))
            return 0;
        *value = w->data[block][lane];
        return 1;
    }
    word = HOW == RAW_RING_CLUSTER && block % RING_CLUSTER ? load_near(near + 8u * lane)
                                                           : HEDDLE_ATOMIC_LOAD(&w->word[block][lane], RELAXED, DEV);
    *value = (uint32_t)word;
    return __all_sync(~0u, (uint32_t)(word >> 32) == tag);
}

template <int HOW> static __device__ void ring_hand(ring_words *w, uint32_t near, uint32_t tag, uint32_t value)
{
    const uint32_t lane = threadIdx.x, next = blockIdx.x + 1u == gridDim.x ? 0u : blockIdx.x + 1u;
    const uint64_t word = (uint64_t)tag << 32 | value;
    if (HOW == RAW_RING_FLAG) {
        w->data[next][lane] = value;
        __syncwarp();
        if (lane == 0)
            HEDDLE_ATOMIC_STORE(&w->flag[next][0], tag, RELEASE, DEV);
    } else if (HOW == RAW_RING_CLUSTER && next % RING_CLUSTER) {
        store_near(near + 8u * lane, next % RING_CLUSTER, word);
    } else {
        HEDDLE_ATOMIC_STORE(&w->word[next][lane], word, RELAXED, DEV);
    }
}

/* The words go round; each block adds one to each. The time excludes the first lap; the last lap only ends it. */
template <int HOW> static __global__ void go_round(ring_words *w)
{
    extern __shared__ __align__(16) uint64_t near_words[];
    const uint32_t near = (uint32_t)__cvta_generic_to_shared(near_words), lane = threadIdx.x;
    const uint64_t limit = heddle_clock_ns() + 2000000000u;
    uint64_t begin = 0;
    uint32_t value = lane, n_bad = 0;
    near_words[lane] = 0;
    if (HOW == RAW_RING_CLUSTER)
        meet_cluster();
    for (uint32_t lap = 1; lap <= RING_LAPS + 2u; lap++) {
        const uint32_t tag = blockIdx.x ? lap : lap - 1u; /* block 0 receives the last block's of the lap before */
        uint32_t polls = 1, is_there = tag == 0;
        for (; !is_there && (polls % 4096u || __all_sync(~0u, heddle_clock_ns() < limit)); polls++)
            is_there = (uint32_t)ring_look<HOW>(w, near, tag, &value);
        if (!is_there) {
            w->gave_up = 1;
            break;
        }
        n_bad += value != lane + (lap - 1u) * gridDim.x + blockIdx.x;
        begin = lap == 2u ? heddle_clock_ns() : begin;
        ring_hand<HOW>(w, near, lap, value + 1u);
        __syncwarp();
    }
    if (blockIdx.x == 0 && lane == 0)
        w->ns = heddle_clock_ns() - begin;
    if (n_bad)
        atomicAdd(&w->n_bad, n_bad);
    if (HOW == RAW_RING_CLUSTER)
        meet_cluster(); /* no block exits while others write to its memory */
}

/* As many blocks as there are SMs, or a multiple of the cluster size. */
template <int HOW> static int launch_ring(ring_words *w, uint32_t *n_blocks)
{
    cudaLaunchConfig_t c = {};
    cudaLaunchAttribute a[1];
    const int shared = (int)(card.shared_per_block - 1024u);
    TRY("a ring", cudaFuncSetAttribute(go_round<HOW>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    c.gridDim = dim3((unsigned)card.n_sms);
    c.blockDim = dim3(RING_LANES);
    c.dynamicSmemBytes = (size_t)shared;
    c.attrs = a;
    c.numAttrs = 1;
    if (HOW == RAW_RING_CLUSTER) {
        int n_clusters = 0;
        a[0].id = cudaLaunchAttributeClusterDimension;
        a[0].val.clusterDim.x = RING_CLUSTER;
        a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
        c.gridDim = dim3((unsigned)card.n_sms / RING_CLUSTER * RING_CLUSTER);
        TRY("a ring of clusters", cudaOccupancyMaxActiveClusters(&n_clusters, go_round<HOW>, &c));
        c.gridDim = dim3(std::min((unsigned)n_clusters * RING_CLUSTER, c.gridDim.x));
    } else {
        a[0].id = cudaLaunchAttributeCooperative;
        a[0].val.cooperative = 1;
    }
    *n_blocks = c.gridDim.x;
    if (*n_blocks < 2 || *n_blocks > 1024) {
        snprintf(sentence, sizeof sentence, "a ring: %u blocks are resident", *n_blocks);
        return -1;
    }
    TRY("a ring", cudaLaunchKernelEx(&c, go_round<HOW>, w));
    return 0;
}

int raw_ring_us(raw_ring how, double *out)
{
    memory m;
    static ring_words got;
    ring_words *w;
    uint32_t n = 0;
    int has_clusters = 0, device = 0;
    TRY("a ring", cudaGetDevice(&device));
    TRY("a ring", cudaDeviceGetAttribute(&has_clusters, cudaDevAttrClusterLaunch, device));
    if (how == RAW_RING_CLUSTER && !has_clusters) {
        snprintf(sentence, sizeof sentence, "this GPU has no clusters");
        return -1;
    }
    if (m.get(sizeof *w))
        return -1;
    w = (ring_words *)m.at;
    if (how == RAW_RING_FLAG  ? launch_ring<RAW_RING_FLAG>(w, &n)
        : how == RAW_RING_TAG ? launch_ring<RAW_RING_TAG>(w, &n)
                              : launch_ring<RAW_RING_CLUSTER>(w, &n))
        return -1;
    TRY("a ring", cudaMemcpy(&got, w, offsetof(ring_words, flag), cudaMemcpyDeviceToHost));
    if (got.gave_up || got.n_bad) {
        snprintf(sentence, sizeof sentence, "a ring of %u blocks: %s, %u values are wrong", n,
                 got.gave_up ? "a block waited for two seconds" : "it went round", got.n_bad);
        return -1;
    }
    *out = (double)got.ns * 1e-3 / ((double)RING_LAPS * n);
    return 0;
}

/* ---- libraries ---- */

#if defined(BENCH_CUSOLVER)

static __global__ void fill_dominant(float *a, int n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < (size_t)n * n;
         i += (size_t)gridDim.x * blockDim.x)
        a[i] = i % n == i / n ? (float)n : (float)((i * 2654435761u >> 7) % 2048u) / 1024.0f - 1.0f;
}

/* Each run decomposes the matrix again; the copy to it is timed alone and subtracted. */
static int getrf(cusolverDnHandle_t handle, int n, double *out)
{
    memory matrix, start, work, info;
    int n_work = 0;
    double all = 0, copy = 0;
    size_t n_bytes = (size_t)n * n * sizeof(float);
    if (matrix.get(n_bytes) || start.get(n_bytes) || info.get(sizeof(int)))
        return -1;
    fill_dominant<<<4 * card.n_sms, 256>>>((float *)start.at, n);
    if (launched("a matrix") ||
        cusolverDnSgetrf_bufferSize(handle, n, n, (float *)matrix.at, n, &n_work) != CUSOLVER_STATUS_SUCCESS ||
        work.get((size_t)n_work * sizeof(float)))
        return -1;
    auto bring = [&](cudaStream_t s) {
        TRY("a matrix", cudaMemcpyAsync(matrix.at, start.at, n_bytes, cudaMemcpyDeviceToDevice, s));
        return 0;
    };
    if (median_us(5, &copy, bring) || median_us(5, &all, [&](cudaStream_t s) {
            cusolverDnSetStream(handle, s);
            return bring(s) || cusolverDnSgetrf(handle, n, n, (float *)matrix.at, n, (float *)work.at, nullptr,
                                                (int *)info.at) != CUSOLVER_STATUS_SUCCESS;
        }))
        return -1;
    *out = all - copy;
    return 0;
}

int raw_getrf_us(int n, double *out)
{
    cusolverDnHandle_t handle;
    snprintf(sentence, sizeof sentence, "cuSOLVER refused");
    if (cusolverDnCreate(&handle) != CUSOLVER_STATUS_SUCCESS)
        return -1;
    int bad = getrf(handle, n, out);
    cusolverDnDestroy(handle);
    return bad;
}

#else

int raw_getrf_us(int n, double *out)
{
    (void)n;
    (void)out;
    snprintf(sentence, sizeof sentence, "built without cuSOLVER");
    return -1;
}

#endif
