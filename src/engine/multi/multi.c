/* SPDX-License-Identifier: MIT */
/* multi.c - heddle_multi_new and _free, and starts and ends of jobs. A fleet without devices for jobs runs them as loops, one at a time, within
 * the call that starts them. */
#include "engine/multi/slab.h"
#include "engine/multi/jobs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define SAY(status, ...) hd_say(NULL, status, "heddle_multi_new: " __VA_ARGS__)
#define MOST_JOBS 4096u /* that were started and have not ended; a start waits beyond */

HEDDLE_API const char *heddle_map_name(heddle_map m)
{
#define HEDDLE_X(name, value, text, help) text,
    static const char *const names[HEDDLE_N_MAPS] = {HEDDLE_MAP_MAP(HEDDLE_X)};
#undef HEDDLE_X
    return (uint32_t)m < HEDDLE_N_MAPS ? names[m] : NULL;
}

/* ---- what is asked for ------------------------------------------------------------------------------------------------------ */

static heddle_status read_desc(heddle_multi_desc *to, const heddle_multi_desc *from)
{
    *to = (heddle_multi_desc)HEDDLE_MULTI_INIT;
    if (from && (from->size < sizeof(size_t) || from->size > 4096))
        return SAY(HEDDLE_EINVAL, "set the description up with HEDDLE_MULTI_INIT");
    if (from)
        memcpy(to, from, from->size < sizeof *to ? from->size : sizeof *to);
    HD_TRY(hd_env_fill_struct(&hd_multi_env, to, NULL));
    if ((uint32_t)to->map >= HEDDLE_N_MAPS)
        return SAY(HEDDLE_EINVAL, "there is no map number %u", (unsigned)to->map);
    if (to->n_tasks > HEDDLE_MULTI_MOST_TASKS || to->n_tasks_2 > HEDDLE_MULTI_MOST_TASKS)
        return SAY(HEDDLE_ERANGE, "%u x %u tasks; %u are the most", to->n_tasks, to->n_tasks_2,
                   HEDDLE_MULTI_MOST_TASKS);
    to->n_tasks_2 = to->n_tasks_2 ? to->n_tasks_2 : 1u;
    return HEDDLE_OK;
}

/* Slices that differ only by the second index write different bytes. */
static heddle_status check_second(const heddle_multi *m)
{
    uint64_t i;
    for (i = 0; m->desc.n_tasks_2 > 1u && i < m->loop->pieces.n; i++) {
        const hd_piece *p = hd_piece_at(m->loop, i);
        if (p->writes && (p->n_columns || (p->kind != HEDDLE_ACCESS_BOTH && p->kind != HEDDLE_ACCESS_RECT)))
            return SAY(HEDDLE_EINVAL,
                       "%u tasks by the second index, and access %u, which is written, does not follow that",
                       m->desc.n_tasks_2, p->access);
    }
    return HEDDLE_OK;
}

static heddle_status check_tasks(const heddle_multi *m)
{
    uint64_t i;
    if (m->desc.n_tasks > m->loop->n_grains || m->desc.n_tasks_2 > m->n_grains_2)
        return SAY(HEDDLE_EINVAL, "%u x %u tasks of %" PRIu64 " x %" PRIu64 " tiles", m->desc.n_tasks,
                   m->desc.n_tasks_2, m->loop->n_grains, m->n_grains_2);
    for (i = 0; i < m->loop->pieces.n; i++)
        if (hd_piece_at(m->loop, i)->kind == HEDDLE_ACCESS_PARTS)
            return SAY(HEDDLE_EINVAL, "access %u is by a function, which a job cannot have",
                       hd_piece_at(m->loop, i)->access);
    return check_second(m);
}

/* ---- room ------------------------------------------------------------------------------------------------------------------- */

/* The piece of which the block touches the most bytes. */
static const hd_piece *largest_piece(const heddle_multi *m, const hd_grains *block, hd_seg_rect *rect)
{
    const hd_piece *largest = hd_piece_at(m->loop, 0);
    uint64_t i;
    *rect = hd_piece_rect(largest, block);
    for (i = 1; i < m->loop->pieces.n; i++) {
        const hd_seg_rect r = hd_piece_rect(hd_piece_at(m->loop, i), block);
        if (hd_seg_rect_bytes(&r) <= hd_seg_rect_bytes(rect))
            continue;
        largest = hd_piece_at(m->loop, i);
        *rect = r;
    }
    return largest;
}

static heddle_status check_room(const heddle_multi *m)
{
    hd_grains block;
    const uint64_t need = hd_kind_least_room(m->kind, &block);
    uint32_t d;
    for (d = 0; d < m->jobs->n_devices; d++) {
        const hd_jobs_device *x = &m->jobs->devices[d];
        const hd_piece *p;
        hd_seg_rect rect;
        if (need <= x->pool_bytes / HD_SLAB_UNIT * HD_SLAB_UNIT)
            continue;
        p = largest_piece(m, &block, &rect);
        return SAY(HEDDLE_ENOMEM,
                   "the least slice of %s needs %" PRIu64 " bytes of a device; the pool of %s has %" PRIu64
                   ". The most is of access %u: as many as " HD_ROWS_FORMAT,
                   hd_multi_name(m), need, x->unit->name, x->pool_bytes, p->access, HD_ROWS_OF(p->array, rect));
    }
    return HEDDLE_OK;
}

static uint64_t bytes_of(const heddle_array *a) { return a ? a->n_rows * a->row_bytes : 0; }

/* A device has no such pool: this thread's sentence, and for what it was wanted. */
static heddle_status say_what_for(const heddle_loop_desc *d, heddle_status s)
{
    const hd_error e = *hd_thread_error();
    const heddle_array *largest = NULL;
    uint32_t i, access = 0;
    for (i = 0; i < d->n_accesses; i++)
        if (bytes_of(d->accesses[i].array) > bytes_of(largest)) {
            largest = d->accesses[i].array;
            access = i;
        }
    if (!largest)
        return s;
    return hd_say(NULL, s, "%.300s. The largest access, %u, is of " HD_ROWS_FORMAT, e.text, access,
                  HD_ROWS_OF(largest, ((hd_seg_rect){0, largest->n_rows, 0, 0})));
}

/* ---- new and free ----------------------------------------------------------------------------------------------------------- */

/* In the driver's thread. heddle_multi_free removes what was made before it failed. */
static heddle_status add_kind(hd_jobs *j, hd_request *r)
{
    heddle_multi *m = r->multi;
    const uint32_t limit = m->loop->desc.time_limit_ms;
    const hd_line_kind_config c = {.n = m->loop->n_grains,
                                   .n_2 = m->n_grains_2,
                                   .map = m->desc.map,
                                   .n_tasks = m->desc.n_tasks,
                                   .n_tasks_2 = m->desc.n_tasks_2,
                                   .n_uses = (uint32_t)m->loop->pieces.n,
                                   .uses = hd_multi_uses,
                                   .self = m,
                                   .is_alone = m->desc.is_safe || m->loop->founds.n,
                                   .family = (uintptr_t)m->loop->table + m->loop->desc.body + 1u};
    if (hd_kind_new(j->line, &c, &m->kind) != HEDDLE_OK)
        return SAY(HEDDLE_ENOMEM, "out of memory");
    HD_TRY(check_room(m));
    if (m->loop->desc.n_trace && hd_traced_new(j, m->loop->desc.n_trace) != HEDDLE_OK)
        return SAY(HEDDLE_ENOMEM, "no memory for a trace of %u events a row", m->loop->desc.n_trace);
    if (limit && (!j->time_limit_ms || limit < j->time_limit_ms))
        j->time_limit_ms = limit;
    return HEDDLE_OK;
}

static heddle_status remove_kind(hd_jobs *j, hd_request *r)
{
    (void)j;
    hd_kind_delete(r->multi->kind);
    return HEDDLE_OK;
}

static heddle_status cancel(hd_jobs *j, hd_request *r)
{
    const int is_in_line = r->multi->n_in_line > 0;
    (void)hd_say(&j->error, HEDDLE_ECANCELED, "the job was cancelled");
    hd_line_drop(j->line, r->multi->kind, HEDDLE_ECANCELED);
    hd_sequence_drop(j, is_in_line ? NULL : r->multi, NULL, HEDDLE_ECANCELED);
    return HEDDLE_OK;
}

/* What a loop is run as needs memory for slices, which jobs do not. */
static heddle_status describe(heddle_multi *m, const heddle_table *table, const heddle_loop_desc *d)
{
    HD_TRY(hd_loop_make(m->fleet, table, d, !m->jobs, &m->loop));
    m->n_grains_2 = m->loop->desc.n_2 ? (m->loop->desc.n_2 - 1u) / m->loop->desc.tile_2 + 1u : 1u;
    return check_tasks(m);
}

static heddle_status make(heddle_multi *m, const heddle_table *table, const heddle_loop_desc *d)
{
    heddle_status s;
    uint64_t i;
    s = hd_jobs_of(m->fleet, &m->jobs);
    if (s != HEDDLE_OK)
        return m->fleet->config.pool_bytes ? say_what_for(d, s) : s;
    HD_TRY(describe(m, table, d));
    if (!m->jobs)
        return HEDDLE_OK;
    for (i = 0; i < m->jobs->n_devices; i++) {
        const hd_fleet_unit *u = m->jobs->devices[i].unit;
        if (m->desc.call && !u->acc.call)
            return SAY(HEDDLE_ENODEV, "%s takes no calls of the host's functions%s", u->name,
                       u->n_parts > 1u ? ": there is no green context for a part of this size" : "");
        if (u->ctx && u->ctx->backend->takes && !m->desc.call)
            HD_TRY(u->ctx->backend->takes(table, hd_thread_error()));
    }
    for (i = 0; i < m->loop->pieces.n; i++)
        HD_TRY(hd_jobs_join(m->jobs, hd_piece_at(m->loop, i)->array));
    if (m->loop->desc.n_trace)
        hd_jobs_await_loops(m->fleet); /* devices are told that times are wanted */
    return hd_jobs_call(m->jobs, add_kind, &(hd_request){.multi = m});
}

HEDDLE_API heddle_status heddle_multi_new(heddle_fleet *f, const heddle_table *table, const heddle_loop_desc *d,
                                          const heddle_multi_desc *desc, heddle_multi **out)
{
    heddle_multi_desc full;
    heddle_multi *m;
    heddle_status s;
    HD_TRY(hd_fleet_check_new("heddle_multi_new", f, table, d, out));
    *out = NULL;
    HD_TRY(read_desc(&full, desc));
    m = hd_new(sizeof *m);
    if (!m)
        return SAY(HEDDLE_ENOMEM, "out of memory");
    m->fleet = f;
    m->desc = full;
    s = make(m, table, d);
    if (s != HEDDLE_OK)
        heddle_multi_free(m);
    else
        *out = m;
    return s;
}

HEDDLE_API void heddle_multi_free(heddle_multi *m)
{
    if (!m || hd_fleet_is_forked(m->fleet))
        return;
    (void)heddle_multi_wait(m, HEDDLE_FOREVER);
    m->is_freed = 1;
    if (m->n_sequences)
        return;
    if (m->kind)
        (void)hd_jobs_call(m->jobs, remove_kind, &(hd_request){.multi = m});
    heddle_loop_free(m->loop);
    hd_list_clear(&m->how);
    hd_delete(m, sizeof *m);
}

/* ---- jobs -------------------------------------------------------------------------------------------------------------------- */

static void note_end(hd_jobs *j, const hd_request *r, heddle_status status)
{
    heddle_multi *m = r->multi;
    (void)pthread_mutex_lock(&j->mutex);
    m->n_jobs--;
    j->n_jobs--;
    m->time_ns = heddle_host_clock_ns() - r->start_ns;
    hd_keep_first(&m->status, &m->error, status, &r->error);
    (void)pthread_cond_broadcast(&j->changed);
    (void)pthread_mutex_unlock(&j->mutex);
}

void hd_job_dropped(void *jobs, void *request) { ((hd_request *)request)->error = ((const hd_jobs *)jobs)->error; }

void hd_job_ended(void *jobs, hd_line_job *job, void *request, heddle_status status)
{
    hd_jobs *j = jobs;
    hd_request *r = request;
    heddle_multi *m = r->multi;
    m->n_in_line -= job != NULL;
    if (!job)
        hd_job_dropped(j, r);
    if (status == HEDDLE_OK)
        hd_founds_combine(m->loop);
    if (r->sequence)
        hd_sequence_job_ended(r, status);
    else
        note_end(j, r, status);
    hd_delete(r, r->n_bytes);
}

hd_request *hd_start_new(heddle_multi *m, const void *params)
{
    const uint64_t at = (sizeof(hd_request) + 63u) / 64u * 64u, n = at + m->loop->params_bytes;
    hd_request *r = hd_new(n);
    if (!r)
        return NULL;
    r->kind = HD_REQUEST_START;
    r->multi = m;
    r->n_bytes = n;
    r->params = (uint8_t *)r + at;
    if (m->loop->params_bytes)
        memcpy(r->params, params, m->loop->params_bytes);
    return r;
}

void hd_start_wait(hd_jobs *j, uint32_t *own)
{
    hd_jobs_await_loops(j->fleet);
    (void)pthread_mutex_lock(&j->mutex);
    while (j->n_jobs >= MOST_JOBS)
        (void)pthread_cond_wait(&j->changed, &j->mutex);
    ++*own;
    j->n_jobs++;
    (void)pthread_mutex_unlock(&j->mutex);
}

static heddle_status start(heddle_multi *m, const void *params)
{
    hd_request *r = hd_start_new(m, params);
    if (!r)
        return hd_say(NULL, HEDDLE_ENOMEM, "heddle_multi_start: out of memory");
    hd_start_wait(m->jobs, &m->n_jobs);
    return hd_jobs_ask(m->jobs, r);
}

/* Without devices for jobs: the call of the first thread that comes along does it. */
static heddle_status call_here(heddle_multi *m, const void *params)
{
    const heddle_loop *l = m->loop;
    void *base[HD_MOST_PIECES];
    uint8_t own[HD_SPAN_PARAMS_MOST] __attribute__((aligned(16)));
    uint64_t i;
    const heddle_span_work w = {.table = l->table,
                                .body = l->desc.body,
                                .params = own,
                                .params_bytes = l->params_bytes,
                                .n_dims = l->desc.n_2 ? 2 : 1,
                                .end = l->desc.n,
                                .end_2 = l->desc.n_2 ? l->desc.n_2 : 1,
                                .tile = l->desc.tile,
                                .tile_2 = l->desc.tile_2,
                                .device = UINT32_MAX};
    memcpy(own, params, l->params_bytes);
    for (i = 0; i < l->pieces.n; i++)
        base[i] = hd_piece_at(l, i)->array->host;
    hd_layout_point(l, own, base, NULL);
    return m->desc.call(m->desc.call_user, NULL, &w);
}

heddle_status hd_multi_run_here(heddle_multi *m, const void *params)
{
    const uint64_t begin = heddle_host_clock_ns();
    const heddle_status s =
        m->desc.call ? call_here(m, params) : heddle_loop_run(m->loop, params, m->loop->params_bytes);
    m->time_ns = heddle_host_clock_ns() - begin;
    m->n_here++;
    return s;
}

void hd_keep_here(heddle_fleet *f, heddle_status *status, hd_error *error, heddle_status s)
{
    (void)pthread_mutex_lock(&f->mutex);
    hd_keep_first(status, error, s, hd_thread_error());
    (void)pthread_mutex_unlock(&f->mutex);
}

static heddle_status run_here(heddle_multi *m, const void *params)
{
    hd_keep_here(m->fleet, &m->status, &m->error, hd_multi_run_here(m, params));
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_multi_start(heddle_multi *m, const void *params, size_t params_bytes)
{
    if (!m)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_multi_start: the job is NULL");
    HD_TRY(hd_turns_check_start(&m->loop->turn, "heddle_multi_start", m->loop->table, params, params_bytes));
    return m->jobs ? start(m, params) : run_here(m, params);
}

/* With the mutex. */
static heddle_status take(heddle_status *status, const hd_error *error)
{
    const heddle_status s = *status;
    *status = HEDDLE_OK;
    if (s != HEDDLE_OK)
        *hd_thread_error() = *error;
    return s;
}

heddle_status hd_take_here(heddle_fleet *f, heddle_status *status, const hd_error *error)
{
    heddle_status s;
    (void)pthread_mutex_lock(&f->mutex);
    s = take(status, error);
    (void)pthread_mutex_unlock(&f->mutex);
    return s;
}

/* In the driver's thread: a wait tells of a loss. Jobs that are started from now on are run with what there is. */
static heddle_status note_told(hd_jobs *j, hd_request *r)
{
    (void)r;
    memset(j->unwritten.at, 0, j->arrays.n);
    return HEDDLE_OK;
}

heddle_status hd_start_await(hd_jobs *j, const uint32_t *own, heddle_status *status, const hd_error *error,
                             uint32_t timeout_ms)
{
    const struct timespec until = hd_turns_until(timeout_ms);
    heddle_status s = HEDDLE_EBUSY;
    int r = 0;
    (void)pthread_mutex_lock(&j->mutex);
    while (*own && r != ETIMEDOUT)
        r = timeout_ms == HEDDLE_FOREVER ? pthread_cond_wait(&j->changed, &j->mutex)
                                         : pthread_cond_timedwait(&j->changed, &j->mutex, &until);
    if (!*own)
        s = take(status, error);
    j->was_awaited |= !j->n_jobs;
    (void)pthread_mutex_unlock(&j->mutex);
    if (s == HEDDLE_EDEVICE)
        (void)hd_jobs_call(j, note_told, &(hd_request){0});
    return s;
}

HEDDLE_API heddle_status heddle_multi_wait(heddle_multi *m, uint32_t timeout_ms)
{
    if (!m)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_multi_wait: the job is NULL");
    HD_TRY(hd_fleet_check_process(m->fleet, "heddle_multi_wait"));
    return m->jobs ? hd_start_await(m->jobs, &m->n_jobs, &m->status, &m->error, timeout_ms)
                   : hd_take_here(m->fleet, &m->status, &m->error);
}

HEDDLE_API heddle_status heddle_multi_run(heddle_multi *m, const void *params, size_t params_bytes)
{
    HD_TRY(heddle_multi_start(m, params, params_bytes));
    return heddle_multi_wait(m, HEDDLE_FOREVER);
}

HEDDLE_API void heddle_multi_cancel(heddle_multi *m)
{
    if (m && m->jobs)
        (void)hd_jobs_call(m->jobs, cancel, &(hd_request){.multi = m});
    else if (m)
        heddle_loop_cancel(m->loop);
}
