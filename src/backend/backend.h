/* SPDX-License-Identifier: MIT */
/* backend.h - the interface of a backend: one struct of functions. Optional ones are marked, with their default.
 *
 * Higher layers call them one at a time per device. Any thread may call wait, stop, doing and waiting at any time, as long as
 * the graph stays loaded. A thread that runs bodies is marked as inside the device (inside.h). doc/backend-howto.md walks
 * through the serial backend, the one to copy. */
#ifndef HD_BACKEND_H
#define HD_BACKEND_H

#include "backend/outcome.h"
#include "heddle/fleet.h"

#define HD_BACKEND_VERSION 6u

typedef struct hd_device hd_device; /* each backend's own struct */
typedef struct hd_loaded hd_loaded; /* loaded work; each backend's own */

/* The kinds of work that a device can run. */
typedef enum hd_work_kind {
    HD_WORK_GRAPH, /* desc: a frozen hd_graph */
    HD_WORK_POOL,  /* desc: an hd_pool_work */
    HD_N_WORKS
} hd_work_kind;
typedef struct hd_work {
    hd_work_kind kind;
    const void *desc;
} hd_work;

struct hd_sent; /* core/send.h */
/* A pool: a run without an end, to which the host sends tasks (core/pool.h). */
typedef struct hd_pool_work {
    const hd_graph *graph;       /* frozen and empty: the table, and the block-shared memory of its bodies */
    uint32_t n_host;             /* slots of the host: a power of two */
    uint32_t mode;               /* HEDDLE_POOL_... */
    uint32_t team_size;          /* of a task that names none */
    uint32_t linger_us, hold_us; /* 0: the backend's own */
    uint32_t most_copies,
        stage_bytes;    /* of a task: copies that a worker may make, and its room for them, a multiple of 16 */
    uint32_t is_traced; /* 1: with stamps (core/stamp.h) */
} hd_pool_work;

/* Called on a worker's thread when a watched task is done. */
typedef struct hd_watcher {
    void *self;
    void (*done)(void *self, uint32_t task);
} hd_watcher;

/* The state of a worker during a run. */
typedef struct hd_doing {
    uint32_t task;       /* the task it runs, or HD_NONE; of a pool: its slot */
    uint32_t waits;      /* waits for this task to become ready; HD_NONE: for any */
    uint32_t seen, need; /* predecessors of that task: counted so far, and all */
    int here;            /* it has entered the run */
} hd_doing;

typedef struct hd_backend {
    uint32_t version; /* HD_BACKEND_VERSION */
    heddle_backend kind;
    uint32_t works; /* a bit for each hd_work_kind that load accepts */

    /* The number of devices of this kind; 0 without an error where there are none. */
    uint32_t (*count)(void);
    /* Describes a device, open or not. Optional: no description. */
    heddle_status (*describe)(uint32_t device, heddle_device *out, hd_error *e);
    /* Can a device copy from another one's memory? Open or not. Optional: there is none that could. */
    heddle_status (*peer)(uint32_t device, uint32_t from, heddle_peer *out, hd_error *e);
    /* Opens device cfg->device, starts its workers, and fills in the zero fields of cfg. A device may be opened more than
     * once. Memory of one opening is valid in the others, and survives closing the one that allocated it. */
    heddle_status (*open)(hd_device **out, heddle_config *cfg, hd_error *e);
    /* Stops the workers and frees the device. Nothing is loaded on it any more, but its memory may still be in use. */
    void (*close)(hd_device *d);

    /* Checks that it can run bodies of this table: ENODEV with a sentence. Optional: any table. */
    heddle_status (*takes)(const heddle_table *table, hd_error *e);

    /* Memory that bodies may access. With pools, all but mem_free may be called by any thread. Optional, all four or none: host
     * memory. */
    void *(*mem_new)(hd_device *d, size_t n_bytes);
    void (*mem_free)(hd_device *d, void *p);
    heddle_status (*mem_write)(hd_device *d, void *dst, const void *host, size_t n_bytes, hd_error *e);
    heddle_status (*mem_read)(hd_device *d, void *host, const void *src, size_t n_bytes, hd_error *e);

    /* Makes work of a kind in `works` runnable; the work's description outlives the loaded work. Called by
     * hd_backend_load. */
    heddle_status (*load)(hd_loaded **out, hd_device *d, const hd_work *work, hd_watcher watcher, hd_error *e);
    void (*unload)(hd_loaded *l);
    /* A task's argument record changed. Optional: no action, the blob is read in place. */
    void (*changed)(hd_loaded *l, uint32_t task);

    /* Starts a run; the previous one has ended. params was copied by the caller and stays valid. `help`: the calling thread
     * goes on to wait without a deadline and may serve as a worker there. A backend that runs the graph inside this call
     * stops it at limit_ns (UINT64_MAX = none) with HD_STOP_TIMEOUT; others leave that to `stop`. */
    heddle_status (*start)(hd_loaded *l, const void *params, int help, uint64_t limit_ns, hd_error *e);
    /* EBUSY if the run has not ended by deadline_ns (of heddle_host_clock_ns; UINT64_MAX = none), else OK. */
    heddle_status (*wait)(hd_loaded *l, uint64_t deadline_ns);
    /* Sets the stop word (HD_STOP_...): workers leave after their current task. */
    void (*stop)(hd_loaded *l, uint32_t why);
    /* Called after the end. Leaves the fields backend and legend unchanged. */
    void (*result)(const hd_loaded *l, hd_outcome *out);
    /* During a run: the state of a worker, for messages. 0: there is no such worker. */
    int (*doing)(const hd_loaded *l, uint32_t worker, hd_doing *out);
    /* During a run, for messages: up to n_max tasks of which some predecessors are counted and others not. Returns the
     * number. Optional: none. */
    uint32_t (*waiting)(hd_loaded *l, hd_doing *out, uint32_t n_max);
    /* enqueue puts a run into a stream of the device's own kind and returns; synced says how the last such run ended.
     * Optional. */
    heddle_status (*enqueue)(hd_loaded *l, const void *params, void *stream, hd_error *e);
    void (*synced)(hd_loaded *l, hd_outcome *out);
    /* Of a loaded pool. Any thread may call send and stop_task from start on until the pool is stopped, with the host's slots of its own
     * only. Optional, all or none: `works` says whether there are pools. */
    const struct hd_pool *(*pool_words)(const hd_loaded *l);
    /* n tasks like that one, with these handles; the k-th has its record at args + k * stride. A task that is held is sent alone, and
     * released alone. */
    void (*pool_send)(hd_loaded *l, const struct hd_sent *like, const uint64_t *handles, size_t stride, uint32_t n);
    /* The program waits for ends, or for a slot: what was sent must run without further tasks, and what has ended must be told. Called
     * again and again while it waits; any thread. Optional: that is always so. */
    void (*pool_flush)(hd_loaded *l);
    /* Gives the task in that slot a fate (HD_STOP_...), unless it has one. */
    void (*pool_stop_task)(hd_loaded *l, uint32_t slot, uint32_t why);
    /* The calling thread runs a task that no worker has time for: 1; 0: there is none. Optional: threads of the host do not help. */
    int (*pool_help)(hd_loaded *l);
    /* Optional: how it runs the tasks, one line; "". */
    const char *(*pool_how)(const hd_loaded *l);
    /* Pins host memory, so that bodies and copies of the pool see it under its address; until it is unpinned or the pool is unloaded.
     * Optional: bodies see all memory. */
    heddle_status (*pool_pin)(hd_loaded *l, void *p, uint64_t n_bytes, hd_error *e);
    void (*pool_unpin)(hd_loaded *l, void *p);
    /* Of events of the device's own kind: has it happened? EBUSY: not yet; other errors: it will not. Optional: it has none. */
    heddle_status (*pool_event)(hd_loaded *l, void *event);
    /* A stream of the device's own kind goes on when the task of that generation in a slot has ended. EBUSY: it cannot wait for tasks
     * of this pool, so that the caller must. Optional: it has none. */
    heddle_status (*pool_stream_wait)(hd_loaded *l, uint32_t slot, uint32_t generation, void *stream, hd_error *e);
    /* Number `part` of n_parts equal parts of the device (1: all of it) as an accelerator of a fleet, which closes it before the device. The
     * device stays usable for other work. ENODEV with a sentence: it has not so many parts. Optional, all three or none: it is none. */
    heddle_status (*accelerator)(hd_device *d, uint32_t part, uint32_t n_parts, heddle_accelerator *out, hd_error *e);
    /* Pins memory of the host, so that all devices of the backend copy it at the full rate of their links. EINVAL: somebody else has pinned it,
     * or a part of it. */
    heddle_status (*host_pin)(hd_device *d, void *p, uint64_t n_bytes, hd_error *e);
    void (*host_unpin)(hd_device *d, void *p);
    /* The sentence of an error other than a body's code, "" if none. Optional: "". */
    const char *(*complaint)(const hd_loaded *l);
} hd_backend;

/* registry.c: the backend of a kind, NULL when not compiled in; and the best one that has a device. */
const hd_backend *hd_backend_of(heddle_backend kind);
const hd_backend *hd_backend_best(void);
/* b->load, or ENODEV with a sentence when b cannot run work of this kind. */
heddle_status hd_backend_load(const hd_backend *b, hd_loaded **out, hd_device *d, const hd_work *work,
                              hd_watcher watcher, hd_error *e);

#endif
