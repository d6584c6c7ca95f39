/* SPDX-License-Identifier: MIT */
/* jobs.h - what the files of this folder share beside the line (line.h): the jobs of a fleet, and the thread that drives them.
 *
 * The driver owns the line, the directory and the queues of all devices that take part. Others hand it requests, and wait for their answers;
 * a start is a request that nobody waits for. The driver gives slices as long as there are some to give, asks devices which points they have
 * passed, and rests when nothing is under way.
 *
 * An accelerator is driven by one thread at a time: by the driver while there are jobs, by its manager while there are loops. So requests
 * wait for loops (hd_jobs_await_loops), and loops begin when the driver rests.
 *
 * Lock: jobs.mutex guards the list of requests, what they answer, and the outcome of jobs. The driver holds it only for that. */
#ifndef HD_MULTI_JOBS_H
#define HD_MULTI_JOBS_H

#include "engine/loop/fleet.h"
#include "engine/multi/line.h"

#include <inttypes.h>

/* The op with that number in a queue waits for a point. */
typedef struct hd_put_wait {
    uint64_t number;
    hd_seg_point what;
} hd_put_wait;

/* Of the first body of a queue that has failed. */
typedef struct hd_jobs_failure {
    uint32_t code;          /* 0: none has */
    uint64_t index, behind; /* the point that it lies behind */
} hd_jobs_failure;

typedef struct hd_jobs_device {
    hd_fleet_unit *unit;
    uint8_t *pool;
    uint64_t pool_bytes;
    uint64_t given[HD_N_ROLES], seen[HD_N_ROLES],
        passed[HD_N_ROLES]; /* points of its queues: passed, and told the line */
    uint64_t bytes_in, bytes_out, bytes_peers, bytes_sent, n_slices;
    uint64_t since_ns;               /* when it last passed a point, or was seen to begin to work */
    int worked;                      /* at the last look: it did not only wait for others */
    uint64_t first_wait[HD_N_ROLES]; /* of ops that are under way; those before it are past */
    hd_list waits[HD_N_ROLES];       /* hd_put_wait, in order: for points that were not passed when the ops were put */
    hd_jobs_failure failures[HD_N_ROLES];
    int is_lost, is_told; /* is_told: the line knows */
    char trouble[200];
} hd_jobs_device;

/* CALL: the driver calls a function, since it owns what that touches. */
typedef enum hd_request_kind {
    HD_REQUEST_START,
    HD_REQUEST_SEQUENCE,
    HD_REQUEST_CALL,
    HD_REQUEST_FETCH,
    HD_REQUEST_WROTE,
    HD_REQUEST_DROP
} hd_request_kind;

typedef struct hd_request {
    hd_request_kind kind;
    struct hd_request *next;
    heddle_status (*call)(struct hd_jobs *j, struct hd_request *r);
    heddle_multi *multi;
    uint8_t *params;  /* of a start: its own, behind the request */
    uint64_t n_bytes; /* of both */
    heddle_array *array;
    hd_seg_rect rect;
    hd_list points;            /* hd_seg_point: that have to be passed */
    heddle_sequence *sequence; /* a start of it, or of one of its jobs */
    uint64_t n_times;          /* of a sequence */
    uint32_t entry;            /* of a job: its number in the sequence */
    uint64_t start_ns;
    uint64_t number; /* of a job: in the trace */
    uint32_t device; /* of a call that tells figures, with */
    void *out;       /* where these go */
    int is_planned, is_answered;
    uint32_t planned; /* parts of a fetch, a bit each */
    heddle_status status;
    hd_error error;
} hd_request;

typedef struct hd_jobs {
    heddle_fleet *fleet;
    hd_jobs_device *devices;
    uint32_t n_devices;
    hd_line *line;
    hd_given given; /* the plan's memory */
    pthread_t thread;
    int has_thread, is_closing, is_resting; /* is_resting: the driver has nothing to do, and nothing is under way */
    pthread_mutex_t mutex;
    pthread_cond_t wanted, changed; /* there is a request; one was answered, or a job has ended */
    hd_request *first, *last;       /* that the driver has not taken */
    hd_request *waiting;            /* the driver's: taken, to be answered later, in their order */
    hd_request *held;               /* the driver's: a start of a sequence, and all that came later */
    heddle_sequence *sequence;      /* of the first of these, if it has its turn */
    struct hd_kept *keeps;          /* what is put into queues is kept there; or NULL */
    struct hd_traced *traced;       /* the driver's: what jobs do when; or NULL */
    int wants_times;                /* the driver's: the line hears when points were passed, not when that was seen */
    int was_awaited;                /* with the mutex: all jobs were waited for, and none was started since */
    uint32_t n_jobs;                /* that were started and have not ended */
    uint64_t host_ns;               /* atomic */
    hd_list arrays;                 /* heddle_array *, by their number in the directory; the driver's */
    hd_list
        unwritten; /* uint8_t of each: a job that would have written it has ended with EDEVICE, and no wait has told that */
    hd_error loss;          /* why */
    uint32_t time_limit_ms; /* the least that was asked for; 0: none */
    hd_error error;         /* why jobs are being dropped just now */
} hd_jobs;

struct heddle_multi {
    heddle_fleet *fleet;
    hd_jobs *jobs; /* NULL: a fleet of cores */
    heddle_loop *loop;
    heddle_multi_desc desc;
    uint64_t n_grains_2;
    hd_line_kind *kind;
    uint32_t n_sequences; /* that have it */
    int is_freed;         /* by the user, while sequences had it */
    uint32_t n_in_line;   /* its jobs there; the driver's */
    /* guarded by jobs.mutex, or that of a fleet of cores: */
    uint32_t n_jobs;      /* that have not ended */
    heddle_status status; /* of those since the last wait: the first that went wrong */
    hd_error error;
    uint64_t time_ns, n_here; /* of the last job; jobs that were run as loops */
    hd_list how;
};

static inline const char *hd_multi_name(const heddle_multi *m)
{
    return m->loop->table->bodies[m->loop->desc.body].name;
}

/* In sentences: rows, and of which array. */
#define HD_ROWS_FORMAT "rows %" PRIu64 " to %" PRIu64 " of an array of %" PRIu64 " rows of %" PRIu64 " bytes"
#define HD_ROWS_OF(a, rect) (rect).row, (rect).end_row - 1u, (a)->n_rows, (a)->row_bytes

/* Of what went wrong the first stays. */
static inline void hd_keep_first(heddle_status *status, hd_error *error, heddle_status s, const hd_error *e)
{
    if (s == HEDDLE_OK || *status != HEDDLE_OK)
        return;
    *status = s;
    *error = *e;
}

/* jobs.c: the jobs of a fleet: makes them if there are none yet, when no loop of it runs. *out NULL: no accelerator of the fleet can run any. */
heddle_status hd_jobs_of(heddle_fleet *f, hd_jobs **out);
/* Waits until no loop or wavefront of the fleet runs, or waits for its turn. */
void hd_jobs_await_loops(heddle_fleet *f);
/* An array joins the directory. */
heddle_status hd_jobs_join(hd_jobs *j, heddle_array *a);
/* Hands a request over; waits for its answer, unless it is a start. */
heddle_status hd_jobs_ask(hd_jobs *j, hd_request *r);
/* Has the driver call the function, and waits for its answer. about: zero but for what the function looks at. */
heddle_status hd_jobs_call(hd_jobs *j, heddle_status (*call)(hd_jobs *j, hd_request *r), hd_request *about);
static inline heddle_array *hd_jobs_array(const hd_jobs *j, uint32_t number)
{
    return ((heddle_array **)j->arrays.at)[number];
}
/* multi.c: for the line: a job has ended, and its request is freed. job NULL: it was not in the line. */
void hd_job_ended(void *jobs, hd_line_job *job, void *request, heddle_status status);
/* It will end otherwise than well: keeps the jobs' sentence. */
void hd_job_dropped(void *jobs, void *request);
/* A request for a start, not handed over. NULL without memory. */
hd_request *hd_start_new(heddle_multi *m, const void *params);
/* The caller may start a job or a sequence now: waits for loops of the fleet, and until fewer are under way. Counts it. *own: of the kind of
 * jobs or the sequence, counted beside. */
void hd_start_wait(hd_jobs *j, uint32_t *own);
/* Waits until none is under way, and takes how they have ended: *status, which is OK then, with *error as this thread's sentence. EBUSY: the time
 * is over before. */
heddle_status hd_start_await(hd_jobs *j, const uint32_t *own, heddle_status *status, const hd_error *error,
                             uint32_t timeout_ms);
/* Without devices for jobs, where the fleet's mutex guards it: how jobs have ended. keep: this thread's sentence says why. take: as above. */
void hd_keep_here(heddle_fleet *f, heddle_status *status, hd_error *error, heddle_status s);
heddle_status hd_take_here(heddle_fleet *f, heddle_status *status, const hd_error *error);
/* Runs one. */
heddle_status hd_multi_run_here(heddle_multi *m, const void *params);

/* driver.c: the thread's function. */
void *hd_jobs_main(void *jobs);
/* For sequences, in its thread. take: a request that was held has its turn. drop_all: all that was started ends; this thread's sentence says
 * why. drop_needing: with EDEVICE only the job ends (NULL: none is in the line), with the sequence that has its turn, and what needs arrays that these would
 * have written. fail: a body of the queue has failed. is_quiet: nothing is in the line or under way. tell_losses: the line hears of devices that were
 * lost since the last call; 1: there were some. */
void hd_jobs_take(hd_jobs *j, hd_request *r);
void hd_jobs_drop_all(hd_jobs *j, heddle_status s);
void hd_jobs_drop_needing(hd_jobs *j, hd_line_job *job);
void hd_jobs_fail(hd_jobs *j, hd_jobs_device *d, uint32_t role);
int hd_jobs_is_quiet(const hd_jobs *j);
int hd_jobs_tell_losses(hd_jobs *j);
/* When the point was passed, as its device tells, or else now. Of number 0: times of later points will be asked for. */
uint64_t hd_jobs_time_of(const hd_jobs *j, hd_seg_point p, uint64_t now_ns);

/* sequence_turn.c: the driver's hooks. turn: 1: something went on. holds: the request waits behind a sequence. meets_loss: a device is
 * lost; 1: the line hears of it later. job_ended: one of a sequence. drop: held starts from the first on that is of the kind or the
 * sequence (NULL and NULL: all) end so, with the jobs' sentence. drop_needing: those that read unwritten arrays do, as in
 * hd_line_drop_needing. */
int hd_sequence_turn(hd_jobs *j);
int hd_sequence_holds(hd_jobs *j, hd_request *r);
int hd_sequence_meets_loss(hd_jobs *j);
void hd_sequence_job_ended(hd_request *r, heddle_status status);
void hd_sequence_drop(hd_jobs *j, const heddle_multi *m, const heddle_sequence *s, heddle_status status);
void hd_sequence_drop_needing(hd_jobs *j, uint8_t *unwritten, heddle_status status);
/* 1: the request starts something that needs unwritten arrays, and has ended so. */
int hd_sequence_ends(hd_jobs *j, hd_request *r);
/* kept.c: keeps what a plan puts into queues. */
void hd_kept_add(struct hd_kept *k, const hd_seg_plan *plan, const hd_given *given);

/* put.c: puts the ops of a plan into the queues. given: the slice of the body that is among them; NULL: there is none. Devices may get lost; the
 * line has to be told then. */
void hd_put_plan(hd_jobs *j, const hd_seg_plan *plan, const hd_given *given);
/* One op, with what it waits for and its point. */
heddle_status hd_put_op(hd_jobs *j, const hd_seg_op *o, const hd_seg_point *waits, const hd_given *given);
/* Only what it does. */
heddle_status hd_put_work(hd_jobs *j, const hd_seg_op *o, const hd_given *given);
/* The device's figures: it has done the op n times. */
void hd_put_count(hd_jobs *j, const hd_seg_op *o, uint64_t n);
/* The device is lost; this thread's sentence says why. Its points count as passed. */
void hd_put_lose(hd_jobs_device *d);

/* Loses devices that had not passed anything for too long at a time after which all were asked. Time in which all that a device has
 * waits for others does not count. */
void hd_put_check_limits(hd_jobs *j, uint64_t asked_ns);
/* Asks which points the queue has passed: sets `seen`, and what a body has failed with. */
heddle_status hd_put_ask(hd_jobs_device *d, uint32_t role);

/* traced.c: the trace of all jobs of a fleet. new: from now on there is one; ENOMEM. The others but job and run are called only if there is
 * one. job: it starts, and gets its number. run: so many jobs of a sequence are put without a start; the number of the first. put: the op is in
 * its queue, since put_ns. passed: the queue has passed the point. replays: the device has done runs that are one call. */
typedef struct hd_traced hd_traced;
heddle_status hd_traced_new(hd_jobs *j, uint32_t n_trace);
void hd_traced_delete(hd_jobs *j);
void hd_traced_job(hd_jobs *j, hd_request *r);
uint64_t hd_traced_run(hd_jobs *j, uint64_t n_jobs);
void hd_traced_put(hd_jobs *j, const hd_seg_op *o, const hd_seg_point *waits, const hd_given *given, uint64_t put_ns);
void hd_traced_passed(hd_jobs *j, hd_seg_point p, uint64_t now_ns);
void hd_traced_replays(hd_jobs *j, uint32_t device, uint64_t begin_ns, uint64_t n_runs);

/* told.c: no job is under way. */
int hd_multi_is_at_rest(const heddle_multi *m);

/* uses.c: for the line: what a block of a job touches; and of one piece. */
void hd_multi_uses(const void *multi, const hd_grains *b, hd_seg_use *out, uint8_t *comes_home);
hd_seg_rect hd_piece_rect(const hd_piece *p, const hd_grains *b);

#endif
