/* SPDX-License-Identifier: MIT */
/* matmul.cu - products by hand (by_hand.h): the body of matmul in one launch, cuBLAS, cublasXt. cuBLAS is opened with dlopen by the name
 * that belongs to its headers; without the headers it is refused. Matrices are row-major, and cuBLAS has columns: it is asked for the
 * transposed product, B^T A^T. */
#include "by_hand.h"

#include "cuda_try.h"
#include "pin.h"

#undef HEDDLE_LOOP_TABLE
#define HEDDLE_LOOP_TABLE(table, params_type, list)
#include "matmul_bodies.c"

#include <chrono>
#include <climits>
#include <cstdio>
#include <cuda_runtime.h>
#include <dlfcn.h>

#if __has_include(<cublasXt.h>)
#include <cublasXt.h>
#include <cublas_v2.h>
#define HAVE_CUBLAS 1
#endif

#define TRY(call) CUDA_TRY(call, "matmul by hand", error, BY_HAND_ERROR)

enum { LEAST_BLOCKS = 2 }; /* in a multiprocessor */

/* ---- the plain program ---- */

struct product_work {
    matmul_record record;
    uint64_t m, n;
};

template <int is_float>
static __global__ __launch_bounds__(MATMUL_TEAM, LEAST_BLOCKS) void multiply(const __grid_constant__ product_work w)
{
    extern __shared__ __align__(128) unsigned char room[];
    const heddle_thread thread = heddle_block_thread(nullptr, room, MATMUL_TEAM, 0);
    const uint64_t i = uint64_t(blockIdx.y) * MATMUL_EDGE, j = uint64_t(blockIdx.x) * MATMUL_EDGE;
    const heddle_span s = {i, i + MATMUL_EDGE < w.m ? i + MATMUL_EDGE : w.m, j,
                           j + MATMUL_EDGE < w.n ? j + MATMUL_EDGE : w.n, 0};
    if (is_float)
        matmul_f32_body_(&thread, &w.record, &s);
    else
        matmul_i32_body_(&thread, &w.record, &s);
}

/* ---- cuBLAS ---- */

#ifdef HAVE_CUBLAS
#define NAME_(x) #x
#define NAME(x) NAME_(x)
#define LIBRARY "libcublas.so." NAME(CUBLAS_VER_MAJOR)

struct blas {
    void *handle;
    decltype(&cublasCreate_v2) create;
    decltype(&cublasDestroy_v2) destroy;
    decltype(&cublasSetMathMode) set_mode;
    decltype(&cublasSgemm_v2) multiply;
    decltype(&cublasXtCreate) xt_create;
    decltype(&cublasXtDestroy) xt_destroy;
    decltype(&cublasXtDeviceSelect) xt_select;
    decltype(&cublasXtSetBlockDim) xt_tile;
    decltype(&cublasXtSgemm) xt_multiply;
};

template <typename F> static int find(const blas *b, const char *name, F *f, char *error)
{
    *f = reinterpret_cast<F>(dlsym(b->handle, name));
    if (!*f)
        snprintf(error, BY_HAND_ERROR, "%s has no %s", LIBRARY, name);
    return *f ? 0 : -1;
}

static int blas_open(blas *b, char *error)
{
    b->handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!b->handle) {
        snprintf(error, BY_HAND_ERROR, "%.*s", BY_HAND_ERROR - 1, dlerror());
        return -1;
    }
    return find(b, "cublasCreate_v2", &b->create, error) || find(b, "cublasDestroy_v2", &b->destroy, error) ||
                   find(b, "cublasSetMathMode", &b->set_mode, error) ||
                   find(b, "cublasSgemm_v2", &b->multiply, error) || find(b, "cublasXtCreate", &b->xt_create, error) ||
                   find(b, "cublasXtDestroy", &b->xt_destroy, error) ||
                   find(b, "cublasXtDeviceSelect", &b->xt_select, error) ||
                   find(b, "cublasXtSetBlockDim", &b->xt_tile, error) ||
                   find(b, "cublasXtSgemm", &b->xt_multiply, error)
               ? -1
               : 0;
}

static int said(cublasStatus_t s, char *error)
{
    if (s != CUBLAS_STATUS_SUCCESS)
        snprintf(error, BY_HAND_ERROR, "cuBLAS returned status %d", static_cast<int>(s));
    return s == CUBLAS_STATUS_SUCCESS ? 0 : -1;
}
#endif

/* ---- a product ---- */

struct by_hand_product {
    product p;
    product_way way;
    char *a, *b, *c; /* on the GPU */
    cudaEvent_t begin, end;
#ifdef HAVE_CUBLAS
    blas lib;
    cublasHandle_t handle;
    cublasXtHandle_t xt;
#endif
};

static int open_memory(by_hand_product *h, char *error)
{
    const product *p = &h->p;
    TRY(cudaSetDevice(0));
    TRY(cudaMalloc(&h->a, p->m * p->k * 4));
    TRY(cudaMalloc(&h->b, p->k * p->n * 4));
    TRY(cudaMalloc(&h->c, p->m * p->n * 4));
    TRY(cudaEventCreate(&h->begin));
    TRY(cudaEventCreate(&h->end));
    return 0;
}

#ifdef HAVE_CUBLAS
static int open_library(by_hand_product *h, uint32_t n_gpus, uint32_t tile, char *error)
{
    int gpus[BY_HAND_MOST_GPUS];
    for (uint32_t i = 0; i < BY_HAND_MOST_GPUS; i++)
        gpus[i] = static_cast<int>(i);
    if (!h->p.is_float || h->p.m > INT_MAX || h->p.n > INT_MAX || h->p.k > INT_MAX || n_gpus > BY_HAND_MOST_GPUS) {
        snprintf(error, BY_HAND_ERROR, "cuBLAS takes fp32 of less than 2^31 rows and columns");
        return -1;
    }
    if (blas_open(&h->lib, error))
        return -1;
    if (h->way == PRODUCT_CUBLAS)
        return said(h->lib.create(&h->handle), error) ||
                       said(h->lib.set_mode(h->handle, CUBLAS_DEFAULT_MATH), error) /* no TF32 */
                   ? -1
                   : 0;
    return said(h->lib.xt_create(&h->xt), error) ||
                   said(h->lib.xt_select(h->xt, static_cast<int>(n_gpus), gpus), error) ||
                   said(h->lib.xt_tile(h->xt, static_cast<int>(tile)), error)
               ? -1
               : 0;
}
#else
static int open_library(by_hand_product *, uint32_t, uint32_t, char *error)
{
    snprintf(error, BY_HAND_ERROR, "built without the headers of cuBLAS");
    return -1;
}
#endif

int by_hand_product_open(by_hand_product **out, product_way way, const product *p, uint32_t n_gpus, uint32_t tile,
                         char error[BY_HAND_ERROR])
{
    by_hand_product *h = *out = new by_hand_product();
    h->p = *p;
    h->way = way;
    pin(p->a, p->m * p->k * 4);
    pin(p->b, p->k * p->n * 4);
    pin(p->c, p->m * p->n * 4);
    if (way != PRODUCT_PLAIN && open_library(h, n_gpus, tile, error))
        return -1;
    return way == PRODUCT_XT ? 0 : open_memory(h, error);
}

void by_hand_product_close(by_hand_product *h)
{
    if (!h)
        return;
#ifdef HAVE_CUBLAS
    if (h->handle)
        (void)h->lib.destroy(h->handle);
    if (h->xt)
        (void)h->lib.xt_destroy(h->xt);
    if (h->lib.handle)
        (void)dlclose(h->lib.handle);
#endif
    unpin(h->p.a);
    unpin(h->p.b);
    unpin(h->p.c);
    (void)cudaFree(h->a);
    (void)cudaFree(h->b);
    (void)cudaFree(h->c);
    if (h->begin)
        (void)cudaEventDestroy(h->begin);
    if (h->end)
        (void)cudaEventDestroy(h->end);
    (void)cudaGetLastError(); /* of what was not made */
    delete h;
}

int by_hand_product_bring(by_hand_product *h, char error[BY_HAND_ERROR])
{
    const product *p = &h->p;
    if (h->way == PRODUCT_XT)
        return 0;
    TRY(cudaMemcpy(h->a, p->a, p->m * p->k * 4, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(h->b, p->b, p->k * p->n * 4, cudaMemcpyHostToDevice));
    return 0;
}

int by_hand_product_take(by_hand_product *h, char error[BY_HAND_ERROR])
{
    if (h->way != PRODUCT_XT)
        TRY(cudaMemcpy(h->p.c, h->c, h->p.m * h->p.n * 4, cudaMemcpyDeviceToHost));
    return 0;
}

static int put_plain(const by_hand_product *h, char *error)
{
    const product *p = &h->p;
    const dim3 grid(static_cast<uint32_t>((p->n + MATMUL_EDGE - 1) / MATMUL_EDGE),
                    static_cast<uint32_t>((p->m + MATMUL_EDGE - 1) / MATMUL_EDGE));
    const uint32_t shared = HEDDLE_REDUCE_BYTES + MATMUL_SHARED;
    product_work w = {};
    w.record = {h->a, h->b, h->c, p->k * 4, p->n * 4, p->n * 4, 0, p->k, 0, 1};
    w.m = p->m;
    w.n = p->n;
    if (p->is_float)
        multiply<1><<<grid, MATMUL_TEAM, shared>>>(w);
    else
        multiply<0><<<grid, MATMUL_TEAM, shared>>>(w);
    TRY(cudaGetLastError());
    return 0;
}

#ifdef HAVE_CUBLAS
static int put_cublas(const by_hand_product *h, char *error)
{
    const float one = 1, zero = 0;
    const int m = static_cast<int>(h->p.m), n = static_cast<int>(h->p.n), k = static_cast<int>(h->p.k);
    return said(h->lib.multiply(h->handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, reinterpret_cast<float *>(h->b), n,
                                reinterpret_cast<float *>(h->a), k, &zero, reinterpret_cast<float *>(h->c), n),
                error);
}

static int run_xt(const by_hand_product *h, double *ms, char *error)
{
    const float one = 1, zero = 0;
    const size_t m = h->p.m, n = h->p.n, k = h->p.k;
    const auto begin = std::chrono::steady_clock::now();
    const int status =
        said(h->lib.xt_multiply(h->xt, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, static_cast<const float *>(h->p.b), n,
                                static_cast<const float *>(h->p.a), k, &zero, static_cast<float *>(h->p.c), n),
             error);
    *ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    return status;
}
#else
static int put_cublas(const by_hand_product *, char *) { return -1; } /* it could not be opened */
static int run_xt(const by_hand_product *, double *, char *) { return -1; }
#endif

int by_hand_product_compute(by_hand_product *h, double *ms, char error[BY_HAND_ERROR])
{
    float elapsed;
    if (h->way == PRODUCT_XT)
        return run_xt(h, ms, error);
    TRY(cudaEventRecord(h->begin));
    if (h->way == PRODUCT_PLAIN ? put_plain(h, error) : put_cublas(h, error))
        return -1;
    TRY(cudaEventRecord(h->end));
    TRY(cudaEventSynchronize(h->end));
    TRY(cudaEventElapsedTime(&elapsed, h->begin, h->end));
    *ms = elapsed;
    return 0;
}
