/* SPDX-License-Identifier: MIT */
/* wait.c - waiting for tasks of a pool. A waiting thread polls, then sleeps between polls, up to a sixteenth of the time that
 * it has waited: a GPU cannot wake it, and a thread that has ended a task shall not have to. */
#include "engine/pool/pool.h"

/* ---- one task ------------------------------------------------------------------------------------------------------ */

static heddle_status say_invalid(const char *call, heddle_handle h)
{
    return hd_say(NULL, HEDDLE_EINVAL, "%s: handle 0x%llx names no task of this pool, or one whose end was seen", call,
                  (unsigned long long)h);
}

/* The context's worker that runs slot i's task, or HD_NONE. */
static uint32_t worker_of(const heddle_pool *p, uint32_t i)
{
    hd_doing d;
    uint32_t w;
    for (w = 0; p->backend->doing(p->loaded, w, &d); w++)
        if (d.task == i)
            return w;
    return HD_NONE;
}

static heddle_status say_late(const heddle_pool *p, uint32_t i, const char *call)
{
    const uint32_t w = worker_of(p, i);
    const char *body = hd_body_name(p->graph->g.table, p->slots[i].body);
    if (w == HD_NONE)
        return hd_say(NULL, HEDDLE_ETIMEDOUT, "%s: a task (%s) is past its time limit of %u ms", call, body,
                      p->slots[i].time_limit_ms);
    return hd_say(NULL, HEDDLE_ETIMEDOUT,
                  "%s: a task (%s, slot %u) is past its time limit of %u ms and still runs, on worker %u", call, body,
                  i, p->slots[i].time_limit_ms, w);
}

/* The end of that task was asked for and is there. */
static inline heddle_status take_end(heddle_pool *p, heddle_handle h, uint32_t how, heddle_pool_end *end,
                                     const char *call)
{
    const uint32_t i = (uint32_t)h;
    hd_slot *s = &p->slots[i];
    hd_post *post = hd_post_of(p, i);
    heddle_pool_end mine;
    heddle_status said = HEDDLE_OK;
    int valid;
    hd_post_lock(post);
    valid = hd_slot_generation(p, i) == h >> 32 && (s->flags & (HD_SLOT_HANDLE | HD_SLOT_SEEN)) == HD_SLOT_HANDLE;
    if (valid) {
        said = hd_slot_end(p, h, how, end ? end : &mine);
        if (!(s->flags & HD_SLOT_NOTIFY))
            hd_slot_see(p, post, i, how, 1);
    }
    hd_post_unlock(post);
    return valid ? said : say_invalid(call, h);
}

/* EBUSY, without a sentence; or the status. A task that is late and still runs is EBUSY or ETIMEDOUT. */
static heddle_status look(heddle_pool *p, heddle_handle h, heddle_pool_end *end, heddle_status late, const char *call)
{
    const uint32_t i = (uint32_t)h;
    uint32_t how;
    if (i >= p->n_slots || hd_slot_generation(p, i) != h >> 32)
        return say_invalid(call, h);
    how = hd_slot_how(p, i, (uint32_t)(h >> 32));
    if (how)
        return take_end(p, h, how, end, call);
    if (end)
        *end = (heddle_pool_end){h, 0, HEDDLE_EBUSY, 0};
    return late != HEDDLE_EBUSY && hd_slot_is_late(p, i, (uint32_t)(h >> 32)) ? say_late(p, i, call) : HEDDLE_EBUSY;
}

/* A handle is valid although its task has not ended: it was given. */
static heddle_status check_given(heddle_pool *p, heddle_handle h, const char *call)
{
    const uint32_t i = (uint32_t)h;
    hd_post *post;
    int valid;
    if (i >= p->n_slots)
        return say_invalid(call, h);
    post = hd_post_of(p, i);
    hd_post_lock(post);
    valid = hd_slot_generation(p, i) == h >> 32 && p->slots[i].flags & HD_SLOT_HANDLE;
    hd_post_unlock(post);
    return valid ? HEDDLE_OK : say_invalid(call, h);
}

static heddle_status say_busy(const char *call) { return hd_say(NULL, HEDDLE_EBUSY, "%s: it has not ended yet", call); }

HEDDLE_API heddle_status heddle_pool_test(heddle_pool *p, heddle_handle h, heddle_pool_end *end)
{
    heddle_status s;
    HD_TRY(hd_pool_usable(p, "heddle_pool_test"));
    s = look(p, h, end, HEDDLE_EBUSY, "heddle_pool_test");
    if (s != HEDDLE_EBUSY)
        return s;
    HD_TRY(check_given(p, h, "heddle_pool_test"));
    hd_pool_flush(p);
    return say_busy("heddle_pool_test");
}

/* Polls the handles until one has ended. */
static heddle_status await(heddle_pool *p, const heddle_handle *h, size_t n, uint32_t timeout_ms, size_t *which,
                           heddle_pool_end *end, const char *call)
{
    uint64_t since = 0, deadline = 0;
    size_t i;
    for (;;) {
        for (i = 0; i < n; i++) {
            const heddle_status s = look(p, h[i], end, HEDDLE_ETIMEDOUT, call);
            *which = i;
            if (s != HEDDLE_EBUSY)
                return s;
        }
        for (i = 0; !since && i < n; i++)
            HD_TRY(check_given(p, h[i], call));
        if (!since) {
            since = heddle_host_clock_ns();
            deadline = hd_job_deadline(timeout_ms);
        }
        HD_TRY(hd_pool_runs(p));
        if (heddle_host_clock_ns() >= deadline)
            return say_busy(call);
        hd_pool_rest(since);
    }
}

HEDDLE_API heddle_status heddle_pool_wait(heddle_pool *p, heddle_handle h, uint32_t timeout_ms, heddle_pool_end *end)
{
    size_t which;
    heddle_status s;
    HD_TRY(hd_pool_usable(p, "heddle_pool_wait"));
    s = look(p, h, end, HEDDLE_ETIMEDOUT, "heddle_pool_wait");
    return s != HEDDLE_EBUSY ? s : await(p, &h, 1, timeout_ms, &which, end, "heddle_pool_wait");
}

HEDDLE_API heddle_status heddle_pool_wait_any(heddle_pool *p, const heddle_handle *handles, size_t n,
                                              uint32_t timeout_ms, size_t *which, heddle_pool_end *end)
{
    HD_TRY(hd_pool_usable(p, "heddle_pool_wait_any"));
    if (!handles || !n || !which)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_pool_wait_any: %s",
                      !n        ? "no handles"
                      : handles ? "which is NULL"
                                : "handles is NULL");
    return await(p, handles, n, timeout_ms, which, end, "heddle_pool_wait_any");
}

HEDDLE_API heddle_status heddle_pool_cancel(heddle_pool *p, heddle_handle h)
{
    const uint32_t i = (uint32_t)h;
    hd_post *post;
    int valid;
    HD_TRY(hd_pool_usable(p, "heddle_pool_cancel"));
    if (i >= p->n_slots)
        return say_invalid("heddle_pool_cancel", h);
    post = hd_post_of(p, i);
    hd_post_lock(post); /* so that the slot keeps its task */
    valid = hd_slot_generation(p, i) == h >> 32 && p->slots[i].flags & HD_SLOT_HANDLE &&
            !(p->slots[i].flags & HD_SLOT_SEEN);
    if (valid && !hd_slot_how(p, i, (uint32_t)(h >> 32)))
        p->backend->pool_stop_task(p->loaded, i, HD_STOP_CANCELED);
    hd_post_unlock(post);
    if (!valid)
        return say_invalid("heddle_pool_cancel", h);
    hd_promise_break(p, i, (uint32_t)(h >> 32));
    return HEDDLE_OK;
}

/* ---- all tasks ----------------------------------------------------------------------------------------------------- */

/* Have all tasks of an epoch ended? See core/pool.h. */
static int is_balanced(const heddle_pool *p, uint32_t epoch)
{
    uint32_t w, ended = 0, begun = 0;
    for (w = 0; w < p->words->n_workers; w++)
        ended += HD_LOAD(&hd_live_at(p->words, w)->ended[epoch], ACQUIRE, SYS);
    for (w = 0; w < p->words->n_workers; w++)
        begun += HD_LOAD(&hd_live_at(p->words, w)->created[epoch], ACQUIRE, SYS);
    for (w = 0; w < p->n_posts; w++)
        begun += (uint32_t)__atomic_load_n(&p->posts[w].n_spawned[epoch], __ATOMIC_ACQUIRE);
    return ended == begun;
}

static heddle_status await_epoch(heddle_pool *p, uint32_t epoch, uint64_t since, uint64_t deadline)
{
    while (!is_balanced(p, epoch)) {
        HD_TRY(hd_pool_runs(p));
        if (heddle_host_clock_ns() >= deadline)
            return say_busy("heddle_pool_wait_all");
        hd_pool_rest(since);
    }
    return HEDDLE_OK;
}

/* Sees the end of slot i's task, which has ended; its told word may still be under way. Later tasks need not come after it, even if it
 * has ended badly. */
static void see(heddle_pool *p, hd_post *post, uint32_t i)
{
    hd_slot *s = &p->slots[i];
    uint32_t how;
    while (!(how = hd_slot_how_now(p, i)))
        HD_PAUSE(0);
    s->flags &= (uint16_t)~HD_SLOT_ORDERED;
    if (!(s->flags & HD_SLOT_NOTIFY) || s->flags & HD_SLOT_SEEN)
        hd_slot_see(p, post, i, how, 0);
}

/* Sees the ends of all tasks of an epoch. */
static void see_epoch(heddle_pool *p, uint32_t epoch)
{
    uint32_t k, i;
    int is_empty;
    for (k = 0; k < p->n_posts; k++) {
        hd_post *post = &p->posts[k];
        hd_post_lock(post);
        is_empty = hd_post_gather(p, post);
        for (i = post->first; !is_empty && i < post->first + post->n; i++)
            if (hd_slot_has_task(p, i) && ((p->slots[i].flags & HD_SLOT_ODD) != 0u) == epoch)
                see(p, post, i);
        hd_post_unlock(post);
    }
}

/* Tasks spawned from now on belong to the other epoch. */
static void change_epoch(heddle_pool *p)
{
    uint32_t k;
    for (k = 0; k < p->n_posts; k++)
        hd_post_lock(&p->posts[k]);
    p->epoch ^= 1u;
    for (k = 0; k < p->n_posts; k++)
        hd_post_unlock(&p->posts[k]);
}

/* The caller holds p->grace. Tasks of the epoch before are left if an earlier call has given up. */
static heddle_status await_all(heddle_pool *p, uint64_t since, uint64_t deadline)
{
    const uint32_t now = p->epoch;
    HD_TRY(await_epoch(p, now ^ 1u, since, deadline));
    see_epoch(p, now ^ 1u);
    change_epoch(p);
    HD_TRY(await_epoch(p, now, since, deadline));
    see_epoch(p, now);
    return HEDDLE_OK;
}

static heddle_status say_bad(heddle_pool *p)
{
    heddle_status s;
    pthread_mutex_lock(&p->bad_mutex);
    s = p->bad;
    if (s != HEDDLE_OK)
        *hd_thread_error() = p->bad_text;
    p->bad = HEDDLE_OK;
    pthread_mutex_unlock(&p->bad_mutex);
    return s;
}

HEDDLE_API heddle_status heddle_pool_wait_all(heddle_pool *p, uint32_t timeout_ms)
{
    const uint64_t since = heddle_host_clock_ns(), deadline = hd_job_deadline(timeout_ms);
    heddle_status s;
    HD_TRY(hd_pool_usable(p, "heddle_pool_wait_all"));
    while (pthread_mutex_trylock(&p->grace)) {
        if (heddle_host_clock_ns() >= deadline)
            return say_busy("heddle_pool_wait_all");
        hd_pool_rest(since);
    }
    s = await_all(p, since, deadline);
    if (s == HEDDLE_OK)
        hd_window_end(p);
    pthread_mutex_unlock(&p->grace);
    return s == HEDDLE_OK ? say_bad(p) : s;
}
