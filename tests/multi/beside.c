/* SPDX-License-Identifier: MIT */
/* beside.c - jobs, loops and wavefronts on the same arrays, one after another as they are started: random programs of them give the bytes of
 * plain loops. Loops and wavefronts are started, and most often not waited for before what comes next. HEDDLE_ROUNDS: programs of each
 * fleet (5). --cuda: fleets with GPUs. */
#include "front/bodies.h"
#include "heddle/wavefront.h"
#include "multi/cases.h"

#define KINDS 5u
#define STEPS 24u

static const jobbed_fleet fleets[] = {
    {"serial", 0}, {"virtual:", 0}, {"2*virtual: cpu:1", 0}, {"3*virtual:", 22000}, {"2*virtual:peers=0", 20000}};
static const jobbed_fleet gpu_fleets[] = {{"cuda:0", 0}, {"2*cuda:0/2 cpu:1", 24000}, {"cuda:*", 0}};

/* Of each matrix a loop that turns it in place, and a wavefront that sweeps over it. */
typedef struct others {
    heddle_loop *loops[JOBBED_MATRICES];
    heddle_wavefront *fronts[JOBBED_MATRICES];
    int is_loop_started[JOBBED_MATRICES], is_front_started[JOBBED_MATRICES];
    front_params front;
} others;

/* ---- making ------------------------------------------------------------------------------------------------------------------ */

static void make_loop(jobbed_rig *r, uint32_t m, heddle_loop **out)
{
    const heddle_access turn = HEDDLE_ROWS(r->arrays[m], HEDDLE_MODE_INOUT, offsetof(jobbed_params, out), 0, 0);
    heddle_loop_desc d = HEDDLE_LOOP_INIT;
    d.body = jobbed_turn;
    d.n = d.n_2 = r->n;
    d.tile = 3;
    d.accesses = &turn;
    d.n_accesses = 1;
    CHECK_OK(NULL, heddle_loop_new(r->fleet, &jobbed, &d, out));
}

static void make_front(jobbed_rig *r, uint32_t m, heddle_wavefront **out)
{
    heddle_wavefront_desc d = HEDDLE_WAVEFRONT_INIT;
    d.body = front_sweep;
    d.sweeps = 1;
    d.rows = d.cols = r->n;
    d.cells = r->arrays[m];
    CHECK_OK(NULL, heddle_wavefront_new(r->fleet, &front, &d, out));
}

static void make_others(jobbed_rig *r, others *o)
{
    uint32_t m;
    memset(o, 0, sizeof *o);
    o->front.by = 77;
    for (m = 0; m < JOBBED_MATRICES; m++) {
        make_loop(r, m, &o->loops[m]);
        make_front(r, m, &o->fronts[m]);
    }
}

static void free_others(others *o)
{
    uint32_t m;
    for (m = 0; m < JOBBED_MATRICES; m++) {
        heddle_loop_free(o->loops[m]);
        heddle_wavefront_free(o->fronts[m]);
    }
}

/* ---- plain ------------------------------------------------------------------------------------------------------------------- */

/* Cells at the edges stay. */
static void plain_sweep(jobbed_rig *r, uint32_t m, uint32_t by)
{
    uint64_t i, j;
    for (i = 1; i + 1u < r->n; i++)
        for (j = 1; j + 1u < r->n; j++) {
            uint32_t *x = r->plain[m] + i * r->n + j;
            *x = front_of(by, *(x - r->n), *(x - 1), *x, x[1], x[r->n], (uint32_t)i, (uint32_t)j);
        }
}

/* ---- programs ---------------------------------------------------------------------------------------------------------------- */

static void run_loop(jobbed_rig *r, others *o, uint32_t m, uint64_t *seed)
{
    const jobbed_job j = {.body = jobbed_turn, .out = m, .seed = (uint32_t)check_random(seed)};
    const jobbed_params p = jobbed_params_of(r, &j);
    if (o->is_loop_started[m])
        CHECK_OK(NULL, heddle_loop_wait(o->loops[m], HEDDLE_FOREVER));
    CHECK_OK(NULL, heddle_loop_start(o->loops[m], &p, sizeof p));
    o->is_loop_started[m] = 1;
    jobbed_plain(r, &j);
}

static void run_front(jobbed_rig *r, others *o, uint32_t m)
{
    if (o->is_front_started[m])
        CHECK_OK(NULL, heddle_wavefront_wait(o->fronts[m], HEDDLE_FOREVER));
    CHECK_OK(NULL, heddle_wavefront_start(o->fronts[m], &o->front, sizeof o->front));
    o->is_front_started[m] = 1;
    plain_sweep(r, m, o->front.by);
}

static void run_job(jobbed_rig *r, const jobbed_job *j, heddle_multi *kind)
{
    const jobbed_params p = jobbed_params_of(r, j);
    CHECK_OK(NULL, heddle_multi_start(kind, &p, sizeof p));
    jobbed_plain(r, j);
}

static jobbed_job random_job(const jobbed_rig *r, uint64_t *seed)
{
    jobbed_job j;
    do
        j = jobbed_random(r, seed);
    while (j.body == jobbed_total); /* its sum would have to be waited for */
    return j;
}

static void check_program(const jobbed_fleet *c, uint64_t *seed)
{
    jobbed_rig r;
    others o;
    jobbed_job jobs[KINDS];
    heddle_multi *kinds[KINDS];
    uint32_t k, i;
    jobbed_open(&r, c->devices, c->pool_bytes, 10u + check_below(seed, 25), seed);
    for (k = 0; k < KINDS; k++) {
        jobs[k] = random_job(&r, seed);
        CHECK_OK(NULL, jobbed_make(&r, &jobs[k], &kinds[k]));
    }
    make_others(&r, &o);
    for (i = 0; i < STEPS; i++) {
        const uint32_t m = (uint32_t)check_below(seed, JOBBED_MATRICES);
        k = (uint32_t)check_below(seed, 2u * KINDS);
        if (k < KINDS)
            run_job(&r, &jobs[k], kinds[k]);
        else if (k < KINDS + 2u)
            run_loop(&r, &o, m, seed);
        else if (k < KINDS + 4u)
            run_front(&r, &o, m);
        else
            jobbed_compare(&r, m, 0, r.n, c->devices);
    }
    jobbed_finish(&r, kinds, KINDS, c->devices);
    free_others(&o);
    jobbed_close(&r);
}

/* What is made later does not wait. The loop may end meanwhile where the machine is busy, but not each time. */
static void check_later(jobbed_rig *r, heddle_loop *l, const jobbed_params *p)
{
    heddle_sequence *s;
    heddle_status was = HEDDLE_OK;
    for (uint32_t i = 0; i < 20u && was == HEDDLE_OK; i++) {
        CHECK_OK(NULL, heddle_loop_start(l, p, sizeof *p));
        CHECK_OK(NULL, heddle_sequence_new(r->fleet, &s));
        was = heddle_loop_wait(l, 0);
        CHECK_OK(NULL, heddle_loop_wait(l, HEDDLE_FOREVER));
        heddle_sequence_free(s);
    }
    CHECK_MSG(was == HEDDLE_EBUSY, "a sequence waits for a loop");
}

/* What is made first for jobs asks devices, and takes their pools: it waits for a loop that runs on them. */
static void check_first(uint64_t *seed)
{
    const jobbed_job j = {.body = jobbed_turn, .seed = 3};
    jobbed_rig r;
    jobbed_params p;
    heddle_loop *l;
    heddle_sequence *s;
    jobbed_open(&r, "2*virtual:latency=0.05", 1u << 20, 20, seed);
    p = jobbed_params_of(&r, &j);
    make_loop(&r, 0, &l);
    CHECK_OK(NULL, heddle_loop_start(l, &p, sizeof p));
    CHECK_OK(NULL, heddle_sequence_new(r.fleet, &s));
    CHECK_MSG(heddle_loop_wait(l, 0) == HEDDLE_OK, "a sequence was made beside a loop");
    heddle_sequence_free(s);
    check_later(&r, l, &p);
    heddle_loop_free(l);
    jobbed_close(&r);
}

int main(int argc, char **argv)
{
    const int is_gpu = jobbed_is_gpu(argc, argv);
    if (!is_gpu) {
        uint64_t seed = check_seed(37);
        check_first(&seed);
    }
    return jobbed_programs(is_gpu ? gpu_fleets : fleets,
                           is_gpu ? sizeof gpu_fleets / sizeof *gpu_fleets : sizeof fleets / sizeof *fleets, 5, 31,
                           check_program);
}
