/* SPDX-License-Identifier: MIT */
/* section.c - the ranges of a section have exactly its bytes: random sections of 1 to 4 dimensions against a walk over
 * their elements. Then the effect of each way of matching. */
#include "check.h"
#include "openmp/list.h"

#include <string.h>

#define SPACE 16384u /* bytes that the sections lie in */

typedef struct case_box {
    uint32_t n_dims;
    uint64_t element_bytes;
    heddle_omp_dim dims[4];
} case_box;

static hd_omp_list list;
static heddle_range ranges[HD_OMP_MAX_PIECES]; /* the ranges of the section */
static uint64_t n_ranges;

static void read_list(void)
{
    uint64_t at = 0;
    for (n_ranges = 0; at < list.deps.n; n_ranges++)
        ranges[n_ranges] = hd_omp_list_read(&list, &at);
    CHECK(at == list.deps.n);
}

/* Lengths stay within extents, unless `wild`. */
static case_box random_section(uint64_t *state, int wild)
{
    case_box b = {.n_dims = 1 + (uint32_t)check_below(state, 4), .element_bytes = 1 + check_below(state, 8)};
    uint32_t d;
    for (d = 0; d < b.n_dims; d++) {
        int64_t extent = 1 + (int64_t)check_below(state, 5), lower = (int64_t)check_below(state, (uint64_t)extent);
        int64_t length = 1 + (int64_t)check_below(state, (uint64_t)(extent - lower));
        if (check_below(state, 3) == 0) { /* merging happens at whole dimensions */
            lower = 0;
            length = extent;
        }
        if (wild)
            length = (int64_t)check_below(state, 9) - 1;
        b.dims[d] = (heddle_omp_dim){lower, length, extent};
    }
    return b;
}

/* Marks the bytes of all elements, one by one; returns how many elements there are. */
static uint64_t mark_elements(const case_box *b, uint8_t *bytes)
{
    int64_t at[4] = {0}, n = 0;
    uint32_t d;
    for (d = 0; d < b->n_dims; d++)
        if (b->dims[d].length <= 0)
            return 0;
    for (;;) {
        int64_t index = 0;
        for (d = 0; d < b->n_dims; d++)
            index = (d ? index * b->dims[d].extent : 0) + b->dims[d].lower + at[d];
        memset(bytes + (uint64_t)index * b->element_bytes, 1, b->element_bytes);
        n++;
        for (d = b->n_dims; d > 0 && ++at[d - 1] == b->dims[d - 1].length; d--)
            at[d - 1] = 0;
        if (d == 0)
            return (uint64_t)n;
    }
}

static void mark_ranges(uint8_t *bytes)
{
    uint64_t i, k;
    for (i = 0; i < n_ranges; i++) {
        const heddle_range *r = &ranges[i];
        CHECK(r->row_bytes > 0 && (r->n_rows <= 1 || r->stride_bytes >= r->row_bytes));
        for (k = 0; k < (r->n_rows ? r->n_rows : 1); k++) {
            uint64_t first = (uint64_t)(uintptr_t)r->base + k * r->stride_bytes;
            CHECK(first + r->row_bytes <= SPACE);
            memset(bytes + first, 1, r->row_bytes);
        }
    }
}

static void ranges_of(const case_box *b)
{
    list.deps.n = 0;
    hd_omp_list_section(&list, HEDDLE_MODE_OUT, NULL, b->element_bytes, b->n_dims, b->dims);
    read_list();
}

static uint64_t n_ranges_of(const case_box *b)
{
    ranges_of(b);
    return n_ranges;
}

static void test_bytes(uint64_t *state)
{
    static uint8_t want[SPACE], got[SPACE];
    case_box b = random_section(state, 0);
    uint32_t i;
    memset(want, 0, sizeof want);
    memset(got, 0, sizeof got);
    CHECK(mark_elements(&b, want) > 0);
    ranges_of(&b);
    mark_ranges(got);
    CHECK(!memcmp(want, got, sizeof want));
    for (i = 0; i < n_ranges; i++)
        CHECK(ranges[i].mode == HEDDLE_MODE_OUT);
}

/* Lengths beyond extents: the ranges have all of the bytes, and perhaps more. Empty lengths: none. */
static void test_wild(uint64_t *state)
{
    static uint8_t want[SPACE], got[SPACE];
    case_box b = random_section(state, 1);
    uint64_t n;
    uint32_t i;
    memset(want, 0, sizeof want);
    memset(got, 0, sizeof got);
    n = mark_elements(&b, want);
    ranges_of(&b);
    CHECK((n == 0) == (n_ranges == 0));
    mark_ranges(got);
    for (i = 0; i < SPACE; i++)
        CHECK(!want[i] || got[i]);
}

/* The number of ranges for tiles of usual arrays. */
static void test_numbers(void)
{
    case_box row = {2, 8, {{3, 1, 64}, {0, 64, 64}}}, rows = {2, 8, {{3, 4, 64}, {0, 64, 64}}};
    case_box tile = {2, 8, {{8, 8, 64}, {16, 8, 64}}}, cube = {3, 8, {{0, 4, 9}, {4, 4, 8}, {4, 4, 8}}};
    case_box planes = {3, 8, {{2, 4, 9}, {0, 8, 8}, {0, 8, 8}}}, slabs = {3, 8, {{0, 4, 9}, {2, 3, 8}, {0, 8, 8}}};
    case_box columns = {3, 8, {{0, 4, 9}, {0, 8, 8}, {4, 4, 8}}};
    CHECK(n_ranges_of(&row) == 1 && n_ranges_of(&rows) == 1 && n_ranges_of(&tile) == 1);
    CHECK(n_ranges_of(&planes) == 1 && n_ranges_of(&slabs) == 1 && n_ranges_of(&columns) == 1);
    CHECK(n_ranges_of(&cube) == 4);
    ranges_of(&tile);
    CHECK(ranges[0].n_rows == 8 && ranges[0].stride_bytes == 512);
}

/* Too many pieces become one range around all of them. */
static void test_many_pieces(void)
{
    case_box b = {4, 1, {{0, 80, 80}, {0, 80, 81}, {0, 2, 3}, {0, 2, 3}}};
    CHECK(n_ranges_of(&b) == 1);
    CHECK(ranges[0].row_bytes == ((79 * 81 + 79) * 3 + 1) * 3 + 2);
    b.dims[0].length = 51;
    CHECK(n_ranges_of(&b) == 51 * 80);
}

static const void *key_of(const case_box *b, heddle_omp_match m)
{
    list.deps.n = 0;
    (m == HEDDLE_OMP_START ? hd_omp_list_start : hd_omp_list_exact)(&list, HEDDLE_MODE_IN, (const void *)4096,
                                                                    b->element_bytes, b->n_dims, b->dims);
    read_list();
    CHECK(n_ranges == 1 && ranges[0].row_bytes == 1 && ranges[0].n_rows == 1);
    return ranges[0].base;
}

/* Exact keys are equal for equal sets of bytes of one array and differ otherwise; start keys are the first byte. */
static void test_keys(uint64_t *state)
{
    static uint8_t bytes[2][SPACE];
    case_box a = random_section(state, 0), b = a;
    uint32_t d = (uint32_t)check_below(state, a.n_dims), i, first[2] = {0, 0};
    b.dims[d].lower = (int64_t)check_below(state, (uint64_t)b.dims[d].extent);
    b.dims[d].length = 1 + (int64_t)check_below(state, (uint64_t)(b.dims[d].extent - b.dims[d].lower));
    memset(bytes, 0, sizeof bytes);
    (void)mark_elements(&a, bytes[0]);
    (void)mark_elements(&b, bytes[1]);
    for (i = 0; i < 2; i++)
        while (!bytes[i][first[i]])
            first[i]++;
    CHECK((key_of(&a, HEDDLE_OMP_EXACT) == key_of(&b, HEDDLE_OMP_EXACT)) == !memcmp(bytes[0], bytes[1], SPACE));
    CHECK(key_of(&a, HEDDLE_OMP_START) == (const char *)4096 + first[0]);
}

int main(void)
{
    uint64_t state = check_seed(11), i;
    for (i = 0; i < 20000; i++) {
        test_bytes(&state);
        test_wild(&state);
        test_keys(&state);
    }
    test_numbers();
    test_many_pieces();
    return 0;
}
