/* SPDX-License-Identifier: MIT */
/* slots.c - slots of the host: taken, and free again. A post looks for ended tasks only when its list of free slots is empty,
 * and then in any order, so that a long task keeps its own slot alone. */
#include "engine/pool/pool.h"

#include <sched.h>

#define LOOK_AT_ONCE 128u
#define SPINS 100u /* before a thread that waits for a lock lets others run */

void hd_post_await(hd_post *post)
{
    uint32_t n = 0;
    do
        for (; __atomic_load_n(&post->is_locked, __ATOMIC_RELAXED); n++)
            if (n < SPINS)
                HD_PAUSE(n);
            else
                (void)sched_yield();
    while (__atomic_exchange_n(&post->is_locked, 1, __ATOMIC_ACQUIRE));
}

/* Must the program see the end of s's task, or wait for all tasks, before the slot is free? */
static int is_kept(const hd_slot *s, uint32_t how)
{
    if (s->flags & HD_SLOT_ORDERED && how != HD_STOP_DONE)
        return 1;
    return s->flags & (HD_SLOT_HANDLE | HD_SLOT_NOTIFY) && !(s->flags & HD_SLOT_SEEN);
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
static void remember(heddle_pool *p, uint32_t i, uint32_t how)
{
    heddle_pool_end end;
    pthread_mutex_lock(&p->bad_mutex);
    p->bad = hd_slot_end(p, hd_slot_handle(p, i), how, &end);
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
        remember(p, i, how);
}

/* Slot i has more than most: tasks that it waited for and that may go, copies. */
static void settle(heddle_pool *p, uint32_t i, uint32_t how)
{
    hd_slot *s = &p->slots[i];
    uint32_t k;
    for (k = 0; k < s->n_after; k++)
        __atomic_sub_fetch(&p->slots[(uint32_t)p->afters[i].handle[k]].refs, 1, __ATOMIC_RELEASE);
    s->n_after = 0;
    hd_bounces_end(p, s->bounces, how == HD_STOP_DONE);
    s->bounces = NULL;
}

/* An end that is more than most. */
static void see_more(heddle_pool *p, hd_post *post, uint32_t i, uint32_t how, int asked)
{
    const hd_slot *s = &p->slots[i];
    if (s->flags & HD_SLOT_TRACED)
        hd_trace_ended(p, i, status_of(how), code_of(p, i, how));
    if (how != HD_STOP_DONE)
        count_bad(p, post, i, how, asked);
    if (s->flags & HD_SLOT_WATCH)
        hd_keeper_count(p, -1);
    if (s->flags & HD_SLOT_MORE)
        settle(p, i, how);
}

void hd_slot_see_any(heddle_pool *p, hd_post *post, uint32_t i, uint32_t how, int asked)
{
    hd_slot *s = &p->slots[i];
    if (!(s->flags & HD_SLOT_SEEN)) {
        post->n_ended += s->body != HD_BODY_JOIN;
        if (how != HD_STOP_DONE || s->flags & (HD_SLOT_TRACED | HD_SLOT_WATCH | HD_SLOT_MORE))
            see_more(p, post, i, how, asked);
        s->flags |= HD_SLOT_SEEN;
    }
    if (__atomic_load_n(&s->refs, __ATOMIC_ACQUIRE) || is_kept(s, how))
        hd_slot_set_mark(p, i, p->marks[i] | HD_MARK_OTHER); /* found again when it is kept no longer */
    else
        hd_slot_clear(p, post, i);
}

int hd_slot_is_kept(const heddle_pool *p, uint32_t i)
{
    const uint32_t mark = hd_slot_mark(p, i), how = hd_slot_how(p, i, mark >> HD_TOLD_BITS);
    return (mark & HD_TOLD_HOW) != HD_MARK_FREE && how && is_kept(&p->slots[i], how);
}

/* ---- taking ----------------------------------------------------------------------------------------------------------- */

/* The told word of slot i is `state`, of the generation of its mark. Sees an end that was not seen, or that keeps the slot no longer. */
static int find_other(heddle_pool *p, hd_post *post, uint32_t i, uint32_t mark, uint32_t state)
{
    const hd_slot *s = &p->slots[i];
    const uint32_t how = state & HD_TOLD_HOW;
    if ((mark & HD_TOLD_HOW) == HD_MARK_FREE || (mark & HD_TOLD_HOW) == HD_MARK_KEPT || !how || is_kept(s, how))
        return 0;
    if (s->flags & HD_SLOT_SEEN && __atomic_load_n(&s->refs, __ATOMIC_ACQUIRE))
        return 0;
    hd_slot_see(p, post, i, how, 0);
    return 1;
}

/* Looks for ended tasks in slots from `first` to before `end`. Returns the slot behind the last one found, or HD_NONE. */
static uint32_t look(heddle_pool *p, hd_post *post, uint32_t first, uint32_t end)
{
    uint32_t *const stack = p->free + post->first, *top = stack + post->n_free, i, last = HD_NONE;
    const hd_told *told = p->words->told;
    for (i = first; i < end; i++) {
        const uint32_t state = HD_LOAD(&told[i].state, ACQUIRE, SYS), mark = p->marks[i];
        if (state == mark) {
            hd_slot_set_mark(p, i, hd_free_mark(mark));
            *top++ = i;
            post->n_ended++;
            last = i + 1u;
        } else if ((state ^ mark) <= HD_TOLD_HOW) {
            post->n_free = (uint32_t)(top - stack);
            last = find_other(p, post, i, mark, state) ? i + 1u : last;
            top = stack + post->n_free;
        }
    }
    post->n_free = (uint32_t)(top - stack);
    return last;
}

int hd_post_gather(heddle_pool *p, hd_post *post)
{
    (void)look(p, post, post->first, post->first + post->n);
    return post->n_free == post->n;
}

/* Tasks mostly end in their order, so the next search begins where this one has found the last. One that finds nothing moves on
 * by one slot, so that long tasks do not hide the others. */
static __attribute__((noinline)) void find(heddle_pool *p, hd_post *post)
{
    const uint32_t end = post->first + post->n, at = post->scan, n = LOOK_AT_ONCE < post->n ? LOOK_AT_ONCE : post->n;
    const uint32_t n_last = n < end - at ? n : end - at; /* then those at the beginning */
    const uint32_t in_last = look(p, post, at, at + n_last),
                   in_first = look(p, post, post->first, post->first + n - n_last);
    const uint32_t next = in_first != HD_NONE ? in_first : in_last != HD_NONE ? in_last : at + 1u;
    post->scan = next == end ? post->first : next;
}

/* Takes a free slot, which there is, for such a task. */
static inline heddle_handle take_top(heddle_pool *p, hd_post *post, const hd_slot *like, uint32_t kind)
{
    const uint32_t i = p->free[post->first + --post->n_free];
    uint32_t mark = (p->marks[i] | HD_TOLD_HOW) + 1u + kind; /* of the next generation */
    if (mark <= HD_TOLD_HOW)
        mark += HD_TOLD_HOW + 1u; /* handle 0 names no task */
    p->slots[i] = *like;
    hd_slot_set_mark(p, i, mark);
    return (uint64_t)(mark >> HD_TOLD_BITS) << 32 | i;
}

static inline void count_taken(hd_post *post, const hd_request *q, uint32_t epoch, uint32_t n)
{
    const uint32_t n_used = post->n - post->n_free;
    if (n_used > post->most_used)
        post->most_used = n_used;
    if (q->slot.body == HD_BODY_JOIN)
        post->n_uncounted += n;
    __atomic_store_n(&post->n_spawned[epoch], post->n_spawned[epoch] + n, __ATOMIC_RELAXED);
}

/* Tasks of q belong to this epoch; it may have changed since they were refused a slot. */
static inline void set_epoch(hd_request *q, uint32_t epoch)
{
    if (((q->slot.flags & HD_SLOT_ODD) != 0u) == epoch)
        return;
    q->slot.flags ^= HD_SLOT_ODD;
    q->sent.flags ^= HD_TASK_ODD;
}

static __attribute__((noinline)) void trace_taken(heddle_pool *p, const hd_request *q, const heddle_handle *tasks,
                                                  uint32_t n)
{
    uint32_t i;
    for (i = 0; i < n; i++)
        hd_trace_spawned(p, (uint32_t)tasks[i], &q->sent);
}

static inline uint32_t kind_of(uint32_t flags)
{
    if (flags & (HD_SLOT_HANDLE | HD_SLOT_NOTIFY))
        return HD_MARK_KEPT;
    return flags & ~HD_SLOT_ODD ? HD_MARK_OTHER : HD_MARK_PLAIN;
}

uint32_t hd_slots_take(heddle_pool *p, hd_post *post, hd_request *q, heddle_handle *out)
{
    const uint32_t kind = kind_of(q->slot.flags);
    uint32_t k, epoch;
    hd_post_lock(post);
    epoch = p->epoch;
    set_epoch(q, epoch);
    for (k = 0; k < q->n; k++) {
        if (!post->n_free)
            find(p, post);
        if (!post->n_free)
            break;
        out[k] = take_top(p, post, &q->slot, kind);
    }
    count_taken(post, q, epoch, k);
    if (q->slot.flags & HD_SLOT_TRACED)
        trace_taken(p, q, out, k);
    hd_post_unlock(post);
    return k;
}

/* ---- how a task has ended ----------------------------------------------------------------------------------------- */

heddle_status hd_slot_bad_end(heddle_pool *p, uint32_t i, uint32_t how, heddle_pool_end *end)
{
    const hd_slot *s = &p->slots[i];
    const uint32_t code = p->words->told[i].code;
    const char *body = hd_body_name(p->graph->g.table, s->body);
    end->code = code_of(p, i, how);
    end->status = status_of(how);
    switch (how) {
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
