/* SPDX-License-Identifier: MIT */
/* matmul_library.c - see matmul_library.h. cuBLAS takes matrices column by column, and so rows of C as columns of its transposed: C' = B' A'.
 * Each GPU has a handle of its own. It refuses spans with sides that do not fit into an int. */
#include "matmul_library.h"

#include "matmul_plain.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>

#define MOST_DEVICES 64u
#define MATH_DEFAULT 0 /* CUBLAS_DEFAULT_MATH, */
#define MATH_TF32 3    /* CUBLAS_TF32_TENSOR_OP_MATH */
#define AS_IT_IS 0     /* CUBLAS_OP_N */

typedef int (*create_fn)(void **handle);
typedef int (*destroy_fn)(void *handle);
typedef int (*set_stream_fn)(void *handle, void *stream);
typedef int (*set_math_fn)(void *handle, int mode);
typedef int (*sgemm_fn)(void *handle, int a_is_turned, int b_is_turned, int m, int n, int k, const float *alpha,
                        const float *a, int a_stride, const float *b, int b_stride, const float *beta, float *c,
                        int c_stride);

struct matmul_library {
    int allows_tf32;
    void *file;
    create_fn create;
    destroy_fn destroy;
    set_stream_fn set_stream;
    set_math_fn set_math;
    sgemm_fn sgemm;
    void *handles[MOST_DEVICES];
};

matmul_library *matmul_library_new(int allows_tf32)
{
    matmul_library *l = calloc(1, sizeof *l);
    if (l)
        l->allows_tf32 = allows_tf32;
    return l;
}

void matmul_library_free(matmul_library *l)
{
    if (!l)
        return;
    for (uint32_t i = 0; i < MOST_DEVICES; i++)
        if (l->handles[i])
            (void)l->destroy(l->handles[i]);
    free(l); /* the file stays loaded: it has threads and memory of its own */
}

static void *open_file(void)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so",
                                        "/usr/local/cuda/lib64/libcublas.so"};
    void *file = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !file; i++)
        file = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return file;
}

int matmul_library_load(matmul_library *l)
{
    l->file = open_file();
    if (!l->file)
        return -1;
    *(void **)&l->create = dlsym(l->file, "cublasCreate_v2");
    *(void **)&l->destroy = dlsym(l->file, "cublasDestroy_v2");
    *(void **)&l->set_stream = dlsym(l->file, "cublasSetStream_v2");
    *(void **)&l->set_math = dlsym(l->file, "cublasSetMathMode");
    *(void **)&l->sgemm = dlsym(l->file, "cublasSgemm_v2");
    return l->create && l->destroy && l->set_stream && l->set_math && l->sgemm ? 0 : -1;
}

static void *handle_of(matmul_library *l, uint32_t device)
{
    if (device >= MOST_DEVICES)
        return NULL;
    if (!l->handles[device] && (l->create(&l->handles[device]) != 0 ||
                                l->set_math(l->handles[device], l->allows_tf32 ? MATH_TF32 : MATH_DEFAULT) != 0))
        return NULL;
    return l->handles[device];
}

static int fits(uint64_t n) { return n <= INT_MAX; }

static int multiply(matmul_library *l, void *handle, const matmul_record *p, const heddle_span_work *w)
{
    const float one = 1, old = p->adds ? 1 : 0;
    const uint64_t rows = w->end - w->begin, cols = w->end_2 - w->begin_2, k = p->to - p->from;
    if (!fits(rows) || !fits(cols) || !fits(k) || !fits(p->a_stride / 4) || !fits(p->b_stride / 4) ||
        !fits(p->c_stride / 4))
        return -1;
    return l->sgemm(handle, AS_IT_IS, AS_IT_IS, (int)cols, (int)rows, (int)k, &one,
                    (const float *)matmul_at(p->b, p->b_stride, p->from, w->begin_2), (int)(p->b_stride / 4),
                    (const float *)matmul_at(p->a, p->a_stride, w->begin, p->from), (int)(p->a_stride / 4), &old,
                    (float *)matmul_to(p, w->begin, w->begin_2), (int)(p->c_stride / 4));
}

heddle_status matmul_library_call(void *user, void *stream, const heddle_span_work *w)
{
    matmul_library *l = user;
    const matmul_record *p = w->params;
    void *handle;
    if (!stream) {
        const heddle_span s = {.begin = w->begin, .end = w->end, .begin_2 = w->begin_2, .end_2 = w->end_2};
        matmul_alone(p, &s, 1);
        return HEDDLE_OK;
    }
    handle = l->file ? handle_of(l, w->device) : NULL;
    if (!handle || l->set_stream(handle, stream) != 0)
        return HEDDLE_EDEVICE;
    return multiply(l, handle, p, w) ? HEDDLE_EDEVICE : HEDDLE_OK;
}
