/* SPDX-License-Identifier: MIT */
/* prefix_tuned.h - prefix.h's tile for thread blocks: every pixel and every cell of the table moves once, in whole
 * lines, and lanes synchronize only where sums pass between warps. The results are bitwise those of prefix_tile.
 *
 * The warps of a block take a panel of rows, up to PREFIX_ROWS each, and cross it in chunks of PREFIX_COLS columns. In
 * a chunk each lane holds four neighbouring columns of its warp's rows in registers: one load of four bytes per row.
 * Sums of columns go to the warps below (one barrier per chunk); then each warp walks down its rows. A scan over the
 * lanes turns a row's values into their prefix sums (two rows in one scan, 16 bits each). Four sums in registers, the
 * cells of the row above, add them and become the cells of this row: one store of 16 bytes. The row sums for the next
 * chunk stay in registers, too. The next chunk's pixels are loaded meanwhile. */
#ifndef PREFIX_TUNED_H
#define PREFIX_TUNED_H

#include "prefix.h"
#include "warp.h"

#define PREFIX_ROWS 12
#define PREFIX_COLS (4 * TILE_WARP)
#define PREFIX_MAX_WARPS 8u /* sums of the columns of 7 warps fit in 16 bits, and so does a row's */
HEDDLE_STATIC_ASSERT(PREFIX_SHARED_BYTES == 2u * PREFIX_MAX_WARPS * TILE_WARP * 8u, "two steps' sums of columns");

/* Tests four pixels at once for low .. high - 1, 0 <= low < high <= 256: see prefix_hits. */
typedef struct prefix_bin {
    uint32_t low, low_half, high, high_half;
} prefix_bin;

/* The values of four pixels, in four bytes. */
typedef uint32_t (*prefix_counts)(uint32_t pixels, const prefix_bin *bin);

/* A warp's rows in one panel, and copies of parameters: the compiler reloads from memory after every store. */
typedef struct prefix_part {
    const uint8_t *pixels;        /* the tile's first */
    uint32_t *table;              /* and its cell in plane 0 */
    uint64_t stride, plane_cells; /* as in the record */
    int n_planes, n_chunks, cols;
    int is_top, is_left; /* nothing lies above the tile, nothing to its left */
    int quads;           /* four columns lie in 4 and 16 aligned bytes */
    int top, first, n;   /* the panel's first row in the tile; the warp's, and how many it has */
    int n_each;          /* rows of a full warp */
} prefix_part;

/* One plane of one chunk, and the values loaded for it. */
typedef struct prefix_step {
    int plane, col, cols; /* this lane's first column in the tile; the columns from there on, 4 at most; may be < 1 */
    uint32_t pixels[PREFIX_ROWS];
    warp_quad above; /* cells of the row above the panel */
    uint32_t left;   /* chunk 0: cell to the left of the row above row `at` of the warp; lane 31: above the panel */
} prefix_step;

/* Sums to the left of the chunk. */
typedef struct prefix_left {
    uint32_t row;   /* lane i: of row i of the warp */
    uint32_t above; /* of the panel's rows above the warp's */
} prefix_left;

TILE_FN uint32_t prefix_dot(uint32_t bytes, uint32_t mask, uint32_t sum)
{
#if defined(__CUDA_ARCH__)
    return __dp4a(bytes, mask, sum);
#else
    for (int i = 0; i < 32; i += 8)
        sum += (bytes >> i & 0xffu) * (mask >> i & 0xffu);
    return sum;
#endif
}

/* ---- bins ---- */

/* v in each byte of a word, less 128 where it is 128 or more; *half: all ones where it is less. */
TILE_FN uint32_t prefix_bound(uint32_t v, uint32_t *half)
{
    *half = v < 128u ? 0xffffffffu : 0u;
    return (v < 128u ? v : v - 128u) * 0x01010101u;
}

TILE_FN prefix_bin prefix_bin_of(uint32_t p, uint32_t n_planes)
{
    prefix_bin b;
    b.low = prefix_bound(prefix_low(p, n_planes), &b.low_half);
    b.high = prefix_bound(prefix_low(p + 1u, n_planes), &b.high_half);
    return b;
}

/* The highest bit of each byte: whether the byte is at least the bound. The subtraction leaves out the highest bits, so
 * no byte borrows from the next; where the highest bits differ from the bound's, they decide. */
TILE_FN uint32_t prefix_reaches(uint32_t bytes, uint32_t bound, uint32_t half)
{
    uint32_t rest = (bytes | 0x80808080u) - bound;
    return (bytes & rest) | (half & (bytes | rest));
}

TILE_FN uint32_t prefix_hits(uint32_t pixels, const prefix_bin *b)
{
    return (prefix_reaches(pixels, b->low, b->low_half) & ~prefix_reaches(pixels, b->high, b->high_half)) >> 7 &
           0x01010101u;
}

/* ---- loading ---- */

TILE_FN uint32_t *prefix_at(const prefix_part *p, int plane, int row, int col)
{
    return p->table + (uint64_t)plane * p->plane_cells + (int64_t)row * (int64_t)p->stride + col;
}

TILE_FN uint32_t prefix_read_pixels(const prefix_part *p, const prefix_step *s, const uint8_t *at)
{
    uint32_t four = 0;
    if (p->quads)
        return *(const uint32_t *)(const void *)at;
    for (int c = 0; c < 4; c++)
        four |= c < s->cols ? (uint32_t)at[c] << 8 * c : 0u;
    return four;
}

TILE_FN warp_quad prefix_read_above(const prefix_part *p, const prefix_step *s)
{
    const uint32_t *at = prefix_at(p, s->plane, p->top - 1, s->col);
    warp_quad q = {{0, 0, 0, 0}};
    if ((p->is_top && p->top == 0) || s->cols < 1)
        return q;
    if (p->quads)
        return warp_load(at);
    for (int c = 0; c < 4; c++)
        q.v[c] = c < s->cols ? at[c] : 0u;
    return q;
}

TILE_FN uint32_t prefix_read_left(const warp *w, const prefix_part *p, int plane)
{
    int row = w->at == TILE_WARP - 1 ? p->top - 1 : p->first + (int)w->at - 1;
    if (p->is_left || p->n == 0 || row >= p->first + p->n || (row < 0 && p->is_top))
        return 0;
    return *prefix_at(p, plane, row, -1);
}

/* Step i: planes one after another, each chunk by chunk. `before` has the pixels if there is only one chunk. */
TILE_FN void prefix_read(const warp *w, const prefix_part *p, int i, prefix_step *s, const prefix_step *before)
{
    s->plane = i / p->n_chunks;
    s->col = i % p->n_chunks * PREFIX_COLS + 4 * (int)w->at;
    s->cols = p->cols - s->col;
    if (before && p->n_chunks == 1) {
        WARP_UNROLL
        for (int r = 0; r < PREFIX_ROWS; r++)
            s->pixels[r] = before->pixels[r];
    } else {
        const uint8_t *at = p->pixels + (uint64_t)p->first * p->stride + s->col;
        WARP_UNROLL
        for (int r = 0; r < PREFIX_ROWS; r++) {
            s->pixels[r] = r < p->n && s->cols > 0 ? prefix_read_pixels(p, s, at) : 0u;
            at += p->stride;
        }
    }
    s->above = prefix_read_above(p, s);
    s->left = i % p->n_chunks == 0 ? prefix_read_left(w, p, s->plane) : 0u;
}

/* ---- computing ---- */

/* Sums of this lane's columns over the warps above this one: columns 0 and 2 in sums[0], 1 and 3 in sums[1]. */
TILE_FN void prefix_above(const warp *w, int i, const uint32_t *counts, uint32_t sums[2])
{
    uint32_t *all = (uint32_t *)heddle_team_shared(w->thread) + (uint32_t)(i % 2) * 2u * PREFIX_MAX_WARPS * TILE_WARP;
    uint32_t even = 0, odd = 0;
    WARP_UNROLL
    for (int r = 0; r < PREFIX_ROWS; r++) {
        even += counts[r] & 0x00ff00ffu;
        odd += counts[r] >> 8 & 0x00ff00ffu;
    }
    all[2u * w->thread->index] = even;
    all[2u * w->thread->index + 1u] = odd;
    heddle_team_barrier(w->thread);
    sums[0] = sums[1] = 0;
    for (uint32_t v = 0; v < w->id; v++) {
        sums[0] += all[2u * (v * TILE_WARP + w->at)];
        sums[1] += all[2u * (v * TILE_WARP + w->at) + 1u];
    }
}

/* The cells of the row above the warp's first, in this lane's columns. */
TILE_FN warp_quad prefix_begin(warp *w, const prefix_step *s, prefix_left *left, const uint32_t sums[2])
{
    uint32_t run[4], scan, before;
    warp_quad q;
    run[0] = sums[0] & 0xffffu;
    run[1] = run[0] + (sums[1] & 0xffffu);
    run[2] = run[1] + (sums[0] >> 16);
    run[3] = run[2] + (sums[1] >> 16);
    scan = warp_scan(w, run[3]);
    before = scan - run[3] + left->above;
    for (int c = 0; c < 4; c++)
        q.v[c] = s->above.v[c] + before + run[c];
    left->above += warp_from(w, scan, TILE_WARP - 1);
    return q;
}

/* Turns the cells of the row above into those of row r of the warp, and stores them. */
TILE_FN void prefix_down(const prefix_part *p, const prefix_step *s, int r, uint32_t *at, uint32_t before,
                         uint32_t counts, warp_quad *q)
{
    q->v[0] = prefix_dot(counts, 0x00000001u, q->v[0] + before);
    q->v[1] = prefix_dot(counts, 0x00000101u, q->v[1] + before);
    q->v[2] = prefix_dot(counts, 0x00010101u, q->v[2] + before);
    q->v[3] = prefix_dot(counts, 0x01010101u, q->v[3] + before);
    if (r >= p->n || s->cols < 1)
        return;
    if (p->quads)
        warp_store(at, *q);
    else
        for (int c = 0; c < 4; c++)
            if (c < s->cols)
                at[c] = q->v[c];
}

TILE_FN void prefix_chunk(warp *w, const prefix_part *p, int i, const prefix_step *s, prefix_left *left,
                          prefix_counts count)
{
    const prefix_bin bin = prefix_bin_of((uint32_t)s->plane, (uint32_t)p->n_planes);
    uint32_t counts[PREFIX_ROWS], sums[2];
    uint32_t *at = prefix_at(p, s->plane, p->first, s->col);
    warp_quad q;
    WARP_UNROLL
    for (int r = 0; r < PREFIX_ROWS; r++)
        counts[r] = r < p->n ? count(s->pixels[r], &bin) : 0u;
    prefix_above(w, i, counts, sums);
    q = prefix_begin(w, s, left, sums);
    WARP_UNROLL
    for (int r = 0; r < PREFIX_ROWS; r += 2) {
        uint32_t two, scan, before, last;
        if (r >= p->n_each)
            break;
        two = prefix_dot(counts[r], 0x01010101u, 0) | prefix_dot(counts[r + 1], 0x01010101u, 0) << 16;
        scan = warp_scan(w, two);
        last = warp_from(w, scan, TILE_WARP - 1);
        before = scan - two;
        prefix_down(p, s, r, at, (before & 0xffffu) + warp_from(w, left->row, (uint32_t)r), counts[r], &q);
        prefix_down(p, s, r + 1, at + p->stride, (before >> 16) + warp_from(w, left->row, (uint32_t)r + 1u),
                    counts[r + 1], &q);
        left->row += (int)w->at == r ? last & 0xffffu : (int)w->at == r + 1 ? last >> 16 : 0u;
        at += 2u * p->stride;
    }
}

TILE_FN void prefix_panel(warp *w, const prefix_part *p, prefix_counts count)
{
    const int n = p->n_chunks * p->n_planes;
    prefix_step now, next;
    prefix_left left = {0, 0};
    prefix_read(w, p, 0, &now, 0);
    for (int i = 0; i < n; i++) {
        if (i + 1 < n)
            prefix_read(w, p, i + 1, &next, &now);
        if (i % p->n_chunks == 0) {
            left.row = warp_behind(w, now.left, 1) - now.left;
            left.above = warp_from(w, now.left, 0) - warp_from(w, now.left, TILE_WARP - 1);
        }
        prefix_chunk(w, p, i, &now, &left, count);
        now = next;
    }
}

TILE_FN prefix_part prefix_part_of(const prefix_record *params, const tile_rect *t)
{
    prefix_part p;
    p.pixels = params->pixels + tile_row(t, params->stride, 0);
    p.table = params->table + tile_row(t, params->stride, 0);
    p.stride = params->stride;
    p.plane_cells = params->plane_cells;
    p.n_planes = (int)params->n_planes;
    p.cols = (int)t->cols;
    p.n_chunks = (p.cols + PREFIX_COLS - 1) / PREFIX_COLS;
    p.is_top = t->row == 0;
    p.is_left = t->col == 0;
    p.quads = params->stride % 4u == 0 && t->col % 4u == 0 && t->cols % 4u == 0;
    return p;
}

/* The whole tile, with `quads` a constant. */
TILE_FN void prefix_panels(const heddle_thread *thread, prefix_part p, int rows, prefix_counts count, int quads)
{
    warp w = warp_of(thread);
    p.quads = quads;
    for (p.top = 0; p.top < rows; p.top += p.n_each * (int)w.n) {
        if (p.top)
            heddle_team_barrier(thread); /* other warps wrote the row above */
        p.n_each = (rows - p.top + (int)w.n - 1) / (int)w.n;
        p.n_each = p.n_each < PREFIX_ROWS ? p.n_each : PREFIX_ROWS;
        p.first = p.top + (int)w.id * p.n_each;
        p.n = rows - p.first < p.n_each ? rows - p.first : p.n_each;
        p.n = p.n > 0 ? p.n : 0;
        prefix_panel(&w, &p, count);
    }
}

/* The body; requires warp_fits(thread, PREFIX_MAX_WARPS). */
TILE_FN void prefix_tuned(const heddle_thread *thread, const prefix_record *params, const tile_rect *t,
                          prefix_counts count)
{
    const prefix_part p = prefix_part_of(params, t);
    if (p.quads)
        prefix_panels(thread, p, (int)t->rows, count, 1);
    else
        prefix_panels(thread, p, (int)t->rows, count, 0);
}

#endif
