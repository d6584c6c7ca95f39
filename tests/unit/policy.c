/* SPDX-License-Identifier: MIT */
/* policy.c - core/policy.h: its table and the public one name the same policies; the traits of each. The picks of
 * policies that compare queue lengths are checked by hand and against a plain search. */
#include "check.h"
#include "heddle.h"
#include "heddle/core/policy.h"

#include <strings.h>
#include <string.h>

#define MAX_WORKERS 200u
#define N_SLOTS 16u

static hd_cursor cursors[2 * MAX_WORKERS];
static hd_control control;
static hd_run r = {.cursors = cursors, .control = &control, .n_slots = N_SLOTS, .dispatch = HD_DISPATCH_RINGS};

static void set_loads(uint32_t policy, uint32_t n_workers, const uint32_t *load)
{
    uint32_t w;
    memset(cursors, 0, sizeof cursors);
    r.policy = policy;
    r.n_workers = n_workers;
    for (w = 0; w < n_workers; w++) {
        cursors[2 * w + 1].head = 0x7ffffffe; /* across the wrap */
        cursors[2 * w + 1].tail = (0x7ffffffe + load[w]) & HD_RING_COUNT;
    }
}

/* The public name is the table's in small letters. */
static int is_named(heddle_policy policy, const char *upper)
{
    return strcasecmp(heddle_policy_name(policy), upper) == 0;
}

#define NAMED(NAME, traits)                                                                             \
    CHECK(HD_POLICY_##NAME == (uint32_t)HEDDLE_POLICY_##NAME && is_named(HEDDLE_POLICY_##NAME, #NAME)); \
    n++;

static void test_table(void)
{
    uint32_t n = 1; /* default */
    HD_POLICIES(NAMED)
    CHECK(n == HEDDLE_N_POLICIES);
}

static void test_traits(void)
{
    static const struct {
        uint32_t policy, keeps, shares, by_load, first; /* for worker 2 of 3, turn 1, drawn 0 */
    } rows[] = {{HD_POLICY_LRR, 0, 0, 0, 1},   {HD_POLICY_GRR, 0, 0, 0, 0}, {HD_POLICY_LF, 1, 0, 0, 0},
                {HD_POLICY_SHARE, 1, 1, 0, 0}, {HD_POLICY_RR, 0, 0, 0, 1},  {HD_POLICY_TS, 1, 0, 1, 0},
                {HD_POLICY_AL, 1, 0, 1, 0}};
    size_t i;
    r.n_workers = 3;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        r.policy = rows[i].policy;
        CHECK(!!hd_policy_keeps(r.policy) == (int)rows[i].keeps && !!hd_policy_shares(r.policy) == (int)rows[i].shares);
        CHECK(!!hd_policy_by_load(r.policy) == (int)rows[i].by_load && hd_policy_first(&r, 2, 1, 0) == rows[i].first);
        CHECK(hd_policy_tries(&r) == (r.policy == HD_POLICY_RR ? 3u : 2u));
        CHECK(hd_policy_late(&r) == (rows[i].by_load ? 0u : N_SLOTS / 4u - 1u));
    }
}

/* Worked out by hand: worker 1 frees n tasks, and one thread places them one after another. */
static void test_picks(void)
{
    static const uint32_t even[4] = {2, 2, 2, 2}, odd[4] = {5, 1, 0, 2}, high[4] = {1, 7, 3, 0};
    set_loads(HD_POLICY_TS, 4, even);
    CHECK(hd_policy_pick(&r, 1, 0, 0, 1) == 1 && hd_policy_pick(&r, 1, 1, 0, 1) == 2); /* its kept task counts */
    CHECK(hd_policy_pick(&r, 1, 1, 2, 3) == 0 && hd_policy_pick(&r, 1, 1, 3, 4) == 1);
    set_loads(HD_POLICY_TS, 4, odd);
    CHECK(hd_policy_pick(&r, 1, 1, 0, 2) == 2 && hd_policy_pick(&r, 1, 1, 1, 2) == 2);
    set_loads(HD_POLICY_AL, 4, even);
    CHECK(hd_policy_pick(&r, 1, 0, 0, 2) == 1 && hd_policy_pick(&r, 1, 0, 1, 2) == 2); /* not above average; above */
    set_loads(HD_POLICY_AL, 4, odd);
    CHECK(hd_policy_pick(&r, 1, 0, 0, 3) == 1 && hd_policy_pick(&r, 1, 0, 1, 3) == 1 &&
          hd_policy_pick(&r, 1, 0, 2, 3) == 2);
    set_loads(HD_POLICY_AL, 4, high);
    CHECK(hd_policy_pick(&r, 1, 0, 0, 1) == 3); /* 2 is above the average, 3 below */
}

/* Impossible lengths, and lengths of other queues than rings. */
static void test_lengths(void)
{
    static const uint32_t load[3] = {3, 2, 1};
    set_loads(HD_POLICY_TS, 3, load);
    CHECK(hd_load_of(&r, 0) == 3 && hd_load_of(&r, 2) == 1);
    cursors[1].tail = 0x7ffffff0; /* read before the head moved */
    CHECK(hd_load_of(&r, 0) == 0);
    cursors[1].tail = 7;
    r.dispatch = HD_DISPATCH_IQS;
    CHECK(hd_load_of(&r, 0) == 7);
    r.dispatch = HD_DISPATCH_RINGS;
}

/* Random lengths: the pick is the shortest queue seen; or the own one unless above the average, else one below it. */
static void test_random(uint64_t *seed)
{
    uint32_t load[MAX_WORKERS], n = 1 + (uint32_t)check_below(seed, MAX_WORKERS), own, w, k, least = HD_NONE, sum = 0,
                                to;
    uint32_t n_seen = n < HD_LOADS ? n : HD_LOADS;
    for (w = 0; w < n; w++)
        load[w] = (uint32_t)check_below(seed, N_SLOTS + 1);
    own = (uint32_t)check_below(seed, n);
    set_loads(HD_POLICY_TS, n, load);
    for (k = 0; k < n_seen; k++) {
        w = hd_neighbour(&r, own, k);
        CHECK(w < n);
        least = load[w] < least ? load[w] : least;
        sum += load[w];
    }
    CHECK(load[hd_policy_pick(&r, own, 0, 0, 1)] == least);
    r.policy = HD_POLICY_AL;
    to = hd_policy_pick(&r, own, 0, 0, 1);
    if (load[own] * n_seen <= sum)
        CHECK(to == own);
    else
        CHECK(load[to] * n_seen < sum);
}

int main(void)
{
    uint64_t seed = check_seed(20260107);
    uint32_t i;
    test_table();
    test_traits();
    test_picks();
    test_lengths();
    for (i = 0; i < 20000; i++)
        test_random(&seed);
    return 0;
}
