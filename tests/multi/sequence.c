/* SPDX-License-Identifier: MIT */
/* sequence.c - sequences of jobs give the bytes of plain loops: on every fleet, beside single jobs and a host that reads and writes; on devices that
 * are late, which show a wait that is missing; by the list and by records. They are cancelled, their bodies fail and devices are lost among
 * replays, and the fleet goes on.
 * HEDDLE_ROUNDS: programs of each fleet (4). --cuda: fleets with GPUs, programs and bodies that fail. --time DEVICES ROWS RUNS: what a step takes,
 * started one by one and as a sequence. */
#include "multi/cases.h"
#include "multi/lazy.h"

#include "engine/multi/sequence.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#define KINDS 6u
#define SEQUENCES 3u
#define MOST_JOBS 4u
#define ACTS 14u
#define ROWS 30u

static const jobbed_job there = {jobbed_spread, 0, 0, 1, 5, 0, 0, 1, 2, UINT64_MAX, 0, 1, 0};
static const jobbed_job back = {jobbed_spread, 1, 0, 0, 9, 0, 0, 1, 2, UINT64_MAX, 0, 1, 0};

typedef struct totals {
    uint64_t n_runs, n_by_list, n_by_record;
} totals;

/* ---- sequences of a rig ------------------------------------------------------------------------------------------------------- */

typedef struct sequence {
    heddle_sequence *s;
    uint32_t n;
    jobbed_job jobs[MOST_JOBS];
    heddle_multi *kinds[MOST_JOBS];
} sequence;

static void add(jobbed_rig *r, sequence *x, const jobbed_job *j, heddle_multi *kind)
{
    const jobbed_params p = jobbed_params_of(r, j);
    x->jobs[x->n] = *j;
    x->kinds[x->n++] = kind;
    CHECK_OK(NULL, heddle_sequence_add(x->s, kind, &p, sizeof p));
}

/* There and back. */
static sequence make_steps(jobbed_rig *r)
{
    sequence x = {NULL, 0, {there}, {NULL}};
    heddle_multi *kind;
    CHECK_OK(NULL, heddle_sequence_new(r->fleet, &x.s));
    CHECK_OK(NULL, jobbed_make(r, &there, &kind));
    add(r, &x, &there, kind);
    CHECK_OK(NULL, jobbed_make(r, &back, &kind));
    add(r, &x, &back, kind);
    return x;
}

static void free_steps(sequence *x)
{
    uint32_t i;
    for (i = 0; i < x->n; i++)
        heddle_multi_free(x->kinds[i]);
    heddle_sequence_free(x->s);
}

static void plain(jobbed_rig *r, const sequence *x, uint64_t n)
{
    uint32_t i;
    for (; n > 0; n--)
        for (i = 0; i < x->n; i++)
            jobbed_plain(r, &x->jobs[i]);
}

static heddle_sequence_stats stats_of(const sequence *x)
{
    heddle_sequence_stats t = HEDDLE_SEQUENCE_STATS_INIT;
    CHECK_OK(NULL, heddle_sequence_get_stats(x->s, &t));
    return t;
}

/* ---- random programs ---------------------------------------------------------------------------------------------------------- */

static void start(jobbed_rig *r, const sequence *x, uint64_t *seed, const char *what)
{
    static const uint64_t times[] = {0, 1, 2, 3, 9, 50};
    const uint64_t n = times[check_below(seed, sizeof times / sizeof *times)];
    uint32_t i, has_total = 0;
    CHECK_OK(NULL, heddle_sequence_start(x->s, n));
    plain(r, x, n);
    for (i = 0; i < x->n; i++)
        has_total |= x->jobs[i].body == jobbed_total;
    if (!n || (!has_total && check_below(seed, 2)))
        return;
    CHECK_OK(NULL, heddle_sequence_wait(x->s, HEDDLE_FOREVER));
    CHECK_MSG(!has_total || r->sum == r->plain_sum, "%s: sum %lld, not %lld", what, (long long)r->sum,
              (long long)r->plain_sum);
}

static void start_single(jobbed_rig *r, const jobbed_job *j, heddle_multi *kind)
{
    const jobbed_params p = jobbed_params_of(r, j);
    CHECK_OK(NULL, heddle_multi_start(kind, &p, sizeof p));
    jobbed_plain(r, j);
    if (j->body == jobbed_total)
        CHECK_OK(NULL, heddle_multi_wait(kind, HEDDLE_FOREVER));
}

static void act(jobbed_rig *r, const sequence *all, const jobbed_job *jobs, heddle_multi *const *kinds, uint64_t *seed,
                const char *what)
{
    const uint32_t k = (uint32_t)check_below(seed, KINDS);
    switch (check_below(seed, 6)) {
    case 0: start_single(r, &jobs[k], kinds[k]); break;
    case 1: jobbed_write_some(r, seed); break;
    case 2: jobbed_read_some(r, seed, what); break;
    default: start(r, &all[k % SEQUENCES], seed, what); break;
    }
}

static void make_all(jobbed_rig *r, sequence *all, const jobbed_job *jobs, heddle_multi *const *kinds, uint64_t *seed)
{
    uint32_t i, k, n;
    for (i = 0; i < SEQUENCES; i++) {
        all[i] = (sequence){NULL, 0, {there}, {NULL}};
        CHECK_OK(NULL, heddle_sequence_new(r->fleet, &all[i].s));
        CHECK_OK(NULL,
                 heddle_sequence_set_replay(all[i].s, check_below(seed, 4) ? HEDDLE_REPLAY_RECORDS
                                                                           : (heddle_replay)check_below(seed, 3)));
        for (n = (uint32_t)check_below(seed, MOST_JOBS + 1u); n > 0; n--) {
            k = (uint32_t)check_below(seed, KINDS);
            add(r, &all[i], &jobs[k], kinds[k]);
        }
    }
}

static void end_all(sequence *all, totals *t)
{
    uint32_t i;
    for (i = 0; i < SEQUENCES; i++) {
        heddle_sequence_stats s;
        CHECK_OK(NULL, heddle_sequence_wait(all[i].s, HEDDLE_FOREVER));
        s = stats_of(&all[i]);
        t->n_runs += s.n_runs;
        t->n_by_list += s.n_by_list;
        t->n_by_record += s.n_by_record;
        heddle_sequence_free(all[i].s);
    }
}

static void run_program(jobbed_rig *r, uint64_t *seed, totals *t, const char *devices)
{
    jobbed_job jobs[KINDS];
    heddle_multi *kinds[KINDS];
    sequence all[SEQUENCES];
    char what[160];
    uint32_t k;
    r->desc.map = (heddle_map)check_below(seed, HEDDLE_N_MAPS);
    r->desc.is_safe = !check_below(seed, 6);
    (void)snprintf(what, sizeof what, "%s, map %s, n %llu", devices, heddle_map_name(r->desc.map),
                   (unsigned long long)r->n);
    for (k = 0; k < KINDS; k++) {
        jobs[k] = jobbed_random(r, seed);
        CHECK_OK(NULL, jobbed_make(r, &jobs[k], &kinds[k]));
    }
    make_all(r, all, jobs, kinds, seed);
    for (k = 0; k < ACTS; k++)
        act(r, all, jobs, kinds, seed, what);
    jobbed_finish(r, kinds, KINDS, what);
    end_all(all, t);
}

static void check_programs(int is_gpu, int n_rounds, uint64_t *seed)
{
    totals t = {0, 0, 0};
    size_t n, i;
    const jobbed_fleet *list = jobbed_fleets(is_gpu, &n);
    for (i = 0; i < n * (size_t)n_rounds; i++) {
        const jobbed_fleet *c = &list[i % n];
        jobbed_rig r;
        jobbed_open(&r, c->devices, c->pool_bytes, 10u + check_below(seed, 30), seed);
        run_program(&r, seed, &t, c->devices);
        jobbed_close(&r);
    }
    printf("%zu fleets, %d programs each: %llu runs, %llu by list, %llu by record\n", n, n_rounds,
           (unsigned long long)t.n_runs, (unsigned long long)t.n_by_list, (unsigned long long)t.n_by_record);
    CHECK(n_rounds < 4 || getenv("HEDDLE_SEED") || (t.n_by_list && (!is_gpu || t.n_by_record)));
}

static void open_lazy(jobbed_rig *r, const lazy_config *c, uint64_t pool_bytes, lazy_counts *counts, uint64_t *seed)
{
    jobbed_open(r, "cpu:1", pool_bytes, 10u + check_below(seed, 30), seed);
    lazy_add(r->fleet, c, counts);
}

static void check_late(int n_rounds, uint64_t *seed)
{
    totals t = {0, 0, 0};
    int i;
    for (i = 0; i < 4 * n_rounds; i++) {
        const lazy_config c = {1u + (uint32_t)check_below(seed, 5), check_random(seed), i % 4 > 0, 0, 0};
        jobbed_rig r;
        lazy_counts counts;
        open_lazy(&r, &c, check_below(seed, 2) ? 0 : 24000, &counts, seed);
        run_program(&r, seed, &t, "late devices");
        jobbed_close(&r);
    }
    printf("late devices: %llu runs, %llu by list, %llu by record\n", (unsigned long long)t.n_runs,
           (unsigned long long)t.n_by_list, (unsigned long long)t.n_by_record);
    CHECK(n_rounds < 4 || getenv("HEDDLE_SEED") || (t.n_by_list && t.n_by_record));
}

/* ---- what counts as the same run ----------------------------------------------------------------------------------------------- */

/* A body in queue 0 that waits for a move in queue 1; all points lie `base` behind the first ones. */
static hd_kept run_at(uint64_t base)
{
    hd_kept k;
    hd_kept_op *o;
    uint64_t *n;
    memset(&k, 0, sizeof k);
    k.n_queues = 3;
    CHECK(!hd_list_room(&k.ops, 2, sizeof *o) && !hd_list_room(&k.waits, 1, sizeof(hd_seg_point)) &&
          !hd_list_room(&k.places, 1, sizeof(hd_seg_place)) && !hd_list_room(&k.base, 3, sizeof *n));
    memset(k.ops.at, 0, 2u * sizeof *o);
    n = k.base.at;
    n[0] = n[1] = n[2] = base;
    o = k.ops.at;
    o[0].op = (hd_seg_op){.point = {1, base + 1u}, .from = 1, .rect = {3, 4, 0, 8}, .from_stride = 8, .to_stride = 16};
    o[1].op = (hd_seg_op){.point = {0, base + 1u}, .is_body = 1, .n_waits = 1};
    o[1].n_places = 1;
    *(hd_seg_point *)k.waits.at = (hd_seg_point){1, base + 1u};
    *(hd_seg_place *)k.places.at = (hd_seg_place){256, 16};
    k.ops.n = 2;
    k.waits.n = k.places.n = 1;
    return k;
}

static void change(hd_kept *k, uint32_t what)
{
    hd_kept_op *o = k->ops.at;
    uint64_t *const numbers[] = {&o[0].op.point.number, &o[0].op.rect.row,   &o[0].op.from_at,
                                 &o[0].op.from_stride,  &o[0].op.to_at,      &o[0].op.to_stride,
                                 &o[1].op.point.number, &o[1].block.end,     &((hd_seg_point *)k->waits.at)->number,
                                 &o[0].op.rect.end_row, &o[1].block.begin_2, &((hd_seg_place *)k->places.at)->at};
    uint32_t *const words[] = {&o[0].op.point.queue,
                               &o[0].op.array,
                               &o[0].op.from,
                               &o[0].op.to,
                               &o[1].entry,
                               &o[0].op.is_body,
                               &((hd_seg_point *)k->waits.at)->queue};
    if (what < 12u)
        ++*numbers[what];
    else if (what < 19u)
        *words[what - 12u] ^= 1u;
    else
        o[1].op.n_waits = 0;
}

static void check_alike(void)
{
    hd_kept a = run_at(0), b = run_at(70);
    uint32_t what;
    CHECK(hd_kept_are_alike(&a, &b));
    for (what = 0; what < 20u; what++) {
        hd_kept_clear(&b);
        b = run_at(70);
        change(&b, what);
        CHECK_MSG(!hd_kept_are_alike(&a, &b), "with change %u", what);
    }
    hd_kept_clear(&a);
    hd_kept_clear(&b);
}

/* ---- steps -------------------------------------------------------------------------------------------------------------------- */

static void run_steps(jobbed_rig *r, const sequence *x, uint64_t n, const char *what)
{
    CHECK_OK(NULL, heddle_sequence_start(x->s, n));
    CHECK_OK(NULL, heddle_sequence_wait(x->s, HEDDLE_FOREVER));
    plain(r, x, n);
    jobbed_compare(r, 0, 0, r->n, what);
}

static void check_list(uint64_t *seed)
{
    jobbed_rig r;
    sequence x;
    jobbed_open(&r, "3*virtual:", 0, ROWS, seed);
    r.desc.map = HEDDLE_MAP_STATIC;
    x = make_steps(&r);
    run_steps(&r, &x, 50, "by the list");
    CHECK(stats_of(&x).n_runs == 50 && stats_of(&x).n_by_list >= 40 && !stats_of(&x).n_by_record);
    CHECK(stats_of(&x).n_ops == 14); /* 3 bodies and 4 halos, twice */
    CHECK_MSG(strstr(heddle_sequence_how(x.s), "not all devices can record"), "%s", heddle_sequence_how(x.s));
    CHECK_OK(NULL, heddle_sequence_set_replay(x.s, HEDDLE_REPLAY_NONE));
    run_steps(&r, &x, 50, "as jobs");
    CHECK(stats_of(&x).n_runs == 100 && stats_of(&x).n_by_list < 50);
    free_steps(&x);
    jobbed_close(&r);
}

static uint64_t slices_of(const sequence *x)
{
    heddle_multi_stats s = HEDDLE_MULTI_STATS_INIT;
    CHECK_OK(NULL, heddle_multi_get_stats(x->kinds[0], &s));
    return s.n_slices;
}

/* A record is made once; figures are those of all runs. */
static void check_records(uint64_t *seed)
{
    const lazy_config c = {3, check_random(seed), 1, 0, 0}, refuses = {3, check_random(seed), 1, 1, 0};
    jobbed_rig r;
    sequence x;
    lazy_counts counts;
    open_lazy(&r, &c, 0, &counts, seed);
    r.desc.map = HEDDLE_MAP_STATIC;
    x = make_steps(&r);
    run_steps(&r, &x, 100, "by record");
    CHECK(counts.n_records == 2 && stats_of(&x).n_by_record >= 90 && stats_of(&x).n_calls == counts.n_replays);
    run_steps(&r, &x, 77, "by record, again");
    CHECK(counts.n_records == 2 && stats_of(&x).n_runs == 177 && stats_of(&x).n_by_record >= 160);
    CHECK(slices_of(&x) == 177u * 3u);
    free_steps(&x);
    jobbed_close(&r);
    open_lazy(&r, &refuses, 0, &counts, seed);
    r.desc.map = HEDDLE_MAP_STATIC;
    x = make_steps(&r);
    run_steps(&r, &x, 100, "no record");
    CHECK(counts.n_records == 1 && !stats_of(&x).n_by_record && stats_of(&x).n_by_list >= 90);
    CHECK_MSG(strstr(heddle_sequence_how(x.s), "too late"), "%s", heddle_sequence_how(x.s));
    free_steps(&x);
    jobbed_close(&r);
}

/* ---- bodies that fail, and cancelling ----------------------------------------------------------------------------------------- */

/* Counts up in each run, and fails in run 60. What was started later is not run; then the fleet goes on. */
static void check_body(jobbed_rig *r)
{
    const jobbed_job fails = {jobbed_tally, 0, 0, 2, 60, 0, 0, 1, 2, 17, 0, 1, 0};
    const jobbed_params p = jobbed_params_of(r, &there);
    sequence x = make_steps(r), y = {NULL, 0, {there}, {NULL}};
    heddle_multi *kind;
    heddle_status s;
    CHECK_OK(NULL, jobbed_make(r, &fails, &kind));
    CHECK_OK(NULL, heddle_sequence_new(r->fleet, &y.s));
    add(r, &y, &fails, kind);
    CHECK_OK(NULL, heddle_array_wrote(r->arrays[2], 0, r->n));
    memset(heddle_array_host(r->arrays[2]), 0, r->n * r->n * sizeof(uint32_t));
    CHECK_OK(NULL, heddle_sequence_start(y.s, 100));
    CHECK_OK(NULL, heddle_multi_start(x.kinds[0], &p, sizeof p));
    CHECK(heddle_sequence_wait(y.s, HEDDLE_FOREVER) == HEDDLE_EBODY);
    CHECK_MSG(strstr(heddle_error_text(NULL), "index 17") && strstr(heddle_error_text(NULL), "code 9"), "%s",
              heddle_error_text(NULL));
    s = heddle_multi_wait(x.kinds[0], HEDDLE_FOREVER);
    CHECK(s == HEDDLE_EBODY || s == HEDDLE_OK); /* OK: it was started after the failure */
    CHECK_MSG(stats_of(&y).n_by_list + stats_of(&y).n_by_record > 0, "%s", heddle_sequence_how(y.s));
    run_steps(r, &x, 20, "after a body that failed");
    free_steps(&x);
    heddle_multi_free(kind);
    heddle_sequence_free(y.s);
}

static void check_bodies(uint64_t *seed)
{
    const lazy_config c = {3, check_random(seed), 1, 0, 0};
    jobbed_rig r;
    lazy_counts counts;
    jobbed_open(&r, "2*virtual:", 0, ROWS, seed);
    check_body(&r);
    jobbed_close(&r);
    jobbed_open(&r, "cpu:1", 0, ROWS, seed);
    lazy_add(r.fleet, &c, &counts);
    r.desc.map = HEDDLE_MAP_STATIC;
    check_body(&r);
    jobbed_close(&r);
}

static void *cancel_sequence(void *s)
{
    heddle_sequence_cancel(s);
    return NULL;
}

static void *cancel_job(void *m)
{
    heddle_multi_cancel(m);
    return NULL;
}

static void check_cancel(jobbed_rig *r, int by_job)
{
    sequence x = make_steps(r);
    const jobbed_params p = jobbed_params_of(r, &there);
    heddle_multi *later;
    pthread_t thread;
    CHECK_OK(NULL, jobbed_make(r, &there, &later));
    CHECK_OK(NULL, heddle_sequence_start(x.s, 1u << 30));
    CHECK_OK(NULL, heddle_sequence_start(x.s, 5));
    CHECK_OK(NULL, heddle_multi_start(later, &p, sizeof p));
    CHECK(heddle_sequence_wait(x.s, 30) == HEDDLE_EBUSY);
    CHECK(heddle_sequence_add(x.s, later, &p, sizeof p) == HEDDLE_EBUSY);
    CHECK(!pthread_create(&thread, NULL, by_job ? cancel_job : cancel_sequence, by_job ? (void *)x.kinds[1] : x.s));
    (void)pthread_join(thread, NULL);
    CHECK(heddle_sequence_wait(x.s, HEDDLE_FOREVER) == HEDDLE_ECANCELED);
    CHECK(heddle_multi_wait(later, HEDDLE_FOREVER) == HEDDLE_ECANCELED);
    CHECK_OK(NULL, heddle_array_fetch(r->arrays[0], 0, r->n)); /* rows are of some run, and whole */
    memcpy(r->plain[0], heddle_array_host(r->arrays[0]), r->n * r->n * sizeof(uint32_t));
    run_steps(r, &x, 20, "after a sequence that was cancelled");
    heddle_multi_free(later);
    free_steps(&x);
}

typedef struct canceler {
    heddle_sequence *s;
    int has_returned; /* atomic */
} canceler;

/* More than once: on a busy machine it may come before the start. */
static void *cancel_soon(void *of)
{
    static const struct timespec nap = {0, 20000000};
    canceler *c = of;
    do {
        (void)nanosleep(&nap, NULL);
        (void)cancel_sequence(c->s);
    } while (!__atomic_load_n(&c->has_returned, __ATOMIC_ACQUIRE));
    return NULL;
}

/* A fleet of cores runs it within the start. */
static void check_cancel_cores(uint64_t *seed)
{
    jobbed_rig r;
    sequence x;
    canceler c = {NULL, 0};
    pthread_t thread;
    jobbed_open(&r, "cpu:2", 0, ROWS, seed);
    x = make_steps(&r);
    c.s = x.s;
    CHECK(!pthread_create(&thread, NULL, cancel_soon, &c));
    CHECK_OK(NULL, heddle_sequence_start(x.s, 1u << 30));
    __atomic_store_n(&c.has_returned, 1, __ATOMIC_RELEASE);
    (void)pthread_join(thread, NULL);
    CHECK(heddle_sequence_wait(x.s, 0) == HEDDLE_ECANCELED);
    CHECK_OK(NULL, heddle_sequence_wait(x.s, 0));
    memcpy(r.plain[0], heddle_array_host(r.arrays[0]), r.n * r.n * sizeof(uint32_t));
    memcpy(r.plain[1], heddle_array_host(r.arrays[1]), r.n * r.n * sizeof(uint32_t));
    run_steps(&r, &x, 3, "after a sequence of cores that was cancelled");
    free_steps(&x);
    jobbed_close(&r);
}

static void check_cancels(uint64_t *seed)
{
    const lazy_config c = {3, check_random(seed), 1, 0, 0};
    jobbed_rig r;
    lazy_counts counts;
    int by_job;
    check_cancel_cores(seed);
    for (by_job = 0; by_job < 2; by_job++) {
        jobbed_open(&r, "2*virtual:latency=0.00001", 0, ROWS, seed);
        check_cancel(&r, by_job);
        r.desc.is_safe = 1;
        check_cancel(&r, by_job);
        jobbed_close(&r);
        open_lazy(&r, &c, 0, &counts, seed);
        check_cancel(&r, by_job);
        jobbed_close(&r);
    }
}

/* ---- losses ------------------------------------------------------------------------------------------------------------------- */

/* What is left of a fleet that lost a device. */
static void check_rest(jobbed_rig *r, sequence *x, uint64_t *seed, const char *what)
{
    uint32_t m;
    for (m = 0; m < 2u; m++) {
        uint32_t *at = heddle_array_host(r->arrays[m]);
        uint64_t i;
        CHECK_OK(NULL, heddle_array_wrote(r->arrays[m], 0, r->n));
        for (i = 0; i < r->n * r->n; i++)
            at[i] = r->plain[m][i] = (uint32_t)check_random(seed);
    }
    run_steps(r, x, 10, what);
}

/* All rows depend on all devices after a few steps. */
static void check_lost_rows(jobbed_rig *r, const char *what)
{
    uint64_t row;
    for (row = 0; row < 2u * r->n; row++)
        CHECK_MSG(heddle_array_fetch(r->arrays[row % 2u], row / 2u, 1) == HEDDLE_EDEVICE,
                  "%s: row %llu of replays among which a device was lost", what, (unsigned long long)row / 2u);
}

/* 1: the device was lost. *n_replays: how often among replays. */
static int check_loss(jobbed_rig *r, uint64_t *n_replays, uint64_t *seed, const char *what)
{
    sequence x;
    heddle_multi_device d = HEDDLE_MULTI_DEVICE_INIT;
    heddle_status s, t;
    int is_replay;
    r->desc.map = HEDDLE_MAP_STATIC;
    x = make_steps(r);
    CHECK_OK(NULL, heddle_sequence_start(x.s, 60));
    plain(r, &x, 60);
    s = heddle_sequence_wait(x.s, HEDDLE_FOREVER);
    CHECK_MSG(s == HEDDLE_OK || s == HEDDLE_EDEVICE, "%s: %s", what, heddle_error_text(NULL));
    is_replay = s != HEDDLE_OK && strstr(heddle_error_text(NULL), "replayed") != NULL;
    CHECK_MSG(s == HEDDLE_OK || is_replay || strstr(heddle_error_text(NULL), "rows"), "%s: %s", what,
              heddle_error_text(NULL));
    *n_replays += (uint64_t)is_replay;
    t = heddle_array_fetch(r->arrays[0], 0, r->n); /* a device may be lost as late as that */
    CHECK_MSG(t == HEDDLE_OK || t == HEDDLE_EDEVICE, "%s: %s", what, heddle_error_text(NULL));
    if (is_replay)
        check_lost_rows(r, what);
    if (s == HEDDLE_OK && t == HEDDLE_OK)
        jobbed_compare(r, 0, 0, r->n, what);
    CHECK_OK(NULL, heddle_multi_get_device(x.kinds[0], 0, &d));
    if (d.is_lost)
        check_rest(r, &x, seed, what);
    free_steps(&x);
    return (int)d.is_lost;
}

static void check_losses(uint64_t *seed)
{
    uint64_t n_list = 0, n_record = 0, at;
    int lost;
    char devices[96];
    jobbed_rig r;
    lazy_counts counts;
    for (at = 1, lost = 1; lost; at += 1u + at / 8u) {
        (void)snprintf(devices, sizeof devices, "virtual:memory=1e6,fail=%llu 13*virtual:memory=1e6",
                       (unsigned long long)at);
        jobbed_open(&r, devices, 0, ROWS, seed);
        lost = check_loss(&r, &n_list, seed, devices);
        jobbed_close(&r);
    }
    for (at = 1, lost = 1; lost; at += 1u + at / 8u) {
        const lazy_config c = {8, check_random(seed), 1, 0, at};
        jobbed_open(&r, "cpu:1", 0, ROWS, seed);
        lazy_add(r.fleet, &c, &counts);
        lost = check_loss(&r, &n_record, seed, "late devices");
        jobbed_close(&r);
    }
    printf("a device lost among replays: %llu times by list, %llu by record\n", (unsigned long long)n_list,
           (unsigned long long)n_record);
    CHECK(n_list && n_record);
}

/* ---- what is refused ---------------------------------------------------------------------------------------------------------- */

static void check_refused(uint64_t *seed)
{
    jobbed_rig r, other;
    sequence x;
    heddle_multi *kind;
    jobbed_params p;
    jobbed_open(&r, "virtual:", 0, ROWS, seed);
    jobbed_open(&other, "virtual:", 0, ROWS, seed);
    x = make_steps(&r);
    p = jobbed_params_of(&r, &there);
    CHECK_OK(NULL, jobbed_make(&other, &there, &kind));
    CHECK(heddle_sequence_new(NULL, &x.s) == HEDDLE_EINVAL);
    CHECK(heddle_sequence_add(x.s, kind, &p, sizeof p) == HEDDLE_EINVAL);
    CHECK_MSG(strstr(heddle_error_text(NULL), "another fleet"), "%s", heddle_error_text(NULL));
    CHECK(heddle_sequence_add(x.s, x.kinds[0], &p, sizeof p - 1u) == HEDDLE_EINVAL);
    CHECK(heddle_sequence_set_replay(x.s, (heddle_replay)3) == HEDDLE_EINVAL);
    CHECK(heddle_sequence_start(NULL, 1) == HEDDLE_EINVAL && heddle_sequence_wait(NULL, 0) == HEDDLE_EINVAL);
    CHECK(!*heddle_sequence_how(NULL));
    free_steps(&x);
    heddle_multi_free(kind);
    jobbed_close(&other);
    jobbed_close(&r);
}

/* ---- times -------------------------------------------------------------------------------------------------------------------- */

static void time_way(jobbed_rig *r, sequence *x, heddle_replay way, const char *name, uint64_t n)
{
    uint64_t best = UINT64_MAX, took;
    uint32_t k;
    CHECK_OK(NULL, heddle_sequence_set_replay(x->s, way));
    for (k = 0; k < 4u; k++) {
        CHECK_OK(NULL, heddle_sequence_start(x->s, n));
        CHECK_OK(NULL, heddle_sequence_wait(x->s, HEDDLE_FOREVER));
        took = stats_of(x).time_ns;
        best = took < best ? took : best;
        printf("%-8s %9.2f us a step, try %u\n", name, (double)took / (2e3 * (double)n), k);
    }
    printf("%-8s %9.2f us a step at best; %s", name, (double)best / (2e3 * (double)n), heddle_sequence_how(x->s));
    (void)r;
}

/* Started one by one. */
static void time_starts(jobbed_rig *r, sequence *x, uint64_t n)
{
    const jobbed_params p[2] = {jobbed_params_of(r, &x->jobs[0]), jobbed_params_of(r, &x->jobs[1])};
    uint64_t best = UINT64_MAX, took, i;
    uint32_t k;
    for (k = 0; k < 4u; k++) {
        const uint64_t begin = heddle_host_clock_ns();
        for (i = 0; i < 2u * n; i++)
            CHECK_OK(NULL, heddle_multi_start(x->kinds[i % 2u], &p[i % 2u], sizeof p[0]));
        CHECK_OK(NULL, heddle_multi_wait(x->kinds[0], HEDDLE_FOREVER));
        CHECK_OK(NULL, heddle_multi_wait(x->kinds[1], HEDDLE_FOREVER));
        took = heddle_host_clock_ns() - begin;
        best = took < best ? took : best;
    }
    printf("%-8s %9.2f us a step at best\n", "starts", (double)best / (2e3 * (double)n));
}

static sequence make_timed(jobbed_rig *r)
{
    sequence x = {NULL, 0, {there}, {NULL}};
    jobbed_job jobs[2] = {there, back};
    heddle_multi *kind;
    uint32_t i;
    CHECK_OK(NULL, heddle_sequence_new(r->fleet, &x.s));
    for (i = 0; i < 2u; i++) {
        jobs[i].tile = 8;
        jobs[i].tile_2 = 512;
        CHECK_OK(NULL, jobbed_make(r, &jobs[i], &kind));
        add(r, &x, &jobs[i], kind);
    }
    return x;
}

static int time_steps(const char *devices, uint64_t rows, uint64_t n)
{
    uint64_t seed = 7;
    jobbed_rig r;
    sequence x;
    jobbed_open(&r, devices, 0, rows, &seed);
    r.desc.map = HEDDLE_MAP_STATIC;
    x = make_timed(&r);
    time_starts(&r, &x, n);
    time_way(&r, &x, HEDDLE_REPLAY_NONE, "jobs", n);
    time_way(&r, &x, HEDDLE_REPLAY_LIST, "list", n);
    time_way(&r, &x, HEDDLE_REPLAY_RECORDS, "record", n);
    free_steps(&x);
    jobbed_close(&r);
    return 0;
}

/* ---- main --------------------------------------------------------------------------------------------------------------------- */

static void check_gpus(int n_rounds, uint64_t *seed)
{
    static const char *const devices[] = {"cuda:0", "4*cuda:0/4", "cuda:*"};
    jobbed_rig r;
    uint32_t i;
    check_programs(1, n_rounds, seed);
    for (i = 0; i < sizeof devices / sizeof *devices; i++) {
        jobbed_open(&r, devices[i], 0, ROWS, seed);
        r.desc.map = HEDDLE_MAP_STATIC;
        check_body(&r);
        jobbed_close(&r);
        jobbed_open(&r, devices[i], 0, ROWS, seed);
        check_cancel(&r, 0);
        jobbed_close(&r);
    }
}

int main(int argc, char **argv)
{
    const char *text = getenv("HEDDLE_ROUNDS");
    const int n_rounds = text ? atoi(text) : 4;
    uint64_t seed = check_seed(31);
    if (argc > 4 && !strcmp(argv[1], "--time"))
        return time_steps(argv[2], strtoull(argv[3], NULL, 0), strtoull(argv[4], NULL, 0));
    if (jobbed_is_gpu(argc, argv)) {
        check_gpus(n_rounds, &seed);
        return 0;
    }
    check_alike();
    check_list(&seed);
    check_records(&seed);
    check_bodies(&seed);
    check_cancels(&seed);
    check_losses(&seed);
    check_refused(&seed);
    check_programs(0, n_rounds, &seed);
    check_late(n_rounds, &seed);
    return 0;
}
