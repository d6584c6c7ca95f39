/* SPDX-License-Identifier: MIT */
/* cpu.c - workers are threads; the scheduler is include/heddle/core, the source the GPU runs.
 *
 * Threads live as long as the device. Each has an inbox of loaded graphs to run, in the order of submission, so
 * jobs follow one another without a barrier between them: a worker that has left one starts on the next. Within a run
 * threads meet only through core's words; an idle one polls for a while, then parks on its condition.
 *
 * heddle_run lends its thread: it takes the part of worker 0, so that a small graph need not wait for a wake-up. */
#include "backend/backend.h"
#include "base/machine.h"
#include "heddle/core/worker.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#define N_INBOX 64u
#define RING_DEFAULT 1024u
#define SPIN_US_DEFAULT 50u
#define POLLS_PER_US 10u /* a fruitless poll takes about 0.1 us: three loads and a pause */

typedef struct thread {
    pthread_t thread;
    hd_device *device;
    uint32_t id;
    int pinned_to; /* -1: not */
    uint32_t n_in; /* jobs put into the inbox, ever; polled */
    uint32_t permit, end;
    pthread_mutex_t mutex;
    pthread_cond_t came;  /* something in the inbox, or the end */
    pthread_cond_t woken; /* the permit; worker 0 of a helped run waits here while its own thread waits for `came` */
    hd_loaded *inbox[N_INBOX];
    uint8_t pad[HD_LINE];
} thread;

struct hd_device {
    uint32_t n_workers, n_started, n_trace, n_slots, spin, policy;
    uint64_t n_bytes;
    uint32_t n_running; /* loaded graphs started and not ended */
    thread threads[];
};

struct hd_loaded {
    hd_run run;
    hd_device *device;
    const hd_graph *graph;
    hd_watcher watcher;
    hd_host host;
    uint8_t *block; /* all words of the run, in one piece */
    uint64_t block_bytes, shared_bytes;
    uint8_t *shared; /* one arena a worker */
    uint32_t *now;   /* task each worker is in, a line apart */
    uint32_t dirty;  /* the last run did not end well: clear counters and rings */
    uint32_t helped; /* the caller of heddle_run is worker 0 */
    uint32_t stop_why, stop_code, stop_task;
    uint64_t begin_ns, end_ns;
    uint32_t running; /* polled by the waiter */
    pthread_mutex_t mutex;
    pthread_cond_t ended;
};

static uint32_t count(void) { return 1; }

/* ---- one worker in one run -------------------------------------------------------------------------------------- */

static void finish_run(hd_loaded *l)
{
    hd_shared *s = l->run.shared;
    l->end_ns = hd_host_clock();
    l->stop_why = HD_LOAD(&s->fail.stop, RELAXED, DEV);
    l->stop_code = HD_LOAD(&s->fail.code, RELAXED, DEV);
    l->stop_task = HD_LOAD(&s->fail.task, RELAXED, DEV);
    l->dirty = l->stop_why != HD_STOP_DONE;
    __atomic_sub_fetch(&l->device->n_running, 1, __ATOMIC_RELEASE);
    pthread_mutex_lock(&l->mutex); /* stop() must not set the word of the next run */
    if (!l->dirty)
        hd_rearm(&l->run, HD_LOAD(&s->run, RELAXED, DEV) + 1u);
    __atomic_store_n(&l->running, 0, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&l->ended);
    pthread_mutex_unlock(&l->mutex); /* l may be unloaded from here on */
}

static void run_traced(const hd_run *r, hd_worker *w, const hd_task *task, const heddle_body_info *bodies,
                       const heddle_lane *lane)
{
    uint64_t begin = hd_clock(), end;
    hd_event *ev;
    bodies[task->body].run(lane, r->app, hd_args_at(r, task));
    end = hd_clock();
    ev = hd_trace_task(r, w, lane->task, begin, end);
    hd_finish(r, w, lane->task);
    hd_trace_turn(w, ev, end);
}

static void run_worker(hd_loaded *l, uint32_t id)
{
    const hd_run *r = &l->run;
    const heddle_body_info *bodies = l->graph->table->bodies;
    uint32_t *now = l->now + id * (HD_LINE / 4u), t;
    heddle_lane lane = {0, 1, id, 0, l->shared + id * l->shared_bytes, &r->shared->fail, NULL};
    hd_worker w;
    hd_worker_begin(r, &w, id);
    while ((t = hd_next(r, &w)) != HD_NONE) {
        const hd_task *task = hd_task_at(r, t);
        lane.task = t;
        __atomic_store_n(now, t, __ATOMIC_RELAXED);
        if (task->body == HD_BODY_JOIN) {
            hd_finish(r, &w, t);
        } else if (r->events) {
            run_traced(r, &w, task, bodies, &lane);
        } else {
            bodies[task->body].run(&lane, r->app, hd_args_at(r, task));
            hd_finish(r, &w, t);
        }
    }
    __atomic_store_n(now, HD_NONE, __ATOMIC_RELAXED);
    if (hd_worker_end(r, &w))
        finish_run(l);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static void park(void *self, uint32_t worker)
{
    thread *t = &((hd_loaded *)self)->device->threads[worker];
    pthread_mutex_lock(&t->mutex);
    while (!t->permit)
        pthread_cond_wait(&t->woken, &t->mutex);
    t->permit = 0;
    pthread_mutex_unlock(&t->mutex);
}

static void unpark(void *self, uint32_t worker)
{
    thread *t = &((hd_loaded *)self)->device->threads[worker];
    pthread_mutex_lock(&t->mutex);
    t->permit = 1;
    pthread_cond_signal(&t->woken);
    pthread_mutex_unlock(&t->mutex);
}

static void done(void *self, uint32_t task)
{
    hd_loaded *l = self;
    l->watcher.done(l->watcher.self, task);
}

/* The next graph of the inbox; NULL: the device closes. */
static hd_loaded *next_job(thread *t, uint32_t taken)
{
    uint32_t polls;
    hd_loaded *l = NULL;
    for (polls = 0; polls < t->device->spin && __atomic_load_n(&t->n_in, __ATOMIC_RELAXED) == taken; polls++)
        HD_PAUSE(polls);
    pthread_mutex_lock(&t->mutex);
    while (t->n_in == taken && !t->end)
        pthread_cond_wait(&t->came, &t->mutex);
    if (t->n_in != taken)
        l = t->inbox[taken % N_INBOX];
    pthread_mutex_unlock(&t->mutex);
    return l;
}

static void *thread_main(void *arg)
{
    thread *t = arg;
    hd_loaded *l;
    uint32_t taken;
    if (t->pinned_to >= 0)
        hd_machine_pin((uint32_t)t->pinned_to);
    for (taken = 0; (l = next_job(t, taken)); taken++)
        run_worker(l, t->id);
    return NULL;
}

static void put_job(thread *t, hd_loaded *l)
{
    pthread_mutex_lock(&t->mutex);
    t->inbox[t->n_in % N_INBOX] = l;
    __atomic_store_n(&t->n_in, t->n_in + 1, __ATOMIC_RELEASE);
    pthread_cond_signal(&t->came);
    pthread_mutex_unlock(&t->mutex);
}

/* ---- the device -------------------------------------------------------------------------------------------------- */

static void close_device(hd_device *d)
{
    uint32_t i;
    for (i = 0; i < d->n_started; i++) {
        thread *t = &d->threads[i];
        pthread_mutex_lock(&t->mutex);
        t->end = 1;
        pthread_cond_signal(&t->came);
        pthread_mutex_unlock(&t->mutex);
        pthread_join(t->thread, NULL);
        pthread_cond_destroy(&t->came);
        pthread_cond_destroy(&t->woken);
        pthread_mutex_destroy(&t->mutex);
    }
    hd_delete(d, d->n_bytes);
}

/* Where worker w goes: the core this thread is on first (heddle_run lends this thread to worker 0), the others in
 * hwloc's order; beyond the hardware threads there is nothing to pin to. */
static int cpu_of(const hd_machine *m, uint32_t w)
{
    uint32_t i, here = 0;
    int cpu = sched_getcpu();
    for (i = 0; i < m->pub.n_threads; i++)
        if ((int)m->cpu[i] == cpu)
            here = i;
    if (w >= m->pub.n_threads)
        return -1;
    if (w < m->pub.n_cores && here < m->pub.n_cores)
        return (int)m->cpu[(here + w) % m->pub.n_cores];
    return (int)m->cpu[w];
}

static uint32_t power_of_two(uint32_t n)
{
    uint32_t p = 1;
    while (p < n)
        p *= 2;
    return p;
}

static void fill_config(heddle_config *cfg, const hd_machine *m)
{
    cfg->n_workers = cfg->n_workers ? cfg->n_workers : m->pub.n_cores;
    cfg->n_lanes = 1;
    cfg->n_ring = power_of_two(cfg->n_ring ? cfg->n_ring : RING_DEFAULT);
    cfg->spin_us = cfg->spin_us ? cfg->spin_us : SPIN_US_DEFAULT;
    cfg->policy = cfg->policy != HEDDLE_POLICY_DEFAULT ? cfg->policy : HEDDLE_POLICY_SHARE;
}

static heddle_status start_threads(hd_device *d, const heddle_config *cfg, const hd_machine *m, hd_error *e)
{
    uint32_t i;
    for (i = 0; i < d->n_workers; i++) {
        thread *t = &d->threads[i];
        t->device = d;
        t->id = i;
        t->pinned_to = cfg->no_pin ? -1 : cpu_of(m, i);
        pthread_mutex_init(&t->mutex, NULL);
        pthread_cond_init(&t->came, NULL);
        pthread_cond_init(&t->woken, NULL);
        if (pthread_create(&t->thread, NULL, thread_main, t))
            return hd_say(e, HEDDLE_ENOMEM, "cpu backend: thread %u of %u could not be started", i, d->n_workers);
        d->n_started++;
    }
    return HEDDLE_OK;
}

static heddle_status open_device(hd_device **out, heddle_config *cfg, hd_error *e)
{
    hd_machine m;
    hd_device *d;
    uint64_t n_bytes;
    heddle_status s;
    *out = NULL;
    hd_machine_look(&m);
    fill_config(cfg, &m);
    n_bytes = sizeof *d + (uint64_t)cfg->n_workers * sizeof(thread);
    d = hd_new(n_bytes);
    if (!d)
        return hd_say(e, HEDDLE_ENOMEM, "cpu backend: out of memory");
    d->n_bytes = n_bytes;
    d->n_workers = cfg->n_workers;
    d->n_trace = cfg->n_trace;
    d->n_slots = cfg->n_ring;
    d->policy = (uint32_t)cfg->policy;
    /* More workers than hardware threads: polling would keep the others from running. */
    d->spin = cfg->n_workers > m.pub.n_threads ? 1 : cfg->spin_us * POLLS_PER_US;
    s = start_threads(d, cfg, &m, e);
    if (s != HEDDLE_OK)
        close_device(d);
    else
        *out = d;
    return s;
}

/* ---- a loaded graph ---------------------------------------------------------------------------------------------- */

static uint64_t lines(uint64_t n_bytes) { return (n_bytes + HD_LINE - 1) / HD_LINE * HD_LINE; }

/* Cuts the block: shared words, counters, links, cursors, slots, tallies, now, arenas, events. With block NULL only
 * measures. */
static uint64_t cut(hd_loaded *l, uint8_t *block)
{
    hd_run *r = &l->run;
    const hd_device *d = l->device;
    uint64_t at = 0, n = l->graph->n_tasks, w = d->n_workers;
#define PART(field, type, n_bytes)                          \
    r->field = block ? (type *)(void *)(block + at) : NULL; \
    at += lines(n_bytes)
    PART(shared, hd_shared, sizeof(hd_shared));
    PART(cursors, hd_cursor, 2 * w * sizeof(hd_cursor));
    PART(slots, uint32_t, 2 * w * d->n_slots * 4u);
    PART(tallies, hd_tally, w * sizeof(hd_tally));
    PART(count, uint32_t, n * 4);
    PART(link, uint32_t, n * 4);
    PART(events, hd_event, w * d->n_trace * sizeof(hd_event));
#undef PART
    l->now = block ? (uint32_t *)(void *)(block + at) : NULL;
    at += w * HD_LINE;
    l->shared = block ? block + at : NULL;
    return at + w * l->shared_bytes;
}

static void clear_words(hd_loaded *l)
{
    uint8_t *first = (uint8_t *)l->run.shared, *end = (uint8_t *)l->run.link;
    memset(first, 0, (size_t)(end - first)); /* shared, cursors, slots, tallies, counters */
    hd_rearm(&l->run, 1);
    l->dirty = 0;
}

static void unload(hd_loaded *l)
{
    hd_delete(l->block, l->block_bytes);
    pthread_cond_destroy(&l->ended);
    pthread_mutex_destroy(&l->mutex);
    hd_delete(l, sizeof *l);
}

static void point_at_graph(hd_run *r, const hd_graph *g)
{
    const hd_blob *b = hd_graph_blob(g);
    r->tasks = hd_graph_task(g, 0);
    r->edges = (const hd_edge *)(const void *)(g->blob + b->edges_at);
    r->args = g->blob + b->args_at;
    r->roots = (const uint32_t *)(const void *)(g->blob + b->roots_at);
    r->n_tasks = b->n_tasks;
    r->n_roots = b->n_roots;
}

static heddle_status load(hd_loaded **out, hd_device *d, const hd_graph *g, hd_watcher watcher, hd_error *e)
{
    hd_loaded *l = hd_new(sizeof *l);
    pthread_condattr_t monotonic;
    uint32_t i;
    *out = NULL;
    if (!l)
        return hd_say(e, HEDDLE_ENOMEM, "loading a graph: out of memory");
    l->device = d;
    l->graph = g;
    l->watcher = watcher;
    l->host = (hd_host){l, park, unpark, done};
    l->shared_bytes = lines(hd_graph_blob(g)->shared_bytes);
    pthread_mutex_init(&l->mutex, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&l->ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
    point_at_graph(&l->run, g);
    l->block_bytes = cut(l, NULL);
    l->block = hd_new(l->block_bytes);
    if (!l->block) {
        unload(l);
        return hd_say(e, HEDDLE_ENOMEM, "loading a graph: out of memory");
    }
    (void)cut(l, l->block);
    l->run.events = d->n_trace ? l->run.events : NULL;
    l->run.host = &l->host;
    l->run.n_workers = d->n_workers;
    l->run.n_slots = d->n_slots;
    l->run.policy = d->policy;
    l->run.n_trace = d->n_trace;
    l->run.spin = d->spin;
    for (i = 0; i < d->n_workers; i++)
        l->now[i * (HD_LINE / 4u)] = HD_NONE;
    clear_words(l);
    *out = l;
    return HEDDLE_OK;
}

static heddle_status start(hd_loaded *l, const void *app, int help, uint64_t limit_ns, hd_error *e)
{
    hd_device *d = l->device;
    uint32_t i, before = __atomic_load_n(&d->n_running, __ATOMIC_ACQUIRE);
    (void)limit_ns;
    if (before == N_INBOX)
        return hd_say(e, HEDDLE_EBUSY, "%u jobs of this context are waiting already", before);
    if (l->dirty)
        clear_words(l);
    l->run.app = app;
    l->helped = help && before == 0;
    l->begin_ns = hd_host_clock();
    __atomic_store_n(&l->running, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&d->n_running, 1, __ATOMIC_RELAXED);
    for (i = l->helped; i < d->n_workers; i++)
        put_job(&d->threads[i], l);
    return HEDDLE_OK;
}

static heddle_status wait(hd_loaded *l, uint64_t deadline_ns)
{
    struct timespec until = {(time_t)(deadline_ns / 1000000000u), (long)(deadline_ns % 1000000000u)};
    uint32_t polls, running;
    if (l->helped) {
        l->helped = 0;
        run_worker(l, 0);
    }
    for (polls = 0; deadline_ns && polls < l->device->spin && __atomic_load_n(&l->running, __ATOMIC_RELAXED); polls++)
        HD_PAUSE(polls);
    pthread_mutex_lock(&l->mutex);
    while (l->running) {
        if (deadline_ns == UINT64_MAX)
            pthread_cond_wait(&l->ended, &l->mutex);
        else if (pthread_cond_timedwait(&l->ended, &l->mutex, &until))
            break;
    }
    running = l->running;
    pthread_mutex_unlock(&l->mutex);
    return running ? HEDDLE_EBUSY : HEDDLE_OK;
}

static void stop(hd_loaded *l, uint32_t why)
{
    int set;
    pthread_mutex_lock(&l->mutex);
    set = l->running && hd_stop(&l->run.shared->fail, why);
    pthread_mutex_unlock(&l->mutex);
    if (set)
        hd_wake_all(&l->run);
}

static void result(const hd_loaded *l, hd_result *out)
{
    out->n_workers = l->run.n_workers;
    out->n_trace = l->run.n_trace;
    out->begin_ns = l->begin_ns;
    out->end_ns = l->end_ns;
    out->tallies = l->run.tallies;
    out->events = l->run.events;
    out->stop = l->stop_why;
    out->code = l->stop_code;
    out->task = l->stop_task;
}

static uint32_t doing(const hd_loaded *l, uint32_t worker)
{
    return __atomic_load_n(&l->now[worker * (HD_LINE / 4u)], __ATOMIC_RELAXED);
}

const hd_backend hd_cpu_backend = {
    .version = HD_BACKEND_VERSION,
    .kind = HEDDLE_CPU,
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
};
