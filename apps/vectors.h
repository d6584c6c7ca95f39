/* SPDX-License-Identifier: MIT */
/* vectors.h - a loop of a body, for the lone thread of a core, compiled twice: as the build says, and on x86-64 for vectors twice as long.
 * The thread takes what its processor has. No fused multiplication: the bytes are the same. */
#ifndef VECTORS_H
#define VECTORS_H

#include "heddle/body.h"

/* VECTORS_QUICK(f, (double *to, int n), (to, n)) makes f_quick of a HEDDLE_FN function f, for hosts only: call it where
 * HEDDLE_ON_HOST holds, in #if. */
#if HEDDLE_ON_HOST && defined(__x86_64__) && defined(__GNUC__) && !defined(__AVX2__)
#define VECTORS_QUICK(f, params, args)                                                 \
    __attribute__((target("avx2"), flatten)) static void f##_newer_ params { f args; } \
    static void f##_quick params                                                       \
    {                                                                                  \
        if (__builtin_cpu_supports("avx2"))                                            \
            f##_newer_ args;                                                           \
        else                                                                           \
            f args;                                                                    \
    }
#elif HEDDLE_ON_HOST
#define VECTORS_QUICK(f, params, args) \
    static void f##_quick params { f args; }
#else
#define VECTORS_QUICK(f, params, args)
#endif

#endif
