/* SPDX-License-Identifier: MIT */
/* response.c - figure 9 of Pagoda: irregular tasks come one by one at a steady rate, which is 80 % of the best that grids of all tasks
 * (fused) have reached just before. The response time of a task is that from when it comes until its result is seen: a thread that falls
 * behind makes it longer.
 *
 * In the resident pool a task starts at once, and its end is heard of; one thread submits tasks and sees results. Otherwise one thread
 * submits, and another one sees: tasks are gathered, and a batch is started when it is full, and seen when all of it has ended.
 * Several batches may run at once: they are in pools of their own, and so in streams of their own. The paper's own measure is the
 * quotient of the total time and the number of tasks; it stands beside. */
#include "pagoda.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define LOAD 0.8
#define CHECKED_PERIOD_NS 1000.0

enum { SIZES = 7, BARS = SIZES + 1, MOST_POOLS = 4, AT_ONCE = 64, SENT_AT_ONCE = 8 };

/* ---- tasks that come ---- */

typedef struct arrivals {
    const app_case *c;
    heddle_pool *pool[MOST_POOLS];
    uint64_t n_pools;
    uint64_t n, batch; /* batch: tasks of one; 0: each is started and seen by itself */
    double period_ns;
    uint64_t begin_ns;
    uint64_t *seen_ns;          /* of each task */
    heddle_handle *handles;     /* of tasks of batches */
    uint64_t n_started, n_seen; /* atomic: batches */
    int failed;                 /* atomic */
} arrivals;

static uint64_t load(const uint64_t *at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }
static int has_failed(const arrivals *a) { return __atomic_load_n(&a->failed, __ATOMIC_RELAXED); }

/* Any status but OK ends the run, with the sentence. */
static int passed(arrivals *a, heddle_status s)
{
    if (s == HEDDLE_OK)
        return 1;
    if (!__atomic_exchange_n(&a->failed, 1, __ATOMIC_RELAXED))
        (void)cli_heddle_bad(NULL, s);
    return 0;
}

static uint64_t due_ns(const arrivals *a, uint64_t i) { return a->begin_ns + (uint64_t)((double)i * a->period_ns); }

static uint64_t end_of(const arrivals *a, uint64_t k) { return (k + 1) * a->batch < a->n ? (k + 1) * a->batch : a->n; }

/* Task i, when it comes. */
static int submit(arrivals *a, uint64_t i, heddle_pool *pool)
{
    heddle_pool_task t = a->c->tasks.each[i];
    t.user = i;
    t.flags = a->batch ? 0 : HEDDLE_POOL_NOTIFY;
    while (cli_now_ns() < due_ns(a, i))
        (void)sched_yield();
    return passed(a, heddle_pool_spawn_task(pool, &t, a->batch ? &a->handles[i] : NULL));
}

/* Nothing has notice, so this only starts what has been gathered. */
static int start(arrivals *a, heddle_pool *pool)
{
    heddle_pool_end none;
    size_t n;
    const heddle_status s = heddle_pool_harvest(pool, &none, 1, 0, &n);
    return passed(a, s == HEDDLE_EBUSY ? HEDDLE_OK : s);
}

/* Batch k; its pool's last batch has been seen. */
static int submit_batch(arrivals *a, uint64_t k)
{
    heddle_pool *pool = a->pool[k % a->n_pools];
    int ok = 1;
    while (load(&a->n_seen) + a->n_pools <= k && !has_failed(a))
        (void)sched_yield();
    for (uint64_t i = k * a->batch; i < end_of(a, k) && ok; i++)
        ok = submit(a, i, pool);
    ok = ok && start(a, pool);
    __atomic_store_n(&a->n_started, k + 1, __ATOMIC_RELEASE);
    return ok;
}

/* Batch k has been started: sees its tasks one after another, and then says that for all. */
static void see_batch(arrivals *a, uint64_t k)
{
    uint64_t now;
    for (uint64_t i = k * a->batch; i < end_of(a, k) && !has_failed(a); i++) {
        heddle_status s;
        while ((s = heddle_pool_test(a->pool[k % a->n_pools], a->handles[i], NULL)) == HEDDLE_EBUSY)
            (void)sched_yield();
        (void)passed(a, s);
    }
    now = cli_now_ns();
    for (uint64_t i = k * a->batch; i < end_of(a, k); i++)
        a->seen_ns[i] = now;
    __atomic_store_n(&a->n_seen, k + 1, __ATOMIC_RELEASE);
}

static void *see_batches(void *arg)
{
    arrivals *a = arg;
    for (uint64_t k = 0; k * a->batch < a->n; k++) {
        while (load(&a->n_started) <= k && !has_failed(a))
            (void)sched_yield();
        if (has_failed(a))
            break;
        see_batch(a, k);
    }
    return NULL;
}

/* Sees what has ended; returns how many. */
static size_t see_some(arrivals *a)
{
    heddle_pool_end ends[AT_ONCE];
    size_t n;
    const heddle_status s = heddle_pool_harvest(a->pool[0], ends, AT_ONCE, 0, &n);
    const uint64_t now = cli_now_ns();
    for (size_t k = 0; k < n && passed(a, ends[k].status); k++)
        a->seen_ns[ends[k].user] = now;
    if (s != HEDDLE_EBUSY)
        (void)passed(a, s);
    return n;
}

/* One thread does both: two would take one another's words from their caches, which costs more. */
static void run_each(arrivals *a)
{
    uint64_t n_sent = 0, n_seen = 0;
    while (n_seen < a->n && !has_failed(a)) {
        for (uint64_t n = 0; n_sent < a->n && n < SENT_AT_ONCE && cli_now_ns() >= due_ns(a, n_sent); n++)
            if (!submit(a, n_sent++, a->pool[0]))
                return;
        n_seen += see_some(a);
    }
}

static int run_batches(arrivals *a)
{
    pthread_t seer;
    if (pthread_create(&seer, NULL, see_batches, a))
        return cli_bad("no thread that sees results");
    for (uint64_t k = 0; k * a->batch < a->n; k++)
        if (!submit_batch(a, k))
            break;
    pthread_join(seer, NULL);
    return CLI_OK;
}

/* One run. 0: all was well. */
static int run(arrivals *a)
{
    a->n_started = a->n_seen = 0;
    a->failed = 0;
    a->begin_ns = cli_now_ns();
    if (!a->batch)
        run_each(a);
    else if (run_batches(a))
        return CLI_BAD;
    return has_failed(a) ? CLI_BAD : heddle_pool_wait_all(a->pool[0], HEDDLE_FOREVER) ? CLI_BAD : CLI_OK;
}

/* ---- pools ---- */

static int add_pool(arrivals *a, const void *record)
{
    const heddle_table *table = a->c->app->apart;
    heddle_pool_config config = HEDDLE_POOL_CONFIG_INIT;
    const heddle_status s =
        heddle_pool_new(a->c->ctx, table, record, table->params_bytes, &config, &a->pool[a->n_pools]);
    if (s != HEDDLE_OK)
        return cli_heddle_bad(NULL, s);
    a->n_pools++;
    return CLI_OK;
}

static void close_pools(arrivals *a)
{
    while (a->n_pools > 1)
        heddle_pool_free(a->pool[--a->n_pools]); /* the first one is the case's */
    free(a->seen_ns);
    free(a->handles);
}

/* A context of threads has one pool at a time. close_pools must follow in any case. */
static int open_pools(arrivals *a, const work *w, int has_batches)
{
    void *record = calloc(1, w->c->app->apart->params_bytes + 1u); /* a task's own is in its arguments */
    int status = CLI_OK;
    *a = (arrivals){.c = w->c, .pool = {w->c->pool}, .n_pools = 1, .n = w->c->tasks.n};
    a->seen_ns = calloc(a->n, sizeof *a->seen_ns);
    a->handles = calloc(a->n, sizeof *a->handles);
    if (!record || !a->seen_ns || !a->handles)
        status = cli_bad("out of memory");
    while (!status && has_batches && w->config.backend == HEDDLE_CUDA && a->n_pools < MOST_POOLS)
        status = add_pool(a, record);
    free(record);
    return status;
}

/* ---- measuring ---- */

/* Of one way and batch. */
typedef struct answer {
    double us[FIGURE_RUNS], total_ms[FIGURE_RUNS]; /* sorted: the mean response time of a run; its time */
    size_t n;
} answer;

typedef struct answers {
    figures *f;
    double period_ns;
    answer each, batch[SIZES];
    char why[160]; /* what could not be measured */
} answers;

static uint64_t batch_of(const figures *f, size_t k) { return f->n_tasks >> (SIZES - 1 - k); }

static void put(answer *to, const arrivals *a)
{
    double sum = 0;
    uint64_t last = a->begin_ns;
    for (uint64_t i = 0; i < a->n; i++) {
        sum += (double)a->seen_ns[i] - (double)due_ns(a, i);
        last = a->seen_ns[i] > last ? a->seen_ns[i] : last;
    }
    figure_put(to->us, to->n, 1e-3 * sum / (double)a->n);
    figure_put(to->total_ms, to->n, 1e-6 * (double)(last - a->begin_ns));
    to->n++;
}

/* The first run is not counted. */
static int measure(const figures *f, work *w, arrivals *a, answer *to)
{
    for (size_t k = 0; k <= figure_runs(f->o); k++) {
        if (work_reset(w) || run(a))
            return CLI_BAD;
        if (k)
            put(to, a);
    }
    return CLI_OK;
}

static int run_checked(void *arg, work *w)
{
    const int has_batches = *(const int *)arg;
    arrivals a;
    int status = open_pools(&a, w, has_batches);
    a.period_ns = CHECKED_PERIOD_NS;
    a.batch = has_batches ? a.n / 8 + 1 : 0;
    if (!status)
        status = run(&a);
    close_pools(&a);
    return status;
}

/* Tasks come so far apart. */
static int find_period(answers *to, work *w)
{
    uint64_t ns, least = UINT64_MAX;
    for (size_t k = 0; k <= figure_runs(to->f->o); k++) {
        if (work_reset(w) || work_run(w, &ns))
            return CLI_BAD;
        least = ns < least ? ns : least;
    }
    to->period_ns = (double)least / (double)w->c->tasks.n / LOAD;
    return CLI_OK;
}

static int measure_batches(answers *to, work *w)
{
    arrivals a;
    int status = find_period(to, w) || open_pools(&a, w, 1) ? CLI_BAD : CLI_OK;
    if (status && to->period_ns == 0)
        return status;
    a.period_ns = to->period_ns;
    for (size_t k = 0; k < SIZES && !status; k++) {
        a.batch = batch_of(to->f, k);
        status = a.batch ? measure(to->f, w, &a, &to->batch[k]) : CLI_OK;
    }
    close_pools(&a);
    return status;
}

static int measure_each(answers *to, work *w)
{
    arrivals a;
    int status = open_pools(&a, w, 0);
    a.period_ns = to->period_ns;
    if (!status)
        status = measure(to->f, w, &a, &to->each);
    close_pools(&a);
    return status;
}

/* Way 0 has batches, way 1 none. */
static int measure_way(answers *to, const subject *s, int way)
{
    figures *f = to->f;
    int has_batches = way == 0, status;
    timing t;
    work w;
    if (pagoda_check(f, s, &f->ways[way], &t, run_checked, &has_batches)) {
        memcpy(to->why, t.why, sizeof to->why);
        return CLI_BAD;
    }
    status = pagoda_open(f, s, &f->ways[way], f->n_tasks, &w, &t);
    if (!status)
        status = has_batches ? measure_batches(to, &w) : measure_each(to, &w);
    work_close(&w);
    return status;
}

/* ---- the figure ---- */

/* value: how many times as long as the resident pool's. */
static void print_row(const answers *x, const subject *s, int way, uint64_t batch, const answer *r, double *value)
{
    FILE *out = x->f->files.tsv.out;
    const uint64_t n = x->f->n_tasks;
    const double us = figure_middle(r->us, r->n), ms = figure_middle(r->total_ms, r->n);
    *value = r->n && x->each.n ? us / figure_middle(x->each.us, x->each.n) : 0;
    fprintf(out, "%s\t%s\t%llu\t%llu\t", s->app, x->f->ways[way].name, (unsigned long long)batch,
            (unsigned long long)n);
    if (r->n)
        fprintf(out, "%.5g\t%.5g\t%.5g\t%.5g\t%.5g\t%.4g\n", 1e-3 * x->period_ns, us, r->us[r->n - 1], ms,
                1e3 * ms / (double)n, *value);
    else
        fprintf(out, "skipped\t%s\n", *x->why ? x->why : "it cannot run here");
}

static void time_subject(figures *f, const subject *s, answers *x, double *value)
{
    memset(x, 0, sizeof *x);
    x->f = f;
    if (!measure_way(x, s, 0))
        (void)measure_way(x, s, 1);
    print_row(x, s, 1, 1, &x->each, value);
    for (size_t k = 0; k < SIZES; k++)
        if (batch_of(f, k))
            print_row(x, s, 0, batch_of(f, k), &x->batch[k], &value[1 + k]);
}

static void put_means(figures *f, double *value)
{
    const size_t n = f->now->n_subjects;
    for (size_t k = 0; k < BARS; k++) {
        double sum = 0;
        size_t n_bars = 0;
        for (size_t i = 0; i < n; i++) {
            n_bars += value[i * BARS + k] > 0;
            sum += value[i * BARS + k] > 0 ? log(value[i * BARS + k]) : 0;
        }
        value[n * BARS + k] = n_bars ? exp(sum / (double)n_bars) : 0;
        if (!k || batch_of(f, k - 1))
            fprintf(f->files.tsv.out, "mean\t%s\t%llu\t%llu\t\t\t\t\t\t%.4g\n", f->ways[!k].name,
                    (unsigned long long)(k ? batch_of(f, k - 1) : 1), (unsigned long long)f->n_tasks,
                    value[n * BARS + k]);
    }
}

static void draw(figures *f, const char *note, const double *value)
{
    const size_t n = f->now->n_subjects;
    const char *groups[MOST_SUBJECTS + 1], *series[BARS];
    char names[BARS][64];
    chart c = {.title = f->now->title, .note = note, .unit = "times as long as one by one"};
    for (size_t i = 0; i < n; i++)
        groups[i] = f->now->subjects[i].name;
    groups[n] = "mean";
    for (size_t k = 0; k < BARS; k++) {
        snprintf(names[k], sizeof names[k], k ? "%s of %llu" : "%s", f->ways[!k].name,
                 (unsigned long long)(k ? batch_of(f, k - 1) : 1));
        series[k] = names[k];
    }
    chart_fill(&c, n + 1, groups, BARS, series, value);
    chart_print(&c, f->files.svg.out);
}

int pagoda_response(figures *f)
{
    double value[(MOST_SUBJECTS + 1) * BARS] = {0};
    char note[200];
    answers *x = malloc(sizeof *x);
    if (!x)
        return cli_bad("out of memory");
    if (figure_begin(&f->files)) {
        free(x);
        return CLI_BAD;
    }
    snprintf(note, sizeof note,
             "%llu irregular tasks at %.0f %% of the best rate of one grid: mean response time; medians of %zu runs",
             (unsigned long long)f->n_tasks, 100 * LOAD, figure_runs(f->o));
    pagoda_head(f, note,
                "app\tway\tbatch\ttasks\tperiod_us\tresponse_us\tmost_us\ttotal_ms\ttotal_by_tasks_us\ttimes_ours");
    for (size_t i = 0; i < f->now->n_subjects; i++)
        time_subject(f, &f->now->subjects[i], x, &value[i * BARS]);
    put_means(f, value);
    draw(f, note, value);
    free(x);
    return figure_end(&f->files, "pagoda-response", 1);
}
