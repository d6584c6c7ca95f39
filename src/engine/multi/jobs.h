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

typedef struct hd_jobs_device {
    hd_fleet_unit *unit;
    uint8_t *pool;
    uint64_t pool_bytes;
    uint64_t given[HD_N_ROLES], seen[HD_N_ROLES],
        passed[HD_N_ROLES]; /* points of its queues: passed, and told the line */
    uint64_t bytes_in, bytes_out, bytes_peers, n_slices;
    uint64_t since_ns;  /* when it last passed a point, or had nothing under way */
    uint32_t fail_code; /* of a body; 0: none has failed */
    uint64_t fail_index;
    int is_lost, is_told; /* is_told: the line knows */
    char trouble[200];
} hd_jobs_device;

/* CALL: the driver calls a function, since it owns what that touches. */
typedef enum hd_request_kind {
    HD_REQUEST_START,
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
    hd_list points; /* hd_seg_point: that have to be passed */
    uint64_t start_ns;
    int is_planned, is_answered;
    uint32_t n_planned; /* parts of a fetch */
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
    uint32_t n_jobs;                /* that were started and have not ended */
    uint64_t host_ns;
    hd_list arrays;         /* heddle_array *, by their number in the directory; the driver's */
    uint32_t time_limit_ms; /* the least that was asked for; 0: none */
    hd_error error;         /* why jobs are being dropped */
} hd_jobs;

struct heddle_multi {
    heddle_fleet *fleet;
    hd_jobs *jobs; /* NULL: a fleet of cores */
    heddle_loop *loop;
    heddle_multi_desc desc;
    uint64_t n_grains_2;
    hd_line_kind *kind;
    /* guarded by jobs.mutex: */
    uint32_t n_jobs;      /* that have not ended */
    heddle_status status; /* of those since the last wait: the first that went wrong */
    hd_error error;
    uint64_t time_ns, n_here; /* of the last job; jobs that were run as loops */
    hd_list how;
};

/* jobs.c: the jobs of a fleet: makes them if there are none yet. *out NULL: no accelerator of the fleet can run any. */
heddle_status hd_jobs_of(heddle_fleet *f, hd_jobs **out);
/* Waits until no loop or wavefront of the fleet runs, or waits for its turn. */
void hd_jobs_await_loops(heddle_fleet *f);
/* An array joins the directory. */
heddle_status hd_jobs_join(hd_jobs *j, heddle_array *a);
/* Hands a request over; waits for its answer, unless it is a start. */
heddle_status hd_jobs_ask(hd_jobs *j, hd_request *r);
static inline heddle_array *hd_jobs_array(const hd_jobs *j, uint32_t number)
{
    return ((heddle_array **)j->arrays.at)[number];
}
/* multi.c: for the line: a job has ended, and its request is freed. */
void hd_job_ended(void *jobs, hd_line_job *job, void *request, heddle_status status);

/* driver.c: the thread's function. */
void *hd_jobs_main(void *jobs);

/* put.c: puts the ops of a plan into the queues. given: the slice of the body that is among them; NULL: there is none. Devices may get lost; the
 * line has to be told then. */
void hd_put_plan(hd_jobs *j, const hd_seg_plan *plan, const hd_given *given);
/* The device is lost; this thread's sentence says why. Its points count as passed. */
void hd_put_lose(hd_jobs_device *d);

/* uses.c: for the line: what a block of a job touches. */
void hd_multi_uses(const void *multi, const hd_grains *b, hd_seg_use *out, uint8_t *comes_home);
/* Asks which points the queue has passed: sets `seen`, and what a body has failed with. */
heddle_status hd_put_ask(hd_jobs_device *d, uint32_t role);

hd_seg_rect hd_piece_rect(const hd_piece *p, const hd_grains *b);

#endif
