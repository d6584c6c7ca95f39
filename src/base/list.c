/* SPDX-License-Identifier: MIT */
/* list.c - growing arrays. Large ones grow by half: their blocks are remapped, and memory stays close to what is used. */
#include "base/base.h"

int hd_list_grow(hd_list *l, uint64_t more, uint64_t item_bytes)
{
    uint64_t cap = l->cap, n_bytes;
    void *p;
    while (cap < l->n + more)
        cap = cap < 256 ? 256 : cap * item_bytes < (1u << 20) ? cap * 2 : cap + cap / 2;
    n_bytes = cap * item_bytes;
    p = hd_resize(l->at, l->n_bytes, &n_bytes);
    if (!p)
        return -1;
    l->at = p;
    l->n_bytes = n_bytes;
    l->cap = n_bytes / item_bytes;
    return 0;
}

void hd_list_clear(hd_list *l)
{
    hd_delete(l->at, l->n_bytes);
    l->at = NULL;
    l->n = l->cap = l->n_bytes = 0;
}
