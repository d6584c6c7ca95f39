/* SPDX-License-Identifier: MIT */
/* mixed.c - a program without a line about heddle share: threads that copy in, run kernels and copy out, in streams of each
 * kind, from memory of each kind, by each form of call. It checks every byte, and that errno and the current context
 * stay as they were.
 *
 *   mixed HOW THREADS ROUNDS KBYTES SEED [LIBRARY]
 *
 * Prints "right", and how many copies the driver saw; exits with 1 when a byte is wrong. */
#include "add.h"
#include "api.h"

#include "check.h"

#include <errno.h>
#include <pthread.h>

enum { OF_DEFAULT, OF_BLOCKING, OF_OTHER, N_STREAMS };

static size_t most_bytes;
static int n_rounds;
static uint64_t seed;
static CUcontext context;

typedef struct buffers {
    unsigned char *in, *out;
    CUdeviceptr device;
    size_t n;
    int in_is_pinned, out_is_pinned;
} buffers;

static unsigned char *host_memory(size_t n, int is_pinned)
{
    void *p = NULL;
    if (is_pinned)
        TRY(cu.cuMemHostAlloc(&p, n, 0));
    else
        p = malloc(n);
    return p;
}

static void free_host(void *p, int is_pinned)
{
    if (is_pinned)
        TRY(cu.cuMemFreeHost(p));
    else
        free(p);
}

static void copy_in(const buffers *b, CUstream s, int form)
{
    switch (form) {
    case 0: TRY(cu.cuMemcpyHtoD(b->device, b->in, b->n)); break;
    case 1: TRY(cu.cuMemcpyHtoDAsync(b->device, b->in, b->n, s)); break;
    case 2: TRY(cu.cuMemcpy(b->device, (CUdeviceptr)(uintptr_t)b->in, b->n)); break;
    case 3: TRY(cu.cuMemcpyAsync(b->device, (CUdeviceptr)(uintptr_t)b->in, b->n, s)); break;
    default: {
        CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                           .srcHost = b->in,
                           .srcPitch = b->n / 4,
                           .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                           .dstDevice = b->device,
                           .dstPitch = b->n / 4,
                           .WidthInBytes = b->n / 4,
                           .Height = 4};
        TRY(cu.cuMemcpy2D(&c));
    }
    }
}

static void copy_out(const buffers *b, CUstream s, int form)
{
    switch (form) {
    case 0: TRY(cu.cuMemcpyDtoH(b->out, b->device, b->n)); break;
    case 1: TRY(cu.cuMemcpyDtoHAsync(b->out, b->device, b->n, s)); break;
    case 2: TRY(cu.cuMemcpy((CUdeviceptr)(uintptr_t)b->out, b->device, b->n)); break;
    default: TRY(cu.cuMemcpyAsync((CUdeviceptr)(uintptr_t)b->out, b->device, b->n, s)); break;
    }
}

static void launch(const buffers *b, CUstream s, uint64_t by)
{
    CUfunction f;
    uint64_t n = b->n;
    CUdeviceptr d = b->device;
    void *params[] = {&d, &n, &by, NULL};
    TRY(cu.cuModuleGetFunction(&f, NULL, "add_to_bytes"));
    TRY(cu.cuLaunchKernel(f, 4, 1, 1, 32, 1, 1, 0, s, params, NULL));
}

/* Blocking forms use the default stream: the stream of the kernel is waited for where nothing orders them. */
static int is_blocking(int form) { return form == 0 || form == 2 || form == 4; }

static void one_round(const buffers *b, CUstream s, int is_default, uint64_t *state)
{
    int form_in = (int)check_below(state, 5), form_out = (int)check_below(state, 4),
        code = (int)check_below(state, 100);
    uint64_t by = check_below(state, 255) + 1, tint = check_random(state);
    CUcontext now = NULL;
    for (size_t i = 0; i < b->n; i++)
        b->in[i] = (unsigned char)(i * 7 + (i >> 12) + tint);
    memset(b->out, 0, b->n);
    errno = code;
    copy_in(b, s, form_in);
    CHECK(errno == code);
    launch(b, s, by);
    if (is_blocking(form_out) && !is_default)
        TRY(cu.cuStreamSynchronize(s));
    errno = code;
    copy_out(b, s, form_out);
    CHECK(errno == code);
    TRY(cu.cuCtxGetCurrent(&now));
    CHECK(now == context);
    TRY(cu.cuStreamSynchronize(s));
    for (size_t i = 0; i < b->n; i++)
        CHECK_MSG(b->out[i] == (unsigned char)(i * 7 + (i >> 12) + tint + by), "byte %zu of %zu, forms %d and %d", i,
                  b->n, form_in, form_out);
}

static void *work(void *number)
{
    uint64_t state = seed * 1000 + (uint64_t)(uintptr_t)number;
    TRY(cu.cuCtxSetCurrent(context));
    for (int i = 0; i < n_rounds; i++) {
        int kind = (int)check_below(&state, N_STREAMS);
        CUstream s = NULL;
        buffers b = {.n = check_below(&state, most_bytes / 4) * 4 + 4};
        b.in_is_pinned = (int)check_below(&state, 2), b.out_is_pinned = (int)check_below(&state, 2);
        b.in = host_memory(b.n, b.in_is_pinned), b.out = host_memory(b.n, b.out_is_pinned);
        TRY(cu.cuMemAlloc(&b.device, b.n));
        if (kind != OF_DEFAULT)
            TRY(cu.cuStreamCreate(&s, kind == OF_OTHER ? CU_STREAM_NON_BLOCKING : 0));
        one_round(&b, s, kind == OF_DEFAULT, &state);
        if (s)
            TRY(cu.cuStreamDestroy(s));
        TRY(cu.cuMemFree(b.device));
        free_host(b.in, b.in_is_pinned), free_host(b.out, b.out_is_pinned);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[16];
    int n = argc > 2 ? atoi(argv[2]) : 1;
    if (argc < 6 || n > 16)
        return 2;
    api_load(argv[1], argc > 6 ? argv[6] : NULL, 0);
    n_rounds = atoi(argv[3]), most_bytes = (size_t)atoi(argv[4]) << 10, seed = strtoull(argv[5], NULL, 0);
    TRY(cu.cuInit(0));
    TRY(cu.cuDevicePrimaryCtxRetain(&context, 0));
    TRY(cu.cuCtxSetCurrent(context));
    for (int i = 1; i < n; i++)
        CHECK(!pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i));
    work(NULL);
    for (int i = 1; i < n; i++)
        pthread_join(threads[i], NULL);
    TRY(cu.cuDevicePrimaryCtxRelease(0));
    printf("right; pieces %llu\n", (unsigned long long)cu.calls("cuEventRecord"));
    return 0;
}
