/* SPDX-License-Identifier: MIT */
/* layout.c - what a slice touches, where that is in an accelerator's memory, and where pointers of params have to point.
 *
 * Patches keep the array's stride everywhere, so that a body needs one stride. Columns of a slice so reach over nearly all of the array's
 * memory. They lie in memory for the whole array, which slices under way share, since they write different bytes. */
#include "engine/loop/fleet.h"

#define ALIGN 256u

/* ---- what a slice touches ------------------------------------------------------------------------------------------------ */

typedef struct side {
    uint64_t begin, end;
} side;

/* Grains begin .. end - 1 have n_each each, from first on, but not beyond `last`; and a halo within 0 .. n_all. */
static side follow(const side *grains, uint64_t first, uint64_t n_each, uint64_t last, const side *halo, uint64_t n_all)
{
    const uint64_t n = (last - first) / n_each;
    side r = {grains->begin > n ? last : first + grains->begin * n_each,
              grains->end > n ? last : first + grains->end * n_each};
    r.begin -= hd_at_most(halo->begin, r.begin);
    r.end += hd_at_most(halo->end, n_all - r.end);
    return r;
}

static side by_first(const hd_piece *p, uint64_t begin, uint64_t end)
{
    const side grains = {begin, end}, halo = {p->before, p->after};
    return follow(&grains, p->first, p->n_each, p->end, &halo, p->n_all);
}

static side by_second(const hd_piece *p, uint64_t begin, uint64_t end)
{
    const side grains = {begin, end}, halo = {p->before_2, p->after_2};
    return follow(&grains, p->first_byte, p->n_each_2, p->end_byte, &halo, p->array->row_bytes);
}

hd_area hd_piece_area(const hd_piece *p, const hd_area_grains *g)
{
    side rows = {0, p->array->n_rows}, bytes = {0, p->array->row_bytes};
    switch (p->kind) {
    case HEDDLE_ACCESS_ROWS: rows = by_first(p, g->begin, g->end); break;
    case HEDDLE_ACCESS_COLUMNS: bytes = by_first(p, g->begin, g->end); break;
    case HEDDLE_ACCESS_BOTH:
    case HEDDLE_ACCESS_RECT:
        rows = p->n_rows ? (side){p->first, p->first + p->n_rows} : by_first(p, g->begin, g->end);
        bytes = p->n_columns ? (side){p->first_byte, p->end_byte} : by_second(p, g->begin_2, g->end_2);
        break;
    case HEDDLE_ACCESS_ALL:
    case HEDDLE_ACCESS_PARTS: break;
    }
    return (hd_area){rows.begin, rows.end, bytes.begin, bytes.end};
}

/* Of pieces that follow an index: one patch. A slice of a loop has all of the second index. */
static hd_patch patch_of(const hd_piece *p, const hd_slice *s)
{
    const hd_area_grains g = {s->begin, s->end, 0, UINT64_MAX};
    const hd_area a = hd_piece_area(p, &g);
    return (hd_patch){a.row * p->array->stride + a.byte, a.end_byte - a.byte, a.end_row - a.row, p->array->stride};
}

static hd_patch after(hd_patches *w) { return w->rest < w->end ? *w->rest++ : (hd_patch){0, 0, 0, 0}; }

hd_patches hd_patches_of(const hd_piece *p, const hd_slice *s, int is_in)
{
    hd_patches w = {{0, 0, 0, 0}, NULL, NULL};
    if (p->kind == HEDDLE_ACCESS_ALL || !(is_in ? p->reads : p->writes))
        return w;
    if (p->kind == HEDDLE_ACCESS_PARTS) {
        const hd_map *m = is_in ? &p->in : &p->out;
        const uint64_t *starts = m->starts.at;
        w.rest = (const hd_patch *)m->patches.at + starts[s->begin];
        w.end = (const hd_patch *)m->patches.at + starts[s->end];
        w.now = after(&w);
        return w;
    }
    w.now = patch_of(p, s);
    return w;
}

/* Grains that lie side by side need one copy, not one each. */
static int joins(hd_patch *to, const hd_patch *next)
{
    if (to->n_rows == 1 && next->n_rows == 1 && next->at >= to->at && next->at - to->at <= to->row_bytes) {
        const uint64_t end = next->at - to->at + next->row_bytes;
        to->row_bytes = end > to->row_bytes ? end : to->row_bytes;
        return 1;
    }
    if (next->row_bytes != to->row_bytes || next->stride != to->stride || next->at < to->at ||
        next->at - to->at != to->n_rows * to->stride)
        return 0;
    to->n_rows += next->n_rows;
    return 1;
}

int hd_patches_next(hd_patches *w, hd_patch *out)
{
    if (!w->now.n_rows)
        return 0;
    *out = w->now;
    while ((w->now = after(w)).n_rows && joins(out, &w->now))
        ;
    return 1;
}

uint64_t hd_layout_travels(const heddle_loop *l)
{
    uint64_t k, sum = 0;
    for (k = 0; k < l->pieces.n; k++) {
        const hd_piece *p = hd_piece_at(l, k);
        if (p->kind == HEDDLE_ACCESS_COLUMNS)
            sum += p->n_each * p->array->n_rows;
        else if (!hd_piece_is_whole(p))
            sum += p->n_each * (p->end_byte - p->first_byte);
        sum += (p->in.n_bytes + p->out.n_bytes) / l->n_grains;
    }
    return sum;
}

/* ---- slots --------------------------------------------------------------------------------------------------------------- */

uint64_t hd_layout_first(const hd_piece *p, const hd_slice *s)
{
    return by_first(p, s->begin, s->end).begin * p->array->stride;
}

static uint64_t aligned(uint64_t n_bytes) { return (n_bytes + ALIGN - 1u) / ALIGN * ALIGN; }

/* Bytes of a piece in a slot. */
static uint64_t piece_bytes(const hd_piece *p, uint64_t grains)
{
    if (hd_piece_is_whole(p))
        return 0;
    return aligned(hd_at_most(grains * p->n_each + p->before + p->after, p->n_all) * p->array->stride);
}

uint64_t hd_layout_offset(const heddle_loop *l, uint64_t most, uint64_t i)
{
    uint64_t k, sum = 0;
    for (k = 0; k < i; k++)
        sum += piece_bytes(hd_piece_at(l, k), most);
    return sum;
}

uint64_t hd_layout_most(const heddle_loop *l, uint64_t bytes, uint64_t *least)
{
    uint64_t k, fixed = 0, each = 0;
    for (k = 0; k < l->pieces.n; k++) {
        const hd_piece *p = hd_piece_at(l, k);
        if (hd_piece_is_whole(p))
            continue;
        fixed += ALIGN + (p->before + p->after) * p->array->stride;
        each += p->n_each * p->array->stride;
    }
    *least = hd_layout_offset(l, 1, l->pieces.n);
    if (bytes < *least)
        return 0;
    if (!each || bytes <= fixed)
        return each ? 1 : l->n_grains;
    return hd_at_most((bytes - fixed) / each ? (bytes - fixed) / each : 1, l->n_grains);
}

void hd_layout_point(const heddle_loop *l, uint8_t *params, void *const *base, const uint64_t *strides)
{
    uint64_t i;
    for (i = 0; i < l->fields.n; i++) {
        const hd_field *f = (const hd_field *)l->fields.at + i;
        const uint64_t stride = strides ? strides[f->piece] : hd_piece_at(l, f->piece)->array->stride;
        memcpy(params + f->offset, &base[f->piece], sizeof(void *));
        if (f->stride)
            memcpy(params + f->stride, &stride, sizeof stride);
    }
}
