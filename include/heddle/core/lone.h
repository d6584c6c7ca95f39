/* SPDX-License-Identifier: MIT */
/* core/lone.h - cells on a thread of the host: a thread is a band.
 *
 * A band is HD_LONE rows. Each row is a column behind the row above (two, with a neighbour to the north-east). So all cells
 * of a step are independent of one another, and a compiler vectorises the user's cell. A step is several vectors, because
 * each needs parts of two that the step before stored: such a load is slow, and the processor computes others meanwhile.
 * Bands hand on the words of core/wave.h.
 *
 * HD_LONE_TYPED makes the functions that know a cell's types; all others count bytes. */
#ifndef HEDDLE_CORE_LONE_H
#define HEDDLE_CORE_LONE_H

#include "heddle/core/wave.h"

/* Rows of a band; rows of a band of the skewed layout; columns kept of the row above a band, and of y. */
#if defined(HEDDLE_MODEL) && !defined(HEDDLE_EMULATE) /* few enough to be explored */
#define HD_LONE 1u
#define HD_LONE_KEPT 1u
#define HD_LONE_RING 16u
#else
#define HD_LONE 64u
#define HD_LONE_KEPT 16u
#define HD_LONE_RING 256u
#endif
#define HD_LONE_BYTES 16u                       /* of the data of a row or column, at most */
#define HD_LONE_CELL_BYTES (4u * HD_CELL_WORDS) /* of the largest cell */
#define HD_ALIGNED __attribute__((aligned(64)))

struct hd_lone;
typedef void hd_lone_granule(struct hd_lone *l, int32_t at, int ragged);

/* What the library must know of a cell's types. */
typedef struct hd_lone_type {
    uint32_t cell_bytes, south_words, row_bytes, column_bytes, found_bytes;
    uint32_t skew; /* columns that a row is behind the row above: 1, or 2 with a neighbour to the north-east */
    /* 32 steps, from step `at`; `ragged`: some of their cells are outside of the field. */
    hd_lone_granule *granule;
    hd_lone_granule *newer;                /* the same for newer processors; NULL: there is none */
    void (*merge)(void *a, const void *b); /* joins two results of cells */
    uint32_t ranks;                        /* 1: the best cell is wanted */
    uint32_t sweeps;                       /* that go together, or 0 */
    uint32_t fails;                        /* 1: cells can fail */
} hd_lone_type;

/* A band while a thread goes along it, in memory without a declared type. In rings, column c is at index c modulo the
 * ring's length. Those of y are stored backwards, and twice, so that the columns of a step's rows are consecutive. */
typedef struct hd_lone {
    const void *params;
    const hd_wave *wave;
    const hd_wave_item *item;
    const hd_lone_type *type;
    uint32_t row; /* its first row */
    hd_wave_place place;
    hd_wave_failure failure;                                           /* the first failure; code 0: none */
    HD_ALIGNED uint8_t last[4u * (HD_LONE + 1u) * HD_LONE_CELL_BYTES]; /* cells of the last steps, by row, from -1 */
    HD_ALIGNED uint8_t x[HD_LONE * HD_LONE_BYTES];
    HD_ALIGNED uint8_t above[HD_LONE_RING * HD_LONE_CELL_BYTES];
    HD_ALIGNED uint8_t below[HD_LONE_RING * HD_LONE_CELL_BYTES]; /* is handed on */
    HD_ALIGNED uint8_t y[2u * HD_LONE_RING * HD_LONE_BYTES];
    HD_ALIGNED uint32_t found[HD_FOUND_BYTES / 4u][HD_LONE]; /* of each row, by words */
} hd_lone;

/* Columns that the row handed on is behind the row above the band. */
HD_FN uint32_t hd_lone_lag(uint32_t skew) { return HD_LONE * skew; }

/* The layout of cells kept skewed. */
HD_FN heddle_wave_layout hd_lone_layout(uint32_t skew)
{
    heddle_wave_layout layout;
    __builtin_memset(&layout, 0, sizeof layout);
    layout.lanes = HD_LONE_KEPT;
    layout.lane_rows = layout.step_columns = layout.together = 1;
    layout.skew = skew;
    layout.east = skew - 1u;
    return layout;
}

/* hd_layout_steps of that layout. */
HD_FN uint32_t hd_lone_steps(uint32_t cols, uint32_t skew) { return cols + (HD_LONE_KEPT - 1u) * skew + skew - 1u; }

/* ---- functions that know the types ------------------------------------------------------------------------------ */

/* The cells of a band's rows in an array of HD_LONE + 1 cells: one after the other. Cells of several sweeps are stored
 * value by value, so that the rows' values are neighbours. */
#define HD_LONE_ROWS_(name)                                                                                  \
    HD_BODY_FN name##_cell_t_ name##_lone_get_(const name##_cell_t_ *cells, uint32_t v) { return cells[v]; } \
    HD_BODY_FN void name##_lone_set_(name##_cell_t_ *cells, uint32_t v, const name##_cell_t_ *cell)          \
    {                                                                                                        \
        cells[v] = *cell;                                                                                    \
    }
#define HD_LONE_PLANES_(name)                                                                       \
    HD_BODY_FN name##_cell_t_ name##_lone_get_(const name##_cell_t_ *cells, uint32_t v)             \
    {                                                                                               \
        const name##_value_t_ *values = cells->at;                                                  \
        name##_cell_t_ cell;                                                                        \
        uint32_t t;                                                                                 \
        HD_UNROLL_SWEEPS                                                                            \
        for (t = 0; t <= name##_sweeps_; t++)                                                       \
            cell.at[t] = values[t * (HD_LONE + 1u) + v];                                            \
        return cell;                                                                                \
    }                                                                                               \
    HD_BODY_FN void name##_lone_set_(name##_cell_t_ *cells, uint32_t v, const name##_cell_t_ *cell) \
    {                                                                                               \
        name##_value_t_ *values = cells->at;                                                        \
        uint32_t t;                                                                                 \
        HD_UNROLL_SWEEPS                                                                            \
        for (t = 0; t <= name##_sweeps_; t++)                                                       \
            values[t * (HD_LONE + 1u) + v] = cell->at[t];                                           \
    }

/* A step: each row moves on by a column; j: row 0's. Arrays begin with the row above; f, g, h: the last three steps. */
#define HD_LONE_STEP_(name)                                                                                      \
    HD_BODY_FN void name##_lone_step_(                                                                           \
        const name##_wave_params_ *__restrict params, const name##_cell_t_ *__restrict f,                        \
        const name##_cell_t_ *__restrict g, const name##_cell_t_ *__restrict h, name##_cell_t_ *__restrict next, \
        const name##_row_t_ *__restrict x, const name##_column_t_ *__restrict y, uint32_t i, uint32_t j,         \
        const name##_value_t_ *__restrict start, const hd_wave_item *item, int edges,                            \
        uint32_t(*__restrict failed)[name##_fails_ + 1])                                                         \
    {                                                                                                            \
        enum { east = (name##_neighbours_ & HEDDLE_NE) != 0, skew = 1 + east };                                  \
        const uint32_t rows = hd_wave_inner(item->whole_rows), cols = hd_wave_inner(item->field_cols);           \
        uint32_t v;                                                                                              \
        for (v = 0; v < HD_LONE; v++) {                                                                          \
            name##_in_ in;                                                                                       \
            name##_cell_t_ cell;                                                                                 \
            in.nw = name##_lone_get_(east ? f : g, v);                                                           \
            in.n = name##_lone_get_(east ? g : h, v);                                                            \
            in.ne = name##_lone_get_(h, v);                                                                      \
            in.w = name##_lone_get_(h, v + 1u);                                                                  \
            in.x = x[v];                                                                                         \
            in.y = y[v * skew];                                                                                  \
            in.i = item->row_at + i + v;                                                                         \
            in.j = j - v * skew;                                                                                 \
            name##_start_(&in, start + v, rows, cols, edges);                                                    \
            if (name##_fails_)                                                                                   \
                in.failed_ = &failed[v];                                                                         \
            cell = name##_cell_(params, &in);                                                                    \
            name##_lone_set_(next, v + 1u, &cell);                                                               \
        }                                                                                                        \
    }

/* Joins the failures of a step's cells, two words a row; cells outside of the field do not count. */
HD_FN void hd_lone_failed(hd_lone *l, const uint32_t *failed, uint32_t i, uint32_t j)
{
    uint32_t v;
    for (v = 0; v < HD_LONE; v++, failed += 2, i++, j -= l->type->skew)
        if (failed[0] && i < l->item->rows && j < l->item->cols) {
            const hd_wave_failure f = hd_failure_of(l->item, i, j, failed);
            hd_failure_join(&l->failure, &f);
        }
}

/* Copies cell (i, j) to the last row or column if the user wants these. */
HD_FN void hd_lone_leave(const hd_lone *l, uint32_t i, uint32_t j, const void *cell)
{
    const uint32_t n = l->type->cell_bytes;
    if (l->wave->last_row && i == l->item->rows - 1u)
        __builtin_memcpy(l->wave->last_row + (l->item->last_row_at + j) * n, cell, n);
    if (l->wave->last_col && j == l->item->cols - 1u)
        __builtin_memcpy(l->wave->last_col + (l->item->last_col_at + i) * n, cell, n);
}

/* Skewed, the cells that HD_LONE_KEPT rows have in a step are consecutive. Keeps those of a granule, from step `step`. */
HD_FN void hd_lone_keep_skewed(const hd_lone *l, const void *cells, uint32_t step)
{
    const hd_wave_item *item = l->item;
    const uint32_t bytes = l->type->cell_bytes, n = HD_LONE_KEPT * bytes, skew = l->type->skew;
    const uint32_t n_steps = hd_lone_steps(item->cols, skew);
    uint32_t v, k, at;
    for (v = 0; v < HD_LONE && l->row + v < item->rows; v += HD_LONE_KEPT) {
        uint8_t *band = l->wave->cells + (item->cells_at + (l->row + v) / HD_LONE_KEPT * item->band_cells) * bytes;
        for (k = 0; k < HD_WAVE_GRANULE; k++)
            if ((at = step + k - v * skew) < n_steps)
                __builtin_memcpy(band + (uint64_t)at * n, (const uint8_t *)cells + (k * HD_LONE + v) * bytes, n);
    }
}

/* Keeps the cells of a granule that are in the field; row 0's first cell is (i, j). Row by row, because the rows' stride may
 * leave a cache no room for a line of each. */
#define HD_LONE_KEEP_(name)                                                                                   \
    HEDDLE_UNUSED static void name##_lone_keep_(const hd_lone *l, name##_cell_t_(*kept)[HD_LONE], uint32_t i, \
                                                int32_t j)                                                    \
    {                                                                                                         \
        enum { skew = 1 + ((name##_neighbours_ & HEDDLE_NE) != 0) };                                          \
        name##_cell_t_ *cells = (name##_cell_t_ *)(void *)l->wave->cells + l->item->cells_at;                 \
        uint32_t v, k;                                                                                        \
        for (v = 0; v < HD_LONE && i < l->item->rows; v++, i++, j -= skew)                                    \
            for (k = 0; k < HD_WAVE_GRANULE; k++)                                                             \
                if ((uint32_t)j + k < l->item->cols)                                                          \
                    cells[i * l->item->row_cells + ((uint32_t)j + k)] = kept[k][v];                           \
    }

/* Values of a field that other threads sweep, too. A value is read before it is overwritten because of the words that
 * bands hand on, not because of an order that a compiler knows. */
HD_FN void hd_lone_load(void *to, const void *from, uint32_t n_bytes)
{
    uint32_t w, word;
    for (w = 0; w < n_bytes / 4u; w++) {
        word = HD_LOAD((uint32_t *)(uintptr_t)from + w, RELAXED, DEV);
        __builtin_memcpy((char *)to + 4u * w, &word, 4);
    }
}
HD_FN void hd_lone_store(void *to, const void *from, uint32_t n_bytes)
{
    uint32_t w, word;
    for (w = 0; w < n_bytes / 4u; w++) {
        __builtin_memcpy(&word, (const char *)from + 4u * w, 4);
        HD_STORE((uint32_t *)to + w, word, RELAXED, DEV);
    }
}

/* Sweeps: loads the field's values for the steps of a granule, and stores those of the last sweep; row 0's first cell
 * is (i, j). Row by row, because the rows' stride may leave a cache no room for a line of each. */
#define HD_LONE_SWEEP_(name)                                                                                     \
    HEDDLE_UNUSED static void name##_lone_bring_(const hd_lone *l, name##_value_t_(*start)[HD_LONE], uint32_t i, \
                                                 int32_t j, int ragged)                                          \
    {                                                                                                            \
        const hd_wave_item *item = l->item;                                                                      \
        const name##_value_t_ *field = (const name##_value_t_ *)(const void *)l->wave->field + item->cells_at;   \
        uint32_t v, k;                                                                                           \
        i -= item->absent_rows;                                                                                  \
        for (v = 0; v < HD_LONE; v++, i++, j--)                                                                  \
            for (k = 0; k < HD_WAVE_GRANULE; k++)                                                                \
                if (!ragged || (i < item->field_rows && (uint32_t)j + k < item->field_cols))                     \
                    hd_lone_load(&start[k][v], field + i * item->row_cells + ((uint32_t)j + k), sizeof *field);  \
    }                                                                                                            \
    HEDDLE_UNUSED static void name##_lone_put_(const hd_lone *l, name##_value_t_(*left)[HD_LONE], uint32_t i,    \
                                               int32_t j, int ragged)                                            \
    {                                                                                                            \
        const hd_wave_item *item = l->item;                                                                      \
        const uint32_t rows = hd_wave_left_rows(item), cols = hd_wave_inner(item->field_cols);                   \
        name##_value_t_ *field = (name##_value_t_ *)(void *)l->wave->field + item->cells_at;                     \
        int64_t at;                                                                                              \
        uint32_t v, k;                                                                                           \
        i -= item->sweeps;                                                                                       \
        j -= (int32_t)item->sweeps;                                                                              \
        at = ((int64_t)(int32_t)i - (int64_t)item->absent_rows) * (int64_t)item->row_cells;                      \
        for (v = 0; v < HD_LONE; v++, i++, j--, at += (int64_t)item->row_cells)                                  \
            for (k = 0; k < HD_WAVE_GRANULE; k++)                                                                \
                if (!ragged || (item->row_at + i - 1u < rows && (uint32_t)j + k - 1u < cols))                    \
                    hd_lone_store(field + (at + j + (int32_t)k), &left[k][v], sizeof *field);                    \
    }                                                                                                            \
    HD_BODY_FN void name##_lone_left_(const hd_lone *l, const name##_cell_t_ *next, name##_value_t_ *left)       \
    {                                                                                                            \
        const name##_value_t_ *values =                                                                          \
            (const name##_value_t_ *)(const void *)next + l->item->sweeps * (HD_LONE + 1u) + 1;                  \
        uint32_t v;                                                                                              \
        for (v = 0; v < HD_LONE; v++)                                                                            \
            left[v] = values[v];                                                                                 \
    }

/* Adds one more cell to the result of a row; `found` begins with that row. By words, so that vectors go over rows. */
#define HD_LONE_FIND_(name)                                                                                \
    HD_BODY_FN void name##_lone_find_(const name##_cell_t_ *cell, uint32_t i, uint32_t j, uint32_t *found) \
    {                                                                                                      \
        name##_found_t_ f;                                                                                 \
        uint32_t w;                                                                                        \
        for (w = 0; w < sizeof f / 4u; w++)                                                                \
            __builtin_memcpy((char *)&f + 4u * w, found + w * HD_LONE, 4);                                 \
        name##_find_(cell, i, j, &f);                                                                      \
        for (w = 0; w < sizeof f / 4u; w++)                                                                \
            __builtin_memcpy(found + w * HD_LONE, (char *)&f + 4u * w, 4);                                 \
    }

/* The same if the best cell is wanted: `found` holds its rank and column. */
#define HD_LONE_BEST_(name)                                                                    \
    HD_BODY_FN void name##_lone_best_(const name##_cell_t_ *cell, uint32_t j, uint32_t *found) \
    {                                                                                          \
        const int rank = name##_rank_(cell), is_better = rank > (int)found[0];                 \
        found[0] = is_better ? (uint32_t)rank : found[0];                                      \
        found[HD_LONE] = is_better ? j : found[HD_LONE];                                       \
    }

/* A step in which row 0's cell is in column j: rows before `first` are behind the last column, rows from `end` on before the
 * first column. */
typedef struct hd_lone_span {
    uint32_t first, end;
} hd_lone_span;
HD_FN hd_lone_span hd_lone_span_of(int32_t j, uint32_t cols, uint32_t skew)
{
    hd_lone_span s = {0, 0};
    if (j < 0)
        return s;
    if ((uint32_t)j >= cols)
        s.first = ((uint32_t)j - cols) / skew + 1u;
    s.end = (uint32_t)j / skew + 1u;
    s.first = s.first < HD_LONE ? s.first : HD_LONE;
    s.end = s.end < HD_LONE ? s.end : HD_LONE;
    return s;
}

/* After a step: adds the cells of rows first .. end - 1 to their results; row 0's cell is (i, j). */
#define HD_LONE_LOOK_(name)                                                                                          \
    HD_BODY_FN void name##_lone_look_(const name##_cell_t_ *__restrict next, uint32_t i, uint32_t j, uint32_t first, \
                                      uint32_t end, uint32_t *__restrict found)                                      \
    {                                                                                                                \
        enum { skew = 1 + ((name##_neighbours_ & HEDDLE_NE) != 0) };                                                 \
        uint32_t v;                                                                                                  \
        if (name##_finds_ == HD_FINDS_BEST)                                                                          \
            for (v = first; v < end; v++)                                                                            \
                name##_lone_best_(&next[v + 1u], j - v * skew, found + v);                                           \
        if (name##_finds_ == HD_FINDS_OWN)                                                                           \
            for (v = first; v < end; v++)                                                                            \
                name##_lone_find_(&next[v + 1u], i + v, j - v * skew, found + v);                                    \
    }

/* After a step with cells outside of the field: gives these the values that their neighbours need. */
#define HD_LONE_AFTER_(name)                                                                                      \
    HEDDLE_UNUSED static void name##_lone_after_(const hd_lone *l, const name##_cell_t_ *h, name##_cell_t_ *next, \
                                                 uint32_t i, int32_t j, uint32_t *found)                          \
    {                                                                                                             \
        enum { east = (name##_neighbours_ & HEDDLE_NE) != 0, skew = 1 + east };                                   \
        const uint32_t cols = l->item->cols, rows = l->item->rows > i ? l->item->rows - i : 0u;                   \
        hd_lone_span s = hd_lone_span_of(j, cols, skew);                                                          \
        uint32_t v;                                                                                               \
        for (v = 0; v < s.first; v++)                                                                             \
            next[v + 1u] = h[v + 1u];                                                                             \
        for (v = s.end; v < HD_LONE; v++)                                                                         \
            next[v + 1u] = h[v + 1u];                                                                             \
        if (east && s.first && (uint32_t)j - (s.first - 1u) * skew == cols)                                       \
            __builtin_memcpy(&next[s.first], l->wave->east_cell, sizeof *next);                                   \
        s.end = s.end < rows ? s.end : rows;                                                                      \
        if (s.first >= s.end)                                                                                     \
            return;                                                                                               \
        hd_lone_leave(l, i + s.first, (uint32_t)j - s.first * skew, &next[s.first + 1u]);                         \
        hd_lone_leave(l, i + s.end - 1u, (uint32_t)j - (s.end - 1u) * skew, &next[s.end]);                        \
        name##_lone_look_(next, l->item->row_at + i, (uint32_t)j, s.first, s.end, found);                         \
    }

/* Sweeps: rows before their first column keep the cell to the west. */
#define HD_LONE_HOLD_(name)                                                                                      \
    HEDDLE_UNUSED static void name##_lone_hold_(const hd_lone *l, const name##_cell_t_ *h, name##_cell_t_ *next, \
                                                int32_t j)                                                       \
    {                                                                                                            \
        const hd_lone_span s = hd_lone_span_of(j, l->item->cols, 1);                                             \
        name##_cell_t_ cell;                                                                                     \
        uint32_t v;                                                                                              \
        for (v = s.end; v < HD_LONE; v++) {                                                                      \
            cell = name##_lone_get_(h, v + 1u);                                                                  \
            name##_lone_set_(next, v + 1u, &cell);                                                               \
        }                                                                                                        \
    }

/* On x86-64, granules are compiled a second time, for vectors twice as long. These also have an instruction for the larger
 * of two 32-bit numbers. A thread takes what its processor has. No fused multiplication: the bytes are the same.
 * HEDDLE_WAVE_OLDEST leaves the second out. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__AVX2__) && !defined(__CUDACC__) && \
    !defined(HEDDLE_MODEL) && !defined(HEDDLE_WAVE_OLDEST)
#define HD_LONE_NEWER_(name) HD_LONE_GRANULE_(name, newer, __attribute__((target("avx2"))))
#define HD_LONE_NEWER_OF_(name) name##_lone_newer_
HD_FN hd_lone_granule *hd_lone_granule_of(const hd_lone_type *t)
{
    return __builtin_cpu_supports("avx2") ? t->newer : t->granule;
}
#else
#define HD_LONE_NEWER_(name)
#define HD_LONE_NEWER_OF_(name) NULL
HD_FN hd_lone_granule *hd_lone_granule_of(const hd_lone_type *t) { return t->granule; }
#endif

#define HD_LONE_TYPED(name)                        \
    HD_LONE_STEP_(name)                            \
    HD_LONE_KEEP_(name)                            \
    HD_LONE_SWEEP_(name)                           \
    HD_LONE_FIND_(name)                            \
    HD_LONE_BEST_(name)                            \
    HD_LONE_LOOK_(name)                            \
    HD_LONE_AFTER_(name)                           \
    HD_LONE_HOLD_(name)                            \
    HD_LONE_TURN_(name)                            \
    HD_LONE_GRANULE_(name, granule, HEDDLE_UNUSED) \
    HD_LONE_NEWER_(name)

/* Copies the columns of y that the first row reaches in a granule. */
#define HD_LONE_TURN_(name)                                                                                            \
    HD_BODY_FN void name##_lone_columns_(hd_lone *l, uint32_t from)                                                    \
    {                                                                                                                  \
        const name##_column_t_ *all = (const name##_column_t_ *)(const void *)l->wave->y;                              \
        name##_column_t_ *y = (name##_column_t_ *)(void *)l->y;                                                        \
        uint32_t c, at;                                                                                                \
        for (c = from; all && c < from + HD_WAVE_GRANULE && c < l->item->cols; c++) {                                  \
            at = HD_LONE_RING - 1u - (c & (HD_LONE_RING - 1u));                                                        \
            y[at] = y[at + HD_LONE_RING] = all[l->item->y_at + c];                                                     \
        }                                                                                                              \
    }                                                                                                                  \
    HD_BODY_FN void name##_lone_turn_(hd_lone *l, int32_t at, int ragged, const name##_cell_t_ *f,                     \
                                      const name##_cell_t_ *g, const name##_cell_t_ *h, name##_cell_t_ *next,          \
                                      const name##_row_t_ *x, uint32_t *__restrict found,                              \
                                      const name##_value_t_ *start, name##_value_t_ *left, name##_cell_t_ *kept)       \
    {                                                                                                                  \
        enum { skew = 1 + ((name##_neighbours_ & HEDDLE_NE) != 0) };                                                   \
        const int has_sweeps = name##_sweeps_ > 0;                                                                     \
        const uint32_t i = l->row;                                                                                     \
        const int32_t j = at - skew; /* of row 0 */                                                                    \
        const name##_wave_params_ *params = (const name##_wave_params_ *)l->params;                                    \
        const name##_column_t_ *y =                                                                                    \
            (const name##_column_t_ *)(const void *)l->y + HD_LONE_RING - 1u - ((uint32_t)j & (HD_LONE_RING - 1u));    \
        name##_cell_t_ *below = (name##_cell_t_ *)(void *)l->below;                                                    \
        uint32_t failed[HD_LONE][name##_fails_ + 1];                                                                   \
        if (name##_fails_)                                                                                             \
            __builtin_memset(failed, 0, sizeof failed);                                                                \
        name##_lone_set_(next, 0,                                                                                      \
                         (const name##_cell_t_ *)(const void *)l->above + ((uint32_t)at & (HD_LONE_RING - 1u)));       \
        if (has_sweeps && ragged)                                                                                      \
            name##_lone_step_(params, f, g, h, next, x, y, i, (uint32_t)j, start, l->item, HD_EDGES_ALL, failed);      \
        else                                                                                                           \
            name##_lone_step_(params, f, g, h, next, x, y, i, (uint32_t)j, start, l->item, HD_EDGES_NONE, failed);     \
        if (name##_fails_)                                                                                             \
            hd_lone_failed(l, failed[0], i, (uint32_t)j);                                                              \
        if (has_sweeps && ragged)                                                                                      \
            name##_lone_hold_(l, h, next, j);                                                                          \
        if (has_sweeps)                                                                                                \
            name##_lone_left_(l, next, left);                                                                          \
        else if (ragged)                                                                                               \
            name##_lone_after_(l, h, next, i, j, found);                                                               \
        else                                                                                                           \
            name##_lone_look_(next, l->item->row_at + i, (uint32_t)j, 0, HD_LONE, found);                              \
        if (!has_sweeps && l->wave->cells)                                                                             \
            __builtin_memcpy(kept, &next[1], HD_LONE * sizeof *kept);                                                  \
        below[(uint32_t)(j - (int32_t)(HD_LONE - 1u) * skew) & (HD_LONE_RING - 1u)] = name##_lone_get_(next, HD_LONE); \
    }

#define HD_LONE_GRANULE_(name, which, how)                                                                          \
    how static void name##_lone_##which##_(struct hd_lone *l, int32_t at, int ragged)                               \
    {                                                                                                               \
        HD_ALIGNED name##_cell_t_ last[4][HD_LONE + 1u];                                                            \
        HD_ALIGNED name##_row_t_ x[HD_LONE];                                                                        \
        HD_ALIGNED uint32_t found[sizeof(name##_found_t_) / 4u][HD_LONE];                                           \
        enum {                                                                                                      \
            sweep_steps = name##_sweeps_ > 0 ? HD_WAVE_GRANULE : 1,                                                 \
            steps = name##_sweeps_ > 0 ? 1 : HD_WAVE_GRANULE                                                        \
        };                                                                                                          \
        name##_value_t_ start[sweep_steps][HD_LONE], left[sweep_steps][HD_LONE];                                    \
        name##_cell_t_ kept[steps][HD_LONE];                                                                        \
        const int has_sweeps = name##_sweeps_ > 0;                                                                  \
        const int32_t from = at;                                                                                    \
        uint32_t k;                                                                                                 \
        if (has_sweeps && ragged) /* outside of the field */                                                        \
            __builtin_memset(start, 0, sizeof start);                                                               \
        if (has_sweeps)                                                                                             \
            name##_lone_bring_(l, start, l->row, at - 1, ragged);                                                   \
        __builtin_memcpy(last, l->last, sizeof last);                                                               \
        __builtin_memcpy(x, l->x, sizeof x);                                                                        \
        __builtin_memcpy(found, l->found, sizeof found);                                                            \
        name##_lone_columns_(l, (uint32_t)at);                                                                      \
        for (k = 0; k < HD_WAVE_GRANULE; k += 4u, at += 4) {                                                        \
            name##_lone_turn_(l, at, ragged, last[1], last[2], last[3], last[0], x, found[0],                       \
                              start[(k + 0u) % sweep_steps], left[(k + 0u) % sweep_steps], kept[(k + 0u) % steps]); \
            name##_lone_turn_(l, at + 1, ragged, last[2], last[3], last[0], last[1], x, found[0],                   \
                              start[(k + 1u) % sweep_steps], left[(k + 1u) % sweep_steps], kept[(k + 1u) % steps]); \
            name##_lone_turn_(l, at + 2, ragged, last[3], last[0], last[1], last[2], x, found[0],                   \
                              start[(k + 2u) % sweep_steps], left[(k + 2u) % sweep_steps], kept[(k + 2u) % steps]); \
            name##_lone_turn_(l, at + 3, ragged, last[0], last[1], last[2], last[3], x, found[0],                   \
                              start[(k + 3u) % sweep_steps], left[(k + 3u) % sweep_steps], kept[(k + 3u) % steps]); \
        }                                                                                                           \
        __builtin_memcpy(l->last, last, sizeof last);                                                               \
        __builtin_memcpy(l->found, found, sizeof found);                                                            \
        if (has_sweeps)                                                                                             \
            name##_lone_put_(l, left, l->row, from - 1, ragged);                                                    \
        else if (l->wave->cells && l->item->band_cells)                                                             \
            hd_lone_keep_skewed(l, kept[0], (uint32_t)(from - 1));                                                  \
        else if (l->wave->cells)                                                                                    \
            name##_lone_keep_(l, kept, l->row, from - (1 + ((name##_neighbours_ & HEDDLE_NE) != 0)));               \
    }

/* ---- functions that count bytes --------------------------------------------------------------------------------- */

/* Cell n of an array, or the constant if there is no array. */
HD_FN const void *hd_lone_cell(const hd_lone *l, const uint8_t *array, uint64_t n, const uint32_t *constant)
{
    return array ? (const void *)(array + n * l->type->cell_bytes) : (const void *)constant;
}

/* The cell to the west of row i; for the row above the first one: the corner. */
HD_FN const void *hd_lone_west(const hd_lone *l, uint32_t i)
{
    if (i == HD_NONE)
        return l->wave->corner;
    return hd_lone_cell(l, i < l->item->rows ? l->wave->west : (const uint8_t *)0, l->item->west_at + i,
                        l->wave->west_cell);
}

/* Stores the cell of index v of a step: with sweeps value by value. */
HD_FN void hd_lone_set_last(hd_lone *l, uint32_t step, uint32_t v, const void *cell)
{
    const uint32_t n = l->type->sweeps + 1u, bytes = l->type->cell_bytes / n;
    uint8_t *cells = l->last + step * (HD_LONE + 1u) * l->type->cell_bytes;
    uint32_t t;
    for (t = 0; t < n; t++)
        __builtin_memcpy(cells + (t * (HD_LONE + 1u) + v) * bytes, (const uint8_t *)cell + t * bytes, bytes);
}

HD_FN void hd_lone_begin(hd_lone *l)
{
    const hd_lone_type *t = l->type;
    uint32_t step, v;
    __builtin_memset(&l->failure, 0, sizeof l->failure);
    for (v = 0; v < HD_LONE; v++) {
        const uint32_t i = l->row + v < l->item->rows ? l->row + v : l->item->rows - 1u;
        if (l->wave->x)
            __builtin_memcpy(l->x + v * t->row_bytes, l->wave->x + (l->item->x_at + i) * t->row_bytes, t->row_bytes);
    }
    for (step = 0; step < 4u; step++)
        for (v = 0; v <= HD_LONE; v++)
            hd_lone_set_last(l, step, v, hd_lone_west(l, l->row + v - 1u));
    __builtin_memset(l->above, 0, sizeof l->above);
    __builtin_memset(l->below, 0, sizeof l->below);
    __builtin_memset(l->y, 0, sizeof l->y);
    __builtin_memset(l->found, 0, sizeof l->found);
    for (v = 0; v < HD_LONE && t->ranks; v++)
        l->found[0][v] = (uint32_t)HD_RANK_LEAST;
}

/* The item's word of an array with one word for each item; NULL: no array. */
HD_FN uint32_t *hd_lone_count(const hd_lone *l, const uint32_t *counts)
{
    return counts ? (uint32_t *)(uintptr_t)counts + (l->item - l->wave->items) : (uint32_t *)0;
}

HD_FN hd_item_words *hd_lone_words(const hd_lone *l) { return l->wave->of_items + (l->item - l->wave->items); }

/* The first row after the band. */
HD_FN uint32_t hd_lone_end_row(const hd_lone *l)
{
    return l->item->rows - l->row < HD_LONE ? l->item->rows : l->row + HD_LONE;
}

/* Copies what is above the band in the columns of granule g from the border of the field. */
HD_FN void hd_lone_north(hd_lone *l, uint32_t g)
{
    const uint32_t n = l->type->cell_bytes, from = g * HD_WAVE_GRANULE, cols = l->item->cols;
    uint32_t c;
    for (c = from; c < from + HD_WAVE_GRANULE && c <= cols; c++)
        __builtin_memcpy(l->above + (c & (HD_LONE_RING - 1u)) * n,
                         c == cols ? (const void *)l->wave->east_cell
                                   : hd_lone_cell(l, l->wave->north, l->item->north_at + c, l->wave->north_cell),
                         n);
}

/* Waits for one word. 0: the band is over. */
HD_FN int hd_lone_wait(const heddle_thread *thread, const hd_wave_place *at, hd_pair_word *word, uint32_t tag,
                       uint32_t *value)
{
    uint32_t n;
    hd_pair_word v;
    for (n = 0; hd_wave_tag(v = HD_BORDER_LOAD(word)) != tag; n++)
        if (!hd_wave_rests(thread, at, n))
            return 0;
    hd_note_waited(thread, n);
    *value = hd_wave_value(v);
    return 1;
}

/* A row of words, from one band to another. */
typedef struct hd_lone_row {
    hd_pair_word *words; /* of position 0; NULL: there is none */
    uint32_t tag;        /* of granule 0 */
    uint32_t is_outer;   /* all granules have that tag */
} hd_lone_row;

HD_FN uint32_t hd_lone_tag(const hd_lone_row *row, uint32_t g) { return row->is_outer ? row->tag : row->tag + g; }

/* The item's row in those that waves hand on, or none. */
HD_FN hd_lone_row hd_lone_outer(const hd_lone *l, hd_outer *rows)
{
    const uint32_t pass = (uint32_t)(l->item - l->wave->items), n = l->type->south_words;
    hd_lone_row row = {0, 0, 1};
    if (rows) {
        row.words = hd_outer_row(rows, pass, l->wave->outer_cols, n) - hd_lone_lag(l->type->skew) * n;
        row.tag = HD_LOAD(&rows->run, RELAXED, SYS);
    }
    return row;
}

/* Where a band has the row above from; tag: of the band above. */
HD_FN hd_lone_row hd_lone_from(const hd_lone *l, hd_pair_word *far, uint32_t band, uint32_t tag)
{
    const hd_lone_row row = {far, tag, 0};
    return band ? row : hd_lone_outer(l, l->wave->above);
}

/* ... and where its own goes. */
HD_FN hd_lone_row hd_lone_to(const hd_lone *l, hd_pair_word *far, uint32_t band, uint32_t tag)
{
    const hd_lone_row row = {far, tag, 0};
    return band + 1u < l->item->n_bands ? row : hd_lone_outer(l, l->wave->below);
}

/* Waits for the words of the band before. */
HD_FN int hd_lone_receive(hd_lone *l, const heddle_thread *thread, const hd_lone_row *from_row, uint32_t g)
{
    const hd_lone_type *t = l->type;
    const uint32_t from = g * HD_WAVE_GRANULE, end = l->item->cols + t->skew - 1u;
    uint32_t c, w, value, p;
    for (c = from; c < from + HD_WAVE_GRANULE && c < end; c++)
        for (w = 0; w < t->south_words; w++) {
            p = c + hd_lone_lag(t->skew);
            if (!hd_lone_wait(thread, &l->place, from_row->words + (uint64_t)p * t->south_words + w,
                              hd_lone_tag(from_row, p / HD_WAVE_GRANULE), &value))
                return 0;
            __builtin_memcpy(l->above + (c & (HD_LONE_RING - 1u)) * t->cell_bytes + 4u * w, &value, 4);
        }
    return 1;
}

/* Stores the words that the band hands on in granule g. */
HD_FN void hd_lone_send(const hd_lone *l, const hd_lone_row *to, uint32_t g)
{
    const hd_lone_type *t = l->type;
    uint32_t p, w, value;
    for (p = g * HD_WAVE_GRANULE; p < (g + 1u) * HD_WAVE_GRANULE; p++)
        for (w = 0; w < t->south_words; w++) {
            __builtin_memcpy(&value,
                             l->below + ((p - hd_lone_lag(t->skew)) & (HD_LONE_RING - 1u)) * t->cell_bytes + 4u * w, 4);
            HD_BORDER_STORE(to->words + (uint64_t)p * t->south_words + w, hd_wave_word(value, hd_lone_tag(to, g)));
        }
}

/* Has the granule from step `at` cells outside of the field, or, with sweeps, outside of its inner part? */
HD_FN int hd_lone_is_ragged(const hd_lone *l, uint32_t at)
{
    const hd_wave_item *item = l->item;
    const uint32_t i = l->row;
    const uint32_t rim = l->type->sweeps ? l->type->sweeps + 1u : 0u;
    /* A band that hands on to another wave has all its rows in the field. */
    const uint32_t end = rim ? item->whole_rows - item->row_at : l->wave->below ? item->rows + 1u : item->rows;
    return at < HD_LONE * l->type->skew + rim || at + HD_WAVE_GRANULE + item->sweeps > item->cols ||
           (int32_t)(item->row_at + i) < (int32_t)rim || i + HD_LONE >= end;
}

/* Joins the results of a band's rows. */
HD_FN void hd_lone_found(const hd_lone *l, void *out)
{
    const uint32_t n_words = l->type->found_bytes / 4u;
    uint32_t row[HD_FOUND_BYTES / 4u], v, w;
    __builtin_memset(out, 0, l->type->found_bytes);
    for (v = 0; v < HD_LONE && l->row + v < l->item->rows; v++) {
        for (w = 0; w < n_words; w++)
            row[w] = l->found[w][v];
        if (l->type->ranks) { /* a heddle_best */
            row[3] = row[1];
            row[2] = l->item->row_at + l->row + v;
            row[1] = (int)row[0] > HD_RANK_LEAST;
        }
        l->type->merge(out, row);
    }
}

/* Sweeps. Waits until bands first .. last of `before` have finished `need` of n granules. 0: the band is over. */
HD_FN int hd_lone_wait_gone(const hd_lone *l, const heddle_thread *thread, const hd_wave_item *before, uint32_t first,
                            uint32_t last, uint32_t need, uint32_t n)
{
    const hd_wave *wave = l->wave;
    uint32_t tries;
    for (; first <= last; first++) {
        for (tries = 0; hd_wave_gone(HD_LOAD(wave->gone + before->found_at + first, ACQUIRE, DEV),
                                     hd_wave_first_tag(wave, before, first, n)) < need;
             tries++)
            if (!hd_wave_rests(thread, &l->place, tries))
                return 0;
        hd_note_waited(thread, tries);
    }
    return 1;
}

/* Waits until the pass before has left what granule g of a band reads of the field. Before granule 0 of band 0: also
 * until the last user of the far row has read all of it. For tiles the graph's edges ensure both. */
HD_FN int hd_lone_pass(hd_lone *l, const heddle_thread *thread, uint32_t band, uint32_t g)
{
    const hd_wave *wave = l->wave;
    const hd_wave_item *item = l->item, *before;
    const uint32_t lag = hd_lone_lag(l->type->skew);
    hd_wave_bands bands;
    uint32_t n, last;
    if (item->frees != HD_NONE && band == 0 && g == 0) {
        before = wave->items + item->frees;
        n = hd_wave_granules(before->cols, lag, 0);
        last = before->n_bands - 1u;
        if (!hd_lone_wait_gone(l, thread, before, last, last, n, n))
            return 0;
    }
    if (item->before == HD_NONE)
        return 1;
    before = wave->items + item->before;
    n = hd_wave_granules(before->cols, lag, 0);
    bands = hd_wave_bands_before(item, before, band, HD_LONE);
    return hd_lone_wait_gone(l, thread, before, bands.first, bands.last, hd_wave_need(before, g, lag, n), n);
}

/* Every HD_WAVE_TELLS granules, and after the last, a band stores how many it has finished. */
HD_FN void hd_lone_tell(const hd_lone *l, uint32_t band, uint32_t tag, uint32_t g, uint32_t end)
{
    if (l->wave->n_gone && ((g + 1u) % HD_WAVE_TELLS == 0 || g + 1u == end))
        HD_STORE(l->wave->gone + l->item->found_at + band, tag + g, RELEASE, DEV);
}

/* Before granule g of a band: waits for the borders that it needs. 0: the band is over. */
HD_FN int hd_lone_borders(const hd_lone *l, const heddle_thread *thread, uint32_t band, uint32_t g)
{
    const uint32_t cols = l->item->cols, end = (g + 1u) * HD_WAVE_GRANULE;
    if (g == 0 && !hd_west_await(thread, &l->place, hd_lone_words(l), hd_lone_count(l, l->wave->west_count), l->row,
                                 hd_lone_end_row(l)))
        return 0;
    return band || hd_count_wait(thread, &l->place, hd_lone_count(l, l->wave->north_count), end < cols ? end : cols);
}

/* After the last granule. */
HD_FN void hd_lone_end(const hd_lone *l, const heddle_thread *thread, uint32_t band)
{
    if (l->type->merge && l->wave->found)
        hd_lone_found(l, l->wave->found + (l->item->found_at + band) * l->type->found_bytes);
    if (l->failure.code)
        hd_wave_fail(l->wave->words, l->wave->failures, (uint32_t)l->item->found_at + band, &l->failure);
    hd_east_raise(thread, &l->place, hd_lone_words(l), hd_lone_count(l, l->wave->last_col_count), l->row,
                  hd_lone_end_row(l));
}

/* A band checks whether it is over at its begin, where it goes on, and now and then in between. */
HD_FN int hd_lone_is_over(const hd_lone *l, const heddle_thread *thread, uint32_t g, uint32_t first)
{
    return (g == first || g % HD_WAVE_STRIDE == 0u) && hd_wave_is_over(thread, &l->place);
}

/* A band that is over before granule g, or while it waits there. */
HD_FN int hd_lone_halt(const hd_lone *l, const heddle_thread *thread, uint32_t kind, uint32_t band, uint32_t g)
{
    hd_wave_halt(thread, l->wave->words, kind, l->item->found_at + band, g * HD_WAVE_GRANULE);
    return 0;
}

/* One thread: the part's granules of a band. 0: the band is over. */
HD_FN int hd_lone_band(hd_lone *l, const heddle_thread *thread, const hd_wave_part *p, uint32_t band)
{
    const uint32_t lag = hd_lone_lag(l->type->skew), n = hd_wave_granules(l->item->cols, lag, l->type->skew - 1u);
    const uint32_t tag = l->wave->words->base + p->tag + (band - p->band) * n + 1u;
    hd_pair_word *far = l->wave->far + l->item->words_at * l->type->south_words;
    const hd_lone_row from = hd_lone_from(l, far, band, tag - n), to = hd_lone_to(l, far, band, tag);
    hd_lone_granule *const granule = hd_lone_granule_of(l->type);
    uint32_t g, first, end;
    hd_wave_span(p, band, lag, n, &first, &end);
    l->row = band * HD_LONE;
    l->place = hd_wave_place_of(l->wave, l->item, l->row);
    hd_wave_stamp(l->wave, l->item, band, 0);
    if (!p->carry)
        hd_note_band(thread, band - p->band);
    for (g = first; g < end; g++) {
        hd_wave_note(thread, l->item, g);
        if (hd_lone_is_over(l, thread, g, first))
            return hd_lone_halt(l, thread, HD_HALT_WORKS, band, g);
        if (!hd_lone_borders(l, thread, band, g))
            return hd_lone_halt(l, thread, HD_HALT_BORDER, band, g);
        if (g == 0)
            hd_lone_begin(l);
        if (l->type->sweeps && !p->carry && !hd_lone_pass(l, thread, band, g))
            return hd_lone_halt(l, thread, HD_HALT_PASS, band, g);
        if (!from.words)
            hd_lone_north(l, g);
        else if (!hd_lone_receive(l, thread, &from, g))
            return hd_lone_halt(l, thread, from.is_outer ? HD_HALT_BORDER : HD_HALT_ABOVE, band, g);
        granule(l, (int32_t)(g * HD_WAVE_GRANULE), hd_lone_is_ragged(l, g * HD_WAVE_GRANULE));
        if (to.words)
            hd_lone_send(l, &to, g);
        if (l->type->sweeps && !p->carry)
            hd_lone_tell(l, band, tag, g, end);
    }
    hd_wave_stamp(l->wave, l->item, band, 1);
    if (end == n)
        hd_lone_end(l, thread, band);
    return 1;
}

/* Joins the results of all bands of an item. */
HD_FN void hd_lone_found_item(const hd_wave *wave, uint32_t item, const hd_lone_type *type)
{
    const uint32_t n = type->found_bytes;
    uint8_t *of_bands = wave->found + wave->items[item].found_at * n;
    uint32_t b;
    for (b = 1; b < wave->items[item].n_bands; b++)
        type->merge(of_bands, of_bands + (uint64_t)b * n);
    if (wave->found_each)
        __builtin_memcpy(wave->found_each + (uint64_t)item * n, of_bands, n);
}

/* Joins the results of all items. */
HD_FN void hd_lone_found_all(const hd_wave *wave, const hd_lone_type *type)
{
    uint32_t i;
    __builtin_memset(wave->result, 0, type->found_bytes);
    for (i = 0; i < wave->n_items; i++)
        type->merge(wave->result, wave->found + wave->items[i].found_at * type->found_bytes);
}

/* The thread that ends the last part of an item joins the results of its bands. The one that ends the last item joins
 * those of all, and prepares the words for the next run. */
HD_FN void hd_lone_part_end(const heddle_thread *thread, const hd_wave *wave, uint32_t item, const hd_lone_type *type)
{
    if (HD_ADD(&wave->of_items[item].done, 1u, ACQ_REL, DEV) + 1u != wave->items[item].n_parts)
        return;
    __builtin_memset(&wave->of_items[item], 0, sizeof *wave->of_items);
    if (wave->found)
        hd_lone_found_item(wave, item, type);
    if (HD_ADD(&wave->words->done, 1u, ACQ_REL, DEV) + 1u != wave->n_items)
        return;
    if (wave->result)
        hd_lone_found_all(wave, type);
    if (type->fails)
        (void)hd_wave_conclude(thread, wave->words, wave->failures);
    hd_wave_next_run(wave, 0, 1);
}

/* The thread of a team of one: a part, its bands one after the other. A tile is of one band, and goes on with the state
 * that the tile before left. */
HD_FN void hd_lone_part(const heddle_thread *thread, const void *params, const hd_wave_part *p,
                        const hd_lone_type *type, void *near)
{
    hd_lone *l = (hd_lone *)(p->carry ? (void *)p->carry : near);
    const hd_wave *wave = p->wave;
    uint32_t b;
    if (thread->index != 0)
        return;
    l->params = params;
    l->wave = wave;
    l->item = wave->items + p->item;
    l->type = type;
    for (b = p->band; b < p->band + p->n_bands; b++)
        if (!hd_lone_band(l, thread, p, b) && HD_LOAD(&thread->fail->stop, RELAXED, DEV) != HD_STOP_NOT)
            return;
    hd_note_end(thread);
    hd_lone_part_end(thread, wave, p->item, type);
}

#endif
