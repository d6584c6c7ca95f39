/* SPDX-License-Identifier: MIT */
/* core/task.h - the frozen graph and the words of a run, in bytes.
 *
 * The blob is one read-only block, self-contained and free of pointers, so that a device gets it with
 * one copy:
 *
 *     hd_blob          128 bytes, offsets of the parts
 *     hd_task[n]       128 bytes each, in program order (joins between)
 *     hd_edge[]        successors beyond a task's first four, grouped by task (CSR)
 *     args arena       argument records beyond 64 bytes
 *     roots[]          tasks without predecessors, urgent ones first
 *
 * An edge carries its target's in-degree, so that the worker that counts it knows at once whether it
 * was the last, without reading the target's record.
 *
 * The words of a run (hd_run) stand apart from the blob. Counters count up and are never reset: after
 * run r every counter stands at r * in-degree, modulo 2^32. Tasks with one predecessor have no use for
 * theirs: whoever ran that predecessor knows that they are ready. */
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
#define HD_TASK_PINNED 4u /* spawned, and its handle was asked for: its slot stays until its spawner has ended */
#define HD_TASK_PLACE 3   /* bits from here up: the worker + 1 that shall run it, 0 = any        */

/* hd_edge.need: in-degree of the target in the low 30 bits */
#define HD_NEED_MASK 0x3fffffffu
#define HD_NEED_URGENT 0x80000000u
#define HD_NEED_PLACED 0x40000000u /* its record names the worker                                 */

typedef struct hd_edge {
    uint32_t task; /* the successor                                                               */
    uint32_t need; /* its in-degree and urgency                                                   */
} hd_edge;

/* What a spawned task has in place of a graph's successors (core/spawn.h). Tasks are named by number, HD_NONE = none. */
typedef struct hd_spawn_links {
    uint32_t waiters;  /* tasks that wait for its end, linked by `next`; under the done word's lock         */
    uint32_t next;     /* waiting: the next of those that wait with it                                 */
    uint32_t parent;   /* the continuation that waits for its end                                      */
    uint32_t ends_for; /* of a continuation: the task whose end its own is                             */
    uint32_t pinned;   /* of a continuation: pinned children of the bodies before it, linked by pinned_next */
    uint32_t pinned_next;
    uint32_t open;      /* dev: of a continuation: what has not ended of that which it waits for           */
    uint32_t done_word; /* dev: generation of its slot * 8 | HD_DONE_WORD_...                                   */
} hd_spawn_links;

typedef struct hd_task {
    uint16_t body; /* index in the table, or HD_BODY_JOIN                                    */
    uint16_t flags;
    uint32_t n_in;   /* predecessors                                                           */
    uint32_t n_succ; /* successors, inline ones included; 0 for a spawned task                   */
    uint32_t succ;   /* index in edges of the fifth; of a spawned task: which predecessor it waits for next */
    uint32_t arg_bytes;
    uint32_t args_at; /* offset in the args arena / 16, when arg_bytes > HD_INLINE_ARGS         */
    union {
        uint32_t watch; /* index among the watched tasks, when HD_TASK_WATCH                    */
        uint32_t link;  /* of a spawned task: the next on its worker's own list                  */
    };
    union {
        uint32_t cost_ns;
        uint32_t back; /* of a spawned task: the one before it on that list                      */
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
    uint32_t shared_bytes;                /* largest block-shared need of the bodies used, HD_REDUCE_BYTES included */
    uint64_t n_edges;                     /* all edges, inline ones included                                        */
    uint64_t edges_at, args_at, roots_at; /* offsets from the start of the blob                   */
    uint64_t args_bytes;
    uint32_t n_urgent, n_placed; /* tasks so marked                                               */
    uint64_t pad[6];
} hd_blob;
HD_STATIC_ASSERT(sizeof(hd_blob) == 128, "the blob header is as long as a record");

/* A planned task, as its worker meets it: the record a list is made of, in the list's order, so that the next one can be
 * fetched before it is needed. Edges between tasks of one worker are kept by the order of its list; `need` and the
 * successors are of the others only. */
#define HD_STEP_SUCC 8u
typedef struct hd_step {
    uint16_t body; /* or HD_BODY_JOIN                                                           */
    uint16_t flags;
    uint32_t task;   /* its number; HD_NONE behind the last step of a list                        */
    uint32_t need;   /* predecessors that run on other workers                                    */
    uint32_t n_succ; /* successors that run on other workers                                      */
    uint32_t succ;   /* index in step_edges of the ninth                                          */
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
#define HD_STOP_SPAWN 6u /* a body spawned what it must not; code is HD_SPAWN_...                  */
#define HD_STOP_FULL 7u  /* no slot of the arena is free and nobody can go on                      */
#define HD_STOP_STUCK 8u /* nobody has anything, and tasks are left whose predecessors were not all counted */

/* The number of a spawned task in messages and events, its body in the low bits: slots are used again. */
#define HD_SPAWNED 0x80000000u

/* Polled by all workers, written once or twice a run. */
typedef struct hd_fail {
    uint32_t stop; /* dev: HD_STOP_...                                                            */
    uint32_t code; /* dev: first error code of a body, 0 = none                                   */
    uint32_t task; /* dev: the task that failed, valid when stop is HD_STOP_FAILED                */
    uint32_t pad[29];
} hd_fail;

/* Words of a run that all workers share, each writer's word on its own line. */
typedef struct hd_control {
    hd_fail fail;
    uint32_t outstanding, pad0[31];   /* dev: tasks created and not yet given back as done          */
    uint32_t next_root, pad1[31];     /* dev: next root to take                                     */
    uint32_t policy_cursor, pad2[31]; /* dev: the counter of policy grr                             */
    uint32_t asking, pad5[31];        /* dev: a worker that has nothing, + 1; 0 = nobody asks       */
    uint32_t out, pad3[31];           /* dev: workers that have left                                */
    uint32_t run, pad4[31];           /* dev: number of the run, from 1; changes between runs only  */
    hd_pair_word places;              /* dev: dispatch ticket: places reserved, and workers that wait    */
    uint8_t pad16[HD_LINE - sizeof(hd_pair_word)];
    uint32_t ticket, pad6[31];     /* dev: dispatch central: the next slot to take                       */
    uint32_t tail, pad7[31];       /* dev: dispatch central: the next slot to fill                       */
    uint64_t began, pad8[15];      /* when the first worker came; on a GPU, lane 0 of worker 0 writes it */
    uint32_t fresh, pad9[31];      /* dev: slots of the arena that somebody has had; never goes back */
    uint32_t avail, pad10[31];     /* dev: batches in the pool of free slots                      */
    uint32_t pool_tail, pad11[31]; /* dev: the next place of the pool to put a batch               */
    uint32_t pool_head, pad12[31]; /* dev: the next place to take one                              */
    uint32_t n_blocked, pad13[31]; /* dev: workers that have a task but no room for its children   */
    uint32_t n_idle, pad14[31];    /* dev: workers that have long had nothing                      */
    uint32_t lock, pad15[31];      /* dev: dispatch central: somebody has the queue                */
} hd_control;
HD_STATIC_ASSERT(sizeof(hd_control) == 18 * HD_LINE, "one line a word");

/* A ready ring's two cursors (core/ring.h). */
typedef struct hd_cursor {
    uint32_t tail, pad0[31]; /* dev: producers; next slot to reserve, and HD_RING_DOZE             */
    uint32_t head, pad1[31]; /* dev: owner; next slot to take, published late                     */
} hd_cursor;

/* What a worker did, written by it when it leaves. */
typedef struct hd_tally {
    uint32_t n_tasks, n_kept, n_pushed, n_full, n_spilled, n_parks, n_events, n_dropped, n_given;
    uint32_t n_spawned;           /* tasks made by its bodies                                            */
    uint32_t most_own, n_blocked; /* longest own list; times it had no room for a task's children         */
} hd_tally;

/* One traced task. Times are of hd_clock; the three gaps saturate at 4.29 s. */
typedef struct hd_event {
    uint64_t begin, end;             /* around the body                                         */
    uint32_t task, idle, queue, dep; /* before it: nothing to do, taking; after it: releasing   */
} hd_event;

/* What each worker is about, written by it into host memory that the host reads while the kernel runs, or hangs. */
typedef struct hd_now {
    uint32_t task;         /* sys: it runs this task, HD_NONE = none                          */
    uint32_t waits;        /* sys: it waits for this task to become ready, HD_NONE = for any  */
    uint32_t seen, need;   /* sys: of its predecessors, how many have been counted, and how many there are */
    uint32_t came, pad[3]; /* sys: number of the run it has joined                            */
} hd_now;

/* How a run on a GPU ended, written into host memory by the last worker out; `run` last, with release. */
typedef struct hd_end {
    uint32_t stop, code, task, pad;
    uint64_t begin_ns, end_ns; /* of hd_clock: the first worker in, the last one out              */
    uint32_t run, pad1[3];     /* sys: number of the run                                          */
} hd_end;

/* What core asks of the host when workers are threads; NULL on a GPU. */
typedef struct hd_host {
    void *self;
    void (*park)(void *self, uint32_t worker); /* sleep until unparked; an earlier unpark counts */
    void (*unpark)(void *self, uint32_t worker);
    void (*done)(void *self, uint32_t task); /* a watched task is done                        */
    void (*wait)(void *self, uint32_t n);    /* a worker has found nothing for the n-th time in a row */
} hd_host;

/* A graph made runnable: where everything is. The same for all workers; passed by value to a kernel.
 *
 * When bodies spawn (n_arena > 0), tasks and args are copies with room behind them: task number n_tasks + i is slot i of the
 * arena. */
typedef struct hd_run {
    const hd_task *tasks;
    const hd_edge *edges;
    const uint8_t *args;
    const uint32_t *roots;
    const void *params;
    hd_control *control;
    uint32_t *count;            /* dev: arrivals at each task                                            */
    uint32_t *link;             /* one word a task of the graph: the next on its worker's own list       */
    uint32_t *back;             /* the one before it, when bodies spawn                                  */
    uint32_t *store;            /* free slots that a worker has: n_store words each, the first says how many */
    uint32_t *pool;             /* dev: n_pool places of HD_BATCH free slots, and behind them a word each: it is full */
    const uint32_t *bodies;     /* when bodies spawn: of each the bytes of its record and the children it may have */
    struct hd_after *after;     /* one a slot                                                    */
    struct hd_sibling *sibling; /* HD_SIBLINGS a worker                                          */
    hd_cursor *cursors;         /* two a worker: urgent, normal                                          */
    uint32_t *slots;            /* dev: two rings a worker                                               */
    hd_tally *tallies;          /* one a worker                                                          */
    hd_event *events;           /* n_trace a worker, or NULL                                             */
    const hd_host *host;
    hd_now *now;           /* one a worker, or NULL                                            */
    hd_end *end;           /* on a GPU, else NULL                                              */
    uint32_t *watched;     /* sys: on a GPU, the number of the run in which each watched task was done last */
    const hd_step *steps;  /* dispatch plan: the lists, one after another, each with its end   */
    const uint32_t *lists; /* dispatch plan: where each worker's list begins                   */
    const uint32_t *step_edges;
    uint32_t n_tasks, n_roots, n_workers, n_slots; /* n_slots: of one ring, a power of two        */
    uint32_t policy, n_trace, spin;                /* spin: fruitless polls before a thread parks                */
    uint32_t dispatch;
    uint32_t has_urgent; /* some task is urgent                                              */
    uint32_t has_placed; /* some task is bound to a worker                                   */
    uint32_t crowded;    /* more than one worker an SM: who polls must not empty its cache           */
    uint32_t n_arena;    /* slots for spawned tasks; 0: no body spawns                               */
    uint32_t n_bodies, n_store, n_reserve, n_pool; /* n_reserve: a worker with fewer free slots goes depth first */
    uint32_t child_args_at,
        child_args;        /* / 16: where in args the large records of spawned tasks begin; bytes / 16 of each */
    uint32_t late;         /* hd_policy_late: when a ring's head is published           */
    uint32_t n_local;      /* tasks that a worker keeps in a row before it looks at its ring */
    uint32_t polite;       /* who has nothing looks seldom                             */
    uint32_t n_schedulers; /* dispatch scheduler: 1 if it is none of the workers        */
} hd_run;

/* hd_run.dispatch */
#define HD_DISPATCH_RINGS 1u
#define HD_DISPATCH_TICKET 2u
#define HD_DISPATCH_PLAN 3u
#define HD_DISPATCH_IQS 4u
#define HD_DISPATCH_SCHEDULER 5u
#define HD_DISPATCH_CENTRAL 6u
#define HD_DISPATCH_ORDER 7u

/* Can it keep a task to the worker that it is bound to? */
HD_FN int hd_dispatch_binds(uint32_t d) { return d == HD_DISPATCH_RINGS || d == HD_DISPATCH_PLAN; }
/* Does its run end when all tasks have been counted as done? Under the others when no worker has or finds any. */
HD_FN int hd_dispatch_counts(uint32_t d) { return d != HD_DISPATCH_TICKET && d != HD_DISPATCH_ORDER; }
/* Is there a worker to choose for a freed task? */
HD_FN int hd_dispatch_chooses(uint32_t d)
{
    return d != HD_DISPATCH_TICKET && d != HD_DISPATCH_PLAN && d != HD_DISPATCH_CENTRAL && d != HD_DISPATCH_ORDER;
}

/* Kernels of a table by family and variant, as its stub finds them (core/kernel.h). A family is one shape of kernel: what it
 * gets, and what its blocks are. An engine adds a family. */
#define HD_FAMILY_WORKERS \
    0u                     /* gets hd_run; blocks stay; variant: the dispatch                                        */
#define HD_FAMILY_LEVEL 1u /* gets hd_level; a block is a task; variant: the one body that it has, or HD_NONE: all   */
#define HD_NO_KERNEL (-1)  /* the stub's answer: the table was compiled without it                                   */
/* What the kernels of a table run, bits: tasks in their order of dependence, and waves, whose parts are taken as they stand. */
#define HD_KERNELS_TASKS 1
#define HD_KERNELS_WAVES 2

/* What a level kernel gets: a block for each of list[0 .. gridDim.x). */
typedef struct hd_level {
    const hd_task *tasks;
    const uint8_t *args;
    const void *params;
    const uint32_t *list;
    hd_fail *fail;
    hd_event *events;  /* one a task, with the SM's number in `queue`; or NULL                    */
    uint32_t pdl, pad; /* pdl: launched with a programmatic edge, must wait for the level before     */
} hd_level;

/* NULL on a GPU, where code that would ask it is not even compiled. */
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
