/* SPDX-License-Identifier: MIT */
/* spawn.c - tasks that spawn tasks, under every interleaving up to a bound: the second suite of the model test.
 *
 * A case is a handful of bodies, each a line that lists what it spawns, run on an arena of a few slots. Workers are
 * threads in the cpu backend's own loop (src/backend/cpu/work.c), or blocks. A block has scheduling lanes in the loop of
 * core/turn.h and lanes that run bodies, with barriers between them as in core/resident.h. Every schedule is checked.
 * Each body ran once in each run, after what it waits for, and sees what that wrote. The run ended after all bodies.
 * Every slot is free again, once, and its done word is unlocked.
 *
 * All memory of the arena and the blocks' spawn buffers are watched (-fsanitize=thread): records, lists, free slots. Two
 * accesses that a done word, a depot word or a round should order are an error even if the values are right. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/work.h"
#include "heddle/core/turn.h"
#include "suite.h"
#include "watch.h"

#define MAX_NODES 12u
#define MAX_SPAWNS 6u
#define MAX_GRAPH 3u
#define MAX_ARENA 16u
#define MAX_TASKS (MAX_GRAPH + MAX_ARENA)
#define MAX_WORKERS 3u
#define MAX_STORE 32u
#define MAX_PLACES 8u
#define MAX_SLOTS 32u
#define N_TEAM 2u /* lanes that run a body of a block at once */

/* Cells: what a lane wrote as its output, and what a spawner wrote before it spawned the body. */
#define OUT(node, lane) (N_TEAM * (node) + (lane))
#define IN(node) (N_TEAM * MAX_NODES + (node))

typedef struct spawn_case {
    const char *name;
    /* Bodies by number. ">3": continues as 3, ">*": as a join. "4": spawns 4; "4h": and takes its handle; "4!": urgent;
     * "4<1,2": 4 waits for 1 and 2, which need not be siblings while their spawner holds the handles. */
    const char *bodies[MAX_NODES];
    uint32_t n_roots; /* bodies 0 .. n_roots - 1 are the graph's                                          */
    uint32_t n_arena;
    uint32_t n_preempt, n_weak, n_stale; /* as in graphs.h                                                */
    /* The rest is 0 unless given. */
    uint32_t n_workers; /* 0 = 2                                                                          */
    uint32_t last;      /* a body + 1: the graph's last task, after all roots                              */
    uint32_t n_blocks;  /* the first n_blocks workers are blocks */
    uint32_t n_lanes;   /* scheduling lanes of a block, 0 = 1                                             */
    uint32_t n_team;    /* lanes of a block that run bodies, 0 = 1                                        */
    uint32_t n_slots;   /* of a ring, 0 = 4; dispatch ticket: of the one ring, 0 = 32                      */
    uint32_t n_depot;   /* places, 0 = more than enough                                                   */
    uint32_t n_reserve;
    uint32_t policy, dispatch; /* dispatch 0 = distributed                                                */
    uint32_t parks;
    uint32_t n_runs;   /* 0 = 1 */
    uint32_t in_order; /* without a preemption, 1: the first fiber that can goes on; 2: the last */
    uint32_t spare;    /* each spawner declares so many more children than it has */
    uint32_t depots;   /* no run: each worker takes a batch and puts one back, so many times */
    uint32_t put;      /* batches in the depot at first; the other slots are fresh */
} spawn_case;

#define LRR HD_POLICY_LRR
#define LF HD_POLICY_LF
#define SHARE HD_POLICY_SHARE

/* clang-format off */
static const spawn_case cases[] = {
    /* name, bodies, roots, slots, bounds */
    /* Handles: a task ends while others start to wait for it, while it moves to its next list, or its spawner lets go. */
    {"spawn.pair",     {"1 2<1", "", ""},                  1, 12, 3, 2, 2, .policy = LRR},
    {"spawn.two",      {"1 2 3<1,2", "", "", ""},          1, 12, 2, 2, 1, .policy = LRR},
    {"spawn.list",     {"1 4 2<1,4 3<1,4", "", "", "", ""}, 1, 12, 2, 1, 1, .policy = LRR},
    {"spawn.three",    {"4 2 1 3<1,2", "", "", "", ""},    1, 12, 1, 1, 1, .policy = LRR, .n_workers = 3},
    {"spawn.pinned",     {"1h", ""},                         1, 10, 3, 2, 2, .policy = LRR},
    {"spawn.again",    {"1h 2<1", "", "3h 4<3", "", ""}, 1, 14, 2, 2, 1, .policy = LRR},
    {"spawn.reuse",    {"2 3h 4 5", "6", "", "", "", "7h", "", ""}, 2, 14, 1, 1, 1, .policy = LRR},
    {"spawn.cousin",   {">3 1h 2", "", "4<1", "", ""},     1, 14, 2, 2, 1, .policy = LRR},
    /* Continuations. */
    {"spawn.fork",     {">3 1 2", "", "", "", ""},         1, 12, 2, 2, 1, .policy = LRR, .last = 5},
    {"spawn.join",     {">* 1", "", ""},                   1, 12, 2, 2, 1, .policy = LRR, .last = 3},
    {"spawn.deep",     {">3 1 2", ">5 4", "", "", "", ""}, 1, 14, 2, 2, 1, .policy = LRR},
    {"spawn.then",     {">2 1h", "", ">4 3h", "", ""},     1, 12, 2, 2, 1, .policy = LRR},
    {"spawn.waits",    {"1 2<1", ">4 3", "", "", ""},      1, 14, 2, 2, 1, .policy = LRR},
    {"spawn.spare",    {">2 1", "", ""},                   1, 14, 2, 1, 1, .policy = LRR, .spare = 2},
    /* Tasks that stay with their spawner, and leave it. */
    {"spawn.share",    {"1 2 3", "", "", ""},              1, 12, 2, 2, 1, .policy = SHARE},
    {"spawn.shared",   {"1 2", "3 4", "5", "", "", ""},    1, 14, 2, 2, 1, .policy = SHARE},
    {"spawn.full",     {"1 2 3 4", "", "", "", ""},        1, 14, 2, 2, 1, .policy = LRR, .n_slots = 1},
    {"spawn.parks",    {"1 2<1", "", ""},                  1, 12, 2, 2, 1, .policy = SHARE, .parks = 1},
    /* Other queues. */
    {"spawn.ticket",   {"1", "2", "3", "4", ""},           1, 12, 2, 2, 1, .dispatch = HD_DISPATCH_TICKET, .n_slots = 2},
    {"spawn.tickets",  {"1 2", "", ""},                    1, 12, 2, 2, 1, .dispatch = HD_DISPATCH_TICKET, .n_slots = 4},
    {"spawn.pair.t",   {"1 2<1", "", ""},                  1, 12, 2, 2, 1, .dispatch = HD_DISPATCH_TICKET},
    {"spawn.fork.t",   {">3 1 2", "", "", "", ""},         1, 12, 2, 1, 1, .dispatch = HD_DISPATCH_TICKET, .last = 5},
    {"spawn.over.t",   {"1 2 3 4", "", "", "", ""},        1, 14, 2, 1, 1, .dispatch = HD_DISPATCH_TICKET, .n_slots = 8},
    {"spawn.tree.t",   {"1 2", "3 4", "5", "", "", ""},    1, 14, 2, 1, 1, .dispatch = HD_DISPATCH_TICKET, .n_slots = 8},
    {"spawn.roots.t",  {"", "", ""},                       3, 4,  3, 2, 1, .dispatch = HD_DISPATCH_TICKET, .n_slots = 4},
    {"spawn.three.t",  {"3", "4", "5", "", "", ""},        3, 14, 1, 1, 1, .dispatch = HD_DISPATCH_TICKET, .n_slots = 4, .n_workers = 3},
    {"spawn.slow.t",   {"1 2 3", "4", "5", "", "", ""},    1, 14, 1, 1, 1, .dispatch = HD_DISPATCH_TICKET, .n_slots = 4, .n_workers = 3},
    {"spawn.rounds",   {"2", "3", "4", "5", "6", "", ""},  2, 14, 2, 1, 1, .dispatch = HD_DISPATCH_TICKET, .n_slots = 2},
    {"spawn.central",  {"1 2<1", "", ""},                  1, 12, 2, 2, 1, .dispatch = HD_DISPATCH_CENTRAL},
    {"spawn.iqs",      {"1 2<1", "", ""},                  1, 12, 2, 2, 1, .dispatch = HD_DISPATCH_IQS},
    /* Slots: as few as the largest body needs, and fewer than the batch that stays in each store. */
    {"spawn.deferred",    {"2 3", "4 5", "", "", "", ""},     2, 6,  2, 2, 1, .policy = LRR, .parks = 1},
    {"spawn.turns",    {"3", "4", "5", "", "", ""},        3, 6,  2, 1, 1, .policy = LRR, .parks = 1, .n_depot = 4},
    {"spawn.turns.q",  {"3", "4", "5", "", "", ""},        3, 6,  2, 1, 1, .dispatch = HD_DISPATCH_CENTRAL, .n_depot = 4},
    {"spawn.deferred.t",  {"2 3", "4 5", "", "", "", ""},     2, 6,  2, 1, 1, .dispatch = HD_DISPATCH_TICKET, .n_slots = 8},
    {"spawn.turns.t",  {"3", "4", "5", "", "", ""},        3, 6,  1, 1, 1, .dispatch = HD_DISPATCH_TICKET, .n_slots = 16, .n_depot = 4},
    {"spawn.low_water.t", {"1 2", "3 4", "", "", ""},         1, 14, 2, 1, 1, .dispatch = HD_DISPATCH_TICKET, .n_reserve = 8},
    {"spawn.idle",     {"1", "2", ""},                     1, 6,  2, 2, 1, .policy = LRR, .parks = 1},
    {"spawn.low_water",   {"1 2", "3 4", "", "", ""},         1, 14, 2, 2, 1, .policy = LRR, .n_reserve = 8, .parks = 1},
    {"spawn.depot",     {NULL},                             0, 4,  3, 2, 1, .depots = 2, .put = 2, .n_depot = 2},
    {"spawn.depot3",    {NULL},                             0, 4,  2, 1, 1, .depots = 2, .put = 2, .n_depot = 2, .n_workers = 3},
    {"spawn.stored",   {"", ""},                           2, 8,  2, 2, 1, .n_reserve = 4, .put = 2, .n_depot = 4},
    /* One run after the other. */
    {"spawn.runs",     {"1h", "2", ""},                    1, 12, 2, 1, 1, .policy = LRR, .n_runs = 2},
    {"spawn.runs.t",   {"1", "2", ""},                     1, 12, 2, 1, 1, .dispatch = HD_DISPATCH_TICKET, .n_slots = 4, .n_runs = 2},
    /* Blocks: children are handed on while the body runs. */
    {"spawn.block",    {"1 2<1", "", ""},                  1, 12, 1, 1, 1, .policy = LRR, .n_blocks = 1},
    {"spawn.team",     {">5 1 2 3 4", "", "", "", "", ""}, 1, 14, 1, 1, 1, .policy = LRR, .n_blocks = 1, .n_team = 2, .in_order = 1},
    {"spawn.team.r",   {">5 1 2 3 4", "", "", "", "", ""}, 1, 14, 1, 1, 1, .policy = LRR, .n_blocks = 1, .n_team = 2, .in_order = 2},
    {"spawn.lanes",    {"1 2 3<1", "", "", ""},            1, 12, 1, 1, 1, .policy = LRR, .n_blocks = 1, .n_lanes = 2, .in_order = 1},
    {"spawn.lanes.r",  {"1 2 3<1", "", "", ""},            1, 12, 1, 1, 1, .policy = LRR, .n_blocks = 1, .n_lanes = 2, .in_order = 2},
    {"spawn.lanes.pinned", {">3 1h 2", "", "", "4h", ""},    1, 12, 1, 1, 1, .policy = LRR, .n_blocks = 1, .n_lanes = 2, .in_order = 1},
    {"spawn.lanes.slot", {"", "3 2h 4", "", "5", "", ""},  2, 12, 2, 1, 1, .policy = LRR, .n_blocks = 1, .n_lanes = 2, .in_order = 1},
    {"spawn.lanes.deferred", {"2", "3", "", ""},              2, 6,  1, 1, 1, .policy = LF, .n_blocks = 2, .n_lanes = 2, .in_order = 1},
    {"spawn.lanes.ticket", {"1 2 3<1", "", "", ""},        1, 12, 1, 1, 1, .dispatch = HD_DISPATCH_TICKET, .n_blocks = 1, .n_lanes = 2, .in_order = 1},
    {"spawn.lanes.ticket.r", {"1 2 3<1", "", "", ""},      1, 12, 1, 1, 1, .dispatch = HD_DISPATCH_TICKET, .n_blocks = 1, .n_lanes = 2, .in_order = 2},
    {"spawn.lanes.over.t", {"1 2 3 4 5", "", "", "", "", ""}, 1, 16, 1, 1, 1, .dispatch = HD_DISPATCH_TICKET, .n_blocks = 1, .n_lanes = 2, .in_order = 1},
    {"spawn.lanes.tree.t", {"1 2", "3 4", "", "", ""},     1, 14, 1, 1, 1, .dispatch = HD_DISPATCH_TICKET, .n_blocks = 2, .n_lanes = 2, .in_order = 2},
    {"spawn.lanes.some.t", {"1 2", "", "3 4", "", ""}, 1, 14, 2, 1, 1, .dispatch = HD_DISPATCH_TICKET, .n_workers = 3, .n_blocks = 1, .n_lanes = 2, .in_order = 1},
    {"spawn.lanes.cross", {"1 2 3<1,2", "", "", ""},      1, 12, 1, 1, 1, .policy = LRR, .n_blocks = 2, .n_lanes = 2, .in_order = 1},
    {"spawn.lanes.deferred.t", {"2", "3", "", ""},            2, 6,  1, 1, 1, .dispatch = HD_DISPATCH_TICKET, .n_blocks = 2, .n_lanes = 2, .in_order = 1},
};
/* clang-format on */

/* A body after parsing. */
typedef struct node {
    uint32_t then; /* its continuation, NOBODY, or JOIN */
    uint32_t n_spawns, spawns[MAX_SPAWNS];
    /* As a child: */
    uint32_t n_after, after[MAX_SPAWNS], urgent, named;
    uint32_t before; /* bit mask of bodies that it runs after */
} node;
#define NOBODY 0xffu
#define JOIN 0xfeu

static const spawn_case *c;
static node nodes[MAX_NODES];
static uint32_t n_nodes;

/* Watched memory. */
static struct {
    hd_task tasks[MAX_TASKS];
    uint32_t link[MAX_TASKS], back[MAX_TASKS], store[MAX_WORKERS * MAX_STORE], depot[MAX_PLACES * (HD_BATCH + 1u)];
    heddle_handle handle[MAX_NODES];
    hd_tally tallies[MAX_WORKERS];
    uint32_t now[MAX_WORKERS]; /* the task that a block runs */
    hd_after after[MAX_ARENA];
    hd_spawn_buffer spawn_buffers[MAX_WORKERS];
} m;

/* Words, and read-only data. */
static hd_control control;
static hd_cursor cursors[2u * MAX_WORKERS];
static uint32_t slots[2u * MAX_WORKERS * MAX_SLOTS], count[MAX_TASKS], ended[MAX_WORKERS];
static uint32_t roots[MAX_GRAPH], bodies[2u * MAX_NODES];
static hd_cpu_now nows[MAX_WORKERS];
static hd_worker workers[MAX_WORKERS]; /* of blocks: lane 0 writes, collective steps order the lanes' reads */
static hd_run run;

static uint32_t n_ran[MAX_NODES];
static uint64_t clock_ns;

static uint32_t given(uint32_t value, uint32_t otherwise) { return value ? value : otherwise; }
static uint32_t n_workers(void) { return given(c->n_workers, 2u); }
static uint32_t n_team(void) { return given(c->n_team, 1u); }
static uint32_t n_lanes(void) { return given(c->n_lanes, 1u); }
static uint32_t n_graph(void) { return c->n_roots + (c->last != 0u); }
static int is_ticket(void) { return c->dispatch == HD_DISPATCH_TICKET; }
static uint32_t graph_node(uint32_t t) { return t < c->n_roots ? t : c->last - 1u; }

/* Workers that wait for room take turns by the clock (core/own.h). Each look advances it by a third of a turn, so that
 * all get their turn however few the looks are. */
uint64_t heddle_host_clock_ns(void) { return clock_ns += HD_GATHER_NS / 3u; }

/* Called by a thread that finds nothing again and again. */
int sched_yield(void)
{
    model_nap(MODEL_SITE(yield));
    return 0;
}

static void wait_a_little(void *self, uint32_t n)
{
    (void)self, (void)n;
    model_nap(MODEL_SITE(wait));
}

static hd_host host; /* model.c's, but waiting is a nap */

/* ---- reading a case ------------------------------------------------------------------------------------ */

static uint32_t read_number(const char **at) { return (uint32_t)strtoul(*at, (char **)at, 10); }

static void read_child(node *parent, const char **at)
{
    uint32_t n = read_number(at);
    node *child = &nodes[n];
    parent->spawns[parent->n_spawns++] = n;
    for (; **at && **at != ' ';) {
        char what = *(*at)++;
        child->urgent |= what == '!';
        child->named |= what == 'h';
        if (what != '<' && what != ',')
            continue;
        child->after[child->n_after] = read_number(at);
        nodes[child->after[child->n_after++]].named = 1;
    }
}

static void read_body(node *b, const char *at)
{
    b->then = NOBODY;
    while (*at) {
        if (*at == ' ') {
            at++;
        } else if (*at != '>') {
            read_child(b, &at);
        } else if (*++at == '*') {
            b->then = JOIN;
            at++;
        } else {
            b->then = read_number(&at);
        }
    }
}

static uint32_t ends(uint32_t n);

static uint32_t children_end(uint32_t n)
{
    uint32_t i, mask = 0;
    for (i = 0; i < nodes[n].n_spawns; i++)
        mask |= ends(nodes[n].spawns[i]);
    return mask;
}

/* Mask of the bodies that have run when the task of body n has ended. */
static uint32_t ends(uint32_t n)
{
    const uint32_t then = nodes[n].then, self = 1u << n;
    return then == NOBODY ? self : self | children_end(n) | (then == JOIN ? 0u : ends(then));
}

static void order_bodies(void)
{
    uint32_t n, i;
    for (n = 0; n < n_nodes; n++) {
        for (i = 0; i < nodes[n].n_after; i++)
            nodes[n].before |= ends(nodes[n].after[i]);
        if (nodes[n].then < MAX_NODES)
            nodes[nodes[n].then].before |= 1u << n | children_end(n);
        if (c->last && n < c->n_roots)
            nodes[c->last - 1u].before |= ends(n);
    }
}

static void read_case(void)
{
    uint32_t n;
    memset(nodes, 0, sizeof nodes);
    for (n_nodes = 0; n_nodes < MAX_NODES && c->bodies[n_nodes]; n_nodes++)
        ;
    for (n = 0; n < n_nodes; n++)
        read_body(&nodes[n], c->bodies[n]);
    order_bodies();
    for (n = 0; n < n_nodes; n++) {
        bodies[2u * n] = 4;
        bodies[2u * n + 1u] = nodes[n].n_spawns ? nodes[n].n_spawns + c->spare : 0u;
    }
}

/* ---- the run ------------------------------------------------------------------------------------------- */

static uint32_t most_slots(void)
{
    uint32_t n, most = 0;
    for (n = 0; n < n_nodes; n++)
        most = bodies[2u * n + 1u] > most ? bodies[2u * n + 1u] : most;
    return most + hd_extra_of(most);
}

static void make_run(void)
{
    hd_run *r = &run;
    host = model_host;
    host.wait = wait_a_little;
    memset(r, 0, sizeof *r);
    r->tasks = m.tasks;
    r->roots = roots;
    r->control = &control;
    r->count = count;
    r->link = m.link;
    r->back = m.back;
    r->store = m.store;
    r->depot = m.depot;
    r->bodies = bodies;
    r->after = m.after;
    r->cursors = cursors;
    r->slots = slots;
    r->tallies = m.tallies;
    r->host = c->parks ? &host : NULL;
    r->n_tasks = n_graph();
    r->n_roots = c->n_roots;
    r->n_workers = n_workers();
    r->policy = c->policy;
    r->dispatch = given(c->dispatch, HD_DISPATCH_RINGS);
    r->n_slots = given(c->n_slots, r->dispatch == HD_DISPATCH_RINGS ? 4u : MAX_SLOTS);
    r->has_urgent = 1;
    r->n_arena = c->n_arena;
    r->n_bodies = n_nodes;
    r->n_reserve = c->n_reserve;
    r->n_store = 1u + c->n_reserve + most_slots() + 3u * HD_BATCH;
    r->n_depot = given(c->n_depot, MAX_PLACES);
    r->late = hd_policy_late(r);
    r->n_local = 1024;
}

static void write_graph(void)
{
    uint32_t t, n = n_graph();
    for (t = 0; t < n; t++) {
        hd_task *task = &m.tasks[t];
        task->body = (uint16_t)graph_node(t);
        task->arg_bytes = 4;
        memcpy(task->args, &(uint32_t){graph_node(t)}, 4);
        if (t >= c->n_roots) {
            task->n_in = c->n_roots;
        } else if (c->last) {
            task->n_succ = 1;
            task->first[0] = (hd_edge){n - 1u, c->n_roots};
        }
        roots[t] = t;
    }
}

/* As earlier runs may leave the arena: some batches are in the depot, the other slots are fresh. */
static void fill_pool(void)
{
    uint32_t i;
    for (i = 0; i < c->put * HD_BATCH; i++)
        m.depot[i] = run.n_tasks + i;
    for (i = 0; i < c->put; i++)
        *hd_depot_word(&run, i) = 1;
    control.fresh = c->put * HD_BATCH;
    control.avail = control.depot_tail = c->put;
}

static void begin(void)
{
    memset(&control, 0, sizeof control);
    memset(cursors, 0, sizeof cursors);
    memset(slots, 0, sizeof slots);
    memset(count, 0, sizeof count);
    memset(ended, 0, sizeof ended);
    memset(&m, 0, sizeof m);
    memset(n_ran, 0, sizeof n_ran);
    clock_ns = 0;
    write_graph();
    fill_pool();
    hd_rearm(&run, 1);
    watch_begin(&m, sizeof m);
}

/* ---- a body -------------------------------------------------------------------------------------------- */

static void spawn(const heddle_thread *thread, uint32_t n)
{
    const node *b = &nodes[n];
    heddle_handle after[MAX_SPAWNS];
    heddle_child child;
    uint32_t i;
    for (i = 0; i < b->n_after; i++)
        after[i] = m.handle[b->after[i]];
    model_note("spawns", n);
    model_write_cell(IN(n), "what its spawner wrote");
    if (!b->named) {
        heddle_task_spawn(thread, n, &n, sizeof n, after, b->n_after, b->urgent);
        return;
    }
    memset(&child, 0, sizeof child);
    child.body = n;
    child.args = &n;
    child.arg_bytes = sizeof n;
    child.after = after;
    child.n_after = b->n_after;
    child.urgent = b->urgent;
    child.out = &m.handle[n];
    heddle_task_spawn_child(thread, &child);
}

static void go_on_as(const heddle_thread *thread, uint32_t then)
{
    if (then == JOIN)
        heddle_task_continue(thread, HD_BODY_JOIN, NULL, 0);
    if (then >= MAX_NODES)
        return;
    model_write_cell(IN(then), "what its spawner wrote");
    heddle_task_continue(thread, then, &then, sizeof then);
}

/* Lane 0 calls this when body n begins in run k. */
static void check_before(uint32_t n, uint32_t k)
{
    uint32_t i, l;
    model_note("runs body", n);
    if (n_ran[n] != k)
        model_fail("body %u runs again", n);
    for (i = 0; i < n_nodes; i++) {
        if (!(nodes[n].before >> i & 1u))
            continue;
        if (n_ran[i] != k + 1u)
            model_fail("body %u runs before body %u", n, i);
        for (l = 0; l < N_TEAM; l++)
            model_read_cell(OUT(i, l), "an input");
    }
    n_ran[n] = k + 1u;
}

static void run_node(const heddle_thread *thread, const void *params, const void *args)
{
    const uint32_t n = *(const uint32_t *)args, k = control.run - 1u;
    uint32_t i;
    (void)params;
    model_read_cell(IN(n), "what its spawner wrote");
    if (thread->index == 0) {
        check_before(n, k);
        go_on_as(thread, nodes[n].then);
    }
    heddle_team_barrier(thread);
    for (i = thread->index; i < nodes[n].n_spawns; i += thread->team_size)
        spawn(thread, nodes[n].spawns[i]);
    model_write_cell(OUT(n, thread->index), "an output");
}

static const heddle_body_info infos[MAX_NODES] = {
    {"0", run_node, 4, 0, MAX_SPAWNS}, {"1", run_node, 4, 0, MAX_SPAWNS},  {"2", run_node, 4, 0, MAX_SPAWNS},
    {"3", run_node, 4, 0, MAX_SPAWNS}, {"4", run_node, 4, 0, MAX_SPAWNS},  {"5", run_node, 4, 0, MAX_SPAWNS},
    {"6", run_node, 4, 0, MAX_SPAWNS}, {"7", run_node, 4, 0, MAX_SPAWNS},  {"8", run_node, 4, 0, MAX_SPAWNS},
    {"9", run_node, 4, 0, MAX_SPAWNS}, {"10", run_node, 4, 0, MAX_SPAWNS}, {"11", run_node, 4, 0, MAX_SPAWNS}};

/* ---- the end of a run ---------------------------------------------------------------------------------- */

static void note_free(uint32_t *seen, uint32_t t, const char *where)
{
    uint32_t i = t - run.n_tasks;
    if (i >= run.n_arena)
        model_fail("%s has %u, which is no slot", where, t);
    if (*seen >> i & 1u)
        model_fail("slot %u is free twice, once in %s", i, where);
    *seen |= 1u << i;
}

/* Every slot is free: in a store, in the depot, or never used. */
static void check_slots(void)
{
    uint32_t seen = 0, i, k, w;
    for (w = 0; w < n_workers(); w++)
        for (i = 0; i < m.store[w * run.n_store]; i++)
            note_free(&seen, m.store[w * run.n_store + 1u + i], "a store");
    if (control.depot_tail - control.depot_head != control.avail)
        model_fail("the depot has %u batches, and says %u", control.depot_tail - control.depot_head, control.avail);
    for (i = control.depot_head; i != control.depot_tail; i++)
        for (k = 0; k < HD_BATCH; k++)
            note_free(&seen, hd_depot_at(&run, i)[k], "the depot");
    for (i = control.fresh; i < run.n_arena; i++)
        note_free(&seen, run.n_tasks + i, "what nobody has had");
    if (seen != (1u << run.n_arena) - 1u)
        model_fail("slots 0x%x are lost", ~seen & ((1u << run.n_arena) - 1u));
}

static void check_gates(void)
{
    uint32_t i;
    for (i = 0; i < run.n_arena; i++)
        if (hd_spawn_links_at(&run, run.n_tasks + i)->done_word & ((1u << HD_DONE_WORD_BITS) - 1u))
            model_fail("the done_word of slot %u is 0x%x", i, hd_spawn_links_at(&run, run.n_tasks + i)->done_word);
}

static void check_words(void)
{
    uint32_t i, n_spawned = 0, n_tasks = 0, n_joins = 0;
    for (i = 0; i < n_nodes; i++)
        n_joins += nodes[i].then == JOIN;
    for (i = 0; i < n_workers(); i++) {
        n_spawned += m.tallies[i].n_spawned;
        n_tasks += m.tallies[i].n_tasks;
    }
    if (n_tasks != n_nodes || n_spawned != n_nodes + n_joins - n_graph())
        model_fail("tallies say %u tasks ran and %u were spawned", n_tasks, n_spawned);
    if ((!is_ticket() && control.outstanding) || control.n_blocked || control.n_idle)
        model_fail("outstanding %u, n_blocked %u, n_idle %u", control.outstanding, control.n_blocked, control.n_idle);
    for (i = 0; i < run.n_slots && is_ticket(); i++)
        if (slots[i])
            model_fail("place %u still holds 0x%x", i, slots[i]);
}

static void last_out(uint32_t k)
{
    uint32_t n, l, w;
    model_note("is the last out, of run", k + 1u);
    if (control.fail.stop != (is_ticket() ? HD_STOP_NOT : HD_STOP_DONE)) /* ticket marks no success */
        model_fail("stopped with %u, code %u", control.fail.stop, control.fail.code);
    for (n = 0; n < n_nodes; n++) {
        if (n_ran[n] != k + 1u)
            model_fail("the run ends before body %u has run", n);
        for (l = 0; l < N_TEAM; l++)
            model_read_cell(OUT(n, l), "an output, after the run");
    }
    check_slots();
    check_gates();
    check_words();
    hd_rearm(&run, k + 2u);
    for (w = 0; w < n_workers(); w++)
        model_give(MODEL_GATE(w));
}

/* ---- a block ------------------------------------------------------------------------------------------- */

#define READY(worker) (3u * (worker))
#define DONE(worker) (3u * (worker) + 1u)
#define TEAM(worker) (3u * (worker) + 2u)

static uint32_t n_block(void) { return n_lanes() + n_team(); }

typedef struct block_team {
    hd_emulated_team team;
    uint32_t worker;
} block_team;

static void team_barrier(hd_emulated_team *team, uint32_t lane)
{
    (void)lane;
    model_barrier(TEAM(((block_team *)team)->worker), 1, n_team(), 1);
}

/* The loop of a lane that runs bodies. */
static void run_bodies(uint32_t id, uint32_t index)
{
    block_team team = {{team_barrier}, id};
    heddle_thread thread = {index, n_team(), id, 0, NULL, &control.fail, &team.team, NULL, &m.spawn_buffers[id],
                            0,     NULL,     0,  1, 1};
    for (;;) {
        const hd_task *task;
        model_barrier(READY(id), 1, n_block(), 1);
        if (m.now[id] == HD_NONE)
            return;
        thread.task = m.now[id];
        task = hd_task_at(&run, m.now[id]);
        if (task->body != HD_BODY_JOIN)
            run_node(&thread, NULL, task->args);
        (void)HD_ADD(&ended[id], 1u, RELAXED, BLOCK);
        model_barrier(DONE(id), 1, n_block(), 1);
    }
}

/* Lane 0 pauses before the lanes look again. */
static void pause_lanes(void)
{
    if (hd_warp_lane() == 0)
        HD_PAUSE(0);
    hd_warp_sync();
}

static void publish(uint32_t id, uint32_t t)
{
    if (hd_warp_lane() == 0)
        m.now[id] = t;
    model_barrier(READY(id), 1, n_block(), 1);
}

/* Until the body of the n-th task has ended, hands on its children and shares tasks with waiting workers. */
static void attend(uint32_t id, hd_turn *x, uint32_t n)
{
    while (hd_shuffle(HD_LOAD(&ended[id], RELAXED, BLOCK), 0) != n * n_team()) {
        hd_spawn_buffer_drain(&run, &workers[id], x, &m.spawn_buffers[id], run.dispatch);
        if (is_ticket())
            hd_ticket_share(&run, &workers[id], 0);
        pause_lanes();
    }
    model_barrier(DONE(id), 1, n_block(), 1);
}

/* The loop of a scheduling lane. Returns 1 in the last one out. */
static int schedule(uint32_t id)
{
    hd_worker *w = &workers[id];
    hd_spawn_buffer *d = &m.spawn_buffers[id];
    hd_turn x = hd_turn_begin();
    uint32_t n = 0;
    if (hd_warp_lane() == 0)
        hd_worker_begin(&run, w, id);
    hd_warp_sync();
    (void)hd_room(&run, w, 0);
    while (hd_next(&run, w, &x, run.dispatch, 1)) {
        if (hd_warp_lane() == 0)
            hd_spawn_buffer_open(&run, w, d, hd_children_of(&run, x.record->body), 0);
        publish(id, x.task);
        hd_ahead(&run, w, &x, 1);
        attend(id, &x, ++n);
        hd_end_turn(&run, w, &x, d, run.dispatch, 1);
    }
    publish(id, HD_NONE);
    return hd_warp_lane() == 0 && hd_worker_end(&run, w, &x);
}

/* ---- the depot alone ------------------------------------------------------------------------------------ */

/* The worker that holds slots may write their records. */
static void use_slots(const hd_worker *w)
{
    uint32_t i;
    for (i = 0; i < w->n_free; i++)
        hd_spawn_links_at(&run, w->free[i])->pinned = w->id;
}

static void pass_batches(uint32_t id)
{
    hd_worker *w = &workers[id];
    const hd_turn x = hd_turn_begin();
    uint32_t k;
    hd_worker_begin(&run, w, id);
    for (k = 0; k < c->depots; k++) {
        if (hd_depot_take(&run, w))
            use_slots(w);
        hd_store_flush(&run, w);
    }
    if (hd_worker_end(&run, w, &x))
        check_slots();
}

/* ---- fibers -------------------------------------------------------------------------------------------- */

static void work(uint32_t id)
{
    uint32_t k;
    if (c->depots) {
        pass_batches(id);
        return;
    }
    for (k = 0; k < given(c->n_runs, 1u); k++) {
        if (k)
            model_wait(MODEL_GATE(id));
        if (hd_cpu_work(&run, infos, id, NULL, &nows[id], NULL))
            last_out(k);
    }
}

static uint32_t n_fibers(void) { return c->n_blocks * n_block() + n_workers() - c->n_blocks; }

/* Blocks run once. */
static void fiber(uint32_t i)
{
    uint32_t id, lane;
    if (c->in_order == 2u)
        i = n_fibers() - 1u - i;
    id = i / n_block();
    lane = i % n_block();
    if (id >= c->n_blocks) {
        work(c->n_blocks + i - c->n_blocks * n_block());
        return;
    }
    if (lane >= n_lanes()) {
        run_bodies(id, lane - n_lanes());
        return;
    }
    model_join(id, lane, n_lanes());
    if (schedule(id))
        last_out(0);
}

static void end(void)
{
    uint32_t n;
    watch_end();
    for (n = 0; n < n_nodes; n++)
        if (n_ran[n] != given(c->n_runs, 1u))
            model_fail("body %u ran in %u runs", n, n_ran[n]);
}

/* ---- the suite ----------------------------------------------------------------------------------------- */

static const char *name_of(uint32_t i) { return i < sizeof cases / sizeof cases[0] ? cases[i].name : NULL; }

static void choose(uint32_t i, int weak, model_test *t)
{
    c = &cases[i];
    read_case();
    make_run();
    t->name = c->name;
    t->n_fibers = n_fibers();
    t->n_preempt = weak ? c->n_weak : c->n_preempt;
    t->n_stale = weak ? c->n_stale : 0u;
    t->in_order = c->in_order != 0u;
    t->begin = begin;
    t->fiber = fiber;
    t->end = end;
}

const model_suite model_spawning = {name_of, choose};
