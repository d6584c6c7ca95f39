/* SPDX-License-Identifier: MIT */
/* work.c - what is put into streams: copies, kernels, words. A copy holds its engine as long as its bytes take. */
#include "fake.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- copies ---- */

static void run_copy(fake_op *op)
{
    size_t rows = op->height ? op->height : 1;
    if (op->engine < FAKE_COMPUTE)
        fake_engine(op->device, op->engine, fake_copy_ns(op->n_bytes * rows, op->kind == FAKE_PAGEABLE));
    for (size_t i = 0; i < rows; i++)
        memcpy((char *)op->to + i * op->pitch_to, (const char *)op->from + i * op->pitch_from, op->n_bytes);
}

static int is_on_device(int kind) { return kind == FAKE_DEVICE || kind == FAKE_MANAGED; }

static int engine_between(int to, int from)
{
    if (is_on_device(to) == is_on_device(from))
        return FAKE_COMPUTE;
    return is_on_device(to) ? FAKE_IN : FAKE_OUT;
}

/* CUDA copies pageable memory before it returns, or returns when it is done. */
static CUresult copy(void *to, const void *from, size_t n, CUstream s, int waits)
{
    int kind_to = fake_kind(to, n), kind_from = fake_kind(from, n);
    fake_op op = {.run = run_copy, .to = to, .from = from, .n_bytes = n, .engine = engine_between(kind_to, kind_from)};
    CUresult r;
    if (!s || kind_to < 0 || kind_from < 0)
        return s ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_CONTEXT;
    op.kind = kind_to == FAKE_PAGEABLE || kind_from == FAKE_PAGEABLE ? FAKE_PAGEABLE : FAKE_PINNED;
    r = fake_enqueue(s, &op);
    return r == CUDA_SUCCESS && (waits || op.kind == FAKE_PAGEABLE) ? fake_finish(s) : r;
}

/* Device memory is the device's: it is checked here, as the driver does. */
static CUresult copy_in(CUdeviceptr d, const void *h, size_t n, CUstream s, int waits)
{
    void *to = (void *)(uintptr_t)d;
    return is_on_device(fake_kind(to, n)) ? copy(to, h, n, s, waits) : CUDA_ERROR_INVALID_VALUE;
}

static CUresult copy_out(void *h, CUdeviceptr d, size_t n, CUstream s, int waits)
{
    const void *from = (const void *)(uintptr_t)d;
    return is_on_device(fake_kind(from, n)) ? copy(h, from, n, s, waits) : CUDA_ERROR_INVALID_VALUE;
}

#define IN(name, is_per_thread)                                          \
    CUresult name(CUdeviceptr d, const void *h, size_t n)                \
    {                                                                    \
        ENTER(name);                                                     \
        return copy_in(d, h, n, fake_stream_of(NULL, is_per_thread), 1); \
    }
#define OUT(name, is_per_thread)                                          \
    CUresult name(void *h, CUdeviceptr d, size_t n)                       \
    {                                                                     \
        ENTER(name);                                                      \
        return copy_out(h, d, n, fake_stream_of(NULL, is_per_thread), 1); \
    }
#define IN_ASYNC(name, is_per_thread)                                 \
    CUresult name(CUdeviceptr d, const void *h, size_t n, CUstream s) \
    {                                                                 \
        ENTER(name);                                                  \
        return copy_in(d, h, n, fake_stream_of(s, is_per_thread), 0); \
    }
#define OUT_ASYNC(name, is_per_thread)                                 \
    CUresult name(void *h, CUdeviceptr d, size_t n, CUstream s)        \
    {                                                                  \
        ENTER(name);                                                   \
        return copy_out(h, d, n, fake_stream_of(s, is_per_thread), 0); \
    }
IN(cuMemcpyHtoD_v2, 0)
IN(cuMemcpyHtoD_v2_ptds, 1)
OUT(cuMemcpyDtoH_v2, 0)
OUT(cuMemcpyDtoH_v2_ptds, 1)
IN_ASYNC(cuMemcpyHtoDAsync_v2, 0)
IN_ASYNC(cuMemcpyHtoDAsync_v2_ptsz, 1)
OUT_ASYNC(cuMemcpyDtoHAsync_v2, 0)
OUT_ASYNC(cuMemcpyDtoHAsync_v2_ptsz, 1)

#define ANY(name, is_per_thread)                                                                                      \
    CUresult name(CUdeviceptr to, CUdeviceptr from, size_t n)                                                         \
    {                                                                                                                 \
        ENTER(name);                                                                                                  \
        return copy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, n, fake_stream_of(NULL, is_per_thread), 1); \
    }
#define ANY_ASYNC(name, is_per_thread)                                                                             \
    CUresult name(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s)                                          \
    {                                                                                                              \
        ENTER(name);                                                                                               \
        return copy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, n, fake_stream_of(s, is_per_thread), 0); \
    }
ANY(cuMemcpy, 0)
ANY(cuMemcpy_ptds, 1)
ANY_ASYNC(cuMemcpyAsync, 0)
ANY_ASYNC(cuMemcpyAsync_ptsz, 1)

static char *place(uint32_t type, const void *host, CUdeviceptr device, size_t x, size_t y, size_t pitch)
{
    char *base = type == CU_MEMORYTYPE_HOST ? (char *)(uintptr_t)host : (char *)(uintptr_t)device;
    return base + y * pitch + x;
}

static CUresult copy_2d(const CUDA_MEMCPY2D *c, CUstream s, int waits)
{
    fake_op op = {.run = run_copy, .n_bytes = c->WidthInBytes, .height = c->Height, .kind = FAKE_PAGEABLE};
    CUresult r;
    op.to = place(c->dstMemoryType, c->dstHost, c->dstDevice, c->dstXInBytes, c->dstY, c->dstPitch);
    op.from = place(c->srcMemoryType, c->srcHost, c->srcDevice, c->srcXInBytes, c->srcY, c->srcPitch);
    op.pitch_to = c->dstPitch, op.pitch_from = c->srcPitch;
    op.engine = engine_between(fake_kind(op.to, 1), fake_kind(op.from, 1));
    r = fake_enqueue(s, &op);
    return r == CUDA_SUCCESS && waits ? fake_finish(s) : r;
}

#define FLAT(name, is_per_thread)                                  \
    CUresult name(const CUDA_MEMCPY2D *c)                          \
    {                                                              \
        ENTER(name);                                               \
        return copy_2d(c, fake_stream_of(NULL, is_per_thread), 1); \
    }
#define FLAT_ASYNC(name, is_per_thread)                         \
    CUresult name(const CUDA_MEMCPY2D *c, CUstream s)           \
    {                                                           \
        ENTER(name);                                            \
        return copy_2d(c, fake_stream_of(s, is_per_thread), 0); \
    }
FLAT(cuMemcpy2D_v2, 0)
FLAT(cuMemcpy2D_v2_ptds, 1)
FLAT(cuMemcpy2DUnaligned_v2, 0)
FLAT(cuMemcpy2DUnaligned_v2_ptds, 1)
FLAT_ASYNC(cuMemcpy2DAsync_v2, 0)
FLAT_ASYNC(cuMemcpy2DAsync_v2_ptsz, 1)

/* Not here: three dimensions, graphs. */
#define LACKS(name, params)              \
    CUresult name params                 \
    {                                    \
        ENTER(name);                     \
        return CUDA_ERROR_NOT_SUPPORTED; \
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
LACKS(cuMemcpy3D_v2, (const CUDA_MEMCPY3D *c))
LACKS(cuMemcpy3D_v2_ptds, (const CUDA_MEMCPY3D *c))
LACKS(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *c, CUstream s))
LACKS(cuMemcpy3DAsync_v2_ptsz, (const CUDA_MEMCPY3D *c, CUstream s))
LACKS(cuStreamBeginCaptureToGraph, SHARE_TO_GRAPH_PARAMS)
LACKS(cuStreamBeginCaptureToGraph_ptsz, SHARE_TO_GRAPH_PARAMS)
LACKS(cuGraphLaunch, (CUgraphExec g, CUstream s))
LACKS(cuGraphLaunch_ptsz, (CUgraphExec g, CUstream s))
LACKS(cuLaunchCooperativeKernel, SHARE_COOPERATIVE_PARAMS)
LACKS(cuLaunchCooperativeKernel_ptsz, SHARE_COOPERATIVE_PARAMS)
#pragma GCC diagnostic pop

/* ---- kernels ---- */

static void run_kernel(fake_op *op)
{
    void *params[8];
    for (int i = 0; i < 8; i++)
        params[i] = &op->params[i];
    fake_engine(op->device, FAKE_COMPUTE, op->ns);
    op->kernel(params);
}

/* Arguments are words of eight bytes; the list of their addresses ends with NULL. */
static CUresult launch(CUfunction f, uint64_t n_blocks, CUstream s, void **params)
{
    fake_op op = {.run = run_kernel, .ns = n_blocks * fake_number("FAKE_CUDA_BLOCK_NS", 0)};
    memcpy((void *)&op.kernel, &f, sizeof f);
    for (int i = 0; i < 8 && params && params[i]; i++)
        memcpy(&op.params[i], params[i], sizeof op.params[i]);
    return fake_enqueue(s, &op);
}

#define LAUNCH(name, is_per_thread)                                                         \
    CUresult name SHARE_LAUNCH_PARAMS                                                       \
    {                                                                                       \
        (void)bx, (void)by, (void)bz, (void)shared, (void)extra;                            \
        ENTER(name);                                                                        \
        return launch(f, (uint64_t)gx * gy * gz, fake_stream_of(s, is_per_thread), params); \
    }
LAUNCH(cuLaunchKernel, 0)
LAUNCH(cuLaunchKernel_ptsz, 1)

#define LAUNCH_EX(name, is_per_thread)                                                                              \
    CUresult name(const void *config, CUfunction f, void **params, void **extra)                                    \
    {                                                                                                               \
        const CUlaunchConfig *c = config;                                                                           \
        (void)extra;                                                                                                \
        ENTER(name);                                                                                                \
        return launch(f, (uint64_t)c->grid[0] * c->grid[1] * c->grid[2], fake_stream_of(c->hStream, is_per_thread), \
                      params);                                                                                      \
    }
LAUNCH_EX(cuLaunchKernelEx, 0)
LAUNCH_EX(cuLaunchKernelEx_ptsz, 1)

CUresult cuFuncGetName(const char **name, CUfunction f)
{
    Dl_info where;
    ENTER(cuFuncGetName);
    if (!dladdr((const void *)f, &where) || !where.dli_sname)
        return CUDA_ERROR_NOT_FOUND;
    *name = where.dli_sname;
    return CUDA_SUCCESS;
}

/* Whatever the image is: kernels are functions of the program. */
CUresult cuModuleLoadData(void **module, const void *image)
{
    ENTER(cuModuleLoadData);
    *module = NULL;
    return image ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuModuleGetFunction(CUfunction *f, void *module, const char *name)
{
    void *p;
    ENTER(cuModuleGetFunction);
    p = dlsym(module ? module : RTLD_DEFAULT, name);
    if (!p)
        return CUDA_ERROR_NOT_FOUND;
    memcpy((void *)f, &p, sizeof p);
    return CUDA_SUCCESS;
}

/* ---- functions of the host ---- */

static void run_function(fake_op *op)
{
    void (*f)(void *);
    memcpy((void *)&f, op->params, sizeof f);
    f(op->to);
}

static void run_callback(fake_op *op)
{
    void (*f)(CUstream s, CUresult status, void *data);
    memcpy((void *)&f, op->params, sizeof f);
    f((CUstream)(uintptr_t)op->from, CUDA_SUCCESS, op->to);
}

#define CALLS(name, call_back, is_per_thread)                       \
    CUresult name(CUstream s, void (*f)(void *), void *data)        \
    {                                                               \
        fake_op op = {.run = run_function, .to = data};             \
        ENTER(name);                                                \
        memcpy(op.params, (void *)&f, sizeof f);                    \
        return fake_enqueue(fake_stream_of(s, is_per_thread), &op); \
    }                                                               \
    CUresult call_back SHARE_CALLBACK_PARAMS                        \
    {                                                               \
        fake_op op = {.run = run_callback, .to = data, .from = s};  \
        (void)flags;                                                \
        ENTER(call_back);                                           \
        memcpy(op.params, (void *)&f, sizeof f);                    \
        return fake_enqueue(fake_stream_of(s, is_per_thread), &op); \
    }
CALLS(cuLaunchHostFunc, cuStreamAddCallback, 0)
CALLS(cuLaunchHostFunc_ptsz, cuStreamAddCallback_ptsz, 1)

/* ---- words ---- */

static void run_wait(fake_op *op)
{
    const uint32_t *word = op->from;
    for (;;) {
        uint32_t now = __atomic_load_n(word, __ATOMIC_ACQUIRE);
        if (op->flags == CU_STREAM_WAIT_VALUE_EQ ? now == op->value : (int32_t)(now - op->value) >= 0)
            return;
        usleep(20);
    }
}

static void run_write(fake_op *op) { __atomic_store_n((uint32_t *)op->to, op->value, __ATOMIC_RELEASE); }

CUresult cuStreamWaitValue32_v2(CUstream s, CUdeviceptr at, uint32_t value, unsigned flags)
{
    fake_op op = {.run = run_wait, .from = (const void *)(uintptr_t)at, .value = value, .flags = flags};
    ENTER(cuStreamWaitValue32_v2);
    return fake_kind(op.from, 4) == FAKE_PAGEABLE ? CUDA_ERROR_INVALID_VALUE : fake_enqueue(fake_stream_of(s, 0), &op);
}

CUresult cuStreamWriteValue32_v2(CUstream s, CUdeviceptr at, uint32_t value, unsigned flags)
{
    fake_op op = {.run = run_write, .to = (void *)(uintptr_t)at, .value = value, .flags = flags};
    ENTER(cuStreamWriteValue32_v2);
    return fake_kind(op.to, 4) == FAKE_PAGEABLE ? CUDA_ERROR_INVALID_VALUE : fake_enqueue(fake_stream_of(s, 0), &op);
}
