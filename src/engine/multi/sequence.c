/* SPDX-License-Identifier: MIT */
/* sequence.c - the public calls for sequences of jobs (heddle/multi.h). A fleet without devices for jobs runs them within the call that
 * starts them. */
#include "engine/multi/sequence.h"

#include <stdio.h>

#define SAY(status, ...) hd_say(NULL, status, __VA_ARGS__)

/* ---- new and free ----------------------------------------------------------------------------------------------------------- */

HEDDLE_API heddle_status heddle_sequence_new(heddle_fleet *f, heddle_sequence **out)
{
    heddle_sequence *s;
    heddle_status status;
    if (!f || !out)
        return SAY(HEDDLE_EINVAL, "heddle_sequence_new: %s is NULL", f ? "out" : "the fleet");
    *out = NULL;
    HD_TRY(hd_fleet_check_process(f, "heddle_sequence_new"));
    s = hd_new(sizeof *s);
    if (!s)
        return SAY(HEDDLE_ENOMEM, "heddle_sequence_new: out of memory");
    s->fleet = f;
    status = hd_jobs_of(f, &s->jobs);
    if (status != HEDDLE_OK)
        hd_delete(s, sizeof *s);
    else
        *out = s;
    return status;
}

/* In the driver's thread. */
static heddle_status delete_records(hd_jobs *j, hd_request *r)
{
    (void)j;
    hd_replay_free(r->sequence);
    return HEDDLE_OK;
}

static void free_records(heddle_sequence *s)
{
    if (!s->one.n_runs)
        return;
    hd_jobs_await_loops(s->fleet);
    (void)hd_jobs_call(s->jobs, delete_records, &(hd_request){.sequence = s});
}

static void free_job(hd_sequence_job *x)
{
    heddle_multi *m = x->multi;
    hd_delete(x->params, m->loop->params_bytes);
    if (!--m->n_sequences && m->is_freed)
        heddle_multi_free(m);
}

HEDDLE_API void heddle_sequence_free(heddle_sequence *s)
{
    uint64_t i;
    if (!s || hd_fleet_is_forked(s->fleet))
        return;
    (void)heddle_sequence_wait(s, HEDDLE_FOREVER);
    free_records(s);
    for (i = 0; i < s->list.n; i++)
        free_job(hd_sequence_at(s, i));
    hd_kept_clear(&s->kept[0]);
    hd_kept_clear(&s->kept[1]);
    hd_kept_clear(&s->recorded);
    hd_list_clear(&s->list);
    hd_list_clear(&s->how);
    hd_delete(s, sizeof *s);
}

/* ---- what is in it ---------------------------------------------------------------------------------------------------------- */

static heddle_status check_rest(const heddle_sequence *s, const char *call)
{
    uint32_t n = 0;
    if (!s)
        return SAY(HEDDLE_EINVAL, "%s: the sequence is NULL", call);
    HD_TRY(hd_fleet_check_process(s->fleet, call));
    if (s->jobs) {
        (void)pthread_mutex_lock(&s->jobs->mutex);
        n = s->n_starts;
        (void)pthread_mutex_unlock(&s->jobs->mutex);
    }
    return n ? SAY(HEDDLE_EBUSY, "%s: a start of it has not ended", call) : HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_sequence_add(heddle_sequence *s, heddle_multi *m, const void *params,
                                             size_t params_bytes)
{
    hd_sequence_job *x;
    HD_TRY(check_rest(s, "heddle_sequence_add"));
    if (!m || m->fleet != s->fleet)
        return SAY(HEDDLE_EINVAL, "heddle_sequence_add: the job %s", m ? "is of another fleet" : "is NULL");
    HD_TRY(hd_turns_check_start(&m->loop->turn, "heddle_sequence_add", m->loop->table, params, params_bytes));
    if (hd_list_room(&s->list, 1, sizeof *x))
        return SAY(HEDDLE_ENOMEM, "heddle_sequence_add: out of memory");
    x = hd_sequence_at(s, s->list.n);
    x->multi = m;
    x->params = params_bytes ? hd_new(params_bytes) : NULL;
    if (params_bytes && !x->params)
        return SAY(HEDDLE_ENOMEM, "heddle_sequence_add: out of memory");
    if (params_bytes)
        memcpy(x->params, params, params_bytes);
    free_records(s);
    m->n_sequences++;
    s->list.n++;
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_sequence_set_replay(heddle_sequence *s, heddle_replay most)
{
    HD_TRY(check_rest(s, "heddle_sequence_set_replay"));
    if ((uint32_t)most > HEDDLE_REPLAY_NONE)
        return SAY(HEDDLE_EINVAL, "heddle_sequence_set_replay: there is no way number %u", (unsigned)most);
    s->most = most;
    return HEDDLE_OK;
}

/* ---- starts ----------------------------------------------------------------------------------------------------------------- */

void hd_sequence_over(hd_jobs *j, hd_request *r, heddle_status status, const hd_error *e)
{
    heddle_sequence *s = r->sequence;
    (void)pthread_mutex_lock(&j->mutex);
    s->n_starts--;
    j->n_jobs--;
    hd_keep_first(&s->status, &s->error, status, e);
    (void)pthread_cond_broadcast(&j->changed);
    (void)pthread_mutex_unlock(&j->mutex);
    hd_delete(r, r->n_bytes);
}

static heddle_status start(heddle_sequence *s, uint64_t n)
{
    hd_request *r = hd_new(sizeof *r);
    if (!r)
        return SAY(HEDDLE_ENOMEM, "heddle_sequence_start: out of memory");
    r->kind = HD_REQUEST_SEQUENCE;
    r->n_bytes = sizeof *r;
    r->sequence = s;
    r->n_times = n;
    hd_start_wait(s->jobs, &s->n_starts);
    return hd_jobs_ask(s->jobs, r);
}

static heddle_status run_job_here(heddle_sequence *s, uint64_t i)
{
    const hd_sequence_job *x = hd_sequence_at(s, i);
    if (__atomic_load_n(&s->is_canceled, __ATOMIC_RELAXED))
        return SAY(HEDDLE_ECANCELED, "the sequence was cancelled");
    return hd_multi_run_here(x->multi, x->params);
}

static heddle_status run_here(heddle_sequence *s, uint64_t n)
{
    const uint64_t begin = heddle_host_clock_ns();
    heddle_status status = HEDDLE_OK;
    uint64_t k, i;
    __atomic_store_n(&s->is_canceled, 0, __ATOMIC_RELAXED);
    for (k = 0; k < n && status == HEDDLE_OK; k++)
        for (i = 0; i < s->list.n && status == HEDDLE_OK; i++)
            status = run_job_here(s, i);
    s->stats.n_runs += k;
    s->stats.time_ns = heddle_host_clock_ns() - begin;
    s->how.n = 0;
    hd_how_add(&s->how, "no device for jobs: %llu runs as loops\n", (unsigned long long)k);
    hd_keep_here(s->fleet, &s->status, &s->error, status);
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_sequence_start(heddle_sequence *s, uint64_t n)
{
    if (!s)
        return SAY(HEDDLE_EINVAL, "heddle_sequence_start: the sequence is NULL");
    HD_TRY(hd_fleet_check_process(s->fleet, "heddle_sequence_start"));
    return s->jobs ? start(s, n) : run_here(s, n);
}

HEDDLE_API heddle_status heddle_sequence_wait(heddle_sequence *s, uint32_t timeout_ms)
{
    if (!s)
        return SAY(HEDDLE_EINVAL, "heddle_sequence_wait: the sequence is NULL");
    HD_TRY(hd_fleet_check_process(s->fleet, "heddle_sequence_wait"));
    return s->jobs ? hd_start_await(s->jobs, &s->n_starts, &s->status, &s->error, timeout_ms)
                   : hd_take_here(s->fleet, &s->status, &s->error);
}

/* In the driver's thread. */
static heddle_status cancel(hd_jobs *j, hd_request *r)
{
    (void)hd_say(&j->error, HEDDLE_ECANCELED, "the sequence was cancelled");
    hd_sequence_drop(j, NULL, r->sequence, HEDDLE_ECANCELED);
    return HEDDLE_OK;
}

HEDDLE_API void heddle_sequence_cancel(heddle_sequence *s)
{
    if (s && s->jobs)
        (void)hd_jobs_call(s->jobs, cancel, &(hd_request){.sequence = s});
    else if (s)
        __atomic_store_n(&s->is_canceled, 1, __ATOMIC_RELAXED);
}

/* ---- figures ---------------------------------------------------------------------------------------------------------------- */

HEDDLE_API heddle_status heddle_sequence_get_stats(heddle_sequence *s, heddle_sequence_stats *out)
{
    heddle_sequence_stats full;
    if (!s || !out || out->size < sizeof(size_t))
        return SAY(HEDDLE_EINVAL, "heddle_sequence_get_stats: %s",
                   s ? "set *out up with HEDDLE_SEQUENCE_STATS_INIT" : "the sequence is NULL");
    HD_TRY(hd_fleet_check_process(s->fleet, "heddle_sequence_get_stats"));
    if (s->jobs)
        (void)pthread_mutex_lock(&s->jobs->mutex);
    full = s->stats;
    if (s->jobs)
        (void)pthread_mutex_unlock(&s->jobs->mutex);
    full.size = sizeof full;
    hd_copy_known(out, &full, sizeof full);
    return HEDDLE_OK;
}

HEDDLE_API const char *heddle_sequence_how(heddle_sequence *s)
{
    if (!s || hd_fleet_is_forked(s->fleet))
        return "";
    if (check_rest(s, "heddle_sequence_how") != HEDDLE_OK)
        return "it is under way\n";
    return s->how.at && s->how.n ? s->how.at : "";
}
