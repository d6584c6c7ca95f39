/* SPDX-License-Identifier: MIT */
/* context.c - see context.h.
 *
 * If heddle's variables leave the schedule open on a GPU, it is set for graphs that run once: dynamic, which needs no plan,
 * since planning takes longer than it saves in one run. With HEDDLE_TUNING_FILE the schedule stays open, because such users
 * run graphs often; but tasks that need a stack each need workers. */
#include "openmp/inside.h"
#include "heddle/task.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACE_EVENTS 8192u /* per worker, if a trace is wanted and HEDDLE_TRACE is unset */

int hd_omp_copies_everywhere;

static hd_omp_device devices[HEDDLE_N_BACKENDS];
static hd_omp_device *last;
static pid_t owner; /* the process that opened the devices */
static int busy;

/* ---- mapped memory ----------------------------------------------------------------------------------------------- */

static heddle_ctx *ctx_of(void *self) { return ((hd_omp_device *)self)->ctx; }

static heddle_status make(void *self, uint64_t n_bytes, void **out)
{
    return heddle_mem_new(ctx_of(self), n_bytes, out);
}

static void drop(void *self, void *copy) { heddle_mem_free(ctx_of(self), copy); }

static heddle_status write_copy(void *self, void *copy, const void *host, uint64_t n_bytes)
{
    return heddle_mem_write(ctx_of(self), copy, host, n_bytes);
}

static heddle_status read_copy(void *self, void *host, const void *copy, uint64_t n_bytes)
{
    return heddle_mem_read(ctx_of(self), host, copy, n_bytes);
}

hd_omp_map hd_omp_mapped = {.by = {NULL, make, drop, write_copy, read_copy}};

/* ---- closing ------------------------------------------------------------------------------------------------------ */

/* Closes all contexts. Not in a child process, which has their memory but not their threads. Nor when a body ends the process
 * on a worker's thread, for which closing would wait. */
static void close_all(void)
{
    uint32_t i;
    if (getpid() != owner || __atomic_load_n(&busy, __ATOMIC_RELAXED))
        return;
    for (i = 0; i < HEDDLE_N_BACKENDS; i++) {
        hd_omp_device *d = &devices[i];
        if (!d->ctx)
            continue;
        if (d == hd_omp_mapped.by.self)
            hd_omp_map_clear(&hd_omp_mapped);
        hd_omp_graphs_forget(d);
        heddle_mem_free(d->ctx, d->stack);
        heddle_mem_free(d->ctx, d->locks);
        heddle_mem_free(d->ctx, d->views);
        free(d->shown);
        heddle_ctx_close(d->ctx);
        memset(d, 0, sizeof *d);
    }
}

void hd_omp_device_busy(int now) { __atomic_store_n(&busy, now, __ATOMIC_RELAXED); }

/* ---- choosing ----------------------------------------------------------------------------------------------------- */

/* HEDDLE_AUTO also for an unknown name, for which heddle_ctx_open has the error. */
static heddle_backend backend_of_environment(void)
{
    const char *text = hd_omp_env("HEDDLE_BACKEND");
    uint32_t i;
    for (i = 0; text && i < HEDDLE_N_BACKENDS; i++)
        if (!strcmp(text, heddle_backend_name((heddle_backend)i)))
            return (heddle_backend)i;
    return HEDDLE_AUTO;
}

static uint32_t threads_of_environment(void)
{
    const char *text = hd_omp_env("HEDDLE_TEAM_SIZE");
    return text ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

/* AUTO if heddle's own choice is right. It is not if there is a GPU but bodies were compiled as C. */
static heddle_backend wanted_backend(const heddle_omp_program *p)
{
    heddle_backend b = p->backend ? p->backend : backend_of_environment();
    if (b != HEDDLE_AUTO || p->table->stubs || !heddle_backend_is_present(HEDDLE_CUDA))
        return b;
    return threads_of_environment() > 1 ? HEDDLE_SERIAL : HEDDLE_CPU;
}

static void settle_for_one_run(heddle_config *c, const heddle_omp_program *p)
{
    if (hd_omp_env("HEDDLE_SCHEDULE") || hd_omp_env("HEDDLE_POLICY") || hd_omp_env("HEDDLE_BY_BODY"))
        return;
    if (!hd_omp_env("HEDDLE_TUNING_FILE") || p->stack_bytes)
        c->schedule = HEDDLE_SCHEDULE_DYNAMIC;
}

/* Call stack of a GPU thread for recursive functions: 4 GB for all threads of an H200. */
#define CALL_STACK_BYTES 16384u

static heddle_config config_of(const heddle_omp_program *p)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    c.backend = wanted_backend(p);
    if (c.backend == HEDDLE_CUDA ||
        (c.backend == HEDDLE_AUTO && heddle_backend_is_present(HEDDLE_CUDA) && threads_of_environment() % 32 == 0))
        settle_for_one_run(&c, p);
    if (!hd_omp_env("HEDDLE_TRACE") && (hd_omp_env("HEDDLE_OMP_TRACE") || hd_omp_env("HEDDLE_OMP_TIMELINE")))
        c.n_trace = TRACE_EVENTS;
    if (p->is_recursive && !hd_omp_env("HEDDLE_STACK"))
        c.stack_bytes = CALL_STACK_BYTES;
    return c;
}

/* ---- opening ------------------------------------------------------------------------------------------------------ */

static hd_omp_device *keep(heddle_ctx *ctx)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    hd_omp_device *d;
    (void)heddle_ctx_get_config(ctx, &c);
    d = &devices[c.backend];
    if (d->ctx) {
        heddle_ctx_close(ctx);
        return d;
    }
    d->ctx = ctx;
    d->config = c;
    d->n_workers = c.n_workers;
    if (!owner)
        atexit(close_all);
    owner = getpid();
    return d;
}

static hd_omp_device *open_device(const heddle_config *c, const heddle_omp_place *place)
{
    heddle_ctx *ctx;
    if (c->backend != HEDDLE_AUTO && devices[c->backend].ctx)
        return last = &devices[c->backend];
    if (heddle_ctx_open(&ctx, c) != HEDDLE_OK)
        hd_omp_die(place, "%s", heddle_error_text(NULL));
    return last = keep(ctx);
}

hd_omp_device *hd_omp_device_cpu(const heddle_omp_place *place)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_machine m;
    heddle_machine_get(&m);
    c.backend = HEDDLE_CPU;
    c.n_workers = m.n_threads; /* not the environment's figure for a GPU */
    c.team_size = 1;
    return open_device(&c, place);
}

static void check_device(const hd_omp_device *d, const heddle_omp_program *p, const heddle_omp_place *place)
{
    heddle_device info = HEDDLE_DEVICE_INIT;
    if (d->config.backend != HEDDLE_CUDA)
        return;
    if (p->stack_bytes && !heddle_schedule_has_workers(d->config.schedule))
        hd_omp_die(place,
                   "tasks of this program need memory of a worker's own, and schedule %s has no workers; "
                   "HEDDLE_SCHEDULE=dynamic has",
                   heddle_schedule_name(d->config.schedule));
    if (p->memory != HEDDLE_OMP_MEMORY_SYSTEM)
        return;
    if (heddle_device_get(HEDDLE_CUDA, d->config.device, &info) != HEDDLE_OK)
        hd_omp_die(place, "%s", heddle_error_text(NULL));
    if (!info.reads_host)
        hd_omp_die(
            place,
            "the program was compiled with --memory=system, but %s cannot read the host's memory; compile it with "
            "--memory=map, or set HEDDLE_BACKEND=cpu",
            info.name);
}

/* The devices found for programs; nearly always there is one program. */
#define N_ANSWERS 8u
typedef struct answer {
    const heddle_omp_program *program;
    hd_omp_device *device;
} answer;

static void reconfigure(hd_omp_device *d, const heddle_config *wanted)
{
    heddle_config now = HEDDLE_CONFIG_INIT;
    if (heddle_ctx_reconfigure(d->ctx, wanted) != HEDDLE_OK)
        hd_omp_die(NULL, "%s", heddle_error_text(d->ctx));
    (void)heddle_ctx_get_config(d->ctx, &now);
    d->config.tuning_file = now.tuning_file; /* the context's new copy */
}

/* A recursive program may follow one without recursion for which the device was opened. */
static void want_stack(hd_omp_device *d, uint32_t n_bytes)
{
    if (d->config.backend != HEDDLE_CUDA || d->config.stack_bytes >= n_bytes)
        return;
    d->config.stack_bytes = n_bytes;
    reconfigure(d, &d->config);
}

hd_omp_device *hd_omp_device_of(const heddle_omp_program *p, const heddle_omp_place *place)
{
    static answer answers[N_ANSWERS]; /* the most recent */
    static uint32_t n;
    heddle_config c;
    hd_omp_device *d;
    uint32_t i;
    for (i = 0; i < N_ANSWERS; i++)
        if (answers[i].program == p)
            return last = answers[i].device;
    hd_omp_check_program(p, place);
    c = config_of(p);
    hd_omp_copies_everywhere |= hd_omp_env("HEDDLE_OMP_COPIES") != NULL;
    d = open_device(&c, place);
    want_stack(d, c.stack_bytes);
    check_device(d, p, place);
    answers[n++ % N_ANSWERS] = (answer){p, d};
    return d;
}

const hd_omp_device *hd_omp_device_last(void) { return last; }

/* ---- programs ----------------------------------------------------------------------------------------------------- */

static void check_kinds(const heddle_omp_program *p, const heddle_omp_place *place)
{
    uint32_t k;
    for (k = 0; k < p->n_kinds; k++)
        if (p->kinds[k].arg_bytes != p->table->bodies[k].arg_bytes)
            hd_omp_die(place,
                       "tasks %s have argument records of %u bytes, their body takes %u: the parts of this program "
                       "were not compiled together",
                       p->kinds[k].name, p->kinds[k].arg_bytes, p->table->bodies[k].arg_bytes);
}

void hd_omp_check_program(const heddle_omp_program *p, const heddle_omp_place *place)
{
    uint64_t params_bytes = sizeof(heddle_omp_params) + p->n_globals * sizeof(void *);
    if (p->version != HEDDLE_OMP_VERSION || p->size != sizeof *p)
        hd_omp_die(place,
                   "the program was compiled for version %u of heddle/openmp.h (%u bytes); this library has %u (%u)",
                   p->version, p->size, HEDDLE_OMP_VERSION, (uint32_t)sizeof *p);
    if (p->table->params_bytes != params_bytes || p->table->n_bodies < p->n_kinds)
        hd_omp_die(place, "table %s has %u bodies and an application record of %u bytes; expected were %u and %llu",
                   p->table->name, p->table->n_bodies, p->table->params_bytes, p->n_kinds,
                   (unsigned long long)params_bytes);
    check_kinds(p, place);
}

/* ---- memory and limits of workers --------------------------------------------------------------------------------- */

uint32_t hd_omp_device_workers(const hd_omp_device *d, uint32_t team_size)
{
    heddle_device info = HEDDLE_DEVICE_INIT;
    uint32_t blocks; /* blocks of at least team_size + 32 threads, on a multiprocessor of at most 2048 */
    if (d->config.n_workers)
        return d->config.n_workers;
    blocks = 2048u / ((d->config.team_size ? d->config.team_size : team_size) + 32u);
    if (heddle_device_get(d->config.backend, d->config.device, &info) != HEDDLE_OK)
        hd_omp_die(NULL, "%s", heddle_error_text(NULL));
    return info.n_units * (blocks > 32u ? 32u : blocks > 0u ? blocks : 1u);
}

void hd_omp_device_limit(hd_omp_device *d, uint32_t most)
{
    heddle_config c = d->config;
    if (most && (!c.n_workers || most < c.n_workers))
        c.n_workers = most;
    if (c.n_workers == d->n_workers)
        return;
    reconfigure(d, &c);
    d->n_workers = c.n_workers;
}

static void *new_memory(const hd_omp_device *d, uint64_t n_bytes)
{
    void *p;
    if (heddle_mem_new(d->ctx, n_bytes, &p) != HEDDLE_OK)
        hd_omp_die(NULL, "%s", heddle_error_text(d->ctx));
    return p;
}

static void room_for_locks(hd_omp_device *d, uint32_t n)
{
    uint32_t *zeros;
    if (n <= d->n_locks)
        return;
    heddle_mem_free(d->ctx, d->locks);
    d->locks = NULL;
    d->locks = new_memory(d, n * sizeof *zeros);
    d->n_locks = n;
    zeros = hd_omp_new(n * sizeof *zeros);
    if (heddle_mem_write(d->ctx, d->locks, zeros, n * sizeof *zeros) != HEDDLE_OK)
        hd_omp_die(NULL, "%s", heddle_error_text(d->ctx));
    free(zeros);
}

void hd_omp_device_room(hd_omp_device *d, const heddle_omp_program *p, uint32_t n_workers)
{
    uint64_t n_bytes = p->stack_bytes * n_workers;
    room_for_locks(d, p->n_locks);
    if (n_bytes <= d->stack_bytes)
        return;
    heddle_mem_free(d->ctx, d->stack);
    d->stack = NULL;
    d->stack = new_memory(d, n_bytes);
    d->stack_bytes = n_bytes;
}
