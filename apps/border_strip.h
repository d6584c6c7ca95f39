/* SPDX-License-Identifier: MIT */
/* border_strip.h - border_bodies.h's tile for thread blocks: cells stay in registers, with no barrier between
 * diagonals. For dtw and sw; computes the same values as the portable version.
 *
 * A lane has a strip of k neighbouring columns, a warp a band of 32 k columns; the bands of a block's warps lie side by
 * side. A tile wider than all bands is done group by group. A lane goes down the rows, one per step, left to right in
 * each. It is one row behind the lane before it and gets that lane's last cell of the row by one shuffle. The last lane
 * of a band stores its cells in `edge`, over those that the first lane loaded there long ago. edge thus holds first the
 * tile's left border, then each band's right border, finally the tile's own. A band works in phases of STRIP_ROWS
 * steps, two phases behind the band before it, with a barrier between phases. So the band finds in edge all that it
 * needs, and no lane overwrites what others still read.
 *
 * Missing columns hold copies of their left neighbour's cells. */
#ifndef BORDER_STRIP_H
#define BORDER_STRIP_H

#include "border_bodies.h"
#include "border_cell.h"
#include "warp.h"

#define STRIP_MAX 8 /* columns of a lane */
#define STRIP_ROWS TILE_WARP

typedef struct strip {
    warp warp;
    const border_grid *g;
    const border_tile *t;
    int32_t h, w;    /* copies in registers: the compiler reloads from memory after every store */
    int32_t *matrix; /* the tile's first cell there, or NULL */
    uint32_t *rows;  /* per row: the symbol, and 16 bits for the app */
    int32_t *edge;
    int32_t first, n;            /* this lane's columns in the tile; n may be 0 */
    int32_t n_bands, lag;        /* of this group; rows from its first lane to the last of the first band */
    int32_t last;                /* the lane of this band with the last column */
    int32_t corner, next_corner; /* above and to the left of this group, and of the next */
    int32_t y[STRIP_MAX];
    int32_t cell[STRIP_MAX]; /* the strip's latest row */
    int32_t both, right;     /* above and to the left of the strip's next row; last cell of its latest row */
} strip;

/* The app's callbacks; self is its state per lane. strip_row: the upper half of row r's word. strip_columns: called
 * after the strip has a group's columns. strip_cells: row r of the strip, from its word and the cell to its left. k and
 * ragged (some n is below k) are constants. */
typedef uint32_t (*strip_row)(void *self, const strip *s, uint32_t r);
typedef void (*strip_columns)(void *self, const strip *s, int k);
typedef void (*strip_cells)(void *self, strip *s, int k, int ragged, uint32_t word, int32_t left, int32_t r);

/* ---- a tile's borders in and out ---- */

TILE_FN strip strip_of(const heddle_thread *thread, const border_grid *g, const border_tile *t)
{
    strip s;
    s.warp = warp_of(thread);
    s.g = g;
    s.t = t;
    s.h = (int32_t)t->h;
    s.w = (int32_t)t->w;
    s.matrix = g->matrix ? g->matrix + t->i * g->m + t->j : 0;
    s.rows = (uint32_t *)heddle_team_shared(thread) + STRIP_MAX_WARPS * STRIP_FOUND_BYTES / 4u + STRIP_PAD;
    s.edge = (int32_t *)(s.rows + s.h + 2u * STRIP_PAD);
    s.right = 0;
    return s;
}

TILE_FN void strip_enter(const heddle_thread *thread, strip *s, strip_row row, void *self)
{
    const int32_t *cells = (const int32_t *)(const void *)(s->g->records + s->t->record + BORDER_SUMS_BYTES);
    HEDDLE_EACH (i, s->h) {
        s->edge[i] = cells[i + 1];
        s->rows[i] = (uint16_t)s->g->x[s->t->i + (uint64_t)i] | row(self, s, (uint32_t)i) << 16;
    }
    s->next_corner = cells[0];
}

/* After the barrier behind the last phase. */
TILE_FN void strip_leave(const heddle_thread *thread, const strip *s)
{
    int32_t *cells = (int32_t *)(void *)(s->g->records + s->t->record + BORDER_SUMS_BYTES);
    HEDDLE_EACH (i, s->h)
        cells[i + 1] = s->edge[i];
    if (thread->index == 0)
        cells[0] = s->next_corner;
}

/* Loads the columns of the group that begins at `col`. A barrier must follow before any lane stores its own. */
TILE_FN void strip_group(strip *s, int32_t col, int k)
{
    const int32_t band = TILE_WARP * k, left = s->w - col, group = cell_min(left, band * (int32_t)s->warp.n);
    const int32_t mine = cell_min(group - (int32_t)s->warp.id * band, band);
    const int32_t *row = s->g->row + s->t->j;
    s->n_bands = (group + band - 1) / band;
    s->last = (mine - 1) / k;
    s->lag = (cell_min(group, band) - 1) / k;
    s->first = col + (int32_t)s->warp.thread->index * k;
    s->n = cell_max(cell_min(col + group - s->first, k), 0);
    WARP_UNROLL
    for (int c = 0; c < k; c++) {
        s->cell[c] = c < s->n ? row[s->first + c] : 0;
        s->y[c] = c < s->n ? s->g->y[s->t->j + (uint64_t)(s->first + c)] : 0;
    }
    s->corner = s->next_corner;
    s->next_corner = row[col + group - 1];
    s->both = s->first == col || s->n == 0 ? s->corner : row[s->first - 1];
}

/* Stores the group's last row. */
TILE_FN void strip_bottom(const strip *s, int k)
{
    int32_t *row = s->g->row + s->t->j + s->first;
    WARP_UNROLL
    for (int c = 0; c < k; c++)
        if (c < s->n)
            row[c] = s->cell[c];
}

/* Stores row r of the strip in the matrix, in whole sectors of memory where they are aligned. */
TILE_FN void strip_keep(const strip *s, int k, int32_t r)
{
    const uint64_t m = s->g->m;
    int32_t *to = s->matrix + (uint64_t)r * m + (uint64_t)s->first;
    if (s->n == k && m % 4u == 0 && s->t->j % 4u == 0) {
        WARP_UNROLL
        for (int c = 0; c < k; c += 4) {
            const warp_quad q = {
                {(uint32_t)s->cell[c], (uint32_t)s->cell[c + 1], (uint32_t)s->cell[c + 2], (uint32_t)s->cell[c + 3]}};
            warp_store((uint32_t *)to + c, q);
        }
        return;
    }
    WARP_UNROLL
    for (int c = 0; c < k; c++)
        if (c < s->n)
            to[c] = s->cell[c];
}

/* ---- phases ---- */

/* STRIP_ROWS steps; the first lane does rows from `chunk` on. Each step loads the next step's words. */
TILE_FN void strip_phase(strip *s, int chunk, int k, int ragged, strip_cells cells, void *self)
{
    int32_t r = chunk - (int32_t)s->warp.at, edge = s->edge[chunk];
    uint32_t word = s->rows[r];
    for (int i = 0; i < STRIP_ROWS; i++, r++) {
        const uint32_t next_word = s->rows[r + 1];
        const int32_t next_edge = s->warp.at == 0 ? s->edge[r + 1] : 0;
        int32_t left = (int32_t)warp_before(&s->warp, (uint32_t)s->right);
        left = s->warp.at == 0 ? edge : left;
        if ((uint32_t)r < (uint32_t)s->h && s->n > 0) {
            cells(self, s, k, ragged, word, left, r);
            s->both = left;
            if (s->matrix)
                strip_keep(s, k, r);
            if ((int32_t)s->warp.at == s->last)
                s->edge[r] = s->right;
        }
        word = next_word;
        edge = next_edge;
    }
}

TILE_FN void strip_phases(strip *s, int k, int ragged, strip_cells cells, void *self)
{
    const int32_t n = (s->h + s->lag + STRIP_ROWS - 1) / STRIP_ROWS, id = (int32_t)s->warp.id;
    for (int32_t p = 0; p < n + 2 * (s->n_bands - 1); p++) {
        const int32_t mine = p - 2 * id;
        if (id < s->n_bands && mine >= 0 && mine < n)
            strip_phase(s, mine * STRIP_ROWS, k, ragged, cells, self);
        else
            warp_skip(&s->warp, STRIP_ROWS);
        if (s->n_bands > 1)
            heddle_team_barrier(s->warp.thread);
    }
}

TILE_FN void strip_groups(strip *s, int k, strip_columns columns, strip_cells cells, void *self)
{
    const int32_t group = TILE_WARP * k * (int32_t)s->warp.n;
    for (int32_t col = 0; col < s->w; col += group) {
        strip_group(s, col, k);
        columns(self, s, k);
        heddle_team_barrier(s->warp.thread);
        if ((s->w - col) % k == 0)
            strip_phases(s, k, 0, cells, self);
        else
            strip_phases(s, k, 1, cells, self);
        strip_bottom(s, k);
        heddle_team_barrier(s->warp.thread);
    }
}

/* The whole tile, without the app's results. */
TILE_FN void strip_tile(const heddle_thread *thread, strip *s, strip_row row, strip_columns columns, strip_cells cells,
                        void *self)
{
    strip_enter(thread, s, row, self);
    if (s->w <= TILE_WARP * 4 * (int32_t)s->warp.n)
        strip_groups(s, 4, columns, cells, self);
    else
        strip_groups(s, 8, columns, cells, self);
    strip_leave(thread, s);
}

/* Where warp id leaves its results for lane 0; read after a barrier. */
TILE_FN void *strip_found(const heddle_thread *thread, uint32_t id)
{
    return (unsigned char *)heddle_team_shared(thread) + id * STRIP_FOUND_BYTES;
}

#endif
