/* SPDX-License-Identifier: MIT */
/* vectors.h - a loop of a body, for the lone thread of a core, compiled twice: as the build says, and on x86-64 for vectors twice as long.
 * The thread takes what its processor has. No product is fused with a sum, unless the function itself says so: the bytes are the same. */
#ifndef VECTORS_H
#define VECTORS_H

#include "heddle/body.h"

/* VECTORS_QUICK(f, (double *to, int n), (to, n)) makes f_quick of a HEDDLE_FN function f, for hosts only: call it where
 * HEDDLE_ON_HOST holds, in #if. VECTORS_FUSED is for functions with fused multiply-adds (fmaf), for which older processors call the C
 * library, with the same results. */
#if HEDDLE_ON_HOST && defined(__x86_64__) && defined(__GNUC__)
#define VECTORS_TWICE_(f, params, args, targets, has)                                   \
    __attribute__((target(targets), flatten)) static void f##_newer_ params { f args; } \
    static void f##_quick params                                                        \
    {                                                                                   \
        if (has)                                                                        \
            f##_newer_ args;                                                            \
        else                                                                            \
            f args;                                                                     \
    }
#endif
#if HEDDLE_ON_HOST
#define VECTORS_ONCE_(f, params, args) \
    static void f##_quick params { f args; }
#else
#define VECTORS_ONCE_(f, params, args)
#endif
#if defined(VECTORS_TWICE_) && !defined(__AVX2__)
#define VECTORS_QUICK(f, params, args) VECTORS_TWICE_(f, params, args, "avx2", __builtin_cpu_supports("avx2"))
#else
#define VECTORS_QUICK VECTORS_ONCE_
#endif
#if defined(VECTORS_TWICE_) && !(defined(__AVX2__) && defined(__FMA__))
#define VECTORS_FUSED(f, params, args) \
    VECTORS_TWICE_(f, params, args, "avx2,fma", __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#else
#define VECTORS_FUSED VECTORS_ONCE_
#endif

#endif
