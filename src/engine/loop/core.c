/* SPDX-License-Identifier: MIT */
/* core.c - a core runs slices of a loop, in the host's memory. */
#include "engine/loop/fleet.h"

#define PIECES 8u /* of a slice, between which a core looks at the time */

/* A call for each tile if the body leaves what it finds by tiles, or there are two indices; else one for each of some pieces. Returns how
 * many grains were run: all, or less if the slice is overdue or the body has failed. */
static uint64_t call(const heddle_loop *l, heddle_thread *thread, hd_span_launch *tiles, uint64_t due_ns)
{
    const heddle_body_info *body = &l->table->bodies[l->desc.body];
    const uint64_t step = l->founds.n || l->desc.n_2 ? 1 : tiles->n_tiles / PIECES + 1u;
    uint64_t t;
    for (t = 0; t < tiles->n_tiles && !thread->fail->code; t += step) {
        heddle_span s = hd_span_tile(tiles, t);
        if (t && t % tiles->n_columns == 0 && due_ns && heddle_host_clock_ns() > due_ns)
            break;
        if (step > 1)
            s.end = t + step < tiles->n_tiles ? hd_span_tile(tiles, t + step).begin : tiles->end;
        thread->task = (uint32_t)s.begin;
        body->run(thread, l->params, &s);
    }
    return (t < tiles->n_tiles ? t : tiles->n_tiles) / tiles->n_columns;
}

/* Returns the code of a body that has failed, or 0. *at: up to where the slice was run. */
static uint32_t run_slice(const heddle_loop *l, const hd_slice *s, uint64_t *at, uint64_t *index)
{
    _Alignas(128) uint8_t shared[HEDDLE_REDUCE_BYTES + HD_CORE_SHARED];
    const heddle_loop_desc *d = &l->desc;
    const uint64_t begin = hd_grain_begin(l, s->begin);
    heddle_failure failure = hd_span_unfailed();
    heddle_thread thread = heddle_thread_alone(&failure, shared);
    hd_span_launch tiles;
    hd_span_cut(&tiles, begin, hd_grain_begin(l, s->end), d->n_2 ? d->n_2 : 1, d->tile, d->tile_2);
    *at = s->begin + call(l, &thread, &tiles, s->due_ns);
    *index = hd_span_failed_at(&failure, begin);
    return failure.code;
}

void hd_core_run(heddle_loop *l, hd_fleet_unit *u)
{
    hd_share *run = &l->runs[u->index];
    hd_take take;
    hd_slice s;
    uint32_t n_later = 0, code;
    uint64_t began, ended, index, at;
    while ((take = hd_ask(l, u->index, &s)) != HD_TAKE_OVER) {
        if (take == HD_TAKE_LATER) {
            hd_ask_rest(l, n_later++);
            continue;
        }
        n_later = 0;
        began = heddle_host_clock_ns();
        code = run_slice(l, &s, &at, &index);
        ended = heddle_host_clock_ns();
        run->host_ns += ended - began;
        hd_chart_note(l, u->index, HD_CHART_BODIES, &(hd_slice){s.begin, at, s.number, 0}, began, ended);
        if (code)
            hd_tell_failed(l, u, code, index);
        hd_tell_stopped(l, u->index, &s, code ? s.end : at, began);
    }
}
