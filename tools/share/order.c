/* SPDX-License-Identifier: MIT */
/* order.c - the policies (order.h). */
#include "order.h"

#include <string.h>

#define WORD(name, word, help) word,
static const char *const words[] = {SHARE_POLICIES(WORD)};
#undef WORD
#define HELP(name, word, help) help,
static const char *const helps[] = {SHARE_POLICIES(HELP)};
#undef HELP

const char *share_policy_word(share_policy policy) { return words[policy]; }
const char *share_policy_help(share_policy policy) { return helps[policy]; }

int share_policy_of(const char *word, share_policy *policy)
{
    for (int i = 0; i < SHARE_N_POLICIES; i++)
        if (!strcmp(words[i], word)) {
            *policy = (share_policy)i;
            return 0;
        }
    return -1;
}

/* Ages may wrap: the difference tells which is older. */
static int is_older(const share_task *a, const share_task *b) { return (int32_t)(a->age - b->age) < 0; }

static void by_age(const share_task *tasks, uint32_t n, uint32_t *order)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = i;
        for (; at > 0 && is_older(&tasks[i], &tasks[order[at - 1]]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

int share_order(share_policy policy, const share_task *tasks, uint32_t n, const share_state *now, uint32_t *order)
{
    (void)now;
    switch (policy) {
    case SHARE_POLICY_STRINGS:
    case SHARE_POLICY_FIFO: by_age(tasks, n, order); return 0;
    case SHARE_POLICY_NONE:
    default:
        for (uint32_t i = 0; i < n; i++)
            order[i] = i;
        return policy == SHARE_POLICY_NONE ? 0 : -1;
    }
}
