/* SPDX-License-Identifier: MIT */
/* refused.c - jobs that are refused, each with a sentence that names what is wrong; with small pools all others run. */
#include "engine/loop/virtual.h"
#include "multi/cases.h"

static const jobbed_job good = {jobbed_spread, 0, 0, 1, 5, 0, 0, 1, 2, UINT64_MAX, 0, 1, 0};
static const jobbed_job block = {jobbed_product, 0, 2, 1, 5, 0, 0, 8, 2, UINT64_MAX, 0, 1, 0};

static void check(const char *devices, uint64_t pool_bytes, const jobbed_job *j, heddle_map map, heddle_status want,
                  const char *words)
{
    uint64_t seed = 3;
    jobbed_rig r;
    heddle_multi *m = NULL;
    heddle_status s;
    jobbed_open(&r, devices, pool_bytes, 30, &seed);
    r.desc.map = map;
    s = jobbed_make(&r, j, &m);
    CHECK_MSG(s == want && strstr(heddle_error_text(NULL), words), "%s, not %s with %s: %s", heddle_status_text(s),
              heddle_status_text(want), words, heddle_error_text(NULL));
    CHECK(!m);
    jobbed_close(&r);
}

static jobbed_job with_tasks(jobbed_job j, uint32_t n_tasks, uint32_t n_tasks_2)
{
    j.n_tasks = n_tasks;
    j.n_tasks_2 = n_tasks_2;
    return j;
}

static uint64_t no_parts(void *user, uint64_t begin, uint64_t end, heddle_range *out, uint64_t most)
{
    (void)user;
    (void)begin;
    (void)end;
    (void)out;
    (void)most;
    return 0;
}

static void check_parts(void)
{
    uint64_t seed = 3;
    jobbed_rig r;
    heddle_multi *m = NULL;
    heddle_loop_desc d = HEDDLE_LOOP_INIT;
    heddle_access a[1];
    jobbed_open(&r, "virtual:", 0, 30, &seed);
    const heddle_access parts = HEDDLE_PARTS(r.arrays[0], HEDDLE_MODE_IN, offsetof(jobbed_params, in), no_parts, NULL);
    a[0] = parts;
    d.body = jobbed_spread;
    d.n = 30;
    d.accesses = a;
    d.n_accesses = 1;
    CHECK(heddle_multi_new(r.fleet, &jobbed, &d, NULL, &m) == HEDDLE_EINVAL);
    CHECK_MSG(strstr(heddle_error_text(NULL), "by a function"), "%s", heddle_error_text(NULL));
    jobbed_close(&r);
}

/* An array of another fleet; params of another size; a fleet that waits for nothing. */
static void check_calls(void)
{
    uint64_t seed = 3;
    jobbed_rig r, other;
    heddle_multi *m = NULL;
    jobbed_params p;
    heddle_array *own;
    jobbed_open(&r, "virtual:", 0, 30, &seed);
    jobbed_open(&other, "virtual:", 0, 30, &seed);
    own = r.arrays[0];
    r.arrays[0] = other.arrays[0];
    CHECK(jobbed_make(&r, &good, &m) == HEDDLE_EINVAL);
    CHECK_MSG(strstr(heddle_error_text(NULL), "another fleet"), "%s", heddle_error_text(NULL));
    r.arrays[0] = own;
    CHECK_OK(NULL, jobbed_make(&r, &good, &m));
    p = jobbed_params_of(&r, &good);
    CHECK(heddle_multi_start(m, &p, sizeof p - 1) == HEDDLE_EINVAL);
    CHECK(heddle_multi_start(NULL, &p, sizeof p) == HEDDLE_EINVAL);
    CHECK(heddle_multi_wait(NULL, 0) == HEDDLE_EINVAL);
    CHECK_OK(NULL, heddle_multi_wait(m, 0));
    CHECK(heddle_array_fetch(own, 29, 2) == HEDDLE_ERANGE);
    CHECK(!heddle_map_name(HEDDLE_N_MAPS));
    heddle_multi_free(m);
    jobbed_close(&other);
    jobbed_close(&r);
}

static heddle_status call(void *user, void *stream, const heddle_span_work *w)
{
    (void)user;
    (void)stream;
    (void)w;
    return HEDDLE_OK;
}

/* A device that takes no calls, beside one that does. */
static void check_without_call(void)
{
    const char *word = "virtual:";
    uint64_t seed = 3;
    heddle_multi *m = NULL;
    heddle_accelerator a;
    jobbed_rig r;
    hd_word w;
    jobbed_open(&r, "virtual:", 0, 30, &seed);
    CHECK(hd_word_read(&word, &w) == 1);
    CHECK_OK(NULL, hd_virtual_new(&w.virt, &a));
    a.name = "deaf";
    a.call = NULL;
    CHECK_OK(NULL, heddle_fleet_add(r.fleet, &a));
    r.desc.call = call;
    CHECK(jobbed_make(&r, &good, &m) == HEDDLE_ENODEV && !m);
    CHECK_MSG(strstr(heddle_error_text(NULL), "deaf takes no calls"), "%s", heddle_error_text(NULL));
    r.desc.call = NULL;
    CHECK_OK(NULL, jobbed_make(&r, &good, &m));
    heddle_multi_free(m);
    jobbed_close(&r);
}

/* 1: the pool was too small, and that was said before the job. */
static int check_pool(const jobbed_job *j, heddle_map map, uint64_t pool_bytes)
{
    uint64_t seed = 3;
    jobbed_rig r;
    heddle_multi *m = NULL;
    heddle_status s;
    jobbed_params p;
    jobbed_open(&r, "2*virtual:", pool_bytes, 30, &seed);
    r.desc.map = map;
    s = jobbed_make(&r, j, &m);
    CHECK_MSG(s == HEDDLE_OK || s == HEDDLE_ENOMEM, "%s", heddle_error_text(NULL));
    if (s == HEDDLE_OK) {
        p = jobbed_params_of(&r, j);
        jobbed_plain(&r, j);
        CHECK_MSG(heddle_multi_run(m, &p, sizeof p) == HEDDLE_OK, "map %s, a pool of %u: %s", heddle_map_name(map),
                  (unsigned)pool_bytes, heddle_error_text(NULL));
        jobbed_compare(&r, j->out, 0, 30, "a small pool");
        heddle_multi_free(m);
    }
    jobbed_close(&r);
    return s != HEDDLE_OK;
}

/* Where tasks are the library's choice, they are as small as the pool needs. */
static void check_pools(const jobbed_job *j)
{
    uint64_t least[HEDDLE_N_MAPS];
    uint32_t map;
    for (map = 0; map < HEDDLE_N_MAPS; map++) {
        uint64_t n;
        least[map] = 0;
        for (n = 512; n < 10000; n += 512)
            least[map] = check_pool(j, (heddle_map)map, n) ? n : least[map];
        CHECK_MSG(least[map] && least[map] == least[0], "map %s: %u", heddle_map_name((heddle_map)map),
                  (unsigned)least[map]);
    }
}

int main(void)
{
    const jobbed_job chosen = with_tasks(good, 0, 1), chosen_2 = with_tasks(block, 0, 2);
    const jobbed_job many = with_tasks(good, 16, 1), too_many_2 = with_tasks(block, 2, 7), row = with_tasks(good, 2, 2);
    check("virtual:", 0, &many, HEDDLE_MAP_SETTLE, HEDDLE_EINVAL, "16 x 1 tasks of 15 x 6 tiles");
    check("virtual:", 0, &too_many_2, HEDDLE_MAP_SETTLE, HEDDLE_EINVAL, "2 x 7 tasks of 15 x 6 tiles");
    check("cpu:1", 0, &row, HEDDLE_MAP_SETTLE, HEDDLE_EINVAL, "does not follow");
    check("virtual:", 0, &good, HEDDLE_N_MAPS, HEDDLE_EINVAL, "no map number");
    check("virtual:", 512, &good, HEDDLE_MAP_SETTLE, HEDDLE_ENOMEM,
          "the pool of virtual:0 has 512. The most is of access 0: as many as rows 13 to 16 of an array of 30 rows of "
          "120 bytes");
    check("virtual:memory=1e6", 1u << 30, &good, HEDDLE_MAP_SETTLE, HEDDLE_ENOMEM,
          "virtual:0 has no memory for a pool of 1073741824 bytes for jobs; it has 1000000. The largest access, 0, "
          "is of rows 0 to 29 of an array of 30 rows of 120 bytes");
    check_pools(&chosen);
    check_pools(&chosen_2);
    check_parts();
    check_calls();
    check_without_call();
    return 0;
}
