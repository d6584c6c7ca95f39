/* SPDX-License-Identifier: MIT */
/* say.h - messages, exits, memory. OpenMP cannot return errors: a fatal one prints its reason and ends the program with
 * status 1. */
#ifndef HD_OMP_SAY_H
#define HD_OMP_SAY_H

#include "heddle/openmp.h"

/* Prints "lu.c:41: heddle: sentence" to stderr and exits with 1. place NULL: the region's, if there is one. */
_Noreturn void hd_omp_die(const heddle_omp_place *place, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same without exiting. */
void hd_omp_tell(const heddle_omp_place *place, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Exits for list.h, kept out of its inline functions: a list exceeds its 32-bit numbers; a dependence exceeds the address
 * space. */
_Noreturn void hd_omp_list_full(void);
_Noreturn void hd_omp_list_far(uint64_t n_bytes);

/* A growing array. All calls on one buffer pass the same item size. */
typedef struct hd_omp_buffer {
    void *at;
    uint64_t n, cap; /* items */
} hd_omp_buffer;
/* Makes room for `more` items behind the first n, by doubling. Exits without memory. Aligned to 16. */
void hd_omp_grow(hd_omp_buffer *b, uint64_t more, uint64_t item_bytes);
static inline void hd_omp_room(hd_omp_buffer *b, uint64_t more, uint64_t item_bytes)
{
    if (__builtin_expect(b->n + more > b->cap, 0))
        hd_omp_grow(b, more, item_bytes);
}
void hd_omp_free(hd_omp_buffer *b);
/* Zeroed memory; exits without. */
void *hd_omp_new(uint64_t n_bytes);
/* Test hook: the n-th next allocation fails (0 = never). */
void hd_omp_fail_alloc_at(uint64_t n);

/* CLOCK_MONOTONIC in ns. */
uint64_t hd_omp_clock(void);
/* The variable's text; NULL if unset or empty. */
const char *hd_omp_env(const char *name);

#endif
