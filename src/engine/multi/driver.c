/* SPDX-License-Identifier: MIT */
/* driver.c - the thread that gives the slices of all jobs of a fleet (jobs.h). */
#include "engine/multi/jobs.h"

#include "base/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define GIVES 16u /* slices between two looks at the queues */
#define FETCH_PARTS 16u
#define SPINS 4096u /* fruitless looks before the thread naps */
#define NAP_NS 20000

static int is_ours(const hd_jobs *j, uint32_t d) { return !j->devices[d].is_lost; }

/* ---- a device is lost ------------------------------------------------------------------------------------------------------- */

void hd_jobs_drop_all(hd_jobs *j, heddle_status s)
{
    j->error = *hd_thread_error();
    hd_line_drop(j->line, NULL, s);
    hd_sequence_drop(j, NULL, NULL, s);
}

void hd_jobs_drop_needing(hd_jobs *j, hd_line_job *job)
{
    j->error = j->loss = *hd_thread_error();
    if (job)
        hd_line_drop_needing(j->line, job, j->unwritten.at, HEDDLE_EDEVICE);
    hd_sequence_drop_needing(j, j->unwritten.at, HEDDLE_EDEVICE);
}

/* Bytes on their way for these requests may have been lost, too: they are planned once more, with the devices that are left. */
static void plan_anew(hd_jobs *j)
{
    hd_request *r;
    for (r = j->waiting; r; r = r->next) {
        r->is_planned = 0;
        r->planned = 0;
        r->points.n = 0;
    }
}

int hd_jobs_tell_losses(hd_jobs *j)
{
    int any = 0;
    uint32_t i;
    for (i = 0; i < j->n_devices; i++) {
        hd_jobs_device *d = &j->devices[i];
        heddle_status s;
        if (!d->is_lost || d->is_told || hd_sequence_meets_loss(j))
            continue;
        d->is_told = any = 1;
        s = hd_line_lost(j->line, i);
        if (s == HEDDLE_EDEVICE)
            (void)hd_say(NULL, s, "no device is left for jobs; the last one: %.150s", d->trouble);
        if (s != HEDDLE_OK)
            hd_jobs_drop_all(j, s);
    }
    if (any)
        plan_anew(j);
    return any;
}

/* ---- requests --------------------------------------------------------------------------------------------------------------- */

static void answer(hd_jobs *j, hd_request *r, heddle_status s)
{
    (void)pthread_mutex_lock(&j->mutex);
    r->status = s;
    if (s != HEDDLE_OK)
        r->error = *hd_thread_error();
    r->is_answered = 1;
    (void)pthread_cond_broadcast(&j->changed);
    (void)pthread_mutex_unlock(&j->mutex);
}

/* From now on points have times, for shares that go by how long bodies take. */
static void want_times(hd_jobs *j)
{
    uint32_t q;
    for (q = 0; q < j->n_devices * HD_N_ROLES && !j->wants_times; q++)
        (void)hd_jobs_time_of(j, (hd_seg_point){q, 0}, 0);
    j->wants_times = 1;
}

static int has_device(const hd_jobs *j)
{
    uint32_t d;
    for (d = 0; d < j->n_devices; d++)
        if (is_ours(j, d))
            return 1;
    return 0;
}

static void start(hd_jobs *j, hd_request *r)
{
    hd_line_job *job;
    if (hd_kind_learns(r->multi->kind))
        want_times(j);
    r->start_ns = heddle_host_clock_ns();
    hd_traced_job(j, r);
    if (!has_device(j)) { /* the line would keep it for ever */
        (void)hd_say(&j->error, HEDDLE_EDEVICE, "no device is left for jobs");
        hd_job_ended(j, NULL, r, HEDDLE_EDEVICE);
        return;
    }
    if (hd_line_start(j->line, r->multi->kind, r, &job) == HEDDLE_OK) {
        r->multi->n_in_line++;
        return;
    }
    (void)hd_say(&j->error, HEDDLE_ENOMEM, "a job: out of memory");
    hd_job_ended(j, NULL, r, HEDDLE_ENOMEM);
}

static hd_request **end_of(hd_request **at)
{
    while (*at)
        at = &(*at)->next;
    return at;
}

void hd_jobs_take(hd_jobs *j, hd_request *r)
{
    r->next = NULL;
    switch (r->kind) {
    case HD_REQUEST_START: start(j, r); break;
    case HD_REQUEST_SEQUENCE: break; /* is held */
    case HD_REQUEST_CALL: answer(j, r, r->call(j, r)); break;
    case HD_REQUEST_FETCH:
    case HD_REQUEST_WROTE:
    case HD_REQUEST_DROP: *end_of(&j->waiting) = r; break;
    }
}

static void take_requests(hd_jobs *j)
{
    hd_request *r, *next;
    (void)pthread_mutex_lock(&j->mutex);
    r = j->first;
    j->first = j->last = NULL;
    (void)pthread_mutex_unlock(&j->mutex);
    for (; r; r = next) {
        next = r->next;
        if (!hd_sequence_ends(j, r) && !hd_sequence_holds(j, r))
            hd_jobs_take(j, r);
    }
}

/* ---- rows that the host wants, or has written -------------------------------------------------------------------------------- */

static heddle_status keep_points(hd_request *r, const hd_seg_plan *plan)
{
    if (hd_list_room(&r->points, plan->n_host_waits, sizeof(hd_seg_point)))
        return hd_say(NULL, HEDDLE_ENOMEM, "an array of jobs: out of memory");
    if (!plan->n_host_waits)
        return HEDDLE_OK;
    memcpy((hd_seg_point *)r->points.at + r->points.n, (const hd_seg_point *)plan->waits.at + plan->first_host_wait,
           plan->n_host_waits * sizeof(hd_seg_point));
    r->points.n += plan->n_host_waits;
    return HEDDLE_OK;
}

static heddle_status check_lost(const hd_jobs *j, const hd_request *r, const hd_seg_rect *part)
{
    hd_seg_rect first;
    if (r->kind != HD_REQUEST_FETCH || !hd_segments_is_lost(hd_line_segments(j->line), r->array->segment, part, &first))
        return HEDDLE_OK;
    return hd_say(NULL, HEDDLE_EDEVICE,
                  "heddle_array_fetch: " HD_ROWS_FORMAT " were lost with the only device that had them",
                  HD_ROWS_OF(r->array, first));
}

static heddle_status plan_request(hd_jobs *j, hd_request *r, const hd_seg_rect *part)
{
    hd_segments *s = hd_line_segments(j->line);
    hd_seg_plan *plan = &j->given.plan;
    heddle_status status;
    HD_TRY(check_lost(j, r, part));
    status = r->kind == HD_REQUEST_FETCH ? hd_segments_fetch(s, r->array->segment, part, plan)
                                         : hd_segments_wrote(s, r->array->segment, part, plan);
    hd_put_plan(j, plan, NULL); /* also of a call that failed */
    return status == HEDDLE_OK ? keep_points(r, plan) : hd_say(NULL, status, "an array of jobs: out of memory");
}

/* Some rows of a fetch go home as soon as all slices that write them have been given; the rest of the job may still be at work. */
static heddle_status plan_parts(hd_jobs *j, hd_request *r)
{
    const int is_fetch = r->kind == HD_REQUEST_FETCH;
    const uint64_t n_parts = is_fetch ? FETCH_PARTS : 1, n = r->rect.end_row - r->rect.row;
    heddle_status s = HEDDLE_OK;
    int is_left = 0;
    uint64_t i;
    for (i = 0; i < n_parts && s == HEDDLE_OK; i++) {
        hd_seg_rect part = r->rect;
        part.row = r->rect.row + n * i / n_parts;
        part.end_row = r->rect.row + n * (i + 1u) / n_parts;
        if (part.row == part.end_row || (r->planned >> i & 1u))
            continue;
        if (hd_line_touches(j->line, r->array->segment, &part, is_fetch)) {
            is_left = 1;
            continue;
        }
        r->planned |= 1u << i;
        s = plan_request(j, r, &part);
    }
    r->is_planned = !is_left || s != HEDDLE_OK;
    return s;
}

static int is_passed(const hd_jobs *j, const hd_request *r)
{
    const hd_seg_point *p = r->points.at;
    uint64_t i;
    for (i = 0; i < r->points.n; i++)
        if (j->devices[p[i].queue / HD_N_ROLES].passed[p[i].queue % HD_N_ROLES] < p[i].number)
            return 0;
    return 1;
}

/* 1: it is answered. */
static int look_at(hd_jobs *j, hd_request *r)
{
    heddle_status s = HEDDLE_OK;
    if (!r->is_planned)
        s = plan_parts(j, r);
    if (hd_jobs_tell_losses(j))
        return 0;
    if (s == HEDDLE_OK && (!r->is_planned || !is_passed(j, r)))
        return 0;
    if (r->kind == HD_REQUEST_DROP) {
        hd_segments_drop(hd_line_segments(j->line), r->array->segment);
        ((heddle_array **)j->arrays.at)[r->array->segment] = NULL;
    }
    hd_list_clear(&r->points);
    answer(j, r, s);
    return 1;
}

static void look_at_requests(hd_jobs *j)
{
    hd_request **at = &j->waiting;
    while (*at) {
        hd_request *r = *at, *next = r->next; /* an answered one is the asking thread's */
        if (look_at(j, r))
            *at = next;
        else
            at = &r->next;
    }
}

/* ---- jobs -------------------------------------------------------------------------------------------------------------------- */

/* A job needs rows that nobody has. */
static void drop_lost(hd_jobs *j)
{
    const hd_line_loss *x = hd_line_loss_of(j->line);
    const heddle_multi *m = ((const hd_request *)x->job_user)->multi;
    const hd_piece *p = hd_piece_at(m->loop, x->use);
    (void)hd_say(NULL, HEDDLE_EDEVICE,
                 "access %u of %s needs " HD_ROWS_FORMAT ", which were lost with the only device that had them",
                 p->access, hd_multi_name(m), HD_ROWS_OF(p->array, x->rect));
    hd_jobs_drop_needing(j, x->job);
}

static void drop_failed(hd_jobs *j, heddle_status s)
{
    hd_put_plan(j, &j->given.plan, NULL);
    if (s == HEDDLE_EDEVICE) {
        drop_lost(j);
        return;
    }
    (void)hd_say(NULL, s, "a job: out of memory for what its slices need");
    hd_jobs_drop_all(j, s);
}

/* Gives some slices. 1: there was one. */
static int give_some(hd_jobs *j)
{
    uint32_t i;
    int given = 1;
    for (i = 0; i < GIVES && given; i++) {
        heddle_status s = hd_line_give(j->line, &j->given, &given, heddle_host_clock_ns());
        if (s != HEDDLE_OK) {
            drop_failed(j, s);
            return 1;
        }
        if (given) {
            hd_put_plan(j, &j->given.plan, &j->given);
            hd_line_put(j->line, &j->given, heddle_host_clock_ns());
        }
        if (hd_jobs_tell_losses(j))
            return 1;
    }
    return i > 1;
}

void hd_jobs_fail(hd_jobs *j, hd_jobs_device *d, uint32_t role)
{
    const hd_jobs_failure f = d->failures[role];
    const hd_seg_point behind = {(uint32_t)(d - j->devices) * HD_N_ROLES + role, f.behind};
    (void)hd_say(&j->error, HEDDLE_EBODY, "a job failed at index %" PRIu64 " with code %u, on %s", f.index, f.code,
                 d->unit->name);
    d->failures[role].code = 0;
    if (!hd_line_fail(j->line, behind, HEDDLE_EBODY)) /* it was of a replay, or is given again after a loss */
        hd_line_drop(j->line, NULL, HEDDLE_EBODY);
    hd_sequence_drop(j, NULL, NULL, HEDDLE_EBODY);
}

uint64_t hd_jobs_time_of(const hd_jobs *j, hd_seg_point p, uint64_t now_ns)
{
    const hd_jobs_device *d = &j->devices[p.queue / HD_N_ROLES];
    const heddle_accelerator *a = &d->unit->acc;
    uint64_t ns = now_ns;
    if (d->is_lost || !a->passed_at || a->passed_at(a->self, p.queue % HD_N_ROLES, p.number, &ns) != HEDDLE_OK)
        return now_ns;
    return hd_at_most(ns, now_ns);
}

/* 1: the device is lost. */
static int ask_queue(hd_jobs *j, uint32_t d, uint32_t role)
{
    hd_jobs_device *x = &j->devices[d];
    if (x->given[role] <= x->passed[role])
        return 0;
    if (hd_put_ask(x, role) != HEDDLE_OK) {
        hd_put_lose(x);
        return hd_jobs_tell_losses(j);
    }
    if (x->failures[role].code)
        hd_jobs_fail(j, x, role);
    return 0;
}

/* 1: the queue has passed something. */
static int tell_queue(hd_jobs *j, uint32_t d, uint32_t role)
{
    hd_jobs_device *x = &j->devices[d];
    hd_seg_point p = {d * HD_N_ROLES + role, x->passed[role] + 1u};
    uint64_t now;
    if (x->seen[role] == x->passed[role])
        return 0;
    x->passed[role] = x->seen[role];
    now = heddle_host_clock_ns();
    if (j->traced)
        hd_traced_passed(j, (hd_seg_point){p.queue, x->seen[role]}, now);
    for (; p.number <= x->seen[role]; p.number++)
        (void)hd_line_passed(j->line, p, j->wants_times ? hd_jobs_time_of(j, p, now) : now);
    return 1;
}

static int for_queues(hd_jobs *j, int of_bodies, int (*what)(hd_jobs *j, uint32_t d, uint32_t role))
{
    int moved = 0;
    uint32_t d, role;
    for (d = 0; d < j->n_devices; d++)
        for (role = 0; role < HD_N_ROLES && is_ours(j, d); role++)
            if (hd_queue_is_of_bodies(role) == of_bodies)
                moved |= what(j, d, role);
    return moved;
}

/* When a body has ended, all that it waited for has been passed. So that the line hears of that before, queues of bodies are asked first, and
 * told last. */
static int look_at_queues(hd_jobs *j)
{
    int moved = for_queues(j, 1, ask_queue);
    moved |= for_queues(j, 0, ask_queue);
    moved |= for_queues(j, 0, tell_queue);
    return moved | for_queues(j, 1, tell_queue);
}

static int has_under_way(const hd_jobs_device *d)
{
    uint32_t role;
    for (role = 0; role < HD_N_ROLES; role++)
        if (d->given[role] > d->passed[role])
            return 1;
    return 0;
}

/* ---- the thread -------------------------------------------------------------------------------------------------------------- */

/* 1: something went on. */
static int turn(hd_jobs *j)
{
    const uint64_t begin = heddle_host_clock_ns();
    int moved;
    take_requests(j);
    moved = hd_sequence_turn(j);
    moved |= give_some(j);
    moved |= look_at_queues(j);
    hd_put_check_limits(j, begin);
    (void)hd_jobs_tell_losses(j);
    look_at_requests(j);
    if (moved)
        __atomic_store_n(&j->host_ns, j->host_ns + heddle_host_clock_ns() - begin, __ATOMIC_RELAXED);
    return moved;
}

int hd_jobs_is_quiet(const hd_jobs *j)
{
    uint32_t d;
    for (d = 0; d < j->n_devices; d++)
        if (is_ours(j, d) && has_under_way(&j->devices[d]))
            return 0;
    return hd_line_is_empty(j->line) && !j->waiting;
}

/* 0: the fleet is being closed. */
static int await_requests(hd_jobs *j)
{
    int go_on;
    (void)pthread_mutex_lock(&j->mutex);
    j->is_resting = 1;
    (void)pthread_cond_broadcast(&j->changed);
    while (!j->first && !j->is_closing)
        (void)pthread_cond_wait(&j->wanted, &j->mutex);
    j->is_resting = 0;
    go_on = j->first != NULL;
    (void)pthread_mutex_unlock(&j->mutex);
    return go_on;
}

void *hd_jobs_main(void *jobs)
{
    static const struct timespec nap = {0, NAP_NS};
    hd_jobs *j = jobs;
    uint32_t n = 0;
    while (await_requests(j))
        do {
            n = turn(j) ? 0 : n + 1u;
            if (n < SPINS)
                HD_PAUSE(n);
            else
                (void)nanosleep(&nap, NULL);
        } while (!n || !hd_jobs_is_quiet(j) || j->held); /* in the last turn nothing was left to be put */
    return NULL;
}
