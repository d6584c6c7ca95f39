/* SPDX-License-Identifier: MIT */
/* subject.h - a random graph that runs once on the serial backend and once on a context under test, each with bytes of
 * its own; and the checks afterwards.
 *
 * A body hashes its number, its arguments and the bytes it reads into the bytes it writes. Any task that runs too
 * early, too late, twice or not at all changes the result. Each body also checks by plain loads that its predecessors
 * have run in this run: under ThreadSanitizer that tests the scheduler's release and acquire. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include "same/oracle.h"

#include <sched.h>
#include <time.h>

/* One side: a graph on one context, and its bytes. */
typedef struct side {
    heddle_ctx *ctx;
    heddle_graph *graph;
    heddle_job *job;
    const spec *s;
    uint8_t *arena;
    heddle_task number[SPEC_TASKS];
    uint32_t index[ORACLE_NODES];  /* index in the spec of each task */
    uint32_t run;                  /* number of the current run, from 1 */
    uint32_t ran[SPEC_TASKS];      /* last run of each task: plain words */
    uint32_t n_called[SPEC_TASKS]; /* callbacks of watched tasks */
    uint32_t wrong;                /* 1 + a task that found an error */
} side;

typedef struct side_params { /* the run's params record */
    side *side;
} side_params;

typedef struct subject {
    spec s;
    side serial, other;
    uint32_t n_joins;
} subject;

/* ---- the body -------------------------------------------------------------------------------------------------- */

static inline uint64_t subject_mix(uint64_t h, uint64_t x) { return ((h ^ x) * 0x100000001b3u) ^ h >> 29; }

static inline void subject_pause(uint32_t kind)
{
    volatile uint32_t i;
    switch (kind) {
    case 1: sched_yield(); break;
    case 2:
        for (i = 0; i < 3000; i++)
            continue;
        break;
    case 3:
        for (i = 0; i < 30000; i++)
            continue;
        break;
    case 4: nanosleep(&(struct timespec){0, 20000}, NULL); break;
    default: break;
    }
}

static inline void subject_blame(side *d, uint32_t t)
{
    uint32_t none = 0;
    (void)__atomic_compare_exchange_n(&d->wrong, &none, t + 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* The predecessors must have run, this task must not. */
static inline void subject_look(side *d, uint32_t t)
{
    const spec_set *must = &d->s->task[t].must;
    uint32_t w;
    uint64_t bits;
    for (w = 0; w < SPEC_WORDS; w++)
        for (bits = must->word[w]; bits; bits &= bits - 1)
            if (d->ran[w * 64 + (uint32_t)__builtin_ctzll(bits)] != d->run)
                subject_blame(d, t);
    if (d->ran[t] != d->run - 1)
        subject_blame(d, t);
    d->ran[t] = d->run;
}

static inline void subject_work(side *d, uint32_t t, const uint8_t *args)
{
    const spec_task *task = &d->s->task[t];
    uint64_t h = subject_mix(0xcbf29ce484222325u, t), i;
    uint32_t k;
    for (i = 0; i < spec_arg_bytes[task->body]; i++)
        h = subject_mix(h, args[i]);
    for (k = 0; k < task->n_ranges; k++)
        if (task->range[k].mode & HEDDLE_MODE_IN)
            BYTES_EACH(at, &task->range[k], d->s->origin)
    h = subject_mix(h, d->arena[at]);
    subject_pause(task->pause);
    for (k = 0; k < task->n_ranges; k++)
        if (task->range[k].mode & HEDDLE_MODE_OUT)
            BYTES_EACH(at, &task->range[k], d->s->origin)
    d->arena[at] = (uint8_t)((h = subject_mix(h, at)) >> 32);
}

/* All bodies are the same; only the sizes of their argument records differ. */
static inline void subject_body(const heddle_thread *thread, const void *params, const void *args)
{
    side *d = ((const side_params *)params)->side;
    uint32_t t = d->index[thread->task];
    if (t == UINT32_MAX || (uintptr_t)args % 16) {
        subject_blame(d, 0);
        return;
    }
    subject_look(d, t);
    subject_work(d, t, args);
}

#define SUBJECT_INFO(bytes)                        \
    {                                              \
        "spec" #bytes, subject_body, (bytes), 0, 0 \
    }
static const heddle_body_info subject_bodies[SPEC_BODIES] = {
    SUBJECT_INFO(0),   SUBJECT_INFO(1),   SUBJECT_INFO(4),  SUBJECT_INFO(8),  SUBJECT_INFO(16),
    SUBJECT_INFO(40),  SUBJECT_INFO(63),  SUBJECT_INFO(64), SUBJECT_INFO(65), SUBJECT_INFO(100),
    SUBJECT_INFO(128), SUBJECT_INFO(200), SUBJECT_INFO(300)};
static const heddle_table subject_table = {sizeof(heddle_table),
                                           HEDDLE_CORE_VERSION,
                                           "subject",
                                           sizeof(side_params),
                                           SPEC_BODIES,
                                           subject_bodies,
                                           NULL,
                                           1,
                                           NULL,
                                           0,
                                           0,
                                           0};

/* ---- a side ---------------------------------------------------------------------------------------------------- */

static inline void subject_called(void *arg, heddle_task number)
{
    side *d = arg;
    uint32_t t = d->index[number];
    if (t == UINT32_MAX || d->ran[t] != d->run)
        subject_blame(d, t == UINT32_MAX ? 0 : t);
    else
        __atomic_add_fetch(&d->n_called[t], 1, __ATOMIC_RELAXED);
}

static inline void side_open(side *d, heddle_ctx *ctx, const spec *s)
{
    uint64_t i;
    memset(d, 0, sizeof *d);
    memset(d->index, 0xff, sizeof d->index);
    d->ctx = ctx;
    d->s = s;
    d->arena = malloc(s->n_bytes);
    CHECK(d->arena);
    for (i = 0; i < s->n_bytes; i++)
        d->arena[i] = (uint8_t)(i * 37);
    CHECK_OK(ctx, heddle_graph_new(ctx, &subject_table, &d->graph));
    spec_add(s, d->graph, d->number);
    for (i = 0; i < s->n_tasks; i++) {
        CHECK(d->number[i] < ORACLE_NODES);
        d->index[d->number[i]] = (uint32_t)i;
        if (s->task[i].flags & HEDDLE_TASK_WATCH)
            CHECK_OK(ctx, heddle_graph_on_done(d->graph, d->number[i], subject_called, d));
    }
}

static inline void side_close(side *d)
{
    heddle_graph_free(d->graph);
    free(d->arena);
}

static inline void side_run(side *d)
{
    side_params params = {d};
    d->run++;
    CHECK_OK(d->ctx, heddle_graph_run(d->ctx, d->graph, &params, sizeof params));
}

static inline void side_submit(side *d)
{
    side_params params = {d};
    d->run++;
    CHECK_OK(d->ctx, heddle_graph_submit(d->ctx, d->graph, &params, sizeof params, &d->job));
}

/* Waits for the job in one of several ways. */
static inline void side_wait(side *d, uint64_t *seed)
{
    uint32_t i, t;
    for (i = 0; i < 3 && d->s->n_tasks && check_below(seed, 2); i++) {
        t = (uint32_t)check_below(seed, d->s->n_tasks);
        if (!(d->s->task[t].flags & HEDDLE_TASK_WATCH))
            continue;
        CHECK_OK(d->ctx, heddle_job_wait_task(d->job, d->number[t], HEDDLE_FOREVER));
        CHECK_MSG(d->ran[t] == d->run, "wait_task returned before task %u ran", t);
    }
    if (!check_below(seed, 3))
        while (heddle_job_test(d->job) == HEDDLE_EBUSY)
            sched_yield();
    CHECK_OK(d->ctx, heddle_job_wait(d->job, HEDDLE_FOREVER));
    CHECK(heddle_job_test(d->job) == HEDDLE_OK);
    heddle_job_free(d->job);
    d->job = NULL;
}

static inline void side_check_ran(const side *d)
{
    uint32_t i;
    CHECK_MSG(!d->wrong, "task %u ran too early or twice", d->wrong - 1);
    for (i = 0; i < d->s->n_tasks; i++) {
        CHECK_MSG(d->ran[i] == d->run, "task %u did not run", i);
        CHECK_MSG(d->n_called[i] == (d->s->task[i].flags & HEDDLE_TASK_WATCH ? d->run : 0),
                  "task %u: %u calls in %u runs", i, d->n_called[i], d->run);
    }
}

/* ---- the trace ------------------------------------------------------------------------------------------------- */

static inline void side_check_times(const side *d, const heddle_event *const *of)
{
    uint32_t t, w;
    uint64_t bits;
    for (t = 0; t < d->s->n_tasks; t++)
        for (w = 0; w < SPEC_WORDS; w++)
            for (bits = d->s->task[t].must.word[w]; bits; bits &= bits - 1) {
                const heddle_event *e = of[w * 64 + (uint32_t)__builtin_ctzll(bits)];
                CHECK_MSG(e->end_ns <= of[t]->begin_ns, "task %u began %lld ns before the end of task %u", of[t]->task,
                          (long long)(e->end_ns - of[t]->begin_ns), e->task);
            }
}

/* The trace of the last run must show each task once, after its predecessors. */
static inline void side_check_trace(side *d)
{
    static _Thread_local heddle_event ev[SPEC_TASKS + 1];
    static _Thread_local const heddle_event *of[SPEC_TASKS];
    heddle_config cfg = HEDDLE_CONFIG_INIT;
    size_t n, i;
    memset(of, 0, sizeof of);
    CHECK_OK(d->ctx, heddle_ctx_get_config(d->ctx, &cfg));
    CHECK_OK(d->ctx, heddle_graph_get_events(d->graph, ev, SPEC_TASKS + 1, &n));
    CHECK_MSG(n == d->s->n_tasks, "%llu events of %u tasks", (unsigned long long)n, d->s->n_tasks);
    for (i = 0; i < n; i++) {
        uint32_t t = d->index[ev[i].task];
        CHECK_MSG(t != UINT32_MAX && !of[t], "task %u stands twice in the trace", ev[i].task);
        CHECK_MSG(!d->s->task[t].place || ev[i].worker == spec_worker(d->s->task[t].place, cfg.n_workers),
                  "task %u ran on worker %u of %u, its place is %u", ev[i].task, ev[i].worker, cfg.n_workers,
                  d->s->task[t].place);
        CHECK(ev[i].body == d->s->task[t].body && ev[i].begin_ns <= ev[i].end_ns);
        CHECK_MSG(i == 0 || ev[i].worker > ev[i - 1].worker ||
                      (ev[i].worker == ev[i - 1].worker && ev[i].begin_ns >= ev[i - 1].end_ns),
                  "events are not ordered by worker and time");
        of[t] = &ev[i];
    }
    side_check_times(d, of);
}

/* ---- both ------------------------------------------------------------------------------------------------------- */

static inline subject *subject_new(uint64_t *seed, heddle_ctx *serial, heddle_ctx *other, int placed)
{
    subject *x = malloc(sizeof *x);
    CHECK(x);
    spec_make(&x->s, seed);
    if (placed)
        spec_place(&x->s, seed);
    side_open(&x->serial, serial, &x->s);
    side_open(&x->other, other, &x->s);
    CHECK(!memcmp(x->serial.number, x->other.number, sizeof x->other.number));
    if (check_below(seed, 2)) /* otherwise the first run freezes it */
        CHECK_OK(other, heddle_graph_freeze(x->other.graph));
    return x;
}

/* After a run of the other side: runs serial and compares. */
static inline void subject_check(subject *x, int traced)
{
    side_run(&x->serial);
    side_check_ran(&x->serial);
    side_check_ran(&x->other);
    CHECK_MSG(!memcmp(x->serial.arena, x->other.arena, x->s.n_bytes), "the bytes differ from serial's in run %u",
              x->other.run);
    if (traced)
        side_check_trace(&x->other);
    if (x->other.run == 1)
        x->n_joins = oracle_check(&x->s, x->other.graph, x->other.number);
}

/* Between runs: gives some tasks other arguments, on both sides. */
static inline void subject_change(subject *x, uint64_t *seed)
{
    uint32_t i, n = x->s.n_tasks ? (uint32_t)check_below(seed, 6) : 0;
    for (i = 0; i < n; i++) {
        uint32_t t = (uint32_t)check_below(seed, x->s.n_tasks), n_bytes = spec_arg_bytes[x->s.task[t].body];
        spec_fill_args(&x->s.task[t], seed);
        CHECK_OK(NULL, heddle_graph_set_args(x->serial.graph, x->serial.number[t], x->s.task[t].args, n_bytes));
        CHECK_OK(NULL, heddle_graph_set_args(x->other.graph, x->other.number[t], x->s.task[t].args, n_bytes));
    }
}

static inline void subject_free(subject *x)
{
    side_close(&x->serial);
    side_close(&x->other);
    free(x);
}

#endif
