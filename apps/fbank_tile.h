/* SPDX-License-Identifier: MIT */
/* fbank_tile.h - a tile's samples of some signals through the bank of filters; for the bodies of fbank and of mix. In the common
 * part of C, C++ and CUDA.
 *
 * In each channel a filter of 32 taps is computed for every eighth sample only, since the others are dropped. Of the zeros that
 * then take their place the second filter needs nothing, so a result takes four products of each channel. Results are whole
 * numbers, and each tile computes what it needs before its first sample again.
 *
 * A chunk of a signal takes two steps with a barrier between: kept samples of all channels into block-shared memory, then
 * results. In the first a thread has all channels of a sample, and loads the signal once for them. In the second, neighbours in a
 * warp share kept samples, and read taps next to each other. */
#ifndef FBANK_TILE_H
#define FBANK_TILE_H

#include "fbank_bodies.h"
#include "quad.h"

/* Some samples of a signal: first .. end - 1; kept samples from number `kept` on, n_kept of them. */
typedef struct fbank_chunk {
    const int16_t *in;
    int64_t *out;
    int64_t first, end, kept;
    int n_kept;
} fbank_chunk;

/* All channels at sample number `at`: what is before the signal counts as zero. */
TILE_FN void fbank_keep(const int32_t *filters, const int16_t *in, int64_t at, int32_t *kept)
{
    const int taps = at < FBANK_TAPS - 1 ? (int)at + 1 : FBANK_TAPS;
    int32_t sum[FBANK_CHANNELS] = {0};
    for (int k = 0; k < taps; k++) {
        const int32_t x = in[at - k];
        QUAD_UNROLL
        for (int c = 0; c < FBANK_CHANNELS; c++)
            sum[c] += filters[c * FBANK_TAPS + k] * x;
    }
    QUAD_UNROLL
    for (int c = 0; c < FBANK_CHANNELS; c++)
        kept[c * FBANK_MOST] = sum[c];
}

/* Result number j. taps: of the second filters. The last kept sample that it needs is number j / FBANK_KEPT. */
TILE_FN int64_t fbank_sum(const int32_t *taps, const int32_t *kept, const fbank_chunk *u, int64_t j)
{
    const int last = (int)(j / FBANK_KEPT - u->kept), phase = (int)(j % FBANK_KEPT);
    const int turns = last + 1 < FBANK_TURNS ? last + 1 : FBANK_TURNS;
    int64_t sum = 0;
    for (int c = 0; c < FBANK_CHANNELS; c++)
        for (int i = 0; i < turns; i++)
            sum += (int64_t)taps[c * FBANK_TAPS + phase + i * FBANK_KEPT] * kept[c * FBANK_MOST + last - i];
    return sum;
}

TILE_FN void fbank_chunk_of(const heddle_thread *thread, const int32_t *filters, const int32_t *taps, int32_t *kept,
                            const fbank_chunk *u)
{
    HEDDLE_EACH (k, u->n_kept)
        fbank_keep(filters, u->in, (u->kept + k) * FBANK_KEPT, kept + k);
    heddle_team_barrier(thread);
    HEDDLE_EACH (j, u->end - u->first)
        u->out[u->first + j] = fbank_sum(taps, kept, u, u->first + j);
    heddle_team_barrier(thread); /* the next chunk's samples take the place */
}

TILE_FN void fbank_tile(const heddle_thread *thread, const fbank_record *params, const tile_rect *t)
{
    int32_t *kept = (int32_t *)(void *)quad_shared(thread), *taps = kept + FBANK_CHANNELS * FBANK_MOST;
    HEDDLE_EACH (i, FBANK_CHANNELS * FBANK_TAPS)
        taps[i] = params->filters[FBANK_CHANNELS * FBANK_TAPS + i];
    for (uint64_t r = t->row; r < t->row + t->rows; r++)
        for (uint32_t at = 0; at < t->cols; at += FBANK_CHUNK) {
            const int64_t first = (int64_t)t->col + at, n = t->cols - at < FBANK_CHUNK ? t->cols - at : FBANK_CHUNK;
            const int64_t needs = first / FBANK_KEPT - (FBANK_TURNS - 1);
            fbank_chunk u;
            u.in = params->in + r * params->samples;
            u.out = params->out + r * params->samples;
            u.first = first;
            u.end = first + n;
            u.kept = needs < 0 ? 0 : needs;
            u.n_kept = (int)((u.end - 1) / FBANK_KEPT + 1 - u.kept);
            fbank_chunk_of(thread, params->filters, taps, kept, &u);
        }
}

#endif
