/* SPDX-License-Identifier: MIT */
/* Candidates are tried in turn, then the near ones again; a disturbed run does not decide; trying comes to an end. */
#include "backend/tries.h"
#include "check.h"

#include <string.h>

#define N 5u

static void note(hd_tried *t, uint64_t ns)
{
    t->n_runs++;
    if (!t->best_ns || ns < t->best_ns)
        t->best_ns = ns;
}

/* Candidate i takes ns[i], three times as long in its first run. Returns the number of runs, listed in order[]. */
static size_t run_all(hd_tried *t, const uint64_t *ns, uint8_t *order)
{
    size_t n = 0, i;
    memset(t, 0, N * sizeof *t);
    while ((i = hd_next_try(t, N)) < N) {
        CHECK(n < N * HD_TRIES_NEAR);
        order[n++] = (uint8_t)i;
        note(&t[i], t[i].n_runs ? ns[i] : 3 * ns[i]);
    }
    return n;
}

static void in_order(void)
{
    static const uint64_t ns[N] = {2000, 1000, 1090, 1200, 5000};
    static const uint8_t expected[] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 1, 2, 1, 2, 1, 2};
    uint8_t order[N * HD_TRIES_NEAR];
    hd_tried t[N];
    CHECK(run_all(t, ns, order) == sizeof expected && !memcmp(order, expected, sizeof expected));
}

static void all_alike(void)
{
    static const uint64_t ns[N] = {1000, 1000, 1000, 1000, 1000};
    uint8_t order[N * HD_TRIES_NEAR];
    hd_tried t[N];
    CHECK(run_all(t, ns, order) == N * HD_TRIES_NEAR);
}

/* A candidate that falls behind another's last run is dropped; one without a good run is not the best. */
static void let_go(void)
{
    hd_tried t[3] = {{2, 1000}, {2, 1050}, {2, 0}};
    CHECK(hd_next_try(t, 3) == 0);
    note(&t[0], 900);
    CHECK(hd_next_try(t, 3) == 0); /* 1050 is further than a tenth from 900 */
    note(&t[0], 940);
    note(&t[0], 960);
    CHECK(hd_next_try(t, 3) == 3);
    CHECK(hd_next_try(t, 0) == 0);
}

/* The one that is 3 % quicker is found although one run of each but the last is 20 % too long. */
static void disturbed(void)
{
    static const uint64_t ns[2] = {1030, 1000};
    hd_tried t[2] = {{0, 0}, {0, 0}};
    size_t i;
    while ((i = hd_next_try(t, 2)) < 2)
        note(&t[i], t[i].n_runs == i + 1 ? ns[i] * 6 / 5 : t[i].n_runs ? ns[i] : 3 * ns[i]);
    CHECK(t[1].best_ns < t[0].best_ns);
}

int main(void)
{
    in_order();
    all_alike();
    let_go();
    disturbed();
    return 0;
}
