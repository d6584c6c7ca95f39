/* SPDX-License-Identifier: MIT */
/* peerwave.c - what the figures of PeerWave compute without a GPU: tiles against all cells of small fields, places of
 * cells against one another, idle slots counted by hand. The model's best width is checked against its own times; a
 * wrong cell must be found. */
#include "check.h"
#include "model.h"
#include "problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The tile of a band that contains column `col` of the band's row `lane`. */
static uint32_t tile_of(const peer_tiling *t, uint32_t lane, uint32_t col)
{
    return (col + (t->is_square ? 0u : lane)) / t->width;
}

/* peer_need is the last tile of the band above with a cell of the row above the tile; all others come no later. */
static void check_needs(const peer_tiling *t)
{
    for (uint32_t j = 0; j < peer_waiting(t); j++) {
        uint32_t last = 0;
        for (uint32_t col = j * t->width; col < (j + 1u) * t->width && col < t->cols; col++) {
            const uint32_t above = tile_of(t, t->height - 1u, col);
            last = above > last ? above : last;
        }
        CHECK_MSG(peer_need(t, j) == last, "tile %u needs %u, not %u", j, last, peer_need(t, j));
        CHECK(last < peer_tiles(t) && last < j + peer_behind(t));
    }
}

/* Each tile is on one diagonal, after all that it needs. */
static void check_diagonals(const peer_tiling *t)
{
    uint64_t n_all = 0;
    for (uint32_t k = 0; k < peer_diagonals(t); k++) {
        uint32_t n;
        const uint32_t first = peer_on_diagonal(t, k, &n);
        for (uint32_t b = first; b < first + n; b++)
            CHECK_MSG(b < peer_bands(t) && k - b * peer_behind(t) < peer_tiles(t), "band %u on diagonal %u", b, k);
        n_all += n;
    }
    CHECK(n_all == (uint64_t)peer_bands(t) * peer_tiles(t));
}

static void test_tiles(void)
{
    uint64_t row = check_seed(1);
    for (uint32_t i = 0; i < 3000; i++) {
        peer_tiling t = {1u + (uint32_t)check_below(&row, 200), 1u + (uint32_t)check_below(&row, 200), 1, 0, 0, 0};
        t.height = 1u << check_below(&row, 7);
        t.width = 1u + (uint32_t)check_below(&row, 90);
        t.is_square = (uint32_t)check_below(&row, 2);
        check_needs(&t);
        check_diagonals(&t);
    }
}

/* All cells have distinct places, within the field's room. */
static void test_places(void)
{
    for (uint32_t shift = 0; shift < 6; shift++) {
        const uint32_t rows = 77, cols = 53, height = 1u << shift;
        const peer_layout a = {cols + (shift ? height : 0u), shift, 0};
        const uint64_t n = (uint64_t)((rows - 1u) / height + 1u) * a.stride * height;
        uint8_t *taken = calloc(n, 1);
        CHECK(taken);
        for (uint32_t i = 0; i < rows; i++)
            for (uint32_t j = 0; j < cols; j++) {
                const uint64_t at = peer_at(&a, i, j);
                CHECK(at < n && !taken[at]);
                CHECK(shift || at == (uint64_t)i * cols + j);
                taken[at] = 1;
            }
        free(taken);
    }
}

/* Figure 6.1: 8 x 8 tiles on 4 blocks. Diagonals of 1 to 8 and back leave 3 2 1 0 3 2 1 0 1 2 3 0 1 2 3 slots. */
static void test_idle_slots(void)
{
    const peer_tiling t = {8, 8, 1, 1, 1, 1};
    uint64_t n_tiles;
    CHECK(model_idle_slots(&t, 4, &n_tiles) == 24 && n_tiles == 64);
    CHECK(model_idle_slots(&t, 1, &n_tiles) == 0 && n_tiles == 64);
    CHECK(model_idle_slots(&t, 8, &n_tiles) == 56 && n_tiles == 64);
}

/* The width of equation 6.4 minimizes equation 6.3. */
static void test_width(void)
{
    const peer_tiling t = {46080, 46080, 1, 1024, 1, 0};
    const uint32_t blocks[] = {2, 15, 44};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        const model_costs c = {0.3, 2.0, blocks[i]};
        const double best = model_width(&t, &c), least = model_time(&t, &c, best);
        CHECK(best > 1 && best <= t.cols);
        for (double w = 1; w <= t.cols; w *= 1.1)
            CHECK_MSG(model_time(&t, &c, w) >= 0.9999 * least, "%u blocks: width %.1f takes less than %.1f", blocks[i],
                      w, best);
    }
}

/* Of each application a wrong cell is found at its place. */
static void test_wrong_cells(void)
{
    const uint32_t rows = 40, cols = 30;
    const peer_layout plain = {cols, 0, 0};
    for (uint32_t app = 0; app < PEER_APPS; app++) {
        const peer_params p = problem_params((peer_app)app, rows, cols, plain);
        const uint64_t n = (uint64_t)rows * cols * peer_problems[app].n_planes;
        uint32_t *want = malloc(n * 4u), *got = malloc(n * 4u);
        CHECK(want && got);
        problem_want((peer_app)app, rows, cols, want);
        memcpy(got, want, n * 4u);
        CHECK(problem_differs((peer_app)app, &p, got, (uint64_t)rows * cols, want) == n);
        got[n - 45u] ^= 0x00400000u;
        CHECK(problem_differs((peer_app)app, &p, got, (uint64_t)rows * cols, want) == n - 45u);
        free(want);
        free(got);
    }
}

int main(void)
{
    test_tiles();
    test_places();
    test_idle_slots();
    test_width();
    test_wrong_cells();
    return 0;
}
