/* SPDX-License-Identifier: MIT */
/* uses.c - what a block of grains touches of the arrays of a job: one rectangle of each. */
#include "engine/multi/jobs.h"

hd_seg_rect hd_piece_rect(const hd_piece *p, const hd_grains *b)
{
    const hd_area_grains g = {b->begin, b->end, b->begin_2, b->end_2};
    const hd_area a = hd_piece_area(p, &g);
    return (hd_seg_rect){a.row, a.end_row, a.byte, a.end_byte};
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
        out[i].rect = hd_piece_rect(p, b);
        out[i].is_packed = (uint32_t)is_packed(m->loop, i);
        comes_home[i] = (uint8_t)(p->writes && (m->desc.is_safe || is_found(m->loop, p->array)));
    }
}
