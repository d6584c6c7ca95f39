/* SPDX-License-Identifier: MIT */
/* patches.c - what of an array a slice touches: rows, columns, both, with halos that are cut off at the array's borders; and what a
 * function names, where grains side by side become one patch. */
#include "loop/cases.h"

#include "engine/loop/fleet.h"

static heddle_array array; /* 10 rows of 40 bytes, 50 apart */

static hd_patch only(const hd_piece *p, uint64_t begin, uint64_t end, int is_in)
{
    const hd_slice s = {begin, end, 0, 0};
    hd_patches w = hd_patches_of(p, &s, is_in);
    hd_patch r, more;
    CHECK(hd_patches_next(&w, &r));
    CHECK(!hd_patches_next(&w, &more));
    return r;
}

static void check_patch(hd_patch r, uint64_t at, uint64_t row_bytes, uint64_t n_rows)
{
    CHECK_MSG(r.at == at && r.row_bytes == row_bytes && r.n_rows == n_rows && r.stride == 50,
              "%llu rows of %llu bytes, %llu apart, from byte %llu on; %llu of %llu from %llu are right",
              (unsigned long long)r.n_rows, (unsigned long long)r.row_bytes, (unsigned long long)r.stride,
              (unsigned long long)r.at, (unsigned long long)n_rows, (unsigned long long)row_bytes,
              (unsigned long long)at);
}

/* Grains of 3 rows, of which 8 belong to indices, from the second one on; of each row 24 bytes from byte 8 on. */
static void check_rows(void)
{
    hd_piece p = {.array = &array,
                  .kind = HEDDLE_ACCESS_BOTH,
                  .reads = 1,
                  .first = 1,
                  .end = 9,
                  .n_each = 3,
                  .n_each_2 = 4, /* of a tile of the second index */
                  .n_all = 10,
                  .first_byte = 8,
                  .end_byte = 32};
    const hd_slice s = {0, 3, 0, 0};
    hd_patches none = hd_patches_of(&p, &s, 0);
    hd_patch r;
    CHECK(!hd_patches_next(&none, &r)); /* nothing is written */
    check_patch(only(&p, 0, 2, 1), 1 * 50 + 8, 24, 6);
    check_patch(only(&p, 2, 3, 1), 7 * 50 + 8, 24, 2); /* the last grain is short */
    p.before = p.after = p.before_2 = 4;
    p.after_2 = 8;
    check_patch(only(&p, 1, 2, 1), 0 * 50 + 4, 36, 10); /* a halo beyond the borders */
    p.before = p.after = 1;
    check_patch(only(&p, 1, 2, 1), 3 * 50 + 4, 36, 5);
    CHECK(hd_layout_first(&p, &(hd_slice){1, 2, 0, 0}) == 3 * 50);
}

/* Grains of 8 bytes of each row. */
static void check_columns(void)
{
    hd_piece p = {.array = &array,
                  .kind = HEDDLE_ACCESS_COLUMNS,
                  .reads = 1,
                  .writes = 1,
                  .first = 4,
                  .end = 32,
                  .n_each = 8,
                  .n_all = 40};
    check_patch(only(&p, 0, 2, 0), 4, 16, 10);
    check_patch(only(&p, 3, 4, 1), 28, 4, 10);
    p.before = 4;
    p.after = 100;
    check_patch(only(&p, 1, 2, 1), 8, 32, 10);
}

static uint64_t count(const hd_piece *p, uint64_t begin, uint64_t end, hd_patch *last)
{
    const hd_slice s = {begin, end, 0, 0};
    hd_patches w = hd_patches_of(p, &s, 1);
    uint64_t n = 0;
    while (hd_patches_next(&w, last))
        n++;
    return n;
}

/* Grain 0 has three ranges, 3 none. */
static void check_map(void)
{
    hd_patch named[] = {{0, 10, 1, 50},   {10, 5, 1, 50},   {3, 2, 1, 50},    {12, 10, 1, 50},
                        {100, 20, 2, 50}, {200, 20, 1, 50}, {250, 20, 3, 50}, {250, 20, 1, 50},
                        {300, 20, 1, 50}, {350, 10, 1, 50}, {100, 20, 2, 50}, {200, 20, 2, 60}};
    uint64_t starts[] = {0, 3, 4, 5, 5, 6, 7, 8, 9, 10, 12};
    hd_piece p = {.array = &array, .kind = HEDDLE_ACCESS_PARTS, .reads = 1};
    hd_patch last;
    p.in.patches.at = named;
    p.in.starts.at = starts;
    check_patch(only(&p, 0, 1, 1), 0, 15, 1); /* side by side, and inside */
    check_patch(only(&p, 0, 2, 1), 0, 22, 1); /* they overlap */
    CHECK(count(&p, 3, 4, &last) == 0);
    check_patch(only(&p, 2, 6, 1), 100, 20, 6); /* rows behind rows */
    CHECK(count(&p, 5, 7, &last) == 2);         /* again a row that was there */
    CHECK(count(&p, 0, 3, &last) == 2);
    check_patch(last, 100, 20, 2);
    CHECK(count(&p, 6, 9, &last) == 2); /* a shorter row */
    check_patch(last, 350, 10, 1);
    CHECK(count(&p, 9, 10, &last) == 2); /* another stride */
}

int main(void)
{
    array.n_rows = 10;
    array.row_bytes = 40;
    array.stride = 50;
    check_rows();
    check_columns();
    check_map();
    puts("patches are right");
    return 0;
}
