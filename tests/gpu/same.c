/* SPDX-License-Identifier: MIT */
/* same.c - random graphs give on a GPU the bytes of the serial backend in this process, in every way of running
 * (gpu/ways.h), run after run, with arguments changed in between. Each task runs once, after its predecessors: the
 * tasks check it themselves, and the trace shows it. Watched tasks are reported once.
 *
 *     same [--small] [--graphs N] [--seconds S]
 *
 * --small: few graphs, few workers. After S seconds no new graph is begun; fewer than MIN_GRAPHS graphs are a failure. */
#include "gpu/same_bodies.h"
#include "gpu/ways.h"
#include "same/spec.h"

#include <time.h>

#define N_GRAPHS 1500u
#define MIN_GRAPHS 1000u
#define WAYS_A_GRAPH 4u
#define N_RECORDS (SPEC_TASKS * 4u) /* joins included */
#define TIMER_STEP_NS 32u           /* of the GPU's clock: simultaneous reads on two SMs may differ by it */

/* One side: the graph on a context, and its arrays in memory of the context. */
typedef struct side {
    heddle_ctx *ctx;
    heddle_graph *graph;
    const spec *s;
    same_params params;
    heddle_task number[SPEC_TASKS];
    uint32_t index[N_RECORDS];
    uint32_t n_called[SPEC_TASKS];
} side;

typedef struct counts {
    uint64_t n_graphs, n_runs, n_tasks, n_traced, n_watched;
    uint64_t of_way[MAX_WAYS];
} counts;

static uint64_t now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec;
}

/* ---- a side's arrays on its device ------------------------------------------------------------------------------- */

static void *put(heddle_ctx *ctx, const void *from, size_t n_bytes)
{
    void *p;
    CHECK_OK(ctx, heddle_mem_new(ctx, n_bytes + 4, &p));
    CHECK_OK(ctx, heddle_mem_write(ctx, p, from, n_bytes));
    return p;
}

static same_range flat(const spec *s, const heddle_range *r)
{
    same_range f;
    f.at = (uint32_t)(bytes_base(r) - s->origin);
    f.row_bytes = (uint32_t)r->row_bytes;
    f.n_rows = (uint32_t)bytes_rows(r);
    f.stride_bytes = (uint32_t)r->stride_bytes;
    f.mode = (uint32_t)r->mode;
    return f;
}

static uint32_t list_before(const spec *s, uint32_t t, uint32_t *out)
{
    uint32_t i, n = 0;
    for (i = 0; i < s->n_tasks; i++)
        if (spec_has(&s->task[t].must, i))
            out[n++] = i;
    return n;
}

static void put_tasks(side *d)
{
    static same_task task[SPEC_TASKS];
    static uint32_t before[SPEC_TASKS * SPEC_TASKS];
    uint32_t t, k, n = 0;
    for (t = 0; t < d->s->n_tasks; t++) {
        const spec_task *from = &d->s->task[t];
        task[t].n_ranges = from->n_ranges;
        task[t].arg_bytes = spec_arg_bytes[from->body];
        task[t].pause_ns = from->pause * 1500;
        for (k = 0; k < from->n_ranges; k++)
            task[t].range[k] = flat(d->s, &from->range[k]);
        task[t].before = n;
        task[t].n_before = list_before(d->s, t, before + n);
        n += task[t].n_before;
    }
    d->params.task = put(d->ctx, task, d->s->n_tasks * sizeof *task);
    d->params.before = put(d->ctx, before, n * sizeof *before);
}

static void called(void *arg, heddle_task number)
{
    side *d = arg;
    __atomic_add_fetch(&d->n_called[d->index[number]], 1, __ATOMIC_RELAXED);
}

static void side_open(side *d, heddle_ctx *ctx, const spec *s)
{
    static const uint8_t zeros[SPEC_TASKS * 4];
    uint8_t arena[BYTES_MAX];
    uint32_t i;
    memset(d, 0, sizeof *d);
    memset(d->index, 0xff, sizeof d->index);
    d->ctx = ctx;
    d->s = s;
    CHECK_OK(ctx, heddle_graph_new(ctx, &same, &d->graph));
    spec_add(s, d->graph, d->number);
    for (i = 0; i < s->n_tasks; i++) {
        CHECK(d->number[i] < N_RECORDS);
        d->index[d->number[i]] = i;
        if (s->task[i].flags & HEDDLE_TASK_WATCH)
            CHECK_OK(ctx, heddle_graph_on_done(d->graph, d->number[i], called, d));
    }
    for (i = 0; i < s->n_bytes; i++)
        arena[i] = (uint8_t)(i * 37);
    d->params.arena = put(ctx, arena, s->n_bytes);
    d->params.index = put(ctx, d->index, sizeof d->index);
    d->params.ran = put(ctx, zeros, sizeof zeros);
    d->params.wrong = put(ctx, zeros, 4);
    put_tasks(d);
}

static void drop(heddle_ctx *ctx, const void *p) { heddle_mem_free(ctx, (void *)(uintptr_t)p); }

static void side_close(side *d)
{
    heddle_graph_free(d->graph);
    drop(d->ctx, d->params.arena);
    drop(d->ctx, d->params.task);
    drop(d->ctx, d->params.index);
    drop(d->ctx, d->params.before);
    drop(d->ctx, d->params.ran);
    drop(d->ctx, d->params.wrong);
}

/* ---- a run and its checks ---------------------------------------------------------------------------------------- */

static void side_run(side *d, const char *name)
{
    heddle_status s;
    d->params.run++;
    s = heddle_graph_run(d->ctx, d->graph, &d->params, sizeof d->params);
    CHECK_MSG(s == HEDDLE_OK, "%s, run %u: %s: %s", name, d->params.run, heddle_status_text(s),
              heddle_error_text(d->ctx));
}

static void check_ran(side *d, const char *name)
{
    uint32_t ran[SPEC_TASKS], wrong, t;
    CHECK_OK(d->ctx, heddle_mem_read(d->ctx, &wrong, d->params.wrong, 4));
    CHECK_MSG(!wrong, "%s, run %u: task %u ran too early or twice", name, d->params.run, wrong - 1);
    CHECK_OK(d->ctx, heddle_mem_read(d->ctx, ran, d->params.ran, sizeof ran));
    for (t = 0; t < d->s->n_tasks; t++) {
        uint32_t calls = d->s->task[t].flags & HEDDLE_TASK_WATCH ? d->params.run : 0;
        CHECK_MSG(ran[t] == d->params.run, "%s: task %u did not run", name, t);
        CHECK_MSG(d->n_called[t] == calls, "%s: task %u: %u calls in %u runs", name, t, d->n_called[t], d->params.run);
    }
}

static void check_bytes(side *d, const uint8_t *want, const char *name)
{
    uint8_t got[BYTES_MAX];
    uint64_t i;
    CHECK_OK(d->ctx, heddle_mem_read(d->ctx, got, d->params.arena, d->s->n_bytes));
    for (i = 0; i < d->s->n_bytes; i++)
        CHECK_MSG(got[i] == want[i], "%s, run %u: byte %llu is %u, serial's is %u", name, d->params.run,
                  (unsigned long long)i, got[i], want[i]);
}

static void check_order(const side *d, const heddle_event *const *of, const char *name)
{
    uint32_t t, p;
    for (t = 0; t < d->s->n_tasks; t++)
        for (p = 0; p < d->s->n_tasks; p++)
            CHECK_MSG(!spec_has(&d->s->task[t].must, p) || of[p]->end_ns <= of[t]->begin_ns + TIMER_STEP_NS,
                      "%s: task %u began %llu ns before the end of task %u", name, t,
                      (unsigned long long)(of[p]->end_ns - of[t]->begin_ns), p);
}

/* The trace must show each task once, in order, unless its buffers were too small. */
static void check_trace(side *d, const char *name, counts *n)
{
    static heddle_event ev[SPEC_TASKS + 1];
    const heddle_event *of[SPEC_TASKS] = {NULL};
    heddle_stats st = HEDDLE_STATS_INIT;
    size_t n_events, i;
    CHECK_OK(d->ctx, heddle_graph_get_stats(d->graph, &st));
    CHECK_MSG(st.n_tasks == d->s->n_tasks, "%s: %llu bodies run of %u", name, (unsigned long long)st.n_tasks,
              d->s->n_tasks);
    CHECK(st.n_dropped == 0);
    CHECK_OK(d->ctx, heddle_graph_get_events(d->graph, ev, SPEC_TASKS + 1, &n_events));
    CHECK_MSG(n_events == d->s->n_tasks, "%s: %zu events of %u tasks", name, n_events, d->s->n_tasks);
    for (i = 0; i < n_events; i++) {
        uint32_t t = ev[i].task < N_RECORDS ? d->index[ev[i].task] : UINT32_MAX;
        CHECK_MSG(t != UINT32_MAX && !of[t], "%s: task %u stands twice in the trace", name, ev[i].task);
        CHECK(ev[i].body == d->s->task[t].body && ev[i].begin_ns <= ev[i].end_ns);
        of[t] = &ev[i];
    }
    check_order(d, of, name);
    n->n_traced++;
}

/* ---- a graph ----------------------------------------------------------------------------------------------------- */

/* Between runs some tasks get other arguments; the same on both sides. */
static void change(spec *s, side *serial, side *gpu, uint64_t seed)
{
    uint32_t i, n = s->n_tasks ? (uint32_t)check_below(&seed, 6) : 0;
    for (i = 0; i < n; i++) {
        uint32_t t = (uint32_t)check_below(&seed, s->n_tasks), n_bytes = spec_arg_bytes[s->task[t].body];
        spec_fill_args(&s->task[t], &seed);
        CHECK_OK(NULL, heddle_graph_set_args(serial->graph, serial->number[t], s->task[t].args, n_bytes));
        CHECK_OK(NULL, heddle_graph_set_args(gpu->graph, gpu->number[t], s->task[t].args, n_bytes));
    }
}

static void one_way(spec *s, heddle_ctx *serial_ctx, way *w, uint64_t *seed, counts *n)
{
    static side serial, gpu;
    uint8_t want[BYTES_MAX];
    /* auto tries each candidate twice before it settles */
    uint32_t r, n_runs = w->config.schedule == HEDDLE_SCHEDULE_AUTO ? 12 : 1 + (uint32_t)check_below(seed, 3);
    side_open(&serial, serial_ctx, s);
    side_open(&gpu, ways_open(w), s);
    for (r = 0; r < n_runs; r++) {
        side_run(&serial, "serial");
        CHECK_OK(serial_ctx, heddle_mem_read(serial_ctx, want, serial.params.arena, s->n_bytes));
        side_run(&gpu, w->name);
        check_ran(&serial, "serial");
        check_ran(&gpu, w->name);
        check_bytes(&gpu, want, w->name);
        if (w->config.n_trace && s->n_tasks)
            check_trace(&gpu, w->name, n);
        change(s, &serial, &gpu, check_random(seed));
        n->n_runs++;
        n->n_tasks += s->n_tasks;
    }
    side_close(&serial);
    side_close(&gpu);
}

static void one_graph(heddle_ctx *serial, ways *w, uint64_t seed, uint32_t g, uint32_t n_ways, counts *n)
{
    static spec s, unwatched;
    uint32_t i, t;
    spec_make(&s, &seed);
    unwatched = s;
    for (t = 0; t < s.n_tasks; t++)
        unwatched.task[t].flags &= ~(uint32_t)HEDDLE_TASK_WATCH;
    for (i = 0; i < n_ways; i++) {
        uint32_t which = (g * n_ways + i) % w->n; /* each in turn */
        /* Schedules without workers refuse watched tasks. */
        int watches = w->all[which].config.schedule == HEDDLE_SCHEDULE_AUTO ||
                      heddle_schedule_has_workers(w->all[which].config.schedule);
        for (t = 0; watches && t < s.n_tasks; t++)
            n->n_watched += (s.task[t].flags & HEDDLE_TASK_WATCH) != 0;
        one_way(watches ? &s : &unwatched, serial, &w->all[which], &seed, n);
        n->of_way[which]++;
    }
    n->n_graphs++;
}

static void report(const ways *w, const counts *n)
{
    uint64_t least = UINT64_MAX;
    uint32_t i;
    for (i = 0; i < w->n; i++)
        least = n->of_way[i] < least ? n->of_way[i] : least;
    printf("%llu graphs, %llu runs, %llu tasks, %llu runs traced, %llu watched; %u ways, each on %llu graphs or more\n",
           (unsigned long long)n->n_graphs, (unsigned long long)n->n_runs, (unsigned long long)n->n_tasks,
           (unsigned long long)n->n_traced, (unsigned long long)n->n_watched, w->n, (unsigned long long)least);
    CHECK(least > 0 && n->n_traced && n->n_watched);
}

int main(int argc, char **argv)
{
    static ways w;
    static counts n;
    heddle_config plain = HEDDLE_CONFIG_INIT;
    heddle_ctx *serial;
    int i, small = 0;
    uint64_t n_graphs = N_GRAPHS, seconds = 240, begin = now_s(), seed = check_seed(20260321), g;
    for (i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--small"))
            small = 1;
        else if (!strcmp(argv[i], "--graphs") && i + 1 < argc)
            n_graphs = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--seconds") && i + 1 < argc)
            seconds = strtoull(argv[++i], NULL, 10);
    ways_need_gpu();
    ways_make(&w, small);
    plain.backend = HEDDLE_SERIAL;
    CHECK_OK(NULL, heddle_ctx_open(&serial, &plain));
    n_graphs = small ? (w.n + WAYS_A_GRAPH - 1u) / WAYS_A_GRAPH : n_graphs; /* each way once */
    for (g = 0; g < n_graphs && now_s() - begin < seconds; g++)
        one_graph(serial, &w, check_random(&seed), (uint32_t)g, WAYS_A_GRAPH, &n);
    report(&w, &n);
    ways_close(&w);
    heddle_ctx_close(serial);
    CHECK_MSG(n.n_graphs >= (n_graphs < MIN_GRAPHS ? n_graphs : MIN_GRAPHS), "only %llu graphs in %llu s",
              (unsigned long long)n.n_graphs, (unsigned long long)seconds);
    return 0;
}
