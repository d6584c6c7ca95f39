/* SPDX-License-Identifier: MIT */
/* cpu.c - workers are threads. The scheduler is include/heddle/core, the source that the GPU runs; work.c has its loops.
 *
 * Threads live as long as the device. Each has an inbox of loaded graphs, in order of submission. Jobs thus follow one
 * another without a barrier: a worker that leaves one job starts on the next. Within a run, threads meet only through the
 * core's words. An idle thread polls for a while, then parks on its condition variable.
 *
 * heddle_graph_run lends its thread as worker 0, so that a small graph does not wait for a wake-up.
 *
 * A pool is a job, too, and lasts: one for a device. A thread that another job waits for leaves the pool after its present task,
 * puts the pool behind that job, and comes back. Until then it keeps its place in the pool's ring, so a task in that place waits for
 * it. A thread that has found nothing for long parks; the thread that places a task for it unparks it. */
#include "backend/arena.h"
#include "backend/schedule.h"
#include "backend/backend.h"
#include "backend/counted.h"
#include "backend/inside.h"
#include "backend/pool_words.h"
#include "backend/words.h"
#include "base/machine.h"
#include "backend/cpu/work.h"
#include "graph/plan.h"
#include "heddle/core/baselines/scheduler.h"
#include "heddle/core/send.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define N_INBOX 64u
#define RING_DEFAULT 1024u
#define SPIN_US_DEFAULT 50u
#define LOCAL_DEFAULT 1024u
#define ARENA_DEFAULT 65536u
#define POLLS_PER_US 10u /* an empty poll takes about 0.1 us: three loads and a pause */

typedef struct thread {
    pthread_t thread;
    hd_device *device;
    uint32_t id;
    int pinned_to;  /* -1: unpinned */
    uint32_t n_in;  /* jobs ever put into the inbox; polled */
    uint32_t taken; /* by this thread */
    uint32_t permit, end;
    pthread_mutex_t mutex;
    pthread_cond_t came;  /* a job in the inbox, or the end */
    pthread_cond_t woken; /* the permit; a lent thread parks here as worker 0 while thread 0 waits on `came` */
    hd_loaded *inbox[N_INBOX];
    uint8_t pad[HD_LINE];
} thread;

struct hd_device {
    uint32_t n_workers, n_schedulers; /* n_schedulers: 1 = an extra thread, dispatch scheduler */
    uint32_t n_started, n_trace, n_slots, n_arena, n_local, spin, polite, policy;
    uint32_t dispatch;
    heddle_schedule schedule;
    uint64_t n_bytes;
    uint32_t n_running; /* runs started and not ended */
    thread threads[];
};

struct hd_loaded {
    hd_run run;
    hd_device *device;
    const hd_graph *graph;
    hd_watcher watcher;
    hd_host host;
    uint8_t *block; /* all words of the run, in one piece */
    uint64_t block_bytes, cleared_bytes, shared_bytes;
    uint8_t *shared; /* one arena per worker */
    hd_cpu_now *now;
    hd_scheduler *scheduler; /* dispatch scheduler */
    hd_steps steps;          /* dispatch plan */
    hd_pool pool;            /* n_host 0: a graph */
    hd_cpu_worker *workers;  /* of a pool, and behind them one for a thread that helps */
    pthread_mutex_t helping; /* of that thread */
    uint64_t plan_ns;
    char how[64];
    uint32_t dirty;  /* the last run ended badly: clear counters and rings */
    uint32_t helped; /* the caller of heddle_graph_run is worker 0 */
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
    hd_control *s = l->run.control;
    l->end_ns = heddle_host_clock_ns();
    l->stop_why = HD_LOAD(&s->fail.stop, RELAXED, DEV);
    if (l->stop_why == HD_STOP_NOT) /* ticket, plan: no count of tasks, all workers came to their end */
        l->stop_why = HD_STOP_DONE;
    l->stop_code = HD_LOAD(&s->fail.code, RELAXED, DEV);
    l->stop_task = HD_LOAD(&s->fail.task, RELAXED, DEV);
    l->dirty = l->stop_why != HD_STOP_DONE || l->run.pool;
    __atomic_sub_fetch(&l->device->n_running, 1, __ATOMIC_RELEASE);
    pthread_mutex_lock(&l->mutex); /* keeps stop() from setting the next run's stop word */
    if (!l->dirty)
        hd_rearm(&l->run, HD_LOAD(&s->run, RELAXED, DEV) + 1u);
    __atomic_store_n(&l->running, 0, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&l->ended);
    pthread_mutex_unlock(&l->mutex); /* l may be unloaded from here on */
}

/* Returns HD_SERVED_OVER, or how the thread has left a pool that goes on. */
static hd_served run_worker(hd_loaded *l, uint32_t id)
{
    const hd_run *r = &l->run;
    hd_inside here;
    const int schedules = r->dispatch == HD_DISPATCH_SCHEDULER && !r->n_schedulers; /* besides running tasks */
    hd_served said = HD_SERVED_OVER;
    int last = 0;
    hd_inside_enter(&here, l->device);
    if (r->pool)
        said = hd_cpu_serve(&l->workers[id], &last);
    else if (id == r->n_workers)
        last = hd_cpu_schedule(r, l->scheduler);
    else
        last = hd_cpu_work(r, l->graph->table->bodies, id, l->shared + id * l->shared_bytes, &l->now[id],
                           schedules ? l->scheduler : NULL);
    hd_inside_leave(&here);
    if (last)
        finish_run(l);
    return said;
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static void park_thread(thread *t)
{
    pthread_mutex_lock(&t->mutex);
    while (!t->permit)
        pthread_cond_wait(&t->woken, &t->mutex);
    __atomic_store_n(&t->permit, 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&t->mutex);
}

static void park(void *self, uint32_t worker) { park_thread(&((hd_loaded *)self)->device->threads[worker]); }

static void unpark(void *self, uint32_t worker)
{
    thread *t = &((hd_loaded *)self)->device->threads[worker];
    pthread_mutex_lock(&t->mutex);
    __atomic_store_n(&t->permit, 1, __ATOMIC_RELAXED);
    pthread_cond_signal(&t->woken);
    pthread_mutex_unlock(&t->mutex);
}

static void done(void *self, uint32_t task)
{
    hd_loaded *l = self;
    l->watcher.done(l->watcher.self, task);
}

static void wait_a_little(void *self, uint32_t n)
{
    hd_loaded *l = self;
    const int schedules = l->run.dispatch == HD_DISPATCH_SCHEDULER && l->device->n_schedulers == 0;
    hd_cpu_wait(&l->run, schedules ? l->scheduler : NULL, n);
}

/* The inbox's next graph; NULL: the device is closing. */
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

/* permit: the thread may be in a pool, which it shall leave. */
static void put_job(thread *t, hd_loaded *l, uint32_t permit)
{
    pthread_mutex_lock(&t->mutex);
    t->inbox[t->n_in % N_INBOX] = l;
    __atomic_store_n(&t->n_in, t->n_in + 1, __ATOMIC_RELEASE);
    if (permit)
        __atomic_store_n(&t->permit, 1, __ATOMIC_RELAXED);
    pthread_cond_signal(&t->came);
    pthread_cond_signal(&t->woken);
    pthread_mutex_unlock(&t->mutex);
}

static void *thread_main(void *arg)
{
    thread *t = arg;
    hd_loaded *l;
    hd_served said;
    if (t->pinned_to >= 0)
        hd_machine_pin((uint32_t)t->pinned_to);
    while ((l = next_job(t, t->taken))) {
        t->taken++;
        said = run_worker(l, t->id);
        if (said == HD_SERVED_IDLE)
            park_thread(t);
        if (said != HD_SERVED_OVER)
            put_job(t, l, 0);
    }
    return NULL;
}

static int is_wanted(void *self, uint32_t worker)
{
    const thread *t = &((hd_loaded *)self)->device->threads[worker];
    return __atomic_load_n(&t->n_in, __ATOMIC_RELAXED) != t->taken;
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

/* The processor of worker w. Worker 0 gets the core of this thread, which heddle_graph_run lends to it; the others follow in
 * hwloc's order. Workers beyond the hardware threads are not pinned. */
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

static void fill_config(heddle_config *cfg, const hd_machine *m)
{
    heddle_expert *x = &cfg->expert;
    const hd_way *way;
    cfg->n_workers = cfg->n_workers ? cfg->n_workers : m->pub.n_cores;
    cfg->team_size = 1;
    cfg->n_arena = cfg->n_arena ? cfg->n_arena : ARENA_DEFAULT;
    cfg->idle = cfg->idle ? cfg->idle : HEDDLE_IDLE_LATENCY;
    cfg->schedule = cfg->schedule ? cfg->schedule : HEDDLE_SCHEDULE_DYNAMIC;
    x->spin_us = x->spin_us ? x->spin_us : SPIN_US_DEFAULT;
    way = hd_way_of(cfg->schedule, HEDDLE_CPU);
    if (way->takes & HD_TAKES_RING)
        x->n_ring = hd_power_of_two(x->n_ring ? x->n_ring : RING_DEFAULT);
    if (way->takes & HD_TAKES_LOCAL)
        x->n_local = x->n_local ? x->n_local : LOCAL_DEFAULT;
    if (way->takes & HD_TAKES_POLICY)
        x->policy = x->policy ? x->policy : way->policy;
}

static heddle_status start_threads(hd_device *d, const heddle_config *cfg, const hd_machine *m, hd_error *e)
{
    uint32_t i;
    for (i = 0; i < d->n_workers + d->n_schedulers; i++) {
        thread *t = &d->threads[i];
        t->device = d;
        t->id = i;
        t->pinned_to = cfg->no_pin ? -1 : cpu_of(m, i);
        pthread_mutex_init(&t->mutex, NULL);
        pthread_cond_init(&t->came, NULL);
        pthread_cond_init(&t->woken, NULL);
        if (pthread_create(&t->thread, NULL, thread_main, t))
            return hd_say(e, HEDDLE_ENOMEM, "cpu backend: thread %u of %u could not be started", i,
                          d->n_workers + d->n_schedulers);
        d->n_started++;
    }
    return HEDDLE_OK;
}

static heddle_status open_device(hd_device **out, heddle_config *cfg, hd_error *e)
{
    const heddle_expert *x = &cfg->expert;
    hd_machine m;
    hd_device *d;
    const hd_way *way;
    uint32_t n_schedulers;
    uint64_t n_bytes;
    heddle_status s;
    *out = NULL;
    hd_machine_look(&m);
    fill_config(cfg, &m);
    way = hd_way_of(cfg->schedule, HEDDLE_CPU);
    n_schedulers = way->dispatch == HD_DISPATCH_SCHEDULER && cfg->n_workers > 1;
    n_bytes = sizeof *d + (uint64_t)(cfg->n_workers + n_schedulers) * sizeof(thread);
    d = hd_new(n_bytes);
    if (!d)
        return hd_say(e, HEDDLE_ENOMEM, "cpu backend: out of memory");
    d->n_bytes = n_bytes;
    d->n_workers = cfg->n_workers;
    d->n_schedulers = n_schedulers;
    d->n_trace = cfg->n_trace;
    d->n_slots = x->n_ring ? x->n_ring : RING_DEFAULT;
    d->n_arena = cfg->n_arena;
    d->policy = (uint32_t)(x->policy ? x->policy : way->policy);
    d->dispatch = way->dispatch;
    d->schedule = cfg->schedule;
    d->n_local = x->n_local ? x->n_local : LOCAL_DEFAULT;
    d->polite = cfg->idle == HEDDLE_IDLE_POLITE;
    /* With more workers than hardware threads, polling would keep other workers from running. */
    d->spin = d->polite || cfg->n_workers + n_schedulers > m.pub.n_threads ? 1 : x->spin_us * POLLS_PER_US;
    s = start_threads(d, cfg, &m, e);
    if (s != HEDDLE_OK)
        close_device(d);
    else
        *out = d;
    return s;
}

/* ---- a loaded graph ---------------------------------------------------------------------------------------------- */

static uint64_t lines(uint64_t n_bytes) { return (n_bytes + HD_LINE - 1) / HD_LINE * HD_LINE; }

/* Places the threads' data behind the run's words. With block NULL only measures. */
static uint64_t cut(hd_loaded *l, uint8_t *block, uint64_t at)
{
    const hd_run *r = &l->run;
#define PART(field, type, n_bytes)                          \
    l->field = block ? (type *)(void *)(block + at) : NULL; \
    at += lines(n_bytes)
    PART(scheduler, hd_scheduler, r->dispatch == HD_DISPATCH_SCHEDULER ? sizeof(hd_scheduler) : 0);
    PART(workers, hd_cpu_worker, r->pool ? r->n_workers * sizeof(hd_cpu_worker) : 0);
    PART(now, hd_cpu_now, r->n_workers * sizeof(hd_cpu_now));
    PART(shared, uint8_t, r->n_workers * l->shared_bytes);
#undef PART
    return at;
}

static void clear_words(hd_loaded *l)
{
    hd_arena_clear_words(&l->run, l->block, l->cleared_bytes);
    hd_arena_fill(&l->run, l->graph);
    hd_rearm(&l->run, 1);
    l->dirty = 0;
}

/* Data of one more worker: of a thread that helps a pool. */
static uint32_t n_places(const hd_loaded *l) { return l->run.n_workers + (l->run.pool != NULL); }

static void unload(hd_loaded *l)
{
    hd_steps_clear(&l->steps);
    if (l->run.pool)
        hd_pool_words_delete(&l->pool, l->run.n_arena, n_places(l));
    hd_arena_delete_words(&l->run, l->block, l->block_bytes);
    pthread_cond_destroy(&l->ended);
    pthread_mutex_destroy(&l->mutex);
    pthread_mutex_destroy(&l->helping);
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
    r->has_urgent = b->n_urgent != 0;
    r->has_placed = b->n_placed != 0;
}

static void point_at_device(hd_run *r, const hd_device *d, const hd_graph *g, uint32_t n_host)
{
    int never_full;
    uint32_t all;
    r->dispatch = n_host ? HD_DISPATCH_TICKET : g->in_order ? HD_DISPATCH_ORDER : d->dispatch;
    r->n_workers = d->n_workers;
    r->n_schedulers = n_host ? 0 : d->n_schedulers;
    never_full = r->dispatch == HD_DISPATCH_IQS || r->dispatch == HD_DISPATCH_CENTRAL ||
                 r->dispatch == HD_DISPATCH_TICKET || r->has_placed;
    if (n_host || hd_arena_is_needed(g)) {
        hd_arena_size(r, g, n_host, d->n_arena);
        never_full |= r->dispatch == HD_DISPATCH_SCHEDULER && !d->n_schedulers; /* nothing else empties its queues */
    }
    all = r->n_arena ? hd_arena_ring(r)
                     : hd_power_of_two(r->n_tasks + r->n_workers); /* a ticket ring needs an end mark per worker */
    r->n_slots = never_full && all > d->n_slots ? all : d->n_slots;
    r->policy = d->policy;
    r->n_local = d->n_local;
    r->polite = d->polite;
    r->late = hd_policy_late(r);
    r->n_trace = d->n_trace;
    r->spin = d->spin;
}

/* Does it need code that only comparisons use? */
static int is_baseline(const hd_device *d)
{
    return (d->dispatch > HD_DISPATCH_PLAN && d->dispatch != HD_DISPATCH_ORDER) ||
           (d->dispatch == HD_DISPATCH_RINGS && d->policy != HD_POLICY_SHARE);
}

/* Refuses what this device cannot run. */
static heddle_status refuse(const hd_device *d, const hd_graph *g, hd_error *e)
{
    const char *name = heddle_schedule_name(d->schedule);
    const int chooses = hd_dispatch_chooses(d->dispatch);
    uint32_t n_placed = hd_graph_blob(g)->n_placed;
    if (g->in_order && d->dispatch != HD_DISPATCH_ORDER && d->schedule != HEDDLE_SCHEDULE_DYNAMIC)
        return hd_say(e, HEDDLE_EINVAL, "schedule %s: a wave is run by schedule wave", name);
    if (!g->in_order && d->dispatch == HD_DISPATCH_ORDER)
        return hd_say(e, HEDDLE_EINVAL, "schedule %s: it runs waves, and this is a graph of tasks", name);
    if (!g->table->has_baselines && is_baseline(d))
        return hd_say(e, HEDDLE_ENODEV, "table %s was compiled without HEDDLE_BASELINES, which schedule %s%s%s needs",
                      g->table->name, name, chooses ? ", policy " : "",
                      chooses ? heddle_policy_name((heddle_policy)d->policy) : "");
    if (d->dispatch == HD_DISPATCH_SCHEDULER && d->n_workers > HD_SCHED_WORKERS)
        return hd_say(e, HEDDLE_ERANGE, "%u workers under schedule scheduler; the limit is %u", d->n_workers,
                      HD_SCHED_WORKERS);
    if (n_placed && !hd_dispatch_binds(d->dispatch))
        return hd_say(e, HEDDLE_EINVAL, "%u tasks are bound to workers: schedule %s cannot keep to that", n_placed,
                      name);
    if (d->dispatch == HD_DISPATCH_PLAN && hd_arena_is_needed(g))
        return hd_say(e, HEDDLE_EINVAL,
                      "a body of this graph spawns tasks: no plan can be made for them, so schedule "
                      "static cannot run it");
    return HEDDLE_OK;
}

static heddle_status make_steps(hd_loaded *l, hd_error *e)
{
    uint64_t begin = heddle_host_clock_ns();
    if (l->run.dispatch != HD_DISPATCH_PLAN)
        return HEDDLE_OK;
    HD_TRY(hd_graph_steps(&l->steps, l->graph, l->run.n_workers, HD_PLAN_PATH, e));
    l->run.steps = l->steps.steps;
    l->run.lists = l->steps.lists;
    l->run.step_edges = l->steps.edges;
    l->plan_ns = heddle_host_clock_ns() - begin;
    return HEDDLE_OK;
}

/* Sizes and cuts the words and the threads' data as for that many workers. */
static void cut_for(hd_loaded *l, uint32_t n)
{
    const uint32_t n_workers = l->run.n_workers;
    uint64_t n_bytes;
    l->run.n_workers = n;
    n_bytes = hd_words_bytes(&l->run, NULL, &l->cleared_bytes);
    l->block_bytes = cut(l, NULL, n_bytes);
    l->block = hd_arena_new_words(&l->run, l->block_bytes);
    if (l->block) {
        hd_words_cut(&l->run, NULL, l->block);
        (void)cut(l, l->block, n_bytes);
    }
    l->run.n_workers = n_workers;
}

static heddle_status make_block(hd_loaded *l, hd_error *e)
{
    uint32_t i;
    cut_for(l, n_places(l));
    if (!l->block)
        return hd_say(e, HEDDLE_ENOMEM, "loading a graph: out of memory");
    hd_arena_fill(&l->run, l->graph);
    for (i = 0; i < n_places(l); i++)
        l->now[i].now.task = l->now[i].now.waits = l->now[i].slot = HD_NONE;
    hd_rearm(&l->run, 1); /* the block is zero */
    return HEDDLE_OK;
}

static heddle_schedule schedule_of(const hd_loaded *l)
{
    return l->graph->in_order ? HEDDLE_SCHEDULE_WAVE : l->device->schedule;
}

static void say_how(hd_loaded *l)
{
    const hd_device *d = l->device;
    const heddle_schedule schedule = schedule_of(l);
    int has_policy = hd_way_of(schedule, HEDDLE_CPU)->takes & HD_TAKES_POLICY;
    snprintf(l->how, sizeof l->how, "%s, %u threads%s%s", heddle_schedule_name(schedule), d->n_workers,
             has_policy ? ", policy " : "", has_policy ? heddle_policy_name((heddle_policy)d->policy) : "");
}

static hd_loaded *new_loaded(hd_device *d, const hd_graph *g, uint32_t n_host, hd_watcher watcher)
{
    hd_loaded *l = hd_new(sizeof *l);
    pthread_condattr_t monotonic;
    if (!l)
        return NULL;
    l->device = d;
    l->graph = g;
    l->watcher = watcher;
    l->host = (hd_host){l, park, unpark, done, wait_a_little, is_wanted};
    l->shared_bytes = lines(hd_graph_blob(g)->shared_bytes);
    l->run.host = &l->host;
    point_at_graph(&l->run, g);
    point_at_device(&l->run, d, g, n_host);
    pthread_mutex_init(&l->mutex, NULL);
    pthread_mutex_init(&l->helping, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&l->ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
    say_how(l);
    return l;
}

static heddle_status make_pool(hd_loaded *l, const hd_pool_work *pool, hd_error *e)
{
    if (hd_pool_words_new(&l->pool, pool->n_host, l->run.n_arena, l->run.n_workers + 1u, pool->is_traced))
        return hd_say(e, HEDDLE_ENOMEM, "a pool: no memory for %u slots", pool->n_host);
    l->pool.n_guests = 1;
    l->pool.slot_bytes.host += hd_words_slot_bytes(&l->run);
    l->run.pool = &l->pool;
    return HEDDLE_OK;
}

static void begin_pool(hd_loaded *l)
{
    const hd_run *r = &l->run;
    uint32_t i;
    HD_STORE(&r->control->fresh, l->pool.n_host, RELAXED, DEV);
    for (i = 0; i < n_places(l); i++)
        hd_cpu_worker_begin(&l->workers[i], r, l->graph->table->bodies, i, l->shared + i * l->shared_bytes, &l->now[i]);
}

static heddle_status load(hd_loaded **out, hd_device *d, const hd_work *work, hd_watcher watcher, hd_error *e)
{
    const hd_pool_work *pool = work->kind == HD_WORK_POOL ? work->desc : NULL;
    const hd_graph *g = pool ? pool->graph : work->desc;
    hd_loaded *l;
    heddle_status s = HEDDLE_OK;
    *out = NULL;
    if (!pool)
        HD_TRY(refuse(d, g, e));
    l = new_loaded(d, g, pool ? pool->n_host : 0, watcher);
    if (!l)
        return hd_say(e, HEDDLE_ENOMEM, "loading a graph: out of memory");
    s = pool ? make_pool(l, pool, e) : make_steps(l, e);
    if (s == HEDDLE_OK)
        s = make_block(l, e);
    if (s == HEDDLE_OK && pool)
        begin_pool(l);
    if (s == HEDDLE_OK)
        *out = l;
    else
        unload(l);
    return s;
}

/* If bodies spawn, the run has its own copy of all records; steps have copies of small ones. */
static void changed(hd_loaded *l, uint32_t task)
{
    const hd_task *t = hd_graph_task(l->graph, task);
    if (l->run.n_arena && t->arg_bytes)
        memcpy(hd_arena_args(&l->run, l->graph, task), hd_graph_args(l->graph, t), t->arg_bytes);
    if (l->steps.steps && t->arg_bytes <= HD_INLINE_ARGS)
        memcpy(l->steps.steps[l->steps.step_of[task]].args, t->args, t->arg_bytes);
}

static heddle_status start(hd_loaded *l, const void *params, int help, uint64_t limit_ns, hd_error *e)
{
    hd_device *d = l->device;
    uint32_t i, before = __atomic_load_n(&d->n_running, __ATOMIC_ACQUIRE);
    (void)limit_ns;
    if (before == N_INBOX)
        return hd_say(e, HEDDLE_EBUSY, "%u jobs of this context are waiting already; the limit is %u", before, N_INBOX);
    if (l->dirty)
        clear_words(l);
    l->run.params = params;
    l->helped = help && before == 0 && !l->run.pool;
    l->begin_ns = heddle_host_clock_ns();
    __atomic_store_n(&l->running, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&d->n_running, 1, __ATOMIC_RELAXED);
    for (i = l->helped; i < l->run.n_workers + l->run.n_schedulers; i++)
        put_job(&d->threads[i], l, 1);
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
    set = l->running && hd_stop(&l->run.control->fail, why);
    pthread_mutex_unlock(&l->mutex);
    if (set)
        hd_wake_all(&l->run);
}

static void result(const hd_loaded *l, hd_outcome *out)
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
    out->how = l->how;
    out->schedule = schedule_of(l);
    out->policy = hd_way_of(out->schedule, HEDDLE_CPU)->takes & HD_TAKES_POLICY ? (heddle_policy)l->run.policy
                                                                                : HEDDLE_POLICY_DEFAULT;
    out->team_size = 1;
    out->is_trying = 0;
    out->cost = (hd_cost){0, l->plan_ns, 0};
}

static int doing(const hd_loaded *l, uint32_t worker, hd_doing *out)
{
    hd_now *now;
    if (worker >= n_places(l))
        return 0;
    now = &l->now[worker].now;
    out->task = l->run.pool ? HD_LOAD(&l->now[worker].slot, RELAXED, SYS) : HD_LOAD(&now->task, RELAXED, SYS);
    out->waits = HD_LOAD(&now->waits, RELAXED, SYS);
    out->seen = HD_LOAD(&now->seen, RELAXED, SYS);
    out->need = HD_LOAD(&now->need, RELAXED, SYS);
    out->here = HD_LOAD(&now->came, RELAXED, SYS) == HD_LOAD(&l->run.control->run, RELAXED, DEV);
    return 1;
}

static uint32_t waiting(hd_loaded *l, hd_doing *out, uint32_t n_max)
{
    const hd_run *r = &l->run;
    return r->dispatch == HD_DISPATCH_PLAN
               ? 0
               : hd_counted(l->graph, r->count, HD_LOAD(&r->control->run, RELAXED, DEV), out, n_max);
}

/* ---- pools ------------------------------------------------------------------------------------------------------- */

static const hd_pool *pool_words(const hd_loaded *l) { return &l->pool; }

static void pool_send(hd_loaded *l, const hd_sent *like, const uint64_t *handles, size_t stride, uint32_t n)
{
    uint32_t i;
    for (i = 0; i < n; i++) {
        const hd_sent s = hd_sent_like(like, handles[i], i * stride);
        hd_send(&l->run, &s);
    }
}

static int pool_help(hd_loaded *l)
{
    hd_inside here;
    int helped;
    if (hd_arena_is_needed(l->graph) || pthread_mutex_trylock(&l->helping))
        return 0;
    hd_inside_enter(&here, l->device);
    helped = hd_cpu_help(&l->workers[l->run.n_workers]);
    hd_inside_leave(&here);
    pthread_mutex_unlock(&l->helping);
    return helped;
}

static void pool_stop_task(hd_loaded *l, uint32_t slot, uint32_t why) { (void)hd_stop(&l->pool.fates[slot], why); }

const hd_backend hd_cpu_backend = {
    .version = HD_BACKEND_VERSION,
    .kind = HEDDLE_CPU,
    .works = 1u << HD_WORK_GRAPH | 1u << HD_WORK_POOL,
    .count = count,
    .open = open_device,
    .close = close_device,
    .load = load,
    .unload = unload,
    .changed = changed,
    .start = start,
    .wait = wait,
    .stop = stop,
    .result = result,
    .doing = doing,
    .waiting = waiting,
    .pool_words = pool_words,
    .pool_send = pool_send,
    .pool_stop_task = pool_stop_task,
    .pool_help = pool_help,
};
