/* SPDX-License-Identifier: MIT */
/* shared.c - what tests of pools share: memory that bodies and the test can use at the same time, modes, random programs. */
#include "pool/bodies.h"

#include <stdio.h>

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

static int is_flat;

int pooled_is_flat(void) { return is_flat; }

int pooled_set_mode(uint32_t k)
{
    static const char *const modes[] = {"resident", "resident",  "launches", "kernels",
                                        "batch",    "taskgraph", "fused",    "table"};
    static const char *asked;
    is_flat = k == 1;
    if (k == 0)
        asked = getenv("HEDDLE_POOL_ALONE"); /* one mode alone: the sanitizers are slow */
    if (asked)
        return k < 2 && setenv("HEDDLE_POOL_MODE", asked, 1) == 0;
    return k < sizeof modes / sizeof *modes && setenv("HEDDLE_POOL_MODE", modes[k], 1) == 0;
}

int pooled_has_no_spawns(heddle_backend b)
{
    const char *mode = getenv("HEDDLE_POOL_MODE");
    return b == HEDDLE_CUDA && (is_flat || (mode && strcmp(mode, "resident") && strcmp(mode, "auto")));
}

int pooled_has_no_limits(heddle_backend b)
{
    const char *mode = getenv("HEDDLE_POOL_MODE");
    return b == HEDDLE_CUDA && mode && !strcmp(mode, "table");
}

int pooled_is_lazy(heddle_backend b)
{
    const char *mode = getenv("HEDDLE_POOL_MODE");
    return b == HEDDLE_CUDA && mode && (!strcmp(mode, "fused") || !strcmp(mode, "table"));
}

heddle_ctx *pooled_context(heddle_backend b, uint32_t n_workers)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    c.backend = b;
    c.n_workers = n_workers;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    return ctx;
}

void pooled_everywhere(int argc, char **argv, void (*check)(heddle_backend b, uint32_t n))
{
    uint32_t n;
    if (pooled_wants_gpu(argc, argv)) {
        for (n = 0; pooled_set_mode(n); n++)
            check(HEDDLE_CUDA, 0);
        return;
    }
    check(HEDDLE_SERIAL, 1);
    check(HEDDLE_SERIAL, 4);
    for (n = 1; n <= 4; n++)
        check(HEDDLE_CPU, n);
}

int pooled_programs(int argc, char **argv, uint64_t seed, uint32_t n, pooled_run run)
{
    const char *text = getenv("HEDDLE_PROGRAMS");
    uint32_t w;
    seed = check_seed(seed);
    n = text ? (uint32_t)strtoul(text, NULL, 0) : n;
    if (pooled_wants_gpu(argc, argv)) {
        for (w = 0; pooled_set_mode(w); w++)
            run(HEDDLE_CUDA, 0, n, &seed);
        printf("%u programs on a GPU, in %u modes\n", n, w);
        return 0;
    }
    run(HEDDLE_SERIAL, 0, n / 6u, &seed);
    for (w = 1; w <= 4; w++)
        run(HEDDLE_CPU, w, n / 4u, &seed);
    printf("%u programs on threads, %u serially\n", n / 4u * 4u, n / 6u);
    return 0;
}
