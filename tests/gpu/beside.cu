/* SPDX-License-Identifier: MIT */
/* beside.cu - which CUDA calls of a process wait for a kernel that stays on the GPU (doc/cuda-beside.md).
 *
 *     beside [OUT.tsv]
 *
 * For each call a kernel of one block spins in a stream that does not wait for the default one; mapped host memory
 * shows that it has begun. Then another thread makes the call. The call blocks if it has not returned after
 * DEADLINE_MS; the kernel is then told to end. The kernel ends by itself after LIFE_MS. Each call is measured twice:
 * the first time in this process, when CUDA may still have to load or create something, and again. Rows: call, nth
 * time, blocks (0, 1), milliseconds. Exit status 0, 1 when something failed, 77 without a GPU. */
#include <cuda_runtime.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <thread>

#define DEADLINE_MS 400.0
#define LIFE_MS 2000u
#define N_BYTES (8u << 20)

/* ---- the kernel that stays --------------------------------------------------------------------------------------- */

typedef struct flags {
    volatile uint32_t here, leave;
} flags;

static __global__ void stay(flags *f, uint64_t ns)
{
    uint64_t begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    f->here = 1;
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (!f->leave && now - begin < ns);
}

static __global__ void nothing(void) {}
/* One kernel for each measurement of a first launch. */
template <int N> static __global__ void fresh(void) {}

/* ---- objects of the calls -- */

static cudaStream_t resident, other, blocking; /* blocking: waits for the default stream */
static void *device, *device2, *to_free, *to_free_async, *pinned, *to_free_host;
static char pageable[N_BYTES];
static cudaEvent_t event;
static cudaStream_t made_stream;
static cudaEvent_t made_event;
static cudaGraph_t graph;
static cudaGraphExec_t exec, made_exec;
static void *made, *made_async, *made_host;
static char to_register[1 << 20];

/* name; preparation without the kernel; the call; cleanup */
#define CALLS(X)                                                                                                       \
    X("cudaMalloc", (void)0, cudaMalloc(&made, 64u << 20), cudaFree(made))                                             \
    X("cudaFree", cudaMalloc(&to_free, 64u << 20), cudaFree(to_free), (void)0)                                         \
    X("cudaFree (1 KiB)", cudaMalloc(&to_free, 1024), cudaFree(to_free), (void)0)                                      \
    X("cudaMallocAsync", (void)0, cudaMallocAsync(&made_async, 64u << 20, other), cudaFreeAsync(made_async, other))    \
    X("cudaFreeAsync", cudaMallocAsync(&to_free_async, 64u << 20, other), cudaFreeAsync(to_free_async, other),         \
      (void)0)                                                                                                         \
    X("cudaHostAlloc", (void)0, cudaHostAlloc(&made_host, 64u << 20, cudaHostAllocDefault), cudaFreeHost(made_host))   \
    X("cudaFreeHost", cudaHostAlloc(&to_free_host, 64u << 20, 0), cudaFreeHost(to_free_host), (void)0)                 \
    X("cudaHostRegister", (void)0, cudaHostRegister(to_register, sizeof to_register, 0),                               \
      cudaHostUnregister(to_register))                                                                                 \
    X("cudaHostUnregister", cudaHostRegister(to_register, sizeof to_register, 0), cudaHostUnregister(to_register),     \
      (void)0)                                                                                                         \
    X("cudaMemcpy, pinned", (void)0, cudaMemcpy(device, pinned, N_BYTES, cudaMemcpyHostToDevice), (void)0)             \
    X("cudaMemcpy, pageable", (void)0, cudaMemcpy(device, pageable, N_BYTES, cudaMemcpyHostToDevice), (void)0)         \
    X("cudaMemcpy, device to device", (void)0, cudaMemcpy(device, device2, N_BYTES, cudaMemcpyDeviceToDevice),         \
      (void)0)                                                                                                         \
    X("cudaMemcpyAsync, pinned, own stream", (void)0,                                                                  \
      cudaMemcpyAsync(pinned, device, N_BYTES, cudaMemcpyDeviceToHost, other), (void)0)                                \
    X("cudaMemcpyAsync, pinned, own stream, and synchronise", (void)0,                                                 \
      (cudaMemcpyAsync(pinned, device, N_BYTES, cudaMemcpyDeviceToHost, other), cudaStreamSynchronize(other)),         \
      (void)0)                                                                                                         \
    X("cudaMemcpyAsync, pageable, own stream, and synchronise", (void)0,                                               \
      (cudaMemcpyAsync(pageable, device, N_BYTES, cudaMemcpyDeviceToHost, other), cudaStreamSynchronize(other)),       \
      (void)0)                                                                                                         \
    X("cudaMemset", (void)0, cudaMemset(device, 0, N_BYTES), (void)0)                                                  \
    X("cudaMemset, and synchronise the default stream", (void)0,                                                       \
      (cudaMemset(device, 0, N_BYTES), cudaStreamSynchronize(0)), (void)0)                                             \
    X("cudaMemsetAsync, own stream, and synchronise", (void)0,                                                         \
      (cudaMemsetAsync(device, 0, N_BYTES, other), cudaStreamSynchronize(other)), (void)0)                             \
    X("launch in own stream, and synchronise", (void)0,                                                                \
      (nothing<<<1, 32, 0, other>>>(), cudaStreamSynchronize(other)), (void)0)                                         \
    X("launch in the default stream, and synchronise it", (void)0, (nothing<<<1, 32>>>(), cudaStreamSynchronize(0)),   \
      (void)0)                                                                                                         \
    X("launch in a blocking stream, and synchronise", (void)0,                                                         \
      (nothing<<<1, 32, 0, blocking>>>(), cudaStreamSynchronize(blocking)), (void)0)                                   \
    X("first launch of a kernel", (void)0, (first_launch(), cudaGetLastError()), (void)0)                              \
    X("cudaFuncSetAttribute", (void)0,                                                                                 \
      cudaFuncSetAttribute((const void *)nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536), (void)0)        \
    X("cudaOccupancyMaxActiveBlocksPerMultiprocessor", (void)0,                                                        \
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, (const void *)nothing, 128, 0), (void)0)                  \
    X("cudaMemGetInfo", (void)0, cudaMemGetInfo(&size[0], &size[1]), (void)0)                                          \
    X("cudaStreamCreate", (void)0, cudaStreamCreateWithFlags(&made_stream, cudaStreamNonBlocking),                     \
      cudaStreamDestroy(made_stream))                                                                                  \
    X("cudaStreamDestroy", cudaStreamCreateWithFlags(&made_stream, cudaStreamNonBlocking),                             \
      cudaStreamDestroy(made_stream), (void)0)                                                                         \
    X("cudaEventCreate", (void)0, cudaEventCreate(&made_event), cudaEventDestroy(made_event))                          \
    X("cudaEventDestroy", cudaEventCreate(&made_event), cudaEventDestroy(made_event), (void)0)                         \
    X("cudaEventRecord, and synchronise", (void)0, (cudaEventRecord(event, other), cudaEventSynchronize(event)),       \
      (void)0)                                                                                                         \
    X("cudaEventQuery of the kernel's stream", cudaEventRecord(event, resident), (cudaEventQuery(event), cudaSuccess), \
      (void)0)                                                                                                         \
    X("cudaGraphInstantiate", (void)0, cudaGraphInstantiate(&made_exec, graph, 0), cudaGraphExecDestroy(made_exec))    \
    X("cudaGraphUpload", (void)0, (cudaGraphUpload(exec, other), cudaStreamSynchronize(other)), (void)0)               \
    X("cudaGraphLaunch, and synchronise", (void)0, (cudaGraphLaunch(exec, other), cudaStreamSynchronize(other)),       \
      (void)0)                                                                                                         \
    X("cudaGraphExecDestroy", cudaGraphInstantiate(&made_exec, graph, 0), cudaGraphExecDestroy(made_exec), (void)0)    \
    X("cudaStreamSynchronize of another stream", (void)0, cudaStreamSynchronize(other), (void)0)                       \
    X("cudaDeviceSynchronize", (void)0, cudaDeviceSynchronize(), (void)0)

static int number;
static size_t size[2];

static void first_launch(void)
{
    static int n;
    if (n++ == 0)
        fresh<0><<<1, 32, 0, other>>>();
    else
        fresh<1><<<1, 32, 0, other>>>();
    (void)cudaStreamSynchronize(other);
}

typedef struct call {
    const char *name;
    void (*before)(void);
    cudaError_t (*make)(void);
    void (*after)(void);
} call;
#define X(name, before, make, after) \
    {name, []() { (void)(before); }, []() -> cudaError_t { return (make); }, []() { (void)(after); }},
static const call calls[] = {CALLS(X)};
#undef X

/* ---- measuring --------------------------------------------------------------------------------------------------- */

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int setup(void)
{
    bool good = cudaStreamCreateWithFlags(&resident, cudaStreamNonBlocking) == cudaSuccess &&
                cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) == cudaSuccess &&
                cudaStreamCreate(&blocking) == cudaSuccess && cudaMalloc(&device, N_BYTES) == cudaSuccess &&
                cudaMalloc(&device2, N_BYTES) == cudaSuccess && cudaMallocHost(&pinned, N_BYTES) == cudaSuccess &&
                cudaEventCreate(&event) == cudaSuccess;
    good = good && cudaStreamBeginCapture(other, cudaStreamCaptureModeThreadLocal) == cudaSuccess;
    for (int i = 0; good && i < 10; i++)
        nothing<<<1, 32, 0, other>>>();
    return good && cudaStreamEndCapture(other, &graph) == cudaSuccess &&
                   cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess
               ? 0
               : 1;
}

typedef struct outcome {
    cudaError_t error;
    int blocks;
    double ms;
} outcome;

/* Makes the call in a thread of its own while the kernel spins. */
static outcome measure(const call *c, flags *host, flags *mapped)
{
    outcome o = {cudaSuccess, 0, 0};
    std::atomic<int> done{0};
    c->before();
    host->here = host->leave = 0;
    stay<<<1, 1, 0, resident>>>(mapped, LIFE_MS * 1000000ull);
    double begin = now_ms();
    while (!host->here && now_ms() - begin < 1000)
        std::this_thread::yield();
    begin = now_ms();
    std::thread thread([&] {
        double from = now_ms();
        o.error = c->make();
        o.ms = now_ms() - from;
        done = 1;
    });
    while (!done && now_ms() - begin < DEADLINE_MS)
        std::this_thread::yield();
    o.blocks = !done;
    host->leave = 1;
    thread.join();
    if (cudaStreamSynchronize(resident) != cudaSuccess)
        o.error = cudaErrorUnknown;
    c->after();
    (void)cudaDeviceSynchronize();
    return o;
}

static int measure_all(FILE *out, flags *host, flags *mapped)
{
    int n_failed = 0;
    fprintf(out, "call\ttime\tblocks\tms\n");
    for (const call &c : calls)
        for (int nth = 1; nth <= 2; nth++) {
            outcome o = measure(&c, host, mapped);
            if (o.error != cudaSuccess) {
                fprintf(stderr, "%s: %s\n", c.name, cudaGetErrorString(o.error));
                n_failed++;
                continue;
            }
            fprintf(out, "%s\t%d\t%d\t%.3f\n", c.name, nth, o.blocks, o.ms);
        }
    return n_failed;
}

int main(int argc, char **argv)
{
    int n = 0, failed;
    flags *host, *mapped;
    FILE *out;
    if (cudaGetDeviceCount(&n) != cudaSuccess || n == 0) {
        printf("skipped: no GPU here\n");
        return 77;
    }
    out = argc > 1 ? fopen(argv[1], "w") : stdout;
    if (!out || setup() || cudaHostAlloc((void **)&host, sizeof *host, cudaHostAllocMapped) != cudaSuccess ||
        cudaHostGetDevicePointer((void **)&mapped, host, 0) != cudaSuccess) {
        fprintf(stderr, "cannot begin: %s\n", cudaGetErrorString(cudaGetLastError()));
        return 1;
    }
    failed = measure_all(out, host, mapped);
    return fclose(out) || failed ? 1 : 0;
}
