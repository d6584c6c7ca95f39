/* SPDX-License-Identifier: MIT */
/* fbank_tile.h - a tile's samples of some signals through the bank of filters; for the bodies of fbank and of mix. In the common
 * part of C, C++ and CUDA.
 *
 * In each channel a filter of 32 taps is computed for every eighth sample only, since the others are dropped. Of the zeros that
 * then take their place the second filter needs nothing, so a result takes four products of each channel. Results are whole
 * numbers, and each tile computes what it needs before its first sample again.
 *
 * A chunk of a signal takes two steps with a barrier between: kept samples of all channels into block-shared memory, then
 * results. In the first a thread has all channels of a sample, and loads the signal once for them. In the second it has four
 * results, eight samples apart: these share their taps, and most kept samples. Neighbours in a warp have neighbouring
 * results. */
#ifndef FBANK_TILE_H
#define FBANK_TILE_H

#include "fbank_bodies.h"
#include "quad.h"

TILE_FOUR(fbank_four, fbank_load, int32_t, int4)

/* Samples first .. end - 1 of a signal. Kept samples stand from number `kept` on, which may be negative: n_kept of them, with zeros
 * outside the signal and after the chunk. */
typedef struct fbank_chunk {
    const int16_t *in;
    int64_t *out;
    int64_t first, end, kept;
    int n_kept;
} fbank_chunk;

/* All channels at sample number `at`; what is before the signal counts as zero. filters: [tap][channel]. */
TILE_FN void fbank_keep(const int32_t *filters, const int16_t *in, int64_t at, int64_t end, int32_t *kept)
{
    const int taps = at >= end ? 0 : at < FBANK_TAPS - 1 ? (int)at + 1 : FBANK_TAPS;
    int32_t sum[FBANK_CHANNELS] = {0};
    for (int k = 0; k < taps; k++) {
        const fbank_four low = fbank_load(filters + k * FBANK_CHANNELS),
                         high = fbank_load(filters + k * FBANK_CHANNELS + 4);
        const int32_t x = in[at - k];
        QUAD_UNROLL
        for (int c = 0; c < 4; c++) {
            sum[c] += low.v[c] * x;
            sum[4 + c] += high.v[c] * x;
        }
    }
    QUAD_UNROLL
    for (int c = 0; c < FBANK_CHANNELS; c++)
        kept[c * FBANK_MOST] = sum[c];
}

/* Results at samples `at`, at + FBANK_KEPT, ... kept: the first that the first one needs. taps: [channel][tap], from the first of
 * these results' phase on. */
TILE_FN void fbank_results(const int32_t *taps, const int32_t *kept, const fbank_chunk *u, int64_t at)
{
    int64_t sum[FBANK_AT_ONCE] = {0};
    for (int c = 0; c < FBANK_CHANNELS; c++, kept += FBANK_MOST, taps += FBANK_TAPS) {
        int32_t x[FBANK_AT_ONCE + FBANK_TURNS - 1];
        QUAD_UNROLL
        for (int i = 0; i < FBANK_AT_ONCE + FBANK_TURNS - 1; i++)
            x[i] = kept[i];
        QUAD_UNROLL
        for (int i = 0; i < FBANK_TURNS; i++)
            QUAD_UNROLL
        for (int q = 0; q < FBANK_AT_ONCE; q++)
            sum[q] += (int64_t)taps[i * FBANK_KEPT] * x[q + FBANK_TURNS - 1 - i];
    }
    QUAD_UNROLL
    for (int q = 0; q < FBANK_AT_ONCE; q++)
        if (at + q * FBANK_KEPT >= u->first && at + q * FBANK_KEPT < u->end)
            u->out[at + q * FBANK_KEPT] = sum[q];
}

TILE_FN void fbank_chunk_of(const heddle_thread *thread, const int32_t *filters, const int32_t *taps, int32_t *kept,
                            const fbank_chunk *u)
{
    HEDDLE_EACH (k, u->n_kept)
        fbank_keep(filters, u->in, (u->kept + k) * FBANK_KEPT, u->end, kept + k);
    heddle_team_barrier(thread);
    HEDDLE_EACH (k, (u->n_kept - FBANK_TURNS + 1) / FBANK_AT_ONCE * FBANK_KEPT) {
        const int phase = k % FBANK_KEPT, group = k / FBANK_KEPT * FBANK_AT_ONCE;
        fbank_results(taps + phase, kept + group, u, (u->kept + FBANK_TURNS - 1 + group) * FBANK_KEPT + phase);
    }
    heddle_team_barrier(thread); /* the next chunk's samples take the place */
}

/* At most FBANK_CHUNK samples of signal r, from number `first` on. */
TILE_FN fbank_chunk fbank_part(const fbank_record *params, uint64_t r, uint64_t first, uint64_t left)
{
    fbank_chunk u;
    int groups;
    u.in = params->in + r * params->samples;
    u.out = params->out + r * params->samples;
    u.first = (int64_t)first;
    u.end = u.first + (int64_t)(left < FBANK_CHUNK ? left : FBANK_CHUNK);
    u.kept = u.first / FBANK_KEPT - (FBANK_TURNS - 1);
    groups = (int)((u.end - 1) / FBANK_KEPT - u.first / FBANK_KEPT) / FBANK_AT_ONCE + 1;
    u.n_kept = groups * FBANK_AT_ONCE + FBANK_TURNS - 1;
    return u;
}

TILE_FN void fbank_tile(const heddle_thread *thread, const fbank_record *params, const tile_rect *t)
{
    int32_t *kept = (int32_t *)(void *)quad_shared(thread), *taps = kept + FBANK_CHANNELS * FBANK_MOST;
    HEDDLE_EACH (i, FBANK_CHANNELS * FBANK_TAPS)
        taps[i] = params->filters[FBANK_CHANNELS * FBANK_TAPS + i];
    for (uint64_t r = t->row; r < t->row + t->rows; r++)
        for (uint32_t at = 0; at < t->cols; at += FBANK_CHUNK) {
            const fbank_chunk u = fbank_part(params, r, t->col + at, t->cols - at);
            fbank_chunk_of(thread, params->filters, taps, kept, &u);
        }
}

#endif
