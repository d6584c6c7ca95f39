/* SPDX-License-Identifier: MIT */
/* slu_spawn_bodies.h - slu with tasks that spawn tasks: records, list of bodies, and the words in which a run tracks
 * which blocks exist, and which are ready. See slu_spawn_bodies.c. */
#ifndef SLU_SPAWN_BODIES_H
#define SLU_SPAWN_BODIES_H

#include "slu_bodies.h"
#include "slu_matrix.h"

#define SLU_CLOSED 0xfffffffeu   /* slu_spawn_update.next: this product has finished */
#define SLU_SPAWN_MAX_BLOCKS 128 /* a dimension: keeps lu0's children within a body's limit */
#define SLU_SPAWN_MAX_ROW (SLU_SPAWN_MAX_BLOCKS - 1)

/* The tasks of step k: rows and columns of its blocks are in rows[] and cols[], its products in updates[]. */
typedef struct slu_spawn_step {
    uint32_t n_rows, n_cols, first;
} slu_spawn_step;

/* A product of step k to subtract from a block. It waits for both factors and the product before it on that block. */
typedef struct slu_spawn_update {
    uint32_t waits; /* atomic, dev                                                                           */
    uint32_t next;  /* the product after it, or SLU_NONE, or SLU_CLOSED; atomic, dev                             */
    uint32_t k;
} slu_spawn_update;

/* Tables are n_dim x n_dim, indexed by block, rows and cols by step. */
typedef struct slu_spawn_record {
    slu_record blocks;
    uint32_t n_dim;
    uint32_t *n_blocks; /* numbers given to blocks; atomic, dev                                                 */
    uint32_t *slot;     /* a block's number, or SLU_NONE */
    uint32_t *left;     /* a block's count of events to wait for; atomic, dev */
    uint32_t *last;     /* a block's newest product, or SLU_NONE */
    uint32_t *index;    /* a block's index in its step's rows or columns */
    uint32_t *rows, *cols;
    slu_spawn_step *steps;
    slu_spawn_update *updates;
} slu_spawn_record;

typedef struct slu_spawn_find_args {
    uint32_t k;
} slu_spawn_find_args;
typedef struct slu_spawn_one {
    slu_one t;
    uint32_t k;
} slu_spawn_one;
typedef struct slu_spawn_two {
    slu_two t;
    uint32_t k, index;
} slu_spawn_two;
typedef struct slu_spawn_three {
    slu_three t;
    uint32_t update, row, col;
} slu_spawn_three;

#define SLU_SPAWN_BODIES(X)      \
    X(slu_spawn_lu0, SLU_SHARED) \
    X(slu_spawn_fwd, SLU_SHARED) X(slu_spawn_bdiv, SLU_SHARED) X(slu_spawn_bmod, SLU_SHARED) X(slu_spawn_find, 8)
HEDDLE_ENUM(slu_spawn, SLU_SPAWN_BODIES)
HEDDLE_DECLARE(slu_spawn)

#endif
