/* SPDX-License-Identifier: MIT */
/* call.c - see call.h. cuBLAS has matrices column by column, so rows of C are columns of its transposed: C' = B' A'. */
#include "call.h"

#ifdef WITH_CUBLAS
#include <cublas_v2.h>

enum { MOST_GPUS = 16 };

/* Puts the product into the stream. The GPU is the current one, and one thread makes all calls. */
static heddle_status on_gpu(cudaStream_t stream, const heddle_span_work *w)
{
    static cublasHandle_t handles[MOST_GPUS];
    const product_params *p = w->params;
    const int n = (int)p->n, rows = (int)(w->end - w->begin);
    const float one = 1, none = 0;
    cublasHandle_t *h = &handles[w->device % MOST_GPUS];
    if (!*h && cublasCreate(h) != CUBLAS_STATUS_SUCCESS)
        return HEDDLE_EDEVICE;
    if (cublasSetStream(*h, stream) != CUBLAS_STATUS_SUCCESS ||
        cublasSgemm(*h, CUBLAS_OP_N, CUBLAS_OP_N, n, rows, n, &one, p->b, n, p->a + w->begin * p->n, n, &none,
                    p->c + w->begin * p->n, n) != CUBLAS_STATUS_SUCCESS)
        return HEDDLE_EDEVICE;
    return HEDDLE_OK;
}
#endif

static heddle_status on_host(const heddle_span_work *w)
{
    const product_params *p = w->params;
    for (uint64_t i = w->begin; i < w->end; i++) {
        float *row = p->c + i * p->n;
        for (uint64_t j = 0; j < p->n; j++)
            row[j] = 0;
        for (uint64_t k = 0; k < p->n; k++)
            for (uint64_t j = 0; j < p->n; j++)
                row[j] += p->a[i * p->n + k] * p->b[k * p->n + j];
    }
    return HEDDLE_OK;
}

heddle_status product_call(void *user, void *stream, const heddle_span_work *w)
{
    (void)user;
    (void)stream;
    if (w->device == UINT32_MAX)
        return on_host(w);
#ifdef WITH_CUBLAS
    return on_gpu(stream, w);
#else
    return HEDDLE_ENODEV;
#endif
}
