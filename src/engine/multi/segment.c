/* SPDX-License-Identifier: MIT */
/* segment.c - the calls of the directory (segment.h): what they refuse, and in which order its parts do their work. */
#include "engine/multi/directory.h"

#define MOST_BYTES (1ull << 62)
#define JOIN_AT_LEAST 64u /* cells that are not worth a look */

/* ---- coming into being ----------------------------------------------------------------------------------------------- */

static uint64_t moved_bytes(uint32_t n) { return (n + 1ull) * (n + 1ull) * sizeof(uint64_t); }

static void copy_reach(hd_segments *s, const uint8_t *reach)
{
    const uint32_t n = s->n_devices;
    for (uint32_t i = 0; i < n * n; i++)
        s->reach[i] = !reach || i / n == i % n ? 1 : reach[i] != 0;
}

static heddle_status set_up(hd_segments *s, const hd_segments_config *config)
{
    const uint32_t n = config->n_devices;
    s->copy_bytes = sizeof(hd_seg_copy) + hd_n_marks(n) * sizeof(uint64_t);
    s->next_use = config->next_use;
    s->user = config->user;
    s->devices = hd_new(n * sizeof *s->devices);
    s->reach = hd_new((uint64_t)n * n);
    s->moved = hd_new(moved_bytes(n));
    if (!s->devices || !s->reach || !s->moved || hd_clocks_open(&s->clocks, n))
        return HEDDLE_ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        if (hd_slab_open(&s->devices[i].slab, config->pool_bytes[i], i, hd_n_marks(n)))
            return HEDDLE_ENOMEM;
    copy_reach(s, config->reach);
    return HEDDLE_OK;
}

heddle_status hd_segments_new(hd_segments **out, const hd_segments_config *config)
{
    hd_segments *s;
    heddle_status status;
    *out = NULL;
    if (config->n_devices == 0 || config->n_devices > HD_SEGMENTS_MOST_DEVICES)
        return HEDDLE_EINVAL;
    s = hd_new(sizeof *s);
    if (!s)
        return HEDDLE_ENOMEM;
    s->n_devices = config->n_devices;
    s->first_number = 1;
    status = set_up(s, config);
    if (status != HEDDLE_OK)
        hd_segments_delete(s);
    else
        *out = s;
    return status;
}

static void close_array(hd_segments *s, hd_seg_array *a)
{
    hd_seg_cells_close(s, a);
    *a = (hd_seg_array){0};
}

void hd_segments_delete(hd_segments *s)
{
    if (!s)
        return;
    for (uint64_t i = 0; i < s->arrays.n; i++)
        close_array(s, hd_seg_array_of(s, (uint32_t)i));
    for (uint32_t i = 0; s->devices && i < s->n_devices; i++)
        hd_seg_windows_forget(&s->devices[i]);
    hd_list_clear(&s->arrays);
    hd_list_clear(&s->runs);
    hd_list_clear(&s->order);
    hd_list_clear(&s->entries);
    hd_list_clear(&s->touches);
    hd_clocks_close(&s->clocks);
    hd_delete(s->devices, s->n_devices * sizeof *s->devices);
    hd_delete(s->reach, (uint64_t)s->n_devices * s->n_devices);
    hd_delete(s->moved, moved_bytes(s->n_devices));
    hd_delete(s, sizeof *s);
}

/* ---- arrays ---------------------------------------------------------------------------------------------------------- */

/* A number that no array has. */
static heddle_status new_number(hd_segments *s, uint32_t *array)
{
    for (*array = 0; *array < s->arrays.n; ++*array)
        if (!hd_is_array(s, *array))
            return HEDDLE_OK;
    if (hd_list_room(&s->arrays, 1, sizeof(hd_seg_array)))
        return HEDDLE_ENOMEM;
    *hd_seg_array_of(s, (uint32_t)s->arrays.n++) = (hd_seg_array){0};
    return HEDDLE_OK;
}

heddle_status hd_segments_add(hd_segments *s, uint64_t n_rows, uint64_t row_bytes, uint64_t stride, uint32_t *array)
{
    hd_seg_array *a;
    if (!n_rows || !row_bytes || stride < row_bytes || n_rows > MOST_BYTES / stride)
        return HEDDLE_EINVAL;
    HD_TRY(new_number(s, array));
    a = hd_seg_array_of(s, *array);
    *a = (hd_seg_array){.n_rows = n_rows, .row_bytes = row_bytes, .stride = stride};
    return hd_seg_cells_open(s, a) ? HEDDLE_ENOMEM : HEDDLE_OK;
}

/* From the end on: what takes the place of one that leaves is one that stays. */
static void drop_windows(hd_segments *s, const hd_list *windows, uint32_t array)
{
    for (uint64_t i = windows->n; i-- > 0;) {
        hd_seg_window *w = ((hd_seg_window **)windows->at)[i];
        if (w->array == array)
            hd_seg_window_leave(s, w);
    }
}

void hd_segments_drop(hd_segments *s, uint32_t array)
{
    for (uint32_t i = 0; i < s->n_devices; i++)
        drop_windows(s, &s->devices[i].windows, array);
    close_array(s, hd_seg_array_of(s, array));
    hd_seg_log_drop(s, array);
}

/* ---- what is refused ------------------------------------------------------------------------------------------------- */

static int is_rect(const hd_segments *s, uint32_t array, const hd_seg_rect *r)
{
    const hd_seg_array *a = hd_seg_array_of(s, array);
    return r->row < r->end_row && r->end_row <= a->n_rows && r->byte < r->end_byte && r->end_byte <= a->row_bytes;
}

static int is_use(const hd_segments *s, const hd_seg_use *u)
{
    return hd_is_array(s, u->array) && u->mode >= HEDDLE_MODE_IN && u->mode <= HEDDLE_MODE_INOUT &&
           is_rect(s, u->array, &u->rect) && is_rect(s, u->array, &u->hull) && hd_seg_rect_contains(&u->hull, &u->rect);
}

static int writes(const hd_seg_use *u) { return (u->mode & HEDDLE_MODE_OUT) != 0; }
static int reads(const hd_seg_use *u) { return (u->mode & HEDDLE_MODE_IN) != 0; }

static heddle_status check(hd_segments *s, uint32_t device, const hd_seg_use *uses, uint32_t n)
{
    if (device >= s->n_devices || n > HD_SEGMENTS_MOST_USES)
        return HEDDLE_EINVAL;
    for (uint32_t i = 0; i < n; i++) {
        if (!is_use(s, &uses[i]))
            return HEDDLE_EINVAL;
        for (uint32_t j = 0; j < i && writes(&uses[i]); j++)
            if (writes(&uses[j]) && uses[i].array == uses[j].array && hd_seg_rect_meets(&uses[i].rect, &uses[j].rect))
                return HEDDLE_EINVAL;
    }
    for (uint32_t i = 0; i < n && s->has_lost; i++)
        if (reads(&uses[i]) && hd_segments_is_lost(s, uses[i].array, &uses[i].rect, NULL))
            return HEDDLE_EDEVICE;
    return s->devices[device].is_lost ? HEDDLE_EDEVICE : HEDDLE_OK;
}

static void begin(hd_seg_plan *plan)
{
    plan->ops.n = plan->waits.n = 0;
    plan->first_host_wait = plan->n_host_waits = 0;
    plan->need_bytes = 0;
}

void hd_seg_plan_clear(hd_seg_plan *plan)
{
    hd_list_clear(&plan->ops);
    hd_list_clear(&plan->waits);
}

/* ---- a body ---------------------------------------------------------------------------------------------------------- */

/* The window has cells of just the use, which are valid if it reads them. */
static heddle_status fill(hd_segments *s, const hd_seg_use *u, hd_seg_window *w, hd_seg_plan *plan)
{
    hd_seg_array *a = hd_seg_array_of(s, u->array);
    uint64_t n_missing = 0;
    hd_seg_walk walk;
    HD_TRY(hd_seg_cells_cut(s, a, &u->rect));
    walk = hd_seg_walk_begin(a, &u->rect);
    for (hd_seg_cell *c; reads(u) && (c = hd_seg_walk_next(&walk));)
        n_missing += !hd_seg_copy_in(s, c, w)->is_valid;
    return n_missing ? hd_seg_move_in(s, w, &u->rect, plan) : HEDDLE_OK;
}

/* Returns the devices that what the body reads depends on. */
static uint64_t need(hd_segments *s, const hd_seg_use *u, const hd_seg_window *w)
{
    uint64_t sources = 0;
    hd_seg_walk walk = hd_seg_walk_begin(hd_seg_array_of(s, u->array), &u->rect);
    for (hd_seg_cell *c; (c = hd_seg_walk_next(&walk));) {
        const hd_seg_copy *copy = hd_seg_copy_in(s, c, w);
        hd_seg_copy_need(s, copy, writes(u));
        if (reads(u))
            sources |= hd_seg_copy_sources(s, copy);
    }
    return sources;
}

static void commit_read(hd_segments *s, const hd_seg_use *u, const hd_seg_window *w, hd_seg_point p)
{
    hd_seg_walk walk = hd_seg_walk_begin(hd_seg_array_of(s, u->array), &u->rect);
    for (hd_seg_cell *c; (c = hd_seg_walk_next(&walk));)
        hd_mark_raise(hd_seg_copy_in(s, c, w)->marks, hd_mark_of(&s->clocks, w->device, p.queue), p.number);
}

static void commit_write(hd_segments *s, const hd_seg_use *u, hd_seg_window *w, hd_seg_point p, uint64_t sources,
                         uint64_t body)
{
    hd_seg_walk walk = hd_seg_walk_begin(hd_seg_array_of(s, u->array), &u->rect);
    w->may_be_dirty = 1;
    for (hd_seg_cell *c; (c = hd_seg_walk_next(&walk));) {
        hd_seg_cell_stale(s, c, body);
        hd_seg_copy_fill(s, hd_seg_copy_in(s, c, w), p, sources);
    }
}

static void run_body(hd_segments *s, uint32_t queue, const hd_seg_use *uses, uint32_t n, hd_seg_window *const *windows,
                     hd_seg_plan *plan)
{
    uint64_t sources = 1ull << (queue / HD_N_ROLES);
    hd_seg_op *op;
    for (uint32_t i = 0; i < n; i++)
        sources |= need(s, &uses[i], windows[i]);
    op = hd_seg_plan_give(s, plan, queue);
    op->is_body = 1;
    plan->body = hd_seg_log_add(s, uses, n, op->point, HD_SEG_OPEN);
    for (uint32_t i = 0; i < n; i++) {
        windows[i]->body = op->point;
        if (reads(&uses[i]))
            commit_read(s, &uses[i], windows[i], op->point);
    }
    for (uint32_t i = 0; i < n; i++)
        if (writes(&uses[i]))
            commit_write(s, &uses[i], windows[i], op->point, sources, plan->body);
}

static hd_seg_place place_of(const hd_seg_window *w, const hd_seg_rect *r)
{
    return (hd_seg_place){w->at + (r->row - w->rect.row) * w->stride + (r->byte - w->rect.byte), w->stride};
}

heddle_status hd_segments_give(hd_segments *s, uint32_t device, hd_seg_role role, const hd_seg_use *uses, uint32_t n,
                               hd_seg_plan *plan)
{
    hd_seg_window *windows[HD_SEGMENTS_MOST_USES];
    begin(plan);
    HD_TRY(check(s, device, uses, n));
    HD_TRY(hd_seg_windows_for(s, device, uses, n, windows, plan));
    for (uint32_t i = 0; i < n; i++) {
        HD_TRY(fill(s, &uses[i], windows[i], plan));
        plan->places[i] = place_of(windows[i], &uses[i].rect);
    }
    if (hd_seg_plan_room(s, plan) || hd_seg_log_room(s, n))
        return HEDDLE_ENOMEM;
    run_body(s, hd_seg_queue(device, role), uses, n, windows, plan);
    return HEDDLE_OK;
}

/* ---- the host -------------------------------------------------------------------------------------------------------- */

static void need_home(hd_segments *s, uint32_t array, const hd_seg_rect *rect, int host_writes)
{
    hd_seg_walk walk = hd_seg_walk_begin(hd_seg_array_of(s, array), rect);
    for (hd_seg_cell *c; (c = hd_seg_walk_next(&walk));)
        hd_seg_copy_need(s, hd_seg_copy_in(s, c, NULL), host_writes);
}

static heddle_status tell_host(hd_segments *s, hd_seg_plan *plan)
{
    plan->first_host_wait = (uint32_t)plan->waits.n;
    plan->n_host_waits = hd_clocks_host(&s->clocks, (hd_seg_point *)plan->waits.at + plan->waits.n);
    plan->waits.n += plan->n_host_waits;
    return HEDDLE_OK;
}

heddle_status hd_segments_fetch(hd_segments *s, uint32_t array, const hd_seg_rect *rect, hd_seg_plan *plan)
{
    begin(plan);
    if (!hd_is_array(s, array) || !is_rect(s, array, rect))
        return HEDDLE_EINVAL;
    if (s->has_lost && hd_segments_is_lost(s, array, rect, NULL))
        return HEDDLE_EDEVICE;
    HD_TRY(hd_seg_cells_cut(s, hd_seg_array_of(s, array), rect));
    HD_TRY(hd_seg_move_home(s, array, rect, plan));
    if (hd_seg_plan_room(s, plan))
        return HEDDLE_ENOMEM;
    need_home(s, array, rect, 0);
    return tell_host(s, plan);
}

heddle_status hd_segments_wrote(hd_segments *s, uint32_t array, const hd_seg_rect *rect, hd_seg_plan *plan)
{
    const hd_seg_use use = {.array = array, .mode = HEDDLE_MODE_OUT, .rect = *rect};
    uint64_t number;
    hd_seg_walk walk;
    begin(plan);
    if (!hd_is_array(s, array) || !is_rect(s, array, rect))
        return HEDDLE_EINVAL;
    HD_TRY(hd_seg_cells_cut(s, hd_seg_array_of(s, array), rect));
    if (hd_seg_plan_room(s, plan) || hd_seg_log_room(s, 1))
        return HEDDLE_ENOMEM;
    number = hd_seg_log_add(s, &use, 1, (hd_seg_point){0, 0}, HD_SEG_OPEN);
    need_home(s, array, rect, 1);
    walk = hd_seg_walk_begin(hd_seg_array_of(s, array), rect);
    for (hd_seg_cell *c; (c = hd_seg_walk_next(&walk));) {
        hd_seg_cell_stale(s, c, number);
        hd_seg_copy_fill(s, hd_seg_copy_in(s, c, NULL), (hd_seg_point){0, 0}, 0);
    }
    hd_segments_ended(s, number);
    return tell_host(s, plan);
}

void hd_segments_done(hd_segments *s, hd_seg_point p) { hd_clocks_done(&s->clocks, p); }

/* ---- tidying --------------------------------------------------------------------------------------------------------- */

static heddle_status clean_ahead(hd_segments *s, uint32_t device, hd_seg_plan *plan)
{
    const hd_seg_device *d = &s->devices[device];
    uint64_t n_bytes = d->slab.n_bytes - d->slab.used_bytes;
    if (hd_leaving_order(s, device))
        return HEDDLE_ENOMEM;
    for (uint64_t i = 0; i < s->order.n && n_bytes < d->slab.n_bytes / 5; i++) {
        hd_seg_window *w = ((hd_seg_window **)s->order.at)[i];
        if (w->next_use < HD_SOON)
            break;
        n_bytes += w->extent->n_bytes;
        if (!w->may_be_dirty)
            continue;
        HD_TRY(hd_seg_move_dirty(s, w, plan));
        hd_leaving_touch(s, w);
    }
    return HEDDLE_OK;
}

/* Data that fit stay where they are: nothing goes home as long as no window has to leave. Looking at all windows pays when several have. */
heddle_status hd_segments_tidy(hd_segments *s, uint32_t device, hd_seg_plan *plan)
{
    hd_seg_device *d = &s->devices[device];
    begin(plan);
    if (s->n_cells > 2 * s->n_cells_joined + JOIN_AT_LEAST)
        hd_seg_cells_join(s);
    if (d->is_lost || d->n_left <= d->n_left_tidied + d->windows.n / 32 ||
        d->slab.used_bytes <= d->slab.n_bytes / 10 * 9)
        return HEDDLE_OK;
    d->n_left_tidied = d->n_left;
    return clean_ahead(s, device, plan);
}

/* ---- numbers --------------------------------------------------------------------------------------------------------- */

static int is_on(const hd_segments *s, const hd_seg_cell *c, uint32_t device)
{
    for (uint64_t i = 0; i < c->copies.n; i++) {
        const hd_seg_copy *copy = hd_seg_copy_at(s, c, i);
        if (copy->is_valid && copy->window && copy->window->device == device)
            return 1;
    }
    return 0;
}

uint64_t hd_segments_missing(hd_segments *s, uint32_t device, const hd_seg_use *uses, uint32_t n)
{
    uint64_t n_bytes = 0;
    for (uint32_t i = 0; i < n; i++) {
        hd_seg_walk walk = hd_seg_walk_begin(hd_seg_array_of(s, uses[i].array), &uses[i].rect);
        for (hd_seg_cell *c; reads(&uses[i]) && (c = hd_seg_walk_next(&walk));) {
            const hd_seg_rect of_cell = hd_seg_walk_rect(&walk), part = hd_seg_rect_common(&of_cell, &uses[i].rect);
            n_bytes += is_on(s, c, device) ? 0 : hd_seg_rect_bytes(&part);
        }
    }
    return n_bytes;
}

uint64_t hd_segments_moved(const hd_segments *s, uint32_t from, uint32_t to)
{
    const uint64_t row = from == HD_HOME ? s->n_devices : from, column = to == HD_HOME ? s->n_devices : to;
    return s->moved[row * (s->n_devices + 1) + column];
}

static uint64_t array_bytes(const hd_seg_array *a)
{
    uint64_t n_bytes = a->bands.n_bytes;
    for (uint64_t i = 0; i < a->bands.n; i++) {
        const hd_seg_band *b = hd_seg_band_at(a, i);
        n_bytes += b->cells.n_bytes;
        for (uint64_t k = 0; k < b->cells.n; k++)
            n_bytes += hd_seg_cell_at(b, k)->copies.n_bytes;
    }
    return n_bytes;
}

void hd_segments_count(const hd_segments *s, hd_segments_counts *out)
{
    *out = (hd_segments_counts){.n_cells = s->n_cells};
    out->table_bytes = sizeof *s + moved_bytes(s->n_devices) + s->arrays.n_bytes + s->runs.n_bytes + s->order.n_bytes +
                       s->entries.n_bytes + s->touches.n_bytes;
    for (uint64_t i = 0; i < s->arrays.n; i++)
        out->table_bytes += array_bytes(hd_seg_array_of(s, (uint32_t)i));
    for (uint32_t i = 0; i < s->n_devices; i++) {
        const hd_seg_device *d = &s->devices[i];
        out->n_windows += d->windows.n;
        out->n_left += d->n_left;
        out->table_bytes += sizeof *d + d->windows.n_bytes + d->touched.n_bytes + hd_slab_table_bytes(&d->slab) +
                            d->windows.n * sizeof(hd_seg_window);
    }
}

uint64_t hd_segments_used(const hd_segments *s, uint32_t device) { return s->devices[device].slab.used_bytes; }
