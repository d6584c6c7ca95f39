/* SPDX-License-Identifier: MIT */
/* heddle.h - dependence-aware task graphs on CPU threads and GPUs.
 *
 * Say what each task reads and writes; heddle finds the order and runs every task as soon as its inputs exist. A context is
 * one backend of this process; a table holds the task bodies (HEDDLE_TABLE in heddle/task.h); a graph holds tasks in
 * program order; a job is one run of a graph. Statistics and a trace describe the last run.
 *
 * Results. Every call returns HEDDLE_OK or a negative status; heddle_error_text() returns the sentence. The library never
 * prints, exits or aborts. A failed call leaves its object unchanged, unless its description says otherwise.
 *
 * Ownership. Contexts are opened and closed, objects made (new) and freed (free); free(NULL) is allowed. A call copies what
 * it takes by pointer, unless its description says otherwise. Free a context's graphs and jobs before closing it.
 *
 * Threads. Calls on different contexts may run concurrently. Calls on one context, its graphs and its jobs may not, with four
 * exceptions: any thread may call heddle_job_test, heddle_job_wait, heddle_job_wait_task and heddle_job_cancel on a job that
 * no other thread is freeing. A body or callback must not run, wait, free or close on its own context, which would wait for
 * itself: such a call returns EINVAL, or does nothing if it returns nothing. In a forked child the parent's contexts have no
 * workers: calls on them return EDEVICE, and calls that free leak. The child opens contexts of its own.
 *
 * Units. Sizes end in _bytes, counts begin with n_, times end in _ns or _ms.
 *
 * This header is C99 and C++11 and includes no CUDA header. */
#ifndef HEDDLE_H
#define HEDDLE_H

#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
#include <initializer_list>
extern "C" {
#endif

#define HEDDLE_VERSION_MAJOR 0
#define HEDDLE_VERSION_MINOR 1
#define HEDDLE_VERSION_PATCH 0

#if defined(__GNUC__)
#define HEDDLE_API __attribute__((visibility("default")))
#else
#define HEDDLE_API
#endif

/* ---- 1. Status ---------------------------------------------------------------------------- */

/* One table: name, number, text. Numbers never change meaning. */
#define HEDDLE_STATUS_MAP(X)                                 \
    X(OK, 0, "success")                                      \
    X(EINVAL, -1, "invalid argument")                        \
    X(ENOMEM, -2, "out of memory")                           \
    X(ENODEV, -3, "no such device or backend here")          \
    X(ECYCLE, -4, "the dependences form a cycle")            \
    X(EBODY, -5, "a task body failed")                       \
    X(EDEVICE, -6, "the device or its context is lost")      \
    X(ECANCELED, -7, "cancelled before the end")             \
    X(EBUSY, -8, "still running")                            \
    X(ETIMEDOUT, -9, "the time limit passed")                \
    X(ERANGE, -10, "a size or count is beyond its limit")    \
    X(EIO, -11, "a file could not be read or written")       \
    X(EPARSE, -12, "a file does not have the expected form") \
    X(EVERSION, -13, "compiled against another version of heddle")

typedef enum heddle_status {
#define HEDDLE_X(name, value, text) HEDDLE_##name = (value),
    HEDDLE_STATUS_MAP(HEDDLE_X)
#undef HEDDLE_X
        HEDDLE_STATUS_MIN = -13
} heddle_status;

/* The fixed text of a status ("out of memory"); never NULL. */
HEDDLE_API const char *heddle_status_text(heddle_status s);

/* ---- 2. Context --------------------------------------------------------------------------- */

typedef struct heddle_ctx heddle_ctx;

#define HEDDLE_BACKEND_MAP(X)                                           \
    X(AUTO, 0, "auto", "the best one present: cuda, else cpu")          \
    X(SERIAL, 1, "serial", "one thread, topological order: the oracle") \
    X(CPU, 2, "cpu", "threads that run the scheduler the GPU runs")     \
    X(CUDA, 3, "cuda", "resident thread blocks of one NVIDIA GPU")

typedef enum heddle_backend {
#define HEDDLE_X(name, value, text, help) HEDDLE_##name = (value),
    HEDDLE_BACKEND_MAP(HEDDLE_X)
#undef HEDDLE_X
        HEDDLE_N_BACKENDS = 4
} heddle_backend;

/* Which worker gets a task that became ready, under rings, iqs and scheduler (lrr, grr, lf: Juggler, PPoPP'18, section 5.6;
 * rr, ts: DIDC'14, section 3.2; al: Belviranli's thesis, section 5.3.3). */
#define HEDDLE_POLICY_MAP(X)                                                                   \
    X(DEFAULT, 0, "default", "rings: share on threads, lf on a GPU; iqs: lf; scheduler: rr")   \
    X(LRR, 1, "lrr", "local round robin: a counter in each worker")                            \
    X(GRR, 2, "grr", "global round robin: one counter for all workers")                        \
    X(LF, 3, "lf", "local first: the first freed task stays, the others go to the neighbours") \
    X(SHARE, 4, "share", "as lf, and a busy worker gives to one that has nothing")             \
    X(RR, 5, "rr", "round robin: the next worker whose ring is not full")                      \
    X(TS, 6, "ts", "tail-submit: the first freed task stays, the others go to short rings")    \
    X(AL, 7, "al", "average load: local while the own ring is not above the average")

typedef enum heddle_policy {
#define HEDDLE_X(name, value, text, help) HEDDLE_POLICY_##name = (value),
    HEDDLE_POLICY_MAP(HEDDLE_X)
#undef HEDDLE_X
        HEDDLE_N_POLICIES = 8
} heddle_policy;

/* How a graph is run. All schedules give the same bytes. The serial backend has auto only; only the cuda backend has levels,
 * graph, graph+pdl, levels+sync and taskgraph. iqs, scheduler, central and rings need a table compiled with
 * HEDDLE_BASELINES, except rings on threads with policy share. */
#define HEDDLE_SCHEDULE_MAP(X)                                                                                      \
    X(AUTO, 0, "auto", "dynamic on threads; a GPU's first runs try several, each on real work, and the best stays") \
    X(STATIC, 1, "static", "an ordered list a worker, made before the run; they wait for one another's tasks only") \
    X(DYNAMIC, 2, "dynamic", "who is free takes what is ready: a GPU from a ring of tickets, threads from rings")   \
    X(LEVELS, 3, "levels", "cuda: one launch a level of the graph, a device-wide barrier between them")             \
    X(GRAPH, 4, "graph", "cuda: those launches captured once into a CUDA graph and replayed")                       \
    X(GRAPH_PDL, 5, "graph+pdl", "cuda: the same with programmatic edges: a level is started before its turn")      \
    X(LEVELS_SYNC, 6, "levels+sync", "cuda: levels, and the host waits after each launch; for comparison")          \
    X(TASKGRAPH, 7, "taskgraph", "cuda: a CUDA graph with a node a task, for comparison")                           \
    X(TICKET, 8, "ticket", "one ring of tickets for all workers: what dynamic is on a GPU")                         \
    X(RINGS, 9, "rings", "a ready ring a worker, filled by a policy (Juggler, PPoPP'18), for comparison")           \
    X(IQS, 10, "iqs", "the queues of Juggler (PPoPP'18, sections 5.2, 5.3, 5.5), for comparison")                   \
    X(SCHEDULER, 11, "scheduler", "one block or thread schedules for the others (DIDC'14), for comparison")         \
    X(CENTRAL, 12, "central", "one queue for all under a lock (HPG'10), for comparison")                            \
    X(WAVE, 13, "wave", "of waves (heddle/wave.h): bands in order, which hand their borders on inside")

typedef enum heddle_schedule {
#define HEDDLE_X(name, value, text, help) HEDDLE_SCHEDULE_##name = (value),
    HEDDLE_SCHEDULE_MAP(HEDDLE_X)
#undef HEDDLE_X
        HEDDLE_N_SCHEDULES = 14
} heddle_schedule;

/* What a worker without a task does. */
#define HEDDLE_IDLE_MAP(X)                                                                    \
    X(DEFAULT, 0, "default", "latency")                                                       \
    X(LATENCY, 1, "latency", "it looks again and again, so that a task does not wait for it") \
    X(POLITE, 2, "polite", "it looks seldom and sleeps between; a thread parks at once: others and power are spared")

typedef enum heddle_idle {
#define HEDDLE_X(name, value, text, help) HEDDLE_IDLE_##name = (value),
    HEDDLE_IDLE_MAP(HEDDLE_X)
#undef HEDDLE_X
        HEDDLE_N_IDLES = 3
} heddle_idle;

/* Settings for experiments and benchmarks. Zero in a field means the default. A schedule refuses settings that it does not
 * use. */
typedef struct heddle_expert {
    heddle_policy policy; /* rings, iqs, scheduler; with schedule auto it means rings
                                                                  HEDDLE_POLICY                   */
    uint32_t n_ring;      /* slots of a worker's ready ring       HEDDLE_RING                     */
    uint32_t n_local;     /* tasks in a row that a worker may keep under the local-first policies before it looks into
                               its ring; 0 = 1024, on a GPU 1     HEDDLE_LOCAL                    */
    uint32_t by_body;     /* launches: 1 = one a body and level, each body compiled alone; 2 = one a level; 0 = by body
                               where a level has one body         HEDDLE_BY_BODY                  */
    uint32_t spin_us;     /* idle polling before a thread parks   HEDDLE_SPIN_US                  */
    uint32_t reserved[7]; /* zero                                                                 */
} heddle_expert;

/* How a context is opened; set it up with HEDDLE_CONFIG_INIT. A field left zero takes the value of its environment variable
 * (third column; `heddle info` lists them), else its default. */
typedef struct heddle_config {
    size_t size;              /* set by HEDDLE_CONFIG_INIT; lets the struct grow                    */
    heddle_backend backend;   /* AUTO                               HEDDLE_BACKEND                  */
    uint32_t device;          /* index in that backend              HEDDLE_DEVICE                   */
    uint32_t n_workers;       /* threads, thread blocks; 0 = one per core, as many as are resident at once
                                                                  HEDDLE_WORKERS                  */
    uint32_t team_size;       /* threads of a team: of a block on cuda (a multiple of 32; 0 = what the graph
                               asks for, else 128), of an emulated block on serial (0 = 1)
                                                                  HEDDLE_TEAM_SIZE                */
    heddle_schedule schedule; /* how graphs are run                 HEDDLE_SCHEDULE                 */
    heddle_idle idle;         /* what a worker does without a task  HEDDLE_IDLE                     */
    uint32_t n_trace;         /* events kept per worker, 0 = none   HEDDLE_TRACE                    */
    uint32_t time_limit_ms;   /* a longer run is stopped, waited for or not; if a body has not returned 5 s later, the
                               context is lost (EDEVICE). 0 = none
                                                                  HEDDLE_TIME_LIMIT_MS            */
    uint32_t no_pin;          /* 1 = leave threads unpinned         HEDDLE_NO_PIN                   */
    uint32_t n_arena;         /* slots for spawned tasks; 0 = 65536, on a GPU 1024 a worker; raised to what the workers
                               need to begin. A tree whose tasks have c children each, continuation included, wants
                               twice workers x depth x c; with far fewer it may end with HEDDLE_ENOMEM
                                                                  HEDDLE_ARENA                    */
    uint32_t stack_bytes;     /* cuda: least call stack of a GPU thread, for bodies that call recursive functions. The
                               limit is the process's, and takes device memory for all threads that can be resident;
                               0 = the device's own (1 KB), 512 KB at most
                                                                  HEDDLE_STACK                    */
    const char *tuning_file;  /* cuda, schedule auto or static, and mode auto of pools: file that keeps choices by the
                               graph's structure, or the pool's table, device and config, and is looked up before
                               anything is tried. One that cannot be read or
                               written is no error: heddle_graph_describe_run mentions it. NULL = none. Copied;
                               heddle_ctx_get_config gives the copy
                                                                  HEDDLE_TUNING_FILE              */
    heddle_expert expert;
} heddle_config;
#define HEDDLE_CONFIG_INIT                                                                                           \
    {                                                                                                                \
        sizeof(heddle_config), HEDDLE_AUTO, 0, 0, 0, HEDDLE_SCHEDULE_AUTO, HEDDLE_IDLE_DEFAULT, 0, 0, 0, 0, 0, NULL, \
        {                                                                                                            \
            HEDDLE_POLICY_DEFAULT, 0, 0, 0, 0, { 0 }                                                                 \
        }                                                                                                            \
    }

/* Opens a context, which the caller closes; cfg NULL = all defaults. With backend auto, a context on a GPU moves to threads
 * when its first graph has bodies compiled as C, unless memory was asked for before. ENODEV: the backend or device is not
 * here; EINVAL or ERANGE: a bad field or environment variable; ENOMEM. On failure *out is NULL and heddle_error_text(NULL)
 * returns the sentence. */
HEDDLE_API heddle_status heddle_ctx_open(heddle_ctx **out, const heddle_config *cfg);
/* Reopens the context under cfg, but keeps its memory and graphs: so every schedule can run one set of data and one graph.
 * Workers restart, and each graph is loaded again at its next run. Backend and device stay: 0 means the present one, another
 * is refused (EINVAL). Statistics and traces of earlier runs are lost; plans and measured costs stay. Returns the errors of
 * heddle_ctx_open, or EBUSY while a run is in flight; on error the context is unchanged. Before the call, finish all runs
 * enqueued in streams; captured runs become invalid. No thread may be waiting for a job. */
HEDDLE_API heddle_status heddle_ctx_reconfigure(heddle_ctx *ctx, const heddle_config *cfg);
/* Waits for running jobs, stops the workers, frees the context. */
HEDDLE_API void heddle_ctx_close(heddle_ctx *ctx);
/* The sentence of the last failed call on ctx; ctx NULL: of this thread's last failed call without a context. Never NULL; ""
 * when nothing failed. Owned by the library; valid until the next call on ctx fails, on any thread. */
HEDDLE_API const char *heddle_error_text(const heddle_ctx *ctx);
/* The config in use, with every default filled in. Set *out up with HEDDLE_CONFIG_INIT: only the fields within its size are
 * written. */
HEDDLE_API heddle_status heddle_ctx_get_config(const heddle_ctx *ctx, heddle_config *out);
/* 1 when that backend is compiled in and has at least one device here, else 0. */
HEDDLE_API int heddle_backend_is_present(heddle_backend b);
/* The names used in options and variables ("cpu", "lf"); NULL for a number outside the table. */
HEDDLE_API const char *heddle_backend_name(heddle_backend b);
HEDDLE_API const char *heddle_schedule_name(heddle_schedule s);
HEDDLE_API const char *heddle_policy_name(heddle_policy p);
HEDDLE_API const char *heddle_idle_name(heddle_idle i);
/* 1 when a GPU runs s by resident workers; 0 for launches, for auto, which chooses, and for a number outside the table. */
HEDDLE_API int heddle_schedule_has_workers(heddle_schedule s);

/* One environment variable: its name, what it sets, and its value now (NULL = not set). Returns 0 past the last one. */
typedef struct heddle_env_info {
    const char *name, *help, *value;
} heddle_env_info;
HEDDLE_API int heddle_env_get(uint32_t index, heddle_env_info *out);

/* The machine as the cpu backend sees it (hwloc's view when it is compiled in, else the system's). */
typedef struct heddle_machine {
    uint32_t n_cores, n_threads; /* physical cores and hardware threads this process may use     */
    uint64_t cache_bytes[3];     /* L1d, L2, L3 of one core; 0 = unknown                         */
    int has_hwloc;               /* 1 when hwloc found it                                        */
} heddle_machine;
HEDDLE_API void heddle_machine_get(heddle_machine *out);

/* A device of a backend that has devices of its own (cuda). ENODEV when there is none; a failed call leaves *out unchanged. */
typedef struct heddle_device {
    size_t size;              /* set by HEDDLE_DEVICE_INIT                                   */
    char name[128];           /* as its driver reports it                                    */
    uint32_t n_units;         /* multiprocessors                                             */
    uint32_t major, minor;    /* compute capability                                          */
    uint32_t driver, runtime; /* CUDA version times 1000: 12.8 is 12080                      */
    uint32_t shared_bytes;    /* block-shared memory a block can have                        */
    uint64_t l2_bytes, total_bytes, free_bytes;
    uint32_t has_mps;        /* 1 when a multi-process service seems to share it            */
    uint32_t is_mig;         /* 1 when it is a slice of a GPU                               */
    uint32_t has_time_limit; /* 1 when the display driver stops long kernels                */
    uint32_t reads_host;     /* 1 when it reads all of the host's memory (pageable access)  */
    char pci[32];            /* its place: "0000:17:00.0"; "": not known                    */
} heddle_device;
#define HEDDLE_DEVICE_INIT                                                       \
    {                                                                            \
        sizeof(heddle_device), {0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, { 0 } \
    }
HEDDLE_API heddle_status heddle_device_get(heddle_backend b, uint32_t device, heddle_device *out);

/* Can a device copy from another one's memory without the host? */
#define HEDDLE_PEER_MAP(X)                                                          \
    X(NO, 0, "no", "its driver does not grant that")                                \
    X(VERIFIED, 1, "verified", "some MiB were sent from it, and all bytes arrived") \
    X(WRONG, 2, "wrong", "its driver grants that, but other bytes arrived, or none")
typedef enum heddle_peer {
#define HEDDLE_X(name, value, text, help) HEDDLE_PEER_##name = (value),
    HEDDLE_PEER_MAP(HEDDLE_X)
#undef HEDDLE_X
} heddle_peer;
/* Found out with data, once in a process, for some milliseconds. A device reaches itself. ENODEV: there is no such device. */
HEDDLE_API heddle_status heddle_device_get_peer(heddle_backend b, uint32_t device, uint32_t from, heddle_peer *out);

/* ---- 3. Memory ---------------------------------------------------------------------------- */

/* Memory that bodies of this context may touch: host memory aligned to 128 bytes on serial and cpu,
 * device memory on cuda. Bodies may also use pointers of your own that they can reach. Contents
 * start undefined. ERANGE for 0 bytes, ENOMEM. */
HEDDLE_API heddle_status heddle_mem_new(heddle_ctx *ctx, size_t n_bytes, void **out);
HEDDLE_API void heddle_mem_free(heddle_ctx *ctx, void *p);
/* Copies n_bytes between host memory and memory of heddle_mem_new (any address inside it); returns when done. */
HEDDLE_API heddle_status heddle_mem_write(heddle_ctx *ctx, void *dst, const void *host, size_t n_bytes);
HEDDLE_API heddle_status heddle_mem_read(heddle_ctx *ctx, void *host, const void *src, size_t n_bytes);

/* Names a task that a body has spawned (heddle/task.h), or a task of a pool (heddle/pool.h). May be copied. */
typedef uint64_t heddle_handle;

/* ---- 4. Graph ----------------------------------------------------------------------------- */

/* A table of bodies, made by HEDDLE_TABLE(name, ...) as `const heddle_table name`. It must outlive the
 * graphs made from it. Its layout is in heddle/task.h. */
typedef struct heddle_table heddle_table;
typedef struct heddle_graph heddle_graph;
/* A task of one graph. Numbers grow in program order but may have gaps: heddle inserts empty join tasks where many readers
 * meet many writers. */
typedef uint32_t heddle_task;

#define HEDDLE_MAX_TASKS 0x3fffffffu /* tasks of one graph, joins included                     */
#define HEDDLE_MAX_ARG_BYTES 65536u  /* argument record of one task                            */

typedef enum heddle_mode { HEDDLE_MODE_IN = 1, HEDDLE_MODE_OUT = 2, HEDDLE_MODE_INOUT = 3 } heddle_mode;

/* A range: row_bytes bytes at base, or n_rows such rows, stride_bytes apart (2-D). The address is a
 * key: it is compared, never followed, so any number unique to the data will do. Overlap is decided
 * exactly between contiguous ranges, between 2-D blocks of one stride (also where their columns wrap
 * past it), and between a contiguous range and a block; between blocks of different strides a block
 * counts as everything from its first byte to its last.
 * row_bytes 0, n_rows > 1 with stride_bytes < row_bytes, or an end past the address space: ERANGE. */
typedef struct heddle_range {
    const void *base;
    uint64_t row_bytes, n_rows, stride_bytes; /* n_rows 0 or 1: contiguous, stride ignored          */
    heddle_mode mode;
} heddle_range;

#ifdef __CUDACC__ /* bodies name ranges, too: heddle/task.h */
#define HEDDLE_INLINE static inline __host__ __device__
#else
#define HEDDLE_INLINE static inline
#endif
HEDDLE_INLINE heddle_range heddle_range_of(const void *base, uint64_t row_bytes, uint64_t n_rows, uint64_t stride_bytes,
                                           heddle_mode mode)
{
    heddle_range r;
    r.base = base;
    r.row_bytes = row_bytes;
    r.n_rows = n_rows;
    r.stride_bytes = stride_bytes;
    r.mode = mode;
    return r;
}
#define HEDDLE_IN(p, n_bytes) heddle_range_of((p), (n_bytes), 1, 0, HEDDLE_MODE_IN)
#define HEDDLE_OUT(p, n_bytes) heddle_range_of((p), (n_bytes), 1, 0, HEDDLE_MODE_OUT)
#define HEDDLE_INOUT(p, n_bytes) heddle_range_of((p), (n_bytes), 1, 0, HEDDLE_MODE_INOUT)
#define HEDDLE_IN_2D(p, row_bytes, rows, stride) heddle_range_of((p), (row_bytes), (rows), (stride), HEDDLE_MODE_IN)
#define HEDDLE_OUT_2D(p, row_bytes, rows, stride) heddle_range_of((p), (row_bytes), (rows), (stride), HEDDLE_MODE_OUT)
#define HEDDLE_INOUT_2D(p, row_bytes, rows, stride) \
    heddle_range_of((p), (row_bytes), (rows), (stride), HEDDLE_MODE_INOUT)

/* Makes the two arguments `ranges, n_ranges` of heddle_graph_add from a list; valid within that call. Elements of the list are
 * evaluated once. */
#ifdef __cplusplus
extern "C++" { /* never called: the number of ranges is the size of the type returned, less one */
template <size_t n> char (&heddle_n_ranges(const heddle_range (&list)[n]))[n + 1];
struct heddle_no_ranges {
};
char (&heddle_n_ranges(heddle_no_ranges))[1];
}
#define HEDDLE_RANGES(...) \
    std::initializer_list<heddle_range>{__VA_ARGS__}.begin(), sizeof(heddle_n_ranges({__VA_ARGS__})) - 1
#else
#define HEDDLE_RANGES(...) \
    (const heddle_range[]){__VA_ARGS__}, sizeof((const heddle_range[]){__VA_ARGS__}) / sizeof(heddle_range)
#endif

/* An empty graph of table's bodies, which the caller frees. EVERSION: the table was compiled against another core version.
 * ENODEV: the context's backend cannot run its bodies; the sentence says why. */
HEDDLE_API heddle_status heddle_graph_new(heddle_ctx *ctx, const heddle_table *table, heddle_graph **out);
/* Waits for a run in flight, then frees. Jobs of the graph must be freed before. */
HEDDLE_API void heddle_graph_free(heddle_graph *g);

/* Adds a task: `body` is an index in the table (the enum constant of its name), args its argument
 * record (arg_bytes must equal the table's: EINVAL), ranges what it reads and writes. The task runs
 * after every earlier task that has a range in conflict with one of its own (read after write, write
 * after read, write after write). out may be NULL.
 * EINVAL also for an unknown body, a bad mode, or a frozen graph; ERANGE for a bad range or beyond
 * HEDDLE_MAX_TASKS; ENOMEM, after which the graph can only be freed.
 * Cost. A range named again exactly costs one hash look-up if nothing that overlaps it came between. A new range costs hardly
 * more while different ranges never overlap, and all have one stride and about one size. Otherwise heddle searches a tree:
 * the time grows with the logarithm of the number of ranges and with the overlapping ranges, or parts, not overwritten since.
 * A write visits all of these, a read those that were written. A block also searches the trees of other strides with
 * blocks that reach over its bytes. Memory: less than 300 bytes a distinct range, 1 KB a stride.
 * Each conflict that a later one does not imply becomes an edge. */
HEDDLE_API heddle_status heddle_graph_add(heddle_graph *g, uint32_t body, const void *args, size_t arg_bytes,
                                          const heddle_range *ranges, size_t n_ranges, heddle_task *out);

/* The same with all attributes of a task. */
#define HEDDLE_TASK_WATCH 1u /* heddle_job_wait_task and heddle_graph_on_done may name it               */
typedef struct heddle_task_desc {
    size_t size; /* set by HEDDLE_TASK_INIT                                                       */
    uint32_t body;
    const void *args;
    size_t arg_bytes;
    const heddle_range *ranges;
    size_t n_ranges;
    uint32_t urgent;  /* nonzero: taken before all others                       */
    uint32_t flags;   /* HEDDLE_TASK_...                                                         */
    uint32_t cost_ns; /* expected time, 0 = unknown (counts as 1); for the critical path         */
    uint32_t place;   /* worker + 1 that shall run it (modulo their number), 0 = any. Schedules static, rings
                         and threads' dynamic keep to it; others refuse the run                        */
} heddle_task_desc;
#define HEDDLE_TASK_INIT                                          \
    {                                                             \
        sizeof(heddle_task_desc), 0, NULL, 0, NULL, 0, 0, 0, 0, 0 \
    }
HEDDLE_API heddle_status heddle_graph_add_task(heddle_graph *g, const heddle_task_desc *d, heddle_task *out);

/* An explicit edge: `later` runs after `earlier`, in whichever order they were added. Freeze finds cycles.
 * EINVAL for an unknown task, a frozen graph, or later == earlier. */
HEDDLE_API heddle_status heddle_graph_add_edge(heddle_graph *g, heddle_task later, heddle_task earlier);

/* Bytes of block-shared memory that `body` gets in this graph, in place of the table's figure. */
HEDDLE_API heddle_status heddle_graph_set_shared_bytes(heddle_graph *g, uint32_t body, uint32_t n_bytes);

/* Threads of a GPU's worker that suit this graph's bodies, used when the config leaves them open: a multiple of 32, at most
 * 1024, else EINVAL. Default 128. EINVAL also after the first run. */
HEDDLE_API heddle_status heddle_graph_set_team_size(heddle_graph *g, uint32_t team_size);

/* Marks as urgent the tasks on critical paths by cost (zero slack), unless these are more than a quarter of all: then urgency
 * would distinguish nothing. Call it before freeze (else EINVAL). */
HEDDLE_API heddle_status heddle_graph_mark_urgent(heddle_graph *g);

/* Ends adding: checks for cycles (ECYCLE; the sentence names a task on one) and stores the graph as one
 * read-only blob. Without this call the first run freezes. Freezing twice is allowed. */
HEDDLE_API heddle_status heddle_graph_freeze(heddle_graph *g);

/* Replaces the arguments of a task, frozen or not, between runs (EBUSY while one is in flight). */
HEDDLE_API heddle_status heddle_graph_set_args(heddle_graph *g, heddle_task t, const void *args, size_t arg_bytes);

/* Calls fn(arg, t) once in each run when watched task t is done, on a thread of the library. fn must return soon and must not
 * call heddle on this context. heddle_job_wait_task for t returns after fn has. On cuda a waiting thread may call fn, and
 * other waiting threads may return before fn has. One callback a task; fn NULL removes it. */
typedef void (*heddle_done_fn)(void *arg, heddle_task t);
HEDDLE_API heddle_status heddle_graph_on_done(heddle_graph *g, heddle_task t, heddle_done_fn fn, void *arg);

/* What is known of a graph; levels, width and path after freeze (computed on the first call). */
typedef struct heddle_graph_info {
    size_t size;
    uint64_t n_tasks, n_joins, n_edges; /* user's tasks, added join tasks, edges                  */
    uint64_t n_roots, n_levels, max_width, path_cost_ns;
    uint64_t blob_bytes, peak_bytes; /* frozen size; most host memory held while building      */
    uint64_t add_ns, freeze_ns;      /* add_ns: from the first add to the freeze               */
} heddle_graph_info;
#define HEDDLE_GRAPH_INFO_INIT                                     \
    {                                                              \
        sizeof(heddle_graph_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }
HEDDLE_API heddle_status heddle_graph_get_info(heddle_graph *g, heddle_graph_info *out);

/* Successors of a task, for tools and tests: at most n_max into succ (NULL with 0), *n_out = all of
 * them. Joins appear as tasks (their body is HEDDLE_BODY_JOIN). The graph must be frozen. */
#define HEDDLE_BODY_JOIN 0xffffu
HEDDLE_API heddle_status heddle_graph_get_successors(const heddle_graph *g, heddle_task t, heddle_task *succ,
                                                     size_t n_max, size_t *n_out);
/* Body of a task, HEDDLE_BODY_JOIN for a join; EINVAL past the last task. */
HEDDLE_API heddle_status heddle_graph_get_body(const heddle_graph *g, heddle_task t, uint32_t *body);
/* The graph's table (for names of bodies); for a loaded graph the one made for it. */
HEDDLE_API const heddle_table *heddle_graph_get_table(const heddle_graph *g);

/* Files: the graph as DOT, or as JSON {"tasks":[{"id","body","after":[...],"us","args","urgent"}]};
 * joins have the body "join" and nothing to run. EIO; no file is left behind on failure
 * (heddle_files_discard, below). Freezes the graph. */
HEDDLE_API heddle_status heddle_graph_write_dot(heddle_graph *g, const char *path);
HEDDLE_API heddle_status heddle_graph_write_json(heddle_graph *g, const char *path);
/* Reads such JSON. table NULL: every body spins for the task's "us" microseconds, names are labels.
 * Else names must be in the table and "args" is the record in hexadecimal. "after" may name tasks that
 * come later in the file. EIO, EPARSE (file, line, what was wrong), ECYCLE. */
HEDDLE_API heddle_status heddle_graph_read_json(heddle_ctx *ctx, const heddle_table *table, const char *path,
                                                heddle_graph **out);

/* ---- 5. Run ------------------------------------------------------------------------------- */

typedef struct heddle_job heddle_job;

/* Runs the graph and waits for its end. All tasks share the record params (params_bytes must equal the table's), and bodies
 * must be able to follow pointers in it. A graph may run any number of times, one run at a time: EBUSY while another run of
 * it is in flight. EBODY (the sentence names task, body, code), ECANCELED, ETIMEDOUT (the config's time limit), ENOMEM (the
 * arena), ECYCLE (schedule ticket: no worker can go on): the graph may run again, but your data is half-changed. EDEVICE:
 * the context is lost. The calling thread may do part of the work. */
HEDDLE_API heddle_status heddle_graph_run(heddle_ctx *ctx, heddle_graph *g, const void *params, size_t params_bytes);

/* Starts a run and returns. Jobs of one context run in the order of submission. The caller frees the
 * job with heddle_job_free. */
HEDDLE_API heddle_status heddle_graph_submit(heddle_ctx *ctx, heddle_graph *g, const void *params, size_t params_bytes,
                                             heddle_job **out);
/* EBUSY until the job has ended, then its final status. Never waits. */
HEDDLE_API heddle_status heddle_job_test(heddle_job *j);
/* Waits at most timeout_ms (HEDDLE_FOREVER = no limit). EBUSY: the job is still running; else its final status. ETIMEDOUT
 * always means that the config's time limit stopped the run. */
#define HEDDLE_FOREVER 0xffffffffu
HEDDLE_API heddle_status heddle_job_wait(heddle_job *j, uint32_t timeout_ms);
/* Waits until watched task t of this job is done (its outputs are visible then, and its callback has returned), or the job
 * has ended. EBUSY when neither has happened within timeout_ms. EINVAL when t was added without HEDDLE_TASK_WATCH. */
HEDDLE_API heddle_status heddle_job_wait_task(heddle_job *j, heddle_task t, uint32_t timeout_ms);
/* Asks the job to stop: each worker finishes its current task, then the job ends with ECANCELED. */
HEDDLE_API void heddle_job_cancel(heddle_job *j);
/* Waits for the end, then frees. */
HEDDLE_API void heddle_job_free(heddle_job *j);

/* Enqueues a run in the CUDA stream `stream` (a cudaStream_t) and returns without waiting. The run may be captured into a CUDA
 * graph and replayed, with the arguments of the capture. It has ended when the stream's work so far is done. The caller
 * keeps g, and orders runs of one graph by streams and events. No time limit, no watched tasks. After the stream was
 * synchronised, heddle_graph_stream_status(g) returns how the last such run ended. cuda backend only (else EINVAL). */
HEDDLE_API heddle_status heddle_graph_enqueue(heddle_ctx *ctx, heddle_graph *g, const void *params, size_t params_bytes,
                                              void *stream);
HEDDLE_API heddle_status heddle_graph_stream_status(heddle_graph *g);

/* ---- 5b. Plans ---------------------------------------------------------------------------- */

/* A plan: which worker runs which tasks in which order (schedule static). A graph without one gets one at its first
 * run: list scheduling by the longest path to the end (HEFT), with the costs of the last traced run, else those
 * given when adding. On a GPU the first runs try that plan (`path`), with as many workers as fit and with one an SM. They
 * also try one that goes depth first through clusters of neighbours (`depth`): a task's inputs were written not long
 * before and are still in the caches. The quickest stays.
 * heddle_graph_replan: makes a new plan for n_workers (0 = the context's), with costs from the last traced run.
 * heddle_graph_record_plan: the plan becomes what the last run did, the same order per worker; EINVAL unless its trace has
 * every task and dropped no event.
 * Files (JSON: {"workers":n,"tasks":n,"lists":[[task,...],...]}): reading checks that every task is there once and
 * that edges and list order have no cycle (ECYCLE); EPARSE, EIO; EINVAL for another number of tasks.
 * A run with another number of workers than its plan has is refused (EINVAL). All return EBUSY while a run is in flight. */
HEDDLE_API heddle_status heddle_graph_replan(heddle_graph *g, uint32_t n_workers);
HEDDLE_API heddle_status heddle_graph_record_plan(heddle_graph *g);
HEDDLE_API heddle_status heddle_graph_write_plan(heddle_graph *g, const char *path);
HEDDLE_API heddle_status heddle_graph_read_plan(heddle_graph *g, const char *path);

/* ---- 6. What happened --------------------------------------------------------------------- */

/* The last ended run of a graph. Times that need the trace are 0 without one (config n_trace). */
typedef struct heddle_stats {
    size_t size;
    uint64_t run_ns, load_ns;                     /* the run; making the graph runnable, all of it so far  */
    uint64_t plan_ns, kernel_ns;                  /* of load_ns: planning (static); finding kernels, which
                                             the CUDA driver loads at their first use in a process */
    uint32_t n_workers, n_tasks_min, n_tasks_max; /* tasks a worker ran, least and most           */
    uint64_t n_tasks;                             /* bodies run                                           */
    uint64_t n_kept, n_pushed, n_full, n_spilled; /* kept by the worker that freed them; put into rings; rings found
                                                     full; put on a worker's own list */
    uint64_t n_given, n_parks;                    /* given to a worker that asked; times a thread parked */
    uint64_t n_events, n_dropped;                 /* trace events kept, and lost because a buffer was full */
    uint64_t body_ns, idle_ns, queue_ns, dep_ns;  /* summed over workers: in bodies, nothing to do,
                                             taking tasks, releasing and placing successors       */
    uint64_t path_ns;                             /* longest path by measured body times                  */
    double utilisation;                           /* body_ns / (run_ns * n_workers)                       */
    uint32_t is_trying;                           /* 1: the run was a trial; the next may go another way */
    heddle_schedule schedule;                     /* that ran it: under auto the one chosen; auto on serial */
    heddle_policy policy;                         /* of rings, iqs and scheduler, else DEFAULT                     */
    uint32_t team_size;                           /* threads that ran a body                                       */
    uint64_t wait_ns; /* of idle_ns: in bodies of waves, for what other bands had not left yet   */
} heddle_stats;
#define HEDDLE_STATS_INIT                                                                            \
    {                                                                                                \
        sizeof(heddle_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0, \
            HEDDLE_SCHEDULE_AUTO, HEDDLE_POLICY_DEFAULT, 0, 0                                        \
    }
HEDDLE_API heddle_status heddle_graph_get_stats(heddle_graph *g, heddle_stats *out);
/* How the last run was run and, where heddle chose, why: one line for a reader ("static depth, 528 workers of 128 threads;
 * ..."); heddle_stats has it in fields. Valid until the next run; "" before the first. */
HEDDLE_API const char *heddle_graph_describe_run(heddle_graph *g);

typedef struct heddle_worker_stats {
    uint64_t n_tasks, body_ns, idle_ns, queue_ns, dep_ns;
} heddle_worker_stats;
HEDDLE_API heddle_status heddle_graph_get_worker_stats(heddle_graph *g, uint32_t worker, heddle_worker_stats *out);

/* Times of one body over the last run (needs the trace). */
typedef struct heddle_body_stats {
    const char *name;
    uint64_t n_tasks, min_ns, median_ns, max_ns, total_ns;
} heddle_body_stats;
HEDDLE_API heddle_status heddle_graph_get_body_stats(heddle_graph *g, uint32_t body, heddle_body_stats *out);

/* One task as it ran. Times count from the start of the run. Spawned tasks have no number of their own. Under schedule wave an
 * event is a stretch of a band (heddle/wave.h): task is its part, and idle_ns what it has waited from begin to end. */
#define HEDDLE_TASK_SPAWNED 0xffffffffu
typedef struct heddle_event {
    heddle_task task;
    uint32_t body, worker;
    uint64_t begin_ns, end_ns;          /* the body                                          */
    uint64_t idle_ns, queue_ns, dep_ns; /* before it: nothing to do, taking; after it: releasing */
} heddle_event;
/* The kept events of the last run, by worker and time: at most n_max into ev (NULL with 0), *n_out =
 * all that were kept. */
HEDDLE_API heddle_status heddle_graph_get_events(heddle_graph *g, heddle_event *ev, size_t n_max, size_t *n_out);

/* CLOCK_MONOTONIC in nanoseconds: the clock of events on threads, and of heddle_clock_ns in a body there. */
HEDDLE_API uint64_t heddle_host_clock_ns(void);
/* Yields the core: for a thread that polls for another one. */
HEDDLE_API void heddle_host_yield(void);

/* Files: Chrome/Perfetto JSON (a row a worker, a slice a task, flows for edges); a timeline as SVG
 * (a row a worker, a colour a body, idle white: Juggler figure 1). Of a wave a slice is a stretch of a band, with its columns and
 * what it has waited; each of the bands that a worker runs at a time has a row. EINVAL without a trace, EIO. */
HEDDLE_API heddle_status heddle_graph_write_trace(heddle_graph *g, const char *path);
HEDDLE_API heddle_status heddle_graph_write_timeline(heddle_graph *g, const char *path, const char *title);

/* Files, here and in sections 4 and 5b, are written beside their path (PATH.tmp and eight digits) and renamed when complete;
 * a device or a pipe is written through. A limit on file sizes, or a pipe without a reader, gives EIO, not the signal. The
 * library handles no signals: call this in the handler of a signal that may end the program during a write. It removes
 * incomplete files in the whole process, and the calls that were writing them fail (EIO). Async-signal-safe. */
HEDDLE_API void heddle_files_discard(void);

#ifdef __cplusplus
}
#endif
#endif
