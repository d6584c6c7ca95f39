/* SPDX-License-Identifier: MIT */
/* move.c - moves: from where, in how few ops, and after what (segment.h, directory.h). */
#include "engine/multi/directory.h"

#define LONG_BYTES (16ull << 20) /* a copy of more is busy for long enough; the next piece may be ready later */
#define MOST_JOINED 32u          /* runs that a run of the next band is compared with */

/* Cells that are neighbours and come from the same window. */
typedef struct run {
    const hd_seg_window *from;
    hd_seg_rect rect;
} run;

/* ---- copies ---------------------------------------------------------------------------------------------------------- */

int hd_seg_cell_is_lost(const hd_segments *s, const hd_seg_cell *c)
{
    for (uint64_t i = 0; i < c->copies.n; i++)
        if (hd_seg_copy_at(s, c, i)->is_valid)
            return 0;
    return 1;
}

void hd_seg_cell_stale(const hd_segments *s, const hd_seg_cell *c, uint64_t by)
{
    for (uint64_t i = 0; i < c->copies.n; i++) {
        hd_seg_copy *copy = hd_seg_copy_at(s, c, i);
        copy->stale_by = copy->is_valid ? by : copy->stale_by;
        copy->is_valid = 0;
    }
}

void hd_seg_copy_need(hd_segments *s, const hd_seg_copy *copy, int writes)
{
    hd_clocks_need(&s->clocks, copy->ready);
    if (writes)
        hd_marks_need(&s->clocks, hd_memory_of(copy), copy->marks);
}

static uint64_t bit_of(const hd_seg_window *w) { return w ? 1ull << w->device : 0; }

uint64_t hd_seg_copy_sources(const hd_segments *s, const hd_seg_copy *copy)
{
    return bit_of(copy->window) | (hd_seg_point_is_done(&s->clocks, copy->ready) ? 0 : copy->sources);
}

/* An op that waits for this one waits for what it has waited for: the marks are of no use any more. Not so at home: this one's device may
 * be lost before, and then nobody waits for it. So home keeps its readers, and all of its writers. */
void hd_seg_copy_fill(hd_segments *s, hd_seg_copy *copy, hd_seg_point p, uint64_t sources)
{
    copy->ready = p;
    copy->sources = sources;
    copy->depth = 0;
    copy->stale_by = 0;
    copy->is_valid = 1;
    if (copy->window)
        memset(copy->marks, 0, hd_n_marks(s->n_devices) * sizeof *copy->marks);
    else
        hd_mark_raise(copy->marks, hd_mark_of(&s->clocks, HD_HOME, p.queue), p.number);
}

/* ---- plans ----------------------------------------------------------------------------------------------------------- */

int hd_seg_plan_room(hd_segments *s, hd_seg_plan *plan)
{
    return hd_list_room(&plan->ops, 1, sizeof(hd_seg_op)) ||
           hd_list_room(&plan->waits, s->clocks.n_queues, sizeof(hd_seg_point));
}

hd_seg_op *hd_seg_plan_give(hd_segments *s, hd_seg_plan *plan, uint32_t queue)
{
    hd_seg_op *op = (hd_seg_op *)plan->ops.at + plan->ops.n++;
    *op = (hd_seg_op){.first_wait = (uint32_t)plan->waits.n};
    op->point = hd_clocks_give(&s->clocks, queue, (hd_seg_point *)plan->waits.at + plan->waits.n, &op->n_waits);
    plan->waits.n += op->n_waits;
    return op;
}

/* ---- the source ------------------------------------------------------------------------------------------------------ */

static uint32_t depth_of(const hd_segments *s, const hd_seg_copy *copy)
{
    return hd_seg_point_is_done(&s->clocks, copy->ready) ? 0 : copy->depth;
}

static uint32_t n_readers(const hd_segments *s, const hd_seg_copy *copy)
{
    return hd_marks_open(&s->clocks, copy->window->device, copy->marks);
}

/* By when a copy of it would have come, in moves: so devices pass the same bytes on in a tree. The less, the better; UINT32_MAX: the
 * device cannot read it. */
static uint32_t distance(const hd_segments *s, const hd_seg_copy *copy, uint32_t device)
{
    if (!copy->is_valid)
        return UINT32_MAX;
    if (!copy->window)
        return UINT32_MAX - 1;
    if (copy->window->device == device)
        return 0;
    if (!s->reach[device * s->n_devices + copy->window->device])
        return UINT32_MAX;
    return 1 + depth_of(s, copy) + n_readers(s, copy);
}

static hd_seg_copy *nearest(const hd_segments *s, const hd_seg_cell *c, uint32_t device)
{
    hd_seg_copy *best = NULL;
    uint32_t least = UINT32_MAX;
    for (uint64_t i = 0; i < c->copies.n; i++) {
        const uint32_t d = distance(s, hd_seg_copy_at(s, c, i), device);
        if (d < least) {
            least = d;
            best = hd_seg_copy_at(s, c, i);
        }
    }
    return best;
}

static hd_seg_copy *pick_nearest(const hd_segments *s, const hd_seg_cell *c, const hd_seg_window *w)
{
    return hd_seg_copy_in(s, c, w)->is_valid ? NULL : nearest(s, c, w->device);
}

/* For home: a valid copy, unless home has one. */
static hd_seg_copy *pick_any(const hd_segments *s, const hd_seg_cell *c, const hd_seg_window *w)
{
    hd_seg_copy *found = NULL;
    (void)w;
    if (hd_seg_copy_in(s, c, NULL)->is_valid)
        return NULL;
    for (uint64_t i = 0; i < c->copies.n; i++) {
        hd_seg_copy *copy = hd_seg_copy_at(s, c, i);
        if (copy->is_valid && (!found || hd_seg_point_is_done(&s->clocks, copy->ready)))
            found = copy;
    }
    return found;
}

/* The same for what the window's device lacks and cannot read. */
static hd_seg_copy *pick_out_of_reach(const hd_segments *s, const hd_seg_cell *c, const hd_seg_window *w)
{
    return hd_seg_copy_in(s, c, w)->is_valid || nearest(s, c, w->device) ? NULL : pick_any(s, c, w);
}

/* The only valid copy, if the window has it. */
static hd_seg_copy *pick_only(const hd_segments *s, const hd_seg_cell *c, const hd_seg_window *w)
{
    hd_seg_copy *only = hd_seg_copy_in(s, c, w);
    if (!only || !only->is_valid)
        return NULL;
    for (uint64_t i = 0; i < c->copies.n; i++)
        if (hd_seg_copy_at(s, c, i) != only && hd_seg_copy_at(s, c, i)->is_valid)
            return NULL;
    return only;
}

/* ---- runs ------------------------------------------------------------------------------------------------------------ */

static int add_run(hd_segments *s, const hd_seg_window *from, const hd_seg_rect *rect, int is_later)
{
    run *last = s->runs.n ? (run *)s->runs.at + s->runs.n - 1 : NULL;
    if (last && is_later && hd_seg_rect_bytes(&last->rect) >= LONG_BYTES)
        last = NULL;
    if (last && last->from == from && last->rect.byte == rect->byte && last->rect.end_row == rect->row) {
        last->rect.end_row = rect->end_row;
        return 0;
    }
    if (hd_list_room(&s->runs, 1, sizeof(run)))
        return -1;
    ((run *)s->runs.at)[s->runs.n++] = (run){from, *rect};
    return 0;
}

static int continues(const run *r, const run *right)
{
    return r->from == right->from && r->rect.end_byte == right->rect.byte && r->rect.row == right->rect.row &&
           r->rect.end_row == right->rect.end_row;
}

/* Runs of neighbouring bands become one. */
static void join_runs(hd_segments *s)
{
    run *runs = s->runs.at;
    uint64_t n = 0;
    for (uint64_t i = 0; i < s->runs.n; i++) {
        uint64_t k = n;
        while (k > 0 && n - k < MOST_JOINED && !continues(&runs[k - 1], &runs[i]))
            k--;
        if (k > 0 && continues(&runs[k - 1], &runs[i]))
            runs[k - 1].rect.end_byte = runs[i].rect.end_byte;
        else
            runs[n++] = runs[i];
    }
    s->runs.n = n;
}

/* Is it ready after something else than the piece before? */
static int is_later(const hd_segments *s, const hd_seg_copy *copy, hd_seg_point before)
{
    return !hd_seg_point_is_done(&s->clocks, copy->ready) &&
           (copy->ready.queue != before.queue || copy->ready.number != before.number);
}

static int find_runs(hd_segments *s, hd_seg_array *a, const hd_seg_rect *rect, hd_seg_pick pick,
                     const hd_seg_window *picked_by)
{
    hd_seg_walk walk = hd_seg_walk_begin(a, rect);
    hd_seg_point ready = {0, 0};
    s->runs.n = 0;
    for (hd_seg_cell *c; (c = hd_seg_walk_next(&walk));) {
        const hd_seg_copy *from = pick(s, c, picked_by);
        const hd_seg_rect of_cell = hd_seg_walk_rect(&walk);
        if (from && add_run(s, from->window, &of_cell, is_later(s, from, ready)))
            return -1;
        if (from)
            ready = from->ready;
    }
    join_runs(s);
    return 0;
}

/* ---- ops ------------------------------------------------------------------------------------------------------------- */

static void locate(const hd_seg_array *a, const hd_seg_window *w, const hd_seg_rect *r, uint64_t *at, uint64_t *stride)
{
    *stride = w ? w->stride : a->stride;
    *at = w ? w->at + (r->row - w->rect.row) * w->stride + (r->byte - w->rect.byte) : r->row * a->stride + r->byte;
}

static void describe(hd_segments *s, hd_seg_op *op, uint32_t array, const run *r, const hd_seg_window *to)
{
    const uint64_t from_home = r->from ? r->from->device : s->n_devices, to_home = to ? to->device : s->n_devices;
    op->array = array;
    op->from = r->from ? r->from->device : HD_HOME;
    op->to = to ? to->device : HD_HOME;
    op->rect = r->rect;
    locate(hd_seg_array_of(s, array), r->from, &r->rect, &op->from_at, &op->from_stride);
    locate(hd_seg_array_of(s, array), to, &r->rect, &op->to_at, &op->to_stride);
    s->moved[from_home * (s->n_devices + 1) + to_home] += hd_seg_rect_bytes(&r->rect);
}

static void need_run(hd_segments *s, hd_seg_array *a, const run *r, const hd_seg_window *to)
{
    hd_seg_walk walk = hd_seg_walk_begin(a, &r->rect);
    for (hd_seg_cell *c; (c = hd_seg_walk_next(&walk));) {
        hd_seg_copy_need(s, hd_seg_copy_in(s, c, r->from), 0);
        hd_seg_copy_need(s, hd_seg_copy_in(s, c, to), 1);
    }
}

static void commit_run(hd_segments *s, hd_seg_array *a, const run *r, hd_seg_window *to, hd_seg_point p)
{
    const uint32_t mark = hd_mark_of(&s->clocks, r->from ? r->from->device : HD_HOME, p.queue);
    hd_seg_walk walk = hd_seg_walk_begin(a, &r->rect);
    for (hd_seg_cell *c; (c = hd_seg_walk_next(&walk));) {
        hd_seg_copy *from = hd_seg_copy_in(s, c, r->from);
        const uint32_t depth = 1 + depth_of(s, from) + (from->window ? n_readers(s, from) : 0);
        hd_mark_raise(from->marks, mark, p.number);
        hd_seg_copy_fill(s, hd_seg_copy_in(s, c, to), p, hd_seg_copy_sources(s, from) | bit_of(to));
        hd_seg_copy_in(s, c, to)->depth = depth;
        if (to)
            to->may_be_dirty |= !hd_seg_copy_in(s, c, NULL)->is_valid;
    }
}

heddle_status hd_seg_move(hd_segments *s, uint32_t array, const hd_seg_rect *rect, hd_seg_pick pick,
                          const hd_seg_window *picked_by, hd_seg_window *to, hd_seg_plan *plan)
{
    hd_seg_array *a = hd_seg_array_of(s, array);
    if (find_runs(s, a, rect, pick, picked_by))
        return HEDDLE_ENOMEM;
    for (uint64_t i = 0; i < s->runs.n; i++) {
        const run *r = (const run *)s->runs.at + i;
        hd_seg_op *op;
        if (hd_seg_plan_room(s, plan))
            return HEDDLE_ENOMEM;
        need_run(s, a, r, to);
        op = hd_seg_plan_give(s, plan,
                              to ? hd_seg_queue(to->device, HD_QUEUE_IN) : hd_seg_queue(r->from->device, HD_QUEUE_OUT));
        describe(s, op, array, r, to);
        commit_run(s, a, r, to, op->point);
    }
    return HEDDLE_OK;
}

heddle_status hd_seg_move_in(hd_segments *s, hd_seg_window *w, const hd_seg_rect *rect, hd_seg_plan *plan)
{
    HD_TRY(hd_seg_move(s, w->array, rect, pick_out_of_reach, w, NULL, plan));
    return hd_seg_move(s, w->array, rect, pick_nearest, w, w, plan);
}

heddle_status hd_seg_move_dirty(hd_segments *s, hd_seg_window *w, hd_seg_plan *plan)
{
    HD_TRY(hd_seg_move(s, w->array, &w->rect, pick_only, w, NULL, plan));
    w->may_be_dirty = 0;
    return HEDDLE_OK;
}

heddle_status hd_seg_move_home(hd_segments *s, uint32_t array, const hd_seg_rect *rect, hd_seg_plan *plan)
{
    return hd_seg_move(s, array, rect, pick_any, NULL, NULL, plan);
}
