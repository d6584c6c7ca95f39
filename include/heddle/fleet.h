/* SPDX-License-Identifier: MIT */
/* heddle/fleet.h - several devices as one: the GPUs and the cores of this machine, devices that threads play, and other people's
 * accelerators. A loop (heddle/loop.h) is shared out over a fleet.
 *
 *     heddle_fleet *f;
 *     heddle_fleet_open(&f, NULL, NULL);             // every GPU, and every core that feeds none
 *     heddle_array_desc d = HEDDLE_ARRAY_INIT;
 *     d.n_rows = n; d.row_bytes = sizeof(float);
 *     heddle_array_new(f, &d, &prices);
 *     float *p = heddle_array_host(prices);          // fill it; run loops; read it
 *
 * Devices, in words with spaces between:
 *
 *     cpu:*  cpu:6         all cores but one for each other device, near that if hwloc knows; six of them. Each core is a unit of its own
 *     cuda:*  cuda:0       every GPU; the first one
 *     cuda:0/4             a quarter of it, a device of its own: a quarter of the blocks that it holds, and of its memory
 *     4*cuda:0/4           four such devices
 *     virtual:KEY=VALUE,.. a device that a thread plays, with memory of its own, which holds nothing but what loops declare.
 *                          speed (of a core's; at most 1), link (bytes/s), latency (s), memory (bytes; 64e6), least (threads side by side:
 *                          a slice of fewer is not worth it; 1), fail, hang (at that action: it is lost; it never answers), slow (from that action on, a tenth of its speed), peer (bytes/s from other such
 *                          devices), peers (0: neither it nor the other reaches the other's memory); `3*virtual:` is three
 *     serial               alone: the calling thread runs everything in order. The oracle
 *
 * NULL is what the config names, or the environment variable HEDDLE_DEVICES, or else "cuda:* cpu:*".
 *
 * Threads. Calls on different fleets may run concurrently. Calls on one fleet, its arrays, loops and wavefronts may not, but for
 * heddle_loop_wait and _cancel, heddle_wavefront_wait and _cancel. Cores are used exclusively: one fleet of a process has cores (EBUSY).
 * A forked child has none of the fleet's threads: what would need them, also of loops, wavefronts, jobs and sequences, returns EDEVICE, and
 * nothing is freed.
 *
 * Errors. heddle_error_text(NULL) has the sentence of this thread's last failed call.
 *
 * (HDSS: Belviranli's thesis, chapter 3; there each processing unit has a representative thread, as here.) */
#ifndef HEDDLE_FLEET_H
#define HEDDLE_FLEET_H

#include "heddle.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct heddle_fleet heddle_fleet;
typedef struct heddle_array heddle_array;

typedef struct heddle_fleet_config {
    size_t size;         /* set by HEDDLE_FLEET_INIT */
    const char *devices; /* when the call names none; NULL: "cuda:* cpu:*"  HEDDLE_DEVICES */
    /* Keeps speeds of loops and wavefronts for later processes; one that cannot be read or written is no error. Copied. NULL: none
     * HEDDLE_FLEET_PROFILE */
    const char *profile_file;
    uint64_t
        buffer_bytes;    /* of a device, for slices under way; 0: 192 MiB, or a quarter of its memory if that is less */
    uint32_t no_pin;     /* 1: leave threads unpinned */
    uint64_t pool_bytes; /* of a device, for arrays of jobs (heddle/multi.h); 0: nine tenths of what it has then */
} heddle_fleet_config;
#define HEDDLE_FLEET_INIT                                \
    {                                                    \
        sizeof(heddle_fleet_config), NULL, NULL, 0, 0, 0 \
    }

/* Opens the devices and starts a thread for each core and each other device. ENODEV: a device is not here, or none is; EINVAL: words
 * that name none; EBUSY: another fleet has the cores; ENOMEM. *out is NULL then. */
HEDDLE_API heddle_status heddle_fleet_open(heddle_fleet **out, const char *devices, const heddle_fleet_config *config);
/* Waits for what is running, and stops the threads. Free loops, wavefronts and arrays before. Devices that hang are left behind;
 * a body, or a function of an accelerator, that does not return is waited for. */
HEDDLE_API void heddle_fleet_close(heddle_fleet *f);

typedef struct heddle_fleet_unit {
    size_t size;           /* set by HEDDLE_UNIT_INIT                                                  */
    char name[64];         /* "cpu:3", "cuda:0/4", "virtual:1"                                        */
    uint64_t memory_bytes; /* of its own, for slices and whole arrays; 0: it uses the host's           */
    heddle_ctx *ctx;       /* a GPU's context, for graphs, pools and memory; else NULL                 */
    uint32_t is_lost;
    uint32_t cpu; /* the processor that its thread is pinned to; UINT32_MAX: none                      */
} heddle_fleet_unit;
#define HEDDLE_UNIT_INIT                           \
    {                                              \
        sizeof(heddle_fleet_unit), {0}, 0, 0, 0, 0 \
    }
/* The unit of that number; ENODEV past the last one. */
HEDDLE_API heddle_status heddle_fleet_get_unit(const heddle_fleet *f, uint32_t index, heddle_fleet_unit *out);

/* ---- arrays --------------------------------------------------------------------------------------------------------- */

/* Rows of bytes with a home in the host's memory. */
typedef struct heddle_array_desc {
    size_t size; /* set by HEDDLE_ARRAY_INIT                                                 */
    uint64_t n_rows;
    uint64_t row_bytes;    /* of a row                                                                 */
    uint64_t stride_bytes; /* from row to row; 0: row_bytes                                            */
    void *host; /* memory of yours, which stays; NULL: the library allocates it, pinned where a GPU wants that */
    uint32_t is_staged; /* 1: it is not pinned; copies go through buffers of the driver, slower     */
} heddle_array_desc;
#define HEDDLE_ARRAY_INIT                           \
    {                                               \
        sizeof(heddle_array_desc), 0, 0, 0, NULL, 0 \
    }

/* EINVAL; ERANGE: 0 rows or bytes, a stride below row_bytes, a size that overflows; ENOMEM. */
HEDDLE_API heddle_status heddle_array_new(heddle_fleet *f, const heddle_array_desc *d, heddle_array **out);
/* Frees what the library allocated. An array that a loop has is kept until that loop is freed. */
HEDDLE_API void heddle_array_free(heddle_array *a);
HEDDLE_API void *heddle_array_host(heddle_array *a);
/* The host is about to read these rows: waits until no loop or wavefront writes them. */
HEDDLE_API heddle_status heddle_array_fetch(heddle_array *a, uint64_t row, uint64_t n_rows);
/* The host has written these rows. EBUSY: a running loop or wavefront has the array. */
HEDDLE_API heddle_status heddle_array_wrote(heddle_array *a, uint64_t row, uint64_t n_rows);
/* How its memory is held, and what that cost: one line; "" if it is plain memory, because the fleet has no GPU. It was pinned, or by somebody
 * before; or copies go through buffers of the driver, because pinning failed or is_staged is set. Valid until the array is freed. */
HEDDLE_API const char *heddle_array_how(const heddle_array *a);

/* ---- other people's accelerators -------------------------------------------------------------------------------------- */

struct heddle_table;
struct heddle_span;
/* What a span of a loop is to an accelerator. */
typedef struct heddle_span_work {
    const struct heddle_table *table;
    uint32_t body;
    uint32_t team_size; /* threads of a block; 0: its own choice                                    */
    const void *params; /* the loop's record; its pointers are addresses of the accelerator         */
    uint32_t params_bytes;
    uint32_t n_dims;         /* 1 or 2                                                                   */
    uint64_t begin, end;     /* of the first index; begin is a multiple of tile                          */
    uint64_t begin_2, end_2; /* of the second; begin_2 is a multiple of tile_2; 0 and 1 in loops of one dimension */
    uint64_t tile, tile_2;   /* indices of a call of the body                                          */
    uint32_t device;         /* for a heddle_call_fn: CUDA's number of the GPU; UINT32_MAX: the host works  */
} heddle_span_work;

/* A function of the host that puts a span's work into a stream of CUDA, for example a call of a library. It must not wait for the
 * stream. `stream` is a CUstream, of a part of a GPU one of a green context that has a part of the multiprocessors; its GPU is current, and
 * w->device is its number, since a library may want a handle for each.
 * NULL: the function does the work itself before it returns. HEDDLE_EBODY: the body has failed; any other error: the accelerator is
 * lost. */
typedef heddle_status (*heddle_call_fn)(void *user, void *stream, const heddle_span_work *w);

/* Rows that go in or out. */
typedef struct heddle_copy {
    void *to;
    const void *from;
    uint64_t n_rows, row_bytes, to_stride, from_stride;
    uint32_t is_in; /* 1: from the host to the accelerator                                             */
} heddle_copy;

/* What a slice does in a queue, one after the other. */
typedef enum heddle_phase {
    HEDDLE_PHASE_NONE,
    HEDDLE_PHASE_IN,     /* copies in    */
    HEDDLE_PHASE_BODIES, /* the span     */
    HEDDLE_PHASE_HOME,   /* copies out   */
    HEDDLE_N_PHASES
} heddle_phase;

/* An accelerator. Its fleet calls copy, span, poll, mark and marked from one thread; mem_new and mem_free may be called at the same time by another
 * one. What is put into a queue is done in the order of the calls; queues
 * may work side by side. The functions return at once, HEDDLE_OK or an error, after which the accelerator counts as lost and
 * only close is called. */
typedef struct heddle_accelerator {
    size_t size; /* set by HEDDLE_ACCELERATOR_INIT                                                     */
    void *self;
    const char *name;         /* copied                                                                */
    uint64_t memory_bytes;    /* that the fleet may ask for                                            */
    uint64_t most_copy_bytes; /* of a copy; 0: any                                                     */
    uint32_t n_queues; /* 1 to HEDDLE_MOST_QUEUES. Loops use three; jobs need three, and a fourth lets bodies overlap */
    uint32_t takes_strides; /* 1: copies of rows that do not lie side by side; 0: each row is copied alone */
    uint64_t n_threads;     /* that it runs side by side: a slice of fewer is not worth it; 0: one */
    double weight;          /* speed by data sheet, a core being 1; for the ways to divide that ask for it */
    /* Memory of the accelerator: an address, or NULL. */
    void *(*mem_new)(void *self, uint64_t n_bytes);
    void (*mem_free)(void *self, void *p, uint64_t n_bytes);
    heddle_status (*copy)(void *self, uint32_t queue, const heddle_copy *c);
    heddle_status (*span)(void *self, uint32_t queue, const heddle_span_work *w);
    /* OK: all that was put into the queue is done. EBUSY. EBODY: a body of the last span failed, *code says how and *index where.
     * Others: it is lost. */
    heddle_status (*poll)(void *self, uint32_t queue, uint32_t *code, uint64_t *index);
    /* Nothing is under way; or it is lost, and nothing may be waited for. */
    void (*close)(void *self, int is_lost);
    /* Both or neither (NULL): traces show copies and bodies apart. They are called only in loops that are traced. mark: what comes into the
     * queue from now on, up to the next mark, is that phase of a slice; NONE: is nothing. Before IN the queue is empty. An error: it is
     * lost. */
    heddle_status (*mark)(void *self, uint32_t queue, heddle_phase phase);
    /* The queue is empty, and something was put into it in that phase: when the first of it began, and the last ended, in nanoseconds of
     * heddle_host_clock_ns. The trace is as exact as they are, but shows nothing before the slice was given, or after its end was seen. If
     * the begin is not known, the end of what was before in the queue will do. Other than OK: it is not known, and not shown. */
    heddle_status (*marked)(void *self, uint32_t queue, heddle_phase phase, uint64_t *begin_ns, uint64_t *end_ns);
    /* All of the next five or none (NULL): queues wait for one another without the host. One thread calls them for all accelerators of a
     * fleet; `other` is the self of one with the same functions. Numbers of points that are not in order are EINVAL, after which nothing
     * is lost.
     *
     * point: a mark behind all that is in the queue. A queue's points have the numbers 1, 2, 3 and so on. */
    heddle_status (*point)(void *self, uint32_t queue, uint64_t number);
    /* OK: *number is the last point that the queue has passed, 0 for none. EBODY: as poll, told once for each failure; the body lies behind
     * point *number. Until it is told no later number is. A span that was put behind the failed one by then may have been run or not. */
    heddle_status (*passed)(void *self, uint32_t queue, uint64_t *number, uint32_t *code, uint64_t *index);
    /* What comes into the queue waits until the other queue has passed a point that was put before. */
    heddle_status (*follow)(void *self, uint32_t queue, void *other, uint32_t other_queue, uint64_t number);
    /* 1: it can copy from the other's memory, so that the bytes arrive. That is found out with data once, which takes milliseconds. */
    int (*reaches)(void *self, void *other);
    /* Copies rows from the memory of one that it reaches; or within its own, if other is self. is_in and most_copy_bytes do not count. */
    heddle_status (*copy_peer)(void *self, uint32_t queue, const heddle_copy *c, void *other);
    /* Has the function put the span's work into the queue, or into a stream that the queue waits for; returns what the function does.
     * w->device need not be set. NULL: it takes no calls. Only where the five are. */
    heddle_status (*call)(void *self, uint32_t queue, heddle_call_fn fn, void *user, const heddle_span_work *w);
    /* All of the rest or none (NULL), for sequences of jobs: what is put into queues of several accelerators with the same functions is
     * recorded, and can be done again with one call. If one of them returns an error, the caller asks each accelerator by poll whether it
     * is lost.
     *
     * record_begin: until record_end, what is put into the queues of these (copy, span, point, follow, copy_peer, call) is kept, and not
     * done. Their queues are empty. Points are those of the record, from 1 in each queue; passed and poll are not called. A function that is called
     * (call) puts its work into the record, once. An error: nothing is being recorded, and nothing is lost. */
    heddle_status (*record_begin)(void *const *selves, uint32_t n);
    /* Queues are as they were before. An error, also if a call in between had one: there is no record, and nothing is lost. *recorded is
     * NULL then. The accelerators live longer than the record. */
    heddle_status (*record_end)(void *const *selves, uint32_t n, void **recorded);
    /* Does all of it, each op after those before it in its queue and those that it followed. A replay begins when those before it have
     * ended. At most HEDDLE_MOST_REPLAYS of a record are under way. Nothing is put into queues until they have ended. */
    heddle_status (*replay)(void *recorded);
    /* OK: *n is how many replays have ended since record_end. EBODY: as passed; *which is the number of the accelerator. */
    heddle_status (*replayed)(void *recorded, uint64_t *n, uint32_t *which, uint32_t *code, uint64_t *index);
    /* None of its replays is under way; or an accelerator is lost. */
    void (*record_free)(void *recorded);
    /* For traces of jobs, and for shares by speed; NULL: what counts is when ends were seen. The queue has passed the point: when that was, in
     * nanoseconds of heddle_host_clock_ns. Other than OK: it is not known. It is called with number 0 before: times of later points are wanted. */
    heddle_status (*passed_at)(void *self, uint32_t queue, uint64_t number, uint64_t *ns);
} heddle_accelerator;
#define HEDDLE_MOST_REPLAYS 4u
#define HEDDLE_MOST_QUEUES 4u
#define HEDDLE_ACCELERATOR_INIT                                                                                        \
    {                                                                                                                  \
        sizeof(heddle_accelerator), NULL, NULL, 0, 0, 1, 0, 0, 1.0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
            0, 0, 0                                                                                                    \
    }
/* It joins the fleet, which closes it from then on, also if there is no memory for it (ENOMEM). Before the fleet's first loop (EBUSY).
 * EINVAL: it stays the caller's. *a is copied. */
HEDDLE_API heddle_status heddle_fleet_add(heddle_fleet *f, const heddle_accelerator *a);

#ifdef __cplusplus
}
#endif
#endif
