/* SPDX-License-Identifier: MIT */
/* core/baselines/scheduler.h - dispatch scheduler: a scheduler takes one worker's place, and it alone counts
 * dependences (Belviranli et al., DIDC'14, section 3; Belviranli's thesis, section 5.3), for comparison.
 *
 * A worker w has two queues of n_slots words, and a counter for each, in the papers' names:
 *
 *      IQS    cursors[2 w + 1].tail    what the scheduler has ever put into its input queue
 *      OQS    cursors[2 w].tail        what the worker has ever put into its output queue
 *      taken  cursors[2 w + 1].head    what it has taken out of its input queue
 *      seen   after the queues         what the scheduler has seen of its output queue
 *
 * Each has one writer, so counting is a store, and a queue's size is a difference; they count on from run to run. A
 * worker that finds IQS ahead of what it has taken runs the task and reports by OQS. A report is a word: DONE, a task
 * of the graph with successors to be counted; or READY, a spawned task, to be handed out.
 *
 * The scheduler works in turns, with all lanes of its block. It looks at all output queues, a lane for each worker. It
 * counts the successors of what it found, some lanes for each task, so only it uses the counters. It queues tasks that
 * became ready, hands ready tasks out as far as queues have room, by the policy, and stores each worker's new IQS.
 * Roots are the first ready tasks. It never waits for a worker; a worker waits for it only when the output queue is
 * full.
 *
 * The end. The scheduler knows how many tasks are not done and stops the run when none is left. Where bodies spawn, it
 * does not know the tasks on workers' own lists. Then the end is the count of outstanding tasks (core/own.h), and the
 * scheduler leaves with the others.
 *
 * On a GPU block n_workers of the grid is the scheduler. Of threads it is one more; a single thread is both in
 * turns. */
#ifndef HEDDLE_CORE_BASELINES_SCHEDULER_H
#define HEDDLE_CORE_BASELINES_SCHEDULER_H

#include "heddle/core/worker.h"

#define HD_SCHED_WORKERS 512u /* workers, at most                                                   */
#define HD_SCHED_FOUND 256u   /* reports processed in one turn, at most                              */
#define HD_SCHED_EACH 4u      /* lanes that count the successors of a task                           */

#define HD_REPORT_READY 0x80000000u /* else DONE                                                  */

/* A ready task, and what freed it: the worker, and whether the task was the first freed by its predecessor. */
#define HD_FREED_FIRST 0x10000u
typedef struct hd_ready {
    uint32_t task, from;
} hd_ready;

/* The scheduler's own state, on a GPU its block's shared memory. Lanes meet between writing and reading. Words that
 * several lanes add to between two meetings are marked "block". */
typedef struct hd_scheduler {
    uint32_t run, stop;
    uint32_t policy_cursor; /* the next worker                                                            */
    uint32_t next_root;     /* roots handed out                                                           */
    uint32_t mask;          /* places for ready tasks, less one                                           */
    uint32_t head;          /* of the ready tasks, beside the roots                                       */
    uint32_t tail;          /* block: its end                                                             */
    uint32_t left;          /* block: tasks that are not done, where no body spawns                       */
    uint32_t n_found;       /* block: reports found in this turn                                          */
    uint32_t room;          /* block: room in all input queues                                            */
    uint32_t report[HD_SCHED_FOUND];
    uint32_t from[HD_SCHED_FOUND]; /* block: the worker, plus HD_FREED_FIRST for each task freed       */
    uint32_t seen[HD_SCHED_WORKERS], taken[HD_SCHED_WORKERS];
    uint32_t given[HD_SCHED_WORKERS]; /* block: put into the input queue                              */
    uint32_t told[HD_SCHED_WORKERS];  /* what the worker knows of that                                */
} hd_scheduler;

/* Words that lanes add to; a single lane needs no atomic access. */
HD_FN int hd_sched_alone(void) { return HD_HOSTED && hd_all_width() == 1u; }
HD_FN uint32_t hd_sched_get(uint32_t *word) { return hd_sched_alone() ? *word : HD_LOAD(word, RELAXED, BLOCK); }
HD_FN void hd_sched_set(uint32_t *word, uint32_t value)
{
    if (hd_sched_alone())
        *word = value;
    else
        HD_STORE(word, value, RELAXED, BLOCK);
}
/* Returns the value before. */
HD_FN uint32_t hd_sched_sum(uint32_t *word, uint32_t value)
{
    if (!hd_sched_alone())
        return HD_ADD(word, value, RELAXED, BLOCK);
    *word += value;
    return *word - value;
}

/* ---- where things are ---- */

HD_FN uint32_t *hd_sched_iqs(const hd_run *r, uint32_t worker) { return &r->cursors[2u * worker + 1u].tail; }
HD_FN uint32_t *hd_sched_oqs(const hd_run *r, uint32_t worker) { return &r->cursors[2u * worker].tail; }
HD_FN uint32_t *hd_sched_taken(const hd_run *r, uint32_t worker) { return &r->cursors[2u * worker + 1u].head; }
HD_FN uint32_t *hd_sched_in(const hd_run *r, uint32_t worker, uint32_t at)
{
    return &r->slots[(uint64_t)worker * r->n_slots + (at & (r->n_slots - 1u))];
}
HD_FN uint32_t *hd_sched_out(const hd_run *r, uint32_t worker, uint32_t at)
{
    return hd_sched_in(r, r->n_workers + worker, at);
}
HD_FN uint32_t *hd_sched_seen(const hd_run *r, uint32_t worker)
{
    return &r->slots[2ull * r->n_workers * r->n_slots + worker];
}
/* After them the ready tasks: no task is there twice. */
HD_FN hd_ready *hd_sched_ready(const hd_run *r) { return (hd_ready *)(void *)hd_sched_seen(r, r->n_workers); }
HD_FN uint32_t hd_sched_places(const hd_run *r)
{
    uint32_t n = 1;
    while (n < r->n_tasks + r->n_arena)
        n *= 2u;
    return n;
}
/* Words of hd_run.slots. */
HD_FN uint64_t hd_sched_words(const hd_run *r)
{
    return 2ull * r->n_workers * r->n_slots + r->n_workers + 2ull * hd_sched_places(r);
}

/* ---- a worker ---- */

/* Lane 0: stores how much it has taken, if that has changed. */
HD_FN void hd_sched_tell_taken(const hd_run *r, hd_worker *w)
{
    if (w->by.sched.told == w->head[1])
        return;
    w->by.sched.told = w->head[1];
    HD_STORE(hd_sched_taken(r, w->id), w->head[1], RELAXED, DEV);
}

/* Lane 0: a task, or HD_NONE for now. */
HD_FN uint32_t hd_sched_take(const hd_run *r, hd_worker *w)
{
    if (w->by.sched.known == 0u) {
        hd_sched_tell_taken(r, w);
        w->by.sched.known = HD_LOAD(hd_sched_iqs(r, w->id), ACQUIRE, DEV) - w->head[1];
    }
    if (w->by.sched.known == 0u)
        return HD_NONE;
    w->by.sched.known--;
    return HD_LOAD(hd_sched_in(r, w->id, w->head[1]++), RELAXED, DEV);
}

/* Lane 0: waits for room for n reports. At worst `seen` is too low. */
HD_FN void hd_sched_await_room(const hd_run *r, hd_worker *w, uint32_t n)
{
    uint32_t *seen = &w->by.sched.seen, polls = 0;
    while (w->head[0] + n - *seen > r->n_slots) {
        *seen = HD_LOAD(hd_sched_seen(r, w->id), RELAXED, DEV);
        if (w->head[0] + n - *seen <= r->n_slots || hd_stopped(r) != HD_STOP_NOT)
            return;
        HD_PAUSE(polls++);
    }
}

/* Lane 0: publishes the n reports that have been written. */
HD_FN void hd_sched_tell(const hd_run *r, hd_worker *w, uint32_t n)
{
    w->head[0] += n;
    hd_sched_tell_taken(r, w);
    HD_STORE(hd_sched_oqs(r, w->id), w->head[0], RELEASE, DEV);
}

/* All scheduling lanes: those in `mask` have spawned tasks that are to be handed out. */
HD_FN void hd_sched_place(const hd_run *r, hd_worker *w, uint32_t mask, uint32_t task)
{
    uint32_t lane = hd_warp_lane(), n = hd_popcount(mask);
    if (lane == 0)
        hd_sched_await_room(r, w, n);
    hd_warp_sync();
    if (mask >> lane & 1u)
        HD_STORE(hd_sched_out(r, w->id, w->head[0] + hd_popcount(mask & ((1u << lane) - 1u))), HD_REPORT_READY | task,
                 RELAXED, DEV);
    hd_warp_sync(); /* what the lanes wrote is lane 0's to release */
    if (lane == 0)
        hd_sched_tell(r, w, n);
    hd_warp_sync();
}

/* All scheduling lanes, after the barrier that ends the body of x->task: reports it; the scheduler counts its successors. */
HD_FN void hd_sched_finish(const hd_run *r, hd_worker *w, hd_turn *x)
{
    uint64_t begin = r->events ? hd_clock() : 0;
    hd_finished(r, w, x, HD_DISPATCH_SCHEDULER);
    if (hd_warp_lane() != 0)
        return;
    if (!r->n_arena)
        w->n_done = 0; /* the scheduler counts */
    hd_sched_await_room(r, w, 1u);
    HD_STORE(hd_sched_out(r, w->id, w->head[0]), x->task, RELAXED, DEV);
    hd_sched_tell(r, w, 1u);
    if (r->events)
        hd_trace_queue(w, begin);
}

/* ---- the scheduler: all its lanes call each of these, unless the comment says one lane ---- */

HD_FN void hd_sched_begin(const hd_run *r, hd_scheduler *s)
{
    uint32_t w;
    for (w = hd_all_lane(); w < r->n_workers; w += hd_all_width()) {
        s->seen[w] = HD_LOAD(hd_sched_oqs(r, w), RELAXED, DEV);  /* no worker has had a task in this run */
        HD_STORE(hd_sched_seen(r, w), s->seen[w], RELAXED, DEV); /* the last run may have ended with reports unread */
        s->taken[w] = s->told[w] = HD_LOAD(hd_sched_iqs(r, w), RELAXED, DEV);
        hd_sched_set(&s->given[w], s->told[w]);
    }
    if (hd_all_lane() == 0) {
        s->run = HD_LOAD(&r->control->run, RELAXED, DEV);
        s->mask = hd_sched_places(r) - 1u;
        s->stop = s->policy_cursor = s->next_root = s->head = 0;
        hd_sched_set(&s->left, r->n_tasks);
        hd_sched_set(&s->tail, 0u);
        hd_sched_set(&s->n_found, 0u);
        hd_sched_set(&s->room, 0u);
    }
    hd_all_sync();
}

/* One lane: collects new reports of worker w, as far as there is room. */
HD_FN void hd_sched_look_at(const hd_run *r, hd_scheduler *s, uint32_t w)
{
    uint32_t n = HD_LOAD(hd_sched_oqs(r, w), RELAXED, DEV) - s->seen[w], at, i;
    s->taken[w] = HD_LOAD(hd_sched_taken(r, w), RELAXED, DEV);
    if (n == 0u)
        return;
    n = HD_LOAD(hd_sched_oqs(r, w), ACQUIRE, DEV) -
        s->seen[w]; /* only now: it empties the cache of a worker beside it */
    at = hd_sched_sum(&s->n_found, n);
    for (i = 0; i < n && at + i < HD_SCHED_FOUND; i++) {
        s->report[at + i] = HD_LOAD(hd_sched_out(r, w, s->seen[w]++), RELAXED, DEV);
        hd_sched_set(&s->from[at + i], w);
    }
    HD_STORE(hd_sched_seen(r, w), s->seen[w], RELAXED, DEV);
}

/* One lane: adds one ready task. */
HD_FN void hd_sched_add(const hd_run *r, hd_scheduler *s, uint32_t task, uint32_t from)
{
    hd_ready *to = hd_sched_ready(r) + (hd_sched_sum(&s->tail, 1u) & s->mask);
    to->task = task;
    to->from = from;
}

/* One lane: counts the edge of the k-th report. Its target may be the first that this task frees. */
HD_FN void hd_sched_count(const hd_run *r, hd_scheduler *s, uint32_t k, hd_edge e)
{
    uint32_t from;
    if (hd_is_counted(e) && HD_ADD(&r->count[e.task], 1u, RELAXED, DEV) + 1u != s->run * (e.need & HD_NEED_MASK))
        return;
    from = hd_policy_keeps(r->policy) ? hd_sched_sum(&s->from[k], HD_FREED_FIRST) : HD_FREED_FIRST;
    hd_sched_add(r, s, e.task, from < HD_FREED_FIRST ? from | HD_FREED_FIRST : from & (HD_FREED_FIRST - 1u));
}

/* One lane, the part-th of those that process the k-th report. */
HD_FN void hd_sched_resolve(const hd_run *r, hd_scheduler *s, uint32_t k, uint32_t part)
{
    const uint32_t word = s->report[k], t = word & ~HD_REPORT_READY;
    const hd_task *task = hd_task_at(r, t);
    uint32_t i;
    if (word & HD_REPORT_READY) {
        if (part == 0)
            hd_sched_add(r, s, t, hd_sched_get(&s->from[k]));
        return;
    }
    for (i = part; i < task->n_succ; i += HD_SCHED_EACH)
        hd_sched_count(r, s, k, hd_edge_at(r, task, i));
    if (part == 0)
        (void)hd_sched_sum(&s->left, 0u - 1u);
}

HD_FN uint32_t hd_sched_length(hd_scheduler *s, uint32_t w) { return hd_sched_get(&s->given[w]) - s->taken[w]; }

/* The k-th of the tasks to be handed out. */
HD_FN hd_ready hd_sched_nth(const hd_run *r, const hd_scheduler *s, uint32_t k)
{
    hd_ready root = {0, 0};
    if (s->next_root == r->n_roots)
        return hd_sched_ready(r)[(s->head + k) & s->mask];
    root.task = r->roots[s->next_root + k];
    return root;
}

/* One lane: the worker with the shortest queue; the first of several from `next` on. */
HD_FN uint32_t hd_sched_shortest(const hd_run *r, hd_scheduler *s, uint32_t next)
{
    uint32_t i, w = next, best = next, least = hd_sched_length(s, next), n;
    for (i = 1; i < r->n_workers && least; i++) {
        w = hd_wrapped(r, w + 1u);
        n = hd_sched_length(s, w);
        best = n < least ? w : best;
        least = n < least ? n : least;
    }
    return best;
}

/* One lane: `home` unless its queue is above the average, else the next below the average; `next` if there is none, because
 * other lanes hand out at the same time. */
HD_FN uint32_t hd_sched_below(const hd_run *r, hd_scheduler *s, uint32_t home, uint32_t next)
{
    const uint64_t sum = (uint64_t)r->n_workers * r->n_slots - hd_sched_get(&s->room);
    uint32_t i, w = home;
    if ((uint64_t)hd_sched_length(s, home) * r->n_workers <= sum)
        return home;
    for (i = 1; i < r->n_workers; i++) {
        w = hd_wrapped(r, w + 1u);
        if ((uint64_t)hd_sched_length(s, w) * r->n_workers < sum)
            return w;
    }
    return next;
}

/* One lane: the worker for the k-th by the policy (core/policy.h). One scheduler hands out for all, so lrr and grr are
 * the same; it knows all queues, so none is left out. */
HD_FN uint32_t hd_sched_pick(const hd_run *r, hd_scheduler *s, hd_ready e, uint32_t k)
{
    const uint32_t home = e.from & (HD_FREED_FIRST - 1u), next = hd_wrapped_any(r, s->policy_cursor + k);
    if (hd_policy_has(r->policy, HD_IF_LOW))
        return hd_sched_below(r, s, home, next);
    if (e.from & HD_FREED_FIRST)
        return home;
    return hd_policy_by_load(r->policy) ? hd_sched_shortest(r, s, next) : next;
}

/* One lane: hands out the k-th to the policy's worker, or the next with room; there is one, because no more are handed
 * out than there is room for. */
HD_FN void hd_sched_give(const hd_run *r, hd_scheduler *s, uint32_t k)
{
    const hd_ready e = hd_sched_nth(r, s, k);
    uint32_t w = hd_sched_pick(r, s, e, k), at;
    while ((at = hd_sched_sum(&s->given[w], 1u)) - s->taken[w] >= r->n_slots) {
        (void)hd_sched_sum(&s->given[w], 0u - 1u);
        w = hd_wrapped(r, w + 1u);
    }
    HD_STORE(hd_sched_in(r, w, at), e.task, RELAXED, DEV);
}

HD_FN void hd_sched_look(const hd_run *r, hd_scheduler *s)
{
    uint32_t w;
    for (w = hd_all_lane(); w < r->n_workers; w += hd_all_width())
        hd_sched_look_at(r, s, w);
    if (hd_all_lane() == 0)
        s->stop = hd_stopped(r);
    hd_all_sync();
}

/* Counts the successors of the n tasks found, and the room in all queues. */
HD_FN void hd_sched_resolve_all(const hd_run *r, hd_scheduler *s, uint32_t n)
{
    uint32_t i, w, room = 0;
    for (i = hd_all_lane(); i < n * HD_SCHED_EACH; i += hd_all_width())
        hd_sched_resolve(r, s, i / HD_SCHED_EACH, i % HD_SCHED_EACH);
    for (w = hd_all_lane(); w < r->n_workers; w += hd_all_width())
        room += r->n_slots - hd_sched_length(s, w);
    (void)hd_sched_sum(&s->room, room);
    hd_all_sync();
}

/* The number of ready tasks: the roots that are left, or, when there are none, the others. */
HD_FN uint32_t hd_sched_n_ready(const hd_run *r, hd_scheduler *s)
{
    return s->next_root < r->n_roots ? r->n_roots - s->next_root : hd_sched_get(&s->tail) - s->head;
}

/* Returns how many were handed out. */
HD_FN uint32_t hd_sched_hand_out(const hd_run *r, hd_scheduler *s)
{
    const uint32_t room = hd_sched_get(&s->room);
    uint32_t n = hd_sched_n_ready(r, s), k;
    if (n > room)
        n = room;
    for (k = hd_all_lane(); k < n; k += hd_all_width())
        hd_sched_give(r, s, k);
    if (hd_all_lane() == 0)
        hd_sched_set(&s->n_found, 0u);
    hd_all_sync();
    return n;
}

/* Publishes n tasks that have been put into workers' queues. */
HD_FN void hd_sched_tell_all(const hd_run *r, hd_scheduler *s, uint32_t n)
{
    uint32_t w, given;
    for (w = hd_all_lane(); w < r->n_workers; w += hd_all_width()) {
        given = hd_sched_get(&s->given[w]);
        if (s->told[w] != given)
            HD_STORE(hd_sched_iqs(r, w), given, RELEASE, DEV);
        s->told[w] = given;
    }
    if (hd_all_lane() != 0)
        return;
    if (s->next_root < r->n_roots)
        s->next_root += n;
    else
        s->head += n;
    s->policy_cursor = hd_wrapped_any(r, s->policy_cursor + n);
    hd_sched_set(&s->room, 0u);
}

/* Result of a turn, the same for all lanes. */
#define HD_ROUND_OVER 0u
#define HD_ROUND_IDLE 1u
#define HD_ROUND_BUSY 2u

HD_FN uint32_t hd_sched_round(const hd_run *r, hd_scheduler *s)
{
    uint32_t n_found, n;
    hd_sched_look(r, s);
    if (s->stop != HD_STOP_NOT)
        return HD_ROUND_OVER;
    n_found = hd_sched_get(&s->n_found);
    n_found = n_found < HD_SCHED_FOUND ? n_found : HD_SCHED_FOUND;
    if (n_found == 0u && hd_sched_n_ready(r, s) == 0u) {
        hd_all_sync(); /* all have seen that before one looks again */
        return HD_ROUND_IDLE;
    }
    hd_sched_resolve_all(r, s, n_found);
    if (!r->n_arena && hd_sched_get(&s->left) == 0u) {
        if (hd_all_lane() == 0)
            (void)hd_stop(&r->control->fail, HD_STOP_DONE);
        return HD_ROUND_OVER;
    }
    n = hd_sched_hand_out(r, s);
    hd_sched_tell_all(r, s, n);
    return n_found | n ? HD_ROUND_BUSY : HD_ROUND_IDLE;
}

#endif
