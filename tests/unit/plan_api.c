/* SPDX-License-Identifier: MIT */
/* The public calls for plans: a recorded run is replayed in the same order per worker, with joins; a plan follows
 * measured costs; plans are written and read; what cannot be is refused with a sentence and changes nothing. */
#include "check.h"
#include "graph/plan.h"
#include "heddle.h"
#include "heddle/task.h"
#include "run/run.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#define N_CELLS 12u
#define N_TRACE 1000u

typedef struct planned_params {
    uint64_t *cell;
    uint32_t *gate; /* 0: planned_gate waits */
} planned_params;
typedef struct planned_args {
    uint32_t us, code;
} planned_args;
#define PLANNED_BODIES(X) X(planned_nap, 0) X(planned_gate, 0)
HEDDLE_ENUM(planned, PLANNED_BODIES)

HEDDLE_BODY(planned_nap, planned_params, params, planned_args, t)
{
    (void)params;
    if (t->us)
        nanosleep(&(struct timespec){0, (long)t->us * 1000}, NULL);
    if (t->code)
        heddle_task_fail(thread, t->code);
}
HEDDLE_BODY(planned_gate, planned_params, params, planned_args, t)
{
    (void)t;
    while (!__atomic_load_n(params->gate, __ATOMIC_ACQUIRE))
        nanosleep(&(struct timespec){0, 100000}, NULL);
}
HEDDLE_TABLE(planned, planned_params, PLANNED_BODIES)

static uint64_t cells[N_CELLS];
static uint32_t gate = 1;
static const planned_params record = {cells, &gate};
static char path[64], other[64];

static heddle_ctx *open_cpu(uint32_t n_workers, uint32_t n_trace, heddle_schedule schedule)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    c.backend = HEDDLE_CPU;
    c.n_workers = n_workers;
    c.n_trace = n_trace;
    c.schedule = schedule;
    c.no_pin = 1;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    return ctx;
}

static heddle_graph *new_graph(heddle_ctx *ctx)
{
    heddle_graph *g;
    CHECK_OK(ctx, heddle_graph_new(ctx, &planned, &g));
    return g;
}

static void add(heddle_ctx *ctx, heddle_graph *g, uint32_t us, uint32_t cost_ns, const heddle_range *r, size_t n_ranges)
{
    planned_args args = {us, 0};
    heddle_task_desc d = HEDDLE_TASK_INIT;
    d.body = planned_nap;
    d.args = &args;
    d.arg_bytes = sizeof args;
    d.cost_ns = cost_ns;
    d.ranges = r;
    d.n_ranges = n_ranges;
    CHECK_OK(ctx, heddle_graph_add_task(g, &d, NULL));
}

/* Crowds of readers, then crowds of writers, so that there are joins. The same seed makes the same graph. */
static heddle_graph *crowds(heddle_ctx *ctx, uint64_t seed, uint64_t *n_joins)
{
    heddle_graph *g = new_graph(ctx);
    heddle_graph_info info = HEDDLE_GRAPH_INFO_INIT;
    uint32_t i, n = 50 + (uint32_t)check_below(&seed, 150);
    for (i = 0; i < n; i++) {
        uint32_t wide = i / 20 % 2; /* many parts, or one range over all of them */
        heddle_range r = wide ? heddle_range_of(cells, sizeof cells, 1, 0, HEDDLE_MODE_IN)
                              : heddle_range_of(&cells[check_below(&seed, N_CELLS)], 8, 1, 0, HEDDLE_MODE_INOUT);
        add(ctx, g, (uint32_t)check_below(&seed, 3) * 10, 0, &r, check_below(&seed, 8) ? 1 : 0);
    }
    CHECK_OK(ctx, heddle_graph_freeze(g));
    CHECK_OK(ctx, heddle_graph_get_info(g, &info));
    *n_joins += info.n_joins;
    return g;
}

static void run(heddle_ctx *ctx, heddle_graph *g) { CHECK_OK(ctx, heddle_graph_run(ctx, g, &record, sizeof record)); }

/* The last run's events: worker and task of each, worker after worker, in order of time. Returns their number. */
static size_t order_of(heddle_ctx *ctx, heddle_graph *g, heddle_event *ev)
{
    size_t n;
    CHECK_OK(ctx, heddle_graph_get_events(g, ev, N_TRACE, &n));
    CHECK(n <= N_TRACE);
    return n;
}

static int refused(heddle_ctx *ctx, heddle_status got, heddle_status want, const char *says)
{
    CHECK_MSG(got == want && strstr(heddle_error_text(ctx), says), "%s: %s", heddle_status_text(got),
              heddle_error_text(ctx));
    return 1;
}

static char *text_of(const char *file)
{
    char *text = calloc(1, 100000);
    FILE *f = fopen(file, "rb");
    CHECK(f && text && fread(text, 1, 99999, f) > 0);
    fclose(f);
    return text;
}

static void same_files(void)
{
    char *a = text_of(path), *b = text_of(other);
    CHECK_MSG(strcmp(a, b) == 0, "%s\n%s", a, b);
    free(a);
    free(b);
}

/* ---- record and replay ------------------------------------------------------------------------------------------- */

static void replay(uint64_t seed, uint32_t n_workers, const heddle_event *was, size_t n)
{
    static heddle_event is[N_TRACE];
    heddle_ctx *ctx = open_cpu(n_workers, N_TRACE, HEDDLE_SCHEDULE_STATIC);
    uint64_t n_joins = 0;
    heddle_graph *g = crowds(ctx, seed, &n_joins);
    size_t i;
    CHECK_OK(ctx, heddle_graph_read_plan(g, path));
    run(ctx, g);
    run(ctx, g);
    CHECK(order_of(ctx, g, is) == n);
    for (i = 0; i < n; i++)
        CHECK_MSG(is[i].worker == was[i].worker && is[i].task == was[i].task, "event %zu: task %u on %u was %u on %u",
                  i, is[i].task, is[i].worker, was[i].task, was[i].worker);
    CHECK_OK(ctx, heddle_graph_record_plan(g)); /* joins may be elsewhere, but it is a valid plan */
    CHECK(strstr(heddle_graph_describe_run(g), "static"));
    heddle_graph_free(g);
    heddle_ctx_close(ctx);
}

static void record_and_replay(uint64_t *seed, uint64_t *n_joins)
{
    static heddle_event ev[N_TRACE];
    uint32_t n_workers = 1 + (uint32_t)check_below(seed, 4);
    heddle_ctx *ctx = open_cpu(n_workers, N_TRACE, HEDDLE_SCHEDULE_RINGS);
    uint64_t of_graph = check_random(seed);
    heddle_graph *g = crowds(ctx, of_graph, n_joins);
    size_t n;
    run(ctx, g);
    n = order_of(ctx, g, ev);
    CHECK_OK(ctx, heddle_graph_record_plan(g));
    CHECK_OK(ctx, heddle_graph_write_plan(g, path));
    CHECK_OK(ctx, heddle_graph_read_plan(g, path));
    CHECK_OK(ctx, heddle_graph_write_plan(g, other));
    same_files();
    CHECK(order_of(ctx, g, ev) == n); /* the last run is still known */
    run(ctx, g);                      /* another dispatch ignores the plan */
    heddle_graph_free(g);
    heddle_ctx_close(ctx);
    replay(of_graph, n_workers, ev, n);
}

/* A join before a join, and one at the end: graphs from files may have such. */
static void chained_joins(void)
{
    heddle_ctx *ctx = open_cpu(1, 50, HEDDLE_SCHEDULE_RINGS);
    heddle_graph *g = new_graph(ctx);
    static const uint32_t edges[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}};
    uint32_t i;
    for (i = 0; i < 5; i++)
        if (i % 3 == 0)
            add(ctx, g, 0, 0, NULL, 0);
        else
            CHECK(hd_graph_add_join(&g->g, NULL) == HEDDLE_OK);
    for (i = 0; i < 4; i++)
        CHECK_OK(ctx, heddle_graph_add_edge(g, edges[i][1], edges[i][0]));
    run(ctx, g);
    CHECK_OK(ctx, heddle_graph_record_plan(g));
    heddle_graph_free(g);
    heddle_ctx_close(ctx);
}

/* ---- costs ------------------------------------------------------------------------------------------------------- */

static hd_plan written(heddle_ctx *ctx, heddle_graph *g)
{
    hd_plan p;
    CHECK_OK(ctx, heddle_graph_write_plan(g, path));
    CHECK(hd_plan_read(&p, path, NULL) == HEDDLE_OK);
    return p;
}

/* The list of task 0 must have n tasks. */
static void list_of_0(heddle_ctx *ctx, heddle_graph *g, uint32_t n)
{
    hd_plan p = written(ctx, g);
    uint32_t w, i, found = 0;
    for (w = 0; w < p.n_workers; w++)
        for (i = p.lists[w]; i < p.lists[w + 1]; i++)
            if (p.order[i] == 0)
                found = p.lists[w + 1] - p.lists[w];
    CHECK_MSG(found == n, "%u tasks in the list of task 0", found);
    hd_plan_clear(&p);
}

/* Nine tasks; the first takes as long as the others together, but no cost was given. */
static void costs(void)
{
    heddle_ctx *ctx = open_cpu(2, 100, HEDDLE_SCHEDULE_RINGS);
    heddle_graph *g = new_graph(ctx);
    heddle_stats stats = HEDDLE_STATS_INIT;
    uint32_t i;
    CHECK(!strcmp(heddle_graph_describe_run(g), "") && !strcmp(heddle_graph_describe_run(NULL), ""));
    for (i = 0; i < 9; i++)
        add(ctx, g, i ? 1000 : 200000, 100000, NULL, 0);
    CHECK_OK(ctx, heddle_graph_replan(g, 3));
    list_of_0(ctx, g, 3);
    CHECK_OK(ctx, heddle_graph_replan(g, 0));
    run(ctx, g);
    CHECK(*heddle_graph_describe_run(g));
    CHECK_OK(ctx, heddle_graph_replan(g, 0));
    list_of_0(ctx, g, 1);
    CHECK_OK(ctx, heddle_graph_get_stats(g, &stats));
    CHECK(stats.n_tasks == 9);
    CHECK_OK(ctx, heddle_graph_replan(g, 3));
    list_of_0(ctx, g, 1);
    run(ctx, g);
    refused(ctx, heddle_graph_replan(g, HD_PLAN_MAX_WORKERS + 1), HEDDLE_ERANGE, "workers");
    heddle_graph_free(g);
    heddle_ctx_close(ctx);
}

/* The next run follows a plan made since the last one. */
static void changed(void)
{
    static heddle_event ev[N_TRACE];
    heddle_ctx *ctx = open_cpu(2, 100, HEDDLE_SCHEDULE_STATIC);
    heddle_graph *g = new_graph(ctx);
    static const char *const plans[] = {"{\"workers\":2,\"tasks\":4,\"lists\":[[3,0],[1,2]]}",
                                        "{\"workers\":2,\"tasks\":4,\"lists\":[[],[2,1,0,3]]}"};
    static const uint32_t orders[][4] = {{3, 0, 1, 2}, {2, 1, 0, 3}};
    uint32_t i, k;
    heddle_stats stats = HEDDLE_STATS_INIT;
    for (i = 0; i < 4; i++)
        add(ctx, g, 0, 0, NULL, 0);
    run(ctx, g);
    CHECK_OK(ctx, heddle_graph_get_stats(g, &stats)); /* it had no plan, so loading made one */
    CHECK(stats.plan_ns > 0 && stats.plan_ns <= stats.load_ns && stats.kernel_ns == 0);
    for (i = 0; i < 4; i++) {
        FILE *f = fopen(path, "w");
        CHECK(f && fputs(plans[i % 2], f) >= 0 && fclose(f) == 0);
        CHECK_OK(ctx, heddle_graph_read_plan(g, path));
        run(ctx, g);
        CHECK(order_of(ctx, g, ev) == 4);
        for (k = 0; k < 4; k++)
            CHECK_MSG(ev[k].task == orders[i % 2][k], "task %u", ev[k].task);
    }
    heddle_graph_free(g);
    heddle_ctx_close(ctx);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

/* A chain of n. */
static heddle_graph *chain(heddle_ctx *ctx, uint32_t n)
{
    heddle_graph *g = new_graph(ctx);
    heddle_range r = HEDDLE_INOUT(cells, 8);
    for (; n > 0; n--)
        add(ctx, g, 0, 0, &r, 1);
    return g;
}

static void write_file(const char *text)
{
    FILE *f = fopen(other, "w");
    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void no_plan(void)
{
    heddle_ctx *ctx = open_cpu(2, 0, HEDDLE_SCHEDULE_STATIC);
    heddle_graph *g = chain(ctx, 3);
    CHECK(heddle_graph_replan(NULL, 0) == HEDDLE_EINVAL && heddle_graph_record_plan(NULL) == HEDDLE_EINVAL);
    CHECK(heddle_graph_write_plan(NULL, path) == HEDDLE_EINVAL && heddle_graph_read_plan(NULL, path) == HEDDLE_EINVAL);
    refused(ctx, heddle_graph_write_plan(g, path), HEDDLE_EINVAL, "no plan");
    refused(ctx, heddle_graph_record_plan(g), HEDDLE_EINVAL, "not run");
    run(ctx, g);
    refused(ctx, heddle_graph_record_plan(g), HEDDLE_EINVAL, "not traced");
    CHECK_OK(ctx, heddle_graph_replan(g, 2));
    CHECK_OK(ctx, heddle_graph_write_plan(g, path));
    refused(ctx, heddle_graph_write_plan(g, NULL), HEDDLE_EINVAL, "NULL");
    refused(ctx, heddle_graph_write_plan(g, "/nowhere/at/all"), HEDDLE_EIO, "/nowhere/at/all");
    refused(ctx, heddle_graph_read_plan(g, NULL), HEDDLE_EINVAL, "NULL");
    refused(ctx, heddle_graph_read_plan(g, "/nowhere/at/all"), HEDDLE_EIO, "/nowhere/at/all");
    write_file("{\"workers\":2,\"tasks\":3,\"lists\":[[0,2],[2]]}");
    refused(ctx, heddle_graph_read_plan(g, other), HEDDLE_EINVAL, other);
    write_file("{\"workers\":2,\"tasks\":3,\"lists\":[[2,0],[1]]}");
    refused(ctx, heddle_graph_read_plan(g, other), HEDDLE_ECYCLE, other);
    write_file("{\"workers\":2,\"tasks\":2,\"lists\":[[0],[1]]}");
    refused(ctx, heddle_graph_read_plan(g, other), HEDDLE_EINVAL, "a plan of 2 tasks");
    write_file("{\"workers\":2,\"tasks\":3,\"lists\":[[0],[1]}");
    refused(ctx, heddle_graph_read_plan(g, other), HEDDLE_EPARSE, ":1: ");
    CHECK_OK(ctx, heddle_graph_write_plan(g, other)); /* as it was */
    same_files();
    write_file("{\"workers\":3,\"tasks\":3,\"lists\":[[0],[1],[2]]}");
    CHECK_OK(ctx, heddle_graph_read_plan(g, other));
    refused(ctx, heddle_graph_run(ctx, g, &record, sizeof record), HEDDLE_EINVAL, "3 workers");
    CHECK_OK(ctx, heddle_graph_replan(g, 0));
    run(ctx, g);
    heddle_graph_free(g);
    heddle_ctx_close(ctx);
}

static void not_recorded(void)
{
    heddle_ctx *ctx = open_cpu(2, 2, HEDDLE_SCHEDULE_RINGS);
    heddle_graph *g = chain(ctx, 20);
    planned_args args = {0, 7};
    run(ctx, g);
    refused(ctx, heddle_graph_record_plan(g), HEDDLE_EINVAL, "lost");
    heddle_graph_free(g);
    heddle_ctx_close(ctx);
    ctx = open_cpu(2, 50, HEDDLE_SCHEDULE_RINGS);
    g = chain(ctx, 20);
    CHECK_OK(ctx, heddle_graph_set_args(g, 10, &args, sizeof args));
    CHECK(heddle_graph_run(ctx, g, &record, sizeof record) == HEDDLE_EBODY);
    refused(ctx, heddle_graph_record_plan(g), HEDDLE_EINVAL, "of 20 tasks");
    heddle_graph_free(g);
    heddle_ctx_close(ctx);
}

static void in_flight(void)
{
    heddle_ctx *ctx = open_cpu(2, 50, HEDDLE_SCHEDULE_RINGS);
    heddle_graph *g = new_graph(ctx);
    planned_args args = {0, 0};
    heddle_job *j;
    CHECK_OK(ctx, heddle_graph_add(g, planned_gate, &args, sizeof args, NULL, 0, NULL));
    CHECK_OK(ctx, heddle_graph_replan(g, 2));
    gate = 0;
    CHECK_OK(ctx, heddle_graph_submit(ctx, g, &record, sizeof record, &j));
    refused(ctx, heddle_graph_replan(g, 2), HEDDLE_EBUSY, "in flight");
    refused(ctx, heddle_graph_record_plan(g), HEDDLE_EBUSY, "in flight");
    refused(ctx, heddle_graph_write_plan(g, path), HEDDLE_EBUSY, "in flight");
    refused(ctx, heddle_graph_read_plan(g, path), HEDDLE_EBUSY, "in flight");
    CHECK(!strcmp(heddle_graph_describe_run(g), ""));
    __atomic_store_n(&gate, 1, __ATOMIC_RELEASE);
    CHECK_OK(ctx, heddle_job_wait(j, HEDDLE_FOREVER));
    CHECK_OK(ctx, heddle_graph_record_plan(g));
    heddle_job_free(j);
    heddle_graph_free(g);
    heddle_ctx_close(ctx);
}

/* Each allocation of each call fails once: the plan is unchanged, and nothing leaks. */
static void memory(void)
{
    heddle_ctx *ctx = open_cpu(2, 300, HEDDLE_SCHEDULE_RINGS);
    uint64_t n_joins = 0, held, n;
    heddle_graph *g = crowds(ctx, 5, &n_joins);
    uint32_t call;
    run(ctx, g);
    CHECK_OK(ctx, heddle_graph_replan(g, 2));
    CHECK_OK(ctx, heddle_graph_write_plan(g, path));
    held = hd_held_bytes();
    for (call = 0; call < 4; call++) {
        heddle_status s = HEDDLE_ENOMEM;
        for (n = 1; s != HEDDLE_OK; n++) {
            hd_fail_alloc_at(n);
            s = call == 0   ? heddle_graph_record_plan(g)
                : call == 1 ? heddle_graph_replan(g, 2)
                : call == 2 ? heddle_graph_read_plan(g, path)
                            : heddle_graph_write_plan(g, other);
            hd_fail_alloc_at(0);
            CHECK(s == HEDDLE_OK || s == HEDDLE_ENOMEM);
            CHECK_MSG(hd_held_bytes() == held, "call %u, allocation %llu", call, (unsigned long long)n);
            if (s == HEDDLE_ENOMEM && call < 1) {
                CHECK_OK(ctx, heddle_graph_write_plan(g, other));
                same_files();
            }
        }
        CHECK(call == 3 ? n == 3 : n > 5); /* or no allocation failed */
    }
    heddle_graph_free(g);
    heddle_ctx_close(ctx);
}

int main(void)
{
    uint64_t seed = check_seed(77), n_joins = 0, held = hd_held_bytes();
    uint32_t i;
    snprintf(path, sizeof path, "/tmp/heddle-plan-%ld.json", (long)getpid());
    snprintf(other, sizeof other, "/tmp/heddle-other-%ld.json", (long)getpid());
    for (i = 0; i < 60; i++)
        record_and_replay(&seed, &n_joins);
    printf("%llu joins\n", (unsigned long long)n_joins);
    CHECK(n_joins > 60);
    chained_joins();
    costs();
    changed();
    no_plan();
    not_recorded();
    in_flight();
    memory();
    unlink(path);
    unlink(other);
    CHECK(hd_held_bytes() == held);
    return 0;
}
