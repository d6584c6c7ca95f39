/* SPDX-License-Identifier: MIT */
/* core/strip_sweep.h - sweeps in place on a GPU: a band waits for the pass before, brings the field's values to shared memory, and
 * leaves there what its last sweep has made. nvcc (and the emulator of blocks) only. */
#ifndef HEDDLE_CORE_STRIP_SWEEP_H
#define HEDDLE_CORE_STRIP_SWEEP_H

#include "heddle/core/strip_enter.h"

/* Sweeps, all lanes: waits until bands first and last of `before` have finished `need` of n granules. Returns how many
 * they have finished; 0: the band is over. */
template <typename K, int R, int C>
static __device__ __forceinline__ uint32_t hd_gone_wait(const hd_strip_walk<K, R, C> &a, const hd_wave_item *before,
                                                        uint32_t first, uint32_t last, uint32_t need, uint32_t n)
{
    const hd_wave *wave = a.wave;
    const uint32_t band = threadIdx.x & 1u ? last : first, tag = hd_wave_first_tag(wave, before, band, n);
    for (uint32_t k = 0;; k++) {
        const uint32_t told = HD_LOAD(wave->gone + before->found_at + band, FENCED_ACQUIRE, DEV);
        const uint32_t gone = hd_wave_gone(told, tag);
        if (__all_sync(0xffffffffu, gone >= need)) {
            const uint32_t one = hd_shuffle(gone, 0), other = hd_shuffle(gone, 1);
            HD_FENCE_ACQUIRE();
            hd_warp_sync();
            hd_note_waited(a.thread, k);
            return one < other ? one : other;
        }
        hd_note_waits(a.thread, k);
        if (hd_strip_is_over(a, k, HD_WAVE_LOOKS))
            return 0;
        hd_wave_pause(k);
    }
}

/* All lanes: waits until the pass before has left what granule g reads of the field. Before a pass begins: also until the last
 * user of its far row has read it all. *ready: granules below need not wait, because each wait empties the cache. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_pass_wait(const hd_strip_walk<K, R, C> &a, uint32_t g, uint32_t *ready)
{
    typedef hd_strip<K, R, C> strip;
    if (g < *ready)
        return 1;
    if (a.item->frees != HD_NONE && a.index == 0 && g == 0) {
        const hd_wave_item *before = a.wave->items + a.item->frees;
        const uint32_t n = hd_wave_granules(before->cols, strip::lag, 0), last = before->n_bands - 1u;
        if (!hd_gone_wait(a, before, last, last, n, n))
            return 0;
    }
    *ready = HD_NONE;
    if (a.item->before == HD_NONE)
        return 1;
    const hd_wave_item *before = a.wave->items + a.item->before;
    const uint32_t n = hd_wave_granules(before->cols, strip::lag, 0), need = hd_wave_need(before, g, strip::lag, n);
    const hd_wave_bands bands = hd_wave_bands_before(a.item, before, a.index, 32u * R);
    const uint32_t gone = hd_gone_wait(a, before, bands.first, bands.last, need, n);
    if (gone < n)
        *ready = g + 1u + gone - need;
    return gone != 0;
}

/* All lanes: every HD_WAVE_TELLS granules, and after the last, stores how many granules the band has finished. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_pass_tell(const hd_strip_walk<K, R, C> &a, uint32_t g, uint32_t end)
{
    if (!a.gone || ((g + 1u) % HD_WAVE_TELLS != 0 && g + 1u != end))
        return;
    hd_warp_sync();
    if (a.lane == 0)
        HD_STORE(a.gone, a.to.tag + g, RELEASE, DEV);
}

/* Sweeps: are all of a granule's columns, in all rows of a band, in the field? Then a row takes three instructions, not
 * fifteen. row, column: where the band and its first lane begin, in a field of rows by cols. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_field_has_all(int row, int column, uint32_t rows, uint32_t cols)
{
    enum { skewed = 31 * hd_strip<K, R, C>::skew };
    return row >= 0 && (uint32_t)row + 32u * R <= rows && column >= skewed &&
           (uint32_t)column + HD_WAVE_GRANULE <= cols;
}

/* Copies the field's values to shared memory, row by row. `from`: the first lane's first row, of number `row`; j: this lane's column. */
template <bool has_all, typename K, int R, int C>
static __device__ __forceinline__ void hd_field_copy(typename K::value *to, const typename K::value *from,
                                                     uint64_t row_cells, uint32_t row, uint32_t rows, uint32_t j,
                                                     uint32_t cols)
{
    typedef typename K::value value;
    HD_UNROLL_BY(2)
    for (uint32_t l = 0; l < 32u; l++, to += 32 * R, from -= hd_strip<K, R, C>::skew, j -= hd_strip<K, R, C>::skew) {
        value *cell = to + (j & 31u);
        HD_UNROLL
        for (uint32_t r = 0; r < R; r++, from += row_cells)
            if (has_all || (row + l * R + r < rows && j < cols)) {
                HD_UNROLL
                for (uint32_t w = 0; w < sizeof(value); w += 4)
                    HD_COPY4((char *)(cell + 32u * r) + w, (const char *)from + w);
            }
    }
}

/* All lanes: starts the copy of the field's values for granule g into shared memory; HD_COPY_WAIT ends it. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_field_fetch(const hd_strip_walk<K, R, C> &a, uint32_t g)
{
    const int row = (int)(a.row - a.lane * R - a.item->absent_rows);
    const uint32_t rows = a.item->field_rows, cols = a.item->field_cols;
    const uint32_t column = g * HD_WAVE_GRANULE, j = column + a.lane;
    typename K::value *to = a.stage->at[g & 1u][0];
    const typename K::value *from = a.field + (int64_t)row * (int64_t)a.row_cells + j;
    if (hd_field_has_all<K, R, C>(row, (int)column, rows, cols))
        hd_field_copy<true, K, R, C>(to, from, a.row_cells, (uint32_t)row, rows, j, cols);
    else
        hd_field_copy<false, K, R, C>(to, from, a.row_cells, (uint32_t)row, rows, j, cols);
}

/* Copies values in shared memory to the field, except its rim. i, j: their place in the field without the rim, in rows below `rows`;
 * `at`: their column in shared memory. The rows of some lanes at a time, because to the compiler a store may hit the address
 * of the next load. */
template <bool has_all, typename K, int R, int C>
static __device__ __forceinline__ void hd_field_put(typename K::value *to, const typename K::value *from,
                                                    uint64_t row_cells, uint32_t i, uint32_t j, uint32_t at,
                                                    uint32_t rows, uint32_t cols)
{
    enum { skew = hd_strip<K, R, C>::skew, some = 2 };
    for (uint32_t l = 0; l < 32u; l += some, from += 32 * R * some, at -= some * skew) {
        typename K::value values[some * R];
        HD_UNROLL
        for (uint32_t k = 0; k < some * R; k++)
            values[k] = from[32u * k + ((at - k / R * skew) & 31u)];
        HD_UNROLL
        for (uint32_t k = 0; k < some * R; k++, to += row_cells, i++) {
            if (has_all || (i < rows && j < cols))
                *to = values[k];
            if (k % R == R - 1u) {
                to -= skew;
                j -= skew;
            }
        }
    }
}

/* All lanes: stores what the last sweep left of granule g in the field. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_field_leave(const hd_strip_walk<K, R, C> &a, uint32_t g)
{
    const int row = (int)(a.row - a.lane * R - a.sweeps), column = (int)(g * HD_WAVE_GRANULE - a.sweeps);
    const uint32_t at = g * HD_WAVE_GRANULE + a.lane, rows = hd_wave_left_rows(a.item), cols = a.inner_cols;
    const uint32_t i = a.row_at + (uint32_t)row - 1u, j = (uint32_t)column + a.lane - 1u;
    typename K::value *to =
        a.field + ((int64_t)row - (int64_t)a.item->absent_rows) * (int64_t)a.row_cells + column + (int)a.lane;
    const typename K::value *from = a.stage->at[g & 1u][0];
    hd_warp_sync();
    if (hd_field_has_all<K, R, C>((int)i, column - 1, rows, cols))
        hd_field_put<true, K, R, C>(to, from, a.row_cells, i, j, at, rows, cols);
    else
        hd_field_put<false, K, R, C>(to, from, a.row_cells, i, j, at, rows, cols);
}

/* All lanes: starts to fetch the field for granule g. 0: the band is over. A tile waits for no pass: the graph did. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_pass_enter(const hd_strip_walk<K, R, C> &a, uint32_t g, uint32_t *ready)
{
    if (a.thread->in_order && !hd_pass_wait(a, g, ready))
        return hd_strip_halt(a, HD_HALT_PASS, g);
    hd_field_fetch(a, g);
    return 1;
}

/* All lanes: granules of sweeps. Those between `head` and `whole` have no rim to the west or east. A band in the midst
 * of the field has none to the north or south. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_strip_sweep(const hd_strip_walk<K, R, C> &a, hd_strip<K, R, C> *s,
                                                     uint32_t first, uint32_t end)
{
    typedef hd_strip<K, R, C> strip;
    const hd_held<typename K::params> params(a.params);
    hd_strip_looks<K, R, C> looks = {};
    const uint32_t head = (strip::lag + K::sweeps + HD_WAVE_GRANULE) / HD_WAVE_GRANULE;
    const uint32_t cols = a.cols - a.sweeps, whole = cols < (uint32_t)C ? 0u : (cols - C) / HD_WAVE_GRANULE;
    const int row = (int)(a.row_at + a.row - a.lane * R);
    const int is_amidst = row > (int)K::sweeps && (uint32_t)row + 32u * R <= a.inner_rows;
    uint32_t ready = 0, g = first, next = first; /* next: granule for which the field is fetched */
    hd_look(a, first, &looks);
    for (;; next++) {
        if (next > first && !hd_granule_enter(a, g, s, &looks))
            break;
        if (next < end && !hd_pass_enter(a, next, &ready))
            break;
        if (next == first)
            continue;
        hd_strip_bring(a, s, g, (int)(g * HD_WAVE_GRANULE) - (int)a.lane * strip::skew);
        if (g >= head && g < whole && is_amidst)
            hd_strip_granule<HD_STEP_INNER>(params.get(), a, s, g);
        else if (is_amidst)
            hd_strip_granule<HD_STEP_RIM>(params.get(), a, s, g);
        else if (g >= head && g < whole)
            hd_strip_granule<HD_STEP_KEEP>(params.get(), a, s, g);
        else
            hd_strip_granule<HD_STEP_EDGE>(params.get(), a, s, g);
        hd_field_leave(a, g);
        if (a.thread->in_order)
            hd_pass_tell(a, g, end);
        if (++g >= end)
            break;
    }
    HD_COPY_WAIT(); /* the next user of this memory must not meet these copies */
    return g >= end;
}

#endif
