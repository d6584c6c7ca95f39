/* SPDX-License-Identifier: MIT */
/* des3_tile.h - the blocks of a tile of packets, encrypted or decrypted; for the bodies of des3 and of mix. In the common part of
 * C, C++ and CUDA.
 *
 * A tile has the blocks that begin in its columns. Selection boxes and the permutation after them are one table of
 * words for each box. Two rotations of a half line up the six bits of four boxes each. The permutation between two passes
 * cancels out against its inverse.
 *
 * Many threads take blocks in turn, so that a warp reads and writes consecutive blocks, with tables and keys in
 * block-shared memory. To encrypt a chain needs the block before: there a thread takes a whole packet, and a tile of one packet
 * keeps one thread busy. To decrypt it needs only the cipher text before, so blocks are independent again. */
#ifndef DES3_TILE_H
#define DES3_TILE_H

#include "des3_bodies.h"
#include "quad.h"

typedef struct des3_pair {
    uint32_t left, right;
} des3_pair;

/* ---- one block ---- */

TILE_FN des3_pair des3_load(const uint8_t *p)
{
    des3_pair b;
#if defined(__CUDA_ARCH__)
    const uint2 v = *(const uint2 *)p; /* packets begin at multiples of a block */
    b.left = __byte_perm(v.x, 0, 0x0123);
    b.right = __byte_perm(v.y, 0, 0x0123);
#else
    b.left = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    b.right = (uint32_t)p[4] << 24 | (uint32_t)p[5] << 16 | (uint32_t)p[6] << 8 | p[7];
#endif
    return b;
}

TILE_FN void des3_store(uint8_t *p, des3_pair b)
{
#if defined(__CUDA_ARCH__)
    *(uint2 *)p = make_uint2(__byte_perm(b.left, 0, 0x0123), __byte_perm(b.right, 0, 0x0123));
#else
    for (int i = 0; i < 4; i++) {
        p[i] = (uint8_t)(b.left >> (24 - 8 * i));
        p[4 + i] = (uint8_t)(b.right >> (24 - 8 * i));
    }
#endif
}

/* Exchanges the bits `mask` of b for those `by` higher in a. Five such steps transpose the bits of a block as the initial
 * permutation does, and in reverse order undo it. */
TILE_FN void des3_exchange(uint32_t *a, uint32_t *b, int by, uint32_t mask)
{
    const uint32_t differing = (*a >> by ^ *b) & mask;
    *b ^= differing;
    *a ^= differing << by;
}
TILE_FN void des3_initial(des3_pair *b)
{
    des3_exchange(&b->left, &b->right, 4, 0x0f0f0f0fu);
    des3_exchange(&b->left, &b->right, 16, 0x0000ffffu);
    des3_exchange(&b->right, &b->left, 2, 0x33333333u);
    des3_exchange(&b->right, &b->left, 8, 0x00ff00ffu);
    des3_exchange(&b->left, &b->right, 1, 0x55555555u);
}
TILE_FN void des3_final(des3_pair *b)
{
    des3_exchange(&b->left, &b->right, 1, 0x55555555u);
    des3_exchange(&b->right, &b->left, 8, 0x00ff00ffu);
    des3_exchange(&b->right, &b->left, 2, 0x33333333u);
    des3_exchange(&b->left, &b->right, 16, 0x0000ffffu);
    des3_exchange(&b->left, &b->right, 4, 0x0f0f0f0fu);
}

/* Four boxes: of t's bytes, the low six bits each. */
TILE_FN uint32_t des3_four(const uint32_t *tables, uint32_t t)
{
    return tables[t >> 24 & 63u] ^ tables[128 + (t >> 16 & 63u)] ^ tables[256 + (t >> 8 & 63u)] ^
           tables[384 + (t & 63u)];
}
TILE_FN uint32_t des3_mixed(const uint32_t *tables, const uint32_t *keys, uint32_t half)
{
    return des3_four(tables, (half >> 3 | half << 29) ^ keys[0]) ^
           des3_four(tables + 64, (half << 1 | half >> 31) ^ keys[1]);
}

TILE_FN des3_pair des3_block(const uint32_t *tables, const uint32_t *keys, des3_pair b)
{
    des3_initial(&b);
    for (int pass = 0; pass < 3; pass++) {
        uint32_t left;
        for (int k = 0; k < 16; k += 2, keys += 4) {
            b.left ^= des3_mixed(tables, keys, b.right);
            b.right ^= des3_mixed(tables, keys + 2, b.left);
        }
        left = b.left;
        b.left = b.right;
        b.right = left;
    }
    des3_final(&b);
    return b;
}

/* ---- blocks of a packet ---- */

/* Block k of the packet at `at`. */
TILE_FN void des3_alone(const des3_record *params, const uint32_t *tables, const uint32_t *keys, uint64_t at,
                        uint64_t k)
{
    des3_pair b = des3_block(tables, keys, des3_load(params->in + at + k * DES3_BLOCK));
    if (params->chained && k) {
        const des3_pair before = des3_load(params->in + at + (k - 1u) * DES3_BLOCK);
        b.left ^= before.left;
        b.right ^= before.right;
    }
    des3_store(params->out + at + k * DES3_BLOCK, b);
}

/* A whole packet, each block added to the result before. */
TILE_FN void des3_chain(const des3_record *params, const uint32_t *tables, const uint32_t *keys, uint64_t packet)
{
    des3_pair b = {0, 0};
    const uint64_t end = params->begin[packet + 1u] - params->base;
    for (uint64_t at = params->begin[packet] - params->base; at < end; at += DES3_BLOCK) {
        const des3_pair next = des3_load(params->in + at);
        b.left ^= next.left;
        b.right ^= next.right;
        b = des3_block(tables, keys, b);
        des3_store(params->out + at, b);
    }
}

TILE_FN uint64_t des3_blocks(uint64_t n_bytes) { return (n_bytes + DES3_BLOCK - 1u) / DES3_BLOCK; }

TILE_FN void des3_cover(const heddle_thread *thread, const des3_record *params, const tile_rect *t,
                        const uint32_t *tables, const uint32_t *keys)
{
    if (params->chained && !params->backward) {
        HEDDLE_EACH (r, t->rows)
            des3_chain(params, tables, keys, t->row + (uint64_t)r);
        return;
    }
    for (uint64_t p = t->row; p < t->row + t->rows; p++) {
        const uint64_t at = params->begin[p] - params->base, n = des3_blocks(params->begin[p + 1u] - params->begin[p]);
        const uint64_t first = des3_blocks(t->col), last = des3_blocks(t->col + t->cols), end = last < n ? last : n;
        if (first < end)
            HEDDLE_EACH (k, end - first)
                des3_alone(params, tables, keys, at, first + (uint64_t)k);
    }
}

TILE_FN void des3_tile(const heddle_thread *thread, const des3_record *params, const tile_rect *t)
{
    uint32_t *tables = (uint32_t *)(void *)quad_shared(thread), *keys = tables + DES3_TABLES;
#if !defined(__CUDA_ARCH__)
    if (thread->team_size == 1) {
        des3_cover(thread, params, t, params->tables, params->tables + DES3_TABLES);
        return;
    }
#endif
    HEDDLE_EACH (i, DES3_TABLES + DES3_KEYS)
        tables[i] = params->tables[i];
    heddle_team_barrier(thread);
    des3_cover(thread, params, t, tables, keys);
}

#endif
