/* SPDX-License-Identifier: MIT */
/* line.h - the jobs of a fleet in the order of their starts: which slice is given to which device next. A state machine without clock, threads or
 * devices, above the directory of pieces (segment.h). Events go in, with their times; plans come out. It is driven by the fleet's driver, by
 * the simulator and by tests.
 *
 * A job is opened when the slices of all jobs before it have been given: only then is it known what each device will have. Jobs that are cut
 * into a given number of tasks are opened earlier, a window of slices ahead. So slices can be taken in an order that uses what is there.
 * A slice is free when all slices of earlier jobs that wrote what it reads, or touch what it writes, have been given. It need not wait for
 * their ends: its plan does that on the devices.
 *
 * Guarantees. Slices that conflict are given in the order of their jobs. Each slice is given once. It is given again if its
 * results went with a device before it was done, unless it would come too late (hd_segments_lost). A free slice is passed over by at most a
 * window of others.
 *
 * Calls are made by one thread at a time. */
#ifndef HD_MULTI_LINE_H
#define HD_MULTI_LINE_H

#include "engine/multi/segment.h"
#include "heddle/multi.h"

#define HD_LINE_MOST_DEVICES 64u
typedef struct hd_line hd_line;
typedef struct hd_line_kind hd_line_kind;
typedef struct hd_line_job hd_line_job;

/* Grains of the first and of the second index. */
typedef struct hd_grains {
    uint64_t begin, end, begin_2, end_2;
} hd_grains;

/* A kind of jobs: those that are started at one place of a program. */
typedef struct hd_line_kind_config {
    uint64_t n, n_2; /* grains */
    heddle_map map;
    uint32_t n_tasks, n_tasks_2; /* 0: as many as are good; 1 or more */
    uint32_t n_uses;             /* HD_SEGMENTS_MOST_USES at most */
    /* Sets array, mode, rect, is_packed of what a block touches, and comes_home: what it wrote goes home when the body has ended. */
    void (*uses)(const void *self, const hd_grains *block, hd_seg_use *out, uint8_t *comes_home);
    const void *self;
    uint32_t is_alone; /* 1: no slice of another job is under way beside it */
    uint64_t
        family; /* kinds with the same number, and the same grains, tasks and map, have the same shares, or tasks on the same devices; 0: none is like it */
} hd_line_kind_config;

typedef struct hd_line_config {
    uint32_t n_devices;
    const double *weights;      /* of each: speed by data sheet */
    const uint64_t *pool_bytes; /* of each */
    const uint8_t *reach;       /* as in hd_segments_config */
    uint32_t n_body_queues;     /* that each has: 1, or 2 */
    double error_ns;            /* of the times at which points are said to be passed */
    void (*ended)(void *user, hd_line_job *job, void *job_user,
                  heddle_status status); /* all slices are done or dropped; the job is freed then */
    void *user;
    void (*dropped)(void *user, void *job_user); /* the job will not end well, as the call at work has it; or NULL */
} hd_line_config;

/* ENOMEM. */
heddle_status hd_line_new(hd_line **out, const hd_line_config *c);
void hd_line_delete(hd_line *l);
hd_segments *hd_line_segments(hd_line *l);

/* *kind is copied. No job of a kind that is deleted is in the line. */
heddle_status hd_kind_new(hd_line *l, const hd_line_kind_config *kind, hd_line_kind **out);
void hd_kind_delete(hd_line_kind *k);
/* What the least slice that its jobs can be cut into needs of a pool, wherever it lies; that slice, or one of its size. */
uint64_t hd_kind_least_room(const hd_line_kind *k, hd_grains *block);
/* May shares of the kind change by how long bodies take? */
int hd_kind_learns(const hd_line_kind *k);

/* A job joins the line. */
heddle_status hd_line_start(hd_line *l, hd_line_kind *k, void *user, hd_line_job **out);

/* A slice that was given; one with results that go home now, after its body has ended; or (job NULL) what goes home to make room: the
 * plan's ops are to be put into their queues now, in their
 * order. If there is a body among them, it is the block's. */
typedef struct hd_given {
    hd_line_job *job;
    void *job_user;
    uint32_t device;
    hd_grains block;
    hd_seg_plan plan; /* of the caller: zeroed before the first call */
} hd_given;
/* *given: there was one. ENOMEM; EDEVICE: a job needs rows that were lost (hd_line_loss_of); it is to be dropped. */
heddle_status hd_line_give(hd_line *l, hd_given *out, int *given, uint64_t now_ns);
/* The ops of what was given last are in their queues: a body among them cannot have begun before. */
void hd_line_put(hd_line *l, const hd_given *given, uint64_t now_ns);
/* The queue has passed the point, and all before; when that was, or was seen. What a body has waited for is told before its end. */
heddle_status hd_line_passed(hd_line *l, hd_seg_point p, uint64_t now_ns);
/* Ends the first job of the kind, and all that were started later; NULL: all in the line. Slices that were given run to their end. */
void hd_line_drop(hd_line *l, const hd_line_kind *k, heddle_status status);
/* A body of the queue behind the point has failed, and others behind the point may not have been run. Ends the first job that has one of these,
 * and all that were started later. 0: there is none. */
int hd_line_fail(hd_line *l, hd_seg_point p, heddle_status status);
/* Ends this job, and of those behind it each that reads an array that a job which ends would have written. unwritten: a byte for each array, 1 for
 * those; more are added. */
void hd_line_drop_needing(hd_line *l, hd_line_job *j, uint8_t *unwritten, heddle_status status);
/* Does a job of the kind read one of these arrays? Adds those that it writes. */
int hd_kind_needs(const hd_line_kind *k, const uint8_t *unwritten);
void hd_kind_leaves(const hd_line_kind *k, uint8_t *unwritten);
/* Is there a slice that has not been given and touches some of the rect; or, of writers only, writes it? */
int hd_line_touches(const hd_line *l, uint32_t array, const hd_seg_rect *rect, int only_writers);
/* The device is lost: slices that it had are given again, and those of others that depend on them, as hd_segments_lost says. EDEVICE: no
 * device is left. */
heddle_status hd_line_lost(hd_line *l, uint32_t device);

/* Why hd_line_give returned EDEVICE. */
typedef struct hd_line_loss {
    hd_line_job *job;
    void *job_user;
    uint32_t use;     /* of those of the kind */
    hd_seg_rect rect; /* rows of it that nobody has */
} hd_line_loss;
const hd_line_loss *hd_line_loss_of(const hd_line *l);

int hd_line_is_empty(const hd_line *l);

typedef struct hd_kind_counts {
    uint64_t n_jobs, n_slices, n_again, n_moves;
} hd_kind_counts;
void hd_kind_count(const hd_line_kind *k, hd_kind_counts *out);
/* The device's part in the last job of the kind: grains, slices, and how long bodies took. */
void hd_kind_share(const hd_line_kind *k, uint32_t device, uint64_t *n_grains, uint64_t *n_slices, uint64_t *busy_ns);

#endif
