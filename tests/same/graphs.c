/* SPDX-License-Identifier: MIT */
/* graphs.c - random graphs give the bytes that serial gives. They run on 1 to 8 workers, with every dispatch and
 * policy; rings overflow, tasks are bound to workers. Graphs run alone, and several at once in one or more contexts.
 *
 * HEDDLE_SAME_GRAPHS: number of graphs (20000; fewer under a sanitizer). HEDDLE_SEED: another set.
 * HEDDLE_SAME_BATCH: only the batch with this seed, which a failure names, in one thread. */
#include "schedules.h"
#include "same/subject.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#if defined(HEDDLE_TSAN)
#define N_GRAPHS 2000u
#elif defined(HEDDLE_ASAN)
#define N_GRAPHS 3000u
#else
#define N_GRAPHS 20000u
#endif
#define N_BATCH 25u /* graphs per context */
#define N_THREADS 2u
#define N_AT_ONCE 4u

/* What all batches together must have met, or the test covers less than it claims. */
typedef struct tally {
    uint64_t n_graphs, n_runs, n_tasks, n_joins, n_kept, n_pushed, n_full, n_spilled, n_parks, n_watched, n_edges;
    uint64_t n_placed, n_refused, n_of[HEDDLE_N_SCHEDULES]; /* n_of: runs per schedule */
    uint64_t n_by[HEDDLE_N_POLICIES];                       /* runs per policy */
} tally;

typedef struct walker {
    pthread_t thread;
    uint64_t seed;
    uint32_t n_batches;
    tally sum;
} walker;

static uint64_t current[N_THREADS]; /* seeds of the running batches, printed with a failure */

static void say_batches(void)
{
    uint32_t i;
    for (i = 0; i < N_THREADS; i++)
        if (current[i])
            printf("in hand: HEDDLE_SAME_BATCH=%llu\n", (unsigned long long)current[i]);
    fflush(stdout);
}

static void on_alarm(int sig)
{
    (void)sig;
    printf("a run does not end\n");
    say_batches();
    _exit(1);
}

/* A context of one batch. */
typedef struct side_ctx {
    heddle_ctx *serial, *other;
    heddle_config config; /* that of `other` */
} side_ctx;

static void random_config(heddle_config *c, uint64_t *seed)
{
    static const uint32_t rings[] = {0, 1, 2, 4}, spins[] = {0, 1, 5, 200}, locals[] = {0, 1, 3, 100};
    uint32_t i;
    c->backend = HEDDLE_CPU;
    c->n_workers = 1 + (uint32_t)check_below(seed, 8);
    i = (uint32_t)check_below(seed, N_WORKER_SCHEDULES + 1);
    c->schedule = i < N_WORKER_SCHEDULES ? worker_schedules[i] : HEDDLE_SCHEDULE_DYNAMIC;
    if (has_policies(c->schedule))
        c->expert.policy = (heddle_policy)(1 + check_below(seed, HEDDLE_N_POLICIES - 1));
    if (c->schedule == HEDDLE_SCHEDULE_DYNAMIC || c->schedule == HEDDLE_SCHEDULE_RINGS) {
        c->expert.n_local = locals[check_below(seed, 4)];
        c->expert.n_ring = rings[check_below(seed, 4)];
    }
    c->idle = (heddle_idle)check_below(seed, HEDDLE_N_IDLES);
    c->expert.spin_us = spins[check_below(seed, 4)];
    c->n_trace = check_below(seed, 3) ? SPEC_TASKS : 0;
    c->no_pin = (uint32_t)check_below(seed, 2);
}

static void note(tally *sum, subject *x, const side_ctx *on)
{
    const char *how = heddle_graph_describe_run(x->other.graph), *schedule = heddle_schedule_name(on->config.schedule);
    heddle_stats st = HEDDLE_STATS_INIT;
    uint32_t i;
    CHECK_OK(x->other.ctx, heddle_graph_get_stats(x->other.graph, &st));
    CHECK_MSG(st.n_tasks == x->s.n_tasks, "%llu bodies run of %u", (unsigned long long)st.n_tasks, x->s.n_tasks);
    CHECK(st.n_dropped == 0 && st.n_tasks_min <= st.n_tasks_max);
    CHECK_MSG(!strncmp(how, schedule, strlen(schedule)), "schedule %s says it was: %s", schedule, how);
    sum->n_runs++;
    sum->n_of[on->config.schedule]++;
    sum->n_by[on->config.expert.policy]++;
    sum->n_kept += st.n_kept;
    sum->n_pushed += st.n_pushed;
    sum->n_full += st.n_full;
    sum->n_spilled += st.n_spilled;
    sum->n_parks += st.n_parks;
    for (i = 0; i < x->s.n_tasks; i++) {
        sum->n_watched += x->other.n_called[i] > 0;
        sum->n_placed += x->s.task[i].place > 0;
    }
}

/* A schedule that cannot bind tasks to workers must refuse a graph with bound tasks. */
static void refused(const side_ctx *on, uint64_t *seed, tally *sum)
{
    subject *x = subject_new(seed, on->serial, on->other, 1);
    side_params params = {&x->other};
    uint32_t i, n_placed = 0;
    for (i = 0; i < x->s.n_tasks; i++)
        n_placed += x->s.task[i].place > 0;
    if (n_placed) {
        CHECK(heddle_graph_run(on->other, x->other.graph, &params, sizeof params) == HEDDLE_EINVAL);
        CHECK(strstr(heddle_error_text(on->other), "bound to workers"));
        sum->n_refused++;
    }
    subject_free(x);
}

static void finish(tally *sum, subject *x)
{
    sum->n_graphs++;
    sum->n_tasks += x->s.n_tasks;
    sum->n_joins += x->n_joins;
    sum->n_edges += x->s.n_edges;
    subject_free(x);
}

static int can_place(const side_ctx *on)
{
    return on->config.schedule == HEDDLE_SCHEDULE_RINGS || on->config.schedule == HEDDLE_SCHEDULE_STATIC ||
           on->config.schedule == HEDDLE_SCHEDULE_DYNAMIC;
}

/* Runs one graph one to three times. */
static void alone(const side_ctx *on, uint64_t *seed, tally *sum)
{
    subject *x = subject_new(seed, on->serial, on->other, can_place(on) && !check_below(seed, 3));
    uint32_t n_runs = 1 + (uint32_t)check_below(seed, 3);
    while (x->other.run < n_runs) {
        if (check_below(seed, 2)) {
            side_run(&x->other);
        } else {
            side_submit(&x->other);
            side_wait(&x->other, seed);
        }
        subject_check(x, on->config.n_trace > 0);
        note(sum, x, on);
        subject_change(x, seed);
    }
    finish(sum, x);
}

/* Runs several graphs at once on one context and waits for them in any order. */
static void at_once(const side_ctx *on, uint64_t *seed, tally *sum)
{
    subject *x[N_AT_ONCE];
    uint32_t i, round, n_rounds = 1 + (uint32_t)check_below(seed, 3);
    for (i = 0; i < N_AT_ONCE; i++)
        x[i] = subject_new(seed, on->serial, on->other, can_place(on) && !check_below(seed, 3));
    for (round = 0; round < n_rounds; round++) {
        uint32_t first = (uint32_t)check_below(seed, N_AT_ONCE);
        for (i = 0; i < N_AT_ONCE; i++)
            side_submit(&x[i]->other);
        for (i = 0; i < N_AT_ONCE; i++)
            side_wait(&x[(first + i) % N_AT_ONCE]->other, seed);
        for (i = 0; i < N_AT_ONCE; i++) {
            subject_check(x[i], on->config.n_trace > 0);
            note(sum, x[i], on);
            subject_change(x[i], seed);
        }
    }
    for (i = 0; i < N_AT_ONCE; i++)
        finish(sum, x[i]);
}

static void batch(uint64_t seed, tally *sum)
{
    heddle_config c = HEDDLE_CONFIG_INIT, plain = HEDDLE_CONFIG_INIT;
    uint64_t begin = sum->n_graphs;
    side_ctx on = {NULL, NULL, HEDDLE_CONFIG_INIT};
    plain.backend = HEDDLE_SERIAL;
    random_config(&c, &seed);
    CHECK_OK(NULL, heddle_ctx_open(&on.serial, &plain));
    CHECK_OK(NULL, heddle_ctx_open(&on.other, &c));
    CHECK_OK(on.other, heddle_ctx_get_config(on.other, &on.config));
    while (sum->n_graphs - begin < N_BATCH)
        (check_below(&seed, 10) ? alone : at_once)(&on, &seed, sum);
    if (!can_place(&on))
        refused(&on, &seed, sum);
    heddle_ctx_close(on.other);
    heddle_ctx_close(on.serial);
}

static void *walk(void *arg)
{
    static uint32_t n_walkers;
    uint32_t i, id = __atomic_fetch_add(&n_walkers, 1, __ATOMIC_RELAXED);
    walker *w = arg;
    for (i = 0; i < w->n_batches; i++) {
        __atomic_store_n(&current[id], check_random(&w->seed) | 1, __ATOMIC_RELAXED);
        batch(current[id], &w->sum);
    }
    __atomic_store_n(&current[id], 0, __ATOMIC_RELAXED);
    return NULL;
}

static void add_up(tally *a, const tally *b)
{
    uint64_t *to = (uint64_t *)(void *)a;
    const uint64_t *from = (const uint64_t *)(const void *)b;
    size_t i;
    for (i = 0; i < sizeof *a / sizeof *to; i++)
        to[i] += from[i];
}

static void report(const tally *t)
{
    uint32_t i;
    printf("%llu graphs, %llu runs, %llu tasks, %llu joins, %llu explicit edges, %llu watched\n",
           (unsigned long long)t->n_graphs, (unsigned long long)t->n_runs, (unsigned long long)t->n_tasks,
           (unsigned long long)t->n_joins, (unsigned long long)t->n_edges, (unsigned long long)t->n_watched);
    printf("kept %llu, pushed %llu, rings full %llu, spilled %llu, parked %llu\n", (unsigned long long)t->n_kept,
           (unsigned long long)t->n_pushed, (unsigned long long)t->n_full, (unsigned long long)t->n_spilled,
           (unsigned long long)t->n_parks);
    printf("bound tasks %llu, graphs with such refused %llu; runs:", (unsigned long long)t->n_placed,
           (unsigned long long)t->n_refused);
    for (i = 0; i < HEDDLE_N_SCHEDULES; i++)
        printf(" %s %llu", heddle_schedule_name((heddle_schedule)i), (unsigned long long)t->n_of[i]);
    for (i = 1; i < HEDDLE_N_POLICIES; i++)
        printf(" %s %llu", heddle_policy_name((heddle_policy)i), (unsigned long long)t->n_by[i]);
    printf("\n");
}

int main(void)
{
    static walker w[N_THREADS];
    const char *count = getenv("HEDDLE_SAME_GRAPHS"), *one = getenv("HEDDLE_SAME_BATCH");
    uint64_t seed = check_seed(20260103), n = count ? strtoull(count, NULL, 0) : N_GRAPHS;
    tally all = {0};
    uint32_t i;
    signal(SIGALRM, on_alarm);
    alarm(3000); /* long enough for a slow machine: catches a run that hangs */
    if (one) {
        batch(strtoull(one, NULL, 0), &all);
        report(&all);
        return 0;
    }
    atexit(say_batches);
    for (i = 0; i < N_THREADS; i++) {
        w[i].seed = seed + i;
        w[i].n_batches = (uint32_t)((n + N_THREADS * N_BATCH - 1) / (N_THREADS * N_BATCH));
        CHECK(pthread_create(&w[i].thread, NULL, walk, &w[i]) == 0);
    }
    for (i = 0; i < N_THREADS; i++) {
        CHECK(pthread_join(w[i].thread, NULL) == 0);
        add_up(&all, &w[i].sum);
    }
    report(&all);
    CHECK(all.n_graphs >= n);
    CHECK(n < 1000 || (all.n_joins && all.n_edges && all.n_watched && all.n_kept && all.n_pushed && all.n_full &&
                       all.n_spilled && all.n_parks && all.n_placed && all.n_refused));
    for (i = 0; i < N_WORKER_SCHEDULES; i++)
        CHECK(n < 1000 || all.n_of[worker_schedules[i]]);
    CHECK(n < 1000 || all.n_of[HEDDLE_SCHEDULE_DYNAMIC]);
    for (i = 1; i < HEDDLE_N_POLICIES; i++)
        CHECK(n < 2000 || all.n_by[i]);
    return 0;
}
