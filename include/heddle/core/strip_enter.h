/* SPDX-License-Identifier: MIT */
/* core/strip_enter.h - what a granule on a GPU needs before its steps: the words of the band above, credit from the one below,
 * borders and columns. A warp asks for them during the granule before. nvcc (and the emulator of blocks) only. */
#ifndef HEDDLE_CORE_STRIP_ENTER_H
#define HEDDLE_CORE_STRIP_ENTER_H

#include "heddle/core/strip_step.h"

/* The position that this lane reads in granule g. Lanes beyond the last column read the last one again. */
template <typename K, int R, int C>
static __device__ __forceinline__ uint32_t hd_border_position(const hd_strip_walk<K, R, C> &a, uint32_t g)
{
    const uint32_t c = g * HD_WAVE_GRANULE + a.lane, last = a.cols - 1u + hd_strip<K, R, C>::east;
    return (c < last ? c : last) + hd_strip<K, R, C>::lag;
}

/* The cell above column c of the item's first band; other bands end with their last column. */
template <typename K, int R, int C>
static __device__ __forceinline__ typename K::cell hd_north_cell(const hd_strip_walk<K, R, C> &a, uint32_t c)
{
    if (c < a.cols && a.north)
        return a.north[c];
    return hd_cell_of<typename K::cell>(c < a.cols ? a.wave->north_cell : a.wave->east_cell);
}

/* What a lane has loaded for the next granule, during this one; in an item's first band the words are the border's, or another
 * wave's. */
template <typename K, int R, int C> struct hd_strip_looks {
    hd_pair_word words[hd_strip<K, R, C>::south];
    uint32_t credit;
};

/* The item's word of an array with one word for each item. */
template <typename K, int R, int C>
static __device__ __forceinline__ uint32_t *hd_strip_count(const hd_strip_walk<K, R, C> &a, const uint32_t *counts)
{
    return (uint32_t *)counts + (a.item - a.wave->items);
}

template <typename K, int R, int C>
static __device__ __forceinline__ hd_item_words *hd_strip_words(const hd_strip_walk<K, R, C> &a)
{
    return a.wave->of_items + (a.item - a.wave->items);
}

/* All lanes of an item's first band: is the northern border there as far as granule g needs it? */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_north_is_there(const hd_strip_walk<K, R, C> &a, uint32_t g)
{
    const uint32_t end = (g + 1u) * HD_WAVE_GRANULE, need = end < a.cols ? end : a.cols;
    const uint32_t *count = a.wave->north_count;
    return !count || __all_sync(0xffffffffu, HD_LOAD(hd_strip_count(a, count), ACQUIRE, SYS) >= need);
}

template <typename K, int R, int C>
static __device__ __forceinline__ void hd_look(const hd_strip_walk<K, R, C> &a, uint32_t g,
                                               hd_strip_looks<K, R, C> *looks)
{
    typedef hd_strip<K, R, C> strip;
    const hd_pair_word *at = a.from + (uint64_t)(hd_border_position(a, g) & a.from_mask) * strip::south;
    if (a.credit)
        looks->credit = HD_LOAD(a.credit, RELAXED, BLOCK);
    if (a.from) {
        HD_UNROLL
        for (int w = 0; w < strip::south; w++)
            looks->words[w] = HD_BORDER_LOAD(at + w);
        return;
    }
    if (a.near->above) { /* far away: such a load takes as long as a granule's steps */
        const hd_pair_word *above = a.near->above + (uint64_t)(hd_border_position(a, g) - strip::lag) * strip::south;
        HD_UNROLL
        for (int w = 0; w < strip::south; w++)
            looks->words[w] = HD_OUTER_LOAD(above + w);
        return;
    }
    const int is_there = hd_north_is_there(a, g);
    a.near->is_there = (uint32_t)is_there;
    if (!is_there)
        return;
    const typename K::cell v = hd_north_cell(a, g * HD_WAVE_GRANULE + a.lane);
    HD_UNROLL
    for (int w = 0; w < strip::south; w++)
        looks->words[w] = hd_word_at(v, w);
}

/* The band's place. Where cells cannot fail, no state is kept for it. */
template <typename K, int R, int C>
static __device__ __forceinline__ hd_wave_place hd_strip_place(const hd_strip_walk<K, R, C> &a)
{
    if constexpr (K::fails != 0)
        return hd_wave_place_of(a.wave, a.item, a.index * 32u * R);
    return hd_wave_place();
}

/* All lanes: is there nothing left to do for the band? Checked in one of n_looks calls; n counts them from 0. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_strip_is_over(const hd_strip_walk<K, R, C> &a, uint32_t n, uint32_t n_looks)
{
    if (n % n_looks != n_looks - 1u)
        return 0;
    if constexpr (K::fails != 0) {
        const hd_wave_place at = hd_strip_place(a);
        return hd_ballot(hd_wave_is_over(a.thread, &at)) != 0;
    }
    return hd_ballot(HD_LOAD(&a.thread->fail->stop, RELAXED, DEV) != HD_STOP_NOT) != 0;
}

/* All lanes of a band that is over before granule g, or while it waits there. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_strip_halt(const hd_strip_walk<K, R, C> &a, uint32_t kind, uint32_t g)
{
    if (a.lane == 0)
        hd_wave_halt(a.thread, a.wave->words, kind, a.item->found_at + a.index, g * HD_WAVE_GRANULE);
    return 0;
}

/* All lanes: waits for the words of granule g, and until the next warp has read what granule g overwrites. 0: the band
 * is over. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_granule_wait(const hd_strip_walk<K, R, C> &a, uint32_t g,
                                                      hd_strip_looks<K, R, C> *looks)
{
    typedef hd_strip<K, R, C> strip;
    const int need = (int)(HD_WAVE_GRANULE * (g + 1u)) - (int)HD_WAVE_RING - (int)strip::lag;
    const int is_handed = a.from || a.near->above, has_words = is_handed && g * HD_WAVE_GRANULE < a.cols + strip::east;
    const uint32_t tag = a.from ? a.from_tag + hd_border_position(a, g) / HD_WAVE_GRANULE : a.near->above_tag;
    for (uint32_t n = 0;; n++) {
        int go = !a.credit || (int)(looks->credit * HD_WAVE_GRANULE) >= need;
        go &= is_handed || a.near->is_there;
        HD_UNROLL
        for (int w = 0; w < strip::south; w++)
            go &= !has_words || hd_wave_tag(looks->words[w]) == tag;
        if (__all_sync(0xffffffffu, go)) {
            hd_note_waited(a.thread, n);
            return 1;
        }
        hd_note_waits(a.thread, n);
        if (hd_strip_is_over(a, n, HD_WAVE_LOOKS))
            return hd_strip_halt(a,
                                 a.credit && (int)(looks->credit * HD_WAVE_GRANULE) < need ? HD_HALT_BELOW
                                 : a.from                                                  ? HD_HALT_ABOVE
                                                                                           : HD_HALT_BORDER,
                                 g);
        if (!a.from) /* the border's writer may be slow */
            hd_wave_pause(n);
        hd_look(a, g, looks);
    }
}

/* The cell to the west of row i; for the row above the first one: the corner. */
template <typename K>
static __device__ __forceinline__ typename K::cell hd_west_cell(const hd_wave *wave, const hd_wave_item *item,
                                                                uint32_t i)
{
    if (i == HD_NONE)
        return hd_cell_of<typename K::cell>(wave->corner);
    if (wave->west && i < item->rows)
        return ((const typename K::cell *)wave->west)[item->west_at + i];
    return hd_cell_of<typename K::cell>(wave->west_cell);
}

/* Prepares a lane before its first column. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_begin(const hd_strip_walk<K, R, C> &a, hd_strip<K, R, C> *s)
{
    typedef hd_strip<K, R, C> strip;
    HD_UNROLL
    for (int r = 0; r < R; r++) {
        const uint32_t i = a.row + (uint32_t)r;
        s->x[r] = typename K::row();
        if (a.wave->x)
            s->x[r] = ((const typename K::row *)a.wave->x)[a.item->x_at + (i < a.rows ? i : a.rows - 1u)];
        s->h[r] = s->h1[strip::east ? r : 0] = hd_west_cell<K>(a.wave, a.item, i);
        s->y[strip::east ? r : 0] = typename K::column();
    }
    s->top[0] = s->top[1] = hd_west_cell<K>(a.wave, a.item, a.row - 1u);
    HD_UNROLL
    for (int c = 0; c < C; c++)
        hd_strip_down(s, s->h[R - 1], c);
    __builtin_memset(s->found, 0, sizeof s->found);
    if constexpr (K::fails != 0)
        s->failure.first = hd_wave_failure();
    if constexpr (strip::ranks != 0) {
        s->best.code = s->best.least = HD_CODE_LEAST;
        s->best.at = 0;
        HD_UNROLL
        for (int c = 0; c < C; c++)
            HD_UNROLL
        for (int r = 0; r < R; r++)
            s->best.add[c][r] = r < a.n_rows ? R * C - 1 - (c * R + r) : HD_CODE_NONE;
    }
}

/* Starts the copy of this lane's column data of granule g into shared memory; HD_COPY_WAIT ends it. Not through a register: a
 * step would wait for it, because the machine waits for loads by one of six counters, which steps' loads use, too. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_column_fetch(const hd_strip_walk<K, R, C> &a, uint32_t g)
{
    typedef typename K::column column;
    enum { near = hd_strip<K, R, C>::near, bytes = sizeof(column) };
    const uint32_t c = g * HD_WAVE_GRANULE + a.lane;
    column *to = &a.near->column[c & (near - 1u)];
    const column *from = a.y + (c < a.cols ? c : a.cols - 1u);
    if (!a.y)
        to[0] = to[near] = column();
    else if constexpr (bytes % 4 == 0) {
        HD_UNROLL
        for (int i = 0; i < bytes; i += 4) {
            HD_COPY4((char *)to + i, (const char *)from + i);
            HD_COPY4((char *)(to + near) + i, (const char *)from + i);
        }
    } else
        to[0] = to[near] = *from;
}

/* All lanes: brings what granule g needs into shared memory. 0: the band is over. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_granule_enter(const hd_strip_walk<K, R, C> &a, uint32_t g,
                                                       hd_strip<K, R, C> *s, hd_strip_looks<K, R, C> *looks)
{
    typedef hd_strip<K, R, C> strip;
    uint32_t *stage = a.near->stage[g & 1u][a.lane];
    hd_wave_note(a.thread, a.item, g);
    if (!hd_granule_wait(a, g, looks))
        return 0;
    if (hd_strip_is_over(a, g, HD_WAVE_STRIDE))
        return hd_strip_halt(a, HD_HALT_WORKS, g);
    HD_UNROLL
    for (int w = 0; w < strip::south; w++)
        stage[w] = (uint32_t)looks->words[w];
    HD_COPY_WAIT();
    hd_warp_sync();
    hd_strip_fetch(s, &a.near->stage[g & 1u][0][0], hd_strip_columns(a, g));
    if (a.lane == 0)
        hd_mark(&a.near->credit, g + 1u);
    hd_look(a, g + 1u, looks); /* after the last column these are the last one's words again */
    if constexpr (K::sweeps == 0)
        hd_column_fetch(a, g + 1u);
    return 1;
}

#endif
