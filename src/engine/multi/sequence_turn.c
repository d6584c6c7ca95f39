/* SPDX-License-Identifier: MIT */
/* sequence_turn.c - the driver's part of sequences: what waits behind one, and the start that has its turn (sequence.h). */
#include "engine/multi/line_inside.h"
#include "engine/multi/sequence.h"

#include <inttypes.h>
#include <stdio.h>

#define AHEAD 64u      /* jobs in the line, if all runs go through it */
#define LEAST_RUNS 4u  /* of fewer none is kept */
#define MOST_TRIES 16u /* runs that are kept until two are alike */
#define LATE_TRIES 8u  /* after so many, shares that have not settled stay as they are */

static int say_why(heddle_sequence *s, const char *why)
{
    (void)snprintf(s->why, sizeof s->why, "%s", why);
    return 0;
}

static int go_to(heddle_sequence *s, hd_sequence_phase phase)
{
    s->phase = phase;
    return 1;
}

/* ---- a start has its turn --------------------------------------------------------------------------------------------------- */

static int may_replay(heddle_sequence *s)
{
    uint64_t i;
    if (s->most == HEDDLE_REPLAY_NONE)
        return say_why(s, "as was asked for");
    for (i = 0; i < s->list.n; i++) {
        const heddle_multi *m = hd_sequence_at(s, i)->multi;
        if (m->kind->config.is_alone)
            return say_why(s, m->desc.is_safe ? "a job is safe" : "a job has reductions");
        if (m->desc.map == HEDDLE_MAP_FREE)
            return say_why(s, "any device may take the slices of a job");
    }
    return s->n_left >= LEAST_RUNS ? 1 : say_why(s, "there are too few");
}

static void begin(hd_jobs *j, hd_request *r)
{
    heddle_sequence *s = r->sequence;
    j->sequence = s;
    s->n_left = s->list.n ? r->n_times : 0;
    s->n_begun = s->n_by_list = s->n_by_record = s->n_calls = 0;
    s->n_kept = s->n_tries = 0;
    s->has_lost = s->has_replayed = s->is_telling = 0;
    s->end = HEDDLE_OK;
    s->why[0] = 0;
    s->begin_ns = heddle_host_clock_ns();
    s->phase = HD_SEQUENCE_JOBS;
    if (!s->n_left || !may_replay(s))
        return;
    s->phase = HD_SEQUENCE_KEEPS;
    hd_segments_hold(hd_line_segments(j->line), 1);
}

/* ---- runs through the line -------------------------------------------------------------------------------------------------- */

static void start_job(hd_jobs *j, heddle_sequence *s, uint32_t entry)
{
    const hd_sequence_job *x = hd_sequence_at(s, entry);
    hd_request *r = hd_start_new(x->multi, x->params);
    if (!r) {
        s->end = hd_say(&s->end_error, HEDDLE_ENOMEM, "a sequence: out of memory for a job");
        return;
    }
    r->sequence = s;
    r->entry = entry;
    s->n_in_line++;
    hd_jobs_take(j, r);
}

static void start_run(hd_jobs *j, heddle_sequence *s)
{
    uint32_t i;
    s->n_left--;
    s->n_begun++;
    for (i = 0; i < s->list.n && s->end == HEDDLE_OK; i++)
        start_job(j, s, i);
}

void hd_sequence_job_ended(hd_request *r, heddle_status status)
{
    heddle_sequence *s = r->sequence;
    s->n_in_line--;
    hd_keep_first(&s->end, &s->end_error, status, &r->error);
}

static int step_jobs(hd_jobs *j, heddle_sequence *s)
{
    int moved = 0;
    if (s->end != HEDDLE_OK || !s->n_left)
        return go_to(s, HD_SEQUENCE_ENDS);
    for (; s->n_left && s->n_in_line < AHEAD && s->end == HEDDLE_OK; moved = 1)
        start_run(j, s);
    return moved;
}

/* ---- runs that are kept ----------------------------------------------------------------------------------------------------- */

static void set_steady(heddle_sequence *s, int is_steady)
{
    uint64_t i;
    for (i = 0; i < s->list.n; i++)
        hd_sequence_at(s, i)->multi->kind->is_steady = is_steady;
}

static void stop_keeping(hd_jobs *j)
{
    j->keeps = NULL;
    hd_segments_hold(hd_line_segments(j->line), 0);
}

static int give_up(hd_jobs *j, heddle_sequence *s, const char *why)
{
    stop_keeping(j);
    set_steady(s, 0);
    (void)say_why(s, why);
    return go_to(s, HD_SEQUENCE_JOBS);
}

/* How often shares of its jobs have been changed. */
static uint64_t n_moves(const heddle_sequence *s)
{
    uint64_t n = 0, i;
    for (i = 0; i < s->list.n; i++)
        n += hd_sequence_at(s, i)->multi->kind->counts.n_moves;
    return n;
}

static int is_late(const heddle_sequence *s)
{
    uint64_t i;
    for (i = 0; i < s->list.n; i++)
        if (hd_sequence_at(s, i)->multi->kind->family->n_late)
            return 1;
    return 0;
}

static int keep_run(hd_jobs *j, heddle_sequence *s)
{
    s->now ^= 1u;
    s->n_kept++;
    s->n_tries++;
    if (s->n_tries == LATE_TRIES)
        set_steady(s, 1);
    s->n_moves = n_moves(s);
    if (hd_kept_begin(hd_sequence_kept(s), j))
        return give_up(j, s, "there is no memory to keep them");
    j->keeps = hd_sequence_kept(s);
    start_run(j, s);
    return 1;
}

/* The next run is kept when all slices of the one before have been given. */
static int step_keeps(hd_jobs *j, heddle_sequence *s)
{
    if (s->end != HEDDLE_OK)
        return go_to(s, HD_SEQUENCE_ENDS);
    if (j->line->unopened || j->line->n_waiting)
        return 0;
    if (s->n_kept > 1u && hd_kept_are_alike(&s->kept[0], &s->kept[1]))
        return go_to(s, HD_SEQUENCE_SETTLES);
    if (!s->n_left)
        return go_to(s, HD_SEQUENCE_ENDS);
    if (s->n_tries >= MOST_TRIES)
        return give_up(j, s, "no two in a row were alike");
    return keep_run(j, s);
}

/* Jobs that have ended may have changed shares, or be about to do so. */
static int step_settles(hd_jobs *j, heddle_sequence *s)
{
    if (s->end != HEDDLE_OK || !s->n_left)
        return go_to(s, HD_SEQUENCE_ENDS);
    if (!hd_jobs_is_quiet(j))
        return 0;
    if (s->n_tries < MOST_TRIES && (n_moves(s) != s->n_moves || (is_late(s) && s->n_tries < LATE_TRIES))) {
        s->n_kept = 1;
        s->phase = HD_SEQUENCE_KEEPS;
        return keep_run(j, s);
    }
    if (n_moves(s) != s->n_moves)
        return give_up(j, s, "shares of devices have not settled");
    j->keeps = NULL;
    s->has_replayed = 1;
    return go_to(s, hd_replay_begin(j, s));
}

/* ---- the end ---------------------------------------------------------------------------------------------------------------- */

/* What replays were to the figures. */
static void count_replays(hd_jobs *j, heddle_sequence *s)
{
    const uint64_t n = s->n_by_list + s->n_by_record;
    const hd_kept *k = hd_sequence_replayed(s);
    uint64_t i;
    for (i = 0; n && i < s->list.n; i++)
        hd_sequence_at(s, i)->multi->kind->counts.n_jobs += n;
    for (i = 0; n && i < k->ops.n; i++) {
        const hd_kept_op *o = hd_kept_at(k, i);
        hd_put_count(j, &o->op, s->n_by_record);
        if (o->op.is_body)
            hd_sequence_at(s, o->entry)->multi->kind->counts.n_slices += n;
    }
}

/* All that was put has been done: the directory hears of it. */
static void pass_points(hd_jobs *j)
{
    uint32_t d, role;
    for (d = 0; d < j->n_devices; d++)
        for (role = 0; role < HD_N_ROLES && !j->devices[d].is_lost; role++)
            hd_segments_skip(hd_line_segments(j->line),
                             (hd_seg_point){d * HD_N_ROLES + role, j->devices[d].given[role]});
}

static void tell_how(heddle_sequence *s)
{
    const uint64_t n = s->n_by_list + s->n_by_record;
    s->how.n = 0;
    hd_how_add(&s->how, "%" PRIu64 " runs of %" PRIu64 " jobs", s->n_begun, s->list.n);
    if (n)
        hd_how_add(&s->how, ", %" PRIu64 " of them replays of %" PRIu64 " ops", n, hd_sequence_replayed(s)->ops.n);
    hd_how_add(&s->how, "\n");
    if (s->n_by_record)
        hd_how_add(&s->how, "%" PRIu64 " by %" PRIu64 " calls\n", s->n_by_record, s->n_calls);
    if (s->why[0])
        hd_how_add(&s->how, "%s: %s\n", s->has_replayed ? "not recorded" : "not replayed", s->why);
}

static void note_stats(hd_jobs *j, heddle_sequence *s)
{
    heddle_sequence_stats *t = &s->stats;
    (void)pthread_mutex_lock(&j->mutex);
    if (s->n_by_list + s->n_by_record)
        t->n_ops = hd_sequence_replayed(s)->ops.n;
    t->n_runs += s->n_begun;
    t->n_by_list += s->n_by_list;
    t->n_by_record += s->n_by_record;
    t->n_calls += s->n_calls;
    t->time_ns = heddle_host_clock_ns() - s->begin_ns;
    (void)pthread_mutex_unlock(&j->mutex);
}

static void finish(hd_jobs *j, heddle_sequence *s)
{
    hd_request *r = j->held;
    if (s->has_lost)
        hd_replay_lost(j, s);
    pass_points(j);
    stop_keeping(j);
    set_steady(s, 0);
    count_replays(j, s);
    tell_how(s);
    note_stats(j, s);
    j->held = r->next;
    j->sequence = NULL;
    hd_sequence_over(j, r, s->end, &s->end_error);
}

static int step_ends(hd_jobs *j, heddle_sequence *s)
{
    const int moved = s->has_replayed && hd_replay_turn(j, s);
    if (!hd_jobs_is_quiet(j) || !hd_replay_is_over(s))
        return moved;
    finish(j, s);
    return 1;
}

/* ---- the driver's hooks ----------------------------------------------------------------------------------------------------- */

static int step(hd_jobs *j, heddle_sequence *s)
{
    switch (s->phase) {
    case HD_SEQUENCE_JOBS: return step_jobs(j, s);
    case HD_SEQUENCE_KEEPS: return step_keeps(j, s);
    case HD_SEQUENCE_SETTLES: return step_settles(j, s);
    case HD_SEQUENCE_LIST:
    case HD_SEQUENCE_RECORDS: return hd_replay_turn(j, s);
    case HD_SEQUENCE_ENDS: break;
    }
    return step_ends(j, s);
}

int hd_sequence_turn(hd_jobs *j)
{
    int moved = 0;
    while (j->held && !j->sequence) {
        hd_request *r = j->held;
        if (r->kind == HD_REQUEST_SEQUENCE && !hd_jobs_is_quiet(j))
            return moved;
        moved = 1;
        if (r->kind == HD_REQUEST_SEQUENCE) {
            begin(j, r);
            break;
        }
        j->held = r->next;
        hd_jobs_take(j, r);
    }
    return j->sequence ? moved | step(j, j->sequence) : moved;
}

int hd_sequence_holds(hd_jobs *j, hd_request *r)
{
    hd_request **at = &j->held;
    if (r->kind == HD_REQUEST_CALL || (!j->held && r->kind != HD_REQUEST_SEQUENCE))
        return 0;
    while (*at)
        at = &(*at)->next;
    *at = r;
    r->next = NULL;
    return 1;
}

int hd_sequence_meets_loss(hd_jobs *j)
{
    heddle_sequence *s = j->sequence;
    if (!s || s->is_telling)
        return 0;
    if (s->has_replayed)
        return s->has_lost = 1;
    if (j->keeps)
        (void)give_up(j, s, "a device was lost");
    return 0;
}

static int is_meant(const hd_request *r, const heddle_multi *m, const heddle_sequence *s)
{
    uint64_t i;
    if ((!m && !s) || (s && r->sequence == s))
        return 1;
    if (r->kind == HD_REQUEST_START)
        return r->multi == m;
    for (i = 0; m && r->kind == HD_REQUEST_SEQUENCE && i < r->sequence->list.n; i++)
        if (hd_sequence_at(r->sequence, i)->multi == m)
            return 1;
    return 0;
}

/* 1: it is no longer held. */
static int drop_one(hd_jobs *j, hd_request *r, heddle_status status)
{
    heddle_sequence *s = j->sequence;
    if (r == j->held && s) { /* it has its turn, and ends by itself */
        hd_keep_first(&s->end, &s->end_error, status, &j->error);
        hd_line_drop(j->line, NULL, status);
        return 0;
    }
    if (r->kind != HD_REQUEST_SEQUENCE && r->kind != HD_REQUEST_START)
        return 0;
    if (r->kind == HD_REQUEST_SEQUENCE)
        hd_sequence_over(j, r, status, &j->error);
    else
        hd_job_ended(j, NULL, r, status);
    return 1;
}

void hd_sequence_drop(hd_jobs *j, const heddle_multi *m, const heddle_sequence *s, heddle_status status)
{
    hd_request **at = &j->held;
    int is_dropped = 0;
    while (*at) {
        hd_request *r = *at, *next = r->next;
        is_dropped = is_dropped || is_meant(r, m, s);
        if (is_dropped && drop_one(j, r, status))
            *at = next;
        else
            at = &r->next;
    }
}

/* Does a start that is held read one of these arrays? */
static int needs(const hd_request *r, const uint8_t *unwritten)
{
    uint64_t i;
    if (r->kind == HD_REQUEST_START)
        return hd_kind_needs(r->multi->kind, unwritten);
    for (i = 0; r->kind == HD_REQUEST_SEQUENCE && i < r->sequence->list.n; i++)
        if (hd_kind_needs(hd_sequence_at(r->sequence, i)->multi->kind, unwritten))
            return 1;
    return 0;
}

static void leaves(const hd_request *r, uint8_t *unwritten)
{
    uint64_t i;
    if (r->kind == HD_REQUEST_START)
        hd_kind_leaves(r->multi->kind, unwritten);
    for (i = 0; r->kind == HD_REQUEST_SEQUENCE && i < r->sequence->list.n; i++)
        hd_kind_leaves(hd_sequence_at(r->sequence, i)->multi->kind, unwritten);
}

/* If a sequence has its turn, it is a job of that which ends: no run of it begins any more. */
void hd_sequence_drop_needing(hd_jobs *j, uint8_t *unwritten, heddle_status status)
{
    hd_request **at = &j->held;
    while (*at) {
        hd_request *r = *at, *next = r->next;
        const int is_at_work = r == j->held && j->sequence, ends = is_at_work || needs(r, unwritten);
        if (ends)
            leaves(r, unwritten);
        if (is_at_work)
            hd_keep_first(&j->sequence->end, &j->sequence->end_error, status, &j->error);
        if (ends && !is_at_work && drop_one(j, r, status))
            *at = next;
        else
            at = &r->next;
    }
}

int hd_sequence_ends(hd_jobs *j, hd_request *r)
{
    if (!needs(r, j->unwritten.at))
        return 0;
    leaves(r, j->unwritten.at);
    j->error = j->loss;
    return drop_one(j, r, HEDDLE_EDEVICE);
}
