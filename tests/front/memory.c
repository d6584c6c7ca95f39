/* SPDX-License-Identifier: MIT */
/* memory.c - every allocation of wavefronts fails once, pins too: a status with a sentence, nothing leaks, and what works with less memory
 * gives the right bytes. An array that is not pinned says so, and its wavefront runs;
 * only the row that a stride hands on has to be. */
#include "front/cases.h"
#include "loop/pins.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static uint32_t n_unpinned; /* arrays of wavefronts that went on without a pin */

/* 1: it went through. */
static int attempt(const front_case *c, uint64_t fail_at)
{
    heddle_fleet *f = NULL;
    front_rig r;
    heddle_status s;
    *hd_thread_error()->text = 0; /* what failed before does not count */
    hd_fail_alloc_at(fail_at);
    s = heddle_fleet_open(&f, "virtual: virtual:memory=2e6 cpu:1", NULL);
    if (s == HEDDLE_OK) {
        pins_begin(f);
        s = front_open(&r, f, c);
        if (s == HEDDLE_OK) {
            n_unpinned +=
                pins_check_told((heddle_array *[]){r.x, r.y, r.north, r.west, r.cells, r.last_row, r.last_col}, 7);
            front_fill(&r);
            s = heddle_wavefront_start(r.w, &r.params, sizeof r.params);
            s = s == HEDDLE_OK ? heddle_wavefront_wait(r.w, HEDDLE_FOREVER) : s;
        }
        hd_fail_alloc_at(0);
        if (s == HEDDLE_OK)
            front_compare(front_plain(c), front_take(&r), c, "less memory");
        front_close(&r);
        CHECK(!pins.n);
        CHECK_MSG(s == HEDDLE_OK || !pins.n_refused || strstr(heddle_error_text(NULL), "lowest row is not pinned"),
                  "a refused pin ends a call: %s", heddle_error_text(NULL));
    }
    hd_fail_alloc_at(0);
    CHECK_MSG(s == HEDDLE_OK || (s == HEDDLE_ENOMEM && *heddle_error_text(NULL)), "allocation %llu: %s: %s",
              (unsigned long long)fail_at, heddle_status_text(s), heddle_error_text(NULL));
    heddle_fleet_close(f);
    return s == HEDDLE_OK;
}

static void check_case(const front_case *c)
{
    uint64_t k, held, n_failed = 0;
    int in_a_row = 0;
    CHECK(attempt(c, 0));
    hd_alloc_trim();
    held = hd_held_bytes();
    n_unpinned = 0;
    for (k = 1; in_a_row < 8; k++) {
        const int ok = attempt(c, k);
        in_a_row = ok ? in_a_row + 1 : 0;
        n_failed += !ok;
        CHECK_MSG(hd_held_bytes() == held, "allocation %llu: %llu bytes are held, %llu before", (unsigned long long)k,
                  (unsigned long long)hd_held_bytes(), (unsigned long long)held);
    }
    printf("body %u: %llu of %llu allocations end a call\n", c->body, (unsigned long long)n_failed,
           (unsigned long long)(k - 9));
    CHECK(n_failed > 10 && n_unpinned);
}

int main(void)
{
    const front_case mix = {.body = front_mix,
                            .rows = 300,
                            .cols = 40,
                            .seed = 3,
                            .has_borders = 1,
                            .keeps = 1,
                            .split = HEDDLE_SPLIT_STATIC,
                            .n_trace = 16,
                            .fail_row = UINT32_MAX},
                     sweep = {.body = front_sweep,
                              .rows = 300,
                              .cols = 40,
                              .sweeps = 4,
                              .seed = 4,
                              .keeps = 1,
                              .split = HEDDLE_SPLIT_STATIC};
    check_case(&mix);
    check_case(&sweep);
    return 0;
}
