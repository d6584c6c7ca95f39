/* SPDX-License-Identifier: MIT */
/* range.c - ranges against a byte-by-byte oracle: overlaps of every kind of pair, at every kind of address. The tracker
 * of writers and readers must order every pair of conflicting accesses, and no other. */
#include "bytes.h"
#include "graph/range.h"

#define LOT 512u /* bytes that contain the random ranges */

/* ---- pairs ----------------------------------------------------------------------------------------------------- */

static void check_pair(const heddle_range *a, const heddle_range *b, uint64_t origin)
{
    int exact = bytes_share(a, b, origin), most = exact || bytes_inexact(a, b), said = hd_range_overlap(a, b);
    CHECK_MSG(said == hd_range_overlap(b, a), "overlap is one-sided");
    CHECK_MSG(said ? most : !exact, "overlap %d, truth %d, most %d: %llu+%llux%llu/%llu and %llu+%llux%llu/%llu", said,
              exact, most, (unsigned long long)(bytes_base(a) - origin), (unsigned long long)a->row_bytes,
              (unsigned long long)a->n_rows, (unsigned long long)a->stride_bytes,
              (unsigned long long)(bytes_base(b) - origin), (unsigned long long)b->row_bytes,
              (unsigned long long)b->n_rows, (unsigned long long)b->stride_bytes);
}

/* Ends of the address space, both sides of 2^63, and a usual address. */
static uint64_t random_origin(uint64_t *seed)
{
    static const uint64_t places[] = {0, UINT64_MAX - LOT + 1, (1ull << 63) - LOT / 2, (1ull << 63) - LOT, 1ull << 63};
    uint64_t i = check_below(seed, 2 * sizeof places / sizeof places[0]);
    return i < sizeof places / sizeof places[0] ? places[i] : check_random(seed) >> 8;
}

static void test_pairs(uint64_t *seed)
{
    uint64_t i, n_exact = 0, n_apart = 0, n_said = 0;
    for (i = 0; i < 300000; i++) {
        uint64_t origin = random_origin(seed);
        heddle_range a = bytes_random_range(seed, origin, LOT, 1), b = bytes_random_range(seed, origin, LOT, 1);
        check_pair(&a, &b, origin);
        n_exact += (uint64_t)bytes_share(&a, &b, origin);
        n_said += (uint64_t)hd_range_overlap(&a, &b);
        n_apart += bytes_near(&a, &b) && !hd_range_overlap(&a, &b);
    }
    printf("pairs: %llu overlap, %llu more said so, %llu interleave and are apart\n", (unsigned long long)n_exact,
           (unsigned long long)(n_said - n_exact), (unsigned long long)n_apart);
    CHECK(n_exact > 10000 && n_apart > 5000 && n_said > n_exact && n_said < 2 * n_exact);
}

/* Ranges too large for the byte oracle, with results known by hand. */
static void test_large(void)
{
    const void *zero = (const void *)0;
    heddle_range most = heddle_range_of(zero, (1ull << 63) - 1, 1, 0, HEDDLE_MODE_IN);
    heddle_range half = heddle_range_of(zero, 1ull << 62, 4, 1ull << 62, HEDDLE_MODE_IN); /* the whole address space */
    heddle_range last = heddle_range_of((const void *)UINTPTR_MAX, 1, 1, 0, HEDDLE_MODE_IN);
    heddle_range first = heddle_range_of(zero, 1, 1, 0, HEDDLE_MODE_IN);
    heddle_range sparse = heddle_range_of(zero, 1, 3, (1ull << 62) + 1, HEDDLE_MODE_IN);
    heddle_range third = heddle_range_of((const void *)(uintptr_t)((1ull << 63) + 2), 1, 1, 0, HEDDLE_MODE_IN);
    heddle_range beside = heddle_range_of((const void *)(uintptr_t)((1ull << 63) + 3), 1, 1, 0, HEDDLE_MODE_IN);
    CHECK(!hd_range_check(&most, NULL) && !hd_range_check(&half, NULL) && !hd_range_check(&last, NULL));
    CHECK(!hd_range_check(&sparse, NULL));
    CHECK(hd_range_overlap(&half, &last) && hd_range_overlap(&half, &first) && hd_range_overlap(&half, &most));
    CHECK(!hd_range_overlap(&most, &last) && hd_range_overlap(&most, &first) && !hd_range_overlap(&first, &last));
    CHECK(hd_range_overlap(&sparse, &first) && hd_range_overlap(&sparse, &third) &&
          !hd_range_overlap(&sparse, &beside));
}

/* ---- refusals -------------------------------------------------------------------------------------------------- */

typedef struct refusal {
    uint64_t base, row_bytes, n_rows, stride_bytes;
    int mode;
    heddle_status status;
} refusal;

static const refusal refusals[] = {
    {64, 0, 1, 0, HEDDLE_MODE_IN, HEDDLE_ERANGE},
    {64, 0, 3, 8, HEDDLE_MODE_IN, HEDDLE_ERANGE},
    {64, 8, 2, 7, HEDDLE_MODE_IN, HEDDLE_ERANGE},
    {64, 8, 2, 0, HEDDLE_MODE_IN, HEDDLE_ERANGE},
    {64, 8, 1ull << 32, 8, HEDDLE_MODE_IN, HEDDLE_ERANGE},
    {64, 8, UINT64_MAX, 8, HEDDLE_MODE_IN, HEDDLE_ERANGE},
    {64, UINT64_MAX, 1, 0, HEDDLE_MODE_IN, HEDDLE_ERANGE},
    {UINT64_MAX, 2, 1, 0, HEDDLE_MODE_IN, HEDDLE_ERANGE},
    {UINT64_MAX - 15, 8, 3, 8, HEDDLE_MODE_OUT, HEDDLE_ERANGE},
    {0, 8, 3, 1ull << 63, HEDDLE_MODE_OUT, HEDDLE_ERANGE},
    {64, 8, 0xffffffff, 1ull << 40, HEDDLE_MODE_OUT, HEDDLE_ERANGE},
    {64, 8, 1, 0, 0, HEDDLE_EINVAL},
    {64, 8, 1, 0, 4, HEDDLE_EINVAL},
    {64, 8, 1, 0, -1, HEDDLE_EINVAL},
};

static const refusal allowed[] = {
    {0, 1, 0, 0, HEDDLE_MODE_INOUT, HEDDLE_OK},
    {UINT64_MAX, 1, 1, UINT64_MAX, HEDDLE_MODE_IN, HEDDLE_OK}, /* a stride without effect */
    {UINT64_MAX - 15, 8, 2, 8, HEDDLE_MODE_OUT, HEDDLE_OK},
    {64, 8, 0xffffffff, 8, HEDDLE_MODE_OUT, HEDDLE_OK},
    {1ull << 63, 8, 0, 3, HEDDLE_MODE_IN, HEDDLE_OK},
};

static void check_refusal(const refusal *f)
{
    heddle_range r = heddle_range_of((const void *)(uintptr_t)f->base, f->row_bytes, f->n_rows, f->stride_bytes,
                                     (heddle_mode)f->mode);
    hd_error e;
    heddle_status s;
    e.text[0] = 0;
    s = hd_range_check(&r, &e);
    CHECK_MSG(s == f->status, "%llu+%llux%llu/%llu mode %d: %s, not %s", (unsigned long long)f->base,
              (unsigned long long)f->row_bytes, (unsigned long long)f->n_rows, (unsigned long long)f->stride_bytes,
              f->mode, heddle_status_text(s), heddle_status_text(f->status));
    CHECK(s == HEDDLE_OK || strlen(e.text) > 10);
}

static void test_check(void)
{
    size_t i;
    for (i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
        check_refusal(&refusals[i]);
    for (i = 0; i < sizeof allowed / sizeof allowed[0]; i++)
        check_refusal(&allowed[i]);
}

/* ---- the tracker ----------------------------------------------------------------------------------------------- */

#define N_ACCESSES 120u
#define N_NODES (N_ACCESSES * 4u) /* tasks and joins */

/* Each task has one range; reach[t] are the nodes that precede t, directly or on a path. */
typedef struct history {
    uint64_t n_nodes, n_joins, origin;
    heddle_range range[N_NODES];
    bytes set[N_NODES];
    uint8_t is_join[N_NODES];
    uint64_t reach[N_NODES][N_NODES / 64];
} history;

static void precede(history *h, uint64_t t, const uint32_t *before, uint64_t n)
{
    uint64_t i, w;
    for (i = 0; i < n; i++) {
        CHECK_MSG(before[i] < t, "task %u before %llu", before[i], (unsigned long long)t);
        h->reach[t][before[i] / 64] |= 1ull << before[i] % 64;
        for (w = 0; w < N_NODES / 64; w++)
            h->reach[t][w] |= h->reach[before[i]][w];
    }
}

static uint32_t make_join(void *self, const uint32_t *before, uint64_t n)
{
    history *h = self;
    uint64_t j = h->n_nodes++;
    CHECK(h->n_nodes < N_NODES && n > 0);
    h->is_join[j] = 1;
    h->n_joins++;
    precede(h, j, before, n);
    return (uint32_t)j;
}

/* May t wait for access i? One must write, and they must share bytes or seem to. */
static int justified(const history *h, uint64_t i, uint64_t t)
{
    const heddle_range *a = &h->range[i], *b = &h->range[t];
    return ((a->mode | b->mode) & HEDDLE_MODE_OUT) && (bytes_meet(&h->set[i], &h->set[t]) || bytes_inexact(a, b));
}

/* All earlier accesses in conflict are ordered before t; those named are in conflict, or seem to be. */
static void check_order(const history *h, uint64_t t, const uint32_t *before, uint64_t n)
{
    uint64_t i;
    for (i = 0; i < t; i++)
        CHECK_MSG(h->is_join[i] || h->reach[t][i / 64] >> i % 64 & 1 || !bytes_meet(&h->set[i], &h->set[t]) ||
                      !((h->range[i].mode | h->range[t].mode) & HEDDLE_MODE_OUT),
                  "access %llu is not ordered before %llu", (unsigned long long)i, (unsigned long long)t);
    for (i = 0; i < n; i++)
        CHECK_MSG(h->is_join[before[i]] || justified(h, before[i], t), "access %llu waits for %u without a conflict",
                  (unsigned long long)t, before[i]);
}

static void one_access(hd_ranges *r, history *h, const heddle_range *range, hd_list *before)
{
    const hd_joiner joiner = {h, make_join};
    uint32_t area;
    uint64_t t;
    before->n = 0;
    CHECK(hd_ranges_gather(r, range, 1, &area, before, &joiner) == 0);
    t = h->n_nodes++;
    h->range[t] = *range;
    bytes_add(&h->set[t], range, h->origin);
    precede(h, t, before->at, before->n);
    check_order(h, t, before->at, before->n);
    CHECK(hd_ranges_note(r, range, 1, &area, (uint32_t)t) == 0);
}

/* Few writes give many readers, few reads many writers. */
static void random_history(uint64_t *seed, uint64_t *n_joins)
{
    static history h;
    hd_ranges *r = hd_ranges_new();
    hd_list before = {NULL, 0, 0, 0};
    uint64_t i, origin = random_origin(seed), writes = 1 + check_below(seed, 8);
    int blocks = (int)check_below(seed, 3);
    CHECK(r);
    memset(&h, 0, sizeof h);
    h.origin = origin;
    for (i = 0; i < N_ACCESSES; i++) {
        heddle_range range = bytes_random_range(seed, origin, LOT, blocks);
        if (i % 64 == 63) /* now and then the phase changes */
            writes = 9 - writes;
        range.mode = check_below(seed, 9) < writes ? (heddle_mode)(2 + check_below(seed, 2)) : HEDDLE_MODE_IN;
        one_access(r, &h, &range, &before);
    }
    *n_joins += h.n_joins;
    hd_list_clear(&before);
    hd_ranges_free(r);
}

static void test_tracker(uint64_t *seed)
{
    uint64_t i, n_joins = 0, held = hd_held_bytes();
    for (i = 0; i < 1000; i++)
        random_history(seed, &n_joins);
    printf("tracker: %llu joins\n", (unsigned long long)n_joins);
    CHECK(n_joins > 1000);
    CHECK(hd_held_bytes() == held);
}

int main(void)
{
    uint64_t seed = check_seed(20260101);
    test_pairs(&seed);
    test_large();
    test_check();
    test_tracker(&seed);
    return 0;
}
