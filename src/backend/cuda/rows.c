/* SPDX-License-Identifier: MIT */
/* rows.c - copies of rows as loops have them, which need not lie side by side at either end. CUDA takes strides up to INT_MAX; beyond that
 * each row is a copy of its own. */
#include "backend/cuda/cuda.h"

#include <limits.h>

cudaError_t hd_cuda_copy_rows(const heddle_copy *c, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    cudaError_t r = cudaSuccess;
    uint64_t i;
    if (c->n_rows <= 1 || (c->to_stride == c->row_bytes && c->from_stride == c->row_bytes))
        return c->n_rows ? cudaMemcpyAsync(c->to, c->from, c->n_rows * c->row_bytes, kind, stream) : cudaSuccess;
    if (c->to_stride <= INT_MAX && c->from_stride <= INT_MAX)
        return cudaMemcpy2DAsync(c->to, c->to_stride, c->from, c->from_stride, c->row_bytes, c->n_rows, kind, stream);
    for (i = 0; i < c->n_rows && r == cudaSuccess; i++)
        r = cudaMemcpyAsync((uint8_t *)c->to + i * c->to_stride, (const uint8_t *)c->from + i * c->from_stride,
                            c->row_bytes, kind, stream);
    return r;
}
