/* SPDX-License-Identifier: MIT */
/* memory.c - every allocation of fleets, arrays and jobs fails once, and of sequences by the list and by record, traced: a status with a sentence,
 * nothing leaks or hangs, and what works with less memory gives the right bytes. Pools of jobs are small, so that windows leave. */
#include "multi/cases.h"
#include "multi/lazy.h"

#include "base/base.h"

#include <stdio.h>

#define ROWS 24u
#if defined(__SANITIZE_THREAD__) /* which takes long to make threads */
#define STEP 3u
#else
#define STEP 1u
#endif
#define TRACE "multi_memory.json"
static const jobbed_job jobs[] = {{jobbed_spread, 0, 0, 1, 5, 0, 0, 1, 2, UINT64_MAX, 0, 1, 0},
                                  {jobbed_product, 1, 0, 2, 9, 0, 0, ROWS, 2, UINT64_MAX, 3, 2, 0},
                                  {jobbed_spread, 2, 0, 0, 7, 0, 0, 1, 2, UINT64_MAX, 6, 1, 0},
                                  {jobbed_total, 2, 0, 3, 0, 0, 0, 1, 2, UINT64_MAX, 0, 1, 0}};
#define JOBS (sizeof jobs / sizeof *jobs)

/* Of a sequence what comes before it is made does not fail. */
typedef struct program {
    const char *name, *devices;
    uint32_t n_jobs, n_steps; /* of the first of these jobs, one after another */
    uint64_t pool_bytes;
    heddle_map map;
    uint32_t n_trace;
    int is_sequence, is_late; /* late: devices that record */
} program;
static const program programs[] = {{"jobs", "virtual: virtual:speed=0.9", JOBS, 4, 12000, HEDDLE_MAP_SETTLE, 100, 0, 0},
                                   {"a sequence by the list", "2*virtual:", 3, 12, 0, HEDDLE_MAP_STATIC, 100, 1, 0},
                                   {"a sequence by record", "cpu:1", 3, 12, 0, HEDDLE_MAP_STATIC, 100, 1, 1}};

/* The matrices by plain loops, and the sum. */
typedef struct bytes {
    uint32_t at[JOBBED_MATRICES][ROWS * ROWS];
    int64_t sum;
} bytes;

typedef struct attempt {
    const program *p;
    jobbed_rig rig;
    heddle_multi *kinds[JOBS];
    heddle_sequence *sequence;
    lazy_counts counts;
    uint64_t fail_at, n_replays;
} attempt;

static void fill(uint32_t *at, uint32_t m)
{
    uint64_t seed = 41u + m, i;
    for (i = 0; i < ROWS * ROWS; i++)
        at[i] = (uint32_t)check_random(&seed);
}

static void plain(const program *p, bytes *b)
{
    jobbed_rig r;
    uint32_t m, i;
    memset(&r, 0, sizeof r);
    r.n = ROWS;
    for (m = 0; m < JOBBED_MATRICES; m++) {
        r.plain[m] = b->at[m];
        fill(b->at[m], m);
    }
    for (i = 0; i < p->n_steps * p->n_jobs; i++)
        jobbed_plain(&r, &jobs[i % p->n_jobs]);
    b->sum = r.plain_sum;
}

static heddle_status open_rig(attempt *x)
{
    const lazy_config late = {2, 5, 1, 0, 0};
    heddle_fleet_config c = HEDDLE_FLEET_INIT;
    heddle_array_desc d = HEDDLE_ARRAY_INIT;
    jobbed_rig *r = &x->rig;
    heddle_status s;
    uint32_t m;
    r->desc = (heddle_multi_desc)HEDDLE_MULTI_INIT;
    r->desc.map = x->p->map;
    r->n_trace = x->p->n_trace;
    r->n = d.n_rows = ROWS;
    d.row_bytes = ROWS * sizeof(uint32_t);
    c.pool_bytes = x->p->pool_bytes;
    s = heddle_fleet_open(&r->fleet, x->p->devices, &c);
    if (s == HEDDLE_OK && x->p->is_late)
        lazy_add(r->fleet, &late, &x->counts);
    for (m = 0; m < JOBBED_MATRICES && s == HEDDLE_OK; m++) {
        s = heddle_array_new(r->fleet, &d, &r->arrays[m]);
        if (s == HEDDLE_OK)
            fill(heddle_array_host(r->arrays[m]), m);
    }
    return s;
}

static heddle_status start_jobs(attempt *x)
{
    heddle_status s = HEDDLE_OK;
    uint32_t i;
    for (i = 0; i < x->p->n_steps * x->p->n_jobs && s == HEDDLE_OK; i++) {
        const jobbed_params p = jobbed_params_of(&x->rig, &jobs[i % x->p->n_jobs]);
        s = heddle_multi_start(x->kinds[i % x->p->n_jobs], &p, sizeof p);
    }
    for (i = 0; i < x->p->n_jobs; i++) {
        const heddle_status t = heddle_multi_wait(x->kinds[i], HEDDLE_FOREVER);
        s = s == HEDDLE_OK ? t : s;
    }
    return s;
}

static heddle_status run_sequence(attempt *x)
{
    heddle_sequence_stats t = HEDDLE_SEQUENCE_STATS_INIT;
    heddle_status s = heddle_sequence_new(x->rig.fleet, &x->sequence);
    uint32_t i;
    for (i = 0; i < x->p->n_jobs && s == HEDDLE_OK; i++) {
        const jobbed_params p = jobbed_params_of(&x->rig, &jobs[i]);
        s = heddle_sequence_add(x->sequence, x->kinds[i], &p, sizeof p);
    }
    if (s == HEDDLE_OK)
        s = heddle_sequence_start(x->sequence, x->p->n_steps);
    if (s == HEDDLE_OK)
        s = heddle_sequence_wait(x->sequence, HEDDLE_FOREVER);
    if (s == HEDDLE_OK)
        s = heddle_sequence_get_stats(x->sequence, &t);
    x->n_replays = x->p->is_late ? t.n_by_record : t.n_by_list;
    (void)heddle_sequence_how(x->sequence);
    return s;
}

static heddle_status run(attempt *x)
{
    heddle_status s = HEDDLE_OK;
    uint32_t i;
    for (i = 0; i < x->p->n_jobs && s == HEDDLE_OK; i++)
        s = jobbed_make(&x->rig, &jobs[i], &x->kinds[i]);
    if (x->p->is_sequence)
        (void)hd_fail_alloc_at(x->fail_at);
    if (s == HEDDLE_OK)
        s = x->p->is_sequence ? run_sequence(x) : start_jobs(x);
    for (i = 0; i < JOBBED_MATRICES && s == HEDDLE_OK; i++)
        s = heddle_array_fetch(x->rig.arrays[i], 0, ROWS);
    if (s == HEDDLE_OK && x->p->n_trace)
        s = heddle_multi_write_trace(x->kinds[0], TRACE);
    return s;
}

static void close_rig(attempt *x)
{
    uint32_t i;
    heddle_sequence_free(x->sequence);
    for (i = 0; i < JOBS; i++)
        heddle_multi_free(x->kinds[i]);
    for (i = 0; i < JOBBED_MATRICES; i++)
        heddle_array_free(x->rig.arrays[i]);
    heddle_fleet_close(x->rig.fleet);
    (void)remove(TRACE);
}

static void check_bytes(const attempt *x, const bytes *want)
{
    uint32_t i;
    for (i = 0; i < JOBBED_MATRICES; i++)
        CHECK_MSG(!memcmp(heddle_array_host(x->rig.arrays[i]), want->at[i], sizeof want->at[i]),
                  "%s, allocation %llu: other bytes in matrix %u", x->p->name, (unsigned long long)x->fail_at, i);
    CHECK(x->p->n_jobs < JOBS || x->rig.sum == want->sum);
}

/* *has_failed: there was such an allocation. 1: it went through. */
static int try_at(const program *p, uint64_t fail_at, const bytes *want, int *has_failed)
{
    attempt x = {.p = p, .fail_at = fail_at};
    heddle_status s;
    char sentence[200];
    *hd_thread_error()->text = 0; /* what failed before does not count */
    if (!p->is_sequence)
        (void)hd_fail_alloc_at(fail_at);
    s = open_rig(&x);
    if (s == HEDDLE_OK)
        s = run(&x);
    *has_failed = !hd_fail_alloc_at(0);
    (void)snprintf(sentence, sizeof sentence, "%.199s", heddle_error_text(NULL));
    CHECK_MSG(s == HEDDLE_OK || (s == HEDDLE_ENOMEM && *sentence), "%s, allocation %llu: %s: %s", p->name,
              (unsigned long long)fail_at, heddle_status_text(s), sentence);
    if (s == HEDDLE_OK)
        check_bytes(&x, want);
    CHECK_MSG(fail_at || !p->is_sequence || x.n_replays, "%s: none was replayed", p->name);
    close_rig(&x);
    return s == HEDDLE_OK;
}

/* How many there are differs from time to time, as queues are found more or less full. */
static void check(const program *p)
{
    static bytes want;
    uint64_t k, held, n_failed = 0;
    int in_a_row = 0, has_failed;
    plain(p, &want);
    CHECK(try_at(p, 0, &want, &has_failed));
    hd_alloc_trim();
    held = hd_held_bytes();
    for (k = 1; in_a_row < 4; k += STEP) {
        n_failed += !try_at(p, k, &want, &has_failed);
        in_a_row = has_failed ? 0 : in_a_row + 1;
        CHECK_MSG(hd_held_bytes() == held, "%s, allocation %llu: %llu bytes are held, %llu before", p->name,
                  (unsigned long long)k, (unsigned long long)hd_held_bytes(), (unsigned long long)held);
    }
    printf("%s: %llu of %llu allocations end a call\n", p->name, (unsigned long long)n_failed,
           (unsigned long long)(k - 1u - 4u * STEP) / STEP);
    CHECK(n_failed > 10);
}

int main(void)
{
    size_t i;
    for (i = 0; i < sizeof programs / sizeof *programs; i++)
        check(&programs[i]);
    return 0;
}
