/* SPDX-License-Identifier: MIT */
/* problem.c - implements problem.h. */
#include "problem.h"

#include <math.h>
#include <string.h>

enum { MATCH = 2, MISMATCH = -1, GAP = -1, BINS = 8 };
static const float omega = 1.5f;

const peer_problem peer_problems[PEER_APPS] = {
    {"sw", peer_sw, 1, 0, 0, 1, 1},       {"dtw", peer_dtw, 1, 0, 0, 1, 1},
    {"sat", peer_sat, 1, 0, 1, 0, 0},     {"inthist", peer_inthist, BINS, 0, 1, 1, 0},
    {"heat", peer_heat, 1, 1, 0, 0, 0},   {"sor", peer_sor, 1, 1, 0, 0, 0},
    {"heat2d", peer_heat, 1, 4, 0, 0, 0},
};

peer_params problem_params(peer_app app, uint32_t rows, uint32_t cols, peer_layout layout)
{
    peer_params p;
    memset(&p, 0, sizeof p);
    p.match = MATCH;
    p.mismatch = MISMATCH;
    p.gap = GAP;
    p.omega = omega;
    p.layout = layout;
    p.rows = rows;
    p.cols = cols;
    p.n_bins = peer_problems[app].n_planes;
    return p;
}

/* Four letters; for a histogram x is the plane's number. */
void problem_x(peer_app app, uint32_t rows, int32_t *x)
{
    const uint32_t n_planes = peer_problems[app].n_planes;
    for (uint32_t k = 0; k < n_planes; k++)
        for (uint32_t i = 0; i < rows; i++)
            x[(uint64_t)k * rows + i] = n_planes > 1 ? (int32_t)k : (int32_t)(peer_noise(i, 1) >> 30);
}

void problem_y(uint32_t cols, int32_t *y)
{
    for (uint32_t j = 0; j < cols; j++)
        y[j] = (int32_t)(peer_noise(j, 2) >> 30);
}

void problem_pixels(const peer_params *p, uint8_t *pixels)
{
    for (uint32_t i = 0; i < p->rows; i++)
        for (uint32_t j = 0; j < p->cols; j++)
            pixels[peer_at(&p->layout, i, j)] = peer_pixel(i, j);
}

void problem_start(const peer_params *p, float *cells)
{
    for (uint32_t i = 0; i < p->rows; i++)
        for (uint32_t j = 0; j < p->cols; j++)
            cells[peer_at(&p->layout, i, j)] = peer_start(i, j);
}

/* ---- plain loops ---- */

static int32_t most(int32_t a, int32_t b) { return a > b ? a : b; }
static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

static int32_t letter_of_row(uint32_t i) { return (int32_t)(peer_noise(i, 1) >> 30); }
static int32_t letter_of_column(uint32_t j) { return (int32_t)(peer_noise(j, 2) >> 30); }

static void align(uint32_t rows, uint32_t cols, int32_t *h)
{
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t j = 0; j < cols; j++) {
            const int32_t up = i ? h[(i - 1) * cols + j] : 0, left = j ? h[i * cols + j - 1] : 0;
            const int32_t both = i && j ? h[(i - 1) * cols + j - 1] : 0;
            const int is_same = letter_of_row((uint32_t)i) == letter_of_column((uint32_t)j);
            h[i * cols + j] = most(most(both + (is_same ? MATCH : MISMATCH), 0), most(up, left) + GAP);
        }
}

static void warp(uint32_t rows, uint32_t cols, int32_t *d)
{
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t j = 0; j < cols; j++) {
            const int32_t up = i ? d[(i - 1) * cols + j] : INT32_MAX, left = j ? d[i * cols + j - 1] : INT32_MAX;
            const int32_t both = i && j ? d[(i - 1) * cols + j - 1] : i || j ? INT32_MAX : 0;
            const int32_t apart = letter_of_row((uint32_t)i) - letter_of_column((uint32_t)j);
            d[i * cols + j] = least(least(up, left), both) + (apart < 0 ? -apart : apart);
        }
}

/* Counts pixels of a bin; n_bins 1: sums their values. */
static void add_up(uint32_t rows, uint32_t cols, uint32_t bin, uint32_t n_bins, uint32_t *sum)
{
    for (uint64_t i = 0; i < rows; i++) {
        uint32_t run = 0;
        for (uint64_t j = 0; j < cols; j++) {
            const uint32_t pixel = peer_pixel((uint32_t)i, (uint32_t)j);
            run += n_bins == 1 ? pixel : pixel / (256u / n_bins) == bin;
            sum[i * cols + j] = run + (i ? sum[(i - 1) * cols + j] : 0u);
        }
    }
}

static void sweep(uint32_t rows, uint32_t cols, int is_sor, float *x)
{
    for (uint64_t i = 1; i + 1 < rows; i++)
        for (uint64_t j = 1; j + 1 < cols; j++) {
            float *at = x + i * cols + j;
            const float mean = 0.25f * (*(at - cols) + at[cols] + at[1] + at[-1]);
            *at = is_sor ? *at + omega * (mean - *at) : mean;
        }
}

void problem_want(peer_app app, uint32_t rows, uint32_t cols, uint32_t *want)
{
    const peer_layout plain = {cols, 0, 0};
    const peer_params p = problem_params(app, rows, cols, plain);
    const peer_problem *of = &peer_problems[app];
    if (app == PEER_SW)
        align(rows, cols, (int32_t *)want);
    else if (app == PEER_DTW)
        warp(rows, cols, (int32_t *)want);
    for (uint32_t k = 0; k < of->n_planes && of->has_pixels; k++)
        add_up(rows, cols, k, of->n_planes, want + (uint64_t)k * rows * cols);
    if (of->n_sweeps)
        problem_start(&p, (float *)(void *)want);
    for (uint32_t s = 0; s < of->n_sweeps; s++)
        sweep(rows, cols, app == PEER_SOR, (float *)(void *)want);
}

static int is_same(peer_app app, uint32_t a, uint32_t b)
{
    float x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return a == b || (app == PEER_SOR && fabsf(x - y) <= 1e-4f * fabsf(y) + 1e-2f);
}

uint64_t problem_differs(peer_app app, const peer_params *p, const uint32_t *cells, uint64_t plane_cells,
                         const uint32_t *want)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < peer_problems[app].n_planes; k++)
        for (uint32_t i = 0; i < p->rows; i++)
            for (uint32_t j = 0; j < p->cols; j++, n++)
                if (!is_same(app, cells[k * plane_cells + peer_at(&p->layout, i, j)], want[n]))
                    return n;
    return n;
}
