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

int pooled_set_mode(uint32_t k)
{
    static const char *const modes[] = {"resident", "launches", "kernels", "batch"};
    static const char *asked;
    if (k == 0)
        asked = getenv("HEDDLE_POOL_ALONE"); /* one mode alone: the sanitizers are slow */
    if (asked)
        return k == 0 && setenv("HEDDLE_POOL_MODE", asked, 1) == 0;
    return k < sizeof modes / sizeof *modes && setenv("HEDDLE_POOL_MODE", modes[k], 1) == 0;
}

int pooled_has_no_spawns(heddle_backend b)
{
    const char *mode = getenv("HEDDLE_POOL_MODE");
    return b == HEDDLE_CUDA && mode && strcmp(mode, "resident") && strcmp(mode, "auto");
}
