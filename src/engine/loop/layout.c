/* SPDX-License-Identifier: MIT */
/* layout.c - which rows a slice has, where they are in an accelerator's buffer, and where pointers of params have to point. */
#include "engine/loop/fleet.h"

#define ALIGN 256u

static uint64_t at_most(uint64_t x, uint64_t most) { return x < most ? x : most; }

hd_rows hd_rows_written(const hd_piece *p, const hd_slice *s)
{
    if (!p->n_each)
        return (hd_rows){0, p->n_rows};
    return (hd_rows){at_most(s->begin * p->n_each, p->n_rows), at_most(s->end * p->n_each, p->n_rows)};
}

hd_rows hd_rows_read(const hd_piece *p, const hd_slice *s)
{
    hd_rows r = hd_rows_written(p, s);
    r.begin -= at_most(p->before, r.begin);
    r.end = p->after > p->array->n_rows - r.end ? p->array->n_rows : r.end + p->after;
    return r;
}

static uint64_t aligned(uint64_t n_bytes) { return (n_bytes + ALIGN - 1u) / ALIGN * ALIGN; }

/* Bytes of a piece in a slot. */
static uint64_t piece_bytes(const hd_piece *p, uint64_t grains)
{
    if (!p->n_each)
        return 0;
    return aligned(at_most(grains * p->n_each + p->before + p->after, p->array->n_rows) * p->array->stride);
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
        fixed += p->n_each ? ALIGN + (p->before + p->after) * p->array->stride : 0;
        each += p->n_each * p->array->stride;
    }
    *least = hd_layout_offset(l, 1, l->pieces.n);
    if (bytes < *least)
        return 0;
    if (!each || bytes <= fixed)
        return each ? 1 : l->n_grains;
    return at_most((bytes - fixed) / each ? (bytes - fixed) / each : 1, l->n_grains);
}

void hd_layout_point(const heddle_loop *l, uint8_t *params, void *const *base)
{
    uint64_t i;
    for (i = 0; i < l->fields.n; i++) {
        const hd_field *f = (const hd_field *)l->fields.at + i;
        memcpy(params + f->offset, &base[f->piece], sizeof(void *));
    }
}
