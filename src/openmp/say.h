/* SPDX-License-Identifier: MIT */
/* say.h - sentences, the way out, memory. OpenMP has no way to return an error: what cannot go on says why and ends the
 * program with status 1. */
#ifndef HD_OMP_SAY_H
#define HD_OMP_SAY_H

#include "heddle/openmp.h"

/* "lu.c:41: heddle: sentence" on stderr, then exit(1). place NULL: that of the region, if there is one. */
_Noreturn void hd_omp_die(const heddle_omp_place *place, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same, and goes on. */
void hd_omp_tell(const heddle_omp_place *place, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Ways out of list.h, kept out of its inline functions: a list is longer than its numbers reach; a dependence has more
 * bytes than there are. */
_Noreturn void hd_omp_list_full(void);
_Noreturn void hd_omp_list_far(uint64_t n_bytes);

/* A growing array of items of one size, told at each call. */
typedef struct hd_omp_buffer {
    void *at;
    uint64_t n, cap; /* items */
} hd_omp_buffer;
/* Room for `more` items behind the first n: doubles. Dies without memory. Aligned to 16. */
void hd_omp_grow(hd_omp_buffer *b, uint64_t more, uint64_t item_bytes);
static inline void hd_omp_room(hd_omp_buffer *b, uint64_t more, uint64_t item_bytes)
{
    if (__builtin_expect(b->n + more > b->cap, 0))
        hd_omp_grow(b, more, item_bytes);
}
void hd_omp_free(hd_omp_buffer *b);
/* Zeroed memory, or the way out. */
void *hd_omp_new(uint64_t n_bytes);
/* Test hook: the n-th next allocation fails (0 = never). */
void hd_omp_fail_alloc_at(uint64_t n);

/* CLOCK_MONOTONIC in ns. */
uint64_t hd_omp_clock(void);
/* The variable's text; NULL when it is not set or empty. */
const char *hd_omp_env(const char *name);

#endif
