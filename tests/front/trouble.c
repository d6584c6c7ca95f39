/* SPDX-License-Identifier: MIT */
/* trouble.c - wavefronts when a unit is lost at any of its actions, or is slow beyond a limit; a cell fails; a run is cancelled; and what
 * is refused. --cuda: beside a GPU. */
#include "engine/loop/fleet.h"
#include "front/cases.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *others = "2*virtual:"; /* that are left */
static uint64_t rows = 500;               /* enough for several strides: a GPU has high ones */

static heddle_fleet *open_fleet(const char *first, const char *more)
{
    char devices[160];
    heddle_fleet *f = NULL;
    snprintf(devices, sizeof devices, "%s %s", first, more);
    CHECK_OK(NULL, heddle_fleet_open(&f, devices, NULL));
    return f;
}

/* ---- losses ------------------------------------------------------------------------------------------------------------ */

static int is_spoilt(heddle_status s)
{
    return s == HEDDLE_EDEVICE && strstr(heddle_error_text(NULL), "nobody can do that again");
}

/* Sweeps may not be possible again. */
static void run_well(front_rig *r, const front_case *c, const char *how)
{
    const heddle_status s = heddle_wavefront_run(r->w, &r->params, sizeof r->params);
    if (s == HEDDLE_OK)
        front_compare(front_plain(c), front_take(r), c, how);
    else
        CHECK_MSG(is_spoilt(s) && c->sweeps, "%s", heddle_error_text(NULL));
}

/* One of three units is lost at its action k. Returns whether it was. */
static int run_lost(uint32_t k, const front_case *c)
{
    heddle_wavefront_stats stats = HEDDLE_WAVEFRONT_STATS_INIT;
    char failing[64];
    front_rig r;
    heddle_fleet *f;
    snprintf(failing, sizeof failing, k % 2u ? "virtual:fail=%u" : "virtual: virtual:fail=%u", k);
    f = open_fleet(failing, others);
    CHECK_OK(NULL, front_open(&r, f, c));
    front_fill(&r);
    run_well(&r, c, failing);
    CHECK_OK(NULL, heddle_wavefront_get_stats(r.w, &stats));
    CHECK(!stats.n_lost || strstr(heddle_wavefront_how(r.w), "is lost at its action"));
    front_fill(&r);
    run_well(&r, c, "after the first run");
    front_close(&r);
    heddle_fleet_close(f);
    return stats.n_lost > 0;
}

static void test_lost(void)
{
    uint64_t seed = check_seed(3);
    for (uint32_t body = 0; body < front_n_bodies; body++) {
        uint32_t n_lost = 0;
        for (uint32_t k = 1; k <= 12u; k++) {
            front_case c = front_random(&seed, body);
            c.rows = rows;
            c.split = (heddle_split)(k % HEDDLE_N_SPLITS);
            n_lost += (uint32_t)run_lost(k, &c);
        }
        CHECK(n_lost >= (rows > 500 ? 1u : 3u) || body == front_east); /* beside a GPU most ways leave it nothing */
    }
}

/* Nobody is left. */
static void test_none_left(void)
{
    front_case c = {.body = front_mix, .rows = 400, .cols = 50, .seed = 5, .fail_row = UINT32_MAX};
    heddle_fleet *f = open_fleet("2*virtual:fail=2", "");
    front_rig r;
    CHECK_OK(NULL, front_open(&r, f, &c));
    front_fill(&r);
    CHECK(heddle_wavefront_run(r.w, &r.params, sizeof r.params) == HEDDLE_EDEVICE);
    CHECK_MSG(strstr(heddle_error_text(NULL), "no unit is left; rows from 0 on are not done"), "%s",
              heddle_error_text(NULL));
    front_close(&r);
    heddle_fleet_close(f);
}

/* A unit that does not answer is lost at the limit. */
static void test_limit(void)
{
    front_case c = {.body = front_best,
                    .rows = rows,
                    .cols = 50,
                    .seed = 6,
                    .split = HEDDLE_SPLIT_GUIDED,
                    .time_limit_ms = 300,
                    .fail_row = UINT32_MAX};
    heddle_fleet *f = open_fleet("virtual:hang=2", others);
    front_rig r;
    CHECK_OK(NULL, front_open(&r, f, &c));
    front_fill(&r);
    CHECK_OK(NULL, heddle_wavefront_run(r.w, &r.params, sizeof r.params));
    front_compare(front_plain(&c), front_take(&r), &c, "a unit hangs");
    CHECK_MSG(strstr(heddle_wavefront_how(r.w), "longer than the time limit of 300 ms"), "%s",
              heddle_wavefront_how(r.w));
    front_close(&r);
    heddle_fleet_close(f);
}

static heddle_status is_busy(void *self, uint32_t queue, uint32_t *code, uint64_t *index)
{
    (void)self;
    (void)queue;
    (void)code;
    (void)index;
    return HEDDLE_EBUSY;
}

/* A unit has fallen silent in a loop: a run goes on without it, and the first one in which it answers, with it. */
static void test_silent(void)
{
    front_case c = {.body = front_best, .rows = 500, .cols = 50, .seed = 6, .split = HEDDLE_SPLIT_STATIC};
    heddle_fleet *f = open_fleet("virtual:", "virtual:");
    hd_fleet_unit *u = hd_unit_at(f, 0);
    heddle_status (*const poll)(void *self, uint32_t queue, uint32_t *code, uint64_t *index) = u->acc.poll;
    heddle_wavefront_unit told = HEDDLE_WAVEFRONT_UNIT_INIT;
    front_rig r;
    c.fail_row = UINT32_MAX;
    CHECK_OK(NULL, front_open(&r, f, &c));
    u->health = HD_UNIT_SILENT;
    for (int answers = 0; answers < 2; answers++) {
        u->acc.poll = answers ? poll : is_busy;
        front_fill(&r);
        CHECK_OK(NULL, heddle_wavefront_run(r.w, &r.params, sizeof r.params));
        front_compare(front_plain(&c), front_take(&r), &c, "a silent unit");
        CHECK_OK(NULL, heddle_wavefront_get_unit(r.w, 0, &told));
        CHECK_MSG(told.is_lost == !answers && (told.n_strides > 0) == answers, "%s", heddle_wavefront_how(r.w));
        CHECK(answers || strstr(heddle_wavefront_how(r.w), "virtual:0 does not answer"));
    }
    front_close(&r);
    heddle_fleet_close(f);
}

static const hd_fleet_unit *lost; /* another unit is silent from when this one is lost */
static heddle_status (*poll_before)(void *self, uint32_t queue, uint32_t *code, uint64_t *index);

static heddle_status poll_until(void *self, uint32_t queue, uint32_t *code, uint64_t *index)
{
    return hd_unit_is_lost(lost) ? HEDDLE_EBUSY : poll_before(self, queue, code, index);
}

/* A unit is lost; one with strides above and below does not answer then, and is lost, too. Nobody waits for its stride above. */
static void test_second(void)
{
    front_case c = {.body = front_best, .rows = 500, .cols = 50, .seed = 6, .split = HEDDLE_SPLIT_CUT};
    heddle_fleet *f = open_fleet("virtual:latency=0.1", "virtual:fail=5 virtual:");
    heddle_wavefront_stats stats = HEDDLE_WAVEFRONT_STATS_INIT;
    heddle_status s;
    front_rig r;
    c.fail_row = UINT32_MAX;
    lost = hd_unit_at(f, 1);
    poll_before = hd_unit_at(f, 0)->acc.poll;
    hd_unit_at(f, 0)->acc.poll = poll_until;
    CHECK_OK(NULL, front_open(&r, f, &c));
    front_fill(&r);
    CHECK_OK(NULL, heddle_wavefront_start(r.w, &r.params, sizeof r.params));
    s = heddle_wavefront_wait(r.w, 30000);
    CHECK_MSG(s == HEDDLE_OK, "%s", heddle_status_text(s));
    front_compare(front_plain(&c), front_take(&r), &c, "a second unit is lost");
    CHECK_OK(NULL, heddle_wavefront_get_stats(r.w, &stats));
    CHECK_MSG(stats.n_lost == 2u && strstr(heddle_wavefront_how(r.w), "virtual:0 does not answer"), "%s",
              heddle_wavefront_how(r.w));
    front_close(&r);
    heddle_fleet_close(f);
}

/* Sweeps that have changed cells at home cannot be done again: by cores behind the unit that is lost, or its own results. */
static void test_spoilt(void)
{
    front_case c = {.body = front_sweep, .rows = 400, .cols = 200, .sweeps = 4, .seed = 7, .keeps = 1};
    uint32_t n_spoilt = 0;
    for (uint32_t k = 1; k < 8u; k++) {
        char failing[32];
        heddle_status s;
        heddle_fleet *f;
        front_rig r;
        c.split = HEDDLE_SPLIT_STATIC;
        snprintf(failing, sizeof failing, "virtual:fail=%u", k);
        f = open_fleet(failing, "cpu:1");
        CHECK_OK(NULL, front_open(&r, f, &c));
        front_fill(&r);
        s = heddle_wavefront_run(r.w, &r.params, sizeof r.params);
        if (s == HEDDLE_OK)
            front_compare(front_plain(&c), front_take(&r), &c, failing);
        else
            CHECK_MSG(is_spoilt(s), "%s", heddle_error_text(NULL));
        n_spoilt += s != HEDDLE_OK;
        front_close(&r);
        heddle_fleet_close(f);
    }
    CHECK(n_spoilt && n_spoilt < 7u);
}

/* ---- failing cells, cancelling ----------------------------------------------------------------------------------------- */

/* The first failure is told, though strides below fail sooner. */
static void test_failing(void)
{
    front_case c = {.body = front_frail, .rows = 800, .cols = 800, .seed = 9, .fail_row = 177};
    heddle_fleet *f = open_fleet("3*virtual:", "");
    front_rig r;
    for (c.fail_col = 3; c.fail_col < c.cols; c.fail_col += 265) {
        char at[64];
        CHECK_OK(NULL, front_open(&r, f, &c));
        front_fill(&r);
        CHECK(heddle_wavefront_run(r.w, &r.params, sizeof r.params) == HEDDLE_EBODY);
        snprintf(at, sizeof at, "at row 177, column %u", c.fail_col);
        CHECK_MSG(strstr(heddle_error_text(NULL), at), "%s", heddle_error_text(NULL));
        r.params.fail_row = UINT32_MAX;
        CHECK_OK(NULL, heddle_wavefront_run(r.w, &r.params, sizeof r.params));
        c.fail_row = UINT32_MAX;
        front_compare(front_plain(&c), front_take(&r), &c, "after a failure");
        c.fail_row = 177;
        front_close(&r);
    }
    heddle_fleet_close(f);
}

static void *cancel_soon(void *w)
{
    usleep(2000);
    heddle_wavefront_cancel(w);
    return NULL;
}

static void test_canceled(void)
{
    front_case c = {.body = front_mix, .rows = 6000, .cols = 6000, .seed = 11, .fail_row = UINT32_MAX};
    heddle_fleet *f = open_fleet("2*virtual:", "");
    heddle_status s;
    pthread_t thread;
    front_rig r;
    int n = 0;
    CHECK_OK(NULL, front_open(&r, f, &c));
    front_fill(&r);
    do { /* on a busy machine it may be cancelled before it starts, or when it has ended */
        CHECK(!pthread_create(&thread, NULL, cancel_soon, r.w));
        s = heddle_wavefront_run(r.w, &r.params, sizeof r.params);
        pthread_join(thread, NULL);
    } while (s == HEDDLE_OK && ++n < 20);
    CHECK_MSG(s == HEDDLE_ECANCELED && strstr(heddle_error_text(NULL), "was cancelled"), "%s", heddle_status_text(s));
    front_close(&r);
    heddle_fleet_close(f);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------------- */

static void refuse(heddle_fleet *f, const heddle_wavefront_desc *d, heddle_status want, const char *sentence)
{
    heddle_wavefront *w = NULL;
    const heddle_status s = heddle_wavefront_new(f, &front, d, &w);
    CHECK_MSG(s == want && !w && strstr(heddle_error_text(NULL), sentence), "%d, %s", (int)s, heddle_error_text(NULL));
}

static heddle_array *array_of(heddle_fleet *f, uint64_t n, uint64_t bytes)
{
    heddle_array_desc d = HEDDLE_ARRAY_INIT;
    heddle_array *a = NULL;
    d.n_rows = n;
    d.row_bytes = bytes;
    CHECK_OK(NULL, heddle_array_new(f, &d, &a));
    return a;
}

/* A stride has more rows than sweeps: here that many are no number of 32 bits, and the field is one stride. */
static void test_many_sweeps(void)
{
    heddle_fleet *f = open_fleet("virtual:", "");
    heddle_wavefront_desc d = HEDDLE_WAVEFRONT_INIT;
    heddle_wavefront *w = NULL;
    d.body = front_sweep;
    d.sweeps = UINT32_MAX;
    d.rows = d.cols = 10;
    d.cells = array_of(f, 10, 40);
    CHECK_OK(NULL, heddle_wavefront_new(f, &front, &d, &w));
    heddle_wavefront_free(w);
    heddle_array_free(d.cells);
    heddle_fleet_close(f);
}

/* A device has no room for the least stride. Another one has it for that, but not for the stride of the run. */
static void test_no_room(void)
{
    heddle_fleet *f = open_fleet("virtual:memory=600e3", "");
    heddle_wavefront_desc d = HEDDLE_WAVEFRONT_INIT;
    heddle_wavefront *w = NULL;
    const front_params params = {0};
    d.body = front_sweep;
    d.rows = 10;
    d.cols = 100000;
    d.cells = array_of(f, 10, 400000);
    refuse(f, &d, HEDDLE_ENOMEM,
           "virtual:0 has 600000 bytes; the least stride, 10 rows, takes 4000256, 4000000 of them for array cells");
    heddle_array_free(d.cells);
    d.rows = 1000;
    d.cols = 200;
    d.cells = array_of(f, 1000, 800);
    CHECK_OK(NULL, heddle_wavefront_new(f, &front, &d, &w));
    CHECK(heddle_wavefront_run(w, &params, 3) == HEDDLE_EINVAL);
    CHECK(heddle_wavefront_run(w, &params, sizeof params) == HEDDLE_ENOMEM);
    CHECK_MSG(strstr(heddle_error_text(NULL), "has no memory for rows 0 to 999, which take"), "%s",
              heddle_error_text(NULL));
    heddle_wavefront_free(w);
    heddle_array_free(d.cells);
    heddle_fleet_close(f);
}

static void test_refused(void)
{
    heddle_fleet *f = open_fleet("virtual:", ""), *g = open_fleet("virtual:", "");
    heddle_wavefront_desc d = HEDDLE_WAVEFRONT_INIT;
    heddle_array *x = array_of(f, 100, 4), *y = array_of(f, 2000, 2), *other = array_of(g, 100, 4),
                 *cells = array_of(f, 100, 8000);
    uint32_t found[4];
    d.body = front_best;
    refuse(f, &d, HEDDLE_EINVAL, "a field of 0 rows");
    d.rows = 100;
    d.cols = 2000;
    d.x = y;
    refuse(f, &d, HEDDLE_EINVAL, "array x has 2000 rows of 2 bytes, 2 apart; the field needs 100 of 4");
    d.x = other;
    refuse(f, &d, HEDDLE_EINVAL, "array x is one of another fleet");
    d.x = x;
    d.y = y;
    d.split = (heddle_split)99;
    refuse(f, &d, HEDDLE_EINVAL, "no way to divide number 99");
    d.split = HEDDLE_SPLIT_CUT;
    d.body = front_east;
    d.found = found;
    refuse(f, &d, HEDDLE_EINVAL, "cell front_east finds nothing");
    d.found = NULL;
    d.sweeps = 2;
    refuse(f, &d, HEDDLE_EINVAL, "2 sweeps, and cell front_east reads nothing of the sweep before");
    d.body = front_sweep;
    refuse(f, &d, HEDDLE_EINVAL, "cells is NULL, and cell front_sweep sweeps over them");
    d.cells = cells;
    refuse(f, &d, HEDDLE_EINVAL, "which have cells and nothing else");
    d.sweeps = 0;
    d.body = 77;
    refuse(f, &d, HEDDLE_EINVAL, "there is no cell 77");
    heddle_array_free(x);
    heddle_array_free(y);
    heddle_array_free(cells);
    heddle_array_free(other);
    heddle_fleet_close(f);
    heddle_fleet_close(g);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--cuda")) {
        if (!heddle_backend_is_present(HEDDLE_CUDA))
            SKIP("no GPU");
        others = "cuda:0/2 virtual:";
        rows = 6000;
    }
    test_refused();
    test_many_sweeps();
    test_no_room();
    test_lost();
    test_none_left();
    test_limit();
    test_silent();
    test_second();
    test_spoilt();
    test_failing();
    test_canceled();
    return 0;
}
