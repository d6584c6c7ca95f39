/* SPDX-License-Identifier: MIT */
/* map.c - what a function says that each grain touches of an array (HEDDLE_PARTS).
 *
 * It is asked once, when the loop is made. So nothing of it runs in a run, and every conflict between grains is seen, whatever slices
 * there will be. The ranges of all grains are compared as those of tasks are (graph/range.c); a grain that would have to come after
 * another one is refused. A slice has the ranges of its grains.
 *
 * Refused are: a range outside of the array, a mode that the access does not have, more than HEDDLE_ACCESS_MOST_RANGES ranges, grains
 * of which one writes what another one touches. */
#include "engine/loop/fleet.h"
#include "graph/range.h"

#include <inttypes.h>

typedef struct asking {
    const heddle_loop *loop;
    hd_piece *piece;
    uint64_t grain, begin, end; /* that is asked about: its indices are begin .. end - 1 */
    hd_list ranges;             /* heddle_range: the answer */
    hd_list areas, before;      /* uint32_t, for the tracker */
    hd_ranges *tracker;         /* NULL: nothing is written */
} asking;

static heddle_status no_memory(void) { return HD_SAY_NEW(HEDDLE_ENOMEM, "out of memory for what a function names"); }

/* ---- the answer ----------------------------------------------------------------------------------------------------------- */

static heddle_status ask(asking *q)
{
    const hd_piece *p = q->piece;
    uint64_t n = p->fn(p->user, q->begin, q->end, q->ranges.at, q->ranges.cap);
    if (n > HEDDLE_ACCESS_MOST_RANGES)
        return HD_SAY_NEW(HEDDLE_ERANGE,
                          "access %u: its function names %" PRIu64 " ranges for indices %" PRIu64 " to %" PRIu64
                          "; %u are the most",
                          p->access, n, q->begin, q->end - 1u, HEDDLE_ACCESS_MOST_RANGES);
    if (n > q->ranges.cap) {
        if (hd_list_room(&q->ranges, n, sizeof(heddle_range)))
            return no_memory();
        if (p->fn(p->user, q->begin, q->end, q->ranges.at, q->ranges.cap) != n)
            return HD_SAY_NEW(HEDDLE_EINVAL,
                              "access %u: asked twice about indices %" PRIu64 " to %" PRIu64
                              ", its function names different numbers of ranges",
                              p->access, q->begin, q->end - 1u);
    }
    q->ranges.n = n;
    return HEDDLE_OK;
}

/* Its first byte is `at` of the array. */
static int is_within(const heddle_array *a, const heddle_range *r, uint64_t at)
{
    const uint64_t has = (a->n_rows - 1u) * a->stride + a->row_bytes, more = r->n_rows > 1 ? r->n_rows - 1u : 0;
    if (at > has || r->row_bytes > has - at)
        return 0;
    return !more || r->stride_bytes <= (has - at - r->row_bytes) / more;
}

static heddle_status check_range(const asking *q, const heddle_range *r, uint64_t at)
{
    const hd_piece *p = q->piece;
    hd_error e;
    const heddle_status s = hd_range_check(r, &e);
    if (s != HEDDLE_OK)
        return HD_SAY_NEW(s, "access %u, indices %" PRIu64 " to %" PRIu64 ": %s", p->access, q->begin, q->end - 1u,
                          e.text);
    if (((r->mode & HEDDLE_MODE_IN) && !p->reads) || ((r->mode & HEDDLE_MODE_OUT) && !p->writes))
        return HD_SAY_NEW(HEDDLE_EINVAL,
                          "access %u, indices %" PRIu64 " to %" PRIu64 ": the mode of a range is not in the access's",
                          p->access, q->begin, q->end - 1u);
    if (!is_within(p->array, r, at))
        return HD_SAY_NEW(HEDDLE_EINVAL,
                          "access %u, indices %" PRIu64 " to %" PRIu64 ": a range is not within the array's home",
                          p->access, q->begin, q->end - 1u);
    return HEDDLE_OK;
}

/* ---- patches -------------------------------------------------------------------------------------------------------------- */

static heddle_status add_patch(hd_map *m, const hd_patch *patch)
{
    if (hd_list_room(&m->patches, 1, sizeof *patch))
        return no_memory();
    ((hd_patch *)m->patches.at)[m->patches.n++] = *patch;
    m->n_bytes += patch->n_rows * patch->row_bytes;
    return HEDDLE_OK;
}

static heddle_status add_ranges(asking *q)
{
    hd_piece *p = q->piece;
    uint64_t i;
    for (i = 0; i < q->ranges.n; i++) {
        const heddle_range *r = (const heddle_range *)q->ranges.at + i;
        const uint64_t at = (uint64_t)((uintptr_t)r->base - (uintptr_t)p->array->host);
        const int is_2d = r->n_rows > 1;
        const hd_patch patch = {at, r->row_bytes, is_2d ? r->n_rows : 1, is_2d ? r->stride_bytes : p->array->stride};
        HD_TRY(check_range(q, r, at));
        if (r->mode & HEDDLE_MODE_IN)
            HD_TRY(add_patch(&p->in, &patch));
        if (r->mode & HEDDLE_MODE_OUT)
            HD_TRY(add_patch(&p->out, &patch));
    }
    return HEDDLE_OK;
}

/* The grain's patches end here. */
static heddle_status end_grain(hd_map *m)
{
    if (hd_list_room(&m->starts, 1, sizeof(uint64_t)))
        return no_memory();
    ((uint64_t *)m->starts.at)[m->starts.n++] = m->patches.n;
    return HEDDLE_OK;
}

/* ---- conflicts ------------------------------------------------------------------------------------------------------------ */

/* Any of them is enough for a refusal. */
static uint32_t first_of(void *self, const uint32_t *before, uint64_t n)
{
    (void)self;
    (void)n;
    return before[0];
}

static heddle_status check_conflicts(asking *q)
{
    static const hd_joiner joiner = {NULL, first_of};
    const uint64_t n = q->ranges.n;
    q->before.n = q->areas.n = 0;
    if (!q->tracker || !n)
        return HEDDLE_OK;
    if (hd_list_room(&q->areas, n, sizeof(uint32_t)) ||
        hd_ranges_gather(q->tracker, q->ranges.at, n, q->areas.at, &q->before, &joiner) ||
        hd_ranges_note(q->tracker, q->ranges.at, n, q->areas.at, (uint32_t)q->grain))
        return no_memory();
    if (!q->before.n)
        return HEDDLE_OK;
    return HD_SAY_NEW(HEDDLE_EINVAL,
                      "access %u: of the tiles that begin with index %" PRIu64 " and index %" PRIu64
                      ", one writes what the other one touches",
                      q->piece->access, *(const uint32_t *)q->before.at * q->loop->desc.tile, q->begin);
}

/* ---- all grains ----------------------------------------------------------------------------------------------------------- */

static heddle_status ask_all(asking *q)
{
    hd_piece *p = q->piece;
    if (q->loop->n_grains >= UINT32_MAX / 2u)
        return HD_SAY_NEW(HEDDLE_ERANGE, "access %u: %" PRIu64 " tiles are too many to ask a function about", p->access,
                          q->loop->n_grains);
    if (p->writes && !(q->tracker = hd_ranges_new()))
        return no_memory();
    HD_TRY(end_grain(&p->in));
    HD_TRY(end_grain(&p->out));
    for (q->grain = 0; q->grain < q->loop->n_grains; q->grain++) {
        q->begin = hd_grain_begin(q->loop, q->grain);
        q->end = hd_grain_begin(q->loop, q->grain + 1u);
        HD_TRY(ask(q));
        HD_TRY(add_ranges(q));
        HD_TRY(check_conflicts(q));
        HD_TRY(end_grain(&p->in));
        HD_TRY(end_grain(&p->out));
    }
    return HEDDLE_OK;
}

heddle_status hd_map_make(const heddle_loop *l, hd_piece *p)
{
    asking q;
    heddle_status s;
    memset(&q, 0, sizeof q);
    q.loop = l;
    q.piece = p;
    s = ask_all(&q);
    hd_list_clear(&q.ranges);
    hd_list_clear(&q.areas);
    hd_list_clear(&q.before);
    hd_ranges_free(q.tracker);
    return s;
}

void hd_map_clear(hd_piece *p)
{
    hd_list_clear(&p->in.patches);
    hd_list_clear(&p->in.starts);
    hd_list_clear(&p->out.patches);
    hd_list_clear(&p->out.starts);
}
