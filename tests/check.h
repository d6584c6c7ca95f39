/* SPDX-License-Identifier: MIT */
/* check.h - the tools of a test program: checks that print what was expected and where, skips, random numbers with a
 * printed seed. A test exits with 0 if all checks held, 1 at the first that did not, 77 if it cannot run. */
#ifndef CHECK_H
#define CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(cond) CHECK_MSG(cond, "%s", "")
/* printf-like arguments follow cond: values that explain the failure. */
#define CHECK_MSG(cond, ...)                                                \
    do {                                                                    \
        if (!(cond)) {                                                      \
            printf("%s:%d: does not hold: %s ", __FILE__, __LINE__, #cond); \
            printf(__VA_ARGS__);                                            \
            printf("\n");                                                   \
            fflush(stdout);                                                 \
            exit(1);                                                        \
        }                                                                   \
    } while (0)

/* A heddle call that must succeed; ctx may be NULL. Needs heddle.h. */
#define CHECK_OK(ctx, call)                                                                                         \
    do {                                                                                                            \
        heddle_status check_status_ = (call);                                                                       \
        CHECK_MSG(check_status_ == HEDDLE_OK, "%s: %s", heddle_status_text(check_status_), heddle_error_text(ctx)); \
    } while (0)

#define SKIP(...)            \
    do {                     \
        printf("skipped: "); \
        printf(__VA_ARGS__); \
        printf("\n");        \
        fflush(stdout);      \
        exit(77);            \
    } while (0)

/* The seed of this run: HEDDLE_SEED, or `fixed`, so that a run can be repeated. Printed, to be found in a failure. */
static inline uint64_t check_seed(uint64_t fixed)
{
    const char *text = getenv("HEDDLE_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : fixed;
    printf("HEDDLE_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

/* splitmix64: the next random word of *state. */
static inline uint64_t check_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A number in [0, n), n > 0. */
static inline uint64_t check_below(uint64_t *state, uint64_t n) { return check_random(state) % n; }

/* Sanitizers slow a test down tenfold, that of threads most. Of very many combinations it takes one of so many then, which *state chooses; else all. */
#if defined(HEDDLE_TSAN)
#define CHECK_TAKES 6
#elif defined(HEDDLE_ASAN)
#define CHECK_TAKES 3
#else
#define CHECK_TAKES 1
#endif
#define CHECK_IS_SLOW (CHECK_TAKES > 1)
static inline int check_takes(uint64_t *state) { return !CHECK_IS_SLOW || check_below(state, CHECK_TAKES) == 0; }

#endif
