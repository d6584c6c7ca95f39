/* SPDX-License-Identifier: MIT */
/* core/layout.h - where kept cells stand in memory: by rows, or skewed.
 *
 * *Skewed* is the hybrid layout of PeerWave (Belviranli's thesis, 6.3.4). Bands of rows follow one another, and the cells of a
 * band that are computed together are stored together. A band is `lanes` lanes of `lane_rows` rows. A step takes each lane
 * `step_columns` columns further. A lane is `skew` columns behind the lane above. With a neighbour to the north-east each row
 * is one more column behind the row above (`east` is 1). A step's cells are consecutive: `together` cells of the first lane,
 * as many of the second, and so on to the last lane, then the lanes' next cells. So a warp writes one piece of memory at once.
 * Places without a cell are only at the two ends of a band and below the last row.
 *
 * By rows is the same with one lane of one row and steps of one column. */
#ifndef HEDDLE_CORE_LAYOUT_H
#define HEDDLE_CORE_LAYOUT_H

#include "heddle/core/port.h"

/* heddle_wave_desc.layout */
#define HEDDLE_LAYOUT_ROWS 0u
#define HEDDLE_LAYOUT_SKEWED 1u

/* How the kept cells of a field are stored. Made by heddle_wave_get_layout. */
typedef struct heddle_wave_layout {
    uint64_t rows, cols; /* of the field                                                                  */
    uint64_t band_cells; /* from a band's first cell to the next band's; by rows, from a row to the next  */
    uint32_t lanes, lane_rows, step_columns;
    uint32_t skew;     /* columns that a lane is behind the lane above                                  */
    uint32_t east;     /* further columns that a row is behind the row above: 0 or 1                    */
    uint32_t together; /* cells of a lane that follow one another                                       */
} heddle_wave_layout;

/* `together` for a lane of a GPU that has n cells in a step: as many as one store writes, 16 bytes. */
#define HD_LAYOUT_TOGETHER(cell_bytes, n) \
    ((cell_bytes) <= 4 && (n) % 4 == 0 ? 4 : (cell_bytes) <= 8 && (n) % 2 == 0 ? 2 : 1)

/* Steps of a band. */
HD_FN uint32_t hd_layout_steps(const heddle_wave_layout *l)
{
    const uint64_t positions = l->cols + (uint64_t)(l->lanes - 1u) * l->skew + l->lane_rows * l->east;
    return (uint32_t)((positions + l->step_columns - 1u) / l->step_columns);
}

/* Cells of a step. */
HD_FN uint32_t hd_layout_step_cells(const heddle_wave_layout *l) { return l->lanes * l->lane_rows * l->step_columns; }

/* Cells in the array of one field, places without a cell included. */
HD_FN uint64_t heddle_wave_cells(const heddle_wave_layout *l)
{
    const uint32_t band_rows = l->lanes * l->lane_rows;
    const uint64_t n_bands = (l->rows + band_rows - 1u) / band_rows;
    return n_bands ? (n_bands - 1u) * l->band_cells + (uint64_t)hd_layout_steps(l) * hd_layout_step_cells(l) : 0u;
}

/* Index of cell (i, j) in the field's array; i < rows, j < cols. */
HD_FN uint64_t heddle_wave_index(const heddle_wave_layout *l, uint64_t i, uint64_t j)
{
    const uint32_t row = (uint32_t)i, band_rows = l->lanes * l->lane_rows, in_band = row % band_rows;
    const uint32_t lane = in_band / l->lane_rows, r = in_band % l->lane_rows;
    const uint32_t position = (uint32_t)j + lane * l->skew + (r + 1u) * l->east;
    const uint32_t k = position % l->step_columns * l->lane_rows + r; /* among the lane's cells of this step */
    return row / band_rows * l->band_cells + (uint64_t)(position / l->step_columns) * hd_layout_step_cells(l) +
           (k / l->together * l->lanes + lane) * l->together + k % l->together;
}

/* The cell at `index`, the inverse of heddle_wave_index. 0: there is none. */
HD_FN int heddle_wave_place(const heddle_wave_layout *l, uint64_t index, uint64_t *i, uint64_t *j)
{
    const uint32_t step_cells = hd_layout_step_cells(l), piece = l->lanes * l->together;
    const uint64_t band = index / l->band_cells, in_band = index % l->band_cells, step = in_band / step_cells;
    const uint32_t at = (uint32_t)(in_band % step_cells), lane = at % piece / l->together;
    const uint32_t k = at / piece * l->together + at % l->together;
    const uint32_t c = k / l->lane_rows, r = k % l->lane_rows;
    *i = (band * l->lanes + lane) * l->lane_rows + r;
    *j = step * l->step_columns + c - (uint64_t)lane * l->skew - (r + 1u) * l->east; /* below 0: wraps, very large */
    return *i < l->rows && *j < l->cols;
}

/* ---- from one layout to another ---------------------------------------------------------------------------------- */

#define HD_CONVERT_ROWS 32u /* what one task converts             */
#define HD_CONVERT_COLUMNS 4096u

typedef struct hd_wave_convert {
    heddle_wave_layout from_layout, to_layout;
    const uint8_t *from;
    uint8_t *to;
} hd_wave_convert;

/* All threads convert rows `row` .. and columns `col` .. of one piece. Neighbouring threads take a patch of 4 rows by 8
 * columns: its cells are close together in either layout. */
HD_FN void hd_wave_convert_piece(const heddle_thread *thread, const hd_wave_convert *v, uint32_t row, uint32_t col,
                                 uint32_t cell_bytes)
{
    const heddle_wave_layout from = v->from_layout, to = v->to_layout;
    const uint32_t left = (uint32_t)to.cols - col, cols = left < HD_CONVERT_COLUMNS ? left : HD_CONVERT_COLUMNS;
    uint32_t n;
    for (n = thread->index; n < HD_CONVERT_ROWS * ((cols + 7u) / 8u * 8u); n += thread->team_size) {
        const uint32_t patch = n / 32u, i = row + patch % (HD_CONVERT_ROWS / 4u) * 4u + n % 4u,
                       j = col + patch / (HD_CONVERT_ROWS / 4u) * 8u + n % 32u / 4u;
        if (i < to.rows && j < to.cols)
            __builtin_memcpy(v->to + heddle_wave_index(&to, i, j) * cell_bytes,
                             v->from + heddle_wave_index(&from, i, j) * cell_bytes, cell_bytes);
    }
}

#endif
