/* SPDX-License-Identifier: MIT */
/* same.c - every kind of wavefront under every way to divide on every fleet gives the bytes of plain loops, also when it is run again. A
 * division has strides for several units, and several for one. HEDDLE_ROUNDS: how many sizes (2). HEDDLE_WAYS: each case under so
 * many ways to divide, in turn (all). --cuda: fleets with GPUs; --small: one size
 * on halves of a GPU, for slow checkers. */
#include "front/cases.h"

#include "engine/front/front.h"

#include <stdlib.h>
#include <string.h>

static const char *const fleets[] = {
    "serial",
    "cpu:1",
    "cpu:2",
    "virtual:",
    "3*virtual:",
    "cpu:2 2*virtual:speed=0.5",
    "virtual: virtual:speed=0.7 virtual:speed=0.4 virtual:speed=0.3",
    "virtual: virtual:speed=0.8 virtual:speed=0.6 virtual:speed=0.4 virtual:speed=0.2 cpu:1",
    "virtual: virtual:speed=0.9 virtual:speed=0.8 virtual:speed=0.7 "
    "virtual:speed=0.5 virtual:speed=0.3 virtual:speed=0.2 virtual:speed=0.1"};
static const char *const gpu_fleets[] = {"cuda:0", "4*cuda:0/4", "cuda:0/2 virtual: cpu:1", "cuda:*"};
static const char *const small_fleets[] = {"2*cuda:0/2"};

/* Twice: with other inputs the second time, though strides may be the same. */
static void check_case(heddle_fleet *f, const char *devices, const front_case *given)
{
    front_case c = *given;
    front_rig r;
    CHECK_OK(NULL, front_open(&r, f, &c));
    for (int i = 0; i < 2; i++, c.seed += 3) { /* rows as far apart */
        front_fill(&r);
        CHECK_OK(NULL, heddle_wavefront_run(r.w, &r.params, sizeof r.params));
        front_compare(front_plain(&c), front_take(&r), &c, devices);
    }
    front_close(&r);
}

static void check_fleet(const char *devices, uint64_t seed, int n_rounds, uint32_t n_ways)
{
    static uint32_t way;
    heddle_fleet *f = NULL;
    CHECK_OK(NULL, heddle_fleet_open(&f, devices, NULL));
    for (int round = 0; round < n_rounds; round++)
        for (uint32_t body = 0; body < front_n_bodies; body++) {
            front_case c = front_random(&seed, body);
            for (uint32_t i = 0; i < n_ways; i++) {
                c.split = (heddle_split)(way++ % HEDDLE_N_SPLITS);
                check_case(f, devices, &c);
            }
        }
    heddle_fleet_close(f);
}

/* Of each unit of the fleet: rows in the last run. */
static uint64_t rows_of(const heddle_wavefront *w, uint32_t unit)
{
    heddle_wavefront_unit u = HEDDLE_WAVEFRONT_UNIT_INIT;
    CHECK_OK(NULL, heddle_wavefront_get_unit(w, unit, &u));
    return u.n_rows;
}

/* Two units in turn, with a stride a band high each time. A unit of a twentieth of their speed is left out, but by static: there each
 * has one stride. */
static void check_divided(uint32_t body)
{
    front_case c = {.body = body, .rows = 16 * 64, .cols = 100, .seed = 5, .fail_row = UINT32_MAX};
    const uint64_t cell = front.waves[body].cell_bytes;
    heddle_wavefront_stats stats = HEDDLE_WAVEFRONT_STATS_INIT;
    heddle_fleet *f = NULL;
    front_rig r;
    CHECK_OK(NULL, heddle_fleet_open(&f, "2*virtual: virtual:speed=0.05", NULL));
    for (int split = 0; split < 2; split++) {
        c.split = split ? HEDDLE_SPLIT_STATIC : HEDDLE_SPLIT_CUT;
        CHECK_OK(NULL, front_open(&r, f, &c));
        front_fill(&r);
        CHECK_OK(NULL, heddle_wavefront_run(r.w, &r.params, sizeof r.params));
        CHECK_OK(NULL, heddle_wavefront_get_stats(r.w, &stats));
        CHECK_MSG(stats.n_strides == (split ? 3u : 16u), "%llu strides", (unsigned long long)stats.n_strides);
        CHECK(stats.n_units == 3 && stats.time_ns && !stats.n_lost);
        CHECK(rows_of(r.w, 0) + rows_of(r.w, 1) + rows_of(r.w, 2) == c.rows);
        CHECK((rows_of(r.w, 2) != 0) == split && rows_of(r.w, 0) >= 320);
        CHECK(!!strstr(heddle_wavefront_how(r.w), "left out") == !split);
        CHECK(stats.bytes_in == c.rows * 4u + stats.n_strides * c.cols * 2u);
        CHECK(stats.bytes_out >= (c.rows + c.cols) * cell);
        front_close(&r);
    }
    heddle_fleet_close(f);
}

/* A unit that copies cells has several strides, beside one another; with fewer bytes it has one. */
static void check_rounds(void)
{
    const uint64_t least = hd_front_least_copy;
    front_case c = {.body = front_sweep, .rows = 1000, .cols = 100, .sweeps = 4, .seed = 5, .keeps = 1};
    heddle_wavefront_stats stats = HEDDLE_WAVEFRONT_STATS_INIT;
    heddle_fleet *f = NULL;
    front_rig r;
    CHECK_OK(NULL, heddle_fleet_open(&f, "virtual:", NULL));
    for (uint32_t i = 0; i < 2u; i++) {
        hd_front_least_copy = i ? least : 65u * 400u;
        CHECK_OK(NULL, front_open(&r, f, &c));
        front_fill(&r);
        CHECK_OK(NULL, heddle_wavefront_run(r.w, &r.params, sizeof r.params));
        CHECK_OK(NULL, heddle_wavefront_get_stats(r.w, &stats));
        CHECK_MSG(stats.n_strides == (i ? 1u : 8u), "%llu strides", (unsigned long long)stats.n_strides);
        CHECK(stats.bytes_in == 400000u + (i ? 0u : 7u * 4u * 8u) && stats.bytes_out == 400u * 998u);
        front_compare(front_plain(&c), front_take(&r), &c, "rounds");
        front_close(&r);
    }
    hd_front_least_copy = least;
    heddle_fleet_close(f);
}

int main(int argc, char **argv)
{
    const char *asked = getenv("HEDDLE_ROUNDS"), *ways = getenv("HEDDLE_WAYS");
    const int small = argc > 1 && !strcmp(argv[1], "--small"), cuda = small || (argc > 1 && !strcmp(argv[1], "--cuda"));
    const int n_rounds = asked ? atoi(asked) : small ? 1 : 2;
    const uint64_t seed = check_seed(1);
    const char *const *all = small ? small_fleets : cuda ? gpu_fleets : fleets;
    const size_t n = small ? 1 : cuda ? sizeof gpu_fleets / sizeof gpu_fleets[0] : sizeof fleets / sizeof fleets[0];
    if (cuda && !heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU");
    check_divided(front_mix);
    check_divided(front_east);
    check_rounds();
    hd_front_least_copy = 16384;
    front_most_rows = cuda && !small ? 4000 : front_most_rows; /* bands are higher */
    for (size_t i = 0; i < n; i++)
        check_fleet(all[i], seed + i, n_rounds, ways ? (uint32_t)atoi(ways) : HEDDLE_N_SPLITS);
    printf("%zu fleets, %d rounds of %u bodies\n", n, n_rounds, (unsigned)front_n_bodies);
    return 0;
}
