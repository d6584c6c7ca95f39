/* SPDX-License-Identifier: MIT */
/* idle.c - idleness of links (idle.h). It is looked at when a turn ends that was handed over directly: then its first piece has been
 * given to the driver, and the turn before it is over. Where the copies of both overlap, the link was not idle. */
#include "idle.h"

#include <stdlib.h>
#include <string.h>

void share_idle_ended(share_idle *i, const share_arbiter *a, const share_ask *mine)
{
    share_idle_way *w = &i->ways[mine->link][mine->way];
    const share_ask *next = share_arbiter_holder(a, mine->link, mine->way);
    w->next_seq = 0;
    if (!next || next->slot >= 0)
        return;
    w->before = mine->client, w->before_seq = mine->seq;
    w->next = next->client, w->next_seq = next->seq;
}

static void add(share_idle_way *w, uint64_t ns)
{
    w->ns[w->n++ % SHARE_IDLE_KEPT] = ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}

void share_idle_ends(share_idle *i, share_peer *const *peer_of, const share_ask *mine)
{
    share_idle_way *w = &i->ways[mine->link][mine->way];
    const share_peer *p = peer_of[mine->client], *before = w->next_seq ? peer_of[w->before] : NULL;
    int g = share_peer_gpu(p, mine->link), h = before ? share_peer_gpu(before, mine->link) : -1;
    uint64_t begun_ns, ended_ns;
    if (h < 0 || g < 0 || w->next != mine->client || w->next_seq != mine->seq ||
        __atomic_load_n(&p->page->told[g].link[mine->way].begun, __ATOMIC_ACQUIRE) != mine->seq)
        return;
    begun_ns = __atomic_load_n(&p->page->told[g].link[mine->way].begun_ns, __ATOMIC_RELAXED);
    if (__atomic_load_n(&before->page->told[h].link[mine->way].ended, __ATOMIC_ACQUIRE) != w->before_seq)
        return;
    ended_ns = __atomic_load_n(&before->page->told[h].link[mine->way].ended_ns, __ATOMIC_RELAXED);
    add(w, begun_ns > ended_ns ? begun_ns - ended_ns : 0);
}

static int by_length(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

uint64_t share_idle_ns(const share_idle_way *w, uint32_t part)
{
    uint32_t sorted[SHARE_IDLE_KEPT];
    size_t n = w->n < SHARE_IDLE_KEPT ? (size_t)w->n : SHARE_IDLE_KEPT;
    if (!n)
        return 0;
    memcpy(sorted, w->ns, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_length);
    return sorted[(n - 1) * part / 1000];
}
