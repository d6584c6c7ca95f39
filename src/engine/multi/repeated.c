/* SPDX-License-Identifier: MIT */
/* repeated.c - what replays are to the directory (segment.h): ops that it did not give, and that leave pieces as they were. */
#include "engine/multi/directory.h"

void hd_segments_hold(hd_segments *s, int is_held) { hd_clocks_hold(&s->clocks, is_held); }

void hd_segments_skip(hd_segments *s, hd_seg_point p)
{
    if (p.number > s->clocks.given[p.queue])
        s->clocks.given[p.queue] = p.number;
    hd_clocks_done(&s->clocks, p);
}

static void spread_cell(hd_segments *s, hd_seg_cell *c, const uint64_t *depends)
{
    for (uint64_t i = 0; i < c->copies.n; i++) {
        hd_seg_copy *copy = hd_seg_copy_at(s, c, i);
        if (!hd_seg_point_is_done(&s->clocks, copy->ready))
            copy->sources |= depends[copy->window ? copy->window->device : s->n_devices];
    }
}

void hd_segments_spread(hd_segments *s, const uint64_t *depends)
{
    for (uint32_t i = 0; i < s->arrays.n; i++) {
        const hd_seg_array *a = hd_seg_array_of(s, i);
        const hd_seg_rect all = {0, a->n_rows, 0, a->row_bytes};
        hd_seg_walk walk;
        if (!hd_is_array(s, i))
            continue;
        walk = hd_seg_walk_begin(a, &all);
        for (hd_seg_cell *c; (c = hd_seg_walk_next(&walk));)
            spread_cell(s, c, depends);
    }
}
