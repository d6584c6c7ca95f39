/* SPDX-License-Identifier: MIT */
/* same.c - every kind of loop under every way to divide on every fleet gives the bytes of plain loops. Sizes are no multiple of the tile.
 * HEDDLE_ROUNDS: how many sizes (3). --cuda: fleets with GPUs. */
#include "loop/cases.h"

#include <sys/wait.h>
#include <unistd.h>

static const char *const fleets[] = {
    "serial",
    "cpu:1",
    "cpu:3",
    "virtual:",
    "virtual: cpu:1",
    "3*virtual: cpu:2",
    "virtual:speed=0.5,link=2e9,latency=2e-5 virtual:speed=0.2,memory=300e3 cpu:1",
};
static const char *const gpu_fleets[] = {"cuda:0", "cuda:0 cpu:2", "4*cuda:0/4", "cuda:0/2 virtual: cpu:1",
                                         "cuda:* cpu:*"};

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
    if (body == looped_matrix) {
        c.n = 1 + c.n % 300u;
        c.n_2 = 1 + check_below(seed, 300);
        c.tile = 1 + c.tile % 9u;
        c.tile_2 = 1 + check_below(seed, 80);
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

/* The body reads rows of neighbours, and no access says so: 1 if that is right by chance. */
static int run_undeclared(void)
{
    const looped_case c = {looped_blur, 5000, 0, 100, 1, HEDDLE_SPLIT_GUIDED, 3};
    const looped_bytes want = looped_plain(&c);
    heddle_access list[2];
    heddle_loop_desc d = HEDDLE_LOOP_INIT;
    heddle_fleet *f = NULL;
    heddle_loop *l = NULL;
    looped_rig r;
    CHECK_OK(NULL, heddle_fleet_open(&f, "2*virtual:", NULL));
    CHECK_OK(NULL, looped_open(&r, f, &c));
    looped_fill(&r, &c);
    list[0] = (heddle_access)HEDDLE_ROWS(r.a, HEDDLE_MODE_IN, offsetof(looped_params, a), 0, 0);
    list[1] = (heddle_access)HEDDLE_ROWS(r.c, HEDDLE_MODE_OUT, offsetof(looped_params, c), 0, 0);
    d.body = looped_blur;
    d.n = c.n;
    d.tile = c.tile;
    d.split = c.split;
    d.accesses = list;
    d.n_accesses = 2;
    CHECK_OK(NULL, heddle_loop_new(f, &looped, &d, &l));
    CHECK_OK(NULL, heddle_loop_run(l, &r.params, sizeof r.params));
    return !memcmp(looped_take(&r).at, want.at, want.n);
}

/* In a child: under AddressSanitizer the touch ends it. */
static void check_undeclared(void)
{
    int status = 0;
    pid_t child;
    fflush(stdout);
    child = fork();
    CHECK(child >= 0);
    if (!child) {
        (void)!freopen("/dev/null", "w", stderr);
        _exit(run_undeclared() ? 0 : 3);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_MSG(!(WIFEXITED(status) && WEXITSTATUS(status) == 0), "rows that nobody has declared were there");
}

int main(int argc, char **argv)
{
    const char *text = getenv("HEDDLE_ROUNDS");
    const int n_rounds = text ? atoi(text) : 3;
    const uint64_t seed = check_seed(11);
    const int cuda = argc > 1 && !strcmp(argv[1], "--cuda");
    const char *const *list = cuda ? gpu_fleets : fleets;
    size_t i, n = cuda ? sizeof gpu_fleets / sizeof *gpu_fleets : sizeof fleets / sizeof *fleets;
    if (cuda && !heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU here");
    if (!cuda)
        check_undeclared();
    for (i = 0; i < n; i++)
        check_fleet(list[i], seed + i, n_rounds);
    printf("%zu fleets, %d sizes, %d ways: same bytes\n", n, n_rounds, HEDDLE_N_SPLITS);
    return 0;
}
