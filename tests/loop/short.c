/* SPDX-License-Identifier: MIT */
/* short.c - loops that are over before threads have woken are run by the calling thread, once they are known: with the bytes of plain
 * loops, told as one core's work, by several threads at once, and not while another loop is running. */
#include "loop/cases.h"

#include <pthread.h>

#define MOST_NS (CHECK_IS_SLOW ? 1000000000ull : 60000000000ull)
#define N_AT_ONCE 200

static const char *const fleets[] = {"cpu:1", "cpu:2", "virtual: cpu:2"};

static int was_alone(const looped_rig *r) { return strstr(heddle_loop_how(r->loop), "too short to be shared") != NULL; }

static void check_bytes(const looped_rig *r, const looped_case *c)
{
    const looped_bytes want = looped_plain(c), got = looped_take(r);
    CHECK_MSG(want.n == got.n && !memcmp(want.at, got.at, want.n), "body %u: %s", c->body, heddle_loop_how(r->loop));
    free(want.at);
    free(got.at);
}

static void run(looped_rig *r, const looped_case *c)
{
    looped_fill(r, c);
    CHECK_OK(NULL, heddle_loop_run(r->loop, &r->params, sizeof r->params));
    check_bytes(r, c);
}

/* The first run is shared, since nothing is known. A run in which a core was interrupted may think that it is long, and leave it out for a
 * while; under a sanitizer all may be long. 0: so they were. */
static int run_until_alone(looped_rig *r, const looped_case *c)
{
    const uint64_t start_ns = heddle_host_clock_ns();
    run(r, c);
    CHECK_MSG(!was_alone(r), "%s", heddle_loop_how(r->loop));
    while (heddle_host_clock_ns() - start_ns < MOST_NS && !was_alone(r))
        run(r, c);
    CHECK_MSG(was_alone(r) || CHECK_IS_SLOW, "%s", heddle_loop_how(r->loop));
    return was_alone(r);
}

/* One core did all, in one slice unless it was interrupted for long, and nobody is lost. */
static void check_told(const looped_rig *r)
{
    heddle_loop_stats stats = HEDDLE_LOOP_STATS_INIT;
    uint32_t i, n_busy = 0;
    CHECK_OK(NULL, heddle_loop_get_stats(r->loop, &stats));
    CHECK_MSG(stats.n_slices && stats.n_lost == 0 && stats.time_ns > 0, "%s", heddle_loop_how(r->loop));
    for (i = 0; i < stats.n_units; i++) {
        heddle_loop_unit u = HEDDLE_LOOP_UNIT_INIT;
        CHECK_OK(NULL, heddle_loop_get_unit(r->loop, i, &u));
        n_busy += u.n_slices > 0;
        CHECK(!u.is_lost && (!u.n_slices || (u.each_ns > 0 && u.n_indices >= 53)));
    }
    CHECK(n_busy == 1);
}

static void check_fleet(const char *devices, uint32_t body)
{
    const looped_case c = {body, 53, 0, 20, 1, HEDDLE_SPLIT_CUT, 5};
    heddle_fleet *f = NULL;
    looped_rig r;
    CHECK_OK(NULL, heddle_fleet_open(&f, devices, NULL));
    CHECK_OK(NULL, looped_open(&r, f, &c));
    if (run_until_alone(&r, &c))
        check_told(&r);
    looped_close(&r);
    heddle_fleet_close(f);
}

/* Behind a loop that is running, a short one waits for its turn, and the call that starts it does not. */
static void check_busy(void)
{
    const looped_case c = {looped_price, 53, 0, 20, 1, HEDDLE_SPLIT_CUT, 5};
    const looped_case large = {looped_price, 3000000, 0, 100, 1, HEDDLE_SPLIT_CUT, 5};
    heddle_fleet *f = NULL;
    looped_rig r, l;
    int is_behind;
    CHECK_OK(NULL, heddle_fleet_open(&f, "cpu:2", NULL));
    CHECK_OK(NULL, looped_open(&r, f, &c));
    CHECK_OK(NULL, looped_open(&l, f, &large));
    (void)run_until_alone(&r, &c);
    looped_fill(&l, &large);
    looped_fill(&r, &c);
    CHECK_OK(NULL, heddle_loop_start(l.loop, &l.params, sizeof l.params));
    CHECK_OK(NULL, heddle_loop_start(r.loop, &r.params, sizeof r.params));
    is_behind = heddle_loop_wait(l.loop, 0) == HEDDLE_EBUSY;
    CHECK_OK(NULL, heddle_loop_wait(r.loop, HEDDLE_FOREVER));
    CHECK(!is_behind || !was_alone(&r));
    CHECK_OK(NULL, heddle_loop_wait(l.loop, HEDDLE_FOREVER));
    check_bytes(&r, &c);
    check_bytes(&l, &large);
    looped_close(&r);
    looped_close(&l);
    heddle_fleet_close(f);
}

static void *run_often(void *rig)
{
    const looped_case c = {looped_find, 53, 0, 20, 1, HEDDLE_SPLIT_CUT, 5};
    int i;
    for (i = 0; i < N_AT_ONCE; i++)
        run(rig, &c);
    return NULL;
}

/* Two threads have a loop each. */
static void check_at_once(void)
{
    const looped_case c = {looped_find, 53, 0, 20, 1, HEDDLE_SPLIT_CUT, 5};
    heddle_fleet *f = NULL;
    looped_rig rigs[2];
    pthread_t threads[2];
    int i;
    CHECK_OK(NULL, heddle_fleet_open(&f, "cpu:2", NULL));
    for (i = 0; i < 2; i++)
        CHECK_OK(NULL, looped_open(&rigs[i], f, &c));
    for (i = 0; i < 2; i++)
        CHECK(!pthread_create(&threads[i], NULL, run_often, &rigs[i]));
    for (i = 0; i < 2; i++)
        CHECK(!pthread_join(threads[i], NULL));
    for (i = 0; i < 2; i++)
        looped_close(&rigs[i]);
    heddle_fleet_close(f);
}

static void check_failing(void)
{
    const looped_case c = {looped_fail, 53, 0, 20, 1, HEDDLE_SPLIT_CUT, 5};
    heddle_fleet *f = NULL;
    looped_rig r;
    CHECK_OK(NULL, heddle_fleet_open(&f, "cpu:2", NULL));
    CHECK_OK(NULL, looped_open(&r, f, &c));
    (void)run_until_alone(&r, &c);
    looped_fill(&r, &c);
    r.params.fail_at = 43;
    CHECK(heddle_loop_run(r.loop, &r.params, sizeof r.params) == HEDDLE_EBODY);
    CHECK_MSG(strstr(heddle_error_text(NULL), "index 43 ") &&
                  (!was_alone(&r) || strstr(heddle_error_text(NULL), "cpu:0")),
              "%s", heddle_error_text(NULL));
    run(&r, &c);
    looped_close(&r);
    heddle_fleet_close(f);
}

int main(void)
{
    static const uint32_t bodies[] = {looped_price, looped_turn, looped_find};
    size_t i, b;
    for (i = 0; i < sizeof fleets / sizeof *fleets; i++)
        for (b = 0; b < sizeof bodies / sizeof *bodies; b++)
            check_fleet(fleets[i], bodies[b]);
    check_busy();
    check_at_once();
    check_failing();
    return 0;
}
