/* SPDX-License-Identifier: MIT */
/* block_dynamic.cpp - a thread block under the dynamic dispatches: two threads and the scheduling warp, all as in
 * core/resident.h. Beside the block a second worker, a warp that runs bodies itself, lets tasks come, go and be asked
 * for at any time.
 *
 * What must hold: all threads run the same tasks in the same order, each with the right record. Every task runs once,
 * after its predecessors, and sees what they wrote. In a worker no body runs after one that failed. The last worker
 * out reports how the run ended. The run may be canceled at any time. */
#include "block.h"

#include <stdio.h>
#include <string.h>

#define MAX_TASKS 20u
#define N_SLOTS 32u

typedef struct dynamic_case {
    const char *name, *edges; /* "0>2 1>2" */
    uint32_t n_tasks, dispatch, policy;
    uint32_t n_preempt;
    /* The rest is 0 unless given. */
    uint32_t urgent = 0, watched = 0, joins = 0; /* bit masks of tasks                            */
    uint32_t fails = 0;                          /* task + 1                                      */
    uint32_t failing_thread = 0, cancels = 0, traces = 0;
    uint32_t alone = 0; /* 1 = there is no second worker                                          */
} dynamic_case;

enum role { LANE_0, LANE_1, SCHEDULES, OTHER, CANCELS, WATCHES, N_ROLES };

static const dynamic_case *c;
static block_order order;

static hd_block block, other;
static hd_task tasks[MAX_TASKS] __attribute__((aligned(128)));
static hd_edge edges[MAX_TASKS];
static uint32_t roots[MAX_TASKS], counts[MAX_TASKS], links[MAX_TASKS], told[MAX_TASKS];
static uint32_t slots[4u * N_SLOTS];
static hd_cursor cursors[4];
static hd_control shared_words;
static hd_tally tallies[2];
static hd_event events[2u * MAX_TASKS];
static hd_end how_ended;
static hd_run run;

static uint32_t preds[MAX_TASKS]; /* bit masks */
static uint32_t ran[MAX_TASKS], n_ran[N_LANES], sequence[N_LANES][MAX_TASKS], failed_here;

/* ---- the bodies ---------------------------------------------------------------------------------- */

static void check_inputs(uint32_t t)
{
    uint32_t k;
    for (k = 0; k < c->n_tasks; k++)
        if (preds[t] >> k & 1u && !(c->joins >> k & 1u)) {
            if (!ran[k] || c->fails == k + 1u)
                model_fail("task %u runs, and task %u before it did not, or failed", t, k);
            model_read_cell(OUT(k, 0), "what a task wrote");
            model_read_cell(OUT(k, 1), "what a task wrote");
        }
}

namespace
{
struct bodies {
    void operator()(const heddle_thread *thread, uint32_t, const void *, const void *args) const
    {
        const uint32_t t = thread->task, l = thread->index;
        if (*(const uint32_t *)args != t)
            model_fail("thread %u has the record of task %u for task %u", l, *(const uint32_t *)args, t);
        if (failed_here)
            model_fail("task %u runs in a block where one has failed", t);
        if (n_ran[l] == MAX_TASKS)
            model_fail("thread %u runs more tasks than there are", l);
        sequence[l][n_ran[l]++] = t;
        check_inputs(t);
        ran[t] += l == 0;
        model_write_cell(OUT(t, l), "what a task writes");
        if (c->fails == t + 1u)
            hd_bar_team(thread->team_size); /* both have begun */
        if (c->fails == t + 1u && c->failing_thread == l) {
            failed_here = 1;
            heddle_task_fail(thread, 7);
        }
    }
};
} // namespace

/* ---- the other worker ---------------------------------------------------------------------------- */

static void body_of_other(uint32_t t)
{
    if (c->joins >> t & 1u)
        return;
    check_inputs(t);
    ran[t]++;
    model_write_cell(OUT(t, 0), "what a task writes");
    model_write_cell(OUT(t, 1), "what a task writes");
    if (c->fails == t + 1u)
        hd_fail_at(&shared_words.fail, t, 7);
}

template <uint32_t DISPATCH> static void work_of_other()
{
    hd_worker *w = &other.worker;
    hd_turn x = hd_turn_begin();
    x.record = other.record[0];
    while (hd_next(&run, w, &x, DISPATCH, 0)) {
        hd_ahead(&run, w, &x, 0);
        if ((threadIdx.x & 31u) == 0) {
            if (*(const uint32_t *)x.record->args != x.task)
                model_fail("the other worker has the record of task %u for task %u", *(const uint32_t *)x.record->args,
                           x.task);
            body_of_other(x.task);
        }
        __syncwarp();
        if (c->fails == x.task + 1u)
            break;
        hd_end_turn(&run, w, &x, nullptr, DISPATCH, 0);
    }
    if ((threadIdx.x & 31u) == 0)
        hd_block_leave(run, RUN, hd_worker_end(&run, w, &x));
}

static void other_worker()
{
    if ((threadIdx.x & 31u) == 0)
        hd_worker_begin(&run, &other.worker, 1);
    __syncwarp();
    switch (c->dispatch) {
    case HD_DISPATCH_RINGS: work_of_other<HD_DISPATCH_RINGS>(); break;
    case HD_DISPATCH_TICKET: work_of_other<HD_DISPATCH_TICKET>(); break;
    case HD_DISPATCH_CENTRAL: work_of_other<HD_DISPATCH_CENTRAL>(); break;
    default: work_of_other<HD_DISPATCH_IQS>(); break;
    }
}

/* Waits for the first watched task, and must see what the task wrote. */
static void watch()
{
    uint32_t t = 0;
    while (!(c->watched >> t & 1u))
        t++;
    while (warp_load(&told[t], MODEL_ACQUIRE, MODEL_SITE(told)) != RUN)
        warp_pause(MODEL_SITE(watcher));
    model_read_cell(OUT(t, 0), "what a watched task wrote");
    model_read_cell(OUT(t, 1), "what a watched task wrote");
}

static void cancel() { (void)hd_stop(&shared_words.fail, HD_STOP_CANCELED); }

/* ---- the block ----------------------------------------------------------------------------------- */

static void threads_of_block()
{
    if (c->traces)
        hd_block_team<bodies, HD_DISPATCH_TICKET, 1>(run, &block, nullptr, N_LANES, nullptr);
    else
        hd_block_team<bodies, HD_DISPATCH_TICKET, 0>(run, &block, nullptr, N_LANES, nullptr);
}

template <int TRACE> static void schedule()
{
    hd_spawn_buffer_if<0> none;
    switch (c->dispatch) {
    case HD_DISPATCH_RINGS: hd_block_schedule<HD_DISPATCH_RINGS, TRACE, 0>(run, &block, &none); break;
    case HD_DISPATCH_TICKET: hd_block_schedule<HD_DISPATCH_TICKET, TRACE, 0>(run, &block, &none); break;
    case HD_DISPATCH_CENTRAL: hd_block_schedule<HD_DISPATCH_CENTRAL, TRACE, 0>(run, &block, &none); break;
    default: hd_block_schedule<HD_DISPATCH_IQS, TRACE, 0>(run, &block, &none); break;
    }
}
static void scheduling_warp()
{
    if (c->traces)
        schedule<1>();
    else
        schedule<0>();
}

static void fiber(uint32_t id)
{
    switch (order.roles[id]) {
    case LANE_0:
    case LANE_1: warp_run(1, order.roles[id], threads_of_block); break;
    case SCHEDULES: warp_run(WARP_WIDTH, 32, scheduling_warp); break;
    case OTHER:
        if (!c->alone)
            warp_run(WARP_WIDTH, 64, other_worker);
        break;
    case CANCELS:
        if (c->cancels)
            warp_run(1, 96, cancel);
        break;
    case WATCHES:
        if (c->watched && !c->fails && !c->cancels)
            warp_run(1, 97, watch);
        break;
    default: break;
    }
}

static warp_care care_of(size_t at)
{
    switch (at - at % 4u) {
    case offsetof(hd_block, ended): return WARP_WORD;
    case offsetof(hd_block, failed): return WARP_FLAG;
    default: return WARP_PLAIN;
    }
}

static void add_edge(uint32_t from, uint32_t to)
{
    hd_task *t = &tasks[from];
    const hd_edge e = {to, 0};
    *(t->n_succ < HD_INLINE_SUCC ? &t->first[t->n_succ] : &edges[t->succ + t->n_succ - HD_INLINE_SUCC]) = e;
    t->n_succ++;
    tasks[to].n_in++;
    preds[to] |= 1u << from;
}

static void make_tasks()
{
    const char *at = c->edges;
    uint32_t t, from, to;
    int used;
    memset(tasks, 0, sizeof tasks);
    memset(preds, 0, sizeof preds);
    for (t = 0; t < c->n_tasks; t++) {
        tasks[t].body = c->joins >> t & 1u ? HD_BODY_JOIN : 0;
        tasks[t].flags = (uint16_t)((c->urgent >> t & 1u) * HD_TASK_URGENT | (c->watched >> t & 1u) * HD_TASK_WATCH);
        tasks[t].watch = t;
        tasks[t].arg_bytes = 4;
        memcpy(tasks[t].args, &t, 4);
    }
    for (; sscanf(at, " %u>%u%n", &from, &to, &used) == 2; at += used)
        add_edge(from, to);
}

/* Copies into each edge what it repeats of its target: the number of predecessors, and urgency. */
static void finish_edges()
{
    uint32_t t, k;
    for (t = 0; t < c->n_tasks; t++)
        for (k = 0; k < tasks[t].n_succ; k++) {
            hd_edge *e = k < HD_INLINE_SUCC ? &tasks[t].first[k] : &edges[tasks[t].succ + k - HD_INLINE_SUCC];
            e->need = tasks[e->task].n_in | (c->urgent >> e->task & 1u ? HD_NEED_URGENT : 0u);
        }
}

static void make_run()
{
    uint32_t t;
    memset(&run, 0, sizeof run);
    run.tasks = tasks;
    run.edges = edges;
    run.roots = roots;
    run.control = &shared_words;
    run.count = counts;
    run.link = links;
    run.cursors = cursors;
    run.slots = slots;
    run.tallies = tallies;
    run.events = c->traces ? events : nullptr;
    run.n_trace = MAX_TASKS;
    run.end = &how_ended;
    run.watched = told;
    run.n_tasks = c->n_tasks;
    run.n_workers = 2u - c->alone;
    run.n_slots = N_SLOTS;
    run.policy = c->policy;
    run.polite = 1; /* an idle worker pauses at each look */
    run.late = hd_policy_late(&run);
    run.n_local = 1;
    run.dispatch = c->dispatch;
    run.has_urgent = c->urgent != 0;
    for (t = 0; t < c->n_tasks; t++)
        if (tasks[t].n_in == 0)
            roots[run.n_roots++] = t;
}

/* The state in which hd_persistent starts a run that is not the first. */
static void begin(void)
{
    uint32_t t;
    memset(&block, 0xa5, sizeof block);
    memset(&shared_words, 0, sizeof shared_words);
    memset(slots, 0, sizeof slots);
    memset(warp_copies, 0, sizeof warp_copies);
    memset(&other, 0xa5, sizeof other);
    memset(cursors, 0, sizeof cursors);
    memset(told, 0, sizeof told);
    memset(ran, 0, sizeof ran);
    memset(n_ran, 0, sizeof n_ran);
    memset(&how_ended, 0, sizeof how_ended);
    failed_here = 0;
    for (t = 0; t < c->n_tasks; t++)
        counts[t] = (RUN - 1u) * tasks[t].n_in;
    hd_rearm(&run, RUN);
    block.ended = block.failed = 0;
    hd_worker_begin(&run, &block.worker, 0);
    warp_begin();
}

/* Tasks with one predecessor are not counted. */
static void check_count(uint32_t t)
{
    uint32_t k, n = 0;
    for (k = 0; k < c->n_tasks; k++)
        n += preds[t] >> k & 1u && (ran[k] || c->joins >> k & 1u) && c->fails != k + 1u;
    if (counts[t] - (RUN - 1u) * tasks[t].n_in > n)
        model_fail("task %u was counted %u times, %u tasks before it have ended well", t,
                   counts[t] - (RUN - 1u) * tasks[t].n_in, n);
    if (how_ended.stop == HD_STOP_DONE && tasks[t].n_in > 1u && counts[t] != RUN * tasks[t].n_in)
        model_fail("task %u was counted %u times in a run that ended well", t, counts[t] - (RUN - 1u) * tasks[t].n_in);
}

static void check_task(uint32_t t)
{
    const uint32_t times = c->joins >> t & 1u ? 0u : 1u;
    if (ran[t] > times)
        model_fail("task %u ran %u times", t, ran[t]);
    if (how_ended.stop == HD_STOP_DONE && ran[t] != times)
        model_fail("task %u did not run", t);
    if (told[t] && (!ran[t] || c->fails == t + 1u))
        model_fail("a watcher was told of task %u, which did not run", t);
    if (how_ended.stop == HD_STOP_DONE && c->alone && c->watched >> t & 1u && told[t] != RUN)
        model_fail("nobody was told of task %u", t);
}

static void end(void)
{
    uint32_t t;
    warp_end();
    block_check_barriers();
    if (n_ran[0] != n_ran[1] || memcmp(sequence[0], sequence[1], n_ran[0] * sizeof sequence[0][0]) != 0)
        model_fail("the threads ran other tasks");
    if (how_ended.run != RUN)
        model_fail("nobody said how the run ended");
    if (how_ended.stop != HD_STOP_DONE && how_ended.stop != (c->fails ? HD_STOP_FAILED : HD_STOP_CANCELED))
        model_fail("the run stops with %u", how_ended.stop);
    for (t = 0; t < c->n_tasks; t++) {
        check_task(t);
        check_count(t);
    }
}

static int explore_case(const dynamic_case *which, const uint8_t *roles, uint32_t most, uint32_t deeper)
{
    model_test t = {which->name, N_ROLES, 0, 0, 1, begin, fiber, end, 0};
    c = which;
    order.n_preempt = which->n_preempt + deeper < most ? which->n_preempt + deeper : most;
    order.n_stale = 0;
    memcpy(order.roles, roles, N_ROLES);
    make_tasks();
    finish_edges();
    make_run();
    warp_watch(&block, sizeof block, care_of, 1);
    return block_explore(t, &order);
}

#define D HD_DISPATCH_RINGS
#define T HD_DISPATCH_TICKET
#define Q HD_DISPATCH_IQS
#define L HD_DISPATCH_CENTRAL
#define SHARE HD_POLICY_SHARE
#define LF HD_POLICY_LF
#define LRR HD_POLICY_LRR
#define GRR HD_POLICY_GRR
#define TS HD_POLICY_TS
#define AL HD_POLICY_AL
#define CHAIN "0>1 1>2 2>3 3>4"
#define FORK "0>1 0>2 0>3 1>4 2>4 3>4"
#define WIDE "0>1 0>2 0>3 0>4 0>5 0>6"
#define TWO "0>2 1>2 2>3 2>4 3>5 4>5"
#define LINKS "0>1 0>2 1>3 2>3 3>4 3>5 4>6 5>6" /* two diamonds in a row */
#define GRID "0>1 0>2 1>3 1>4 2>4 2>5 3>6 4>6 4>7 5>7"
#define MANY "0>1 0>2 0>3 0>4 0>5 0>6 0>7 0>8 0>9 0>10 0>11 0>12 0>13 0>14 0>15 0>16 0>17 0>18 17>19 18>19"

static const dynamic_case cases[] = {
    {"chain", CHAIN, 5, D, LF, 1, 0, 0x12, 0, 0, 0, 0, 0, 1},
    {"chain-traced", CHAIN, 5, D, SHARE, 1, 0, 0, 0x4, 0, 0, 0, 1, 1},
    {"chain-fails", CHAIN, 5, D, LF, 1, 0, 0, 0, 3, 0, 0, 0, 1},
    {"chain-fails-late", CHAIN, 5, D, LF, 1, 0, 0, 0, 2, 1, 0, 0, 1},
    {"chain-forks", "0>1 1>2 2>3 2>4 3>5 5>6", 7, D, LF, 1, 0, 0x24, 0, 0, 0, 0, 0, 1},
    {"chain-joins", "0>1 1>2 2>3 3>4 5>4 4>6", 7, D, LF, 1, 0, 0, 0, 0, 0, 0, 0, 1},
    {"chain-counts", "0>1 1>2 2>3 2>4 6>4 3>5", 7, D, LF, 1, 0, 0, 0, 0, 0, 0, 0, 1},
    {"chain-beside", CHAIN, 5, D, LF, 2},
    {"links", LINKS, 7, D, LF, 1, 0, 0, 0, 0, 0, 0, 0, 1},
    {"links-beside", LINKS, 7, D, LF, 1},
    {"links-lrr", LINKS, 7, D, LRR, 1},
    {"grid", GRID, 8, D, LF, 1},
    {"grid-grr", GRID, 8, D, GRR, 1},
    {"grid-share", GRID, 8, D, SHARE, 1},
    {"many", MANY, 20, D, LRR, 0},
    {"many-alone", MANY, 20, D, LF, 0, 0, 0, 0, 0, 0, 0, 0, 1},
    {"fork-alone", FORK, 5, D, SHARE, 1, 0, 0x10, 0, 0, 0, 0, 0, 1},
    {"fork-lrr", FORK, 5, D, LRR, 0, 0, 0, 0, 0, 0, 0, 0, 1},
    {"fork", FORK, 5, D, SHARE, 1},
    {"fork-urgent", FORK, 5, D, LF, 1, 0x14},
    {"fork-canceled", FORK, 5, D, SHARE, 1, 0, 0, 0, 0, 0, 1},
    {"fork-fails-in-thread-1", FORK, 5, D, LRR, 1, 0, 0, 0, 1, 1},
    {"two-fails", TWO, 6, D, SHARE, 1, 0, 0, 0, 1},
    {"turns", "0>1 0>2 0>3 1>3 0>4 3>4", 5, D, LF, 1, 0, 0, 0, 0, 0, 0, 0, 1},
    {"wide", WIDE, 7, D, GRR, 1},
    {"two", TWO, 6, D, SHARE, 1, 0, 0, 0x4},
    {"ts", GRID, 8, D, TS, 1},
    {"al", FORK, 5, D, AL, 1},
    {"roots", "", 6, D, LF, 1},
    {"roots-fail", "0>5 1>5 2>5 3>5 4>5", 6, D, SHARE, 0, 0, 0, 0, 4},
    {"ticket-chain", CHAIN, 5, T, LF, 1, 0, 0x12},
    {"ticket-alone", LINKS, 7, T, LF, 1, 0, 0x12, 0, 0, 0, 0, 0, 1},
    {"ticket-links", LINKS, 7, T, LF, 1},
    {"ticket-grid", GRID, 8, T, LF, 1},
    {"ticket-wide", WIDE, 7, T, LF, 1, 0, 0, 0x4, 0, 0, 0, 1},
    {"ticket-many", MANY, 20, T, LF, 0},
    {"ticket-roots", "", 6, T, LF, 1},
    {"ticket", TWO, 6, T, LF, 1, 0, 0x24},
    {"ticket-fails", TWO, 6, T, LF, 1, 0, 0, 0, 4},
    {"ticket-canceled", FORK, 5, T, LF, 1, 0, 0, 0, 0, 0, 1},
    {"iqs", TWO, 6, Q, LF, 1, 0, 0x24},
    {"iqs-fails", FORK, 5, Q, LRR, 1, 0, 0, 0, 2},
    {"central", TWO, 6, L, LF, 1, 0, 0x24},
    {"central-many", MANY, 20, L, LF, 0},
    {"central-fails", FORK, 5, L, LF, 1, 0, 0, 0, 2},
};

int block_test_dynamic(uint32_t most, uint32_t deeper)
{
    static const uint8_t orders[][N_ROLES] = {{LANE_0, LANE_1, SCHEDULES, OTHER, CANCELS, WATCHES},
                                              {SCHEDULES, LANE_1, WATCHES, CANCELS, LANE_0, OTHER},
                                              {OTHER, LANE_0, SCHEDULES, CANCELS, WATCHES, LANE_1}};
    uint32_t i, k;
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (k = 0; k < 3u; k++)
            if (explore_case(&cases[i], orders[k], most, deeper))
                return 1;
    return 0;
}
