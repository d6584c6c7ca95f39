/* SPDX-License-Identifier: MIT */
/* ep_bodies.c - the body of ep: pairs of random numbers become Gaussian deviates by Marsaglia's polar method. Pair v of a tile and
 * each 128th after it make partial sum v, whatever the team, so that all devices give the same bytes. A lone thread takes 128 pairs at a
 * time, which vector units compute side by side. */
#include "ep_bodies.h"
#include "exact_math.h"
#include "vectors.h"

#include <math.h>

typedef struct deviates {
    double x, y;   /* 0 if the pair is rejected */
    uint32_t ring; /* EP_RINGS then */
} deviates;

/* Of the pair behind that state. No branches: rejected pairs are computed, too. */
HEDDLE_FN deviates deviates_of(uint64_t state)
{
    const uint64_t first = state * EP_FACTOR & EP_MASK, second = first * EP_FACTOR & EP_MASK;
    const double x = 0x1p-45 * exact_from_u52(first) - 1.0, y = 0x1p-45 * exact_from_u52(second) - 1.0;
    const double t = x * x + y * y, inside = t <= 1.0 ? t : 1.0, is_in = t <= 1.0 ? 1.0 : 0.0;
    const double scale = is_in * sqrt(-2.0 * exact_log(inside) / inside);
    const double dx = x * scale, dy = y * scale, size_x = fabs(dx), size_y = fabs(dy);
    deviates d;
    d.x = dx;
    d.y = dy;
    d.ring = (uint32_t)(int32_t)((size_x > size_y ? size_x : size_y) + (1.0 - is_in) * EP_RINGS);
    return d;
}

/* Partial sums of y, and counts of the tile; rings[EP_RINGS] are rejected pairs. Partial sums of x are where reductions have theirs. */
typedef struct shared_sums {
    double sy[HEDDLE_N_PARTIALS];
    uint32_t rings[EP_RINGS + 1u];
} shared_sums;
HEDDLE_STATIC_ASSERT(sizeof(shared_sums) <= EP_SHARED, "a tile's sums have no room");

/* 128 pairs that a lone thread works on. */
typedef struct row {
    uint64_t state[HEDDLE_N_PARTIALS];
    uint32_t ring[HEDDLE_N_PARTIALS];
} row;

HEDDLE_FN void row_step(row *r, uint32_t n, uint64_t stride, double *sx, double *sy)
{
    for (uint32_t v = 0; v < n; v++) {
        const deviates d = deviates_of(r->state[v]);
        sx[v] += d.x;
        sy[v] += d.y;
        r->ring[v] = d.ring;
        r->state[v] = r->state[v] * stride & EP_MASK;
    }
}

HEDDLE_FN void find_alone(uint64_t begin, uint64_t end, double *sx, shared_sums *sums)
{
    const uint64_t stride = ep_power(EP_FACTOR, 2u * HEDDLE_N_PARTIALS), step = ep_power(EP_FACTOR, 2);
    uint64_t state = ep_state(begin);
    row r;
    for (uint32_t v = 0; v < HEDDLE_N_PARTIALS; v++) {
        r.state[v] = state;
        sx[v] = sums->sy[v] = 0;
        state = state * step & EP_MASK;
    }
    for (uint64_t at = begin; at < end; at += HEDDLE_N_PARTIALS) {
        if (end - at >= HEDDLE_N_PARTIALS)
            row_step(&r, HEDDLE_N_PARTIALS, stride, sx, sums->sy);
        else
            row_step(&r, (uint32_t)(end - at), stride, sx, sums->sy);
        for (uint32_t v = 0; v < HEDDLE_N_PARTIALS && v < end - at; v++)
            sums->rings[r.ring[v]]++;
    }
}

VECTORS_QUICK(find_alone, (uint64_t begin, uint64_t end, double *sx, shared_sums *sums), (begin, end, sx, sums))

HEDDLE_FN void find_partial(uint64_t begin, uint64_t end, int v, double *sx, shared_sums *sums)
{
    const uint64_t stride = ep_power(EP_FACTOR, 2u * HEDDLE_N_PARTIALS);
    uint64_t state = ep_state(begin + (uint64_t)v);
    uint32_t rings[EP_RINGS] = {0};
    double x = 0, y = 0;
    for (uint64_t at = begin + (uint64_t)v; at < end; at += HEDDLE_N_PARTIALS) {
        const deviates d = deviates_of(state);
        x += d.x;
        y += d.y;
        for (uint32_t k = 0; k < EP_RINGS; k++) /* the counts stay in registers */
            rings[k] += k == d.ring;
        state = state * stride & EP_MASK;
    }
    sx[v] = x;
    sums->sy[v] = y;
    for (uint32_t k = 0; k < EP_RINGS; k++)
        (void)HEDDLE_ATOMIC_ADD(&sums->rings[k], rings[k], RELAXED, BLOCK);
}

HEDDLE_FN void find(const heddle_thread *thread, uint64_t begin, uint64_t end, double *sx, shared_sums *sums)
{
#if HEDDLE_ON_HOST
    if (thread->team_size == 1u) {
        find_alone_quick(begin, end, sx, sums);
        return;
    }
#endif
    HEDDLE_EACH_PARTIAL (v)
        find_partial(begin, end, v, sx, sums);
}

HEDDLE_LOOP(ep_deviates, ep_record, params, s)
{
    shared_sums *sums = (shared_sums *)heddle_team_shared(thread);
    double *partial = heddle_team_partial_f64(thread), sx, sy;
    const uint64_t begin = s->begin * EP_EACH, all = s->end * EP_EACH, end = all < params->n ? all : params->n;
    HEDDLE_EACH (k, EP_RINGS + 1u)
        sums->rings[k] = 0;
    heddle_team_barrier(thread);
    find(thread, begin, end, partial, sums);
    sx = heddle_team_reduce_f64(thread, HEDDLE_SUM);
    HEDDLE_EACH_PARTIAL (v)
        partial[v] = sums->sy[v];
    sy = heddle_team_reduce_f64(thread, HEDDLE_SUM);
    HEDDLE_EACH (k, EP_RINGS)
        params->rings[s->tile * EP_RINGS + (uint64_t)k] = sums->rings[k];
    HEDDLE_EACH (k, 1) {
        params->sx[s->tile] = sx;
        params->sy[s->tile] = sy;
    }
}

/* Seven blocks of 128 threads in a multiprocessor; two more registers would make it six. */
HEDDLE_LOOP_REGISTERS(ep_deviates, 72)
HEDDLE_LOOP_TABLE(ep, ep_record, EP_BODIES)
