/* SPDX-License-Identifier: MIT */
/* trials.h - message-passing trials of core's own functions: ring, countdown, the way out, plan, Juggler's queue, and the
 * ticket ring with places used once, with places used again, and with the end that it finds by itself.
 *
 * A group of workers repeats one kind of trial. Plain data goes with every message, and the receiver checks it. The same
 * roles run on thread blocks (core_gpu.cu) and on threads (core_cpu.c, under ThreadSanitizer). A failed trial is counted
 * in `bad`. Data entries are reused after LITMUS_DATA messages, so that an old value left in a cache is wrong, too. */
#ifndef LITMUS_TRIALS_H
#define LITMUS_TRIALS_H

#include <string.h>
#include "heddle/core/baselines/iqs.h"
#include "heddle/core/plan.h"
#include "heddle/core/ticket.h"

#define LITMUS_SLOTS 8u
#define LITMUS_QUEUE 32u
#define LITMUS_DATA 64u /* > LITMUS_SLOTS + 2: an entry has been read before it is reused */
#define LITMUS_PRODUCERS 3u

/* The words of a group; groups share nothing. */
typedef struct litmus_group {
    hd_control control;
    hd_cursor cursors[2];              /* the ring uses the first, Juggler's queue both */
    hd_pair_word places[LITMUS_QUEUE]; /* of a ticket ring; the first half is also the other queues' slots */
    uint32_t store[2];                 /* an empty store of arena slots, which workers need if bodies spawn */
    uint32_t count[LITMUS_DATA];
    uint32_t data[LITMUS_PRODUCERS][LITMUS_DATA];
    uint32_t consumed, pad0[31];
    uint32_t round, pad1[31];
    uint32_t bad, pad2[31];
} litmus_group;

/* The run as core's functions need it; `tasks` has LITMUS_DATA records with two predecessors. */
HD_FN hd_run litmus_run_of(litmus_group *g, const hd_task *tasks, uint32_t n_slots)
{
    hd_run r;
    memset(&r, 0, sizeof r);
    r.tasks = tasks;
    r.control = &g->control;
    r.count = g->count;
    r.cursors = g->cursors;
    r.slots = (uint32_t *)(void *)g->places;
    r.store = g->store;
    r.n_workers = 2;
    r.n_slots = n_slots;
    return r;
}

HD_FN void litmus_expect(litmus_group *g, uint32_t got, uint32_t expected)
{
    if (got != expected)
        (void)HD_ADD(&g->bad, 1u, RELAXED, DEV);
}

/* Pauses where core's own functions do not wait. */
HD_FN void litmus_pause(const hd_run *r, uint32_t n)
{
    (void)r;
    HD_PAUSE(n);
}

HD_FN void litmus_push(const hd_run *r, litmus_group *g, uint32_t task)
{
    uint32_t n = 0;
    HD_FENCE_RELEASE();
    while (hd_ring_push(&g->cursors[0], r->slots, LITMUS_SLOTS, task, 0) == HD_PUSH_FULL)
        litmus_pause(r, n++);
}

HD_FN uint32_t litmus_pop(const hd_run *r, litmus_group *g, uint32_t *head)
{
    uint32_t n = 0, task;
    while ((task = hd_ring_pop(&g->cursors[0], r->slots, LITMUS_SLOTS, LITMUS_SLOTS / 4u - 1u, head)) == HD_NONE)
        litmus_pause(r, n++);
    return task;
}

/* ---- ring: several producers push, one consumer pops; the data of message i of producer `who` is i + 1 ---- */

HD_FN void litmus_ring_push(const hd_run *r, litmus_group *g, uint32_t who, uint32_t first, uint32_t n)
{
    uint32_t i;
    for (i = first; i < first + n; i++) {
        g->data[who][i % LITMUS_DATA] = i + 1u;
        litmus_push(r, g, who * LITMUS_DATA + i % LITMUS_DATA);
    }
}

HD_FN void litmus_ring_pop(const hd_run *r, litmus_group *g, uint32_t first, uint32_t n)
{
    uint32_t next[LITMUS_PRODUCERS], head = HD_LOAD(&g->cursors[0].head, RELAXED, DEV), i;
    for (i = 0; i < LITMUS_PRODUCERS; i++)
        next[i] = first;
    for (i = 0; i < n * LITMUS_PRODUCERS; i++) {
        uint32_t task = litmus_pop(r, g, &head), who = task / LITMUS_DATA % LITMUS_PRODUCERS;
        litmus_expect(g, task % LITMUS_DATA, next[who] % LITMUS_DATA);
        litmus_expect(g, g->data[who][task % LITMUS_DATA], ++next[who]);
    }
    HD_STORE(&g->cursors[0].head, head, RELEASE, DEV);
}

/* ---- countdown: two workers arrive at a task with two predecessors. The last one runs it (odd numbers) or pushes it to
 * the third. The task reads what both wrote ---- */

HD_FN void litmus_read_both(litmus_group *g, uint32_t i)
{
    litmus_expect(g, g->data[0][i % LITMUS_DATA], i + 1u);
    litmus_expect(g, g->data[1][i % LITMUS_DATA], i + 1u);
    (void)HD_ADD(&g->consumed, 1u, RELEASE, DEV);
}

HD_FN void litmus_count_arrive(const hd_run *r, litmus_group *g, uint32_t who, uint32_t first, uint32_t n)
{
    uint32_t i, polls;
    int last;
    for (i = first; i < first + n; i++) {
        hd_edge e;
        e.task = i % LITMUS_DATA;
        e.need = 2;
        for (polls = 0; e.task == 0 && HD_LOAD(&g->consumed, ACQUIRE, DEV) != i;)
            litmus_pause(r, polls++); /* all entries of the last round have been read */
        g->data[who][e.task] = i + 1u;
        HD_FENCE_RELEASE();
        last = hd_arrive(r, i / LITMUS_DATA + 1u, e);
        HD_FENCE_ACQUIRE();
        if (!last)
            continue;
        if (i & 1u)
            litmus_read_both(g, i);
        else
            litmus_push(r, g, e.task);
    }
}

HD_FN void litmus_count_take(const hd_run *r, litmus_group *g, uint32_t first, uint32_t n)
{
    uint32_t head = HD_LOAD(&g->cursors[0].head, RELAXED, DEV), i;
    for (i = 0; i < n / 2u; i++) {
        uint32_t round = first / LITMUS_DATA + i / (LITMUS_DATA / 2u);
        litmus_read_both(g, round * LITMUS_DATA + litmus_pop(r, g, &head));
    }
    HD_STORE(&g->cursors[0].head, head, RELEASE, DEV);
}

/* ---- the way out: two workers leave; the last one reads what both wrote and opens the next round ---- */

HD_FN void litmus_leave(const hd_run *r, litmus_group *g, uint32_t who, uint32_t first, uint32_t n)
{
    uint32_t i, polls;
    for (i = first; i < first + n; i++) {
        g->data[who][0] = i + 1u;
        if (hd_leave(r)) {
            litmus_expect(g, g->data[0][0], i + 1u);
            litmus_expect(g, g->data[1][0], i + 1u);
            HD_STORE(&g->control.out, 0u, RELAXED, DEV);
            HD_STORE(&g->round, i + 1u, RELEASE, DEV);
        } else {
            for (polls = 0; HD_LOAD(&g->round, ACQUIRE, DEV) != i + 1u;)
                litmus_pause(r, polls++);
        }
    }
}

/* ---- ticket: one worker hands tasks on, the other draws tickets. At most half the places are in use; a place is filled
 * by a store ---- */

HD_FN void litmus_wait_consumed(const hd_run *r, litmus_group *g, uint32_t n)
{
    uint32_t polls = 0;
    while ((int32_t)(HD_LOAD(&g->consumed, ACQUIRE, DEV) - n) < 0)
        litmus_pause(r, polls++);
}

HD_FN void litmus_place(const hd_run *r, uint32_t task)
{
    uint32_t k = hd_places_in(hd_place_reserve(r, 1));
    HD_FENCE_RELEASE();
    hd_place_fill(r, k, task + 1u);
}

HD_FN void litmus_ticket_put(const hd_run *r, litmus_group *g, uint32_t first, uint32_t n)
{
    uint32_t i;
    for (i = first; i < first + n; i++) {
        litmus_wait_consumed(r, g, i - LITMUS_QUEUE / 2u + 1u);
        g->data[0][i % LITMUS_DATA] = i + 1u;
        litmus_place(r, i % LITMUS_DATA);
    }
}

/* Begins a worker of a run by ticket, which gcc cannot see in r: it would warn of a ticket that nobody has set. */
HD_FN void litmus_ticket_begin(const hd_run *r, hd_worker *w, uint32_t id)
{
    w->by.ticket.ticket = HD_NONE;
    hd_worker_begin(r, w, id);
}

/* Waits until hd_ticket_look returns a task or HD_OVER, or sets *all_wait. */
HD_FN uint32_t litmus_ticket_wait(const hd_run *r, hd_worker *w, int *all_wait)
{
    uint32_t t, polls;
    for (polls = 0;; polls++) {
        t = hd_ticket_look(r, w, all_wait);
        if (t != HD_NONE || *all_wait)
            return t;
        litmus_pause(r, polls);
    }
}

HD_FN void litmus_ticket_look(const hd_run *r, litmus_group *g, uint32_t first, uint32_t n)
{
    uint32_t i, t;
    int all_wait = 0;
    hd_worker w;
    litmus_ticket_begin(r, &w, 0);
    for (i = first; i < first + n; i++) {
        t = litmus_ticket_wait(r, &w, &all_wait);
        litmus_expect(g, t, i % LITMUS_DATA);
        litmus_expect(g, g->data[0][t % LITMUS_DATA], i + 1u);
        HD_STORE(&g->consumed, i + 1u, RELEASE, DEV);
    }
}

/* ---- places: two workers hand tasks on through a ring of few places, as where bodies spawn, and two take them. Places
 * are used again, and the whole ring may overtake a worker that is slow between reserving and filling. At most as many
 * tasks are in flight as there are places. A task's number is its producer and the low bits of the message's number ---- */

#define LITMUS_NUMBER 0xffffffu

HD_FN void litmus_places_put(const hd_run *r, litmus_group *g, uint32_t who, uint32_t first, uint32_t n)
{
    uint32_t i;
    for (i = first; i < first + n; i++) {
        litmus_wait_consumed(r, g, 2u * i - LITMUS_SLOTS / 2u);
        g->data[who][i % LITMUS_DATA] = i + 1u;
        litmus_place(r, who * (LITMUS_NUMBER + 1u) + (i & LITMUS_NUMBER));
    }
}

HD_FN void litmus_places_look(const hd_run *r, litmus_group *g, uint32_t who, uint32_t n)
{
    uint32_t i, t, from;
    int all_wait = 0;
    hd_worker w;
    litmus_ticket_begin(r, &w, who);
    for (i = 0; i < n; i++) {
        t = litmus_ticket_wait(r, &w, &all_wait);
        from = t / (LITMUS_NUMBER + 1u);
        litmus_expect(g, from < 2u, 1u);
        litmus_expect(g, (g->data[from & 1u][t % LITMUS_DATA] - 1u) & LITMUS_NUMBER, t & LITMUS_NUMBER);
        (void)HD_ADD(&g->consumed, 1u, RELEASE, DEV);
    }
}

/* ---- end: in each round one of two workers hands on a task. The round is over when both wait; the worker with the
 * ticket that completes this announces it to both. Each task is taken once, and each round ends once ---- */

/* Does the work of hd_ticket_end_all in one thread. */
HD_FN void litmus_end_all(const hd_run *r)
{
    uint32_t k = hd_places_in(hd_place_reserve(r, r->n_workers)), i;
    HD_FENCE_RELEASE();
    for (i = 0; i < r->n_workers; i++)
        hd_place_fill(r, k + i, HD_PLACE_END);
}

HD_FN void litmus_end_round(const hd_run *r, litmus_group *g, hd_worker *w, uint32_t who, uint32_t i)
{
    uint32_t t;
    int all_wait;
    if (who == (i & 1u)) {
        g->data[who][i % LITMUS_DATA] = i + 1u;
        litmus_place(r, i % LITMUS_DATA);
    }
    do {
        all_wait = 0;
        t = litmus_ticket_wait(r, w, &all_wait);
        if (all_wait) {
            (void)HD_ADD(&g->round, 1u, RELAXED, DEV);
            litmus_end_all(r);
        } else if (t != HD_OVER) {
            litmus_expect(g, t, i % LITMUS_DATA);
            litmus_expect(g, g->data[i & 1u][t % LITMUS_DATA], i + 1u);
            (void)HD_ADD(&g->consumed, 1u, RELEASE, DEV);
        }
    } while (t != HD_OVER);
}

HD_FN void litmus_end_rounds(const hd_run *r, litmus_group *g, uint32_t who, uint32_t first, uint32_t n)
{
    uint32_t i;
    hd_worker w;
    litmus_ticket_begin(r, &w, who);
    for (i = first; i < first + n; i++) {
        if (i >= LITMUS_DATA / 2u)
            litmus_wait_consumed(r, g, i - LITMUS_DATA / 2u); /* its entry has been read */
        litmus_end_round(r, g, &w, who, i);
    }
    if (!hd_leave(r))
        return;
    litmus_expect(g, HD_LOAD(&g->consumed, RELAXED, DEV), first + n);
    litmus_expect(g, HD_LOAD(&g->round, RELAXED, DEV), first + n);
    HD_STORE(&g->control.out, 0u, RELAXED, DEV);
}

/* ---- plan: two workers run alternate steps of one chain; each counts for the other's next step ---- */

HD_FN void litmus_plan_turns(const hd_run *r, litmus_group *g, hd_step *s, uint32_t who, uint32_t first, uint32_t n)
{
    uint32_t i, polls, start = first + (who ^ (first & 1u));
    for (i = start; i < first + n; i += 2u) {
        s->task = i % LITMUS_DATA;
        s->need = i ? 1u : 0u;
        s->n_succ = 1;
        s->first[0] = (i + 1u) % LITMUS_DATA;
        /* Run 1 does not wait for task 0, so its counter stays one behind for ever. */
        for (polls = 0; !hd_plan_ready(r, i / LITMUS_DATA + (s->task ? 1u : 0u), s); polls++)
            litmus_pause(r, polls);
        if (i)
            litmus_expect(g, g->data[0][(i - 1u) % LITMUS_DATA], i);
        g->data[0][s->task] = i + 1u;
        hd_plan_release(r, s, hd_step_mine(r, s));
    }
}

/* ---- iqs: several workers insert into the queue of one, which retrieves. At most as many tasks are in flight as the
 * queue has room for in the worst case ---- */

HD_FN void litmus_iqs_insert(const hd_run *r, litmus_group *g, uint32_t who, uint32_t first, uint32_t n)
{
    uint32_t i;
    for (i = first; i < first + n; i++) {
        litmus_wait_consumed(r, g, (i - LITMUS_QUEUE / (LITMUS_PRODUCERS + 1u) + 1u) * LITMUS_PRODUCERS);
        g->data[who][i % LITMUS_DATA] = i + 1u;
        hd_iqs_insert(r, 0, who * LITMUS_DATA + i % LITMUS_DATA);
    }
}

HD_FN void litmus_iqs_take(const hd_run *r, litmus_group *g, uint32_t first, uint32_t n)
{
    uint32_t next[LITMUS_PRODUCERS], i, polls, task, who;
    hd_worker w;
    hd_worker_begin(r, &w, 0);
    w.by.iqs.task = HD_NONE;
    for (i = 0; i < LITMUS_PRODUCERS; i++)
        next[i] = first;
    for (i = 0; i < n * LITMUS_PRODUCERS; i++) {
        for (polls = 0; (task = hd_iqs_take(r, &w)) == HD_NONE; polls++)
            litmus_pause(r, polls);
        who = task / LITMUS_DATA % LITMUS_PRODUCERS;
        litmus_expect(g, task % LITMUS_DATA, next[who] % LITMUS_DATA);
        litmus_expect(g, g->data[who][task % LITMUS_DATA], ++next[who]);
        HD_STORE(&g->consumed, first * LITMUS_PRODUCERS + i + 1u, RELEASE, DEV);
    }
    hd_iqs_drop(r, &w);
    HD_STORE(&g->cursors[0].head, w.head[0], RELEASE, DEV);
    HD_STORE(&g->cursors[1].head, w.head[1], RELEASE, DEV);
}

/* ---- roles: a group has litmus_members(kind) workers ---- */

enum {
    LITMUS_RING,
    LITMUS_COUNT,
    LITMUS_LEAVE,
    LITMUS_TICKET,
    LITMUS_PLACES,
    LITMUS_END,
    LITMUS_PLAN,
    LITMUS_IQS,
    LITMUS_KINDS
};
#define LITMUS_NAMES "ring", "countdown", "leave", "ticket", "places", "end", "plan", "iqs"

/* Do several workers hand things on to one? */
HD_FN int litmus_is_many(uint32_t kind) { return kind == LITMUS_RING || kind == LITMUS_IQS; }

HD_FN uint32_t litmus_members(uint32_t kind)
{
    if (litmus_is_many(kind) || kind == LITMUS_PLACES)
        return 4u;
    return kind == LITMUS_COUNT ? 3u : 2u;
}

/* Trials in n messages of a group; n is a multiple of LITMUS_DATA. */
HD_FN uint32_t litmus_trials(uint32_t kind, uint32_t n)
{
    return litmus_is_many(kind) ? n * LITMUS_PRODUCERS : kind == LITMUS_PLACES ? 2u * n : n;
}

HD_FN void litmus_take_part(litmus_group *g, const hd_task *tasks, uint32_t kind, uint32_t who, uint32_t first,
                            uint32_t n)
{
    hd_run r = litmus_run_of(g, tasks, kind == LITMUS_IQS || kind == LITMUS_TICKET ? LITMUS_QUEUE : LITMUS_SLOTS);
    hd_step step;
    r.dispatch = kind == LITMUS_IQS ? HD_DISPATCH_IQS : HD_DISPATCH_TICKET;
    r.n_arena = kind == LITMUS_PLACES || kind == LITMUS_END;
    r.n_workers = kind == LITMUS_PLACES ? 4u : 2u; /* the two producers never wait for a task */
    switch (kind) {
    case LITMUS_RING:
        if (who < LITMUS_PRODUCERS)
            litmus_ring_push(&r, g, who, first, n);
        else
            litmus_ring_pop(&r, g, first, n);
        break;
    case LITMUS_COUNT:
        if (who < 2u)
            litmus_count_arrive(&r, g, who, first, n);
        else
            litmus_count_take(&r, g, first, n);
        break;
    case LITMUS_TICKET:
        if (who == 0u)
            litmus_ticket_put(&r, g, first, n);
        else
            litmus_ticket_look(&r, g, first, n);
        break;
    case LITMUS_PLACES:
        if (who < 2u)
            litmus_places_put(&r, g, who, first, n);
        else
            litmus_places_look(&r, g, who - 2u, n);
        break;
    case LITMUS_END: litmus_end_rounds(&r, g, who, first, n); break;
    case LITMUS_PLAN: litmus_plan_turns(&r, g, &step, who, first, n); break;
    case LITMUS_IQS:
        if (who < LITMUS_PRODUCERS)
            litmus_iqs_insert(&r, g, who, first, n);
        else
            litmus_iqs_take(&r, g, first, n);
        break;
    default: litmus_leave(&r, g, who, first, n); break;
    }
}

#endif
