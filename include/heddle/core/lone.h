/* SPDX-License-Identifier: MIT */
/* core/lone.h - cells on a thread of the host: a thread is a band.
 *
 * A band is HD_LONE_STRIPS strips of HD_LONE rows. The rows of a strip go along the columns one behind the other (two, with a
 * neighbour to the north-east), so that all cells of a step are independent of one another, and a compiler makes vectors of
 * the user's cell. A strip is a granule behind the strip above it, and what goes to the next band are the words of
 * core/wave.h.
 *
 * HD_LONE_TYPED makes the one function that knows the types of a cell; all else counts bytes. */
#ifndef HEDDLE_CORE_LONE_H
#define HEDDLE_CORE_LONE_H

#include "heddle/core/wave.h"

#if defined(HEDDLE_MODEL) && !defined(HEDDLE_EMULATE) /* few enough to be explored */
#define HD_LONE 1u
#define HD_LONE_STRIPS 1u
#define HD_LONE_RING 16u
#else
#define HD_LONE 16u
#define HD_LONE_STRIPS 4u
#define HD_LONE_RING 256u /* columns that are kept of what is above a strip, and of y */
#endif
#define HD_LONE_BAND (HD_LONE * HD_LONE_STRIPS) /* rows */
#define HD_LONE_BYTES 16u                       /* of what is known of a row or column, at most */
#define HD_LONE_CELL_BYTES (4u * HD_CELL_WORDS) /* of the largest cell */
#define HD_ALIGNED __attribute__((aligned(64)))

struct hd_lone;

/* What is to be known of a cell's types. */
typedef struct hd_lone_type {
    uint32_t cell_bytes, south_words, row_bytes, column_bytes, found_bytes;
    uint32_t skew; /* columns that a row is behind the row above: 1, or 2 with a neighbour to the north-east */
    /* 32 steps of a strip, from step `at`; `ragged`: some of its cells are none of the field. */
    void (*granule)(struct hd_lone *l, uint32_t strip, int32_t at, int ragged);
    void (*merge)(void *a, const void *b); /* of what cells find */
    uint32_t ranks;                        /* 1: the best cell is wanted */
    uint32_t sweeps;                       /* that go together, or 0 */
} hd_lone_type;

/* A band while a thread goes along it; in memory without a type of its own. In rings a column stands at its number modulo the
 * ring's length; those of y stand backwards, and twice, so that the columns of a step's rows follow one another. */
typedef struct hd_lone {
    const void *params;
    const hd_wave *wave;
    const hd_wave_item *item;
    const hd_lone_type *type;
    uint32_t row; /* its first */
    HD_ALIGNED uint8_t
        last[HD_LONE_STRIPS][4][(HD_LONE + 1u) * HD_LONE_CELL_BYTES]; /* cells of the last steps, by row, from -1 */
    HD_ALIGNED uint8_t x[HD_LONE_STRIPS][HD_LONE * HD_LONE_BYTES];
    HD_ALIGNED uint8_t above[HD_LONE_STRIPS + 1u][HD_LONE_RING * HD_LONE_CELL_BYTES]; /* the last one is handed on */
    HD_ALIGNED uint8_t y[2u * HD_LONE_RING * HD_LONE_BYTES];
    HD_ALIGNED uint32_t found[HD_LONE_STRIPS][HD_FOUND_BYTES / 4u][HD_LONE]; /* of each row, by words */
} hd_lone;

/* What a band hands on is so many columns behind what is above it. */
HD_FN uint32_t hd_lone_lag(uint32_t skew) { return (HD_LONE_STRIPS - 1u) * HD_WAVE_GRANULE + HD_LONE * skew; }

/* How cells are kept skewed: a strip is a band of the layout. */
HD_FN heddle_wave_layout hd_lone_layout(uint32_t skew)
{
    heddle_wave_layout layout;
    __builtin_memset(&layout, 0, sizeof layout);
    layout.lanes = HD_LONE;
    layout.lane_rows = layout.step_columns = layout.together = 1;
    layout.skew = skew;
    layout.east = skew - 1u;
    return layout;
}

/* hd_layout_steps of it. */
HD_FN uint32_t hd_lone_steps(uint32_t cols, uint32_t skew) { return cols + (HD_LONE - 1u) * skew + skew - 1u; }

/* ---- what knows the types ------------------------------------------------------------------------------------------ */

/* The cells of the rows of a strip: how they stand in an array of HD_LONE + 1 cells. One behind the other; or value by value, of
 * cells that have a value of each of several sweeps, so that the rows' are neighbours. */
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

/* A step: each row a column further; j: of row 0. Arrays begin with the row above; f, g, h are of the last three steps. */
#define HD_LONE_STEP_(name)                                                                                      \
    HD_BODY_FN void name##_lone_step_(                                                                           \
        const name##_wave_params_ *__restrict params, const name##_cell_t_ *__restrict f,                        \
        const name##_cell_t_ *__restrict g, const name##_cell_t_ *__restrict h, name##_cell_t_ *__restrict next, \
        const name##_row_t_ *__restrict x, const name##_column_t_ *__restrict y, uint32_t i, uint32_t j,         \
        const name##_value_t_ *__restrict start, const hd_wave_item *item, int edges)                            \
    {                                                                                                            \
        enum { east = (name##_neighbours_ & HEDDLE_NE) != 0, skew = 1 + east };                                  \
        const uint32_t rows = hd_wave_inner(item->field_rows), cols = hd_wave_inner(item->field_cols);           \
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
            in.i = i + v;                                                                                        \
            in.j = j - v * skew;                                                                                 \
            name##_start_(&in, start + v, rows, cols, edges);                                                    \
            cell = name##_cell_(params, &in);                                                                    \
            name##_lone_set_(next, v + 1u, &cell);                                                               \
        }                                                                                                        \
    }

/* Cell (i, j) goes where the user wants the last row or column. */
HD_FN void hd_lone_leave(const hd_lone *l, uint32_t i, uint32_t j, const void *cell)
{
    const uint32_t n = l->type->cell_bytes;
    if (l->wave->last_row && i == l->item->rows - 1u)
        __builtin_memcpy(l->wave->last_row + (l->item->last_row_at + j) * n, cell, n);
    if (l->wave->last_col && j == l->item->cols - 1u)
        __builtin_memcpy(l->wave->last_col + (l->item->last_col_at + i) * n, cell, n);
}

/* Skewed, the cells of a strip's step are neighbours; in the field's first step a cell stands at column 0. */
HD_FN void hd_lone_keep_skewed(const hd_lone *l, const void *cells, uint32_t i, uint32_t step)
{
    const hd_wave_item *item = l->item;
    const uint32_t n = HD_LONE * l->type->cell_bytes, n_steps = hd_lone_steps(item->cols, l->type->skew);
    if (i < item->rows && step < n_steps)
        __builtin_memcpy(l->wave->cells + (item->cells_at + i / HD_LONE * item->band_cells) * l->type->cell_bytes +
                             (uint64_t)step * n,
                         cells, n);
}

/* Row 0's cell of a step is (i, j), the others stand behind it: they are kept in the field. */
#define HD_LONE_KEEP_(name)                                                                                          \
    HEDDLE_UNUSED static void name##_lone_keep_(const hd_lone *l, const name##_cell_t_ *next, uint32_t i, int32_t j) \
    {                                                                                                                \
        enum { skew = 1 + ((name##_neighbours_ & HEDDLE_NE) != 0) };                                                 \
        name##_cell_t_ *cells = (name##_cell_t_ *)(void *)l->wave->cells + l->item->cells_at;                        \
        uint32_t v;                                                                                                  \
        for (v = 0; v < HD_LONE && i + v < l->item->rows; v++, j -= skew)                                            \
            if ((uint32_t)j < l->item->cols)                                                                         \
                cells[(i + v) * l->item->row_cells + (uint32_t)j] = next[v + 1u];                                    \
    }

/* A value of a field that other threads sweep, too: what has been read before it was written is so by the words that bands
 * hand on, and not by any order that a compiler knows of. */
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

/* Sweeps: what the field has for the steps of a granule, of whose first row 0's cell is (i, j), and what the last of the sweeps
 * leaves there. Row by row, because rows may stand so that a cache has no room for a line of each. */
#define HD_LONE_SWEEP_(name)                                                                                     \
    HEDDLE_UNUSED static void name##_lone_bring_(const hd_lone *l, name##_value_t_(*start)[HD_LONE], uint32_t i, \
                                                 int32_t j, int ragged)                                          \
    {                                                                                                            \
        const hd_wave_item *item = l->item;                                                                      \
        const name##_value_t_ *field = (const name##_value_t_ *)(const void *)l->wave->field + item->cells_at;   \
        uint32_t v, k;                                                                                           \
        for (v = 0; v < HD_LONE; v++, i++, j--)                                                                  \
            for (k = 0; k < HD_WAVE_GRANULE; k++)                                                                \
                if (!ragged || (i < item->field_rows && (uint32_t)j + k < item->field_cols))                     \
                    hd_lone_load(&start[k][v], field + i * item->row_cells + ((uint32_t)j + k), sizeof *field);  \
    }                                                                                                            \
    HEDDLE_UNUSED static void name##_lone_put_(const hd_lone *l, name##_value_t_(*left)[HD_LONE], uint32_t i,    \
                                               int32_t j, int ragged)                                            \
    {                                                                                                            \
        const hd_wave_item *item = l->item;                                                                      \
        const uint32_t rows = hd_wave_inner(item->field_rows), cols = hd_wave_inner(item->field_cols);           \
        name##_value_t_ *field = (name##_value_t_ *)(void *)l->wave->field + item->cells_at;                     \
        uint32_t v, k;                                                                                           \
        i -= item->sweeps;                                                                                       \
        j -= (int32_t)item->sweeps;                                                                              \
        for (v = 0; v < HD_LONE; v++, i++, j--)                                                                  \
            for (k = 0; k < HD_WAVE_GRANULE; k++)                                                                \
                if (!ragged || (i - 1u < rows && (uint32_t)j + k - 1u < cols))                                   \
                    hd_lone_store(field + i * item->row_cells + ((uint32_t)j + k), &left[k][v], sizeof *field);  \
    }                                                                                                            \
    HD_BODY_FN void name##_lone_left_(const hd_lone *l, const name##_cell_t_ *next, name##_value_t_ *left)       \
    {                                                                                                            \
        const name##_value_t_ *values =                                                                          \
            (const name##_value_t_ *)(const void *)next + l->item->sweeps * (HD_LONE + 1u) + 1;                  \
        uint32_t v;                                                                                              \
        for (v = 0; v < HD_LONE; v++)                                                                            \
            left[v] = values[v];                                                                                 \
    }

/* What the row v that `found` begins with has found, after one more cell. By words, so that vectors go over rows. */
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

/* The same of n rows of which the best cell is wanted: its rank and its column stand there. */
#define HD_LONE_BEST_(name)                                                                                            \
    HD_BODY_FN void name##_lone_best_(const name##_cell_t_ *cells, uint32_t j, uint32_t n, uint32_t *__restrict found) \
    {                                                                                                                  \
        enum { skew = 1 + ((name##_neighbours_ & HEDDLE_NE) != 0) };                                                   \
        uint32_t v;                                                                                                    \
        for (v = 0; v < n; v++) {                                                                                      \
            const int rank = name##_rank_(&cells[v]), is_better = rank > (int)found[v];                                \
            found[v] = is_better ? (uint32_t)rank : found[v];                                                          \
            found[HD_LONE + v] = is_better ? j - v * skew : found[HD_LONE + v];                                        \
        }                                                                                                              \
    }

/* After a step some of whose cells are none of the field: those get what those beside them need. */
#define HD_LONE_AFTER_(name)                                                                                      \
    HEDDLE_UNUSED static void name##_lone_after_(const hd_lone *l, const name##_cell_t_ *h, name##_cell_t_ *next, \
                                                 uint32_t i, int32_t j, uint32_t *found)                          \
    {                                                                                                             \
        enum { east = (name##_neighbours_ & HEDDLE_NE) != 0, skew = 1 + east };                                   \
        uint32_t v;                                                                                               \
        for (v = 0; v < HD_LONE; v++, j -= skew) {                                                                \
            if ((uint32_t)j >= l->item->cols) {                                                                   \
                next[v + 1u] = h[v + 1u];                                                                         \
                if (east && (uint32_t)j == l->item->cols)                                                         \
                    __builtin_memcpy(&next[v + 1u], l->wave->east_cell, sizeof *next);                            \
                continue;                                                                                         \
            }                                                                                                     \
            if (i + v >= l->item->rows)                                                                           \
                continue;                                                                                         \
            hd_lone_leave(l, i + v, (uint32_t)j, &next[v + 1u]);                                                  \
            if (name##_finds_ == HD_FINDS_BEST)                                                                   \
                name##_lone_best_(&next[v + 1u], (uint32_t)j, 1u, found + v);                                     \
            if (name##_finds_ == HD_FINDS_OWN)                                                                    \
                name##_lone_find_(&next[v + 1u], i + v, (uint32_t)j, found + v);                                  \
        }                                                                                                         \
    }

#define HD_LONE_TYPED(name)                                                                                            \
    HD_LONE_STEP_(name)                                                                                                \
    HD_LONE_KEEP_(name)                                                                                                \
    HD_LONE_SWEEP_(name)                                                                                               \
    HD_LONE_FIND_(name)                                                                                                \
    HD_LONE_BEST_(name)                                                                                                \
    HD_LONE_AFTER_(name)                                                                                               \
    HD_BODY_FN void name##_lone_turn_(const hd_lone *l, uint32_t strip, int32_t at, int ragged,                        \
                                      const name##_cell_t_ *f, const name##_cell_t_ *g, const name##_cell_t_ *h,       \
                                      name##_cell_t_ *next, const name##_row_t_ *x, uint32_t *__restrict found,        \
                                      const name##_value_t_ *start, name##_value_t_ *left)                             \
    {                                                                                                                  \
        enum { skew = 1 + ((name##_neighbours_ & HEDDLE_NE) != 0) };                                                   \
        const int has_sweeps = name##_sweeps_ > 0;                                                                     \
        const uint32_t i = l->row + strip * HD_LONE;                                                                   \
        const int32_t j = at - skew; /* of row 0 */                                                                    \
        const name##_wave_params_ *params = (const name##_wave_params_ *)l->params;                                    \
        const name##_column_t_ *y =                                                                                    \
            (const name##_column_t_ *)(const void *)l->y + HD_LONE_RING - 1u - ((uint32_t)j & (HD_LONE_RING - 1u));    \
        name##_cell_t_ *below = (name##_cell_t_ *)(void *)l->above[strip + 1u];                                        \
        uint32_t v;                                                                                                    \
        name##_lone_set_(                                                                                              \
            next, 0, (const name##_cell_t_ *)(const void *)l->above[strip] + ((uint32_t)at & (HD_LONE_RING - 1u)));    \
        if (has_sweeps && ragged)                                                                                      \
            name##_lone_step_(params, f, g, h, next, x, y, i, (uint32_t)j, start, l->item, HD_EDGES_ALL);              \
        else                                                                                                           \
            name##_lone_step_(params, f, g, h, next, x, y, i, (uint32_t)j, start, l->item, HD_EDGES_NONE);             \
        if (has_sweeps)                                                                                                \
            name##_lone_left_(l, next, left);                                                                          \
        if (!has_sweeps && ragged)                                                                                     \
            name##_lone_after_(l, h, next, i, j, found);                                                               \
        if (name##_finds_ == HD_FINDS_BEST && !ragged)                                                                 \
            name##_lone_best_(&next[1], (uint32_t)j, HD_LONE, found);                                                  \
        for (v = 0; name##_finds_ == HD_FINDS_OWN && !ragged && v < HD_LONE; v++)                                      \
            name##_lone_find_(&next[v + 1u], i + v, (uint32_t)j - v * skew, found + v);                                \
        if (!has_sweeps && l->wave->cells && l->item->band_cells)                                                      \
            hd_lone_keep_skewed(l, &next[1], i, (uint32_t)(at - 1));                                                   \
        else if (!has_sweeps && l->wave->cells)                                                                        \
            name##_lone_keep_(l, next, i, j);                                                                          \
        below[(uint32_t)(j - (int32_t)(HD_LONE - 1u) * skew) & (HD_LONE_RING - 1u)] = name##_lone_get_(next, HD_LONE); \
    }                                                                                                                  \
    HEDDLE_UNUSED static void name##_lone_granule_(struct hd_lone *l, uint32_t strip, int32_t at, int ragged)          \
    {                                                                                                                  \
        HD_ALIGNED name##_cell_t_ last[4][HD_LONE + 1u];                                                               \
        HD_ALIGNED name##_row_t_ x[HD_LONE];                                                                           \
        HD_ALIGNED uint32_t found[sizeof(name##_found_t_) / 4u][HD_LONE];                                              \
        enum { steps = name##_sweeps_ > 0 ? HD_WAVE_GRANULE : 1 };                                                     \
        name##_value_t_ start[steps][HD_LONE], left[steps][HD_LONE];                                                   \
        const int has_sweeps = name##_sweeps_ > 0;                                                                     \
        const uint32_t row = l->row + strip * HD_LONE;                                                                 \
        uint32_t k;                                                                                                    \
        if (has_sweeps && ragged) /* where there is nothing */                                                         \
            __builtin_memset(start, 0, sizeof start);                                                                  \
        if (has_sweeps)                                                                                                \
            name##_lone_bring_(l, start, row, at - 1, ragged);                                                         \
        __builtin_memcpy(last, l->last[strip], sizeof last);                                                           \
        __builtin_memcpy(x, l->x[strip], sizeof x);                                                                    \
        __builtin_memcpy(found, l->found[strip], sizeof found);                                                        \
        for (k = 0; k < HD_WAVE_GRANULE; k += 4u, at += 4) {                                                           \
            name##_lone_turn_(l, strip, at, ragged, last[1], last[2], last[3], last[0], x, found[0],                   \
                              start[(k + 0u) % steps], left[(k + 0u) % steps]);                                        \
            name##_lone_turn_(l, strip, at + 1, ragged, last[2], last[3], last[0], last[1], x, found[0],               \
                              start[(k + 1u) % steps], left[(k + 1u) % steps]);                                        \
            name##_lone_turn_(l, strip, at + 2, ragged, last[3], last[0], last[1], last[2], x, found[0],               \
                              start[(k + 2u) % steps], left[(k + 2u) % steps]);                                        \
            name##_lone_turn_(l, strip, at + 3, ragged, last[0], last[1], last[2], last[3], x, found[0],               \
                              start[(k + 3u) % steps], left[(k + 3u) % steps]);                                        \
        }                                                                                                              \
        __builtin_memcpy(l->last[strip], last, sizeof last);                                                           \
        __builtin_memcpy(l->found[strip], found, sizeof found);                                                        \
        if (has_sweeps)                                                                                                \
            name##_lone_put_(l, left, row, at - 1 - (int32_t)HD_WAVE_GRANULE, ragged);                                 \
    }

/* ---- what counts bytes ---------------------------------------------------------------------------------------------- */

/* Cell n of an array, or the constant where there is none. */
HD_FN const void *hd_lone_cell(const hd_lone *l, const uint8_t *array, uint64_t n, const uint32_t *constant)
{
    return array ? (const void *)(array + n * l->type->cell_bytes) : (const void *)constant;
}

/* What is to the west of row i; of the row above the first one: the corner. */
HD_FN const void *hd_lone_west(const hd_lone *l, uint32_t i)
{
    if (i == HD_NONE)
        return l->wave->corner;
    return hd_lone_cell(l, i < l->item->rows ? l->wave->west : (const uint8_t *)0, l->item->west_at + i,
                        l->wave->west_cell);
}

HD_FN void hd_lone_begin(hd_lone *l)
{
    const hd_lone_type *t = l->type;
    uint32_t strip, step, v;
    for (strip = 0; strip < HD_LONE_STRIPS; strip++) {
        for (v = 0; v < HD_LONE; v++) {
            uint32_t i = l->row + strip * HD_LONE + v;
            i = i < l->item->rows ? i : l->item->rows - 1u;
            if (l->wave->x)
                __builtin_memcpy(l->x[strip] + v * t->row_bytes, l->wave->x + (l->item->x_at + i) * t->row_bytes,
                                 t->row_bytes);
        }
        for (step = 0; step < 4u; step++)
            for (v = 0; v <= HD_LONE; v++)
                __builtin_memcpy(l->last[strip][0] + (step * (HD_LONE + 1u) + v) * t->cell_bytes,
                                 hd_lone_west(l, l->row + strip * HD_LONE + v - 1u), t->cell_bytes);
    }
    __builtin_memset(l->above, 0, sizeof l->above);
    __builtin_memset(l->y, 0, sizeof l->y);
    __builtin_memset(l->found, 0, sizeof l->found);
    for (strip = 0; strip < HD_LONE_STRIPS && t->ranks; strip++)
        for (v = 0; v < HD_LONE; v++)
            l->found[strip][0][v] = (uint32_t)HD_RANK_LEAST;
}

/* The columns of y that the rows of the first strip come to in granule g. */
HD_FN void hd_lone_columns(hd_lone *l, uint32_t g)
{
    const uint32_t n = l->type->column_bytes, from = g * HD_WAVE_GRANULE, cols = l->item->cols;
    uint32_t c, at;
    for (c = from; l->wave->y && c < from + HD_WAVE_GRANULE && c < cols; c++) {
        at = HD_LONE_RING - 1u - (c & (HD_LONE_RING - 1u));
        __builtin_memcpy(l->y + at * n, l->wave->y + (l->item->y_at + c) * n, n);
        __builtin_memcpy(l->y + (at + HD_LONE_RING) * n, l->y + at * n, n);
    }
}

/* The item's of a word an item; NULL: there are none. */
HD_FN uint32_t *hd_lone_count(const hd_lone *l, const uint32_t *counts)
{
    return counts ? (uint32_t *)(uintptr_t)counts + (l->item - l->wave->items) : (uint32_t *)0;
}

/* The first row behind the band. */
HD_FN uint32_t hd_lone_end_row(const hd_lone *l)
{
    return l->item->rows - l->row < HD_LONE_BAND ? l->item->rows : l->row + HD_LONE_BAND;
}

/* What is above the band in the columns of granule g, from the border of the field. */
HD_FN void hd_lone_north(hd_lone *l, uint32_t g)
{
    const uint32_t n = l->type->cell_bytes, from = g * HD_WAVE_GRANULE, cols = l->item->cols;
    uint32_t c;
    for (c = from; c < from + HD_WAVE_GRANULE && c <= cols; c++)
        __builtin_memcpy(l->above[0] + (c & (HD_LONE_RING - 1u)) * n,
                         c == cols ? (const void *)l->wave->east_cell
                                   : hd_lone_cell(l, l->wave->north, l->item->north_at + c, l->wave->north_cell),
                         n);
}

/* Waits for one word. 0: the run has been stopped. */
HD_FN int hd_lone_wait(const heddle_thread *thread, hd_pair_word *word, uint32_t tag, uint32_t *value)
{
    uint32_t n;
    hd_pair_word v;
    for (n = 0; hd_wave_tag(v = HD_BORDER_LOAD(word)) != tag; n++) {
        if (n % HD_WAVE_LOOKS == HD_WAVE_LOOKS - 1u && HD_LOAD(&thread->fail->stop, RELAXED, DEV) != HD_STOP_NOT)
            return 0;
        hd_wave_pause(n);
    }
    *value = hd_wave_value(v);
    return 1;
}

/* The same from the words of the band before; tag: of that band's first granule. */
HD_FN int hd_lone_receive(hd_lone *l, const heddle_thread *thread, hd_pair_word *words, uint32_t tag, uint32_t g)
{
    const hd_lone_type *t = l->type;
    const uint32_t from = g * HD_WAVE_GRANULE, end = l->item->cols + t->skew - 1u;
    uint32_t c, w, value, p;
    for (c = from; c < from + HD_WAVE_GRANULE && c < end; c++)
        for (w = 0; w < t->south_words; w++) {
            p = c + hd_lone_lag(t->skew);
            if (!hd_lone_wait(thread, words + (uint64_t)p * t->south_words + w, tag + p / HD_WAVE_GRANULE, &value))
                return 0;
            __builtin_memcpy(l->above[0] + (c & (HD_LONE_RING - 1u)) * t->cell_bytes + 4u * w, &value, 4);
        }
    return 1;
}

/* What the band hands on in granule g. */
HD_FN void hd_lone_send(const hd_lone *l, hd_pair_word *words, uint32_t tag, uint32_t g)
{
    const hd_lone_type *t = l->type;
    uint32_t p, w, value;
    for (p = g * HD_WAVE_GRANULE; p < (g + 1u) * HD_WAVE_GRANULE; p++)
        for (w = 0; w < t->south_words; w++) {
            __builtin_memcpy(&value,
                             l->above[HD_LONE_STRIPS] +
                                 ((p - hd_lone_lag(t->skew)) & (HD_LONE_RING - 1u)) * t->cell_bytes + 4u * w,
                             4);
            HD_BORDER_STORE(words + (uint64_t)p * t->south_words + w, hd_wave_word(value, tag + g));
        }
}

/* Are there cells among those of a granule, from step `at`, and of a strip, from row i, that are none of the field, or with sweeps
 * none of its inside? */
HD_FN int hd_lone_is_ragged(const hd_lone *l, uint32_t i, uint32_t at)
{
    const hd_wave_item *item = l->item;
    const uint32_t rim = l->type->sweeps ? l->type->sweeps + 1u : 0u;
    return at < HD_LONE * l->type->skew + rim || at + HD_WAVE_GRANULE + item->sweeps > item->cols || i < rim ||
           i + HD_LONE + item->sweeps >= item->rows;
}

/* All strips that are at it: a granule each. */
HD_FN void hd_lone_strips(hd_lone *l, uint32_t g)
{
    uint32_t strip;
    for (strip = 0; strip < HD_LONE_STRIPS && strip <= g; strip++) {
        const uint32_t at = (g - strip) * HD_WAVE_GRANULE;
        const int ragged = hd_lone_is_ragged(l, l->row + strip * HD_LONE, at);
        l->type->granule(l, strip, (int32_t)at, ragged);
    }
}

/* What the rows of a band have found. */
HD_FN void hd_lone_found(const hd_lone *l, void *out)
{
    const uint32_t n_words = l->type->found_bytes / 4u;
    uint32_t row[HD_FOUND_BYTES / 4u], v, w;
    __builtin_memset(out, 0, l->type->found_bytes);
    for (v = 0; v < HD_LONE_BAND && l->row + v < l->item->rows; v++) {
        for (w = 0; w < n_words; w++)
            row[w] = l->found[v / HD_LONE][w][v % HD_LONE];
        if (l->type->ranks) { /* a heddle_best */
            row[3] = row[1];
            row[2] = l->row + v;
            row[1] = (int)row[0] > HD_RANK_LEAST;
        }
        l->type->merge(out, row);
    }
}

/* Sweeps. Waits until bands first .. last of `before` are through with `need` of n granules. 0: the run has been stopped. */
HD_FN int hd_lone_wait_gone(const hd_wave *wave, const heddle_thread *thread, const hd_wave_item *before,
                            uint32_t first, uint32_t last, uint32_t need, uint32_t n)
{
    uint32_t tries;
    for (; first <= last; first++)
        for (tries = 0; hd_wave_gone(HD_LOAD(wave->gone + before->found_at + first, ACQUIRE, DEV),
                                     hd_wave_first_tag(wave, before, first, n)) < need;
             tries++) {
            if (tries % HD_WAVE_LOOKS == HD_WAVE_LOOKS - 1u &&
                HD_LOAD(&thread->fail->stop, RELAXED, DEV) != HD_STOP_NOT)
                return 0;
            hd_wave_pause(tries);
        }
    return 1;
}

/* What granule g of a band reads of the field has been left by the pass before; and before the first one, who had the far row has
 * read it all. Of tiles the graph says so. */
HD_FN int hd_lone_pass(hd_lone *l, const heddle_thread *thread, uint32_t band, uint32_t g)
{
    const hd_wave *wave = l->wave;
    const hd_wave_item *item = l->item, *before;
    const uint32_t lag = hd_lone_lag(l->type->skew);
    uint32_t n, last;
    if (item->frees != HD_NONE && band == 0 && g == 0) {
        before = wave->items + item->frees;
        n = hd_wave_granules(before->cols, lag, 0);
        last = before->n_bands - 1u;
        if (!hd_lone_wait_gone(wave, thread, before, last, last, n, n))
            return 0;
    }
    if (item->before == HD_NONE)
        return 1;
    before = wave->items + item->before;
    n = hd_wave_granules(before->cols, lag, 0);
    last = band + (HD_LONE_BAND - 1u + before->sweeps) / HD_LONE_BAND; /* the next one, but where bands are very low */
    last = last < before->n_bands ? last : before->n_bands - 1u;
    return hd_lone_wait_gone(wave, thread, before, band, last, hd_wave_need(before, g, lag, n), n);
}

/* Every HD_WAVE_TELLS granules, and after the last, a band says how far it is. */
HD_FN void hd_lone_tell(const hd_lone *l, uint32_t band, uint32_t tag, uint32_t g, uint32_t end)
{
    if (l->wave->n_gone && ((g + 1u) % HD_WAVE_TELLS == 0 || g + 1u == end))
        HD_STORE(l->wave->gone + l->item->found_at + band, tag + g, RELEASE, DEV);
}

/* Before granule g of a band: what borders it needs are there. 0: the run has been stopped. */
HD_FN int hd_lone_borders(const hd_lone *l, const heddle_thread *thread, uint32_t band, uint32_t g)
{
    const uint32_t cols = l->item->cols, end = (g + 1u) * HD_WAVE_GRANULE;
    if (g == 0 && !hd_count_wait(thread, hd_lone_count(l, l->wave->west_count), hd_lone_end_row(l)))
        return 0;
    return band || hd_count_wait(thread, hd_lone_count(l, l->wave->north_count), end < cols ? end : cols);
}

/* Behind the last granule. */
HD_FN void hd_lone_end(const hd_lone *l, const heddle_thread *thread, uint32_t band)
{
    if (l->type->merge && l->wave->found)
        hd_lone_found(l, l->wave->found + (l->item->found_at + band) * l->type->found_bytes);
    hd_count_raise(thread, hd_lone_count(l, l->wave->last_col_count), l->row, hd_lone_end_row(l));
}

/* One thread: what a part has of a band. 0: the run has been stopped. */
HD_FN int hd_lone_band(hd_lone *l, const heddle_thread *thread, const hd_wave_part *p, uint32_t band)
{
    const uint32_t lag = hd_lone_lag(l->type->skew), n = hd_wave_granules(l->item->cols, lag, l->type->skew - 1u);
    const uint32_t tag = l->wave->words->base + p->tag + (band - p->band) * n + 1u;
    hd_pair_word *far = l->wave->far + l->item->words_at * l->type->south_words;
    uint32_t g, end;
    hd_wave_span(p, band, lag, n, &g, &end);
    l->row = band * HD_LONE_BAND;
    for (; g < end; g++) {
        if (!hd_lone_borders(l, thread, band, g))
            return 0;
        if (g == 0)
            hd_lone_begin(l);
        if (l->type->sweeps && !p->carry && !hd_lone_pass(l, thread, band, g))
            return 0;
        hd_lone_columns(l, g);
        if (band == 0)
            hd_lone_north(l, g);
        else if (!hd_lone_receive(l, thread, far, tag - n, g))
            return 0;
        hd_lone_strips(l, g);
        if (band + 1u < l->item->n_bands)
            hd_lone_send(l, far, tag, g);
        if (l->type->sweeps && !p->carry)
            hd_lone_tell(l, band, tag, g, end);
    }
    if (end == n)
        hd_lone_end(l, thread, band);
    return 1;
}

/* What all bands of an item have found. */
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

/* ... and what all items have. */
HD_FN void hd_lone_found_all(const hd_wave *wave, const hd_lone_type *type)
{
    uint32_t i;
    __builtin_memset(wave->result, 0, type->found_bytes);
    for (i = 0; i < wave->n_items; i++)
        type->merge(wave->result, wave->found + wave->items[i].found_at * type->found_bytes);
}

/* Who ends the last part of an item joins what its bands have found; who ends the last item joins what all have, and makes the
 * words ready for the next run. */
HD_FN void hd_lone_part_end(const hd_wave *wave, uint32_t item, const hd_lone_type *type)
{
    if (HD_ADD(&wave->done[item], 1u, ACQ_REL, DEV) + 1u != wave->items[item].n_parts)
        return;
    wave->done[item] = 0;
    if (wave->found)
        hd_lone_found_item(wave, item, type);
    if (HD_ADD(&wave->words->done, 1u, ACQ_REL, DEV) + 1u != wave->n_items)
        return;
    if (wave->result)
        hd_lone_found_all(wave, type);
    hd_wave_next_run(wave, 0, 1);
}

/* The thread of a team of one: a part, whose bands go one after the other. A tile is of one band, and goes on with what the
 * tile before has left. */
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
        if (!hd_lone_band(l, thread, p, b))
            return;
    hd_lone_part_end(wave, p->item, type);
}

#endif
