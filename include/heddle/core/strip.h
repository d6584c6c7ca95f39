/* SPDX-License-Identifier: MIT */
/* core/strip.h - cells on a GPU: a warp is a band, and warps of a block are consecutive bands, each a few granules behind the
 * one before. nvcc (and the emulator of blocks) only. Below it: a step (core/strip_step.h), what a granule waits for
 * (strip_enter.h), sweeps (strip_sweep.h), cells kept by rows (strip_rows.h). */
#ifndef HEDDLE_CORE_STRIP_H
#define HEDDLE_CORE_STRIP_H

#include "heddle/core/strip_rows.h"
#include "heddle/core/strip_sweep.h"

/* What a band leaves beside what it hands on. */
typedef struct hd_strip_leaves {
    int by_rows, skewed; /* its cells are kept */
    int last_row;        /* it has the last row, which is wanted */
} hd_strip_leaves;

/* Called once before a band's granules. A load inside of them, after hd_look, would wait for the far words that hd_look has asked
 * for: the machine waits for both by the same counter. That is some 300 clocks of each granule. */
template <typename K, int R, int C>
static __device__ __forceinline__ hd_strip_leaves hd_strip_leaves_of(const hd_strip_walk<K, R, C> &a)
{
    hd_strip_leaves leaves = {0, 0, 0};
    if constexpr (K::keeps != 0) {
        leaves.by_rows = a.near->kept != (uint32_t *)0;
        leaves.skewed = a.near->skewed != (typename K::cell *)0;
        leaves.last_row = a.wave->last_row && a.index + 1u == a.item->n_bands;
    }
    return leaves;
}

/* A piece of granule g. Returns 1 if it was all pieces. Granules between `head` and `whole` have only columns of the field. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_strip_piece(const typename K::params *params, const hd_strip_walk<K, R, C> &a,
                                                     hd_strip<K, R, C> *s, const hd_strip_leaves &leaves, uint32_t g,
                                                     uint32_t piece, uint32_t head, uint32_t whole)
{
    const int is_inner = g >= head && g < whole, is_kept = leaves.by_rows || leaves.skewed;
    const int is_edge = !is_inner && (is_kept || hd_strip<K, R, C>::east);
    if (is_inner && !is_kept) /* first, because each branch costs ten clocks */
        hd_strip_granule<HD_STEP_INNER>(params, a, s, g);
    else if (is_edge)
        hd_strip_granule<HD_STEP_EDGE>(params, a, s, g, piece);
    else if (leaves.by_rows)
        hd_strip_granule<HD_STEP_KEEP>(params, a, s, g, piece);
    else if (leaves.skewed)
        hd_strip_granule<HD_STEP_SKEW>(params, a, s, g);
    else if (leaves.last_row)
        hd_strip_granule<HD_STEP_LAST>(params, a, s, g);
    else
        hd_strip_granule<HD_STEP_RIM>(params, a, s, g);
    return !is_edge && !leaves.by_rows;
}

/* All lanes: granules first .. end - 1 of a band. 0: the band is over. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_strip_go(const hd_strip_walk<K, R, C> &a, hd_strip<K, R, C> *s, uint32_t first,
                                                  uint32_t end)
{
    typedef hd_strip<K, R, C> strip;
    const hd_held<typename K::params> params(a.params);
    const hd_strip_leaves leaves = hd_strip_leaves_of(a);
    hd_strip_looks<K, R, C> looks = {}; /* a tag that no word has */
    const uint32_t head = (strip::lag + HD_WAVE_GRANULE - 1u) / HD_WAVE_GRANULE;
    /* granules before the last columns */
    const uint32_t whole = leaves.last_row ? 0u : (a.cols - 1u) / HD_WAVE_GRANULE;
    uint32_t g = first;
    hd_column_fetch(a, first);
    hd_look(a, first, &looks);
    for (; g < end && hd_granule_enter(a, g, s, &looks); g++) {
        HD_ROLL
        for (uint32_t piece = 0; piece < strip::pieces; piece++) {
            if (hd_strip_piece(params.get(), a, s, leaves, g, piece, head, whole))
                break;
            if (leaves.by_rows)
                hd_rows_leave(a, g, piece, first, end);
        }
    }
    if (g >= end && leaves.by_rows)
        hd_rows_finish(a.near, a.stage, a.rows, a.cols, a.index, first, end);
    HD_COPY_WAIT(); /* the next user of this memory must not meet these copies */
    return g >= end;
}

/* The value of the lane `by` further on. */
template <typename T> static __device__ __forceinline__ T hd_shuffle_down(const T &v, uint32_t by)
{
    T out;
    HD_UNROLL
    for (uint32_t w = 0; w < sizeof(T) / 4u; w++)
        hd_set_word_at(&out, (int)w, __shfl_down_sync(0xffffffffu, hd_word_at(v, (int)w), by));
    return out;
}

/* All lanes: joins the results of all lanes on lane 0. */
template <typename K> static __device__ __forceinline__ void hd_found_join(typename K::found *found)
{
    HD_UNROLL
    for (uint32_t by = 16; by; by /= 2) {
        const typename K::found other = hd_shuffle_down(*found, by);
        K::merge(found, &other);
    }
}

/* The result of a lane. */
template <typename K, int R, int C>
static __device__ __forceinline__ typename K::found hd_strip_found(const hd_strip_walk<K, R, C> &a,
                                                                   hd_strip<K, R, C> *s)
{
    typename K::found found;
    __builtin_memset(&found, 0, sizeof found);
    if constexpr (hd_strip<K, R, C>::ranks != 0) {
        enum { places = hd_strip_best<true, R, C>::places };
        const int place = R * C - 1 - (s->best.code & (places - 1));
        if (s->best.code > HD_CODE_LEAST) {
            found.rank = (s->best.code - (s->best.code & (places - 1))) / places;
            found.is_found = 1;
            found.row = a.row_at + a.row + (uint32_t)(place % R);
            found.column = (uint32_t)(s->best.at + place / R);
        }
    } else
        HD_UNROLL
    for (int r = 0; r < R; r++)
        if (r < a.n_rows)
            K::merge(&found, &s->found[r]);
    return found;
}

/* All lanes, for a counted border in the west: waits for the band's part of it. 0: the band is over. */
template <typename K, int R, int C> static __device__ __forceinline__ int hd_west_wait(const hd_strip_walk<K, R, C> &a)
{
    const uint32_t end = (a.index + 1u) * 32u * R;
    const hd_wave_place at = hd_strip_place(a);
    uint32_t is_there = 1;
    if (!a.wave->west_count)
        return 1;
    if (a.lane == 0)
        is_there = (uint32_t)hd_west_await(a.thread, &at, hd_strip_words(a), hd_strip_count(a, a.wave->west_count),
                                           a.index * 32u * R, end < a.rows ? end : a.rows);
    is_there = hd_shuffle(is_there, 0);
    hd_warp_sync(); /* all lanes need what lane 0 acquired */
    return is_there != 0;
}

/* All lanes: ends a band. Its lanes still have the cells of their last column; with a neighbour to the north-east in
 * h1, because h has the value to the east. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_end(const hd_strip_walk<K, R, C> &a, hd_strip<K, R, C> *s)
{
    enum { east = hd_strip<K, R, C>::east };
    if (K::keeps && a.wave->last_col) {
        typename K::cell *last_col = (typename K::cell *)a.wave->last_col + a.item->last_col_at + a.row;
        HD_UNROLL
        for (int r = 0; r < R; r++)
            if (r < a.n_rows)
                last_col[r] = east ? s->h1[east ? r : 0] : s->h[r];
    }
    if constexpr (K::fails != 0) {
        hd_wave_failure first = s->failure.first;
        for (uint32_t by = 16; by; by /= 2) {
            const hd_wave_failure other = hd_shuffle_down(first, by);
            hd_failure_join(&first, &other);
        }
        if (a.lane == 0 && first.code)
            hd_wave_fail(a.wave->words, a.wave->failures, (uint32_t)a.item->found_at + a.index, &first);
    }
    if constexpr (K::finds != HD_FINDS_NOTHING)
        if (a.wave->found) {
            typename K::found found = hd_strip_found(a, s);
            hd_found_join<K>(&found);
            if (a.lane == 0)
                ((typename K::found *)a.wave->found)[a.item->found_at + a.index] = found;
        }
}

/* All lanes of a warp: joins the results of all bands of an item. */
template <typename K> static __device__ __forceinline__ void hd_found_item(const hd_wave *wave, uint32_t item)
{
    typename K::found *of_bands = (typename K::found *)wave->found + wave->items[item].found_at, found;
    __builtin_memset(&found, 0, sizeof found);
    for (uint32_t i = threadIdx.x & 31u; i < wave->items[item].n_bands; i += 32u)
        K::merge(&found, &of_bands[i]);
    hd_found_join<K>(&found);
    if ((threadIdx.x & 31u) != 0)
        return;
    of_bands[0] = found;
    if (wave->found_each)
        ((typename K::found *)wave->found_each)[item] = found;
}

/* ... of all items. */
template <typename K> static __device__ __forceinline__ void hd_found_all(const hd_wave *wave)
{
    typename K::found found;
    __builtin_memset(&found, 0, sizeof found);
    for (uint32_t i = threadIdx.x & 31u; i < wave->n_items; i += 32u)
        K::merge(&found, (const typename K::found *)wave->found + wave->items[i].found_at);
    hd_found_join<K>(&found);
    if ((threadIdx.x & 31u) == 0)
        *(typename K::found *)wave->result = found;
}

/* All lanes of a warp: counts one more of n as ended. Was it the last? Then all lanes have what the others left. Only
 * the last acquires, because that empties the SM's cache, which other warps use. */
static __device__ __forceinline__ int hd_is_last(uint32_t *done, uint32_t n)
{
    uint32_t last = 0;
    if ((threadIdx.x & 31u) == 0) {
        HD_FENCE_RELEASE();
        last = HD_ADD(done, 1u, FENCED_ACQ_REL, DEV) + 1u == n;
        if (last)
            HD_FENCE_ACQUIRE();
    }
    last = hd_shuffle(last, 0);
    hd_warp_sync();
    return last != 0;
}

/* All threads: the warp that ends the last part of an item joins the results of its bands. The one that ends the last
 * item joins those of all, and prepares the words for the next run. */
template <typename K>
static __device__ __forceinline__ void hd_part_end(const heddle_thread *thread, const hd_wave_part *p)
{
    const hd_wave *wave = p->wave;
    if (thread->index >= 32u || !hd_is_last(&wave->of_items[p->item].done, wave->items[p->item].n_parts))
        return;
    if (thread->index == 0)
        wave->of_items[p->item] = hd_item_words();
    if constexpr (K::finds != HD_FINDS_NOTHING)
        if (wave->found)
            hd_found_item<K>(wave, p->item);
    if (!hd_is_last(&wave->words->done, wave->n_items))
        return;
    if constexpr (K::finds != HD_FINDS_NOTHING)
        if (wave->result)
            hd_found_all<K>(wave);
    if constexpr (K::fails != 0)
        if (thread->index == 0)
            (void)hd_wave_conclude(thread, wave->words, wave->failures);
    hd_wave_next_run(wave, thread->index, 32u);
}

/* All lanes of a warp that has left its cells of the last column: raises the count. It keeps no state of the band for
 * this, because each word would be a register in all steps. */
template <typename K, int R>
static __device__ __forceinline__ void hd_strip_tell_east(const heddle_thread *thread, const hd_wave_part *p)
{
    const uint32_t first = (p->band + thread->index / 32u) * 32u * R, end = first + 32u * R;
    const uint32_t rows = p->wave->items[p->item].rows;
    if (!p->wave->last_col_count)
        return;
    const hd_wave_place at =
        K::fails != 0 ? hd_wave_place_of(p->wave, p->wave->items + p->item, first) : hd_wave_place();
    hd_warp_sync();
    if ((thread->index & 31u) == 0)
        hd_east_raise(thread, &at, p->wave->of_items + p->item, p->wave->last_col_count + p->item, first,
                      end < rows ? end : rows);
}

/* ---- a part --------------------------------------------------------------------------------------------------------- */

/* The item's row in those that waves hand on. */
template <typename K, int R, int C>
static __device__ __forceinline__ hd_pair_word *hd_strip_outer(const hd_wave *wave, const hd_wave_item *item,
                                                               hd_outer *rows)
{
    return hd_outer_row(rows, (uint32_t)(item - wave->items), wave->outer_cols, hd_strip<K, R, C>::south);
}

template <typename K, int R, int C>
static __device__ __forceinline__ hd_strip_walk<K, R, C>
hd_strip_walk_of(const heddle_thread *thread, const typename K::params *params, const hd_wave_part *p,
                 hd_strip_shared<K, R, C> *near)
{
    typedef hd_strip<K, R, C> strip;
    const uint32_t warp = thread->index / 32u;
    const hd_wave *wave = p->wave;
    const hd_wave_item *item = wave->items + p->item;
    const uint32_t n_granules = hd_wave_granules(item->cols, strip::lag, strip::east);
    const uint32_t base = wave->words->base + p->tag + warp * n_granules + 1u;
    hd_pair_word *far = wave->far + item->words_at * strip::south;
    hd_strip_walk<K, R, C> a;
    a.thread = thread;
    a.params = params;
    a.wave = wave;
    a.item = item;
    a.lane = thread->index & 31u;
    a.index = p->band + warp;
    a.rows = item->rows;
    a.cols = item->cols;
    a.row = (a.index * 32u + a.lane) * R;
    a.n_rows = a.row >= a.rows ? 0 : a.rows - a.row < R ? (int)(a.rows - a.row) : R;
    a.y = wave->y ? (const typename K::column *)wave->y + item->y_at : (const typename K::column *)0;
    a.north = wave->north ? (const typename K::cell *)wave->north + item->north_at : (const typename K::cell *)0;
    a.row_cells = K::sweeps != 0 ? item->row_cells : 0;
    a.field = K::sweeps != 0 ? (typename K::value *)wave->field + item->cells_at : (typename K::value *)0;
    a.inner_rows = hd_wave_inner(item->whole_rows);
    a.inner_cols = hd_wave_inner(item->field_cols);
    a.row_at = item->row_at;
    a.sweeps = item->sweeps;
    a.gone = wave->n_gone ? wave->gone + item->found_at + a.index : (uint32_t *)0;
    a.last_row = wave->last_row ? (typename K::cell *)wave->last_row + item->last_row_at : (typename K::cell *)0;
    a.last_cols = a.last_row && a.row < a.rows && a.row + R >= a.rows ? a.cols : 0;
    a.near = near + warp;
    a.stage = (typename hd_strip_near<K, R, C>::field *)(void *)(near + p->n_bands) + warp;
    a.from = a.index == 0 ? (hd_pair_word *)0 : warp ? &a.near->ring[0][0] : far;
    a.from_mask = warp ? HD_WAVE_RING - 1u : 0xffffffffu;
    a.from_tag = base - n_granules;
    a.to.tag = base;
    const int has_next = a.index + 1u < item->n_bands, next_is_near = warp + 1u < p->n_bands;
    a.credit = has_next && next_is_near ? &a.near[1].credit : (uint32_t *)0;
    a.to.row = !has_next ? (hd_pair_word *)0 : next_is_near ? &a.near[1].ring[0][0] : far;
    a.to.mask = next_is_near ? HD_WAVE_RING - 1u : 0xffffffffu;
    if (!has_next && wave->below)
        a.to.row = hd_strip_outer<K, R, C>(wave, item, wave->below) - strip::lag * strip::south;
    return a;
}

/* All lanes: what the band has of outer rows. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_outer_begin(const hd_strip_walk<K, R, C> &a)
{
    const hd_wave *wave = a.wave;
    hd_pair_word *none = NULL;
    const int gets = a.index == 0 && wave->above, gives = a.index + 1u == a.item->n_bands && wave->below;
    a.near->above = gets ? hd_strip_outer<K, R, C>(wave, a.item, wave->above) : none;
    a.near->above_tag = gets ? HD_LOAD(&wave->above->run, RELAXED, SYS) : 0u;
    a.near->below_tag = gives ? HD_LOAD(&wave->below->run, RELAXED, SYS) : 0u;
}

/* All threads: clears the bands' shared memory before any word has come. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_near_begin(const heddle_thread *thread, hd_strip_shared<K, R, C> *near,
                                                     uint32_t n_bands)
{
    const uint32_t n_words = sizeof(near->ring) / 4u * n_bands;
    for (uint32_t i = thread->index; i < n_bands; i += thread->team_size)
        near[i].credit = 0;
    for (uint32_t i = thread->index; i < n_words; i += thread->team_size)
        ((uint32_t *)near[i / (sizeof(near->ring) / 4u)].ring)[i % (sizeof(near->ring) / 4u)] = 0;
}

/* All threads. */
static __device__ __forceinline__ void hd_copy_words(const heddle_thread *thread, void *to, const void *from,
                                                     uint32_t n_bytes)
{
    for (uint32_t i = thread->index; i < n_bytes / 4u; i += thread->team_size)
        ((uint32_t *)to)[i] = ((const uint32_t *)from)[i];
}

/* What tiles carry of a band: its shared memory, of all bands of the part; then what its lanes have, word by word. */
template <typename K, int R, int C> struct hd_strip_carry_of {
    enum {
        near_bytes = sizeof(hd_strip_shared<K, R, C>),
        lane_words = (sizeof(hd_strip<K, R, C>) + 3u) / 4u,
        bytes = near_bytes + lane_words * 4 * 32
    };
};

/* All lanes: loads s from what the lanes carried, or stores it there. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_load(hd_strip<K, R, C> *s, const uint32_t *from, uint32_t lane)
{
    HD_UNROLL
    for (int w = 0; w < hd_strip_carry_of<K, R, C>::lane_words; w++)
        hd_set_word_at(s, w, from[w * 32 + lane]);
}
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_store(const hd_strip<K, R, C> &s, uint32_t *to, uint32_t lane)
{
    HD_UNROLL
    for (int w = 0; w < hd_strip_carry_of<K, R, C>::lane_words; w++)
        to[w * 32 + lane] = hd_word_at(s, w);
}

/* All lanes: where the band's cells are kept skewed. */
template <typename K, int R, int C>
static __device__ __forceinline__ typename K::cell *hd_strip_skewed(const hd_strip_walk<K, R, C> &a)
{
    if (!a.wave->cells || !a.item->band_cells)
        return (typename K::cell *)0;
    return (typename K::cell *)a.wave->cells + a.item->cells_at + a.index * a.item->band_cells;
}

/* ... by rows. */
template <typename K, int R, int C>
static __device__ __forceinline__ uint32_t *hd_strip_by_rows(const hd_strip_walk<K, R, C> &a)
{
    if (!a.wave->cells || a.item->band_cells)
        return (uint32_t *)0;
    return (uint32_t *)a.wave->cells +
           (a.item->cells_at + (uint64_t)a.index * (32u * R) * a.item->row_cells) * hd_strip<K, R, C>::words;
}

/* All lanes: the part's granules of their band. 1: the band has ended. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_strip_band(const hd_strip_walk<K, R, C> &a, const hd_wave_part *p, int is_tile)
{
    typedef hd_strip<K, R, C> strip;
    const uint32_t n = hd_wave_granules(a.cols, strip::lag, strip::east);
    uint32_t *carry = (uint32_t *)(p->carry + p->n_bands * sizeof(hd_strip_shared<K, R, C>)) +
                      (a.index - p->band) * hd_strip_carry_of<K, R, C>::lane_words * 32u;
    uint32_t first = 0, end = n;
    strip s;
    if (!is_tile && a.lane == 0)
        hd_wave_stamp(a.wave, a.item, a.index, 0);
    if (is_tile)
        hd_wave_span(p, a.index, strip::lag, n, &first, &end);
    else
        hd_note_band(a.thread, a.index - p->band);
    if (first >= end)
        return 0;
    if (K::fails != 0 && hd_strip_is_over(a, 0, 1))
        return 0;
    a.near->skewed = hd_strip_skewed(a);
    a.near->kept = hd_strip_by_rows(a);
    a.near->row_words = a.item->row_cells * strip::words;
    hd_outer_begin(a);
    if ((!is_tile || first == 0) && !hd_west_wait(a))
        return hd_strip_halt(a, HD_HALT_BORDER, 0);
    if (!is_tile || first == 0)
        hd_strip_begin(a, &s);
    else
        hd_strip_load(&s, carry, a.lane);
    int is_through;
    if constexpr (K::sweeps != 0)
        is_through = hd_strip_sweep(a, &s, first, end);
    else
        is_through = hd_strip_go(a, &s, first, end);
    if (!is_through)
        return 0;
    if (is_tile && end != n) {
        hd_strip_store(s, carry, a.lane);
        return 0;
    }
    if (!is_tile && a.lane == 0)
        hd_wave_stamp(a.wave, a.item, a.index, 1);
    hd_strip_end(a, &s);
    return 1;
}

/* All threads of a team of whole warps: a part. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_part(const heddle_thread *thread, const typename K::params *params,
                                                     const hd_wave_part *p, void *memory)
{
    hd_strip_shared<K, R, C> *near = (hd_strip_shared<K, R, C> *)memory;
    const uint32_t near_bytes = (uint32_t)sizeof(*near) * p->n_bands;
    const int is_tile = !thread->in_order; /* a constant: the other case has no code and no registers */
    if (is_tile && !p->begins)
        hd_copy_words(thread, near, p->carry, near_bytes);
    else
        hd_near_begin(thread, near, p->n_bands);
    hd_bar_team(thread->team_size);
    if (thread->index / 32u < p->n_bands &&
        hd_strip_band(hd_strip_walk_of<K, R, C>(thread, params, p, near), p, is_tile))
        hd_strip_tell_east<K, R>(thread, p);
    hd_note_end(thread);
    hd_bar_team(thread->team_size);
    if (is_tile)
        hd_copy_words(thread, p->carry, near, near_bytes);
    hd_part_end<K>(thread, p);
}

#endif
