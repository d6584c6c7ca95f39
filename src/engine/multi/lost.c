/* SPDX-License-Identifier: MIT */
/* lost.c - what goes with a device, what becomes of the rest, and which bodies are to be given again (segment.h).
 *
 * A copy elsewhere goes with the device if it is not ready yet and its bytes depend on the device, by what was known when its op was given.
 * So more may count as lost than is, but only of what was under way.
 *
 * What is left of a cell has the bytes as they were before some body of the log wrote: that body's number says how new they are. A body is
 * given again if its results are newer than what is left, and it does not come too late. If all that wrote a cell since are given again,
 * the newest of what is left is valid again; else the cell is lost. */
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

/* ---- what is left ---------------------------------------------------------------------------------------------------- */

/* What the device's memory had, and what ops that are under way would have made of it. Where these write, there are no older bytes. */
static void lose_cell(hd_segments *s, hd_seg_cell *c, uint32_t device)
{
    for (uint64_t i = c->copies.n; i-- > 0;) {
        hd_seg_copy *copy = hd_seg_copy_at(s, c, i);
        if (copy->window && copy->window->device == device)
            hd_seg_cell_leave(s, c, copy);
        else if (!hd_seg_point_is_done(&s->clocks, copy->ready) && (copy->sources >> device & 1)) {
            copy->is_valid = 0;
            copy->stale_by = 0;
        }
    }
}

static hd_seg_walk walk_all(const hd_seg_array *a)
{
    const hd_seg_rect all = {0, a->n_rows, 0, a->row_bytes};
    return hd_seg_walk_begin(a, &all);
}

static void lose_array(hd_segments *s, uint32_t array, uint32_t device)
{
    hd_seg_walk walk = walk_all(hd_seg_array_of(s, array));
    for (hd_seg_cell *c; (c = hd_seg_walk_next(&walk));) {
        c->was_lost = hd_seg_cell_is_lost(s, c);
        lose_cell(s, c, device);
    }
}

/* The first of the log that is not in the newest bytes that are left; UINT64_MAX: all is; 0: nothing is left. */
static uint64_t first_missing(const hd_segments *s, const hd_seg_cell *c)
{
    uint64_t newest = 0;
    for (uint64_t i = 0; i < c->copies.n; i++) {
        const hd_seg_copy *copy = hd_seg_copy_at(s, c, i);
        if (copy->is_valid)
            return UINT64_MAX;
        if (copy->stale_by >= s->first_number && copy->stale_by > newest)
            newest = copy->stale_by;
    }
    return newest;
}

/* ---- what is given again --------------------------------------------------------------------------------------------- */

static const hd_seg_touch *touches_of(const hd_segments *s, const hd_seg_entry *e)
{
    return (const hd_seg_touch *)s->touches.at + e->first_touch;
}

static int writes(const hd_seg_touch *t) { return (t->mode & HEDDLE_MODE_OUT) != 0; }

/* Has some of the rect bytes with what that number wrote? */
static int has_some_of(const hd_segments *s, uint32_t array, const hd_seg_rect *r, uint64_t number)
{
    hd_seg_walk walk = hd_seg_walk_begin(hd_seg_array_of(s, array), r);
    for (hd_seg_cell *c; (c = hd_seg_walk_next(&walk));)
        if (first_missing(s, c) > number)
            return 1;
    return 0;
}

static int lacks_some_of(const hd_segments *s, uint32_t array, const hd_seg_rect *r, uint64_t number)
{
    hd_seg_walk walk = hd_seg_walk_begin(hd_seg_array_of(s, array), r);
    for (hd_seg_cell *c; (c = hd_seg_walk_next(&walk));)
        if (first_missing(s, c) <= number)
            return 1;
    return 0;
}

/* Are results of it gone? One without results is as good as its point. */
static int is_missing(const hd_segments *s, uint64_t number, uint32_t device)
{
    const hd_seg_entry *e = hd_seg_log_at(s, number);
    const hd_seg_touch *t = touches_of(s, e);
    uint32_t n_written = 0;
    for (uint32_t i = 0; i < e->n_touches; i++) {
        if (!writes(&t[i]))
            continue;
        n_written++;
        if (lacks_some_of(s, t[i].array, &t[i].rect, number))
            return 1;
    }
    return !n_written && e->point.queue / HD_N_ROLES == device && !hd_seg_point_is_done(&s->clocks, e->point);
}

/* Has that number written some of what is touched? If it is given again, or is the same, only what is read and is there counts: it would be
 * read as it was not then. */
static int is_overwritten(const hd_segments *s, const hd_seg_touch *t, uint64_t by, int is_undone)
{
    const hd_seg_entry *e = hd_seg_log_at(s, by);
    const hd_seg_touch *w = touches_of(s, e);
    for (uint32_t i = 0; i < e->n_touches; i++) {
        const hd_seg_rect both = hd_seg_rect_common(&t->rect, &w[i].rect);
        if (writes(&w[i]) && w[i].array == t->array && hd_seg_rect_meets(&t->rect, &w[i].rect) &&
            (!is_undone || ((t->mode & HEDDLE_MODE_IN) && has_some_of(s, t->array, &both, by))))
            return 1;
    }
    return 0;
}

/* Verdicts on all later ones are known. */
static int is_too_late(const hd_segments *s, uint64_t number)
{
    const hd_seg_entry *e = hd_seg_log_at(s, number);
    const hd_seg_touch *t = touches_of(s, e);
    for (uint32_t i = 0; i < e->n_touches; i++)
        for (uint64_t by = number; by < hd_seg_log_end(s); by++)
            if (is_overwritten(s, &t[i], by, by == number || hd_seg_log_at(s, by)->state == HD_SEG_AGAIN))
                return 1;
    return 0;
}

/* Those of an earlier loss have not happened. */
static void forget_again(hd_segments *s)
{
    for (uint64_t i = s->first_number; i < hd_seg_log_end(s); i++) {
        hd_seg_entry *e = hd_seg_log_at(s, i);
        if (e->state != HD_SEG_AGAIN)
            continue;
        e->state = HD_SEG_ENDED;
        e->n_touches = 0;
    }
}

/* So that cells are what it writes, or not. -1 without memory. */
static int cut_out(hd_segments *s, uint64_t number)
{
    const hd_seg_entry *e = hd_seg_log_at(s, number);
    const hd_seg_touch *t = touches_of(s, e);
    for (uint32_t i = 0; i < e->n_touches; i++)
        if (writes(&t[i]) && hd_seg_cells_cut(s, hd_seg_array_of(s, t[i].array), &t[i].rect) != HEDDLE_OK)
            return -1;
    return 0;
}

static void choose_again(hd_segments *s, uint32_t device)
{
    for (uint64_t i = hd_seg_log_end(s); i-- > s->first_number;)
        if (hd_seg_log_at(s, i)->state == HD_SEG_OPEN && is_missing(s, i, device) && !is_too_late(s, i) &&
            !cut_out(s, i))
            hd_seg_log_at(s, i)->state = HD_SEG_AGAIN;
}

static void undo_cell(const hd_segments *s, const hd_seg_cell *c, uint64_t number)
{
    for (uint64_t i = 0; i < c->copies.n; i++) {
        hd_seg_copy *copy = hd_seg_copy_at(s, c, i);
        if (copy->is_valid || copy->stale_by > number)
            copy->stale_by = 0;
        copy->is_valid = 0;
    }
}

/* What is left of its results goes, too: as if it had not been given. */
static void undo(hd_segments *s, uint64_t number)
{
    const hd_seg_entry *e = hd_seg_log_at(s, number);
    const hd_seg_touch *t = touches_of(s, e);
    for (uint32_t i = 0; i < e->n_touches; i++) {
        hd_seg_walk walk;
        if (!writes(&t[i]))
            continue;
        walk = hd_seg_walk_begin(hd_seg_array_of(s, t[i].array), &t[i].rect);
        for (hd_seg_cell *c; (c = hd_seg_walk_next(&walk));)
            undo_cell(s, c, number);
    }
}

static void undo_all(hd_segments *s)
{
    for (uint64_t i = s->first_number; i < hd_seg_log_end(s); i++)
        if (hd_seg_log_at(s, i)->state == HD_SEG_AGAIN)
            undo(s, i);
}

/* ---- what is valid again --------------------------------------------------------------------------------------------- */

static int writes_rect(const hd_segments *s, const hd_seg_entry *e, uint32_t array, const hd_seg_rect *r)
{
    const hd_seg_touch *t = touches_of(s, e);
    for (uint32_t i = 0; i < e->n_touches; i++)
        if (writes(&t[i]) && t[i].array == array && hd_seg_rect_meets(&t[i].rect, r))
            return 1;
    return 0;
}

/* From that number on all that wrote the rect is given again. */
static int is_all_again(const hd_segments *s, uint32_t array, const hd_seg_rect *r, uint64_t number)
{
    for (; number < hd_seg_log_end(s); number++) {
        const hd_seg_entry *e = hd_seg_log_at(s, number);
        if (e->state != HD_SEG_AGAIN && writes_rect(s, e, array, r))
            return 0;
    }
    return 1;
}

/* The copies without what that number wrote are valid; 0: none is, and what is lost stays so. */
static void restore(const hd_segments *s, const hd_seg_cell *c, uint64_t number)
{
    for (uint64_t i = 0; i < c->copies.n; i++) {
        hd_seg_copy *copy = hd_seg_copy_at(s, c, i);
        copy->is_valid = number && copy->stale_by == number;
        copy->stale_by = 0;
        if (copy->is_valid && copy->window)
            copy->window->may_be_dirty = 1;
    }
}

static void restore_array(hd_segments *s, uint32_t array, hd_seg_rect_fn tell, void *user)
{
    loss l = {tell, user, array, {0}};
    hd_seg_walk walk = walk_all(hd_seg_array_of(s, array));
    for (hd_seg_cell *c; (c = hd_seg_walk_next(&walk));) {
        const hd_seg_rect rect = hd_seg_walk_rect(&walk);
        uint64_t number = first_missing(s, c);
        if (number == UINT64_MAX)
            continue;
        number = number && is_all_again(s, array, &rect, number) ? number : 0;
        restore(s, c, number);
        if (number)
            continue;
        s->has_lost = 1;
        if (!c->was_lost)
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
            lose_array(s, i, device);
    forget_again(s);
    choose_again(s, device);
    undo_all(s);
    for (uint32_t i = 0; i < s->arrays.n; i++)
        if (hd_is_array(s, i))
            restore_array(s, i, tell, user);
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
