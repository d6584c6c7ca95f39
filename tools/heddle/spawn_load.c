/* SPDX-License-Identifier: MIT */
/* spawn_load.c - of `heddle bench spawn`: a pool under a steady load, how much of the GPU its tasks use, what its memory is, and what it
 * costs that a GPU is shared. */
#include "bench_spawn.h"

#include <string.h>

#define SEATS 32u       /* by which heddle_pool_info.n_workers counts a block that teams share */
#define LOAD_US 20u     /* a body of the half load */
#define LOAD_FOR_US 2e5 /* a half load, and a stream, at most */
#define AT_ONCE 64u     /* ends that are harvested by one call */
#define LONG_US 2000u   /* a body that lasts longer than spawning enough others */
#define WAVES 32u       /* of such tasks, as many as there is room for in each */
#define SM_WARPS 64u    /* that a multiprocessor holds */
#define BESIDE 301u     /* trips beside a pool, at most */
#define ENDED_US 2000   /* after which the kernel of an idle pool has ended */
#define HOLD_US 10000u  /* the default */
#define LONG_HOLD_US 10000000u

/* What runs teams: blocks of a GPU, by the warps that each can run; or threads, each of which counts as one. */
typedef struct runners {
    uint32_t n, warps;
} runners;

static int find_runners(const spawning *b, runners *r)
{
    heddle_pool_info i = HEDDLE_POOL_INFO_INIT;
    const int status = spawning_said(heddle_pool_get_info(b->pool, &i));
    r->n = b->is_gpu ? i.n_workers / SEATS : b->n_units;
    r->warps = b->is_gpu ? i.most_threads / 32u : 1u;
    return status;
}

/* ---- half load ---- */

typedef struct steady {
    uint32_t n, n_sent, n_seen, team_size;
    double begin_us, pace_us; /* task i is sent pace_us * i after the begin */
} steady;

/* A team is all that a block can run, so that one thread can send and see as many as that takes. */
static int plan_load(const spawning *b, steady *s)
{
    runners r;
    if (find_runners(b, &r))
        return CLI_BAD;
    memset(s, 0, sizeof *s);
    s->team_size = 32u * r.warps;
    s->pace_us = 2.0 * LOAD_US / r.n;
    s->n = b->n < LOAD_FOR_US / s->pace_us ? b->n : (uint32_t)(LOAD_FOR_US / s->pace_us);
    return CLI_OK;
}

/* Sends what is due. b->times: when each was sent. */
static heddle_status send_due(spawning *b, steady *s)
{
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    heddle_status status = HEDDLE_OK;
    t.body = spawn_spin;
    t.arg_bytes = sizeof *b->args;
    t.team_size = s->team_size;
    t.flags = HEDDLE_POOL_NOTIFY | HEDDLE_POOL_TRY;
    while (!status && s->n_sent < s->n) {
        const double now = spawning_now_us();
        if (now < s->begin_us + s->n_sent * s->pace_us)
            break;
        t.args = &b->args[s->n_sent];
        t.user = s->n_sent;
        b->times[s->n_sent] = now;
        status = heddle_pool_spawn_task(b->pool, &t, NULL);
        s->n_sent += !status;
    }
    return status == HEDDLE_EBUSY ? HEDDLE_OK : status; /* it harvests first */
}

/* b->times: of the ended, from sending to seeing it, without the body. */
static heddle_status see_ends(spawning *b, steady *s)
{
    heddle_pool_end ends[AT_ONCE];
    size_t n;
    const heddle_status status = heddle_pool_harvest(b->pool, ends, AT_ONCE, 0, &n);
    const double now = spawning_now_us();
    for (size_t i = 0; i < n; i++)
        b->times[ends[i].user] = now - b->times[ends[i].user] - LOAD_US;
    s->n_seen += (uint32_t)n;
    return status == HEDDLE_EBUSY ? HEDDLE_OK : status;
}

int spawning_half_load(spawning *b)
{
    steady s;
    double share;
    heddle_status status = HEDDLE_OK;
    char what[64];
    if (plan_load(b, &s))
        return CLI_BAD;
    spawning_set_us(b, s.n, LOAD_US);
    s.begin_us = spawning_now_us();
    while (!status && s.n_seen < s.n) {
        status = send_due(b, &s);
        if (!status)
            status = see_ends(b, &s);
    }
    if (status)
        return spawning_said(status);
    share = 0.5 * s.pace_us * s.n / (spawning_now_us() - s.begin_us);
    snprintf(what, sizeof what, "half load, %u us, teams of %u: response less body", LOAD_US, s.team_size);
    spawning_tails(b, what, s.n, s.n);
    spawning_row(b, "the same: the load of all warps", s.n, &share, 1, "x");
    return CLI_OK;
}

/* ---- warps in use ---- */

/* So many tasks that the last ones find all places taken, too. */
static int time_warps(spawning *b, const runners *r, uint32_t team_warps)
{
    const uint32_t all = WAVES * r->n * (r->warps / team_warps), n = all < b->n ? all : b->n;
    const uint32_t n_warps = b->is_gpu ? SM_WARPS * b->n_units : b->n_units;
    heddle_pool_stats stats = HEDDLE_POOL_STATS_INIT;
    char what[64];
    for (uint32_t i = 0; i < b->n_runs; i++) {
        if (spawning_said(heddle_pool_reset_stats(b->pool)) ||
            spawning_many(b, spawn_spin, n, 32u * team_warps, NULL) || spawning_wait_all(b) ||
            spawning_said(heddle_pool_get_stats(b->pool, &stats)))
            return CLI_BAD;
        b->times[i] = stats.warps_in_use / n_warps;
    }
    if (b->is_gpu)
        snprintf(what, sizeof what, "of %u warps an SM, in use by teams of %u (table of 64)", SM_WARPS, team_warps);
    else
        snprintf(what, sizeof what, "of all threads, in bodies of %u us", LONG_US);
    spawning_row(b, what, n, b->times, b->n_runs, "x");
    return CLI_OK;
}

int spawning_warps(spawning *b, heddle_pool_mode mode)
{
    const uint32_t most = b->is_gpu ? 8u : 1u;
    runners r = {0, 0};
    heddle_pool_config c = HEDDLE_POOL_CONFIG_INIT;
    int status;
    c.mode = mode;
    c.hold_us = LONG_HOLD_US;
    c.n_trace = 1;
    status = spawning_open(b, &spawned_dense, &c);
    if (!status)
        status = find_runners(b, &r);
    spawning_set_us(b, b->n, LONG_US);
    for (uint32_t team_warps = 1; !status && team_warps <= most; team_warps *= 2)
        status = time_warps(b, &r, team_warps);
    spawning_close(b);
    return status;
}

/* ---- memory ---- */

int spawning_slot(spawning *b)
{
    heddle_pool_info i = HEDDLE_POOL_INFO_INIT;
    double all, pinned, device;
    if (spawning_said(heddle_pool_get_info(b->pool, &i)))
        return CLI_BAD;
    all = (double)i.slot_bytes;
    pinned = (double)i.slot_pinned_bytes;
    device = (double)i.slot_device_bytes;
    spawning_row(b, "memory of a slot", 1, &all, 1, "bytes");
    if (b->is_gpu)
        spawning_row(b, "of it pinned", 1, &pinned, 1, "bytes");
    if (b->is_gpu)
        spawning_row(b, "of it on the GPU", 1, &device, 1, "bytes");
    return CLI_OK;
}

/* ---- another kernel ---- */

/* Of a kernel beside the pool's, which has just become idle, or has ended. */
static int time_kernel(spawning *b, long rest_us, double *us)
{
    if (spawning_one(b))
        return CLI_BAD;
    if (rest_us)
        spawning_sleep_us(rest_us);
    return spawn_kernel_start(us) ? cli_bad("a kernel does not start") : CLI_OK;
}

int spawning_beside(spawning *b)
{
    const uint32_t n = b->n_trips < BESIDE ? b->n_trips : BESIDE;
    double *alone = b->times, *beside = alone + n, *later = beside + n;
    for (uint32_t i = 0; i < n; i++) {
        if (time_kernel(b, ENDED_US, &alone[i]) || time_kernel(b, 0, &beside[i]))
            return CLI_BAD;
        later[i] = beside[i] - alone[i];
    }
    spawning_row(b, "another kernel: launch to start seen", 1, alone, n, "us");
    spawning_row(b, "the same beside an idle pool", 1, beside, n, "us");
    spawning_row(b, "the same: later by", 1, later, n, "us");
    return CLI_OK;
}

/* ---- holds ---- */

/* Tasks a second, in millions, of a steady stream. */
static int run_stream(spawning *b, double *rate)
{
    const double begin = spawning_now_us();
    double n = 0;
    while (spawning_now_us() - begin < LOAD_FOR_US) {
        if (spawning_many(b, spawn_spin, b->n, SPAWN_TEAM, NULL))
            return CLI_BAD;
        n += b->n;
    }
    if (spawning_wait_all(b))
        return CLI_BAD;
    *rate = n / (spawning_now_us() - begin);
    return CLI_OK;
}

static int time_hold(spawning *b, heddle_pool_mode mode, uint32_t hold_us, double *rate)
{
    heddle_pool_config c = HEDDLE_POOL_CONFIG_INIT;
    int status;
    c.mode = mode;
    c.hold_us = hold_us;
    status = spawning_open(b, &spawned_bench, &c);
    if (!status)
        status = spawning_one(b) || run_stream(b, rate) ? CLI_BAD : CLI_OK;
    spawning_close(b);
    return status;
}

int spawning_holds(spawning *b, heddle_pool_mode mode)
{
    double *usual = b->times, *rare = usual + b->n_runs, *cost = rare + b->n_runs;
    spawning_set_us(b, b->n, LOAD_US);
    for (uint32_t i = 0; i < b->n_runs; i++) {
        if (time_hold(b, mode, LONG_HOLD_US, &rare[i]) || time_hold(b, mode, HOLD_US, &usual[i]))
            return CLI_BAD;
        cost[i] = 100.0 * (rare[i] / usual[i] - 1.0);
    }
    spawning_row(b, "a stream of 20 us, given back after 10 ms", b->n, usual, b->n_runs, "Mtasks/s");
    spawning_row(b, "the same after 10 s", b->n, rare, b->n_runs, "Mtasks/s");
    spawning_row(b, "the same: what 10 ms cost", b->n, cost, b->n_runs, "%");
    return CLI_OK;
}
