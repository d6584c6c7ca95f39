/* SPDX-License-Identifier: MIT */
/* common.h - shared by the OpenMP applications: sizes from the command line, memory, an answer in the words of `heddle
 * run`, the time of the region on stderr. */
#ifndef OPENMP_COMMON_H
#define OPENMP_COMMON_H

#include "../noise.h"

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

/* Argument i as a number of at least 1, or `otherwise` when there is none. */
static inline int size_argument(int argc, char **argv, int i, int otherwise)
{
    long v = argc > i ? strtol(argv[i], NULL, 10) : otherwise;
    if (v < 1 || v > 1 << 20) {
        fprintf(stderr, "%s: sizes are 1 to 2^20, not %s\n", argv[0], argv[i]);
        exit(2);
    }
    return (int)v;
}

/* Allocates n items of `size` bytes, zeroed, in huge pages where the system has them. Touches them all, so that page
 * faults are not part of a region's time. */
static inline void *memory(size_t n, size_t size)
{
    const size_t page = (size_t)2 << 20, n_bytes = (n * size + page - 1) / page * page;
    void *p = aligned_alloc(page, n_bytes);
    if (!p) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
#if defined(MADV_HUGEPAGE)
    (void)madvise(p, n_bytes, MADV_HUGEPAGE);
#endif
    return memset(p, 0, n_bytes);
}

/* Prefetches n cells of 4 bytes for writing: a tile's rows lie far apart in memory, and no hardware prefetcher foresees
 * the first touch of each. */
static inline void ask_for(const void *cells, int n)
{
    for (int i = 0; i < n; i += 16)
        __builtin_prefetch((const char *)cells + 4 * i, 1);
}

static inline void say_f64(const char *key, double v) { printf("%s = %.17g\n", key, v); }
static inline void say_i64(const char *key, int64_t v) { printf("%s = %lld\n", key, (long long)v); }
static inline void say_u64(const char *key, uint64_t v) { printf("%s = %llu\n", key, (unsigned long long)v); }

static inline void say_time(double seconds) { fprintf(stderr, "region %.6f ms\n", 1e3 * seconds); }

#endif
