/* SPDX-License-Identifier: MIT */
/* core.c - a core runs slices of a loop, in the host's memory. */
#include "engine/loop/fleet.h"

/* Tiles of grains begin .. end - 1: a call for each of them if the body leaves what it finds by tiles, or there are two indices. */
static void call(const heddle_loop *l, const heddle_thread *thread, uint64_t begin, uint64_t end)
{
    const heddle_loop_desc *d = &l->desc;
    const heddle_body_info *body = &l->table->bodies[d->body];
    const uint64_t n_2 = d->n_2 ? d->n_2 : 1, each = l->founds.n || d->n_2 ? 1 : end - begin;
    uint64_t g, j;
    for (g = begin; g < end && !thread->fail->code; g += each)
        for (j = 0; j < n_2; j += d->tile_2) {
            const uint64_t end_2 = n_2 - j < d->tile_2 ? n_2 : j + d->tile_2;
            const heddle_span span = {hd_grain_begin(l, g), hd_grain_begin(l, g + each), j, end_2, g};
            body->run(thread, l->params, &span);
        }
}

static uint32_t run_slice(const heddle_loop *l, const hd_slice *s, uint64_t *index)
{
    _Alignas(128) uint8_t shared[HEDDLE_REDUCE_BYTES + HD_CORE_SHARED];
    heddle_failure failure = {0};
    heddle_thread thread = heddle_thread_alone(&failure, shared);
    thread.task = (uint32_t)hd_grain_begin(l, s->begin);
    call(l, &thread, s->begin, s->end);
    *index = (uint64_t)failure.high << 32 | failure.task;
    return failure.code;
}

void hd_core_run(heddle_loop *l, hd_fleet_unit *u)
{
    hd_share *run = &l->runs[u->index];
    hd_take take;
    hd_slice s;
    uint32_t n_later = 0, code;
    uint64_t began, index;
    while ((take = hd_ask(l, u->index, &s)) != HD_TAKE_OVER) {
        if (take == HD_TAKE_LATER) {
            hd_ask_rest(l, n_later++);
            continue;
        }
        n_later = 0;
        began = heddle_host_clock_ns();
        code = run_slice(l, &s, &index);
        run->end_ns = heddle_host_clock_ns();
        run->host_ns += run->end_ns - began;
        if (code)
            hd_tell_failed(l, u, code, index);
        hd_tell_ended(l, u->index, &s, began);
    }
}
