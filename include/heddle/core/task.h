/* SPDX-License-Identifier: MIT */
/* core/task.h - the frozen graph and the words of a run, in bytes.
 *
 * The blob is one read-only, self-contained block without pointers, so that a device gets it with one copy:
 *
 *      hd_blob          128 bytes, offsets of the parts
 *      hd_task[n]       128 bytes each, in program order (joins between)
 *      hd_edge[]        successors beyond a task's first four, grouped by task (CSR)
 *      args arena       argument records beyond 64 bytes
 *      roots[]          tasks without predecessors, urgent ones first
 *
 * An edge carries its target's in-degree. So the worker that counts an arrival knows at once whether it was the last,
 * without reading the target's record.
 *
 * The words of a run (hd_run) stand apart from the blob. Counters count up and are never reset: after run r every
 * counter stands at r * in-degree, modulo 2^32. A task with one predecessor does not use its counter: the worker that
 * ran the predecessor knows that the task is ready. */
#ifndef HEDDLE_CORE_TASK_H
#define HEDDLE_CORE_TASK_H

#include "heddle/core/port.h"

#define HD_BLOB_MAGIC 0x6c646468u /* "hddl" */
#define HD_NONE 0xffffffffu
#define HD_INLINE_SUCC 4u
#define HD_INLINE_ARGS 64u

#define HD_BODY_JOIN 0xffffu /* no body: an empty task between many readers and many writers        */

/* hd_task.flags */
#define HD_TASK_URGENT 1u
#define HD_TASK_WATCH 2u
#define HD_TASK_PINNED 4u /* spawned, and its handle was taken: the slot stays until its spawner has ended     */
#define HD_TASK_PLACE 3   /* bits from here up: the worker that must run it, + 1; 0 = any        */
/* In a pool, where no task is bound to a worker: */
#define HD_TASK_ODD 8u     /* it belongs to the odd epoch (core/pool.h)                           */
#define HD_TASK_NOTIFY 16u /* the host wants to hear of its end                                    */
#define HD_TASK_COPIES 5   /* bits from here up: how many copies it has (core/copy.h)                 */
#define HD_TASK_COPIES_MASK 0x1e0u
#define HD_TASK_TEAM 11 /* bits from here up: warps of its team; 0 = all of the worker's          */
#define HD_TASK_TEAM_MASK 0xf800u

/* hd_edge.need: in-degree of the target in the low 30 bits */
#define HD_NEED_MASK 0x3fffffffu
#define HD_NEED_URGENT 0x80000000u
#define HD_NEED_PLACED 0x40000000u /* the target's record names its worker                        */

typedef struct hd_edge {
    uint32_t task; /* the successor                                                               */
    uint32_t need; /* its in-degree and urgency                                                   */
} hd_edge;

/* In a spawned task's record, in place of the successors (core/spawn.h). Tasks are named by number, HD_NONE = none. */
typedef struct hd_spawn_links {
    uint32_t waiters;  /* tasks that wait for its end, linked by `next`; guarded by the done word's lock    */
    uint32_t next;     /* of a waiting task: the next in the same list of waiters                      */
    uint32_t parent;   /* the continuation that waits for its end                                      */
    uint32_t ends_for; /* of a continuation: the task that ends when this one ends                     */
    uint32_t pinned;   /* of a continuation: pinned children of the earlier bodies, linked by pinned_next   */
    uint32_t pinned_next;
    uint32_t open;      /* dev: of a continuation: how many of those that it waits for have not ended      */
    uint32_t done_word; /* dev: generation of its slot * 16 | HD_DONE_WORD_...                                   */
} hd_spawn_links;

typedef struct hd_task {
    uint16_t body; /* index in the table, or HD_BODY_JOIN                                    */
    uint16_t flags;
    uint32_t n_in;   /* predecessors                                                           */
    uint32_t n_succ; /* successors, inline ones included; 0 for a spawned task                   */
    uint32_t succ;   /* index in edges of the fifth; of a spawned task: the predecessor that it waits for next */
    uint32_t arg_bytes;
    uint32_t args_at; /* offset in the args arena / 16, when arg_bytes > HD_INLINE_ARGS         */
    union {
        uint32_t watch; /* index among the watched tasks, when HD_TASK_WATCH                    */
        uint32_t link;  /* of a spawned task: the next on its worker's own list                  */
    };
    union {
        uint32_t cost_ns; /* of a task of a pool: its blocks                                     */
        uint32_t back;    /* of a spawned task: the one before it on that list                      */
    };
    union {
        hd_edge first[HD_INLINE_SUCC];
        hd_spawn_links links; /* of a spawned task                                                         */
    };
    uint8_t args[HD_INLINE_ARGS];
} hd_task;
HD_STATIC_ASSERT(sizeof(hd_task) == 128, "a task record is 128 bytes");

typedef struct hd_blob {
    uint32_t magic, version;
    uint64_t n_bytes;
    uint32_t n_tasks; /* records, joins included                                                */
    uint32_t n_roots;
    uint32_t n_watched;
    uint32_t shared_bytes; /* largest block-shared need of the bodies used, HEDDLE_REDUCE_BYTES included */
    uint64_t n_edges;      /* all edges, inline ones included                                        */
    uint64_t edges_at, args_at, roots_at; /* offsets from the start of the blob                   */
    uint64_t args_bytes;
    uint32_t n_urgent, n_placed; /* tasks with that flag                                          */
    uint64_t pad[6];
} hd_blob;
HD_STATIC_ASSERT(sizeof(hd_blob) == 128, "the blob header is as long as a record");

/* A planned task. A worker's list is made of these records, in the list's order, so that the next one can be fetched
 * before it is needed. The order of the list stands for edges between tasks of one worker; `need` and the successors
 * count only tasks of other workers. */
#define HD_STEP_SUCC 8u
typedef struct hd_step {
    uint16_t body; /* or HD_BODY_JOIN                                                           */
    uint16_t flags;
    uint32_t task;   /* its number; HD_NONE after the last step of a list                         */
    uint32_t need;   /* predecessors that run on other workers                                    */
    uint32_t n_succ; /* successors that run on other workers                                      */
    uint32_t succ;   /* index in step_edges of the ninth successor                                */
    uint32_t arg_bytes;
    uint32_t args_at;
    uint32_t watch; /* index among the watched tasks, when HD_TASK_WATCH                        */
    uint32_t first[HD_STEP_SUCC];
    uint8_t args[HD_INLINE_ARGS];
} hd_step;
HD_STATIC_ASSERT(sizeof(hd_step) == 128, "a step is as long as a record");

/* Why a run stops; the first reason set wins. */
#define HD_STOP_NOT 0u
#define HD_STOP_DONE 1u
#define HD_STOP_CANCELED 2u
#define HD_STOP_FAILED 3u
#define HD_STOP_TIMEOUT 4u
#define HD_STOP_LOST 5u  /* the device failed; set by the host only                                 */
#define HD_STOP_SPAWN 6u /* a body misused spawning; code is HD_SPAWN_...                          */
#define HD_STOP_FULL 7u  /* no slot of the arena is free and no worker can go on                   */
#define HD_STOP_STUCK 8u /* no worker found a task, but some tasks still lack predecessors                  */

/* Names a spawned task in messages and events, with its body in the low bits, because slots are reused. */
#define HD_SPAWNED 0x80000000u

/* Polled by all workers, written once or twice a run. */
typedef struct hd_fail {
    uint32_t stop; /* dev: HD_STOP_...                                                            */
    uint32_t code; /* dev: first error code of a body, 0 = none                                   */
    uint32_t
        task; /* dev: the task that failed, valid when stop is HD_STOP_FAILED; of a loop: the index, its lower half */
    uint32_t high; /* dev: of a loop: its higher half                                             */
} hd_fail;

/* Words of a run that all workers share; words with different writers are on different lines. */
typedef struct hd_control {
    hd_fail fail;
    uint8_t pad17[HD_LINE - sizeof(hd_fail)];
    uint32_t outstanding, pad0[31];   /* dev: tasks created and not yet given back as done          */
    uint32_t next_root, pad1[31];     /* dev: next root to take                                     */
    uint32_t policy_cursor, pad2[31]; /* dev: the cursor of policy grr                              */
    uint32_t asking, pad5[31];        /* dev: a worker that has nothing and asks for a task, + 1; 0 = none */
    uint32_t out, pad3[31];           /* dev: workers that have left                                */
    uint32_t run, pad4[31];           /* dev: number of the run, from 1; changes between runs only  */
    hd_pair_word places;              /* dev: dispatch ticket: places reserved, and waiting workers      */
    uint8_t pad16[HD_LINE - sizeof(hd_pair_word)];
    uint32_t ticket, pad6[31];      /* dev: dispatch central: the next slot to take; a pool: tickets drawn */
    uint32_t tail, pad7[31];        /* dev: dispatch central: the next slot to fill; a pool: places reserved */
    uint64_t began, pad8[15];       /* when the first worker came; on a GPU, written by lane 0 of worker 0 */
    uint32_t fresh, pad9[31];       /* dev: slots of the arena handed out so far; only grows          */
    uint32_t avail, pad10[31];      /* dev: batches in the depot of free slots                      */
    uint32_t depot_tail, pad11[31]; /* dev: the next place of the depot to fill with a batch         */
    uint32_t depot_head, pad12[31]; /* dev: the next place of the depot to empty                     */
    uint32_t n_blocked, pad13[31];  /* dev: workers that have a task but no room for its children   */
    uint32_t n_idle, pad14[31];     /* dev: workers that have had nothing for long                  */
    uint32_t lock, pad15[31];       /* dev: dispatch central: 1 = the queue is locked               */
} hd_control;
HD_STATIC_ASSERT(sizeof(hd_control) == 18 * HD_LINE, "one line a word");

/* A ready ring's two cursors (core/ring.h). */
typedef struct hd_cursor {
    uint32_t tail, pad0[31]; /* dev: producers; next slot to reserve, and HD_RING_DOZE             */
    uint32_t head, pad1[31]; /* dev: owner; next slot to take, published late                     */
} hd_cursor;

/* What a worker did; it writes this when it leaves. */
typedef struct hd_tally {
    uint32_t n_tasks, n_kept, n_pushed, n_full, n_spilled, n_parks, n_events, n_dropped, n_given;
    uint32_t n_spawned;           /* tasks spawned by its bodies                                         */
    uint32_t most_own, n_blocked; /* longest own list; how often it lacked room for a task's children     */
} hd_tally;

/* One traced task. Times are of hd_clock; the three gaps saturate at 4.29 s.
 * Or a stretch of a band of a wave (core/notes.h): `task` is its part and HD_EVENT_STRETCH, `idle` what it has waited from
 * begin to end, `queue` which of the part's bands it is, `dep` its first column. */
#define HD_EVENT_STRETCH 0x40000000u
typedef struct hd_event {
    uint64_t begin, end;             /* around the body                                         */
    uint32_t task, idle, queue, dep; /* before it: idle, taking; after it: releasing            */
} hd_event;

/* A worker's state, written by it into host memory that the host reads while the kernel runs, or hangs. */
typedef struct hd_now {
    uint32_t task;         /* sys: the task it runs, HD_NONE = none                           */
    uint32_t waits;        /* sys: the task that it waits to see ready, HD_NONE = any       */
    uint32_t seen, need;   /* sys: predecessors of `waits` that have been counted; all of them             */
    uint32_t came, pad[3]; /* sys: number of the run it has joined                            */
} hd_now;

/* How a run on a GPU ended. The last worker out writes it into host memory; `run` last, with release. */
typedef struct hd_end {
    uint32_t stop, code, task, pad;
    uint64_t begin_ns, end_ns; /* of hd_clock: the first worker in, the last one out              */
    uint32_t run, pad1[3];     /* sys: number of the run                                          */
} hd_end;

/* Calls from core to the host when workers are threads; NULL on a GPU. */
typedef struct hd_host {
    void *self;
    void (*park)(void *self, uint32_t worker); /* sleep until unparked; an earlier unpark counts */
    void (*unpark)(void *self, uint32_t worker);
    void (*done)(void *self, uint32_t task);       /* a watched task is done                        */
    void (*wait)(void *self, uint32_t n);          /* a worker has found nothing for the n-th time in a row */
    int (*is_wanted)(void *self, uint32_t worker); /* of a pool: shall the worker leave it for another job? */
} hd_host;

/* A graph made runnable: where everything is. The same for all workers; passed by value to a kernel.
 *
 * When bodies spawn (n_arena > 0), tasks and args are copies with room behind them: task number n_tasks + i is slot i
 * of the arena. */
typedef struct hd_run {
    const hd_task *tasks;
    const hd_edge *edges;
    const uint8_t *args;
    const uint32_t *roots;
    const void *params;
    hd_control *control;
    uint32_t *count;            /* dev: arrivals at each task                                            */
    uint32_t *link;             /* for each task of the graph: the next on its worker's own list         */
    uint32_t *back;             /* when bodies spawn, likewise: the one before it                        */
    uint32_t *store;            /* each worker's free slots: n_store words, the first is their number        */
    uint32_t *depot;            /* dev: n_depot places of HD_BATCH free slots; after them a turn word for each place  */
    const uint32_t *bodies;     /* when bodies spawn, of each body: bytes of its record, most children it may have */
    struct hd_after *after;     /* one for each slot                                             */
    struct hd_sibling *sibling; /* HD_SIBLINGS for each worker                                   */
    hd_cursor *cursors;         /* two for each worker: urgent, normal                                   */
    uint32_t *slots;            /* dev: two rings for each worker                                        */
    hd_tally *tallies;          /* one for each worker                                                   */
    hd_event *events;           /* n_trace for each worker, or NULL                                      */
    const hd_host *host;
    hd_now *now;           /* one for each worker, or NULL                                     */
    hd_end *end;           /* on a GPU, else NULL                                              */
    uint32_t *watched;     /* sys: on a GPU, for each watched task, the last run in which it was done       */
    const hd_step *steps;  /* dispatch plan: the lists, one after another, each with its end mark */
    const uint32_t *lists; /* dispatch plan: where each worker's list begins                   */
    const uint32_t *step_edges;
    uint32_t n_tasks, n_roots, n_workers, n_slots; /* n_slots: of one ring, a power of two        */
    uint32_t policy, n_trace, spin;                /* spin: fruitless polls before a thread parks                */
    uint32_t dispatch;
    uint32_t has_urgent; /* some task is urgent                                              */
    uint32_t has_placed; /* some task is bound to a worker                                   */
    uint32_t crowded;    /* more than one worker on an SM: polls must not empty the cache that they share */
    uint32_t n_arena;    /* slots for spawned tasks; 0: no body spawns                               */
    uint32_t n_bodies, n_store, n_reserve, n_depot; /* n_reserve: a worker with fewer free slots goes depth first */
    uint32_t child_args_at,
        child_args;             /* / 16: where in args the large records of spawned tasks begin; bytes of each / 16 */
    uint32_t late;              /* hd_policy_late: how often a ring's head is published      */
    uint32_t n_local;           /* tasks that a worker keeps in a row before it looks at its ring */
    uint32_t polite;            /* idle workers poll seldom                                 */
    uint32_t n_schedulers;      /* dispatch scheduler: 1 if the scheduler is no worker       */
    const struct hd_pool *pool; /* core/pool.h; NULL: the run has an end */
} hd_run;

/* hd_run.dispatch */
#define HD_DISPATCH_RINGS 1u
#define HD_DISPATCH_TICKET 2u
#define HD_DISPATCH_PLAN 3u
#define HD_DISPATCH_IQS 4u
#define HD_DISPATCH_SCHEDULER 5u
#define HD_DISPATCH_CENTRAL 6u
#define HD_DISPATCH_ORDER 7u

/* Does the dispatch honour a task's bound worker? */
HD_FN int hd_dispatch_binds(uint32_t d) { return d == HD_DISPATCH_RINGS || d == HD_DISPATCH_PLAN; }
/* Does a run end when all tasks have been counted as done? Under the others it ends when no worker has or finds a task. */
HD_FN int hd_dispatch_counts(uint32_t d) { return d != HD_DISPATCH_TICKET && d != HD_DISPATCH_ORDER; }
/* Does the dispatch choose a worker for a freed task? */
HD_FN int hd_dispatch_chooses(uint32_t d)
{
    return d != HD_DISPATCH_TICKET && d != HD_DISPATCH_PLAN && d != HD_DISPATCH_CENTRAL && d != HD_DISPATCH_ORDER;
}

/* Kernels of a table by family and variant, as its stub looks them up (core/kernel.h). A family is one kernel signature
 * and what its blocks are. An engine adds a family. */
#define HD_FAMILY_WORKERS \
    0u                     /* takes hd_run; blocks stay; variant: the dispatch                                       */
#define HD_FAMILY_LEVEL 1u /* takes hd_level; a block is a task; variant: its only body, or HD_NONE: all bodies      */
#define HD_FAMILY_POOL 2u  /* of a pool; variant: HD_POOL_...                                                        */
#define HD_POOL_BATCH 0u   /* takes hd_pool_batch; a block is a task, or a part of one                               */
#define HD_POOL_WORKERS 1u /* takes hd_run and hd_wire; blocks stay until there has been nothing to do for some time */
#define HD_POOL_GRID 2u    /* takes hd_pool_grid; blocks as of a batch                                             */
#define HD_FAMILY_LOOP 3u  /* takes hd_span_launch; a block takes tiles of a span; variant: its only body            */
/* What a kernel traces: an event for each task, and under dispatch order those of bands (core/notes.h). */
#define HD_TRACE_TASKS 1
#define HD_TRACE_BANDS 2
#define HD_NO_KERNEL (-1) /* the stub's answer when the table was compiled without the kernel                       */
/* What the kernels of a table run, bits: tasks in order of dependence; parts of waves, taken in the order of adding. */
#define HD_KERNELS_TASKS 1
#define HD_KERNELS_WAVES 2
#define HD_KERNELS_FOUND_ONLY 4 /* no code that keeps cells of a wave */
#define HD_KERNELS_TRACE 8      /* one kernel more, for traced runs: its bands note what they do */
#define HD_KERNELS_POOLS 16     /* tasks of pools, too */
#define HD_KERNELS_LOOPS 32     /* spans of loops */
#define HD_KERNELS_WARPS 8      /* bits from here up: heddle_table.pool_warps */

/* What a level kernel takes: a block for each of list[0 .. gridDim.x). */
typedef struct hd_level {
    const hd_task *tasks;
    const uint8_t *args;
    const void *params;
    const uint32_t *list;
    hd_fail *fail;
    hd_event *events;  /* one for each task, with the SM's number in `queue`; or NULL             */
    uint32_t pdl, pad; /* pdl: launched with a programmatic edge, must wait for the level before     */
} hd_level;

/* NULL on a GPU, where the code that would call the host is not compiled. */
HD_FN const hd_host *hd_host_of(const hd_run *r) { return HD_HOSTED ? r->host : (const hd_host *)0; }

HD_FN const hd_task *hd_task_at(const hd_run *r, uint32_t t) { return r->tasks + t; }

HD_FN hd_edge hd_edge_at(const hd_run *r, const hd_task *t, uint32_t i)
{
    return i < HD_INLINE_SUCC ? t->first[i] : r->edges[t->succ + (i - HD_INLINE_SUCC)];
}

HD_FN const void *hd_args_at(const hd_run *r, const hd_task *t)
{
    return t->arg_bytes <= HD_INLINE_ARGS ? (const void *)t->args
                                          : (const void *)(r->args + (uint64_t)t->args_at * 16u);
}

#endif
