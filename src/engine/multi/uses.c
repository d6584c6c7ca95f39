/* SPDX-License-Identifier: MIT */
/* uses.c - what a block of grains touches of the arrays of a job: one rectangle of each. */
#include "engine/multi/jobs.h"

/* The side that follows an index: n_each for each grain from first on, up to end, with a halo inside of 0 .. n_all. */
typedef struct follows {
    uint64_t first, n_each, end, before, after, n_all;
} follows;
typedef struct side {
    uint64_t begin, end;
} side;

static side side_of(const follows *f, uint64_t begin, uint64_t end)
{
    side s = {hd_at_most(f->first + begin * f->n_each, f->end), hd_at_most(f->first + end * f->n_each, f->end)};
    s.begin -= hd_at_most(f->before, s.begin);
    s.end += hd_at_most(f->after, f->n_all - s.end);
    return s;
}

/* Rows, or of COLUMNS the bytes. */
static side by_first(const hd_piece *p, const hd_grains *b)
{
    const follows f = {p->first, p->n_each, p->end, p->before, p->after, p->n_all};
    return side_of(&f, b->begin, b->end);
}

static side by_second(const hd_piece *p, const hd_grains *b)
{
    const follows f = {p->first_byte, p->n_each_2, p->end_byte, p->before_2, p->after_2, p->array->row_bytes};
    return side_of(&f, b->begin_2, b->end_2);
}

hd_seg_rect hd_piece_rect(const heddle_multi *m, const hd_piece *p, const hd_grains *b)
{
    const side all_rows = {0, p->array->n_rows}, all_bytes = {0, p->array->row_bytes};
    side rows = all_rows, bytes = all_bytes;
    (void)m;
    switch (p->kind) {
    case HEDDLE_ACCESS_ROWS: rows = by_first(p, b); break;
    case HEDDLE_ACCESS_COLUMNS: bytes = by_first(p, b); break;
    case HEDDLE_ACCESS_BOTH:
        rows = by_first(p, b);
        bytes = by_second(p, b);
        break;
    case HEDDLE_ACCESS_RECT:
        rows = p->n_rows ? (side){p->first, p->first + p->n_rows} : by_first(p, b);
        bytes = p->n_columns ? (side){p->first_byte, p->end_byte} : by_second(p, b);
        break;
    case HEDDLE_ACCESS_ALL:
    case HEDDLE_ACCESS_PARTS: break;
    }
    return (hd_seg_rect){rows.begin, rows.end, bytes.begin, bytes.end};
}

/* Bodies that are told the stride of a piece do not care how far its rows are from one another. */
static int is_packed(const heddle_loop *l, uint64_t piece)
{
    uint64_t i;
    for (i = 0; i < l->fields.n; i++)
        if (((const hd_field *)l->fields.at)[i].piece == piece && !((const hd_field *)l->fields.at)[i].stride)
            return 0;
    return 1;
}

static int is_found(const heddle_loop *l, const heddle_array *a)
{
    uint64_t i;
    for (i = 0; i < l->founds.n; i++)
        if (((const hd_found *)l->founds.at)[i].partials == a)
            return 1;
    return 0;
}

void hd_multi_uses(const void *multi, const hd_grains *b, hd_seg_use *out, uint8_t *comes_home)
{
    const heddle_multi *m = multi;
    uint64_t i;
    for (i = 0; i < m->loop->pieces.n; i++) {
        const hd_piece *p = hd_piece_at(m->loop, i);
        memset(&out[i], 0, sizeof out[i]);
        out[i].array = p->array->segment;
        out[i].mode = (heddle_mode)((p->reads ? HEDDLE_MODE_IN : 0) | (p->writes ? HEDDLE_MODE_OUT : 0));
        out[i].rect = hd_piece_rect(m, p, b);
        out[i].is_packed = (uint32_t)is_packed(m->loop, i);
        comes_home[i] = (uint8_t)(p->writes && (m->desc.is_safe || is_found(m->loop, p->array)));
    }
}
