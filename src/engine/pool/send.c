/* SPDX-License-Identifier: MIT */
/* send.c - tasks of the host get slots and go to the backend. What they wait for was named before, so that those slots stay as they
 * are until then. */
#include "engine/pool/pool.h"

/* ---- naming tasks --------------------------------------------------------------------------------------------------- */

int hd_name(heddle_pool *p, heddle_handle h, uint32_t kind)
{
    const uint32_t i = (uint32_t)h;
    hd_slot *s = &p->slots[i];
    hd_post *post;
    int said = -1;
    if (i >= p->n_slots)
        return -1;
    post = hd_post_of(p, i);
    pthread_mutex_lock(&post->mutex);
    if (s->generation == h >> 32 && s->flags & kind && (kind == HD_SLOT_ORDERED || !(s->flags & HD_SLOT_SEEN))) {
        said = hd_slot_how(p, i, s->generation) != HD_STOP_DONE;
        __atomic_add_fetch(&s->refs, (uint32_t)said, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&post->mutex);
    return said;
}

void hd_unname(heddle_pool *p, const heddle_handle *names, uint64_t n)
{
    uint64_t k;
    for (k = 0; k < n; k++)
        __atomic_sub_fetch(&p->slots[(uint32_t)names[k]].refs, 1, __ATOMIC_RELEASE);
}

/* ---- a slot ------------------------------------------------------------------------------------------------------- */

/* The post that this thread uses first. */
static uint32_t my_post(const heddle_pool *p)
{
    static uint32_t n_threads;
    static _Thread_local uint32_t mine;
    if (!mine)
        mine = __atomic_add_fetch(&n_threads, 1, __ATOMIC_RELAXED);
    return mine & (p->n_posts - 1u);
}

static hd_slot slot_like(const heddle_pool *p, const hd_request *q)
{
    const heddle_pool_task *t = q->task;
    hd_slot s = {.body = t->body, .user = t->user, .bounces = q->bounces, .flags = q->flags};
    s.time_limit_ms = t->time_limit_ms ? t->time_limit_ms : p->config.time_limit_ms;
    if (t->flags & HEDDLE_POOL_NOTIFY)
        s.flags |= HD_SLOT_NOTIFY | HD_SLOT_WATCH;
    if (s.time_limit_ms)
        s.flags |= HD_SLOT_WATCH;
    if (q->n_names || q->bounces)
        s.flags |= HD_SLOT_MORE;
    return s;
}

/* Takes slots of the first post that has some. Returns how many. */
static uint32_t take_any(heddle_pool *p, const hd_slot *like, const hd_request *q, uint32_t *out)
{
    const uint32_t mine = my_post(p);
    uint32_t k, got = 0;
    for (k = 0; k < p->n_posts && !got; k++)
        got = hd_slots_take(p, &p->posts[(mine + k) & (p->n_posts - 1u)], like, q->task, q->n, out);
    return got;
}

/* Do all slots hold ended tasks, and the program is to see their ends? */
static int is_stuck(heddle_pool *p)
{
    uint32_t i, k;
    for (k = 0; k < p->n_posts; k++) {
        hd_post *post = &p->posts[k];
        int ended = 1;
        pthread_mutex_lock(&post->mutex);
        for (i = post->first; ended && i < post->first + post->n; i++)
            ended = hd_slot_is_kept(p, &p->slots[i], i);
        pthread_mutex_unlock(&post->mutex);
        if (!ended)
            return 0;
    }
    return 1;
}

/* This thread runs a task, so that a slot is free earlier. Not the keeper: it looks after late tasks. */
static int help(heddle_pool *p)
{
    return p->backend->pool_help && !hd_is_keeper(p) && p->backend->pool_help(p->loaded);
}

static heddle_status await_slot(heddle_pool *p, const hd_slot *like, const hd_request *q, uint32_t *out, uint32_t *got)
{
    const uint64_t since = heddle_host_clock_ns();
    for (; !*got; *got = take_any(p, like, q, out)) {
        HD_TRY(hd_pool_runs(p));
        if (is_stuck(p))
            return hd_say(NULL, HEDDLE_EBUSY,
                          "a pool: all %u slots hold tasks that have ended, and nobody has seen their ends: wait for "
                          "their handles or for all, or harvest",
                          p->n_slots);
        if (!help(p))
            hd_pool_rest(since);
    }
    __atomic_add_fetch(&p->full_ns, heddle_host_clock_ns() - since, __ATOMIC_RELAXED);
    return HEDDLE_OK;
}

/* Takes slots for some of q's tasks, waiting until there is one. */
static heddle_status take(heddle_pool *p, const hd_slot *like, const hd_request *q, uint32_t *out, uint32_t *got)
{
    heddle_status s;
    *got = take_any(p, like, q, out);
    if (*got)
        return HEDDLE_OK;
    __atomic_add_fetch(&p->n_full, 1, __ATOMIC_RELAXED);
    if (q->task->flags & HEDDLE_POOL_TRY) {
        hd_pool_flush(p);
        return hd_say_full(p);
    }
    __atomic_add_fetch(&p->n_waiting, 1, __ATOMIC_RELAXED);
    s = await_slot(p, like, q, out, got);
    __atomic_sub_fetch(&p->n_waiting, 1, __ATOMIC_RELAXED);
    return s;
}

/* ---- sending ------------------------------------------------------------------------------------------------------ */

/* The task of q, but for slot, generation, epoch and record. */
static hd_sent sent_like(const heddle_pool *p, const hd_request *q)
{
    const heddle_pool_task *t = q->task;
    const uint32_t team_size = t->team_size ? t->team_size : p->config.team_size;
    return (hd_sent){.body = t->body,
                     .flags = (q->flags & (HD_SLOT_HANDLE | HD_SLOT_ORDERED) ? HD_TASK_PINNED : 0u) |
                              (t->urgent ? HD_TASK_URGENT : 0u) | team_size / 32u << HD_TASK_TEAM |
                              (t->flags & HEDDLE_POOL_NOTIFY ? HD_TASK_NOTIFY : 0u) | q->n_copies << HD_TASK_COPIES,
                     .n_blocks = t->n_blocks ? t->n_blocks : 1u,
                     .team_size = team_size,
                     .arg_bytes = (uint32_t)t->arg_bytes,
                     .n_after = q->n_names,
                     .after = q->names,
                     .copies = q->copies,
                     .held = q->flags & HD_SLOT_OPEN ? HD_HELD : 0u};
}

/* Sends the first n tasks of q, which have these slots. */
static void send_all(heddle_pool *p, const hd_request *q, const uint32_t *slots, uint32_t n)
{
    const hd_sent like = sent_like(p, q);
    hd_sent sent[HD_AT_ONCE];
    uint32_t k;
    for (k = 0; k < n; k++) {
        const hd_slot *s = &p->slots[slots[k]];
        sent[k] = like;
        sent[k].slot = slots[k];
        sent[k].generation = s->generation;
        sent[k].flags |= s->flags & HD_SLOT_ODD ? HD_TASK_ODD : 0u;
        sent[k].args = q->args + k * q->stride;
    }
    p->backend->pool_send(p->loaded, sent, n);
}

/* The names of the first task become the ones of all n. */
static void keep_names(heddle_pool *p, const hd_request *q, const uint32_t *slots, uint32_t n)
{
    uint32_t k, j;
    for (k = 0; k < n; k++) {
        hd_post *post = hd_post_of(p, slots[k]);
        pthread_mutex_lock(&post->mutex);
        memcpy(p->afters[slots[k]].handle, q->names, q->n_names * sizeof *q->names);
        p->slots[slots[k]].n_after = q->n_names;
        pthread_mutex_unlock(&post->mutex);
        for (j = 0; k && j < q->n_names; j++)
            __atomic_add_fetch(&p->slots[(uint32_t)q->names[j]].refs, 1, __ATOMIC_RELAXED);
    }
}

heddle_status hd_request_send(heddle_pool *p, const hd_request *q, heddle_handle *handles, uint32_t *got)
{
    const hd_slot like = slot_like(p, q);
    uint32_t slots[HD_AT_ONCE], k;
    const heddle_status s = take(p, &like, q, slots, got);
    if (s != HEDDLE_OK) {
        hd_unname(p, q->names, q->n_names);
        return s;
    }
    if (q->n_names)
        keep_names(p, q, slots, *got);
    for (k = 0; handles && k < *got; k++)
        handles[k] = hd_slot_handle(&p->slots[slots[k]], slots[k]);
    if (like.flags & HD_SLOT_WATCH)
        hd_keeper_count(p, (int)*got);
    send_all(p, q, slots, *got);
    return HEDDLE_OK;
}
