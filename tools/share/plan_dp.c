/* SPDX-License-Identifier: MIT */
/* plan_dp.c - orders of a batch as the thesis has them: dynamic programming that keeps one order a subset, and all orders.
 *
 * `dp` counts when the subset's last task ends. `dp-printed` adds the costs of equations 4.1, 4.2 and 4.5 as they are
 * printed: these do not give that end, and the orders are no better than that of arrival. */
#include "shop.h"

#include <stdlib.h>
#include <string.h>

int share_plan_is_too_much(const share_task *tasks, const uint32_t *order, uint32_t n, shop from, uint64_t mem_bytes)
{
    uint64_t start = from.s, sum = 0;
    if (!mem_bytes)
        return 0;
    for (uint32_t i = 0; i + 1 < n; i++)
        start += tasks[order[i]].s_ns;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t end = shop_add(&from, &tasks[order[i]]),
                 more = i + 1 == n || end > start ? tasks[order[i]].mem_bytes : 0;
        if (more > mem_bytes || sum > mem_bytes - more)
            return 1;
        sum += more;
    }
    return 0;
}

/* ---- one order a subset ---- */

/* What is kept of a subset. `dp` uses the shop, `dp-printed` cost and delays. */
typedef struct kept {
    shop f;
    uint64_t cost, wait_p, wait_r;
    uint32_t n; /* 0: no order is allowed */
    uint8_t order[SHARE_MOST_ROW];
} kept;

typedef struct batch {
    const share_task *tasks;
    const uint32_t *of;
    uint32_t n;
    shop from;
    uint64_t mem_bytes;
    kept *best;
} batch;

static int is_allowed(const batch *b, const kept *x)
{
    uint32_t order[SHARE_MOST_ROW];
    for (uint32_t i = 0; i < x->n; i++)
        order[i] = b->of[x->order[i]];
    return !share_plan_is_too_much(b->tasks, order, x->n, b->from, b->mem_bytes);
}

/* The difference, and 0 where it would be negative. */
static uint64_t above(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

static void append_printed(const batch *b, kept *x, uint32_t i)
{
    const share_task *t = &b->tasks[b->of[i]], *last;
    if (!x->n) {
        x->cost = t->s_ns + t->p_ns + t->r_ns;
        x->wait_p = x->wait_r = 0;
    } else {
        uint64_t wait_p = x->wait_p;
        last = &b->tasks[b->of[x->order[x->n - 1]]];
        x->wait_p = above(wait_p + last->p_ns, t->s_ns);
        x->wait_r = above(x->wait_r + last->r_ns, t->p_ns + wait_p);
        x->cost += x->wait_r + t->r_ns;
    }
    x->order[x->n++] = (uint8_t)i;
}

static void append(const batch *b, kept *x, uint32_t i)
{
    shop_add(&x->f, &b->tasks[b->of[i]]);
    x->cost = shop_end(&x->f);
    x->order[x->n++] = (uint8_t)i;
}

/* Of two that end at the same time the one that leaves more free. */
static int is_cheaper(const kept *x, const kept *y)
{
    return x->cost != y->cost ? x->cost < y->cost : x->f.p + x->f.r < y->f.p + y->f.r;
}

static void fill_set(batch *b, uint32_t set, void (*appends)(const batch *, kept *, uint32_t))
{
    kept *best = &b->best[set];
    best->n = 0;
    for (uint32_t left = set; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left), before = set & ~(1u << i);
        kept x = b->best[before];
        if (before && !x.n)
            continue;
        appends(b, &x, i);
        if (is_allowed(b, &x) && (!best->n || is_cheaper(&x, best)))
            *best = x;
    }
}

/* Where memory allows no order, it counts for nothing: programs then wait for it in the order that is best without. */
static int plan(batch *b, uint32_t *order, void (*appends)(const batch *, kept *, uint32_t))
{
    uint32_t of[SHARE_MOST_ROW], all = (1u << b->n) - 1;
    if (b->n < 2)
        return 0;
    b->best = malloc(((size_t)all + 1) * sizeof *b->best);
    if (!b->best)
        return -1;
    memcpy(of, order, b->n * sizeof *of);
    b->of = of;
    memset(&b->best[0], 0, sizeof b->best[0]);
    b->best[0].f = b->from;
    do {
        for (uint32_t set = 1; set <= all; set++)
            fill_set(b, set, appends);
    } while (!b->best[all].n && (b->mem_bytes = 0, 1));
    for (uint32_t i = 0; i < b->n; i++)
        order[i] = of[b->best[all].order[i]];
    free(b->best);
    return 0;
}

int share_plan_dp(const share_task *tasks, uint32_t n, shop from, uint64_t mem_bytes, uint32_t *order)
{
    batch b = {.tasks = tasks, .n = n, .from = from, .mem_bytes = mem_bytes};
    return plan(&b, order, append);
}

int share_plan_printed(const share_task *tasks, uint32_t n, uint32_t *order)
{
    batch b = {.tasks = tasks, .n = n};
    return plan(&b, order, append_printed);
}

/* ---- all orders ---- */

typedef struct search {
    const share_task *tasks;
    uint32_t n;
    shop from;
    uint64_t mem_bytes, end;
    uint32_t order[SHARE_MOST_ROW], best[SHARE_MOST_ROW];
    int has_any;
} search;

static void try_all(search *s, uint32_t at, shop f)
{
    if (at == s->n) {
        if (!s->has_any || shop_end(&f) < s->end)
            memcpy(s->best, s->order, sizeof s->best), s->end = shop_end(&f);
        s->has_any = 1;
        return;
    }
    for (uint32_t i = at; i < s->n; i++) {
        uint32_t mine = s->order[i], other = s->order[at];
        shop next = f;
        s->order[i] = other, s->order[at] = mine;
        shop_add(&next, &s->tasks[mine]);
        if (!share_plan_is_too_much(s->tasks, s->order, at + 1, s->from, s->mem_bytes))
            try_all(s, at + 1, next);
        s->order[i] = mine, s->order[at] = other;
    }
}

void share_plan_bf(const share_task *tasks, uint32_t n, shop from, uint64_t mem_bytes, uint32_t *order)
{
    search s = {.tasks = tasks, .n = n, .from = from, .mem_bytes = mem_bytes};
    memcpy(s.order, order, n * sizeof *order);
    try_all(&s, 0, from);
    if (!s.has_any) {
        s.mem_bytes = 0;
        try_all(&s, 0, from);
    }
    memcpy(order, s.best, n * sizeof *order);
}
