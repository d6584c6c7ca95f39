/* SPDX-License-Identifier: MIT */
/* window.c - which windows a body gets, and which leave for them (segment.h).
 *
 * Uses are placed from the largest on, so that one within another needs no window of its own. If memory is short, windows that the call
 * does not need leave one by one. If that does not help, because those that it needs lie badly or are larger than they must be, all
 * leave, and the call's are placed side by side. What this takes was compared with the pool before. */
#include "engine/multi/directory.h"

#define PACKED_ALIGN 16u

/* What a window for the rect would be. */
typedef struct shape {
    uint64_t stride, lead,
        n_bytes; /* lead: bytes before the first one, so that row 0 byte 0 would be at the beginning of a unit */
} shape;

/* Packed ones of as many bytes take as much memory wherever they lie in the array, so that one fits where another one left. */
static shape shape_of(const hd_segments *s, const hd_seg_use *u, const hd_seg_rect *rect)
{
    const hd_seg_array *a = hd_seg_array_of(s, u->array);
    const uint64_t width = rect->end_byte - rect->byte;
    const uint64_t packed = (width + PACKED_ALIGN - 1) / PACKED_ALIGN * PACKED_ALIGN;
    shape p = {.stride = u->is_packed && packed < a->stride ? packed : a->stride};
    p.lead = (rect->row * p.stride + rect->byte) % HD_SLAB_UNIT;
    p.n_bytes = hd_slab_round((p.stride < a->stride ? HD_SLAB_UNIT - 1 : p.lead) +
                              (rect->end_row - rect->row - 1) * p.stride + width);
    return p;
}

uint64_t hd_segments_room(const hd_segments *s, const hd_seg_use *use) { return shape_of(s, use, &use->rect).n_bytes; }

uint64_t hd_segments_most_room(const hd_segments *s, const hd_seg_use *use)
{
    const hd_seg_array *a = hd_seg_array_of(s, use->array);
    const hd_seg_rect all = {0, a->n_rows, 0, a->row_bytes};
    return hd_segments_room(s, use) + (hd_seg_rect_contains(&use->rect, &all) ? 0 : HD_SLAB_UNIT);
}

/* ---- finding --------------------------------------------------------------------------------------------------------- */

static int is_fit(const hd_segments *s, const hd_seg_window *w, uint32_t device, const hd_seg_use *u)
{
    return w->device == device && w->array == u->array && hd_seg_rect_contains(&w->rect, &u->rect) &&
           (u->is_packed || w->stride == hd_seg_array_of(s, u->array)->stride);
}

/* What is read should be there. Else the larger window: it serves those, too, that read what is written here with a halo. */
static int is_better(const hd_seg_use *u, const hd_seg_copy *copy, const hd_seg_copy *than)
{
    if (!than)
        return 1;
    if ((u->mode & HEDDLE_MODE_IN) && copy->is_valid != than->is_valid)
        return copy->is_valid != 0;
    return hd_seg_rect_bytes(&copy->window->rect) > hd_seg_rect_bytes(&than->window->rect);
}

/* It has a copy in the first cell. */
static hd_seg_window *find(const hd_segments *s, uint32_t device, const hd_seg_use *u)
{
    const hd_seg_copy *found = NULL;
    hd_seg_walk walk = hd_seg_walk_begin(hd_seg_array_of(s, u->array), &u->rect);
    const hd_seg_cell *c = hd_seg_walk_next(&walk);
    for (uint64_t i = 0; i < c->copies.n; i++) {
        const hd_seg_copy *copy = hd_seg_copy_at(s, c, i);
        if (copy->window && is_fit(s, copy->window, device, u) && is_better(u, copy, found))
            found = copy;
    }
    return found ? found->window : NULL;
}

/* ---- coming and leaving ---------------------------------------------------------------------------------------------- */

static heddle_status enter_cells(hd_segments *s, hd_seg_window *w)
{
    hd_seg_array *a = hd_seg_array_of(s, w->array);
    hd_seg_walk walk;
    HD_TRY(hd_seg_cells_cut(s, a, &w->rect));
    walk = hd_seg_walk_begin(a, &w->rect);
    for (hd_seg_cell *c; (c = hd_seg_walk_next(&walk));)
        HD_TRY(hd_seg_cell_enter(s, c, w));
    return HEDDLE_OK;
}

static heddle_status enter(hd_segments *s, hd_seg_window *w, const shape *p)
{
    hd_slab *slab = &s->devices[w->device].slab;
    HD_TRY(hd_slab_take(slab, &s->clocks, p->n_bytes, &w->extent));
    w->stride = p->stride;
    w->at = w->extent->at + p->lead;
    if (!hd_leaving_add(s, w))
        return HEDDLE_OK;
    hd_slab_give_back(slab, w->extent);
    return HEDDLE_ENOMEM;
}

/* ERANGE: there is no room now. */
static heddle_status make(hd_segments *s, uint32_t device, const hd_seg_use *u, const hd_seg_rect *rect,
                          hd_seg_window **out)
{
    const shape p = shape_of(s, u, rect);
    heddle_status status;
    hd_seg_window *w = hd_new(sizeof *w);
    *out = NULL;
    if (!w)
        return HEDDLE_ENOMEM;
    w->rect = *rect;
    w->device = device;
    w->array = u->array;
    w->used = s->time;
    status = enter(s, w, &p);
    if (status != HEDDLE_OK) {
        hd_delete(w, sizeof *w);
        return status;
    }
    status = enter_cells(s, w);
    if (status != HEDDLE_OK)
        hd_seg_window_leave(s, w);
    else
        *out = w;
    return status;
}

static void leave_cell(hd_segments *s, hd_seg_cell *c, hd_seg_window *w)
{
    hd_seg_copy *copy = hd_seg_copy_in(s, c, w);
    if (!copy)
        return;
    hd_marks_join(&s->clocks, w->extent->marks, copy->marks);
    hd_mark_raise(w->extent->marks, hd_mark_of(&s->clocks, w->device, copy->ready.queue), copy->ready.number);
    hd_seg_cell_leave(s, c, copy);
}

void hd_seg_window_leave(hd_segments *s, hd_seg_window *w)
{
    hd_seg_walk walk = hd_seg_walk_begin(hd_seg_array_of(s, w->array), &w->rect);
    for (hd_seg_cell *c; (c = hd_seg_walk_next(&walk));)
        leave_cell(s, c, w);
    hd_slab_give_back(&s->devices[w->device].slab, w->extent);
    hd_leaving_remove(s, w);
    hd_delete(w, sizeof *w);
}

void hd_seg_windows_forget(hd_seg_device *d)
{
    for (uint64_t i = 0; i < d->windows.n; i++)
        hd_delete(((hd_seg_window **)d->windows.at)[i], sizeof(hd_seg_window));
    hd_list_clear(&d->windows);
    hd_list_clear(&d->touched);
    hd_slab_close(&d->slab);
}

static heddle_status send_away(hd_segments *s, hd_seg_window *w, hd_seg_plan *plan)
{
    HD_TRY(hd_seg_move_dirty(s, w, plan));
    s->devices[w->device].n_left++;
    hd_seg_window_leave(s, w);
    return HEDDLE_OK;
}

static heddle_status send_all_away(hd_segments *s, uint32_t device, hd_seg_plan *plan)
{
    const hd_list *l = &s->devices[device].windows;
    while (l->n)
        HD_TRY(send_away(s, ((hd_seg_window **)l->at)[l->n - 1], plan));
    return HEDDLE_OK;
}

/* ---- a body's windows ------------------------------------------------------------------------------------------------ */

typedef struct order {
    uint32_t use[HD_SEGMENTS_MOST_USES];
    uint64_t n_bytes[HD_SEGMENTS_MOST_USES];
} order;

/* The largest first; of equal ones those that keep the array's stride, which serve others, too. */
static void sort(const hd_segments *s, const hd_seg_use *uses, uint32_t n, order *o)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t n_bytes = shape_of(s, &uses[i], &uses[i].rect).n_bytes;
        uint32_t k = i;
        for (; k > 0 && (o->n_bytes[k - 1] < n_bytes ||
                         (o->n_bytes[k - 1] == n_bytes && uses[o->use[k - 1]].is_packed > uses[i].is_packed));
             k--) {
            o->n_bytes[k] = o->n_bytes[k - 1];
            o->use[k] = o->use[k - 1];
        }
        o->n_bytes[k] = n_bytes;
        o->use[k] = i;
    }
}

/* Would a window for the one serve the other? */
static int serves(const hd_segments *s, const hd_seg_use *one, const hd_seg_use *other)
{
    return one->array == other->array && hd_seg_rect_contains(&one->rect, &other->rect) &&
           (other->is_packed || shape_of(s, one, &one->rect).stride == hd_seg_array_of(s, one->array)->stride);
}

static uint64_t need_bytes(const hd_segments *s, const hd_seg_use *uses, uint32_t n, const order *o)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t j = 0;
        while (j < k && !serves(s, &uses[o->use[j]], &uses[o->use[k]]))
            j++;
        sum += j == k ? o->n_bytes[k] : 0;
    }
    return sum;
}

static void stamp(hd_segments *s, hd_seg_window *w)
{
    w->used = s->time;
    hd_leaving_touch(s, w);
}

/* With a hull, if there is one that only needs what is free. */
static heddle_status place(hd_segments *s, uint32_t device, const hd_seg_use *u, int may_hull, hd_seg_plan *plan,
                           hd_seg_window **out)
{
    heddle_status status = HEDDLE_ERANGE;
    *out = find(s, device, u);
    if (*out)
        return HEDDLE_OK;
    if (may_hull && !hd_seg_rect_contains(&u->rect, &u->hull))
        status = make(s, device, u, &u->hull, out);
    while (status == HEDDLE_ERANGE) {
        hd_seg_window *w;
        status = make(s, device, u, &u->rect, out);
        if (status != HEDDLE_ERANGE)
            break;
        w = hd_leaving_first(s, device);
        if (!w)
            return HEDDLE_ERANGE;
        HD_TRY(send_away(s, w, plan));
    }
    return status;
}

static heddle_status place_all(hd_segments *s, uint32_t device, const hd_seg_use *uses, uint32_t n, const order *o,
                               int may_hull, hd_seg_plan *plan, hd_seg_window **out)
{
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t i = o->use[k];
        HD_TRY(place(s, device, &uses[i], may_hull, plan, &out[i]));
        stamp(s, out[i]);
    }
    return HEDDLE_OK;
}

/* Are all windows there? Those that are will be needed. */
static int find_all(hd_segments *s, uint32_t device, const hd_seg_use *uses, uint32_t n, hd_seg_window **out)
{
    uint32_t n_found = 0;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = find(s, device, &uses[i]);
        if (out[i])
            stamp(s, out[i]);
        n_found += out[i] != NULL;
    }
    return n_found == n;
}

heddle_status hd_seg_windows_for(hd_segments *s, uint32_t device, const hd_seg_use *uses, uint32_t n,
                                 hd_seg_window **out, hd_seg_plan *plan)
{
    heddle_status status;
    order o;
    s->time++;
    if (find_all(s, device, uses, n, out))
        return HEDDLE_OK;
    sort(s, uses, n, &o);
    plan->need_bytes = need_bytes(s, uses, n, &o);
    if (plan->need_bytes > s->devices[device].slab.n_bytes)
        return HEDDLE_ERANGE;
    status = place_all(s, device, uses, n, &o, 1, plan, out);
    if (status != HEDDLE_ERANGE)
        return status;
    HD_TRY(send_all_away(s, device, plan));
    return place_all(s, device, uses, n, &o, 0, plan, out);
}
