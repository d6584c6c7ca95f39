/* SPDX-License-Identifier: MIT */
/* cells.c - arrays as bands and cells: cutting, joining, copies (directory.h). A cut leaves both parts in the state of the whole, so
 * that a call may fail after some of its cuts. */
#include "engine/multi/directory.h"

#define LEAST_ITEMS 4u /* there may be very many short lists */
#define NEAR 10u       /* cells that are looked at before all are searched */

/* Room for one more item. */
static int room(hd_list *l, uint64_t item_bytes)
{
    const uint64_t cap = l->cap ? 2 * l->cap : LEAST_ITEMS;
    uint64_t n_bytes = cap * item_bytes;
    void *p;
    if (l->n < l->cap)
        return 0;
    p = hd_resize(l->at, l->n_bytes, &n_bytes);
    if (!p)
        return -1;
    *l = (hd_list){p, l->n, n_bytes / item_bytes, n_bytes};
    return 0;
}

/* Opens a gap at index i, for which there is room. */
static void *insert(hd_list *l, uint64_t i, uint64_t item_bytes)
{
    char *at = (char *)l->at + i * item_bytes;
    memmove(at + item_bytes, at, (l->n - i) * item_bytes);
    l->n++;
    return at;
}

static void take_out(hd_list *l, uint64_t i, uint64_t item_bytes)
{
    char *at = (char *)l->at + i * item_bytes;
    l->n--;
    memmove(at, at + item_bytes, (l->n - i) * item_bytes);
}

/* ---- copies ---------------------------------------------------------------------------------------------------------- */

heddle_status hd_seg_cell_enter(hd_segments *s, hd_seg_cell *c, hd_seg_window *w)
{
    hd_seg_copy *copy;
    if (room(&c->copies, s->copy_bytes))
        return HEDDLE_ENOMEM;
    copy = hd_seg_copy_at(s, c, c->copies.n++);
    memset(copy, 0, s->copy_bytes);
    copy->window = w;
    if (w)
        memcpy(copy->marks, w->extent->marks, hd_n_marks(s->n_devices) * sizeof *copy->marks);
    return HEDDLE_OK;
}

void hd_seg_cell_leave(hd_segments *s, hd_seg_cell *c, hd_seg_copy *gone)
{
    hd_seg_copy *last = hd_seg_copy_at(s, c, --c->copies.n);
    if (gone != last)
        memcpy(gone, last, s->copy_bytes);
}

static int clone_copies(const hd_segments *s, hd_seg_cell *to, const hd_seg_cell *from)
{
    uint64_t n_bytes = from->copies.n * s->copy_bytes;
    void *p = hd_resize(NULL, 0, &n_bytes);
    if (!p)
        return -1;
    memcpy(p, from->copies.at, from->copies.n * s->copy_bytes);
    to->copies = (hd_list){p, from->copies.n, n_bytes / s->copy_bytes, n_bytes};
    return 0;
}

/* ---- bands ----------------------------------------------------------------------------------------------------------- */

static void clear_cells(hd_segments *s, hd_seg_band *b)
{
    for (uint64_t i = 0; i < b->cells.n; i++)
        hd_list_clear(&hd_seg_cell_at(b, i)->copies);
    s->n_cells -= b->cells.n;
    hd_list_clear(&b->cells);
}

static int clone_cells(hd_segments *s, hd_seg_band *to, const hd_seg_band *from)
{
    uint64_t n_bytes = from->cells.n * sizeof(hd_seg_cell);
    to->cells = (hd_list){hd_resize(NULL, 0, &n_bytes), 0, from->cells.n, n_bytes};
    if (!to->cells.at)
        return -1;
    for (; to->cells.n < from->cells.n; to->cells.n++, s->n_cells++) {
        hd_seg_cell *c = hd_seg_cell_at(to, to->cells.n);
        *c = *hd_seg_cell_at(from, to->cells.n);
        if (clone_copies(s, c, c)) {
            clear_cells(s, to);
            return -1;
        }
    }
    to->cells.cap = n_bytes / sizeof(hd_seg_cell);
    return 0;
}

int hd_seg_cells_open(hd_segments *s, hd_seg_array *a)
{
    hd_seg_band *b;
    hd_seg_cell *c;
    if (room(&a->bands, sizeof *b))
        return -1;
    b = hd_seg_band_at(a, a->bands.n++);
    *b = (hd_seg_band){.end_byte = a->row_bytes};
    if (room(&b->cells, sizeof *c)) {
        hd_list_clear(&a->bands);
        return -1;
    }
    c = hd_seg_cell_at(b, b->cells.n++);
    *c = (hd_seg_cell){.end_row = a->n_rows};
    s->n_cells++;
    if (hd_seg_cell_enter(s, c, NULL)) {
        hd_seg_cells_close(s, a);
        return -1;
    }
    hd_seg_copy_at(s, c, 0)->is_valid = 1;
    return 0;
}

void hd_seg_cells_close(hd_segments *s, hd_seg_array *a)
{
    for (uint64_t i = 0; i < a->bands.n; i++)
        clear_cells(s, hd_seg_band_at(a, i));
    hd_list_clear(&a->bands);
}

/* ---- finding --------------------------------------------------------------------------------------------------------- */

/* The band with that byte, the cell with that row; both are there. */
static uint64_t find_band(const hd_seg_array *a, uint64_t byte)
{
    uint64_t low = 0, high = a->bands.n;
    while (high - low > 1) {
        const uint64_t middle = (low + high) / 2;
        *(hd_seg_band_at(a, middle)->byte <= byte ? &low : &high) = middle;
    }
    return low;
}

/* A call asks for the same cell several times, and for one that is a little below. */
static uint64_t find_cell(hd_seg_band *b, uint64_t row)
{
    uint64_t low = 0, high = b->cells.n;
    for (uint64_t i = b->found; i < high && i < b->found + NEAR && hd_seg_cell_at(b, i)->row <= row; i++)
        if (row < hd_seg_cell_at(b, i)->end_row)
            return i;
    while (high - low > 1) {
        const uint64_t middle = (low + high) / 2;
        const int is_right = hd_seg_cell_at(b, middle)->row <= row;
        low = is_right ? middle : low;
        high = is_right ? high : middle;
    }
    b->found = low;
    return low;
}

void hd_seg_walk_band(hd_seg_walk *w)
{
    w->cell = hd_seg_cell_at(w->band, find_cell(w->band, w->rect.row));
    w->end_cell = hd_seg_cell_at(w->band, w->band->cells.n);
}

hd_seg_walk hd_seg_walk_begin(const hd_seg_array *a, const hd_seg_rect *rect)
{
    hd_seg_walk w = {.rect = *rect};
    w.band = hd_seg_band_at(a, find_band(a, rect->byte));
    w.end_band = hd_seg_band_at(a, a->bands.n);
    hd_seg_walk_band(&w);
    return w;
}

/* ---- cutting --------------------------------------------------------------------------------------------------------- */

static int cut_cells(hd_segments *s, hd_seg_band *b, uint64_t row)
{
    const uint64_t i = find_cell(b, row);
    hd_seg_cell rest;
    if (hd_seg_cell_at(b, i)->row == row || hd_seg_cell_at(b, i)->end_row <= row)
        return 0;
    rest = *hd_seg_cell_at(b, i);
    rest.row = row;
    if (room(&b->cells, sizeof rest) || clone_copies(s, &rest, &rest))
        return -1;
    hd_seg_cell_at(b, i)->end_row = row;
    *(hd_seg_cell *)insert(&b->cells, i + 1, sizeof rest) = rest;
    s->n_cells++;
    return 0;
}

static int cut_bands(hd_segments *s, hd_seg_array *a, uint64_t byte)
{
    const uint64_t i = find_band(a, byte);
    hd_seg_band rest;
    if (hd_seg_band_at(a, i)->byte == byte || hd_seg_band_at(a, i)->end_byte <= byte)
        return 0;
    if (room(&a->bands, sizeof rest))
        return -1;
    rest = (hd_seg_band){.byte = byte, .end_byte = hd_seg_band_at(a, i)->end_byte};
    if (clone_cells(s, &rest, hd_seg_band_at(a, i)))
        return -1;
    hd_seg_band_at(a, i)->end_byte = byte;
    *(hd_seg_band *)insert(&a->bands, i + 1, sizeof rest) = rest;
    return 0;
}

heddle_status hd_seg_cells_cut(hd_segments *s, hd_seg_array *a, const hd_seg_rect *rect)
{
    if (cut_bands(s, a, rect->byte) || cut_bands(s, a, rect->end_byte))
        return HEDDLE_ENOMEM;
    for (uint64_t i = find_band(a, rect->byte); i < a->bands.n && hd_seg_band_at(a, i)->byte < rect->end_byte; i++)
        if (cut_cells(s, hd_seg_band_at(a, i), rect->row) || cut_cells(s, hd_seg_band_at(a, i), rect->end_row))
            return HEDDLE_ENOMEM;
    return HEDDLE_OK;
}

/* ---- joining --------------------------------------------------------------------------------------------------------- */

/* Forgets points that are done. */
static void settle_cell(hd_segments *s, hd_seg_cell *c)
{
    for (uint64_t i = 0; i < c->copies.n; i++) {
        hd_seg_copy *copy = hd_seg_copy_at(s, c, i);
        hd_marks_clear(&s->clocks, hd_memory_of(copy), copy->marks);
        if (copy->stale_by < s->first_number) /* what wrote then is not given again */
            copy->stale_by = 0;
        if (!hd_seg_point_is_done(&s->clocks, copy->ready))
            continue;
        copy->ready = (hd_seg_point){0, 0};
        copy->sources = 0;
    }
}

static int is_alike(const hd_segments *s, const hd_seg_cell *c, const hd_seg_cell *other)
{
    if (c->copies.n != other->copies.n)
        return 0;
    for (uint64_t i = 0; i < c->copies.n; i++) {
        const hd_seg_copy *copy = hd_seg_copy_at(s, c, i), *twin = hd_seg_copy_in(s, other, copy->window);
        if (!twin || copy->stale_by != twin->stale_by)
            return 0;
        if (copy->is_valid != twin->is_valid || copy->sources != twin->sources ||
            copy->ready.queue != twin->ready.queue || copy->ready.number != twin->ready.number ||
            memcmp(copy->marks, twin->marks, hd_n_marks(s->n_devices) * sizeof *copy->marks))
            return 0;
    }
    return 1;
}

static void join_cells(hd_segments *s, hd_seg_band *b)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < b->cells.n; i++) {
        hd_seg_cell *c = hd_seg_cell_at(b, i);
        settle_cell(s, c);
        if (n && is_alike(s, hd_seg_cell_at(b, n - 1), c)) {
            hd_seg_cell_at(b, n - 1)->end_row = c->end_row;
            hd_list_clear(&c->copies);
        } else {
            *hd_seg_cell_at(b, n++) = *c;
        }
    }
    s->n_cells -= b->cells.n - n;
    b->cells.n = n;
}

static int are_bands_alike(const hd_segments *s, const hd_seg_band *b, const hd_seg_band *other)
{
    if (b->cells.n != other->cells.n)
        return 0;
    for (uint64_t i = 0; i < b->cells.n; i++)
        if (hd_seg_cell_at(b, i)->row != hd_seg_cell_at(other, i)->row ||
            !is_alike(s, hd_seg_cell_at(b, i), hd_seg_cell_at(other, i)))
            return 0;
    return 1;
}

static void join_bands(hd_segments *s, hd_seg_array *a)
{
    for (uint64_t i = 0; i < a->bands.n; i++) {
        hd_seg_band *b = hd_seg_band_at(a, i);
        join_cells(s, b);
        if (i && are_bands_alike(s, b - 1, b)) {
            b[-1].end_byte = b->end_byte;
            clear_cells(s, b);
            take_out(&a->bands, i--, sizeof *b);
        }
    }
}

void hd_seg_cells_join(hd_segments *s)
{
    for (uint64_t i = 0; i < s->arrays.n; i++)
        join_bands(s, hd_seg_array_of(s, (uint32_t)i));
    s->n_cells_joined = s->n_cells;
}
