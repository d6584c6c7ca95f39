/* SPDX-License-Identifier: MIT */
/* matmul_bodies.h - record and list of the bodies of matmul: C = A B or C += A B, of int32, which wraps, or of fp32. All matrices are
 * row-major. A body computes a rectangle of C: indices are its rows, second indices its columns.
 *
 * Rows lie a stride apart, each matrix its own, so that a piece of a matrix may lie packed. A number of C begins as 0, or as what C holds;
 * to this the products are added one by one, in ascending order of k, by fused multiply-adds. So all bodies give the same bytes, however
 * C is divided, and however many calls share out the range of k. */
#ifndef MATMUL_BODIES_H
#define MATMUL_BODIES_H

#include "heddle/loop.h"

typedef struct matmul_record {
    const void *a, *b;
    void *c;
    uint64_t a_stride, b_stride, c_stride; /* bytes from row to row */
    uint64_t from, to;                     /* of k: columns of A, rows of B */
    uint32_t adds;                         /* 0: C is overwritten */
    uint32_t tuned;
} matmul_record;

/* Of the tuned version: its threads, rows and columns of a piece of C, columns of A in shared memory, of which there are two stages. */
#define MATMUL_TEAM 256
#define MATMUL_EDGE 128
#define MATMUL_DEPTH 8
#define MATMUL_SHARED (2 * 2 * MATMUL_EDGE * MATMUL_DEPTH * 4)

#define MATMUL_BODIES(X) X(matmul_f32, MATMUL_SHARED) X(matmul_i32, MATMUL_SHARED)
HEDDLE_ENUM(matmul, MATMUL_BODIES)
HEDDLE_DECLARE(matmul)

#endif
