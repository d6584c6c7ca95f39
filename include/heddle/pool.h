/* SPDX-License-Identifier: MIT */
/* heddle/pool.h - tasks spawned one by one, at any time and from any thread, that start as soon as a worker is free.
 *
 *     heddle_pool *pool;
 *     heddle_handle h;
 *     heddle_pool_new(ctx, &my, &params, sizeof params, NULL, &pool);
 *     heddle_pool_spawn(pool, my_pack, &args, sizeof args, 128, &h);     // returns at once
 *     heddle_pool_wait(pool, h, HEDDLE_FOREVER, NULL);                   // the bytes are there
 *     heddle_pool_free(pool);                                            // waits for all
 *
 * The bodies are those of graphs (heddle/task.h), barriers, reductions, failures and spawning included; HEDDLE_POOL_TABLE
 * makes their table. A task has a team of its own size, and may have several blocks, each run by a team.
 * (Pagoda: Yeh et al., PPoPP'17 and TOPC 6(4), 2019. Its taskSpawn, wait, check and waitAll are spawn, wait, test and
 * wait_all here. Dependences, failures, cancelling, notices and spawning bodies are not in it.)
 *
 * Order. A task names what it must wait for: the handles of earlier tasks, or the ranges of memory that it reads and writes, as
 * tasks of graphs do. Among tasks with ranges the order of the calls counts, and only addresses do: tasks that name no ranges, and
 * children that bodies spawn, are not looked at.
 *
 * Backends. serial runs a task in the call that spawns it, or that keeps the promise that it waits for. cpu runs it on the context's
 * threads, one thread a task. With both, a body sees a team of one thread, or of an emulated block (config team_size of serial). On
 * cpu a context has one open pool at a time.
 * On cuda a team has as many threads as its task asks for, and a pool has a mode:
 *
 *     auto        resident, or launches where these were quicker. A context compares them by the pools of a table: the first is resident,
 *                 the second launches, further ones have what took less time for a task, from the first spawn to the return of
 *                 heddle_pool_wait_all. Pools with few tasks, or without that call, decide nothing. The tuning_file of the context keeps
 *                 the choice; heddle_pool_info.how says which it is, and why. Where bodies spawn, or launches have narrower teams,
 *                 it is resident
 *     resident    a kernel with workers runs while there are tasks. It ends when there were none for linger_us, and after hold_us as
 *                 soon as no task runs, so that other kernels get the GPU; then it is started again. A block of it runs the teams of
 *                 several tasks, with 31 warps in all, or as the table says (HEDDLE_POOL_TABLE_WARPS). It has all blocks that are
 *                 resident at once, or as few as the context's config asks for (n_workers), but two. If bodies spawn, a block has
 *                 one team, and is as wide as the widest since the pool was last idle: spawning a wider one waits until the
 *                 running tasks have ended. Memory that heddle did not allocate should be freed when the pool is idle: cudaFree
 *                 waits for the kernel
 *     launches    what has been spawned since the last launch goes as one grid, a block for each task. A body that spawns is refused
 *                 (ENODEV). A time limit is checked for one task of a launch at a time
 *     kernels     the same with a launch for each task, over 32 streams in turn; for comparison, as the others. What a task copies
 *                 goes with cudaMemcpyAsync, in its stream before the launch and behind it. Its end is told by the next launch of that
 *                 stream, or once nothing else is to be launched
 *     batch       the same with one launch at a time (as GeMTC: Krieder et al., HPDC'14)
 *     taskgraph   as launches, with a CUDA graph in place of a grid: a kernel node for each task. A task that waits for others goes with
 *                 a later graph
 *     fused       static fusion: nothing is launched until the program waits, tests or harvests, or finds the table full; with a
 *                 descriptor or a function it always waits. Then one grid has all tasks that wait for no others. Its blocks are as wide
 *                 as the widest of their teams, at least team_size. A task of several blocks has a grid of its own
 *     table       resident, with the spawn path that Pagoda has published: a copy by CUDA brings each task to the GPU, where it begins
 *                 when the next one is spawned, or when the program waits as above. Then ends are copied back. Bodies that spawn and
 *                 time limits are refused (ENODEV)
 *
 * A time limit is checked every millisecond.
 *
 * Handles. heddle_pool_spawn's *out names the task until its end has been seen: by the first heddle_pool_wait, test or
 * wait_any that returns its final status, by heddle_pool_wait_all, or, for a task with HEDDLE_POOL_NOTIFY, by
 * heddle_pool_harvest alone. Until then the task keeps its slot, as a process that nobody has waited for keeps its entry.
 * With out NULL the task has no handle, and its slot is free when it has ended. Later use of a handle is EINVAL. A body may
 * name a handle in `after` as long as the host has not seen the end of that task.
 *
 * Errors. A task that fails ends alone: tasks that come after it, or after one of these, end with ECANCELED and do not run.
 * The pool goes on. The last bad end that no call has asked for is reported by heddle_pool_wait_all. Tasks with ranges come after
 * a failed or cancelled one with ranges, too, and do not run, until heddle_pool_wait_all has returned: so that does not depend on
 * when it has failed.
 *
 * Threads. Any thread may make any call at any time, but for heddle_pool_new and heddle_pool_free, which are calls on the
 * context. A body or callback of the context must not: such calls return EINVAL. Sentences: heddle_error_text(NULL), of this
 * thread.
 *
 * Other runs. While a pool is open, graphs of the context run, too: workers leave the pool after their present tasks, run the
 * graph, and come back. Tasks that are spawned meanwhile wait. So a task must not wait for the host to spawn another one. */
#ifndef HEDDLE_POOL_H
#define HEDDLE_POOL_H

#include "heddle.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct heddle_pool heddle_pool;

/* ---- opening ------------------------------------------------------------------------------- */

/* How tasks get to a GPU; other backends have one way. */
#define HEDDLE_POOL_MODE_MAP(X)                                                                                      \
    X(HEDDLE_POOL_AUTO, 0, "auto", "resident, or launches where these were quicker on earlier tasks of the program") \
    X(HEDDLE_POOL_RESIDENT, 1, "resident", "a kernel with workers runs while there are tasks")                       \
    X(HEDDLE_POOL_LAUNCHES, 2, "launches", "what has been spawned since the last launch goes as one grid")           \
    X(HEDDLE_POOL_KERNELS, 3, "kernels", "for comparison: a kernel for each task, over 32 streams in turn")          \
    X(HEDDLE_POOL_BATCH, 4, "batch", "for comparison: as many tasks as the GPU holds, when all before have ended")   \
    X(HEDDLE_POOL_TASKGRAPH, 5, "taskgraph", "for comparison: CUDA graphs with a kernel node for each task")         \
    X(HEDDLE_POOL_FUSED, 6, "fused", "for comparison: one grid of all tasks when the program waits")                 \
    X(HEDDLE_POOL_MODE_TABLE, 7, "table", "for comparison: resident, and CUDA copies each task into a table")
#define HEDDLE_X(name, value, text, help) name = value,
typedef enum heddle_pool_mode { HEDDLE_POOL_MODE_MAP(HEDDLE_X) HEDDLE_N_POOL_MODES } heddle_pool_mode;
#undef HEDDLE_X
/* "auto", "resident" and so on; NULL for another number. */
HEDDLE_API const char *heddle_pool_mode_name(heddle_pool_mode mode);

/* Set it up with HEDDLE_POOL_CONFIG_INIT. A field left zero takes the value of its environment variable, else its default. */
typedef struct heddle_pool_config {
    size_t size;            /* set by HEDDLE_POOL_CONFIG_INIT                                            */
    uint32_t n_slots;       /* tasks with an end that was not seen yet, at most; rounded up to a power of two. 0 = 65536
                                                                  HEDDLE_POOL_SLOTS               */
    uint32_t team_size;     /* threads of a task that names none; a multiple of 32. 0 = 128
                                                                  HEDDLE_POOL_TEAM_SIZE           */
    uint32_t time_limit_ms; /* of a task that names none, from its start; 0 = none
                                                                  HEDDLE_POOL_TIME_LIMIT_MS       */
    heddle_pool_mode mode;  /* how tasks get to a GPU              HEDDLE_POOL_MODE                */
    uint32_t linger_us;     /* resident: time without a task after which the kernel ends. 0 = 200
                                                                  HEDDLE_POOL_LINGER_US           */
    uint32_t hold_us;       /* resident: time after which it ends between two tasks, so that other kernels get the GPU.
                               0 = 10000                          HEDDLE_POOL_HOLD_US             */
    uint32_t shared_bytes;  /* block-shared memory that a task may have; at least what its table's bodies have
                                                                  HEDDLE_POOL_SHARED_BYTES        */
    uint32_t most_copies;   /* of a task; 0 = 4                    HEDDLE_POOL_COPIES              */
    uint32_t copy_bytes;    /* resident, kernels: device memory for those of one task; 0 = 65536
                                                                  HEDDLE_POOL_COPY_BYTES          */
    uint32_t n_trace;       /* ended tasks of which a record is kept, the last ones; 0 = no trace, and no times of tasks
                                                                  HEDDLE_POOL_TRACE               */
} heddle_pool_config;
#define HEDDLE_POOL_CONFIG_INIT                                                 \
    {                                                                           \
        sizeof(heddle_pool_config), 0, 0, 0, HEDDLE_POOL_AUTO, 0, 0, 0, 0, 0, 0 \
    }

#define HEDDLE_POOL_MOST_SLOTS (1u << 24)
#define HEDDLE_POOL_MOST_TRACE (1u << 26)
#define HEDDLE_POOL_MOST_THREADS 992u /* of a team: a block of a GPU has one more warp, which schedules */

/* Opens a pool of table's bodies, with at least 32 slots. All its tasks share the record params, which is copied. config NULL:
 * all defaults. EVERSION, ENODEV as heddle_graph_new; EINVAL for a table that is not one for pools, for NULL, or for a bad field or
 * variable;
 * EBUSY: on cpu, the context has an open pool, or 64 jobs; ERANGE; ENOMEM. */
HEDDLE_API heddle_status heddle_pool_new(heddle_ctx *ctx, const heddle_table *table, const void *params,
                                         size_t params_bytes, const heddle_pool_config *config, heddle_pool **out);
/* Breaks promises that were not kept, waits until all tasks have ended, then frees. No other thread may be in a call on the pool. If
 * the context is lost, or the pool has stopped because nothing could go on, it waits for nothing. */
HEDDLE_API void heddle_pool_free(heddle_pool *pool);

typedef struct heddle_pool_info {
    size_t size;
    uint32_t n_slots;
    uint32_t n_workers;    /* thread->worker is below it; no two bodies that run have the same. A block of a GPU that
                              several teams share counts as 32                                         */
    uint32_t most_threads; /* of a team                                                          */
    uint32_t shared_bytes; /* block-shared memory of a task, at most, besides that for reductions */
    uint64_t slot_bytes;   /* memory for one slot                                                 */
    const char *how;       /* in which mode tasks are run, one line; valid while the pool is open */
    uint64_t slot_pinned_bytes, slot_device_bytes; /* of slot_bytes: pinned, and on the GPU         */
} heddle_pool_info;
#define HEDDLE_POOL_INFO_INIT                               \
    {                                                       \
        sizeof(heddle_pool_info), 0, 0, 0, 0, 0, NULL, 0, 0 \
    }
HEDDLE_API heddle_status heddle_pool_get_info(heddle_pool *pool, heddle_pool_info *out);

/* ---- host memory that tasks see ------------------------------------------------------------------ */

/* n_bytes of zeroed host memory that the bodies and copies of the pool see at this address; on a GPU it is pinned. Freed with the pool
 * at the latest. ERANGE: 0 bytes. ENOMEM. */
HEDDLE_API heddle_status heddle_pool_mem_new(heddle_pool *pool, uint64_t n_bytes, void **out);
/* No task may use it any more. On a GPU it waits until no task runs. NULL is allowed. EINVAL: no such memory. */
HEDDLE_API heddle_status heddle_pool_mem_free(heddle_pool *pool, void *mem);
/* The same for memory of the program's, which it must not free before heddle_pool_unpin or heddle_pool_free. Takes about a millisecond,
 * and for memory that was never touched more. EINVAL: a part of it is pinned already. ENODEV: the GPU cannot. */
HEDDLE_API heddle_status heddle_pool_pin(heddle_pool *pool, void *mem, uint64_t n_bytes);
HEDDLE_API heddle_status heddle_pool_unpin(heddle_pool *pool, void *mem);

/* ---- spawning ------------------------------------------------------------------------------- */

/* Spawns a task of one block of team_size threads (a multiple of 32; 0 = the config's). args is copied; arg_bytes must equal
 * the table's for that body. Waits while the table is full, and on nothing else; on cpu, if no body of the table spawns, the calling
 * thread runs tasks meanwhile. out may be NULL: no handle is wanted.
 * EINVAL: an unknown body, another arg_bytes, a team_size that is no multiple of 32. ERANGE: a larger team than there can be.
 * EBUSY: all slots hold tasks that have ended, and their ends were not seen, so that waiting would not help. ENOMEM, with a
 * full table: the pool has stopped, because bodies have filled the arena (config n_arena) with tasks that need more room. */
HEDDLE_API heddle_status heddle_pool_spawn(heddle_pool *pool, uint32_t body, const void *args, size_t arg_bytes,
                                           uint32_t team_size, heddle_handle *out);

#define HEDDLE_POOL_TRY 1u    /* EBUSY at once when the table is full                                  */
#define HEDDLE_POOL_NOTIFY 2u /* heddle_pool_harvest, _fd and _on_done hear of its end                 */

#define HEDDLE_POOL_MOST_AFTER 15u

#define HEDDLE_POOL_MOST_COPIES 15u

/* Host memory that a task reads or writes, and that its body finds through a pointer of its record. The library sets that pointer, in
 * its copy of args: on a GPU to device memory, into which ranges of mode in are copied before the body, and out of which those of mode
 * out are copied after it. The worker copies them; in mode kernels cudaMemcpyAsync does. The pointer is to the host memory itself if
 * there is no room for them, if the task has several blocks, if in_place is set, and in other modes; on other backends always. What a
 * task leaves in ranges of mode out is undefined if it does not end well.
 *
 * A GPU sees memory of heddle_pool_mem_new and pinned memory. Other memory is copied once more: what the task reads by the call that
 * spawns it, what it has written, if it has ended well, by the call that sees its end. So if tasks hand on results to one another in
 * host memory, that must be pinned. In pinned memory the results are there when the task has ended. If no worker copies it, and
 * in_place is not set, memory of 1 MiB or more is copied into device memory and back. Copy engines do that, and these calls wait. */
typedef struct heddle_pool_copy {
    void *host;
    uint64_t n_bytes;
    heddle_mode mode;  /* HEDDLE_MODE_IN, _OUT or _INOUT                                          */
    uint32_t at;       /* where the pointer is in args, a multiple of its size                      */
    uint32_t in_place; /* nonzero: the body works in the host memory                                */
    uint32_t reserved; /* zero                                                                    */
} heddle_pool_copy;

/* A task with all its attributes; set it up with HEDDLE_POOL_TASK_INIT. */
typedef struct heddle_pool_task {
    size_t size; /* set by HEDDLE_POOL_TASK_INIT                                                   */
    uint32_t body;
    uint32_t team_size; /* 0 = the config's                                                       */
    const void *args;
    size_t arg_bytes;
    /* 0 counts as 1. The body sees thread->block of thread->n_blocks. Blocks are run in any order, at the same time or one
     * after another, so none may wait for another. Not for a body that spawns. */
    uint32_t n_blocks;
    uint32_t flags;             /* HEDDLE_POOL_...                                                         */
    const heddle_handle *after; /* it starts when these tasks have ended                          */
    size_t n_after;             /* at most HEDDLE_POOL_MOST_AFTER                                 */
    uint32_t time_limit_ms;     /* 0 = the config's                                               */
    uint64_t user;              /* given back with its end                                        */
    /* Nonzero: taken before other tasks. A task that a worker has taken is delayed by one urgent one at most, so that the
     * others are not kept waiting for ever. */
    uint32_t urgent;
    uint32_t
        shared_bytes; /* block-shared memory, from heddle_team_shared on; 0 = what its body's entry in the table says */
    const heddle_range *ranges; /* what it reads and writes; they may be host or device addresses. Copied */
    size_t n_ranges;
    const heddle_pool_copy *copies;
    size_t n_copies; /* at most the config's most_copies                                          */
} heddle_pool_task;
#define HEDDLE_POOL_TASK_INIT                                                                \
    {                                                                                        \
        sizeof(heddle_pool_task), 0, 0, NULL, 0, 0, 0, NULL, 0, 0, 0, 0, 0, NULL, 0, NULL, 0 \
    }
/* EINVAL also for a handle that is not valid, for blocks of a body that spawns, and for a range as heddle_graph_add has it; ERANGE
 * for more handles, shared bytes or ranges' bytes than there can be.
 * A task with ranges takes a lock, and sends its record with it. If it comes after more than HEDDLE_POOL_MOST_AFTER unfinished tasks,
 * joins stand for them, each of which takes a slot. ENOMEM, when it says that there was no memory for the order of ranges: nothing
 * was spawned, and all earlier tasks with ranges have ended. */
HEDDLE_API heddle_status heddle_pool_spawn_task(heddle_pool *pool, const heddle_pool_task *task, heddle_handle *out);

/* Spawns n tasks that differ in their records only: task i's is at args + i * stride. handles: n of them, or NULL. Cheaper than
 * n calls. *n_out (NULL: not told) is the number that was spawned: all, unless a status other than OK is returned. With
 * HEDDLE_POOL_TRY it spawns as many as there is room for. */
HEDDLE_API heddle_status heddle_pool_spawn_many(heddle_pool *pool, const heddle_pool_task *common, const void *args,
                                                size_t stride, size_t n, heddle_handle *handles, size_t *n_out);

/* ---- waiting --------------------------------------------------------------------------------- */

/* How a task has ended. status: EBUSY, it has not; OK; EBODY, with the code that the body gave, or the sentence of what it did
 * wrong; ECANCELED; ETIMEDOUT: it ran past its time limit; ENOMEM: there was no room for its children. */
typedef struct heddle_pool_end {
    heddle_handle handle;
    uint64_t user;
    heddle_status status;
    uint32_t code;
} heddle_pool_end;

/* EBUSY until the task has ended, then its final status. Never waits. end may be NULL. */
HEDDLE_API heddle_status heddle_pool_test(heddle_pool *pool, heddle_handle handle, heddle_pool_end *end);
/* Waits at most timeout_ms: EBUSY, or the final status. ETIMEDOUT is returned as soon as the task has passed its limit, while
 * its body may still run: end->status is EBUSY then, the handle stays valid, and the sentence names body and worker. */
HEDDLE_API heddle_status heddle_pool_wait(heddle_pool *pool, heddle_handle handle, uint32_t timeout_ms,
                                          heddle_pool_end *end);
/* Waits until one of n tasks has ended. *which: its index. EBUSY, or that task's final status. */
HEDDLE_API heddle_status heddle_pool_wait_any(heddle_pool *pool, const heddle_handle *handles, size_t n,
                                              uint32_t timeout_ms, size_t *which, heddle_pool_end *end);
/* Waits until all tasks spawned before the call, and all that these have spawned, have ended. Tasks spawned later do not
 * prolong it, but for those of an earlier call that has given up or of one that another thread is in. OK; EBUSY at the
 * deadline; else the status of the last task that did not end well and that no call has asked for, with its sentence, once.
 * Afterwards the handles of the tasks that it waited for are no longer valid, but for those with HEDDLE_POOL_NOTIFY, which
 * heddle_pool_harvest reports. */
HEDDLE_API heddle_status heddle_pool_wait_all(heddle_pool *pool, uint32_t timeout_ms);
/* Asks a task to stop. One that has not started does not run, and ends with ECANCELED when the tasks before it have ended. The
 * body of one that runs may ask heddle_task_is_canceled; its status is ECANCELED. No effect on a task that has ended. */
HEDDLE_API heddle_status heddle_pool_cancel(heddle_pool *pool, heddle_handle handle);

/* ---- waiting for others ------------------------------------------------------------------------
 *
 * A promise is what tasks wait for that is no task: the program keeps it when the time has come. Its handle is used as that of a task,
 * in `after` and in each call. It has a slot, counts as a task for heddle_pool_wait_all, but not in statistics, and ends with OK when
 * it is kept. heddle_pool_cancel breaks it: it ends with ECANCELED at once, as do the tasks after it.
 * On serial, tasks that have waited run in the call that keeps it. */

/* Waits while the table is full, as heddle_pool_spawn. EINVAL: out is NULL. */
HEDDLE_API heddle_status heddle_pool_promise_new(heddle_pool *pool, heddle_handle *out);
/* What this thread has written before is there for the tasks that wait. EINVAL: no promise, or one that was kept or cancelled. */
HEDDLE_API heddle_status heddle_pool_promise_keep(heddle_pool *pool, heddle_handle promise);

/* On a GPU: *out becomes a promise that the library keeps when a CUDA event (cudaEvent_t) has happened, which a thread of it looks at
 * every 50 us. The event must have been recorded, and must exist until the handle has ended or was cancelled. If the event fails, the
 * promise is broken. ENODEV: other backends have no events. ENOMEM. */
HEDDLE_API heddle_status heddle_pool_import_event(heddle_pool *pool, void *event, heddle_handle *out);

/* On a GPU: what is put into a CUDA stream (cudaStream_t; NULL is the default one) after this call begins when the task has ended, well
 * or not. In host memory that is not pinned the results of the task are not there before a call has seen its end. The pool must not be
 * freed before the stream has passed.
 *
 * CUDA knows nothing of this order, and streams share queues of the hardware (CUDA_DEVICE_MAX_CONNECTIONS): what waits may hold up other
 * streams. So the task must not depend on anything that is put into a stream later, and not on heddle_pool_cancel or a time limit.
 * In mode resident a stream memory operation waits, and the kernel stays until the task has ended; other runs and pools of the
 * context begin afterwards. The call returns when that kernel runs. In other modes, and with tables that have a block to each team, the
 * call itself waits until the task has ended.
 * EINVAL: no such handle, or its end was seen. ENODEV: other backends have no streams. ENOMEM. */
HEDDLE_API heddle_status heddle_pool_stream_wait(heddle_pool *pool, heddle_handle handle, void *stream);

/* ---- hearing of ends -------------------------------------------------------------------------- */

/* The ends of tasks with HEDDLE_POOL_NOTIFY, in their order, each once: up to n_max, waiting until there is at least one, or
 * timeout_ms have passed (EBUSY, *n_out 0). */
HEDDLE_API heddle_status heddle_pool_harvest(heddle_pool *pool, heddle_pool_end *out, size_t n_max, uint32_t timeout_ms,
                                             size_t *n_out);
/* A file descriptor for poll, select and epoll that is readable while there are ends to harvest. Do not read from it or close
 * it. A thread of the library looks for ends from the first call on. ENOMEM. */
HEDDLE_API heddle_status heddle_pool_fd(heddle_pool *pool, int *out);
/* From now on a thread of the library harvests, and calls fn(arg, end) for each end. fn must return soon and must not call
 * heddle on this context, but may spawn into this pool. fn NULL: no longer; when the call has returned, fn is not running.
 * EINVAL: called by fn. ENOMEM. */
typedef void (*heddle_pool_done_fn)(void *arg, const heddle_pool_end *end);
HEDDLE_API heddle_status heddle_pool_on_done(heddle_pool *pool, heddle_pool_done_fn fn, void *arg);

/* ---- what happened ----------------------------------------------------------------------------- */

/* The last four are 0 without a trace. Tasks that bodies have spawned are in n_children only. */
typedef struct heddle_pool_stats {
    size_t size;
    uint64_t n_spawned;                     /* by the host                                      */
    uint64_t n_ended, n_failed, n_canceled; /* ends seen so far: all; EBODY, ENOMEM, ETIMEDOUT; ECANCELED */
    uint64_t n_children;                    /* tasks that bodies have spawned                   */
    uint64_t n_full, full_ns;               /* calls that found the table full, and how long they waited */
    uint32_t most_slots;                    /* slots in use at once, at most                    */
    uint32_t n_starts;                      /* of the kernel of a resident pool on a GPU        */
    uint64_t n_records;                     /* kept: of the tasks seen last                     */
    uint64_t observed_ns;                   /* from the first spawn to the last end             */
    uint64_t body_ns;                       /* in bodies of ended tasks, of all their blocks    */
    double warps_in_use;                    /* of teams in bodies, 32 threads each: the mean over observed_ns */
} heddle_pool_stats;
#define HEDDLE_POOL_STATS_INIT                                           \
    {                                                                    \
        sizeof(heddle_pool_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }
/* Any thread, at any time. EINVAL for NULL. */
HEDDLE_API heddle_status heddle_pool_get_stats(heddle_pool *pool, heddle_pool_stats *out);
/* Statistics begin anew: what these calls tell, and records, are of the time from now on. most_slots begins with the slots in use. Of
 * tasks that were spawned before, ends that are seen later count in n_ended alone. Any thread, at any time. */
HEDDLE_API heddle_status heddle_pool_reset_stats(heddle_pool *pool);

/* The rest is there for a pool with a trace (config n_trace); without one these calls return EINVAL. Any thread may make them at
 * any time. They tell of ended tasks, once the end was seen. With a handle that is when a call returns the end; without one,
 * when the slot is needed again, or in heddle_pool_wait_all, which may be long after it.
 *
 * Times are on the host's clock. A GPU has a clock of its own, and nothing tells how far it is from the host's. But no task can begin
 * before it was spawned, nor end after its end was seen. So many tasks leave a small interval, of which the middle is taken. */

/* A time of some tasks, in nanoseconds. median and p99 (99 of 100 tasks took no longer) are at most 4 % too large, the others are
 * exact. All are 0 when n is 0. */
typedef struct heddle_pool_times {
    uint64_t n, total_ns, mean_ns, min_ns, median_ns, p99_ns, max_ns;
} heddle_pool_times;

typedef struct heddle_pool_body_stats {
    size_t size;
    const char *name; /* valid while the table is */
    uint64_t n_tasks; /* ends seen so far: the sum of the next five, OK, EBODY, ECANCELED, ETIMEDOUT and ENOMEM */
    uint64_t n_ok, n_failed, n_canceled, n_late, n_no_room;
    /* Of the tasks that ran. From spawning to the begin of the first body, with the time that it waited for others; from there to
     * the end of the last of its blocks, or of its continuations; from there until that was seen. */
    heddle_pool_times start, body, seen;
} heddle_pool_body_stats;
#define HEDDLE_POOL_BODY_STATS_INIT                                                                           \
    {                                                                                                         \
        sizeof(heddle_pool_body_stats), NULL, 0, 0, 0, 0, 0, 0, {0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0}, \
        {                                                                                                     \
            0, 0, 0, 0, 0, 0, 0                                                                               \
        }                                                                                                     \
    }
/* Of the tasks of one body, all since the pool was opened, or statistics were reset. EINVAL also for an unknown body. */
HEDDLE_API heddle_status heddle_pool_get_body_stats(heddle_pool *pool, uint32_t body, heddle_pool_body_stats *out);

/* What is kept of a task. Times are in nanoseconds since the pool was opened. */
typedef struct heddle_pool_record {
    heddle_handle handle; /* also if none was wanted                                           */
    uint64_t user;
    uint32_t body, team_size, n_blocks;
    heddle_status status;
    uint32_t code;
    uint32_t thread; /* that spawned it: the system's number                                   */
    uint32_t worker; /* that has ended it; of launches the multiprocessor; HEDDLE_POOL_NOT_RUN: no body ran, and
                        begin_ns, end_ns and body_ns are 0                                  */
    uint32_t reserved;
    uint64_t spawned_ns; /* the call had a slot for it                                          */
    uint64_t begin_ns;   /* of its first body                                                  */
    uint64_t end_ns;     /* of its last one                                                    */
    uint64_t seen_ns;
    uint64_t body_ns;  /* in its bodies, of all blocks                                         */
    uint64_t error_ns; /* begin_ns and end_ns may be earlier or later by that; 0 on threads       */
} heddle_pool_record;
#define HEDDLE_POOL_NOT_RUN 0xffffffffu
/* The records that are kept, in the order in which ends were seen: at most n_max into out (NULL with 0); *n_out = all that are
 * kept. ENOMEM. */
HEDDLE_API heddle_status heddle_pool_get_records(heddle_pool *pool, heddle_pool_record *out, size_t n_max,
                                                 size_t *n_out);

/* The kept records as files (heddle_graph_write_trace says how they are written): Chrome/Perfetto JSON, in which a worker has a row,
 * and further ones where its tasks overlap; a spawning thread has one of instants, with flows to the tasks. A timeline as SVG; title
 * NULL: the table's name. Both say how exact the times are. EINVAL for path NULL, EIO, ENOMEM. */
HEDDLE_API heddle_status heddle_pool_write_trace(heddle_pool *pool, const char *path);
HEDDLE_API heddle_status heddle_pool_write_timeline(heddle_pool *pool, const char *path, const char *title);

#ifdef __cplusplus
}
#endif

#endif
