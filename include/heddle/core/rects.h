/* SPDX-License-Identifier: MIT */
/* core/rects.h - the geometry of ranges: do two share a byte, does one cover the other?
 *
 * A range is contiguous or a block: rows of one length, a stride apart. Both are rectangles in the plane of a stride:
 * row = address / stride, column = address % stride. A block is one rectangle in the plane of its own stride, or two
 * where its columns wrap. A contiguous range is at most three rectangles (head, full rows, tail) in any plane. In the
 * plane of HD_LINE_STRIDE it is one row.
 *
 * Exact between contiguous ranges, between blocks of one stride, and between a block and a contiguous range. Blocks of
 * different strides count as overlapping when the stretches from their first to their last byte do. */
#ifndef HEDDLE_CORE_RECTS_H
#define HEDDLE_CORE_RECTS_H

#include "heddle/core/port.h"

#define HD_LINE_STRIDE (1ull << 63) /* the plane of contiguous ranges */

/* A range prepared for comparison. Contiguous: n_rows 1, stride HD_LINE_STRIDE. */
typedef struct hd_span {
    uint64_t base, row_bytes, stride;
    uint32_t n_rows;
    uint32_t key; /* for callers that look spans up by a key */
} hd_span;
HD_STATIC_ASSERT(sizeof(hd_span) == 32, "two spans a line");

typedef struct hd_rect {
    uint64_t row, col, n_rows, n_cols;
} hd_rect;

/* What is wrong with a range; 0: nothing. */
#define HD_SPAN_EMPTY 1u
#define HD_SPAN_ROWS 2u   /* more than 32 bits hold */
#define HD_SPAN_STRIDE 3u /* less than a row */
#define HD_SPAN_SPACE 4u  /* reaches past the address space */

HD_FN uint32_t hd_span_fault(uint64_t base, uint64_t row_bytes, uint64_t n_rows, uint64_t stride)
{
    const uint64_t rows = n_rows > 1 ? n_rows : 1, room = UINT64_MAX - base;
    if (row_bytes == 0)
        return HD_SPAN_EMPTY;
    if (rows > UINT32_MAX)
        return HD_SPAN_ROWS;
    if (rows > 1 && stride < row_bytes)
        return HD_SPAN_STRIDE;
    if (row_bytes - 1 > room || row_bytes >= HD_LINE_STRIDE)
        return HD_SPAN_SPACE;
    if (rows > 1 && (stride > (room - (row_bytes - 1)) / (rows - 1) || stride >= HD_LINE_STRIDE))
        return HD_SPAN_SPACE;
    return 0;
}

/* For a range without a fault. A block without gaps becomes contiguous. */
HD_FN hd_span hd_span_of(uint64_t base, uint64_t row_bytes, uint64_t n_rows, uint64_t stride)
{
    hd_span s = {base, row_bytes, HD_LINE_STRIDE, 1, 0};
    if (n_rows > 1 && stride == row_bytes) {
        s.row_bytes *= n_rows;
    } else if (n_rows > 1) {
        s.n_rows = (uint32_t)n_rows;
        s.stride = stride;
    }
    return s;
}

HD_FN uint64_t hd_span_last(const hd_span *s)
{
    return s->base + (s->n_rows - 1) * (s->n_rows > 1 ? s->stride : 0) + s->row_bytes - 1;
}

HD_FN hd_rect hd_rect_of(uint64_t row, uint64_t col, uint64_t n_rows, uint64_t n_cols)
{
    hd_rect r = {row, col, n_rows, n_cols};
    return r;
}

/* [first, last] in the plane of `stride`: head, full rows, tail. */
HD_FN int hd_line_rects(uint64_t first, uint64_t last, uint64_t stride, hd_rect out[3])
{
    uint64_t row, col, end_row, end_col;
    int n = 0;
    if (stride == HD_LINE_STRIDE && last < HD_LINE_STRIDE) { /* nearly always; saves two divisions */
        out[0] = hd_rect_of(0, first, 1, last - first + 1);
        return 1;
    }
    row = first / stride;
    col = first % stride;
    end_row = last / stride;
    end_col = last % stride;
    if (row == end_row) {
        out[n++] = hd_rect_of(row, col, 1, end_col - col + 1);
        return n;
    }
    if (col > 0)
        out[n++] = hd_rect_of(row++, col, 1, stride - col);
    if (end_col + 1 < stride)
        out[n++] = hd_rect_of(end_row--, 0, 1, end_col + 1);
    if (row <= end_row)
        out[n++] = hd_rect_of(row, 0, end_row - row + 1, stride);
    return n;
}

/* The rectangles of a span in the plane of `stride`; a block of another stride counts as one contiguous piece. */
HD_FN int hd_span_rects(const hd_span *s, uint64_t stride, hd_rect out[3])
{
    uint64_t row, col;
    if (s->n_rows == 1 || s->stride != stride)
        return hd_line_rects(s->base, hd_span_last(s), stride, out);
    row = s->base / stride;
    col = s->base % stride;
    if (col + s->row_bytes <= stride) {
        out[0] = hd_rect_of(row, col, s->n_rows, s->row_bytes);
        return 1;
    }
    out[0] = hd_rect_of(row, col, s->n_rows, stride - col);
    out[1] = hd_rect_of(row + 1, 0, s->n_rows, col + s->row_bytes - stride); /* columns that wrap */
    return 2;
}

HD_FN int hd_rects_meet(const hd_rect *a, const hd_rect *b)
{
    return a->row < b->row + b->n_rows && b->row < a->row + a->n_rows && a->col < b->col + b->n_cols &&
           b->col < a->col + a->n_cols;
}

HD_FN int hd_rect_within(const hd_rect *in, const hd_rect *out)
{
    return in->row >= out->row && in->row + in->n_rows <= out->row + out->n_rows && in->col >= out->col &&
           in->col + in->n_cols <= out->col + out->n_cols;
}

HD_FN int hd_spans_overlap(const hd_span *a, const hd_span *b)
{
    hd_rect ra[3], rb[3];
    const uint64_t stride = a->n_rows > 1 ? a->stride : b->stride; /* of the block, if one is a block */
    int na, nb, i, j;
    if (hd_span_last(a) < b->base || hd_span_last(b) < a->base)
        return 0;
    if (a->n_rows == 1 && b->n_rows == 1)
        return 1;
    if (a->n_rows > 1 && b->n_rows > 1 && a->stride != b->stride)
        return 1;
    na = hd_span_rects(a, stride, ra);
    nb = hd_span_rects(b, stride, rb);
    for (i = 0; i < na; i++)
        for (j = 0; j < nb; j++)
            if (hd_rects_meet(&ra[i], &rb[j]))
                return 1;
    return 0;
}

/* 1: all of `in` lies in `out`. 0 may be wrong: for two strides, or where two rectangles of `out` together cover one. */
HD_FN int hd_span_covers(const hd_span *out, const hd_span *in)
{
    hd_rect ro[3], ri[3];
    int no, ni, i, j, n = 0;
    if (out->n_rows == 1)
        return in->base >= out->base && hd_span_last(in) <= hd_span_last(out);
    if (in->n_rows > 1 && in->stride != out->stride)
        return 0;
    no = hd_span_rects(out, out->stride, ro);
    ni = hd_span_rects(in, out->stride, ri);
    for (i = 0; i < ni; i++)
        for (j = 0; j < no; j++)
            if (hd_rect_within(&ri[i], &ro[j])) {
                n++;
                break;
            }
    return n == ni;
}

#endif
