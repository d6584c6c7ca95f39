/* SPDX-License-Identifier: MIT */
/* settle.c - shares of map settle (src/engine/multi/settle.c), with devices of known speeds, of which the line hears late by chance. Short jobs of
 * equal devices keep their shares, also if the host puts them late by chance; unequal ones get shares by speed soon, and keep them; a long job
 * is judged by itself. */
#include "check.h"
#include "engine/multi/line.h"

#define N_GRAINS 512u
#define N_DEVICES 2u
#define ERROR_NS 100000u

typedef struct rig {
    hd_line *line;
    hd_line_kind *kind;
    hd_given given;
    uint64_t random;
    double grain_ns[N_DEVICES];
    double end_ns[N_DEVICES];  /* of each device's last body */
    uint64_t share[N_DEVICES]; /* grains in the last job */
    uint64_t host_ns;          /* the host is late by up to so much when it puts a body; 0: it is far ahead */
    double put_ns;             /* when it put the last one */
} rig;

static void uses_nothing(const void *self, const hd_grains *block, hd_seg_use *out, uint8_t *comes_home)
{
    (void)self, (void)block, (void)out, (void)comes_home;
}

static void note_end(void *user, hd_line_job *j, void *job_user, heddle_status status)
{
    (void)user, (void)j, (void)job_user;
    CHECK(status == HEDDLE_OK);
}

static void open_rig(rig *r, double first_ns, double second_ns, uint64_t seed)
{
    static const uint64_t pools[N_DEVICES] = {1 << 20, 1 << 20};
    static const double weights[N_DEVICES] = {1, 1};
    const hd_line_config c = {N_DEVICES, weights, pools, NULL, 1, ERROR_NS, note_end, r, NULL};
    const hd_line_kind_config kind = {
        .n = N_GRAINS, .n_2 = 1, .map = HEDDLE_MAP_SETTLE, .n_tasks_2 = 1, .uses = uses_nothing};
    *r = (rig){.random = seed, .grain_ns = {first_ns, second_ns}};
    CHECK(hd_line_new(&r->line, &c) == HEDDLE_OK);
    CHECK(hd_kind_new(r->line, &kind, &r->kind) == HEDDLE_OK);
}

static void close_rig(rig *r)
{
    hd_kind_delete(r->kind);
    hd_seg_plan_clear(&r->given.plan);
    hd_line_delete(r->line);
}

/* Where the host is late, the device waits for what it puts. */
static void put(rig *r, const hd_given *g)
{
    double *end = &r->end_ns[g->device];
    if (!r->host_ns)
        return;
    r->put_ns = (r->put_ns > *end ? r->put_ns : *end) + (double)check_below(&r->random, r->host_ns);
    *end = r->put_ns;
    hd_line_put(r->line, g, (uint64_t)r->put_ns);
}

/* The body is at work at once, and ends. When that is seen is up to chance. */
static uint64_t seen_ns(rig *r, const hd_given *g)
{
    const uint64_t n = g->block.end - g->block.begin;
    put(r, g);
    r->share[g->device] += n;
    r->end_ns[g->device] += (double)n * r->grain_ns[g->device];
    return (uint64_t)r->end_ns[g->device] + check_below(&r->random, ERROR_NS);
}

static hd_seg_point point_of(const hd_given *g)
{
    CHECK(g->plan.ops.n == 1 && ((const hd_seg_op *)g->plan.ops.at)->is_body);
    return ((const hd_seg_op *)g->plan.ops.at)->point;
}

/* A job of a slice a device: both are given before one is seen to end. */
static void run_job(rig *r)
{
    hd_seg_point points[N_DEVICES];
    uint64_t at_ns[N_DEVICES];
    hd_line_job *j;
    int given;
    r->share[0] = r->share[1] = 0;
    CHECK(hd_line_start(r->line, r->kind, NULL, &j) == HEDDLE_OK);
    for (uint32_t i = 0; i < N_DEVICES; i++) {
        CHECK(hd_line_give(r->line, &r->given, &given, 0) == HEDDLE_OK && given);
        points[i] = point_of(&r->given);
        at_ns[i] = seen_ns(r, &r->given);
    }
    for (uint32_t i = 0; i < N_DEVICES; i++)
        CHECK(hd_line_passed(r->line, points[i], at_ns[i]) == HEDDLE_OK);
    CHECK(hd_line_is_empty(r->line));
}

static uint64_t n_moves(const rig *r)
{
    hd_kind_counts c;
    hd_kind_count(r->kind, &c);
    return c.n_moves;
}

/* Jobs of 100 us. */
static void check_equal(uint64_t seed, uint64_t host_ns)
{
    rig r;
    open_rig(&r, 400, 400, seed);
    r.host_ns = host_ns;
    for (uint32_t i = 0; i < 2000; i++)
        run_job(&r);
    CHECK_MSG(n_moves(&r) == 0 && r.share[0] == N_GRAINS / 2, "seed %llu: %llu moves", (unsigned long long)seed,
              (unsigned long long)n_moves(&r));
    close_rig(&r);
}

static void check_unequal(uint64_t seed)
{
    rig r;
    uint32_t n = 0;
    open_rig(&r, 400, 1600, seed);
    for (; n < 100 && n_moves(&r) == 0; n++)
        run_job(&r);
    CHECK(n < 20);
    for (; n < 2000; n++)
        run_job(&r);
    CHECK_MSG(n_moves(&r) <= 3 && r.share[0] > 0.76 * N_GRAINS && r.share[0] < 0.84 * N_GRAINS,
              "seed %llu: %llu moves, %llu grains", (unsigned long long)seed, (unsigned long long)n_moves(&r),
              (unsigned long long)r.share[0]);
    close_rig(&r);
}

/* Jobs of 20 ms. */
static void check_long(void)
{
    rig r;
    open_rig(&r, 80000, 100000, 1);
    run_job(&r);
    CHECK(n_moves(&r) == 0);
    run_job(&r);
    CHECK(n_moves(&r) == 1);
    run_job(&r);
    CHECK(r.share[0] > 280 && r.share[0] < 289);
    close_rig(&r);
}

int main(void)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        check_equal(seed, 0);
        check_equal(seed, 4 * ERROR_NS);
        check_unequal(seed);
    }
    check_long();
    return 0;
}
