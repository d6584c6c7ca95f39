/* SPDX-License-Identifier: MIT */
/* same.c - every kind of wavefront under every way to divide on every fleet gives the bytes of plain loops, also when it is run again. A
 * division has strides for several units. HEDDLE_ROUNDS: how many sizes (2). --cuda: fleets with GPUs. */
#include "front/cases.h"

#include <stdlib.h>
#include <string.h>

static const char *const fleets[] = {"serial", "cpu:1", "cpu:2", "virtual:", "3*virtual:", "cpu:2 2*virtual:speed=0.5"};
static const char *const gpu_fleets[] = {"cuda:0", "4*cuda:0/4", "cuda:0/2 virtual: cpu:1", "cuda:*"};

static void check_case(heddle_fleet *f, const char *devices, const front_case *c)
{
    front_rig r;
    CHECK_OK(NULL, front_open(&r, f, c));
    for (int i = 0; i < 2; i++) {
        front_fill(&r);
        CHECK_OK(NULL, heddle_wavefront_run(r.w, &r.params, sizeof r.params));
        front_compare(front_plain(c), front_take(&r), c, devices);
    }
    front_close(&r);
}

static void check_fleet(const char *devices, uint64_t seed, int n_rounds)
{
    heddle_fleet *f = NULL;
    CHECK_OK(NULL, heddle_fleet_open(&f, devices, NULL));
    for (int round = 0; round < n_rounds; round++)
        for (uint32_t body = 0; body < front_n_bodies; body++) {
            front_case c = front_random(&seed, body);
            for (int split = 0; split < HEDDLE_N_SPLITS; split++) {
                c.split = (heddle_split)split;
                check_case(f, devices, &c);
            }
        }
    heddle_fleet_close(f);
}

/* Of each unit of the fleet: columns in the last run. */
static uint64_t columns_of(const heddle_wavefront *w, uint32_t unit)
{
    heddle_wavefront_unit u = HEDDLE_WAVEFRONT_UNIT_INIT;
    CHECK_OK(NULL, heddle_wavefront_get_unit(w, unit, &u));
    return u.n_columns;
}

/* Three equal units: three strides, each a third; of cells with a neighbour to the north-east one. A unit of a twentieth of the others'
 * speed is left out, but by static. */
static void check_divided(void)
{
    front_case c = {.body = front_mix, .rows = 100, .cols = 3 * 320, .seed = 5, .fail_row = UINT32_MAX};
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
        CHECK(stats.n_strides == (split ? 3u : 2u) && stats.n_units == 3 && stats.time_ns && !stats.n_lost);
        CHECK(columns_of(r.w, 0) + columns_of(r.w, 1) + columns_of(r.w, 2) == c.cols);
        CHECK((columns_of(r.w, 2) != 0) == split && columns_of(r.w, 0) >= 300);
        CHECK(!!strstr(heddle_wavefront_how(r.w), "left out") == !split);
        CHECK(stats.bytes_in >= 3u * c.cols * 2u / 3u && stats.bytes_out >= c.cols * 12u);
        front_close(&r);
    }
    c.body = front_east;
    CHECK_OK(NULL, front_open(&r, f, &c));
    front_fill(&r);
    CHECK_OK(NULL, heddle_wavefront_run(r.w, &r.params, sizeof r.params));
    CHECK_OK(NULL, heddle_wavefront_get_stats(r.w, &stats));
    CHECK(stats.n_strides == 1 && strstr(heddle_wavefront_how(r.w), "north-east"));
    front_close(&r);
    heddle_fleet_close(f);
}

int main(int argc, char **argv)
{
    const char *asked = getenv("HEDDLE_ROUNDS");
    const int n_rounds = asked ? atoi(asked) : 2, cuda = argc > 1 && !strcmp(argv[1], "--cuda");
    const uint64_t seed = check_seed(1);
    const char *const *all = cuda ? gpu_fleets : fleets;
    const size_t n = cuda ? sizeof gpu_fleets / sizeof gpu_fleets[0] : sizeof fleets / sizeof fleets[0];
    if (cuda && !heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU");
    check_divided();
    for (size_t i = 0; i < n; i++)
        check_fleet(all[i], seed + i, n_rounds);
    printf("%zu fleets, %d rounds of %u bodies\n", n, n_rounds, (unsigned)front_n_bodies);
    return 0;
}
