/* SPDX-License-Identifier: MIT */
/* uts_bodies.h - unbalanced tree search: nodes, the record of a task, and the number of children of a node.
 *
 * A node is the SHA-1 digest of its parent's digest and its own number among the children; the root's is that of a
 * seed. The number of its children follows from the last 31 bits of its digest and a distribution, which depends on its
 * depth. The authors define it with logarithms of floating point numbers. Here the host computes the least 31-bit
 * number that has one child, two, three ...; bodies only compare, so no machine's logarithm influences the tree.
 *
 * A task holds a batch of nodes that have children. It makes the children; those with children of their own go into new
 * batches. */
#ifndef UTS_BODIES_H
#define UTS_BODIES_H

#include "sha1.h"
#include "tally.h"

#define UTS_MOST_CHILDREN 100u /* of a node, except a binomial tree's root */
#define UTS_SPAWNS 32u         /* most tasks that a task spawns */
#define UTS_RANDOM 0x7fffffffu /* the bits of a digest's last word that are a node's random number      */

/* The distribution at one depth: as many children as limits that the number, with bits flipped, reaches. */
typedef struct uts_row {
    uint32_t flip, n;
    uint32_t limit[UTS_MOST_CHILDREN];
} uts_row;

/* A node, and its children still to be made: from .. from + n - 1. */
typedef struct uts_node {
    uint32_t state[5];
    uint32_t depth;
    uint16_t from, n;
} uts_node;

/* Records of three sizes; each begins like all larger ones. The smallest fits into a task's own cache line. */
typedef struct uts_batch_2 {
    uint32_t n;
    uts_node node[2];
} uts_batch_2;
typedef struct uts_batch_16 {
    uint32_t n;
    uts_node node[16];
} uts_batch_16;
typedef struct uts_batch_64 {
    uint32_t n;
    uts_node node[64];
} uts_batch_64;
#define UTS_MAX_CHUNK 64u

/* Words of a tally cell. */
enum { UTS_NODES, UTS_LEAVES, UTS_DEPTH };

typedef struct uts_params {
    const uts_row *rows; /* by depth; the last one is for all greater depths */
    tally_cell *cells;
    uint32_t n_rows, chunk; /* chunk: nodes of a task */
} uts_params;

/* When many threads share a task: its new batches, its children, and its bytes of shared memory. */
#define UTS_BATCHES 10u
#define UTS_ITEMS(chunk) ((UTS_BATCHES - 1u) * (chunk))
#define UTS_BATCH_BYTES(chunk) \
    ((uint32_t)((chunk) <= 2u ? sizeof(uts_batch_2) : (chunk) <= 16u ? sizeof(uts_batch_16) : sizeof(uts_batch_64)))
#define UTS_SHARED_BYTES(chunk) (16u + 4u * UTS_ITEMS(chunk) + UTS_BATCHES * UTS_BATCH_BYTES(chunk))

/* Argument of uts_N: uts_batch_N. */
#define UTS_BODIES(X) X(uts_2, 0) X(uts_16, 0) X(uts_64, 0)
HEDDLE_ENUM(uts, UTS_BODIES)
HEDDLE_DECLARE(uts)

/* The number of children of a node with that digest at that depth. */
SHA1_FN uint32_t uts_children(const uts_row *rows, uint32_t n_rows, uint32_t depth, const uint32_t state[5])
{
    const uts_row *row = rows + (depth < n_rows ? depth : n_rows - 1u);
    const uint32_t h = (state[4] & UTS_RANDOM) ^ row->flip;
    uint32_t k = 0;
    while (k < row->n && row->limit[k] <= h)
        k++;
    return k;
}

/* Child number i of a node, without its number of children. */
SHA1_FN void uts_make(const uts_node *parent, uint32_t i, uts_node *out)
{
    uint32_t m[6], k;
    for (k = 0; k < 5u; k++)
        m[k] = parent->state[k];
    m[5] = i;
    sha1_words(m, 6, out->state);
    out->depth = parent->depth + 1u;
    out->from = 0;
}

/* Child number i of a node. Returns how many children it has. */
SHA1_FN uint32_t uts_child(const uts_row *rows, uint32_t n_rows, const uts_node *parent, uint32_t i, uts_node *out)
{
    uts_make(parent, i, out);
    out->n = (uint16_t)uts_children(rows, n_rows, out->depth, out->state);
    return out->n;
}

#endif
