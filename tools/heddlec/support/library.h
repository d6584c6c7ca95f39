/* SPDX-License-Identifier: MIT */
/* library.h - the functions of libraries that heddlec knows: which of them device code has, and what a call of one does to
 * the host. Also the words that are free in C and taken in CUDA. */
#ifndef HEDDLEC_LIBRARY_H
#define HEDDLEC_LIBRARY_H

#include <stddef.h>

typedef enum hc_library_kind {
    HC_L_MATH,    /* math.h and integer abs: argument and result types are those of the C prototype    */
    HC_L_MEMORY,  /* memcpy, memmove, memset                                                           */
    HC_L_PRINT,   /* printf                                                                            */
    HC_L_TRAP,    /* abort, exit, a failed assertion: the task fails                                   */
    HC_L_SLEEP,   /* sleep, usleep                                                                     */
    HC_L_OMP,     /* omp_get_...: answered for a task                                                  */
    HC_L_BUILTIN, /* compilers' own: __builtin_popcount, __builtin_expect; those with a C name (__builtin_sqrt) have that
                   * name's kind                                                                       */
    HC_L_ISO,     /* of C's library; like those behind it only in bodies that are for the CPU alone: HC180 */
    HC_L_HOST,    /* of the system: HC180                                                              */
    HC_L_FILE,    /* files, setjmp, variable arguments: HC181                                          */
    HC_L_OMP_HOST /* omp_set_..., locks: HC160                                                         */
} hc_library_kind;

/* What a call by the host does to memory that is not its own. */
typedef enum hc_library_effect {
    HC_L_NOTHING, /* or only reads what its arguments' values say                         */
    HC_L_READS,   /* what its pointer arguments point to                                  */
    HC_L_WRITES,  /* what its pointers to non-const point to, and reads the others'       */
    HC_L_OUTPUT,  /* reads like READS, and somebody sees that it was called               */
    HC_L_TIME,    /* asks a clock; writes like WRITES                                     */
    HC_L_ENDS     /* takes back memory, which nobody may use afterwards: free, realloc    */
} hc_library_effect;

typedef struct hc_library {
    const char *name;
    hc_library_kind kind;
    const char *header; /* that declares it, NULL for builtins */
    hc_library_effect effect;
} hc_library;

/* By the name called; __builtin_sqrt, sqrtf and sqrtl find sqrt. NULL when it is not known. */
const hc_library *hc_library_of(const char *name);

/* A word that C leaves to the program and that means something in C++ or CUDA: class, new, threadIdx, float4. */
int hc_is_taken_word(const char *word, size_t n);

#endif
