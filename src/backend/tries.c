/* SPDX-License-Identifier: MIT */
/* tries.c - see tries.h. */
#include "backend/tries.h"

static uint64_t least_ns(const hd_tried *t, size_t n)
{
    uint64_t least = 0;
    size_t i;
    for (i = 0; i < n; i++)
        if (t[i].best_ns && (!least || t[i].best_ns < least))
            least = t[i].best_ns;
    return least;
}

size_t hd_next_try(const hd_tried *t, size_t n)
{
    uint64_t least = least_ns(t, n);
    size_t i, next = n;
    for (i = 0; i < n; i++)
        if (t[i].n_runs < HD_TRIES)
            return i;
    for (i = 0; i < n; i++)
        if (t[i].best_ns && t[i].best_ns - least <= least / 10 && t[i].n_runs < HD_TRIES_NEAR &&
            (next == n || t[i].n_runs < t[next].n_runs))
            next = i;
    return next;
}
