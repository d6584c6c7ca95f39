/* SPDX-License-Identifier: MIT */
/* cuda_try.h - calls of the CUDA runtime in functions that return 0, or -1 with a sentence in `error`. nvcc includes
 * the runtime's declarations itself. */
#ifndef CUDA_TRY_H
#define CUDA_TRY_H

#include <cstdio>

/* If the call fails: prints its origin and CUDA's text into error, which has n_bytes, and leaves the function with -1. */
#define CUDA_TRY(call, whose, error, n_bytes)                                    \
    do {                                                                         \
        const cudaError_t try_ = (call);                                         \
        if (try_ != cudaSuccess) {                                               \
            snprintf(error, n_bytes, "%s: %s", whose, cudaGetErrorString(try_)); \
            return -1;                                                           \
        }                                                                        \
    } while (0)

#endif
