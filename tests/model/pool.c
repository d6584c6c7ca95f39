/* SPDX-License-Identifier: MIT */
/* pool.c - pools under every interleaving up to a bound: the fourth suite of the model test.
 *
 * Fiber 0 is the host: it sends tasks (core/send.h), waits for what workers tell (core/pool.h), fills slots again, and stops the
 * pool. The other fibers are threads in the cpu backend's own loop (hd_cpu_serve) and park as its threads do. Each body runs as
 * often as it must, after the tasks that it waits for, and sees what they wrote; the host sees what each told task wrote. A pool
 * never looks balanced while a task is left. Records and spawn buffers are watched memory. */
#include <string.h>

#include "backend/cpu/work.h"
#include "heddle/core/send.h"
#include "suite.h"
#include "watch.h"

#define MAX_SENT 5u
#define MAX_HOST 4u
#define MAX_ARENA 12u
#define MAX_WORKERS 3u /* a thread that helps is one */
#define MAX_BLOCKS 3u
#define MAX_PLACES 8u
#define MAX_STORE 24u
#define GENERATION 5u

enum { BODY_PLAIN, BODY_FAILS, BODY_PARENT, BODY_CHILD, N_BODIES };

/* A task that the host sends. */
typedef struct sent {
    uint32_t body, n_blocks;
    uint32_t after;    /* bit mask of earlier ones */
    uint32_t slot;     /* not the next one: it is used again, after the host has seen the end of the task before */
    uint32_t canceled; /* the host cancels it at once */
    uint32_t never;    /* it must not run */
    uint32_t second;   /* another thread of the host sends it */
    uint32_t urgent;
    uint32_t held; /* until all were sent */
} sent;

typedef struct pool_case {
    const char *name;
    uint32_t n_sent, n_preempt, n_weak, n_stale, n_workers, spin, n_slots;
    uint32_t n_hosts; /* threads that send */
    uint32_t unparks; /* parked workers are woken for no reason */
    sent sent[MAX_SENT];
    uint32_t n_host; /* 0 = 4: slots of the host */
    uint32_t helps;  /* the host runs tasks while it waits */
} pool_case;

/* clang-format off */
static const pool_case cases[] = {
    {"pool.one",      1, 2, 2, 1, 2, 0, 4, 1, 0, {{BODY_PLAIN, 1, 0, 0, 0, 0, 0, 0, 0}}, 0, 0},
    {"pool.two",      2, 2, 1, 1, 2, 0, 4, 1, 0, {{BODY_PLAIN, 1, 0, 0, 0, 0, 0, 0, 0}, {BODY_PLAIN, 1, 0, 1, 0, 0, 0, 0, 0}}, 0, 0},
    {"pool.doze",     2, 3, 2, 1, 1, 0, 4, 1, 0, {{BODY_PLAIN, 1, 0, 0, 0, 0, 0, 0, 0}, {BODY_PLAIN, 1, 0, 1, 0, 0, 0, 0, 0}}, 0, 0},
    {"pool.round",    3, 2, 1, 1, 1, 0, 2, 1, 0, {{BODY_PLAIN, 1, 0, 0, 0, 0, 0, 0, 0}, {BODY_PLAIN, 1, 0, 1, 0, 0, 0, 0, 0}, {BODY_PLAIN, 1, 0, 2, 0, 0, 0, 0, 0}}, 0, 0},
    {"pool.after",    2, 2, 2, 1, 2, 0, 4, 1, 0, {{BODY_PLAIN, 1, 0, 0, 0, 0, 0, 0, 0}, {BODY_PLAIN, 1, 1, 1, 0, 0, 0, 0, 0}}, 0, 0},
    {"pool.both",     3, 2, 1, 1, 2, 0, 4, 1, 0, {{BODY_PLAIN, 1, 0, 0, 0, 0, 0, 0, 0}, {BODY_PLAIN, 1, 0, 1, 0, 0, 0, 0, 0}, {BODY_PLAIN, 1, 3, 2, 0, 0, 0, 0, 0}}, 0, 0},
    {"pool.again",    2, 2, 2, 1, 2, 0, 4, 1, 0, {{BODY_PLAIN, 1, 0, 0, 0, 0, 0, 0, 0}, {BODY_PLAIN, 1, 0, 0, 0, 0, 0, 0, 0}}, 0, 0},
    {"pool.again.a",  3, 2, 1, 1, 2, 0, 4, 1, 0, {{BODY_PLAIN, 1, 0, 0, 0, 0, 0, 0, 0}, {BODY_PLAIN, 1, 0, 0, 0, 0, 0, 0, 0}, {BODY_PLAIN, 1, 2, 1, 0, 0, 0, 0, 0}}, 0, 0},
    {"pool.fails",    2, 2, 2, 1, 2, 0, 4, 1, 0, {{BODY_FAILS, 1, 0, 0, 0, 0, 0, 0, 0}, {BODY_PLAIN, 1, 1, 1, 0, 1, 0, 0, 0}}, 0, 0},
    {"pool.chain",    3, 2, 1, 1, 2, 0, 4, 1, 0, {{BODY_FAILS, 1, 0, 0, 0, 0, 0, 0, 0}, {BODY_PLAIN, 1, 1, 1, 0, 1, 0, 0, 0}, {BODY_PLAIN, 1, 2, 2, 0, 1, 0, 0, 0}}, 0, 0},
    {"pool.cancel",   2, 2, 2, 1, 2, 0, 4, 1, 0, {{BODY_PLAIN, 1, 0, 0, 0, 0, 0, 0, 0}, {BODY_PLAIN, 1, 1, 1, 1, 2, 0, 0, 0}}, 0, 0},
    {"pool.blocks",   1, 2, 1, 1, 2, 0, 4, 1, 0, {{BODY_PLAIN, 3, 0, 0, 0, 0, 0, 0, 0}}, 0, 0},
    {"pool.blocks.b", 2, 2, 1, 1, 2, 0, 4, 1, 0, {{BODY_PLAIN, 2, 0, 0, 0, 0, 0, 0, 0}, {BODY_PLAIN, 1, 0, 0, 0, 0, 0, 0, 0}}, 0, 0},
    {"pool.again.f",  2, 2, 1, 1, 1, 0, 4, 1, 0, {{BODY_FAILS, 1, 0, 0, 0, 0, 0, 0, 0}, {BODY_PLAIN, 1, 0, 0, 0, 0, 0, 0, 0}}, 0, 0},
    {"pool.roused",   2, 2, 1, 1, 1, 0, 4, 1, 1, {{BODY_PLAIN, 1, 0, 0, 0, 0, 0, 0, 0}, {BODY_PLAIN, 1, 0, 1, 0, 0, 0, 0, 0}}, 0, 0},
    {"pool.hosts",    3, 2, 1, 1, 1, 0, 4, 2, 0, {{BODY_PLAIN, 1, 0, 0, 0, 0, 0, 0, 0}, {BODY_PLAIN, 1, 0, 1, 0, 0, 1, 0, 0}, {BODY_PLAIN, 1, 0, 2, 0, 0, 1, 0, 0}}, 0, 0},
    {"pool.urgent",   2, 2, 1, 1, 2, 0, 4, 1, 0, {{BODY_PLAIN, 1, 0, 0, 0, 0, 0, 0, 0}, {BODY_PLAIN, 1, 0, 1, 0, 0, 0, 1, 0}}, 0, 0},
    {"pool.urgent.h", 3, 2, 1, 1, 1, 0, 4, 2, 0, {{BODY_PLAIN, 1, 0, 0, 0, 0, 0, 1, 0}, {BODY_PLAIN, 1, 0, 1, 0, 0, 1, 1, 0}, {BODY_PLAIN, 1, 0, 2, 0, 0, 1, 0, 0}}, 0, 0},
    {"pool.lap",      3, 2, 1, 1, 2, 0, 4, 1, 0, {{BODY_PLAIN, 1, 0, 0, 0, 0, 0, 1, 0}, {BODY_PLAIN, 1, 0, 1, 0, 0, 0, 1, 0}, {BODY_PLAIN, 1, 0, 1, 0, 0, 0, 0, 0}}, 2, 0},
    {"pool.held",     2, 2, 2, 1, 2, 0, 4, 1, 0, {{BODY_PLAIN, 1, 0, 0, 0, 0, 0, 0, 1}, {BODY_PLAIN, 1, 1, 1, 0, 0, 0, 0, 0}}, 0, 0},
    {"pool.held.u",   2, 2, 1, 1, 2, 0, 4, 1, 0, {{BODY_PLAIN, 1, 0, 0, 0, 0, 0, 1, 1}, {BODY_PLAIN, 1, 0, 1, 0, 0, 0, 0, 0}}, 0, 0},
    {"pool.broken",   3, 2, 1, 1, 1, 0, 4, 1, 0, {{BODY_PLAIN, 1, 0, 0, 1, 1, 0, 0, 1}, {BODY_PLAIN, 1, 1, 1, 0, 1, 0, 0, 0}, {BODY_PLAIN, 1, 0, 2, 0, 0, 0, 0, 0}}, 0, 0},
    {"pool.help",     2, 2, 2, 1, 1, 0, 4, 1, 0, {{BODY_PLAIN, 1, 0, 0, 0, 0, 0, 0, 0}, {BODY_PLAIN, 1, 0, 1, 0, 0, 0, 0, 0}}, 0, 1},
    {"pool.help.a",   3, 2, 1, 1, 1, 0, 4, 1, 0, {{BODY_PLAIN, 1, 0, 0, 0, 0, 0, 0, 0}, {BODY_FAILS, 1, 1, 1, 0, 0, 0, 0, 0}, {BODY_PLAIN, 1, 2, 2, 0, 1, 0, 0, 0}}, 0, 1},
    {"pool.help.u",   3, 2, 1, 1, 1, 0, 4, 1, 0, {{BODY_PLAIN, 2, 0, 0, 0, 0, 0, 0, 0}, {BODY_PLAIN, 1, 0, 1, 0, 0, 0, 1, 0}, {BODY_PLAIN, 1, 0, 2, 0, 0, 0, 0, 0}}, 0, 1},
    {"pool.child",    1, 2, 1, 1, 2, 0, 4, 1, 0, {{BODY_PARENT, 1, 0, 0, 0, 0, 0, 0, 0}}, 0, 0},
    {"pool.child.b",  2, 2, 1, 1, 2, 0, 8, 1, 0, {{BODY_PARENT, 1, 0, 0, 0, 0, 0, 0, 0}, {BODY_PLAIN, 1, 1, 1, 0, 0, 0, 0, 0}}, 0, 0},
};
/* clang-format on */

static const pool_case *c;

/* Watched memory. */
static struct {
    hd_task tasks[MAX_ARENA];
    hd_after after[MAX_ARENA];
    uint32_t store[MAX_WORKERS * MAX_STORE], depot[8u * (HD_BATCH + 1u)];
    hd_tally tallies[MAX_WORKERS];
    hd_cpu_worker workers[MAX_WORKERS];
} m;

static hd_control control;
static hd_cursor cursors[2u * MAX_WORKERS];
static uint32_t slots[MAX_PLACES], bodies[2u * N_BODIES];
static hd_cpu_now nows[MAX_WORKERS];
static hd_fail fates[MAX_ARENA];
static hd_told told[MAX_HOST];
static uint32_t news[MAX_HOST], news_end, urgent[MAX_HOST];
static hd_cursor urgent_at;
static hd_live live[MAX_WORKERS];
static hd_pool pool;
static hd_run run;
static hd_host host;
static uint32_t n_ran[MAX_SENT], n_children, n_told, n_all;

/* Cells: what a task's block has written; what a child has. */
#define OUT(task, block) ((task)*MAX_BLOCKS + (block))
#define CHILD_OUT (MAX_SENT * MAX_BLOCKS)

/* ---- the workers ------------------------------------------------------------------------------------------------------ */

static void wait_a_little(void *self, uint32_t n)
{
    (void)self, (void)n;
    model_nap(MODEL_SITE(wait));
}
static int is_wanted(void *self, uint32_t worker)
{
    (void)self, (void)worker;
    return 0;
}

static void work(uint32_t id)
{
    int last = 0;
    while (hd_cpu_serve(&m.workers[id], &last) != HD_SERVED_OVER)
        model_wait(id);
}

/* A child of a task has the task's number + MAX_SENT as its argument. */
static void run_child(const heddle_thread *thread, const void *params, const void *args)
{
    const uint32_t parent = *(const uint32_t *)args - MAX_SENT;
    (void)params, (void)thread;
    model_read_cell(OUT(parent, 0), "what the parent wrote before it spawned");
    model_write_cell(CHILD_OUT, "a child's output");
    n_children++;
}

static void check_inputs(uint32_t n)
{
    uint32_t i, k;
    for (i = 0; i < n; i++)
        for (k = 0; c->sent[n].after >> i & 1u && k < c->sent[i].n_blocks; k++)
            model_read_cell(OUT(i, k), "an input");
}

static void run_body(const heddle_thread *thread, const void *params, const void *args)
{
    const uint32_t n = *(const uint32_t *)args, child = n + MAX_SENT;
    (void)params;
    model_note("runs task", n);
    check_inputs(n);
    if (thread->n_blocks != c->sent[n].n_blocks || n_ran[n] == c->sent[n].n_blocks)
        model_fail("task %u runs again, or as %u blocks", n, thread->n_blocks);
    n_ran[n]++;
    model_write_cell(OUT(n, thread->block), "an output");
    if (c->sent[n].body == BODY_FAILS)
        heddle_task_fail(thread, 3);
    if (c->sent[n].body == BODY_PARENT)
        heddle_task_spawn(thread, BODY_CHILD, &child, sizeof child, NULL, 0, 0);
}

static const heddle_body_info infos[N_BODIES] = {{"plain", run_body, 4, 0, 0},
                                                 {"fails", run_body, 4, 0, 0},
                                                 {"parent", run_body, 4, 0, 1},
                                                 {"child", run_child, 4, 0, 0}};

/* ---- the host ---------------------------------------------------------------------------------------------------------- */

static uint64_t handle_of(uint32_t n) { return (uint64_t)(GENERATION + n) << 32 | c->sent[n].slot; }

static void send(uint32_t n)
{
    const sent *s = &c->sent[n];
    hd_sent t = {.slot = s->slot,
                 .generation = GENERATION + n,
                 .body = s->body,
                 .flags = HD_TASK_PINNED | (s->urgent ? HD_TASK_URGENT : 0u),
                 .n_blocks = s->n_blocks,
                 .team_size = 1,
                 .arg_bytes = 4,
                 .args = &n,
                 .held = s->held ? HD_HELD : 0u};
    uint64_t after[MAX_SENT];
    uint32_t i;
    for (i = 0; i < n; i++)
        if (s->after >> i & 1u)
            after[t.n_after++] = handle_of(i);
    t.after = after;
    model_note("sends task", n);
    n_all++;
    hd_send(&run, &t);
    if (s->canceled)
        (void)hd_stop(&fates[s->slot], HD_STOP_CANCELED);
}

static void release_all(void)
{
    hd_sent t = {.held = HD_RELEASED};
    uint32_t n;
    for (n = 0; n < c->n_sent; n++)
        if (c->sent[n].held) {
            t.slot = c->sent[n].slot;
            t.flags = c->sent[n].urgent ? HD_TASK_URGENT : 0u;
            hd_send(&run, &t);
        }
}

/* Is no task left? Only then may all have run. */
static int is_balanced(void)
{
    uint32_t w, ended = 0, begun, n, ran = 0, must = 0;
    for (w = 0; w < pool.n_workers; w++)
        ended += HD_LOAD(&live[w].ended[0], ACQUIRE, SYS);
    for (w = begun = 0; w < pool.n_workers; w++)
        begun += HD_LOAD(&live[w].created[0], ACQUIRE, SYS);
    begun += n_all;
    if (ended != begun || c->n_hosts > 1u)
        return ended == begun;
    for (n = 0; n < n_all; n++) {
        must += c->sent[n].never ? 0u : c->sent[n].n_blocks;
        ran += c->sent[n].never ? 0u : n_ran[n];
        if (c->sent[n].body == BODY_PARENT && n_children == 0)
            model_fail("the pool looks balanced before the child has run");
    }
    if (ran != must)
        model_fail("the pool looks balanced when %u of %u blocks have run", ran, must);
    return 1;
}

/* Waits until task n is told, and sees what it wrote. */
static void await(uint32_t n)
{
    const sent *s = &c->sent[n];
    uint32_t v, k, how;
    (void)is_balanced();
    while ((v = HD_LOAD(&told[s->slot].state, ACQUIRE, SYS)) >> HD_TOLD_BITS != GENERATION + n)
        if (!c->helps || !hd_cpu_help(&m.workers[c->n_workers]))
            model_nap(MODEL_SITE(await));
    how = v & HD_TOLD_HOW;
    if (s->never != 2u && how != (s->never ? HD_STOP_CANCELED : s->body == BODY_FAILS ? HD_STOP_FAILED : HD_STOP_DONE))
        model_fail("task %u has ended as %u", n, how);
    if (how == HD_STOP_FAILED && told[s->slot].code != 3)
        model_fail("task %u: code %u", n, told[s->slot].code);
    for (k = 0; k < s->n_blocks && n_ran[n]; k++)
        model_read_cell(OUT(n, k), "an output, after the end");
    n_told |= 1u << n;
}

static void be_second_host(void)
{
    uint32_t n;
    for (n = 0; n < c->n_sent; n++)
        if (c->sent[n].second)
            send(n);
}

static void be_host(void)
{
    uint32_t n, i;
    for (n = 0; n < c->n_sent; n++) {
        if (c->sent[n].second)
            continue;
        for (i = 0; i < c->n_workers && c->unparks; i++)
            hd_unpark(&run, i);
        for (i = 0; i < n; i++)
            if (c->sent[i].slot == c->sent[n].slot && !(n_told >> i & 1u))
                await(i);
        send(n);
    }
    release_all();
    for (n = c->n_sent; n-- > 0;)
        if (!(n_told >> n & 1u))
            await(n);
    while (n_all != c->n_sent || !is_balanced())
        model_nap(MODEL_SITE(balance));
    if (n_children)
        model_read_cell(CHILD_OUT, "a child's output, after all ended");
    (void)hd_stop(&control.fail, HD_STOP_DONE);
    hd_wake_all(&run);
}

/* ---- a case ---------------------------------------------------------------------------------------------------------------- */

static void make_run(void)
{
    hd_run *r = &run;
    host = model_host;
    host.wait = wait_a_little;
    host.is_wanted = is_wanted;
    memset(r, 0, sizeof *r);
    pool = (hd_pool){.fates = fates,
                     .told = told,
                     .news = news,
                     .news_end = &news_end,
                     .urgent = urgent,
                     .urgent_at = &urgent_at,
                     .live = live,
                     .n_host = c->n_host ? c->n_host : MAX_HOST,
                     .n_workers = c->n_workers + c->helps,
                     .live_apart = 1,
                     .most_threads = 1};
    r->tasks = m.tasks;
    r->after = m.after;
    r->store = m.store;
    r->depot = m.depot;
    r->tallies = m.tallies;
    r->control = &control;
    r->cursors = cursors;
    r->slots = slots;
    r->bodies = bodies;
    r->host = &host;
    r->pool = &pool;
    r->n_workers = c->n_workers;
    r->dispatch = HD_DISPATCH_TICKET;
    r->n_slots = c->n_slots;
    r->n_arena = MAX_ARENA;
    r->n_bodies = N_BODIES;
    r->n_store = 1u + 3u + hd_extra_of(1) + 3u * HD_BATCH;
    r->n_depot = 8;
    r->spin = c->spin;
}

static void begin(void)
{
    uint32_t i;
    memset(&m, 0, sizeof m);
    memset(&control, 0, sizeof control);
    memset(cursors, 0, sizeof cursors);
    memset(slots, 0, sizeof slots);
    memset(fates, 0, sizeof fates);
    memset(told, 0, sizeof told);
    memset(live, 0, sizeof live);
    memset(urgent, 0, sizeof urgent);
    memset(&urgent_at, 0, sizeof urgent_at);
    memset(n_ran, 0, sizeof n_ran);
    n_children = n_told = n_all = news_end = 0;
    for (i = 0; i < N_BODIES; i++) {
        bodies[2u * i] = 4;
        bodies[2u * i + 1u] = infos[i].n_children;
    }
    control.fresh = MAX_HOST;
    hd_rearm(&run, 1);
    for (i = 0; i < c->n_workers + c->helps; i++)
        hd_cpu_worker_begin(&m.workers[i], &run, infos, i, NULL, &nows[i]);
    watch_begin(&m, sizeof m);
}

static void fiber(uint32_t i)
{
    if (i == 0)
        be_host();
    else if (i < c->n_hosts)
        be_second_host();
    else
        work(i - c->n_hosts);
}

static void end(void)
{
    uint32_t n;
    watch_end();
    for (n = 0; n < c->n_sent; n++)
        if (c->sent[n].never != 2u && n_ran[n] != (c->sent[n].never ? 0u : c->sent[n].n_blocks))
            model_fail("task %u ran %u times", n, n_ran[n]);
}

static const char *name_of(uint32_t i) { return i < sizeof cases / sizeof cases[0] ? cases[i].name : NULL; }

static void choose(uint32_t i, int weak, model_test *t)
{
    c = &cases[i];
    make_run();
    t->name = c->name;
    t->n_fibers = c->n_hosts + c->n_workers;
    t->n_preempt = weak ? c->n_weak : c->n_preempt;
    t->n_stale = weak ? c->n_stale : 0u;
    t->in_order = 0;
    t->begin = begin;
    t->fiber = fiber;
    t->end = end;
}

const model_suite model_pools = {name_of, choose};
