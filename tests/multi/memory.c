/* SPDX-License-Identifier: MIT */
/* memory.c - every allocation of fleets, arrays and jobs fails once: a status with a sentence, nothing leaks or hangs, and what works with less
 * memory gives the right bytes. Pools are small, so that windows leave. */
#include "multi/cases.h"

#include "base/base.h"

#define ROWS 24u
#define STEPS 4u
#define POOL_BYTES 12000u
static const char *const devices = "virtual: virtual:speed=0.9";
static const jobbed_job jobs[] = {{jobbed_spread, 0, 0, 1, 5, 0, 0, 1, 2, UINT64_MAX, 0, 1, 0},
                                  {jobbed_product, 1, 0, 2, 9, 0, 0, ROWS, 2, UINT64_MAX, 3, 2, 0},
                                  {jobbed_spread, 2, 0, 0, 7, 0, 0, 1, 2, UINT64_MAX, 6, 1, 0},
                                  {jobbed_total, 2, 0, 3, 0, 0, 0, 1, 2, UINT64_MAX, 0, 1, 0}};
#define JOBS (sizeof jobs / sizeof *jobs)

/* The matrices by plain loops, and the sum. */
typedef struct bytes {
    uint32_t at[JOBBED_MATRICES][ROWS * ROWS];
    int64_t sum;
} bytes;

static void fill(uint32_t *at, uint32_t m)
{
    uint64_t seed = 41u + m, i;
    for (i = 0; i < ROWS * ROWS; i++)
        at[i] = (uint32_t)check_random(&seed);
}

static bytes plain(void)
{
    static bytes b;
    jobbed_rig r;
    uint32_t m, i;
    memset(&r, 0, sizeof r);
    r.n = ROWS;
    for (m = 0; m < JOBBED_MATRICES; m++) {
        r.plain[m] = b.at[m];
        fill(b.at[m], m);
    }
    for (i = 0; i < STEPS * JOBS; i++)
        jobbed_plain(&r, &jobs[i % JOBS]);
    b.sum = r.plain_sum;
    return b;
}

static heddle_status open_rig(jobbed_rig *r)
{
    heddle_fleet_config c = HEDDLE_FLEET_INIT;
    heddle_array_desc d = HEDDLE_ARRAY_INIT;
    heddle_status s;
    uint32_t m;
    r->desc = (heddle_multi_desc)HEDDLE_MULTI_INIT;
    r->n = d.n_rows = ROWS;
    d.row_bytes = ROWS * sizeof(uint32_t);
    c.pool_bytes = POOL_BYTES;
    s = heddle_fleet_open(&r->fleet, devices, &c);
    for (m = 0; m < JOBBED_MATRICES && s == HEDDLE_OK; m++) {
        s = heddle_array_new(r->fleet, &d, &r->arrays[m]);
        if (s == HEDDLE_OK)
            fill(heddle_array_host(r->arrays[m]), m);
    }
    return s;
}

static heddle_status run_jobs(jobbed_rig *r, heddle_multi **kinds)
{
    heddle_status s = HEDDLE_OK;
    uint32_t i;
    for (i = 0; i < JOBS && s == HEDDLE_OK; i++)
        s = jobbed_make(r, &jobs[i], &kinds[i]);
    for (i = 0; i < STEPS * JOBS && s == HEDDLE_OK; i++) {
        const jobbed_params p = jobbed_params_of(r, &jobs[i % JOBS]);
        s = heddle_multi_start(kinds[i % JOBS], &p, sizeof p);
    }
    for (i = 0; i < JOBS; i++) {
        const heddle_status t = kinds[i] ? heddle_multi_wait(kinds[i], HEDDLE_FOREVER) : s;
        s = s == HEDDLE_OK ? t : s;
    }
    for (i = 0; i < JOBBED_MATRICES && s == HEDDLE_OK; i++)
        s = heddle_array_fetch(r->arrays[i], 0, ROWS);
    return s;
}

/* 1: it went through. */
static int attempt(uint64_t fail_at, const bytes *want)
{
    jobbed_rig r;
    heddle_multi *kinds[JOBS] = {NULL};
    heddle_status s;
    char sentence[200];
    uint32_t i;
    memset(&r, 0, sizeof r);
    hd_fail_alloc_at(fail_at);
    s = open_rig(&r);
    if (s == HEDDLE_OK)
        s = run_jobs(&r, kinds);
    hd_fail_alloc_at(0);
    (void)snprintf(sentence, sizeof sentence, "%.199s", heddle_error_text(NULL));
    CHECK_MSG(s == HEDDLE_OK || (s == HEDDLE_ENOMEM && *sentence), "allocation %llu: %s: %s",
              (unsigned long long)fail_at, heddle_status_text(s), sentence);
    for (i = 0; i < JOBBED_MATRICES && s == HEDDLE_OK; i++)
        CHECK_MSG(!memcmp(heddle_array_host(r.arrays[i]), want->at[i], sizeof want->at[i]),
                  "allocation %llu: other bytes in matrix %u", (unsigned long long)fail_at, i);
    CHECK(s != HEDDLE_OK || r.sum == want->sum);
    for (i = 0; i < JOBS; i++)
        heddle_multi_free(kinds[i]);
    for (i = 0; i < JOBBED_MATRICES; i++)
        heddle_array_free(r.arrays[i]);
    heddle_fleet_close(r.fleet);
    return s == HEDDLE_OK;
}

int main(void)
{
    const bytes want = plain();
    uint64_t k, held, n_failed = 0;
    int in_a_row = 0;
    CHECK(attempt(0, &want));
    hd_alloc_trim();
    held = hd_held_bytes();
    for (k = 1; in_a_row < 8; k++) {
        const int ok = attempt(k, &want);
        in_a_row = ok ? in_a_row + 1 : 0;
        n_failed += !ok;
        CHECK_MSG(hd_held_bytes() == held, "allocation %llu: %llu bytes are held, %llu before", (unsigned long long)k,
                  (unsigned long long)hd_held_bytes(), (unsigned long long)held);
    }
    printf("%llu of %llu allocations end a call\n", (unsigned long long)n_failed, (unsigned long long)(k - 9));
    CHECK(n_failed > 10);
    return 0;
}
