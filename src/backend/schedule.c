/* SPDX-License-Identifier: MIT */
/* schedule.c - see schedule.h. */
#include "backend/schedule.h"

#include <stdio.h>

#define LAUNCHES                                   \
    {                                              \
        HD_WAY_LAUNCHES, .takes = HD_TAKES_BY_BODY \
    }
#define WORKERS(dispatch, takes)                                                               \
    {                                                                                          \
        HD_WAY_WORKERS, HD_DISPATCH_##dispatch, HD_TAKES_IDLE | (takes), HEDDLE_POLICY_DEFAULT \
    }
#define CHOOSERS(dispatch, takes, policy)                                                                         \
    {                                                                                                             \
        HD_WAY_WORKERS, HD_DISPATCH_##dispatch, HD_TAKES_IDLE | HD_TAKES_POLICY | (takes), HEDDLE_POLICY_##policy \
    }
#define RING_TAKES (HD_TAKES_RING | HD_TAKES_LOCAL)

static const hd_way on_threads[HEDDLE_N_SCHEDULES] = {
    [HEDDLE_SCHEDULE_AUTO] = {HD_WAY_WORKERS, HD_DISPATCH_RINGS, HD_TAKES_IDLE | RING_TAKES, HEDDLE_POLICY_SHARE},
    [HEDDLE_SCHEDULE_STATIC] = WORKERS(PLAN, 0),
    [HEDDLE_SCHEDULE_DYNAMIC] = {HD_WAY_WORKERS, HD_DISPATCH_RINGS, HD_TAKES_IDLE | RING_TAKES, HEDDLE_POLICY_SHARE},
    [HEDDLE_SCHEDULE_TICKET] = WORKERS(TICKET, 0),
    [HEDDLE_SCHEDULE_RINGS] = CHOOSERS(RINGS, RING_TAKES, SHARE),
    [HEDDLE_SCHEDULE_IQS] = CHOOSERS(IQS, 0, LF), /* a share policy is not part of the papers */
    [HEDDLE_SCHEDULE_SCHEDULER] = CHOOSERS(SCHEDULER, HD_TAKES_RING, RR),
    [HEDDLE_SCHEDULE_CENTRAL] = WORKERS(CENTRAL, 0),
    [HEDDLE_SCHEDULE_WAVE] = WORKERS(ORDER, 0)};

static const hd_way on_gpu[HEDDLE_N_SCHEDULES] = {
    [HEDDLE_SCHEDULE_AUTO] = {HD_WAY_CHOICE, .takes = HD_TAKES_IDLE | HD_TAKES_BY_BODY},
    [HEDDLE_SCHEDULE_STATIC] = WORKERS(PLAN, 0),
    [HEDDLE_SCHEDULE_DYNAMIC] = WORKERS(TICKET, 0),
    [HEDDLE_SCHEDULE_LEVELS] = LAUNCHES,
    [HEDDLE_SCHEDULE_GRAPH] = LAUNCHES,
    [HEDDLE_SCHEDULE_GRAPH_PDL] = LAUNCHES,
    [HEDDLE_SCHEDULE_LEVELS_SYNC] = LAUNCHES,
    [HEDDLE_SCHEDULE_TASKGRAPH] = {HD_WAY_LAUNCHES, .takes = 0}, /* each task is a launch of its body */
    [HEDDLE_SCHEDULE_TICKET] = WORKERS(TICKET, 0),
    [HEDDLE_SCHEDULE_RINGS] = CHOOSERS(RINGS, RING_TAKES, LF),
    [HEDDLE_SCHEDULE_IQS] = CHOOSERS(IQS, 0, LF),
    [HEDDLE_SCHEDULE_SCHEDULER] = CHOOSERS(SCHEDULER, HD_TAKES_RING, RR),
    [HEDDLE_SCHEDULE_CENTRAL] = WORKERS(CENTRAL, 0),
    [HEDDLE_SCHEDULE_WAVE] = WORKERS(ORDER, 0)};

/* The single worker accepts knobs for workers and ignores them. */
static const hd_way in_order[HEDDLE_N_SCHEDULES] = {
    [HEDDLE_SCHEDULE_AUTO] = {HD_WAY_ORDER, .takes = HD_TAKES_POLICY | RING_TAKES | HD_TAKES_IDLE}};

const hd_way *hd_way_of(heddle_schedule s, heddle_backend b)
{
    return b == HEDDLE_CUDA ? &on_gpu[s] : b == HEDDLE_CPU ? &on_threads[s] : &in_order[s];
}

HEDDLE_API int heddle_schedule_has_workers(heddle_schedule s)
{
    return (unsigned)s < HEDDLE_N_SCHEDULES && on_gpu[s].kind == HD_WAY_WORKERS;
}

/* A knob: its name, the bit of schedules that take it, and its value. */
typedef struct knob {
    const char *name;
    uint32_t takes, value;
} knob;

/* Lists the backend's schedules that take it: "rings, scheduler". */
static void who_takes(const knob *k, heddle_backend b, char *out, size_t n_bytes)
{
    size_t at = 0;
    int s;
    out[0] = 0;
    for (s = 0; s < HEDDLE_N_SCHEDULES; s++)
        if (hd_way_of((heddle_schedule)s, b)->takes & k->takes && at < n_bytes)
            at += (size_t)snprintf(out + at, n_bytes - at, "%s%s", at ? ", " : "",
                                   heddle_schedule_name((heddle_schedule)s));
}

static heddle_status check_knob(const heddle_config *c, const knob *k, hd_error *e)
{
    char takers[200];
    if (!k->value || hd_way_of(c->schedule, c->backend)->takes & k->takes)
        return HEDDLE_OK;
    who_takes(k, c->backend, takers, sizeof takers);
    return hd_say(e, HEDDLE_EINVAL, "%s: schedule %s of backend %s has no use for it; %s%s", k->name,
                  heddle_schedule_name(c->schedule), heddle_backend_name(c->backend),
                  *takers ? "these have: " : "none has", takers);
}

heddle_status hd_schedule_settle(heddle_config *c, int was_auto, hd_error *e)
{
    const knob knobs[] = {{"policy", HD_TAKES_POLICY, (uint32_t)c->expert.policy},
                          {"n_ring", HD_TAKES_RING, c->expert.n_ring},
                          {"n_local", HD_TAKES_LOCAL, c->expert.n_local},
                          {"by_body", HD_TAKES_BY_BODY, c->expert.by_body},
                          {"idle", HD_TAKES_IDLE, (uint32_t)c->idle}};
    size_t i;
    if (c->expert.policy && c->schedule == HEDDLE_SCHEDULE_AUTO && c->backend != HEDDLE_SERIAL)
        c->schedule = HEDDLE_SCHEDULE_RINGS;
    if (hd_way_of(c->schedule, c->backend)->kind == HD_WAY_NONE)
        return hd_say(e, HEDDLE_EINVAL, "schedule %s: backend %s has no such schedule%s",
                      heddle_schedule_name(c->schedule), heddle_backend_name(c->backend),
                      was_auto ? ", and auto found no other: this build has no cuda backend, or there is no GPU" : "");
    for (i = 0; i < sizeof knobs / sizeof knobs[0]; i++)
        HD_TRY(check_knob(c, &knobs[i], e));
    return HEDDLE_OK;
}
