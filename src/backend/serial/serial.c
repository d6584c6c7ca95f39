/* SPDX-License-Identifier: MIT */
/* serial.c - one thread runs one task after another in topological order: the oracle for all other backends, and the one to
 * copy when writing another.
 *
 * A run is over when start returns: wait has nothing to do, and stop only affects a run in progress. With team_size > 1 that
 * many threads run each body, with real barriers (team.c): an emulated thread block.
 *
 * If bodies spawn, the thread is the only worker of a run (core/spawn.h) and keeps all tasks on its own list. Descendants of
 * a graph's task run before the graph's next task.
 *
 * A pool runs each task, and its descendants, in the call that sends it; calls of several threads take turns. */
#include "backend/arena.h"
#include "backend/backend.h"
#include "backend/inside.h"
#include "backend/pool_words.h"
#include "backend/serial/team.h"
#include "backend/words.h"
#include "heddle/core/notes.h"
#include "heddle/core/send.h"
#include "heddle/core/turn.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define ARENA_DEFAULT 65536u

struct hd_device {
    uint32_t n_trace, n_arena;
    hd_team_of_threads *threads; /* NULL: one thread */
    uint32_t team_size;
};

struct hd_loaded {
    hd_device *device;
    const hd_graph *graph;
    hd_watcher watcher;
    uint32_t *order; /* topological */
    uint8_t *shared; /* the bodies' block-shared memory */
    hd_event *events;
    hd_tally tally;
    hd_fail fail;
    uint64_t begin_ns, end_ns;
    uint32_t doing;
    char complaint[256];
    /* Only if bodies spawn: */
    hd_run run;
    hd_worker worker;
    hd_turn turn;
    hd_spawn_buffer spawn_buffer;
    uint8_t *block;
    uint64_t block_bytes, cleared_bytes;
    /* Only of a pool: */
    hd_pool pool;
    const void *params;
    pthread_mutex_t turns;
    uint32_t slot; /* of the task that runs, or HD_NONE */
    uint32_t at_block;
};

static uint32_t count(void) { return 1; }

static void close_device(hd_device *d)
{
    if (!d)
        return;
    hd_team_of_threads_free(d->threads);
    hd_delete(d, sizeof *d);
}

static heddle_status open_device(hd_device **out, heddle_config *cfg, hd_error *e)
{
    hd_device *d = hd_new(sizeof *d);
    *out = NULL;
    if (!d)
        return hd_say(e, HEDDLE_ENOMEM, "serial backend: out of memory");
    cfg->n_workers = 1;
    cfg->team_size = cfg->team_size ? cfg->team_size : 1;
    cfg->n_arena = cfg->n_arena ? cfg->n_arena : ARENA_DEFAULT;
    d->n_trace = cfg->n_trace;
    d->n_arena = cfg->n_arena;
    d->team_size = cfg->team_size;
    if (cfg->team_size > 1 && !(d->threads = hd_team_of_threads_new(cfg->team_size))) {
        close_device(d);
        return hd_say(e, HEDDLE_ENOMEM, "serial backend: no memory or threads for %u threads", cfg->team_size);
    }
    *out = d;
    return HEDDLE_OK;
}

static int runs_forward(const hd_graph *g)
{
    uint32_t t, i;
    for (t = 0; t < g->n_tasks; t++)
        for (i = 0; i < hd_graph_task(g, t)->n_succ; i++)
            if (hd_graph_edge(g, hd_graph_task(g, t), i).task < t)
                return 0;
    return 1;
}

/* Program order if all edges run forward, else Kahn's. -1 without memory. */
static int sort(const hd_graph *g, uint32_t *order)
{
    uint32_t *left, t;
    for (t = 0; t < g->n_tasks; t++)
        order[t] = t;
    if (runs_forward(g))
        return 0;
    left = hd_new(g->n_tasks * sizeof *left);
    if (!left)
        return -1;
    (void)hd_graph_order(g, order, left);
    hd_delete(left, g->n_tasks * sizeof *left);
    return 0;
}

/* ---- if bodies spawn --------------------------------------------------------------------------------------------- */

/* 0 without memory. */
static int make_arena(hd_loaded *l, const hd_pool_work *pool)
{
    const uint32_t n_host = pool ? pool->n_host : 0;
    hd_run *r = &l->run;
    if (!n_host && !hd_arena_is_needed(l->graph))
        return 1;
    r->n_tasks = (uint32_t)l->graph->n_tasks;
    r->n_workers = 1;
    r->policy = HD_POLICY_SHARE;
    r->dispatch = HD_DISPATCH_RINGS;
    hd_arena_size(r, l->graph, n_host, l->device->n_arena);
    if (pool && hd_pool_words_new(&l->pool, n_host, r->n_arena, 1, pool->is_traced))
        return 0;
    r->pool = pool ? &l->pool : NULL;
    l->pool.slot_bytes.host += hd_words_slot_bytes(r);
    l->block_bytes = hd_words_bytes(r, NULL, &l->cleared_bytes);
    l->block = hd_arena_new_words(r, l->block_bytes);
    if (!l->block)
        return 0;
    hd_words_cut(r, NULL, l->block);
    return 1;
}

/* Clears the arena before a run. */
static void begin_arena(hd_loaded *l)
{
    if (!l->block)
        return;
    hd_arena_clear_words(&l->run, l->block, l->cleared_bytes);
    hd_arena_fill(&l->run, l->graph);
    hd_rearm(&l->run, 1);
    HD_STORE(&l->run.control->fresh, l->pool.n_host, RELAXED, DEV);
    hd_worker_begin(&l->run, &l->worker, 0);
    l->turn = hd_turn_begin();
}

static void unload(hd_loaded *l)
{
    hd_arena_delete_words(&l->run, l->block, l->block_bytes);
    if (l->run.pool)
        hd_pool_words_delete(&l->pool, l->run.n_arena, 1);
    pthread_mutex_destroy(&l->turns);
    hd_delete(l->order, l->graph->n_tasks * 4);
    hd_delete(l->shared, hd_graph_blob(l->graph)->shared_bytes);
    hd_delete(l->events, (uint64_t)l->device->n_trace * sizeof(hd_event));
    hd_delete(l, sizeof *l);
}

static heddle_status load(hd_loaded **out, hd_device *d, const hd_work *work, hd_watcher watcher, hd_error *e)
{
    const hd_pool_work *pool = work->kind == HD_WORK_POOL ? work->desc : NULL;
    const hd_graph *g = pool ? pool->graph : work->desc;
    hd_loaded *l = hd_new(sizeof *l);
    *out = NULL;
    if (!l)
        return hd_say(e, HEDDLE_ENOMEM, "loading a graph: out of memory");
    l->device = d;
    l->graph = g;
    l->watcher = watcher;
    l->doing = l->slot = HD_NONE;
    pthread_mutex_init(&l->turns, NULL);
    l->order = hd_new(g->n_tasks * 4);
    l->shared = hd_new(hd_graph_blob(g)->shared_bytes);
    l->events = d->n_trace ? hd_new((uint64_t)d->n_trace * sizeof(hd_event)) : NULL;
    if (!l->order || !l->shared || (d->n_trace && !l->events) || sort(g, l->order) || !make_arena(l, pool)) {
        unload(l);
        return hd_say(e, HEDDLE_ENOMEM, "loading a graph: out of memory");
    }
    *out = l;
    return HEDDLE_OK;
}

static void trace(hd_loaded *l, uint32_t t, uint64_t begin)
{
    hd_event *ev;
    if (l->tally.n_events == l->device->n_trace) {
        l->tally.n_dropped++;
        return;
    }
    ev = &l->events[l->tally.n_events++];
    memset(ev, 0, sizeof *ev);
    ev->task = t;
    ev->begin = begin;
    ev->end = heddle_host_clock_ns();
}

/* Of task t. Its own word for that is also a link of the own list, which a task that has waited goes through. */
static uint32_t n_blocks_of(const hd_run *r, uint32_t t)
{
    return hd_is_hosts(r, t) ? HD_LOAD(hd_blocks_open(hd_child_at(r, t)), RELAXED, DEV) - 1u : 1u;
}

static void run_body(hd_loaded *l, const hd_task *task, const void *params, const void *args)
{
    const heddle_body_info *body = &l->graph->table->bodies[task->body];
    heddle_thread thread = {.team_size = 1,
                            .task = l->doing,
                            .shared = l->shared,
                            .fail = l->run.pool ? hd_fate_of(&l->run, hd_owner_of(&l->run, l->turn.task)) : &l->fail,
                            .spawn_buffer = l->block ? &l->spawn_buffer : NULL,
                            .block = l->at_block,
                            .n_blocks = n_blocks_of(&l->run, l->turn.task)};
    hd_notes notes = hd_notes_for(l->events, l->device->n_trace, &l->tally);
    uint32_t left, waited;
    if (l->events && l->graph->in_order)
        thread.notes = &notes;
    if (!l->device->threads) {
        body->run(&thread, params, args);
        return;
    }
    if (hd_team_of_threads_run(l->device->threads, body, &thread, params, args, &left, &waited)) {
        (void)hd_thread_fail(&thread, 1);
        snprintf(l->complaint, sizeof l->complaint, "thread %u left the body while thread %u waited at a barrier", left,
                 waited);
    }
}

static void run_one(hd_loaded *l, uint32_t name, const hd_task *task, const void *params, const void *args)
{
    const uint64_t begin = l->events ? heddle_host_clock_ns() : 0;
    const uint32_t n_noted = hd_n_noted(&l->tally);
    if (task->body == HD_BODY_JOIN)
        return;
    __atomic_store_n(&l->doing, name, __ATOMIC_RELAXED);
    run_body(l, task, params, args);
    l->tally.n_tasks++;
    if (l->events && hd_n_noted(&l->tally) == n_noted)
        trace(l, name, begin);
}

static int goes_on(const hd_loaded *l) { return __atomic_load_n(&l->fail.stop, __ATOMIC_RELAXED) == HD_STOP_NOT; }

/* Runs task t of the arena, or a task of the graph that may spawn. Returns the graph's task that this completed, or
 * HD_NONE. */
static uint32_t run_spawner(hd_loaded *l, uint32_t t, const void *params)
{
    const hd_run *r = &l->run;
    uint64_t began;
    const hd_task *task = hd_task_at(r, t);
    const void *args = hd_is_spawned(r, t) ? hd_args_at(r, task) : hd_graph_args(l->graph, hd_graph_task(l->graph, t));
    hd_spawn_buffer_open(r, &l->worker, &l->spawn_buffer, hd_children_of(r, task->body), task->flags);
    l->at_block = 0;
    do {
        if (hd_went_wrong(r, t) || (r->pool && hd_went_wrong(r, hd_owner_of(r, t))))
            continue;
        began = hd_stamp_now(r);
        run_one(l, hd_name_of(r, &l->turn), task, params, args);
        if (began)
            hd_stamp_past(r, hd_slot_of(r, t), began);
    } while (++l->at_block < n_blocks_of(r, t));
    l->at_block = 0;
    return hd_end_body(r, &l->worker, &l->turn, &l->spawn_buffer, HD_DISPATCH_RINGS);
}

/* No other worker could free slots: the run ends, or, in a pool, the task without running. */
static void refuse_room(hd_loaded *l, uint32_t t)
{
    if (!l->run.pool) {
        (void)hd_stop(&l->fail, HD_STOP_FULL);
        return;
    }
    l->worker.deferred = HD_NONE;
    (void)hd_stop(hd_fate_of(&l->run, t), HD_STOP_FULL);
    hd_spawn_buffer_open(&l->run, &l->worker, &l->spawn_buffer, 0, l->turn.record->flags);
    (void)hd_end_body(&l->run, &l->worker, &l->turn, &l->spawn_buffer, HD_DISPATCH_RINGS);
}

/* Runs task t of the graph and all its descendants. */
static void run_tree(hd_loaded *l, uint32_t t, const void *params, uint64_t limit_ns)
{
    while (t != HD_NONE && goes_on(l)) {
        if (hd_is_hosts(&l->run, t)) /* a task that waited for a held one runs when that is released */
            __atomic_store_n(&l->slot, t - l->run.n_tasks, __ATOMIC_RELAXED);
        hd_fetch(&l->run, &l->worker, &l->turn, t);
        if (!hd_admit(&l->run, &l->worker, &l->turn))
            refuse_room(l, t);
        else
            (void)run_spawner(l, t, params);
        if (heddle_host_clock_ns() > limit_ns)
            (void)hd_stop(&l->fail, HD_STOP_TIMEOUT);
        t = hd_take_list(&l->run, &l->worker);
    }
}

static void run_task(hd_loaded *l, uint32_t t, const void *params, uint64_t limit_ns)
{
    const hd_task *task = hd_graph_task(l->graph, t);
    if (l->block)
        run_tree(l, t, params, limit_ns);
    else
        run_one(l, t, task, params, hd_graph_args(l->graph, task));
    if (task->flags & HD_TASK_WATCH)
        l->watcher.done(l->watcher.self, t);
}

static heddle_status start(hd_loaded *l, const void *params, int help, uint64_t limit_ns, hd_error *e)
{
    uint64_t i;
    hd_inside here;
    (void)help;
    (void)e;
    hd_inside_enter(&here, l->device);
    memset(&l->tally, 0, sizeof l->tally);
    memset(&l->fail, 0, sizeof l->fail);
    l->complaint[0] = 0;
    l->begin_ns = heddle_host_clock_ns();
    begin_arena(l);
    if (l->run.pool) { /* it goes on until it is stopped */
        l->params = params;
        hd_inside_leave(&here);
        return HEDDLE_OK;
    }
    for (i = 0; i < l->graph->n_tasks && goes_on(l); i++) {
        run_task(l, l->order[i], params, limit_ns);
        if (limit_ns != UINT64_MAX && heddle_host_clock_ns() > limit_ns)
            (void)hd_stop(&l->fail, HD_STOP_TIMEOUT);
    }
    (void)hd_stop(&l->fail, HD_STOP_DONE);
    hd_inside_leave(&here);
    __atomic_store_n(&l->doing, HD_NONE, __ATOMIC_RELAXED);
    l->end_ns = heddle_host_clock_ns();
    return HEDDLE_OK;
}

static heddle_status wait(hd_loaded *l, uint64_t deadline_ns)
{
    (void)deadline_ns;
    return l->run.pool && goes_on(l) ? HEDDLE_EBUSY : HEDDLE_OK;
}

static void stop(hd_loaded *l, uint32_t why) { (void)hd_stop(&l->fail, why); }

static void result(const hd_loaded *l, hd_outcome *out)
{
    out->n_workers = 1;
    out->n_trace = l->device->n_trace;
    out->begin_ns = l->begin_ns;
    out->end_ns = l->end_ns;
    out->tallies = &l->tally;
    out->events = l->events;
    out->stop = l->fail.stop;
    out->code = l->fail.code;
    out->task = l->fail.task;
    out->how = "";
    out->schedule = HEDDLE_SCHEDULE_AUTO;
    out->policy = HEDDLE_POLICY_DEFAULT;
    out->team_size = l->device->team_size;
    out->is_trying = 0;
    out->cost = (hd_cost){0, 0, 0};
}

static int doing(const hd_loaded *l, uint32_t worker, hd_doing *out)
{
    hd_doing d = {__atomic_load_n(l->run.pool ? &l->slot : &l->doing, __ATOMIC_RELAXED), HD_NONE, 0, 0, 1};
    *out = d;
    return worker == 0;
}

/* ---- pools ------------------------------------------------------------------------------------------------------- */

static const hd_pool *pool_words(const hd_loaded *l) { return &l->pool; }

/* Handles that a task waits for are of tasks that have ended, since they were sent before, or that come after a held one. */
static void pool_send(hd_loaded *l, const hd_sent *like, const uint64_t *handles, size_t stride, uint32_t n)
{
    const hd_run *r = &l->run;
    hd_inside here;
    uint32_t i;
    hd_inside_enter(&here, l->device);
    pthread_mutex_lock(&l->turns);
    for (i = 0; i < n; i++) {
        const hd_sent s = hd_sent_like(like, handles[i], i * stride);
        const uint32_t t = r->n_tasks + s.slot;
        if (s.held != HD_RELEASED)
            hd_send_write(r, &s);
        if (s.held != HD_HELD && (!s.n_after || !hd_wait_on(r, t)))
            run_tree(l, t, l->params, UINT64_MAX);
        __atomic_store_n(&l->slot, HD_NONE, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&l->turns);
    hd_inside_leave(&here);
}

static void pool_stop_task(hd_loaded *l, uint32_t slot, uint32_t why) { (void)hd_stop(&l->pool.fates[slot], why); }

static const char *complaint(const hd_loaded *l) { return l->complaint; }

const hd_backend hd_serial_backend = {
    .version = HD_BACKEND_VERSION,
    .kind = HEDDLE_SERIAL,
    .works = 1u << HD_WORK_GRAPH | 1u << HD_WORK_POOL,
    .count = count,
    .open = open_device,
    .close = close_device,
    .load = load,
    .unload = unload,
    .start = start,
    .wait = wait,
    .stop = stop,
    .result = result,
    .doing = doing,
    .pool_words = pool_words,
    .pool_send = pool_send,
    .pool_stop_task = pool_stop_task,
    .complaint = complaint,
};
