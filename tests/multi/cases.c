/* SPDX-License-Identifier: MIT */
/* cases.c - matrices, jobs on them, and the plain loops that they are compared with (cases.h). */
#include "multi/cases.h"

#include <stdlib.h>

/* ---- fleets ------------------------------------------------------------------------------------------------------------------- */

static const jobbed_fleet fleets[] = {{"serial", 0},
                                      {"cpu:2", 0},
                                      {"virtual:", 0},
                                      {"virtual:", 20000},
                                      {"2*virtual:", 0},
                                      {"3*virtual:", 22000},
                                      {"virtual: virtual:speed=0.5,link=1e9 virtual:peers=0 cpu:1", 40000},
                                      {"5*virtual:peers=0", 20000}};
static const jobbed_fleet gpu_fleets[] = {
    {"cuda:0", 0}, {"cuda:0", 20000}, {"4*cuda:0/4", 24000}, {"2*cuda:0/2", 0}, {"cuda:*", 0}};

const jobbed_fleet *jobbed_fleets(int is_gpu, size_t *n)
{
    *n = is_gpu ? sizeof gpu_fleets / sizeof *gpu_fleets : sizeof fleets / sizeof *fleets;
    return is_gpu ? gpu_fleets : fleets;
}

static uint64_t bytes_of(const jobbed_rig *r) { return r->n * r->n * sizeof(uint32_t); }

void jobbed_open(jobbed_rig *r, const char *devices, uint64_t pool_bytes, uint64_t n, uint64_t *seed)
{
    heddle_fleet_config c = HEDDLE_FLEET_INIT;
    heddle_array_desc d = HEDDLE_ARRAY_INIT;
    uint64_t i;
    uint32_t m;
    memset(r, 0, sizeof *r);
    r->desc = (heddle_multi_desc)HEDDLE_MULTI_INIT;
    r->n = n;
    c.pool_bytes = pool_bytes;
    CHECK_OK(NULL, heddle_fleet_open(&r->fleet, devices, &c));
    d.n_rows = n;
    d.row_bytes = n * sizeof(uint32_t);
    for (m = 0; m < JOBBED_MATRICES; m++) {
        CHECK_OK(NULL, heddle_array_new(r->fleet, &d, &r->arrays[m]));
        r->plain[m] = malloc(bytes_of(r));
        for (i = 0; i < n * n; i++)
            r->plain[m][i] = (uint32_t)check_random(seed);
        memcpy(heddle_array_host(r->arrays[m]), r->plain[m], bytes_of(r));
    }
}

void jobbed_close(jobbed_rig *r)
{
    uint32_t m;
    for (m = 0; m < JOBBED_MATRICES; m++) {
        heddle_array_free(r->arrays[m]);
        free(r->plain[m]);
    }
    heddle_fleet_close(r->fleet);
}

/* ---- jobs ------------------------------------------------------------------------------------------------------------------- */

#define AT(field) offsetof(jobbed_params, field)

static uint32_t accesses_of(const jobbed_rig *r, const jobbed_job *j, heddle_access *a)
{
    heddle_array *in = r->arrays[j->in], *in_2 = r->arrays[j->in_2], *out = r->arrays[j->out];
    const heddle_mode adds = j->adds ? HEDDLE_MODE_INOUT : HEDDLE_MODE_OUT;
    const heddle_access spread[] = {HEDDLE_ROWS(in, HEDDLE_MODE_IN, AT(in), 1, 1),
                                    HEDDLE_ROWS(out, HEDDLE_MODE_OUT, AT(out), 0, 0)};
    const heddle_access turn[] = {HEDDLE_ROWS(out, HEDDLE_MODE_INOUT, AT(out), 0, 0)};
    const heddle_access total[] = {HEDDLE_ROWS(in, HEDDLE_MODE_IN, AT(in), 0, 0)};
    heddle_access product[] = {
        HEDDLE_RECT(in, HEDDLE_MODE_IN, AT(in), AT(in_stride), sizeof(uint32_t), 0, 0, j->k_begin,
                    j->k_end - j->k_begin),
        HEDDLE_RECT(in_2, HEDDLE_MODE_IN, AT(in_2), AT(in_2_stride), sizeof(uint32_t), j->k_begin,
                    j->k_end - j->k_begin, 0, 0),
        HEDDLE_RECT(out, HEDDLE_MODE_OUT, AT(out), AT(out_stride), sizeof(uint32_t), 0, 0, 0, 0)};
    product[2].mode = adds;
    switch (j->body) {
    case jobbed_turn:
    case jobbed_tally: memcpy(a, turn, sizeof turn); return 1;
    case jobbed_total: memcpy(a, total, sizeof total); return 1;
    case jobbed_product: memcpy(a, product, sizeof product); return 3;
    default: memcpy(a, spread, sizeof spread); return 2;
    }
}

heddle_status jobbed_make(jobbed_rig *r, const jobbed_job *j, heddle_multi **out)
{
    heddle_access a[3];
    heddle_loop_desc d = HEDDLE_LOOP_INIT;
    heddle_multi_desc m = r->desc;
    const heddle_reduction sum = {HEDDLE_SUM, HEDDLE_I64, 1, AT(sum), &r->sum};
    d.body = j->body;
    d.time_limit_ms = r->time_limit_ms;
    d.n_trace = r->n_trace;
    d.n = r->n;
    d.n_2 = j->body == jobbed_total ? 0 : r->n;
    d.tile = j->tile;
    d.tile_2 = j->tile_2 ? j->tile_2 : 5u;
    d.accesses = a;
    d.n_accesses = accesses_of(r, j, a);
    d.reductions = &sum;
    d.n_reductions = j->body == jobbed_total;
    m.n_tasks = j->n_tasks;
    m.n_tasks_2 = j->n_tasks_2;
    return heddle_multi_new(r->fleet, &jobbed, &d, &m, out);
}

jobbed_params jobbed_params_of(const jobbed_rig *r, const jobbed_job *j)
{
    jobbed_params p;
    memset(&p, 0, sizeof p);
    p.n = p.n_2 = r->n;
    p.k_begin = j->k_begin;
    p.k_end = j->k_end;
    p.fail_at = j->fail_at;
    p.seed = j->seed;
    p.adds = j->adds;
    return p;
}

/* ---- plain loops ------------------------------------------------------------------------------------------------------------- */

static uint32_t spread(const jobbed_rig *r, const jobbed_job *x, uint64_t i, uint64_t j)
{
    const uint32_t *in = r->plain[x->in] + i * r->n;
    return in[j] * 3u + (i ? in[j - r->n] : 7u) + (i + 1u < r->n ? in[j + r->n] : 11u) * 5u + x->seed;
}

static uint32_t product(const jobbed_rig *r, const jobbed_job *x, uint64_t i, uint64_t j)
{
    uint32_t sum = x->adds ? r->plain[x->out][i * r->n + j] : x->seed;
    uint64_t k;
    for (k = x->k_begin; k < x->k_end; k++)
        sum += r->plain[x->in][i * r->n + k] * r->plain[x->in_2][k * r->n + j];
    return sum;
}

void jobbed_plain(jobbed_rig *r, const jobbed_job *x)
{
    uint32_t *out = r->plain[x->out];
    uint64_t i, j;
    if (x->body == jobbed_total)
        r->plain_sum = 0;
    for (i = 0; i < r->n; i++)
        for (j = 0; j < r->n; j++)
            switch (x->body) {
            case jobbed_spread: out[i * r->n + j] = spread(r, x, i, j); break;
            case jobbed_turn: out[i * r->n + j] = out[i * r->n + j] * 2654435761u + x->seed; break;
            case jobbed_tally: out[i * r->n + j]++; break;
            case jobbed_product: out[i * r->n + j] = product(r, x, i, j); break;
            default: r->plain_sum += r->plain[x->in][i * r->n + j]; break;
            }
}

/* ---- random ones -------------------------------------------------------------------------------------------------------------- */

jobbed_job jobbed_random(const jobbed_rig *r, uint64_t *seed)
{
    jobbed_job j;
    const uint64_t k = check_below(seed, r->n);
    memset(&j, 0, sizeof j);
    j.body = (uint32_t)check_below(seed, jobbed_fail);
    j.in = (uint32_t)check_below(seed, JOBBED_MATRICES);
    j.in_2 = (uint32_t)check_below(seed, JOBBED_MATRICES);
    do
        j.out = (uint32_t)check_below(seed, JOBBED_MATRICES);
    while (j.out == j.in || j.out == j.in_2);
    j.seed = (uint32_t)check_random(seed);
    j.adds = j.body == jobbed_product && check_below(seed, 2);
    j.k_begin = k;
    j.k_end = k + 1u + check_below(seed, r->n - k);
    j.tile = 1u + check_below(seed, 4);
    j.fail_at = UINT64_MAX;
    j.n_tasks = check_below(seed, 2) ? 1u + (uint32_t)check_below(seed, (r->n - 1u) / j.tile + 1u) : 0;
    j.n_tasks_2 = j.body == jobbed_product ? 1u + (uint32_t)check_below(seed, (r->n - 1u) / 5u + 1u) : 1u;
    return j;
}

void jobbed_compare(jobbed_rig *r, uint32_t matrix, uint64_t row, uint64_t n_rows, const char *what)
{
    const uint32_t *got = heddle_array_host(r->arrays[matrix]), *want = r->plain[matrix];
    uint64_t i = row * r->n;
    CHECK_OK(NULL, heddle_array_fetch(r->arrays[matrix], row, n_rows));
    while (i < (row + n_rows) * r->n && got[i] == want[i])
        i++;
    CHECK_MSG(i == (row + n_rows) * r->n, "%s: matrix %u, row %llu, column %llu: %u, not %u", what, matrix,
              (unsigned long long)(i / r->n), (unsigned long long)(i % r->n), got[i], want[i]);
}

void jobbed_write_some(jobbed_rig *r, uint64_t *seed)
{
    const uint32_t m = (uint32_t)check_below(seed, JOBBED_MATRICES);
    const uint64_t row = check_below(seed, r->n), n = 1u + check_below(seed, r->n - row);
    uint32_t *at = heddle_array_host(r->arrays[m]);
    uint64_t i;
    CHECK_OK(NULL, heddle_array_wrote(r->arrays[m], row, n));
    for (i = row * r->n; i < (row + n) * r->n; i++)
        at[i] = r->plain[m][i] = (uint32_t)check_random(seed);
}

void jobbed_read_some(jobbed_rig *r, uint64_t *seed, const char *what)
{
    const uint32_t m = (uint32_t)check_below(seed, JOBBED_MATRICES);
    const uint64_t row = check_below(seed, r->n), n = 1u + check_below(seed, r->n - row);
    jobbed_compare(r, m, row, n, what);
}

/* ---- programs ------------------------------------------------------------------------------------------------------------------- */

int jobbed_is_gpu(int argc, char **argv)
{
    const int is_gpu = argc > 1 && !strcmp(argv[1], "--cuda");
    if (is_gpu && !heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU here");
    return is_gpu;
}

int jobbed_programs(const jobbed_fleet *list, size_t n, int n_rounds, uint64_t seed,
                    void (*check)(const jobbed_fleet *f, uint64_t *seed))
{
    const char *text = getenv("HEDDLE_ROUNDS");
    size_t i;
    int round;
    n_rounds = text ? atoi(text) : n_rounds;
    seed = check_seed(seed);
    for (i = 0; i < n; i++)
        for (round = 0; round < n_rounds; round++)
            check(&list[i], &seed);
    printf("%zu fleets, %d programs each: same bytes\n", n, n_rounds);
    return 0;
}

void jobbed_finish(jobbed_rig *r, heddle_multi **kinds, uint32_t n_kinds, const char *what)
{
    uint32_t i;
    for (i = 0; i < JOBBED_MATRICES; i++)
        jobbed_compare(r, i, 0, r->n, what);
    for (i = 0; i < n_kinds; i++) {
        CHECK_OK(NULL, heddle_multi_wait(kinds[i], HEDDLE_FOREVER));
        heddle_multi_free(kinds[i]);
    }
}
