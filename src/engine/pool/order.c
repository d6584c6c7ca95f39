/* SPDX-License-Identifier: MIT */
/* order.c - the order of tasks that name ranges: one that reads what an earlier one writes, or writes what an earlier one touches,
 * comes after it. Earlier is the one that got the order's lock first.
 *
 * The tracker of graphs (graph/range.h) finds the conflicts. It forgets no range, so it is made anew now and then, from the tasks that
 * have not ended: what has ended need not be waited for. A task that has ended badly counts until the program has seen that. A task
 * waits for HEDDLE_POOL_MOST_AFTER others at most; joins, tasks without a body that take slots of their own, stand for more.
 *
 * Without memory for an entry the order is that of time: the call fails, when all earlier tasks have ended. */
#include "engine/pool/pool.h"

#define LEAST_ENTRIES 1024u /* before the first renewal */

typedef struct entry {
    heddle_handle handle; /* of its task; 0: it stands for n entries, in stood_for from `first` on */
    uint64_t first;       /* its task's ranges: n, from there on; a join has none */
    uint32_t n, visit;
} entry;

#define ENTRY(k, i) ((entry *)(k)->entries.at + (i))
#define RANGE(k, i) ((heddle_range *)(k)->ranges.at + (i))
#define STOOD_FOR(k, i) ((uint32_t *)(k)->stood_for.at + (i))
#define BEFORE(o, i) ((uint32_t *)(o)->before.at + (i))
#define NAME(o, i) ((heddle_handle *)(o)->names.at + (i))

static heddle_status no_memory(hd_order *o)
{
    o->is_spoilt = 1;
    return hd_say(NULL, HEDDLE_ENOMEM, "a pool: no memory for the order of ranges");
}

/* ---- entries; functions return -1 or HD_NONE without memory ------------------------------------------------------ */

static uint32_t put_entry(hd_ordered *k, heddle_handle h, uint64_t first, uint64_t n)
{
    if (hd_list_room(&k->entries, 1, sizeof(entry)))
        return HD_NONE;
    *ENTRY(k, k->entries.n) = (entry){h, first, (uint32_t)n, 0};
    return (uint32_t)k->entries.n++;
}

static int put_stood_for(hd_ordered *k, const uint32_t *entries, uint64_t n)
{
    if (!n)
        return 0;
    if (hd_list_room(&k->stood_for, n, sizeof *entries))
        return -1;
    memcpy(STOOD_FOR(k, k->stood_for.n), entries, n * sizeof *entries);
    k->stood_for.n += n;
    return 0;
}

/* For the tracker: an entry that stands for n others. */
static uint32_t stand_for(void *self, const uint32_t *entries, uint64_t n)
{
    hd_ordered *k = self;
    const uint64_t first = k->stood_for.n;
    return put_stood_for(k, entries, n) ? HD_NONE : put_entry(k, 0, first, n);
}

/* Puts an entry for a task with these ranges, o->task; o->before is what it comes after. */
static int meet(hd_order *o, hd_ordered *k, const heddle_range *ranges, uint64_t n)
{
    const hd_joiner joiner = {k, stand_for};
    o->before.n = 0;
    if (hd_list_room(&o->areas, n, 4) || hd_list_room(&k->ranges, n, sizeof *ranges) ||
        hd_ranges_gather(k->tracker, ranges, n, o->areas.at, &o->before, &joiner))
        return -1;
    o->n_before = (uint32_t)o->before.n;
    o->task = put_entry(k, 0, k->ranges.n, n);
    if (o->task == HD_NONE || hd_ranges_note(k->tracker, ranges, n, o->areas.at, o->task))
        return -1;
    memcpy(RANGE(k, k->ranges.n), ranges, n * sizeof *ranges);
    k->ranges.n += n;
    return 0;
}

/* ---- forgetting ----------------------------------------------------------------------------------------------------- */

static void forget(hd_ordered *k)
{
    hd_ranges_free(k->tracker);
    hd_list_clear(&k->entries);
    hd_list_clear(&k->ranges);
    hd_list_clear(&k->stood_for);
    k->tracker = NULL;
}

/* Fills `to` with the tasks of `from` that must still be waited for. */
static int renew(heddle_pool *p, hd_ordered *to, const hd_ordered *from)
{
    uint64_t i;
    to->tracker = hd_ranges_new();
    for (i = 0; to->tracker && i < from->entries.n; i++) {
        const entry *e = ENTRY(from, i);
        if (!e->handle || !e->n || hd_name(p, e->handle, HD_SLOT_ORDERED) <= 0)
            continue;
        hd_unname(p, &e->handle, 1);
        if (meet(&p->order, to, RANGE(from, e->first), e->n))
            return -1;
        ENTRY(to, p->order.task)->handle = e->handle;
    }
    return to->tracker ? 0 : -1;
}

static heddle_status make_room(heddle_pool *p)
{
    hd_order *o = &p->order;
    hd_ordered fresh = {NULL, {NULL, 0, 0, 0}, {NULL, 0, 0, 0}, {NULL, 0, 0, 0}};
    if (o->known.tracker && o->known.entries.n < o->most)
        return HEDDLE_OK;
    if (renew(p, &fresh, &o->known)) {
        forget(&fresh);
        return no_memory(o);
    }
    forget(&o->known);
    o->known = fresh;
    o->most = 2u * fresh.entries.n > LEAST_ENTRIES ? 2u * fresh.entries.n : LEAST_ENTRIES;
    return HEDDLE_OK;
}

static int has_ended(const heddle_pool *p, heddle_handle h)
{
    const uint32_t i = (uint32_t)h, g = (uint32_t)(h >> 32);
    return hd_slot_generation(p, i) != g || hd_slot_how(p, i, g);
}

/* After no_memory: waits for all earlier tasks. */
static void await_entries(heddle_pool *p)
{
    hd_ordered *k = &p->order.known;
    const uint64_t since = heddle_host_clock_ns();
    uint64_t i;
    for (i = 0; i < k->entries.n; i++)
        while (ENTRY(k, i)->handle && !has_ended(p, ENTRY(k, i)->handle) && hd_pool_runs(p) == HEDDLE_OK)
            hd_pool_rest(since);
    forget(k);
    p->order.is_spoilt = 0;
}

static void unlock(heddle_pool *p)
{
    if (p->order.is_spoilt) {
        const hd_error why = *hd_thread_error();
        await_entries(p);
        *hd_thread_error() = why;
    }
    pthread_mutex_unlock(&p->order.mutex);
}

/* ---- what a task waits for ------------------------------------------------------------------------------------------ */

/* Names the task of that handle, if it must be waited for. */
static int name_task(heddle_pool *p, heddle_handle h)
{
    hd_order *o = &p->order;
    if (hd_list_room(&o->names, 1, sizeof h))
        return -1;
    if (hd_name(p, h, HD_SLOT_ORDERED) > 0)
        *NAME(o, o->names.n++) = h;
    return 0;
}

/* Lets the list of entries grow by those that entry e stands for. */
static int put_before(hd_order *o, const entry *e)
{
    if (!e->n)
        return 0;
    if (hd_list_room(&o->before, e->n, sizeof(uint32_t)))
        return -1;
    memcpy(BEFORE(o, o->before.n), STOOD_FOR(&o->known, e->first), e->n * sizeof(uint32_t));
    o->before.n += e->n;
    return 0;
}

/* Names the tasks of all entries that the call's task comes after. */
static int name_before(heddle_pool *p)
{
    hd_order *o = &p->order;
    uint64_t i;
    o->visit++;
    for (i = 0; i < o->before.n; i++) {
        entry *e = ENTRY(&o->known, *BEFORE(o, i));
        if (e->visit == o->visit)
            continue;
        e->visit = o->visit;
        if (e->handle ? name_task(p, e->handle) : put_before(o, e))
            return -1;
    }
    return 0;
}

/* Fills o->names, beginning with those that q has; there is room even for none. After an error nothing is named. */
static heddle_status name_all(heddle_pool *p, const hd_request *q)
{
    hd_order *o = &p->order;
    o->names.n = 0;
    if (hd_list_room(&o->names, HEDDLE_POOL_MOST_AFTER, sizeof *q->sent.after)) {
        hd_unname(p, q->sent.after, q->sent.n_after);
        return no_memory(o);
    }
    memcpy(NAME(o, 0), q->sent.after, q->sent.n_after * sizeof *q->sent.after);
    o->names.n = q->sent.n_after;
    if (!meet(o, &o->known, q->task->ranges, q->task->n_ranges) && !name_before(p))
        return HEDDLE_OK;
    hd_unname(p, NAME(o, 0), o->names.n);
    return no_memory(o);
}

/* ---- joins ---------------------------------------------------------------------------------------------------------- */

/* Sends a join of o->names from *head on, which it takes off there, and names it behind the others. */
static heddle_status join(heddle_pool *p, const hd_request *q, uint64_t *head)
{
    hd_order *o = &p->order;
    hd_request joined = {.tries = q->tries,
                         .n = 1,
                         .slot = {.flags = HD_SLOT_ORDERED, .body = HD_BODY_JOIN},
                         .sent = {.body = HD_BODY_JOIN,
                                  .flags = HD_TASK_PINNED | 1u << HD_TASK_TEAM,
                                  .n_blocks = 1,
                                  .team_size = 32,
                                  .n_after = HEDDLE_POOL_MOST_AFTER,
                                  .after = NAME(o, *head)}};
    heddle_handle h;
    uint32_t got;
    *head += HEDDLE_POOL_MOST_AFTER; /* they are the join's, or no longer named */
    HD_TRY(hd_request_send(p, &joined, &h, &got));
    return name_task(p, h) ? no_memory(o) : HEDDLE_OK;
}

/* Entries that stand for others stand for n tasks instead, which wait for those: so the next task finds the joins. */
static heddle_status stand_for_tasks(hd_order *o, const heddle_handle *tasks, uint32_t n)
{
    hd_ordered *k = &o->known;
    const uint64_t first = k->stood_for.n;
    uint64_t i;
    uint32_t j;
    for (j = 0; j < n; j++) {
        const uint32_t e = put_entry(k, tasks[j], 0, 0);
        if (e == HD_NONE || put_stood_for(k, &e, 1))
            return no_memory(o);
    }
    for (i = 0; i < o->before.n; i++) {
        entry *e = ENTRY(k, *BEFORE(o, i));
        if (!e->handle) {
            e->first = first;
            e->n = n;
        }
    }
    return HEDDLE_OK;
}

/* Lets joins stand for names until q's task has room for all. After an error nothing is named. */
static heddle_status reduce(heddle_pool *p, hd_request *q, heddle_handle *names)
{
    hd_order *o = &p->order;
    uint64_t head = 0;
    heddle_status s = HEDDLE_OK;
    while (s == HEDDLE_OK && o->names.n - head > HEDDLE_POOL_MOST_AFTER)
        s = join(p, q, &head);
    q->sent.n_after = (uint32_t)(o->names.n - head);
    if (s == HEDDLE_OK && head)
        s = stand_for_tasks(o, NAME(o, head), q->sent.n_after);
    if (s != HEDDLE_OK) {
        hd_unname(p, NAME(o, head), o->names.n - head);
        return s;
    }
    memcpy(names, NAME(o, head), q->sent.n_after * sizeof *names);
    return HEDDLE_OK;
}

/* ---- a call --------------------------------------------------------------------------------------------------------- */

/* A task with HEDDLE_POOL_TRY does not wait for a thread that waits for a slot. */
static heddle_status lock(heddle_pool *p, int waits)
{
    uint32_t n = 0;
    if (waits) {
        pthread_mutex_lock(&p->order.mutex);
        return HEDDLE_OK;
    }
    while (pthread_mutex_trylock(&p->order.mutex)) {
        if (__atomic_load_n(&p->n_waiting, __ATOMIC_RELAXED))
            return hd_say_full(p);
        HD_PAUSE(n++);
    }
    return HEDDLE_OK;
}

/* Locked. After an error nothing is named. */
static heddle_status begin(heddle_pool *p, hd_request *q, heddle_handle *names)
{
    const heddle_status s = make_room(p);
    if (s != HEDDLE_OK) {
        hd_unname(p, names, q->sent.n_after);
        return s;
    }
    HD_TRY(name_all(p, q));
    return reduce(p, q, names);
}

heddle_status hd_order_begin(heddle_pool *p, hd_request *q, heddle_handle *names)
{
    heddle_status s = lock(p, !q->tries);
    q->sent.after = names;
    if (s != HEDDLE_OK) {
        hd_unname(p, names, q->sent.n_after);
        return s;
    }
    s = begin(p, q, names);
    if (s != HEDDLE_OK)
        hd_order_end(p, 0);
    return s;
}

/* The call's entry stands for what its task would have come after. */
static void stand_for_before(hd_order *o)
{
    entry *e = ENTRY(&o->known, o->task);
    e->first = o->known.stood_for.n;
    e->n = o->n_before;
    if (put_stood_for(&o->known, o->before.at, o->n_before))
        (void)no_memory(o);
}

void hd_order_end(heddle_pool *p, heddle_handle h)
{
    hd_order *o = &p->order;
    if (!o->is_spoilt && h)
        ENTRY(&o->known, o->task)->handle = h;
    else if (!o->is_spoilt)
        stand_for_before(o);
    unlock(p);
}

void hd_order_free(heddle_pool *p)
{
    hd_order *o = &p->order;
    forget(&o->known);
    hd_list_clear(&o->areas);
    hd_list_clear(&o->before);
    hd_list_clear(&o->names);
}
