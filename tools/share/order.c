/* SPDX-License-Identifier: MIT */
/* order.c - names of the policies, the order of arrival, and what surrounds a plan (order.h): tasks that keep a place, and the
 * choice of those that compete. The plans themselves are in plan_dp.c and plan_exact.c. */
#include "order.h"

#include "shop.h"

#include <string.h>

typedef struct policy_text {
    const char *word, *help;
    uint32_t most_row;
} policy_text;
#define TEXT(name, word, most, help) {word, help, most},
static const policy_text texts[] = {SHARE_POLICIES(TEXT)};
#undef TEXT

const char *share_policy_word(share_policy policy) { return texts[policy].word; }
const char *share_policy_help(share_policy policy) { return texts[policy].help; }
uint32_t share_policy_most_row(share_policy policy) { return texts[policy].most_row; }

int share_policy_is_batch(share_policy policy)
{
    return policy == SHARE_POLICY_DP || policy == SHARE_POLICY_BF || policy == SHARE_POLICY_DP_PRINTED;
}

int share_policy_of(const char *word, share_policy *policy)
{
    for (int i = 0; i < SHARE_N_POLICIES; i++)
        if (!strcmp(texts[i].word, word)) {
            *policy = (share_policy)i;
            return 0;
        }
    return -1;
}

/* ---- sorting ---- */

typedef int comes_before(const share_task *a, const share_task *b);

/* Ages and places may wrap: the difference tells which is earlier. */
static int is_earlier(uint32_t a, uint32_t b) { return (int32_t)(a - b) < 0; }
static int is_older(const share_task *a, const share_task *b) { return is_earlier(a->age, b->age); }

static int is_of_better_class(const share_task *a, const share_task *b) { return a->class_ < b->class_; }

static int has_earlier_place(const share_task *a, const share_task *b)
{
    if (!a->place || !b->place)
        return a->place && !b->place;
    return is_earlier(a->place, b->place);
}

/* Johnson's rule, as it is used for three machines: those that get shorter behind the first channel come last. */
static int is_before_by_johnson(const share_task *a, const share_task *b)
{
    uint64_t a1 = a->s_ns + a->p_ns, a2 = a->p_ns + a->r_ns, b1 = b->s_ns + b->p_ns, b2 = b->p_ns + b->r_ns;
    int a_grows = a1 <= a2, b_grows = b1 <= b2;
    if (a_grows != b_grows)
        return a_grows;
    return a_grows ? a1 < b1 : a2 > b2;
}

/* By insertion: stable, and lists are short. */
static void sort(const share_task *tasks, uint32_t *order, uint32_t n, comes_before *before)
{
    for (uint32_t i = 1; i < n; i++) {
        uint32_t moved = order[i], at = i;
        for (; at > 0 && before(&tasks[moved], &tasks[order[at - 1]]); at--)
            order[at] = order[at - 1];
        order[at] = moved;
    }
}

/* ---- plans ---- */

/* Those that compete: by arrival, or, where the window slides, by Johnson's rule. */
static int plan(share_policy policy, const share_task *tasks, uint32_t n, shop from, const share_state *now,
                uint32_t *order)
{
    uint32_t w = n < now->row ? n : now->row;
    if (policy == SHARE_POLICY_EXACT) {
        if (n > w)
            sort(tasks, order, n, is_before_by_johnson);
        return share_plan_exact(tasks, w, from, now->slack_percent, order);
    }
    if (policy == SHARE_POLICY_DP)
        return share_plan_dp(tasks, w, from, now->mem_bytes, order);
    if (policy == SHARE_POLICY_DP_PRINTED)
        return share_plan_printed(tasks, w, order);
    share_plan_bf(tasks, w, from, now->mem_bytes, order);
    return 0;
}

/* `order` has those without a place, by arrival. The known ones change places among themselves. */
static int plan_known(share_policy policy, const share_task *tasks, uint32_t n, shop from, const share_state *now,
                      uint32_t *order)
{
    uint32_t known[SHARE_MOST_TASKS], n_known = 0, next = 0;
    for (uint32_t i = 0; i < n; i++)
        if (tasks[order[i]].is_known)
            known[n_known++] = order[i];
    if (plan(policy, tasks, n_known, from, now, known))
        return -1;
    for (uint32_t i = 0; i < n; i++)
        if (tasks[order[i]].is_known)
            order[i] = known[next++];
    return 0;
}

/* *from is moved behind all of them: the next class finds the channels as this one leaves them. */
static int plan_class(share_policy policy, const share_task *tasks, uint32_t n, shop *from, const share_state *now,
                      uint32_t *order)
{
    uint32_t n_placed = 0;
    sort(tasks, order, n, has_earlier_place);
    for (; n_placed < n && tasks[order[n_placed]].place; n_placed++)
        shop_add(from, &tasks[order[n_placed]]);
    if (plan_known(policy, tasks, n - n_placed, *from, now, order + n_placed))
        return -1;
    for (; n_placed < n; n_placed++)
        shop_add(from, &tasks[order[n_placed]]);
    return 0;
}

static int plan_classes(share_policy policy, const share_task *tasks, uint32_t n, const share_state *now,
                        uint32_t *order)
{
    shop from = {now->s_ns, now->p_ns, now->r_ns};
    for (uint32_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && tasks[order[end]].class_ == tasks[order[i]].class_;)
            end++;
        if (plan_class(policy, tasks, end - i, &from, now, order + i))
            return -1;
    }
    return 0;
}

int share_order(share_policy policy, const share_task *tasks, uint32_t n, const share_state *now, uint32_t *order)
{
    if ((unsigned)policy >= SHARE_N_POLICIES || !now->row || now->row > texts[policy].most_row || n > SHARE_MOST_TASKS)
        return -1;
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    if (policy == SHARE_POLICY_NONE)
        return 0;
    sort(tasks, order, n, is_older);
    sort(tasks, order, n, is_of_better_class);
    if (policy == SHARE_POLICY_STRINGS || policy == SHARE_POLICY_FIFO)
        return 0;
    return plan_classes(policy, tasks, n, now, order);
}

/* ---- batches ---- */

static int is_batch_due(const share_task *tasks, uint32_t n, uint32_t row)
{
    uint32_t n_new = 0, n_copying = 0;
    for (uint32_t i = 0; i < n; i++) {
        n_new += !tasks[i].place;
        n_copying += tasks[i].place && tasks[i].s_ns;
    }
    return n_new && (!n_copying || n_new >= row);
}

static void give_places(share_task *tasks, uint32_t n, uint32_t row, uint32_t *places, const uint32_t *order)
{
    for (uint32_t i = 0; i < n && row; i++)
        if (!tasks[order[i]].place) {
            *places += 1 + (*places == UINT32_MAX);
            tasks[order[i]].place = *places;
            row--;
        }
}

int share_rank(share_policy policy, share_task *tasks, uint32_t n, const share_state *now, uint32_t *places,
               uint32_t *order)
{
    share_state rest = *now;
    if (share_policy_is_batch(policy)) {
        if (is_batch_due(tasks, n, now->row)) {
            if (share_order(policy, tasks, n, now, order))
                return -1;
            give_places(tasks, n, now->row, places, order);
        }
        rest.row = 1;
    }
    return share_order(policy, tasks, n, &rest, order);
}

uint64_t share_ends(const share_task *tasks, const uint32_t *order, uint32_t n, const share_state *now, uint64_t *sum)
{
    shop f = {now->s_ns, now->p_ns, now->r_ns};
    *sum = 0;
    for (uint32_t i = 0; i < n; i++)
        *sum += shop_add(&f, &tasks[order[i]]);
    return shop_end(&f);
}
