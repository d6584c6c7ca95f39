/* SPDX-License-Identifier: MIT */
/* core/baselines/iqs.h - dispatch iqs: the queues of Juggler (PPoPP'18, sections 5.2, 5.3, 5.5), for comparison.
 *
 * A worker's queue is as long as the graph and has three numbers, in the paper's names:
 *
 *     queueEndIndex     cursors[2 w].tail        moved by an inserting worker, to reserve a place
 *     IQS               cursors[2 w + 1].tail    the "input queue size": inserted and not yet finished
 *     queueStartIndex   w->head[0]               the owner's; cursors[2 w].head keeps it between runs
 *
 * An insertion reserves a place, writes the task there and counts it in IQS: three trips to memory in sequence. The
 * owner loads IQS, then queueEndIndex. Only if IQS is queueEndIndex - queueStartIndex is no worker between reserving
 * and writing. Then all IQS tasks of the queue are retrieved, and run one by one. Each is subtracted from IQS when the
 * tasks that it freed have been inserted. All three count on from run to run and places are taken modulo the length of
 * the queue, so nothing is reset.
 *
 * In three points this differs from the paper, which is wrong there:
 *
 *   - queueEndIndex is read after IQS. Read before it, it may leave out a place that was reserved in between and counted
 *     in IQS, and the two agree although an earlier place is not yet written.
 *   - the count hands on what was written: inserting releases, retrieving acquires. The paper leaves that to chance.
 *   - the end is the count of outstanding tasks (core/stop.h). The paper looks whether every IQS is 0, one after another,
 *     while a task can still move from a queue not yet looked at to one that was.
 *
 * Roots, which the paper's host puts into the first queue before each launch, are taken as by the other dispatches. */
#ifndef HEDDLE_CORE_BASELINES_IQS_H
#define HEDDLE_CORE_BASELINES_IQS_H

#include "heddle/core/worker.h"

HD_FN uint32_t *hd_iqs_size(const hd_run *r, uint32_t worker) { return &r->cursors[2u * worker + 1u].tail; }
HD_FN uint32_t *hd_iqs_end(const hd_run *r, uint32_t worker) { return &r->cursors[2u * worker].tail; }

/* The task retrieved last is finished. */
HD_FN void hd_iqs_drop(const hd_run *r, hd_worker *w)
{
    if (w->by.iqs.task == HD_NONE)
        return;
    w->by.iqs.task = HD_NONE;
    w->head[0]++;
    (void)HD_SUB(hd_iqs_size(r, w->id), 1u, RELAXED, DEV);
}

/* Lane 0: retrieves what is in the queue, up to w->head[1]. 0: nothing, or a worker is inserting. */
HD_FN int hd_iqs_retrieve(const hd_run *r, hd_worker *w)
{
    uint32_t size = HD_LOAD(hd_iqs_size(r, w->id), ACQUIRE, DEV);
    uint32_t end = size ? HD_LOAD(hd_iqs_end(r, w->id), RELAXED, DEV) : 0u;
    if (size == 0u || end - w->head[0] != size)
        return 0;
    w->head[1] = end;
    return 1;
}

/* Lane 0: a task, or HD_NONE for now. */
HD_FN uint32_t hd_iqs_take(const hd_run *r, hd_worker *w)
{
    uint32_t *queue = r->slots + (uint64_t)w->id * r->n_slots;
    hd_iqs_drop(r, w);
    if (w->head[0] == w->head[1] && !hd_iqs_retrieve(r, w))
        return HD_NONE;
    w->by.iqs.task = HD_LOAD(&queue[w->head[0] & (r->n_slots - 1u)], RELAXED, DEV);
    return w->by.iqs.task;
}

/* One lane: inserts into the queue of worker `target`. */
HD_FN void hd_iqs_insert(const hd_run *r, uint32_t target, uint32_t task)
{
    uint32_t at = HD_ADD(hd_iqs_end(r, target), 1u, RELAXED, DEV);
    HD_STORE(&r->slots[(uint64_t)target * r->n_slots + (at & (r->n_slots - 1u))], task, RELAXED, DEV);
    HD_COUNT(hd_iqs_size(r, target), RELEASE, DEV);
}

/* All scheduling lanes: where the first of n freed tasks goes. Under local-first policies that is the worker's own
 * queue (share has no worker to ask here). But spawned tasks come one at a time, so each would be the first. */
HD_FN uint32_t hd_iqs_first(const hd_run *r, hd_worker *w, uint32_t n)
{
    uint32_t first;
    if (!hd_policy_keeps(r->policy))
        return hd_policy_next(r, w->id, &w->policy_cursor, n);
    first = r->n_arena ? w->policy_cursor : w->id;
    hd_warp_sync(); /* all lanes have read the cursor before lane 0 moves it */
    if (hd_warp_lane() == 0)
        w->policy_cursor = hd_wrapped_any(r, first + n);
    return first;
}

/* All scheduling lanes, policies by load: the queue for the rank-th of n freed tasks. */
HD_FN uint32_t hd_iqs_pick(const hd_run *r, const hd_worker *w, uint32_t rank, uint32_t n)
{
    const uint32_t stays =
        !hd_policy_has(r->policy, HD_IF_LOW) && !r->n_arena; /* the first, whatever the lengths are */
    uint32_t target = w->id;
    if (n > stays)
        target = hd_policy_pick(r, w->id, stays, rank - stays, n - stays);
    return stays && rank == 0 ? w->id : target;
}

/* All scheduling lanes: those in `mask` insert their tasks. */
HD_FN void hd_iqs_place(const hd_run *r, hd_worker *w, uint32_t mask, uint32_t task)
{
    const uint32_t lane = hd_warp_lane(), n = hd_popcount(mask), rank = hd_popcount(mask & ((1u << lane) - 1u));
    const uint32_t first = hd_iqs_first(r, w, n);
    const uint32_t target = hd_policy_by_load(r->policy) ? hd_iqs_pick(r, w, rank, n) : hd_wrapped_any(r, first + rank);
    if (mask >> lane & 1u)
        hd_iqs_insert(r, target, task);
    hd_warp_sync();
}

#endif
