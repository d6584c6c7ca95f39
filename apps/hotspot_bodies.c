/* SPDX-License-Identifier: MIT */
/* hotspot_bodies.c - the body of hotspot: each cell gains or loses by its power, its four neighbours and the surroundings. A cell beyond
 * the chip's edge is as warm as the one inside. All versions compute a cell by the same expression.
 *
 * Tuned version: a thread takes four neighbouring columns and walks down the rows of its tile. It keeps the row above and its own, and
 * issues the loads of several rows before it uses any: the memory, not the arithmetic, is what a step waits for. Rows must be a multiple of
 * 16 bytes apart; columns that fill no quad are taken one by one. */
#include "hotspot_bodies.h"
#include "quad.h"
#include "vectors.h"

#define ROWS 4 /* loaded at a time */

TILE_FN float cell(const hotspot_record *r, float now, float above, float below, float left, float right, float power)
{
    const float twice = now + now;
    return now + r->warms * (power + (above + below - twice) * r->flow_y + (left + right - twice) * r->flow_x +
                             (r->ambient - now) * r->flow_z);
}

TILE_FN const float *row_of(const float *cells, uint64_t stride, uint64_t row)
{
    return (const float *)(const void *)((const char *)cells + row * stride);
}
TILE_FN const float *from_of(const hotspot_record *r, uint64_t row) { return row_of(r->from, r->from_stride, row); }
TILE_FN const float *power_of(const hotspot_record *r, uint64_t row) { return row_of(r->power, r->power_stride, row); }
TILE_FN float *to_of(const hotspot_record *r, uint64_t row)
{
    return (float *)(void *)((char *)r->to + row * r->to_stride);
}
TILE_FN const float *above_of(const hotspot_record *r, uint64_t row) { return from_of(r, row ? row - 1u : 0u); }
TILE_FN const float *below_of(const hotspot_record *r, uint64_t row)
{
    return from_of(r, row + 1u < r->rows ? row + 1u : row);
}

/* ---- cell by cell ---- */

TILE_FN void step_cell(const hotspot_record *r, uint64_t i, uint64_t j)
{
    const float *now = from_of(r, i);
    to_of(r, i)[j] = cell(r, now[j], above_of(r, i)[j], below_of(r, i)[j], now[j ? j - 1u : 0u],
                          now[j + 1u < r->cols ? j + 1u : j], power_of(r, i)[j]);
}

/* Columns begin .. end - 1 of a row. */
HEDDLE_FN void step_row(const hotspot_record *record, uint64_t i, uint64_t begin, uint64_t end)
{
    const hotspot_record r = *record;
    const uint64_t first = begin ? begin : 1u, last = end < r.cols ? end : r.cols - 1u;
    const float *now = from_of(&r, i), *above = above_of(&r, i), *below = below_of(&r, i), *power = power_of(&r, i);
    float *to = to_of(&r, i);
    for (uint64_t j = first; j < last; j++)
        to[j] = cell(&r, now[j], above[j], below[j], now[j - 1u], now[j + 1u], power[j]);
    if (begin < first)
        step_cell(&r, i, 0);
    if (last < end && last >= begin)
        step_cell(&r, i, last);
}
VECTORS_QUICK(step_row, (const hotspot_record *record, uint64_t i, uint64_t begin, uint64_t end),
              (record, i, begin, end))

/* ---- quads ---- */

/* A thread's quad of columns, on its way down. */
typedef struct walk {
    const char *from, *power; /* of the next row */
    char *to;
    int left, right; /* where its neighbours are: beside it, or at the chip's edge in it */
    quad above, now;
} walk;

TILE_FN const float *walk_at(const char *p, uint64_t stride, int rows)
{
    return (const float *)(const void *)(p + (uint64_t)rows * stride);
}

/* The next n rows of at most ROWS; is_last: the last of them is the chip's last. n and is_last are constants where it counts. */
TILE_FN void walk_down(const hotspot_record *r, walk *w, int n, int is_last)
{
    quad below[ROWS] = {{{0}}}, power[ROWS] = {{{0}}};
    float left[ROWS] = {0}, right[ROWS] = {0};
    QUAD_UNROLL
    for (int i = 0; i < ROWS; i++)
        if (i < n) {
            const float *now = walk_at(w->from, r->from_stride, i);
            below[i] = quad_load(walk_at(w->from, r->from_stride, is_last && i == n - 1 ? i : i + 1));
            power[i] = quad_load(walk_at(w->power, r->power_stride, i));
            left[i] = now[w->left];
            right[i] = now[w->right];
        }
    QUAD_UNROLL
    for (int i = 0; i < ROWS; i++)
        if (i < n) {
            const float *v = w->now.v;
            quad q;
            QUAD_UNROLL
            for (int c = 0; c < 4; c++)
                q.v[c] = cell(r, v[c], w->above.v[c], below[i].v[c], c > 0 ? v[c - (c > 0)] : left[i],
                              c < 3 ? v[c + (c < 3)] : right[i], power[i].v[c]);
            quad_store((float *)(void *)(w->to + (uint64_t)i * r->to_stride), q);
            w->above = w->now;
            w->now = below[i];
        }
    w->from += ROWS * r->from_stride;
    w->power += ROWS * r->power_stride;
    w->to += ROWS * r->to_stride;
}

TILE_FN void step_quad(const hotspot_record *r, const heddle_span *s, uint64_t j)
{
    uint64_t i = s->begin;
    walk w;
    w.from = (const char *)(from_of(r, i) + j);
    w.power = (const char *)(power_of(r, i) + j);
    w.to = (char *)(to_of(r, i) + j);
    w.left = j ? -1 : 0;
    w.right = j + 4u < r->cols ? 4 : 3;
    w.above = quad_load(above_of(r, i) + j);
    w.now = quad_load(from_of(r, i) + j);
    for (; i + ROWS <= s->end && i + ROWS < r->rows; i += ROWS)
        walk_down(r, &w, ROWS, 0);
    for (; i < s->end; i += ROWS) /* at most twice: the chip's last rows, or fewer than ROWS */
        walk_down(r, &w, s->end - i < ROWS ? (int)(s->end - i) : ROWS, s->end - i <= ROWS && s->end == r->rows);
}

TILE_FN int are_quads(const hotspot_record *r, const heddle_span *s)
{
    const uint64_t all = (uint64_t)(uintptr_t)(from_of(r, s->begin) + s->begin_2) |
                         (uint64_t)(uintptr_t)(power_of(r, s->begin) + s->begin_2) |
                         (uint64_t)(uintptr_t)(to_of(r, s->begin) + s->begin_2) | r->from_stride | r->power_stride |
                         r->to_stride;
    return r->tuned && all % 16u == 0;
}

TILE_FN void step_quads(const heddle_thread *thread, const hotspot_record *r, const heddle_span *s)
{
    const uint64_t end = s->end_2 - (s->end_2 - s->begin_2) % 4u;
    for (uint64_t j = s->begin_2 + 4u * thread->index; j < end; j += 4u * thread->team_size)
        step_quad(r, s, j);
    for (uint64_t i = s->begin + thread->index; end < s->end_2 && i < s->end; i += thread->team_size)
        for (uint64_t j = end; j < s->end_2; j++)
            step_cell(r, i, j);
}

HEDDLE_LOOP(hotspot_step, hotspot_record, params, s)
{
#if HEDDLE_ON_HOST
    if (thread->team_size == 1u) {
        for (uint64_t i = s->begin; i < s->end; i++)
            step_row_quick(params, i, s->begin_2, s->end_2);
        return;
    }
#endif
    if (are_quads(params, s)) {
        step_quads(thread, params, s);
        return;
    }
    HEDDLE_SPAN_2D (i, j, s)
        step_cell(params, i, j);
}

/* Three blocks in a multiprocessor. */
HEDDLE_LOOP_REGISTERS(hotspot_step, 80)
HEDDLE_LOOP_TABLE(hotspot, hotspot_record, HOTSPOT_BODIES)
