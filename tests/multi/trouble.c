/* SPDX-License-Identifier: MIT */
/* trouble.c - jobs with devices that are lost or hang, with bodies that fail, and jobs that are cancelled. A device is lost at its actions in turn,
 * under every map; at every third one under a sanitizer. With
 * is_safe nothing is lost with it, but rows that jobs read and write in place, once they may have begun to go home; else a job, or a fetch,
 * may end with EDEVICE, and only then. --cuda: beside a GPU. */
#include "multi/cases.h"
#include "multi/lazy.h"

#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEPS 6u
#define ROWS 30u
#define FETCHES 200u   /* under way when a device is lost, */
#define LOSSES 8u      /* at so many of its actions */
#define MOST_MS 30000u /* that jobs wait for devices; longer is a hang */

static const jobbed_job there = {jobbed_spread, 0, 0, 1, 5, 0, 0, 1, 2, UINT64_MAX, 0, 1, 0};
static const jobbed_job back = {jobbed_spread, 1, 0, 0, 9, 0, 0, 1, 2, UINT64_MAX, 0, 1, 0};

/* A loss is told with the array that has lost rows. */
static int is_ok(heddle_status s)
{
    CHECK_MSG(s == HEDDLE_OK || (s == HEDDLE_EDEVICE && strstr(heddle_error_text(NULL), "rows of 120 bytes")), "%s",
              heddle_error_text(NULL));
    return s == HEDDLE_OK;
}

/* Steps there and back. */
static heddle_status run_steps(jobbed_rig *r, heddle_multi *const *kinds)
{
    const jobbed_job *jobs[] = {&there, &back};
    heddle_status s = HEDDLE_OK, t;
    uint32_t i;
    for (i = 0; i < STEPS; i++) {
        const jobbed_params p = jobbed_params_of(r, jobs[i % 2u]);
        CHECK_OK(NULL, heddle_multi_start(kinds[i % 2u], &p, sizeof p));
        jobbed_plain(r, jobs[i % 2u]);
    }
    for (i = 0; i < 2u; i++) {
        t = heddle_multi_wait(kinds[i], MOST_MS);
        s = s == HEDDLE_OK ? t : s;
    }
    return s;
}

/* 1: the device was lost. */
static int check_loss(uint32_t fail, heddle_map map, int is_safe, const char *others, uint64_t *seed)
{
    char devices[96];
    jobbed_rig r;
    heddle_multi *kinds[2];
    heddle_multi_device d = HEDDLE_MULTI_DEVICE_INIT;
    heddle_status s;
    int lost;
    (void)snprintf(devices, sizeof devices, "virtual:fail=%u %s", fail, others);
    jobbed_open(&r, devices, 0, ROWS, seed);
    r.desc.map = map;
    r.desc.is_safe = (uint32_t)is_safe;
    CHECK_OK(NULL, jobbed_make(&r, &there, &kinds[0]));
    CHECK_OK(NULL, jobbed_make(&r, &back, &kinds[1]));
    s = run_steps(&r, kinds);
    CHECK_MSG(s == HEDDLE_OK || (s == HEDDLE_EDEVICE && !is_safe), "%s: %s", devices, heddle_error_text(NULL));
    if (s == HEDDLE_OK) {
        s = heddle_array_fetch(r.arrays[0], 0, ROWS);
        CHECK_MSG(s == HEDDLE_OK || (s == HEDDLE_EDEVICE && !is_safe), "%s: %s", devices, heddle_error_text(NULL));
    }
    if (s == HEDDLE_OK)
        jobbed_compare(&r, 0, 0, ROWS, devices);
    else
        (void)is_ok(s);
    CHECK_OK(NULL, heddle_multi_get_device(kinds[0], 0, &d));
    lost = (int)d.is_lost;
    heddle_multi_free(kinds[0]);
    heddle_multi_free(kinds[1]);
    jobbed_close(&r);
    return lost;
}

static void start_one(jobbed_rig *r, heddle_multi *m, const jobbed_job *j)
{
    const jobbed_params p = jobbed_params_of(r, j);
    CHECK_OK(NULL, heddle_multi_start(m, &p, sizeof p));
    jobbed_plain(r, j);
}

/* The first device, which has the larger pool, is lost: what was cut for that is cut anew for the others. 1: it was lost. */
static int check_smaller(uint32_t fail, uint64_t *seed)
{
    char devices[96];
    jobbed_rig r;
    heddle_multi *m;
    heddle_multi_device d = HEDDLE_MULTI_DEVICE_INIT;
    (void)snprintf(devices, sizeof devices, "virtual:fail=%u 2*virtual:memory=400000", fail);
    jobbed_open(&r, devices, 0, 600, seed);
    r.desc.is_safe = 1;
    CHECK_OK(NULL, jobbed_make(&r, &there, &m));
    start_one(&r, m, &there);
    CHECK_OK(NULL, heddle_multi_wait(m, MOST_MS));
    jobbed_compare(&r, 1, 0, r.n, devices);
    CHECK_OK(NULL, heddle_multi_get_device(m, 1, &d));
    CHECK_MSG(d.pool_bytes < 2u * r.n * r.n * sizeof(uint32_t) / 3u, "a pool of %u bytes", (unsigned)d.pool_bytes);
    CHECK_OK(NULL, heddle_multi_get_device(m, 0, &d));
    heddle_multi_free(m);
    jobbed_close(&r);
    return (int)d.is_lost;
}

typedef struct outcome {
    uint64_t n_again, n_lost; /* slices that were run again; programs that lost rows */
} outcome;

/* Jobs that read and write the same rows. Before the device has a body, nothing is on its way home. 1: the device was lost. */
static int check_in_place(uint32_t fail, uint32_t n_jobs, const char *others, uint64_t *seed, outcome *sum)
{
    static const jobbed_job turn = {jobbed_turn, 0, 0, 0, 5, 0, 0, 1, 2, UINT64_MAX, 0, 1, 5};
    char devices[96];
    jobbed_rig r;
    heddle_multi *m;
    heddle_multi_device d = HEDDLE_MULTI_DEVICE_INIT;
    heddle_multi_stats stats = HEDDLE_MULTI_STATS_INIT;
    jobbed_params p;
    heddle_status s;
    uint32_t i;
    (void)snprintf(devices, sizeof devices, "virtual:fail=%u %s", fail, others);
    jobbed_open(&r, devices, 0, ROWS, seed);
    r.desc.is_safe = 1;
    CHECK_OK(NULL, jobbed_make(&r, &turn, &m));
    p = jobbed_params_of(&r, &turn);
    for (i = 0; i < n_jobs; i++) {
        CHECK_OK(NULL, heddle_multi_start(m, &p, sizeof p));
        jobbed_plain(&r, &turn);
    }
    s = heddle_multi_wait(m, HEDDLE_FOREVER);
    CHECK_OK(NULL, heddle_multi_get_device(m, 0, &d));
    CHECK_MSG(s == HEDDLE_OK || (s == HEDDLE_EDEVICE && d.n_slices &&
                                 strstr(heddle_error_text(NULL), "access 0 of jobbed_turn needs rows")),
              "%s, %u jobs in place: %s", devices, n_jobs, heddle_error_text(NULL));
    if (s == HEDDLE_OK)
        jobbed_compare(&r, 0, 0, ROWS, devices);
    CHECK_OK(NULL, heddle_multi_get_stats(m, &stats));
    sum->n_again += s == HEDDLE_OK ? stats.n_again : 0;
    sum->n_lost += s != HEDDLE_OK;
    heddle_multi_free(m);
    jobbed_close(&r);
    return (int)d.is_lost;
}

/* Rows are only lost when a job's move home fails, which is once in each job. */
static void check_places(uint64_t *seed)
{
    static const char *const others[] = {"virtual:", "2*virtual:", "virtual:peers=0"};
    uint64_t n_again = 0;
    uint32_t i, n_jobs, fail;
    for (i = 0; i < 3u; i++)
        for (n_jobs = 1; n_jobs <= STEPS; n_jobs++) {
            outcome sum = {0, 0};
            for (fail = 1; check_in_place(fail, n_jobs, others[i], seed, &sum); fail++)
                ;
            CHECK_MSG(sum.n_again && sum.n_lost <= n_jobs, "%u times of %u", (unsigned)sum.n_lost, n_jobs);
            n_again += sum.n_again;
        }
    printf("rows in place: %u slices were run again\n", (unsigned)n_again);
}

static void check_losses(heddle_map map, uint64_t *seed)
{
    const uint32_t by =
        (map == HEDDLE_MAP_FIXED || map == HEDDLE_MAP_FREE ? 3u : 1u) * (CHECK_IS_SLOW ? 3u : 1u); /* of many tasks */
    uint32_t fail;
    for (fail = 1; check_loss(fail, map, 0, "2*virtual:", seed); fail += by)
        ;
    CHECK(fail > STEPS);
    for (fail = 1; check_loss(fail, map, 1, "virtual:peers=0", seed); fail += by)
        ;
    CHECK(fail > STEPS);
    printf("map %s: a device lost at every %u. of %u actions\n", heddle_map_name(map), by, fail);
}

/* ---- jobs that have nothing to do with a loss -------------------------------------------------------------------------------------- */

/* Starts steps there and back, as jobs or as the sequence. */
static heddle_sequence *run_some(jobbed_rig *r, heddle_multi *const *kinds, int is_sequence)
{
    const jobbed_params p = jobbed_params_of(r, &there), q = jobbed_params_of(r, &back);
    heddle_sequence *x;
    uint32_t i;
    CHECK_OK(NULL, heddle_sequence_new(r->fleet, &x));
    CHECK_OK(NULL, heddle_sequence_add(x, kinds[0], &p, sizeof p));
    CHECK_OK(NULL, heddle_sequence_add(x, kinds[1], &q, sizeof q));
    if (is_sequence)
        CHECK_OK(NULL, heddle_sequence_start(x, 2 * STEPS));
    for (i = 0; i < 2 * STEPS; i++) {
        if (!is_sequence)
            CHECK_OK(NULL, heddle_multi_start(kinds[0], &p, sizeof p));
        if (!is_sequence)
            CHECK_OK(NULL, heddle_multi_start(kinds[1], &q, sizeof q));
        jobbed_plain(r, &there);
        jobbed_plain(r, &back);
    }
    return x;
}

/* When waits have told of a loss, and the host has written again what was lost, jobs run. */
static void check_on(jobbed_rig *r, heddle_multi *m)
{
    const jobbed_params p = jobbed_params_of(r, &there);
    CHECK_OK(NULL, heddle_array_wrote(r->arrays[0], 0, ROWS));
    memcpy(heddle_array_host(r->arrays[0]), r->plain[0], ROWS * ROWS * sizeof(uint32_t));
    jobbed_plain(r, &there);
    CHECK_OK(NULL, heddle_multi_run(m, &p, sizeof p));
    jobbed_compare(r, 1, 0, ROWS, "after a loss");
}

/* Two jobs come after the steps: one needs what they write; of the other one all input is at home. Adds 1 to *n_apart if only the latter went well.
 * 1: the device was lost. */
static int check_apart(uint32_t fail, int is_sequence, uint64_t *seed, uint32_t *n_apart)
{
    static const jobbed_job needs = {jobbed_turn, 0, 0, 1, 3, 0, 0, 1, 2, UINT64_MAX, 0, 1, 5};
    static const jobbed_job apart = {jobbed_spread, 2, 0, 3, 4, 0, 0, 1, 2, UINT64_MAX, 0, 1, 0};
    const jobbed_job *jobs[] = {&there, &back, &needs, &apart};
    char devices[64];
    jobbed_rig r;
    heddle_multi *kinds[4];
    heddle_multi_device d = HEDDLE_MULTI_DEVICE_INIT;
    heddle_sequence *x;
    uint32_t i;
    int ok[4];
    (void)snprintf(devices, sizeof devices, "virtual:fail=%u virtual:", fail);
    jobbed_open(&r, devices, 0, ROWS, seed);
    for (i = 0; i < 4u; i++)
        CHECK_OK(NULL, jobbed_make(&r, jobs[i], &kinds[i]));
    x = run_some(&r, kinds, is_sequence);
    start_one(&r, kinds[2], &needs);
    start_one(&r, kinds[3], &apart);
    ok[0] = is_ok(is_sequence ? heddle_sequence_wait(x, MOST_MS) : heddle_multi_wait(kinds[0], MOST_MS));
    for (i = 1; i < 4u; i++)
        ok[i] = is_ok(heddle_multi_wait(kinds[i], MOST_MS));
    CHECK_MSG(ok[3], "%s: %s", devices, heddle_error_text(NULL));
    if (ok[2] && heddle_array_fetch(r.arrays[1], 0, ROWS) == HEDDLE_OK)
        jobbed_compare(&r, 1, 0, ROWS, devices);
    if (is_ok(heddle_array_fetch(r.arrays[3], 0, ROWS)))
        jobbed_compare(&r, 3, 0, ROWS, devices);
    *n_apart += !ok[0] && !ok[2];
    if (!ok[0])
        check_on(&r, kinds[0]);
    CHECK_OK(NULL, heddle_multi_get_device(kinds[0], 0, &d));
    heddle_sequence_free(x);
    for (i = 0; i < 4u; i++)
        heddle_multi_free(kinds[i]);
    jobbed_close(&r);
    return (int)d.is_lost;
}

static void check_aparts(int is_sequence, uint64_t *seed)
{
    uint32_t fail, n_apart = 0;
    for (fail = 1; check_apart(fail, is_sequence, seed, &n_apart); fail++)
        ;
    CHECK(n_apart);
    printf("beside %s that ended with a device, %u times of %u, others went on\n", is_sequence ? "a sequence" : "jobs",
           n_apart, fail);
}

static void check_none(heddle_status s)
{
    CHECK_MSG(s == HEDDLE_EDEVICE && strstr(heddle_error_text(NULL), "no device is left"), "%s: %s",
              heddle_status_text(s), heddle_error_text(NULL));
}

/* The last device is lost: what is started afterwards ends, too, also of kinds and sequences that are made then. */
static void check_last(uint64_t *seed)
{
    jobbed_rig r;
    heddle_multi *m, *later;
    heddle_sequence *x;
    jobbed_params p;
    jobbed_open(&r, "virtual:fail=2", 0, ROWS, seed);
    CHECK_OK(NULL, jobbed_make(&r, &there, &m));
    p = jobbed_params_of(&r, &there);
    CHECK_OK(NULL, heddle_multi_start(m, &p, sizeof p));
    check_none(heddle_multi_wait(m, MOST_MS));
    CHECK_OK(NULL, heddle_multi_start(m, &p, sizeof p));
    check_none(heddle_multi_wait(m, MOST_MS));
    CHECK_OK(NULL, jobbed_make(&r, &there, &later));
    CHECK_OK(NULL, heddle_sequence_new(r.fleet, &x));
    CHECK_OK(NULL, heddle_sequence_add(x, later, &p, sizeof p));
    CHECK_OK(NULL, heddle_sequence_start(x, STEPS));
    check_none(heddle_sequence_wait(x, MOST_MS));
    heddle_sequence_free(x);
    heddle_multi_free(m);
    heddle_multi_free(later);
    jobbed_close(&r);
}

static heddle_sequence *sequence_of(const jobbed_rig *r, heddle_multi *m)
{
    const jobbed_params p = jobbed_params_of(r, &there);
    heddle_sequence *x;
    CHECK_OK(NULL, heddle_sequence_new(r->fleet, &x));
    CHECK_OK(NULL, heddle_sequence_add(x, m, &p, sizeof p));
    return x;
}

/* While a sequence runs that takes longer than the test may, figures are there at once; the lines say that it runs. */
static void check_told_beside(uint64_t *seed)
{
    heddle_multi_device d = HEDDLE_MULTI_DEVICE_INIT;
    heddle_multi_stats stats = HEDDLE_MULTI_STATS_INIT;
    heddle_sequence *x;
    heddle_multi *m;
    jobbed_rig r;
    jobbed_open(&r, "2*virtual:latency=0.001", 0, ROWS, seed);
    CHECK_OK(NULL, jobbed_make(&r, &there, &m));
    x = sequence_of(&r, m);
    CHECK_OK(NULL, heddle_sequence_start(x, 1000000));
    while (!stats.n_jobs)
        CHECK_OK(NULL, heddle_multi_get_stats(m, &stats));
    CHECK_OK(NULL, heddle_multi_get_device(m, 1, &d));
    CHECK(d.used_bytes && !d.is_lost);
    CHECK_MSG(strstr(heddle_multi_how(m), "under way"), "%s", heddle_multi_how(m));
    CHECK(heddle_sequence_wait(x, 0) == HEDDLE_EBUSY);
    heddle_sequence_cancel(x);
    CHECK(heddle_sequence_wait(x, MOST_MS) == HEDDLE_ECANCELED);
    CHECK_MSG(strstr(heddle_multi_how(m), "over 2 devices"), "%s", heddle_multi_how(m));
    heddle_sequence_free(x);
    heddle_multi_free(m);
    jobbed_close(&r);
}

static heddle_status ask_within(void *user, void *stream, const heddle_span_work *w)
{
    heddle_multi *m = *(heddle_multi **)user;
    heddle_multi_device d = HEDDLE_MULTI_DEVICE_INIT;
    heddle_multi_stats stats = HEDDLE_MULTI_STATS_INIT;
    (void)w;
    CHECK(!stream);
    CHECK_OK(NULL, heddle_multi_get_stats(m, &stats));
    CHECK_OK(NULL, heddle_multi_get_device(m, 0, &d));
    CHECK(stats.n_devices == 1 && d.used_bytes && strstr(heddle_multi_how(m), "under way"));
    return HEDDLE_OK;
}

/* A call asks, in the thread that answers. */
static void check_told_within(uint64_t *seed)
{
    heddle_multi *m;
    jobbed_rig r;
    jobbed_open(&r, "virtual:", 0, ROWS, seed);
    r.desc.call = ask_within;
    r.desc.call_user = &m;
    CHECK_OK(NULL, jobbed_make(&r, &there, &m));
    start_one(&r, m, &there);
    CHECK_OK(NULL, heddle_multi_wait(m, MOST_MS));
    heddle_multi_free(m);
    jobbed_close(&r);
}

/* Figures are asked for while jobs are under way: none is larger than it can be, or becomes smaller. */
static void check_told(uint64_t *seed)
{
    const uint32_t n = 100;
    jobbed_job five = there;
    heddle_multi_device d = HEDDLE_MULTI_DEVICE_INIT;
    heddle_multi_stats stats = HEDDLE_MULTI_STATS_INIT;
    uint64_t n_slices = 0, n_jobs = 0;
    heddle_multi *m;
    jobbed_rig r;
    jobbed_open(&r, "2*virtual:", 0, ROWS, seed);
    five.n_tasks = 5;
    CHECK_OK(NULL, jobbed_make(&r, &five, &m));
    for (uint32_t i = 0; i < n; i++) {
        start_one(&r, m, &five);
        CHECK_OK(NULL, heddle_multi_get_device(m, i % 2u, &d));
        CHECK(d.used_bytes <= d.pool_bytes && d.table_bytes && !d.is_lost);
        CHECK_OK(NULL, heddle_multi_get_stats(m, &stats));
        CHECK(stats.n_slices >= n_slices && stats.n_jobs >= n_jobs && stats.n_jobs <= i + 1u);
        n_slices = stats.n_slices;
        n_jobs = stats.n_jobs;
    }
    CHECK_OK(NULL, heddle_multi_wait(m, MOST_MS));
    CHECK_MSG(strstr(heddle_multi_how(m), "over 2 devices"), "%s", heddle_multi_how(m));
    CHECK_OK(NULL, heddle_multi_get_stats(m, &stats));
    CHECK(stats.n_jobs == n && stats.n_slices == 5u * n);
    heddle_multi_free(m);
    jobbed_close(&r);
}

static void check_hang(uint64_t *seed)
{
    jobbed_rig r;
    heddle_multi *kinds[2];
    jobbed_open(&r, "virtual:hang=5 virtual:", 0, ROWS, seed);
    r.desc.is_safe = 1;
    r.time_limit_ms = 200;
    CHECK_OK(NULL, jobbed_make(&r, &there, &kinds[0]));
    CHECK_OK(NULL, jobbed_make(&r, &back, &kinds[1]));
    CHECK_OK(NULL, run_steps(&r, kinds));
    jobbed_compare(&r, 0, 0, ROWS, "a device that hangs");
    heddle_multi_free(kinds[0]);
    heddle_multi_free(kinds[1]);
    jobbed_close(&r);
}

/* A time limit counts while a device works: not while it has nothing to do, and not while it waits for another one, which goes on. */
static void check_limit(const char *devices, uint32_t time_limit_ms, long pause_ms, uint64_t *seed)
{
    const struct timespec pause = {0, pause_ms * 1000000};
    jobbed_rig r;
    heddle_multi *kinds[2];
    uint32_t i;
    jobbed_open(&r, devices, 0, ROWS, seed);
    r.time_limit_ms = time_limit_ms;
    CHECK_OK(NULL, jobbed_make(&r, &there, &kinds[0]));
    CHECK_OK(NULL, jobbed_make(&r, &back, &kinds[1]));
    for (i = 0; i < 2u; i++) {
        start_one(&r, kinds[0], &there);
        start_one(&r, kinds[1], &back);
        CHECK_OK(NULL, heddle_multi_wait(kinds[0], MOST_MS));
        CHECK_OK(NULL, heddle_multi_wait(kinds[1], MOST_MS));
        (void)nanosleep(&pause, NULL);
    }
    jobbed_compare(&r, 0, 0, ROWS, devices);
    heddle_multi_free(kinds[0]);
    heddle_multi_free(kinds[1]);
    jobbed_close(&r);
}

static heddle_status hold_up(void *user, void *stream, const heddle_span_work *w)
{
    const struct timespec t = {0, 250000000};
    (void)user;
    (void)stream;
    (void)w;
    (void)nanosleep(&t, NULL);
    return HEDDLE_OK;
}

/* The second job is of the first device and the last, the third one of that in the middle. From 190 ms to 440 ms the driver is held up by a call. At 400 ms the device in the middle has ended what the others wait for: these have worked for
 * 40 ms when the driver looks again. */
static void check_held_up(uint64_t *seed)
{
    const struct timespec pause = {0, 190000000};
    jobbed_job jobs[] = {{jobbed_turn, 0, 0, 0, 5, 0, 0, 1, 2, UINT64_MAX, 0, 1, 5},
                         {jobbed_spread, 0, 0, 1, 4, 0, 0, 1, 2, UINT64_MAX, 2, 1, 0},
                         {jobbed_spread, 2, 0, 3, 4, 0, 0, 1, 2, UINT64_MAX, 1, 1, 0}};
    heddle_multi_device d = HEDDLE_MULTI_DEVICE_INIT;
    heddle_multi *kinds[3];
    jobbed_rig r;
    jobbed_open(&r, "virtual:latency=0.08 virtual:latency=0.2 virtual:latency=0.08", 0, ROWS, seed);
    r.time_limit_ms = 220;
    for (uint32_t i = 0; i < 3u; i++) {
        r.desc.call = i == 2u ? hold_up : NULL;
        CHECK_OK(NULL, jobbed_make(&r, &jobs[i], &kinds[i]));
    }
    start_one(&r, kinds[0], &jobs[0]);
    start_one(&r, kinds[1], &jobs[1]);
    (void)nanosleep(&pause, NULL);
    start_one(&r, kinds[2], &jobs[2]);
    for (uint32_t i = 0; i < 3u; i++)
        CHECK_OK(NULL, heddle_multi_wait(kinds[i], MOST_MS));
    for (uint32_t i = 0; i < 3u; i++) {
        CHECK_OK(NULL, heddle_multi_get_device(kinds[0], i, &d));
        CHECK_MSG(!d.is_lost, "%s is lost", d.name);
    }
    jobbed_compare(&r, 1, 0, ROWS, "a driver that was held up");
    for (uint32_t i = 0; i < 3u; i++)
        heddle_multi_free(kinds[i]);
    jobbed_close(&r);
}

/* The driver itself waits for a device that hangs, on behalf of one of another make. */
static void check_hang_here(uint32_t hang, uint64_t *seed)
{
    const lazy_config c = {1, check_random(seed), 0, 0, 0};
    char devices[32];
    jobbed_rig r;
    heddle_multi *kinds[2];
    heddle_multi_device d = HEDDLE_MULTI_DEVICE_INIT;
    heddle_status s;
    lazy_counts counts;
    (void)snprintf(devices, sizeof devices, "virtual:hang=%u", hang);
    jobbed_open(&r, devices, 0, ROWS, seed);
    lazy_add(r.fleet, &c, &counts);
    r.time_limit_ms = 150;
    CHECK_OK(NULL, jobbed_make(&r, &there, &kinds[0]));
    CHECK_OK(NULL, jobbed_make(&r, &back, &kinds[1]));
    s = run_steps(&r, kinds);
    if (is_ok(s) && is_ok(heddle_array_fetch(r.arrays[0], 0, ROWS)))
        jobbed_compare(&r, 0, 0, ROWS, devices);
    CHECK_OK(NULL, heddle_multi_get_device(kinds[0], 0, &d));
    CHECK_MSG(d.is_lost, "%s is not lost", devices);
    CHECK_OK(NULL, heddle_multi_get_device(kinds[0], 1, &d));
    CHECK_MSG(!d.is_lost, "beside %s the other one is lost", devices);
    heddle_multi_free(kinds[0]);
    heddle_multi_free(kinds[1]);
    jobbed_close(&r);
}

/* A device is lost while a fetch is under way: the fetch has the rows, or says that they are lost. */
static void check_late_fetch(uint64_t lose_at, uint64_t *seed)
{
    const lazy_config c = {2, check_random(seed), 0, 0, lose_at};
    jobbed_rig r;
    heddle_multi *m;
    lazy_counts counts;
    jobbed_open(&r, "cpu:1", 0, ROWS, seed);
    lazy_add(r.fleet, &c, &counts);
    CHECK_OK(NULL, jobbed_make(&r, &there, &m));
    start_one(&r, m, &there);
    if (is_ok(heddle_array_fetch(r.arrays[1], 0, ROWS)))
        CHECK_MSG(!memcmp(heddle_array_host(r.arrays[1]), r.plain[1], ROWS * ROWS * sizeof(uint32_t)),
                  "lost at action %u: a fetch has old rows", (unsigned)lose_at);
    (void)is_ok(heddle_multi_wait(m, MOST_MS));
    heddle_multi_free(m);
    jobbed_close(&r);
}

/* ---- bodies, cancelling -------------------------------------------------------------------------------------------------------- */

static void check_body(const char *devices, uint64_t *seed)
{
    const jobbed_job fails = {jobbed_fail, 0, 0, 1, 0, 0, 0, 1, 2, 17, 0, 1, 0};
    jobbed_rig r;
    heddle_multi *m, *next;
    jobbed_params p;
    jobbed_open(&r, devices, 0, ROWS, seed);
    CHECK_OK(NULL, jobbed_make(&r, &fails, &m));
    CHECK_OK(NULL, jobbed_make(&r, &there, &next));
    p = jobbed_params_of(&r, &fails);
    CHECK_OK(NULL, heddle_multi_start(m, &p, sizeof p));
    CHECK(heddle_multi_wait(m, HEDDLE_FOREVER) == HEDDLE_EBODY);
    CHECK_MSG(strstr(heddle_error_text(NULL), "index 17") && strstr(heddle_error_text(NULL), "code 9"), "%s",
              heddle_error_text(NULL));
    p = jobbed_params_of(&r, &there); /* and the fleet goes on */
    jobbed_plain(&r, &there);
    CHECK_OK(NULL, heddle_multi_run(next, &p, sizeof p));
    jobbed_compare(&r, 1, 0, ROWS, "after a body that failed");
    heddle_multi_free(m);
    heddle_multi_free(next);
    jobbed_close(&r);
}

/* A job fails on the first device, while one from before is at work on the second, and a later one waits. Only the first of these ends well. */
static void check_earlier(uint64_t *seed)
{
    static const jobbed_job fails = {jobbed_fail, 2, 0, 3, 0, 0, 0, 1, 2, 3, 0, 1, 0};
    const jobbed_job *jobs[] = {&there, &fails, &back};
    heddle_multi *kinds[3];
    uint64_t begin_ns;
    int is_late;
    jobbed_rig r;
    jobbed_open(&r, "virtual:latency=0.1 virtual:latency=0.2", 0, ROWS, seed);
    for (uint32_t i = 0; i < 3u; i++)
        CHECK_OK(NULL, jobbed_make(&r, jobs[i], &kinds[i]));
    begin_ns = heddle_host_clock_ns();
    for (uint32_t i = 0; i < 3u; i++) {
        const jobbed_params p = jobbed_params_of(&r, jobs[i]);
        CHECK_OK(NULL, heddle_multi_start(kinds[i], &p, sizeof p));
    }
    is_late =
        heddle_host_clock_ns() - begin_ns > 100000000u; /* on a busy machine: the failure was first, and it is run */
    CHECK(heddle_multi_wait(kinds[1], MOST_MS) == HEDDLE_EBODY);
    CHECK_OK(NULL, heddle_multi_wait(kinds[0], MOST_MS));
    CHECK(heddle_multi_wait(kinds[2], MOST_MS) == HEDDLE_EBODY || is_late);
    jobbed_plain(&r, &there);
    jobbed_compare(&r, 1, 0, ROWS, "a job before one that failed");
    for (uint32_t i = 0; i < 3u; i++)
        heddle_multi_free(kinds[i]);
    jobbed_close(&r);
}

static void nap(long ns)
{
    const struct timespec t = {0, ns};
    (void)nanosleep(&t, NULL);
}

/* Starts jobs before and behind one that fails, which are in its queues. Those that end well are whole. Returns how many do. */
static uint32_t start_around(jobbed_rig *r, heddle_multi *const *kinds, const jobbed_job *jobs, long delay_ns)
{
    uint32_t i, n = 0;
    for (i = 0; i < 3u; i++) {
        const jobbed_params p = jobbed_params_of(r, &jobs[i]);
        if (i == 2u)
            nap(delay_ns);
        CHECK_OK(NULL, heddle_multi_start(kinds[i], &p, sizeof p));
    }
    CHECK(heddle_multi_wait(kinds[1], MOST_MS) == HEDDLE_EBODY);
    for (i = 0; i < 3u; i += 2) {
        const heddle_status s = heddle_multi_wait(kinds[i], MOST_MS);
        CHECK_MSG(s == HEDDLE_OK || s == HEDDLE_EBODY, "%s", heddle_error_text(NULL));
        if (s != HEDDLE_OK)
            continue;
        jobbed_plain(r, &jobs[i]);
        jobbed_compare(r, jobs[i].out, 0, r->n, "a job beside one that failed");
        n++;
    }
    return n;
}

/* What is put into queues after a failure was told is run, also while slices of the failed job are under way there. */
static void check_around(const char *devices, uint64_t n, uint32_t n_rounds, uint64_t *seed)
{
    jobbed_job jobs[] = {there, {jobbed_fail, 0, 0, 1, 0, 0, 0, 1, 2, 3, 0, 1, 0}, there};
    heddle_multi *kinds[3];
    uint32_t i, n_well = 0;
    jobbed_rig r;
    jobbed_open(&r, devices, 0, n, seed);
    jobs[0].out = 2;
    jobs[2].out = 3;
    for (i = 0; i < 3u; i++) {
        jobs[i].n_tasks = 6;
        CHECK_OK(NULL, jobbed_make(&r, &jobs[i], &kinds[i]));
    }
    for (i = 0; i < n_rounds; i++) {
        jobs[0].seed = jobs[2].seed = i;
        jobs[1].fail_at = check_random(seed) % n;
        n_well += start_around(&r, kinds, jobs, (long)(i % 20u) * 20000);
    }
    CHECK(n_well);
    printf("%s: beside jobs that failed, %u of %u ended well\n", devices, n_well, 2u * n_rounds);
    for (i = 0; i < 3u; i++)
        heddle_multi_free(kinds[i]);
    jobbed_close(&r);
}

static void *cancel(void *m)
{
    heddle_multi_cancel(m);
    return NULL;
}

/* A job that was cancelled says so, also if a body of it fails afterwards. */
static void check_reason(uint64_t *seed)
{
    static const jobbed_job fails = {jobbed_fail, 2, 0, 3, 0, 0, 0, 1, 2, 3, 0, 1, 0};
    jobbed_rig r;
    heddle_multi *m;
    jobbed_params p;
    jobbed_open(&r, "virtual:latency=0.5", 0, ROWS, seed);
    CHECK_OK(NULL, jobbed_make(&r, &fails, &m));
    p = jobbed_params_of(&r, &fails);
    CHECK_OK(NULL, heddle_multi_start(m, &p, sizeof p));
    nap(10000000); /* its slices are given */
    heddle_multi_cancel(m);
    CHECK(heddle_multi_wait(m, MOST_MS) == HEDDLE_ECANCELED);
    CHECK_MSG(strstr(heddle_error_text(NULL), "was cancelled"), "%s", heddle_error_text(NULL));
    heddle_multi_free(m);
    jobbed_close(&r);
}

typedef struct waiter {
    heddle_multi *m;
    int has_ended; /* atomic */
    uint32_t n_told;
} waiter;

static void *wait_often(void *of)
{
    waiter *w = of;
    while (!__atomic_load_n(&w->has_ended, __ATOMIC_ACQUIRE)) {
        const heddle_status s = heddle_multi_wait(w->m, MOST_MS);
        CHECK(s == HEDDLE_OK || (s == HEDDLE_EBODY && strstr(heddle_error_text(NULL), "index 17")));
        w->n_told += s != HEDDLE_OK;
    }
    return NULL;
}

/* Two threads wait for jobs that fail: one of them is told of each. */
static void check_waits(const char *devices, uint64_t *seed)
{
    const jobbed_job fails = {jobbed_fail, 0, 0, 1, 0, 0, 0, 1, 2, 17, 0, 1, 0};
    const uint32_t n = 200;
    uint32_t n_told = 0;
    waiter w = {NULL, 0, 0};
    jobbed_rig r;
    jobbed_params p;
    pthread_t thread;
    jobbed_open(&r, devices, 0, ROWS, seed);
    CHECK_OK(NULL, jobbed_make(&r, &fails, &w.m));
    p = jobbed_params_of(&r, &fails);
    CHECK(!pthread_create(&thread, NULL, wait_often, &w));
    for (uint32_t i = 0; i < n; i++) {
        CHECK_OK(NULL, heddle_multi_start(w.m, &p, sizeof p));
        n_told += heddle_multi_wait(w.m, MOST_MS) != HEDDLE_OK;
    }
    __atomic_store_n(&w.has_ended, 1, __ATOMIC_RELEASE);
    (void)pthread_join(thread, NULL);
    n_told += w.n_told;
    CHECK_MSG(n_told == n, "of %u jobs that failed, %u were told", n, n_told);
    heddle_multi_free(w.m);
    jobbed_close(&r);
}

/* Some of many jobs are dropped; those that ended before are whole. */
static void check_cancel(uint64_t *seed)
{
    jobbed_rig r;
    heddle_multi *m;
    pthread_t thread;
    jobbed_params p;
    heddle_status s;
    int i;
    jobbed_open(&r, "2*virtual:latency=0.005", 0, ROWS, seed);
    CHECK_OK(NULL, jobbed_make(&r, &there, &m));
    p = jobbed_params_of(&r, &there);
    for (i = 0; i < 200; i++)
        CHECK_OK(NULL, heddle_multi_start(m, &p, sizeof p));
    CHECK(heddle_multi_wait(m, 1) == HEDDLE_EBUSY);
    CHECK(!pthread_create(&thread, NULL, cancel, m));
    (void)pthread_join(thread, NULL);
    s = heddle_multi_wait(m, HEDDLE_FOREVER);
    CHECK_MSG(s == HEDDLE_ECANCELED, "%s", heddle_status_text(s));
    CHECK_OK(NULL, heddle_multi_run(m, &p, sizeof p));
    jobbed_plain(&r, &there);
    jobbed_compare(&r, 1, 0, ROWS, "after a job that was cancelled");
    heddle_multi_free(m);
    jobbed_close(&r);
}

/* ---- a forked child ------------------------------------------------------------------------------------------------------------ */

static void is_told(const char *call, heddle_status s)
{
    CHECK_MSG(s == HEDDLE_EDEVICE && strstr(heddle_error_text(NULL), "forked this one"), "%s: %s", call,
              heddle_status_text(s));
}

/* It is told that it has none of its parent's threads, and frees nothing. */
static void be_child(jobbed_rig *r, heddle_multi *m, heddle_sequence *x)
{
    const jobbed_params p = jobbed_params_of(r, &there);
    heddle_sequence_stats stats = HEDDLE_SEQUENCE_STATS_INIT;
    heddle_sequence *other = NULL;
    heddle_multi *new_one = NULL;
    (void)alarm(20);
    is_told("heddle_array_fetch", heddle_array_fetch(r->arrays[1], 0, ROWS));
    is_told("heddle_array_wrote", heddle_array_wrote(r->arrays[1], 0, ROWS));
    is_told("heddle_multi_wait", heddle_multi_wait(m, HEDDLE_FOREVER));
    is_told("heddle_multi_start", heddle_multi_start(m, &p, sizeof p));
    is_told("heddle_multi_new", jobbed_make(r, &back, &new_one));
    CHECK(!*heddle_multi_how(m));
    is_told("heddle_multi_write_trace", heddle_multi_write_trace(m, "multi_trouble_fork.json"));
    is_told("heddle_sequence_wait", heddle_sequence_wait(x, HEDDLE_FOREVER));
    is_told("heddle_sequence_start", heddle_sequence_start(x, 1));
    is_told("heddle_sequence_add", heddle_sequence_add(x, m, &p, sizeof p));
    is_told("heddle_sequence_get_stats", heddle_sequence_get_stats(x, &stats));
    CHECK(!*heddle_sequence_how(x));
    is_told("heddle_sequence_new", heddle_sequence_new(r->fleet, &other));
    heddle_multi_cancel(m);
    heddle_sequence_cancel(x);
    heddle_sequence_free(x);
    heddle_multi_free(m);
    jobbed_close(r);
    fflush(stdout);
    _exit(0);
}

/* Jobs are under way in the parent, and go on. */
static void check_fork(uint64_t *seed)
{
    jobbed_rig r;
    heddle_multi *m;
    heddle_sequence *x;
    int status = 0;
    pid_t child;
    jobbed_open(&r, "2*virtual:latency=0.05", 0, ROWS, seed);
    CHECK_OK(NULL, jobbed_make(&r, &there, &m));
    x = sequence_of(&r, m);
    start_one(&r, m, &there);
    CHECK_OK(NULL, heddle_sequence_start(x, 2));
    fflush(stdout);
    child = fork();
    CHECK(child >= 0);
    if (!child)
        be_child(&r, m, x);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child's status is %d", status);
    CHECK_OK(NULL, heddle_sequence_wait(x, HEDDLE_FOREVER));
    CHECK_OK(NULL, heddle_multi_wait(m, HEDDLE_FOREVER));
    jobbed_compare(&r, 1, 0, ROWS, "after a fork");
    heddle_sequence_free(x);
    heddle_multi_free(m);
    jobbed_close(&r);
}

/* Devices that can be lost are virtual ones: nobody breaks a GPU. */
static void check_cuda(uint64_t *seed)
{
    uint32_t fail;
    for (fail = 2; fail < 20u; fail += 3)
        (void)check_loss(fail, HEDDLE_MAP_SETTLE, 1, "cuda:0", seed);
    check_body("cuda:0", seed);
    check_body("2*cuda:0/2", seed);
    check_around("cuda:0", 1500, 400, seed);
    check_around("2*cuda:0/2", 1500, 400, seed);
}

int main(int argc, char **argv)
{
    uint64_t seed = check_seed(23);
    uint32_t map, i;
    if (argc > 1 && !strcmp(argv[1], "--cuda")) {
        if (!heddle_backend_is_present(HEDDLE_CUDA))
            SKIP("no GPU here");
        check_cuda(&seed);
        return 0;
    }
    for (map = 0; map < HEDDLE_N_MAPS; map++)
        check_losses((heddle_map)map, &seed);
    check_places(&seed);
    for (i = 1; check_smaller(i, &seed); i++)
        ;
    CHECK(i > 2u);
    check_aparts(0, &seed);
    check_aparts(1, &seed);
    check_last(&seed);
    check_told(&seed);
    check_told_beside(&seed);
    check_told_within(&seed);
    check_hang(&seed);
    check_limit("virtual:latency=0.005", 100, 150, &seed);
    check_limit("virtual: virtual:latency=0.06", 180, 0, &seed);
    check_held_up(&seed);
    for (i = 2; i < 8u; i += 2)
        check_hang_here(i, &seed);
    for (i = 0; i < FETCHES; i++)
        check_late_fetch(1u + i % LOSSES, &seed);
    check_body("2*virtual:", &seed);
    check_body("cpu:2", &seed);
    check_cancel(&seed);
    check_fork(&seed);
    check_earlier(&seed);
    check_around("virtual:latency=0.0001", ROWS, 60, &seed);
    check_around("2*virtual:latency=0.0001", ROWS, 60, &seed);
    check_reason(&seed);
    check_waits("virtual:", &seed);
    check_waits("serial", &seed);
    return 0;
}
