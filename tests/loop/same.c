/* SPDX-License-Identifier: MIT */
/* same.c - every kind of loop under every way to divide on every fleet gives the bytes of plain loops. Sizes are no multiple of the tile.
 * Only declared bytes move, and a touch of others is found.
 * HEDDLE_ROUNDS: how many sizes (3). --cuda: fleets with GPUs; --small: one size on a GPU with two cores, for slow checkers. */
#include "loop/cases.h"

#include "child.h"

static const char *const fleets[] = {
    "serial",
    "cpu:1",
    "cpu:3",
    "virtual:",
    "virtual: cpu:1",
    "3*virtual: cpu:2",
    "virtual:speed=0.5,link=2e9,latency=2e-5 virtual:speed=0.2,memory=300e3 cpu:1",
    "virtual: virtual:speed=0.7 virtual:speed=0.4 virtual:speed=0.15",
    "virtual: virtual:speed=0.8 virtual:speed=0.6,memory=300e3 virtual:speed=0.4 virtual:speed=0.2 cpu:1",
    "virtual: virtual:speed=0.9 virtual:speed=0.7 2*virtual:speed=0.5,link=2e9 virtual:speed=0.3 virtual:speed=0.1",
    "virtual: virtual:speed=0.9 virtual:speed=0.8 virtual:speed=0.7 "
    "virtual:speed=0.5 virtual:speed=0.3 virtual:speed=0.2 virtual:speed=0.1",
};
static const char *const gpu_fleets[] = {"cuda:0", "cuda:0 cpu:2", "4*cuda:0/4", "cuda:0/2 virtual: cpu:1",
                                         "cuda:* cpu:*"};

static const char *const small_fleets[] = {"cuda:0 cpu:2"};

static void check_case(heddle_fleet *f, const char *devices, const looped_case *c)
{
    const looped_bytes want = looped_plain(c), got = looped_run(f, c);
    size_t i = 0;
    CHECK(want.n == got.n);
    while (i < want.n && want.at[i] == got.at[i])
        i++;
    CHECK_MSG(i == want.n, "byte %zu of %zu: %s, body %u, %llu indices, tile %llu, split %s", i, want.n, devices,
              c->body, (unsigned long long)c->n, (unsigned long long)c->tile, heddle_split_name(c->split));
    free(want.at);
    free(got.at);
}

static looped_case random_case(uint64_t *seed, uint32_t body)
{
    looped_case c = {body,
                     1 + check_below(seed, check_below(seed, 2) ? 60000 : 50),
                     0,
                     1 + check_below(seed, 700),
                     1,
                     HEDDLE_SPLIT_CUT,
                     check_random(seed)};
    if (body == looped_matrix || body == looped_both) {
        c.n = 1 + c.n % 300u;
        c.n_2 = 1 + check_below(seed, body == looped_both ? 150 : 300);
        c.tile = 1 + c.tile % 9u;
        c.tile_2 = 1 + check_below(seed, 80);
    }
    if (body == looped_columns || body == looped_parts) {
        c.n = 1 + c.n % 600u;
        c.tile = 1 + c.tile % 40u;
    }
    return c;
}

static void check_fleet(const char *devices, uint64_t seed, int n_rounds)
{
    heddle_fleet *f = NULL;
    uint32_t body;
    int round, split;
    CHECK_OK(NULL, heddle_fleet_open(&f, devices, NULL));
    for (round = 0; round < n_rounds; round++)
        for (body = 0; body < looped_fail; body++) {
            looped_case c = random_case(&seed, body);
            for (split = 0; split < HEDDLE_N_SPLITS; split++) {
                c.split = (heddle_split)split;
                check_case(f, devices, &c);
            }
        }
    heddle_fleet_close(f);
}

/* ---- what is not declared -------------------------------------------------------------------------------------------------- */

static uint64_t parts_one_less(void *rig, uint64_t begin, uint64_t end, heddle_range *out, uint64_t most)
{
    const looped_rig *r = rig;
    const float *a = heddle_array_host(r->a);
    if (most >= 1)
        out[0] = HEDDLE_IN_2D(a + (r->n - end) * LOOPED_WIDE, sizeof *a, end - begin - 1, LOOPED_WIDE * sizeof *a);
    return end - begin > 1;
}

static uint64_t parts_too_few(void *rig, uint64_t begin, uint64_t end, heddle_range *out, uint64_t most)
{
    const looped_rig *r = rig;
    const float *c = heddle_array_host(r->c);
    if (most >= 1)
        out[0] = HEDDLE_OUT_2D(c + begin * LOOPED_WIDE + 1, sizeof *c, end - begin, LOOPED_WIDE * sizeof *c);
    return 1;
}

static void lack_rows(heddle_access *list) { list[0].before = list[0].after = 0; }
static void lack_after(heddle_access *list) { list[0].after = 0; }
static void lack_before(heddle_access *list) { list[0].before = 0; }
static void lack_column_of_row(heddle_access *list) { list[0].after_2 = 1; }
static void lack_part_in(heddle_access *list) { list[0].fn = parts_one_less; }
static void lack_part_out(heddle_access *list) { list[1].fn = parts_too_few; }
/* More than the array has; so much that sums and products with it would overflow. */
static void have_rows(heddle_access *list) { list[0].before = list[0].after = UINT64_MAX - 2000u; }
static void have_columns(heddle_access *list) { list[0].before = list[0].after = 1ull << 62; }
static void have_both(heddle_access *list)
{
    have_rows(list);
    list[0].before_2 = list[0].after_2 = 1ull << 62;
}

/* Changes the accesses of a loop. */
typedef struct changed {
    looped_case c;
    const char *devices;
    void (*change)(heddle_access *list);
    /* Or 0. So few that a slice is one tile: the touch meets what another one under way has there. Only AddressSanitizer sees that. */
    uint64_t buffer_bytes;
} changed;
static const changed lacking[] = {
    {{looped_blur, 5000, 0, 100, 1, HEDDLE_SPLIT_GUIDED, 3}, "2*virtual:", lack_rows, 0},
    {{looped_columns, 500, 0, 7, 1, HEDDLE_SPLIT_GUIDED, 3}, "2*virtual:", lack_after, 0},
    {{looped_columns, 500, 0, 8, 1, HEDDLE_SPLIT_GUIDED, 3}, "2*virtual:", lack_before, 0},
    {{looped_columns, 16, 0, 8, 1, HEDDLE_SPLIT_STATIC, 3}, "virtual:latency=0.01", lack_before, 3 * 256},
    {{looped_both, 100, 50, 4, 20, HEDDLE_SPLIT_GUIDED, 3}, "2*virtual:", lack_after, 0},
    {{looped_both, 100, 50, 4, 20, HEDDLE_SPLIT_GUIDED, 3}, "2*virtual:", lack_column_of_row, 0},
    {{looped_parts, 500, 0, 7, 1, HEDDLE_SPLIT_GUIDED, 3}, "2*virtual:", lack_part_in, 0},
    {{looped_parts, 500, 0, 7, 1, HEDDLE_SPLIT_GUIDED, 3}, "2*virtual:", lack_part_out, 0}};
static const changed lavish[] = {
    {{looped_blur, 5000, 0, 100, 1, HEDDLE_SPLIT_GUIDED, 3}, "2*virtual:", have_rows, 0},
    {{looped_columns, 500, 0, 7, 1, HEDDLE_SPLIT_GUIDED, 3}, "2*virtual:", have_columns, 0},
    {{looped_both, 100, 50, 4, 20, HEDDLE_SPLIT_GUIDED, 3}, "2*virtual:", have_both, 0}};

/* 1: the bytes are right. */
static int run_changed(const changed *k, int changes)
{
    const looped_bytes want = looped_plain(&k->c);
    heddle_access list[LOOPED_MOST_ACCESSES];
    heddle_fleet_config config = HEDDLE_FLEET_INIT;
    heddle_loop_desc d = HEDDLE_LOOP_INIT;
    heddle_fleet *f = NULL;
    heddle_loop *l = NULL;
    looped_rig r;
    config.buffer_bytes = k->buffer_bytes;
    CHECK_OK(NULL, heddle_fleet_open(&f, k->devices, &config));
    CHECK_OK(NULL, looped_open(&r, f, &k->c));
    looped_fill(&r, &k->c);
    d.body = k->c.body;
    d.n = k->c.n;
    d.n_2 = k->c.n_2;
    d.tile = k->c.tile;
    d.tile_2 = k->c.tile_2;
    d.split = k->c.split;
    d.accesses = list;
    d.n_accesses = looped_accesses(&r, &k->c, list);
    if (changes)
        k->change(list);
    CHECK_OK(NULL, heddle_loop_new(f, &looped, &d, &l));
    CHECK_OK(NULL, heddle_loop_run(l, &r.params, sizeof r.params));
    return !memcmp(looped_take(&r).at, want.at, want.n);
}

enum { RIGHT = 0, WRONG = 3 };

typedef struct attempt {
    const changed *k;
    int changes;
} attempt;

static int try(const void *arg)
{
    const attempt *a = arg;
    return run_changed(a->k, a->changes) ? RIGHT : WRONG;
}

/* Under AddressSanitizer the touch ends it, and `words` say how. */
static int status_of(const changed *k, int changes, char *words, size_t n_bytes)
{
    const attempt a = {k, changes};
    return child_status(try, &a, words, n_bytes);
}

static void check_right(const changed *k, int changes)
{
    char words[4096];
    const int status = status_of(k, changes, words, sizeof words);
    CHECK_MSG(status == RIGHT, "all is declared for body %u on %s, and it ends with %d: %s", k->c.body, k->devices,
              status, words);
}

static void check_lacking(const changed *k)
{
    char words[4096];
    const int status = status_of(k, 1, words, sizeof words);
#if defined(__SANITIZE_ADDRESS__)
    const int is_seen = strstr(words, "use-after-poison") != NULL;
#else
    const int is_seen = k->buffer_bytes || status == WRONG;
#endif
    CHECK_MSG(is_seen, "what nobody has declared was there for body %u on %s, which ends with %d: %s", k->c.body,
              k->devices, status, words);
}

static void check_undeclared(void)
{
    size_t i;
    for (i = 0; i < sizeof lacking / sizeof *lacking; i++) {
        check_right(&lacking[i], 0);
        check_lacking(&lacking[i]);
    }
    for (i = 0; i < sizeof lavish / sizeof *lavish; i++)
        check_right(&lavish[i], 1);
}

/* ---- what moves ------------------------------------------------------------------------------------------------------------ */

/* Of a loop that is one slice. */
static void check_moved(const looped_case *c, uint64_t in, uint64_t out)
{
    heddle_loop_stats stats = HEDDLE_LOOP_STATS_INIT;
    heddle_fleet *f = NULL;
    looped_rig r;
    CHECK_OK(NULL, heddle_fleet_open(&f, "virtual:", NULL));
    CHECK_OK(NULL, looped_open(&r, f, c));
    looped_fill(&r, c);
    CHECK_OK(NULL, heddle_loop_run(r.loop, &r.params, sizeof r.params));
    CHECK_OK(NULL, heddle_loop_get_stats(r.loop, &stats));
    CHECK_MSG(stats.n_slices == 1 && stats.bytes_in == in && stats.bytes_out == out,
              "body %u: %llu slices, %llu bytes in, %llu out; %llu and %llu are declared", c->body,
              (unsigned long long)stats.n_slices, (unsigned long long)stats.bytes_in,
              (unsigned long long)stats.bytes_out, (unsigned long long)in, (unsigned long long)out);
    looped_close(&r);
    heddle_fleet_close(f);
}

static void check_all_moved(void)
{
    const looped_case columns = {looped_columns, 100, 0, 100, 1, HEDDLE_SPLIT_STATIC, 3},
                      both = {looped_both, 20, 30, 20, 8, HEDDLE_SPLIT_STATIC, 3},
                      parts = {looped_parts, 101, 0, 101, 1, HEDDLE_SPLIT_STATIC, 3};
    const uint64_t turned = LOOPED_TALL * 100 * LOOPED_EACH * 8, owned = looped_first(101) * 8;
    check_moved(&columns, LOOPED_TALL * 100 * 4 + turned + 100 * 4, LOOPED_TALL * 100 * 4 + turned);
    check_moved(&both, (20 + 2) * (30 + 3) * 4 + 20 * 30 * 4, 20 * 30 * 4);
    check_moved(&parts, 101 * 2 * 4 + 101 * 4 + owned, 101 * 2 * 4 + owned);
}

int main(int argc, char **argv)
{
    const char *text = getenv("HEDDLE_ROUNDS");
    const int small = argc > 1 && !strcmp(argv[1], "--small"), cuda = small || (argc > 1 && !strcmp(argv[1], "--cuda"));
    const int n_rounds = text ? atoi(text) : small ? 1 : 3;
    const uint64_t seed = check_seed(11);
    const char *const *list = small ? small_fleets : cuda ? gpu_fleets : fleets;
    size_t i, n = small ? 1 : cuda ? sizeof gpu_fleets / sizeof *gpu_fleets : sizeof fleets / sizeof *fleets;
    if (cuda && !heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU here");
    if (!cuda) {
        check_undeclared();
        check_all_moved();
    }
    for (i = 0; i < n; i++)
        check_fleet(list[i], seed + i, n_rounds);
    printf("%zu fleets, %d sizes, %d ways: same bytes\n", n, n_rounds, HEDDLE_N_SPLITS);
    return 0;
}
