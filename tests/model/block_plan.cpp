/* SPDX-License-Identifier: MIT */
/* block_plan.cpp - a thread block under dispatch plan: two threads, the fetching warp and the counting warp, all as in
 * core/planned.h. One more fiber is the rest of the world: it counts what steps wait for and reads what they free.
 *
 * Lists have every kind of step: one that waits for others, has successors, is watched, is an empty join, has a barrier
 * in its body, or fails in one or both threads. The run may be canceled at any time. What must hold: all threads run
 * the same steps in the list's order, each with the right record. No body runs after one that failed. A step is counted
 * only after its body and all before it have ended well, and its output is visible then. If nothing stops the run, all
 * steps run, and all with successors are counted. */
#include "block.h"

#include <stdio.h>
#include <string.h>

/* A step, as bits. */
#define WAITS 1u
#define ENDS 2u
#define JOIN 4u
#define WATCHED 8u
#define MEETS 16u
#define FAILS(thread) (32u << (thread))
#define FAILS_ANY (FAILS(0) | FAILS(1))

typedef struct list_case {
    uint32_t n, traces;
    uint32_t coupled; /* the world counts for a step only after all steps before it are counted */
    uint32_t cancels;
    uint8_t steps[MAX_STEPS];
} list_case;

enum role { LANE_0, LANE_1, FETCHES, COUNTS, WORLD, CANCELS, N_ROLES };

static const list_case *c;
static block_order order;

static hd_plan_block block;
static hd_step steps[MAX_STEPS + 8u] __attribute__((aligned(128)));
static uint32_t lists[1], step_edges[8u * MAX_STEPS];
static hd_control shared_words;
static hd_tally tallies[1];
static hd_event events[MAX_STEPS];
static uint32_t watched[MAX_STEPS], counts[MAX_STEPS * 16u];
static hd_run run;

static uint32_t ran[N_LANES], failed_at; /* bit i: step i */

/* Each third step has more successors than its record holds, so that some lanes of the warp count two. */
static uint32_t n_succ_of(uint32_t i) { return i % 3u ? 1u : HD_STEP_SUCC + 2u; }
/* The counter of step i, and its k-th successor. */
static uint32_t *own_count(uint32_t i) { return &counts[i]; }
static uint32_t succ_task(uint32_t i, uint32_t k) { return MAX_STEPS + i * 11u + k; }

/* ---- the bodies ---------------------------------------------------------------------------------- */

/* The step that a thread must run next: the first that it has not run and that is no join. */
static uint32_t expected(uint32_t thread)
{
    uint32_t i;
    for (i = 0; i < c->n && (ran[thread] >> i & 1u || c->steps[i] & JOIN); i++)
        ;
    return i;
}

static void check_step(const heddle_thread *thread, uint32_t i, const void *args)
{
    if (i != expected(thread->index))
        model_fail("thread %u runs step %u, not %u", thread->index, i, expected(thread->index));
    if (*(const uint32_t *)args != i)
        model_fail("thread %u has the record of step %u for step %u", thread->index, *(const uint32_t *)args, i);
    if (failed_at < i)
        model_fail("step %u runs after step %u has failed", i, failed_at);
}

namespace
{
struct bodies {
    void operator()(const heddle_thread *thread, uint32_t, const void *, const void *args) const
    {
        const uint32_t i = thread->task, l = thread->index, kind = c->steps[i];
        check_step(thread, i, args);
        ran[l] |= 1u << i;
        if (kind & WAITS)
            model_read_cell(IN(i), "what a step waits for");
        if (kind & MEETS) {
            if (l == 0)
                model_write_cell(MET(i), "what threads hand over");
            hd_bar_team(thread->team_size);
            if (l == 1)
                model_read_cell(MET(i), "what threads hand over");
        }
        model_write_cell(OUT(i, l), "what a thread writes");
        if (kind & FAILS(l)) {
            failed_at = failed_at < i ? failed_at : i;
            heddle_task_fail(thread, 7);
        }
    }
};
} // namespace

/* ---- the world ----------------------------------------------------------------------------------- */

/* Fibers outside the block use no warp. */
#undef model_load
#undef model_add
#undef model_cas
#undef model_pause

/* Waits until a word of step i reaches this run's number, then reads what the step wrote. 0: the run stops. */
static int take_from(uint32_t i, uint32_t *word)
{
    while (model_load(word, MODEL_ACQUIRE, MODEL_SITE(word)) != RUN) {
        if (model_load(&shared_words.fail.stop, MODEL_RELAXED, MODEL_SITE(stop)))
            return 0;
        model_pause(MODEL_SITE(world));
    }
    if (!(c->steps[i] & JOIN)) {
        model_read_cell(OUT(i, 0), "what a thread wrote");
        model_read_cell(OUT(i, 1), "what a thread wrote");
    }
    return 1;
}

/* Does so for steps from .. to - 1; of many successors it polls the first and the last. */
static int take_all(uint32_t from, uint32_t to)
{
    uint32_t i;
    for (i = from; i < to; i++) {
        if (c->steps[i] & ENDS &&
            !(take_from(i, &counts[succ_task(i, 0)]) && take_from(i, &counts[succ_task(i, n_succ_of(i) - 1u)])))
            return 0;
        if (c->steps[i] & WATCHED && !take_from(i, &watched[i]))
            return 0;
    }
    return 1;
}

static void world(void)
{
    uint32_t i, taken = 0;
    for (i = 0; i < c->n; i++) {
        if (!(c->steps[i] & WAITS))
            continue;
        if (c->coupled && !take_all(taken, i))
            return;
        taken = c->coupled ? i : 0u;
        model_write_cell(IN(i), "what a step waits for");
        (void)model_add(own_count(i), 1, MODEL_RELEASE, MODEL_SITE(count));
    }
    (void)take_all(taken, c->n);
}

static void cancel(void)
{
    (void)model_cas(&shared_words.fail.stop, HD_STOP_NOT, HD_STOP_CANCELED, MODEL_RELAXED, MODEL_SITE(stop));
}

/* ---- the block ----------------------------------------------------------------------------------- */

static void threads_of_block()
{
    if (c->traces)
        hd_plan_team<bodies, 1>(run, &block, nullptr, N_LANES);
    else
        hd_plan_team<bodies, 0>(run, &block, nullptr, N_LANES);
}
static void fetching_warp()
{
    if (c->traces)
        hd_plan_fetch<1>(run, &block, N_LANES);
    else
        hd_plan_fetch<0>(run, &block, N_LANES);
}
static void counting_warp() { hd_plan_finish(run, &block, N_LANES); }

static void fiber(uint32_t id)
{
    switch (order.roles[id]) {
    case LANE_0:
    case LANE_1: warp_run(1, order.roles[id], threads_of_block); break;
    case FETCHES: warp_run(WARP_WIDTH, 32, fetching_warp); break;
    case COUNTS: warp_run(WARP_WIDTH, 64, counting_warp); break;
    case WORLD: world(); break;
    case CANCELS:
        if (c->cancels)
            cancel();
        break;
    default: break;
    }
}

/* Accesses that need no order. The 16-byte load of `over` also reads `began`, unused. Some readers of `over` only compare
 * it with a step handed over earlier. The last step's mark overwrites its task: a warp that still looks at the batch
 * may load either. */
static warp_care care_of(size_t at)
{
    const size_t word = at - at % 4u;
    if (word < sizeof block.record)
        return word % sizeof(hd_step) == offsetof(hd_step, task) ? WARP_LATE : WARP_PLAIN;
    if (word >= offsetof(hd_plan_block, failed) && word < offsetof(hd_plan_block, over))
        return WARP_FLAG;
    return word >= offsetof(hd_plan_block, over) && word < offsetof(hd_plan_block, run) ? WARP_WORD : WARP_PLAIN;
}

static void make_step(uint32_t i)
{
    hd_step *s = &steps[i];
    uint32_t k, kind = c->steps[i];
    s->body = kind & JOIN ? HD_BODY_JOIN : 0;
    s->flags = kind & WATCHED ? HD_TASK_WATCH : 0;
    s->task = i;
    s->need = kind & WAITS ? 1u : 0u;
    s->n_succ = kind & ENDS ? n_succ_of(i) : 0u;
    s->succ = 8u * i;
    s->watch = i;
    s->arg_bytes = 4;
    memcpy(s->args, &i, 4);
    for (k = 0; k < s->n_succ; k++)
        *(k < HD_STEP_SUCC ? &s->first[k] : &step_edges[s->succ + k - HD_STEP_SUCC]) = succ_task(i, k);
}

/* Makes what is the same in all schedules. The next worker's list follows this one. */
static void make_list()
{
    uint32_t i;
    memset(steps, 0, sizeof steps);
    for (i = 0; i < c->n; i++)
        make_step(i);
    steps[c->n].task = HD_NONE;
    for (i = c->n + 1u; i < c->n + HD_PLAN_BATCH; i++) {
        steps[i].task = MAX_STEPS - 1u;
        steps[i].need = steps[i].n_succ = i & 1u;
        steps[i].first[0] = MAX_STEPS - 1u;
    }
    memset(&run, 0, sizeof run);
    run.steps = steps;
    run.lists = lists;
    run.step_edges = step_edges;
    run.control = &shared_words;
    run.count = counts;
    run.watched = watched;
    run.tallies = tallies;
    run.events = c->traces ? events : nullptr;
    run.n_trace = MAX_STEPS;
    run.n_tasks = c->n;
    run.n_workers = 2;
    warp_watch(&block, sizeof block, care_of, 0);
}

/* The state in which hd_planned starts; what it does not initialize holds the bytes that the memory had before. */
static void begin(void)
{
    uint32_t i;
    memset(&block, 0xa5, sizeof block);
    block.failed[0] = block.failed[1] = block.began = block.ended = block.filled = block.walked = block.n_counted = 0;
    block.n_tasks = block.n_events = block.n_dropped = 0;
    block.over = HD_NONE;
    block.left = 0;
    block.run = RUN;
    memset(&shared_words, 0, sizeof shared_words);
    memset(tallies, 0, sizeof tallies);
    memset(watched, 0, sizeof watched);
    for (i = 0; i < sizeof counts / sizeof counts[0]; i++)
        counts[i] = RUN - 1u;
    ran[0] = ran[1] = 0;
    failed_at = HD_NONE;
    warp_begin();
}

static void check_ends(uint32_t i, int stopped)
{
    const uint32_t before = (2u << i) - 1u, n = c->steps[i] & ENDS ? n_succ_of(i) : 0u;
    uint32_t k, joins = 0, n_counted = 0;
    for (k = 0; k <= i; k++)
        joins |= (uint32_t)(c->steps[k] & JOIN) / JOIN << k;
    for (k = 0; k < n; k++)
        n_counted += counts[succ_task(i, k)] - (RUN - 1u);
    if (n_counted != 0 && n_counted != n)
        model_fail("of %u successors of step %u %u are counted", n, i, n_counted);
    if ((n_counted || watched[i]) && ((ran[0] | joins) & before) != before)
        model_fail("step %u is counted, and did not run", i);
    if ((n_counted || watched[i]) && failed_at <= i)
        model_fail("step %u is counted, and step %u failed", i, failed_at);
    if (watched[i] && !(c->steps[i] & WATCHED))
        model_fail("step %u is not watched", i);
    if (!stopped && (((ran[0] | joins) & before) != before || n_counted != n))
        model_fail("step %u did not run, or is not counted", i);
    if (!stopped && (c->steps[i] & WATCHED) && watched[i] != RUN)
        model_fail("nobody was told of step %u", i);
}

static void end(void)
{
    const uint32_t stop = shared_words.fail.stop;
    uint32_t i;
    warp_end();
    block_check_barriers();
    if (ran[0] != ran[1])
        model_fail("the threads ran other steps: 0x%x and 0x%x", ran[0], ran[1]);
    if ((failed_at != HD_NONE) != (stop == HD_STOP_FAILED) && stop != HD_STOP_CANCELED)
        model_fail("the run stops with %u, step 0x%x failed", stop, failed_at);
    for (i = 0; i < c->n; i++)
        check_ends(i, stop != HD_STOP_NOT);
    if (failed_at == HD_NONE && tallies[0].n_tasks != hd_popcount(ran[0]))
        model_fail("%u steps ran, %u are in the tally", hd_popcount(ran[0]), tallies[0].n_tasks);
    if (*own_count(MAX_STEPS - 1u) != RUN - 1u)
        model_fail("a step behind the list is counted");
    if (shared_words.out != 1u)
        model_fail("the block left %u times", shared_words.out);
}

static void name_list(char *name, size_t n_bytes)
{
    uint32_t i;
    int at = snprintf(name, n_bytes, "plan%s%s", c->coupled ? "-coupled" : "", c->traces ? "-traced" : "");
    for (i = 0; i < c->n; i++)
        at += snprintf(name + at, n_bytes - (size_t)at, "%s%02x", i ? "." : "-", c->steps[i]);
}

static int explore_list(const list_case *list, uint32_t n_preempt, uint32_t n_stale, const uint8_t *roles)
{
    static char name[96];
    model_test t = {name, N_ROLES, 0, 0, 1, begin, fiber, end, 0};
    c = list;
    order.n_preempt = n_preempt;
    order.n_stale = n_stale;
    memcpy(order.roles, roles, N_ROLES);
    name_list(name, sizeof name);
    make_list();
    return block_explore(t, &order);
}

/* Priorities when several fibers can go on: each fiber of the block is slowest in one order and fastest in another. */
static const uint8_t some_orders[][N_ROLES] = {
    {LANE_0, LANE_1, FETCHES, COUNTS, WORLD, CANCELS}, {FETCHES, COUNTS, LANE_1, CANCELS, LANE_0, WORLD},
    {WORLD, FETCHES, LANE_0, COUNTS, CANCELS, LANE_1}, {COUNTS, LANE_1, CANCELS, WORLD, LANE_0, FETCHES},
    {WORLD, LANE_1, FETCHES, LANE_0, COUNTS, CANCELS}, {LANE_1, COUNTS, FETCHES, CANCELS, WORLD, LANE_0},
    {CANCELS, WORLD, LANE_1, LANE_0, COUNTS, FETCHES},
};
#define N_ORDERS (sizeof some_orders / sizeof some_orders[0])

/* All lists of up to n steps of these kinds. */
static int all_lists(uint32_t n, const uint8_t *kinds, uint32_t n_kinds, uint32_t n_preempt, uint32_t cancels)
{
    uint32_t length, code, i, rest, n_codes = 1;
    for (length = 0; length <= n; length++, n_codes *= n_kinds)
        for (code = 0; code < n_codes; code++) {
            list_case list = {length, 0, code & 1u, cancels, {0}};
            for (i = 0, rest = code; i < length; i++, rest /= n_kinds)
                list.steps[i] = kinds[rest % n_kinds];
            if (explore_list(&list, n_preempt, 0, some_orders[(code + length) % N_ORDERS]) ||
                explore_list(&list, n_preempt, 0, some_orders[(code + length + 3u) % N_ORDERS]))
                return 1;
        }
    return 0;
}

static uint8_t random_step(int may_fail)
{
    static const uint8_t kinds[] = {
        0,       0,    0,           ENDS,         ENDS,  WAITS,        WAITS | ENDS,  WAITS | ENDS,
        WATCHED, JOIN, JOIN | ENDS, JOIN | WAITS, MEETS, MEETS | ENDS, WATCHED | ENDS};
    uint32_t kind = kinds[block_random(sizeof kinds)];
    if (may_fail && !(kind & JOIN) && block_random(4) == 0)
        kind |= FAILS(0) * (1u + block_random(3));
    return (uint8_t)kind;
}

/* Longer lists, which reuse slots and barriers. */
static int random_lists(uint32_t n, uint32_t n_preempt, uint32_t n_stale)
{
    uint32_t i, k;
    for (k = 0; k < n; k++) {
        list_case list = {3u + block_random(8), k % 8u == 7u, k & 1u, k % 3u == 2u, {0}};
        for (i = 0; i < list.n; i++)
            list.steps[i] = random_step(k % 5u == 3u);
        if (explore_list(&list, n_preempt, n_stale, some_orders[k % N_ORDERS]))
            return 1;
    }
    return 0;
}

int block_test_plan(uint32_t most, uint32_t deeper)
{
    static const uint8_t all[] = {
        0,    ENDS,    WAITS,        WAITS | ENDS,     FAILS(0) | ENDS, FAILS(1), JOIN | WAITS | ENDS,
        JOIN, WATCHED, MEETS | ENDS, WAITS | FAILS_ANY};
    const uint32_t one = most < 1u ? most : 1u, two = most < 2u ? most : 2u, more = deeper ? 10u : 1u;
    return all_lists(3, all, sizeof all, 0, 0) || all_lists(2, all, deeper ? sizeof all : 6u, one, 0) ||
           all_lists(2, all, 4, one, 1) || all_lists(deeper ? 1 : 0, all, 4, two, 1) ||
           random_lists(300 * more, 0, 0) || random_lists(16 * more, one, 0) || random_lists(30 * more, 0, 1) ||
           (deeper && random_lists(60, one, 1));
}
