/* SPDX-License-Identifier: MIT */
/* predict.c - the model of waves against a simulator of steps. Random bands, workers, widths and costs take the time of
 * the formulas; no width beats the best one; and the measurements of a simulated run predict its time. */
#include "check.h"
#include "engine/wave.h"

#include <math.h>
#include <stdlib.h>

#define MOST_BANDS 40u
#define MOST_TILES 400u

/* Tiles of w columns: a band has n of them, and tile t needs tile t + lag of the band above. */
typedef struct steps {
    uint32_t bands, workers, n, lag;
    double tile_ns;
    uint64_t stamps[2 * MOST_BANDS];
} steps;

/* The total time: band b runs on the worker that is free first. */
static double simulate(steps *s)
{
    static double end[MOST_BANDS][MOST_TILES];
    double last = 0, at;
    for (uint32_t b = 0; b < s->bands; b++) {
        at = b < s->workers ? 0 : end[b - s->workers][s->n - 1];
        s->stamps[2 * b] = (uint64_t)llround(at);
        for (uint32_t t = 0; t < s->n; t++) {
            const uint32_t need = t + s->lag < s->n ? t + s->lag : s->n - 1;
            if (b && end[b - 1][need] > at)
                at = end[b - 1][need];
            at += s->tile_ns;
            end[b][t] = at;
        }
        s->stamps[2 * b + 1] = (uint64_t)llround(at);
        last = at;
    }
    return last;
}

static heddle_wave_model random_model(uint64_t *row, steps *s, double w)
{
    heddle_wave_model m;
    s->bands = 1u + (uint32_t)check_below(row, MOST_BANDS);
    s->workers = 1u + (uint32_t)check_below(row, MOST_BANDS);
    s->lag = (uint32_t)check_below(row, 8);
    s->n = s->lag + 1u + (uint32_t)check_below(row, MOST_TILES - 8);
    m.bands = s->bands;
    m.workers = s->workers;
    m.lag = s->lag * w;
    m.cols = (s->n - s->lag) * w;
    m.column_ns = 10.0 + (double)check_below(row, 1000);
    m.hand_ns = (double)check_below(row, 5000);
    s->tile_ns = w * m.column_ns + m.hand_ns;
    return m;
}

static int is_near(double a, double b, double part) { return fabs(a - b) <= part * fabs(b); }

static void test_steps(uint64_t *row)
{
    const double w = 1.0 + (double)check_below(row, 100);
    steps s;
    const heddle_wave_model m = random_model(row, &s, w);
    const double is = simulate(&s), says = heddle_wave_model_ns(&m, w), idle = heddle_wave_model_idle(&m, w);
    const double busy = m.bands * s.n * w * m.column_ns / (m.workers * is);
    CHECK_MSG(is_near(says, is, 1e-9), "%u bands of %u tiles, %u workers, lag %u: %g ns, it takes %g", s.bands, s.n,
              s.workers, s.lag, says, is);
    CHECK_MSG(fabs(1 - busy - idle) < 1e-9, "idle %g, it is %g", idle, 1 - busy);
}

static void test_width(uint64_t *row)
{
    steps s;
    const heddle_wave_model m = random_model(row, &s, 1.0 + (double)check_below(row, 100));
    const double best = heddle_wave_model_width(&m), least = heddle_wave_model_ns(&m, best);
    CHECK(best >= 1 && best <= m.cols);
    for (double w = 1; w <= m.cols; w *= 1.05)
        CHECK_MSG(heddle_wave_model_ns(&m, w) >= 0.999999 * least, "width %g takes less than %g", w, best);
}

/* Measures a run with tiles as wide as a hand-over. */
static void test_measured(uint64_t *row)
{
    steps s;
    uint64_t scratch[2 * MOST_BANDS];
    const heddle_wave_model m = random_model(row, &s, HD_WAVE_GRANULE);
    const hd_wave_item item = {.cols = (uint32_t)m.cols, .n_bands = s.bands};
    const hd_wave wave = {.n_items = 1, .n_fields = 1, .lag = (uint32_t)m.lag};
    const double is = simulate(&s);
    const heddle_wave_model told = hd_wave_model_of(&wave, &item, s.stamps, scratch);
    CHECK(told.bands == m.bands && told.cols == m.cols && told.lag == m.lag);
    CHECK_MSG(told.workers <= m.workers && told.workers >= 1, "%g workers of %g", told.workers, m.workers);
    CHECK_MSG(is_near(told.column_ns, s.tile_ns / HD_WAVE_GRANULE, 0.01), "%g ns a column, it took %g", told.column_ns,
              s.tile_ns / HD_WAVE_GRANULE);
    CHECK_MSG(is_near(heddle_wave_model_ns(&told, HD_WAVE_GRANULE), is, 0.01), "%g ns, it took %g",
              heddle_wave_model_ns(&told, HD_WAVE_GRANULE), is);
}

static void test_nothing(void)
{
    const heddle_wave_model none = {0, 100, 0, 4, 1, 1}, one = {1, 100, 0, 1, 2, 3};
    CHECK(heddle_wave_model_ns(&none, 10) == 0 && heddle_wave_model_width(&none) == 0);
    CHECK(heddle_wave_model_idle(&none, 10) == 0 && heddle_wave_model_ns(&one, 0) == 0);
    CHECK(heddle_wave_model_ns(&one, 10) == 230 && heddle_wave_model_width(&one) == 100);
}

int main(void)
{
    uint64_t row = check_seed(20161);
    for (int i = 0; i < 3000; i++) {
        test_steps(&row);
        test_width(&row);
        test_measured(&row);
    }
    test_nothing();
    return 0;
}
