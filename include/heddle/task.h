/* SPDX-License-Identifier: MIT */
/* heddle/task.h - write a task body once; it runs on a CPU thread and on a GPU thread block.
 *
 *     // the header that the bodies and the graph's builder include
 *     typedef struct { float *a; int n; } my_params;         // one per run, shared by all tasks
 *     typedef struct { uint64_t at; float by; } my_scale_args;   // one per task, copied
 *     #define MY_BODIES(X) X(my_scale, 0) X(my_sum, 0)    // name, bytes of block-shared memory
 *     HEDDLE_ENUM(my, MY_BODIES)                          // my_scale = 0, my_sum = 1, my_n_bodies
 *     HEDDLE_DECLARE(my)                                  // extern const heddle_table my;
 *
 *     // the file of bodies: compiled as C, or by nvcc as CUDA, never both into one program
 *     HEDDLE_BODY(my_scale, my_params, params, my_scale_args, t)
 *     {
 *         HEDDLE_EACH(i, params->n) params->a[t->at + i] *= t->by;
 *     }
 *     HEDDLE_TABLE(my, my_params, MY_BODIES)
 *
 * A body is run by `thread->team_size` threads at once: one on a CPU worker, the threads of a block on a GPU worker.
 * HEDDLE_EACH divides a loop among them. All threads call heddle_team_barrier, or none; a thread may read what another
 * wrote only after a barrier. Successors see the body's writes once it has returned on all threads. Write in the common
 * part of C and C++.
 *
 * On a GPU the kernel outlives the tasks. Never read data that another task writes through
 * `const T *__restrict__` or __ldg: nvcc makes such a load non-coherent, and it may return an old value.
 *
 * A body may make further tasks while it runs: HEDDLE_SPAWNER, heddle_task_spawn, heddle_task_continue below.
 *
 * Core headers are compiled into your object; heddle_graph_new refuses a table that was compiled against
 * another core (EVERSION). */
#ifndef HEDDLE_TASK_H
#define HEDDLE_TASK_H

#include "heddle.h"
#include "heddle/body.h"
#include "heddle/core/spawn_buffer.h"
#include "heddle/core/sibling.h"
#include "heddle/core/worker.h"

/* ---- the table ------------------------------------------------------------------------------ */

typedef struct heddle_body_info {
    const char *name;
    void (*run)(const heddle_thread *thread, const void *params, const void *args);
    uint32_t arg_bytes;    /* size of its argument record                                         */
    uint32_t shared_bytes; /* block-shared memory; the largest of the bodies used counts           */
    uint32_t n_children;   /* tasks that it spawns at most; 0: none                                */
} heddle_body_info;

/* Looks up a kernel of a table by family, variant and tracing (heddle/core/task.h), for the current device, in the user's
 * object: *out is the driver's function handle. Returns a cudaError_t, or HD_NO_KERNEL. Tables compiled as C have no stubs. */
typedef struct heddle_stubs {
    int (*function)(uint32_t family, uint32_t variant, uint32_t trace, void **out);
} heddle_stubs;

struct heddle_table {
    uint32_t size, core_version; /* of this struct, and HEDDLE_CORE_VERSION, when compiled         */
    const char *name;
    uint32_t params_bytes, n_bodies;
    const heddle_body_info *bodies;
    const heddle_stubs *stubs;
    uint32_t has_baselines;               /* compiled with HEDDLE_BASELINES (heddle/baselines.h)                 */
    const struct heddle_wave_info *waves; /* one a body (heddle/wave.h); NULL: bodies of tasks         */
    uint32_t has_pools;                   /* made by HEDDLE_POOL_TABLE                                  */
    uint32_t pool_warps; /* of a multiprocessor, for several teams to a block; 0: one team to a block */
    uint32_t has_loops;  /* made by HEDDLE_LOOP_TABLE (heddle/loop.h)                                    */
};
#if defined(HEDDLE_BASELINES)
#define HEDDLE_HAS_BASELINES_ 1u
#else
#define HEDDLE_HAS_BASELINES_ 0u
#endif

#define HEDDLE_ENUM_X_(name, shared) name,
#define HEDDLE_ENUM(table, LIST) enum table##_bodies{LIST(HEDDLE_ENUM_X_) table##_n_bodies};

#if defined(__cplusplus)
#define HEDDLE_DECLARE(table) extern "C" const heddle_table table;
#else
#define HEDDLE_DECLARE(table) extern const heddle_table table;
#endif

/* ---- in a body ------------------------------------------------------------------------------ */

/* for (int i = 0; i < n; i++), divided among the threads: thread k takes k, k + team_size, ... */
#define HEDDLE_EACH(i, n) for (int i = (int)thread->index, i##_n_ = (int)(n); i < i##_n_; i += (int)thread->team_size)

/* All threads of the worker wait for one another; afterwards each sees what the others wrote before. */
HD_FN void heddle_team_barrier(const heddle_thread *thread)
{
#if defined(__CUDA_ARCH__)
    hd_team_meet(thread);
#else
    if (thread->emulated)
        thread->emulated->barrier(thread->emulated, thread->index);
#endif
}

/* Reductions add over a fixed number of partials, so that 1, 3 and 128 threads add in one order and
 * give the same bits. Partial v sums elements v, v + HEDDLE_N_PARTIALS, ... into its partial:
 *
 *     HEDDLE_EACH_PARTIAL(v) {
 *         double s = 0;
 *         for (int i = v; i < n; i += HEDDLE_N_PARTIALS) s += x[i];
 *         heddle_team_partial_f64(thread)[v] = s;
 *     }
 *     double sum = heddle_team_reduce_f64(thread, HEDDLE_SUM);     // on all threads
 *
 * The result is combined by halves: 64, 32, ... 1. A body may reduce any number of times. */
#define HEDDLE_N_PARTIALS 128
#define HEDDLE_REDUCE_BYTES (HEDDLE_N_PARTIALS * 8)
#define HEDDLE_EACH_PARTIAL(v) HEDDLE_EACH (v, HEDDLE_N_PARTIALS)

typedef enum heddle_op { HEDDLE_SUM, HEDDLE_MIN, HEDDLE_MAX } heddle_op;

/* The block-shared bytes that the body declared; undefined at its start, aligned to 128. */
HD_FN void *heddle_team_shared(const heddle_thread *thread)
{
    return (unsigned char *)thread->shared + HEDDLE_REDUCE_BYTES;
}
HD_FN double *heddle_team_partial_f64(const heddle_thread *thread) { return (double *)thread->shared; }
HD_FN int64_t *heddle_team_partial_i64(const heddle_thread *thread) { return (int64_t *)thread->shared; }

#define HEDDLE_REDUCE_(type, suffix)                                                                        \
    HD_FN type heddle_team_reduce_##suffix(const heddle_thread *thread, heddle_op op)                       \
    {                                                                                                       \
        type *p = heddle_team_partial_##suffix(thread), result;                                             \
        int half;                                                                                           \
        heddle_team_barrier(thread);                                                                        \
        for (half = HEDDLE_N_PARTIALS / 2; half > 0; half /= 2) {                                           \
            HEDDLE_EACH (v, half) {                                                                         \
                type a = p[v], b = p[v + half];                                                             \
                p[v] = op == HEDDLE_SUM ? a + b : op == HEDDLE_MIN ? (b < a ? b : a) : (b > a ? b : a);     \
            }                                                                                               \
            heddle_team_barrier(thread);                                                                    \
        }                                                                                                   \
        result = p[0];                                                                                      \
        heddle_team_barrier(thread); /* no thread writes new partials before all have read               */ \
        return result;                                                                                      \
    }
HEDDLE_REDUCE_(double, f64)
HEDDLE_REDUCE_(int64_t, i64)
#undef HEDDLE_REDUCE_

/* Fails the run: heddle_graph_run returns EBODY and names the task, the body and `code` (0 counts as 1). The first
 * failure of a run is kept. This call returns; the body should return too, on all threads. Running tasks still finish. */
HD_FN void heddle_task_fail(const heddle_thread *thread, uint32_t code) { (void)hd_thread_fail(thread, code); }

/* Has this task, or the run, been told to stop: by heddle_pool_cancel, a time limit, heddle_job_cancel, a failure? A long body may
 * ask now and then, and return early. */
HD_FN int heddle_task_is_canceled(const heddle_thread *thread)
{
    return HD_LOAD(&thread->fail->stop, RELAXED, DEV) != HD_STOP_NOT;
}

/* A host loop or a kernel of your own may call a body as NAME_body_(&thread, &params, &args), without a context. There
 * heddle_task_fail fills this struct: zeros before the first failure, then its code. */
typedef hd_fail heddle_failure;

/* The thread of a team of one. shared: HEDDLE_REDUCE_BYTES and the body's own bytes, aligned to 128. */
HD_FN heddle_thread heddle_thread_alone(heddle_failure *failure, void *shared)
{
    heddle_thread thread;
    thread.index = thread.worker = thread.task = 0u;
    thread.team_size = 1u;
    thread.shared = shared;
    thread.fail = failure;
    thread.emulated = NULL;
    thread.failed = NULL;
    thread.spawn_buffer = NULL;
    thread.in_order = thread.block = 0u;
    thread.n_blocks = 1u;
    thread.notes = NULL;
    return thread;
}

#if defined(__CUDACC__)
/* heddle_block_thread(failure, shared, n, worker): the calling thread of a block in which n threads run the body. */
#define heddle_block_thread hd_block_thread
#endif

/* ---- tasks that make tasks -------------------------------------------------------------------- */

/* A body made with HEDDLE_SPAWNER may spawn tasks while it runs, on every backend: at most as many as it declares, and at
 * most HEDDLE_MAX_CHILDREN. A spawned task runs as soon as its predecessors have ended, perhaps at once, on any worker, and
 * may spawn in turn. The run ends when all tasks have ended, spawned ones included.
 *
 * Each call spawns one task; several threads may call concurrently. The child sees what its caller wrote before; it sees
 * other threads' writes only if a heddle_team_barrier came between. args is copied; arg_bytes must equal the table's for
 * that body. Successors of the spawning task do not wait for its children; see heddle_task_continue.
 *
 * Room. Spawned tasks live in an arena of fixed size (config n_arena). A worker runs a spawner only when all its children
 * have room; when the arena runs low, it goes depth first. No task is dropped. A run ends with ENOMEM only when every slot
 * holds a task that needs more slots.
 *
 * Mistakes end the run with EBODY, and the sentence says what was wrong: more children than declared; a body that is not in
 * the table; another size of args; NULL with a size or a count; a stale handle; an invalid range; a call where nothing can
 * be spawned. The calls then return, and so should the body. Schedules without resident workers, and static, refuse graphs
 * of a table with spawners. */

#define HEDDLE_MAX_CHILDREN HD_MAX_CHILDREN /* children of one call of a body                       */
#define HEDDLE_MAX_AFTER HD_MAX_AFTER       /* handles that one spawn may name                      */

/* A heddle_handle names a spawned task by slot and generation. Valid until the body that asked for it has ended, continuations
 * included; later use is an error if the slot holds another task by then. May be copied and passed to other tasks. */

/* A child with all its attributes. */
typedef struct heddle_child {
    uint32_t body;
    uint32_t arg_bytes;
    const void *args;
    const heddle_handle *after; /* it runs after these tasks have ended                          */
    uint32_t n_after;
    uint32_t n_ranges;
    const heddle_range *ranges; /* it runs after earlier children of the same body call that conflict with it, as in
                                   heddle_graph_add. One thread spawns such children, or a barrier stands between. From
                                   a child with more than HEDDLE_MAX_AFTER conflicts on, order is stricter than asked
                                   for: such children run one after the other */
    uint32_t urgent;            /* nonzero: taken before all others             */
    heddle_handle *out;         /* NULL: no handle is wanted, which is cheaper                   */
} heddle_child;

HD_FN void heddle_task_spawn_child(const heddle_thread *thread, const heddle_child *c)
{
    const uint32_t k = hd_spawn_buffer_begin(thread, c->body, c->args, c->arg_bytes, 0);
    hd_spawn_buffer *d = thread->spawn_buffer;
    uint32_t t, i;
    uint64_t handle;
    if (k == HD_NONE || !hd_spawn_is_told(thread, c->ranges, c->n_ranges))
        return;
    t = hd_spawn_buffer_task(d, k);
    (void)hd_child_write(d, t, c->body, c->args, c->arg_bytes, c->urgent != 0 ? HD_TASK_URGENT : 0u);
    if (c->n_after && !hd_spawn_buffer_after(thread, t, c->after, c->n_after))
        return;
    if (c->out || c->n_ranges) {
        handle = hd_spawn_buffer_pin(d, t);
        if (c->out)
            *c->out = handle;
        for (i = 0; i < c->n_ranges; i++) {
            const heddle_range *r = &c->ranges[i];
            hd_siblings_meet(thread, t, (uint64_t)(uintptr_t)r->base, r->row_bytes, r->n_rows, r->stride_bytes,
                             (uint32_t)r->mode);
        }
    }
    hd_spawn_buffer_end(thread, k, hd_child_at(d->run, t)->n_in, c->urgent != 0);
}

/* The usual case: after, n_after may be NULL, 0. */
HD_FN void heddle_task_spawn(const heddle_thread *thread, uint32_t body, const void *args, uint32_t arg_bytes,
                             const heddle_handle *after, uint32_t n_after, uint32_t urgent)
{
    const uint32_t k = hd_spawn_buffer_begin(thread, body, args, arg_bytes, 0);
    uint32_t t;
    if (k == HD_NONE)
        return;
    t = hd_spawn_buffer_task(thread->spawn_buffer, k);
    (void)hd_child_write(thread->spawn_buffer, t, body, args, arg_bytes, urgent != 0 ? HD_TASK_URGENT : 0u);
    if (n_after && !hd_spawn_buffer_after(thread, t, after, n_after))
        return;
    hd_spawn_buffer_end(thread, k, n_after, urgent != 0);
}

/* Gives this task a continuation: `body` runs when the calling body has returned and all tasks that it spawns from now on have
 * ended. The task ends with its continuation: successors, and tasks that wait for it by handle, wait for that. One thread
 * calls this, once, before the body's first spawn (with a barrier between where other threads spawn). body HEDDLE_BODY_JOIN
 * with NULL, 0: nothing more is to be done then. (Fork and join: Cilk's sync, without a stack that waits.) */
HD_FN void heddle_task_continue(const heddle_thread *thread, uint32_t body, const void *args, uint32_t arg_bytes)
{
    hd_spawn_buffer_fork(thread, body, args, arg_bytes);
}

/* ---- making the table ------------------------------------------------------------------------ */

/* On a CPU a team nearly always has one thread. That case gets its own copy of the body, compiled with constants: HEDDLE_EACH
 * with a step from memory is not vectorised by any compiler. */
#if defined(__CUDA_ARCH__)
#define HEDDLE_CALL_BODY_(name, params_type, arg_type) \
    name##_body_(thread, (const params_type *)params_, (const arg_type *)args_)
#else
#define HEDDLE_CALL_BODY_(name, params_type, arg_type)                                \
    if (thread->team_size == 1u) {                                                    \
        heddle_thread alone_ = *thread;                                               \
        alone_.index = 0u;                                                            \
        alone_.team_size = 1u;                                                        \
        name##_body_(&alone_, (const params_type *)params_, (const arg_type *)args_); \
    } else                                                                            \
        name##_body_(thread, (const params_type *)params_, (const arg_type *)args_)
#endif

/* The body follows. It sees `thread`, and `params` and `args` under the names given. Declare functions that a body calls with
 * HEDDLE_FN (heddle/body.h): nvcc compiles a plain `static inline` function for the host only. */
#define HEDDLE_BODY(name, params_type, params, arg_type, args) \
    HEDDLE_SPAWNER(name, params_type, params, arg_type, args, 0)
/* n_most: tasks that one call of the body spawns at most. */
#define HEDDLE_SPAWNER(name, params_type, params, arg_type, args, n_most)                                            \
    typedef params_type name##_params_;                                                                              \
    enum { name##_arg_bytes_ = sizeof(arg_type), name##_children_ = (n_most) };                                      \
    HD_STATIC_ASSERT((n_most) <= HEDDLE_MAX_CHILDREN, "a body spawns too many tasks");                               \
    HD_BODY_FN void name##_body_(const heddle_thread *thread, const params_type *params, const arg_type *args);      \
    HD_FN void name##_run_(const heddle_thread *thread, const void *params_, const void *args_)                      \
    {                                                                                                                \
        HEDDLE_CALL_BODY_(name, params_type, arg_type);                                                              \
    }                                                                                                                \
    HD_BODY_FN void name##_body_(const heddle_thread *thread HEDDLE_UNUSED, const params_type *params HEDDLE_UNUSED, \
                                 const arg_type *args HEDDLE_UNUSED)

#define HEDDLE_INFO_X_(name, shared) \
    {#name, name##_run_, (uint32_t)name##_arg_bytes_, (shared), (uint32_t)name##_children_},
/* A body that does not take the table's params does not compile. */
#if defined(__cplusplus)
#define HEDDLE_STRICT_
#define HEDDLE_STRICT_END_
#else
#define HEDDLE_STRICT_ _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic error \"-Wincompatible-pointer-types\"")
#define HEDDLE_STRICT_END_ _Pragma("GCC diagnostic pop")
#endif
#define HEDDLE_PARAMS_X_(name, shared)                    \
    {                                                     \
        name##_params_ *of_body_ HEDDLE_UNUSED = params_; \
    }
#define HEDDLE_CHECK_PARAMS_(table, params_type, LIST)                                   \
    HEDDLE_STRICT_ HEDDLE_UNUSED static inline void table##_check_(params_type *params_) \
    {                                                                                    \
        (void)params_;                                                                   \
        LIST(HEDDLE_PARAMS_X_)                                                           \
    }                                                                                    \
    HEDDLE_STRICT_END_

#define HEDDLE_CASE_X_(name, shared)         \
    case name:                               \
        name##_run_(thread, params_, args_); \
        break;

#if defined(__CUDACC__)
#include "heddle/core/kernel.h"
#define HD_KERNELS_(table, LIST, kernels) HEDDLE_KERNEL_(table, LIST, kernels)
#define HD_STUBS_(table) &table##_stubs_
#else
#define HD_KERNELS_(table, LIST, kernels)
#define HD_STUBS_(table) NULL
#endif
#define HD_TABLE_(table, params_type, LIST, waves, kernels)                  \
    HEDDLE_DECLARE(table)                                                    \
    HEDDLE_CHECK_PARAMS_(table, params_type, LIST)                           \
    HD_KERNELS_(table, LIST, kernels)                                        \
    static const heddle_body_info table##_infos_[] = {LIST(HEDDLE_INFO_X_)}; \
    const heddle_table table = {(uint32_t)sizeof(heddle_table),              \
                                HEDDLE_CORE_VERSION,                         \
                                #table,                                      \
                                (uint32_t)sizeof(params_type),               \
                                (uint32_t)table##_n_bodies,                  \
                                table##_infos_,                              \
                                HD_STUBS_(table),                            \
                                HEDDLE_HAS_BASELINES_,                       \
                                waves,                                       \
                                ((kernels)&HD_KERNELS_POOLS) != 0,           \
                                (uint32_t)(kernels) >> HD_KERNELS_WARPS,     \
                                ((kernels)&HD_KERNELS_LOOPS) != 0};
#define HEDDLE_TABLE(table, params_type, LIST) HD_TABLE_(table, params_type, LIST, NULL, HD_KERNELS_TASKS)
/* A table for graphs and pools (heddle/pool.h): nvcc makes two kernels more for these.
 *
 * On a GPU the teams of several tasks share a block. n_warps says how many warps a multiprocessor shall hold, and so how many
 * registers a thread has: 32 (64 registers; HEDDLE_POOL_TABLE), 48 (40, and teams of at most 704 threads) or 64 (32). Bodies that
 * need more registers keep values in memory. If a multiprocessor has room for fewer warps, it holds fewer. With 0, and if a body
 * spawns, each team has a block to itself; so it must be for bodies with barriers of their own (HEDDLE_BARRIER_FREE). */
#define HEDDLE_POOL_TABLE(table, params_type, LIST) HEDDLE_POOL_TABLE_WARPS(table, params_type, LIST, 32)
#define HEDDLE_POOL_TABLE_WARPS(table, params_type, LIST, n_warps)                                           \
    HD_STATIC_ASSERT((n_warps) == 0 || (n_warps) == 32 || (n_warps) == 48 || (n_warps) == 64,                \
                     "a multiprocessor of a pool holds 32, 48 or 64 warps, or 0: a team has its own block"); \
    HD_TABLE_(table, params_type, LIST, NULL, HD_KERNELS_TASKS | HD_KERNELS_POOLS | (n_warps) << HD_KERNELS_WARPS)

#endif
