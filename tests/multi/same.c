/* SPDX-License-Identifier: MIT */
/* same.c - random programs of jobs give the bytes of plain loops: on every fleet, with every map, and with a host that reads and writes in
 * between. Pools are from just enough for all jobs of a program upwards. On virtual devices a body finds nothing but what its job declared.
 * HEDDLE_ROUNDS: programs of each fleet (12). --cuda: fleets with GPUs. */
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

typedef struct program {
    jobbed_rig r;
    jobbed_job jobs[KINDS];
    heddle_multi *kinds[KINDS];
} program;

/* 0, or what a job needs of a pool, as the refusal says; then there are fewer kinds. */
static uint64_t make_kinds(program *p, uint64_t *seed)
{
    uint32_t k;
    for (k = 0; k < KINDS; k++) {
        const char *said;
        p->jobs[k] = jobbed_random(&p->r, seed);
        if (jobbed_make(&p->r, &p->jobs[k], &p->kinds[k]) == HEDDLE_OK)
            continue;
        said = strstr(heddle_error_text(NULL), "needs ");
        CHECK_MSG(said, "%s", heddle_error_text(NULL));
        return strtoull(said + strlen("needs "), NULL, 10);
    }
    return 0;
}

static uint64_t open_program(program *p, const char *devices, uint64_t pool_bytes, uint64_t *seed)
{
    memset(p, 0, sizeof *p);
    jobbed_open(&p->r, devices, pool_bytes, 10u + check_below(seed, 30), seed);
    p->r.desc.map = (heddle_map)check_below(seed, HEDDLE_N_MAPS);
    p->r.desc.is_safe = !check_below(seed, 5);
    return make_kinds(p, seed);
}

static void drop_program(program *p)
{
    uint32_t k;
    for (k = 0; k < KINDS; k++)
        heddle_multi_free(p->kinds[k]);
    jobbed_close(&p->r);
}

/* The same program with a larger pool, until none of its jobs is refused; every second one has even more. */
static uint64_t open_least(program *p, const char *devices, uint64_t *seed)
{
    const uint64_t times = 1u + check_below(seed, 2) * check_below(seed, 8), begin = *seed;
    uint64_t pool_bytes = 256, need;
    while ((need = open_program(p, devices, pool_bytes, seed)) > 0) {
        CHECK_MSG(need > pool_bytes, "%s: %llu bytes are not enough, but %llu", devices, (unsigned long long)pool_bytes,
                  (unsigned long long)need);
        drop_program(p);
        pool_bytes = (need + 255u) / 256u * 256u;
        *seed = begin;
    }
    if (times == 1u)
        return pool_bytes;
    drop_program(p);
    *seed = begin;
    pool_bytes *= times;
    CHECK(!open_program(p, devices, pool_bytes, seed));
    return pool_bytes;
}

static void check_program(const jobbed_fleet *c, uint64_t *seed)
{
    program p;
    char what[160];
    uint64_t pool_bytes = 0;
    if (c->pool_bytes)
        pool_bytes = open_least(&p, c->devices, seed);
    else
        CHECK(!open_program(&p, c->devices, 0, seed));
    (void)snprintf(what, sizeof what, "%s, pool %llu, map %s, n %llu", c->devices, (unsigned long long)pool_bytes,
                   heddle_map_name(p.r.desc.map), (unsigned long long)p.r.n);
    start_some(&p.r, p.jobs, p.kinds, seed, what);
    jobbed_finish(&p.r, p.kinds, KINDS, what);
    jobbed_close(&p.r);
}

int main(int argc, char **argv)
{
    size_t n;
    const jobbed_fleet *list = jobbed_fleets(jobbed_is_gpu(argc, argv), &n);
    return jobbed_programs(list, n, 12, 340, check_program);
}
