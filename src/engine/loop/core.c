/* SPDX-License-Identifier: MIT */
/* core.c - a core runs slices of a loop, in the host's memory. Now and then it looks whether the slice is due, also in the middle of a grain: what
 * it did of that is forgotten then, and somebody else runs all of the grain. */
#include "engine/loop/fleet.h"

#define LOOK_NS 50000u  /* between looks at whether a slice is due */
#define SHORT_NS 20000u /* the piece behind one that took less is twice as long */
#define LEAST_PIECE 16u /* indices */

/* A slice on its way. */
typedef struct going {
    heddle_loop *loop;
    const hd_slice *slice;
    heddle_thread *thread;
    uint32_t unit;
    int is_once; /* the loop reads what it writes: a grain that was begun cannot be begun again */
    hd_due due;
    uint64_t now_ns, look_ns;
} going;

/* In front of an index; is it the first one of a grain? */
static int must_stop(going *g, int is_between)
{
    if (!g->slice->due_ns)
        return 0;
    g->now_ns = heddle_host_clock_ns();
    if (g->now_ns >= g->look_ns) {
        g->due = hd_ask_due(g->loop, g->unit, g->slice);
        g->look_ns = g->now_ns + LOOK_NS;
    }
    return is_between ? g->due != HD_DUE_NOT : g->due == HD_DUE_NOW && !g->is_once;
}

static void call(const going *g, const heddle_span *s)
{
    g->thread->task = (uint32_t)s->begin;
    g->loop->table->bodies[g->loop->desc.body].run(g->thread, g->loop->params, s);
}

/* A call for each tile. Returns how many grains were run: all, or less if the slice was due or the body has failed. */
static uint64_t call_tiles(going *g, const hd_span_launch *tiles)
{
    uint64_t t;
    for (t = 0; t < tiles->n_tiles && !g->thread->fail->code; t++) {
        const heddle_span s = hd_span_tile(tiles, t);
        if (t && must_stop(g, t % tiles->n_columns == 0))
            break;
        call(g, &s);
    }
    return t / tiles->n_columns;
}

/* The same for one index of which nothing is found by tiles: calls for few indices at first, then for more, if these take no time. */
static uint64_t call_pieces(going *g, const hd_span_launch *tiles)
{
    const uint64_t begin = tiles->first_tile * tiles->tile;
    uint64_t at = begin, step = g->slice->due_ns ? LEAST_PIECE : tiles->end - begin;
    while (at < tiles->end && !g->thread->fail->code) {
        heddle_span s = hd_span_tile(tiles, (at - begin) / tiles->tile);
        const uint64_t end = step < tiles->tile ? at + step : (at + step) / tiles->tile * tiles->tile,
                       before = g->now_ns;
        if (at > begin && must_stop(g, at % tiles->tile == 0))
            break;
        step *= g->now_ns - before < SHORT_NS ? 2u : 1u;
        s.begin = at;
        s.end = at = end < tiles->end ? end : tiles->end;
        call(g, &s);
    }
    return at < tiles->end ? (at - begin) / tiles->tile : tiles->n_tiles;
}

/* Returns the code of a body that has failed, or 0. *at: up to where the slice was run. */
static uint32_t run_slice(heddle_loop *l, uint32_t unit, const hd_slice *s, uint64_t began_ns, uint64_t *at,
                          uint64_t *index)
{
    _Alignas(128) uint8_t shared[HEDDLE_REDUCE_BYTES + HD_CORE_SHARED];
    const heddle_loop_desc *d = &l->desc;
    const uint64_t begin = hd_grain_begin(l, s->begin);
    heddle_failure failure = hd_span_unfailed();
    heddle_thread thread = heddle_thread_alone(&failure, shared);
    going g = {l, s, &thread, unit, hd_loop_reads_results(l), HD_DUE_NOT, began_ns, began_ns + LOOK_NS};
    hd_span_launch tiles;
    hd_span_cut(&tiles, begin, hd_grain_begin(l, s->end), 0, d->n_2 ? d->n_2 : 1, d->tile, d->tile_2);
    *at = s->begin + (l->founds.n || d->n_2 ? call_tiles(&g, &tiles) : call_pieces(&g, &tiles));
    *index = hd_span_failed_at(&failure, begin);
    return failure.code;
}

int hd_core_run(heddle_loop *l, hd_fleet_unit *u)
{
    hd_share *run = &l->runs[u->index];
    hd_take take;
    hd_slice s;
    uint32_t n_later = 0, code;
    uint64_t began, ended, index, at;
    while ((take = hd_ask(l, u->index, &s)) != HD_TAKE_OVER) {
        if (take == HD_TAKE_LATER) {
            if (hd_ask_pause(l, n_later++))
                return 1;
            continue;
        }
        n_later = 0;
        began = heddle_host_clock_ns();
        code = run_slice(l, u->index, &s, began, &at, &index);
        ended = heddle_host_clock_ns();
        run->host_ns += ended - began;
        if (at > s.begin)
            hd_chart_note(l->chart, u->index,
                          &(hd_chart_part){HEDDLE_PHASE_BODIES, 0, hd_grain_begin(l, s.begin), hd_grain_begin(l, at), 0,
                                           began, ended});
        if (code)
            hd_tell_failed(l, u, code, index);
        hd_tell_stopped(l, u->index, &s, code ? s.end : at, began);
    }
    return 0;
}
