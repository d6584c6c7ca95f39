/* SPDX-License-Identifier: MIT */
/* slab.c - extents in two lists by address: all, and the free ones (slab.h). */
#include "engine/multi/slab.h"

static uint64_t extent_bytes(const hd_slab *a) { return sizeof(hd_slab_extent) + a->n_marks * sizeof(uint64_t); }

static void link_free(hd_slab *a, hd_slab_extent *b, hd_slab_extent *after)
{
    b->is_free = 1;
    b->prev_free = after;
    b->next_free = after ? after->next_free : a->first_free;
    if (b->next_free)
        b->next_free->prev_free = b;
    *(after ? &after->next_free : &a->first_free) = b;
}

static void unlink_free(hd_slab *a, hd_slab_extent *b)
{
    *(b->prev_free ? &b->prev_free->next_free : &a->first_free) = b->next_free;
    if (b->next_free)
        b->next_free->prev_free = b->prev_free;
    b->is_free = 0;
}

/* The free extent takes in its neighbour, which is free, too. */
static void swallow(hd_slab *a, hd_slab_extent *b)
{
    hd_slab_extent *gone = b->next;
    b->n_bytes += gone->n_bytes;
    for (uint32_t i = 0; i < a->n_marks; i++)
        hd_mark_raise(b->marks, i, gone->marks[i]);
    unlink_free(a, gone);
    b->next = gone->next;
    if (b->next)
        b->next->prev = b;
    hd_delete(gone, extent_bytes(a));
    a->n_extents--;
}

int hd_slab_open(hd_slab *a, uint64_t n_bytes, uint32_t device, uint32_t n_marks)
{
    hd_slab_extent *b;
    *a = (hd_slab){.n_bytes = n_bytes / HD_SLAB_UNIT * HD_SLAB_UNIT, .device = device, .n_marks = n_marks};
    if (!a->n_bytes)
        return 0;
    b = hd_new(extent_bytes(a));
    if (!b)
        return -1;
    b->n_bytes = a->n_bytes;
    a->first = b;
    a->n_extents = 1;
    link_free(a, b, NULL);
    return 0;
}

void hd_slab_close(hd_slab *a)
{
    for (hd_slab_extent *b = a->first, *next; b; b = next) {
        next = b->next;
        hd_delete(b, extent_bytes(a));
    }
    *a = (hd_slab){0};
}

static int is_alike(const hd_slab *a, const hd_slab_extent *b, const hd_slab_extent *other)
{
    return !memcmp(b->marks, other->marks, a->n_marks * sizeof *b->marks);
}

/* Forgets marks that are done, and joins neighbours that are alike then. */
static void settle(hd_slab *a, const hd_clocks *c)
{
    for (hd_slab_extent *b = a->first_free, *before = NULL; b; b = b->next_free) {
        hd_marks_clear(c, a->device, b->marks);
        if (before && before->next == b && is_alike(a, before, b)) {
            swallow(a, before);
            b = before;
        }
        before = b;
    }
}

/* Bytes of the free neighbours from b on; *last is the last of them. */
static uint64_t run_bytes(hd_slab_extent *b, hd_slab_extent **last)
{
    uint64_t n = b->n_bytes;
    for (; b->next && b->next->is_free; b = b->next)
        n += b->next->n_bytes;
    *last = b;
    return n;
}

static hd_slab_extent *best_fit(const hd_slab *a, uint64_t n_bytes)
{
    hd_slab_extent *best = NULL, *last;
    uint64_t least = UINT64_MAX;
    for (hd_slab_extent *b = a->first_free; b; b = last->next_free) {
        const uint64_t n = run_bytes(b, &last);
        if (n >= n_bytes && n < least) {
            least = n;
            best = b;
        }
    }
    return best;
}

/* Cuts what is beyond n_bytes off a free extent; it keeps the marks of where it was. */
static void cut_off(hd_slab *a, hd_slab_extent *b, uint64_t n_bytes, hd_slab_extent *rest)
{
    rest->at = b->at + n_bytes;
    rest->n_bytes = b->n_bytes - n_bytes;
    memcpy(rest->marks, b->marks, a->n_marks * sizeof *b->marks);
    b->n_bytes = n_bytes;
    rest->prev = b;
    rest->next = b->next;
    if (rest->next)
        rest->next->prev = rest;
    b->next = rest;
    a->n_extents++;
    link_free(a, rest, b);
}

heddle_status hd_slab_take(hd_slab *a, const hd_clocks *c, uint64_t n_bytes, hd_slab_extent **out)
{
    hd_slab_extent *b, *last, *rest;
    uint64_t found = 0;
    settle(a, c);
    b = best_fit(a, n_bytes);
    if (!b)
        return HEDDLE_ERANGE;
    rest = hd_new(extent_bytes(a));
    if (!rest)
        return HEDDLE_ENOMEM;
    for (last = b; found + last->n_bytes < n_bytes; last = last->next)
        found += last->n_bytes;
    if (found + last->n_bytes > n_bytes)
        cut_off(a, last, n_bytes - found, rest);
    else
        hd_delete(rest, extent_bytes(a));
    while (b->n_bytes < n_bytes)
        swallow(a, b);
    unlink_free(a, b);
    a->used_bytes += n_bytes;
    *out = b;
    return HEDDLE_OK;
}

/* The free extent before a taken one, or NULL: looked for from both ends, because in a full pool few are free, and in an empty one few
 * are taken. */
static hd_slab_extent *free_before(const hd_slab *a, const hd_slab_extent *b)
{
    hd_slab_extent *back = b->prev, *last = NULL, *from = a->first_free;
    for (; back && !back->is_free; back = back->prev, last = from, from = from->next_free)
        if (!from || from->at > b->at)
            return last;
    return back;
}

void hd_slab_give_back(hd_slab *a, hd_slab_extent *b)
{
    a->used_bytes -= b->n_bytes;
    link_free(a, b, free_before(a, b));
}

uint64_t hd_slab_table_bytes(const hd_slab *a) { return a->n_extents * extent_bytes(a); }
