/* SPDX-License-Identifier: MIT */
/* estimate.c - lines through measured times (estimate.h). */
#include "estimate.h"

#include <stddef.h>

#define KEEPS 0.95 /* of the weight of a point when the next one comes */

static void add(share_line *l, double x, double y) { l->n += 1, l->x += x, l->y += y, l->xx += x * x, l->xy += x * y; }

void share_line_guess(share_line *l, double ns, double ns_each, double amount)
{
    *l = (share_line){0, 0, 0, 0, 0};
    add(l, amount / 2, ns + ns_each * amount / 2);
    add(l, amount * 2, ns + ns_each * amount * 2);
    l->n /= 2, l->x /= 2, l->y /= 2, l->xx /= 2, l->xy /= 2;
}

void share_line_learn(share_line *l, double amount, double ns)
{
    l->n *= KEEPS, l->x *= KEEPS, l->y *= KEEPS, l->xx *= KEEPS, l->xy *= KEEPS;
    add(l, amount, ns);
}

double share_line_at(const share_line *l, double amount)
{
    double spread = l->n * l->xx - l->x * l->x, slope, ns;
    if (l->n <= 0 || l->x <= 0)
        return l->n > 0 ? l->y / l->n : 0;
    if (spread < 1e-6 * l->x * l->x)
        return l->y / l->x * amount;
    slope = (l->n * l->xy - l->x * l->y) / spread;
    ns = (l->y - slope * l->x) / l->n + slope * amount;
    return slope > 0 && ns > 0 ? ns : l->y / l->x * amount;
}

/* Its place, or that of the next free one; NULL: neither is there. */
static share_kernel *find(const share_kernels *k, uint64_t name, uint32_t block_threads)
{
    uint64_t at = (name ^ block_threads) * 0x9e3779b97f4a7c15u >> 32;
    for (uint32_t i = 0; i < SHARE_MOST_KERNELS; i++) {
        const share_kernel *x = &k->kernels[(at + i) % SHARE_MOST_KERNELS];
        if (!x->name || (x->name == name && x->block_threads == block_threads))
            return (share_kernel *)(uintptr_t)x;
    }
    return NULL;
}

void share_kernels_learn(share_kernels *k, uint64_t name, uint32_t block_threads, uint64_t n_blocks, double ns)
{
    share_kernel *x = name ? find(k, name, block_threads) : NULL;
    if (!x || !(ns >= 0))
        return;
    k->n += !x->name;
    x->name = name, x->block_threads = block_threads;
    share_line_learn(&x->line, (double)n_blocks, ns);
}

double share_kernels_at(const share_kernels *k, uint64_t name, uint32_t block_threads, uint64_t n_blocks)
{
    const share_kernel *x = name ? find(k, name, block_threads) : NULL;
    return x && x->name ? share_line_at(&x->line, (double)n_blocks) : -1;
}
