/* SPDX-License-Identifier: MIT */
/* boxfilter_bodies.c - the body of boxfilter: the mean of the square around each pixel of a tile, rounded. Sums of columns are kept
 * from row to row. A division in single precision is exact here: the sum is a whole number below 2^24, and the quotient, below 256,
 * is further from the next whole number than rounding can move it. */
#include "boxfilter_bodies.h"

/* Sums of columns, from the first that a box of some stretch of pixels reaches to the last. Those beyond the picture's sides repeat its
 * outermost columns. */
typedef struct columns {
    uint32_t *sum;
    uint64_t first;       /* column of sum[left] */
    uint32_t left, right; /* those before are left of the picture, those from here on right of it */
    uint32_t n;
} columns;

HEDDLE_FN columns columns_of(uint32_t *sum, uint64_t at, uint32_t width, const boxfilter_record *p)
{
    const uint64_t behind = at + width + p->reach;
    columns c;
    c.sum = sum;
    c.n = width + 2u * p->reach;
    c.left = at < p->reach ? (uint32_t)(p->reach - at) : 0u;
    c.right = behind > p->cols ? c.n - (uint32_t)(behind - p->cols) : c.n;
    c.first = at < p->reach ? 0u : at - p->reach;
    return c;
}

/* The outermost rows are repeated, too. */
HEDDLE_FN const uint8_t *row_of(const boxfilter_record *p, int64_t row)
{
    const int64_t last = (int64_t)p->rows - 1, inside = row < 0 ? 0 : row > last ? last : row;
    return p->pixels + (uint64_t)inside * p->cols;
}

/* A pixel, or with minus ~0 the opposite of it. */
HEDDLE_FN uint32_t change_of(uint8_t pixel, uint32_t minus) { return (pixel ^ minus) - minus; }

HEDDLE_FN void add_alone(uint32_t *sum, const uint8_t *from, uint32_t n, uint32_t minus)
{
    for (uint32_t k = 0; k < n; k++)
        sum[k] += change_of(from[k], minus);
}

/* Adds a row to the sums, or with minus ~0 takes it away. A thread has the same columns each time, so that the next row needs no
 * barrier. */
HEDDLE_FN void add_row(const heddle_thread *thread, const columns *c, const uint8_t *row, uint32_t minus)
{
    const uint8_t *from = row + c->first;
    const uint32_t n = c->right - c->left, before = change_of(from[0], minus), behind = change_of(from[n - 1u], minus);
    uint32_t *sum = c->sum + c->left;
    if (HEDDLE_ON_HOST && thread->team_size == 1u)
        add_alone(sum, from, n, minus);
    else
        HEDDLE_EACH (k, n)
            sum[k] += change_of(from[k], minus);
    HEDDLE_EACH (k, c->left)
        c->sum[k] += before;
    HEDDLE_EACH (k, c->n - c->right)
        c->sum[c->right + (uint32_t)k] += behind;
}

HEDDLE_FN void start(const heddle_thread *thread, const columns *c, const boxfilter_record *p, int64_t row)
{
    HEDDLE_EACH (k, c->n)
        c->sum[k] = 0;
    heddle_team_barrier(thread);
    for (int64_t r = row - p->reach; r <= row + p->reach; r++)
        add_row(thread, c, row_of(p, r), 0);
    heddle_team_barrier(thread);
}

HEDDLE_FN uint8_t mean_of(uint32_t sum, float area) { return (uint8_t)(int32_t)((float)(int32_t)sum / area); }

/* A row's means by one thread: from pixel to pixel a column comes in and one goes out. */
HEDDLE_FN void row_alone(const uint32_t *column, uint8_t *out, uint32_t width, uint32_t side)
{
    uint32_t sums[BOXFILTER_WIDE], sum = side * side / 2u;
    for (uint32_t k = 0; k + 1u < side; k++)
        sum += column[k];
    for (uint32_t k = 0; k < width; k++) {
        sum += column[k + side - 1u];
        sums[k] = sum;
        sum -= column[k];
    }
    for (uint32_t k = 0; k < width; k++)
        out[k] = mean_of(sums[k], (float)(side * side));
}

HEDDLE_FN void row_together(const heddle_thread *thread, const uint32_t *column, uint8_t *out, uint32_t width,
                            uint32_t side)
{
    HEDDLE_EACH (k, width) {
        uint32_t sum = side * side / 2u;
        for (uint32_t d = 0; d < side; d++)
            sum += column[(uint32_t)k + d];
        out[k] = mean_of(sum, (float)(side * side));
    }
}

/* Rows begin to end - 1 of so many columns from `at` on. */
HEDDLE_FN void stretch(const heddle_thread *thread, const boxfilter_record *p, const heddle_span *s, uint64_t at,
                       uint32_t width)
{
    const columns c = columns_of((uint32_t *)heddle_team_shared(thread), at, width, p);
    const uint32_t side = 2u * p->reach + 1u;
    start(thread, &c, p, (int64_t)s->begin);
    for (uint64_t i = s->begin; i < s->end; i++) {
        uint8_t *out = p->means + i * p->cols + at;
        if (HEDDLE_ON_HOST && thread->team_size == 1u)
            row_alone(c.sum, out, width, side);
        else
            row_together(thread, c.sum, out, width, side);
        heddle_team_barrier(thread);
        if (i + 1u == s->end)
            return;
        add_row(thread, &c, row_of(p, (int64_t)i - p->reach), ~0u);
        add_row(thread, &c, row_of(p, (int64_t)i + 1 + p->reach), 0);
        heddle_team_barrier(thread);
    }
}

HEDDLE_LOOP(boxfilter_mean, boxfilter_record, params, s)
{
    const boxfilter_record p = *params;
    for (uint64_t at = s->begin_2; at < s->end_2; at += BOXFILTER_WIDE)
        stretch(thread, &p, s, at, (uint32_t)(s->end_2 - at < BOXFILTER_WIDE ? s->end_2 - at : BOXFILTER_WIDE));
}

HEDDLE_LOOP_TABLE(boxfilter, boxfilter_record, BOXFILTER_BODIES)
