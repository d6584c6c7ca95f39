/* SPDX-License-Identifier: MIT */
/* layout.c - where kept cells stand. For random layouts of threads and of warps, index and place agree with a walk
 * through the steps of all bands in memory order; each cell has one place. */
#include "check.h"
#include "heddle/wave.h"

#include <stdlib.h>

static uint64_t n_cells_seen, n_places_seen;

static heddle_wave_layout random_layout(uint64_t *row)
{
    static const uint32_t powers[] = {1, 2, 4, 8};
    heddle_wave_layout l = hd_lone_layout(1u + (uint32_t)check_below(row, 2));
    if (check_below(row, 3)) {
        l.lanes = 32;
        l.lane_rows = 1u + (uint32_t)check_below(row, 8);
        l.step_columns = powers[check_below(row, 4)];
        l.east = (uint32_t)check_below(row, 2);
        l.skew = l.step_columns + l.lane_rows * l.east;
        l.together = HD_LAYOUT_TOGETHER(4u * powers[check_below(row, 3)], l.lane_rows * l.step_columns);
    }
    l.rows = 1u + check_below(row, 600);
    l.cols = 1u + check_below(row, 200);
    l.band_cells = (uint64_t)hd_layout_steps(&l) * hd_layout_step_cells(&l);
    return l;
}

/* Place `index` must be that of cell (i, j), which may lie outside the field. */
static void check_place(const heddle_wave_layout *l, uint64_t index, int64_t i, int64_t j, uint8_t *seen)
{
    const int is_cell = i < (int64_t)l->rows && j >= 0 && j < (int64_t)l->cols;
    uint64_t got_i, got_j;
    CHECK(heddle_wave_place(l, index, &got_i, &got_j) == is_cell);
    n_places_seen++;
    if (!is_cell)
        return;
    CHECK(got_i == (uint64_t)i && got_j == (uint64_t)j);
    CHECK(heddle_wave_index(l, got_i, got_j) == index);
    CHECK(!seen[got_i * l->cols + got_j]++);
    n_cells_seen++;
}

/* Walks one step: position p of the band that starts at `row`. Returns the index after its places. */
static uint64_t walk_step(const heddle_wave_layout *l, uint64_t index, uint32_t row, uint32_t p, uint8_t *seen)
{
    uint32_t first, lane, n;
    for (first = 0; first < l->lane_rows * l->step_columns; first += l->together)
        for (lane = 0; lane < l->lanes; lane++)
            for (n = first; n < first + l->together; n++) {
                const uint32_t r = n % l->lane_rows, c = n / l->lane_rows;
                check_place(l, index++, row + lane * l->lane_rows + r,
                            (int64_t)p + c - (int64_t)lane * l->skew - (r + 1u) * l->east, seen);
            }
    return index;
}

static void test_layout(uint64_t seed)
{
    uint64_t row = seed, index = 0, i;
    const heddle_wave_layout l = random_layout(&row);
    uint8_t *seen = calloc(l.rows * l.cols, 1);
    uint32_t band, p;
    CHECK(seen);
    for (band = 0; band < l.rows; band += l.lanes * l.lane_rows)
        for (p = 0; p < hd_layout_steps(&l) * l.step_columns; p += l.step_columns)
            index = walk_step(&l, index, band, p, seen);
    CHECK(index == heddle_wave_cells(&l));
    for (i = 0; i < l.rows * l.cols; i++)
        CHECK(seen[i]);
    free(seen);
}

/* By rows, with a gap behind each. */
static void test_rows(void)
{
    const heddle_wave_layout l = {7, 5, 9, 1, 1, 1, 0, 0, 1};
    uint64_t index, i, j;
    CHECK(heddle_wave_cells(&l) == 6 * 9 + 5);
    for (index = 0; index < heddle_wave_cells(&l); index++) {
        CHECK(heddle_wave_place(&l, index, &i, &j) == (index % 9 < 5));
        CHECK(index % 9 >= 5 || (i == index / 9 && j == index % 9 && heddle_wave_index(&l, i, j) == index));
    }
}

/* The largest field: nothing wraps. */
static void test_largest(void)
{
    heddle_wave_layout l = {1ull << 31, 1ull << 31, 0, 32, 8, 8, 16, 1, 4};
    uint64_t i, j;
    l.band_cells = (uint64_t)hd_layout_steps(&l) * hd_layout_step_cells(&l);
    CHECK(heddle_wave_place(&l, heddle_wave_index(&l, (1ull << 31) - 1u, (1ull << 31) - 1u), &i, &j));
    CHECK(i == (1ull << 31) - 1u && j == (1ull << 31) - 1u);
    CHECK(heddle_wave_index(&l, i, j) < heddle_wave_cells(&l));
}

int main(void)
{
    const uint64_t first = check_seed(1);
    for (uint64_t seed = first; seed < first + 120u; seed++)
        test_layout(seed);
    test_rows();
    test_largest();
    CHECK(n_cells_seen > 100000 && n_places_seen > n_cells_seen);
    return 0;
}
