/* SPDX-License-Identifier: MIT */
/* work.c - a thread as a worker: one short loop a dispatch, over the very functions of core that a GPU's kernels use.
 *
 * Under distributed a worker that has nothing parks (core/worker.h). The others wait for a word that only some other
 * worker changes, with nobody to wake them: they poll for the device's while and then yield between polls, so that
 * workers that share a hardware thread get on. Whoever waits looks at the stop word. */
#include "backend/cpu/work.h"
#include "heddle/core/central.h"
#include "heddle/core/iqs.h"
#include "heddle/core/plan.h"
#include "heddle/core/spawn.h"
#include "heddle/core/ticket.h"

#include <sched.h>
#include <time.h>
#include <stddef.h>

#define SAY_AFTER 64u /* fruitless polls after which it is worth saying what one waits for */
#define NAP_NS 50000l /* a polite worker's sleep between polls, where it has nobody to wake it */

typedef struct worker {
    const hd_run *r;
    const heddle_body_info *bodies;
    hd_now *now;
    heddle_lane lane;
    hd_worker w;
    uint64_t ended; /* trace: when the body ended, 0 = this turn is not traced */
    hd_event *event;
    hd_scheduler *scheduler; /* dispatch scheduler, one thread: it schedules, too */
    hd_desk desk;            /* where bodies spawn */
} worker;

/* ---- what all dispatches share ----------------------------------------------------------------------------------- */

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
    x->ended = 0;
    if (body == HD_BODY_JOIN)
        return;
    x->lane.task = t;
    HD_STORE(&x->now->task, t, RELAXED, SYS);
    begin = r->events ? hd_clock() : 0;
    x->bodies[body].run(&x->lane, r->app, args);
    if (r->events) {
        x->ended = hd_clock();
        x->event = hd_trace_task(r, &x->w, t, begin, x->ended);
    }
    HD_STORE(&x->now->task, HD_NONE, RELAXED, SYS);
}

static inline void end_turn(worker *x)
{
    if (x->ended)
        hd_trace_turn(&x->w, x->event, x->ended);
}

static void rest(const hd_run *r, uint32_t n)
{
    if (n < r->spin)
        HD_PAUSE(n);
    else if (r->polite)
        (void)nanosleep(&(struct timespec){0, NAP_NS}, NULL);
    else
        (void)sched_yield();
}

/* Waits a little, for the n-th time in a row. 0: the run is over. */
static int wait_a_little(worker *x, uint32_t n)
{
    if (n == 0 && x->r->events)
        x->w.idle_since = hd_clock();
    rest(x->r, n);
    return hd_stopped(x->r) == HD_STOP_NOT;
}

/* ---- bodies that spawn -------------------------------------------------------------------------------------------- */

/* A body has laid down a task: it is handed on at once, unless it would only wait on the own list. */
static void post(hd_desk *d)
{
    worker *x = (worker *)((char *)d - offsetof(worker, desk));
    hd_aim aim = hd_aim_none();
    hd_desk_drain(x->r, &x->w, d, &aim);
}

/* Runs task t, with everything that comes of it. */
static void run_task(worker *x, uint32_t t)
{
    const hd_run *r = x->r;
    const hd_task *task = hd_task_at(r, t);
    run_body(x, t, task->body, hd_args_at(r, task));
    hd_finish_any(r, &x->w, t, r->dispatch);
    end_turn(x);
}

static __attribute__((noinline)) void finish(worker *x, uint32_t t) { hd_finish_any(x->r, &x->w, t, x->r->dispatch); }

/* The same where bodies spawn, when there is room for its children. */
static inline void run_spawning(worker *x, uint32_t t)
{
    const hd_run *r = x->r;
    const hd_task *task = hd_task_at(r, t);
    hd_desk_open(r, &x->w, &x->desk, hd_children_of(r, task->body));
    run_body(x, hd_is_spawned(r, t) ? HD_SPAWNED | task->body : t, task->body, hd_args_at(r, task));
    t = hd_end_body(r, &x->w, &x->desk, t);
    if (t != HD_NONE) /* seldom: most tasks are no tasks of the graph, and this is long */
        finish(x, t);
    end_turn(x);
}

/* Nothing to do, for the n-th time in a row. */
static void idle(worker *x, uint32_t n)
{
    const hd_run *r = x->r;
    if (n == 0 && r->events)
        x->w.idle_since = hd_clock();
    if (r->dispatch == HD_DISPATCH_DISTRIBUTED) {
        /* Not when it has more than it can run; and whatever the policy, when others have. */
        if (x->w.aside == HD_NONE && (hd_policy_shares(r->policy) || HD_LOAD(&r->shared->starved, RELAXED, DEV)))
            hd_ask(r, &x->w);
        hd_idle(r, &x->w, n);
        return;
    }
    hd_settle_own(r, &x->w);
    if (x->w.aside != HD_NONE)
        hd_starve(r, &x->w);
    else if (n >= r->spin) /* again and again: somebody may be short of slots only now */
        hd_rest(r, &x->w);
    (void)wait_a_little(x, n);
}

/* Every dispatch: the next task, or HD_NONE: the run is over. */
static uint32_t next_spawning(worker *x)
{
    const hd_run *r = x->r;
    uint32_t n = 0, t, why;
    for (;;) {
        why = hd_stopped(r);
        if (why != HD_STOP_NOT) {
            if (why != HD_STOP_DONE)
                hd_wake_all(r);
            return HD_NONE;
        }
        if (HD_LOAD(&r->shared->asking, RELAXED, DEV) && r->dispatch == HD_DISPATCH_DISTRIBUTED &&
            (hd_policy_shares(r->policy) || x->w.aside != HD_NONE))
            hd_give(r, &x->w);
        if (x->scheduler)
            (void)hd_sched_turn(r, x->scheduler);
        t = hd_take_room(r, &x->w);
        if (t != HD_NONE)
            return t;
        idle(x, n++);
    }
}

static void work_spawning(worker *x)
{
    uint32_t t;
    (void)hd_room(x->r, &x->w, 0); /* the reserve */
    while ((t = next_spawning(x)) != HD_NONE)
        run_spawning(x, t);
}

/* ---- distributed -------------------------------------------------------------------------------------------------- */

static void work_distributed(worker *x)
{
    const hd_run *r = x->r;
    uint32_t t;
    while ((t = hd_next(r, &x->w)) != HD_NONE)
        run_task(x, t);
}

/* ---- ticket ------------------------------------------------------------------------------------------------------- */

/* The next task, or HD_NONE: the run is over. */
static uint32_t next_ticket(worker *x)
{
    const hd_run *r = x->r;
    uint32_t n = 0, ticket, t;
    if (hd_stopped(r) != HD_STOP_NOT)
        return HD_NONE;
    ticket = hd_ticket_draw(r);
    if (ticket >= r->n_tasks)
        return HD_NONE;
    while ((t = hd_ticket_look(r, &x->w, ticket)) == HD_NONE)
        if (!wait_a_little(x, n++))
            return HD_NONE;
    return t;
}

static void work_ticket(worker *x)
{
    uint32_t t;
    while ((t = next_ticket(x)) != HD_NONE)
        run_task(x, t);
}

/* ---- iqs, central, scheduler: a worker looks into its queue, or the one of all ------------------------------------ */

static uint32_t take(worker *x)
{
    switch (x->r->dispatch) {
    case HD_DISPATCH_SCHEDULER:
        if (x->scheduler)
            (void)hd_sched_turn(x->r, x->scheduler);
        return hd_sched_take(x->r, &x->w);
    case HD_DISPATCH_CENTRAL: return hd_central_take(x->r, &x->w);
    default: return hd_iqs_take(x->r, &x->w);
    }
}

static uint32_t next_of_queue(worker *x)
{
    const hd_run *r = x->r;
    uint32_t n, t;
    for (n = 0; hd_stopped(r) == HD_STOP_NOT; n++) {
        t = take(x);
        if (t != HD_NONE)
            return t;
        if (n == 0) {
            hd_settle(r, x->w.n_done); /* before waiting, or nobody would see the end */
            x->w.n_done = 0;
        }
        if (!wait_a_little(x, n))
            break;
    }
    return HD_NONE;
}

static void work_queue(worker *x)
{
    uint32_t t;
    while ((t = next_of_queue(x)) != HD_NONE)
        run_task(x, t);
}

int hd_cpu_schedule(const hd_run *r, hd_scheduler *scheduler)
{
    uint32_t n = 0, said;
    hd_sched_begin(r, scheduler);
    while ((said = hd_sched_turn(r, scheduler)) != HD_TURN_OVER) {
        n = said == HD_TURN_IDLE ? n + 1u : 0u;
        if (n)
            rest(r, n - 1u);
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
        end_turn(x);
    }
}

/* ------------------------------------------------------------------------------------------------------------------- */

int hd_cpu_work(const hd_run *r, const heddle_body_info *bodies, uint32_t id, void *shared, hd_cpu_now *now,
                hd_scheduler *scheduler)
{
    worker x = {.r = r,
                .bodies = bodies,
                .now = &now->now,
                .lane = {0, 1, id, 0, shared, &r->shared->fail, NULL, NULL, NULL},
                .scheduler = scheduler};
    x.desk.post = r->dispatch == HD_DISPATCH_DISTRIBUTED && hd_keeps_spawned(r) && !r->steals ? NULL : post;
    if (r->n_arena)
        x.lane.desk = &x.desk;
    hd_worker_begin(r, &x.w, id);
    say_waits(&x, HD_NONE, 0, 0);
    HD_STORE(&x.now->came, x.w.run, RELAXED, SYS);
    if (scheduler)
        hd_sched_begin(r, scheduler);
    switch (r->n_arena ? 0u : r->dispatch) {
    case 0: work_spawning(&x); break;
    case HD_DISPATCH_TICKET: work_ticket(&x); break;
    case HD_DISPATCH_PLAN: work_plan(&x); break;
    case HD_DISPATCH_IQS:
    case HD_DISPATCH_SCHEDULER:
    case HD_DISPATCH_CENTRAL: work_queue(&x); break;
    default: work_distributed(&x); break;
    }
    return hd_worker_end(r, &x.w);
}
