/* SPDX-License-Identifier: MIT */
/* fault.c - failures on a GPU, each case in a process of its own (gpu/children.h). Bodies fail; runs are canceled; time
 * limits meet a lost release, a planted cycle of waits, a body that does not return; resources are short; run numbers
 * wrap. Required: a status, a sentence that names the cause, and a context that is usable again or lost for good.
 *
 *     fault [CASE|--short] */
#include "gpu/children.h"
#include "gpu/rig.h"
#include "schedules.h"
#include "graph/plan.h"
#include "run/run.h"

#define LIMIT_MS 300u

extern uint32_t hd_cuda_first_run; /* src/backend/cuda/workers.c */

/* Way i of all schedules. */
#define N_WAYS N_GPU_SCHEDULES
static heddle_ctx *open_way(uint32_t i, uint32_t n_workers, uint32_t limit_ms, char name[64])
{
    snprintf(name, 64, "%s", heddle_schedule_name(gpu_schedule(i)));
    return rig_open_ctx(gpu_schedule(i), n_workers, limit_ms);
}

static void present(void)
{
    if (!heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU here");
}

/* ---- bodies that fail -------------------------------------------------------------------------------------------- */

static void set_code(rig *r, heddle_task t, uint32_t cell, uint32_t code)
{
    faulty_args a = {cell, code};
    CHECK_OK(r->ctx, heddle_graph_set_args(r->g, t, &a, sizeof a));
}

/* A task in the middle of a chain fails: the error names it, later tasks do not run, and a run without the fault is
 * good. */
static void fail_one(uint32_t way)
{
    char name[64], who[64];
    heddle_ctx *ctx = open_way(way, 0, 20000, name);
    heddle_task bad;
    heddle_status s;
    uint64_t cell;
    rig r;
    rig_open(&r, ctx);
    (void)rig_add(&r, faulty_step, 0, 1);
    bad = rig_add(&r, faulty_code, 0, 42);
    (void)rig_add(&r, faulty_step, 0, 1);
    s = rig_run(&r);
    CHECK_MSG(s == HEDDLE_EBODY, "%s: %s: %s", name, heddle_status_text(s), heddle_error_text(ctx));
    snprintf(who, sizeof who, "task %u (faulty_code) failed with code 42", bad);
    rig_says(ctx, who);
    CHECK_OK(ctx, heddle_mem_read(ctx, &cell, r.params.cell, 8));
    CHECK_MSG(cell == 1, "%s: a task behind the one that failed has run", name);
    set_code(&r, bad, 0, 0);
    rig_clear(&r);
    CHECK_OK(ctx, rig_run(&r));
    CHECK_OK(ctx, heddle_mem_read(ctx, &cell, r.params.cell, 8));
    CHECK_MSG(cell == 4, "%s: cell %llu after the repair", name, (unsigned long long)cell);
    rig_close(&r);
    rig_usable(ctx, name);
    heddle_ctx_close(ctx);
}

/* Many tasks fail: one failure is kept, and its code belongs to its task. */
static void fail_many(uint32_t way)
{
    enum { N = 32 };
    char name[64], who[96];
    heddle_ctx *ctx = open_way(way, 0, 20000, name);
    heddle_task bad[N];
    uint32_t i, n_said = 0;
    heddle_status s;
    rig r;
    rig_open(&r, ctx);
    for (i = 0; i < N; i++)
        bad[i] = rig_add(&r, faulty_code, i, 100 + i);
    s = rig_run(&r);
    CHECK_MSG(s == HEDDLE_EBODY, "%s: %s", name, heddle_status_text(s));
    for (i = 0; i < N; i++) {
        snprintf(who, sizeof who, "task %u (faulty_code) failed with code %u", bad[i], 100 + i);
        n_said += strstr(heddle_error_text(ctx), who) != NULL;
    }
    CHECK_MSG(n_said == 1, "%s: %s", name, heddle_error_text(ctx));
    rig_close(&r);
    rig_usable(ctx, name);
    heddle_ctx_close(ctx);
}

static void fail_bodies(void)
{
    uint32_t way;
    for (way = 0; way < N_WAYS; way++) {
        fail_one(way);
        fail_many(way);
    }
}

/* ---- stopped in time --------------------------------------------------------------------------------------------- */

/* Chains of naps: two seconds in all, stopped on the way. */
static void add_naps(rig *r)
{
    uint32_t i;
    for (i = 0; i < 500; i++)
        (void)rig_add(r, faulty_nap, i % 2, 8);
}

static void cancel_way(uint32_t way)
{
    char name[64];
    heddle_ctx *ctx = open_way(way, 0, 20000, name);
    double begin;
    heddle_job *j;
    heddle_status s;
    rig r;
    rig_open(&r, ctx);
    add_naps(&r);
    begin = rig_ms();
    CHECK_OK(ctx, heddle_graph_submit(ctx, r.g, &r.params, sizeof r.params, &j));
    CHECK(heddle_job_wait(j, 50) == HEDDLE_EBUSY && heddle_job_test(j) == HEDDLE_EBUSY);
    heddle_job_cancel(j);
    s = heddle_job_wait(j, HEDDLE_FOREVER);
    CHECK_MSG(s == HEDDLE_ECANCELED, "%s: %s: %s", name, heddle_status_text(s), heddle_error_text(ctx));
    CHECK_MSG(rig_ms() - begin < 1500, "%s: cancelled, and yet %.0f ms", name, rig_ms() - begin);
    heddle_job_free(j);
    rig_usable(ctx, name);
    CHECK_OK(ctx, rig_run(&r)); /* the same graph runs to its end */
    rig_close(&r);
    heddle_ctx_close(ctx);
}

static void cancel(void)
{
    uint32_t way;
    for (way = 0; way < N_WAYS; way++)
        cancel_way(way);
}

/* The run exceeds the limit, no body does: it stops between tasks, and the context survives. */
static void limit_drains(void)
{
    uint32_t way;
    for (way = 0; way < N_WAYS; way++) {
        char name[64];
        heddle_ctx *ctx = open_way(way, 0, LIMIT_MS, name);
        double begin = rig_ms();
        heddle_status s;
        rig r;
        rig_open(&r, ctx);
        add_naps(&r);
        s = rig_run(&r);
        CHECK_MSG(s == HEDDLE_ETIMEDOUT, "%s: %s: %s", name, heddle_status_text(s), heddle_error_text(ctx));
        rig_says(ctx, "300 ms");
        if (way < N_WORKER_SCHEDULES) /* launches have no workers to report */
            rig_says(ctx, "(faulty_nap)");
        CHECK_MSG(!strstr(heddle_error_text(ctx), "no worker has started"), "%s: %s", name, heddle_error_text(ctx));
        CHECK_MSG(rig_ms() - begin < 3000, "%s: %.0f ms", name, rig_ms() - begin);
        rig_close(&r);
        rig_usable(ctx, name);
        heddle_ctx_close(ctx);
    }
}

/* A body of two seconds returns within the grace period. */
static void limit_grace(void)
{
    heddle_ctx *ctx = rig_open_ctx(HEDDLE_SCHEDULE_STATIC, 0, LIMIT_MS);
    heddle_status s;
    rig r;
    rig_open(&r, ctx);
    (void)rig_add(&r, faulty_nap, 0, 2000);
    (void)rig_add(&r, faulty_step, 0, 1);
    s = rig_run(&r);
    CHECK_MSG(s == HEDDLE_ETIMEDOUT, "%s: %s", heddle_status_text(s), heddle_error_text(ctx));
    rig_says(ctx, "(faulty_nap)");
    rig_close(&r);
    rig_usable(ctx, "after a body that took long");
    heddle_ctx_close(ctx);
}

/* A body does not return within the grace period (it gives up by itself later). The context is lost and reports it
 * without waiting; closing it does not wait either. */
static void limit_loses(void)
{
    heddle_ctx *ctx = rig_open_ctx(HEDDLE_SCHEDULE_RINGS, 0, LIMIT_MS);
    double begin;
    uint64_t word = 0;
    void *p;
    heddle_status s;
    rig r, other; /* freeing another graph that has run must not wait either */
    rig_open(&other, ctx);
    rig_chains(&other, 4, 4);
    rig_run_well(&other, "before");
    rig_open(&r, ctx);
    (void)rig_add(&r, faulty_nap, 0, 11000);
    s = rig_run(&r);
    CHECK_MSG(s == HEDDLE_ETIMEDOUT || s == HEDDLE_EDEVICE, "%s: %s", heddle_status_text(s), heddle_error_text(ctx));
    begin = rig_ms();
    CHECK(rig_run(&r) == HEDDLE_EDEVICE && strlen(heddle_error_text(ctx)) > 10);
    CHECK(heddle_mem_new(ctx, 100, &p) == HEDDLE_EDEVICE && !p);
    CHECK(heddle_mem_read(ctx, &word, r.params.cell, 8) == HEDDLE_EDEVICE);
    CHECK(heddle_mem_write(ctx, r.params.cell, &word, 8) == HEDDLE_EDEVICE);
    rig_close(&other);
    rig_close(&r);
    heddle_ctx_close(ctx);
    CHECK_MSG(rig_ms() - begin < 500, "calls on a lost context took %.0f ms", rig_ms() - begin);
    _exit(0); /* a normal exit would wait for the body */
}

/* A body writes to an unmapped address: CUDA invalidates the process's context; heddle reports that reason. */
static void crash(void)
{
    heddle_ctx *ctx = rig_open_ctx(HEDDLE_SCHEDULE_STATIC, 0, 10000);
    double begin = rig_ms();
    void *p = NULL;
    heddle_status s;
    rig r;
    rig_open(&r, ctx);
    rig_chains(&r, 4, 4);
    (void)rig_add(&r, faulty_crash, 5, 1);
    s = rig_run(&r);
    CHECK_MSG(s == HEDDLE_EDEVICE, "%s: %s", heddle_status_text(s), heddle_error_text(ctx));
    printf("%s\n", heddle_error_text(ctx));
    rig_says(ctx, "cudaErrorIllegalAddress");
    CHECK(rig_run(&r) == HEDDLE_EDEVICE && strlen(heddle_error_text(ctx)) > 10);
    CHECK(heddle_mem_new(ctx, 100, &p) != HEDDLE_OK && !p);
    rig_close(&r);
    heddle_ctx_close(ctx);
    CHECK_MSG(rig_ms() - begin < 5000, "%.0f ms", rig_ms() - begin);
}

/* ---- waits without end -- */

/* Adds a task that waits for ever: its edges require one arrival more than there are. */
static void lose_release(rig *r)
{
    hd_graph *g = &r->g->g;
    heddle_task t;
    hd_task *task;
    uint32_t i, k;
    (void)rig_add(r, faulty_step, 0, 1);
    (void)rig_add(r, faulty_step, 1, 1);
    CHECK_OK(r->ctx, heddle_graph_add(r->g, faulty_step, &(faulty_args){2, 1}, sizeof(faulty_args),
                                      HEDDLE_RANGES(HEDDLE_IN(rig_key(0), 8), HEDDLE_IN(rig_key(1), 8)), &t));
    CHECK_OK(r->ctx, heddle_graph_freeze(r->g));
    task = (hd_task *)(uintptr_t)hd_graph_task(g, t);
    CHECK(task->n_in == 2);
    task->n_in = 3;
    for (i = 0; i < 2; i++) {
        task = (hd_task *)(uintptr_t)hd_graph_task(g, i);
        for (k = 0; k < task->n_succ; k++)
            task->first[k].need++;
    }
}

static void lost_release(void)
{
    uint32_t i;
    for (i = 0; i < N_WORKER_SCHEDULES; i++) {
        heddle_ctx *ctx = rig_open_ctx(worker_schedules[i], 4, LIMIT_MS);
        double begin = rig_ms();
        heddle_status s;
        rig r;
        int ends;
        if (worker_schedules[i] == HEDDLE_SCHEDULE_STATIC) { /* its steps are made from the edges: cycle tests it */
            heddle_ctx_close(ctx);
            continue;
        }
        rig_open(&r, ctx);
        lose_release(&r);
        s = rig_run(&r);
        ends = worker_schedules[i] == HEDDLE_SCHEDULE_TICKET; /* ends by itself when no worker can go on */
        CHECK_MSG(s == (ends ? HEDDLE_ECYCLE : HEDDLE_ETIMEDOUT), "%s: %s: %s",
                  heddle_schedule_name(worker_schedules[i]), heddle_status_text(s), heddle_error_text(ctx));
        printf("%s: %s\n", heddle_schedule_name(worker_schedules[i]), heddle_error_text(ctx));
        rig_says(ctx, ends ? "no worker can go on" : "300 ms");
        rig_says(ctx, "(faulty_step) waits, 2 of its 3 predecessors done");
        CHECK_MSG(rig_ms() - begin < 3000, "%.0f ms", rig_ms() - begin);
        rig_close(&r);
        rig_usable(ctx, "after a lost release");
        heddle_ctx_close(ctx);
    }
}

/* a -> b, c -> d; worker 0 has d before a, worker 1 has b before c. The library reads no file with such a plan, so the
 * test writes it into the graph. */
static void plant_cycle(rig *r)
{
    static const uint32_t lists[3] = {0, 2, 4}, order[4] = {3, 0, 1, 2};
    hd_plan from = {2, 4, (uint32_t *)(uintptr_t)lists, (uint32_t *)(uintptr_t)order};
    (void)rig_add(r, faulty_step, 0, 1);
    (void)rig_add(r, faulty_step, 0, 2);
    (void)rig_add(r, faulty_step, 1, 3);
    (void)rig_add(r, faulty_step, 1, 4);
    CHECK_OK(r->ctx, heddle_graph_freeze(r->g));
    CHECK(hd_plan_check(&from, &r->g->g, NULL) == HEDDLE_ECYCLE);
    r->g->g.plan = hd_new(sizeof from);
    CHECK(r->g->g.plan);
    CHECK_OK(r->ctx, hd_plan_copy(r->g->g.plan, &from, NULL));
}

static void cycle(void)
{
    heddle_ctx *ctx = rig_open_ctx(HEDDLE_SCHEDULE_STATIC, 2, LIMIT_MS);
    double begin = rig_ms();
    heddle_status s;
    rig r;
    rig_open(&r, ctx);
    plant_cycle(&r);
    s = rig_run(&r);
    CHECK_MSG(s == HEDDLE_ETIMEDOUT, "%s: %s", heddle_status_text(s), heddle_error_text(ctx));
    printf("%s\n", heddle_error_text(ctx));
    rig_says(ctx, "worker 0 waits for task 3 (faulty_step), 0 of its 1");
    rig_says(ctx, "worker 1 waits for task 1 (faulty_step), 0 of its 1");
    CHECK_MSG(rig_ms() - begin < 3000, "%.0f ms", rig_ms() - begin);
    rig_close(&r);
    rig_usable(ctx, "after a cycle of waits");
    heddle_ctx_close(ctx);
}

/* ---- too little of something -- */

static void too_little_memory(void)
{
    heddle_ctx *ctx = rig_open_ctx(HEDDLE_SCHEDULE_STATIC, 0, 20000);
    void *p = ctx;
    CHECK(heddle_mem_new(ctx, (size_t)10 << 40, &p) == HEDDLE_ENOMEM && !p);
    rig_says(ctx, "10995116277760");
    rig_usable(ctx, "after too large a block");
    heddle_ctx_close(ctx);
}

/* The GPU has no room for the trace. */
static void too_large_a_trace(void)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    heddle_status s;
    rig r;
    c.backend = HEDDLE_CUDA;
    c.schedule = HEDDLE_SCHEDULE_RINGS;
    c.n_workers = 132;
    c.n_trace = 1u << 26;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    rig_open(&r, ctx);
    rig_chains(&r, 4, 4);
    s = rig_run(&r);
    CHECK_MSG(s == HEDDLE_ENOMEM && strlen(heddle_error_text(ctx)) > 20, "%s: %s", heddle_status_text(s),
              heddle_error_text(ctx));
    rig_close(&r);
    heddle_ctx_close(ctx);
}

static void too_much_shared(void)
{
    uint32_t way;
    for (way = 0; way < N_WAYS; way++) {
        char name[64];
        heddle_ctx *ctx = open_way(way, 0, 20000, name);
        heddle_status s;
        rig r;
        rig_open(&r, ctx);
        rig_chains(&r, 1, 2);
        CHECK_OK(ctx, heddle_graph_set_shared_bytes(r.g, faulty_step, 300u << 10));
        s = rig_run(&r);
        CHECK_MSG(s == HEDDLE_ERANGE, "%s: %s: %s", name, heddle_status_text(s), heddle_error_text(ctx));
        rig_says(ctx, "shared memory");
        rig_close(&r);
        rig_usable(ctx, name);
        heddle_ctx_close(ctx);
    }
}

/* 200 KiB of shared memory leave room for one block per SM. */
static void much_shared(void)
{
    heddle_ctx *ctx = rig_open_ctx(HEDDLE_SCHEDULE_RINGS, 0, 20000);
    heddle_device d = HEDDLE_DEVICE_INIT;
    rig r;
    CHECK_OK(NULL, heddle_device_get(HEDDLE_CUDA, 0, &d));
    rig_open(&r, ctx);
    rig_chains(&r, 64, 10);
    CHECK_OK(ctx, heddle_graph_set_shared_bytes(r.g, faulty_step, d.shared_bytes - (16u << 10)));
    rig_run_well(&r, "almost all shared memory");
    rig_close(&r);
    heddle_ctx_close(ctx);
}

static void too_many_workers(void)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    heddle_status s;
    rig r;
    c.backend = HEDDLE_CUDA;
    c.schedule = HEDDLE_SCHEDULE_RINGS;
    c.n_workers = 4096;
    c.team_size = 512;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    rig_open(&r, ctx);
    rig_chains(&r, 4, 4);
    s = rig_run(&r);
    CHECK_MSG(s == HEDDLE_ERANGE, "%s: %s", heddle_status_text(s), heddle_error_text(ctx));
    rig_says(ctx, "4096 workers");
    rig_says(ctx, "resident");
    rig_close(&r);
    heddle_ctx_close(ctx);
}

static void no_such_device(void)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_device d = HEDDLE_DEVICE_INIT;
    heddle_ctx *ctx;
    c.backend = HEDDLE_CUDA;
    c.device = 99;
    CHECK(heddle_ctx_open(&ctx, &c) == HEDDLE_ENODEV && !ctx);
    rig_says(NULL, "device 99 was asked for");
    CHECK(heddle_device_get(HEDDLE_CUDA, 99, &d) == HEDDLE_ENODEV);
    c.device = 0;
    c.team_size = 33;
    CHECK(heddle_ctx_open(&ctx, &c) == HEDDLE_EINVAL && !ctx);
    rig_says(NULL, "multiple of 32");
}

/* ---- run numbers ------------------------------------------------------------------------------------------------- */

/* Counters stand at run * in-degree: they wrap together with the run number, and before it if the in-degree is 3. */
static void wrap(void)
{
    static const uint32_t first[] = {0xfffffffcu, 0x7ffffffcu, 0x55555553u, 0xaaaaaaa8u, 0xfffffff0u};
    uint32_t f, i, k;
    for (f = 0; f < sizeof first / sizeof first[0]; f++)
        for (i = 0; i < N_WORKER_SCHEDULES; i++) {
            heddle_ctx *ctx = rig_open_ctx(worker_schedules[i], 7, 5000);
            char where[64];
            rig r;
            hd_cuda_first_run = first[f];
            snprintf(where, sizeof where, "%s, first run %x", heddle_schedule_name(worker_schedules[i]), first[f]);
            rig_open(&r, ctx);
            rig_chains(&r, 6, 5);
            for (k = 0; k < 3; k++) /* joins three chains at a time */
                CHECK_OK(ctx,
                         heddle_graph_add(r.g, faulty_nap, &(faulty_args){0, 0}, sizeof(faulty_args),
                                          HEDDLE_RANGES(HEDDLE_INOUT(rig_key(k), 8), HEDDLE_INOUT(rig_key(k + 1), 8),
                                                        HEDDLE_INOUT(rig_key(k + 2), 8)),
                                          NULL));
            for (k = 0; k < 24; k++)
                rig_run_well(&r, where);
            rig_close(&r);
            heddle_ctx_close(ctx);
        }
}

static const child_case cases[] = {{"present", present, 60, 0},
                                   {"fail_bodies", fail_bodies, 60, 0},
                                   {"cancel", cancel, 60, 0},
                                   {"limit_drains", limit_drains, 60, 1},
                                   {"limit_grace", limit_grace, 30, 0},
                                   {"limit_loses", limit_loses, 40, 1},
                                   {"crash", crash, 30, 0},
                                   {"lost_release", lost_release, 60, 1},
                                   {"cycle", cycle, 30, 0},
                                   {"too_little_memory", too_little_memory, 30, 0},
                                   {"too_large_a_trace", too_large_a_trace, 30, 0},
                                   {"too_much_shared", too_much_shared, 30, 0},
                                   {"much_shared", much_shared, 30, 0},
                                   {"too_many_workers", too_many_workers, 30, 0},
                                   {"no_such_device", no_such_device, 30, 0},
                                   {"wrap", wrap, 60, 0}};

int main(int argc, char **argv) { return children_main(argc, argv, cases, sizeof cases / sizeof cases[0]); }
