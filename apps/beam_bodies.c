/* SPDX-License-Identifier: MIT */
/* beam_bodies.c - the power of a beam: the channels' weighted sum, through a filter, squared. A tile computes the sums that the
 * filter needs before its first sample again. Sums go over channels and over taps in ascending order for any number of threads.
 *
 * A chunk of a beam takes two steps with a barrier between: sums into block-shared memory, a sample each, so that a warp loads
 * consecutive samples; then the filter. There a thread has four results, as far apart as there are threads: it
 * loads a tap once for them, and a warp reads consecutive sums. */
#include "beam_bodies.h"
#include "quad.h"

TILE_FN beam_number add_product(beam_number sum, beam_number a, beam_number b)
{
    sum.re += a.re * b.re - a.im * b.im;
    sum.im += a.re * b.im + a.im * b.re;
    return sum;
}

/* At sample `at`; zero before the signals. */
TILE_FN beam_number steered(const beam_record *params, const beam_number *weights, int64_t at)
{
    beam_number sum = {0.0f, 0.0f};
    if (at >= 0)
        for (uint32_t c = 0; c < params->channels; c++)
            sum = add_product(sum, weights[c], params->in[c * params->samples + (uint64_t)at]);
    return sum;
}

/* Results j, j + step, ... of the n of a chunk. sums: the one of result 0 is the last that it needs. */
TILE_FN void filtered(const beam_number *filter, int taps, const beam_number *sums, float *power, int j, int step,
                      int n)
{
    beam_number z[BEAM_AT_ONCE] = {{0.0f, 0.0f}};
    for (int k = 0; k < taps; k++) {
        const beam_number tap = filter[k];
        QUAD_UNROLL
        for (int q = 0; q < BEAM_AT_ONCE; q++)
            z[q] = add_product(z[q], tap, sums[(j + q * step < n ? j + q * step : j) - k]);
    }
    QUAD_UNROLL
    for (int q = 0; q < BEAM_AT_ONCE; q++)
        if (j + q * step < n)
            power[j + q * step] = z[q].re * z[q].re + z[q].im * z[q].im;
}

/* n samples of a beam from number `first` on. */
TILE_FN void chunk(const heddle_thread *thread, const beam_record *params, beam_number *filter, uint64_t beam,
                   uint64_t first, int n)
{
    const int taps = (int)params->taps, step = (int)thread->team_size;
    const beam_number *weights = params->weights + beam * params->channels;
    beam_number *sums = filter + BEAM_MOST_TAPS;
    HEDDLE_EACH (k, n + taps - 1)
        sums[k] = steered(params, weights, (int64_t)first + k - (taps - 1));
    heddle_team_barrier(thread);
    for (int j = (int)thread->index; j < n; j += step * BEAM_AT_ONCE)
        filtered(filter, taps, sums + taps - 1, params->power + beam * params->samples + first, j, step, n);
    heddle_team_barrier(thread); /* the next chunk's sums take the place */
}

TILE_FN void beam_of(const heddle_thread *thread, const beam_record *params, const tile_rect *t)
{
    beam_number *filter = (beam_number *)(void *)quad_shared(thread);
    HEDDLE_EACH (k, params->taps)
        filter[k] = params->filter[k];
    for (uint64_t b = t->row; b < t->row + t->rows; b++)
        for (int at = 0; at < (int)t->cols; at += BEAM_CHUNK) {
            const int left = (int)t->cols - at;
            chunk(thread, params, filter, b, t->col + (uint64_t)at, left < BEAM_CHUNK ? left : BEAM_CHUNK);
        }
}

HEDDLE_BODY(beam_samples, beam_record, params, tile_rect, t) { beam_of(thread, params, t); }
TILE_APART(beam_apart_samples, beam_record, beam_record, beam_of)

HEDDLE_POOL_TABLE(beam, beam_record, BEAM_BODIES)
HEDDLE_POOL_TABLE(beam_apart, beam_record, BEAM_APART_BODIES)
