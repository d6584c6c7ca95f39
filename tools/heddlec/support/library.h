/* SPDX-License-Identifier: MIT */
/* library.h - library functions known to heddlec: whether device code has them, and the effect of a call on the host.
 * Also words that are free in C but reserved in CUDA. */
#ifndef HEDDLEC_LIBRARY_H
#define HEDDLEC_LIBRARY_H

#include <stddef.h>

typedef enum hc_library_kind {
    HC_L_MATH,    /* mathematical functions and integer abs: types of argument and result as in the C prototype */
    HC_L_MEMORY,  /* memcpy, memmove, memset                                                           */
    HC_L_PRINT,   /* printf                                                                            */
    HC_L_TRAP,    /* abort, exit, a failed assertion: the task fails                                   */
    HC_L_SLEEP,   /* sleep, usleep                                                                     */
    HC_L_OMP,     /* omp_get_...: answered for a task */
    HC_L_BUILTIN, /* compilers' own: __builtin_popcount, __builtin_expect; those with a C name (__builtin_sqrt) have that
                   * name's kind                                                                       */
    HC_L_ISO,     /* of C's library; like the following only in bodies for the CPU alone: HC180 */
    HC_L_HOST,    /* of the system: HC180                                                              */
    HC_L_FILE,    /* files, setjmp, variable arguments: HC181                                          */
    HC_L_OMP_HOST /* omp_set_..., locks: HC160                                                         */
} hc_library_kind;

/* The effect of a host's call on memory other than its own. */
typedef enum hc_library_effect {
    HC_L_NOTHING, /* or reads only its arguments' values */
    HC_L_READS,   /* reads what its pointer arguments point to */
    HC_L_WRITES,  /* writes behind its pointers to non-const, and reads behind the others */
    HC_L_OUTPUT,  /* reads like READS, with visible output */
    HC_L_TIME,    /* reads a clock; writes like WRITES */
    HC_L_ENDS     /* ends the life of memory: free, realloc */
} hc_library_effect;

typedef struct hc_library {
    const char *name;
    hc_library_kind kind;
    const char *header; /* the header that declares it, NULL for builtins */
    hc_library_effect effect;
} hc_library;

/* By the name called; __builtin_sqrt, sqrtf and sqrtl find sqrt. NULL if unknown. */
const hc_library *hc_library_of(const char *name);

/* Whether a word free for programs in C is reserved in C++ or CUDA: class, new, threadIdx, float4. */
int hc_is_taken_word(const char *word, size_t n);

#endif
