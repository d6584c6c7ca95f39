/* SPDX-License-Identifier: MIT */
/* job.h - what every kind of work that runs in the background has in common: it is started, waited for until a deadline,
 * limited in time, cancelled, watched, and concluded once, with a status and a sentence that says who did what.
 *
 * The kind says how (hd_job_kind); a graph is one (run.c). A job that is not running can be started again. */
#ifndef HD_JOB_H
#define HD_JOB_H

#include "backend/backend.h"
#include "run/alarm.h"

#include <pthread.h>

/* What job.c asks of the work behind a job; self is the job's. */
typedef struct hd_job_kind {
    /* Starts the work with what was made ready before; `help` and limit_ns as in hd_backend.start. */
    heddle_status (*start)(void *self, int help, uint64_t limit_ns, hd_error *e);
    /* The next four as in backend.h; waiting may be NULL: none. */
    heddle_status (*wait)(void *self, uint64_t deadline_ns);
    void (*stop)(void *self, uint32_t why);
    int (*doing)(void *self, uint32_t worker, hd_doing *out);
    uint32_t (*waiting)(void *self, hd_doing *out, uint32_t n_max);
    /* After the end: stop, code and task. */
    void (*result)(void *self, hd_outcome *out);
    /* What went wrong beyond a body's code, "" if nothing. */
    const char *(*complaint)(void *self);
    /* What an item (a task) is called in sentences: its own name; and with what it is, "task 7 (lu_diag)". */
    const char *(*name)(void *self, uint32_t item);
    void (*say)(void *self, uint32_t item, char *to, size_t n);
    /* How many tasks it says that it spawns at most. */
    uint32_t (*most_children)(void *self, uint32_t item);
    /* Item i of those that are watched has come: on a worker's thread, before anybody who waits for it goes on. */
    void (*came)(void *self, uint64_t i, uint32_t item);
} hd_job_kind;

typedef struct hd_job {
    const hd_job_kind *kind;
    void *self;
    heddle_ctx *ctx;
    pthread_mutex_t mutex; /* guards running, end, handle, done, who; calls on a job come from any thread */
    pthread_cond_t moved;  /* a watched item is done, or the job ended */
    int running;           /* started and not concluded */
    int has_result;        /* it has run once to an end */
    hd_error who;          /* the time limit passed: what workers were about then; "" if that could not be asked */
    hd_alarm alarm;        /* the time limit */
    uint64_t lost_ns;      /* bodies that have not come back by then cost the context; UINT64_MAX: there is no limit */
    heddle_job *handle;    /* the caller's, NULL: none */
    heddle_status end;     /* how it ended last */
    uint8_t *done;         /* one byte a watched item */
    uint64_t n_done;       /* bytes of done */
} hd_job;

/* What a caller holds of a job that was submitted. */
struct heddle_job {
    hd_job *of;
    int ended;
    heddle_status end;
};

void hd_job_init(hd_job *j, const hd_job_kind *kind, void *self, heddle_ctx *ctx);
void hd_job_clear(hd_job *j);
/* Room for n watched items. -1 without memory. */
int hd_job_watch(hd_job *j, uint64_t n);

/* Starts it. handle: to be told of the end, or NULL. help: the caller goes straight on to hd_job_wait without a deadline.
 * When it fails, the job is as before. */
heddle_status hd_job_start(hd_job *j, heddle_job *handle, int help);
/* Waits until deadline_ns. EBUSY: it goes on. Else how it ended. The config's time limit ends it whoever waits. */
heddle_status hd_job_wait(hd_job *j, uint64_t deadline_ns);
/* Started and not concluded. */
int hd_job_is_running(hd_job *j);
/* Concludes it if it has ended. 1: it is not running. */
int hd_job_is_over(hd_job *j);
/* Waits for it, if it runs, and concludes it; returns early when the context is lost. Then the work may go. */
void hd_job_settle(hd_job *j);
/* Item i of the watched ones is done. For the kind, on a worker's thread. */
void hd_job_came(hd_job *j, uint64_t i, uint32_t item);
/* Of a run that was not started by hd_job_start (it went into a stream of the user): concludes it as r says. */
heddle_status hd_job_conclude(hd_job *j, const hd_outcome *r);

/* The handle's job: EBUSY, or how it ended. */
heddle_status hd_job_wait_handle(heddle_job *h, uint64_t deadline_ns);
/* Until watched item i is done (OK) or the job has ended (how). EBUSY: neither at deadline_ns. */
heddle_status hd_job_wait_item(heddle_job *h, uint64_t i, uint64_t deadline_ns);
/* The time in so many ms; HEDDLE_FOREVER: never. */
uint64_t hd_job_deadline(uint32_t ms);

#endif
