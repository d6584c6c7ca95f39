/* SPDX-License-Identifier: MIT */
/* memory.c - every allocation of fleets, arrays and loops fails once, pins too: a status with a sentence, nothing leaks, and what works with
 * less memory gives the right bytes. An array that is not pinned says so, and its loop runs. */
#include "loop/cases.h"
#include "loop/pins.h"

#include "base/base.h"

static const char *const devices = "virtual: virtual:memory=2e6 cpu:1";

static uint32_t n_unpinned; /* arrays of loops that went on without a pin */

/* 1: it went through. */
static int attempt(const looped_case *c, uint64_t fail_at, const looped_bytes *want)
{
    heddle_fleet *f = NULL;
    looped_rig r;
    heddle_status s;
    memset(&r, 0, sizeof r);
    *hd_thread_error()->text = 0; /* what failed before does not count */
    hd_fail_alloc_at(fail_at);
    s = heddle_fleet_open(&f, devices, NULL);
    if (s == HEDDLE_OK) {
        pins_begin(f);
        s = looped_open(&r, f, c);
        if (s == HEDDLE_OK) {
            n_unpinned += pins_check_told((heddle_array *[]){r.a, r.b, r.c, r.all, r.turned}, 5);
            looped_fill(&r, c);
            s = heddle_loop_run(r.loop, &r.params, sizeof r.params);
        }
        hd_fail_alloc_at(0);
        if (s == HEDDLE_OK) {
            const looped_bytes got = looped_take(&r);
            CHECK(got.n == want->n && !memcmp(got.at, want->at, got.n));
            free(got.at);
        }
        looped_close(&r);
        CHECK(!pins.n);
        CHECK_MSG(s == HEDDLE_OK || !pins.n_refused, "a refused pin ends a call");
    }
    hd_fail_alloc_at(0);
    CHECK_MSG(s == HEDDLE_OK || (s == HEDDLE_ENOMEM && *heddle_error_text(NULL)), "allocation %llu: %s: %s",
              (unsigned long long)fail_at, heddle_status_text(s), heddle_error_text(NULL));
    heddle_fleet_close(f);
    return s == HEDDLE_OK;
}

static void check_case(uint32_t body)
{
    const int is_small = body == looped_columns || body == looped_parts;
    const looped_case c = {
        body, is_small ? 500 : 5000, body == looped_matrix || body == looped_both ? 20u : 0u, 70, 16, HEDDLE_SPLIT_CUT,
        3};
    const looped_bytes want = looped_plain(&c);
    uint64_t k, held, n_failed = 0;
    int in_a_row = 0;
    CHECK(attempt(&c, 0, &want));
    hd_alloc_trim();
    held = hd_held_bytes();
    n_unpinned = 0;
    for (k = 1; in_a_row < 8; k++) {
        const int ok = attempt(&c, k, &want);
        in_a_row = ok ? in_a_row + 1 : 0;
        n_failed += !ok;
        CHECK_MSG(hd_held_bytes() == held, "allocation %llu: %llu bytes are held, %llu before", (unsigned long long)k,
                  (unsigned long long)hd_held_bytes(), (unsigned long long)held);
    }
    printf("body %u: %llu of %llu allocations end a call\n", body, (unsigned long long)n_failed,
           (unsigned long long)(k - 9));
    CHECK(n_failed > 10 && n_unpinned == 5);
    free(want.at);
}

int main(void)
{
    check_case(looped_price);
    check_case(looped_matrix);
    check_case(looped_find);
    check_case(looped_columns);
    check_case(looped_both);
    check_case(looped_parts);
    return 0;
}
