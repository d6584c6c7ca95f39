/* SPDX-License-Identifier: MIT */
/* jobs.c - the jobs of a fleet: which of its devices take part, their pools, and requests to the driver. */
#include "engine/multi/jobs.h"

#include <inttypes.h>
#include <stdio.h>

#define LEAST_POOL (1ull << 16)
#define TOLD_NS 10000.0  /* GPUs tell times that are so right */
#define SEEN_NS 100000.0 /* the driver sees an end so late at most: between two looks it gives slices */

/* ---- devices ------------------------------------------------------------------------------------------------------------------ */

static int takes_part(const hd_fleet_unit *u)
{
    return !u->is_core && u->acc.point && u->acc.n_queues >= HD_LEAST_ROLES && !hd_unit_is_lost(u);
}

/* As much as is wanted; by itself as much as there is. */
static heddle_status get_pool(hd_jobs_device *d, uint64_t wanted)
{
    hd_fleet_unit *u = d->unit;
    const uint64_t has = u->acc.memory_bytes - hd_at_most(u->buffer_bytes, u->acc.memory_bytes);
    uint64_t n = wanted ? wanted : has - has / 10u;
    for (; n >= LEAST_POOL || n == wanted; n -= n / 8u) {
        d->pool = u->acc.mem_new(u->acc.self, n);
        d->pool_bytes = n;
        if (d->pool)
            return HEDDLE_OK;
        if (wanted)
            break;
    }
    return hd_say(NULL, HEDDLE_ENOMEM, "%s has no memory for a pool of %" PRIu64 " bytes for jobs; it has %" PRIu64,
                  u->name, n, u->acc.memory_bytes);
}

static heddle_status get_devices(hd_jobs *j)
{
    heddle_fleet *f = j->fleet;
    uint64_t i;
    j->devices = hd_new((f->units.n + 1u) * sizeof *j->devices);
    if (!j->devices)
        return hd_say(NULL, HEDDLE_ENOMEM, "jobs: out of memory");
    for (i = 0; i < f->units.n && j->n_devices < HD_LINE_MOST_DEVICES; i++) {
        if (!takes_part(hd_unit_at(f, i)))
            continue;
        j->devices[j->n_devices].unit = hd_unit_at(f, i);
        HD_TRY(get_pool(&j->devices[j->n_devices++], f->config.pool_bytes));
    }
    return HEDDLE_OK;
}

static int reaches(const hd_jobs_device *d, const hd_jobs_device *other)
{
    const heddle_accelerator *a = &d->unit->acc, *b = &other->unit->acc;
    return d == other || (a->follow == b->follow && a->reaches(a->self, b->self));
}

static heddle_status make_line(hd_jobs *j)
{
    double weights[HD_LINE_MOST_DEVICES];
    uint64_t pools[HD_LINE_MOST_DEVICES];
    const uint32_t n = j->n_devices;
    uint8_t *reach = hd_new((uint64_t)n * n);
    hd_line_config c = {n, weights, pools, reach, 2, TOLD_NS, hd_job_ended, j, hd_job_dropped};
    heddle_status s;
    uint32_t a, b;
    if (!reach)
        return HEDDLE_ENOMEM;
    for (a = 0; a < n; a++) {
        weights[a] = j->devices[a].unit->acc.weight;
        pools[a] = j->devices[a].pool_bytes;
        if (j->devices[a].unit->acc.n_queues < HD_N_ROLES)
            c.n_body_queues = 1;
        if (!j->devices[a].unit->acc.passed_at)
            c.error_ns = SEEN_NS;
        for (b = 0; b < n; b++)
            reach[a * n + b] = (uint8_t)reaches(&j->devices[a], &j->devices[b]);
    }
    s = hd_line_new(&j->line, &c);
    hd_delete(reach, (uint64_t)n * n);
    return s;
}

/* ---- new and close -------------------------------------------------------------------------------------------------------------- */

static void free_jobs(hd_jobs *j)
{
    uint32_t d, role;
    hd_line_delete(j->line);
    hd_traced_delete(j);
    for (d = 0; d < j->n_devices; d++) {
        hd_jobs_device *x = &j->devices[d];
        if (x->pool && !x->is_lost)
            x->unit->acc.mem_free(x->unit->acc.self, x->pool, x->pool_bytes);
        for (role = 0; role < HD_N_ROLES; role++)
            hd_list_clear(&x->waits[role]);
    }
    hd_list_clear(&j->given.plan.ops);
    hd_list_clear(&j->given.plan.waits);
    hd_list_clear(&j->arrays);
    hd_list_clear(&j->unwritten);
    hd_delete(j->devices, j->devices ? (j->fleet->units.n + 1u) * sizeof *j->devices : 0);
    (void)pthread_cond_destroy(&j->changed);
    (void)pthread_cond_destroy(&j->wanted);
    (void)pthread_mutex_destroy(&j->mutex);
    hd_delete(j, sizeof *j);
}

static void close_jobs(hd_jobs *j)
{
    (void)pthread_mutex_lock(&j->mutex);
    j->is_closing = 1;
    (void)pthread_cond_broadcast(&j->wanted);
    (void)pthread_mutex_unlock(&j->mutex);
    if (j->has_thread)
        (void)pthread_join(j->thread, NULL);
    free_jobs(j);
}

static heddle_status make(hd_jobs *j)
{
    HD_TRY(get_devices(j));
    if (!j->n_devices)
        return HEDDLE_OK;
    if (make_line(j) != HEDDLE_OK)
        return hd_say(NULL, HEDDLE_ENOMEM, "jobs: out of memory");
    j->has_thread = !pthread_create(&j->thread, NULL, hd_jobs_main, j);
    return j->has_thread ? HEDDLE_OK : hd_say(NULL, HEDDLE_ENOMEM, "jobs: no thread for the driver");
}

static heddle_status fetch(hd_jobs *j, heddle_array *a, uint64_t row, uint64_t n_rows);
static heddle_status wrote(hd_jobs *j, heddle_array *a, uint64_t row, uint64_t n_rows);
static void drop(hd_jobs *j, heddle_array *a);
static void rest(hd_jobs *j);
static const hd_jobs_calls calls = {close_jobs, fetch, wrote, drop, rest};

void hd_jobs_await_loops(heddle_fleet *f)
{
    (void)pthread_mutex_lock(&f->mutex);
    while (f->now)
        (void)pthread_cond_wait(&f->ended, &f->mutex);
    (void)pthread_mutex_unlock(&f->mutex);
}

heddle_status hd_jobs_of(heddle_fleet *f, hd_jobs **out)
{
    hd_jobs *j = f->jobs;
    heddle_status s;
    *out = j;
    if (j)
        return HEDDLE_OK;
    hd_jobs_await_loops(f); /* devices are asked whether they reach one another */
    j = hd_new(sizeof *j);
    if (!j)
        return hd_say(NULL, HEDDLE_ENOMEM, "jobs: out of memory");
    j->fleet = f;
    (void)pthread_mutex_init(&j->mutex, NULL);
    (void)pthread_cond_init(&j->wanted, NULL);
    hd_fleet_init_cond(&j->changed);
    s = make(j);
    if (s != HEDDLE_OK || !j->n_devices) {
        free_jobs(j);
        return s;
    }
    f->on_jobs = &calls;
    *out = f->jobs = j;
    return HEDDLE_OK;
}

/* ---- requests ------------------------------------------------------------------------------------------------------------------- */

static void hand_over(hd_jobs *j, hd_request *r)
{
    r->next = NULL;
    if (j->last)
        j->last->next = r;
    else
        j->first = r;
    j->last = r;
    (void)pthread_cond_signal(&j->wanted);
}

heddle_status hd_jobs_ask(hd_jobs *j, hd_request *r)
{
    HD_TRY(hd_fleet_check_process(j->fleet, "jobs"));
    (void)pthread_mutex_lock(&j->mutex);
    hand_over(j, r);
    if (r->kind == HD_REQUEST_START || r->kind == HD_REQUEST_SEQUENCE) {
        (void)pthread_mutex_unlock(&j->mutex);
        return HEDDLE_OK;
    }
    while (!r->is_answered)
        (void)pthread_cond_wait(&j->changed, &j->mutex);
    (void)pthread_mutex_unlock(&j->mutex);
    return r->status == HEDDLE_OK ? HEDDLE_OK : hd_say(NULL, r->status, "%s", r->error.text);
}

heddle_status hd_jobs_call(hd_jobs *j, heddle_status (*call)(hd_jobs *j, hd_request *r), hd_request *about)
{
    about->kind = HD_REQUEST_CALL;
    about->call = call;
    return hd_jobs_ask(j, about);
}

static heddle_status ask_rows(hd_jobs *j, hd_request_kind kind, heddle_array *a, uint64_t row, uint64_t n_rows)
{
    hd_request r;
    memset(&r, 0, sizeof r);
    r.kind = kind;
    r.array = a;
    r.rect = (hd_seg_rect){row, row + n_rows, 0, a->row_bytes};
    hd_jobs_await_loops(j->fleet);
    return n_rows ? hd_jobs_ask(j, &r) : HEDDLE_OK;
}

static heddle_status fetch(hd_jobs *j, heddle_array *a, uint64_t row, uint64_t n_rows)
{
    return ask_rows(j, HD_REQUEST_FETCH, a, row, n_rows);
}

static heddle_status wrote(hd_jobs *j, heddle_array *a, uint64_t row, uint64_t n_rows)
{
    return ask_rows(j, HD_REQUEST_WROTE, a, row, n_rows);
}

static void drop(hd_jobs *j, heddle_array *a) { (void)ask_rows(j, HD_REQUEST_DROP, a, 0, a->n_rows); }

static void rest(hd_jobs *j)
{
    (void)pthread_mutex_lock(&j->mutex);
    while (!j->is_resting || j->first)
        (void)pthread_cond_wait(&j->changed, &j->mutex);
    (void)pthread_mutex_unlock(&j->mutex);
}

static heddle_status join(hd_jobs *j, hd_request *r)
{
    heddle_array *a = r->array;
    uint32_t number;
    if (hd_segments_add(hd_line_segments(j->line), a->n_rows, a->row_bytes, a->stride, &number) != HEDDLE_OK ||
        hd_list_room(&j->arrays, number + 1u - hd_at_most(j->arrays.n, number + 1u), sizeof a) ||
        hd_list_room(&j->unwritten, number + 1u, sizeof(uint8_t)))
        return hd_say(NULL, HEDDLE_ENOMEM, "an array of jobs: out of memory");
    if (j->arrays.n <= number)
        j->arrays.n = number + 1u;
    ((heddle_array **)j->arrays.at)[number] = a;
    ((uint8_t *)j->unwritten.at)[number] = 0;
    a->segment = number;
    return HEDDLE_OK;
}

heddle_status hd_jobs_join(hd_jobs *j, heddle_array *a)
{
    if (a->segment != HD_NONE)
        return HEDDLE_OK;
    if (a->n_rows > (1ull << HD_ARRAY_BITS) / a->stride)
        return hd_say(NULL, HEDDLE_ERANGE, "an array of jobs has at most 2^%u bytes", HD_ARRAY_BITS);
    return hd_jobs_call(j, join, &(hd_request){.array = a});
}
