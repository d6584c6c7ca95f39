/* SPDX-License-Identifier: MIT */
/* shop.h - the flow shop that the planners search: when each channel is free, and what a task makes of that. */
#ifndef SHARE_SHOP_H
#define SHARE_SHOP_H

#include "order.h"

/* When the channels for copies in, kernels and copies out are free. */
typedef struct shop {
    uint64_t s, p, r;
} shop;

static inline uint64_t shop_later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* The end of the task; *f is moved on. */
static inline uint64_t shop_add(shop *f, const share_task *t)
{
    uint64_t end = 0;
    if (t->s_ns)
        end = f->s += t->s_ns;
    if (t->p_ns)
        end = f->p = shop_later(end, f->p) + t->p_ns;
    if (t->r_ns)
        end = f->r = shop_later(end, f->r) + t->r_ns;
    return end;
}

static inline uint64_t shop_end(const shop *f) { return shop_later(f->s, shop_later(f->p, f->r)); }

/* The planners: order[0 .. n), n at most SHARE_MOST_ROW, holds indices of tasks, and is put into their order. 0, or -1: no memory. */
int share_plan_exact(const share_task *tasks, uint32_t n, shop from, uint32_t slack_percent, uint32_t *order);
int share_plan_dp(const share_task *tasks, uint32_t n, shop from, uint64_t mem_bytes, uint32_t *order);
int share_plan_printed(const share_task *tasks, uint32_t n, uint32_t *order);
void share_plan_bf(const share_task *tasks, uint32_t n, shop from, uint64_t mem_bytes, uint32_t *order);

/* The memory condition of dp and bf: while the last task of the order is copied in, the tasks that have not ended
 * need more than there is. */
int share_plan_is_too_much(const share_task *tasks, const uint32_t *order, uint32_t n, shop from, uint64_t mem_bytes);

#endif
