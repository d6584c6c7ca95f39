/* SPDX-License-Identifier: MIT */
/* range_cells.c - cells: they show that no two ranges overlap, as long as that is so, without boxes (range.c). */
#include "graph/range_inside.h"

#define TOUCHED_MAX 12u /* cells: four for each rectangle of an area */
#define CROWD 9u        /* most areas that touch a cell: three by three, each larger than half of it */

/* The first area aligns the cells by its end: tiles at a grid's border are often cut at their beginning. */
static int make_cells(hd_ranges *r, const hd_span *k)
{
    cells *c = &r->cells;
    c->state = CELLS_KEPT;
    c->stride = k->stride;
    c->row_bits = bits_of(k->n_rows);
    c->col_bits = bits_of(k->row_bytes);
    c->row = (0 - k->base / k->stride - k->n_rows) & ((1ull << c->row_bits) - 1);
    c->col = (0 - k->base % k->stride - k->row_bytes) & ((1ull << c->col_bits) - 1);
    return table_new(&c->heads, 256);
}

/* Hashes of the cells that a rectangle touches. Returns their number, 0 if more than two each way. */
static uint32_t touch(const cells *c, const hd_rect *q, uint32_t *hash)
{
    uint64_t row = (q->row + c->row) >> c->row_bits, row_end = (q->row + c->row + q->n_rows - 1) >> c->row_bits;
    uint64_t first = (q->col + c->col) >> c->col_bits, col_end = (q->col + c->col + q->n_cols - 1) >> c->col_bits, col;
    uint64_t n_cols = (c->stride >> c->col_bits) + 2;
    uint32_t n = 0;
    if (row_end - row > 1 || col_end - first > 1)
        return 0;
    for (; row <= row_end; row++)
        for (col = first; col <= col_end; col++)
            hash[n++] = hash_near(row * n_cols + col);
    return n;
}

/* 1 if no area in this cell overlaps k; 0 also when the cell has too many areas. */
static int is_free(const hd_ranges *r, const hd_span *k, uint32_t hash)
{
    uint32_t s = *chain_of(&r->cells.heads, hash), n = 0;
    for (; s != HD_NONE; s = SPOT(r, s)->next)
        if (SPOT(r, s)->hash == hash && (++n > CROWD || hd_spans_overlap(&AREA(r, SPOT(r, s)->area)->span, k)))
            return 0;
    return 1;
}

/* The cells that k touches; their number, or 0 if k may not be placed there. */
static uint32_t free_cells(const hd_ranges *r, const hd_span *k, uint32_t hash[TOUCHED_MAX])
{
    hd_rect q[3];
    uint32_t n = 0, from = 0, more;
    int i, n_rects = hd_span_rects(k, k->stride, q);
    for (i = 0; i < n_rects; i++) {
        if ((more = touch(&r->cells, &q[i], hash + n)) == 0)
            return 0;
        for (n += more; from < n; from++)
            if (!is_free(r, k, hash[from]))
                return 0;
    }
    return n;
}

static void put_spot(hd_ranges *r, uint32_t s)
{
    uint32_t *chain = chain_of(&r->cells.heads, SPOT(r, s)->hash);
    SPOT(r, s)->next = *chain;
    *chain = s;
}

static int put_spots(hd_ranges *r, uint32_t a, const uint32_t *hash, uint32_t n)
{
    hd_list *spots = &r->cells.spots;
    int wider = widen(&r->cells.heads, spots->n);
    uint32_t i;
    if (wider < 0 || hd_list_room(spots, n, sizeof(spot)))
        return -1;
    for (i = 0; wider && i < spots->n; i++)
        put_spot(r, i);
    for (i = 0; i < n; i++) {
        *SPOT(r, spots->n) = (spot){a, HD_NONE, hash[i]};
        put_spot(r, (uint32_t)spots->n++);
    }
    return 0;
}

void hd_ranges_drop_cells(hd_ranges *r)
{
    hd_list_clear(&r->cells.heads);
    hd_list_clear(&r->cells.spots);
}

/* Ends the use of cells: gives boxes to all areas that were accessed. */
static int leave_cells(hd_ranges *r)
{
    uint32_t i, p = r->areas.n ? hd_ranges_plane_of(r, r->cells.stride) : LINES;
    r->cells.state = CELLS_LEFT;
    hd_ranges_drop_cells(r);
    for (i = 0; p != HD_NONE && i < r->areas.n; i++) {
        area *a = AREA(r, i);
        a->plane = p;
        a->alone = a->current = a->writer != HD_NONE || a->readers != HD_NONE;
        if (a->current && hd_ranges_put_boxes(r, i))
            return -1;
    }
    return p == HD_NONE ? -1 : 0;
}

int hd_ranges_put_in_cells(hd_ranges *r, uint32_t a, const hd_span *k)
{
    uint32_t hash[TOUCHED_MAX], n;
    if (r->cells.state == CELLS_LEFT)
        return 0;
    if (r->cells.state == CELLS_NEW && make_cells(r, k))
        return -1;
    n = k->stride == r->cells.stride ? free_cells(r, k, hash) : 0;
    if (n == 0)
        return leave_cells(r);
    return put_spots(r, a, hash, n) ? -1 : 1;
}
