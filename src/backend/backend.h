/* SPDX-License-Identifier: MIT */
/* backend.h - what a backend is: one struct of functions. Optional ones are marked, with their default.
 *
 * The floors above call them one at a time for one device, except wait, stop, doing and waiting, which any thread may call
 * on a loaded graph that nobody unloads. A thread that runs bodies is inside the device meanwhile (inside.h).
 * doc/backend-howto.md walks through the serial backend, the one to copy. */
#ifndef HD_BACKEND_H
#define HD_BACKEND_H

#include "backend/outcome.h"

#define HD_BACKEND_VERSION 4u

typedef struct hd_device hd_device; /* each backend's own struct */
typedef struct hd_loaded hd_loaded; /* work made runnable on a device; each backend's own */

/* What a device can be given to run. */
typedef enum hd_work_kind {
    HD_WORK_GRAPH, /* desc: a frozen hd_graph */
    HD_N_WORKS
} hd_work_kind;
typedef struct hd_work {
    hd_work_kind kind;
    const void *desc;
} hd_work;

/* Called on a worker's thread when a watched task is done. */
typedef struct hd_watcher {
    void *self;
    void (*done)(void *self, uint32_t task);
} hd_watcher;

/* What a worker is about, while a run goes on. */
typedef struct hd_doing {
    uint32_t task;       /* it is in this task, HD_NONE: in none */
    uint32_t waits;      /* it waits for this task to become ready, HD_NONE: for any */
    uint32_t seen, need; /* how many of that task's predecessors have been counted, and how many there are */
    int here;            /* it has joined the run */
} hd_doing;

typedef struct hd_backend {
    uint32_t version; /* HD_BACKEND_VERSION */
    heddle_backend kind;
    uint32_t works; /* a bit for each hd_work_kind that load takes */

    /* Devices of this kind here; 0 without complaint where there are none. */
    uint32_t (*count)(void);
    /* What is known of a device that nobody need have opened. Optional: nothing. */
    heddle_status (*describe)(uint32_t device, heddle_device *out, hd_error *e);
    /* Claims device cfg->device and starts its workers. Fills in the fields of cfg that are 0. One device may be open
     * more than once; memory of one opening is good on the others, and stays when the one it came from is closed. */
    heddle_status (*open)(hd_device **out, heddle_config *cfg, hd_error *e);
    /* Stops the workers and frees; nothing is loaded any more, but memory may still be in use. */
    void (*close)(hd_device *d);

    /* Can it run bodies of this table? ENODEV with a sentence. Optional: of any. */
    heddle_status (*takes)(const heddle_table *table, hd_error *e);

    /* Memory that bodies may touch. Optional, all four or none: host memory. */
    void *(*mem_new)(hd_device *d, size_t n_bytes);
    void (*mem_free)(hd_device *d, void *p);
    heddle_status (*mem_write)(hd_device *d, void *dst, const void *host, size_t n_bytes, hd_error *e);
    heddle_status (*mem_read)(hd_device *d, void *host, const void *src, size_t n_bytes, hd_error *e);

    /* Makes work runnable, of a kind that `works` has; what it describes outlives it. Called by hd_backend_load. */
    heddle_status (*load)(hd_loaded **out, hd_device *d, const hd_work *work, hd_watcher watcher, hd_error *e);
    void (*unload)(hd_loaded *l);
    /* The argument record of a task changed. Optional: nothing to do (the blob is read in place). */
    void (*changed)(hd_loaded *l, uint32_t task);

    /* Starts a run; the last one has ended. app was copied by the caller and stays valid. `help`: the calling thread
     * goes straight on to wait without a deadline and may be used as a worker there. A backend that runs the graph
     * before it returns stops it at limit_ns (UINT64_MAX = none) with HD_STOP_TIMEOUT; others leave that to `stop`. */
    heddle_status (*start)(hd_loaded *l, const void *params, int help, uint64_t limit_ns, hd_error *e);
    /* EBUSY when the run goes on at deadline_ns (of heddle_host_clock_ns; UINT64_MAX = none), else OK: it has ended. */
    heddle_status (*wait)(hd_loaded *l, uint64_t deadline_ns);
    /* Sets the stop word (HD_STOP_...): workers leave after the task in hand. */
    void (*stop)(hd_loaded *l, uint32_t why);
    /* After the end. Leaves backend and legend as they are. */
    void (*result)(const hd_loaded *l, hd_outcome *out);
    /* While a run goes on: what a worker is about. For messages. 0: there is no such worker. */
    int (*doing)(const hd_loaded *l, uint32_t worker, hd_doing *out);
    /* While a run goes on: tasks for which some predecessors have been counted and others not, with n_max places in out.
     * For messages. Returns how many. Optional: none. */
    uint32_t (*waiting)(hd_loaded *l, hd_doing *out, uint32_t n_max);
    /* Puts a run into a stream of the device's own kind and returns; and how the last such run ended. Optional. */
    heddle_status (*enqueue)(hd_loaded *l, const void *params, void *stream, hd_error *e);
    void (*synced)(hd_loaded *l, hd_outcome *out);
    /* The sentence of what went wrong beyond a body's code, "" if nothing. Optional: "". */
    const char *(*complaint)(const hd_loaded *l);
} hd_backend;

/* registry.c: the backend of a kind, NULL when it is not compiled in; and the best one that has a device. */
const hd_backend *hd_backend_of(heddle_backend kind);
const hd_backend *hd_backend_best(void);
/* b->load, or ENODEV with a sentence when b cannot run work of this kind. */
heddle_status hd_backend_load(const hd_backend *b, hd_loaded **out, hd_device *d, const hd_work *work,
                              hd_watcher watcher, hd_error *e);

#endif
