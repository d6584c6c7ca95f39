/* SPDX-License-Identifier: MIT */
/* kin_bodies.h - families: a task of the graph spawns children that name ranges and one another, in an order that shows in
 * the bytes they leave. Plain arrays in memory of the context, so that a GPU can read them. */
#ifndef KIN_BODIES_H
#define KIN_BODIES_H

#include "heddle/task.h"

#define KIN_RANGES 4u /* of a child, at most */
#define KIN_PARTS 8u  /* in which a child reads */

/* How a child does what it has to do: it reads all parts, then writes. Its end is that of the last thing it does. */
typedef enum kin_kind {
    KIN_LEAF,  /* itself */
    KIN_FORK,  /* its children read a part each, its continuation writes */
    KIN_TWICE, /* a continuation between: each of the two spawns half of the parts */
    KIN_DEEP,  /* a child of its own is a fork; nothing is left to do then */
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
    uint32_t n_after, after[HEDDLE_MAX_AFTER]; /* earlier children that it names by handle, by place in the family */
    uint32_t named;                            /* a later one names it */
    uint32_t before, n_before;                 /* in kin_params.before: children that must have run */
} kin_child;

typedef struct kin_family {
    uint32_t child, n_children; /* of all children, the first */
    uint32_t byte;              /* of all bytes, the first */
    uint32_t joins;             /* it continues, so that its end is that of all its children */
} kin_family;

typedef struct kin_params {
    uint8_t *bytes;
    const kin_family *family;
    const kin_child *child;
    const uint32_t *before;
    uint64_t *part; /* KIN_PARTS a child: what was read */
    uint32_t *ran;  /* a child: the run in which it ran last; plain words */
    uint32_t *n_joined;
    uint32_t *wrong; /* 1 + a child that met something wrong */
    uint32_t run;    /* from 1 */
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

/* ---- what a child does ------------------------------------------------------------------------------------------ */

HD_FN uint64_t kin_mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

/* Byte i of a range, counted along its rows. */
HD_FN uint32_t kin_place(const kin_range *r, uint32_t i)
{
    return r->at + i / r->row_bytes * r->stride_bytes + i % r->row_bytes;
}

/* One part of the bytes that a child reads. */
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

/* What a byte becomes depends on its place and on what was read, so that ranges of a child may overlap. A thread writes the
 * places that are `thread` modulo team_size. */
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
