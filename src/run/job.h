/* SPDX-License-Identifier: MIT */
/* job.h - the common part of all work that runs in the background. It is started, awaited until a deadline, limited in time,
 * cancelled, watched, and concluded once, with a status and a sentence.
 *
 * hd_job_kind has the operations of a kind; a graph is one (run.c). A job that is not running can be started again. */
#ifndef HD_JOB_H
#define HD_JOB_H

#include "backend/backend.h"
#include "run/alarm.h"

#include <pthread.h>

/* The operations of the work behind a job; self is the job's. */
typedef struct hd_job_kind {
    /* Starts the prepared work; `help` and limit_ns as in hd_backend.start. */
    heddle_status (*start)(void *self, int help, uint64_t limit_ns, hd_error *e);
    /* The next four as in backend.h; waiting may be NULL. */
    heddle_status (*wait)(void *self, uint64_t deadline_ns);
    void (*stop)(void *self, uint32_t why);
    int (*doing)(void *self, uint32_t worker, hd_doing *out);
    uint32_t (*waiting)(void *self, hd_doing *out, uint32_t n_max);
    /* After the end: fills in stop, code and task. */
    void (*result)(void *self, hd_outcome *out);
    /* An error other than a body's code, "" if none. */
    const char *(*complaint)(void *self);
    /* Names of an item (a task) in sentences: its body's name; and a full name, "task 7 (lu_diag)". */
    const char *(*name)(void *self, uint32_t item);
    void (*say)(void *self, uint32_t item, char *to, size_t n);
    /* Writes the whole sentence for a body's failure with `code`. 0, or NULL: the sentence gives item and code. */
    int (*say_failure)(void *self, uint32_t code, char *to, size_t n);
    /* Or NULL. What a run was at when its time limit stopped it, as "; ..." or "". */
    void (*say_halt)(void *self, char *to, size_t n);
    /* The number of tasks that an item declares to spawn at most. */
    uint32_t (*most_children)(void *self, uint32_t item);
    /* Watched item i is done: called on a worker's thread, before waiting threads continue. */
    void (*came)(void *self, uint64_t i, uint32_t item);
} hd_job_kind;

typedef struct hd_job {
    const hd_job_kind *kind;
    void *self;
    heddle_ctx *ctx;
    pthread_mutex_t mutex; /* guards running, end, handle, done, `who`; calls on a job come from any thread */
    pthread_cond_t moved;  /* a watched item is done, or the job ended */
    int running;           /* started and not concluded */
    int has_result;        /* it has a concluded run */
    hd_error who;          /* when the time limit passed: what workers were doing; "" if unknown */
    hd_alarm alarm;        /* the time limit */
    uint64_t lost_ns;      /* if bodies have not returned by then the context is lost; UINT64_MAX: no limit */
    heddle_job *handle;    /* the caller's, or NULL */
    heddle_status end;     /* status of the last run */
    uint8_t *done;         /* one byte per watched item */
    uint64_t n_done;       /* bytes of done */
} hd_job;

/* A caller's handle of a submitted job. */
struct heddle_job {
    hd_job *of;
    int ended;
    heddle_status end;
};

void hd_job_init(hd_job *j, const hd_job_kind *kind, void *self, heddle_ctx *ctx);
void hd_job_clear(hd_job *j);
/* Makes room for n watched items. -1 without memory. */
int hd_job_watch(hd_job *j, uint64_t n);

/* Starts it. handle: receives the end, or NULL. help: the caller goes on to hd_job_wait without a deadline. On failure the
 * job is as before. */
heddle_status hd_job_start(hd_job *j, heddle_job *handle, int help);
/* Waits until deadline_ns: EBUSY, or the final status. The config's time limit ends the run independently of waiting
 * threads. */
heddle_status hd_job_wait(hd_job *j, uint64_t deadline_ns);
/* Started and not concluded. */
int hd_job_is_running(hd_job *j);
/* Concludes it if it has ended. 1: it is not running. */
int hd_job_is_over(hd_job *j);
/* Waits for a running job and concludes it; returns early if the context is lost. Then the work may be freed. */
void hd_job_settle(hd_job *j);
/* Watched item i is done. Called by the kind on a worker's thread. */
void hd_job_came(hd_job *j, uint64_t i, uint32_t item);
/* Concludes with r a run that hd_job_start did not start (it went into a user's stream). */
heddle_status hd_job_conclude(hd_job *j, const hd_outcome *r);

/* Waits for the handle's job: EBUSY, or its final status. */
heddle_status hd_job_wait_handle(heddle_job *h, uint64_t deadline_ns);
/* Waits for watched item i: OK if done, the job's final status if that ended, EBUSY at deadline_ns. */
heddle_status hd_job_wait_item(heddle_job *h, uint64_t i, uint64_t deadline_ns);
/* What a body did wrong that ended with HD_STOP_SPAWN and this code, to follow its name in a sentence. */
const char *hd_job_misuse(uint32_t code);
/* The time ms from now; HEDDLE_FOREVER: UINT64_MAX. */
uint64_t hd_job_deadline(uint32_t ms);

#endif
