/* SPDX-License-Identifier: MIT */
/* replay.c - the simulator (replay.h). Times are doubles: under `none` calls get parts of a channel. */
#include "replay.h"

#include "clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct player {
    uint32_t task, call; /* of the load; task == n_tasks: it has ended */
    double left, begin;  /* of the call: what is left, and when it was first served */
    double factor[SHARE_N_CHANNELS];
    uint32_t age, call_age, place, n_overtaken;
    double end;
} player;

typedef struct lane {
    int server; /* the player; -1: none */
    double busy, first, last;
} lane;

typedef struct sim {
    const share_load *load;
    const share_replay_how *how;
    player players[SHARE_MOST_TASKS];
    lane lanes[SHARE_N_CHANNELS];
    uint32_t rank[SHARE_MOST_TASKS], clock, places;
    uint64_t random;
    int lacks_memory; /* for a plan */
    double now;
    share_replay_result *result;
} sim;

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double uniform(uint64_t *state) { return ((double)(next_random(state) >> 11) + 0.5) / 9007199254740992.0; }

static double normal(uint64_t *state)
{
    double a = uniform(state), b = uniform(state);
    return sqrt(-2 * log(a)) * cos(6.283185307179586 * b);
}

/* ---- programs ---- */

static int has_ended(const sim *s, const player *p) { return p->task == s->load->n_tasks; }
static const share_load_task *task_of(const sim *s, const player *p) { return &s->load->tasks[p->task]; }

static void begin_call(const sim *s, player *p)
{
    p->left = (double)s->load->calls[p->call].ns;
    p->begin = s->now;
}

/* Its next task that has calls, from this one of the load on. */
static void begin_task(sim *s, uint32_t i, uint32_t from)
{
    player *p = &s->players[i];
    const share_load_task *t = s->load->tasks;
    while (from < s->load->n_tasks && (t[from].program != i || !t[from].n_calls))
        from++;
    p->task = from;
    p->place = p->n_overtaken = 0;
    p->age = p->call_age = ++s->clock;
    for (int c = 0; c < SHARE_N_CHANNELS; c++)
        p->factor[c] = s->how->wrong > 0 ? exp(s->how->wrong * normal(&s->random)) : 1;
    if (has_ended(s, p))
        return;
    p->call = t[from].first_call;
    begin_call(s, p);
}

static void end_call(sim *s, uint32_t i)
{
    player *p = &s->players[i];
    const share_load_task *t = task_of(s, p);
    p->end = s->now;
    if (s->how->see)
        s->how->see(s->how->seer, i, s->load->calls[p->call].channel, p->begin, s->now);
    if (++p->call == t->first_call + t->n_calls) {
        begin_task(s, i, p->task + 1);
        return;
    }
    begin_call(s, p);
    p->call_age = ++s->clock;
}

/* The channel that it uses or waits for; -1: it has ended. */
static int channel_of(const sim *s, const player *p)
{
    return has_ended(s, p) ? -1 : (int)s->load->calls[p->call].channel;
}

/* What share_order is told of it. */
static share_task told(const sim *s, const player *p)
{
    const share_load_task *t = task_of(s, p);
    double left[SHARE_N_CHANNELS] = {0};
    left[channel_of(s, p)] = p->left;
    for (uint32_t k = p->call + 1; k < t->first_call + t->n_calls; k++)
        left[s->load->calls[k].channel] += (double)s->load->calls[k].ns;
    for (int c = 0; c < SHARE_N_CHANNELS; c++)
        left[c] *= p->factor[c];
    return (share_task){.s_ns = (uint64_t)left[SHARE_S],
                        .p_ns = (uint64_t)left[SHARE_P],
                        .r_ns = (uint64_t)left[SHARE_R],
                        .age = s->how->policy == SHARE_POLICY_STRINGS ? p->call_age : p->age,
                        .place = p->place,
                        .is_known = !s->how->is_unknown};
}

/* ---- ranks ---- */

/* The players in the policy's order, with their places in batches. */
static void rank_all(sim *s)
{
    share_task tasks[SHARE_MOST_TASKS];
    uint32_t of[SHARE_MOST_TASKS], order[SHARE_MOST_TASKS], n = 0;
    share_state now = {.row = s->how->row, .slack_percent = s->how->slack_percent};
    uint64_t begin = share_now_ns();
    for (uint32_t i = 0; i < s->load->n_programs; i++)
        if (!has_ended(s, &s->players[i])) {
            tasks[n] = told(s, &s->players[i]);
            of[n++] = i;
        }
    if (share_rank(s->how->policy, tasks, n, &now, &s->places, order)) {
        s->lacks_memory = 1;
        share_order(SHARE_POLICY_FIFO, tasks, n, &now, order);
    }
    for (uint32_t i = 0; i < n; i++) {
        s->rank[of[order[i]]] = i;
        s->players[of[i]].place = tasks[i].place;
    }
    s->result->planning_ns += (double)(share_now_ns() - begin);
    s->result->n_plans++;
}

static int is_due(const sim *s, const player *p) { return !p->place && p->n_overtaken >= s->how->row; }

static int is_better(const sim *s, uint32_t i, uint32_t j)
{
    const player *x = &s->players[i], *y = &s->players[j];
    if (is_due(s, x) != is_due(s, y))
        return is_due(s, x);
    return is_due(s, x) ? x->age < y->age : s->rank[i] < s->rank[j];
}

/* Its first call: it has a place from now on, and older ones that wait were overtaken. */
static void begin_service(sim *s, uint32_t i)
{
    player *p = &s->players[i];
    int is_first = p->call == task_of(s, p)->first_call;
    if (is_first && !share_policy_is_batch(s->how->policy))
        p->place = ++s->places;
    for (uint32_t j = 0; is_first && j < s->load->n_programs; j++) {
        player *q = &s->players[j];
        if (!has_ended(s, q) && q->call == task_of(s, q)->first_call && q->age < p->age &&
            s->lanes[channel_of(s, q)].server != (int)j && ++q->n_overtaken > s->result->most_overtaken)
            s->result->most_overtaken = q->n_overtaken;
    }
}

static void choose(sim *s, int channel)
{
    lane *l = &s->lanes[channel];
    int best = -1, is_ranked = 0;
    for (uint32_t i = 0; i < s->load->n_programs; i++)
        if (channel_of(s, &s->players[i]) == channel) {
            if (!is_ranked)
                rank_all(s);
            is_ranked = 1;
            if (best < 0 || is_better(s, i, (uint32_t)best))
                best = (int)i;
        }
    l->server = best;
    if (best < 0)
        return;
    s->players[best].begin = s->now;
    begin_service(s, (uint32_t)best);
}

/* ---- time ---- */

/* What a player gets of its channel. */
static double share_of(const sim *s, uint32_t i, const uint32_t *n_on)
{
    int c = channel_of(s, &s->players[i]);
    if (c < 0)
        return 0;
    if (s->how->policy == SHARE_POLICY_NONE)
        return 1.0 / n_on[c];
    return s->lanes[c].server == (int)i;
}

static void count_busy(sim *s, int c, double dt)
{
    lane *l = &s->lanes[c];
    if (l->first < 0)
        l->first = s->now;
    l->busy += dt;
    l->last = s->now + dt;
}

/* Until the next call ends. 0: all have ended. */
static int step(sim *s)
{
    uint32_t n_on[SHARE_N_CHANNELS] = {0}, n = s->load->n_programs;
    double share[SHARE_MOST_TASKS], dt = INFINITY;
    for (uint32_t i = 0; i < n; i++)
        if (channel_of(s, &s->players[i]) >= 0)
            n_on[channel_of(s, &s->players[i])]++;
    for (uint32_t i = 0; i < n; i++) {
        share[i] = share_of(s, i, n_on);
        if (share[i] > 0)
            dt = fmin(dt, s->players[i].left / share[i]);
    }
    if (isinf(dt))
        return 0;
    for (int c = 0; c < SHARE_N_CHANNELS; c++)
        if (n_on[c])
            count_busy(s, c, dt);
    s->now += dt;
    for (uint32_t i = 0; i < n; i++)
        s->players[i].left -= dt * share[i];
    for (uint32_t i = 0; i < n; i++)
        if (share[i] > 0 && s->players[i].left < 1e-3) {
            int c = channel_of(s, &s->players[i]);
            s->lanes[c].server = s->lanes[c].server == (int)i ? -1 : s->lanes[c].server;
            end_call(s, i);
        }
    return 1;
}

static void arrive_in_some_order(sim *s)
{
    uint32_t order[SHARE_MOST_TASKS], n = s->load->n_programs;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = (uint32_t)(next_random(&s->random) % (i + 1));
        order[i] = order[at];
        order[at] = i;
    }
    for (uint32_t i = 0; i < n; i++)
        begin_task(s, order[i], 0);
}

static void sum_up(const sim *s)
{
    share_replay_result *r = s->result;
    r->makespan_ns = s->now;
    for (uint32_t i = 0; i < s->load->n_programs; i++)
        r->mean_end_ns += s->players[i].end / s->load->n_programs;
    for (int c = 0; c < SHARE_N_CHANNELS; c++)
        r->idle_ns[c] = s->lanes[c].first < 0 ? 0 : s->lanes[c].last - s->lanes[c].first - s->lanes[c].busy;
}

int share_replay(const share_load *load, const share_replay_how *how, share_replay_result *result)
{
    sim *s;
    int failed;
    if (!how->row || how->row > share_policy_most_row(how->policy))
        return -1;
    s = calloc(1, sizeof *s);
    if (!s)
        return -1;
    memset(result, 0, sizeof *result);
    s->load = load, s->how = how, s->random = how->seed, s->result = result;
    for (int c = 0; c < SHARE_N_CHANNELS; c++)
        s->lanes[c] = (lane){.server = -1, .first = -1};
    arrive_in_some_order(s);
    do
        for (int c = 0; c < SHARE_N_CHANNELS; c++)
            if (s->lanes[c].server < 0 && how->policy != SHARE_POLICY_NONE)
                choose(s, c);
    while (step(s));
    sum_up(s);
    failed = s->lacks_memory;
    free(s);
    return failed ? -1 : 0;
}

int share_replay_least(const share_load *load, uint64_t *least)
{
    share_task tasks[SHARE_MOST_TASKS] = {0};
    uint32_t order[SHARE_MOST_TASKS];
    share_state now = {.row = SHARE_MOST_ROW};
    uint64_t sum;
    for (uint32_t i = 0; i < load->n_tasks; i++) {
        const share_load_task *t = &load->tasks[i];
        share_task *x = &tasks[t->program];
        uint64_t *of[SHARE_N_CHANNELS] = {&x->s_ns, &x->p_ns, &x->r_ns};
        for (uint32_t k = t->first_call; k < t->first_call + t->n_calls; k++)
            *of[load->calls[k].channel] += load->calls[k].ns;
        x->is_known = 1;
    }
    *least = 0;
    if (load->n_programs > SHARE_MOST_ROW)
        return 0;
    if (share_order(SHARE_POLICY_EXACT, tasks, load->n_programs, &now, order))
        return -1;
    *least = share_ends(tasks, order, load->n_programs, &now, &sum);
    return 0;
}
