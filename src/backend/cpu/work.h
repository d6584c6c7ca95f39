/* SPDX-License-Identifier: MIT */
/* work.h - a thread as a worker of one run, or of a pool. */
#ifndef HD_WORK_H
#define HD_WORK_H

#include "heddle/core/baselines/scheduler.h"
#include "heddle/core/notes.h"
#include "heddle/task.h"

/* The state of a worker, on a cache line of its own; other threads read it. */
typedef struct hd_cpu_now {
    hd_now now;
    uint32_t slot; /* of a pool: the slot of the task that it runs, HD_NONE = none of the host's */
    uint8_t pad[HD_LINE - sizeof(hd_now) - 4];
} hd_cpu_now;

/* Takes part in a run as worker `id` until it is over, with `shared` as block-shared memory. scheduler: NULL, or, under
 * dispatch scheduler, the state for scheduling between tasks. Returns 1 to the last worker out, which sees what all workers
 * wrote; for the others, r is gone. */
int hd_cpu_work(const hd_run *r, const heddle_body_info *bodies, uint32_t id, void *shared, hd_cpu_now *now,
                hd_scheduler *scheduler);
/* The same for the scheduler's own thread. */
int hd_cpu_schedule(const hd_run *r, hd_scheduler *scheduler);

/* A thread's worker; of a pool it lasts as long as the pool. */
typedef struct hd_cpu_worker {
    const hd_run *r;
    const heddle_body_info *bodies;
    hd_now *now;
    uint32_t *slot; /* hd_cpu_now.slot */
    heddle_thread thread;
    hd_worker w;
    hd_turn x;
    uint64_t ended; /* trace: end of the body, 0 = this turn is not traced */
    hd_event *event;
    hd_notes notes;               /* of a wave's bands, if the run is traced */
    hd_scheduler *scheduler;      /* dispatch scheduler with one thread, which also schedules */
    hd_spawn_buffer spawn_buffer; /* if bodies spawn */
} hd_cpu_worker;
void hd_cpu_worker_begin(hd_cpu_worker *x, const hd_run *r, const heddle_body_info *bodies, uint32_t id, void *shared,
                         hd_cpu_now *now);
/* Runs tasks of a pool until it is stopped (*last: this was the last worker out), until another job wants this thread, or until it
 * has found nothing for long. Then the thread that places a task for it will unpark it. */
typedef enum hd_served { HD_SERVED_OVER, HD_SERVED_WANTED, HD_SERVED_IDLE } hd_served;
hd_served hd_cpu_serve(hd_cpu_worker *x, int *last);
/* A thread that is no worker, alone with x, runs a task that no worker waits for, and keeps nothing of what that frees. 0: there is none.
 * Not where bodies spawn: a worker keeps slots for children. */
int hd_cpu_help(hd_cpu_worker *x);

/* Called when a worker found nothing for the n-th time in a row. scheduler: as above. */
void hd_cpu_wait(const hd_run *r, hd_scheduler *scheduler, uint32_t n);

#endif
