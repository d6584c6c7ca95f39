/* SPDX-License-Identifier: MIT */
/* calls.c - wavefronts that are started: in turn with loops and other wavefronts, waited for with a limit, by two threads, twice; cancelled by
 * another thread, also before they begin; freed while they run. --cuda: with a GPU in the fleets. */
#include "front/cases.h"
#include "front/fill.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 20000u /* a loop of 300 elements takes some ms */

static const char *const fleets[] = {"serial", "cpu:2", "2*virtual: cpu:1", "virtual:"};
static const char *const gpu_fleets[] = {"cuda:0", "2*cuda:0/4 virtual:"};
static const char *some = "2*virtual:";

/* Takes long, and little memory. */
static const front_case long_one = {.body = front_mix, .rows = 6000, .cols = 6000, .seed = 11, .fail_row = UINT32_MAX};
static const front_case short_one = {.body = front_mix, .rows = 300, .cols = 900, .seed = 5, .fail_row = UINT32_MAX};

static heddle_fleet *open_fleet(const char *devices)
{
    heddle_fleet *f = NULL;
    CHECK_OK(NULL, heddle_fleet_open(&f, devices, NULL));
    return f;
}

static void open_rig(front_rig *r, heddle_fleet *f, const front_case *c)
{
    CHECK_OK(NULL, front_open(r, f, c));
    front_fill(r);
}

static heddle_status start(front_rig *r) { return heddle_wavefront_start(r->w, &r->params, sizeof r->params); }

static uint64_t n_strides(const front_rig *r)
{
    heddle_wavefront_stats stats = HEDDLE_WAVEFRONT_STATS_INIT;
    CHECK_OK(NULL, heddle_wavefront_get_stats(r->w, &stats));
    return stats.n_strides;
}

/* ---- turns ------------------------------------------------------------------------------------------------------------- */

/* A loop that fills x of the wavefront. */
static heddle_loop *filler(heddle_fleet *f, const front_rig *r)
{
    const heddle_access x = HEDDLE_ROWS(r->x, HEDDLE_MODE_OUT, offsetof(fill_params, x), 0, 0);
    heddle_loop_desc d = HEDDLE_LOOP_INIT;
    heddle_loop *l = NULL;
    d.body = fill_x;
    d.n = r->c->rows;
    d.tile = 16;
    d.accesses = &x;
    d.n_accesses = 1;
    CHECK_OK(NULL, heddle_loop_new(f, &fill, &d, &l));
    return l;
}

static void start_filler(heddle_loop *l, uint64_t seed)
{
    const fill_params p = {NULL, seed, ROUNDS};
    CHECK_OK(NULL, heddle_loop_start(l, &p, sizeof p));
}

/* One loop fills x, the wavefront reads it, another loop writes other numbers there: all are started at once. After waiting for the last
 * one, no wait is left for the others. */
static void test_order(const char *devices)
{
    heddle_fleet *f = open_fleet(devices);
    heddle_loop *before, *behind;
    front_rig r;
    const uint32_t *x;
    open_rig(&r, f, &short_one);
    x = heddle_array_host(r.x);
    memset(heddle_array_host(r.x), 0, 4u * short_one.rows);
    before = filler(f, &r);
    behind = filler(f, &r);
    for (int i = 0; i < 3; i++) {
        start_filler(before, short_one.seed);
        CHECK_OK(NULL, start(&r));
        start_filler(behind, 77);
        CHECK_OK(NULL, heddle_loop_wait(behind, HEDDLE_FOREVER));
        CHECK_OK(NULL, heddle_wavefront_wait(r.w, 0));
        CHECK_OK(NULL, heddle_loop_wait(before, 0));
        front_compare(front_plain(&short_one), front_take(&r), &short_one, devices);
        for (uint32_t k = 0; k < short_one.rows; k++)
            CHECK_MSG(x[k] == fill_of(77, k), "%s: element %u", devices, k);
    }
    heddle_loop_free(before);
    heddle_loop_free(behind);
    front_close(&r);
    heddle_fleet_close(f);
}

/* heddle_wavefront_run waits for its turn; so do calls on arrays. */
static void test_run_behind(const char *devices)
{
    heddle_fleet *f = open_fleet(devices);
    front_rig first, second;
    open_rig(&first, f, &short_one);
    open_rig(&second, f, &short_one);
    CHECK_OK(NULL, start(&first));
    CHECK_OK(NULL, heddle_wavefront_run(second.w, &second.params, sizeof second.params));
    CHECK_OK(NULL, heddle_wavefront_wait(first.w, 0));
    front_compare(front_plain(&short_one), front_take(&first), &short_one, devices);
    front_compare(front_plain(&short_one), front_take(&second), &short_one, devices);
    CHECK_OK(NULL, start(&first));
    CHECK_OK(NULL, heddle_array_fetch(first.x, 0, 1)); /* which nobody writes */
    CHECK_OK(NULL, heddle_array_fetch(first.last_row, 0, short_one.cols));
    CHECK_OK(NULL, heddle_wavefront_wait(first.w, 0));
    front_close(&first);
    front_close(&second);
    heddle_fleet_close(f);
}

static void *run_often(void *rig)
{
    front_rig *r = rig;
    for (int i = 0; i < 20; i++) {
        front_fill(r);
        CHECK_OK(NULL, i % 2 ? heddle_wavefront_run(r->w, &r->params, sizeof r->params) : start(r));
        CHECK_OK(NULL, heddle_wavefront_wait(r->w, HEDDLE_FOREVER));
        front_compare(front_plain(r->c), front_take(r), r->c, "two threads");
    }
    return NULL;
}

/* Two threads have a wavefront each. */
static void test_at_once(void)
{
    const front_case c = {.body = front_best, .rows = 60, .cols = 300, .seed = 8, .fail_row = UINT32_MAX};
    heddle_fleet *f = open_fleet(some);
    pthread_t threads[2];
    front_rig rigs[2];
    for (int i = 0; i < 2; i++)
        open_rig(&rigs[i], f, &c);
    for (int i = 0; i < 2; i++)
        CHECK(!pthread_create(&threads[i], NULL, run_often, &rigs[i]));
    for (int i = 0; i < 2; i++)
        CHECK(!pthread_join(threads[i], NULL));
    for (int i = 0; i < 2; i++)
        front_close(&rigs[i]);
    heddle_fleet_close(f);
}

/* ---- waiting and cancelling -------------------------------------------------------------------------------------------- */

static void *cancel_soon(void *w)
{
    usleep(2000);
    heddle_wavefront_cancel(w);
    return NULL;
}

static void *wait_too(void *w)
{
    CHECK(heddle_wavefront_wait(w, HEDDLE_FOREVER) == HEDDLE_ECANCELED);
    CHECK_MSG(strstr(heddle_error_text(NULL), "was cancelled"), "%s", heddle_error_text(NULL));
    return NULL;
}

/* What may not be asked while it runs. */
static void check_running(front_rig *r)
{
    heddle_wavefront_stats stats = HEDDLE_WAVEFRONT_STATS_INIT;
    CHECK(heddle_wavefront_wait(r->w, 0) == HEDDLE_EBUSY && heddle_wavefront_wait(r->w, 1) == HEDDLE_EBUSY);
    CHECK(start(r) == HEDDLE_EBUSY && strstr(heddle_error_text(NULL), "has not been waited for"));
    CHECK(heddle_wavefront_run(r->w, &r->params, sizeof r->params) == HEDDLE_EBUSY);
    CHECK(heddle_wavefront_get_stats(r->w, &stats) == HEDDLE_EBUSY);
    CHECK(strstr(heddle_error_text(NULL), "the wavefront is running"));
    CHECK(heddle_wavefront_write_trace(r->w, "front_calls.json") == HEDDLE_EBUSY);
    CHECK(!*heddle_wavefront_how(r->w));
    CHECK(heddle_array_wrote(r->x, 0, 1) == HEDDLE_EBUSY && heddle_array_wrote(r->last_row, 0, 1) == HEDDLE_EBUSY);
}

/* Limits pass, two threads wait, a third one cancels. */
static void test_canceled(void)
{
    heddle_fleet *f = open_fleet("2*virtual:");
    pthread_t waiting, canceling;
    front_rig r;
    open_rig(&r, f, &long_one);
    CHECK_OK(NULL, start(&r));
    check_running(&r);
    CHECK(!pthread_create(&waiting, NULL, wait_too, r.w));
    CHECK(!pthread_create(&canceling, NULL, cancel_soon, r.w));
    (void)wait_too(r.w);
    CHECK(!pthread_join(waiting, NULL) && !pthread_join(canceling, NULL));
    CHECK(heddle_wavefront_wait(r.w, 0) == HEDDLE_ECANCELED);
    CHECK(strstr(heddle_wavefront_how(r.w), "divided by cut"));
    CHECK_OK(NULL, heddle_array_wrote(r.x, 0, 1));
    front_close(&r);
    heddle_fleet_close(f);
}

/* Behind another one, it is cancelled before it begins: no stride of it does. */
static void test_canceled_early(void)
{
    heddle_fleet *f = open_fleet("2*virtual:");
    front_rig first, second;
    open_rig(&first, f, &long_one);
    open_rig(&second, f, &short_one);
    CHECK_OK(NULL, start(&first));
    CHECK_OK(NULL, start(&second));
    heddle_wavefront_cancel(second.w);
    CHECK(heddle_wavefront_wait(second.w, 1) == HEDDLE_EBUSY); /* it is not its turn */
    heddle_wavefront_cancel(first.w);
    CHECK(heddle_wavefront_wait(second.w, HEDDLE_FOREVER) == HEDDLE_ECANCELED && n_strides(&second) == 0);
    CHECK(heddle_wavefront_wait(first.w, 0) == HEDDLE_ECANCELED);
    CHECK_OK(NULL, heddle_wavefront_run(second.w, &second.params, sizeof second.params));
    front_compare(front_plain(&short_one), front_take(&second), &short_one, "after it was cancelled");
    front_close(&first);
    front_close(&second);
    heddle_fleet_close(f);
}

/* A failure stays what it is until the next start. */
static void test_twice(const char *devices)
{
    const front_case c = {.body = front_frail, .rows = 150, .cols = 400, .seed = 9, .fail_row = 77, .fail_col = 301};
    heddle_fleet *f = open_fleet(devices);
    front_rig r;
    open_rig(&r, f, &c);
    CHECK_OK(NULL, heddle_wavefront_wait(r.w, 0)); /* nothing was started */
    CHECK_OK(NULL, start(&r));
    for (int i = 0; i < 2; i++) {
        CHECK(heddle_wavefront_wait(r.w, HEDDLE_FOREVER) == HEDDLE_EBODY);
        CHECK_MSG(strstr(heddle_error_text(NULL), "at row 77, column 301"), "%s", heddle_error_text(NULL));
    }
    r.params.fail_row = UINT32_MAX;
    CHECK_OK(NULL, start(&r));
    CHECK_OK(NULL, heddle_wavefront_wait(r.w, HEDDLE_FOREVER));
    CHECK_OK(NULL, heddle_wavefront_wait(r.w, HEDDLE_FOREVER));
    front_close(&r);
    heddle_fleet_close(f);
}

/* ---- freeing, refusals -------------------------------------------------------------------------------------------------- */

/* Params may change after the start; freeing waits for the end. */
static void test_freed(const char *devices)
{
    heddle_fleet *f = open_fleet(devices);
    front_rig r;
    open_rig(&r, f, &short_one);
    CHECK_OK(NULL, start(&r));
    memset(&r.params, 0xff, sizeof r.params);
    heddle_wavefront_free(r.w);
    r.w = NULL;
    front_compare(front_plain(&short_one), front_take(&r), &short_one, devices);
    front_close(&r);
    heddle_fleet_close(f);
}

static void test_refused(void)
{
    heddle_fleet *f = open_fleet("virtual:");
    heddle_wavefront_desc d = HEDDLE_WAVEFRONT_INIT;
    heddle_wavefront *w = NULL;
    front_rig r;
    CHECK(heddle_wavefront_start(NULL, NULL, 0) == HEDDLE_EINVAL);
    CHECK(strstr(heddle_error_text(NULL), "heddle_wavefront_start: the wavefront is NULL"));
    CHECK(heddle_wavefront_wait(NULL, 0) == HEDDLE_EINVAL);
    CHECK(heddle_wavefront_write_trace(NULL, "x") == HEDDLE_EINVAL);
    CHECK(strstr(heddle_error_text(NULL), "the wavefront is NULL"));
    heddle_wavefront_cancel(NULL);
    d.n_trace = HEDDLE_LOOP_MOST_TRACE + 1u;
    CHECK(heddle_wavefront_new(f, &front, &d, &w) == HEDDLE_ERANGE && strstr(heddle_error_text(NULL), "a trace of"));
    open_rig(&r, f, &short_one);
    CHECK(heddle_wavefront_start(r.w, &r.params, 3) == HEDDLE_EINVAL);
    CHECK(heddle_wavefront_start(r.w, NULL, sizeof r.params) == HEDDLE_EINVAL);
    CHECK_OK(NULL, heddle_wavefront_run(r.w, &r.params, sizeof r.params));
    CHECK(heddle_wavefront_write_timeline(r.w, "front_calls.svg", NULL) == HEDDLE_EINVAL);
    CHECK(strstr(heddle_error_text(NULL), "the wavefront has no trace: set n_trace"));
    front_close(&r);
    heddle_fleet_close(f);
}

int main(int argc, char **argv)
{
    const int cuda = argc > 1 && !strcmp(argv[1], "--cuda");
    const char *const *all = cuda ? gpu_fleets : fleets;
    const size_t n = cuda ? sizeof gpu_fleets / sizeof *gpu_fleets : sizeof fleets / sizeof *fleets;
    if (cuda && !heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU");
    some = cuda ? gpu_fleets[1] : some;
    for (size_t i = 0; i < n; i++) {
        test_order(all[i]);
        test_run_behind(all[i]);
        test_twice(all[i]);
        test_freed(all[i]);
    }
    test_at_once();
    test_canceled();
    test_canceled_early();
    test_refused();
    return 0;
}
