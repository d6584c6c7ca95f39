/* SPDX-License-Identifier: MIT */
/* promise.c - tasks may wait for the program, and for events of a GPU.
 *
 * A promise is a task without a body that is held: it has a slot, so that others can name it, and runs when it is released. Keeping it
 * releases it. Breaking it gives it a fate before, so that those that wait for it are cancelled. HD_SLOT_OPEN makes that happen once. An
 * event is a promise that the keeper keeps when the event has happened. */
#include "engine/pool/pool.h"

/* An event that was not seen to happen. */
typedef struct event {
    void *event;
    heddle_handle handle;
} event;

#define EVENT(p, i) ((event *)(p)->events.at + (i))

/* ---- promises -------------------------------------------------------------------------------------------------------- */

/* It is open once it was sent: heddle_pool_free may break all promises while a function makes one, and must not release it before it is
 * held. */
static heddle_status make(heddle_pool *p, uint32_t flags, heddle_handle *out)
{
    hd_request q = {.n = 1,
                    .slot = {.flags = HD_SLOT_HANDLE | HD_SLOT_MORE, .body = HD_BODY_JOIN},
                    .sent = {.body = HD_BODY_JOIN,
                             .flags = HD_TASK_PINNED | 1u << HD_TASK_TEAM,
                             .n_blocks = 1,
                             .team_size = 32,
                             .held = HD_HELD}};
    uint32_t got;
    hd_post *post;
    HD_TRY(hd_request_send(p, &q, out, &got));
    post = hd_post_of(p, (uint32_t)*out);
    hd_post_lock(post);
    p->slots[(uint32_t)*out].flags |= (uint16_t)(HD_SLOT_OPEN | flags);
    hd_post_unlock(post);
    return HEDDLE_OK;
}

/* The caller goes on to release the promise in slot i, of generation g: 1, or 0: it is none, or not of such a kind, or another does. */
static int close_it(heddle_pool *p, uint32_t i, uint32_t g, uint32_t kinds, int breaks)
{
    hd_post *post = hd_post_of(p, i);
    hd_slot *s = &p->slots[i];
    int closed;
    hd_post_lock(post);
    closed = hd_slot_generation(p, i) == g && s->flags & HD_SLOT_OPEN && !(s->flags & HD_SLOT_EVENT & ~kinds);
    if (closed)
        s->flags &= (uint16_t)~HD_SLOT_OPEN;
    if (closed && breaks)
        p->backend->pool_stop_task(p->loaded, i, HD_STOP_CANCELED);
    hd_post_unlock(post);
    return closed;
}

/* Not with a lock: tasks that have waited may run in this call. */
static void release(heddle_pool *p, uint32_t i)
{
    const hd_sent again = {.held = HD_RELEASED};
    const heddle_handle h = hd_slot_handle(p, i);
    p->backend->pool_send(p->loaded, &again, &h, 0, 1);
}

/* The next slot of a post, from i on, with a promise that was not kept; or behind the last. */
static uint32_t next_open(const heddle_pool *p, hd_post *post, uint32_t i)
{
    hd_post_lock(post);
    if (post->n_free == post->n)
        i = post->first + post->n;
    while (i < post->first + post->n && !(p->slots[i].flags & HD_SLOT_OPEN))
        i++;
    hd_post_unlock(post);
    return i;
}

void hd_promises_break(heddle_pool *p)
{
    uint32_t k, i;
    for (k = 0; k < p->n_posts; k++) {
        hd_post *post = &p->posts[k];
        for (i = next_open(p, post, post->first); i < post->first + post->n; i = next_open(p, post, i + 1u))
            if (close_it(p, i, hd_slot_generation(p, i), 0, 1))
                release(p, i);
    }
}

HEDDLE_API heddle_status heddle_pool_promise_new(heddle_pool *p, heddle_handle *out)
{
    if (out)
        *out = 0;
    HD_TRY(hd_pool_usable(p, "heddle_pool_promise_new"));
    if (!out)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_pool_promise_new: out is NULL");
    return make(p, 0, out);
}

HEDDLE_API heddle_status heddle_pool_promise_keep(heddle_pool *p, heddle_handle h)
{
    const uint32_t i = (uint32_t)h;
    HD_TRY(hd_pool_usable(p, "heddle_pool_promise_keep"));
    if (i >= p->n_slots || !close_it(p, i, (uint32_t)(h >> 32), 0, 0))
        return hd_say(NULL, HEDDLE_EINVAL,
                      "heddle_pool_promise_keep: handle 0x%llx names no promise of this pool, or one that was kept or "
                      "cancelled",
                      (unsigned long long)h);
    release(p, i);
    return HEDDLE_OK;
}

/* ---- events ---------------------------------------------------------------------------------------------------------- */

/* The caller holds the lock. */
static void forget(heddle_pool *p, uint64_t k)
{
    *EVENT(p, k) = *EVENT(p, --p->events.n);
    hd_keeper_count(p, -1);
}

void hd_promise_break(heddle_pool *p, uint32_t i, uint32_t g)
{
    uint64_t k;
    if (!close_it(p, i, g, HD_SLOT_EVENT, 1))
        return;
    pthread_mutex_lock(&p->events_mutex);
    for (k = p->events.n; k-- > 0;)
        if (EVENT(p, k)->handle == ((uint64_t)g << 32 | i))
            forget(p, k);
    pthread_mutex_unlock(&p->events_mutex);
    release(p, i);
}

/* The lock is held while the event is looked at, so that it may be destroyed after its handle was cancelled. */
int hd_events_look(heddle_pool *p)
{
    heddle_status s;
    heddle_handle h;
    uint64_t k;
    int left;
    pthread_mutex_lock(&p->events_mutex);
    for (k = p->events.n; k-- > 0;) {
        s = p->backend->pool_event(p->loaded, EVENT(p, k)->event);
        h = EVENT(p, k)->handle;
        if (s == HEDDLE_EBUSY)
            continue;
        forget(p, k);
        if (close_it(p, (uint32_t)h, (uint32_t)(h >> 32), HD_SLOT_EVENT, s != HEDDLE_OK))
            release(p, (uint32_t)h);
    }
    left = p->events.n != 0;
    pthread_mutex_unlock(&p->events_mutex);
    return left;
}

static heddle_status watch(heddle_pool *p, void *at, heddle_handle h)
{
    int has_room;
    pthread_mutex_lock(&p->events_mutex);
    has_room = !hd_list_room(&p->events, 1, sizeof(event));
    if (has_room) {
        *EVENT(p, p->events.n++) = (event){at, h};
        hd_keeper_count(p, 1);
    }
    pthread_mutex_unlock(&p->events_mutex);
    return has_room ? HEDDLE_OK : hd_say(NULL, HEDDLE_ENOMEM, "heddle_pool_import_event: out of memory");
}

/* A promise that nobody was told of ends. */
static void discard(heddle_pool *p, heddle_handle h)
{
    const hd_error why = *hd_thread_error();
    hd_promise_break(p, (uint32_t)h, (uint32_t)(h >> 32));
    (void)heddle_pool_wait(p, h, HEDDLE_FOREVER, NULL);
    *hd_thread_error() = why;
}

HEDDLE_API heddle_status heddle_pool_import_event(heddle_pool *p, void *at, heddle_handle *out)
{
    heddle_status s;
    if (out)
        *out = 0;
    HD_TRY(hd_pool_usable(p, "heddle_pool_import_event"));
    if (!p->backend->pool_event)
        return hd_say(NULL, HEDDLE_ENODEV, "heddle_pool_import_event: backend %s has no events",
                      heddle_backend_name(p->backend->kind));
    if (!out || !at)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_pool_import_event: %s is NULL", out ? "the event" : "out");
    HD_TRY(hd_keeper_start(p));
    HD_TRY(make(p, HD_SLOT_EVENT, out));
    s = watch(p, at, *out);
    if (s != HEDDLE_OK) {
        discard(p, *out);
        *out = 0;
    }
    return s;
}

void hd_events_free(heddle_pool *p) { hd_list_clear(&p->events); }

/* ---- streams --------------------------------------------------------------------------------------------------------- */

/* For a stream that cannot: waits until the task of generation g in slot i has ended, and leaves its end to be seen. */
static heddle_status await_end(heddle_pool *p, uint32_t i, uint32_t g)
{
    const uint64_t since = heddle_host_clock_ns();
    while (!hd_slot_how(p, i, g) && hd_slot_generation(p, i) == g) {
        HD_TRY(hd_pool_runs(p));
        hd_pool_rest(since);
    }
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_pool_stream_wait(heddle_pool *p, heddle_handle h, void *stream)
{
    const uint32_t i = (uint32_t)h, g = (uint32_t)(h >> 32);
    heddle_status s;
    int is_named;
    HD_TRY(hd_pool_usable(p, "heddle_pool_stream_wait"));
    if (!p->backend->pool_stream_wait)
        return hd_say(NULL, HEDDLE_ENODEV, "heddle_pool_stream_wait: backend %s has no streams",
                      heddle_backend_name(p->backend->kind));
    is_named = hd_name(p, h, HD_SLOT_HANDLE);
    if (is_named < 0)
        return hd_say(NULL, HEDDLE_EINVAL,
                      "heddle_pool_stream_wait: handle 0x%llx names no task of this pool, or one whose end was seen",
                      (unsigned long long)h);
    if (!is_named)
        return HEDDLE_OK;
    hd_unname(p, &h, 1);
    s = p->backend->pool_stream_wait(p->loaded, i, g, stream, hd_thread_error());
    return s == HEDDLE_EBUSY ? await_end(p, i, g) : s;
}
