/* SPDX-License-Identifier: MIT */
/* lost.c - what goes with a device (segment.h). A copy elsewhere goes with it if it is not ready yet and its bytes depend on the device, by
 * what was known when its op was given. So more may count as lost than is, but only of what was under way. */
#include "engine/multi/directory.h"

/* Tells of neighbours together. */
typedef struct loss {
    hd_seg_rect_fn tell;
    void *user;
    uint32_t array;
    hd_seg_rect rect; /* of 0 rows: none yet */
} loss;

static void tell_of(loss *l)
{
    if (l->tell && l->rect.row < l->rect.end_row)
        l->tell(l->user, l->array, &l->rect);
}

static void add_loss(loss *l, const hd_seg_rect *r)
{
    if (l->rect.byte == r->byte && l->rect.end_row == r->row && l->rect.row < l->rect.end_row) {
        l->rect.end_row = r->end_row;
        return;
    }
    tell_of(l);
    l->rect = *r;
}

/* What the device's memory had, and what ops that are under way would have made of it. */
static void lose_cell(hd_segments *s, hd_seg_cell *c, uint32_t device)
{
    for (uint64_t i = c->copies.n; i-- > 0;) {
        hd_seg_copy *copy = hd_seg_copy_at(s, c, i);
        if (copy->window && copy->window->device == device)
            hd_seg_cell_leave(s, c, copy);
        else if (!hd_seg_point_is_done(&s->clocks, copy->ready) && (copy->sources >> device & 1))
            copy->is_valid = 0;
    }
}

static void lose_array(hd_segments *s, uint32_t array, uint32_t device, hd_seg_rect_fn tell, void *user)
{
    const hd_seg_array *a = hd_seg_array_of(s, array);
    const hd_seg_rect all = {0, a->n_rows, 0, a->row_bytes};
    loss l = {tell, user, array, {0}};
    hd_seg_walk walk = hd_seg_walk_begin(a, &all);
    for (hd_seg_cell *c; (c = hd_seg_walk_next(&walk));) {
        const int was_lost = hd_seg_cell_is_lost(s, c);
        const hd_seg_rect rect = hd_seg_walk_rect(&walk);
        lose_cell(s, c, device);
        if (!hd_seg_cell_is_lost(s, c))
            continue;
        s->has_lost = 1;
        if (!was_lost)
            add_loss(&l, &rect);
    }
    tell_of(&l);
}

void hd_segments_lost(hd_segments *s, uint32_t device, hd_seg_rect_fn tell, void *user)
{
    if (s->devices[device].is_lost)
        return;
    s->devices[device].is_lost = 1;
    for (uint32_t i = 0; i < s->arrays.n; i++)
        if (hd_is_array(s, i))
            lose_array(s, i, device, tell, user);
    hd_seg_windows_forget(&s->devices[device]);
    for (uint32_t role = 0; role < HD_N_ROLES; role++) {
        const uint32_t q = hd_seg_queue(device, (hd_seg_role)role);
        s->clocks.done[q] = s->clocks.given[q];
    }
}

int hd_segments_is_lost(hd_segments *s, uint32_t array, const hd_seg_rect *rect, hd_seg_rect *first)
{
    hd_seg_walk walk = hd_seg_walk_begin(hd_seg_array_of(s, array), rect);
    for (hd_seg_cell *c; (c = hd_seg_walk_next(&walk));) {
        const hd_seg_rect of_cell = hd_seg_walk_rect(&walk);
        if (!hd_seg_cell_is_lost(s, c))
            continue;
        if (first)
            *first = hd_seg_rect_common(&of_cell, rect);
        return 1;
    }
    return 0;
}
