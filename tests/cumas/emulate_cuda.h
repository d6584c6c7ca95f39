/* SPDX-License-Identifier: MIT */
/* emulate_cuda.h - plain CUDA programs by a C++ compiler, to test their kernels without a GPU. Goes before the source (-include).
 *
 * Blocks run one after another; a thread is a fiber that runs up to a barrier. Blocks, and threads between two barriers, go in
 * random order (EMULATE_SEED). So a missing barrier, and a block that needs another's results, give wrong results. A message
 * ends the program when threads of a block stand at different barriers. So does one when a copy has another direction than
 * its pointers, or a kernel gets a pointer to the host's memory. Device memory ends at a page without access, as does
 * all of it while the host runs. Not emulated: warps, orders of memory accesses, time.
 *
 * EMULATE_GPUS=0: there is none; -1: an error. EMULATE_FAIL=N: the N-th copy fails. */
#ifndef EMULATE_CUDA_H
#define EMULATE_CUDA_H

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <random>
#include <sys/mman.h>
#include <type_traits>
#include <ucontext.h>
#include <utility>
#include <vector>

#define __global__
#define __device__ __attribute__((used)) /* also what only a debugger would read */
#define __host__
#define __shared__ static /* one block at a time */
#define PROGRAM_START(kernel, grid, block, ...) \
    (emulate_pointers(__VA_ARGS__), emulate_launch(grid, block, [=] { kernel(__VA_ARGS__); }))

struct dim3 {
    uint32_t x, y, z;
    dim3(uint32_t width = 1, uint32_t height = 1, uint32_t depth = 1) : x(width), y(height), z(depth) {}
};
inline dim3 threadIdx, blockIdx, blockDim, gridDim;

inline void emulate_must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "emulated CUDA: %s, in thread %u,%u of block %u,%u\n", what, threadIdx.x, threadIdx.y, blockIdx.x,
            blockIdx.y);
    _Exit(3);
}
inline long emulate_number(const char *name, long otherwise) { return getenv(name) ? atol(getenv(name)) : otherwise; }

/* ---- fibers ------------------------------------------------------------------------------------------------------ */

struct emulate_fiber {
    ucontext_t start;
    jmp_buf at;
    uint32_t thread;
    int line; /* of the barrier */
};
struct emulate_block {
    std::mt19937 random{(uint32_t)emulate_number("EMULATE_SEED", 1)};
    std::vector<uint32_t> threads; /* in the order in which they begin */
    size_t n_begun, n_left;
    std::function<void()> kernel;
    std::vector<emulate_fiber *> idle, waiting;
    emulate_fiber *now;
    jmp_buf home;
};
inline emulate_block emulated;

inline void emulate_set_thread(uint32_t i)
{
    threadIdx = dim3(i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y);
    emulated.now->thread = i;
}
inline void emulate_pause()
{
    if (_setjmp(emulated.now->at) == 0)
        _longjmp(emulated.home, 1);
}
/* A fiber that has ended a thread takes the next one, so that kernels without barriers need no switch. */
inline void emulate_fiber_main()
{
    for (;;) {
        while (emulated.n_begun < emulated.threads.size()) {
            emulate_set_thread(emulated.threads[emulated.n_begun++]);
            emulated.kernel();
            emulated.n_left++;
        }
        emulated.idle.push_back(emulated.now);
        emulate_pause();
    }
}
inline void emulate_barrier(int line)
{
    const uint32_t me = emulated.now->thread;
    emulated.now->line = line;
    emulated.waiting.push_back(emulated.now);
    emulate_pause();
    emulate_set_thread(me);
}
#define __syncthreads() emulate_barrier(__LINE__)

inline void emulate_resume(emulate_fiber *f)
{
    emulated.now = f;
    if (_setjmp(emulated.home) == 0)
        _longjmp(f->at, 1);
}
inline void emulate_begin_fiber()
{
    emulated.now = new emulate_fiber;
    getcontext(&emulated.now->start);
    emulated.now->start.uc_stack.ss_sp = malloc(65536);
    emulated.now->start.uc_stack.ss_size = 65536;
    makecontext(&emulated.now->start, emulate_fiber_main, 0);
    if (_setjmp(emulated.home) == 0)
        setcontext(&emulated.now->start);
}
inline void emulate_run_block()
{
    emulated.n_begun = emulated.n_left = 0;
    std::shuffle(emulated.threads.begin(), emulated.threads.end(), emulated.random);
    while (emulated.n_begun < emulated.threads.size()) {
        emulate_fiber *f = emulated.idle.empty() ? NULL : emulated.idle.back();
        if (f)
            emulated.idle.pop_back(), emulate_resume(f);
        else
            emulate_begin_fiber();
    }
    while (!emulated.waiting.empty()) {
        std::vector<emulate_fiber *> all;
        all.swap(emulated.waiting);
        emulate_must(emulated.n_left == 0, "a thread has ended while others wait at a barrier");
        std::shuffle(all.begin(), all.end(), emulated.random);
        for (const emulate_fiber *f : all)
            emulate_must(f->line == all[0]->line, "threads of a block are at different barriers");
        for (emulate_fiber *f : all)
            emulate_resume(f);
        emulate_must(emulated.waiting.empty() || emulated.waiting.size() == all.size(),
                     "not all threads came to a barrier");
        emulated.n_left = emulated.waiting.empty() ? 0 : emulated.n_left;
    }
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

struct emulate_memory {
    char *at, *page;
    size_t n_bytes, n_mapped;
};
inline std::vector<emulate_memory> emulated_memory;

inline void emulate_open(int access)
{
    for (const emulate_memory &m : emulated_memory)
        mprotect(m.page, m.n_mapped, access);
}
inline const emulate_memory *emulate_find(const void *p)
{
    for (const emulate_memory &m : emulated_memory)
        if ((const char *)p >= m.at && (const char *)p < m.at + m.n_bytes)
            return &m;
    return NULL;
}
template <class T> void emulate_pointer(T v)
{
    if constexpr (std::is_pointer_v<T>)
        emulate_must(emulate_find(v), "a kernel gets a pointer that is none to device memory");
}
template <class... T> void emulate_pointers(T... v) { (emulate_pointer(v), ...); }

inline void emulate_launch(dim3 grid, dim3 block, std::function<void()> kernel)
{
    std::vector<uint32_t> blocks(grid.x * grid.y);
    emulate_must(grid.y <= 65535 && block.x * block.y * block.z <= 1024 && !blocks.empty(),
                 "a launch is too large or empty");
    gridDim = grid, blockDim = block, emulated.kernel = kernel;
    emulated.threads.resize(block.x * block.y * block.z);
    for (uint32_t i = 0; i < emulated.threads.size(); i++)
        emulated.threads[i] = i;
    for (uint32_t i = 0; i < blocks.size(); i++)
        blocks[i] = i;
    std::shuffle(blocks.begin(), blocks.end(), emulated.random);
    emulate_open(PROT_READ | PROT_WRITE);
    for (uint32_t b : blocks) {
        blockIdx = dim3(b % grid.x, b / grid.x);
        emulate_run_block();
    }
    emulate_open(PROT_NONE);
}

template <class T> T atomicAdd(T *p, T v) { return std::exchange(*p, *p + v); }
#define __threadfence() (void)0
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __fdividef(float x, float y) { return x / y; }

/* ---- the runtime ------------------------------------------------------------------------------------------------- */

enum cudaError_t { cudaSuccess, cudaErrorInvalidValue, cudaErrorNoDevice = 100, cudaErrorInsufficientDriver = 35 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost };
typedef double *cudaEvent_t;

inline const char *cudaGetErrorString(cudaError_t e) { return e ? "a planted error" : "no error"; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline cudaError_t cudaGetDeviceCount(int *n)
{
    *n = (int)emulate_number("EMULATE_GPUS", 1);
    return *n > 0 ? cudaSuccess : *n == 0 ? cudaErrorNoDevice : cudaErrorInvalidValue;
}
inline cudaError_t cudaMalloc(void **out, size_t n_bytes)
{
    const size_t page = 4096, n_mapped = (n_bytes + page - 1) / page * page;
    char *at = (char *)mmap(NULL, n_mapped + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    emulate_must(at != MAP_FAILED, "no memory");
    emulated_memory.push_back({at + n_mapped - (n_bytes + 7) / 8 * 8, at, n_bytes, n_mapped});
    return *out = emulated_memory.back().at, cudaSuccess;
}
inline cudaError_t cudaMemset(void *p, int byte, size_t n_bytes)
{
    emulate_must(emulate_find(p) && n_bytes <= emulate_find(p)->n_bytes, "cudaMemset outside of device memory");
    emulate_open(PROT_READ | PROT_WRITE);
    memset(p, byte, n_bytes);
    return emulate_open(PROT_NONE), cudaSuccess;
}
inline cudaError_t cudaMemcpy(void *to, const void *from, size_t n_bytes, cudaMemcpyKind kind)
{
    static long n_copies;
    const void *device = kind == cudaMemcpyHostToDevice ? to : from, *host = device == to ? from : to;
    const emulate_memory *m = emulate_find(device);
    emulate_must(m && (const char *)device + n_bytes <= m->at + m->n_bytes && !emulate_find(host),
                 "a copy of other memory");
    if (++n_copies == emulate_number("EMULATE_FAIL", 0))
        return cudaErrorInvalidValue;
    emulate_open(PROT_READ | PROT_WRITE);
    memcpy(to, from, n_bytes);
    return emulate_open(PROT_NONE), cudaSuccess;
}
inline cudaError_t cudaEventCreate(cudaEvent_t *e) { return *e = new double(0), cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t e, int)
{
    return *e = (double)clock() * 1000 / CLOCKS_PER_SEC, cudaSuccess;
}
inline cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    return *ms = (float)(*to - *from), cudaSuccess;
}

#endif
