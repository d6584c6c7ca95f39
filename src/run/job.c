/* SPDX-License-Identifier: MIT */
/* job.c - see job.h.
 *
 *     idle --start--> running --(the kind says ended) conclude--> idle, with a result
 *
 * The first call that finds a job ended concludes it: a run, a wait, a test, or the next call on its object. Concluding turns
 * the stop word into a status and a sentence. Calls on a job may come from any thread; its mutex lets one of them conclude.
 *
 * The config's time limit is an alarm of the context. It stops the job whether or not a thread waits. If bodies have not
 * returned a grace period later, the context is lost. The alarm only records what the workers were doing. The concluding
 * thread makes the sentence, because a context's sentence belongs to the calling threads. */
#include "backend/inside.h"
#include "run/run.h"

#include <stdio.h>
#include <string.h>

#define GRACE_NS 5000000000ull /* after the time limit, for bodies to return */

void hd_job_clear(hd_job *j)
{
    hd_alarm_unset(j->ctx->alarms, &j->alarm);
    hd_delete(j->done, j->n_done);
    pthread_cond_destroy(&j->moved);
    pthread_mutex_destroy(&j->mutex);
}

int hd_job_watch(hd_job *j, uint64_t n)
{
    if (j->done || !n)
        return 0;
    j->done = hd_new(n);
    j->n_done = j->done ? n : 0;
    return j->done ? 0 : -1;
}

void hd_job_came(hd_job *j, uint64_t i, uint32_t item)
{
    hd_inside here;
    hd_inside_enter(&here, j->ctx->device);
    j->kind->came(j->self, i, item); /* first: a thread that waits for the item finds its callback done */
    hd_inside_leave(&here);
    pthread_mutex_lock(&j->mutex);
    j->done[i] = 1;
    pthread_cond_broadcast(&j->moved);
    pthread_mutex_unlock(&j->mutex);
}

uint64_t hd_job_deadline(uint32_t ms)
{
    return ms == HEDDLE_FOREVER ? UINT64_MAX : heddle_host_clock_ns() + (uint64_t)ms * 1000000u;
}

/* ---- the end ------------------------------------------------------------------------------------------------------ */

HD_STATIC_ASSERT(HD_MAX_AFTER == 15u, "a sentence names it");

/* The forbidden action of a body, in words. */
const char *hd_job_misuse(uint32_t code)
{
    switch (code) {
    case HD_SPAWN_NOWHERE: return "spawned a task, and no body of its table is a HEDDLE_SPAWNER";
    case HD_SPAWN_BODY: return "spawned a body that its table does not have, or with a record of another size";
    case HD_SPAWN_AFTER: return "spawned a task that waits for more than 15 others (HEDDLE_MAX_AFTER)";
    case HD_SPAWN_STALE: return "named a task by a handle that is none, or whose slot has another task by now";
    case HD_SPAWN_LATE: return "called heddle_task_continue after heddle_task_spawn; it must come first";
    case HD_SPAWN_TWICE: return "called heddle_task_continue twice";
    case HD_SPAWN_NULL:
        return "spawned a task with NULL for arguments, handles or ranges of which it names a size or number";
    default:
        return "spawned a task with a range of no bytes, of no mode, of a stride below its row, or past the address "
               "space";
    }
}

/* For runs in which no worker is in a task or waits for one: names at most 4 waiting tasks. Returns their number. */
static uint32_t say_waiting(const hd_job *j, char *text, size_t n)
{
    hd_doing d[4];
    uint32_t i, n_tasks = j->kind->waiting ? j->kind->waiting(j->self, d, 4) : 0;
    size_t at = 0;
    for (i = 0; i < n_tasks && at + 1 < n; i++)
        at += (size_t)snprintf(text + at, n - at, "%s task %u (%.24s) waits, %u of its %u predecessors done",
                               i ? "," : "; no worker was in a task:", d[i].waits, j->kind->name(j->self, d[i].waits),
                               d[i].seen, d[i].need);
    return n_tasks;
}

static heddle_status say_misuse(hd_job *j, const hd_outcome *r, const char *who)
{
    const uint32_t most = r->code == HD_SPAWN_TOO_MANY ? j->kind->most_children(j->self, r->task) : 0;
    if (r->code != HD_SPAWN_TOO_MANY)
        return hd_say(&j->ctx->error, HEDDLE_EBODY, "%s %s", who, hd_job_misuse(r->code));
    if (!most)
        return hd_say(&j->ctx->error, HEDDLE_EBODY, "%s spawned a task and is no HEDDLE_SPAWNER", who);
    return hd_say(&j->ctx->error, HEDDLE_EBODY, "%s spawned more than the %u tasks that HEDDLE_SPAWNER says of it", who,
                  most);
}

static heddle_status end_status(hd_job *j, const hd_outcome *r)
{
    const char *more = j->kind->complaint(j->self);
    hd_error *e = &j->ctx->error;
    char who[128], text[448] = "";
    if (r->stop == HD_STOP_FAILED || r->stop == HD_STOP_SPAWN)
        j->kind->say(j->self, r->task, who, sizeof who);
    switch (r->stop) {
    case HD_STOP_DONE: return HEDDLE_OK;
    case HD_STOP_CANCELED: return hd_say(e, HEDDLE_ECANCELED, "the run was cancelled before its end");
    case HD_STOP_LOST:
        __atomic_store_n(&j->ctx->lost, 1, __ATOMIC_RELAXED);
        return hd_say(e, HEDDLE_EDEVICE, "%s", more);
    case HD_STOP_FAILED:
        if (*more)
            return hd_say(e, HEDDLE_EBODY, "%s: %s", who, more);
        if (j->kind->say_failure && j->kind->say_failure(j->self, r->code, text, sizeof text))
            return hd_say(e, HEDDLE_EBODY, "%s", text);
        return hd_say(e, HEDDLE_EBODY, "%s failed with code %u", who, r->code);
    case HD_STOP_SPAWN: return say_misuse(j, r, who);
    case HD_STOP_FULL:
        return hd_say(
            e, HEDDLE_ENOMEM,
            "every slot for spawned tasks holds one that waits for room for its children: HEDDLE_ARENA, or the "
            "config's n_arena, gives more than %u",
            j->ctx->config.n_arena);
    case HD_STOP_STUCK:
        (void)say_waiting(j, text, sizeof text);
        return hd_say(e, HEDDLE_ECYCLE, "no worker can go on, and tasks are left%s", text);
    default:
        if (j->kind->say_halt)
            j->kind->say_halt(j->self, text, sizeof text);
        return hd_say(e, HEDDLE_ETIMEDOUT, "the run passed its limit of %u ms%s%s", j->ctx->config.time_limit_ms,
                      j->who.text, text);
    }
}

/* The caller holds the mutex, and the kind has reported the end. */
static void conclude(hd_job *j)
{
    hd_outcome r;
    if (!j->running)
        return;
    j->kind->result(j->self, &r);
    j->end = end_status(j, &r);
    j->running = 0;
    j->has_result = 1;
    if (j->handle) {
        j->handle->ended = 1;
        j->handle->end = j->end;
        j->handle = NULL;
    }
    pthread_cond_broadcast(&j->moved);
}

heddle_status hd_job_conclude(hd_job *j, const hd_outcome *r)
{
    j->has_result = 1;
    j->who.text[0] = 0;
    return j->end = end_status(j, r);
}

/* Waits until deadline_ns. 1: the job is concluded. */
static int waited(hd_job *j, uint64_t deadline_ns)
{
    if (j->kind->wait(j->self, deadline_ns) == HEDDLE_EBUSY)
        return 0;
    pthread_mutex_lock(&j->mutex);
    conclude(j);
    pthread_mutex_unlock(&j->mutex);
    return 1;
}

int hd_job_is_running(hd_job *j)
{
    int r;
    pthread_mutex_lock(&j->mutex);
    r = j->running;
    pthread_mutex_unlock(&j->mutex);
    return r;
}

int hd_job_is_over(hd_job *j) { return !hd_job_is_running(j) || waited(j, 0); }

/* ---- what workers wait for ---------------------------------------------------------------------------------------- */

/* Describes a worker's state in words. Returns the length. */
static int say_doing(const hd_job *j, uint32_t worker, const hd_doing *d, const char *before, char *text, size_t n)
{
    char who[128];
    if (d->task != HD_NONE) {
        j->kind->say(j->self, d->task, who, sizeof who);
        return snprintf(text, n, "%s worker %u in %.60s", before, worker, who);
    }
    return snprintf(text, n, "%s worker %u waits for task %u (%.24s), %u of its %u predecessors done", before, worker,
                    d->waits, j->kind->name(j->self, d->waits), d->seen, d->need);
}

/* For the sentence of a passed time limit: the tasks that workers run, and those they wait for, at most 4 of each. */
static void say_who(hd_job *j)
{
    char text[448]; /* leaves room for the sentence's beginning */
    uint32_t w, n[2] = {0, 0}, n_here = 0;
    size_t at = 0;
    const char *what;
    hd_doing d;
    text[0] = 0;
    for (w = 0; j->kind->doing(j->self, w, &d); w++) {
        int waits = d.task == HD_NONE;
        n_here += (uint32_t)d.here;
        if (!d.here || (waits && d.waits == HD_NONE) || n[waits]++ >= 4 || at + 1 >= sizeof text)
            continue;
        at += (size_t)say_doing(j, w, &d, at ? "," : ";", text + at, sizeof text - at);
    }
    what = w == 0    ? "" /* no worker can be queried */
           : !n_here ? "; no worker has started: the device is busy with other work"
           : n[0] + n[1] || say_waiting(j, text, sizeof text) ? text
                                                              : "; no worker was in a task";
    pthread_mutex_lock(&j->mutex);
    (void)hd_say(&j->who, HEDDLE_ETIMEDOUT, "%s", what);
    pthread_mutex_unlock(&j->mutex);
}

/* ---- waiting ------------------------------------------------------------------------------------------------------ */

static void lose(hd_job *j) { __atomic_store_n(&j->ctx->lost, 1, __ATOMIC_RELAXED); }

/* hd_alarm.ring: the config's time limit has passed, or the grace period after it. */
static uint64_t enforce_limit(void *self)
{
    hd_job *j = self;
    if (!hd_job_is_running(j) || j->kind->wait(j->self, 0) != HEDDLE_EBUSY)
        return UINT64_MAX; /* it ended in time, and is not yet concluded */
    if (heddle_host_clock_ns() >= j->lost_ns) {
        lose(j);
        return UINT64_MAX;
    }
    say_who(j);
    j->kind->stop(j->self, HD_STOP_TIMEOUT);
    return j->lost_ns;
}

static heddle_status end_of(hd_job *j)
{
    heddle_status s;
    pthread_mutex_lock(&j->mutex);
    s = j->end;
    pthread_mutex_unlock(&j->mutex);
    return s;
}

heddle_status hd_job_wait(hd_job *j, uint64_t deadline_ns)
{
    if (waited(j, deadline_ns < j->lost_ns ? deadline_ns : j->lost_ns))
        return end_of(j);
    if (heddle_host_clock_ns() < j->lost_ns)
        return HEDDLE_EBUSY;
    lose(j);
    return hd_ctx_check(j->ctx);
}

void hd_job_settle(hd_job *j)
{
    while (hd_job_is_running(j) && !hd_ctx_lost(j->ctx) && hd_job_wait(j, UINT64_MAX) == HEDDLE_EBUSY)
        continue;
    hd_alarm_unset(j->ctx->alarms, &j->alarm);
}

/* ---- the start ---------------------------------------------------------------------------------------------------- */

void hd_job_init(hd_job *j, const hd_job_kind *kind, void *self, heddle_ctx *ctx)
{
    memset(j, 0, sizeof *j);
    j->kind = kind;
    j->self = self;
    j->ctx = ctx;
    j->alarm.ring = enforce_limit;
    j->alarm.self = j;
    pthread_mutex_init(&j->mutex, NULL);
    pthread_cond_init(&j->moved, NULL);
}

static void set_running(hd_job *j, int running, heddle_job *handle)
{
    pthread_mutex_lock(&j->mutex);
    j->running = running;
    j->who.text[0] = 0;
    j->handle = handle;
    pthread_mutex_unlock(&j->mutex);
}

/* Limits the run alone: a first start may have had much to prepare. */
static void begin_limit(hd_job *j, uint32_t limit_ms)
{
    const uint64_t deadline_ns = hd_job_deadline(limit_ms);
    if (!limit_ms)
        return;
    j->lost_ns = deadline_ns + GRACE_NS;
    hd_alarm_set(j->ctx->alarms, &j->alarm, deadline_ns);
}

heddle_status hd_job_start(hd_job *j, heddle_job *handle, int help)
{
    const uint32_t limit_ms = j->ctx->config.time_limit_ms;
    heddle_status s;
    if (limit_ms)
        HD_TRY(hd_alarms_open(&j->ctx->alarms, &j->ctx->error));
    hd_alarm_unset(j->ctx->alarms, &j->alarm); /* the last run's */
    if (j->n_done)
        memset(j->done, 0, j->n_done);
    j->lost_ns = UINT64_MAX;
    set_running(j, 1, handle);
    s = j->kind->start(j->self, help, limit_ms ? hd_job_deadline(limit_ms) : UINT64_MAX, &j->ctx->error);
    if (s != HEDDLE_OK)
        set_running(j, 0, NULL);
    else
        begin_limit(j, limit_ms);
    return s;
}

/* ---- handles ------------------------------------------------------------------------------------------------------ */

/* EBUSY, or how the job ended. */
static heddle_status ended(heddle_job *h)
{
    heddle_status s;
    pthread_mutex_lock(&h->of->mutex);
    s = h->ended ? h->end : HEDDLE_EBUSY;
    pthread_mutex_unlock(&h->of->mutex);
    return s;
}

heddle_status hd_job_wait_handle(heddle_job *h, uint64_t deadline_ns)
{
    heddle_status s = ended(h);
    if (s != HEDDLE_EBUSY)
        return s;
    if (hd_ctx_lost(h->of->ctx))
        return HEDDLE_EDEVICE;
    s = hd_job_wait(h->of, deadline_ns);
    return s == HEDDLE_EBUSY ? s : ended(h) == HEDDLE_EBUSY ? HEDDLE_EDEVICE : ended(h);
}

/* Reads done[i] under the mutex. */
static int is_done(hd_job *j, uint64_t i)
{
    int d;
    pthread_mutex_lock(&j->mutex);
    d = j->done[i];
    pthread_mutex_unlock(&j->mutex);
    return d;
}

/* Sleeps until some watched item is done, at most 1 ms, since only polling the kind reveals the job's end. */
static void nap(hd_job *j)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_mutex_lock(&j->mutex);
    if (j->running)
        (void)pthread_cond_timedwait(&j->moved, &j->mutex, &until);
    pthread_mutex_unlock(&j->mutex);
}

heddle_status hd_job_wait_item(heddle_job *h, uint64_t i, uint64_t deadline_ns)
{
    heddle_status s;
    for (;;) {
        if (ended(h) == HEDDLE_EBUSY && is_done(h->of, i))
            return HEDDLE_OK;
        s = hd_job_wait_handle(h, 0);
        if (s != HEDDLE_EBUSY || heddle_host_clock_ns() >= deadline_ns)
            return s;
        nap(h->of);
    }
}

HEDDLE_API heddle_status heddle_job_test(heddle_job *h)
{
    if (!h)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_job_test: the job is NULL");
    return hd_ctx_forked(h->of->ctx) ? hd_ctx_check(h->of->ctx) : hd_job_wait_handle(h, 0);
}

HEDDLE_API heddle_status heddle_job_wait(heddle_job *h, uint32_t timeout_ms)
{
    heddle_status s;
    if (!h)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_job_wait: the job is NULL");
    HD_TRY(hd_ctx_may_wait(h->of->ctx, "heddle_job_wait"));
    s = hd_job_wait_handle(h, hd_job_deadline(timeout_ms));
    if (s == HEDDLE_EBUSY)
        return hd_say(&h->of->ctx->error, HEDDLE_EBUSY, "heddle_job_wait: the job goes on after %u ms", timeout_ms);
    return s;
}

HEDDLE_API void heddle_job_cancel(heddle_job *h)
{
    if (!h || hd_ctx_forked(h->of->ctx))
        return;
    pthread_mutex_lock(&h->of->mutex);
    if (!h->ended)
        h->of->kind->stop(h->of->self, HD_STOP_CANCELED);
    pthread_mutex_unlock(&h->of->mutex);
}

HEDDLE_API void heddle_job_free(heddle_job *h)
{
    if (!h || hd_ctx_forked(h->of->ctx))
        return;
    if (ended(h) == HEDDLE_EBUSY && hd_ctx_may_wait(h->of->ctx, "heddle_job_free") != HEDDLE_OK)
        return;
    (void)hd_job_wait_handle(h, UINT64_MAX);
    pthread_mutex_lock(&h->of->mutex);
    if (h->of->handle == h)
        h->of->handle = NULL;
    pthread_mutex_unlock(&h->of->mutex);
    hd_delete(h, sizeof *h);
}
