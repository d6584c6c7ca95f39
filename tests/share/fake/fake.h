/* SPDX-License-Identifier: MIT */
/* fake.h - a driver of CUDA without a GPU, for tests: the entry points that heddle share wraps or calls, and those that test
 * programs need. Memory of devices is memory of the process, copies are real, kernels are functions of the program.
 *
 * Streams have CUDA's rules: each is in order; the legacy stream waits for all blocking streams of its context, and they
 * for it. Engines (a copy engine a direction, one for kernels) have rates and are shared by processes through a file.
 *
 *      FAKE_CUDA_FILE      the card: engines and memory of all processes that name it; none: the process has its own
 *      FAKE_CUDA_RATE      MB a second of each copy engine; 0 = as quick as memory
 *      FAKE_CUDA_PAGEABLE  the same for copies of pageable memory
 *      FAKE_CUDA_BLOCK_NS  what a block of a kernel takes
 *      FAKE_CUDA_MEMORY    bytes of a device (1 GiB)
 *      FAKE_CUDA_DEVICES   how many there are (1)
 *      FAKE_CUDA_FAULTS    "name:nth:what", divided by commas; what is a code that is returned, or "hang"; nth 0: each
 *      FAKE_CUDA_MISSING   names that cuGetProcAddress does not know, divided by commas
 *      FAKE_CUDA_NEWER     names for which it returns a newer function than the exported one */
#ifndef FAKE_H
#define FAKE_H

#include "abi.h"

#include <pthread.h>

/* What programs call besides. */
#define FAKE_MORE(X)                                                  \
    X(cuInit, (unsigned flags))                                       \
    X(cuDriverGetVersion, (int *version))                             \
    X(cuDeviceGet, (CUdevice * d, int i))                             \
    X(cuDeviceGetCount, (int *n))                                     \
    X(cuCtxCreate_v2, (CUcontext * c, unsigned flags, CUdevice d))    \
    X(cuMemAllocManaged, (CUdeviceptr * p, size_t n, unsigned flags)) \
    X(cuMemHostAlloc, (void **p, size_t n, unsigned flags))           \
    X(cuMemFreeHost, (void *p))                                       \
    X(cuMemGetInfo_v2, (size_t * free_bytes, size_t * total))         \
    X(cuStreamQuery, (CUstream s))                                    \
    X(cuModuleLoadData, (void **module, const void *image))           \
    X(cuModuleGetFunction, (CUfunction * f, void *module, const char *name))

#define FAKE_DECLARE(name, params) CUresult name params;
SHARE_WRAPPED(FAKE_DECLARE)
SHARE_USED(FAKE_DECLARE)
FAKE_MORE(FAKE_DECLARE)
#undef FAKE_DECLARE
/* How often a function was called in this process. Not CUDA's. */
uint64_t fake_calls(const char *name);

/* ---- faults (fault.c) ---- */

typedef struct fake_site {
    const char *name;
    uint64_t n_calls;
    struct fake_site *next;
    int is_known;
} fake_site;
/* The code of the fault that this call is to have, or CUDA_SUCCESS; a hang does not return. */
CUresult fake_enter(fake_site *site);
#define ENTER(entry)                               \
    do {                                           \
        static fake_site site_ = {.name = #entry}; \
        CUresult fault_ = fake_enter(&site_);      \
        if (fault_ != CUDA_SUCCESS)                \
            return fault_;                         \
    } while (0)
/* Whether a name stands in a variable's list. */
int fake_listed(const char *variable, const char *name);
uint64_t fake_number(const char *variable, uint64_t otherwise);

/* ---- engines and memory of the card (card.c) ---- */

enum { FAKE_IN, FAKE_OUT, FAKE_COMPUTE, FAKE_N_ENGINES, FAKE_MOST_DEVICES = 4 };
/* Returns when the engine has been this long at it; processes queue. */
void fake_engine(int device, int engine, uint64_t ns);
uint64_t fake_copy_ns(size_t n_bytes, int is_pageable);
/* Takes bytes of a device's memory, or (negative) gives them back. 0, or -1: there are not so many. */
int fake_take_memory(int device, int64_t n_bytes);
uint64_t fake_memory_used(int device);

/* ---- addresses (address.c) ---- */

enum { FAKE_PAGEABLE, FAKE_PINNED, FAKE_DEVICE, FAKE_MANAGED };
void *fake_allocate(int device, size_t n_bytes, int kind);
int fake_kind(const void *p, size_t n_bytes); /* -1: it goes beyond what it begins in */
size_t fake_release(void *p);                 /* its bytes, or 0: not known */
void fake_release_of(CUcontext c);            /* what its end frees */

/* ---- streams (stream.c) ---- */

typedef struct fake_mark {
    CUstream stream;
    uint64_t count;
} fake_mark;
typedef struct fake_op {
    void (*run)(struct fake_op *op);
    int device, engine, kind;
    void *to;
    const void *from;
    size_t n_bytes, pitch_to, pitch_from, height;
    uint64_t ns;
    void (*kernel)(void **params);
    uint64_t params[8];
    uint32_t value, flags;
    fake_mark *waits; /* which come first */
    size_t n_waits;
    struct fake_op *next;
} fake_op;
/* The stream that a number or NULL means here; NULL: there is no context. */
CUstream fake_stream_of(CUstream s, int is_per_thread);
int fake_stream_device(CUstream s);
/* Puts a copy of op behind what it is to come after. In a capture it becomes a node instead. */
CUresult fake_enqueue(CUstream s, const fake_op *op);
CUresult fake_finish(CUstream s);

#endif
