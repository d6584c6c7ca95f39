/* SPDX-License-Identifier: MIT */
/* work.c - a thread as a worker: the loop of core/turn.h, and what only a thread can do: run a body as a function call,
 * yield, sleep. Dispatch plan has its own loop, because its workers take no tasks from queues.
 *
 * Under dispatch rings an idle worker parks (core/rings.h). Under the others it waits for a word that some other worker will
 * change, and is not woken. It polls hd_run.spin times, then yields between polls, so that workers sharing a hardware thread
 * make progress. Every wait checks the stop word. */
#include "backend/cpu/work.h"
#include "heddle/core/notes.h"
#include "heddle/core/plan.h"
#include "heddle/core/turn.h"

#include <sched.h>
#include <time.h>
#include <stddef.h>
#include <string.h>

#define SAY_AFTER 64u /* empty polls before a worker publishes what it waits for */
#define NAP_NS 50000l /* a polite worker's sleep between polls, where it is not woken */

typedef hd_cpu_worker worker;

/* ---- a turn -------------------------------------------------------------------------------------------------------- */

static void say_waits(const worker *x, uint32_t task, uint32_t seen, uint32_t need)
{
    HD_STORE(&x->now->seen, seen, RELAXED, SYS);
    HD_STORE(&x->now->need, need, RELAXED, SYS);
    HD_STORE(&x->now->waits, task, RELAXED, SYS);
}

static inline void run_body(worker *x, uint32_t t, uint32_t body, const void *args)
{
    const hd_run *r = x->r;
    uint64_t begin;
    uint32_t n_noted;
    x->ended = 0;
    if (body == HD_BODY_JOIN)
        return;
    x->thread.task = t;
    HD_STORE(&x->now->task, t, RELAXED, SYS);
    begin = r->events ? hd_clock() : 0;
    n_noted = hd_n_noted(&x->w.tally);
    x->bodies[body].run(&x->thread, r->params, args);
    if (r->events) {
        x->ended = hd_clock();
        x->event = hd_n_noted(&x->w.tally) == n_noted ? hd_trace_task(r, &x->w, t, begin, x->ended) : NULL;
    }
    HD_STORE(&x->now->task, HD_NONE, RELAXED, SYS);
}

static inline void end_trace(worker *x)
{
    if (x->ended)
        hd_trace_turn(&x->w, x->event, x->ended);
}

/* A body spawned a task: hands it on at once. Not used when rings keep spawned tasks on the worker's own list. */
static void post(hd_spawn_buffer *d)
{
    worker *x = (worker *)((char *)d - offsetof(worker, spawn_buffer));
    hd_spawn_buffer_drain(x->r, &x->w, &x->x, d, x->r->dispatch);
}

/* Specialised for a constant dispatch; other dispatches test it each time. */
static inline __attribute__((always_inline)) void work(worker *x, uint32_t dispatch)
{
    const hd_run *r = x->r;
    if (r->n_arena)
        (void)hd_room(r, &x->w, 0); /* fill the reserve */
    while (hd_next(r, &x->w, &x->x, dispatch, r->n_arena != 0)) {
        if (r->n_arena)
            hd_spawn_buffer_open(r, &x->w, &x->spawn_buffer, hd_children_of(r, x->x.record->body), x->x.record->flags);
        hd_ahead(r, &x->w, &x->x, r->n_arena != 0);
        run_body(x, hd_name_of(r, &x->x), x->x.record->body, hd_args_at(r, x->x.record));
        /* No successor of a failed body may run: a worker that checked the stop word earlier could still take it. */
        if (!HD_LOAD(&r->control->fail.code, RELAXED, DEV))
            hd_end_turn(r, &x->w, &x->x, &x->spawn_buffer, dispatch, r->n_arena != 0);
        end_trace(x);
    }
}

static void work_distributed(worker *x) { work(x, HD_DISPATCH_RINGS); }
static void work_otherwise(worker *x) { work(x, x->r->dispatch); }

/* ---- waiting ------------------------------------------------------------------------------------------------------- */

static void yield(const hd_run *r, uint32_t n)
{
    if (n < r->spin)
        HD_PAUSE(n);
    else if (r->polite)
        (void)nanosleep(&(struct timespec){0, NAP_NS}, NULL);
    else
        (void)sched_yield();
}

void hd_cpu_wait(const hd_run *r, hd_scheduler *scheduler, uint32_t n)
{
    if (!scheduler || hd_sched_round(r, scheduler) != HD_ROUND_BUSY)
        yield(r, n);
}

/* Waits briefly, for the n-th time in a row. 0: the run is over. */
static int wait_a_little(worker *x, uint32_t n)
{
    if (n == 0 && x->r->events)
        x->w.idle_since = hd_clock();
    yield(x->r, n);
    return hd_stopped(x->r) == HD_STOP_NOT;
}

int hd_cpu_schedule(const hd_run *r, hd_scheduler *scheduler)
{
    uint32_t n = 0, said;
    hd_sched_begin(r, scheduler);
    while ((said = hd_sched_round(r, scheduler)) != HD_ROUND_OVER) {
        n = said == HD_ROUND_IDLE ? n + 1u : 0u;
        if (n)
            yield(r, n - 1u);
    }
    return hd_leave(r);
}

/* ---- plan --------------------------------------------------------------------------------------------------------- */

/* 0: the run is over. */
static int wait_for_step(worker *x, const hd_step *s)
{
    const hd_run *r = x->r;
    uint32_t n = 0;
    int waits = 0;
    if (hd_stopped(r) != HD_STOP_NOT)
        return 0;
    while (!hd_plan_ready(r, x->w.run, s)) {
        if (n % SAY_AFTER == SAY_AFTER - 1u) {
            say_waits(x, s->task, HD_LOAD(&r->count[s->task], RELAXED, DEV) - (x->w.run - 1u) * s->need, s->need);
            waits = 1;
        }
        if (!wait_a_little(x, n++))
            return 0;
    }
    if (waits)
        say_waits(x, HD_NONE, 0, 0);
    return 1;
}

static void end_step(worker *x, const hd_step *s)
{
    x->w.tally.n_tasks += s->body != HD_BODY_JOIN;
    if (s->flags & HD_TASK_WATCH)
        x->r->host->done(x->r->host->self, s->task);
}

static void work_plan(worker *x)
{
    const hd_run *r = x->r;
    const hd_step *s;
    for (s = r->steps + r->lists[x->w.id]; s->task != HD_NONE && wait_for_step(x, s); s++) {
        run_body(x, s->task, s->body, hd_step_args(r, s));
        hd_plan_release(r, s, hd_step_mine(r, s));
        end_step(x, s);
        end_trace(x);
    }
}

/* ------------------------------------------------------------------------------------------------------------------- */

void hd_cpu_worker_begin(hd_cpu_worker *x, const hd_run *r, const heddle_body_info *bodies, uint32_t id, void *shared,
                         hd_cpu_now *now)
{
    memset(x, 0, offsetof(worker, spawn_buffer));
    x->r = r;
    x->bodies = bodies;
    x->now = &now->now;
    x->slot = &now->slot;
    x->thread =
        (heddle_thread){.team_size = 1, .worker = id, .shared = shared, .fail = &r->control->fail, .n_blocks = 1};
    x->x = hd_turn_begin();
    memset(x->spawn_buffer.out, 0, sizeof x->spawn_buffer.out);
    x->spawn_buffer.post = r->dispatch == HD_DISPATCH_RINGS && hd_rings_keep_spawned(r) ? NULL : post;
    if (r->n_arena)
        x->thread.spawn_buffer = &x->spawn_buffer;
    hd_worker_begin(r, &x->w, id);
    if (r->events && r->dispatch == HD_DISPATCH_ORDER) {
        x->notes = hd_notes_for(r->events + (uint64_t)id * r->n_trace, r->n_trace, &x->w.tally);
        x->thread.notes = &x->notes;
    }
    say_waits(x, HD_NONE, 0, 0);
    HD_STORE(&x->now->came, x->w.run, RELAXED, SYS);
}

int hd_cpu_work(const hd_run *r, const heddle_body_info *bodies, uint32_t id, void *shared, hd_cpu_now *now,
                hd_scheduler *scheduler)
{
    worker x;
    hd_cpu_worker_begin(&x, r, bodies, id, shared, now);
    x.scheduler = scheduler;
    if (scheduler)
        hd_sched_begin(r, scheduler);
    if (r->dispatch == HD_DISPATCH_PLAN)
        work_plan(&x);
    else if (r->dispatch == HD_DISPATCH_RINGS)
        work_distributed(&x);
    else
        work_otherwise(&x);
    return hd_worker_end(r, &x.w, &x.x);
}

/* ---- a pool ------------------------------------------------------------------------------------------------------- */

/* Another worker shall help with the blocks of this task, if one waits for work. */
static void share_blocks(worker *x, hd_task *task)
{
    hd_ticket_see(x->r, &x->w);
    if (x->w.by.ticket.waiting <= 0)
        return;
    hd_blocks_share(task);
    hd_ticket_place(x->r, 1u, x->x.task);
}

/* A body of a pool's task, for the task in that slot of the host, or HD_NONE. */
static void run_stamped(worker *x, uint32_t name, const hd_task *task, uint32_t slot)
{
    const uint64_t began = hd_stamp_now(x->r);
    run_body(x, name, task->body, hd_args_at(x->r, task));
    hd_stamp_past(x->r, slot, began);
}

/* Runs blocks of x's task until none is left. 1: the task has ended. */
static int run_blocks(worker *x, hd_task *task, uint32_t name, uint32_t slot)
{
    const uint32_t n = hd_n_blocks(x->r, x->x.task);
    uint32_t k;
    x->thread.n_blocks = n;
    while ((k = hd_blocks_take(task)) != HD_NONE) {
        if (k + 1u < n)
            share_blocks(x, task);
        x->thread.block = k;
        if (!hd_went_wrong(x->r, x->x.task))
            run_stamped(x, name, task, slot);
        (void)hd_blocks_close(task);
        end_trace(x);
        x->ended = 0;
    }
    x->thread.block = 0;
    x->thread.n_blocks = 1;
    return hd_blocks_close(task);
}

/* Runs x's task, of the host's task in that slot; one that has gone wrong before it began is skipped. 1: it has ended. */
static int run_task(worker *x, uint32_t slot)
{
    const hd_run *r = x->r;
    const uint32_t name = hd_name_of(r, &x->x), owner = hd_owner_of(r, x->x.task);
    hd_task *task = hd_child_at(r, x->x.task);
    x->thread.fail = hd_fate_of(r, owner);
    x->ended = 0;
    if (hd_n_blocks(r, x->x.task) > 1u)
        return run_blocks(x, task, name, slot);
    if (!hd_went_wrong(r, x->x.task) && !hd_went_wrong(r, owner))
        run_stamped(x, name, task, slot);
    return 1;
}

static void serve_task(worker *x)
{
    const hd_run *r = x->r;
    const uint32_t slot = hd_slot_of(r, x->x.task);
    int ended;
    hd_spawn_buffer_open(r, &x->w, &x->spawn_buffer, hd_children_of(r, x->x.record->body), x->x.record->flags);
    hd_ahead(r, &x->w, &x->x, 1);
    HD_STORE(x->slot, slot, RELAXED, SYS);
    ended = run_task(x, slot);
    HD_STORE(x->slot, HD_NONE, RELAXED, SYS); /* before the host may fill it again */
    if (ended)
        hd_end_turn(r, &x->w, &x->x, &x->spawn_buffer, HD_DISPATCH_TICKET, 1);
    end_trace(x);
}

hd_served hd_cpu_serve(hd_cpu_worker *x, int *last)
{
    const hd_run *r = x->r;
    uint32_t n = 0, t; /* n: times in a row that it has found nothing */
    hd_ticket_rouse(r, &x->w);
    (void)hd_room(r, &x->w, 0);
    while (hd_stopped(r) == HD_STOP_NOT) {
        if (r->host->is_wanted(r->host->self, x->w.id))
            return HD_SERVED_WANTED;
        if (n > r->spin && hd_ticket_doze(r, &x->w))
            return HD_SERVED_IDLE;
        hd_attend(r, &x->w, &x->x, HD_DISPATCH_TICKET, 1);
        t = hd_take_admitted(r, &x->w, &x->x, HD_DISPATCH_TICKET, 1);
        if (t == HD_NONE) {
            hd_idle(r, &x->w, n++, HD_DISPATCH_TICKET, 1);
            continue;
        }
        n = 0;
        serve_task(x);
    }
    *last = hd_worker_end(r, &x->w, &x->x);
    return HD_SERVED_OVER;
}

int hd_cpu_help(hd_cpu_worker *x)
{
    const hd_run *r = x->r;
    uint32_t t = hd_ticket_help(r);
    if (t == HD_NONE)
        return 0;
    hd_fetch(r, &x->w, &x->x, t);
    serve_task(x);
    while ((t = hd_deque_take(&x->w)) != HD_NONE)
        hd_ticket_place(r, 1u, t);
    return 1;
}
