/* SPDX-License-Identifier: MIT */
/* kin_bodies.h - families: a task of the graph spawns children that name ranges and one another, so that their order
 * shows in the bytes they leave. Plain arrays in memory of the context, which a GPU can read. */
#ifndef KIN_BODIES_H
#define KIN_BODIES_H

#include "heddle/task.h"

#define KIN_RANGES 4u /* per child, at most */
#define KIN_PARTS 8u  /* in which a child reads its bytes */

/* How a child reads all parts and then writes. It ends with the last of its own children and continuations. */
typedef enum kin_kind {
    KIN_LEAF,  /* it does all itself */
    KIN_FORK,  /* its children read a part each, its continuation writes */
    KIN_TWICE, /* with a continuation in between: each of the two spawns half of the parts */
    KIN_DEEP,  /* its only child is a fork, its continuation a join */
    KIN_KINDS
} kin_kind;

typedef struct kin_range {
    uint32_t at, row_bytes, n_rows, stride_bytes; /* in the family's bytes */
    heddle_mode mode;
} kin_range;

typedef struct kin_child {
    kin_range range[KIN_RANGES];
    uint32_t n_ranges, kind, pause_ns;
    uint32_t urgent;
    uint32_t n_after, after[HEDDLE_MAX_AFTER]; /* earlier children named by handle: places in the family */
    uint32_t named;                            /* a later child names it */
    uint32_t before, n_before;                 /* in kin_params.before: children that must have run */
} kin_child;

typedef struct kin_family {
    uint32_t child, n_children; /* the first one, among all children */
    uint32_t byte;              /* the first one, among all bytes */
    uint32_t joins;             /* it has a continuation, so it ends with all its children */
} kin_family;

typedef struct kin_params {
    uint8_t *bytes;
    const kin_family *family;
    const kin_child *child;
    const uint32_t *before;
    uint64_t *part; /* what was read, KIN_PARTS per child */
    uint32_t *ran;  /* per child: its last run; plain words */
    uint32_t *n_joined;
    uint32_t *wrong; /* 1 + a child that found an error */
    uint32_t run;    /* counts from 1 */
    uint32_t n_all;  /* children */
} kin_params;

typedef struct kin_args {
    uint32_t family, child;
} kin_args;
typedef struct kin_part_args {
    uint32_t family, child, part;
} kin_part_args;

#define KIN_SHARED (8u * HEDDLE_MAX_CHILDREN) /* handles */
#define KIN_BODIES(X)         \
    X(kin_parent, KIN_SHARED) \
    X(kin_joined, 0)          \
    X(kin_after, 0)           \
    X(kin_leaf, 0) X(kin_fork, 0) X(kin_twice, 0) X(kin_second, 0) X(kin_deep, 0) X(kin_part, 0) X(kin_write, 0)
HEDDLE_ENUM(kin, KIN_BODIES)
HEDDLE_DECLARE(kin)

/* ---- the work of a child ---------------------------------------------------------------------------------------- */

HD_FN uint64_t kin_mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

/* Offset of byte i of a range, counted along its rows. */
HD_FN uint32_t kin_place(const kin_range *r, uint32_t i)
{
    return r->at + i / r->row_bytes * r->stride_bytes + i % r->row_bytes;
}

/* Hashes one part of the bytes that a child reads. */
HD_FN uint64_t kin_read(const uint8_t *bytes, const kin_child *c, uint32_t part)
{
    uint64_t h = part;
    uint32_t k, i;
    for (k = 0; k < c->n_ranges; k++)
        for (i = part; c->range[k].mode & HEDDLE_MODE_IN && i < c->range[k].row_bytes * c->range[k].n_rows;
             i += KIN_PARTS)
            h = kin_mix(h, bytes[kin_place(&c->range[k], i)]);
    return h;
}

/* A byte's new value depends on its place and on what was read, so ranges of a child may overlap. A thread writes the
 * places equal to `thread` modulo team_size. */
HD_FN void kin_write_share(uint8_t *bytes, const kin_child *c, uint64_t seed, const uint64_t *part, uint32_t thread,
                           uint32_t team_size)
{
    uint64_t h = seed;
    uint32_t k, i, at;
    for (i = 0; i < KIN_PARTS; i++)
        h = kin_mix(h, part[i]);
    for (k = 0; k < c->n_ranges; k++)
        for (i = 0; c->range[k].mode & HEDDLE_MODE_OUT && i < c->range[k].row_bytes * c->range[k].n_rows; i++) {
            at = kin_place(&c->range[k], i);
            if (at % team_size == thread)
                bytes[at] = (uint8_t)(kin_mix(h, at) >> 32);
        }
}

#endif
