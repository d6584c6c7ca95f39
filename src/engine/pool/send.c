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
    hd_post_lock(post);
    if (hd_slot_generation(p, i) == h >> 32 && s->flags & kind &&
        (kind == HD_SLOT_ORDERED || !(s->flags & HD_SLOT_SEEN))) {
        said = hd_slot_how(p, i, (uint32_t)(h >> 32)) != HD_STOP_DONE;
        __atomic_add_fetch(&s->refs, (uint32_t)said, __ATOMIC_RELAXED);
    }
    hd_post_unlock(post);
    return said;
}

void hd_unname(heddle_pool *p, const heddle_handle *names, uint64_t n)
{
    uint64_t k;
    for (k = 0; k < n; k++)
        __atomic_sub_fetch(&p->slots[(uint32_t)names[k]].refs, 1, __ATOMIC_RELEASE);
}

/* ---- a slot ------------------------------------------------------------------------------------------------------- */

/* The numbers, modulo that of posts, of those that this thread uses first: for tasks that keep their slots until the program has seen
 * their ends, the one that had room last; for others its own, where slots soon are free again, and seldom a thread meets another. */
static inline uint32_t *my_post(const hd_request *q)
{
    static uint32_t n_threads;
    static _Thread_local uint32_t own, kept;
    if (!own)
        own = kept = __atomic_add_fetch(&n_threads, 1, __ATOMIC_RELAXED);
    return q->slot.flags & (HD_SLOT_HANDLE | HD_SLOT_NOTIFY) ? &kept : &own;
}
static inline hd_post *post_at(heddle_pool *p, uint32_t k) { return &p->posts[k & (p->n_posts - 1u)]; }

/* Takes slots of the first post that has some, from the k-th on, counted from this thread's. Returns how many. */
static uint32_t take_any(heddle_pool *p, hd_request *q, heddle_handle *out, uint32_t k)
{
    uint32_t *mine = my_post(q), got = 0;
    for (; k < p->n_posts && !got; k += !got)
        got = hd_slots_take(p, post_at(p, *mine + k), q, out);
    if (got && q->slot.flags & (HD_SLOT_HANDLE | HD_SLOT_NOTIFY))
        *mine += k;
    return got;
}

/* Do all slots hold ended tasks, and the program is to see their ends? */
static int is_stuck(heddle_pool *p)
{
    uint32_t i, k;
    for (k = 0; k < p->n_posts; k++) {
        hd_post *post = &p->posts[k];
        int ended = 1;
        hd_post_lock(post);
        for (i = post->first; ended && i < post->first + post->n; i++)
            ended = hd_slot_is_kept(p, i);
        hd_post_unlock(post);
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

static heddle_status await_slot(heddle_pool *p, hd_request *q, heddle_handle *out, uint32_t *got)
{
    const uint64_t since = heddle_host_clock_ns();
    for (; !*got; *got = take_any(p, q, out, 0)) {
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

/* This thread's post has no slot: looks at the others, and waits until there is one. */
static __attribute__((noinline)) heddle_status take_later(heddle_pool *p, hd_request *q, heddle_handle *out,
                                                          uint32_t *got)
{
    heddle_status s;
    *got = take_any(p, q, out, 1);
    if (*got)
        return HEDDLE_OK;
    __atomic_add_fetch(&p->n_full, 1, __ATOMIC_RELAXED);
    if (q->tries) {
        hd_pool_flush(p);
        return hd_say_full(p);
    }
    __atomic_add_fetch(&p->n_waiting, 1, __ATOMIC_RELAXED);
    s = await_slot(p, q, out, got);
    __atomic_sub_fetch(&p->n_waiting, 1, __ATOMIC_RELAXED);
    return s;
}

/* ---- sending ------------------------------------------------------------------------------------------------------ */

/* The names of the first task become the ones of all n. */
static __attribute__((noinline)) void keep_names(heddle_pool *p, const hd_request *q, const heddle_handle *tasks,
                                                 uint32_t n)
{
    const heddle_handle *names = q->sent.after;
    uint32_t k, j;
    for (k = 0; k < n; k++) {
        memcpy(p->afters[(uint32_t)tasks[k]].handle, names, q->sent.n_after * sizeof *names);
        for (j = 0; k && j < q->sent.n_after; j++)
            __atomic_add_fetch(&p->slots[(uint32_t)names[j]].refs, 1, __ATOMIC_RELAXED);
    }
}

heddle_status hd_request_send(heddle_pool *p, hd_request *q, heddle_handle *handles, uint32_t *got)
{
    heddle_handle room[HD_AT_ONCE], *out = handles ? handles : room;
    heddle_status s = HEDDLE_OK;
    q->slot.n_after = q->sent.n_after;
    if (q->sent.n_after || q->slot.bounces)
        q->slot.flags |= HD_SLOT_MORE;
    *got = hd_slots_take(p, post_at(p, *my_post(q)), q, out);
    if (!*got)
        s = take_later(p, q, out, got);
    if (s != HEDDLE_OK) {
        hd_unname(p, q->sent.after, q->sent.n_after);
        return s;
    }
    if (q->sent.n_after)
        keep_names(p, q, out, *got);
    if (q->slot.flags & HD_SLOT_WATCH)
        hd_keeper_count(p, (int)*got);
    p->backend->pool_send(p->loaded, &q->sent, out, q->stride, *got);
    return HEDDLE_OK;
}
