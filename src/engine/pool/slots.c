/* SPDX-License-Identifier: MIT */
/* slots.c - slots of the host: taken, and free again. A post looks for ended tasks only when its list of free slots is empty,
 * and then in any order, so that a long task keeps its own slot alone. */
#include "engine/pool/pool.h"

#define FIND_AT_ONCE 64u
#define LOOK_AT_ONCE 128u

/* Must the program see the end of s's task, or wait for all tasks, before the slot is free? */
static int is_kept(const hd_slot *s, uint32_t how)
{
    if (s->flags & HD_SLOT_ORDERED && how != HD_STOP_DONE)
        return 1;
    return s->flags & (HD_SLOT_HANDLE | HD_SLOT_NOTIFY) && !(s->flags & HD_SLOT_SEEN);
}

static void make_free(hd_post *post, hd_slot *s, uint32_t i)
{
    s->flags = 0;
    __atomic_store_n(&s->generation, (s->generation + 1u) & (UINT32_MAX >> HD_TOLD_BITS), __ATOMIC_RELEASE);
    s->next = post->free;
    post->free = i;
    post->n_used--;
}

/* ---- seeing ends ---------------------------------------------------------------------------------------------------- */

static heddle_status status_of(uint32_t how)
{
    switch (how) {
    case HD_STOP_DONE: return HEDDLE_OK;
    case HD_STOP_FAILED:
    case HD_STOP_SPAWN: return HEDDLE_EBODY;
    case HD_STOP_CANCELED: return HEDDLE_ECANCELED;
    case HD_STOP_TIMEOUT: return HEDDLE_ETIMEDOUT;
    default: return HEDDLE_ENOMEM;
    }
}

/* The code that a body gave; the told word of others has one of ours. */
static uint32_t code_of(const heddle_pool *p, uint32_t i, uint32_t how)
{
    return how == HD_STOP_FAILED ? p->words->told[i].code : 0u;
}

/* An end that nobody asked for; the last one counts. */
static void remember(heddle_pool *p, uint32_t i)
{
    heddle_pool_end end;
    pthread_mutex_lock(&p->bad_mutex);
    p->bad = hd_slot_end(p, i, &end);
    p->bad_text = *hd_thread_error();
    pthread_mutex_unlock(&p->bad_mutex);
}

static void count_bad(heddle_pool *p, hd_post *post, uint32_t i, uint32_t how, int asked)
{
    if (p->slots[i].body == HD_BODY_JOIN)
        return;
    post->n_canceled += how == HD_STOP_CANCELED;
    post->n_failed += how != HD_STOP_CANCELED;
    if (!asked)
        remember(p, i);
}

/* Slot i has more than most: tasks that it waited for and that may go, copies, someone who watches. */
static void settle(heddle_pool *p, uint32_t i, uint32_t how)
{
    hd_slot *s = &p->slots[i];
    uint32_t k;
    if (s->flags & HD_SLOT_WATCH)
        hd_keeper_count(p, -1);
    for (k = 0; k < s->n_after; k++)
        __atomic_sub_fetch(&p->slots[(uint32_t)p->afters[i].handle[k]].refs, 1, __ATOMIC_RELEASE);
    s->n_after = 0;
    hd_bounces_end(p, s->bounces, how == HD_STOP_DONE);
    s->bounces = NULL;
}

static inline void see(heddle_pool *p, hd_post *post, uint32_t i, uint32_t how, int asked)
{
    hd_slot *s = &p->slots[i];
    if (!(s->flags & HD_SLOT_SEEN)) {
        post->n_ended += s->body != HD_BODY_JOIN;
        if (p->trace && s->body != HD_BODY_JOIN)
            hd_trace_ended(p, i, status_of(how), code_of(p, i, how));
        if (how != HD_STOP_DONE)
            count_bad(p, post, i, how, asked);
        if (s->flags & (HD_SLOT_WATCH | HD_SLOT_MORE))
            settle(p, i, how);
        s->flags |= HD_SLOT_SEEN;
    }
    if (__atomic_load_n(&s->refs, __ATOMIC_ACQUIRE) == 0 && !is_kept(s, how))
        make_free(post, s, i);
}

void hd_slot_see(heddle_pool *p, hd_post *post, uint32_t i, int asked)
{
    see(p, post, i, hd_slot_how(p, i, p->slots[i].generation), asked);
}

int hd_slot_is_kept(const heddle_pool *p, const hd_slot *s, uint32_t i)
{
    const uint32_t how = hd_slot_how(p, i, s->generation);
    return s->flags & HD_SLOT_BUSY && how && is_kept(s, how);
}

/* ---- taking ----------------------------------------------------------------------------------------------------------- */

/* Has its task ended, and may the slot be free once nobody names it? */
static inline int is_over(const hd_slot *s, uint32_t how)
{
    if (!(s->flags & HD_SLOT_BUSY) || !how || is_kept(s, how))
        return 0;
    return !(s->flags & HD_SLOT_SEEN) || __atomic_load_n(&s->refs, __ATOMIC_ACQUIRE) == 0;
}

/* Tasks mostly end in their order, so the next search begins where this one has found the last. One that finds nothing moves on
 * by one slot, so that long tasks do not hide the others. */
static void find(heddle_pool *p, hd_post *post)
{
    uint32_t n, at = post->scan, found = 0;
    post->scan = (at + 1u) % post->n;
    for (n = 0; n < LOOK_AT_ONCE && n < post->n && found < FIND_AT_ONCE; n++) {
        const uint32_t i = post->first + at, how = hd_slot_how(p, i, p->slots[i].generation);
        at = at + 1u == post->n ? 0 : at + 1u;
        if (is_over(&p->slots[i], how)) {
            see(p, post, i, how, 0);
            post->scan = at;
            found++;
        }
    }
}

static inline void fill(hd_slot *s, const hd_slot *like, uint32_t flags)
{
    s->flags = like->flags | flags;
    s->body = like->body;
    s->time_limit_ms = like->time_limit_ms;
    s->user = like->user;
    s->bounces = like->bounces;
}

uint32_t hd_slots_take(heddle_pool *p, hd_post *post, const hd_slot *like, const heddle_pool_task *task, uint32_t n,
                       uint32_t *out)
{
    uint32_t k, i, flags;
    pthread_mutex_lock(&post->mutex);
    flags = HD_SLOT_BUSY | (p->epoch ? HD_SLOT_ODD : 0u);
    for (k = 0; k < n; k++) {
        if (post->free == HD_NONE)
            find(p, post);
        i = out[k] = post->free;
        if (i == HD_NONE)
            break;
        post->free = p->slots[i].next;
        fill(&p->slots[i], like, flags);
        if (p->trace && like->body != HD_BODY_JOIN)
            hd_trace_spawned(p, i, task);
    }
    post->n_used += k;
    post->most_used = post->n_used > post->most_used ? post->n_used : post->most_used;
    post->n_spawned_all += like->body != HD_BODY_JOIN ? k : 0u;
    __atomic_store_n(&post->n_spawned[p->epoch], post->n_spawned[p->epoch] + k, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&post->mutex);
    return k;
}

/* ---- how a task has ended ----------------------------------------------------------------------------------------- */

heddle_status hd_slot_end(heddle_pool *p, uint32_t i, heddle_pool_end *end)
{
    const hd_slot *s = &p->slots[i];
    const uint32_t how = hd_slot_how(p, i, s->generation), code = p->words->told[i].code;
    const char *body = hd_body_name(p->graph->g.table, s->body);
    end->handle = hd_slot_handle(s, i);
    end->user = s->user;
    end->code = code_of(p, i, how);
    end->status = status_of(how);
    switch (how) {
    case HD_STOP_DONE: return HEDDLE_OK;
    case HD_STOP_FAILED: return hd_say(NULL, end->status, "a task of the pool (%s) failed with code %u", body, code);
    case HD_STOP_SPAWN: return hd_say(NULL, end->status, "a task of the pool (%s) %s", body, hd_job_misuse(code));
    case HD_STOP_CANCELED:
        return hd_say(NULL, end->status,
                      "a task of the pool (%s) was cancelled, or one that it waited for did not end well", body);
    case HD_STOP_TIMEOUT:
        return hd_say(NULL, end->status, "a task of the pool (%s) ran past its time limit of %u ms", body,
                      s->time_limit_ms);
    default:
        return hd_say(NULL, end->status,
                      "a task of the pool (%s): the arena has no room for its children; open the context with a larger "
                      "n_arena",
                      body);
    }
}
