/* SPDX-License-Identifier: MIT */
/* core/strip_rows.h - cells that a GPU keeps by rows: they leave shared memory in whole lines. nvcc (and the emulator of blocks)
 * only. */
#ifndef HEDDLE_CORE_STRIP_ROWS_H
#define HEDDLE_CORE_STRIP_ROWS_H

#include "heddle/core/strip_step.h"

/* Kept by rows, all lanes: stores the line of each row of the band that ends with this piece, 16 bytes a lane.
 * `column`: the first lane's after the piece; row i is hd_row_behind words behind it. */
template <typename K, int R, int C> static __device__ __forceinline__ uint32_t hd_row_behind(uint32_t i)
{
    typedef hd_strip<K, R, C> strip;
    return (i / R * strip::skew + (i % R + 1u) * strip::east) * strip::words;
}

/* Of a line, this lane has words `at` .. at + 3 of a row; it stores those from `first` up to `end`, the row's. */
static __device__ __forceinline__ void hd_row_put_some(uint32_t *to, const hd_some<uint32_t, 4> &some, int64_t at,
                                                       int64_t first, int64_t end)
{
    HD_UNROLL
    for (int w = 0; w < 4; w++)
        if (at + w >= first && at + w < end)
            to[w] = some.at[w];
}

/* Lines with all words in the field (has_all), or not: then only the words of granules first .. end - 1. The rows of
 * some lanes at a time, because to the compiler a store may hit the address of the next load. */
template <bool has_all, typename K, int R, int C>
static __device__ __forceinline__ void hd_rows_put(const hd_strip_walk<K, R, C> &a, uint32_t column, uint32_t first,
                                                   uint32_t end)
{
    typedef hd_strip<K, R, C> strip;
    enum { words = strip::words, added = strip::piece_columns * words, some = has_all && R % 2 == 0 ? 2 : 1 };
    const uint64_t row_words = a.near->row_words, line_mask = HD_ROW_LINE - 1u;
    const uint32_t quarter = a.lane % 8u * 4u, n_rows = a.rows - a.index * 32u * R;
    const uint64_t begin = (uintptr_t)a.near->kept / 4u;
    uint32_t i = a.lane / 8u;
    uint64_t row = begin + i * row_words, front = row + (uint64_t)column * words;
    HD_ROLL
    for (uint32_t k = 0; k < 8u * R; k += some) {
        hd_some<uint32_t, 4> values[some];
        uint64_t at[some];
        HD_UNROLL
        for (uint32_t b = 0; b < some; b++) {
            at[b] = ((front + 4u * b * row_words - hd_row_behind<K, R, C>(i + 4u * b)) & ~line_mask) - HD_ROW_LINE +
                    quarter;
            values[b] = *(const hd_some<uint32_t, 4> *)&a.stage->at[i + 4u * b][at[b] & (2u * HD_ROW_LINE - 1u)];
        }
        HD_UNROLL
        for (uint32_t b = 0; b < some; b++) {
            const uint32_t behind = hd_row_behind<K, R, C>(i + 4u * b);
            const uint64_t now = front + 4u * b * row_words - behind;
            uint32_t *to = (uint32_t *)(uintptr_t)(at[b] * 4u);
            if (added != HD_ROW_LINE && (now & ~line_mask) == ((now - added) & ~line_mask))
                continue; /* no line ends with this piece */
            if (has_all)
                *(hd_some<uint32_t, 4> *)to = values[b];
            else if (i < n_rows) {
                const int64_t least = (int64_t)first * HD_WAVE_GRANULE * words - behind;
                const int64_t most = (int64_t)end * HD_WAVE_GRANULE * words - behind, all = (int64_t)a.cols * words;
                hd_row_put_some(to, values[b], (int64_t)(at[b] - row), least > 0 ? least : 0, most < all ? most : all);
            }
        }
        i += 4u * some;
        row += 4u * some * row_words;
        front += 4u * some * row_words;
    }
}

template <typename K, int R, int C>
static __device__ __forceinline__ void hd_rows_leave(const hd_strip_walk<K, R, C> &a, uint32_t g, uint32_t piece,
                                                     uint32_t first, uint32_t end)
{
    typedef hd_strip<K, R, C> strip;
    const uint32_t column = g * HD_WAVE_GRANULE + (piece + 1u) * strip::piece_columns;
    const int64_t most = (int64_t)(column - first * HD_WAVE_GRANULE) * strip::words;
    hd_warp_sync(); /* all lanes' cells are in shared memory */
    if (column <= a.cols && (a.index + 1u) * 32u * R <= a.rows &&
        most >= (int64_t)hd_row_behind<K, R, C>(32u * R - 1u) + 2u * HD_ROW_LINE)
        hd_rows_put<true>(a, column, first, end);
    else
        hd_rows_put<false>(a, column, first, end);
    hd_warp_sync(); /* ... and may be overwritten */
}

/* After granule end - 1, all lanes: stores the lines that have begun, as if one more granule had ended them. A function
 * of its own, with few arguments: inside of hd_strip_go it takes 30 registers from all steps. */
template <typename K, int R, int C>
static __device__ HD_APART void hd_rows_finish(hd_strip_shared<K, R, C> *near,
                                               typename hd_strip_near<K, R, C>::field *stage, uint32_t rows,
                                               uint32_t cols, uint32_t index, uint32_t first, uint32_t end)
{
    typedef hd_strip<K, R, C> strip;
    hd_strip_walk<K, R, C> a = {};
    a.near = near;
    a.stage = stage;
    a.rows = rows;
    a.cols = cols;
    a.index = index;
    a.lane = threadIdx.x & 31u;
    HD_ROLL
    for (uint32_t piece = 1; piece <= strip::pieces; piece++)
        hd_rows_put<false>(a, end * HD_WAVE_GRANULE + piece * strip::piece_columns, first, end);
    hd_warp_sync(); /* the next user of this memory must not meet these reads */
}

#endif
