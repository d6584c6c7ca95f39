/* SPDX-License-Identifier: MIT */
/* leaving.c - which window of a device leaves next, if one must: the one with the farthest next use, as the caller knows it. Where
 * that is not known, one that is clean, then the one that was used longest ago.
 *
 * If a body that is under way has that one, what takes its place would wait for the body's end, and not come while the body runs. So one that is
 * at rest leaves instead, unless it is needed soon.
 *
 * The windows are a heap, so that a pool may hold thousands. A window's place follows what was known of it when it was looked at last.
 * That may only have changed if it was used, or if the caller changed its mind. So those that were used are looked at again when one has
 * to leave, and the first one before it does. */
#include "engine/multi/directory.h"

#include <stdlib.h>

#define MOST_LOOKS 64u /* the caller may say something else each time */

static hd_seg_window **heap_of(const hd_segments *s, uint32_t device) { return s->devices[device].windows.at; }

/* Below 0: a leaves before b. */
static int compare(const hd_seg_window *a, const hd_seg_window *b)
{
    if (a->next_use != b->next_use)
        return a->next_use > b->next_use ? -1 : 1;
    if (a->next_use == UINT64_MAX && a->rank_dirty != b->rank_dirty)
        return a->rank_dirty - b->rank_dirty;
    return (a->rank_used > b->rank_used) - (a->rank_used < b->rank_used);
}

static void put(hd_seg_window **heap, uint64_t i, hd_seg_window *w)
{
    heap[i] = w;
    w->of_heap = i;
}

static void sift(hd_seg_window **heap, uint64_t n, hd_seg_window *w)
{
    uint64_t i = w->of_heap, child;
    for (; i > 0 && compare(w, heap[(i - 1) / 2]) < 0; i = (i - 1) / 2)
        put(heap, i, heap[(i - 1) / 2]);
    for (; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && compare(heap[child + 1], heap[child]) < 0;
        if (compare(heap[child], w) >= 0)
            break;
        put(heap, i, heap[child]);
    }
    put(heap, i, w);
}

/* Puts the window where it belongs by what is known now. 1: that is new. */
static int look(hd_segments *s, hd_seg_window *w)
{
    const uint64_t next = s->next_use ? s->next_use(s->user, w->device, w->array, &w->rect) : UINT64_MAX;
    if (next == w->next_use && w->rank_used == w->used && w->rank_dirty == w->may_be_dirty)
        return 0;
    w->next_use = next;
    w->rank_used = w->used;
    w->rank_dirty = w->may_be_dirty;
    sift(heap_of(s, w->device), s->devices[w->device].windows.n, w);
    return 1;
}

/* ---- coming and going ------------------------------------------------------------------------------------------------ */

void hd_leaving_touch(hd_segments *s, hd_seg_window *w)
{
    hd_list *l = &s->devices[w->device].touched;
    if (w->is_touched)
        return;
    w->is_touched = 1;
    w->of_touched = l->n;
    ((hd_seg_window **)l->at)[l->n++] = w; /* there is room for all */
}

static void untouch(hd_list *l, hd_seg_window *w)
{
    hd_seg_window **at = l->at, *last = at[--l->n];
    at[w->of_touched] = last;
    last->of_touched = w->of_touched;
    w->is_touched = 0;
}

int hd_leaving_add(hd_segments *s, hd_seg_window *w)
{
    hd_seg_device *d = &s->devices[w->device];
    if (hd_list_room(&d->windows, 1, sizeof w) || hd_list_room(&d->touched, d->windows.n + 1 - d->touched.n, sizeof w))
        return -1;
    w->next_use = 0; /* it is used now */
    w->rank_used = w->used;
    w->of_heap = d->windows.n++;
    sift(d->windows.at, d->windows.n, w);
    hd_leaving_touch(s, w);
    return 0;
}

void hd_leaving_remove(hd_segments *s, hd_seg_window *w)
{
    hd_seg_device *d = &s->devices[w->device];
    hd_seg_window **heap = d->windows.at, *last = heap[--d->windows.n];
    if (w->is_touched)
        untouch(&d->touched, w);
    if (last == w)
        return;
    put(heap, w->of_heap, last);
    sift(heap, d->windows.n, last);
}

/* ---- asking ---------------------------------------------------------------------------------------------------------- */

/* Those of this call are used now; what follows is known later. */
static void look_at_touched(hd_segments *s, uint32_t device)
{
    hd_list *l = &s->devices[device].touched;
    for (uint64_t i = l->n; i-- > 0;) {
        hd_seg_window *w = ((hd_seg_window **)l->at)[i];
        if (w->used == s->time)
            continue;
        untouch(l, w);
        (void)look(s, w);
    }
}

/* Has the last body that was given it ended? */
static int is_at_rest(const hd_segments *s, const hd_seg_window *w)
{
    return hd_seg_point_is_done(&s->clocks, w->body);
}

/* Of the window at i and those below it. Only where it may not leave are those below it of interest; the call and bodies under way have
 * few. */
static hd_seg_window *first_from(const hd_segments *s, uint32_t device, uint64_t i, int at_rest)
{
    hd_seg_window *w, *left, *right;
    if (i >= s->devices[device].windows.n)
        return NULL;
    w = heap_of(s, device)[i];
    if (w->used != s->time && (!at_rest || is_at_rest(s, w)))
        return w;
    left = first_from(s, device, 2 * i + 1, at_rest);
    right = first_from(s, device, 2 * i + 2, at_rest);
    if (!left || !right)
        return left ? left : right;
    return compare(left, right) <= 0 ? left : right;
}

static hd_seg_window *first_of(hd_segments *s, uint32_t device, int at_rest)
{
    hd_seg_window *w = first_from(s, device, 0, at_rest);
    for (uint32_t i = 0; w && i < MOST_LOOKS && look(s, w); i++)
        w = first_from(s, device, 0, at_rest);
    return w;
}

hd_seg_window *hd_leaving_first(hd_segments *s, uint32_t device)
{
    hd_seg_window *first, *at_rest;
    look_at_touched(s, device);
    first = first_of(s, device, 0);
    if (!first || is_at_rest(s, first))
        return first;
    at_rest = first_of(s, device, 1);
    return at_rest && at_rest->next_use >= HD_SOON ? at_rest : first;
}

static int compare_places(const void *a, const void *b)
{
    return compare(*(hd_seg_window *const *)a, *(hd_seg_window *const *)b);
}

int hd_leaving_order(hd_segments *s, uint32_t device)
{
    const hd_list *l = &s->devices[device].windows;
    s->order.n = 0;
    if (hd_list_room(&s->order, l->n, sizeof(hd_seg_window *)))
        return -1;
    look_at_touched(s, device);
    for (uint64_t i = 0; i < l->n; i++)
        (void)look(s, heap_of(s, device)[i]);
    if (l->n) {
        memcpy(s->order.at, l->at, l->n * sizeof(hd_seg_window *));
        qsort(s->order.at, l->n, sizeof(hd_seg_window *), compare_places);
    }
    s->order.n = l->n;
    return 0;
}
