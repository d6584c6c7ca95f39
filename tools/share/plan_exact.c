/* SPDX-License-Identifier: MIT */
/* plan_exact.c - the best order of a few tasks: dynamic programming over subsets that forgets nothing that may matter.
 *
 * After the tasks of a subset, in whatever order, copies in have taken the sum of their times. So two numbers tell all: when the
 * GPU is free, and when copies out are. Of a subset every pair is kept for which no other one is better in both. In three
 * channels some best order is the same on all of them, so none better exists. Of orders that end so,
 * one is taken that bears wrong estimates; then tasks change places as long as the mean end falls, within the slack. */
#include "shop.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FRONT = 4096 };

typedef struct pair {
    uint64_t p, r;
} pair;

/* Of each subset the pairs first[set] .. first[set + 1), by p; r falls. */
typedef struct fronts {
    const share_task *tasks;
    const uint32_t *of; /* bit i is the task of[i] */
    uint32_t n;
    shop from;
    uint32_t *first;
    pair *pairs;
    size_t n_pairs, room;
    pair front[MOST_FRONT]; /* of the subset at hand */
    uint32_t n_front;
} fronts;

static const share_task *task_of(const fronts *f, uint32_t i) { return &f->tasks[f->of[i]]; }

/* When copies in of a subset end. */
static uint64_t s_of(const fronts *f, uint32_t set)
{
    uint64_t s = f->from.s;
    for (; set; set &= set - 1)
        s += task_of(f, (uint32_t)__builtin_ctz(set))->s_ns;
    return s;
}

/* A full front drops the new pair: that many do not occur with times of programs, and the order is then still a good one. */
static void keep(fronts *f, pair x)
{
    uint32_t at = f->n_front, end;
    while (at > 0 && f->front[at - 1].p > x.p)
        at--;
    if ((at > 0 && f->front[at - 1].r <= x.r) || f->n_front == MOST_FRONT)
        return;
    if (at > 0 && f->front[at - 1].p == x.p)
        at--;
    for (end = at; end < f->n_front && f->front[end].r >= x.r;)
        end++;
    memmove(&f->front[at + 1], &f->front[end], (f->n_front - end) * sizeof x);
    f->front[at] = x;
    f->n_front = f->n_front - (end - at) + 1;
}

static pair behind(pair x, uint64_t s, const share_task *t)
{
    shop f = {s - t->s_ns, x.p, x.r};
    shop_add(&f, t);
    return (pair){f.p, f.r};
}

static int store(fronts *f, uint32_t set)
{
    if (f->n_pairs + f->n_front > f->room) {
        size_t room = 2 * f->room + f->n_front;
        pair *more = realloc(f->pairs, room * sizeof *more);
        if (!more)
            return -1;
        f->pairs = more, f->room = room;
    }
    memcpy(f->pairs + f->n_pairs, f->front, f->n_front * sizeof *f->front);
    f->n_pairs += f->n_front;
    f->first[set + 1] = (uint32_t)f->n_pairs;
    return 0;
}

static int fill(fronts *f)
{
    f->first[0] = 0;
    f->front[0] = (pair){f->from.p, f->from.r};
    f->n_front = 1;
    if (store(f, 0))
        return -1;
    for (uint32_t set = 1; set < 1u << f->n; set++) {
        uint64_t s = s_of(f, set);
        f->n_front = 0;
        for (uint32_t left = set; left; left &= left - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(left), before = set & ~(1u << i);
            for (uint32_t k = f->first[before]; k < f->first[before + 1]; k++)
                keep(f, behind(f->pairs[k], s, task_of(f, i)));
        }
        if (store(f, set))
            return -1;
    }
    return 0;
}

/* Which task came last, and the pair before it. */
static uint32_t step_back(const fronts *f, uint32_t set, pair *x)
{
    uint64_t s = s_of(f, set);
    for (uint32_t left = set; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left), before = set & ~(1u << i);
        for (uint32_t k = f->first[before]; k < f->first[before + 1]; k++) {
            pair y = behind(f->pairs[k], s, task_of(f, i));
            if (y.p == x->p && y.r == x->r) {
                *x = f->pairs[k];
                return i;
            }
        }
    }
    return (uint32_t)__builtin_ctz(set); /* never */
}

static void walk_back(const fronts *f, uint32_t *order)
{
    uint32_t set = (1u << f->n) - 1, best[SHARE_MOST_ROW];
    pair x = f->pairs[f->first[set]];
    for (uint32_t k = f->first[set]; k < f->first[set + 1]; k++)
        if (shop_later(f->pairs[k].p, f->pairs[k].r) < shop_later(x.p, x.r))
            x = f->pairs[k];
    for (uint32_t at = f->n; at-- > 0;) {
        uint32_t i = step_back(f, set, &x);
        best[at] = f->of[i];
        set &= ~(1u << i);
    }
    memcpy(order, best, f->n * sizeof *best);
}

/* ---- among the best ---- */

static void move(uint32_t *order, uint32_t from, uint32_t to)
{
    uint32_t moved = order[from];
    if (from < to)
        memmove(order + from, order + from + 1, (to - from) * sizeof *order);
    else
        memmove(order + to + 1, order + to, (from - to) * sizeof *order);
    order[to] = moved;
}

/* What orders are compared by: the end, the end if kernels and copies out take half as long again, and the sum of ends. */
typedef struct merit {
    uint64_t end, long_end, sum;
} merit;

typedef struct search {
    const share_task *tasks;
    uint32_t n;
    shop from;
    uint32_t *order;
} search;

static merit merit_of(const search *s)
{
    shop told = s->from, longer = s->from;
    merit m = {0, 0, 0};
    for (uint32_t i = 0; i < s->n; i++) {
        share_task t = s->tasks[s->order[i]];
        m.sum += shop_add(&told, &t);
        t.p_ns += t.p_ns / 2, t.r_ns += t.r_ns / 2;
        shop_add(&longer, &t);
    }
    m.end = shop_end(&told), m.long_end = shop_end(&longer);
    return m;
}

static int is_better_sum(const merit *a, const merit *b) { return a->sum < b->sum; }
static int is_safer(const merit *a, const merit *b) { return a->long_end < b->long_end; }

/* Single moves, the best one each time, as long as they help and stay within the limits. */
static void improve(const search *s, const merit *limit, int (*is_better)(const merit *, const merit *))
{
    uint32_t best_from, best_to;
    merit best = merit_of(s);
    do {
        best_from = best_to = 0;
        for (uint32_t i = 0; i < s->n; i++)
            for (uint32_t j = 0; j < s->n; j++) {
                merit m;
                move(s->order, i, j);
                m = merit_of(s);
                move(s->order, j, i);
                if (m.end <= limit->end && m.long_end <= limit->long_end && is_better(&m, &best))
                    best = m, best_from = i, best_to = j;
            }
        move(s->order, best_from, best_to);
    } while (best_from != best_to);
}

/* The safer order comes first: of equals most let one long kernel run last, and any that takes longer then costs all of it. */
static void choose_among_best(const share_task *tasks, uint32_t n, shop from, uint32_t slack_percent, uint32_t *order)
{
    search s = {tasks, n, from, order};
    merit limit = merit_of(&s);
    improve(&s, &limit, is_safer);
    limit = merit_of(&s);
    improve(&s, &limit, is_better_sum);
    limit.end += limit.end * slack_percent / 100;
    limit.long_end += limit.long_end * slack_percent / 100;
    improve(&s, &limit, is_better_sum);
}

int share_plan_exact(const share_task *tasks, uint32_t n, shop from, uint32_t slack_percent, uint32_t *order)
{
    uint32_t of[SHARE_MOST_ROW];
    fronts *f;
    int failed;
    if (n < 2)
        return 0;
    f = malloc(sizeof *f);
    if (!f)
        return -1;
    memcpy(of, order, n * sizeof *of);
    f->tasks = tasks, f->of = of, f->n = n, f->from = from;
    f->n_pairs = 0, f->room = (size_t)2 << n, f->n_front = 0;
    f->first = malloc((((size_t)1 << n) + 1) * sizeof *f->first);
    f->pairs = malloc(f->room * sizeof *f->pairs);
    failed = !f->first || !f->pairs || fill(f);
    if (!failed) {
        walk_back(f, order);
        choose_among_best(tasks, n, from, slack_percent, order);
    }
    free(f->first);
    free(f->pairs);
    free(f);
    return failed ? -1 : 0;
}
