/* SPDX-License-Identifier: MIT */
/* same.c - random programs of jobs give the bytes of plain loops: on every fleet, with every map, with pools from just enough upwards, and with a
 * host that reads and writes in between. On virtual devices a body finds nothing but what its job declared.
 * HEDDLE_ROUNDS: programs of each fleet (6). --cuda: fleets with GPUs. */
#include "multi/cases.h"

#define JOBS 24u
#define KINDS 8u

static void start_some(jobbed_rig *r, const jobbed_job *jobs, heddle_multi *const *kinds, uint64_t *seed,
                       const char *what)
{
    uint32_t i;
    for (i = 0; i < JOBS; i++) {
        const uint32_t k = (uint32_t)check_below(seed, KINDS);
        const jobbed_params p = jobbed_params_of(r, &jobs[k]);
        CHECK_OK(NULL, heddle_multi_start(kinds[k], &p, sizeof p));
        jobbed_plain(r, &jobs[k]);
        if (jobs[k].body == jobbed_total) {
            CHECK_OK(NULL, heddle_multi_wait(kinds[k], HEDDLE_FOREVER));
            CHECK_MSG(r->sum == r->plain_sum, "%s: sum %lld, not %lld", what, (long long)r->sum,
                      (long long)r->plain_sum);
        }
        if (!check_below(seed, 6))
            jobbed_write_some(r, seed);
        if (!check_below(seed, 6))
            jobbed_read_some(r, seed, what);
    }
}

static void check_program(const jobbed_fleet *c, uint64_t *seed)
{
    jobbed_rig r;
    jobbed_job jobs[KINDS];
    heddle_multi *kinds[KINDS];
    char what[160];
    uint32_t k;
    jobbed_open(&r, c->devices, c->pool_bytes, 10u + check_below(seed, 30), seed);
    r.desc.map = (heddle_map)check_below(seed, HEDDLE_N_MAPS);
    r.desc.is_safe = !check_below(seed, 5);
    (void)snprintf(what, sizeof what, "%s, pool %llu, map %s, n %llu", c->devices, (unsigned long long)c->pool_bytes,
                   heddle_map_name(r.desc.map), (unsigned long long)r.n);
    for (k = 0; k < KINDS; k++) {
        jobs[k] = jobbed_random(&r, seed);
        CHECK_OK(NULL, jobbed_make(&r, &jobs[k], &kinds[k]));
    }
    start_some(&r, jobs, kinds, seed, what);
    jobbed_finish(&r, kinds, KINDS, what);
    jobbed_close(&r);
}

int main(int argc, char **argv)
{
    size_t n;
    const jobbed_fleet *list = jobbed_fleets(jobbed_is_gpu(argc, argv), &n);
    return jobbed_programs(list, n, 6, 340, check_program);
}
