/* SPDX-License-Identifier: MIT */
/* heddle/multi.h - jobs: loops over several GPUs that leave pieces of arrays where they were used. Also over one GPU with less memory than
 * the data has.
 *
 *     // body, table, params and accesses as for loops (heddle/loop.h); a and b are arrays of the fleet f
 *     heddle_loop_desc d = HEDDLE_LOOP_INIT;
 *     d.body = my_step; d.n = rows; d.n_2 = columns; d.accesses = a_to_b; d.n_accesses = 2;
 *     heddle_multi_new(f, &my, &d, NULL, &there);
 *     d.accesses = b_to_a;
 *     heddle_multi_new(f, &my, &d, NULL, &back);
 *     for (i = 0; i < 500; i++) {
 *         heddle_multi_start(there, &params, sizeof params);      // a job; returns at once
 *         heddle_multi_start(back, &params, sizeof params);
 *     }
 *     heddle_array_fetch(a, 0, rows);                             // waits for what it needs, and brings it home
 *
 * A job is cut into slices, and each accelerator of the fleet has some. Jobs look as if they ran one after another. But a slice waits only
 * for the slices of earlier jobs that wrote what it reads, or touch what it writes: wherever these were, and while they still run. Jobs that are
 * safe or have reductions wait for the end of all before, and later ones for theirs.
 *
 * What a slice touches is brought into the memory of its device, and stays there: the next job that has the same rows in the same place
 * moves nothing. It comes from where it is, also from another GPU. It goes home when the host asks for it (heddle_array_fetch), or when the
 * device needs the room. So the data may be larger than all devices together, if only what one slice touches fits into one of them. Between
 * jobs the home is old: call heddle_array_fetch before the host reads rows, and heddle_array_wrote before it writes some. The latter waits
 * until no device touches them; they are the host's until the next start. Rows that were fetched may also be written before the call, if no job
 * that reads them was started and not waited for: a fetch does not wait for readers, which may yet take the rows from home. Loops and
 * wavefronts of the fleet wait for jobs that were started, and bring home what they touch; jobs wait for loops.
 *
 * A fleet without accelerators that can run jobs (they need the functions for it, heddle/fleet.h) runs jobs as loops on its cores. In others
 * cores take no part. All fleets give the same bytes. Whether devices reach one another is tried before the fleet's first job is made, not
 * when the fleet is opened.
 *
 * Jobs that are run again and again can be a sequence (heddle_sequence_new).
 *
 * Threads. Calls on one fleet, its arrays and its jobs are made by one thread at a time, but for heddle_multi_wait and _cancel, and those of
 * sequences. One thread of the library gives slices to all devices.
 *
 * Errors. heddle_error_text(NULL) has the sentence of this thread's last failed call.
 *
 * (MESI-CUDA's scheduling: Ohno et al. 2016. What is called a task there is a slice here; its segment table, section 3.4.2, has an entry for
 * each task and array, and leaves open what becomes of neighbours that overlap. Its fixed mapping, 3.4.3, is one of the maps here.) */
#ifndef HEDDLE_MULTI_H
#define HEDDLE_MULTI_H

#include "heddle/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which device has which slices. */
#define HEDDLE_MAP_MAP(X)                                                                                            \
    X(SETTLE, 0, "settle", "a share a device, as large as its speed; shares are changed when devices end unevenly")  \
    X(FIXED, 1, "fixed", "who is free takes the next slice in the first job, and has the same slices in all others") \
    X(FREE, 2, "free", "a share a device, in tasks; who has none left takes over from the end of another one's")     \
    X(STATIC, 3, "static", "equal shares")

typedef enum heddle_map {
#define HEDDLE_X(name, value, text, help) HEDDLE_MAP_##name = (value),
    HEDDLE_MAP_MAP(HEDDLE_X)
#undef HEDDLE_X
        HEDDLE_N_MAPS = 4
} heddle_map;
/* The names used in options and variables; NULL for a number outside the table. */
HEDDLE_API const char *heddle_map_name(heddle_map m);

#define HEDDLE_MULTI_MOST_TASKS (1u << 20)
typedef struct heddle_multi_desc {
    size_t size;        /* set by HEDDLE_MULTI_INIT                                                      */
    heddle_map map;     /*                                                          HEDDLE_MAP           */
    uint32_t n_tasks;   /* slices of a job, by the first index, equal ones; 0: as many as are good       HEDDLE_TASKS */
    uint32_t n_tasks_2; /* each of which is cut into so many by the second one; 0: 1                      */
    /* 1: what a job wrote goes home at its end, and slices of a lost device are run again from there. So it takes nothing along but rows
     * that a job was reading and writing in place, and that were on their way home just then. HEDDLE_SAFE */
    uint32_t is_safe;
    heddle_call_fn call; /* puts the work of a slice into a stream, instead of the body; NULL: none        */
    void *call_user;     /* its first argument                                                            */
} heddle_multi_desc;
#define HEDDLE_MULTI_INIT                                              \
    {                                                                  \
        sizeof(heddle_multi_desc), HEDDLE_MAP_SETTLE, 0, 0, 0, NULL, 0 \
    }

typedef struct heddle_multi heddle_multi;

/* A kind of jobs. d: as for heddle_loop_new; split is not used; n_trace: see heddle_multi_write_trace. m NULL: HEDDLE_MULTI_INIT. The arrays' memory may be
 * larger than a device's.
 * EINVAL, ERANGE: as heddle_loop_new says; an access by a function (HEDDLE_PARTS), which could be anywhere; more tasks than grains; a call in
 * a fleet of cores is made with stream NULL. ENODEV: a device takes no calls (a part of a GPU that is too small for one). ENOMEM: a slice needs more than a device's pool; the sentence has both numbers, and the access that needs the most. */
HEDDLE_API heddle_status heddle_multi_new(heddle_fleet *f, const heddle_table *table, const heddle_loop_desc *d,
                                          const heddle_multi_desc *m, heddle_multi **out);
/* Waits for its jobs. */
HEDDLE_API void heddle_multi_free(heddle_multi *m);

/* Starts a job, and returns at once; it may be started again while earlier jobs of it run. params is copied. Results of reductions are there
 * when heddle_multi_wait has returned. */
HEDDLE_API heddle_status heddle_multi_start(heddle_multi *m, const void *params, size_t params_bytes);
/* EBUSY after timeout_ms (HEDDLE_FOREVER: waits for the end), else how its jobs since the last wait ended: the first that went wrong. Any
 * thread; of several that wait, one is told what went wrong. ECANCELED. EBODY: a body failed, and later jobs of the fleet that had been started
 * were not run. Slices behind that body in its queue may not have been run either, and jobs that have some end so, too. Others from before go on, unless the body was of a replay
 * of a sequence or is run again after a loss: then all that were started end so.
 * EDEVICE: a device was lost, and
 * rows that only it had; the sentence names the job's access, the rows and the array's size. What else the arrays have can be fetched. A job
 * ends so if it needs rows that were lost, or reads an array that another job which ended so would have written. All others go on. That holds
 * for starts until a wait returns EDEVICE; later ones are run with what there is. */
HEDDLE_API heddle_status heddle_multi_wait(heddle_multi *m, uint32_t timeout_ms);
/* Both. */
HEDDLE_API heddle_status heddle_multi_run(heddle_multi *m, const void *params, size_t params_bytes);
/* No slice of its jobs begins any more. Any thread. */
HEDDLE_API void heddle_multi_cancel(heddle_multi *m);

/* Since heddle_multi_new. */
typedef struct heddle_multi_stats {
    size_t size; /* set by HEDDLE_MULTI_STATS_INIT                                                         */
    uint64_t n_jobs, n_slices, n_again; /* n_again: slices that were run again after a loss                */
    uint64_t n_moves;                   /* shares that were changed, by settle                             */
    uint64_t time_ns;                   /* of the last job: from its start to its end                      */
    uint64_t host_ns;   /* of the driver's thread, when it had something to do, for all jobs of the fleet */
    uint32_t n_devices; /* that take part; 0: cores                                        */
} heddle_multi_stats;
#define HEDDLE_MULTI_STATS_INIT                         \
    {                                                   \
        sizeof(heddle_multi_stats), 0, 0, 0, 0, 0, 0, 0 \
    }
/* Waits for an answer of the thread that gives slices, as heddle_multi_get_device and _how do; none waits for jobs. Figures are of some moment,
 * if jobs are under way. These three may be called within a heddle_call_fn; other calls on the fleet, which would wait for that thread, may not. */
HEDDLE_API heddle_status heddle_multi_get_stats(const heddle_multi *m, heddle_multi_stats *out);
/* How its last job was cut and given, and what happened on the way: lines. While jobs of the fleet are under way: that they are. Valid until the
 * next call or start. */
HEDDLE_API const char *heddle_multi_how(heddle_multi *m);

/* Of a device, for all jobs of the fleet. */
typedef struct heddle_multi_device {
    size_t size; /* set by HEDDLE_MULTI_DEVICE_INIT */
    char name[64];
    uint64_t pool_bytes, used_bytes;           /* of its memory for arrays; that are used now */
    uint64_t bytes_in, bytes_out, bytes_peers; /* from the host, to it, from other devices */
    uint64_t n_slices, n_left;                 /* n_left: windows that had to leave for others */
    uint64_t table_bytes;                      /* of the library, about all arrays and devices */
    uint32_t is_lost;
    uint64_t bytes_sent; /* to other devices */
} heddle_multi_device;
#define HEDDLE_MULTI_DEVICE_INIT                                       \
    {                                                                  \
        sizeof(heddle_multi_device), {0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }
/* ENODEV past the last one. The fleet is at rest (heddle_multi_wait), or figures are of some moment. */
HEDDLE_API heddle_status heddle_multi_get_device(heddle_multi *m, uint32_t device, heddle_multi_device *out);

/* What devices did, for all jobs of the fleet since the first start after a wait that has left nothing under way: with n_trace of the description
 * of a kind of jobs, if it was made before. Of several such kinds the first says how many events are kept of each row; what came later is
 * missing. A device has four rows: the link in, bodies, the link out, and copies from other devices and within its memory. A body's event
 * names its job, as the number of its start, and its indices; a copy's the rows and the array, with the bytes. Times are the accelerator's
 * (passed_at in heddle/fleet.h), or those at which ends were seen. Replays of a sequence are shown op by op; if they were recorded, those with
 * one call are one event.
 * trace: as JSON, for Perfetto; timeline: as a picture (SVG), title NULL: "jobs". A fleet of cores has the loop that the last job was run
 * as. EINVAL: there is no trace; EBUSY: jobs are under way; EIO, ENOMEM. */
HEDDLE_API heddle_status heddle_multi_write_trace(heddle_multi *m, const char *path);
HEDDLE_API heddle_status heddle_multi_write_timeline(heddle_multi *m, const char *path, const char *title);

/* ---- sequences ------------------------------------------------------------------------------------------------------- */

/* Jobs in program order that are run many times, at the cost of their launches:
 *
 *     heddle_sequence_new(f, &s);
 *     heddle_sequence_add(s, there, &params, sizeof params);
 *     heddle_sequence_add(s, back, &params, sizeof params);
 *     heddle_sequence_start(s, 500);                          // as the loop above
 *     heddle_sequence_wait(s, HEDDLE_FOREVER);
 *
 * A start looks as if all jobs had been started that many times. It begins when everything before has ended, and what comes after waits for
 * its end. The first runs are made as jobs. When two runs in a row put the same things into the queues of the devices, the others are
 * replays: the same things once more, without a look at what is where. Devices that can record (heddle/fleet.h: record_begin) get many runs
 * with one call. Others, and those for which rows come from the host or go there, get one thing after another.
 *
 * A call (heddle_multi_desc) is made when its work is recorded, and not again for replays of that.
 *
 * Shares of devices stay as they are while replays last. A sequence with reductions, or of jobs that are safe or have map free, is
 * never replayed. */
typedef struct heddle_sequence heddle_sequence;

/* How runs are made at most; RECORDS is the default. */
typedef enum heddle_replay { HEDDLE_REPLAY_RECORDS, HEDDLE_REPLAY_LIST, HEDDLE_REPLAY_NONE } heddle_replay;

/* EINVAL, ENOMEM. *out is NULL then. */
HEDDLE_API heddle_status heddle_sequence_new(heddle_fleet *f, heddle_sequence **out);
/* Waits for its starts. Its jobs may be freed before. */
HEDDLE_API void heddle_sequence_free(heddle_sequence *s);
/* One more job, behind the others. params is copied. EINVAL: of another fleet; params of another size. EBUSY: a start has not ended. */
HEDDLE_API heddle_status heddle_sequence_add(heddle_sequence *s, heddle_multi *m, const void *params,
                                             size_t params_bytes);
/* For later starts. EINVAL. EBUSY: a start has not ended. */
HEDDLE_API heddle_status heddle_sequence_set_replay(heddle_sequence *s, heddle_replay most);
/* Runs all jobs in their order, n times, and returns at once. It may be started again before that has ended. heddle_multi_wait does not
 * wait for it. */
HEDDLE_API heddle_status heddle_sequence_start(heddle_sequence *s, uint64_t n);
/* EBUSY after timeout_ms (HEDDLE_FOREVER: waits for the end), else how its starts since the last wait ended: the first that went wrong. Any
 * thread. EBODY, ECANCELED: as heddle_multi_wait; of what is replayed, some runs may still be made. EDEVICE: a device was lost. If that was
 * among replays, nobody knows how many of them were done: rows are lost that a job had written and that depend on the device; the
 * sentence names the first ones. */
HEDDLE_API heddle_status heddle_sequence_wait(heddle_sequence *s, uint32_t timeout_ms);
/* No run begins any more; jobs and sequences that were started later are not run. Any thread. heddle_multi_cancel of one of its jobs does the
 * same. */
HEDDLE_API void heddle_sequence_cancel(heddle_sequence *s);

/* Since heddle_sequence_new; of starts that have ended. */
typedef struct heddle_sequence_stats {
    size_t size;                     /* set by HEDDLE_SEQUENCE_STATS_INIT                */
    uint64_t n_runs;                 /* that were made                                   */
    uint64_t n_by_list, n_by_record; /* of these, replays: one thing after another; many runs with one call */
    uint64_t n_calls;                /* for those by record                              */
    uint64_t n_ops;                  /* copies and spans of a replayed run; 0: there was none    */
    uint64_t time_ns;                /* of the last start: from its turn to its end      */
} heddle_sequence_stats;
#define HEDDLE_SEQUENCE_STATS_INIT                      \
    {                                                   \
        sizeof(heddle_sequence_stats), 0, 0, 0, 0, 0, 0 \
    }
HEDDLE_API heddle_status heddle_sequence_get_stats(heddle_sequence *s, heddle_sequence_stats *out);
/* How the runs of the last start were made, and why so: lines. Valid until the next start. */
HEDDLE_API const char *heddle_sequence_how(heddle_sequence *s);

#ifdef __cplusplus
}
#endif
#endif
