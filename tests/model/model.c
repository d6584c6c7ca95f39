/* SPDX-License-Identifier: MIT */
/* model.c - the scheduler core on small graphs, under every interleaving up to a bound.
 *
 *     model [--strict | --weak] [--most N] [--list] [NAME]...
 *
 * Runs each case of graphs.c (or those whose names begin with a NAME) in the strict mode, then in the weak one
 * (explore.h), and prints the number of schedules. Every schedule is checked. Each task ran once in each run, after its
 * predecessors, and what they wrote is ordered before its reads. The run ended as it should; rings, counters and
 * tallies stand where the next run expects them. At the first failure it prints the schedule, access by access, and
 * exits with 1. --most N lowers every bound on preemptions to N; HEDDLE_MODEL_DEEPER=N adds N to every one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "graphs.h"
#include "heddle/core/plan.h"
#include "heddle/core/turn.h"
#include "suite.h"

#define MAX_TASKS 20u
#define MAX_EDGES 24u
#define MAX_WORKERS 3u
#define MAX_LANES 2u
#define MAX_SLOTS 32u
#define MAX_BEHIND (MAX_WORKERS + 2u * MAX_SLOTS) /* words of dispatch scheduler behind its queues */
#define TALLY_CELL(worker) (2u * MAX_TASKS + (worker))
#define FAIL_CODE 7u

static const graph_case *c;

/* The graph, in core's layout. */
static hd_task tasks[MAX_TASKS];
static hd_edge edges[MAX_EDGES];
static uint32_t roots[MAX_TASKS], n_roots;
static uint32_t n_before[MAX_TASKS], before[MAX_TASKS][MAX_TASKS]; /* predecessors, through joins     */

/* The words of a run. */
static hd_control control;
static uint32_t count[MAX_TASKS], link_[MAX_TASKS], slots[2u * MAX_WORKERS * MAX_SLOTS + MAX_BEHIND];
static hd_cursor cursors[2u * MAX_WORKERS];
static hd_step steps[MAX_TASKS + MAX_WORKERS];
static uint32_t lists[MAX_WORKERS];
static hd_tally tallies[MAX_WORKERS];
static hd_worker workers[MAX_WORKERS];
static uint32_t task_of[MAX_WORKERS];
static hd_scheduler scheduler;
static hd_run run;

/* What was seen in this schedule. */
static uint32_t n_ran[MAX_TASKS], order[MAX_TASKS * 4u], n_order;

static uint32_t n_lanes(void) { return c->n_lanes ? c->n_lanes : 1u; }
static uint32_t n_runs(void) { return c->n_runs ? c->n_runs : 1u; }
static uint32_t first_run(void) { return c->first_run ? c->first_run : 1u; }
static uint32_t dispatch(void) { return c->dispatch ? c->dispatch : HD_DISPATCH_RINGS; }
/* A single worker is the scheduler, too. */
static uint32_t n_schedulers(void) { return dispatch() == HD_DISPATCH_SCHEDULER && c->n_workers > 1u; }
static uint32_t bit(uint32_t mask, uint32_t t) { return mask >> t & 1u; }

/* ---- lanes that schedule together ------------------------------------------------------------- */

uint32_t hd_warp_lane(void) { return model_lane(); }
uint32_t hd_warp_width(void) { return model_n_lanes(); }

uint32_t hd_ballot(int flag)
{
    const uint32_t *all;
    uint32_t i, mask = 0;
    if (model_n_lanes() == 1u)
        return flag ? 1u : 0u;
    all = model_meet(flag != 0, 0, "ballot");
    for (i = 0; i < model_n_lanes(); i++)
        mask |= all[i] << i;
    return mask;
}

uint32_t hd_shuffle(uint32_t value, uint32_t from)
{
    return model_n_lanes() == 1u ? value : model_meet(value, 0, "shuffle")[from];
}

void hd_warp_sync(void)
{
    if (model_n_lanes() > 1u)
        (void)model_meet(0, 1, "warp sync");
}

static void block_barrier(void)
{
    if (model_n_lanes() > 1u)
        (void)model_meet(0, 1, "block barrier");
}

/* ---- parking ----------------------------------------------------------------------------------- */

static void park(void *me, uint32_t worker)
{
    (void)me;
    model_wait(worker);
}

static void unpark(void *me, uint32_t worker)
{
    (void)me;
    model_give(worker);
}

/* Under dispatch scheduler a single worker schedules while it waits. A pause ends only when a word changes that was read;
 * the first wait (n = 0) does not pause, since the worker has acted after its last look (announced the end, reported). */
static void wait_a_little(void *me, uint32_t n)
{
    (void)me;
    if (dispatch() == HD_DISPATCH_SCHEDULER && !n_schedulers() && hd_sched_round(&run, &scheduler) == HD_ROUND_BUSY)
        return;
    if (n)
        HD_PAUSE(n);
}

const hd_host model_host = {NULL, park, unpark, NULL, wait_a_little, NULL};

/* ---- the graph ---------------------------------------------------------------------------------- */

static void read_edges(uint32_t from[], uint32_t to[], uint32_t *n)
{
    const char *at = c->edges;
    int used;
    for (*n = 0; sscanf(at, " %u>%u%n", &from[*n], &to[*n], &used) == 2; ++*n)
        at += used;
}

static uint32_t need_of(uint32_t t)
{
    return tasks[t].n_in | (bit(c->urgent, t) ? HD_NEED_URGENT : 0u) |
           (tasks[t].flags >> HD_TASK_PLACE ? HD_NEED_PLACED : 0u);
}

/* "2:0 3:1": task 2 is bound to worker 0, task 3 to worker 1. */
static void read_places(void)
{
    const char *at = c->places ? c->places : "";
    uint32_t t, w;
    int used;
    for (; sscanf(at, " %u:%u%n", &t, &w, &used) == 2; at += used)
        tasks[t].flags = (uint16_t)((w + 1u) << HD_TASK_PLACE);
}

static void build_task(uint32_t t, const uint32_t from[], const uint32_t to[], uint32_t n, uint32_t *n_more)
{
    hd_task *task = &tasks[t];
    uint32_t i;
    task->body = bit(c->joins, t) ? HD_BODY_JOIN : 0u;
    task->succ = *n_more;
    for (i = 0; i < n; i++) {
        hd_edge e = {to[i], need_of(to[i])};
        if (from[i] != t)
            continue;
        if (task->n_succ < HD_INLINE_SUCC)
            task->first[task->n_succ] = e;
        else
            edges[(*n_more)++] = e;
        task->n_succ++;
    }
    if (!task->n_in)
        roots[n_roots++] = t;
}

/* Predecessors that t reads from; a join stands for its own. Edges go from lower to higher numbers. */
static void list_before(uint32_t t, const uint32_t from[], const uint32_t to[], uint32_t n)
{
    uint32_t i, k;
    for (i = 0; i < n; i++) {
        if (to[i] != t)
            continue;
        if (!bit(c->joins, from[i]))
            before[t][n_before[t]++] = from[i];
        for (k = 0; bit(c->joins, from[i]) && k < n_before[from[i]]; k++)
            before[t][n_before[t]++] = before[from[i]][k];
    }
}

/* ---- the plan: "0 2|1 3" are the lists of two workers -------------------------------------------- */

static void read_lists(uint32_t owner[])
{
    const char *at = c->lists;
    uint32_t w, n = 0, t;
    int used;
    for (w = 0; w < c->n_workers; w++) {
        lists[w] = n;
        for (; sscanf(at, " %u%n", &t, &used) == 1; at += used) {
            owner[t] = w;
            steps[n++].task = t;
        }
        steps[n++].task = HD_NONE;
        at += *at == '|';
    }
}

static hd_step *step_of(uint32_t t)
{
    hd_step *s = steps;
    while (s->task != t)
        s++;
    return s;
}

static void build_plan(const uint32_t from[], const uint32_t to[], uint32_t n)
{
    uint32_t owner[MAX_TASKS], i;
    memset(steps, 0, sizeof steps);
    if (!c->lists)
        return;
    read_lists(owner);
    for (i = 0; i < n; i++) {
        hd_step *s = step_of(from[i]);
        if (owner[from[i]] == owner[to[i]])
            continue;
        s->first[s->n_succ++] = to[i];
        step_of(to[i])->need++;
    }
}

/* ---- the words ------------------------------------------------------------------------------------ */

/* Slots of a ring. A ticket ring has one for each task and for each worker's end. */
static uint32_t n_places(void)
{
    uint32_t n = 1;
    if (dispatch() != HD_DISPATCH_TICKET)
        return c->n_slots;
    while (n < c->n_tasks + c->n_workers)
        n *= 2u;
    return n;
}

static hd_run run_of_case(void)
{
    hd_run r;
    memset(&r, 0, sizeof r);
    r.tasks = tasks;
    r.edges = edges;
    r.roots = roots;
    r.control = &control;
    r.count = count;
    r.link = link_;
    r.cursors = cursors;
    r.slots = slots;
    r.tallies = tallies;
    r.steps = steps;
    r.lists = lists;
    r.n_tasks = c->n_tasks;
    r.n_roots = n_roots;
    r.n_workers = c->n_workers;
    r.n_slots = n_places();
    r.policy = c->policy;
    r.late = hd_policy_late(&r);
    r.n_local = c->n_local ? c->n_local : 1024u;
    r.dispatch = dispatch();
    r.n_schedulers = n_schedulers();
    r.has_urgent = c->urgent != 0;
    r.has_placed = c->places != NULL;
    r.host = c->parks || dispatch() != HD_DISPATCH_RINGS ? &model_host : NULL;
    return r;
}

static void build(void)
{
    uint32_t from[MAX_EDGES], to[MAX_EDGES], n, i, n_more = 0;
    memset(tasks, 0, sizeof tasks);
    memset(n_before, 0, sizeof n_before);
    n_roots = 0;
    read_edges(from, to, &n);
    read_places();
    for (i = 0; i < n; i++)
        tasks[to[i]].n_in++;
    for (i = 0; i < c->n_tasks; i++) {
        build_task(i, from, to, n, &n_more);
        list_before(i, from, to, n);
    }
    build_plan(from, to, n);
    run = run_of_case();
}

/* Arrivals that a task's counter sees in each run. */
static uint32_t counted(uint32_t t)
{
    if (dispatch() == HD_DISPATCH_PLAN)
        return step_of(t)->need;
    return tasks[t].n_in > 1u ? tasks[t].n_in : 0u;
}

static void begin_cursors(void)
{
    uint32_t i;
    for (i = 0; i < 2u * c->n_workers; i++)
        cursors[i].tail = cursors[i].head = c->ring_at;
    for (i = 0; i < c->n_workers && dispatch() == HD_DISPATCH_IQS; i++)
        *hd_iqs_size(&run, i) = 0;
    for (i = 0; i < c->n_workers && dispatch() == HD_DISPATCH_SCHEDULER; i++)
        *hd_sched_seen(&run, i) = c->ring_at;
}

/* The state in which the host leaves the words before run first_run(). */
static void begin(void)
{
    uint32_t i;
    memset(&control, 0, sizeof control);
    memset(slots, 0, sizeof slots);
    memset(&scheduler, 0, sizeof scheduler);
    memset(n_ran, 0, sizeof n_ran);
    n_order = 0;
    for (i = 0; i < c->n_tasks; i++) {
        count[i] = (first_run() - 1u) * counted(i);
        link_[i] = HD_NONE;
    }
    begin_cursors();
    hd_rearm(&run, first_run());
}

/* ---- the worker --------------------------------------------------------------------------------- */

static uint32_t cell_of(uint32_t t, uint32_t lane) { return t * MAX_LANES + lane; }

static void run_body(uint32_t t, uint32_t lane, uint32_t k)
{
    uint32_t i, l;
    for (i = 0; i < n_before[t]; i++) {
        if (n_ran[before[t][i]] != k + 1u)
            model_fail("task %u runs before its predecessor %u", t, before[t][i]);
        for (l = 0; l < n_lanes(); l++)
            model_read_cell(cell_of(before[t][i], l), "an input");
    }
    model_write_cell(cell_of(t, lane), "an output");
    if (lane + 1u == n_lanes() && (t + 1u == c->failing || t + 1u == c->failing_too))
        hd_fail_at(&control.fail, t, FAIL_CODE + t);
}

static void run_task(uint32_t t, uint32_t lane, uint32_t k)
{
    if (lane == 0) {
        model_note("runs task", t);
        if (n_ran[t] != k)
            model_fail("task %u runs again", t);
        n_ran[t] = k + 1u;
        order[n_order++] = t;
    }
    if (tasks[t].body != HD_BODY_JOIN)
        run_body(t, lane, k);
}

/* Fails unless the ring is empty. */
static void check_ring(uint32_t ring)
{
    uint32_t i;
    if (cursors[ring].tail != cursors[ring].head)
        model_fail("ring %u: tail 0x%x, head 0x%x", ring, cursors[ring].tail, cursors[ring].head);
    for (i = 0; i < c->n_slots; i++)
        if (slots[ring * c->n_slots + i])
            model_fail("a slot of ring %u still holds 0x%x", ring, slots[ring * c->n_slots + i]);
}

static void check_rings(void)
{
    uint32_t i;
    for (i = 0; i < 2u * c->n_workers; i++)
        check_ring(i);
}

/* All placed tasks were taken, and each worker took its end. */
static void check_tickets(void)
{
    uint32_t i, w, n = c->n_workers;
    for (w = 0; w < c->n_workers; w++)
        n += tallies[w].n_pushed;
    for (i = 0; i < run.n_slots; i++)
        if (slots[i])
            model_fail("place %u still holds 0x%x", i, slots[i]);
    if (c->n_tasks && (hd_waiting_in(control.places) != 0 || hd_places_in(control.places) != n))
        model_fail("%u places were reserved, %d workers wait, %u is right", hd_places_in(control.places),
                   hd_waiting_in(control.places), n);
}

static void check_queues(void)
{
    uint32_t w;
    for (w = 0; w < c->n_workers; w++)
        if (*hd_iqs_size(&run, w) || *hd_iqs_end(&run, w) != cursors[2u * w].head)
            model_fail("queue %u: IQS %u, end 0x%x, start 0x%x", w, *hd_iqs_size(&run, w), *hd_iqs_end(&run, w),
                       cursors[2u * w].head);
}

static void check_central(void)
{
    if (control.lock || control.next_root != n_roots || control.ticket != c->n_tasks - n_roots ||
        control.tail != control.ticket)
        model_fail("the lock is %u, %u roots and %u others were taken, %u inserted", control.lock, control.next_root,
                   control.ticket, control.tail);
}

static void check_scheduler(void)
{
    uint32_t w, n_given = 0, n_seen = 0;
    for (w = 0; w < c->n_workers; w++) {
        if (*hd_sched_iqs(&run, w) != *hd_sched_taken(&run, w) || *hd_sched_oqs(&run, w) != scheduler.seen[w])
            model_fail("worker %u: IQS 0x%x, taken 0x%x, OQS 0x%x, seen 0x%x", w, *hd_sched_iqs(&run, w),
                       *hd_sched_taken(&run, w), *hd_sched_oqs(&run, w), scheduler.seen[w]);
        n_given += *hd_sched_iqs(&run, w) - c->ring_at;
        n_seen += *hd_sched_oqs(&run, w) - c->ring_at;
    }
    if (n_given != n_seen || n_given % c->n_tasks != 0u || hd_sched_get(&scheduler.left) != 0u)
        model_fail("%u tasks were handed out, %u reported, %u are left", n_given, n_seen, scheduler.left);
}

static void check_dispatch(void)
{
    switch (dispatch()) {
    case HD_DISPATCH_CENTRAL: check_central(); break;
    case HD_DISPATCH_SCHEDULER:
        if (c->n_tasks)
            check_scheduler();
        break;
    case HD_DISPATCH_TICKET: check_tickets(); break;
    case HD_DISPATCH_IQS: check_queues(); break;
    case HD_DISPATCH_PLAN: break;
    default: check_rings(); break;
    }
}

/* Does the run end by the count of outstanding tasks? */
static int is_settled(void)
{
    return dispatch() == HD_DISPATCH_RINGS || dispatch() == HD_DISPATCH_IQS || dispatch() == HD_DISPATCH_CENTRAL;
}

static void check_counters(uint32_t number)
{
    uint32_t t;
    for (t = 0; t < c->n_tasks; t++)
        if (count[t] != number * counted(t))
            model_fail("counter of task %u stands at 0x%x", t, count[t]);
    if (is_settled() && control.outstanding)
        model_fail("%u tasks outstanding", control.outstanding);
}

/* Does a worker itself place the tasks that it frees? */
static int counts_placed(void) { return is_settled() || dispatch() == HD_DISPATCH_TICKET; }

static void check_tallies(uint32_t k)
{
    uint32_t t, w, ran = 0, n_tasks = 0, n_placed = 0;
    for (t = 0; t < c->n_tasks; t++)
        ran += n_ran[t] == k + 1u && !bit(c->joins, t);
    for (w = 0; w < c->n_workers; w++) {
        model_read_cell(TALLY_CELL(w), "a tally");
        n_tasks += tallies[w].n_tasks;
        n_placed += tallies[w].n_kept + tallies[w].n_pushed;
    }
    if (n_tasks != ran)
        model_fail("tallies say %u tasks ran, it were %u", n_tasks, ran);
    if (control.fail.stop == (is_settled() ? HD_STOP_DONE : HD_STOP_NOT) && counts_placed() &&
        n_placed != c->n_tasks - n_roots)
        model_fail("tallies say %u tasks were placed", n_placed);
}

/* If the case asks for it: no ring was found full, and each worker's normal ring got its share. */
static void check_placed(void)
{
    uint32_t w, n_full = 0;
    for (w = 0; w < c->n_workers; w++)
        n_full += tallies[w].n_full;
    if (c->fits && n_full)
        model_fail("rings were found full %u times", n_full);
    for (w = 0; w < c->n_workers && c->share; w++)
        if (cursors[2u * w + 1u].tail != c->share)
            model_fail("worker %u was given %u tasks, not %u", w, cursors[2u * w + 1u].tail, c->share);
}

/* The last worker out sees all outputs, and both words of the first failure. */
static void check_seen(void)
{
    uint32_t t, l, code;
    for (t = 0; t < c->n_tasks; t++)
        for (l = 0; l < n_lanes(); l++)
            if (n_ran[t] && !bit(c->joins, t))
                model_read_cell(cell_of(t, l), "an output, after the run");
    if (!c->failing)
        return;
    code = HD_LOAD(&control.fail.code, RELAXED, DEV);
    if (HD_LOAD(&control.fail.task, RELAXED, DEV) + FAIL_CODE != code)
        model_fail("failure %u is said to be task %u's", code, control.fail.task);
}

static void check_stop(uint32_t why)
{
    uint32_t expected = c->failing ? HD_STOP_FAILED : HD_STOP_DONE;
    if (is_settled() && why != control.fail.stop)
        model_fail("a worker left because of %u, the stop word is %u", why, control.fail.stop);
    if (why != expected && !(c->cancels && why == HD_STOP_CANCELED))
        model_fail("stopped with %u", why);
}

static void last_out(uint32_t why, uint32_t number, uint32_t k)
{
    uint32_t w;
    if (!is_settled()) { /* no word marks success: the stop word stays HD_STOP_NOT */
        why = hd_stopped(&run);
        why = why == HD_STOP_NOT ? HD_STOP_DONE : why;
    }
    model_note("is the last out, of run", number);
    check_stop(why);
    check_tallies(k);
    check_seen();
    if (why != HD_STOP_DONE)
        return;
    check_dispatch();
    check_counters(number);
    check_placed();
    hd_rearm(&run, number + 1u);
    for (w = 0; w < c->n_workers + n_schedulers(); w++)
        model_give(MODEL_GATE(w));
}

static void leave(hd_worker *w, const hd_turn *x, uint32_t k)
{
    uint32_t why = hd_stopped(&run);
    model_write_cell(TALLY_CELL(w->id), "its tally");
    if (hd_worker_end(&run, w, x))
        last_out(why, w->run, k);
}

/* ---- the loop of core/turn.h, with a barrier of the lanes around each body ---------------------------- */

static void check_place(uint32_t t, uint32_t worker)
{
    if (tasks[t].flags >> HD_TASK_PLACE && (tasks[t].flags >> HD_TASK_PLACE) - 1u != worker)
        model_fail("task %u runs on worker %u", t, worker);
}

static void work_dynamic(hd_worker *w, hd_turn *x, uint32_t lane, uint32_t k)
{
    while (hd_next(&run, w, x, dispatch(), 0)) {
        block_barrier();
        check_place(x->task, w->id);
        hd_ahead(&run, w, x, 0);
        run_task(x->task, lane, k);
        block_barrier();
        hd_end_turn(&run, w, x, NULL, dispatch(), 0);
    }
}

/* Under dispatch plan workers take nothing: lane 0 waits for a step. Returns 0 when the run is over. */
static int await_step(const hd_worker *w, const hd_step *s)
{
    uint32_t n = 0;
    for (; s->task != HD_NONE && hd_stopped(&run) == HD_STOP_NOT; HD_PAUSE(n++))
        if (hd_plan_ready(&run, w->run, s))
            return 1;
    return 0;
}

static void work_plan(hd_worker *w, hd_turn *x, uint32_t lane, uint32_t k)
{
    const hd_step *s;
    for (s = &steps[lists[w->id]];; s++) {
        if (lane == 0)
            task_of[w->id] = await_step(w, s) ? s->task : HD_NONE;
        block_barrier();
        x->task = task_of[w->id];
        if (x->task == HD_NONE)
            return;
        x->record = &tasks[x->task];
        hd_ahead(&run, w, x, 0);
        check_place(x->task, w->id);
        run_task(x->task, lane, k);
        block_barrier();
        hd_plan_release(&run, s, hd_step_mine(&run, s));
        hd_finished(&run, w, x, HD_DISPATCH_PLAN);
    }
}

static void work(uint32_t id, uint32_t lane)
{
    hd_worker *w = &workers[id];
    hd_turn x;
    uint32_t k;
    for (k = 0; k < n_runs(); k++) {
        if (k && lane == 0)
            model_wait(MODEL_GATE(id));
        if (lane == 0)
            hd_worker_begin(&run, w, id);
        if (dispatch() == HD_DISPATCH_SCHEDULER && !n_schedulers())
            hd_sched_begin(&run, &scheduler);
        block_barrier();
        x = hd_turn_begin();
        if (dispatch() == HD_DISPATCH_PLAN)
            work_plan(w, &x, lane, k);
        else
            work_dynamic(w, &x, lane, k);
        if (lane == 0)
            leave(w, &x, k);
    }
}

static void schedule(uint32_t lane)
{
    uint32_t k, said;
    for (k = 0; k < n_runs(); k++) {
        if (k && lane == 0)
            model_wait(MODEL_GATE(c->n_workers));
        block_barrier();
        hd_sched_begin(&run, &scheduler);
        while ((said = hd_sched_round(&run, &scheduler)) != HD_ROUND_OVER) {
            if (said == HD_ROUND_IDLE && n_lanes() == 1u)
                HD_PAUSE(0);
            else if (said == HD_ROUND_IDLE && lane == 0)
                model_nap("the scheduler"); /* another lane may have read the word it waits for */
        }
        if (lane == 0 && hd_leave(&run))
            last_out(hd_stopped(&run), scheduler.run, k);
    }
}

static void fiber(uint32_t i)
{
    uint32_t worker = i / n_lanes();
    if (worker == c->n_workers + n_schedulers()) {
        (void)hd_stop(&control.fail, HD_STOP_CANCELED);
        hd_wake_all(&run);
        return;
    }
    model_join(worker, i % n_lanes(), n_lanes());
    if (worker == c->n_workers)
        schedule(i % n_lanes());
    else
        work(worker, i % n_lanes());
}

static void check_order(void)
{
    const char *at = c->order;
    uint32_t i, t;
    int used;
    for (i = 0; i < n_order; i++, at += used)
        if (sscanf(at, " %u%n", &t, &used) != 1 || t != order[i])
            model_fail("task %u ran at place %u, the right order is %s", order[i], i, c->order);
}

static void end(void)
{
    uint32_t t;
    for (t = 0; t < c->n_tasks && !c->failing && !c->cancels; t++)
        if (n_ran[t] != n_runs())
            model_fail("task %u ran in %u runs of %u", t, n_ran[t], n_runs());
    if (c->order)
        check_order();
}

/* ---- the suite ---------------------------------------------------------------------------------- */

static const char *name_of(uint32_t i) { return i < n_graph_cases ? graph_cases[i].name : NULL; }

static void choose(uint32_t i, int weak, model_test *t)
{
    c = &graph_cases[i];
    t->name = c->name;
    t->n_fibers = (c->n_workers + n_schedulers()) * n_lanes() + c->cancels;
    t->n_preempt = weak ? c->n_weak : c->n_preempt;
    t->n_stale = weak ? c->n_stale : 0u;
    t->in_order = 0;
    t->begin = begin;
    t->fiber = fiber;
    t->end = end;
    build();
}

const model_suite model_graphs = {name_of, choose};

/* ---- all cases ---------------------------------------------------------------------------------- */

/* The command line. */
typedef struct request {
    int strict, weak, list;
    uint32_t most, deeper;
    char **names;
    int n_names;
} request;

static void print_case(const model_test *t, int weak, uint64_t n, double seconds, int failed)
{
    printf("%-16s %-6s %u preemptions %u old  %9llu schedules  %5.2f s  %s\n", t->name, weak ? "weak" : "strict",
           t->n_preempt, t->n_stale, (unsigned long long)n, seconds, failed ? "FAILED" : "ok");
    fflush(stdout);
}

static int run_case(const model_suite *s, uint32_t i, int weak, const request *q)
{
    model_test t;
    struct timespec t0, t1;
    uint64_t n;
    int failed;
    s->choose(i, weak, &t);
    if (weak && !t.n_stale)
        return 0;
    t.n_preempt = t.n_preempt + q->deeper < q->most ? t.n_preempt + q->deeper : q->most;
    clock_gettime(CLOCK_MONOTONIC, &t0);
    failed = model_explore(&t, &n);
    clock_gettime(CLOCK_MONOTONIC, &t1);
    print_case(&t, weak, n, (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec), failed);
    return failed;
}

static request read_request(int argc, char **argv)
{
    const char *more = getenv("HEDDLE_MODEL_DEEPER");
    request q = {1, 1, 0, 0xffffffffu, more ? (uint32_t)strtoul(more, NULL, 10) : 0u, NULL, 0};
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--strict") == 0)
            q.weak = 0;
        else if (strcmp(argv[i], "--weak") == 0)
            q.strict = 0;
        else if (strcmp(argv[i], "--list") == 0)
            q.list = 1;
        else if (strcmp(argv[i], "--most") == 0 && i + 1 < argc)
            q.most = (uint32_t)strtoul(argv[++i], NULL, 10);
        else {
            printf("unknown option %s\n", argv[i]);
            exit(2);
        }
    }
    q.names = argv + i;
    q.n_names = argc - i;
    return q;
}

static int wanted(const char *name, const request *q)
{
    int i;
    for (i = 0; i < q->n_names; i++)
        if (strncmp(name, q->names[i], strlen(q->names[i])) == 0)
            return 1;
    return q->n_names == 0;
}

/* Runs the wanted cases of a suite and adds their number to *n. */
static int run_suite(const model_suite *s, const request *q, uint32_t *n)
{
    uint32_t i;
    for (i = 0; s->name(i); i++) {
        if (!wanted(s->name(i), q))
            continue;
        ++*n;
        if (q->list)
            printf("%s\n", s->name(i));
        else if ((q->strict && run_case(s, i, 0, q)) || (q->weak && run_case(s, i, 1, q)))
            return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    request q = read_request(argc, argv);
    uint32_t n = 0;
    if (run_suite(&model_graphs, &q, &n) || run_suite(&model_spawning, &q, &n) || run_suite(&model_waves, &q, &n) ||
        run_suite(&model_pools, &q, &n))
        return 1;
    if (!n)
        printf("no such case\n");
    return n == 0;
}
