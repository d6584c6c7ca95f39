/* SPDX-License-Identifier: MIT */
/* estimate.h - how long copies and kernels will take, learnt from those that ended. Pure: no I/O, no clock.
 *
 * A line: time over amount, by least squares, in which old points count less and less; it starts from a guess. Amounts of one size
 * alone tell no line, and are scaled. No estimate is negative. Kernels: a line each over blocks. A GPU runs these in rounds, but how many are in one is
 * not known here: a grid of few rounds is estimated too low or too high by a part of a round. */
#ifndef SHARE_ESTIMATE_H
#define SHARE_ESTIMATE_H

#include <stdint.h>

/* Weighted sums of the points. */
typedef struct share_line {
    double n, x, y, xx, xy;
} share_line;

/* A first guess, which counts as much as one point: so many ns, and ns for each unit of the amount. */
void share_line_guess(share_line *l, double ns, double ns_each, double amount);
void share_line_learn(share_line *l, double amount, double ns);
/* 0 of a line without points. */
double share_line_at(const share_line *l, double amount);

enum { SHARE_MOST_KERNELS = 1024 };
typedef struct share_kernel {
    uint64_t name; /* a digest; 0: none */
    uint32_t block_threads;
    share_line line; /* over blocks */
} share_kernel;
typedef struct share_kernels {
    share_kernel kernels[SHARE_MOST_KERNELS]; /* found by digest */
    uint32_t n;
} share_kernels;

/* A launch that ran alone. When there is no room for another kernel nothing is learnt. */
void share_kernels_learn(share_kernels *k, uint64_t name, uint32_t block_threads, uint64_t n_blocks, double ns);
/* Or -1: it was never seen. */
double share_kernels_at(const share_kernels *k, uint64_t name, uint32_t block_threads, uint64_t n_blocks);

#endif
