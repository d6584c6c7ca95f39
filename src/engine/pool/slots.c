/* SPDX-License-Identifier: MIT */
/* slots.c - slots of the host: taken, and free again. A post looks for ended tasks only when its list of free slots is empty,
 * and then in any order, so that a long task keeps its own slot alone. */
#include "engine/pool/pool.h"

#define FIND_AT_ONCE 64u
#define LOOK_AT_ONCE 128u

static void count_end(hd_post *post, uint32_t how)
{
    post->n_ended++;
    post->n_canceled += how == HD_STOP_CANCELED;
    post->n_failed += how != HD_STOP_DONE && how != HD_STOP_CANCELED;
}

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

/* The tasks that slot i's task waited for may go. */
static void unname(heddle_pool *p, uint32_t i)
{
    uint32_t k;
    for (k = 0; k < p->slots[i].n_after; k++)
        __atomic_sub_fetch(&p->slots[(uint32_t)p->afters[i].handle[k]].refs, 1, __ATOMIC_RELEASE);
    p->slots[i].n_after = 0;
}

static void make_free(hd_post *post, hd_slot *s, uint32_t i)
{
    s->flags = 0;
    __atomic_store_n(&s->generation, (s->generation + 1u) & (UINT32_MAX >> HD_TOLD_BITS), __ATOMIC_RELEASE);
    s->next = post->free;
    post->free = i;
    post->n_used--;
}

static void remember(heddle_pool *p, uint32_t i)
{
    heddle_pool_end end;
    pthread_mutex_lock(&p->bad_mutex);
    p->bad = hd_slot_end(p, i, &end);
    p->bad_text = *hd_thread_error();
    pthread_mutex_unlock(&p->bad_mutex);
}

void hd_slot_see(heddle_pool *p, hd_post *post, uint32_t i, int asked)
{
    hd_slot *s = &p->slots[i];
    const uint32_t how = hd_slot_how(p, i, s->generation);
    if (!(s->flags & HD_SLOT_SEEN)) {
        count_end(post, how);
        if (p->trace)
            hd_trace_ended(p, i, status_of(how), code_of(p, i, how));
        if (!asked && how != HD_STOP_DONE)
            remember(p, i);
        if (s->flags & HD_SLOT_WATCH)
            hd_keeper_count(p, -1);
        unname(p, i);
        s->flags |= HD_SLOT_SEEN;
    }
    if (__atomic_load_n(&s->refs, __ATOMIC_ACQUIRE) == 0)
        make_free(post, s, i);
}

/* Has its task ended, and does nobody have to hear of that? */
static int is_over(heddle_pool *p, const hd_slot *s, uint32_t i)
{
    if (!(s->flags & HD_SLOT_BUSY))
        return 0;
    if (s->flags & HD_SLOT_SEEN)
        return __atomic_load_n(&s->refs, __ATOMIC_ACQUIRE) == 0;
    return !(s->flags & (HD_SLOT_HANDLE | HD_SLOT_NOTIFY)) && hd_is_end(hd_slot_how(p, i, s->generation));
}

/* Tasks mostly end in their order, so the next search begins where this one has found the last. One that finds nothing moves on
 * by one slot, so that long tasks do not hide the others. */
static void find(heddle_pool *p, hd_post *post)
{
    uint32_t n, at = post->scan, found = 0;
    post->scan = (at + 1u) % post->n;
    for (n = 0; n < LOOK_AT_ONCE && n < post->n && found < FIND_AT_ONCE; n++) {
        const uint32_t i = post->first + at;
        at = at + 1u == post->n ? 0 : at + 1u;
        if (is_over(p, &p->slots[i], i)) {
            hd_slot_see(p, post, i, 0);
            post->scan = at;
            found++;
        }
    }
}

uint32_t hd_slot_take(heddle_pool *p, hd_post *post)
{
    uint32_t i;
    if (post->free == HD_NONE)
        find(p, post);
    i = post->free;
    if (i == HD_NONE)
        return HD_NONE;
    post->free = p->slots[i].next;
    if (++post->n_used > post->most_used)
        post->most_used = post->n_used;
    return i;
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
