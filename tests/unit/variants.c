/* SPDX-License-Identifier: MIT */
/* Variants of a graph by a fake clock. The quickest stays, within 3 % if runs are disturbed; each other is dropped, once.
 * One that cannot be made or started is skipped; trying waits for one that tries ways itself; a run in a stream ends it. */
#include "run/variants.h"

#include "check.h"

#include <string.h>

#define N 5u

/* Makes the variants: their graphs are places in at[]. Variant `missing` cannot be made. */
typedef struct maker {
    uint8_t own, at[N];
    uint32_t missing, n_made[N], n_dropped[N], n_freed;
} maker;
static maker m;

static heddle_status make(void *self, uint32_t i, heddle_graph **out)
{
    CHECK(self == &m && i && i < N);
    if (i == m.missing)
        return HEDDLE_ENOMEM;
    m.n_made[i]++;
    *out = (heddle_graph *)(void *)&m.at[i];
    return HEDDLE_OK;
}

static void drop(heddle_graph *g)
{
    const size_t i = (size_t)((uint8_t *)(void *)g - m.at);
    CHECK(i && i < N); /* the user's own graph stays */
    m.n_dropped[i]++;
}

static void name(const void *self, uint32_t i, char out[HD_VARIANT_NAME])
{
    CHECK(self == &m);
    snprintf(out, HD_VARIANT_NAME, "way %u", i);
}

static void free_self(void *self) { ((maker *)self)->n_freed++; }

static const hd_variants_kind kind = {make, name, drop, free_self};

static hd_variants *fresh(uint32_t missing)
{
    hd_variants *v;
    memset(&m, 0, sizeof m);
    m.missing = missing;
    v = hd_variants_new(&kind, &m, (heddle_graph *)(void *)&m.own, N);
    CHECK(v);
    return v;
}

static void done(hd_variants *v)
{
    uint32_t i;
    hd_variants_free(v);
    CHECK(m.n_freed == 1);
    for (i = 1; i < N; i++)
        CHECK(m.n_made[i] == m.n_dropped[i] && m.n_made[i] <= 1);
}

static int is_there(const hd_variants *v) { return v->at[v->now].graph != NULL; }

/* Runs the chosen variant, which takes ns; reads its result twice. */
static void run(hd_variants *v, uint64_t ns, int is_trying)
{
    hd_variants_began(v);
    hd_variants_note(v, ns, is_trying);
    hd_variants_note(v, 1, is_trying);
}

/* Variant i takes ns[i], thrice in its first run, 5 % more in every fourth run of all. Returns the number of runs. */
static uint32_t settle(hd_variants *v, const uint64_t *ns)
{
    uint32_t n = 0, n_runs[N] = {0};
    while (hd_variants_next(v) == HEDDLE_OK && !v->is_settled) {
        const uint64_t t = ns[v->now];
        CHECK(is_there(v) && n < N * HD_TRIES_NEAR);
        CHECK(strstr(hd_variants_say(v, "on 4 threads"), "; being tried"));
        run(v, n_runs[v->now]++ == 0 ? 3 * t : n % 4 == 3 ? t * 21 / 20 : t, 0);
        n++;
    }
    CHECK(v->is_settled && is_there(v));
    return n;
}

static void best_is_kept(void)
{
    static const uint64_t ns[][N] = {{1000, 2000, 3000, 1500, 900},
                                     {1000, 2000, 3000, 1500, 9000},
                                     {5000, 1080, 1040, 1000, 1060},
                                     {1000, 1000, 1000, 1000, 1000},
                                     {3000, 1000, 1090, 2000, 1020}};
    for (size_t k = 0; k < sizeof ns / sizeof ns[0]; k++) {
        hd_variants *v = fresh(0);
        uint64_t least = UINT64_MAX;
        uint32_t i;
        for (i = 0; i < N; i++)
            least = ns[k][i] < least ? ns[k][i] : least;
        CHECK(settle(v, ns[k]) >= 2 * N);
        CHECK_MSG(ns[k][v->now] * 100 <= least * 103, "case %u keeps way %u", (unsigned)k, v->now);
        for (i = 1; i < N; i++)
            CHECK(m.n_made[i] == 1 && m.n_dropped[i] == (i != v->now));
        CHECK(strstr(hd_variants_say(v, "on 4 threads"), ": on 4 threads; the best of way 0 "));
        CHECK(hd_variants_next(v) == HEDDLE_OK && ns[k][v->now] * 100 <= least * 103);
        done(v);
    }
}

/* A variant that is far behind is dropped as soon as that is known, not at the end. */
static void slow_goes_early(void)
{
    hd_variants *v = fresh(0);
    for (uint32_t n = 0; n < 5; n++) {
        CHECK(hd_variants_next(v) == HEDDLE_OK && v->now == n / 2);
        run(v, v->now == 1 ? 2000 : 1000, 0);
    }
    CHECK(hd_variants_next(v) == HEDDLE_OK && v->now == 2 && m.n_dropped[1] == 1 && !m.n_made[3]);
    done(v);
}

static void left_out(void)
{
    static const uint64_t ns[N] = {3000, 1000, 500, 2000, 2000};
    hd_variants *v = fresh(2);
    CHECK(settle(v, ns) && v->now == 1);
    done(v);
    v = fresh(0); /* only the second can be started; the others are made and refused */
    for (uint32_t i = 0; i < N; i++) {
        CHECK(hd_variants_next(v) == HEDDLE_OK);
        if (v->now == 1)
            run(v, 1000, 0), run(v, 1000, 0);
        else
            CHECK(hd_variants_refuse(v, HEDDLE_ERANGE));
    }
    CHECK(hd_variants_next(v) == HEDDLE_OK && v->now == 1);
    CHECK(!v->is_settled && !hd_variants_refuse(v, HEDDLE_EBUSY) && is_there(v)); /* EBUSY is no reason to drop it */
    CHECK(!hd_variants_refuse(v, HEDDLE_ENOMEM)); /* the last one: the user gets the error */
    CHECK(hd_variants_next(v) == HEDDLE_OK && v->now == 0 && is_there(v));
    done(v);
}

/* While a variant tries ways of its own, its times count but its runs do not. */
static void tries_of_its_own(void)
{
    hd_variants *v = fresh(0);
    for (uint32_t n = 0; n < 20; n++) {
        CHECK(hd_variants_next(v) == HEDDLE_OK && v->now == 0);
        run(v, 1000, 1);
    }
    run(v, 1000, 0), run(v, 1000, 0);
    CHECK(hd_variants_next(v) == HEDDLE_OK && v->now == 1);
    done(v);
}

static void held(void)
{
    hd_variants *v = fresh(0);
    for (uint32_t n = 0; n < 4; n++) {
        CHECK(hd_variants_next(v) == HEDDLE_OK);
        run(v, v->now ? 500 : 1000, 0);
    }
    CHECK(hd_variants_next(v) == HEDDLE_OK && v->now == 2); /* made, but never run */
    hd_variants_hold(v, "kept for a reason");
    CHECK(v->now == 1 && !m.n_dropped[2]); /* not before the next run */
    CHECK(!strcmp(hd_variants_say(v, NULL), "way 1: ; kept for a reason"));
    hd_variants_use_own(v);
    CHECK(v->now == 0 && is_there(v));
    CHECK(hd_variants_next(v) == HEDDLE_OK && v->now == 1 && is_there(v) && m.n_dropped[2] == 1);
    done(v);
    v = fresh(0); /* nothing has run: the user's own graph */
    hd_variants_hold(v, "kept");
    CHECK(v->now == 0);
    done(v);
}

int main(void)
{
    best_is_kept();
    slow_goes_early();
    left_out();
    tries_of_its_own();
    held();
    return 0;
}
