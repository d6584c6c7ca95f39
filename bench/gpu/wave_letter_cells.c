/* SPDX-License-Identifier: MIT */
/* wave_letter_cells.c - implements wave_letter_cells.h. */
#undef HEDDLE_WAVE_TILES /* only schedule wave runs these */
#undef HEDDLE_WAVE_TRACE
#define HEDDLE_WAVE_FOUND_ONLY
#include "wave_letter_cells.h"

HEDDLE_FN int32_t letter_larger(int32_t a, int32_t b) { return a > b ? a : b; }

/* The north cell comes last: so along a lane's rows each cell waits for only one instruction after the cell above. */
HEDDLE_FN int32_t letter_cell(int32_t gap, int32_t n, int32_t w, int32_t both)
{
    return heddle_add_max_0(n, gap, heddle_add_max(w, gap, both));
}
HEDDLE_FN uint32_t letter_pair_cell(uint32_t gaps, uint32_t n, uint32_t w, uint32_t both)
{
    return heddle_add_max_0_2x16(n, gaps, heddle_add_max_2x16(w, gaps, both));
}

#define LETTER_SHAPE_(name, rows, columns) enum { name##_lane_rows = (rows), name##_step_columns = (columns) };

#define LETTERS_CELL(name)                                                                                    \
    HEDDLE_CELL(name, letter_params, params, uint32_t, uint32_t, int32_t, 4, HEDDLE_N | HEDDLE_W | HEDDLE_NW) \
    {                                                                                                         \
        return letter_cell(params->gap, in->n, in->w, heddle_add_dot4(in->nw, in->x, in->y));                 \
    }                                                                                                         \
    HEDDLE_FINDS(name, letter_found)                                                                          \
    HEDDLE_FIND(name, cell, i, j, found) { found->best = letter_larger(found->best, *cell); }                 \
    HEDDLE_MERGE(name, a, b) { a->best = letter_larger(a->best, b->best); }

#define PAIRS_CELL(name)                                                                                              \
    HEDDLE_CELL(name, letter_params, params, letter_pair_row, uint32_t, uint32_t, 4, HEDDLE_N | HEDDLE_W | HEDDLE_NW) \
    {                                                                                                                 \
        const uint32_t scores = heddle_pick_bytes(in->x.scores[0], in->x.scores[1], in->y);                           \
        return letter_pair_cell(params->gaps, in->n, in->w, heddle_add_2x16(in->nw, scores));                         \
    }                                                                                                                 \
    HEDDLE_FINDS(name, letter_pair_found)                                                                             \
    HEDDLE_FIND(name, cell, i, j, found) { found->best = heddle_max_2x16(found->best, *cell); }                       \
    HEDDLE_MERGE(name, a, b) { a->best = heddle_max_2x16(a->best, b->best); }

#define SPARSE_CELL(name)                                                                                       \
    HEDDLE_CELL(name, letter_params, params, letter_pair_row, uint32_t, letter_sparse, 4,                       \
                HEDDLE_N | HEDDLE_W | HEDDLE_NW)                                                                \
    {                                                                                                           \
        const uint32_t scores = heddle_pick_bytes(in->x.scores[0], in->x.scores[1], in->y);                     \
        letter_sparse cell;                                                                                     \
        cell.larger = heddle_max_2x16(in->n.scores, in->w.scores);                                              \
        cell.scores = heddle_add_max_0_2x16(cell.larger, params->gaps, heddle_add_2x16(in->nw.scores, scores)); \
        return cell;                                                                                            \
    }                                                                                                           \
    HEDDLE_FINDS(name, letter_pair_found)                                                                       \
    HEDDLE_FIND(name, cell, i, j, found)                                                                        \
    {                                                                                                           \
        if (i % 2u)                                                                                             \
            found->best = heddle_max_2x16(found->best, cell->larger);                                           \
    }                                                                                                           \
    HEDDLE_MERGE(name, a, b) { a->best = heddle_max_2x16(a->best, b->best); }

#define LETTER_TABLES(rows, columns)                                                    \
    LETTER_SHAPE_(letters_##rows##_##columns##_sw, rows, columns)                       \
    LETTER_SHAPE_(pairs_##rows##_##columns##_sw, rows, columns)                         \
    LETTER_SHAPE_(sparse_##rows##_##columns##_sw, rows, columns)                        \
    LETTERS_CELL(letters_##rows##_##columns##_sw)                                       \
    PAIRS_CELL(pairs_##rows##_##columns##_sw)                                           \
    SPARSE_CELL(sparse_##rows##_##columns##_sw)                                         \
    HEDDLE_WAVES(letters_##rows##_##columns, letter_params, LETTERS_##rows##_##columns) \
    HEDDLE_WAVES(pairs_##rows##_##columns, letter_params, PAIRS_##rows##_##columns)     \
    HEDDLE_WAVES(sparse_##rows##_##columns, letter_params, SPARSE_##rows##_##columns)
LETTER_SHAPES(LETTER_TABLES)
