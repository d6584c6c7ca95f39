/* SPDX-License-Identifier: MIT */
/* core/sibling.h - the order among the children of one call of a body that name ranges.
 *
 * The spawn buffer remembers ranges of earlier children. A child waits for every remembered range that conflicts with
 * one of its own. A write that covers a remembered range replaces it: whatever conflicts with the old range conflicts
 * with the new one, too, which is ordered after the old. So the order is that of the ranges (core/rects.h), for any
 * number of children, until a child has more conflicts, or the buffer more ranges, than there is room for. Then joins,
 * tasks that only wait, stand for all that is remembered. From that child on each child that names ranges waits for the
 * one before it: stricter than needed, never weaker.
 *
 * One thread at a time; children are pinned, so that their handles are valid until their spawner ends. */
#ifndef HEDDLE_CORE_SIBLING_H
#define HEDDLE_CORE_SIBLING_H

#include "heddle/core/spawn_buffer.h"

/* Joins form a chain: each waits for the last one and 14 children. For n children there are at most 1 + (n - 16) / 14,
 * rounded up; hd_extra_of leaves room for them while n is at most 240. */
HD_STATIC_ASSERT(HD_SIBLINGS + 1u <= HD_MAX_AFTER * (HD_MAX_AFTER + 1u), "slots for all joins and a continuation");

HD_FN hd_sibling *hd_siblings_of(const hd_spawn_buffer *d) { return d->run->sibling + d->worker * HD_SIBLINGS; }

HD_FN int hd_is_after(const hd_run *r, uint32_t t, uint64_t handle)
{
    const uint64_t *after = r->after[t - r->n_tasks].handle;
    uint32_t i, n = hd_child_at(r, t)->n_in;
    for (i = 0; i < n; i++)
        if (after[i] == handle)
            return 1;
    return 0;
}

/* Adds an earlier child to those that task t, not yet handed on, waits for. 0: t already waits for `most` others. */
HD_FN int hd_put_after(const hd_run *r, uint32_t t, uint32_t earlier, uint32_t most)
{
    hd_task *task = hd_child_at(r, t);
    const uint64_t handle = hd_handle_of(r, earlier);
    if (hd_is_after(r, t, handle))
        return 1;
    if (task->n_in == most)
        return 0;
    r->after[t - r->n_tasks].handle[task->n_in++] = handle;
    return 1;
}

/* The child of s waits for those with conflicting ranges, and its range is remembered. 0: there is no room. */
HD_FN int hd_siblings_order(hd_spawn_buffer *d, const hd_sibling *s)
{
    hd_sibling *known = hd_siblings_of(d);
    uint32_t i = 0;
    while (i < d->n_siblings) {
        const hd_sibling *k = &known[i];
        if (k->task != s->task && (k->writes || s->writes) && hd_spans_overlap(&k->span, &s->span) &&
            !hd_put_after(d->run, s->task, k->task, HD_MAX_AFTER))
            return 0;
        if (s->writes && hd_span_covers(&s->span, &k->span))
            known[i] = known[--d->n_siblings];
        else
            i++;
    }
    if (d->n_siblings == HD_SIBLINGS)
        return 0;
    known[d->n_siblings++] = *s;
    return 1;
}

/* Begins the next join. Returns its spawn's index, HD_NONE when there is no slot. It waits for the last join, which is
 * handed on. No continuation counts a join; the children that it orders are counted. */
HD_FN uint32_t hd_join_next(const heddle_thread *thread, uint32_t last)
{
    hd_spawn_buffer *d = thread->spawn_buffer;
    const uint32_t k = hd_spawn_buffer_begin(thread, HD_BODY_JOIN, (const void *)0, 0, 1);
    uint32_t t;
    if (k == HD_NONE)
        return HD_NONE;
    t = hd_spawn_buffer_task(d, k);
    hd_child_write(d, t, HD_BODY_JOIN, (const void *)0, 0, 0)->links.parent = HD_NONE;
    (void)hd_spawn_buffer_pin(d, t);
    if (last != HD_NONE) {
        hd_spawn_buffer_end(thread, last, hd_child_at(d->run, hd_spawn_buffer_task(d, last))->n_in, 0);
        (void)hd_put_after(d->run, t, hd_spawn_buffer_task(d, last), HD_MAX_AFTER);
    }
    return k;
}

/* Does an entry before i belong to the same child? */
HD_FN int hd_sibling_again(const hd_sibling *known, uint32_t i)
{
    uint32_t j;
    for (j = 0; j < i; j++)
        if (known[j].task == known[i].task)
            return 1;
    return 0;
}

/* Makes a join for all remembered children that child t does not wait for anyway. Later ranges are not compared. */
HD_FN void hd_siblings_join(const heddle_thread *thread, uint32_t t)
{
    hd_spawn_buffer *d = thread->spawn_buffer;
    const hd_run *r = d->run;
    const hd_sibling *known = hd_siblings_of(d);
    uint32_t i, k = HD_NONE;
    for (i = 0; i < d->n_siblings; i++) {
        const uint32_t earlier = known[i].task;
        if (earlier == t || hd_sibling_again(known, i) || hd_is_after(r, t, hd_handle_of(r, earlier)))
            continue;
        if (k != HD_NONE && hd_put_after(r, hd_spawn_buffer_task(d, k), earlier, HD_MAX_AFTER))
            continue;
        k = hd_join_next(thread, k);
        if (k == HD_NONE)
            return; /* the run has ended */
        (void)hd_put_after(r, hd_spawn_buffer_task(d, k), earlier, HD_MAX_AFTER);
    }
    d->serial = t + 1u;
    if (k == HD_NONE)
        return;
    hd_spawn_buffer_end(thread, k, hd_child_at(r, hd_spawn_buffer_task(d, k))->n_in, 0);
    d->serial = hd_spawn_buffer_task(d, k) + 1u;
}

/* One thread: child t, which has been written and pinned, reads (mode 1), writes (2) or both (3) this range; it waits
 * for the earlier children that conflict. */
HD_SELDOM_FN void hd_siblings_meet(const heddle_thread *thread, uint32_t t, uint64_t base, uint64_t row_bytes,
                                   uint64_t n_rows, uint64_t stride_bytes, uint32_t mode)
{
    hd_spawn_buffer *d = thread->spawn_buffer;
    hd_sibling s;
    if (mode - 1u > 2u || hd_span_fault(base, row_bytes, n_rows, stride_bytes)) {
        hd_misuse(thread, HD_SPAWN_RANGE);
        return;
    }
    s.span = hd_span_of(base, row_bytes, n_rows, stride_bytes);
    s.writes = mode >> 1;
    s.task = t;
    if (!d->serial && !hd_siblings_order(d, &s))
        hd_siblings_join(thread, t);
    if (!d->serial || d->serial == t + 1u)
        return;
    (void)hd_put_after(d->run, t, d->serial - 1u, HD_MAX_AFTER + 1u); /* a list has room for this one more */
    d->serial = t + 1u;
}

#endif
