/* SPDX-License-Identifier: MIT */
/* memory_for.c - memory that bodies and the test can use at the same time. */
#include "pool/bodies.h"

#if POOL_CUDA
#include <cuda_runtime_api.h>
#endif

void *pooled_new(heddle_backend b, size_t n_bytes)
{
    void *p = NULL;
#if POOL_CUDA
    if (b == HEDDLE_CUDA) {
        CHECK(cudaHostAlloc(&p, n_bytes, cudaHostAllocDefault) == cudaSuccess);
        memset(p, 0, n_bytes);
        return p;
    }
#endif
    (void)b;
    p = calloc(1, n_bytes);
    CHECK(p != NULL);
    return p;
}

void pooled_free(heddle_backend b, void *p)
{
#if POOL_CUDA
    if (b == HEDDLE_CUDA) {
        (void)cudaFreeHost(p);
        return;
    }
#endif
    (void)b;
    free(p);
}

int pooled_wants_gpu(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--cuda") != 0)
        return 0;
    if (!heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU here");
    return 1;
}
