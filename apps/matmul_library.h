/* SPDX-License-Identifier: MIT */
/* matmul_library.h - the bodies of matmul by NVIDIA's cuBLAS, which is looked for when it is asked for: a build needs nothing of it. */
#ifndef MATMUL_LIBRARY_H
#define MATMUL_LIBRARY_H

#include "matmul_bodies.h"

typedef struct matmul_library matmul_library;

/* allows_tf32: products of fewer bits, by tensor cores. NULL without memory. */
matmul_library *matmul_library_new(int allows_tf32);
void matmul_library_free(matmul_library *l);
/* 0, or -1: cuBLAS is not here. */
int matmul_library_load(matmul_library *l);
/* A heddle_call_fn for matmul_f32; user is the library. Where the host works, it is the plain version. */
heddle_status matmul_library_call(void *user, void *stream, const heddle_span_work *w);

#endif
